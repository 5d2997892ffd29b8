"""One step of joint training: z_i(x) = u_i · mean of v_j over the allowed j in x + b_i, for all vertices at once.

Enter: frozen parameters, a chunk of texts, the negatives that its texts share. Leaves: the gradient of the chunk, one
row per touched feature and vertex. Chunks of one batch are computed side by side and applied in their order, so the
result is the same for any number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.hashing import mix, uniform
from classinet._kernels.jit import kernel
from classinet._kernels.lanes import add_scaled_row, dot_rows


@kernel
def start_vectors(keys, scale, out):
    """Fill each row with numbers in ±scale from the stream of its feature's name."""
    for row in range(out.shape[0]):
        key = mix(keys[row])
        for k in range(out.shape[1]):
            out[row, k] = (2.0 * uniform(key + np.uint64(k)) - 1.0) * scale


@kernel
def draw_negatives(key, cumulative, out):
    """Draw vertices, with replacement, from a cumulative distribution."""
    for k in range(out.size):
        out[k] = np.searchsorted(cumulative, uniform(key + np.uint64(k)) * cumulative[-1], side="right")


@kernel
def allowed_mean(vertex, n_own, place, stamp, banned_starts, banned, V, total, mean, excluded):
    """Find what of the current text may not predict a vertex; return how many features that is.

    Where there is any, write the mean vector of the others to `mean` and the positions left out to `excluded`.
    `place[f]` is stamp · 2**20 + position for the features of the current text.
    """
    n_excluded = 0
    for at in range(banned_starts[vertex], banned_starts[vertex + 1]):
        where = place[banned[at]]
        if where >> 20 == stamp:
            if n_excluded == 0:
                mean[0] = total[0]
            excluded[n_excluded] = where & 0xFFFFF
            n_excluded += 1
            add_scaled_row(mean, 0, V, np.int64(banned[at]), np.float32(-1.0))
    if n_excluded > 0:
        scale = np.float32(1.0 / (n_own - n_excluded)) if n_own > n_excluded else np.float32(0.0)
        for k in range(mean.shape[1]):
            mean[0, k] *= scale
    return n_excluded


@kernel
def train_pass(
    order, indptr, indices, target_starts, target_vertices, banned_starts, banned, cumulative, offsets, n_negatives,
    key, rate, decay, V, U, b,
):  # fmt: skip
    """One pass over the texts, in place: ascend the log-likelihood of each text in turn.

    A text's own vertices are positives; of the vertices drawn for it, those that it does not hold are negatives. The
    score is shifted by `offsets` = log(expected number of times a vertex is drawn per text), so that z itself is the
    log-odds of the population and not of the sample.
    """
    rank = V.shape[1]
    longest = 1
    for row in range(indptr.size - 1):
        longest = max(longest, indptr[row + 1] - indptr[row])
    place = np.full(V.shape[0], -1, dtype=np.int64)
    held = np.full(U.shape[0], -1, dtype=np.int64)
    negatives = np.empty(n_negatives, dtype=np.int64)
    total = np.zeros((1, rank), dtype=np.float32)
    plain = np.zeros((1, rank), dtype=np.float32)
    mean = np.zeros((1, rank), dtype=np.float32)
    push = np.zeros((1, rank), dtype=np.float32)
    correction = np.zeros((longest, rank), dtype=np.float32)
    excluded = np.empty(longest, dtype=np.int64)
    for step in range(order.size):
        row = order[step]
        own = indices[indptr[row] : indptr[row + 1]]
        targets = target_vertices[target_starts[row] : target_starts[row + 1]]
        total[:] = np.float32(0.0)
        push[:] = np.float32(0.0)
        correction[: own.size] = np.float32(0.0)
        for position in range(own.size):
            place[own[position]] = (np.int64(step) << 20) | position
            add_scaled_row(total, 0, V, np.int64(own[position]), np.float32(1.0))
        plain[0] = total[0] / np.float32(max(1, own.size))
        for vertex in targets:
            held[vertex] = step
        draw_negatives(mix(key + np.uint64(step)), cumulative, negatives)
        for k in range(targets.size + n_negatives):
            positive = k < targets.size
            vertex = np.int64(targets[k]) if positive else negatives[k - targets.size]
            if not positive and held[vertex] == step:
                continue
            n_excluded = allowed_mean(vertex, own.size, place, step, banned_starts, banned, V, total, mean, excluded)
            context = mean if n_excluded > 0 else plain
            z = np.float64(dot_rows(U, vertex, context, 0)) + b[vertex] - offsets[vertex]
            error = np.float32((1.0 if positive else 0.0) - 1.0 / (1.0 + math.exp(-z)))
            b[vertex] += rate * error
            if own.size == n_excluded:
                continue
            share = np.float32(error / (own.size - n_excluded))
            add_scaled_row(push, 0, U, vertex, share)
            for e in range(n_excluded):
                add_scaled_row(correction, excluded[e], U, vertex, -share)
            add_scaled_row(U, vertex, U, vertex, np.float32(-rate * decay))
            add_scaled_row(U, vertex, context, 0, np.float32(rate) * error)
        for position in range(own.size):
            feature = np.int64(own[position])
            add_scaled_row(V, feature, V, feature, np.float32(-rate * decay))
            add_scaled_row(V, feature, push, 0, np.float32(rate) * vscale(own.size))
            add_scaled_row(V, feature, correction, position, np.float32(rate) * vscale(own.size))

@kernel
def vscale(n):
    return np.float32(n)

@kernel
def scores(indptr, indices, banned_starts, banned, V, U, b, out):
    """out[i, row] = z_i(row): every sum in one fixed order, what is forbidden left out."""
    rank = V.shape[1]
    place = np.full(V.shape[0], -1, dtype=np.int64)
    total = np.zeros((1, rank), dtype=np.float32)
    plain = np.zeros((1, rank), dtype=np.float32)
    mean = np.zeros((1, rank), dtype=np.float32)
    longest = 1
    for row in range(indptr.size - 1):
        longest = max(longest, indptr[row + 1] - indptr[row])
    excluded = np.empty(longest, dtype=np.int64)
    for row in range(indptr.size - 1):
        own = indices[indptr[row] : indptr[row + 1]]
        total[:] = np.float32(0.0)
        for position in range(own.size):
            place[own[position]] = (np.int64(row) << 20) | position
            add_scaled_row(total, 0, V, np.int64(own[position]), np.float32(1.0))
        plain[0] = total[0] / np.float32(max(1, own.size))
        for i in range(U.shape[0]):
            n_excluded = allowed_mean(
                i, own.size, place, row, banned_starts, banned, V, total, mean, excluded
            )
            context = mean if n_excluded > 0 else plain
            out[i, row] = dot_rows(U, np.int64(i), context, 0) + b[i]
