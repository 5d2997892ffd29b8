"""Which features texts that hold a vertex hold, and how much: one row a vertex, without a row for every text."""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel

BLOCK = 64  # features: what a vertex is met with is looked for in these alone


@kernel
def joint_rows(holder_starts, holders, indptr, indices, shares, n_features):
    """Return the rows of some vertices: lengths, features in ascending order, and the sum of the shares of their texts.

    `holders` are the texts that hold each vertex, and a text adds its share to all of its features. The sums have twice
    the precision of what is returned, and go through the texts in their order.
    """
    n_vertices = holder_starts.size - 1
    sums = np.zeros(n_features)
    n_blocks = (n_features + BLOCK - 1) // BLOCK
    touched = np.zeros(n_blocks, dtype=np.uint8)
    lengths = np.zeros(n_vertices, dtype=np.int64)
    features, values = np.empty(n_features, dtype=np.int32), np.empty(n_features, dtype=np.float32)
    end = 0
    for vertex in range(n_vertices):
        for at in range(holder_starts[vertex], holder_starts[vertex + 1]):
            text = holders[at]
            share = np.float64(shares[text])
            for place in range(indptr[text], indptr[text + 1]):
                feature = indices[place]
                sums[feature] += share
                touched[feature // BLOCK] = 1
        if features.size < end + n_features:
            features, values = _longer(features, end, n_features), _longer(values, end, n_features)
        start = end
        for block in range(n_blocks):
            if touched[block]:
                touched[block] = 0
                for feature in range(block * BLOCK, min((block + 1) * BLOCK, n_features)):
                    if sums[feature] > 0.0:
                        features[end], values[end] = feature, sums[feature]
                        sums[feature] = 0.0
                        end += 1
        lengths[vertex] = end - start
    return lengths, features[:end].copy(), values[:end].copy()


@kernel
def _longer(array, used, more):
    """Return a copy with room for at least so many more, and for as many again as are used."""
    out = np.empty(2 * used + more, dtype=array.dtype)
    out[:used] = array[:used]
    return out
