"""The text door: a net once, classifiers from few labels, reasons, edits."""

import copy
import pickle
import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.utils import estimator_checks

from classinet._sparse import canonical_csr
from classinet.datasets import made_up_sentences
from classinet.edits import Edits
from classinet.evaluation import evaluate
from classinet.exceptions import InputError, ParameterError, UnknownTextWarning
from classinet.expansion import AllNeighbors, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.graph import neighborhood
from classinet.model import ClassiNet
from classinet.pipeline import ClassiNetClassifier, TextNet, border
from classinet.pipeline.representation import no_rows, unit_rows
from classinet.pipeline.targets import Targets, as_targets
from classinet.text import TextVectorizer
from classinet.text.pieces import is_run

TEXTS = ["rain and wind", "bread in the oven", "a late goal"]
LABELS = ["weather", "kitchen", "football"]
TOPIC_WORDS = {
    "weather": ["thunder", "snow", "cloud"],
    "kitchen": ["dough", "salt", "soup"],
    "football": ["keeper", "coach"],
}
EXPANSIONS = [
    Global(), Global(hops=2, normalize=None, damping=0.1), Global(prior="empirical"), AllNeighbors(), MutualNeighbors(),
    LocalPath(), Independent(), Spectral(),
]  # fmt: skip


@pytest.fixture(scope="module")
def net():
    return TextNet(model=ClassiNet(n_jobs=1)).fit(made_up_sentences())


@pytest.fixture(scope="module")
def clf(net):
    return ClassiNetClassifier(net).fit(TEXTS, LABELS)


def labelled(count, seed=0):
    """Sentences of a known topic each."""
    rng = np.random.default_rng(seed)
    names = sorted(TOPIC_WORDS)
    labels = [names[i % 3] for i in range(count)]
    return [" ".join(rng.choice(TOPIC_WORDS[label], 2)) for label in labels], labels


# ------------------------------------------------------------------------------------------------------ predict


def test_words_that_no_label_has_seen_are_classified_through_the_net(clf):
    for topic, words in TOPIC_WORDS.items():
        assert clf.predict(words).tolist() == [topic] * len(words)


def test_all_that_is_said_of_texts_is_said_in_one_reading(clf):
    texts = ["thunder and snow", "salt", "qwertz", "", "snow qwertz"]
    told = clf.judge(texts)
    assert told.coverage.tolist() == clf.coverage(texts).tolist()
    assert told.labels_without.tolist() == clf.predict_without_expansion(texts).tolist()
    with pytest.warns(UnknownTextWarning):
        assert told.labels.tolist() == clf.predict(texts).tolist()
    with pytest.warns(UnknownTextWarning):
        np.testing.assert_array_equal(told.probabilities, clf.predict_proba(texts))
    assert len(clf.judge([]).labels) == 0


def test_the_number_of_threads_changes_nothing_but_itself(clf):
    other = clf.on_threads(2)
    assert (other.n_jobs, clf.n_jobs) == (2, None)
    assert other.net is clf.net
    texts = ["thunder and snow", "salt"] * 3000
    np.testing.assert_array_equal(other.predict_proba(texts), clf.predict_proba(texts))


def test_vertices_are_found_by_their_beginning(net):
    every = [name for name in net.net_.feature_names if not is_run(name)]
    for prefix in ("", "s", "st", "sto", "storm", "storms", "z", "\U0010ffff"):
        names = [name for name in every if name.startswith(prefix)]
        names.sort(key=lambda name: (-net.net_.vertex_frequency(name), name))
        for top in (0, 1, 3, 1000):
            assert net.net_.beginning_with(prefix, top) == names[:top]
    edited = net.net_.edited(Edits().ban("storm"))
    assert edited.beginning_with("sto") == net.net_.beginning_with("sto")


@pytest.fixture(scope="module")
def small():
    """A net of ten vertices; every other word enters by its first hop."""
    return TextNet(model=ClassiNet(vertices=10, n_jobs=1)).fit(made_up_sentences())


def test_words_that_are_no_vertices_can_be_looked_up(small):
    net = small.net_
    outside = [str(name) for name in net.feature_names if name not in net.graph]
    assert outside
    for name in outside[:5]:
        told = net.vertex(name)
        edges = net.successors(name)
        assert (told.degree_out, told.degree_in, told.fires, told.weights) == (len(edges), 0, None, None)
        assert told.frequency == net.frequency[list(net.feature_names).index(name)]
        assert small.neighbors(name, incoming=True) == []
        assert name in net.beginning_with(name)
    with pytest.raises(InputError, match="is no vertex"):
        net.vertex("xyzzy")


def test_paths_and_pictures_begin_at_words_that_are_no_vertices(small):
    net = small.net_
    name = next(str(name) for name in net.feature_names if name not in net.graph and net.successors(name))
    for target in net.graph.names:
        best = 0.0
        for edge in net.successors(name):  # one step, then the best path in the graph
            further = None if edge.target == target else net.graph.most_probable_path(edge.target, target)
            chance = 1.0 if edge.target == target else further.probability if further else 0.0
            best = max(best, edge.weight * chance)
        found = small.path(name, target)
        assert (found.probability if found else 0.0) == pytest.approx(best)
        assert found is None or found.names[0] == name
    part = neighborhood(net.graph_from(name), [name], top=3)
    assert [edge.target for edge in part.edges if edge.source == name] == [e.target for e in net.successors(name, 3)]
    assert net.graph_from(*net.graph.names) is net.graph
    assert net.graph_from("xyzzy") is net.graph


def test_a_vertex_is_described(net):
    inner = net.net_
    for name in inner.graph.names[:5]:
        told = inner.vertex(name, top=4)
        at = inner.graph.index(name)
        assert told.fires == inner.labels.firing_rate()[at]
        assert (told.degree_out, told.degree_in) == (
            inner.graph.out_degree(weighted=False)[at],
            inner.graph.in_degree(weighted=False)[at],
        )
        own = dict(zip(inner.feature_names, inner.predictor.feature_weights(at).tolist(), strict=True))
        strongest = sorted(own, key=lambda feature: -abs(own[feature]))[:4]
        assert dict(told.weights) == {feature: own[feature] for feature in strongest}


def test_without_the_net_they_are_not(net):
    clf = ClassiNetClassifier(net, pieces=False).fit(TEXTS, LABELS)
    words = [word for words in TOPIC_WORDS.values() for word in words]
    truth = [topic for topic, words in TOPIC_WORDS.items() for _ in words]
    # No word is shared with the labelled texts: every text gets the same label.
    assert len(set(clf.predict_without_expansion(words))) == 1
    assert np.mean(clf.predict_without_expansion(words) == truth) < 0.5


def test_probabilities_agree_with_predictions(clf):
    texts = ["thunder and snow", "onion soup", "the coach"]
    proba = clf.predict_proba(texts)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (clf.classes_[proba.argmax(axis=1)] == clf.predict(texts)).all()
    assert (clf.classes_[clf.decision_function(texts).argmax(axis=1)] == clf.predict(texts)).all()


