"""The contract of feature predictors, checked for every kind, and oracles for the smaller kinds."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from classinet import _kernels
from classinet._sparse import canonical_csr, presence
from classinet.engine import ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.predictors.adapter import SklearnPredictor
from classinet.predictors.base import Setup
from classinet.predictors.embedding import Embedding, read_vectors
from classinet.predictors.factorised import Factorised
from classinet.predictors.indicator import Indicator
from classinet.predictors.logistic import Logistic
from classinet.predictors.naive_bayes import NaiveBayes
from classinet.predictors.perceptron import Perceptron
from classinet.predictors.ridge import Ridge
from classinet.predictors.sampled import Sample, Sampling

N_TOPICS, TOPIC_WORDS = 6, 8
N_FEATURES = N_TOPICS * TOPIC_WORDS
NAMES = np.array([f"w{i}" for i in range(N_FEATURES)], dtype=object)
EVERY_ROW = Sampling(longer_than_average=False)


def corpus(n_rows=300, seed=0):
    """Texts of five of the eight words of a topic and two of any; the vertices fill more than one batch."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n_rows, N_FEATURES))
    for row in X:
        topic = rng.integers(N_TOPICS) * TOPIC_WORDS
        row[topic + rng.choice(TOPIC_WORDS, size=5, replace=False)] = rng.integers(1, 4, size=5)
        row[rng.choice(N_FEATURES, size=2, replace=False)] = 1
    X[::29] = 0  # zero rows
    return X


