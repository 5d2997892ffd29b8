"""Independent, path and neighbour expansions on planted nets and against plain oracles."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from classinet._sparse import canonical_csr, take_rows
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import AllNeighbors, Independent, LocalPath, MutualNeighbors, Spectral, independent, keep_top
from classinet.graph import FeatureGraph
from classinet.labels import LabelVectors
from classinet.net import Net
from classinet.predictors.base import Predictor, Setup


class Planted(Predictor):
    """Linear predictors with given weights (features × vertices)."""

    def __init__(self, weights=None, bias=None):
        self.weights = weights
        self.bias = bias

    def _fit(self, problem):
        self.positives_ = np.ones(problem.n_vertices, dtype=np.int64)

    def _unlearnable(self, problem):
        return {}

    def scores(self, contexts, start, stop):
        return (contexts @ self.weights[:, start:stop] + self.bias[start:stop]).T.astype(np.float32)


class PlantedWithPosterior(Planted):
    """The same with probabilities."""

    def predict_proba(self, contexts):
        return 1 / (1 + np.exp(-self.decision_function(contexts).astype(np.float64)))


def planted_net(edges, columns, weights, bias, kind=Planted, thresholds=None, **parts):
    """A net over len(weights) features whose vertices are the given columns."""
    d, n = weights.shape
    names = np.array([f"w{i}" for i in range(d)], dtype=object)
    columns = np.asarray(columns)
    rows = np.eye(d)
    predictor = kind(weights, bias).fit(rows, np.zeros((d, n)), setup=Setup(columns=columns))
    labels = None
    if thresholds is not None:
        none = np.zeros((n, 1), dtype=np.uint64)
        labels = LabelVectors(none, none, 1, thresholds, np.full(n, 0.5), np.zeros(n))
    return Net(
        graph=FeatureGraph(names[columns], edges, **parts),
        columns=columns,
        feature_names=names,
        frequency=np.full(d, 0.5),
        predictor=predictor,
        labels=labels,
    )


def random_net(seed, kind=Planted, thresholds=False):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 12))
    n = int(rng.integers(1, d + 1))
    levels = rng.integers(1, 4, (n, n)) / 3 if rng.random() < 0.5 else rng.uniform(0.05, 1, (n, n))
    edges = levels * (rng.random((n, n)) < rng.uniform(0.1, 0.8))
    np.fill_diagonal(edges, 0)
    # The order of columns is free: vertices need not follow the order of features.
    columns = rng.permutation(d)[:n]
    weights, bias = rng.normal(size=(d, n)), rng.normal(size=n) - 1
    return planted_net(edges, columns, weights, bias, kind, rng.normal(size=n) if thresholds else None)


def random_texts(seed, d, rows=6):
    rng = np.random.default_rng(seed)
    texts = rng.integers(0, 4, (rows, d)) * (rng.random((rows, d)) < 0.4)
    texts[0] = 0
    return canonical_csr(texts.astype(np.float64))


seeds = st.integers(0, 2**32 - 1)
ALL_KINDS = [Independent(), LocalPath(), AllNeighbors(k=2), MutualNeighbors(k=2), Spectral(3)]


def assert_canonical(E):
    assert E.dtype == np.float64
    assert E.indptr.dtype == np.int64
    assert E.indices.dtype == np.int32
    assert E.indptr[0] == 0
    assert E.indptr[-1] == len(E.data) == len(E.indices)
    assert (E.data != 0).all()
    for row in range(E.shape[0]):
        assert (np.diff(E.indices[E.indptr[row] : E.indptr[row + 1]]) > 0).all()


# ------------------------------------------------------------------------------------------- every expansion


@pytest.mark.parametrize("expansion", ALL_KINDS, ids=repr)
@given(seeds, seeds)
@settings(max_examples=25, deadline=None)
def test_laws_of_every_expansion(expansion, net_seed, text_seed):
    net = random_net(net_seed)
    X = random_texts(text_seed, net.n_features)
    E = expansion.expand(X, net)
    assert E.shape == (X.shape[0], net.n_vertices)
    assert_canonical(E)
    empty = np.flatnonzero(np.diff(X.indptr) == 0)
    assert len(empty) > 0
    assert (np.diff(E.indptr)[empty] == 0).all()
    order = np.random.default_rng(text_seed).permutation(X.shape[0])
    np.testing.assert_array_equal(expansion.expand(take_rows(X, order), net).toarray(), E.toarray()[order])


@pytest.mark.parametrize("expansion", ALL_KINDS, ids=repr)
def test_every_expansion_is_an_estimator_and_checks_width(expansion):
    net = random_net(1)
    assert clone(expansion).get_params() == expansion.get_params()
    wide = canonical_csr(np.ones((2, net.n_features + 1)))
    with pytest.raises(InputError, match=f"but the net was built on {net.n_features}"):
        expansion.expand(wide, net)
    none = expansion.expand(canonical_csr(np.zeros((0, net.n_features))), net)
    assert none.shape == (0, net.n_vertices)


# ----------------------------------------------------------------------------------------------- independent


@given(seeds, seeds, st.booleans())
@settings(max_examples=40, deadline=None)
def test_independent_equals_dense_scores(net_seed, text_seed, thresholds):
    net = random_net(net_seed, PlantedWithPosterior, thresholds)
    X = random_texts(text_seed, net.n_features)
    scores = ((X.toarray() > 0) @ net.predictor.weights + net.predictor.bias).astype(np.float32)
    cut = net.labels.thresholds if thresholds else np.zeros(net.n_vertices)
    fires = (scores > cut) & (np.diff(X.indptr) > 0)[:, None]
    np.testing.assert_array_equal(Independent().expand(X, net).toarray(), fires)
    posterior = np.where(fires, 1 / (1 + np.exp(-scores.astype(np.float64))), 0)
    np.testing.assert_allclose(Independent(values="posterior").expand(X, net).toarray(), posterior, rtol=1e-6)


def test_independent_does_not_depend_on_blocks(monkeypatch):
    net = random_net(7, PlantedWithPosterior)
    X = random_texts(8, net.n_features, rows=23)
    label, posterior = Independent(), Independent("posterior")
    wanted = label.expand(X, net).toarray(), posterior.expand(X, net).toarray()
    assert wanted[0].any()
    monkeypatch.setattr(independent, "ROW_BLOCK", 4)
    monkeypatch.setattr(independent, "VERTEX_BATCH", 2)
    monkeypatch.setattr(independent, "POSTERIOR_BLOCK", 1)
    np.testing.assert_array_equal(label.expand(X, net).toarray(), wanted[0])
    np.testing.assert_allclose(posterior.expand(X, net).toarray(), wanted[1])


@pytest.mark.parametrize("expansion", [Independent, LocalPath])
def test_what_asks_predictors_says_what_it_needs(expansion):
    net = random_net(2)
    X = random_texts(0, net.n_features)
    with pytest.raises(ParameterError, match="Planted has none"):
        expansion(values="posterior").expand(X, net)
    with pytest.raises(ParameterError, match="values must be one of"):
        expansion(values="score").expand(X, net)
    bare = Net(graph=net.graph, columns=net.columns, feature_names=net.feature_names, frequency=net.frequency)
    with pytest.raises(ParameterError, match="only a graph"):
        expansion().expand(X, bare)


def test_predictors_of_other_vertices_are_refused():
    net = random_net(4)
    fewer = planted_net(np.zeros((1, 1)), [0], np.zeros((net.n_features, 1)), np.zeros(1))
    other = replace(net, predictor=fewer.predictor)
    with pytest.raises(InputError, match="but 1 predictors"):
        Independent().expand(random_texts(0, net.n_features), other)


# ------------------------------------------------------------------------------------------------ local path


def brute_interiors(W, present, predicted):
    """Interior vertices by Floyd and Warshall; only for graphs without ties between paths."""
    n = len(W)
    best, via = W.copy(), [[[i, j] if W[i, j] else None for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i != j and best[i, k] * best[k, j] > best[i, j]:
                    best[i, j] = best[i, k] * best[k, j]
                    via[i][j] = via[i][k][:-1] + via[k][j]
    values = {}
    for i in present:
        for j in predicted:
            chance = 1.0
            path = via[i][j] if i != j and via[i][j] else [i, j]
            for a, b in pairwise(path[:-1]):
                chance *= W[a, b]
                values[b] = max(values.get(b, 0.0), chance)
    return {v: value for v, value in values.items() if v not in predicted}


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_local_path_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    edges = rng.uniform(0.05, 1, (n, n)) * (rng.random((n, n)) < rng.uniform(0.1, 0.5))
    np.fill_diagonal(edges, 0)
    net = planted_net(edges, rng.permutation(n), rng.normal(size=(n, n)), rng.normal(size=n) - 1)
    X = random_texts(seed, n)
    E, alone = LocalPath().expand(X, net).toarray(), Independent().expand(X, net).toarray()
    for row in range(X.shape[0]):
        present = np.flatnonzero(X.toarray()[row][net.columns])
        wanted = alone[row].copy()
        for vertex, value in brute_interiors(edges, present, np.flatnonzero(alone[row])).items():
            wanted[vertex] = value
        np.testing.assert_allclose(E[row], wanted, rtol=1e-12)


@given(seeds, seeds)
@settings(max_examples=40, deadline=None)
def test_local_path_holds_independent(net_seed, text_seed):
    net = random_net(net_seed, PlantedWithPosterior)
    X = random_texts(text_seed, net.n_features)
    for values in ("label", "posterior"):
        alone = Independent(values).expand(X, net).toarray()
        E = LocalPath(values).expand(X, net).toarray()
        np.testing.assert_array_equal(E[alone > 0], alone[alone > 0])


def test_local_path_on_a_planted_chain():
    # a → b → c → d, and a weak shortcut a → d; only d is predicted, so b and c lie between.
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 2], edges[2, 3], edges[0, 3] = 0.9, 0.8, 0.7, 0.1
    weights = np.zeros((4, 4))
    weights[0, 3] = 1.0
    net = planted_net(edges, np.arange(4), weights, np.full(4, -0.5))
    E = LocalPath().expand(canonical_csr(np.array([[5.0, 0, 0, 0], [0, 5.0, 0, 0]])), net)
    np.testing.assert_array_equal(E.toarray(), [[0, 0.9, 0.9 * 0.8, 1.0], [0, 0, 0, 0]])


def test_paths_of_several_words_give_the_larger_chance():
    # Both a and b reach d through c; b is the surer guide.
    edges = np.zeros((4, 4))
    edges[0, 2], edges[1, 2], edges[2, 3] = 0.3, 0.6, 0.5
    weights = np.zeros((4, 4))
    weights[:2, 3] = 1.0
    net = planted_net(edges, np.arange(4), weights, np.full(4, -0.5))
    E = LocalPath().expand(canonical_csr(np.array([[1.0, 0, 0, 0], [1.0, 1.0, 0, 0]])), net)
    np.testing.assert_array_equal(E.toarray(), [[0, 0, 0.3, 1], [0, 0, 0.6, 1]])


def test_local_path_does_not_depend_on_when_finds_are_joined(monkeypatch):
    rng = np.random.default_rng(0)
    edges = rng.uniform(0.05, 1, (12, 12)) * (rng.random((12, 12)) < 0.2)
    np.fill_diagonal(edges, 0)
    net = planted_net(edges, np.arange(12), rng.normal(size=(12, 12)), np.full(12, -2.0))
    X = random_texts(12, net.n_features, rows=30)
    wanted = LocalPath().expand(X, net).toarray()
    assert (wanted != Independent().expand(X, net).toarray()).any()
    monkeypatch.setattr("classinet.expansion.local_path.FINDS", 7)
    np.testing.assert_array_equal(LocalPath().expand(X, net).toarray(), wanted)


# ------------------------------------------------------------------------------------------------ neighbours


@given(seeds, seeds, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_neighbours_equal_dense_algebra(net_seed, text_seed, k):
    net = random_net(net_seed)
    X = random_texts(text_seed, net.n_features)
    A = (net.graph.mutual_knn(k).weights.toarray() > 0).astype(float)
    values = X.toarray()[:, net.columns]
    every, mutual = AllNeighbors(k).expand(X, net), MutualNeighbors(k).expand(X, net)
    np.testing.assert_array_equal(every.toarray(), values @ A)
    np.testing.assert_array_equal(mutual.toarray(), np.where((values > 0) @ A >= 2, values @ A, 0))
    assert_canonical(mutual)


def test_neighbours_by_association():
    edges = np.array([[0, 0.9, 0.1], [0.9, 0, 0], [0.1, 0, 0]])
    names = np.array(["a", "b", "c"], dtype=object)
    association = np.array([0.1, 0.8, 0.1, 0.8])
    net = Net(
        graph=FeatureGraph(names, edges, association=association),
        columns=np.arange(3),
        feature_names=names,
        frequency=np.ones(3),
    )
    X = canonical_csr(np.array([[2.0, 0, 0]]))
    assert AllNeighbors(k=1).expand(X, net).toarray().tolist() == [[0, 2, 0]]
    assert AllNeighbors(k=1, by="association").expand(X, net).toarray().tolist() == [[0, 0, 2]]


def test_features_that_are_no_vertices_have_no_neighbours():
    edges = np.array([[0, 0.9], [0.9, 0]])
    weights = np.zeros((3, 2))
    net = planted_net(edges, [0, 1], weights, np.zeros(2), first_hop=np.full((3, 2), 0.5))
    X = canonical_csr(np.array([[0, 0, 4.0], [1.0, 0, 4.0]]))
    assert AllNeighbors().expand(X, net).toarray().tolist() == [[0, 0], [0, 1]]
    assert MutualNeighbors().expand(X, net).nnz == 0


@pytest.mark.parametrize("expansion", [AllNeighbors, MutualNeighbors])
def test_neighbours_check_their_parameters(expansion):
    net = random_net(3)
    X = random_texts(0, net.n_features)
    with pytest.raises(ParameterError, match="k must be a whole number ≥ 1"):
        expansion(k=0).expand(X, net)
    with pytest.raises(ParameterError, match="by must be one of"):
        expansion(by="lift").expand(X, net)


# ------------------------------------------------------------------------------------------------------- top


@given(seeds, st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_keep_top_equals_sorting(seed, m):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-3, 4, (5, 12)).astype(float) * (rng.random((5, 12)) < 0.7)
    kept = keep_top(canonical_csr(dense), m)
    wanted = np.zeros_like(dense)
    for row, values in enumerate(dense):
        stored = sorted(np.flatnonzero(values), key=lambda j, v=values: (-v[j], j))[:m]
        wanted[row, stored] = values[stored]
    np.testing.assert_array_equal(kept.toarray(), wanted)
    assert_canonical(kept)


def test_keep_top_checks_m():
    with pytest.raises(ParameterError, match="m must be a whole number ≥ 1"):
        keep_top(canonical_csr(np.ones((1, 2))), 0)