def test_one_text_or_many_give_the_same(clf):
    texts = ["thunder and snow", "", "onion soup", "the coach saw the goal"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTextWarning)
        together = clf.predict_proba(texts)
        alone = np.vstack([clf.predict_proba([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)


def test_threads_do_not_matter(net, clf):
    texts = made_up_sentences(5000, seed=3)
    many = ClassiNetClassifier(net, n_jobs=2).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(many.predict_proba(texts), clf.predict_proba(texts))


def test_the_head_is_logistic_regression_on_the_rows(net):
    texts, labels = labelled(60)
    clf = ClassiNetClassifier(net, C=3.0, weight=0.7, unlabeled=False).fit(texts, labels)
    own = clf._representation.text_rows(clf._representation.counts(texts))
    rows = clf._representation.rows_of(clf._representation.counts(texts))
    np.testing.assert_allclose(sparse.linalg.norm(own, axis=1), 1)
    plain = sparse.csr_matrix(rows.toarray())
    oracle = LogisticRegression(C=3.0, tol=1e-10, max_iter=10_000).fit(plain, labels)
    np.testing.assert_allclose(clf.predict_proba(texts), oracle.predict_proba(plain), atol=2e-3)
    # The length of the expansion relative to the text is the weight, that of both together 1.
    seen, inferred = (np.linalg.norm(part, axis=1) for part in np.split(rows.toarray(), [own.shape[1]], axis=1))
    np.testing.assert_allclose(inferred / seen, 0.7)
    np.testing.assert_allclose(np.hypot(seen, inferred), 1)


@pytest.mark.parametrize("by_rarity", [True, False])
def test_what_is_inferred_is_weighed_by_rarity_as_words_are(net, by_rarity):
    texts, labels = labelled(30)
    clf = ClassiNetClassifier(net, pieces=False).fit(texts, labels)
    assert clf.by_rarity_
    seen_by = replace(clf._representation, by_rarity=by_rarity)
    graph, frequency = net.net_.graph, dict(zip(net.net_.feature_names, net.net_.frequency, strict=True))
    inferred = Global().expand(seen_by.leading_rows(seen_by.counts(texts)), net.net_).toarray()
    n = net.n_texts_
    for vertex, name in enumerate(graph.names):
        holding = round(frequency[name] * n)
        inferred[:, vertex] *= 1 + np.log((1 + n) / (1 + holding)) if by_rarity else 1
    wanted = inferred / np.linalg.norm(inferred, axis=1, keepdims=True)
    np.testing.assert_allclose(seen_by.expansion_rows(seen_by.counts(texts)).toarray(), wanted, rtol=1e-9)


def test_two_classes_share_the_logit_evenly(net):
    texts, labels = labelled(60)
    kept = [i for i, label in enumerate(labels) if label != "kitchen"]
    texts, labels = [texts[i] for i in kept], [labels[i] for i in kept]
    clf = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(texts, labels)
    assert clf.decision_function(texts).shape == (40,)
    np.testing.assert_allclose(clf.head_.coef[0], -clf.head_.coef[1])
    np.testing.assert_allclose(clf.predict_proba(texts)[:, 1], 1 / (1 + np.exp(-clf.decision_function(texts))))


def test_words_that_only_labelled_texts_hold_still_count(net):
    clf = ClassiNetClassifier(net, weight=0).fit(["quux storm", "xyzzy storm"], ["a", "b"])
    assert [name for name in clf.extra_features_ if name.isalpha()] == ["quux", "xyzzy"]
    assert set(clf.extra_features_) >= {"⊢ quux", "quux storm"}
    assert not any(map(is_run, clf.extra_features_))  # those of labelled texts are counted apart
    assert clf.predict(["quux", "xyzzy"]).tolist() == ["a", "b"]


def test_features_and_span_agree(net, monkeypatch):
    texts, labels = labelled(120)
    monkeypatch.setattr("classinet.pipeline.linear.COEFFICIENT", 1e15)
    span = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(texts, labels)
    monkeypatch.setattr("classinet.pipeline.linear.MOST_IN_SPAN", 0)
    features = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(texts, labels)
    np.testing.assert_allclose(features.predict_proba(texts), span.predict_proba(texts), atol=2e-3)


# ------------------------------------------------------------------------------------------ the net is shared


def test_cross_validation_neither_refits_nor_slices_the_net(net):
    texts, labels = labelled(60)
    before = net.net_
    clf = ClassiNetClassifier(net)
    assert cross_val_score(clf, texts, labels, cv=3).mean() > 0.9
    assert clone(clf).net is net
    assert net.net_ is before


def test_grid_search_over_the_expansion(net):
    texts, labels = labelled(60)
    search = GridSearchCV(
        ClassiNetClassifier(net, expansion=Global()), {"expansion__damping": [0.1, 0.9], "weight": [0.5, 1.0]}, cv=2
    ).fit(texts, labels)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.text_net_ is net


def test_a_fitted_net_cannot_be_reconfigured_through_the_classifier(net):
    with pytest.raises(ParameterError, match="net__examples would change a net that is fitted already"):
        ClassiNetClassifier(net).set_params(net__examples=3)
    changed = ClassiNetClassifier(TextNet()).set_params(net__examples=3)
    assert changed.net.examples == 3


def test_without_a_net_one_is_built_from_the_texts():
    texts = made_up_sentences(300)
    labels = [i % 2 for i in range(300)]
    given_net = TextNet(model=ClassiNet(n_jobs=1))
    clf = ClassiNetClassifier(given_net, C=1.0, weight=1.0).fit(texts, labels)
    assert clf.text_net_.n_texts_ == 300
    assert not hasattr(given_net, "net_"), "what was passed stays unfitted"
    assert clf.classes_.tolist() == [0, 1]


def test_one_net_serves_many_tasks(net):
    topic = ClassiNetClassifier(net).fit(TEXTS, LABELS)
    place = ClassiNetClassifier(net).fit([*TEXTS, "butter, pepper"], ["outside", "inside", "outside", "inside"])
    assert topic.predict(["thunder"]) == ["weather"]
    assert place.predict(["salt", "thunder"]).tolist() == ["inside", "outside"]


def test_pickles_and_copies_predict_alike(clf):
    for other in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):  # noqa: S301
        np.testing.assert_array_equal(other.predict_proba(["thunder"]), clf.predict_proba(["thunder"]))


# ------------------------------------------------------------------------------------------------ labels, tags


def test_tags(net):
    texts = ["rain", "oven", "rain in the oven", "a late goal"] * 5
    tags = [["weather"], ["kitchen"], ["kitchen", "weather"], []] * 5
    clf = ClassiNetClassifier(net, class_names=False).fit(texts, tags)  # columns of a matrix have no names to read
    assert clf.classes_.tolist() == ["kitchen", "weather"]
    assert clf.predict(texts[:4]) == [("weather",), ("kitchen",), ("kitchen", "weather"), ()]
    assert clf.predict(["snow", "dough"]) == [("weather",), ("kitchen",)]
    indicator = np.array([["kitchen" in t, "weather" in t] for t in tags]).astype(int)
    as_matrix = ClassiNetClassifier(net).fit(texts, indicator)
    np.testing.assert_array_equal(as_matrix.predict(texts), indicator)
    np.testing.assert_array_equal(as_matrix.predict_proba(texts), clf.predict_proba(texts))
    sparse_matrix = ClassiNetClassifier(net).fit(texts, sparse.csr_matrix(indicator))
    np.testing.assert_array_equal(sparse_matrix.predict_proba(texts), clf.predict_proba(texts))


def test_scores_count_what_is_all_right(net):
    texts, tags = ["rain", "oven", "rain in the oven"] * 4, [["weather"], ["kitchen"], ["kitchen", "weather"]] * 4
    clf = ClassiNetClassifier(net).fit(texts, tags)
    assert clf.score(texts, tags) == 1.0
    assert clf.score(texts[:2], [["weather"], ["kitchen", "weather"]]) == 0.5
    assert clf.score(texts[:2], [["weather"], []], sample_weight=[3, 1]) == 0.75


def test_a_tag_that_all_or_none_have_is_its_share(net):
    clf = ClassiNetClassifier(net).fit(TEXTS, np.array([[1, 0, 1], [1, 0, 0], [1, 0, 1]]))
    np.testing.assert_allclose(clf.predict_proba(["rain"])[0, :2], [3.5 / 4, 0.5 / 4])


def test_sample_weights_count_like_repetitions(net):
    texts, labels = labelled(30)
    weights = np.arange(30) // 3 % 3
    weighed = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(texts, labels, sample_weight=weights)
    repeated = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(
        [t for t, w in zip(texts, weights, strict=True) for _ in range(w)],
        [t for t, w in zip(labels, weights, strict=True) for _ in range(w)],
    )
    np.testing.assert_allclose(weighed.predict_proba(texts), repeated.predict_proba(texts), atol=2e-3)


@pytest.mark.parametrize("tags", [False, True])
def test_a_text_of_weight_0_is_as_if_it_was_not_given(net, tags):
    texts, labels = labelled(30)
    labels = [[label, "said"] for label in labels] if tags else labels
    weights = np.arange(30) // 3 % 2
    kept = np.flatnonzero(weights).tolist()
    with_them = ClassiNetClassifier(net).fit(texts, labels, sample_weight=weights)
    without = ClassiNetClassifier(net).fit([texts[i] for i in kept], [labels[i] for i in kept])
    assert np.array_equal(with_them.predict_proba(texts), without.predict_proba(texts))
    assert with_them.settings_ == without.settings_


@pytest.mark.parametrize("class_weight", ["balanced", {"weather": 5.0}])
def test_class_weights_are_scikit_learns(net, class_weight):
    texts, labels = labelled(60)
    texts, labels = texts[:50] + ["rain"] * 5, labels[:50] + ["weather"] * 5
    alone = ClassiNetClassifier(net, C=1.0, weight=1.0, class_weight=class_weight, unlabeled=False)
    clf = alone.fit(texts, labels)
    rows = sparse.csr_matrix(clf._representation.rows_of(clf._representation.counts(texts)).toarray())
    oracle = LogisticRegression(C=1.0, class_weight=class_weight, tol=1e-10, max_iter=10_000).fit(rows, labels)
    np.testing.assert_allclose(clf.predict_proba(texts), oracle.predict_proba(rows), atol=2e-3)


@pytest.mark.parametrize("labels", [[3, 1, 1], [True, False, True], ["x", "y", "x"], [2.5, 1.0, 1.0]])
def test_labels_keep_their_type(net, labels):
    clf = ClassiNetClassifier(net).fit(TEXTS, labels)
    assert {type(x) for x in clf.classes_.tolist()} == {type(labels[0])}
    assert set(clf.predict(TEXTS).tolist()) <= set(labels)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "a", "a"], "all 3 texts have the label 'a'"),
        (["a", None, "b"], "label 1 is None"),
        (["a", float("nan"), "b"], "label 1 is nan"),
        (["a", 1, "b"], "of one type"),
        (["a", "b"], "3 texts and 2 labels"),
        ([["a"], "b", []], "tags 1 are 'b'"),
        ([[], [], []], "no text has a tag"),
        ([["a"], [1], []], "tags must be of one type"),
        (np.array([[0, 2], [1, 0], [1, 1]]), "0 and 1 only"),
        (None, "requires y"),
    ],
)
def test_bad_labels_are_named(net, y, message):
    with pytest.raises(InputError, match=message):
        ClassiNetClassifier(net).fit(TEXTS, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be"), ({"C": "best"}, 'C must be "auto" or a number'), ({"weight": -1}, "weight must be"),
        ({"weight": 1e101}, r"weight must be a number ≥ 0.0 and ≤ 1e\+100"),
        ({"expansion": "global"}, "expansion must be an Expansion"), ({"net": 3}, "net must be a TextNet"),
        ({"class_weight": "even"}, "class_weight must be"), ({"class_weight": {"snow": 2}}, "names 'snow'"),
        ({"random_state": -1}, "random_state must be"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(net, parameters, message):
    with pytest.raises(ParameterError, match=message):
        ClassiNetClassifier(**{"net": net, **parameters}).fit(TEXTS, LABELS)


def test_bad_sample_weights_are_named(net):
    with pytest.raises(InputError, match="sample_weight has shape"):
        ClassiNetClassifier(net).fit(TEXTS, LABELS, sample_weight=[1, 2])
    with pytest.raises(InputError, match="finite numbers"):
        ClassiNetClassifier(net).fit(TEXTS, LABELS, sample_weight=[1, 2, -1])


def test_texts_without_a_single_feature_cannot_train(net):
    with pytest.raises(InputError, match="no labelled text holds a single feature"):
        ClassiNetClassifier(net).fit(["", " ", "!"], LABELS)


# ------------------------------------------------------------------------------------------------------- tuning


def test_few_labels_get_the_fixed_choice(clf):
    from classinet.pipeline.tuning import full_weight

    assert clf.settings_["how"] == "fixed"
    assert (clf.settings_["C"], clf.settings_["weight"]) == (30.0, full_weight(clf.text_net_.n_texts_))


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_the_more_texts_the_net_is_of_the_more_its_expansion_may_weigh(one, other):
    from classinet.pipeline.tuning import FIXED_WEIGHT, MANY_UNLABELED, full_weight

    few, many = sorted((one, other))
    assert 0 <= full_weight(few) <= full_weight(many) <= FIXED_WEIGHT == full_weight(MANY_UNLABELED)


def test_cross_validation_uses_an_expansion_that_helps(net):
    rng = np.random.default_rng(0)
    words = {label: [e.target for e in net.neighbors(seed, top=8)] for label, seed in
             (("weather", "storm"), ("kitchen", "oven"), ("football", "penalty"))}  # fmt: skip
    labels = [LABELS[i % 3] for i in range(240)]
    clf = ClassiNetClassifier(net).fit([str(rng.choice(words[label])) for label in labels], labels)
    assert clf.settings_["how"] == "cross-validation"
    losses = clf.settings_["losses"]
    assert losses["C=10, weight=0"] > min(losses.values())
    assert clf.settings_["weight"] > 0


def test_cross_validation_steps_back_from_an_expansion_that_says_nothing(net):
    """The label hangs on one of 40 words that the net does not know; whatever is inferred from the others is noise."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    vertices = net.net_.feature_names[net.net_.columns]
    texts = [f"quux{2 * rng.integers(20) + label} {' '.join(rng.choice(vertices, 10))}" for label in labels]
    clf = ClassiNetClassifier(net).fit(texts, labels)
    losses = list(clf.settings_["losses"].values())  # from no weight to the full one
    assert losses == sorted(losses)
    assert clf.settings_["weight"] <= 0.25


def planted(n_texts, told, noise=2.0, seed=0):
    """Rows of 20 features that tell of 3 classes through noise, and an expansion that tells so much of them."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=n_texts)
    centres = rng.normal(size=(3, 20))
    text, expansion = (by * centres[codes] + noise * rng.normal(size=(n_texts, 20)) for by in (1.0, told))
    blocks = [unit_rows(canonical_csr(block)) for block in (text, expansion)]
    return *blocks, Targets.of_codes(codes, 3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("told", "class_weight"), [(0.0, None), (0.7, "balanced"), (2.0, None)])
def test_a_smaller_weight_is_taken_where_it_is_surely_better(told, class_weight, seed, monkeypatch):
    """The oracle fits scikit-learn fold by fold, scales by brute force, and asks for two standard errors."""
    from scipy.special import log_softmax
    from sklearn.model_selection import StratifiedKFold

    from classinet.merging import append
    from classinet.pipeline.representation import weigh_blocks
    from classinet.pipeline.tuning import SURE, WEIGHTS, Tuner

    text, expansion, targets = planted(240, told, seed=seed)
    weights = targets.row_weights(class_weight, None)
    full = 0.8
    monkeypatch.setattr("classinet.pipeline.held_out.COARSE", 1e-8)
    chosen = Tuner(text, expansion, targets, weights, seed=seed, full=full).choose("auto", "auto")
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(np.zeros(240), targets.codes))

    def oracle(weight):
        rows = append(*weigh_blocks(text, expansion, weight)).toarray()
        logits = np.empty((240, 3))
        for training, held_out in folds:
            head = LogisticRegression(C=10.0, tol=1e-8, max_iter=5000)
            head.fit(rows[training], targets.codes[training], sample_weight=weights[training, 0])
            logits[held_out] = head.decision_function(rows[held_out])
        scales = np.exp(np.linspace(-1, 3, 2001))
        losses = [-log_softmax(scale * logits, axis=1)[np.arange(240), targets.codes] for scale in scales]
        return min(losses, key=lambda each: weights[:, 0] @ each)

    each = {weight: oracle(weight) for weight in (share * full for share in WEIGHTS)}
    shares = weights[:, 0] / weights[:, 0].sum()
    for weight, losses in each.items():
        assert chosen.losses[f"C=10, weight={weight:g}"] == pytest.approx(shares @ losses, abs=1e-4)
    better = {full: 0.0}
    for weight, losses in each.items():
        less = each[full] - losses
        gain = shares @ less
        if gain > SURE * np.sqrt((shares**2) @ (less - gain) ** 2):
            better[weight] = gain
    assert chosen.weight == max(better, key=lambda weight: better[weight])
    assert chosen.how == "cross-validation"


def test_a_weight_is_none_where_the_expansion_is_noise_and_full_where_it_tells():
    from classinet.pipeline.tuning import Tuner

    def weight(n_texts, told):
        text, expansion, targets = planted(n_texts, told)
        return Tuner(text, expansion, targets, targets.row_weights(None, None), seed=0).choose("auto", "auto").weight

    assert weight(600, told=0.0) == 0.0
    assert weight(600, told=2.0) == 1.0


@given(st.floats(0.5, 2.0), st.integers(0, 10**6), st.booleans())
def test_scaled_losses_do_not_depend_on_how_sure_logits_are(scale, seed, tags):
    from classinet.pipeline import held_out

    rng = np.random.default_rng(seed)
    member = rng.random((60, 3)) < 0.4
    targets = Targets(np.arange(3), member, "tags") if tags else Targets.of_codes(rng.integers(3, size=60), 3)
    weights = rng.random((60, 3)) if tags else np.repeat(rng.random((60, 1)), 3, axis=1)
    logits = rng.normal(size=(60, 3)) + 1.5 * targets.member
    with patch.object(held_out, "LOG_SCALES", (-6.0, 6.0)):  # so that the best scale is never at an end
        least, other = (held_out.scaled_log_losses(by * logits, targets, weights).sum() for by in (1.0, scale))
    assert other == pytest.approx(least, rel=1e-3)
    assert least <= held_out.log_losses(scale * logits, targets, weights).sum() + 1e-3


def test_what_is_given_is_not_chosen(net):
    texts, labels = labelled(240)
    clf = ClassiNetClassifier(net, C=2.0).fit(texts, labels)
    assert clf.settings_["C"] == 2.0
    assert all(key.startswith("C=2,") for key in clf.settings_["losses"])


@pytest.mark.parametrize("in_span", [True, False])
def test_of_many_texts_all_that_there_is_time_for_are_asked(net, monkeypatch, in_span):
    from sklearn.metrics import log_loss

    from classinet._sparse import take_rows
    from classinet.merging import append
    from classinet.pipeline import tuning
    from classinet.pipeline.leeway import leeway, with_leeway
    from classinet.pipeline.representation import Representation, weigh_blocks
    from classinet.pipeline.targets import as_targets

    texts, labels = labelled(300)
    representation = Representation.of(net.vectorizer_, net.net_, net.n_texts_, (), Global())
    own = representation.text_rows(representation.counts(texts))
    targets = as_targets(labels, len(texts))
    weights = targets.row_weights(None, None)
    block = representation.expansion_rows(representation.counts(texts))
    monkeypatch.setattr(tuning, "MAX_TEXTS", 100)
    monkeypatch.setattr("classinet.pipeline.linear.MOST_IN_SPAN", 10**6 if in_span else 0)
    monkeypatch.setattr("classinet.pipeline.linear.COEFFICIENT", 1e15)
    chosen = tuning.Tuner(own, block, targets, weights, seed=0).choose("auto", "auto")
    training, held_out = tuning.inner_folds(targets, seed=0)[0]

    free = leeway(take_rows(own, training), targets.take(training), weights[training])

    def oracle(C, weight, leeway):
        text = with_leeway(own, free) if leeway else own
        rows = append(*weigh_blocks(text, block, weight)).toarray()
        if in_span:  # a coarse solution depends on the coordinates in which it is sought
            values, vectors = np.linalg.eigh(rows @ rows.T + 1e-10 * np.eye(len(rows)))
            rows = np.linalg.cholesky(vectors @ np.diag(np.maximum(values, 1e-10)) @ vectors.T)
        head = LogisticRegression(C=C, tol=1e-4, max_iter=5000).fit(rows[training], targets.codes[training])
        return log_loss(targets.codes[held_out], head.predict_proba(rows[held_out]))

    # The weight is chosen with leeway, then leeway itself, then C.
    asked = [(10.0, w, True) for w in tuning.WEIGHTS] + [(10.0, chosen.weight, False)]
    rising = tuning.STRENGTHS.index(chosen.C) + 2  # a larger C is not asked once the loss has risen
    asked += [(C, chosen.weight, chosen.leeway) for C in tuning.STRENGTHS[:rising]]
    told = {key: chosen.losses[f"C={key[0]:g}, weight={key[1]:g}{', leeway' * key[2]}"] for key in asked}
    assert len(told) == len(chosen.losses)
    for key, loss in told.items():
        assert loss == pytest.approx(oracle(*key), abs=2e-3)
    assert told[10.0, chosen.weight, True] == min(told[10.0, w, True] for w in tuning.WEIGHTS)
    assert told[10.0, chosen.weight, chosen.leeway] == min(
        told[10.0, chosen.weight, either] for either in (True, False)
    )
    by_C = [told[C, chosen.weight, chosen.leeway] for C in tuning.STRENGTHS[:rising]]
    assert by_C == sorted(by_C, reverse=True) or by_C[:-1] == sorted(by_C[:-1], reverse=True)
    assert min(by_C) == told[chosen.C, chosen.weight, chosen.leeway]
    # Where there is time for a part alone, it is sampled and judged alike.
    monkeypatch.setattr(tuning, "MAX_VALUES", 1)
    monkeypatch.setattr(tuning, "MAX_IN_SPAN", 150)
    tuner = tuning.Tuner(own, block, targets, weights, seed=0)
    assert len(tuner.targets.member) == 150
    assert [len(part.folds) for part in tuner.parts] == [1]
    assert len(tuner.choose("auto", "auto").losses) == len(set(asked))
    # Where there is not even that, a sample is cross-validated and C is fixed.
    monkeypatch.setattr(tuning, "MAX_IN_SPAN", 1)
    tuner = tuning.Tuner(own, block, targets, weights, seed=0)
    assert len(tuner.targets.member) == 100
    assert [len(part.folds) for part in tuner.parts] == [tuning.FOLDS]
    assert tuner.choose("auto", "auto").C == tuning.FIXED_C


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_span_of_equal_and_empty_texts_gives_the_same_classifier(n_classes, monkeypatch):
    from classinet._sparse import canonical_csr
    from classinet.pipeline.linear import fit_head
    from classinet.pipeline.targets import as_targets

    rng = np.random.default_rng(0)
    rows = np.repeat(rng.random((12, 40)) * (rng.random((12, 40)) < 0.3), 3, axis=0)
    rows[:4] = 0.0
    targets = as_targets([int(i) for i in rng.integers(0, n_classes, len(rows))], len(rows))
    weights = targets.row_weights(None, None)
    logits = []
    monkeypatch.setattr("classinet.pipeline.linear.COEFFICIENT", 1e15)
    for most in (0, 10**6):
        monkeypatch.setattr("classinet.pipeline.linear.MOST_IN_SPAN", most)
        logits.append(fit_head(canonical_csr(rows), targets, 10.0, weights).logits(canonical_csr(rows)))
    np.testing.assert_allclose(*logits, atol=2e-3)


@pytest.mark.parametrize("density", [0.02, 1.0])
def test_full_rows_and_sparse_ones_give_the_same_classifier(density, monkeypatch):
    from classinet._sparse import canonical_csr
    from classinet.pipeline.linear import fit_head, used_columns
    from classinet.pipeline.targets import as_targets

    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=200)
    rows = (rng.normal(size=(200, 40)) + rng.normal(size=(3, 40))[codes]) * (rng.random((200, 40)) < density)
    rows[:, 7] = 0.0
    targets = as_targets(codes.tolist(), 200)
    weights = targets.row_weights(None, None)
    monkeypatch.setattr("classinet.pipeline.linear.MOST_IN_SPAN", 0)
    used, values = used_columns(canonical_csr(rows))
    assert (7 not in used, isinstance(values, np.ndarray)) == (True, density == 1.0)
    head = fit_head(canonical_csr(rows), targets, 1.0, weights)
    oracle = LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000).fit(rows, codes)
    np.testing.assert_allclose(head.probabilities(canonical_csr(rows)), oracle.predict_proba(rows), atol=2e-3)
    assert not head.coef[:, 7].any()


