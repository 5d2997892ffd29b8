"""Join original and expansion features (§4.2, end): EXP=cat beside cat, or added into it.

Enter: texts × features and their expansion, texts × vertices. Leaves: one sparse matrix in the type the caller gave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classinet._sparse import entries_per_row, from_arrays, plain, take_rows
from classinet._typing import Csr, Floats, MatrixLike
from classinet._validation import check_choice, check_number
from classinet.engine import ThreadEngine, fixed_batches
from classinet.expansion import Expansion, keep_top
from classinet.net import Net

MERGES = ("append", "add", "only")
PREFIX = "EXP="
ROW_BATCH = 2048


def expand_rows(X: Csr, net: Net, expansion: Expansion, n_jobs: int | None = None) -> Csr:
    """Expand all rows, in batches of rows when several threads are asked for: rows never influence each other."""
    with ThreadEngine(n_jobs) as engine:
        if engine.n_threads == 1:
            return expansion.expand(X, net)
        parts = engine.map_batches(
            lambda rows: expansion.expand(take_rows(X, np.arange(*rows)), net),
            fixed_batches(X.shape[0], ROW_BATCH),
            stage="expansion",
        )
    indptr = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]).cumsum()
    indices = np.concatenate([part.indices for part in parts])
    return from_arrays(np.concatenate([part.data for part in parts]), indices, indptr, (X.shape[0], net.n_vertices))


def weigh(E: Csr, X: Csr, weight: float, norm: str | None, top: int | None) -> Csr:
    """Cut each row to its `top` largest values, bring it to the length of the original row, and scale it."""
    check_number("weight", weight, low=0)
    check_choice("norm", norm, (None, "l2"))
    if top is not None:
        E = keep_top(E, top)
    scale = np.full(E.shape[0], float(weight))
    if norm == "l2":
        lengths = row_lengths(E)
        scale = np.divide(scale * row_lengths(X), lengths, out=np.zeros(len(scale)), where=lengths > 0)
    if (scale == 1.0).all():
        return E
    return from_arrays(E.data * np.repeat(scale, np.diff(E.indptr)), E.indices, E.indptr, E.shape)


def merge(X: Csr, E: Csr, net: Net, how: str) -> Csr:
    """Put the expansion beside the original features, add it into them, or return it alone."""
    check_choice("merge", how, MERGES)
    if how == "only":
        return E
    if how == "add":
        into = sparse.csr_array((E.data, net.columns[E.indices], E.indptr), shape=X.shape)
        return sparse.csr_array(plain(X) + into)
    return append(X, E)


def append(X: Csr, E: Csr) -> Csr:
    """Put the columns of E after those of X."""
    lengths_x, lengths_e = entries_per_row(X), entries_per_row(E)
    indptr = np.concatenate(([0], np.cumsum(lengths_x + lengths_e)))
    data, indices = np.empty(indptr[-1]), np.empty(indptr[-1], dtype=np.int32)
    place_x = np.arange(X.nnz) + np.repeat(indptr[:-1] - X.indptr[:-1], lengths_x)
    data[place_x], indices[place_x] = X.data, X.indices
    place_e = np.arange(E.nnz) + np.repeat(indptr[:-1] + lengths_x - E.indptr[:-1], lengths_e)
    data[place_e], indices[place_e] = E.data, E.indices + np.int32(X.shape[1])
    return from_arrays(data, indices, indptr, (X.shape[0], X.shape[1] + E.shape[1]))


def merged_names(names: NDArray[np.object_], net: Net, how: str) -> NDArray[np.object_]:
    """Name the columns that `merge` returns."""
    check_choice("merge", how, MERGES)
    expansion = np.array([PREFIX + str(names[column]) for column in net.columns], dtype=object)
    if how == "only":
        return expansion
    return np.concatenate([names, expansion]) if how == "append" else names


def like_input(result: Csr, given: MatrixLike) -> Any:
    """Return the sparse type the caller uses: arrays for sparse arrays, otherwise the matrix scikit-learn returns."""
    array = plain(result)
    return array if isinstance(given, sparse.sparray) else sparse.csr_matrix(array)


def row_lengths(X: Csr) -> Floats:
    """Return the Euclidean length of each row."""
    rows = np.repeat(np.arange(X.shape[0]), entries_per_row(X))
    return np.sqrt(np.bincount(rows, weights=X.data**2, minlength=X.shape[0]))
