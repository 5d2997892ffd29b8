"""Scores of many texts under many predictors, one output row a predictor, with a fixed order of additions."""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel
from classinet._kernels.lanes import LANES, add_scaled_row, gather


@kernel
def sparse_linear(starts, features, weights, intercepts, indptr, indices, data, n_features, out):
    """out[i, row] = w_i · x_row + b_i for sparse w_i, eight of them side by side.

    Eight weight vectors are scattered into the lanes of one table, gathered for all rows, and cleared again.
    """
    table = np.zeros(n_features * LANES, dtype=np.float32)
    z = np.zeros(LANES, dtype=np.float32)
    for first in range(0, starts.size - 1, LANES):
        used = min(LANES, starts.size - 1 - first)
        for lane in range(used):
            for at in range(starts[first + lane], starts[first + lane + 1]):
                table[np.int64(features[at]) * LANES + lane] = weights[at]
        for row in range(indptr.size - 1):
            for lane in range(used):
                z[lane] = intercepts[first + lane]
            gather(table, indices, data, indptr[row], indptr[row + 1], z)
            for lane in range(used):
                out[first + lane, row] = z[lane]
        for lane in range(used):
            for at in range(starts[first + lane], starts[first + lane + 1]):
                table[np.int64(features[at]) * LANES + lane] = 0.0


@kernel
def dense_rows(indptr, indices, data, table, out):
    """out[row] = Σ x_j · table[j]: a sum of table rows for every text; the table's width is a multiple of eight."""
    for row in range(indptr.size - 1):
        out[row] = np.float32(0.0)
        for at in range(indptr[row], indptr[row + 1]):
            add_scaled_row(out, row, table, np.int64(indices[at]), data[at])
