"""The averaged perceptron for many predictors: w ← w + y·x at every mistake, and the mean of w in the end.

Enter: the sample of a batch of vertices. Leave: their mean weights as one CSR. The mean is kept lazily:
beside w, u adds up every change times the number of steps before it, and the mean of w over t steps is
w − u/t. A step without a mistake then costs nothing.
"""

from __future__ import annotations

import numpy as np

from classinet._kernels.hashing import below, mix
from classinet._kernels.jit import kernel
from classinet._kernels.sampling import append_weights, draw_local, scratch


@kernel
def shuffle(order, counter):
    """Put `order` in a random order drawn from a stream; return where the stream stands afterwards."""
    for last in range(order.size - 1, 0, -1):
        chosen = below(counter, last + 1)
        counter += np.uint64(1)
        order[last], order[chosen] = order[chosen], order[last]
    return counter


@kernel
def train(starts, ids, values, n_positive, n_features, epochs, counter):
    """Return (mean weights with the mean intercept last, mistakes in the last epoch) of one vertex."""
    n_rows = starts.size - 1
    w, u = np.zeros(n_features + 1), np.zeros(n_features + 1)
    order = np.arange(n_rows)
    steps = 0
    mistakes = 0
    for _ in range(epochs):
        mistakes = 0
        counter = shuffle(order, counter)
        for row in order:
            score = w[n_features]
            for at in range(starts[row], starts[row + 1]):
                score += values[at] * w[ids[at]]
            y = 1.0 if row < n_positive else -1.0
            if y * score <= 0.0:
                mistakes += 1
                w[n_features] += y
                u[n_features] += y * steps
                for at in range(starts[row], starts[row + 1]):
                    w[ids[at]] += y * values[at]
                    u[ids[at]] += y * steps * values[at]
            steps += 1
    return w - u / steps, mistakes


@kernel
def fit_batch(first, last, sample, epochs):
    """Train vertices first..last; return weights as one CSR and intercept, positives, mistakes per vertex."""
    count = last - first
    stamp, local = scratch(sample)
    keys = sample[9]
    out_starts = np.zeros(count + 1, dtype=np.int64)
    out_features = np.empty(4096, dtype=np.int32)
    out_weights = np.empty(4096, dtype=np.float32)
    intercepts = np.zeros(count, dtype=np.float32)
    positives = np.zeros(count, dtype=np.int64)
    mistakes = np.zeros(count, dtype=np.int64)
    for k in range(count):
        n_positive, starts, ids, values, features = draw_local(first + k, sample, stamp, local)
        # Negatives were drawn from mix(key) on; the visits need a stream of their own.
        visits = mix(keys[first + k] + np.uint64(1))
        w, mistakes[k] = train(starts, ids, values, n_positive, features.size, epochs, visits)
        positives[k] = n_positive
        intercepts[k] = w[features.size]
        out_features, out_weights = append_weights(k, features, w, out_starts, out_features, out_weights)
    used = out_starts[count]
    return out_starts, out_features[:used].copy(), out_weights[:used].copy(), intercepts, positives, mistakes
