"""Draw the training rows of one vertex and cut the contexts down to them.

Enter: the inverted index of a vertex, the rows that may be used, the contexts. Leave: positives, then negatives, as a
small CSR over local feature numbers. Everything a solver then touches is contiguous and small. The last three kernels
are what every loop over the vertices of a batch shares; its `sample` is the tuple of `Sample.kernel_arguments`.
"""

from __future__ import annotations

import numpy as np

from classinet._kernels.hashing import below, mix
from classinet._kernels.jit import kernel


@kernel
def draw_rows(posting, eligible, eligible_rows, stamp, mark, key, ratio, max_positives):
    """Return (rows, n_positive): eligible rows that hold the vertex, then `ratio` times as many that do not.

    `stamp` is a scratch array over all rows; an entry equal to `mark` says that the row is taken, so it never needs
    clearing. Rows are in a random canonical order already, so the first positives are a random sample of them.
    """
    n_eligible = eligible_rows.size
    positives = np.empty(posting.size, dtype=np.int64)
    n_positive = 0
    for row in posting:
        if eligible[row]:
            stamp[row] = mark
            positives[n_positive] = row
            n_positive += 1
    available = n_eligible - n_positive
    n_positive = min(n_positive, max_positives)
    wanted = min(available, np.int64(np.ceil(ratio * n_positive)))

    # Drawing with rejection is quick while at most half of what is there is drawn; beyond that, draw what to skip.
    skip = wanted > available // 2
    draws = available - wanted if skip else wanted
    drawn = np.empty(draws, dtype=np.int64)
    taken = 0
    counter = mix(key)
    while taken < draws:
        row = eligible_rows[below(counter, n_eligible)]
        counter += np.uint64(1)
        if stamp[row] != mark:
            stamp[row] = mark
            drawn[taken] = row
            taken += 1

    rows = np.empty(n_positive + wanted, dtype=np.int64)
    rows[:n_positive] = positives[:n_positive]
    if skip:
        at = n_positive
        for row in eligible_rows:
            if stamp[row] != mark:
                rows[at] = row
                at += 1
    else:
        rows[n_positive:] = np.sort(drawn)
    return rows, n_positive


@kernel
def localise(rows, n_positive, indptr, indices, data, banned, min_cooccurrence, local):
    """Return (indptr, ids, values, features) of the given rows, features renumbered from 0.

    A feature takes part if it is not banned and occurs in at least `min_cooccurrence` of the positive rows. `local` is
    a scratch array over all features, all zero on entry and on exit.
    """
    counted = rows.size if min_cooccurrence == 0 else n_positive
    needed = max(1, min_cooccurrence)
    seen = 0
    for at in range(counted):
        seen += indptr[rows[at] + 1] - indptr[rows[at]]
    touched = np.empty(seen, dtype=np.int32)
    n_touched = 0
    for at in range(counted):
        for p in range(indptr[rows[at]], indptr[rows[at] + 1]):
            feature = indices[p]
            if local[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
            local[feature] += 1
    for feature in banned:
        local[feature] = 0

    features = np.empty(n_touched, dtype=np.int32)
    n_features = 0
    for at in range(n_touched):
        feature = touched[at]
        if local[feature] >= needed:
            features[n_features] = feature
            n_features += 1
            local[feature] = n_features
        else:
            local[feature] = 0

    total = 0
    for row in rows:
        for p in range(indptr[row], indptr[row + 1]):
            if local[indices[p]] > 0:
                total += 1
    ids = np.empty(total, dtype=np.int32)
    values = np.empty(total, dtype=np.float32)
    starts = np.zeros(rows.size + 1, dtype=np.int64)
    filled = 0
    for at in range(rows.size):
        for p in range(indptr[rows[at]], indptr[rows[at] + 1]):
            number = local[indices[p]]
            if number > 0:
                ids[filled] = number - 1
                values[filled] = data[p]
                filled += 1
        starts[at + 1] = filled
    for at in range(n_touched):
        local[touched[at]] = 0
    return starts, ids, values, features[:n_features].copy()


@kernel
def scratch(sample):
    """Return the scratch arrays over all rows and over all features that one batch of vertices shares."""
    indptr, n_features = sample[4], sample[13]
    return np.full(indptr.size - 1, -1, dtype=np.int64), np.zeros(n_features, dtype=np.int32)


@kernel
def draw_local(vertex, sample, stamp, local):
    """Return (n_positive, indptr, ids, values, features): the training rows of one vertex, positives first."""
    (
        post_starts, post_rows, eligible, eligible_rows, indptr, indices, data, banned_starts, banned_features,
        keys, ratio, max_positives, min_cooccurrence, _,
    ) = sample  # fmt: skip
    posting = post_rows[post_starts[vertex] : post_starts[vertex + 1]]
    rows, n_positive = draw_rows(
        posting, eligible, eligible_rows, stamp, np.int64(vertex), keys[vertex], ratio, max_positives
    )
    banned = banned_features[banned_starts[vertex] : banned_starts[vertex + 1]]
    starts, ids, values, features = localise(rows, n_positive, indptr, indices, data, banned, min_cooccurrence, local)
    return n_positive, starts, ids, values, features


@kernel
def append_weights(k, features, weights, out_starts, out_features, out_weights):
    """Write one vertex's weights as row k of a growing CSR, features ascending; return its arrays, grown if need be."""
    end = out_starts[k] + features.size
    if end > out_features.size:
        out_features = _grown(out_features, end)
        out_weights = _grown(out_weights, end)
    order = np.argsort(features)
    for i in range(features.size):
        out_features[out_starts[k] + i] = features[order[i]]
        out_weights[out_starts[k] + i] = weights[order[i]]
    out_starts[k + 1] = end
    return out_features, out_weights


@kernel
def _grown(array, needed):
    """A longer copy; doubling keeps the total copying linear."""
    longer = np.empty(max(needed, 2 * array.size), dtype=array.dtype)
    longer[: array.size] = array
    return longer
