"""The expansion by leading directions: against a dense decomposition, on planted topics, and under edits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from classinet._sparse import canonical_csr
from classinet.edits import Edits
from classinet.exceptions import ParameterError
from classinet.expansion import Global, Spectral
from classinet.graph import FeatureGraph
from classinet.net import Net

seeds = st.integers(0, 2**32 - 1)
MANY = 100  # more directions, or vertices, than any graph here has


def random_net(seed, first_hop):
    """Vertices are the first features; rows and columns of the graph may be empty."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 12))
    n = int(rng.integers(2, d + 1))
    steps = rng.uniform(0.05, 1, (d, n)) * (rng.random((d, n)) < 0.6)
    np.fill_diagonal(steps, 0)
    names = np.array([f"w{i}" for i in range(d)], dtype=object)
    graph = FeatureGraph(names[:n], steps[:n], first_hop=steps if first_hop else None)
    return Net(graph=graph, columns=np.arange(n), feature_names=names, frequency=np.full(d, 0.5))


def random_texts(seed, d):
    rng = np.random.default_rng(seed)
    texts = rng.uniform(0.1, 2, (6, d)) * (rng.random((6, d)) < 0.5)
    texts[0] = 0
    return canonical_csr(texts)


def step_by_directions(net, rank, reach):
    """The first step, features × vertices, by a decomposition of the dense matrix."""
    step = (net.graph.weights if net.graph.first_hop is None else net.graph.first_hop).toarray()
    sums = step.sum(axis=1, keepdims=True)
    step = np.divide(step, sums, out=np.zeros_like(step), where=sums > 0)
    mass = step.sum(axis=0)
    roots = np.sqrt(np.where(mass > 0, mass, 1))
    left, values, right = np.linalg.svd(step / roots, full_matrices=False)
    # Of equal singular values, as parts of a graph without a path between them have, any may be kept.
    assume(rank >= len(values) or values[rank - 1] - values[rank] > 1e-3 or values[rank - 1] < 1e-6)
    values[rank:] = 0
    approximation = (left * values) @ right * roots
    approximation[:, np.argsort(-mass, kind="stable")[reach:]] = 0
    approximation[:, mass == 0] = 0
    whole = np.zeros((net.n_features, net.n_vertices))
    whole[: len(approximation)] = approximation
    return whole


@given(seeds, seeds, st.booleans(), st.integers(1, 6), st.integers(1, 8))
@settings(max_examples=60)
def test_equals_a_dense_decomposition(net_seed, text_seed, first_hop, rank, reach):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    wanted = np.maximum(X.toarray() @ step_by_directions(net, rank, reach), 0)
    np.testing.assert_allclose(Spectral(rank, reach).expand(X, net).toarray(), wanted, atol=2e-5)


@given(seeds, seeds, st.booleans())
@settings(max_examples=30)
def test_all_directions_together_are_one_hop(net_seed, text_seed, first_hop):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    hop = Global(damping=1.0, hops=1).expand(X, net).toarray()
    np.testing.assert_allclose(Spectral(MANY, MANY).expand(X, net).toarray(), hop, atol=2e-5)


