"""Logistic predictors against scikit-learn on the same rows; the kernels below against plain oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from classinet import _kernels
from classinet._kernels.jit import kernel
from classinet._kernels.lanes import add_scaled_row, dot_rows
from classinet._sparse import canonical_csr
from classinet.predictors.base import Setup
from classinet.predictors.logistic import STRENGTHS, Logistic
from classinet.predictors.sampled import Sample, Sampling

EVERY_ROW = Sampling(longer_than_average=False)


def corpus(n_rows=500, n_features=40, seed=0):
    """Texts of two overlapping topics, features of all frequencies, values 1 to 3, some texts empty."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.03, 0.3, size=n_features)
    topic = rng.integers(2, size=n_rows)
    lift = np.where(np.arange(n_features)[None, :] % 2 == topic[:, None], 2.0, 0.7)
    X = (rng.random((n_rows, n_features)) < base * lift) * rng.integers(1, 4, size=(n_rows, n_features))
    X[::41] = 0
    return X.astype(float)


X = corpus()


def sample_of(predictor, contexts=X):
    """The sample that a fit draws from, for reading single vertices."""
    problem = predictor._prepare(contexts, contexts, None, Setup())
    kept = np.array([i for i in range(problem.n_vertices) if i not in predictor._unlearnable(problem)])
    return Sample(problem.keep(kept), predictor._sampling)


