"""The whole build: planted answers, laws, bad input, progress and cancellation."""

import logging
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from classinet import Cancelled, ClassiNet, Expander
from classinet._sparse import canonical_csr
from classinet.edges import Angle, HeldOut, PairSample, Population, Similarity
from classinet.exceptions import EmptyNetWarning, InputError, ParameterError
from classinet.expansion import Global
from classinet.labels import PosteriorLabels, QuantileLabels
from classinet.neighbors import PLEB, ExactNeighbors, LSHNeighbors, VectorNeighbors
from classinet.predictors import (
    Embedding,
    Factorised,
    Indicator,
    Logistic,
    NaiveBayes,
    Perceptron,
    Ridge,
    Sampling,
    SklearnPredictor,
)
from classinet.vertices import BestByLabels, Landmarks, Listed, MinDocumentFrequency, MostFrequent
from conftest import topic_corpus


def same_net(a, b):
    """Whether two nets hold the same bytes."""
    return (
        a.graph.weights.data.tobytes() == b.graph.weights.data.tobytes()
        and a.graph.weights.indices.tobytes() == b.graph.weights.indices.tobytes()
        and a.graph.counts.tobytes() == b.graph.counts.tobytes()
        and a.labels.bits.tobytes() == b.labels.bits.tobytes()
        and a.labels.thresholds.tobytes() == b.labels.thresholds.tobytes()
    )


