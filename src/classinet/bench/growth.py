"""How figures grow with size, and whether they are what was aimed at.

Enter: sizes and figures. Leave: exponents of power laws, and verdicts. An exponent is the slope of a line through the
points on doubly logarithmic paper: 1 means that twice the size costs twice as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MET, MISSED = "met", "missed"


@dataclass(frozen=True)
class Target:
    """A figure to stay below, or above.

    >>> str(Target(1.15)), Target(1.15).verdict(1.2), Target(0.9, below=False).verdict(0.9)
    ('≤ 1.15', 'missed', 'met')
    """

    limit: float
    below: bool = True

    def verdict(self, value: float | None) -> str:
        """Return "met" or "missed", and "–" where nothing is known."""
        if value is None:
            return "–"
        return MET if (value <= self.limit if self.below else value >= self.limit) else MISSED

    def __str__(self) -> str:
        return f"{'≤' if self.below else '≥'} {self.limit:g}"


@dataclass(frozen=True)
class Growth:
    """The exponent over all points, that between the last two, and how many points there were."""

    exponent: float
    last: float
    n_points: int


def growth(sizes: Sequence[float], values: Sequence[float | None]) -> Growth | None:
    """Fit a power law by least squares on the logarithms; None where fewer than two sizes have a value above zero.

    >>> growth([1000, 4000, 2000], [1.0, 8.0, 2.0])
    Growth(exponent=1.5, last=2.0, n_points=3)
    """
    known = sorted((x, y) for x, y in zip(sizes, values, strict=True) if y is not None and x > 0 and y > 0)
    if len({x for x, _ in known}) < 2:
        return None
    x, y = np.log(np.array(known, dtype=np.float64)).T
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    before = int(np.flatnonzero(x < x[-1])[-1])
    last = float((y[-1] - y[before]) / (x[-1] - x[before]))
    return Growth(round(slope, 6), round(last, 6), len(known))