@pytest.mark.parametrize("density", [0.01, 0.5, 1.0])
def test_inner_products_do_not_depend_on_how_full_rows_are(density):
    from classinet._sparse import canonical_csr
    from classinet.pipeline.linear import inner_products

    # The first columns are fuller than the others, as those of an expansion beside those of words are.
    rows = sparse.hstack([sparse.random(40, n, d, format="csr", random_state=0) for n, d in ((9, 0.6), (300, density))])
    np.testing.assert_allclose(inner_products(canonical_csr(rows)), (rows @ rows.T).toarray(), atol=1e-12)


def test_the_weight_of_joined_products_is_that_of_the_rows(net):
    """What cross-validation looks at are the inner products of the very rows that the classifier is fitted on."""
    from classinet.pipeline.linear import inner_products, joined_products

    texts, labels = labelled(30)
    r = ClassiNetClassifier(net, C=1.0, weight=0.7).fit(texts, labels)._representation
    own = r.text_rows(r.counts(texts))
    products = joined_products(inner_products(own), inner_products(r.expansion_rows(r.counts(texts))), 0.7)
    np.testing.assert_allclose(products, inner_products(r.rows_of(r.counts(texts))), atol=1e-12)


def test_large_classes_do_not_crowd_out_small_ones_when_tuning():
    from classinet.pipeline.targets import as_targets
    from classinet.pipeline.tuning import MAX_TEXTS, sample_texts

    labels = ["big"] * 5000 + ["small"] * 10
    rows = sample_texts(as_targets(labels, 5010), MAX_TEXTS, seed=0)
    assert len(rows) == MAX_TEXTS
    assert (rows >= 5000).sum() == 10