def kinds():
    vectors = {name: np.eye(3)[min(i // 6, 2)] + 0.01 * i for i, name in enumerate(topic_corpus(2)[1])}
    from sklearn.naive_bayes import BernoulliNB

    return [
        Factorised(),
        Logistic(),
        Logistic(strength=0.1),
        Perceptron(),
        NaiveBayes(),
        Ridge(),
        Indicator(),
        Embedding(vectors),
        SklearnPredictor(BernoulliNB()),
    ]


@pytest.mark.parametrize("predictor", kinds(), ids=lambda p: type(p).__name__)
def test_every_predictor_builds_a_net_that_keeps_topics_apart(topics_corpus, predictor):
    X, names, _ = topics_corpus
    model = ClassiNet(predictor=predictor, neighbors=ExactNeighbors(k=5), n_jobs=1).fit(X, feature_names=names)
    same_topic = []
    for i in range(18):
        if names[i] in model.net_.left_out:
            continue
        for edge in model.net_.graph.successors(names[i], top=3):
            place = list(names).index(edge.target)
            same_topic.append(place < 18 and place // 6 == i // 6)
    assert np.mean(same_topic) > 0.8  # by chance it would be 0.24


@pytest.mark.parametrize(
    "model",
    [
        ClassiNet(),
        ClassiNet.paper(),
        ClassiNet(predictor=Ridge(penalty=1.0), neighbors=ExactNeighbors(k=4)),
        ClassiNet(predictor=Perceptron(), neighbors=LSHNeighbors(k=4), edges=Population()),
        ClassiNet(predictor=NaiveBayes(), neighbors=PLEB(k=4), edges=Angle(), labels=QuantileLabels(rate=0.5)),
    ],
    ids=["default", "paper", "ridge", "perceptron", "naive Bayes"],
)
def test_same_bytes_for_any_threads_and_any_order_of_rows(topics_corpus, model):
    X, names, _ = topics_corpus
    shuffled = X[np.random.default_rng(5).permutation(X.shape[0])]
    nets = [
        model.set_params(n_jobs=n_jobs).fit(rows, feature_names=names).net_
        for n_jobs, rows in ((1, X), (2, X), (3, X), (2, shuffled))
    ]
    assert nets[0].graph.n_edges > 0
    for other in nets[1:]:
        assert same_net(nets[0], other)


def test_seeds_change_the_sample_and_equal_seeds_do_not(topics_corpus):
    X, names, _ = topics_corpus
    nets = [ClassiNet.paper(random_state=seed).fit(X, feature_names=names).net_ for seed in (0, 0, 1)]
    assert same_net(nets[0], nets[1])
    assert not same_net(nets[0], nets[2])


def test_recall_judges_the_search_and_not_the_edges_that_weighing_dropped():
    """On few texts most pairs have an empty D_(i,j) and no edge; the exact search still found all neighbours."""
    X, names, _ = topic_corpus(60, seed=2)
    model = ClassiNet(neighbors=ExactNeighbors(k=8), edges=PairSample(), n_jobs=1).fit(X, feature_names=names)
    assert model.net_.graph.n_edges < model.net_.neighbors.nnz
    assert model.neighbor_recall(30) == 1.0


def test_refit_forgets(topics_corpus):
    X, names, _ = topics_corpus
    model = ClassiNet(n_jobs=1).fit(X[:300, :12], feature_names=names[:12])
    model.fit(X, feature_names=names)
    assert same_net(model.net_, ClassiNet(n_jobs=1).fit(X, feature_names=names).net_)
    assert model.n_features_in_ == len(names)


def test_edge_weights_of_a_planted_indicator_net_are_known_numbers():
    """With indicators and all held-out rows, w_ij is co-occurrence: |i and j| / |i| over the held-out rows."""
    X, names, _ = topic_corpus(400, seed=3)
    model = ClassiNet(
        predictor=Indicator(),
        labels=PosteriorLabels(),
        neighbors=ExactNeighbors(k=30, association="conditional"),
        edges=HeldOut(),
        n_jobs=1,
    ).fit(X, feature_names=names)
    labels = model.net_.labels
    n = labels.n_rows
    votes = np.unpackbits(labels.bits.view(np.uint8), axis=1, bitorder="little")[:, :n].astype(int)
    assert n == 80
    for name in names[:4]:
        i = list(names).index(name)
        for edge in model.net_.graph.successors(name):
            j = list(names).index(edge.target)
            assert edge.weight == (votes[i] & votes[j]).sum() / votes[i].sum()
            assert edge.counts[0] == (votes[i] & votes[j]).sum()


def test_overlapping_ngrams_do_not_predict_each_other():
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(400):
        york, city = rng.random() < 0.4, rng.random() < 0.4
        rows.append([york, york, york, city, rng.random() < 0.5, rng.random() < 0.5])
    X, names = np.array(rows, dtype=float), ["new", "new york", "york", "city", "a", "b"]
    for predictor in (
        Logistic(strength=1.0, sampling=Sampling(longer_than_average=False)),
        Factorised(),
        Ridge(1.0),
        NaiveBayes(),
    ):
        net = ClassiNet(predictor=predictor, n_jobs=1).fit(X, feature_names=names).net_
        alone, among = np.zeros((1, 6)), np.zeros((1, 6))
        among[0, [0, 2]] = 1
        at = list(net.graph.names).index("new york")
        scores = [net.predictor.decision_function(x)[0, at] for x in (alone, among)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 40), st.integers(1, 10), st.floats(0.05, 0.9))
def test_laws_on_arbitrary_matrices(seed, n_rows, n_features, density):
    X = sparse.random(n_rows, n_features, density, format="csr", random_state=seed, dtype=np.float64)
    X.data = np.ceil(X.data * 3)
    model = ClassiNet(n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyNetWarning)
        model.fit(X)
    net = model.net_
    assert ((net.graph.weights.data > 0) & (net.graph.weights.data <= 1)).all()
    out = model.transform(X)
    assert (out[:, :n_features] != X).nnz == 0
    empty = np.diff(X.indptr) == 0
    assert (np.diff(out.indptr)[empty] == 0).all()
    order = np.random.default_rng(seed).permutation(n_rows)
    assert (model.transform(X[order]) != out[order]).nnz == 0
    learnt, left = set(net.graph.names), set(net.left_out)
    assert not learnt & left


def test_threads_never_change_a_transform(topics_corpus):
    X, names, _ = topics_corpus
    model = ClassiNet(n_jobs=1).fit(X, feature_names=names)
    big = sparse.vstack([X] * 10).tocsr()
    one, three = (Expander(model, n_jobs=n).fit(big).transform(big) for n in (1, 3))
    assert (one != three).nnz == 0


def test_what_cannot_be_learnt_is_left_out_with_its_reason():
    X, names, _ = topic_corpus(200, seed=1)
    X = sparse.hstack([X, np.ones((200, 1)), np.eye(200)[:, :1]]).tocsr()
    net = ClassiNet.paper().fit(X, feature_names=[*names, "everywhere", "once"]).net_
    assert "no negatives" in net.left_out["everywhere"] or "every" in net.left_out["everywhere"]
    assert net.left_out["once"].endswith("usable positives (texts longer than average), 5 needed")
    assert not {"everywhere", "once"} & set(net.graph.names)


def test_features_outside_the_vertices_reach_the_graph_when_asked(topics_corpus):
    X, names, _ = topics_corpus
    vertices = [name for name in names if name not in ("film", "bank")]
    text = sparse.csr_array(np.eye(len(names))[[0]])
    for predictor, edges in (
        (Factorised(), Similarity(outside=True)),
        (Logistic(strength=0.1), Similarity(outside=True)),
        (Logistic(strength=0.1), PairSample(outside=True)),
        (Indicator(), HeldOut(outside=True)),
    ):
        search = None if isinstance(predictor, Factorised) else ExactNeighbors(k=3)
        near = VectorNeighbors(k=3) if search is None else search
        model = ClassiNet(vertices, predictor, neighbors=near, edges=edges, n_jobs=1).fit(X, feature_names=names)
        added = model.get_feature_names_out()[model.transform(text).indices][1:]
        assert set(added) <= {"EXP=" + str(name) for name in names[:6]}
        assert len(added) >= 2
        weights = model.net_.graph.first_hop
        place = list(names).index("actor")
        own = model.net_.graph.weights[[list(model.net_.graph.names).index("actor")]]
        assert (weights[[place]].toarray() == own.toarray()).all()
    closed = ClassiNet(vertices, edges=Similarity(), n_jobs=1).fit(X, feature_names=names)
    assert closed.transform(text).nnz == 1


def test_targets_may_come_from_a_neighbouring_text():
    """Every text is followed by one that holds its partner word: only the shifted targets can show it."""
    rng = np.random.default_rng(0)
    X = np.zeros((600, 8))
    for row in range(0, 600, 2):
        word = rng.integers(3)
        X[row, word] = X[row + 1, word + 3] = 1
        X[row : row + 2, 6 + rng.integers(2)] = 1
    targets = np.vstack([X[1:], np.zeros((1, 8))])
    model = ClassiNet(predictor=Logistic(strength=1.0, sampling=Sampling(longer_than_average=False)), n_jobs=1).fit(
        X, targets=targets
    )
    scores = model.net_.predictor.decision_function(np.eye(8)[:3])
    names = list(model.net_.graph.names)
    partners = scores[:, [names.index(name) for name in ("x3", "x4", "x5")]]
    assert (partners.argmax(axis=1) == [0, 1, 2]).all()
    assert ((partners > 0) == np.eye(3, dtype=bool)).all()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, np.nan], [0, 1]]), "NaN or infinity in data: X holds nan in row 0, column 1"),
        (np.array([[1.0, 0], [np.inf, 1]]), "infinity in data: X holds inf in row 1, column 0"),
        (np.array([[1.0, 0], [0, -3]]), "Negative values in data: X holds -3.0 in row 1, column 1"),
        (np.ones((1, 3)), "n_samples=1"),
        (np.ones((0, 3)), "0 sample"),
        (np.ones((3, 0)), "0 feature"),
        (np.ones(3), "Reshape your data"),
    ],
)
def test_bad_matrices_get_one_clear_error_and_leave_nothing_behind(X, message):
    model = ClassiNet()
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    assert not hasattr(model, "net_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"vertices": ["nowhere"]}, "'nowhere', which is no feature name"),
        ({"vertices": [99]}, "column 99"),
        ({"vertices": "film"}, "vertices must be"),
        ({"vertices": 0}, "n must be a whole number ≥ 1"),
        ({"vertices": BestByLabels(5)}, "pass y to fit"),
        ({"predictor": "logistic"}, "predictor must be a Predictor object"),
        ({"neighbors": 10}, "neighbors must be a NeighborSearch object"),
        ({"labels": 0.5}, "labels must be a LabelRule object"),
        ({"edges": "paper"}, "edges must be a EdgeWeights object"),
        ({"random_state": -1}, "random_state must be ≥ 0"),
        ({"n_jobs": 0}, "n_jobs=0 has no meaning"),
        ({"predictor": Factorised(rank=0)}, "rank must be a whole number ≥ 1"),
        ({"predictor": Logistic(strength=-1.0)}, "strength must be a number > 0"),
        ({"predictor": Ridge(penalty=0)}, "penalty must be a number > 0"),
        ({"neighbors": ExactNeighbors(k=0)}, "k must be a whole number ≥ 1"),
        ({"labels": QuantileLabels(rate=0)}, "rate must be"),
    ],
)
def test_bad_parameters_are_named(topics_corpus, parameters, message):
    X, names, _ = topics_corpus
    with pytest.raises(ValueError, match=message):
        ClassiNet(**{"n_jobs": 1, **parameters}).fit(X, feature_names=names)


