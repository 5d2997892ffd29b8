"""Logistic regression for many predictors: min ½‖w‖² + C Σ log(1 + exp(−y z)), z = w·x + b, the intercept b free.

The idea: cross-validation fits the same rows once for every fold. Those fits run together as the lanes of one
truncated Newton method: `W` is (features + 1) × lanes, and a feature of a row costs one vector operation for all folds.
The last row of `W` holds the intercepts. Strengths are tried from strong to weak regularisation, each starting from
the one before. CV runs in float32 lanes; the predictor itself is a single float64 lane.
"""

from __future__ import annotations

import math

import numpy as np

from classinet._kernels.jit import kernel
from classinet._kernels.lanes import LANES, gather, lane_count, scatter
from classinet._kernels.sampling import append_weights, draw_local, scratch

CG_STEPS = 15
CG_TOLERANCE = 0.01  # squared: the linear system of a Newton step is solved to a tenth of its right-hand side
OVERSHOOT = 0.5
MAX_ROUNDS = 60


@kernel
def quick_sigmoid(z):
    """1 / (1 + exp(−z)) to about 1e-5, by arithmetic alone so that it vectorises: exp(a) = exp(a / 256) ** 256."""
    a = min(max(-z, np.float32(-18.0)), np.float32(18.0)) * np.float32(0.00390625)
    e = np.float32(1.0) + a * (
        np.float32(1.0) + a * (np.float32(0.5) + a * (np.float32(0.16666667) + a * np.float32(0.041666667)))
    )
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return np.float32(1.0) / (np.float32(1.0) + e)


@kernel
def exact_sigmoid(z):
    """1 / (1 + exp(−z)) to the last bits, without overflow."""
    if z >= 0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


@kernel
def log_loss(z, positive):
    """log(1 + exp(−y z)) without overflow."""
    margin = z if positive else -z
    if margin >= 0:
        return math.log1p(math.exp(-margin))
    return math.log1p(math.exp(margin)) - margin


@kernel
def sigmoids(z, single):
    """Replace the log-odds of every lane by probabilities."""
    if single:
        for lane in range(z.size):
            z[lane] = quick_sigmoid(z[lane])
    else:
        for lane in range(z.size):
            z[lane] = exact_sigmoid(z[lane])


@kernel
def lane_dots(A, B, out):
    """out[lane] = Σ A[:, lane] · B[:, lane]."""
    out[:] = 0.0
    for row in range(A.shape[0]):
        for lane in range(lane_count(A)):
            out[lane] += A[row, lane] * B[row, lane]


@kernel
def norms_at_zero(starts, ids, values, n_positive, fold, strength, lane_fold, G, out):
    """Squared length of every lane's gradient at W = 0, where all probabilities are one half; G is scratch."""
    bias, lanes = G.shape[0] - 1, lane_count(G)
    flat_g = G.reshape(-1)
    z = np.empty(lanes, dtype=G.dtype)
    G[:] = 0.0
    for row in range(starts.size - 1):
        for lane in range(lanes):
            c = strength[lane] if lane_fold[lane] != fold[row] else 0.0
            z[lane] = -0.5 * c if row < n_positive else 0.5 * c
            G[bias, lane] += z[lane]
        scatter(flat_g, ids, values, starts[row], starts[row + 1], z)
    lane_dots(G, G, out)


@kernel
def gradient_pass(starts, ids, values, n_positive, fold, strength, lane_fold, W, fresh, G, H, D):
    """Gradient G and each row's curvature D for all lanes in one sweep; if fresh, the Hessian's diagonal H.

    H only preconditions, so the one of the first round serves them all.
    """
    size, lanes = W.shape[0], lane_count(W)
    bias = size - 1
    flat_w, flat_g, flat_h = W.reshape(-1), G.reshape(-1), H.reshape(-1)
    squares = values * values if fresh else values
    z = np.empty(lanes, dtype=W.dtype)
    G[:bias] = W[:bias]
    G[bias] = 0.0
    if fresh:
        H[:bias] = 1.0
        H[bias] = 1e-12
    for row in range(starts.size - 1):
        z[:] = W[bias]
        gather(flat_w, ids, values, starts[row], starts[row + 1], z)
        sigmoids(z, W.itemsize == 4)
        y = 1.0 if row < n_positive else 0.0
        curvature = D[row]
        for lane in range(lanes):
            c = strength[lane] if lane_fold[lane] != fold[row] else 0.0
            curvature[lane] = c * z[lane] * (1.0 - z[lane])
            z[lane] = c * (z[lane] - y)
            G[bias, lane] += z[lane]
        scatter(flat_g, ids, values, starts[row], starts[row + 1], z)
        if fresh:
            for lane in range(lanes):
                H[bias, lane] += curvature[lane]
            scatter(flat_h, ids, squares, starts[row], starts[row + 1], curvature)