def two_topics():
    """Twelve words of two topics; of the possible edges within a topic each word has the next two alone."""
    weights = np.zeros((12, 12))
    for word in range(12):
        for further in (1, 2):
            weights[word, word // 6 * 6 + (word + further) % 6] = 0.5
    names = np.array([f"{topic}{i}" for topic in ("rain", "goal") for i in range(6)], dtype=object)
    return Net(graph=FeatureGraph(names, weights), columns=np.arange(12), feature_names=names, frequency=np.ones(12))


def test_a_word_implies_its_whole_topic():
    net = two_topics()
    text = canonical_csr(np.eye(12)[:1])
    assert (Global(hops=1).expand(text, net).toarray()[0] > 0).sum() == 2
    E = Spectral(rank=2).expand(text, net).toarray()[0]
    np.testing.assert_allclose(E[:6], 1 / 6, atol=1e-6)
    np.testing.assert_allclose(E[6:], 0, atol=1e-6)


def test_only_what_most_mass_leads_to_is_reached():
    weights = np.array([[0, 0.9, 0.1, 0], [0.5, 0, 0.4, 0.1], [0.2, 0.8, 0, 0], [0.1, 0.9, 0, 0]])
    names = np.array(["a", "hub", "c", "d"], dtype=object)
    net = Net(graph=FeatureGraph(names, weights), columns=np.arange(4), feature_names=names, frequency=np.ones(4))
    text = canonical_csr(np.array([[1.0, 1.0, 1.0, 1.0]]))
    assert Spectral(4, reach=1).expand(text, net).indices.tolist() == [1]
    assert Spectral(4, reach=2).expand(text, net).indices.tolist() == [0, 1]


@given(seeds, seeds, st.booleans())
@settings(max_examples=40)
def test_an_edited_edge_has_its_weight_and_others_stay(net_seed, text_seed, first_hop):
    net = random_net(net_seed, first_hop)
    rng = np.random.default_rng(text_seed)
    X = random_texts(text_seed, net.n_features)
    step, edits = step_by_directions(net, 2, 3), Edits()
    sources = net.n_features if first_hop else net.n_vertices
    for _ in range(3):
        i, j = int(rng.integers(sources)), int(rng.integers(net.n_vertices))
        if i != j:
            step[i, j] = weight = float(rng.choice([0.0, 0.7]))
            source, target = net.feature_names[[i, j]]
            edits = edits.pin(source, target, weight) if weight else edits.ban(source, target)
    edited = net.edited(edits)
    E = Spectral(2, 3).expand(X, edited).toarray()
    np.testing.assert_allclose(E, np.maximum(X.toarray() @ step, 0), atol=2e-5)
    untouched = ~np.isin(np.arange(net.n_vertices), edited.graph.edited_edges[1])
    np.testing.assert_array_equal(E[:, untouched], Spectral(2, 3).expand(X, net).toarray()[:, untouched])


@given(seeds, seeds, st.booleans())
@settings(max_examples=30)
def test_paths_name_the_word_that_counts_most(net_seed, text_seed, first_hop):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    spectral = Spectral(2, 4)
    net = net.edited(Edits().pin(net.graph.names[0], net.graph.names[1], 0.8))
    x = canonical_csr(X.toarray()[1:2])
    E = spectral.expand(x, net)
    contributions = x.toarray()[0][:, None] * step_by_directions(net.unedited, 2, 4)
    contributions[0, 1] = 0.8 * x.toarray()[0, 0]
    for path, vertex, total in zip(spectral.paths(x, net, E.indices), E.indices, E.data, strict=True):
        largest = contributions[:, vertex].max()
        assert path.value == pytest.approx(largest, abs=2e-5)
        assert path.share == pytest.approx(min(1.0, path.value / total))
        source, target = path.names
        assert target == net.graph.names[vertex]
        at = net.feature_names.tolist().index(source)
        assert path.value == pytest.approx(x.toarray()[0, at] * path.weights[0])


def test_directions_are_found_once_and_shared_with_edited_nets():
    net = two_topics()
    found = net.graph.directions(2, 10)
    assert net.graph.directions(2, 10) is found
    assert net.edited(Edits().ban("rain0")).graph.directions(2, 10) is found
    for array in (found.sources, found.vertices, found.targets):
        assert not array.flags.writeable


def test_a_graph_without_edges_gives_nothing():
    names = np.array(["a", "b"], dtype=object)
    graph = FeatureGraph(names, np.zeros((2, 2)))
    net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(2))
    assert Spectral().expand(canonical_csr(np.eye(2)), net).nnz == 0


@pytest.mark.parametrize("parameters", [{"rank": 0}, {"rank": 1.5}, {"reach": 0}])
def test_what_cannot_be_is_refused(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        Spectral(**parameters).expand(canonical_csr(np.eye(12)), two_topics())
