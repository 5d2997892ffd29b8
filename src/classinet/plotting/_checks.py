"""Numbers that a chart is drawn from: arrays of the right shape, or a message that says which is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from classinet._typing import Floats
from classinet.exceptions import InputError


def numbers(name: str, values: Any, length: int | None = None) -> Floats:
    """Return values as a row of floats, of a given length if one is asked for; NaN stays, infinity is refused.

    >>> numbers("scores", [0.5, "high"])
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: scores must be a sequence of numbers, got [0.5, 'high']
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a sequence of numbers, got {values!r}") from None
    if array.ndim != 1:
        raise InputError(f"{name} must be a flat sequence of numbers, got an array of shape {array.shape}")
    if not len(array):
        raise InputError(f"{name} is empty, so there is nothing to draw")
    if length is not None and len(array) != length:
        raise InputError(f"{name} has {len(array)} entries where {length} are needed, one per point")
    if np.isinf(array).any():
        raise InputError(f"{name} holds infinity at place {int(np.argmax(np.isinf(array)))}")
    return array


def places(name: str, values: Any, *, positive: bool) -> Floats:
    """Return values of the horizontal axis: known, and on a logarithmic axis above zero."""
    array = numbers(name, values)
    bad = np.isnan(array) | (positive & (array <= 0))
    if bad.any():
        kind = "numbers above 0" if positive else "numbers"
        raise InputError(f"{name} must be {kind}; place {int(np.argmax(bad))} holds {array[np.argmax(bad)]}")
    return array


def band(name: str, low: Any, high: Any, length: int) -> tuple[Floats, Floats]:
    """Return the two ends of an interval per point, the lower first."""
    lower, upper = numbers(f"{name} (low)", low, length), numbers(f"{name} (high)", high, length)
    crossed = lower > upper
    if crossed.any():
        at = int(np.argmax(crossed))
        raise InputError(f"{name} has low {lower[at]} above high {upper[at]} at place {at}")
    return lower, upper
