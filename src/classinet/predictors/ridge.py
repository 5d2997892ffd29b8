"""t_i ≈ b_i + Σ_j B_ji x_j, min of squares + λ‖B_i‖²: all predictors at once from one inverse P = (centred XᵀX + λI)⁻¹.

Among the vertices themselves, regressing feature i on the others is B_ji = −P_ji / P_ii: one matrix inversion replaces
n regressions. What else is forbidden for a vertex is taken out by a small correction with the same P. The inverse is
computed in tiles of fixed borders with single-threaded BLAS, so the number of threads never changes a byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from classinet import _kernels
from classinet._sparse import column_counts, take_columns, transpose
from classinet._typing import Csr, Floats, Singles
from classinet._validation import check_number
from classinet.engine import Engine, fixed_batches
from classinet.predictors.base import Predictor, Problem

SWEEP = 256
TILE = 1024
DOUBLE_PRECISION_UP_TO = 4096  # vertices; beyond, single precision halves memory and time


class Ridge(Predictor):
    """Ridge regression with an unpenalised intercept; the contexts are the vertices themselves.

    Scores are the fitted value minus 0.5. A linear fit of rare events seldom reaches 0.5, so use label vectors cut at
    a quantile (`QuantileLabels`) rather than at the posterior. Memory is n² numbers for n vertices.

    Parameters
    ----------
    penalty : λ; the larger, the smoother.
    binary : see only whether a feature occurs, not its value.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]] * 5)
    >>> predictor = Ridge(penalty=1.0).fit(X, X)
    >>> predictor.decision_function([[1, 0, 0], [0, 0, 1]])[:, 1].round(1)
    array([0.5, 0. ], dtype=float32)
    """

    def __init__(self, penalty: float = 100.0, binary: bool = True) -> None:
        self.penalty = penalty
        self.binary = binary

    def _unlearnable(self, problem: Problem) -> dict[int, str]:
        reasons = super()._unlearnable(problem)
        for i in np.flatnonzero(problem.columns < 0):
            reasons.setdefault(int(i), "is no context feature; ridge predictors see only vertices")
        return reasons

    def _fit(self, problem: Problem) -> None:
        check_number("penalty", self.penalty, low=0, open_low=True)
        self.positives_ = column_counts(problem.targets)
        contexts = take_columns(problem.contexts, problem.columns)
        targets, n_rows = problem.targets, contexts.shape[0]
        means = np.asarray(contexts.sum(axis=0), dtype=np.float64).ravel() / max(n_rows, 1)
        target_means = column_counts(targets) / max(n_rows, 1)

        def solve(local: Engine) -> Singles:
            with threadpool_limits(1):
                inverse = _centred_products(contexts, contexts, means, means, n_rows)
                np.fill_diagonal(inverse, inverse.diagonal() + self.penalty)
                invert_symmetric(inverse, local)
                free = _free_solution(inverse, contexts, targets, means, target_means, n_rows)
                return _without_forbidden(inverse, free, take_columns(problem.forbidden, problem.columns))

        self.coef_ = problem.engine.checkpoint(solve, stage="ridge")
        self.intercept_ = (target_means - means.astype(np.float32) @ self.coef_).astype(np.float32)

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Fitted values minus 0.5 of vertices start..stop, one row a vertex."""
        seen = take_columns(contexts, self.columns_)
        table = np.zeros((self.n_vertices_, -(-(stop - start) // 8) * 8), dtype=np.float32)
        table[:, : stop - start] = self.coef_[:, start:stop]
        out = np.empty((contexts.shape[0], table.shape[1]), dtype=np.float32)
        _kernels.scoring.dense_rows(seen.indptr, seen.indices, seen.data, table, out)
        fitted = out[:, : stop - start] + self.intercept_[start:stop]
        return np.ascontiguousarray(fitted.T - np.float32(0.5))

    def vectors(self) -> Singles:
        """Return each predictor's weights, one row a vertex, padded with zeros to a multiple of eight."""
        out = np.zeros((self.n_vertices_, -(-self.n_vertices_ // 8) * 8), dtype=np.float32)
        out[:, : self.n_vertices_] = self.coef_.T
        return out


def invert_symmetric(A: NDArray[Any], engine: Engine) -> None:
    """Invert a symmetric positive definite matrix in place by sweeping blocks of its lower triangle.

    Sweeping block k replaces A_ij by A_ij − A_ik A_kk⁻¹ A_kj, A_ik by A_ik A_kk⁻¹ and A_kk by −A_kk⁻¹; when every block
    has been swept, A is minus its inverse.
    """
    n = len(A)
    blocks = fixed_batches(n, TILE)
    tiles = [(rows, columns) for rows in blocks for columns in blocks if columns[0] <= rows[0]]
    for start, stop in fixed_batches(n, SWEEP):
        panel = np.vstack([A[start:stop, :start].T, _mirrored(A[start:stop, start:stop]), A[stop:, start:stop]])
        pivot = np.linalg.inv(panel[start:stop].astype(np.float64)).astype(A.dtype)
        scaled = panel @ pivot

        def update(tile: tuple[tuple[int, int], tuple[int, int]], panel: Any = panel, scaled: Any = scaled) -> None:
            rows, columns = slice(*tile[0]), slice(*tile[1])
            A[rows, columns] -= scaled[rows] @ panel[columns].T

        engine.map_batches(update, tiles, stage="ridge inverse")
        A[start:stop, :start] = scaled[:start].T
        A[stop:, start:stop] = scaled[stop:]
        A[start:stop, start:stop] = -pivot

    def reflect(rows: tuple[int, int]) -> None:
        block = A[rows[0] : rows[1], : rows[1]]
        np.negative(block, out=block)
        block[:, rows[0] :] = _mirrored(block[:, rows[0] :])
        A[: rows[0], rows[0] : rows[1]] = block[:, : rows[0]].T

    for rows in blocks:
        reflect(rows)


def _mirrored(block: NDArray[Any]) -> NDArray[Any]:
    """A full symmetric block from its lower triangle."""
    full: NDArray[Any] = np.tril(block) + np.tril(block, -1).T
    return full


def _centred_products(left: Csr, right: Csr, left_means: Floats, right_means: Floats, n_rows: int) -> NDArray[Any]:
    """Σ over rows of (x − mean)(t − mean)ᵀ as a dense matrix."""
    small = max(left.shape[1], right.shape[1]) <= DOUBLE_PRECISION_UP_TO
    dense: NDArray[Any] = (transpose(left) @ right).toarray().astype(np.float64 if small else np.float32, copy=False)
    for start, stop in fixed_batches(len(dense), TILE):
        dense[start:stop] -= (n_rows * left_means[start:stop, None] * right_means[None, :]).astype(dense.dtype)
    return dense


def _free_solution(
    inverse: NDArray[Any], contexts: Csr, targets: Csr, means: Floats, target_means: Floats, n_rows: int
) -> NDArray[Any] | None:
    """Weights if nothing were forbidden; None where they are known: targets that are the contexts give I − λP."""
    same = contexts.nnz == targets.nnz and np.array_equal(contexts.indices, targets.indices)
    if same and np.array_equal(contexts.indptr, targets.indptr) and (contexts.data == 1).all():
        return None
    free: NDArray[Any] = inverse @ _centred_products(contexts, targets, means, target_means, n_rows)
    return free


def _without_forbidden(inverse: NDArray[Any], free: NDArray[Any] | None, forbidden: Csr) -> Singles:
    """Impose zero weights on what is forbidden: B_i − P_F P_FF⁻¹ B_Fi, with F the forbidden vertices of i.

    Where the targets are the contexts this is, up to entry i itself, −P_F times the column of P_FF⁻¹ that belongs to i.
    """
    n = len(inverse)
    alone = np.diff(forbidden.indptr) == 1
    if free is None and alone.all():
        weights = inverse if inverse.dtype == np.float32 else inverse.astype(np.float32)
        weights /= -inverse.diagonal()[None, :].copy()
        np.fill_diagonal(weights, 0.0)
        return weights
    weights = np.empty((n, n), dtype=np.float32)
    for i in range(n):
        banned = forbidden.indices[forbidden.indptr[i] : forbidden.indptr[i + 1]]
        core = np.linalg.inv(inverse[np.ix_(banned, banned)].astype(np.float64))
        if free is None:
            weights[:, i] = -(inverse[:, banned] @ core[:, np.searchsorted(banned, i)])
        else:
            weights[:, i] = free[:, i] - inverse[:, banned] @ (core @ free[banned, i])
        weights[banned, i] = 0.0
    return weights
