"""Cosines between the vectors of vertices and the summed vectors of texts, what is forbidden left out."""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.jit import kernel
from classinet._kernels.lanes import add_scaled_row, dot_rows


@kernel
def cosines(indptr, indices, banned_starts, banned, V, units, out):
    """out[i, row] = cosine of units[i] and the sum of V over the row's allowed features, 0 if that sum is 0.

    Where a forbidden feature occurs, the sum is made anew from the others: subtracting would leave rounding
    errors, and where nothing is left their direction would be noise.
    """
    rank = V.shape[1]
    seen = np.full(V.shape[0], -1, dtype=np.int64)
    blocked = np.full(V.shape[0], -1, dtype=np.int64)
    plain, reduced = np.zeros((1, rank), dtype=np.float32), np.zeros((1, rank), dtype=np.float32)
    mark = -1
    for row in range(indptr.size - 1):
        own = indices[indptr[row] : indptr[row + 1]]
        plain[:] = np.float32(0.0)
        for feature in own:
            seen[feature] = row
            add_scaled_row(plain, 0, V, np.int64(feature), np.float32(1.0))
        plain_norm = math.sqrt(dot_rows(plain, 0, plain, 0))
        for i in range(units.shape[0]):
            mark += 1
            total, norm = plain, plain_norm
            n_blocked = 0
            for at in range(banned_starts[i], banned_starts[i + 1]):
                blocked[banned[at]] = mark
                n_blocked += seen[banned[at]] == row
            if n_blocked > 0:
                reduced[:] = np.float32(0.0)
                for feature in own:
                    if blocked[feature] != mark:
                        add_scaled_row(reduced, 0, V, np.int64(feature), np.float32(1.0))
                total, norm = reduced, math.sqrt(dot_rows(reduced, 0, reduced, 0))
            out[i, row] = dot_rows(units, np.int64(i), total, 0) / norm if norm > 0.0 else 0.0
