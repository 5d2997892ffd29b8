"""CSR verbs: check, cast, allocate, call a kernel, rebuild.

Inside the library a matrix is a `csr_array` with int64 `indptr`, int32 `indices`, sorted and without duplicates or
stored zeros, and float32 (what predictors see) or float64 (what users gave) data: kernels compile once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from classinet import _kernels
from classinet._typing import Csr, Flags, Integers, MatrixLike, Singles
from classinet.engine import Engine, fixed_batches
from classinet.exceptions import InputError

B = TypeVar("B")
ROW_BLOCK = 65_536  # rows
ENTRY_BLOCK = 1 << 22  # stored values
INVERTED_BLOCK = 1 << 26  # stored values: of so many a transpose is made in memory


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
    # A copy of an empty matrix costs a small part of scipy's constructor, and a single text needs many small matrices.
    matrix: Csr = sparse.csr_array.__new__(sparse.csr_array)
    matrix.__dict__.update(_empty(int(shape[0]), int(shape[1])).__dict__)
    matrix.data = data
    matrix.indices = np.asarray(indices, dtype=np.int32)
    matrix.indptr = np.asarray(indptr, dtype=np.int64)
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


@lru_cache(maxsize=256)
def _empty(n_rows: int, n_columns: int) -> Csr:
    matrix = sparse.csr_array((n_rows, n_columns))
    matrix.indptr = np.zeros(0, dtype=np.int64)  # never looked at; what is remembered should be small
    return matrix


def plain(X: Csr) -> Any:
    """Return the same matrix with one index type, which all of scipy accepts; of two, it would copy both as the wider.

    >>> plain(canonical_csr(np.eye(2))).indptr.dtype
    dtype('int32')
    """
    narrow = np.int32 if X.nnz <= np.iinfo(np.int32).max else np.int64
    arrays = X.data, X.indices.astype(narrow, copy=False), X.indptr.astype(narrow, copy=False)
    return sparse.csr_array(arrays, shape=X.shape)


def presence(X: Csr) -> Csr:
    """Return X with every stored value replaced by one."""
    return from_arrays(np.ones(X.nnz, dtype=np.float32), X.indices, X.indptr, X.shape)


def take_rows(X: Csr, rows: Integers) -> Csr:
    """Return the given rows, in that order."""
    taken = plain(X)[rows]  # in one pass, where numpy would first write down the place of every value
    return from_arrays(taken.data, taken.indices, taken.indptr, taken.shape)


def row_slice(X: Csr, start: int, stop: int) -> Csr:
    """Return consecutive rows, sharing the values of X."""
    first, last = X.indptr[start], X.indptr[stop]
    shape = (stop - start, X.shape[1])
    return from_arrays(X.data[first:last], X.indices[first:last], X.indptr[start : stop + 1] - first, shape)


def stacked(function: Callable[[B], Csr], batches: Sequence[B], n_columns: int, engine: Engine, stage: str) -> Csr:
    """Return the rows that the batches make as one matrix; the engine decides where it is kept."""

    def rows(batch: B) -> tuple[Any, ...]:
        block = function(batch)
        return np.diff(block.indptr), block.indices, block.data

    lengths, indices, data = engine.concatenate(rows, batches, stage=stage)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    return from_arrays(data, indices, indptr, (len(lengths), n_columns))


def take_columns(X: Csr, columns: Integers) -> Csr:
    """Return the given distinct columns, in that order."""
    if len(columns) == X.shape[1] and np.array_equal(columns, np.arange(len(columns))):
        return X
    position = np.full(X.shape[1], -1, dtype=np.int32)
    position[columns] = np.arange(len(columns), dtype=np.int32)
    kept = keep_entries(X, position[X.indices] >= 0)
    picked = from_arrays(kept.data, position[kept.indices], kept.indptr, (X.shape[0], len(columns)))
    if len(columns) > 1 and (np.diff(columns) < 0).any():
        return transpose(transpose(picked))  # two counting sorts: rows come out in order
    return picked


def keep_entries(matrix: Csr, kept: Flags) -> Csr:
    """Return the matrix of the flagged entries."""
    at = np.flatnonzero(kept)
    return from_arrays(matrix.data[at], matrix.indices[at], np.searchsorted(at, matrix.indptr), matrix.shape)


def entries_per_row(X: Csr) -> Integers:
    """Return how many values each row stores; quicker than `np.diff` where there are few rows."""
    return X.indptr[1:] - X.indptr[:-1]


def column_counts(X: Csr) -> Integers:
    """Return in how many rows each column is stored."""
    counts = np.zeros(X.shape[1], dtype=np.int64)
    for start, stop in fixed_batches(len(X.indices), ENTRY_BLOCK):  # bincount copies what it counts
        counts += np.bincount(X.indices[start:stop], minlength=X.shape[1])
    return counts


def transpose(X: Csr) -> Csr:
    """Return the transpose in the same layout: row lists per column, an inverted index."""
    turned = plain(X).tocsc()
    return from_arrays(turned.data, turned.indices, turned.indptr, (X.shape[1], X.shape[0]))


def inverted(X: Csr, engine: Engine, stage: str) -> Csr:
    """Return the transpose; that of a large matrix is made some columns at a time and kept where the engine says."""
    if X.nnz <= INVERTED_BLOCK:
        return transpose(X)
    ends = np.cumsum(column_counts(X))
    cuts = np.searchsorted(ends, np.arange(INVERTED_BLOCK, ends[-1], INVERTED_BLOCK)) + 1
    borders = np.unique([0, *cuts, X.shape[1]])

    def columns(border: tuple[int, int]) -> Csr:
        # A counting sort of rows that are met in order: every list comes out sorted.
        blocks = [
            transpose(take_columns(row_slice(X, *rows), np.arange(*border)))
            for rows in fixed_batches(X.shape[0], ROW_BLOCK)
        ]
        lengths = np.stack([entries_per_row(block) for block in blocks])
        starts = np.concatenate(([0], np.cumsum(lengths.sum(axis=0))))
        indices, data = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=X.data.dtype)
        free = starts[:-1].copy()
        for number, block in enumerate(blocks):
            place = np.arange(block.nnz) + np.repeat(free - block.indptr[:-1], lengths[number])
            indices[place], data[place] = block.indices + number * ROW_BLOCK, block.data
            free += lengths[number]
        return from_arrays(data, indices, starts, (len(starts) - 1, X.shape[0]))

    pairs = list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))
    return stacked(columns, pairs, X.shape[0], engine, stage)


def times_dense(X: Csr, table: Singles, engine: Engine) -> Singles:
    """Return X @ table, every sum in the order of a row's columns whatever the batches."""
    out = np.empty((X.shape[0], table.shape[1]), dtype=np.float32)

    def block(rows: tuple[int, int]) -> None:
        start, stop = rows
        _kernels.scoring.dense_rows(X.indptr[start : stop + 1], X.indices, X.data, table, out[start:stop])

    engine.map_batches(block, fixed_batches(X.shape[0], 2048), stage="matrix product")
    return out