def test_every_class_is_in_every_fold_however_many_classes_there_are(monkeypatch):
    from classinet.pipeline import tuning

    for name in ("MAX_TEXTS", "MAX_VALUES", "MAX_IN_SPAN"):  # as if the classes were hundreds
        monkeypatch.setattr(tuning, name, 10)
    codes = np.arange(500) % 20
    rows = canonical_csr(np.eye(20)[codes])
    targets = Targets.of_codes(codes, 20)
    tuner = tuning.Tuner(rows, no_rows(500, 0), targets, targets.row_weights(None, None), seed=0)
    assert tuner.choose("auto", 0.0).how == "cross-validation"
    for training, held_out in tuner.parts[0].folds:
        assert set(tuner.targets.codes[training]) == set(tuner.targets.codes[held_out]) == set(range(20))


@pytest.mark.parametrize("count", [400, 1400])
def test_labels_that_are_held_out_have_no_say_in_features(count):
    """A feature that is the label of a text known, and chance for others, looks perfect unless it is made in folds."""
    from classinet.pipeline.tuning import Tuner

    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=count)
    told, chance = np.eye(2)[codes], np.eye(2)[rng.integers(2, size=count)]
    text = canonical_csr(told + 2.0 * rng.random((count, 2)))
    targets = Targets.of_codes(codes, 2)
    given = text, canonical_csr(told), targets, targets.row_weights(None, None)

    def adapted(rows):
        known = np.isin(np.arange(count), rows)
        return text, canonical_csr(np.where(known[:, None], told, chance))

    assert Tuner(*given, seed=0).choose("auto", "auto").weight > 0
    assert Tuner(*given, seed=0, adapted=adapted).choose("auto", "auto").weight == 0


