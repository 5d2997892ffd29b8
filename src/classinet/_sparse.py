"""CSR verbs: check, cast, allocate, call a kernel, rebuild.

Inside the library a matrix is a `csr_array` with int64 `indptr`, int32 `indices`, sorted and without duplicates or
stored zeros, and float32 (what predictors see) or float64 (what users gave) data: kernels compile once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from classinet import _kernels
from classinet._typing import Csr, Integers, MatrixLike, Singles
from classinet.engine import Engine, fixed_batches
from classinet.exceptions import InputError


def canonical_csr(X: MatrixLike, dtype: type[np.floating[Any]] = np.float64) -> Csr:
    """Return X in the library's one layout; X itself is never changed."""
    if X.shape[1] > np.iinfo(np.int32).max:
        raise InputError(f"X has {X.shape[1]:,} columns; at most {np.iinfo(np.int32).max:,} can be indexed")
    matrix = sparse.csr_array(X)
    if not (matrix.has_canonical_format and matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return from_arrays(matrix.data.astype(dtype, copy=False), matrix.indices, matrix.indptr, matrix.shape)


def from_arrays(data: Any, indices: Any, indptr: Any, shape: tuple[int, ...]) -> Csr:
    """Build a canonical CSR from arrays that are already sorted, without scipy narrowing or widening them."""
    matrix = sparse.csr_array((shape[0], shape[1]), dtype=data.dtype)
    matrix.data = data
    matrix.indices = np.asarray(indices, dtype=np.int32)
    matrix.indptr = np.asarray(indptr, dtype=np.int64)
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def presence(X: Csr) -> Csr:
    """Return X with every stored value replaced by one."""
    return from_arrays(np.ones(X.nnz, dtype=np.float32), X.indices, X.indptr, X.shape)


def take_rows(X: Csr, rows: Integers) -> Csr:
    """Return the given rows, in that order."""
    lengths = np.diff(X.indptr)[rows]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    source = np.repeat(X.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return from_arrays(X.data[source], X.indices[source], indptr, (len(rows), X.shape[1]))


def take_columns(X: Csr, columns: Integers) -> Csr:
    """Return the given distinct columns, in that order."""
    position = np.full(X.shape[1], -1, dtype=np.int32)
    position[columns] = np.arange(len(columns), dtype=np.int32)
    kept = position[X.indices] >= 0
    per_row = np.concatenate(([0], np.cumsum(kept)))[X.indptr]
    picked = from_arrays(X.data[kept], position[X.indices[kept]], per_row, (X.shape[0], len(columns)))
    if len(columns) > 1 and (np.diff(columns) < 0).any():
        return transpose(transpose(picked))  # two counting sorts: rows come out in order
    return picked


def column_counts(X: Csr) -> Integers:
    """Return in how many rows each column is stored."""
    return np.bincount(X.indices, minlength=X.shape[1]).astype(np.int64)


def transpose(X: Csr) -> Csr:
    """Return the transpose in the same layout: row lists per column, an inverted index."""
    indptr = np.concatenate(([0], np.cumsum(column_counts(X))))
    order = np.argsort(X.indices, kind="stable")
    rows = np.repeat(np.arange(X.shape[0], dtype=np.int32), np.diff(X.indptr))
    return from_arrays(X.data[order], rows[order], indptr, (X.shape[1], X.shape[0]))


def times_dense(X: Csr, table: Singles, engine: Engine) -> Singles:
    """Return X @ table, every sum in the order of a row's columns whatever the batches."""
    out = np.empty((X.shape[0], table.shape[1]), dtype=np.float32)

    def block(rows: tuple[int, int]) -> None:
        start, stop = rows
        _kernels.scoring.dense_rows(X.indptr[start : stop + 1], X.indices, X.data, table, out[start:stop])

    engine.map_batches(block, fixed_batches(X.shape[0], 2048), stage="matrix product")
    return out