@kernel
def hessian_pass(starts, ids, values, D, P, HP):
    """HP = Hessian · P for all lanes in one sweep over the rows."""
    size, lanes = P.shape[0], lane_count(P)
    bias = size - 1
    flat_p, flat_hp = P.reshape(-1), HP.reshape(-1)
    z = np.empty(lanes, dtype=P.dtype)
    HP[:bias] = P[:bias]
    HP[bias] = 0.0
    for row in range(starts.size - 1):
        z[:] = P[bias]
        gather(flat_p, ids, values, starts[row], starts[row + 1], z)
        for lane in range(lanes):
            z[lane] *= D[row, lane]
            HP[bias, lane] += z[lane]
        scatter(flat_hp, ids, values, starts[row], starts[row + 1], z)


@kernel
def solve(starts, ids, values, n_positive, fold, strength, lane_fold, tol, W):
    """Minimise every lane's objective from the given W, in place; return the number of sweeps over the rows.

    A lane rests once its gradient is below `tol` times the gradient at W = 0. A Newton step that overshoots the
    minimum along its direction by too much (its slope there turned and is over half as steep) is halved instead of
    followed by the next one; that needs gradients only, no losses.
    """
    size, lanes = W.shape[0], lane_count(W)
    dtype = W.dtype
    G, H, S = np.zeros_like(W), np.zeros_like(W), np.zeros_like(W)
    R, P, HP = np.zeros_like(W), np.zeros_like(W), np.zeros_like(W)
    D = np.empty((starts.size - 1, lanes), dtype=dtype)
    z = np.empty(lanes, dtype=dtype)
    origin, norm, slope, last_slope = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.zeros(lanes)
    rz, next_rz, curve, goal = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
    active = np.ones(lanes, dtype=np.bool_)
    halved = np.zeros(lanes, dtype=np.bool_)

    norms_at_zero(starts, ids, values, n_positive, fold, strength, lane_fold, G, origin)
    sweeps = 1
    for round_ in range(MAX_ROUNDS):
        gradient_pass(starts, ids, values, n_positive, fold, strength, lane_fold, W, round_ == 0, G, H, D)
        sweeps += 1
        if round_ == 0:
            H[:] = 1.0 / H  # from here on the inverse, which is all that preconditioning needs
        lane_dots(G, G, norm)
        lane_dots(G, S, slope)
        moving = False
        for lane in range(lanes):
            halved[lane] = active[lane] and round_ > 0 and slope[lane] > OVERSHOOT * abs(last_slope[lane])
            active[lane] = active[lane] and norm[lane] > tol * tol * origin[lane]
            halved[lane] = halved[lane] and active[lane]
            moving = moving or active[lane]
        if not moving:
            break
        for row in range(size):
            for lane in range(lanes):
                if halved[lane]:
                    S[row, lane] *= 0.5
                    W[row, lane] -= S[row, lane]
                else:
                    S[row, lane] = 0.0
                R[row, lane] = -G[row, lane] if active[lane] and not halved[lane] else 0.0
                P[row, lane] = R[row, lane] * H[row, lane]
        lane_dots(R, P, rz)
        goal[:] = CG_TOLERANCE * rz
        for _ in range(CG_STEPS):
            hessian_pass(starts, ids, values, D, P, HP)
            sweeps += 1
            lane_dots(P, HP, curve)
            for lane in range(lanes):
                curve[lane] = rz[lane] / curve[lane] if curve[lane] > 0.0 and rz[lane] > goal[lane] else 0.0
            z[:] = curve
            next_rz[:] = 0.0
            for row in range(size):
                for lane in range(lanes):
                    S[row, lane] += z[lane] * P[row, lane]
                    R[row, lane] -= z[lane] * HP[row, lane]
                    next_rz[lane] += R[row, lane] * R[row, lane] * H[row, lane]
            unsolved = False
            for lane in range(lanes):
                ratio = next_rz[lane] / rz[lane] if rz[lane] > goal[lane] else 0.0
                if curve[lane] > 0.0:
                    rz[lane] = next_rz[lane]
                unsolved = unsolved or (curve[lane] > 0.0 and rz[lane] > goal[lane])
                z[lane] = ratio
            if not unsolved:
                break
            for row in range(size):
                for lane in range(lanes):
                    P[row, lane] = R[row, lane] * H[row, lane] + z[lane] * P[row, lane]
        lane_dots(G, S, slope)
        for lane in range(lanes):
            if not halved[lane]:
                last_slope[lane] = slope[lane]
                for row in range(size):
                    W[row, lane] += S[row, lane]
            else:
                last_slope[lane] *= 0.5
    return sweeps