def reference(matrix, labels, strength):
    """A tight fit by another solver: unpenalised intercept, the same objective."""
    model = LogisticRegression(C=strength, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    return model.fit(matrix.toarray().astype(np.float64), labels)


# ------------------------------------------------------------------------------------------ the solver


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("strength", [0.001, 0.1, 1.0, 10.0, 1000.0])
def test_solver_equals_scikit_learn(strength, binary):
    predictor = Logistic(strength=strength, tol=1e-8, binary=binary).fit(X, X)
    sample = sample_of(predictor)
    for vertex in (0, 7, 22, 39):
        matrix, features, labels = sample.local(vertex)
        expected = reference(matrix, labels, strength)
        weights = predictor.coef_[[vertex]].toarray()[0, features]
        np.testing.assert_allclose(weights, expected.coef_[0], rtol=1e-5, atol=1e-5)
        assert predictor.intercept_[vertex] == pytest.approx(expected.intercept_[0], rel=1e-5, abs=1e-5)
        assert predictor.report()["positives"][vertex] == labels.sum()
        assert predictor.coef_[[vertex]].nnz == len(features)
        assert vertex not in features


def test_default_tolerance_decides_like_the_exact_solution():
    loose, tight = Logistic(strength=1.0).fit(X, X), Logistic(strength=1.0, tol=1e-8).fit(X, X)
    fresh = corpus(200, seed=1)
    np.testing.assert_allclose(loose.predict_proba(fresh), tight.predict_proba(fresh), atol=0.01)


def separable(n=60):
    """Where v_0 occurs, feature 1 does, and nowhere else: without a penalty weights would grow for ever."""
    contexts = np.zeros((2 * n, 4))
    contexts[:n, :2] = 1
    contexts[n:, 2:] = 1
    contexts[::3, 2] = 1
    return contexts


@pytest.mark.parametrize("strength", [1.0, 1e4])
def test_solver_copes_with_separable_rows(strength):
    contexts = separable()
    predictor = Logistic(strength=strength, tol=1e-8, sampling=EVERY_ROW).fit(contexts, contexts)
    matrix, features, labels = sample_of(predictor, contexts).local(0)
    expected = reference(matrix, labels, strength)
    np.testing.assert_allclose(predictor.coef_[[0]].toarray()[0, features], expected.coef_[0], rtol=1e-4, atol=1e-4)


def test_a_vertex_without_context_gets_the_log_odds_of_its_sample():
    lonely = np.zeros((90, 3))
    lonely[:20, 0] = 1
    lonely[20:, 1:] = 1
    predictor = Logistic(strength=1.0, tol=1e-8, sampling=EVERY_ROW).fit(lonely, lonely)
    assert predictor.coef_[[0]].nnz == 0
    assert predictor.intercept_[0] == pytest.approx(np.log(20 / 40), abs=1e-6)


# ------------------------------------------------------------------------------------------ cross-validation


def cv_oracle(matrix, labels, grid, folds):
    """Held-out loss of each strength up to the first rise, with one plain fit for every fold."""
    n_positive = int(labels.sum())
    n_folds = max(2, min(folds, n_positive // 2))
    place = np.concatenate([np.arange(n_positive), np.arange(len(labels) - n_positive)]) % n_folds
    dense = matrix.toarray().astype(np.float64)
    losses = []
    for strength in grid:
        posterior = np.empty(len(labels))
        for fold in range(n_folds):
            model = reference(sparse.csr_array(dense[place != fold]), labels[place != fold], strength)
            posterior[place == fold] = model.predict_proba(dense[place == fold])[:, 1]
        losses.append(log_loss(labels, posterior))
        if len(losses) > 1 and losses[-1] >= min(losses[:-1]):
            break
    return np.array(losses)


@pytest.mark.parametrize("sampling", [EVERY_ROW, Sampling(max_positives=9)], ids=["all", "nine positives"])
@pytest.mark.parametrize("folds", [2, 5])
def test_cross_validation_chooses_like_a_slow_oracle(folds, sampling):
    """Tight fits give the losses of the oracle to 1e-4; with the shipped tolerance a choice costs little."""
    predictor = Logistic(folds=folds, sampling=sampling).fit(X, X)
    sample, grid = sample_of(predictor), np.array(STRENGTHS)
    for vertex in [0, 3, 11, 18, 26, 39]:
        matrix, features, labels = sample.local(vertex)
        losses = cv_oracle(matrix, labels, STRENGTHS, folds)
        best, lowest, _ = _kernels.logistic.choose_strength(
            matrix.indptr, matrix.indices, matrix.data, labels.sum(), len(features), grid, folds, 1e-3
        )
        assert losses[best] - losses.min() < 1e-4
        assert lowest == pytest.approx(losses[best], abs=1e-4)
        chosen = STRENGTHS.index(predictor.strength_[vertex])
        assert losses[chosen] - losses.min() < 5e-4
        assert predictor.cv_loss_[vertex] == pytest.approx(losses[chosen], abs=2e-3)
    assert len(set(predictor.strength_)) > 1


def test_the_chosen_strength_is_the_one_that_is_fitted():
    chosen = Logistic(tol=1e-8, sampling=EVERY_ROW).fit(X, X)
    for strength in np.unique(chosen.strength_):
        fixed = Logistic(strength=float(strength), tol=1e-8, sampling=EVERY_ROW).fit(X, X)
        own = np.flatnonzero(chosen.strength_ == strength)
        np.testing.assert_allclose(chosen.coef_[own].toarray(), fixed.coef_[own].toarray(), atol=1e-5)
        np.testing.assert_allclose(chosen.intercept_[own], fixed.intercept_[own], atol=1e-5)
        assert np.isnan(fixed.report()["cv_loss"]).all()


def test_a_grid_is_searched_in_order_and_without_doubles():
    shuffled, plain = (
        Logistic(strength=(1.0, 0.01, 1.0, 0.1)).fit(X, X),
        Logistic(strength=(0.01, 0.1, 1.0)).fit(X, X),
    )
    np.testing.assert_array_equal(shuffled.strength_, plain.strength_)
    assert shuffled.coef_.data.tobytes() == plain.coef_.data.tobytes()


# ------------------------------------------------------------------------------------------ drawing rows


def draw(posting, eligible, key, ratio=2.0, max_positives=2**62):
    stamp = np.full(len(eligible), -1, dtype=np.int64)
    rows, n_positive = _kernels.sampling.draw_rows(
        np.asarray(posting, dtype=np.int32), eligible, np.flatnonzero(eligible), stamp, np.int64(0),
        np.uint64(key), float(ratio), np.int64(max_positives),
    )  # fmt: skip
    return rows[:n_positive], rows[n_positive:]


@settings(deadline=None, max_examples=150)
@given(
    n_rows=st.integers(2, 60),
    seed=st.integers(0, 2**32),
    ratio=st.sampled_from([0.3, 1.0, 2.0, 2.5, 50.0]),
    cap=st.sampled_from([1, 3, 10**9]),
)
def test_drawn_rows_obey_the_rules(n_rows, seed, ratio, cap):
    rng = np.random.default_rng(seed)
    holds, eligible = rng.random(n_rows) < rng.random(), rng.random(n_rows) < 0.8
    positives, negatives = draw(np.flatnonzero(holds), eligible, seed, ratio, cap)
    usable = np.flatnonzero(holds & eligible)
    np.testing.assert_array_equal(positives, usable[:cap])
    available = np.flatnonzero(~holds & eligible)
    assert len(negatives) == min(len(available), int(np.ceil(ratio * len(positives))))
    assert len(set(negatives)) == len(negatives)
    assert set(negatives) <= set(available)
    np.testing.assert_array_equal(negatives, np.sort(negatives))


@pytest.mark.parametrize("ratio", [1.0, 3.0], ids=["few of many", "most of them"])
def test_every_negative_is_equally_likely(ratio):
    eligible = np.ones(24, dtype=np.bool_)
    eligible[5] = False
    posting = np.array([1, 9, 23])
    counts = np.zeros(24)
    n_draws = 4000
    for key in range(n_draws):
        counts[draw(posting, eligible, int(_kernels.hashing.mix(np.uint64(key))), ratio)[1]] += 1
    assert counts[posting].sum() == counts[5] == 0
    used = np.delete(counts, [1, 5, 9, 23])
    share = 3 * ratio / 20
    expected = n_draws * share
    assert used.sum() == 3 * ratio * n_draws
    # Without replacement counts vary less than in a multinomial: dividing by 1 − share makes it a chi-square.
    statistic = ((used - expected) ** 2 / (expected * (1 - share))).sum() * 19 / 20
    assert stats.chi2.sf(statistic, 19) > 1e-3


def test_all_negatives_are_taken_where_there_are_no_more():
    eligible = np.ones(10, dtype=np.bool_)
    positives, negatives = draw([0, 2, 4, 6, 8], eligible, key=3)
    np.testing.assert_array_equal(positives, [0, 2, 4, 6, 8])
    np.testing.assert_array_equal(negatives, [1, 3, 5, 7, 9])


def test_only_rows_longer_than_average_are_drawn():
    sample = sample_of(Logistic())
    lengths = np.diff(sample.problem.contexts.indptr)
    rows, n_positive = sample.rows(5)
    assert (lengths[rows] > lengths.mean()).all()
    assert n_positive == (sample.problem.targets[:, [5]].toarray()[:, 0] * (lengths > lengths.mean())).sum()
    short = Sample(sample.problem, EVERY_ROW).rows(5)[0]
    assert (lengths[short] <= lengths.mean()).any()


# ------------------------------------------------------------------------------------------ local features


def localise_oracle(contexts, rows, n_positive, banned, min_cooccurrence):
    dense = contexts.toarray()[rows]
    counted = dense if min_cooccurrence == 0 else dense[:n_positive]
    keep = (counted > 0).sum(axis=0) >= max(1, min_cooccurrence)
    keep[banned] = False
    return np.flatnonzero(keep), dense[:, keep]


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 2**32), min_cooccurrence=st.integers(0, 4))
def test_localise_equals_a_plain_selection(seed, min_cooccurrence):
    rng = np.random.default_rng(seed)
    dense = (rng.random((15, 12)) < 0.4) * rng.integers(1, 5, size=(15, 12))
    contexts = canonical_csr(dense.astype(float), np.float32)
    rows = rng.permutation(15)[: rng.integers(1, 15)]
    n_positive = int(rng.integers(0, len(rows) + 1))
    banned = rng.permutation(12)[: rng.integers(0, 4)].astype(np.int32)
    scratch = np.zeros(12, dtype=np.int32)
    starts, ids, values, features = _kernels.sampling.localise(
        rows, n_positive, contexts.indptr, contexts.indices, contexts.data, banned, min_cooccurrence, scratch
    )
    expected_features, expected = localise_oracle(contexts, rows, n_positive, banned, min_cooccurrence)
    np.testing.assert_array_equal(np.sort(features), expected_features)
    local = sparse.csr_array((values, ids, starts), shape=(len(rows), len(features))).toarray()
    np.testing.assert_array_equal(local[:, np.argsort(features)], expected)
    np.testing.assert_array_equal(scratch, 0)


def test_min_cooccurrence_drops_rare_company_from_the_predictors():
    rare, common = (
        Logistic(strength=1.0).fit(X, X),
        Logistic(strength=1.0, sampling=Sampling(min_cooccurrence=8)).fit(X, X),
    )
    sample = sample_of(common)
    for vertex in (0, 20):
        rows, n_positive = sample.rows(vertex)
        counts = (sample.problem.contexts.toarray()[rows[:n_positive]] > 0).sum(axis=0)
        counts[vertex] = 0
        np.testing.assert_array_equal(common.coef_[[vertex]].indices, np.flatnonzero(counts >= 8))
    assert common.coef_.nnz < rare.coef_.nnz


# ------------------------------------------------------------------------------------------ lanes


def lanes_case(lanes, dtype, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(30, lanes)).astype(dtype)
    ids = rng.integers(30, size=12).astype(np.int32)
    values = rng.normal(size=12).astype(np.float32)
    return table, ids, values, rng.normal(size=lanes).astype(dtype)


@pytest.mark.parametrize(("lanes", "dtype", "tolerance"), [(8, np.float32, 1e-5), (1, np.float64, 1e-12)])
@pytest.mark.parametrize(("start", "stop"), [(0, 12), (3, 7), (5, 5)])
def test_gather_and_scatter_equal_numpy(lanes, dtype, tolerance, start, stop):
    table, ids, values, z = lanes_case(lanes, dtype)
    part, weights = ids[start:stop], values[start:stop, None].astype(np.float64)
    expected = z + (weights * table[part]).sum(axis=0)
    gathered = z.copy()
    _kernels.lanes.gather(table.reshape(-1), ids, values, start, stop, gathered)
    np.testing.assert_allclose(gathered, expected, atol=tolerance)
    expected_table = table.astype(np.float64)
    np.add.at(expected_table, part, weights * z)  # a feature may stand there twice
    scattered = table.copy()
    _kernels.lanes.scatter(scattered.reshape(-1), ids, values, start, stop, z)
    np.testing.assert_allclose(scattered, expected_table, atol=tolerance)


@kernel
def _dot(left, i, right, j):
    return dot_rows(left, i, right, j)


@kernel
def _add(target, i, source, j, scale):
    add_scaled_row(target, i, source, j, scale)


@pytest.mark.parametrize("width", [8, 16, 40])
def test_rows_of_tables_are_multiplied_and_added_as_in_numpy(width):
    rng = np.random.default_rng(width)
    left, right = (rng.normal(size=(n, width)).astype(np.float32) for n in (5, 7))
    for i, j in [(0, 0), (4, 6), (2, 3)]:
        assert _dot(left, i, right, j) == pytest.approx(float(left[i].astype(float) @ right[j]), abs=1e-5)
        target = left.copy()
        _add(target, i, right, j, np.float32(-1.5))
        expected = left.copy()
        expected[i] -= np.float32(1.5) * right[j]
        np.testing.assert_allclose(target, expected, atol=1e-6)
        np.testing.assert_array_equal(np.delete(target, i, axis=0), np.delete(left, i, axis=0))


# ------------------------------------------------------------------------------------------ scalars


def test_quick_sigmoid_is_accurate_to_two_in_a_hundred_thousand():
    z = np.concatenate([np.linspace(-30, 30, 5001), [-1e30, 1e30, 0.0]]).astype(np.float32)
    found = np.array([_kernels.logistic.quick_sigmoid(x) for x in z], dtype=np.float64)
    exact = 1 / (1 + np.exp(-np.clip(z.astype(np.float64), -700, 700)))
    assert np.abs(found - exact).max() <= 2e-5
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("z", [-800.0, -30.0, -1.0, 0.0, 1e-9, 2.5, 40.0, 800.0])
def test_exact_sigmoid_and_loss_never_overflow(z):
    expected = np.exp(-np.logaddexp(0.0, -z))
    assert _kernels.logistic.exact_sigmoid(z) == pytest.approx(expected, rel=1e-14, abs=1e-300)
    assert _kernels.logistic.log_loss(z, True) == pytest.approx(np.logaddexp(0.0, -z), rel=1e-14)
    assert _kernels.logistic.log_loss(z, False) == pytest.approx(np.logaddexp(0.0, z), rel=1e-14)
