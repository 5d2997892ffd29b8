"""Multinomial naive Bayes for many predictors: the log ratio of two smoothed distributions of features."""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.jit import kernel
from classinet._kernels.sampling import append_weights, draw_local, scratch


@kernel
def log_ratios(starts, ids, values, n_positive, n_features, smoothing):
    """Return log p(j | positive) − log p(j | negative) of every local feature j."""
    counts = np.full((2, n_features), smoothing)
    for row in range(starts.size - 1):
        side = 1 if row < n_positive else 0
        for at in range(starts[row], starts[row + 1]):
            counts[side, ids[at]] += values[at]
    shift = math.log(counts[0].sum()) - math.log(counts[1].sum()) if n_features else 0.0
    return np.log(counts[1]) - np.log(counts[0]) + shift


@kernel
def fit_batch(first, last, sample, smoothing):
    """Fit vertices first..last; return weights as one CSR and, per vertex, intercept and positives."""
    count = last - first
    stamp, local = scratch(sample)
    out_starts = np.zeros(count + 1, dtype=np.int64)
    out_features = np.empty(4096, dtype=np.int32)
    out_weights = np.empty(4096, dtype=np.float32)
    intercepts = np.zeros(count, dtype=np.float32)
    positives = np.zeros(count, dtype=np.int64)
    for k in range(count):
        n_positive, starts, ids, values, features = draw_local(first + k, sample, stamp, local)
        weights = log_ratios(starts, ids, values, n_positive, features.size, smoothing)
        positives[k] = n_positive
        intercepts[k] = math.log(n_positive / (starts.size - 1 - n_positive))
        out_features, out_weights = append_weights(k, features, weights, out_starts, out_features, out_weights)
    used = out_starts[count]
    return out_starts, out_features[:used].copy(), out_weights[:used].copy(), intercepts, positives
