"""A sparse matrix as a product of two narrow ones: a truncated SVD that gives the same bytes on any number of threads.

Enter: a sparse matrix and a rank. Leave: two tables of short vectors, one for each row and one for each column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from classinet import _kernels
from classinet._sparse import take_columns, times_dense, transpose
from classinet._typing import Csr, Integers, Keys, Singles
from classinet.engine import Engine

OVERSAMPLING = 8
POWER_ITERATIONS = 2


def truncated_svd(
    matrix: Csr, rank: int, keys: Keys, engine: Engine, telling: Integers | None = None
) -> tuple[Singles, Singles]:
    """Return (left, right), each scaled by the root of the singular values, so that left @ right.T ≈ matrix.

    Randomised subspace iteration from a start that is keyed by the columns' names. Products run in fixed order and
    BLAS is held to one thread, so the result does not depend on the number of threads. Widths are padded with zeros to
    a multiple of eight for the kernels.

    Parameters
    ----------
    matrix : rows × columns.
    rank : how many directions.
    keys : of the names of the columns.
    engine : where products run.
    telling : columns that by themselves tell most of what the directions are, where they are few among many: the
        iteration begins with these alone, and the whole matrix is gone through only to finish. None is all columns.
    """
    part, part_keys = (matrix, keys) if telling is None else (take_columns(matrix, telling), keys[telling])
    rank = min(rank, *part.shape)
    width = _padded(min(rank + OVERSAMPLING, *part.shape))
    start = np.empty((part.shape[1], width), dtype=np.float32)
    _kernels.factorised.start_vectors(part_keys, start)
    turned = transpose(part)
    with threadpool_limits(1):
        basis = _orthonormal(times_dense(part, start, engine))
        for _ in range(POWER_ITERATIONS):
            basis = _nearer(part, turned, basis, engine)
        if telling is not None:
            turned = transpose(matrix)
            basis = _nearer(matrix, turned, basis, engine)
        projected = times_dense(turned, basis, engine)  # columns × width: matrix.T @ basis
        values, turn = np.linalg.eigh(projected.T.astype(np.float64) @ projected)
        order = np.argsort(-values, kind="stable")[:rank]
        singular = np.sqrt(np.maximum(values[order], 0.0))
        turn = turn[:, order]
        left = basis @ (turn * np.sqrt(singular))
        right = projected @ (turn / np.sqrt(np.maximum(singular, 1e-12)))
    right[:, singular < 1e-6 * max(singular.max(initial=0.0), 1e-30)] = 0.0
    return _pad(left), _pad(right)


def _nearer(matrix: Csr, turned: Csr, basis: Singles, engine: Engine) -> Singles:
    """One more iteration: a basis of rows that is nearer to the leading directions; `turned` is the transpose."""
    return _orthonormal(times_dense(matrix, _orthonormal(times_dense(turned, basis, engine)), engine))


def _orthonormal(table: Singles) -> Singles:
    """An orthonormal basis of the columns, padded back to the table's width."""
    basis = np.linalg.qr(table.astype(np.float64))[0]
    out = np.zeros_like(table)
    out[:, : basis.shape[1]] = basis
    return out


def _padded(width: int) -> int:
    return -(-width // 8) * 8


def _pad(table: NDArray[Any]) -> Singles:
    out = np.zeros((table.shape[0], _padded(table.shape[1])), dtype=np.float32)
    out[:, : table.shape[1]] = table
    return out
