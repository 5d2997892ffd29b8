"""Scores of many texts under many predictors, one output row a predictor, with a fixed order of additions."""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel
from classinet._kernels.lanes import add_scaled_row


@kernel
def sparse_linear(starts, features, weights, intercepts, indptr, indices, data, n_features, out):
    """out[i, row] = w_i · x_row + b_i for sparse w_i: scatter one w_i, gather it for all rows, clear it again."""
    dense = np.zeros(n_features, dtype=np.float32)
    for i in range(starts.size - 1):
        for at in range(starts[i], starts[i + 1]):
            dense[features[at]] = weights[at]
        for row in range(indptr.size - 1):
            score = intercepts[i]
            for at in range(indptr[row], indptr[row + 1]):
                score += data[at] * dense[indices[at]]
            out[i, row] = score
        for at in range(starts[i], starts[i + 1]):
            dense[features[at]] = 0.0


@kernel
def dense_rows(indptr, indices, data, table, out):
    """out[row] = Σ x_j · table[j]: a sum of table rows for every text; the table's width is a multiple of eight."""
    for row in range(indptr.size - 1):
        out[row] = np.float32(0.0)
        for at in range(indptr[row], indptr[row + 1]):
            add_scaled_row(out, row, table, np.int64(indices[at]), data[at])