@pytest.mark.parametrize("n_counting", [150, 250])
def test_texts_of_no_weight_have_no_say_in_tuning(net, n_counting):
    texts, labels = labelled(2 * n_counting)
    weights = np.repeat([1.0, 0.0], n_counting)
    labels[n_counting:] = labels[n_counting:][::-1]
    chosen = ClassiNetClassifier(net).fit(texts, labels, sample_weight=weights).settings_
    alone = ClassiNetClassifier(net).fit(texts[:n_counting], labels[:n_counting]).settings_
    assert chosen == alone


@pytest.mark.parametrize(("C", "weight"), [(10.0, "auto"), ("auto", 0.5), (10.0, 0.5)])
def test_the_classifier_to_compare_with_has_the_same_freedom(net, monkeypatch, C, weight):
    """Where leeway is asked for, it is asked for both; else they would not differ by expansion alone."""
    from classinet.pipeline import tuning

    monkeypatch.setattr(tuning, "MAX_TEXTS", 100)
    texts, labels = labelled(300)
    asked = []
    choose = tuning.Tuner.choose

    def told(self, *given, **more):
        settings = choose(self, *given, **more)
        asked.append(any("leeway" in tried for tried in settings.losses))
        return settings

    monkeypatch.setattr(tuning.Tuner, "choose", told)
    ClassiNetClassifier(net, C=C, weight=weight).fit(texts, labels)
    assert asked == [C == "auto" or weight == "auto"] * 2


