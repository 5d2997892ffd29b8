"""Label vectors against a plain oracle: votes, thresholds, packing, AUC and F1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from classinet._sparse import canonical_csr
from classinet.engine import ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.labels import LabelVectors, PosteriorLabels, QuantileLabels, n_words, pack_columns, pack_flags
from classinet.predictors.base import Predictor


class Plain(Predictor):
    """A linear predictor whose weights are given, not learnt."""

    def __init__(self, weights, biases):
        self.weights = weights
        self.biases = biases

    def _fit(self, problem):
        self.n_seen_ = problem.n_vertices

    def scores(self, contexts, start, stop):
        return (contexts @ self.weights[:, start:stop] + self.biases[start:stop]).T.astype(np.float32)


def plain_predictor(contexts, n, seed, levels=None):
    """Weights from few levels make many equal scores."""
    rng = np.random.default_rng(seed)
    d = contexts.shape[1]
    weights = rng.normal(size=(d, n)) if levels is None else rng.integers(-levels, levels + 1, size=(d, n))
    predictor = Plain(weights.astype(float), rng.normal(size=n) if levels is None else np.zeros(n))
    predictor.vertices_ = np.arange(n)
    predictor.n_features_in_ = d
    return predictor


def problem(n_rows, n, seed=0, levels=None, d=12):
    rng = np.random.default_rng(seed)
    contexts = canonical_csr((rng.random((n_rows, d)) < 0.3).astype(float))
    targets = canonical_csr((rng.random((n_rows, n)) < rng.random(n) * 0.5).astype(float))
    return plain_predictor(contexts, n, seed + 1, levels), contexts, targets


def unpack(bits, n_rows):
    rows = np.arange(n_rows)
    return ((bits[:, rows // 64] >> (rows % 64).astype(np.uint64)) & np.uint64(1)).astype(bool)


def oracle_auc(scores, present):
    wins = [(p > q) + 0.5 * (p == q) for p in scores[present] for q in scores[~present]]
    return np.mean(wins) if wins else np.nan


def oracle_f1(fires, present):
    hits, wrong = int((fires & present).sum()), int((fires != present).sum())
    return 2 * hits / (2 * hits + wrong) if hits + wrong else 0.0


def check_quality(labels, scores, fires, present):
    for i in range(len(scores)):
        np.testing.assert_allclose(labels.auc[i], oracle_auc(scores[i], present[i]), rtol=1e-12)
        np.testing.assert_allclose(labels.f1[i], oracle_f1(fires[i], present[i]), rtol=1e-12)


@pytest.mark.parametrize("n_rows", [1, 7, 63, 64, 65, 130])
@pytest.mark.parametrize("levels", [None, 1])
def test_posterior_votes_are_scores_above_zero(n_rows, levels):
    predictor, contexts, targets = problem(n_rows, 9, seed=n_rows, levels=levels)
    labels = PosteriorLabels().vote(predictor, contexts, targets, ThreadEngine())
    scores = predictor.decision_function(contexts).T
    present = targets.toarray().T > 0
    assert labels.bits.shape == (9, n_words(n_rows))
    assert np.array_equal(unpack(labels.bits, n_rows), scores > 0)
    assert np.array_equal(unpack(labels.present, n_rows), present)
    assert np.array_equal(labels.thresholds, np.zeros(9))
    check_quality(labels, scores, scores > 0, present)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("levels", [None, 1])
def test_quantile_votes_are_the_first_of_the_highest_scores(rate, levels):
    n_rows = 131
    predictor, contexts, targets = problem(n_rows, 9, levels=levels)
    labels = QuantileLabels(rate=rate).vote(predictor, contexts, targets, ThreadEngine())
    scores = predictor.decision_function(contexts).T
    quota = max(1, round(rate * n_rows))
    fires = np.zeros_like(scores, dtype=bool)
    for i, row in enumerate(scores):
        ranked = sorted(range(n_rows), key=lambda r, row=row: (-row[r], r))
        fires[i, ranked[:quota]] = True
        silent = [row[r] for r in ranked[quota:]]
        assert labels.thresholds[i] == (max(silent) if silent else -np.inf)
    assert np.array_equal(unpack(labels.bits, n_rows), fires)
    assert (labels.popcounts() == quota).all()
    check_quality(labels, scores, fires, targets.toarray().T > 0)


def test_quantile_threshold_repeats_the_votes_where_scores_do_not_tie():
    predictor, contexts, targets = problem(500, 20, d=200)
    labels = QuantileLabels().vote(predictor, contexts, targets, ThreadEngine())
    scores = predictor.decision_function(contexts).T
    assert all(len(np.unique(row)) == 500 for row in scores)
    assert np.array_equal(unpack(labels.bits, 500), scores > labels.thresholds[:, None])


def test_a_rate_below_one_row_still_fires_once():
    predictor, contexts, targets = problem(30, 4)
    labels = QuantileLabels(rate=1e-6).vote(predictor, contexts, targets, ThreadEngine())
    assert labels.popcounts().tolist() == [1, 1, 1, 1]


def test_auc_is_nan_where_a_vertex_is_everywhere_or_nowhere():
    predictor, contexts, _ = problem(40, 3)
    targets = np.zeros((40, 3))
    targets[:, 1] = 1
    targets[:5, 2] = 1
    labels = PosteriorLabels().vote(predictor, contexts, canonical_csr(targets), ThreadEngine())
    assert np.isnan(labels.auc).tolist() == [True, True, False]
    assert labels.f1[0] == 0.0
    assert labels.frequencies().tolist() == [0, 40, 5]


def test_a_predictor_that_never_fires_on_an_absent_vertex_has_f1_zero():
    labels = LabelVectors.from_votes(np.zeros((1, 5)), np.zeros((1, 5)))
    assert labels.f1.tolist() == [0.0]
    assert labels.firing_rate().tolist() == [0.0]


@pytest.mark.parametrize("rule", [PosteriorLabels(), QuantileLabels()])
def test_same_bytes_for_any_number_of_threads(rule):
    predictor, contexts, targets = problem(200, 700)
    reference = rule.vote(predictor, contexts, targets, ThreadEngine(1))
    for n_jobs in (2, 3):
        with ThreadEngine(n_jobs) as engine:
            labels = rule.vote(predictor, contexts, targets, engine)
        for name in ("bits", "present", "thresholds", "auc", "f1"):
            assert getattr(labels, name).tobytes() == getattr(reference, name).tobytes()


def test_votes_of_many_batches_equal_the_oracle():
    predictor, contexts, targets = problem(100, 600)
    labels = PosteriorLabels().vote(predictor, contexts, targets, ThreadEngine())
    assert np.array_equal(unpack(labels.bits, 100), predictor.decision_function(contexts).T > 0)
    assert np.array_equal(unpack(labels.present, 100), targets.toarray().T > 0)


def test_infinite_scores_are_votes_and_nan_is_refused():
    predictor, contexts, targets = problem(20, 2, d=3)
    contexts = canonical_csr(np.ones((20, 3)))
    predictor.biases = np.array([np.inf, -np.inf])
    labels = PosteriorLabels().vote(predictor, contexts, targets, ThreadEngine())
    assert labels.popcounts().tolist() == [20, 0]
    assert QuantileLabels(rate=1.0).vote(predictor, contexts, targets, ThreadEngine()).popcounts().tolist() == [20, 20]
    predictor.biases = np.array([0.0, np.nan])
    with pytest.raises(InputError, match="predictor 1 gave a score that is NaN"):
        PosteriorLabels().vote(predictor, contexts, targets, ThreadEngine())


def test_no_learnt_vertex_gives_empty_label_vectors():
    contexts = canonical_csr(np.ones((5, 3)))
    predictor = plain_predictor(contexts, 0, 0)
    labels = PosteriorLabels().vote(predictor, contexts, sparse.csr_array((5, 0)), ThreadEngine())
    assert labels.bits.shape == (0, 1)
    assert {name: len(values) for name, values in labels.quality().items()} == {
        "firing_rate": 0,
        "auc": 0,
        "f1": 0,
    }


def test_arrays_are_read_only_and_shapes_are_checked():
    votes = np.ones((2, 3), dtype=bool)
    labels = LabelVectors.from_votes(votes, votes)
    with pytest.raises(ValueError, match="read-only"):
        labels.bits[0, 0] = 0
    with pytest.raises(AttributeError):
        labels.n_rows = 4
    with pytest.raises(InputError, match="present has shape"):
        LabelVectors(labels.bits, labels.present[:1], 3, labels.thresholds, labels.auc, labels.f1)
    with pytest.raises(InputError, match="predictors × rows"):
        LabelVectors.from_votes(votes, votes[:1])


def test_targets_must_fit_predictors_and_contexts():
    predictor, contexts, targets = problem(10, 4)
    with pytest.raises(InputError, match="4 predictors were learnt"):
        PosteriorLabels().vote(predictor, contexts, targets[:, :3], ThreadEngine())
    with pytest.raises(InputError, match="must be the same texts"):
        PosteriorLabels().vote(predictor, contexts[:9], targets, ThreadEngine())


@pytest.mark.parametrize(("n_rows", "expected"), [(1, 1), (2, 1), (4, 1), (10, 2), (1000, 200), (10**6, 32768)])
def test_held_out_rows(n_rows, expected):
    assert PosteriorLabels().held_out_rows(n_rows) == expected


@settings(deadline=None)
@given(n_rows=st.integers(1, 10**6), max_rows=st.integers(1, 50_000), share=st.floats(1e-6, 1))
def test_held_out_rows_leave_something_to_train_on(n_rows, max_rows, share):
    held_out = QuantileLabels(max_rows=max_rows, share=share).held_out_rows(n_rows)
    assert 1 <= held_out <= max(1, min(max_rows, n_rows - 1))


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (QuantileLabels(rate=0), "rate"),
        (QuantileLabels(rate=1.5), "rate"),
        (QuantileLabels(rate="x"), "rate"),
    ],
)
def test_bad_rate(rule, name):
    predictor, contexts, targets = problem(10, 4)
    with pytest.raises(ParameterError, match=name):
        rule.vote(predictor, contexts, targets, ThreadEngine())


@pytest.mark.parametrize(
    ("parameters", "name"),
    [({"max_rows": 0}, "max_rows"), ({"share": 0.0}, "share"), ({"share": 2}, "share")],
)
def test_bad_size(parameters, name):
    with pytest.raises(ParameterError, match=name):
        PosteriorLabels(**parameters).held_out_rows(100)


def test_rules_clone():
    assert clone(QuantileLabels(rate=0.3, share=0.5)).get_params() == {
        "max_rows": 32768,
        "rate": 0.3,
        "share": 0.5,
    }


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_packing_and_confusion(n_rows, seed):
    rng = np.random.default_rng(seed)
    votes, present = rng.random((2, 5, n_rows)) < rng.random((2, 5, 1))
    labels = LabelVectors.from_votes(votes, present)
    assert np.array_equal(unpack(pack_flags(votes), n_rows), votes)
    assert np.array_equal(unpack(pack_columns(sparse.csr_array(present.T.astype(float))), n_rows), present)
    assert np.array_equal(labels.popcounts(), votes.sum(axis=1))
    assert np.array_equal(labels.firing_rate(), votes.mean(axis=1))
    for i, j in ((0, 1), (1, 0), (2, 2)):
        a, b = votes[i], votes[j]
        table = [[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]]
        assert np.array_equal(labels.confusion(i, j), table)


def test_a_fitted_predictor_votes():
    contexts = canonical_csr(np.eye(4)[[0, 1, 2, 3, 0, 1]])
    predictor = Plain(np.eye(4), np.full(4, -0.5)).fit(contexts, contexts)
    labels = PosteriorLabels().vote(predictor, contexts, contexts, ThreadEngine())
    assert labels.f1.tolist() == [1.0] * 4
    assert labels.auc.tolist() == [1.0] * 4