X = corpus()
FRESH = corpus(60, seed=1)
VECTORS = {
    str(name): np.random.default_rng(i).normal(size=5) + 3 * np.eye(5)[i // TOPIC_WORDS % 5]
    for i, name in enumerate(NAMES)
}


@dataclass
class Kind:
    """A kind of predictor and what the contract asks of it."""

    make: Any
    learns: bool = True  # from the texts; the others need neither positives nor negatives
    sampled: bool = True  # so the seed matters
    needs_column: bool = False  # a target that is no context feature is left out
    rounding: float = 0.0  # what leaving out a forbidden feature may cost in precision


KINDS = {
    "Logistic": Kind(lambda: Logistic(strength=1.0, sampling=EVERY_ROW)),
    "Logistic CV": Kind(Logistic),
    "Factorised": Kind(lambda: Factorised(rank=4, passes=3), rounding=1e-4),
    "Perceptron": Kind(Perceptron),
    "NaiveBayes": Kind(lambda: NaiveBayes(sampling=Sampling(min_cooccurrence=0))),
    "Ridge": Kind(lambda: Ridge(penalty=5.0), sampled=False, needs_column=True),
    "Indicator": Kind(Indicator, learns=False, sampled=False, needs_column=True),
    "Embedding": Kind(lambda: Embedding(VECTORS, threshold=0.2), learns=False, sampled=False, needs_column=True),
    "Sklearn LogisticRegression": Kind(lambda: SklearnPredictor(LogisticRegression())),
    "Sklearn DecisionTree": Kind(lambda: SklearnPredictor(DecisionTreeClassifier(max_depth=4, splitter="random"))),
}
LEARNING = {name: kind for name, kind in KINDS.items() if kind.learns}


def setup(**changes):
    return Setup(**{"names": NAMES, **changes})


def over(kinds):
    return pytest.mark.parametrize("kind", kinds.values(), ids=kinds.keys())


FITTED: dict[str, Any] = {}


def fitted(name):
    """A predictor of each kind on the corpus with w0–w1 and w2–w3 forbidden for each other, fitted once."""
    if name not in FITTED:
        forbidden = sparse.lil_array((N_FEATURES, N_FEATURES))
        forbidden[0, 1] = forbidden[1, 0] = forbidden[2, 3] = forbidden[3, 2] = 1
        FITTED[name] = KINDS[name].make().fit(X, X, forbidden.tocsr(), setup=setup())
    return FITTED[name]


# ------------------------------------------------------------------------------------------ the contract


@over(KINDS)
def test_fit_returns_the_predictor_itself_with_scores_of_the_right_shape(kind):
    predictor = kind.make()
    assert predictor.fit(X, X, setup=setup()) is predictor
    scores = predictor.decision_function(FRESH)
    assert scores.shape == (60, predictor.n_vertices_) == (60, N_FEATURES)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    assert len(predictor.report()["positives"]) == N_FEATURES
    assert {len(column) for column in predictor.report().values()} == {N_FEATURES}


@pytest.mark.parametrize("name", KINDS)
def test_scores_are_slices_of_the_decision_and_predict_its_sign(name):
    predictor = fitted(name)
    decision = predictor.decision_function(FRESH)
    prepared = predictor.prepare_contexts(FRESH)
    for start, stop in [(0, 1), (3, 17), (N_FEATURES - 1, N_FEATURES), (5, 5)]:
        part = predictor.scores(prepared, start, stop)
        assert part.shape == (stop - start, 60)
        np.testing.assert_array_equal(part, decision[:, start:stop].T)
    np.testing.assert_array_equal(predictor.predict(FRESH), decision > 0)
    assert predictor.predict(FRESH).any()
    assert not predictor.predict(FRESH).all()


@pytest.mark.parametrize("name", KINDS)
def test_weights_say_what_each_feature_alone_does_to_the_score(name):
    predictor = fitted(name)
    alone = predictor.decision_function(np.vstack([np.eye(N_FEATURES), np.zeros((1, N_FEATURES))]))
    for vertex in (0, 3, N_FEATURES - 1):
        weights = predictor.feature_weights(vertex)
        assert weights.dtype == np.float32
        np.testing.assert_array_equal(weights, alone[:-1, vertex] - alone[-1, vertex])
    if sparse.issparse(getattr(predictor, "coef_", None)):
        np.testing.assert_allclose(weights, predictor.coef_.toarray()[N_FEATURES - 1], atol=1e-6)
    with pytest.raises(ParameterError, match="vertex must be a whole number"):
        predictor.feature_weights(N_FEATURES)


@pytest.mark.parametrize("name", KINDS)
def test_probabilities_rise_with_scores(name):
    predictor = fitted(name)
    if not hasattr(predictor, "predict_proba"):
        assert name in ("Perceptron", "Ridge", "Indicator", "Embedding")
        return
    scores, posterior = predictor.decision_function(FRESH), predictor.predict_proba(FRESH)
    assert posterior.shape == scores.shape
    np.testing.assert_array_equal(posterior > 0.5, scores > 0)
    if "Tree" not in name:
        np.testing.assert_allclose(posterior, 1 / (1 + np.exp(-scores.astype(float))), atol=1e-6)


@over(KINDS)
def test_features_that_only_lead_are_as_if_no_text_held_them(kind):
    leading = np.arange(N_FEATURES) >= N_FEATURES - 3
    hidden = canonical_csr(np.where(leading, 0.0, X))
    targets = presence(canonical_csr(X[:, : N_FEATURES - 3]))
    common = {"columns": np.arange(N_FEATURES - 3), "ordered": True}
    one, other = kind.make(), kind.make()
    one.fit(one.shown(canonical_csr(X)), targets, setup=setup(**common, leading=leading))
    other.fit(other.shown(hidden), targets, setup=setup(**common))
    expected = other.decision_function(hidden)
    assert expected.any()
    np.testing.assert_array_equal(one.decision_function(X), expected)
    np.testing.assert_array_equal(one.decision_function(hidden), expected)
    assert not one.feature_weights(0)[leading].any()


@pytest.mark.parametrize("name", KINDS)
def test_clone_keeps_parameters_and_forgets_the_fit(name):
    predictor = fitted(name)
    copy = clone(predictor)
    assert type(copy) is type(predictor)
    assert copy.get_params().keys() == predictor.get_params().keys()
    assert not hasattr(copy, "vertices_")
    parameter, value = next(iter(predictor.get_params(deep=False).items()), (None, None))
    if parameter is not None:
        assert copy.set_params(**{parameter: value}).get_params()[parameter] is value
    with pytest.raises(NotFittedError):
        copy.decision_function(FRESH)


@over(LEARNING)
def test_what_cannot_be_learnt_is_left_out_with_a_reason(kind):
    changed = X.copy()
    changed[:, 0] = 0
    changed[:, 1] = 1
    predictor = kind.make().fit(changed, changed, setup=setup())
    assert set(predictor.left_out_) == {0, 1}
    assert "0 usable positives" in predictor.left_out_[0]
    assert "every" in predictor.left_out_[1]
    np.testing.assert_array_equal(predictor.vertices_, np.arange(2, N_FEATURES))
    assert predictor.decision_function(FRESH).shape == (60, N_FEATURES - 2)


@over({name: kind for name, kind in LEARNING.items() if kind.sampled and name != "Factorised"})
def test_a_vertex_with_too_few_usable_positives_is_left_out(kind):
    changed = X.copy()
    changed[:, 7] = 0
    changed[np.flatnonzero(changed.sum(axis=1))[:4], 7] = 1
    changed[20, :7] = 1
    predictor = kind.make().fit(changed, changed, setup=setup())
    assert list(predictor.left_out_) == [7]
    assert "5 needed" in predictor.left_out_[7]


@over(LEARNING)
def test_nothing_to_learn_gives_an_empty_predictor(kind):
    empty = np.zeros((20, 4))
    predictor = kind.make().fit(empty, empty)
    assert predictor.n_vertices_ == 0
    assert len(predictor.left_out_) == 4
    assert predictor.decision_function(empty).shape == (20, 0)
    assert predictor.predict(empty).shape == (20, 0)


@over(KINDS)
def test_unfitted_use_and_bad_input_give_clear_errors(kind):
    with pytest.raises(NotFittedError):
        kind.make().predict(X)
    with pytest.raises(NotFittedError):
        kind.make().report()
    for value, message in [(np.nan, "NaN"), (np.inf, "infinity"), (-1.0, "negative")]:
        bad = X.copy()
        bad[3, 2] = value
        with pytest.raises(
            InputError, match=f"(?i){message}.*contexts.*row 3, column 2|contexts.*{message}.*row 3, column 2"
        ):
            kind.make().fit(bad, X, setup=setup())
        with pytest.raises(InputError, match=r"targets.*row 3, column 2"):
            kind.make().fit(X, bad, setup=setup())
    with pytest.raises(InputError, match="same texts"):
        kind.make().fit(X, X[:-1], setup=setup())
    with pytest.raises(ParameterError, match="columns"):
        kind.make().fit(X, X[:, :5], setup=setup())
    with pytest.raises(InputError, match="forbidden has shape"):
        kind.make().fit(X, X, np.eye(3), setup=setup())


@pytest.mark.parametrize("name", KINDS)
def test_contexts_with_other_features_are_refused(name):
    with pytest.raises(InputError, match=f"5 features, but the predictors were fitted on {N_FEATURES}"):
        fitted(name).predict(FRESH[:, :5])
    bad = FRESH.copy()
    bad[1, 4] = -3
    with pytest.raises(InputError, match="row 1, column 4"):
        fitted(name).decision_function(bad)


@over(KINDS)
def test_same_bytes_for_any_number_of_threads(kind):
    outcomes = []
    for n_threads in (1, 2, 3):
        with ThreadEngine(n_threads) as engine:
            outcomes.append(kind.make().fit(X, X, setup=setup(engine=engine)).decision_function(FRESH).tobytes())
    assert outcomes[0] == outcomes[1] == outcomes[2]


@over(KINDS)
def test_same_bytes_for_any_order_of_the_rows(kind):
    order = np.random.default_rng(5).permutation(len(X))
    # Rows with equal contexts and different targets must not be told apart by where they stand.
    contexts, targets = np.repeat(X, 2, axis=0)[: len(X)], X
    first = kind.make().fit(contexts, targets, setup=setup()).decision_function(FRESH)
    again = kind.make().fit(contexts[order], targets[order], setup=setup()).decision_function(FRESH)
    assert first.tobytes() == again.tobytes()


@over(KINDS)
def test_zero_rows_and_row_order_do_not_change_the_score_of_a_row(kind):
    predictor = kind.make().fit(X, X, setup=setup())
    planted = np.vstack([np.zeros((1, N_FEATURES)), FRESH[::-1], np.zeros((2, N_FEATURES))])
    scores = predictor.decision_function(planted)
    np.testing.assert_array_equal(scores[1:-2][::-1], predictor.decision_function(FRESH))
    np.testing.assert_array_equal(scores[0], scores[-1])


@over(KINDS)
def test_seeds_differ_where_sampling_matters_and_only_there(kind):
    first, second = (kind.make().fit(X, X, setup=setup(seed=seed)).decision_function(FRESH) for seed in (0, 1))
    if kind.sampled:
        assert not np.array_equal(first, second)
        assert np.mean((first > 0) == (second > 0)) > 0.8
    else:
        np.testing.assert_allclose(first, second, atol=1e-6)


@over(KINDS)
def test_refit_forgets(kind):
    other = corpus(200, seed=9)[:, :-1]
    names = NAMES[:-1]
    fresh = kind.make().fit(other, other, setup=setup(names=names))
    again = kind.make().fit(X, X, setup=setup()).fit(other, other, setup=setup(names=names))
    assert again.decision_function(other).tobytes() == fresh.decision_function(other).tobytes()
    assert again.__dict__.keys() == fresh.__dict__.keys()
    assert again.n_vertices_ == fresh.n_vertices_ == N_FEATURES - 1


@over(KINDS)
def test_input_is_not_changed_and_kinds_of_matrices_agree(kind):
    before = sparse.csr_array(X)
    data, indices = before.data.copy(), before.indices.copy()
    as_sparse = kind.make().fit(before, before, setup=setup()).decision_function(sparse.csc_matrix(FRESH))
    np.testing.assert_array_equal(before.data, data)
    np.testing.assert_array_equal(before.indices, indices)
    assert as_sparse.tobytes() == kind.make().fit(X, X, setup=setup()).decision_function(FRESH).tobytes()


@over(KINDS)
def test_targets_may_lie_outside_the_contexts(kind):
    """The first target is no context feature: it occurs in the text after one of the first topic."""
    rng = np.random.default_rng(3)
    topic = rng.integers(3, size=600)
    contexts = np.zeros((600, N_FEATURES))
    for row, own in zip(contexts, topic, strict=True):
        row[own * TOPIC_WORDS + rng.choice(TOPIC_WORDS, size=5, replace=False)] = 1
    contexts, seen = contexts[:-1], topic[:-1]
    targets = np.column_stack([seen == 0, contexts[:, 20] > 0]).astype(float)
    columns = np.array([-1, 20])
    predictor = kind.make().fit(contexts, targets, setup=setup(columns=columns))
    if kind.needs_column:
        assert "no" in predictor.left_out_[0]
        np.testing.assert_array_equal(predictor.vertices_, [1])
        np.testing.assert_array_equal(predictor.columns_, [20])
    else:
        np.testing.assert_array_equal(predictor.vertices_, [0, 1])
        truth = seen == 0
        scores = predictor.decision_function(contexts)[:, 0]
        assert scores[truth].min() > scores[~truth].max()
        np.testing.assert_array_equal(predictor.predict(contexts)[:, 0], truth)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "Indicator"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_vertex_itself_and_what_is_forbidden_never_change_its_score(name, data):
    predictor = fitted(name)
    text = set(data.draw(st.lists(st.integers(0, N_FEATURES - 1), max_size=8)))
    vertex = data.draw(st.sampled_from([0, 1, 2, 3, 11, N_FEATURES - 1]))
    banned = {vertex} | ({vertex ^ 1} if vertex < 4 else set())
    variants = [
        text | banned,
        text - banned,
        text - {vertex} | (banned - {vertex}),
        text - (banned - {vertex}) | {vertex},
    ]
    contexts = np.zeros((len(variants), N_FEATURES))
    for row, variant in zip(contexts, variants, strict=True):
        row[list(variant)] = 1
    place = int(np.flatnonzero(predictor.vertices_ == vertex)[0])
    scores = predictor.decision_function(contexts)[:, place]
    np.testing.assert_allclose(scores, scores[0], rtol=0, atol=KINDS[name].rounding)


@over({name: kind for name, kind in KINDS.items() if hasattr(kind.make(), "binary") and name != "Indicator"})
def test_values_count_only_where_asked(kind):
    predictor = kind.make()
    heavier = FRESH * 3.0
    np.testing.assert_array_equal(
        predictor.fit(X, X, setup=setup()).decision_function(FRESH), predictor.decision_function(heavier)
    )
    if "binary" in predictor.get_params():
        predictor.set_params(binary=False).fit(X, X, setup=setup())
        assert not np.allclose(predictor.decision_function(FRESH), predictor.decision_function(heavier))


@pytest.mark.parametrize(
    ("predictor", "message"),
    [
        (Logistic(strength=[]), "strength"),
        (Logistic(strength=-1.0), "strength"),
        (Logistic(folds=1), "folds"),
        (Logistic(tol=0), "tol"),
        (Factorised(rank=0), "rank"),
        (Factorised(passes=-1), "passes"),
        (Factorised(negatives=0), "negatives"),
        (Factorised(learning_rate=0), "learning_rate"),
        (Perceptron(epochs=0), "epochs"),
        (NaiveBayes(smoothing=0), "smoothing"),
        (Ridge(penalty=0), "penalty"),
        (Embedding(VECTORS, threshold=2), "threshold"),
        (Embedding(7), "source"),
        (SklearnPredictor(LinearRegression()), "estimator"),
        (SklearnPredictor(LogisticRegression), "estimator"),
        (SklearnPredictor(None), "estimator"),
        (Perceptron(sampling=Sampling(negative_ratio=0)), "negative_ratio"),
        (Perceptron(sampling=Sampling(min_cooccurrence=-1)), "min_cooccurrence"),
        (Perceptron(sampling=Sampling(min_positives=0)), "min_positives"),
        (Perceptron(sampling=Sampling(max_positives=2)), "max_positives"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named_and_leave_no_half_fitted_object(predictor, message):
    predictor = clone(predictor)
    with pytest.raises(ParameterError, match=f"{message} must be"):
        predictor.fit(X, X, setup=setup())
    assert not hasattr(predictor, "vertices_")


# ------------------------------------------------------------------------------------------ oracles


def sample_of(predictor, sampling=None, binary=True, seed=0):
    """The sample that a fit of the corpus draws from, for reading single vertices."""
    problem = predictor._prepare(X, X, None, setup(seed=seed))
    kept = np.array([i for i in range(N_FEATURES) if i not in predictor._unlearnable(problem)])
    return Sample(problem.keep(kept), sampling or Sampling())


def keyed_order(n, counter):
    """Fisher-Yates with the draws of the kernel's stream."""
    order = list(range(n))
    for last in range(n - 1, 0, -1):
        chosen = int(_kernels.hashing.below(np.uint64(counter), last + 1))
        counter = (counter + 1) % 2**64
        order[last], order[chosen] = order[chosen], order[last]
    return order, counter


@pytest.mark.parametrize("binary", [True, False])
def test_perceptron_equals_explicit_averaging(binary):
    predictor = Perceptron(epochs=3, binary=binary).fit(X, X, setup=setup())
    sample = sample_of(predictor)
    for vertex in (0, 17, 47):
        matrix, features, labels = sample.local(vertex)
        rows, sign = matrix.toarray().astype(float), np.where(labels, 1.0, -1.0)
        w, b, total_w, total_b, mistakes = np.zeros(len(features)), 0.0, np.zeros(len(features)), 0.0, 0
        counter = int(_kernels.hashing.mix(sample.keys[vertex] + np.uint64(1)))
        order = list(range(len(rows)))
        for _ in range(3):
            mistakes = 0
            shuffle, counter = keyed_order(len(rows), counter)
            order = [order[k] for k in shuffle]
            for row in order:
                if sign[row] * (w @ rows[row] + b) <= 0:
                    w, b, mistakes = w + sign[row] * rows[row], b + sign[row], mistakes + 1
                total_w, total_b = total_w + w, total_b + b
        steps = 3 * len(rows)
        np.testing.assert_allclose(predictor.coef_[[vertex]].toarray()[0, features], total_w / steps, atol=1e-6)
        assert predictor.intercept_[vertex] == pytest.approx(total_b / steps, abs=1e-6)
        assert predictor.report()["mistakes"][vertex] == mistakes


def test_perceptron_visits_in_every_order_alike():
    orders = [tuple(keyed_order(3, int(_kernels.hashing.mix(np.uint64(key))))[0]) for key in range(3000)]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert ((counts - 500) ** 2 / 500).sum() < 20.5  # chi-square, 5 degrees of freedom, 99.9 %
    kernel_order = np.arange(3)
    _kernels.perceptron.shuffle(kernel_order, _kernels.hashing.mix(np.uint64(7)))
    assert tuple(kernel_order) == orders[7]


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("smoothing", [0.1, 1.0, 7.5])
def test_naive_bayes_equals_scikit_learn(smoothing, binary):
    predictor = NaiveBayes(smoothing=smoothing, binary=binary).fit(X, X, setup=setup())
    sample = sample_of(predictor)
    for vertex in (0, 17, 47):
        matrix, features, labels = sample.local(vertex)
        reference = MultinomialNB(alpha=smoothing).fit(matrix, labels)
        expected = reference.feature_log_prob_[1] - reference.feature_log_prob_[0]
        np.testing.assert_allclose(predictor.coef_[[vertex]].toarray()[0, features], expected, rtol=1e-5, atol=1e-6)
        prior = reference.class_log_prior_
        assert predictor.intercept_[vertex] == pytest.approx(prior[1] - prior[0], abs=1e-6)
        seen = FRESH if not binary else (FRESH > 0).astype(float)
        posterior = reference.predict_proba(seen[:, features])[:, 1]
        np.testing.assert_allclose(predictor.predict_proba(FRESH)[:, vertex], posterior, atol=1e-5)


def test_indicator_repeats_the_columns():
    columns = np.array([5, 2, 5, -1])
    targets = X[:, [5, 2, 5, 0]]
    predictor = Indicator().fit(X, targets, setup=setup(columns=columns))
    assert "no feature of the contexts" in predictor.left_out_[3]
    np.testing.assert_array_equal(predictor.predict(FRESH), FRESH[:, [5, 2, 5]] > 0)
    np.testing.assert_array_equal(np.abs(predictor.decision_function(FRESH)), 0.5)


def test_indicator_keeps_what_always_occurs_and_leaves_out_what_never_does():
    changed = X.copy()
    changed[:, 0], changed[:, 1] = 0, 1
    predictor = Indicator().fit(changed, changed, setup=setup())
    assert list(predictor.left_out_) == [0]
    assert predictor.predict(changed)[:, 0].all()


# ------------------------------------------------------------------------------------------ embedding


def cosine_oracle(vectors, forbidden, texts, threshold):
    out = np.empty((len(texts), len(NAMES)))
    for row, text in enumerate(texts):
        for vertex, name in enumerate(NAMES):
            allowed = [j for j in np.flatnonzero(text) if j != vertex and not forbidden[vertex, j]]
            known = [np.asarray(vectors[NAMES[j]]) for j in allowed if NAMES[j] in vectors]
            if not known:
                out[row, vertex] = -threshold
                continue
            mean, own = np.mean(known, axis=0), np.asarray(vectors[name])
            out[row, vertex] = mean @ own / np.linalg.norm(mean) / np.linalg.norm(own) - threshold
    return out


def test_embedding_equals_plain_cosines():
    rng = np.random.default_rng(2)
    forbidden = rng.random((N_FEATURES, N_FEATURES)) < 0.1
    texts = np.vstack([FRESH, np.zeros((1, N_FEATURES)), np.eye(N_FEATURES)])
    predictor = Embedding(VECTORS, threshold=0.3).fit(X, X, sparse.csr_array(forbidden.astype(float)), setup=setup())
    expected = cosine_oracle(VECTORS, forbidden, texts, 0.3)
    np.testing.assert_allclose(predictor.decision_function(texts), expected, atol=1e-5)


def test_embedding_leaves_out_what_has_no_vector():
    some = {name: VECTORS[name] for name in NAMES[::2]}
    predictor = Embedding(some).fit(X, X, setup=setup())
    np.testing.assert_array_equal(predictor.vertices_, np.arange(0, N_FEATURES, 2))
    assert predictor.left_out_[1] == "no vector of that name in the source"
    unknown = FRESH.copy()
    unknown[:, 1::2] = 1  # features without a vector count as absent
    np.testing.assert_array_equal(predictor.decision_function(unknown), predictor.decision_function(FRESH))
    only_unknown = np.zeros((1, N_FEATURES))
    only_unknown[0, 1] = 1
    np.testing.assert_array_equal(predictor.decision_function(only_unknown), np.float32(-0.5))
    assert predictor.vectors().shape == (N_FEATURES // 2, 8)
    assert predictor.feature_vectors().shape == (N_FEATURES, 8)
    np.testing.assert_array_equal(predictor.feature_vectors()[1::2], 0)
    np.testing.assert_allclose(predictor.vectors()[3, :5], VECTORS["w6"], rtol=1e-6)
    np.testing.assert_array_equal(predictor.vectors()[:, 5:], 0)


def word2vec_lines(vectors, header):
    lines = [f"{len(vectors)} 5"] if header else []
    return lines + [name + " " + " ".join(repr(float(x)) for x in vector) for name, vector in vectors.items()]


def write(path, lines):
    content = ("\n".join(lines) + "\n").encode() if isinstance(lines, list) else lines
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_files_give_what_mappings_give(tmp_path, header, suffix):
    surplus = {"unknown": np.ones(5), **VECTORS, "at the end": np.ones(5)}
    path = write(tmp_path / f"vectors{suffix}", word2vec_lines(surplus, header))
    expected = Embedding(VECTORS).fit(X, X, setup=setup()).decision_function(FRESH)
    for source in (path, str(path)):
        found = Embedding(source).fit(X, X, setup=setup()).decision_function(FRESH)
        np.testing.assert_array_equal(found, expected)


def test_gensim_vectors_give_what_mappings_give(tmp_path):
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(vector_size=5)
    keyed.add_vectors(list(VECTORS), np.array(list(VECTORS.values()), dtype=np.float32))
    expected = Embedding(VECTORS).fit(X, X, setup=setup()).decision_function(FRESH)
    np.testing.assert_array_equal(Embedding(keyed).fit(X, X, setup=setup()).decision_function(FRESH), expected)
    path = tmp_path / "gensim.txt"
    keyed.save_word2vec_format(str(path))
    from_file = Embedding(path).fit(X, X, setup=setup()).decision_function(FRESH)
    np.testing.assert_allclose(from_file, expected, atol=1e-6)


def test_names_may_hold_spaces_and_any_letters(tmp_path):
    path = write(tmp_path / "glove.txt", ["cat 1 2", ". . . 3 4", "naïve\u00a0été 5 6 \r", "cat 9 9"])
    table = read_vectors(path, ["naïve\u00a0été", ". . .", "cat", "dog"])
    np.testing.assert_array_equal(table[:, :2], [[5, 6], [3, 4], [1, 2], [0, 0]])
    assert table.shape == (4, 8)


def test_reading_stops_when_every_name_is_found(tmp_path):
    path = write(tmp_path / "long.txt", ["cat 1 2", "dog 3 4", "broken 1 2 3"])
    np.testing.assert_array_equal(read_vectors(path, ["dog", "cat"])[:, :2], [[3, 4], [1, 2]])
    with pytest.raises(InputError, match="line 3"):
        read_vectors(path, ["dog", "bird"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (["w0 1 2", "w1 1 2", "w2 1 2 3"], "line 3: 3 numbers after the name, where 2 should be"),
        (["w0 1 2", "other 1"], "line 2: 1 numbers"),
        (["2 3", "w0 1 2"], "line 2: 2 numbers after the name, where 3 should be"),
        (["w0"], "line 1: 0 numbers after the name, where at least one should be"),
        (["w0 1 2", "", "w1 1 2"], "line 2"),
        (["w0 1 2", "w1 1 two"], "line 2: .*two"),
        (["w0 1 nan"], "line 1: a number that is not finite"),
        (["9 2", "w0 1 2"], "line 1: promises 9 vectors, but the file ends after 1"),
        (b"w0 1 2\nw\xff 1 2\n", "line 2: a name that is not UTF-8"),
        (b"", "line 1: empty"),
        (["cat 1 2"], "no vector for any of the 48 features, the first being 'w0'"),
    ],
)
def test_faulty_files_are_refused_with_their_line(tmp_path, content, message):
    path = write(tmp_path / "faulty.txt", content)
    with pytest.raises(InputError, match=f"(?s)faulty.txt.*{message}"):
        Embedding(path).fit(X, X, setup=setup())


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.txt cannot be read"):
        Embedding(tmp_path / "absent.txt").fit(X, X, setup=setup())
    (tmp_path / "not_packed.gz").write_bytes(b"w0 1 2\n")
    with pytest.raises(InputError, match=r"not_packed\.gz cannot be read"):
        Embedding(tmp_path / "not_packed.gz").fit(X, X, setup=setup())
    whole = gzip.compress("\n".join(word2vec_lines(VECTORS, True)).encode())
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cut\.gz cannot be read"):
        Embedding(tmp_path / "cut.gz").fit(X, X, setup=setup())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"w0": [1.0, 2.0], "w1": [1.0]}, "'w1': a vector of 1 numbers, where the first has 2"),
        ({"w0": [1.0, np.inf]}, "'w0': a number that is not finite"),
        ({"w0": ["a", "b"]}, "'w0': not a list of numbers"),
        ({"w0": 3.0}, "'w0': shape"),
        ({"cat": [1.0]}, "source has no vector"),
    ],
)
def test_faulty_mappings_are_refused_with_the_name(source, message):
    with pytest.raises(InputError, match=message):
        Embedding(source).fit(X, X, setup=setup())


# ------------------------------------------------------------------------------------------ any classifier


def test_adapter_fits_the_estimator_on_the_sample_of_the_vertex():
    predictor = SklearnPredictor(LogisticRegression(C=0.3)).fit(X, X, setup=setup())
    sample = sample_of(predictor)
    seen = (FRESH > 0).astype(float)
    for vertex in (0, 17, 47):
        matrix, features, labels = sample.local(vertex)
        order = np.argsort(features)
        np.testing.assert_array_equal(predictor.features_[vertex], features[order])
        reference = LogisticRegression(C=0.3).fit(matrix.toarray()[:, order], labels)
        expected = reference.decision_function(seen[:, features[order]])
        np.testing.assert_allclose(predictor.decision_function(FRESH)[:, vertex], expected, atol=1e-3)


@pytest.mark.parametrize(
    ("estimator", "middle"),
    [
        (DecisionTreeClassifier(max_depth=3), "predict_proba"),
        (GaussianNB(), "predict_proba"),  # takes dense matrices only
        (RidgeClassifier(), "decision_function"),
        (VotingClassifier([("tree", DecisionTreeClassifier())]), "predict"),
        (make_pipeline(MaxAbsScaler(), DecisionTreeClassifier(max_depth=2)), "predict_proba"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_adapter_takes_any_classifier(estimator, middle):
    predictor = SklearnPredictor(estimator).fit(X, X, setup=setup())
    one = predictor.estimators_[3]
    seen = (FRESH[:, predictor.features_[3]] > 0).astype(float)
    answer = getattr(one, middle)(seen)
    expected = answer if middle == "decision_function" else (answer if middle == "predict" else answer[:, 1]) - 0.5
    np.testing.assert_allclose(predictor.decision_function(FRESH)[:, 3], expected, atol=1e-6)
    assert hasattr(predictor, "predict_proba") == hasattr(estimator, "predict_proba")


def test_adapter_gives_every_vertex_its_own_random_state():
    pipeline = make_pipeline(MaxAbsScaler(), DecisionTreeClassifier(random_state=0))
    predictor = SklearnPredictor(pipeline).fit(X, X, setup=setup())
    states = {one[-1].random_state for one in predictor.estimators_}
    assert len(states) == N_FEATURES
    assert pipeline[-1].random_state == 0
    other = SklearnPredictor(pipeline).fit(X, X, setup=setup(seed=1))
    assert states.isdisjoint(one[-1].random_state for one in other.estimators_)


def test_adapter_copes_with_a_vertex_that_never_has_company():
    lonely = np.zeros((60, 3))
    lonely[:20, 0] = 1
    lonely[20:, 1:] = 1
    predictor = SklearnPredictor(LogisticRegression(), sampling=EVERY_ROW).fit(lonely, lonely)
    assert len(predictor.features_[0]) == 0
    posterior = predictor.predict_proba(lonely)[:, 0]
    np.testing.assert_allclose(posterior, 1 / 3, atol=1e-3)