# -------------------------------------------------------------------------------------------------- forms of labels

TOPICS = ("football", "kitchen", "weather")


def matrix_of(labels):
    return [[int(label == topic) for topic in TOPICS] for label in labels]


def frames_of(labels):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    return [
        np.array(labels)[:, None], pd.Series(labels), pd.DataFrame({"label": labels}), pl.DataFrame({"label": labels}),
        pa.array(labels),
    ]  # fmt: skip


def test_a_column_of_labels_is_labels_in_any_frame(net):
    texts, labels = labelled(30)
    expected = ClassiNetClassifier(net).fit(texts, labels)
    for column in frames_of(labels):
        clf = ClassiNetClassifier(net).fit(texts, column)
        assert clf.classes_.tolist() == expected.classes_.tolist()
        assert clf.predict(texts).tolist() == expected.predict(texts).tolist()
        assert clf.score(texts, column) == evaluate(clf, texts, column).accuracy == expected.score(texts, labels)


@pytest.mark.parametrize("form", [list, np.array, sparse.csr_array], ids=lambda form: form.__name__)
def test_rows_of_0_and_1_are_a_matrix_however_they_are_given(net, form):
    texts, labels = labelled(30)
    matrix = form(matrix_of(labels))
    clf = ClassiNetClassifier(net).fit(texts, matrix)
    assert clf.head_.form == "indicator"
    np.testing.assert_array_equal(clf.predict(texts), matrix_of(labels))
    assert clf.score(texts, matrix) == evaluate(clf, texts, matrix).accuracy == 1


def test_a_classifier_of_tags_is_judged_by_tags_or_a_matrix_and_by_nothing_else(net):
    texts, labels = labelled(30)
    clf = ClassiNetClassifier(net).fit(texts, [[label] for label in labels])
    for truth in ([(label,) for label in labels], np.array(matrix_of(labels))):
        assert clf.score(texts, truth) == evaluate(clf, texts, truth).accuracy == 1
    for judge in (clf.score, lambda texts, truth: evaluate(clf, texts, truth)):
        with pytest.raises(InputError, match="gives tags, so give a list for each text"):
            judge(texts, labels)
        with pytest.raises(InputError, match="labels have 2 columns, and this classifier 3 tags"):
            judge(texts, np.array(matrix_of(labels))[:, :2])
        with pytest.raises(InputError, match="30 texts and 29 labels"):
            judge(texts, [[label] for label in labels[1:]])


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, "NaT", "NA"])
def test_missing_labels_are_no_class(net, missing):
    if isinstance(missing, str):
        missing = getattr(pytest.importorskip("pandas"), missing)
    texts, labels = labelled(6)
    with pytest.raises(InputError, match="label 5 is"):
        ClassiNetClassifier(net).fit(texts, [*labels[:5], missing])
    with pytest.raises(InputError, match="tags 5 are"):
        ClassiNetClassifier(net).fit(texts, [*([label] for label in labels[:5]), [missing]])
    clf = ClassiNetClassifier(net).fit(texts, labels)
    with pytest.raises(InputError, match=r"labels\[5\] is"):
        evaluate(clf, texts, [*labels[:5], missing])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"class_weight": {"weather": -5}}, "class_weight must hold finite numbers ≥ 0"),
        ({"class_weight": {"weather": float("nan")}}, "class_weight must hold finite numbers ≥ 0"),
        ({"class_weight": dict.fromkeys(TOPICS, 0)}, "not all of them 0"),
        ({"weight": float("inf")}, "weight must be a number ≥ 0"),
        ({"random_state": 2**32}, "random_state must be a whole number"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number or None"),
    ],
)
def test_parameters_that_would_fail_later_are_refused_at_once(net, parameters, message):
    texts, labels = labelled(6)
    with pytest.raises(ParameterError, match=message):
        ClassiNetClassifier(net, **parameters).fit(texts, labels)


def test_a_build_cannot_be_resumed_from_nowhere():
    with pytest.raises(ParameterError, match="resume=True needs the directory"):
        TextNet().fit(made_up_sentences(50), resume=True)


