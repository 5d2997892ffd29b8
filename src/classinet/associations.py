"""Associations of two predictors: how much their votes have in common, larger = nearer.

Enter: counts over the same held-out rows, as integers or arrays that broadcast: m11 rows where both fire, n_i
and n_j rows where each fires, n_rows rows in all. Leave: float64 arrays. What would divide by zero is 0: a
predictor that never (or always) fires has nothing in common with any other. When all predictors fire equally
often, the five are increasing functions of m11 and rank alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classinet._typing import Floats

Association = Callable[[ArrayLike, ArrayLike, ArrayLike, int], Floats]


def correlation(m11: ArrayLike, n_i: ArrayLike, n_j: ArrayLike, n_rows: int) -> Floats:
    """Pearson's correlation of two 0/1 vectors (the phi coefficient), in [-1, 1].

    >>> float(correlation(2, 2, 2, 4)), float(correlation(0, 2, 2, 4)), float(correlation(0, 0, 2, 4))
    (1.0, -1.0, 0.0)
    """
    both, i, j = _counts(m11, n_i, n_j)
    spread = np.sqrt(i * (n_rows - i)) * np.sqrt(j * (n_rows - j))
    return np.clip(_ratio(n_rows * both - i * j, spread), -1.0, 1.0)


def jaccard(m11: ArrayLike, n_i: ArrayLike, n_j: ArrayLike, n_rows: int) -> Floats:
    """Rows where both fire among rows where one does, in [0, 1].

    >>> float(jaccard(1, 2, 3, 10))
    0.25
    """
    both, i, j = _counts(m11, n_i, n_j)
    return _ratio(both, i + j - both)


def lift(m11: ArrayLike, n_i: ArrayLike, n_j: ArrayLike, n_rows: int) -> Floats:
    """How many times more often both fire than if they were independent: 1 = independent, no upper bound.

    >>> float(lift(2, 2, 4, 16))
    4.0
    """
    both, i, j = _counts(m11, n_i, n_j)
    return _ratio(n_rows * both, i * j)


def conditional(m11: ArrayLike, n_i: ArrayLike, n_j: ArrayLike, n_rows: int) -> Floats:
    """P(h_j = 1 | h_i = 1), in [0, 1]. It favours hubs: a predictor that always fires is nearest to all.

    >>> float(conditional(1, 2, 4, 16))
    0.5
    """
    both, i, j = _counts(m11, n_i, n_j)
    return _ratio(both, i + 0 * j)


def hamming(m11: ArrayLike, n_i: ArrayLike, n_j: ArrayLike, n_rows: int) -> Floats:
    """1 - (share of rows on which the two differ), in [0, 1]: the negated distance, moved up to be ≥ 0.

    Predictors that rarely fire are near everything by this measure; it is sound only where all fire equally
    often.

    >>> float(hamming(1, 2, 3, 10))
    0.7
    """
    both, i, j = _counts(m11, n_i, n_j)
    return _ratio(n_rows - (i + j - 2 * both), np.int64(n_rows))


ASSOCIATIONS: dict[str, Association] = {
    "correlation": correlation,
    "jaccard": jaccard,
    "lift": lift,
    "conditional": conditional,
    "hamming": hamming,
}


def _counts(*counts: ArrayLike) -> tuple[Any, ...]:
    return tuple(np.asarray(count, dtype=np.int64) for count in counts)


def _ratio(above: Any, below: Any) -> Floats:
    above, below = np.broadcast_arrays(above, below)
    quotient: Floats = np.divide(above, below, out=np.zeros(above.shape), where=below > 0)
    return quotient
