"""Packed votes: pack, count, compare.

Bit r of word w stands for row 64·w + r; bits past the last row are zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from classinet._kernels.jit import kernel

ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
# Rows of the inner side of a tile that stay in a core's second-level cache at 32,768 rows (4 KB each).
CACHED = 64


def _popcount(typing_context, word):
    """Number of ones of a uint64: LLVM's `ctpop`, which it turns into vector code inside the loops below."""

    def emit(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


popcount: Any = intrinsic(_popcount)


@kernel
def pack_lists(indptr, indices, out):
    """Set, in row i of `out`, the bits that list i names."""
    for i in range(indptr.size - 1):
        for at in range(indptr[i], indptr[i + 1]):
            row = np.uint64(indices[at])
            out[i, row >> np.uint64(6)] |= ONE << (row & np.uint64(63))


@kernel
def popcounts(bits, out):
    """Count the ones of every row."""
    for i in range(bits.shape[0]):
        total = np.uint64(0)
        for w in range(bits.shape[1]):
            total += popcount(bits[i, w])
        out[i] = np.int64(total)


@kernel
def count_tile(left, right, out):
    """Count the common ones of every row of `left` with every row of `right`."""
    for first in range(0, right.shape[0], CACHED):
        last = min(first + CACHED, right.shape[0])
        for i in range(left.shape[0]):
            for j in range(first, last):
                total = np.uint64(0)
                for w in range(left.shape[1]):
                    total += popcount(left[i, w] & right[j, w])
                out[i, j] = np.int64(total)


@kernel
def count_pairs(left, right, indptr, indices, out):
    """Count the common ones of row i of `left` with the rows of `right` that list i names."""
    for i in range(indptr.size - 1):
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            total = np.uint64(0)
            for w in range(left.shape[1]):
                total += popcount(left[i, w] & right[j, w])
            out[at] = np.int64(total)


@kernel
def lowest(word, count):
    """Keep the `count` lowest ones of a word."""
    rest = word
    for _ in range(count):
        rest &= rest - ONE
    return word ^ rest


@kernel
def first_votes(bits, popcounts, order, reach, out):
    """Positions, along `order`, of the first ones of every row; `reach` where no more are met before it."""
    for i in range(bits.shape[0]):
        found = 0
        wanted = min(out.shape[1], popcounts[i])
        at = 0
        while found < wanted and at < reach:
            row = np.uint64(order[at])
            if (bits[i, row >> np.uint64(6)] >> (row & np.uint64(63))) & ONE:
                out[i, found] = at
                found += 1
            at += 1
        for missing in range(found, out.shape[1]):
            out[i, missing] = reach


@kernel
def _pack_votes(scores, threshold, quota, bits):
    """Set the bits of rows scored above the threshold, then of rows at it, in order, until `quota` fire."""
    fired = np.int64(0)
    for word in range(bits.size):
        packed = np.uint64(0)
        for at in range(min(64, scores.size - 64 * word)):
            packed |= np.uint64(scores[64 * word + at] > threshold) << np.uint64(at)
        bits[word] = packed
        fired += np.int64(popcount(packed))
    row = 0
    while fired < quota and row < scores.size:
        if scores[row] == threshold:
            bits[row >> 6] |= ONE << np.uint64(row & 63)
            fired += 1
        row += 1
    return fired


@kernel
def vote(scores, ordered, thresholds, quota, indptr, rows, bits, auc, f1):
    """Turn one batch of scores into packed votes, and rate each predictor by where its vertex occurs.

    `ordered` holds each predictor's scores from low to high; `indptr`, `rows` list where each vertex occurs.
    The area under the ROC curve counts pairs of a row with the vertex and one without: a row at place p of
    all rows beats p of them, ties count half, and pairs of two rows with the vertex are taken off again.
    """
    n_rows = scores.shape[1]
    for i in range(scores.shape[0]):
        fired = _pack_votes(scores[i], thresholds[i], quota, bits[i])
        n_present = indptr[i + 1] - indptr[i]
        hits, twice_wins = np.int64(0), -n_present * n_present
        for at in range(indptr[i], indptr[i + 1]):
            row = np.uint64(rows[at])
            hits += np.int64((bits[i, row >> np.uint64(6)] >> (row & np.uint64(63))) & ONE)
            twice_wins += np.searchsorted(ordered[i], scores[i, row], side="left")
            twice_wins += np.searchsorted(ordered[i], scores[i, row], side="right")
        f1[i] = 2.0 * hits / (fired + n_present) if fired + n_present > 0 else 0.0
        auc[i] = np.nan
        if 0 < n_present < n_rows:
            auc[i] = twice_wins / (2.0 * n_present * (n_rows - n_present))


@kernel
def pair_strata(bits, present, frequency, cap, n_rows, heads, tails, out):
    """Confusion counts of each pair (head, tail) on its sample D, by stratum.

    D joins the first m rows with the head, the first m with the tail and the first m with neither, where
    m = min(cap, both frequencies). Strata: both, head only, tail only, neither. Counts: 11, 10, 01, 00.
    """
    for pair in range(heads.size):
        i, j = heads[pair], tails[pair]
        m = min(cap, min(frequency[i], frequency[j]))
        left_i, left_j, left_none = m, m, m
        for w in range(bits.shape[1]):
            if left_i + left_j + left_none == 0:
                break
            has_i, has_j = present[i, w], present[j, w]
            valid = FULL if 64 * (w + 1) <= n_rows else (ONE << np.uint64(n_rows - 64 * w)) - ONE
            none = valid & ~(has_i | has_j)
            take_i = has_i if np.int64(popcount(has_i)) <= left_i else lowest(has_i, left_i)
            take_j = has_j if np.int64(popcount(has_j)) <= left_j else lowest(has_j, left_j)
            take_none = none if np.int64(popcount(none)) <= left_none else lowest(none, left_none)
            left_i -= np.int64(popcount(take_i))
            left_j -= np.int64(popcount(take_j))
            left_none -= np.int64(popcount(take_none))
            sample = take_i | take_j | take_none
            if sample == 0:
                continue
            fires_i, fires_j = bits[i, w], bits[j, w]
            for stratum in range(4):
                part = sample & (has_i if stratum < 2 else ~has_i) & (has_j if stratum % 2 == 0 else ~has_j)
                if part != 0:
                    out[pair, stratum, 0] += np.int64(popcount(part & fires_i & fires_j))
                    out[pair, stratum, 1] += np.int64(popcount(part & fires_i & ~fires_j))
                    out[pair, stratum, 2] += np.int64(popcount(part & ~fires_i & fires_j))
                    out[pair, stratum, 3] += np.int64(popcount(part & ~(fires_i | fires_j)))