def test_few_texts_of_a_small_class_are_not_drowned(net, monkeypatch):
    """Weighed alike up to a thousand texts, whether repeated or weighed, and not beyond; tags never."""
    texts, labels = labelled(90)
    kept = [i for i, label in enumerate(labels) if label != "weather"] + [labels.index("weather")]
    texts, labels = [texts[i] for i in kept], [labels[i] for i in kept]
    fixed = {"C": 30.0, "weight": 1.0, "unlabeled": False}
    logits = {
        how: ClassiNetClassifier(net, class_weight=how, **fixed).fit(texts, labels).decision_function(texts)
        for how in ("auto", "balanced", None)
    }
    rare = ClassiNetClassifier(net, **fixed).fit(texts, labels).classes_.tolist().index("weather")
    for how in ("auto", "balanced"):
        assert (logits[how][:, rare] > logits[None][:, rare]).all()
    # Up to 500 texts "auto" shifts the border as well: by as much for all texts, and for the small class.
    shift = logits["auto"] - logits["balanced"]
    np.testing.assert_allclose(shift, np.tile(shift[0], (len(texts), 1)), atol=1e-9)
    assert shift[0].argmax() == rare
    monkeypatch.setattr(border, "MOST_TEXTS", 0)
    unshifted = ClassiNetClassifier(net, **fixed).fit(texts, labels).decision_function(texts)
    np.testing.assert_array_equal(unshifted, logits["balanced"])
    few = as_targets(["a"] * 999 + ["b"], 1000).row_weights("auto", None)
    assert few[[0, -1], 0].tolist() == pytest.approx([1000 / (2 * 999), 500.0])
    weighed = as_targets(["a", "b"], 2).row_weights("auto", [999, 1])
    assert weighed[:, 0].tolist() == pytest.approx([500.0, 500.0])
    many = as_targets(["a"] * 1000 + ["b"], 1001).row_weights("auto", None)
    tags = as_targets([["a"], ["a"], ["a", "b"]], 3).row_weights("auto", None)
    assert set(many.ravel()) == set(tags.ravel()) == {1.0}


def test_what_holds_no_labels_is_refused(net):
    texts, labels = labelled(6)
    with pytest.raises(InputError, match="got dict"):
        ClassiNetClassifier(net).fit(texts, dict(enumerate(labels)))
    with pytest.raises(InputError, match="no texts are given"):
        ClassiNetClassifier(net).fit([], [])


# ----------------------------------------------------------------------------------------------------- coverage


def test_unknown_texts_are_reported(clf):
    with pytest.warns(UnknownTextWarning, match=r"2 of 3 texts hold no known word \(the first is text 1\)"):
        clf.predict(["rain", "qwertz", ""])
    np.testing.assert_array_equal(clf.coverage(["rain", "qwertz", "", "rain qwertz rain"]), [1, 0, 0, 0.5])


# ------------------------------------------------------------------------------------------------------ explain


def check_sums(told):
    for c, logit in enumerate(told.logits):
        assert abs(sum(term.contributions[c] for term in told.terms) - logit) < 1e-9


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_terms_sum_to_the_logits(net, expansion):
    clf = ClassiNetClassifier(net, expansion=expansion).fit(TEXTS, LABELS)
    for text in ["thunder and snow", "rain", "the the the", "qwertz", "", "soup qwertz goal"]:
        told = clf.explain(text)
        check_sums(told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownTextWarning)
            assert told.label == clf.predict([text])[0]
            np.testing.assert_allclose(told.probabilities, clf.predict_proba([text])[0], atol=1e-12)
        assert told.coverage == clf.coverage([text])[0]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_explained(clf, text):
    told = clf.explain("thunder " + text)
    check_sums(told)
    assert "thunder" in {term.name for term in told.terms}
    assert str(told)
    assert told._repr_html_().count("<table>") == 1


@pytest.mark.parametrize(
    "text",
    [
        "snow " * 200_000,
        "x" * 1_000_000,
        "😀" * 250_000,
        "\u05e9\u05dc\u05d5\u05dd snow",
        "\x00\x1b[2J snow\u202e",
        "\ud800 snow",
        "",
    ],
    ids=["words", "one word", "emoji", "right to left", "control", "half a surrogate", "empty"],
)
def test_unusual_texts_are_judged_and_explained(clf, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTextWarning)
        (label,) = clf.predict([text])
    told = clf.explain(text)
    check_sums(told)
    assert told.label == label
    assert ("snow" in text) == (told.coverage > 0)
    told.to_json().encode("utf-8", "surrogatepass")


def test_paths_lead_from_a_word_of_the_text_to_the_predicted_one(clf, net):
    told = clf.explain("thunder and snow")
    assert len(told.expanded.predicted) > 5
    for feature in told.expanded.predicted:
        assert feature.path[0] in net.vectorizer_.features("thunder and snow")
        assert feature.path[-1] == feature.name
        assert feature.path[1] in {edge.target for edge in net.neighbors(feature.path[0], top=None)}
        assert 0 < feature.share <= 1 + 1e-12


def test_explanations_of_tags(net):
    clf = ClassiNetClassifier(net).fit(TEXTS, [["wet"], ["warm"], ["wet", "fun"]])
    told = clf.explain("thunder")
    check_sums(told)
    assert told.label == tuple(clf.predict(["thunder"])[0])


def test_an_explanation_is_shown_safely(clf):
    told = clf.explain("<script>alert(1)</script> rain \x1b[31m")
    assert "<script>" not in told._repr_html_()
    assert "\x1b" not in told.table()
    import json

    assert json.loads(told.to_json())["text"] == told.text


def test_unknown_classes_of_a_table_are_named(clf):
    with pytest.raises(InputError, match="'snow' is none of the classes 'football'"):
        clf.explain("rain").table(classes=["snow"])


def test_terms_say_their_kind(clf):
    kinds = [term.kind for term in clf.explain("rain").terms]
    assert set(kinds) == {"text", "phrase", "letters", "predicted", "intercept"}
    assert kinds[-1] == "intercept"


def test_a_table_may_be_cut_and_still_adds_up(clf):
    table = clf.explain("thunder and snow").table(classes=["weather"], top=3).splitlines()
    numbers = [float(line.split()[-1]) for line in table[1:]]
    assert len(table) == 1 + 3 + 1 + 1 + 1  # header, terms, others, intercept, sum
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.003)


# --------------------------------------------------------------------------------------------------------- edit


def test_edits_change_predictions_at_once_and_can_be_undone(net):
    clf = ClassiNetClassifier(net).fit(TEXTS, LABELS)
    before = clf.predict_proba(["snow"])
    told = clf.explain("snow")
    first = told.expanded.predicted[0].name
    clf.ban("snow", first)
    after = clf.explain("snow")
    assert first not in {f.name for f in after.expanded.predicted}
    # Nothing else moved: no renormalisation, not even of the length.
    kept = {f.name: f.value for f in told.expanded.predicted if f.name != first}
    assert {f.name: f.value for f in after.expanded.predicted} == kept
    assert (clf.predict_proba(["snow"]) != before).any()
    check_sums(after)
    clf.pin("snow", "salt", 1.0).pin("snow", "dough", 1.0).pin("snow", "onion", 1.0)
    assert clf.predict(["snow"]) == ["kitchen"]
    assert len(clf.edits) == 4
    clf.undo(4)
    np.testing.assert_array_equal(clf.predict_proba(["snow"]), before)


def test_editing_a_classifier_leaves_the_shared_net_alone(net):
    one, other = (ClassiNetClassifier(net).fit(TEXTS, LABELS) for _ in range(2))
    one.ban("thunder")
    assert not len(net.edits)
    assert not len(other.edits)
    assert "thunder" not in {f.name for f in one.explain("snow").expanded.predicted}
    assert one.explain("thunder").expanded.predicted == ()
    assert "thunder" in {f.name for f in other.explain("snow").expanded.predicted}