@kernel
def held_out_loss(starts, ids, values, n_positive, fold, W):
    """Mean loss of the rows, each under the lane of the fold that did not see it."""
    bias = W.shape[0] - 1
    loss = 0.0
    for row in range(starts.size - 1):
        lane = fold[row]
        z = np.float64(W[bias, lane])
        for at in range(starts[row], starts[row + 1]):
            z += values[at] * W[ids[at], lane]
        loss += log_loss(z, row < n_positive)
    return loss / (starts.size - 1)


@kernel
def choose_strength(starts, ids, values, n_positive, n_features, grid, folds, tol):
    """Return (index of the best strength, its held-out loss, a start for the last fit: the mean of its folds).

    `grid` ascends. The held-out loss falls to one minimum and rises again as regularisation weakens, so the first
    rise ends the search before the weakest, and slowest, fits.
    """
    n_rows = starts.size - 1
    n_folds = max(2, min(folds, n_positive // 2))
    fold = np.empty(n_rows, dtype=np.int32)
    for row in range(n_rows):
        fold[row] = row % n_folds if row < n_positive else (row - n_positive) % n_folds
    strength = np.zeros(LANES, dtype=np.float32)  # lanes without a fold keep strength 0 and rest at once
    lane_fold = np.arange(LANES).astype(np.int32)
    W = np.zeros((n_features + 1, LANES), dtype=np.float32)
    start = np.zeros((n_features + 1, 1))
    best, lowest = 0, np.inf
    for k in range(grid.size):
        strength[:n_folds] = grid[k]
        solve(starts, ids, values, n_positive, fold, strength, lane_fold, tol, W)
        loss = held_out_loss(starts, ids, values, n_positive, fold, W)
        if loss >= lowest:
            break
        best, lowest = k, loss
        start[:] = 0.0
        for row in range(n_features + 1):
            for lane in range(n_folds):
                start[row, 0] += W[row, lane] / n_folds
    return best, lowest, start


@kernel
def fit_batch(first, last, sample, grid, folds, cv_tol, tol):
    """Fit vertices first..last; return a CSR of weights and, per vertex, intercept, positives, strength and loss."""
    count = last - first
    stamp, local = scratch(sample)
    out_starts = np.zeros(count + 1, dtype=np.int64)
    out_features = np.empty(4096, dtype=np.int32)
    out_weights = np.empty(4096, dtype=np.float32)
    intercepts = np.zeros(count, dtype=np.float32)
    positives = np.zeros(count, dtype=np.int64)
    strengths = np.zeros(count)
    losses = np.full(count, np.nan)
    no_fold = np.full(1, -1, dtype=np.int32)
    for k in range(count):
        n_positive, starts, ids, values, features = draw_local(first + k, sample, stamp, local)
        W = np.zeros((features.size + 1, 1))
        best = 0
        if grid.size > 1:
            best, losses[k], W = choose_strength(starts, ids, values, n_positive, features.size, grid, folds, cv_tol)
        fold = np.zeros(starts.size - 1, dtype=np.int32)
        solve(starts, ids, values, n_positive, fold, grid[best : best + 1], no_fold, tol, W)
        positives[k] = n_positive
        strengths[k] = grid[best]
        intercepts[k] = W[features.size, 0]
        out_features, out_weights = append_weights(k, features, W[:, 0], out_starts, out_features, out_weights)
    used = out_starts[count]
    return (
        out_starts,
        out_features[:used].copy(),
        out_weights[:used].copy(),
        intercepts,
        positives,
        strengths,
        losses,
    )
