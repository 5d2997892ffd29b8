"""Context vectors in closed form: a truncated SVD of smoothed positive PMI between targets and contexts.

Enter: contexts and targets over the same texts. Leave: for every vertex and every feature a short vector such that
their product approximates how much more often than by chance the feature accompanies the vertex. No passes, no
learning rate, and the first r columns are the answer for every smaller rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from classinet import _kernels
from classinet._sparse import ROW_BLOCK, canonical_csr, from_arrays, row_slice, times_dense, transpose
from classinet._typing import Csr, Keys, Singles
from classinet.engine import Engine, fixed_batches

CONTEXT_SMOOTHING = 0.75
OVERSAMPLING = 8
POWER_ITERATIONS = 2


def positive_pmi(contexts: Csr, targets: Csr, forbidden: Csr) -> Csr:
    """Return max(0, log p(i, j) / (p(i) · p(j)^0.75 normalised)) for vertices i and contexts j.

    A text spreads one unit of evidence for each of its targets evenly over its features, so long texts do not drown
    short ones.
    """
    joint = _joint(contexts, targets)
    joint = canonical_csr(joint - joint.multiply(forbidden), np.float32)
    per_target = np.asarray(joint.sum(axis=1), dtype=np.float64).ravel()
    smoothed = np.asarray(joint.sum(axis=0), dtype=np.float64).ravel() ** CONTEXT_SMOOTHING
    rows = np.repeat(np.arange(joint.shape[0]), np.diff(joint.indptr))
    chance = per_target[rows] * (smoothed / max(smoothed.sum(), 1e-300))[joint.indices]
    return canonical_csr(
        from_arrays(
            np.maximum(0.0, np.log(joint.data / chance)).astype(np.float32),
            joint.indices,
            joint.indptr,
            joint.shape,
        ),
        np.float32,
    )


def _joint(contexts: Csr, targets: Csr) -> Csr:
    """How often each vertex is met with each feature, a text's evidence spread over its features."""
    joint = None
    for start, stop in fixed_batches(contexts.shape[0], ROW_BLOCK):
        texts, vertices = row_slice(contexts, start, stop), row_slice(targets, start, stop)
        lengths = np.diff(texts.indptr)
        share = np.float32(1.0) / np.maximum(lengths - 1, 1).astype(np.float32)
        shares = from_arrays(np.repeat(share, lengths), texts.indices, texts.indptr, texts.shape)
        met = canonical_csr(transpose(vertices) @ shares, np.float32)
        joint = met if joint is None else canonical_csr(joint + met, np.float32)
    assert joint is not None  # a problem has rows
    return joint


def truncated_svd(matrix: Csr, rank: int, keys: Keys, engine: Engine) -> tuple[Singles, Singles]:
    """Return (left, right), each scaled by the root of the singular values, so that left @ right.T ≈ matrix.

    Randomised subspace iteration from a start that is keyed by the columns' names. Products run in fixed order and
    BLAS is held to one thread, so the result does not depend on the number of threads. Widths are padded with zeros to
    a multiple of eight for the kernels.
    """
    rank = min(rank, *matrix.shape)
    width = _padded(min(rank + OVERSAMPLING, *matrix.shape))
    transposed = transpose(matrix)
    start = np.empty((matrix.shape[1], width), dtype=np.float32)
    _kernels.factorised.start_vectors(keys, start)
    with threadpool_limits(1):
        basis = _orthonormal(times_dense(matrix, start, engine))
        for _ in range(POWER_ITERATIONS):
            basis = _orthonormal(times_dense(transposed, basis, engine))
            basis = _orthonormal(times_dense(matrix, basis, engine))
        projected = times_dense(transposed, basis, engine)  # d × width: matrix.T @ basis
        values, turn = np.linalg.eigh(projected.T.astype(np.float64) @ projected)
        order = np.argsort(-values, kind="stable")[:rank]
        singular = np.sqrt(np.maximum(values[order], 0.0))
        turn = turn[:, order]
        left = basis @ (turn * np.sqrt(singular))
        right = projected @ (turn / np.sqrt(np.maximum(singular, 1e-12)))
    right[:, singular < 1e-6 * max(singular.max(initial=0.0), 1e-30)] = 0.0
    return _pad(left), _pad(right)


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
