"""Which features the texts of a vertex hold, and how much more than by chance: vertices × features, row after row."""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.jit import kernel

BLOCK = 64  # features: what a vertex is met with is looked for in these alone


@kernel
def joint_rows(cursors, ends, holders, stop, indptr, indices, shares, n_features):
    """Return the rows of some vertices: lengths, features in ascending order, and the sum of the shares of their texts.

    `holders` are the texts that hold each vertex, from a cursor to an end; those before `stop` are gone through, and
    the cursors moved on. A text adds its share to all of its features. The sums have twice the precision of what is
    returned, and go through the texts in their order.
    """
    n_vertices = cursors.size
    sums = np.zeros(n_features)
    n_blocks = (n_features + BLOCK - 1) // BLOCK
    touched = np.zeros(n_blocks, dtype=np.uint8)
    lengths = np.zeros(n_vertices, dtype=np.int64)
    features, values = np.empty(n_features, dtype=np.int32), np.empty(n_features, dtype=np.float32)
    end = 0
    for vertex in range(n_vertices):
        while cursors[vertex] < ends[vertex] and holders[cursors[vertex]] < stop:
            text = holders[cursors[vertex]]
            cursors[vertex] += 1
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


@kernel
def allowed_in_place(indptr, indices, data, banned_starts, banned, lengths, of_row, of_column):
    """Move what is allowed to the front of the arrays; note lengths and sums of rows, and sums of columns."""
    end = 0
    for row in range(indptr.size - 1):
        first, at, last = end, banned_starts[row], banned_starts[row + 1]
        for place in range(indptr[row], indptr[row + 1]):
            column, value = indices[place], data[place]
            while at < last and banned[at] < column:
                at += 1
            if at < last and banned[at] == column:
                continue
            indices[end], data[end] = column, value
            of_row[row] += value
            of_column[column] += value
            end += 1
        lengths[row] = end - first


@kernel
def surplus_in_place(lengths, indices, data, of_row, of_column, kept):
    """Replace values by the logarithm of what they are above chance, move those above 0 to the front, note lengths."""
    place, end = 0, 0
    for row in range(lengths.size):
        first = end
        for _ in range(lengths[row]):
            column = indices[place]
            surplus = np.float32(math.log(data[place] / (of_row[row] * of_column[column])))
            place += 1
            if surplus > 0.0:
                indices[end], data[end] = column, surplus
                end += 1
        kept[row] = end - first