def test_words_to_edit_are_read_as_texts_are(net):
    edited = copy.copy(net).ban("Storm").ban("RAIN", "Wind!").pin("RAIN", "snow", 0.5)
    assert [(edit.source, edit.target) for edit in edited.edits] == [
        ("storm", None), ("rain", "wind"), ("rain", "snow"),
    ]  # fmt: skip
    model = ClassiNetClassifier(net).fit(["rain and wind", "a late goal"], ["weather", "football"]).ban("RAIN")
    assert [edit.source for edit in model.edits] == ["rain"]
    assert len(net.edits) == 0


def test_unknown_names_cannot_be_edited(clf):
    with pytest.raises(InputError, match="did you mean 'storm'"):
        clf.ban("stormm")


# ----------------------------------------------------------------------------------------------- TextNet itself


def test_expand_names_what_was_added_and_what_was_not_known(net):
    told = net.expand("storm and quux", top=4)
    assert told.unknown == ("quux",)
    assert told.coverage == pytest.approx(2 / 3)
    assert len(told.predicted) == 4
    values = [feature.value for feature in told.predicted]
    assert values == sorted(values, reverse=True)


def test_transform_is_counts_then_expansion(net):
    rows = net.transform(["storm storm and"])
    names = net.get_feature_names_out()
    assert rows.shape == (1, len(names))
    assert rows[0, list(names).index("storm")] == 2
    assert rows[0, list(names).index("EXP=thunder")] > 0


def test_neighbors_and_path(net):
    assert net.neighbors("storm", top=3)[0].weight >= net.neighbors("storm", top=3)[2].weight
    path = net.path("storm", "rain")
    assert (path.names[0], path.names[-1]) == ("storm", "rain")


def test_examples_are_kept_only_when_asked_for(net):
    assert net.examples_ is None
    kept = TextNet(model=ClassiNet(n_jobs=1), examples=2).fit(made_up_sentences(200))
    assert set(kept.examples_) <= set(kept.net_.graph.names)
    for word, texts in kept.examples_.items():
        assert 1 <= len(texts) <= 2
        assert all(word in text.split() for text in texts)


def test_sentences_and_document_context():
    """A topic is spread over a document, one word a sentence: only the document tells that they belong together."""
    rng = np.random.default_rng(0)
    documents = []
    for _ in range(400):
        topic = rng.integers(6)
        words = [f"topic{topic}word{i}" for i in rng.permutation(8)[:4]]
        documents.append(" ".join(f"The {word} is filler{rng.integers(9)} here." for word in words))
    model = ClassiNet(n_jobs=1)
    alone = TextNet(model=model, split="sentences").fit(documents)
    assert alone.n_texts_ == 1600

    def of_the_same_topic(net):
        edges = [e for t in range(6) for i in range(8) for e in net.neighbors(f"topic{t}word{i}", top=3)]
        return np.mean([e.source[:6] == e.target[:6] for e in edges])

    assert of_the_same_topic(alone) < 0.5
    for context in ("document", 1):
        assert of_the_same_topic(TextNet(model=model, split="sentences", context=context).fit(documents)) > 0.9


def test_documents_may_be_given_as_ids():
    texts = ["left up a", "right up a", "left down b", "right down b"] * 50
    ids = [i // 2 for i in range(200)]
    by_id = TextNet(model=ClassiNet(n_jobs=1), context="document").fit(texts, documents=ids)
    assert by_id.n_texts_ == 200
    with pytest.raises(InputError, match="documents"):
        TextNet(context="document").fit(texts, documents=ids[:3])


def test_n_grams_and_characters_work_through_the_door():
    texts = made_up_sentences(300)
    for vectorizer in (
        TextVectorizer(ngram_range=(1, 2), min_df=3),
        TextVectorizer(analyzer="char", ngram_range=(2, 3), min_df=3),
    ):
        net = TextNet(vectorizer, ClassiNet(n_jobs=1)).fit(texts)
        clf = ClassiNetClassifier(net).fit(["a storm", "the oven"], ["weather", "kitchen"])
        check_sums(clf.explain("thunder in the oven"))


def test_characters_are_not_predicted_from_the_run_they_stand_in():
    """Every "rai" is followed by "ain"; that is no knowledge, so neither may predict the other."""
    vectorizer = TextVectorizer(analyzer="char", ngram_range=(3, 3), min_df=3)
    net = TextNet(vectorizer, ClassiNet(n_jobs=1)).fit(made_up_sentences(300)).net_
    at = {name: i for i, name in enumerate(net.graph.names)}
    forbidden = net.predictor.forbidden_
    row = forbidden.indices[forbidden.indptr[at["rai"]] : forbidden.indptr[at["rai"] + 1]]
    assert "ain" in net.feature_names[row]
    assert "sto" not in net.feature_names[row]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TextNet().fit("one string"), "iterable of strings, got str"),
        (lambda: TextNet().fit(["a", None]), r"\[1\]"),
        (lambda: TextNet(split="words").fit(["a b", "c d"]), "split"),
        (lambda: TextNet(context=-1).fit(["a b", "c d"]), "context"),
        (lambda: TextNet(examples=-1).fit(["a b", "c d"]), "examples"),
        (lambda: TextNet(model=3).fit(["a b", "c d"]), "model must be a ClassiNet"),
        (lambda: TextNet(vectorizer=3).fit(["a b", "c d"]), "vectorizer must be a TextVectorizer"),
        (lambda: TextNet().fit([]), "text"),
    ],
)
def test_bad_input_to_a_net_is_named(make, message):
    with pytest.raises((InputError, ParameterError), match=message):
        make()


def test_a_fit_that_fails_leaves_the_net_as_it_was(net):
    before = net.net_
    with pytest.raises(InputError):
        net.fit([1, 2])
    assert net.net_ is before


# scikit-learn's generator of checks leaves estimators of strings out; these of its checks ask nothing of the input.
CHECKS = [
    "check_estimator_cloneable", "check_estimator_repr", "check_no_attributes_set_in_init",
    "check_get_params_invariance", "check_set_params", "check_parameters_default_constructible",
    "check_estimator_tags_renamed", "check_valid_tag_types",
]  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", [ClassiNetClassifier, TextNet])
def test_scikit_learn_conformance(kind, check):
    getattr(estimator_checks, check)(kind.__name__, kind())


def test_predictions_do_not_depend_on_the_order_of_labelled_texts(net):
    texts, labels = labelled(60)
    order = np.random.default_rng(1).permutation(60)
    one = ClassiNetClassifier(net, C=1.0, weight=1.0).fit(texts, labels)
    other = ClassiNetClassifier(net, C=1.0, weight=1.0).fit([texts[i] for i in order], [labels[i] for i in order])
    np.testing.assert_allclose(one.predict_proba(texts), other.predict_proba(texts), atol=1e-3)


def test_predicting_in_a_fold_never_sees_it(net):
    texts, labels = labelled(300)
    clf = ClassiNetClassifier(net)
    assert np.mean(cross_val_predict(clf, texts, labels, cv=3) == labels) > 0.9
    by_chance = np.random.default_rng(0).permutation(labels)
    assert np.mean(cross_val_predict(clf, texts, by_chance, cv=3) == by_chance) < 0.65