def test_bad_use_of_transform_and_names(topics_corpus):
    X, names, _ = topics_corpus
    model = ClassiNet(n_jobs=1).fit(X, feature_names=names)
    with pytest.raises(ValueError, match="X has 3 features, but ClassiNet is expecting"):
        model.transform(np.ones((2, 3)))
    with pytest.raises(InputError, match="2 names for"):
        ClassiNet().fit(X, feature_names=["a", "b"])
    with pytest.raises(InputError, match="more than once"):
        ClassiNet().fit(X, feature_names=["a"] * X.shape[1])
    with pytest.raises(ParameterError, match="net must be a ClassiNet"):
        Expander(net="model").fit(X)
    with pytest.raises(ParameterError, match="merge must be one of"):
        Expander(model, merge="glue").fit(X)
    with pytest.raises(ParameterError, match="weight must be a number"):
        Expander(model, weight=-1).fit(X)
    with pytest.raises(InputError, match="occur in no text"):
        ClassiNet(vertices=["film"]).fit(X[:, 1:] @ sparse.eye(len(names) - 1, len(names), k=1), feature_names=names)


def test_a_huge_dense_array_is_refused_and_int64_indices_are_not(monkeypatch, topics_corpus):
    X, names, _ = topics_corpus
    wide = X.tocsr()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert same_net(
        ClassiNet(n_jobs=1).fit(wide, feature_names=names).net_,
        ClassiNet(n_jobs=1).fit(X, feature_names=names).net_,
    )
    monkeypatch.setattr("classinet._validation.DENSE_LIMIT", 100)
    with pytest.raises(InputError, match=r"pass it as scipy.sparse.csr_matrix"):
        ClassiNet().fit(X.toarray())


