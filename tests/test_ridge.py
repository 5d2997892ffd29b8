"""Ridge: the one inverse against one regression per vertex."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from classinet.engine import ThreadEngine
from classinet.predictors import Ridge, Setup
from classinet.predictors import ridge as module
from classinet.predictors.ridge import invert_symmetric


def oracle(X, targets, allowed, penalty):
    """Weights and intercept of one ridge regression with an unpenalised intercept, by the normal equations."""
    n = X.shape[1]
    weights, intercepts = np.zeros((n, targets.shape[1])), np.zeros(targets.shape[1])
    for i in range(targets.shape[1]):
        A = X[:, allowed[i]]
        centred, target = A - A.mean(axis=0), targets[:, i] - targets[:, i].mean()
        solution = np.linalg.solve(centred.T @ centred + penalty * np.eye(A.shape[1]), centred.T @ target)
        weights[allowed[i], i] = solution
        intercepts[i] = targets[:, i].mean() - A.mean(axis=0) @ solution
    return weights, intercepts


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.5, 50.0), st.booleans())
def test_all_predictors_at_once_equal_one_regression_each(seed, penalty, shifted):
    rng = np.random.default_rng(seed)
    X = (rng.random((60, 9)) < 0.4).astype(float)
    X[:2] = [[0] * 9, [1] * 9]
    T = np.roll(X, 1, axis=0) if shifted else X
    predictor = Ridge(penalty).fit(X, T)
    allowed = [[j for j in range(9) if j != i] for i in range(9)]
    weights, intercepts = oracle(X, T, allowed, penalty)
    np.testing.assert_allclose(predictor.coef_, weights, atol=2e-5)
    np.testing.assert_allclose(predictor.intercept_, intercepts, atol=2e-5)
    np.testing.assert_allclose(predictor.decision_function(X), X @ weights + intercepts - 0.5, atol=1e-4)


@pytest.mark.parametrize("shifted", [False, True])
def test_what_is_forbidden_gets_no_weight_and_the_rest_is_solved_without_it(shifted):
    rng = np.random.default_rng(3)
    X = (rng.random((80, 7)) < 0.5).astype(float)
    T = np.roll(X, 1, axis=0) if shifted else X
    forbidden = sparse.csr_array(([1.0, 1.0, 1.0], ([0, 0, 4], [2, 5, 6])), shape=(7, 7))
    predictor = Ridge(2.0).fit(X, T, forbidden)
    allowed = [[j for j in range(7) if j != i and not forbidden[i, j]] for i in range(7)]
    weights, _ = oracle(X, T, allowed, 2.0)
    np.testing.assert_allclose(predictor.coef_, weights, atol=2e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_the_blocked_inverse_is_the_inverse_for_any_number_of_threads(monkeypatch, dtype, n):
    monkeypatch.setattr(module, "SWEEP", 8)
    monkeypatch.setattr(module, "TILE", 12)
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n + 3))
    A = (root @ root.T + np.eye(n)).astype(dtype)
    copies = []
    for n_jobs in (1, 3):
        copy = A.copy()
        invert_symmetric(copy, ThreadEngine(n_jobs))
        copies.append(copy)
    assert copies[0].tobytes() == copies[1].tobytes()
    np.testing.assert_allclose(copies[0] @ A, np.eye(n), atol=1e-3 if dtype is np.float32 else 1e-10)
    np.testing.assert_array_equal(copies[0], copies[0].T)


def test_a_target_that_is_no_context_is_left_out():
    X = np.random.default_rng(0).integers(0, 2, (30, 3)).astype(float)
    predictor = Ridge().fit(X, X, setup=Setup(columns=np.array([0, -1, 2])))
    assert list(predictor.vertices_) == [0, 2]
    assert "no context feature" in predictor.left_out_[1]
