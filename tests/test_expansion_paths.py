"""Paths of an expansion against all walks, enumerated."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classinet._sparse import canonical_csr
from classinet.edits import Edits
from classinet.exceptions import DivergenceWarning, InputError
from classinet.expansion import AllNeighbors, ExpansionPath, Global, Independent, LocalPath, MutualNeighbors
from classinet.graph import FeatureGraph
from classinet.net import Net
from classinet.predictors.base import Predictor, Setup

seeds = st.integers(0, 2**32 - 1)


class Planted(Predictor):
    """Linear predictors with given weights (features × vertices)."""

    def __init__(self, weights=None):
        self.weights = weights

    def _fit(self, problem):
        self.positives_ = np.ones(problem.n_vertices, dtype=np.int64)

    def _unlearnable(self, problem):
        return {}

    def scores(self, contexts, start, stop):
        return (contexts @ self.weights[:, start:stop] - 0.5).T.astype(np.float32)


def random_net(seed, first_hop=False, levels=False):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 8))
    n = int(rng.integers(1, min(d, 5) + 1))
    values = rng.integers(1, 3, (d, n)) / 2 if levels else rng.uniform(0.02, 1, (d, n))
    values *= rng.random((d, n)) < rng.uniform(0.2, 0.9)
    edges = values[:n].copy()
    np.fill_diagonal(edges, 0)
    names = np.array([f"w{i}" for i in range(d)], dtype=object)
    columns = rng.permutation(d)[:n]
    return Net(
        graph=FeatureGraph(names[columns], edges, first_hop=values if first_hop else None),
        columns=columns,
        feature_names=names,
        frequency=rng.uniform(0.1, 1, d),
        predictor=Planted(rng.normal(size=(d, n))).fit(np.eye(d), np.zeros((d, n)), setup=Setup(columns=columns)),
    )


def random_text(seed, net):
    rng = np.random.default_rng(seed)
    return canonical_csr(rng.uniform(0.1, 3, (1, net.n_features)) * (rng.random((1, net.n_features)) < 0.6))


def all_walks(x, net, expansion):
    """Every walk of at most q hops as {vertex: [(value, names, weights)]}, by plain recursion."""
    graph = net.graph.row_normalized() if expansion.normalize == "row" else net.graph
    W, names = graph.weights.toarray(), graph.names
    if graph.first_hop is None:
        F, start_names, start = W, names, x.toarray()[0, net.columns]
        frequency = net.frequency[net.columns]
    else:
        F, start_names, start, frequency = graph.first_hop.toarray(), net.feature_names, x.toarray()[0], net.frequency
    if expansion.prior == "empirical":
        start = start * frequency
    walks = {}

    def follow(row, value, path, weights):
        for j in np.flatnonzero(row):
            step = (expansion.damping * value * row[j], (*path, names[j]), (*weights, row[j]))
            walks.setdefault(int(j), []).append(step)
            if len(step[2]) < expansion.hops:
                follow(W[j], *step)

    for i in np.flatnonzero(start):
        follow(F[i], start[i], (start_names[i],), ())
    return walks


def quiet(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        return function(*arguments)


@given(
    seeds, seeds, st.booleans(), st.booleans(), st.integers(1, 4),
    st.sampled_from(["uniform", "empirical"]), st.sampled_from(["row", None]), st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_global_paths_are_the_strongest_of_all_walks(seed, text, first_hop, levels, hops, prior, normalize, edit):
    net = random_net(seed, first_hop, levels)
    if edit and net.n_vertices > 2:
        a, b, c = net.graph.names[:3]
        net = net.edited(Edits().ban(a, b).pin(b, c, 0.7))
    x = random_text(text, net)
    expansion = Global(0.8, hops, prior, normalize)
    E = quiet(expansion.expand, x, net)
    paths = quiet(expansion.paths, x, net, E.indices)
    walks = all_walks(x, net, expansion)
    assert sorted(walks) == E.indices.tolist()
    for path, vertex, total in zip(paths, E.indices.tolist(), E.data.tolist(), strict=True):
        assert sum(value for value, _, _ in walks[vertex]) == pytest.approx(total)
        best = max(value for value, _, _ in walks[vertex])
        assert path.value == pytest.approx(best, rel=1e-12)
        assert path.value <= total
        assert path.share == path.value / total
        # It is one of the walks, with the weights that were used, and no equally strong one is shorter.
        equal = [names for value, names, _ in walks[vertex] if value >= best * (1 - 1e-12)]
        assert path.names in equal
        assert len(path.names) == min(map(len, equal))
        assert path.weights in [weights for _, names, weights in walks[vertex] if names == path.names]
        if len(walks[vertex]) == 1:
            assert path.share == 1.0


@given(seeds, seeds, st.booleans())
@settings(max_examples=60, deadline=None)
def test_an_endless_sum_has_the_paths_of_a_long_one(seed, text, first_hop):
    net = random_net(seed, first_hop)
    x = random_text(text, net)
    endless, long = Global(0.8, None), Global(0.8, net.n_vertices + 1)
    E = endless.expand(x, net)
    for path, other in zip(endless.paths(x, net, E.indices), long.paths(x, net, E.indices), strict=True):
        assert (path.names, path.weights, path.value) == (other.names, other.weights, other.value)
        assert path.share == pytest.approx(other.value / E.data[E.indices == net.graph.index(path.names[-1])][0])


@given(seeds, seeds, st.floats(0.01, 0.3), st.integers(2, 4))
@settings(max_examples=80, deadline=None)
def test_paths_do_not_lead_through_what_was_pruned(seed, text, prune, hops):
    net = random_net(seed)
    x = random_text(text, net)
    expansion = Global(0.8, hops, prune=prune)
    E = expansion.expand(x, net)
    W = net.graph.row_normalized().weights.toarray()
    # Amounts hop by hop, as the expansion has them, and the best walks through what is not below the floor.
    amounts = best = x.toarray()[0, net.columns]
    floor = prune * amounts.sum()
    wanted = np.zeros(net.n_vertices)
    for hop in range(hops):
        amounts, best = 0.8 * amounts @ W, (0.8 * best[:, None] * W).max(axis=0)
        wanted = np.maximum(wanted, best)
        if hop < hops - 1:
            amounts, best = np.where(amounts >= floor, amounts, 0), np.where(amounts >= floor, best, 0)
    for path, vertex in zip(expansion.paths(x, net, E.indices), E.indices, strict=True):
        assert path.value == pytest.approx(wanted[vertex], rel=1e-12)
        assert 0 < path.share <= 1


def test_pruning_changes_the_path_on_a_planted_net():
    # s → a → t is the stronger walk, but a holds less than half of the text's mass after the first hop.
    names = np.array(["s", "a", "b", "t"], dtype=object)
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 3], edges[0, 2], edges[2, 3] = 0.3, 1.0, 0.6, 0.1
    net = Net(graph=FeatureGraph(names, edges), columns=np.arange(4), feature_names=names, frequency=np.ones(4))
    x = canonical_csr(np.array([[1.0, 0, 0, 0]]))
    plain, pruned = Global(1.0, 2, normalize=None), Global(1.0, 2, normalize=None, prune=0.5)
    assert str(plain.paths(x, net, [3])[0]) == "s → a → t"
    assert pruned.paths(x, net, [3]) == [ExpansionPath(("s", "b", "t"), (0.6, 0.1), 0.06, 1.0)]


def test_ties_are_settled_by_hops_and_then_by_order():
    names = np.array(["a", "b", "c", "d"], dtype=object)
    edges = np.zeros((4, 4))
    edges[0, 2] = edges[1, 2] = edges[2, 3] = edges[0, 3] = edges[1, 3] = 1.0
    net = Net(graph=FeatureGraph(names, edges), columns=np.arange(4), feature_names=names, frequency=np.ones(4))
    x = canonical_csr(np.array([[1.0, 1.0, 0, 0]]))
    paths = quiet(Global(1.0, 2, normalize=None).paths, x, net, np.array([3, 2, 3]))
    assert [path.names for path in paths] == [("a", "d"), ("a", "c"), ("a", "d")]
    assert [path.share for path in paths] == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("kind", [AllNeighbors, MutualNeighbors])
@given(seeds, seeds, st.booleans(), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_neighbours_come_in_one_step(kind, seed, text, first_hop, k):
    net = random_net(seed, first_hop)
    x = random_text(text, net)
    E = kind(k).expand(x, net)
    A = net.graph.mutual_knn(k).weights.toarray() > 0
    values = x.toarray()[0, net.columns]
    for path, vertex, total in zip(kind(k).paths(x, net, E.indices), E.indices, E.data, strict=True):
        leading = np.where(A[:, vertex], values, 0)
        source = int(leading.argmax())
        assert path == ExpansionPath(
            (net.graph.names[source], net.graph.names[vertex]), (1.0,), leading[source], leading[source] / total
        )


@given(seeds, seeds)
@settings(max_examples=60, deadline=None)
def test_predicted_vertices_came_by_themselves_and_inner_ones_by_the_most_probable_path(seed, text):
    net = random_net(seed)
    x = random_text(text, net)
    alone = Independent().expand(x, net)
    own = [ExpansionPath((name,), (), 1.0, 1.0) for name in net.graph.names[alone.indices]]
    assert Independent().paths(x, net, alone.indices) == own
    E = LocalPath().expand(x, net)
    present = {name for name in net.feature_names[x.indices] if name in net.graph}
    for path, vertex, total in zip(LocalPath().paths(x, net, E.indices), E.indices, E.data, strict=True):
        assert path.value == total
        assert path.share == 1.0
        assert path.names[-1] == net.graph.names[vertex]
        if vertex in alone.indices:
            assert path.names == (net.graph.names[vertex],)
            continue
        assert path.names[0] in present
        assert path.weights == tuple(net.weight(a, b) for a, b in pairwise(path.names))
        best = net.graph.most_probable_path(path.names[0], path.names[-1])
        assert (best.names, best.probability) == (path.names, total)


def test_local_paths_on_a_planted_chain():
    # Only d is predicted; b and c lie on the way from a, and the predictor of d needs no path.
    names = np.array(["a", "b", "c", "d"], dtype=object)
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 2], edges[2, 3], edges[0, 3] = 0.5, 0.5, 0.5, 0.1
    weights = np.zeros((4, 4))
    weights[0, 3] = 1.0
    predictor = Planted(weights).fit(np.eye(4), np.zeros((4, 4)), setup=Setup(columns=np.arange(4)))
    net = Net(
        graph=FeatureGraph(names, edges), columns=np.arange(4), feature_names=names, frequency=np.ones(4),
        predictor=predictor,
    )  # fmt: skip
    x = canonical_csr(np.array([[2.0, 0, 0, 0]]))
    assert LocalPath().paths(x, net, np.array([2, 3, 1])) == [
        ExpansionPath(("a", "b", "c"), (0.5, 0.5), 0.25, 1.0),
        ExpansionPath(("d",), (), 1.0, 1.0),
        ExpansionPath(("a", "b"), (0.5,), 0.5, 1.0),
    ]


def test_paths_check_what_they_are_asked():
    names = np.array(["a", "b", "c"], dtype=object)
    graph = FeatureGraph(names, np.array([[0, 0.5, 0], [0, 0, 0.5], [0, 0, 0]]))
    net = Net(graph=graph, columns=np.arange(3), feature_names=names, frequency=np.ones(3))
    x = canonical_csr(np.array([[1.0, 0, 0]]))
    assert Global().paths(x, net, np.zeros(0, dtype=np.int64)) == []
    with pytest.raises(InputError, match="does not hold 'c': no path leads there"):
        Global().paths(x, net, np.array([1, 2]))
    with pytest.raises(InputError, match="none at position 3"):
        Global().paths(x, net, np.array([3]))
    with pytest.raises(InputError, match="explain one text; got 2 rows"):
        Global().paths(canonical_csr(np.eye(2, 3)), net, np.array([1]))
    with pytest.raises(InputError, match="built on 3"):
        Global().paths(canonical_csr(np.eye(1, 2)), net, np.array([1]))
    with pytest.raises(InputError, match="does not hold 'b'"):
        Global().paths(x, net.edited(Edits().ban("a")), np.array([1]))