def test_counts_beyond_single_precision_stay_exact(topics_corpus):
    """Values are seen as presence: huge counts neither overflow nor change a net."""
    X, names, _ = topics_corpus
    huge = X.astype(np.int64) * 2**40
    a, b = (ClassiNet.paper(n_jobs=1).fit(M, feature_names=names).net_ for M in (X, huge))
    assert set(a.graph.names) == set(b.graph.names)
    assert np.isfinite(b.graph.weights.data).all()


def test_nothing_to_learn_is_a_warning_not_a_crash():
    with pytest.warns(EmptyNetWarning, match="occurs in every text"):
        model = ClassiNet().fit(np.ones((10, 3)))
    assert model.transform(np.ones((2, 3))).shape == (2, 3)


def test_progress_counts_up_and_can_cancel(topics_corpus):
    X, names, _ = topics_corpus
    calls = []
    ClassiNet(n_jobs=2).fit(X, feature_names=names, progress=lambda *call: calls.append(call))
    assert {"labels", "edges"} <= {stage.split(",")[0] for stage, _, _ in calls}
    assert all(1 <= done <= total for _, done, total in calls)

    def cancel(stage, done, total):
        if stage == "edges":
            raise Cancelled("enough")

    model = ClassiNet(n_jobs=2).fit(X, feature_names=names)
    before = model.net_
    with pytest.raises(Cancelled, match="enough"):
        model.fit(X, feature_names=names, progress=cancel)
    assert model.net_ is before


