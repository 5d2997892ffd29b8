"""Scores of many texts under many predictors, one output row a predictor, with a fixed order of additions."""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel


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
    """out[row] = Σ x_j · table[j]: a sum of table rows for every text."""
    for row in range(indptr.size - 1):
        target = out[row]
        target[:] = 0.0
        for at in range(indptr[row], indptr[row + 1]):
            source = table[indices[at]]
            value = data[at]
            for k in range(target.size):
                target[k] += value * source[k]


@kernel
def all_products(left, right, out):
    """out[i, j] = left[i] · right[j], each sum in the order of the dimensions, whatever the sizes of the batches.

    `right` comes transposed (dimensions × texts), so the inner loop runs over texts and vectorises without
    reordering any sum.
    """
    for i in range(left.shape[0]):
        target = out[i]
        target[:] = 0.0
        for k in range(left.shape[1]):
            value = left[i, k]
            source = right[k]
            for j in range(target.size):
                target[j] += value * source[j]
