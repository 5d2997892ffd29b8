"""Low-rank predictors: z_i(x) = u_i · mean of v_j over the allowed j in x + b_i, for all vertices at once.

Enter: fixed context vectors V, the texts. Leave: target vectors U and biases b, trained by ascending the likelihood of
"does vertex i occur in text x" over a text's own vertices and a few drawn ones. With V fixed no vertex's update touches
another's, so shards of vertices can be trained side by side and the result is the same for any number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.hashing import mix, uniform
from classinet._kernels.jit import kernel
from classinet._kernels.lanes import add_scaled_row, dot_rows

TILE = 64
SEARCH = 8  # steps that looking for one feature in a sorted list takes, roughly


@kernel
def start_vectors(keys, out):
    """Fill each row with numbers in ±1 from the stream of its feature's name."""
    for row in range(out.shape[0]):
        key = mix(keys[row])
        for k in range(out.shape[1]):
            out[row, k] = 2.0 * uniform(key + np.uint64(k)) - 1.0


@kernel
def alias_table(weights, chance, alias):
    """Walker's tables: afterwards one uniform number draws an item with probability ∝ its weight in constant time."""
    n = weights.size
    scale = n / weights.sum()
    small, large = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_small, n_large = 0, 0
    for i in range(n):
        chance[i] = weights[i] * scale
        alias[i] = i
        if chance[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        low, high = small[n_small], large[n_large - 1]
        alias[low] = high
        chance[high] -= 1.0 - chance[low]
        if chance[high] < 1.0:
            n_large -= 1
            small[n_small] = high
            n_small += 1


@kernel
def draw(key, chance, alias):
    """Draw one item from Walker's tables."""
    point = uniform(key) * chance.size
    item = np.int64(point)
    return item if point - item < chance[item] else np.int64(alias[item])


@kernel
def _row(width):
    return np.zeros((1, width), dtype=np.float32)


@kernel
def allowed_mean(vertex, own, seen, stamp, banned_starts, banned, V, total, mean):
    """Return how many features of the current text may not predict a vertex; if any, write the mean of the others.

    `own` are the features of the current text, for which `seen[f]` is `stamp`, and `total` is the sum of their vectors.
    Among phrases a frequent word is banned from the thousands that it is part of. Both lists ascend, so going through
    the shorter one and looking in the other excludes the same features in the same order.
    """
    of_vertex = banned[banned_starts[vertex] : banned_starts[vertex + 1]]
    n_excluded = 0
    if of_vertex.size <= SEARCH * own.size:
        for feature in of_vertex:
            if seen[feature] == stamp:
                n_excluded = _exclude(feature, n_excluded, V, total, mean)
    else:
        for feature in own:
            if _holds(of_vertex, feature):
                n_excluded = _exclude(feature, n_excluded, V, total, mean)
    if n_excluded > 0:
        scale = np.float32(1.0 / (own.size - n_excluded)) if own.size > n_excluded else np.float32(0.0)
        for k in range(mean.shape[1]):
            mean[0, k] *= scale
    return n_excluded


@kernel
def _holds(ascending, item):
    """Whether an item is in a sorted list; numpy's search would take long to compile."""
    low, high = 0, ascending.size
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low < ascending.size and ascending[low] == item


@kernel
def _exclude(feature, n_excluded, V, total, mean):
    """Take a feature's vector away from the sum in `mean`, which begins as `total`; return how many are away."""
    if n_excluded == 0:
        mean[0] = total[0]
    add_scaled_row(mean, 0, V, np.int64(feature), np.float32(-1.0))
    return n_excluded + 1


@kernel
def sum_vectors(features, V, seen, stamp, total, plain):
    """Mark the features of a text and write the sum and the mean of their vectors."""
    total[:] = np.float32(0.0)
    for feature in features:
        seen[feature] = stamp
        add_scaled_row(total, 0, V, np.int64(feature), np.float32(1.0))
    plain[0] = total[0] / np.float32(max(1, features.size))


@kernel
def train_shard(
    shard, shards, indptr, indices, target_starts, target_vertices, banned_starts, banned, chance, alias, offsets,
    n_drawn, key, rate, V, U, b, energy,
):  # fmt: skip
    """One pass over all texts for the vertices of one shard, in place, with AdaGrad (one energy per vertex).

    A text's own vertices are positives; of the vertices drawn for it, those that it does not hold are negatives. The
    score is shifted by `offsets` = log(expected number of times a vertex is drawn per text), so that z itself is the
    log-odds of the population and not of the sample.
    """
    rank = V.shape[1]
    seen = np.full(V.shape[0], -1, dtype=np.int64)
    held = np.full(U.shape[0], -1, dtype=np.int64)
    total, plain, mean = _row(rank), _row(rank), _row(rank)
    for row in range(indptr.size - 1):
        own = indices[indptr[row] : indptr[row + 1]]
        targets = target_vertices[target_starts[row] : target_starts[row + 1]]
        sum_vectors(own, V, seen, row, total, plain)
        stream = mix(key + np.uint64(row))
        for vertex in targets:
            held[vertex] = row
        for k in range(targets.size + n_drawn):
            positive = k < targets.size
            vertex = np.int64(targets[k]) if positive else draw(stream + np.uint64(k), chance, alias)
            if vertex % shards != shard or (not positive and held[vertex] == row):
                continue
            n_banned = allowed_mean(vertex, own, seen, row, banned_starts, banned, V, total, mean)
            context = mean if n_banned > 0 else plain
            z = np.float64(dot_rows(U, vertex, context, 0)) + b[vertex] - offsets[vertex]
            error = (1.0 if positive else 0.0) - 1.0 / (1.0 + math.exp(-z))
            energy[vertex] += error * error * (1.0 + dot_rows(context, 0, context, 0)) / (rank + 1)
            step = np.float32(rate * error / math.sqrt(energy[vertex]))
            b[vertex] += step
            add_scaled_row(U, vertex, context, 0, step)


@kernel
def scores(indptr, indices, banned_starts, banned, V, U, b, out):
    """out[i, row] = z_i(row), every sum in one fixed order, what is forbidden left out.

    Most vertices are not forbidden anything that a text holds: for them all products with the text's mean are
    computed at once, dimension by dimension. The few others, found through an inverted index of what is forbidden, are
    then scored again on their own. Tiles of texts keep the writes to `out` close together.
    """
    n, rank = U.shape
    width = (n + 7) // 8 * 8
    turned = np.zeros((rank, width), dtype=np.float32)
    for i in range(n):
        for k in range(rank):
            turned[k, i] = U[i, k]
    banning_starts, banning = inverted(banned_starts, banned, V.shape[0])
    seen = np.full(V.shape[0], -1, dtype=np.int64)
    total, plain, mean = _row(rank), _row(rank), _row(rank)
    tile = np.zeros((TILE, width), dtype=np.float32)
    n_rows = indptr.size - 1
    for first in range(0, n_rows, TILE):
        last = min(first + TILE, n_rows)
        tile[:] = np.float32(0.0)
        for row in range(first, last):
            own = indices[indptr[row] : indptr[row + 1]]
            sum_vectors(own, V, seen, row, total, plain)
            for k in range(rank):
                add_scaled_row(tile, row - first, turned, k, plain[0, k])
            for feature in own:
                for at in range(banning_starts[feature], banning_starts[feature + 1]):
                    i = banning[at]
                    allowed_mean(i, own, seen, row, banned_starts, banned, V, total, mean)
                    z = np.float32(0.0)
                    for k in range(rank):
                        z += U[i, k] * mean[0, k]
                    tile[row - first, i] = z
        for i in range(n):
            for row in range(first, last):
                out[i, row] = tile[row - first, i] + b[i]


@kernel
def inverted(starts, items, n_items):
    """Turn lists of items per owner into lists of owners per item; owners are numbered from 0."""
    counts = np.zeros(n_items + 1, dtype=np.int64)
    for at in range(starts[0], starts[starts.size - 1]):
        counts[items[at] + 1] += 1
    counts = np.cumsum(counts)
    place = counts[:-1].copy()
    owners = np.empty(counts[n_items], dtype=np.int64)
    for owner in range(starts.size - 1):
        for at in range(starts[owner], starts[owner + 1]):
            owners[place[items[at]]] = owner
            place[items[at]] += 1
    return counts, owners