def test_the_log_tells_what_happened(topics_corpus, caplog):
    X, names, _ = topics_corpus
    with caplog.at_level(logging.INFO, logger="classinet"):
        ClassiNet(n_jobs=1).fit(X, feature_names=names)
    assert "predictors learnt" in caplog.text


def test_vertices_by_rule(topics_corpus):
    X, names, topics = topics_corpus
    by_label = ClassiNet(vertices=BestByLabels(18), n_jobs=1).fit(X, topics, feature_names=names).net_
    assert set(by_label.graph.names) == set(names[:18])
    counts = np.asarray((X > 0).sum(axis=0)).ravel()
    few = ClassiNet(vertices=MostFrequent(4), n_jobs=1).fit(X, feature_names=names).net_
    assert set(few.graph.names) == set(names[np.argsort(-counts, kind="stable")[:4]])
    rare = int(np.sort(counts)[3])
    rule = ClassiNet(vertices=MinDocumentFrequency(rare + 1), n_jobs=1).fit(X, feature_names=names).net_
    assert rule.n_vertices == (counts > rare).sum()
    with pytest.warns(EmptyNetWarning, match="no edge leads from any of the 2 vertices"):
        listed = ClassiNet(vertices=Listed(["film", "goal"]), n_jobs=1).fit(X, feature_names=names).net_
    assert list(listed.graph.names) == ["film", "goal"]
    ignored = [ClassiNet(n_jobs=1).fit(X, y, feature_names=names).net_ for y in (None, topics)]
    assert same_net(*ignored)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [(Landmarks(), [0, 1, 2, 3, 4, 5]), (Landmarks(2, 5, 1), [1, 5]), (Landmarks(9, 3, 1), [1, 2, 5]),
     (Landmarks(9, 99, 2), [1, 5]), (Landmarks(9, 5, 1), [1, 5])],
    ids=repr,
)  # fmt: skip
def test_landmarks_are_frequent_and_enough(rule, wanted):
    counts = [1, 9, 3, 1, 2, 5, 0]  # texts that hold each feature
    X = canonical_csr(np.array([[row < count for count in counts] for row in range(9)], dtype=float))
    assert rule.choose(X, np.array(list("abcdefg"), dtype=object)).tolist() == wanted


def test_features_that_are_no_vertices_have_successors(topics_corpus):
    X, names, _ = topics_corpus
    net = ClassiNet(vertices=list(names[1:8]), n_jobs=1).fit(X, feature_names=names).net_
    found = net.successors(str(names[0]))
    row = net.graph.first_hop[[0]].toarray().ravel()
    assert {edge.target: edge.weight for edge in found} == {
        str(net.graph.names[i]): row[i] for i in np.flatnonzero(row)
    }
    assert [edge.weight for edge in found] == sorted((edge.weight for edge in found), reverse=True)
    assert net.successors(str(names[0]), top=2) == found[:2]
    assert net.successors(str(names[1])) == net.graph.successors(str(names[1]))
    with pytest.raises(InputError, match="'nosuch' is no vertex"):
        net.successors("nosuch")


def test_damping_is_grid_searchable_on_the_net_itself(topics_corpus):
    X, names, _ = topics_corpus
    model = ClassiNet(expansion=Global(damping=0.5), n_jobs=1).fit(X, feature_names=names)
    half = model.transform(X)
    model.set_params(expansion__damping=1.0)
    n = len(names)
    np.testing.assert_allclose(model.transform(X)[:, n:].toarray(), 2 * half[:, n:].toarray())
