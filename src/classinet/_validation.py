"""Checks shared by everything that takes a matrix; each failure names the matrix, the row and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from classinet._sparse import canonical_csr
from classinet._typing import Csr, MatrixLike
from classinet.exceptions import InputError, ParameterError

DENSE_LIMIT = 50_000_000


def check_matrix(X: MatrixLike, name: str = "X", min_features: int = 1) -> Csr:
    """Return X as canonical CSR of float64; negative, infinite and missing values are refused with their place.

    >>> import numpy as np
    >>> check_matrix(np.array([[0.0, 2.0]])).nnz
    1
    >>> check_matrix(np.array([[1.0, -2.0]]))
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: Negative values in data: X holds -2.0 in row 0, column 1; features are counts or
    weights ≥ 0
    """
    if isinstance(X, np.ndarray) and X.size > DENSE_LIMIT:
        raise InputError(
            f"{name} is a dense array of {X.size:,} values; pass it as scipy.sparse.csr_matrix, which stores only "
            "what is not zero"
        )
    array: Any = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False, input_name=name,
        ensure_min_samples=1, ensure_min_features=min_features, accept_large_sparse=True,
    )  # fmt: skip
    matrix = canonical_csr(array)
    _refuse(matrix, ~np.isfinite(matrix.data), name, "NaN or infinity in data", "clean or drop that row")
    _refuse(matrix, matrix.data < 0, name, "Negative values in data", "features are counts or weights ≥ 0")
    return matrix


def given(X: MatrixLike, checked: Csr) -> Any:
    """Return what scikit-learn should look at for names and width: X, or its checked form where X is no matrix."""
    return X if hasattr(X, "shape") else checked


def check_same_rows(contexts: Csr, targets: Csr) -> None:
    """Refuse contexts and targets over different rows."""
    if contexts.shape[0] != targets.shape[0]:
        raise InputError(
            f"contexts has {contexts.shape[0]} rows and targets {targets.shape[0]}; they must be the same texts"
        )


def check_number(
    name: str, value: Any, *, low: float, high: float = np.inf, whole: bool = False, open_low: bool = False
) -> None:
    """Refuse a parameter outside [low, high] (or (low, high]).

    >>> check_number("k", 0, low=1, whole=True)
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: k must be a whole number ≥ 1, got 0
    """
    kind = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    inside = isinstance(value, kind) and not isinstance(value, bool) and low <= value <= high
    if inside and not (open_low and value == low):
        return
    noun = "a whole number" if whole else "a number"
    bounds = f"{'>' if open_low else '≥'} {low}" + (f" and ≤ {high}" if np.isfinite(high) else "")
    raise ParameterError(f"{name} must be {noun} {bounds}, got {value!r}")


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, or pandas' NaT and NA.

    >>> is_missing(float("nan")), is_missing(""), is_missing(False)
    (True, False, False)
    """
    if value is None:
        return True
    differs = value != value  # NaN and NaT differ from themselves, and NA says NA
    return bool(differs) if isinstance(differs, bool | np.bool_) else differs is value


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse a parameter that is none of its choices."""
    if value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")


def _refuse(matrix: Csr, bad: Any, name: str, what: str, remedy: str) -> None:
    if not bad.any():
        return
    at = int(np.argmax(bad))
    row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
    place = f"row {row}, column {matrix.indices[at]}"
    raise InputError(f"{what}: {name} holds {matrix.data[at]} in {place}; {remedy}")
