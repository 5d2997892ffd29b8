"""Nearest neighbours: cosines of tiles and pairs, the k best of a row, and windows of sorted hash tables.

A shortlist is two arrays (rows × k): scores from best to worst and their columns, ties by lower column. Free
places hold score 0 and column -1, so that nothing scored 0 or less ever enters.
"""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel


@kernel
def unit_rows(vectors, out):
    """Divide every row by its length; zero rows stay zero."""
    for i in range(vectors.shape[0]):
        square = 0.0
        for f in range(vectors.shape[1]):
            square += np.float64(vectors[i, f]) * np.float64(vectors[i, f])
        scale = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
        for f in range(vectors.shape[1]):
            out[i, f] = np.float32(vectors[i, f] * scale)


@kernel
def dot_tile(left, right, out):
    """Inner products of the rows of `left` (a × r) with the columns of `right` (r × b), summed in order of r.

    The inner loop runs along the columns, so it is vector code although no sum is reordered: a product is the
    same bytes wherever its pair lies, and the same as in `dot_pairs`.
    """
    size = left.shape[1]
    whole = size - size % 4
    for i in range(left.shape[0]):
        row = out[i]
        row[:] = np.float32(0.0)
        for f in range(0, whole, 4):
            a, b, c, d = left[i, f], left[i, f + 1], left[i, f + 2], left[i, f + 3]
            for j in range(row.size):
                row[j] = (((row[j] + a * right[f, j]) + b * right[f + 1, j]) + c * right[f + 2, j]) + d * right[
                    f + 3, j
                ]
        for f in range(whole, size):
            a = left[i, f]
            for j in range(row.size):
                row[j] += a * right[f, j]


@kernel
def dot_pairs(left, right, indptr, indices, out):
    """Inner products of row i of `left` with the rows of `right` that list i names, four sums at a time."""
    size = left.shape[1]
    for i in range(indptr.size - 1):
        at, end = indptr[i], indptr[i + 1]
        while at + 4 <= end:
            p, q, s, t = indices[at], indices[at + 1], indices[at + 2], indices[at + 3]
            sum_p, sum_q, sum_s, sum_t = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
            for f in range(size):
                value = left[i, f]
                sum_p += value * right[p, f]
                sum_q += value * right[q, f]
                sum_s += value * right[s, f]
                sum_t += value * right[t, f]
            out[at], out[at + 1], out[at + 2], out[at + 3] = sum_p, sum_q, sum_s, sum_t
            at += 4
        while at < end:
            total = np.float32(0.0)
            for f in range(size):
                total += left[i, f] * right[indices[at], f]
            out[at] = total
            at += 1


@kernel
def _better(score, column, other_score, other_column):
    return score > other_score or (score == other_score and column < other_column)


@kernel
def _insert(scores, columns, score, column):
    """Put a candidate into one row of a shortlist, if it is good enough."""
    last = scores.size - 1
    if not _better(score, column, scores[last], columns[last]):
        return
    at = last
    while at > 0 and _better(score, column, scores[at - 1], columns[at - 1]):
        scores[at] = scores[at - 1]
        columns[at] = columns[at - 1]
        at -= 1
    scores[at] = score
    columns[at] = column


@kernel
def shortlist_tile(tile, first_row, first_column, skip_self, floor_scores, floor_columns, scores, columns):
    """Add a tile's scores to shortlists of its rows; only what beats a row's floor is looked at."""
    last = scores.shape[1] - 1
    for i in range(tile.shape[0]):
        bar = max(floor_scores[i], scores[i, last])
        for j in range(tile.shape[1]):
            score, column = tile[i, j], first_column + j
            if score < bar or (skip_self and column == first_row + i):
                continue
            if _better(score, column, floor_scores[i], floor_columns[i]):
                _insert(scores[i], columns[i], score, column)
                bar = max(bar, scores[i, last])


@kernel
def shortlist_lists(indptr, indices, values, scores, columns):
    """Add scored candidate lists to shortlists of their rows."""
    for i in range(indptr.size - 1):
        for at in range(indptr[i], indptr[i + 1]):
            _insert(scores[i], columns[i], values[at], indices[at])


@kernel
def merge(more_scores, more_columns, scores, columns):
    """Add shortlists of other columns to shortlists of the same rows."""
    for i in range(scores.shape[0]):
        for at in range(more_scores.shape[1]):
            if more_columns[i, at] < 0:
                break
            _insert(scores[i], columns[i], more_scores[i, at], more_columns[i, at])


@kernel
def pack_signs(values, codes):
    """Append to each row's code one bit per value: whether it is above 0."""
    for i in range(values.shape[0]):
        code = codes[i]
        for b in range(values.shape[1]):
            code = (code << np.uint64(1)) | np.uint64(values[i, b] > 0)
        codes[i] = code


@kernel
def windows(orders, ranks, buckets, start, stop, beam, indptr, out):
    """List, sorted and without repeats, up to `beam` vertices on each side of a vertex in every table.

    `buckets` (tables × vertices, or tables × 0 for none) ends a window where the bucket ends.
    """
    n_tables, n = orders.shape
    bounded = buckets.shape[1] > 0
    met = np.empty(2 * beam * n_tables, dtype=np.int32)
    total = 0
    indptr[0] = 0
    for i in range(start, stop):
        size = 0
        for table in range(n_tables):
            for direction in (-1, 1):
                at = ranks[table, i]
                for _ in range(beam):
                    at += direction
                    if at < 0 or at >= n:
                        break
                    j = orders[table, at]
                    if bounded and buckets[table, j] != buckets[table, i]:
                        break
                    met[size] = j
                    size += 1
        found = np.sort(met[:size])
        for at in range(size):
            if at == 0 or found[at] != found[at - 1]:
                out[total] = found[at]
                total += 1
        indptr[i - start + 1] = total
