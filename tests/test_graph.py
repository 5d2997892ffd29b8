"""The feature graph against plain oracles: what it refuses, neighbours, subgraphs, paths, spectral radius."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from classinet.exceptions import InputError, ParameterError
from classinet.graph import Edge, FeatureGraph, Path, neighborhood
from classinet.graph import spectral as spectral_module
from classinet.graph.feature_graph import KEPT
from classinet.graph.spectral import _bracketed_root, _iterated_root, spectral_radius


def names_of(n):
    return [f"w{i}" for i in range(n)]


def random_weights(seed, n, density, levels=None):
    """Dense weights without diagonal; few levels make ties."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.01, 1.0, (n, n)) if levels is None else rng.integers(1, levels + 1, (n, n)) / levels
    weights = values * (rng.random((n, n)) < density)
    np.fill_diagonal(weights, 0.0)
    return weights


graphs = st.builds(
    random_weights,
    st.integers(0, 2**32 - 1),
    st.integers(1, 14),
    st.floats(0.05, 0.9),
    st.sampled_from([None, 1, 2, 3]),
)


@pytest.fixture
def planted():
    """Four vertices, five edges; association ranks against the weights."""
    weights = sparse.csr_array(
        (np.array([0.8, 0.5, 0.8, 0.6, 0.9]), np.array([1, 2, 3, 0, 1]), np.array([0, 3, 4, 5, 5])),
        shape=(4, 4),
    )
    return FeatureGraph(
        ["cat", "dog", "pet", "cow"],
        weights,
        association=np.array([0.1, 0.7, 0.2, 0.4, 0.5]),
        counts=np.arange(20).reshape(5, 4),
    )


def test_parts_and_repr(planted):
    assert (planted.n_vertices, planted.n_edges) == (4, 5)
    assert planted.names.dtype == object
    assert repr(planted) == "<FeatureGraph: 4 vertices, 5 edges>"
    assert clone(planted) is planted


def test_arrays_are_read_only_and_the_callers_are_left_alone():
    data = np.array([0.5])
    weights = sparse.csr_array((data, np.array([1]), np.array([0, 1, 1])), shape=(2, 2))
    graph = FeatureGraph(["a", "b"], weights, association=np.ones(1), counts=np.ones((1, 4), dtype=int))
    parts = (
        graph.names,
        graph.association,
        graph.counts,
        graph.weights.data,
        graph.weights.indices,
        graph.lengths,
    )
    for array in parts:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        graph.names = ["c", "d"]
    assert data.flags.writeable
    assert weights.data.flags.writeable


def test_pickle_gives_an_equal_and_read_only_graph(planted):
    planted.mutual_knn(2)
    other = pickle.loads(pickle.dumps(planted))  # noqa: S301
    np.testing.assert_array_equal(other.names, planted.names)
    np.testing.assert_array_equal(other.weights.toarray(), planted.weights.toarray())
    np.testing.assert_array_equal(other.counts, planted.counts)
    np.testing.assert_array_equal(other.association, planted.association)
    assert not other.weights.data.flags.writeable


def test_stored_zeros_are_dropped_with_what_belongs_to_them():
    weights = sparse.csr_array((np.array([0.0, 0.5]), np.array([1, 2]), np.array([0, 2, 2, 2])), shape=(3, 3))
    graph = FeatureGraph(names_of(3), weights, association=np.array([9.0, 7.0]), counts=np.arange(8).reshape(2, 4))
    assert graph.n_edges == 1
    assert graph.association.tolist() == [7.0]
    assert graph.counts.tolist() == [[4, 5, 6, 7]]


def test_unsorted_weights_are_sorted_with_what_belongs_to_them():
    weights = sparse.csr_array((np.array([0.2, 0.1]), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))
    graph = FeatureGraph(names_of(3), weights, association=np.array([20.0, 10.0]))
    assert graph.weights.indices.tolist() == [1, 2]
    assert graph.weights.data.tolist() == [0.1, 0.2]
    assert graph.association.tolist() == [10.0, 20.0]


TWO = np.array([[0, 0.5], [0.5, 0]])


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((["a", "b"], np.eye(2)), {}, "from vertex 0 to itself"),
        ((["a", "b"], TWO * 3), {}, r"weights must lie in \[0, 1\]; row 0, column 1 holds 1.5"),
        ((["a", "b"], -TWO), {}, r"weights must lie in \[0, 1\]"),
        ((["a", "b"], TWO * np.nan), {}, "holds nan"),
        ((["a", "a"], TWO), {}, "'a' occurs more than once"),
        ((["a", 3], TWO), {}, "name 1 is 3"),
        (("ab", TWO), {}, "single string"),
        ((["a", "b", "c"], TWO), {}, r"weights has shape \(2, 2\); 3 names need \(3, 3\)"),
        ((["a", "b"], TWO), {"association": np.ones(3)}, "association has shape"),
        ((["a", "b"], TWO), {"association": np.array([1, np.inf])}, "association holds a value that is NaN"),
        ((["a", "b"], TWO), {"counts": np.ones((2, 3), dtype=int)}, "counts has shape"),
        ((["a", "b"], TWO), {"counts": np.ones((2, 4))}, "counts must hold whole numbers"),
        ((["a", "b"], TWO), {"counts": -np.ones((2, 4), dtype=int)}, "counts holds a negative number"),
        ((["a", "b"], TWO), {"first_hop": np.ones((5, 3))}, "first_hop has 3 columns"),
        ((["a", "b"], TWO), {"first_hop": 2 * np.ones((5, 2))}, r"first_hop must lie in \[0, 1\]"),
        (
            (
                ["a", "b"],
                sparse.csr_array((np.array([0.1, 0.2]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2)),
            ),
            {},
            "an edge twice",
        ),
    ],
)
def test_what_is_no_graph_is_refused(arguments, keywords, message):
    with pytest.raises(InputError, match=message):
        FeatureGraph(*arguments, **keywords)


def test_unknown_vertices_are_named_with_close_ones(planted):
    assert planted.index("pet") == 2
    with pytest.raises(InputError, match="'cxt' is no vertex of this graph; did you mean 'cat'"):
        planted.index("cxt")
    with pytest.raises(InputError, match=r"'zebra' is no vertex of this graph$"):
        planted.successors("zebra")


def test_neighbours_are_strongest_first_and_ties_in_vertex_order(planted):
    assert [edge.target for edge in planted.successors("cat")] == ["dog", "cow", "pet"]
    assert planted.successors("cat", top=1) == [Edge("cat", "dog", 0.8, 0.1, (0, 1, 2, 3))]
    assert planted.predecessors("dog") == [
        Edge("pet", "dog", 0.9, 0.5, (16, 17, 18, 19)),
        Edge("cat", "dog", 0.8, 0.1, (0, 1, 2, 3)),
    ]
    assert planted.successors("cow") == []
    with pytest.raises(ParameterError, match="top must be a whole number"):
        planted.successors("cat", top=-1)


def test_knn_keeps_what_belongs_to_the_edges(planted):
    by_weight = planted.knn(1)
    assert by_weight.edge_table()["target"].tolist() == ["dog", "cat", "dog"]
    by_association = planted.knn(1, by="association")
    assert by_association.edge_table()["target"].tolist() == ["pet", "cat", "dog"]
    assert by_association.association.tolist() == [0.7, 0.4, 0.5]
    assert by_association.counts.tolist() == planted.counts[[1, 3, 4]].tolist()


def test_strength_must_exist(planted):
    bare = FeatureGraph(["a", "b"], TWO)
    with pytest.raises(InputError, match="holds no association"):
        bare.knn(1, by="association")
    with pytest.raises(ParameterError, match="by must be one of"):
        planted.mutual_knn(1, by="lift")
    with pytest.raises(ParameterError, match="k must be a whole number"):
        planted.knn(0)


def brute_nearest(weights, k):
    """Targets of each vertex's k strongest edges, ties by index."""
    targets = []
    for row in weights:
        edges = sorted((-w, j) for j, w in enumerate(row) if w > 0)
        targets.append({j for _, j in edges[:k]})
    return targets


@given(graphs, st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_knn_and_mutual_knn_equal_brute_force(weights, k):
    graph = FeatureGraph(names_of(len(weights)), weights)
    nearest = brute_nearest(weights, k)
    own = {(i, j) for i, targets in enumerate(nearest) for j in targets}
    mutual = {(i, j) for i, j in own if i in nearest[j]}
    for part, wanted in ((graph.knn(k), own), (graph.mutual_knn(k), mutual)):
        rows, columns = part.to_scipy().nonzero()
        assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == wanted
        np.testing.assert_array_equal(part.weights.data, weights[rows, columns])
    assert graph.mutual_knn(k) is graph.mutual_knn(k)


def test_graphs_of_many_k_do_not_pile_up():
    graph = FeatureGraph(names_of(12), random_weights(0, 12, 0.8))
    first = graph.mutual_knn(1)
    for k in range(2, 10):
        graph.mutual_knn(k)
    assert len(graph._mutual) == KEPT
    again = graph.mutual_knn(1)
    assert again is not first
    np.testing.assert_array_equal(again.weights.toarray(), first.weights.toarray())


@given(graphs, st.integers(1, 5), st.integers(1, 3), st.booleans(), st.integers(1, 3))
@settings(max_examples=80, deadline=None)
def test_a_neighborhood_is_what_breadth_first_search_finds(weights, top, hops, mutual, n_starts):
    graph = FeatureGraph(names_of(len(weights)), weights)
    part = graph.mutual_knn(top) if mutual else graph.knn(top)
    starts = list(graph.names[:n_starts])
    oracle = nx.DiGraph(part.to_networkx())
    oracle.add_nodes_from(graph.names)
    reach = [nx.single_source_shortest_path_length(oracle, start, cutoff=hops) for start in starts]
    wanted = {name: min(found[name] for found in reach if name in found) for found in reach for name in found}
    found = neighborhood(graph, starts, hops, top, most=1000, mutual=mutual)
    assert found.distances == wanted
    assert found.complete
    edges = {(e.source, e.target): e.weight for e in found.edges}
    assert edges == {(a, b): w for a, b, w in oracle.edges(data="weight") if a in wanted and b in wanted}
    assert list(found.distances.values()) == sorted(found.distances.values())
    for most in range(1, len(wanted) + 1):
        cut = neighborhood(graph, starts, hops, top, most, mutual)
        assert list(cut.distances) == list(found.distances)[:most]
        assert cut.complete == (most >= len(wanted))


def test_a_neighborhood_needs_known_starts(planted):
    with pytest.raises(InputError, match="around names no vertex"):
        neighborhood(planted, [])
    with pytest.raises(InputError, match="did you mean 'cat'"):
        neighborhood(planted, ["dog", "cta"])
    with pytest.raises(ParameterError, match="most must be"):
        neighborhood(planted, ["dog"], most=0)


def test_first_hop_follows_the_graph():
    hop = np.array([[0.2, 0.6, 0.4], [0, 0.5, 0.5]])
    graph = FeatureGraph(names_of(3), random_weights(0, 3, 1.0), first_hop=hop)
    assert "first hop from 2 features" in repr(graph)
    np.testing.assert_allclose(graph.knn(1).first_hop.toarray(), [[0, 0.6, 0], [0, 0.5, 0]])
    np.testing.assert_allclose(graph.subgraph(["w2", "w0"]).first_hop.toarray(), hop[:, [2, 0]])
    np.testing.assert_allclose(graph.row_normalized().first_hop.toarray(), hop / hop.sum(1, keepdims=True))
    assert graph.mutual_knn(2).first_hop is None


@given(graphs, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_subgraph_is_a_submatrix(weights, random):
    n = len(weights)
    stored = np.count_nonzero(weights)
    graph = FeatureGraph(
        names_of(n), weights, association=np.arange(stored) / 7, counts=np.arange(4 * stored).reshape(-1, 4)
    )
    own = random.sample(range(n), random.randint(0, n))
    part = graph.subgraph([f"w{i}" for i in own])
    np.testing.assert_array_equal(part.weights.toarray(), weights[np.ix_(own, own)])
    known = {(e.source, e.target): e for name in graph.names for e in graph.successors(name)}
    for name in part.names:
        for edge in part.successors(name):
            assert edge == known[edge.source, edge.target]


def brute_chances(weights, start, hops):
    """Largest product of weights over walks of at most `hops` edges."""
    chance = np.zeros(len(weights))
    chance[start] = 1.0
    for _ in range(hops):
        chance = np.maximum(chance, (chance[:, None] * weights).max(axis=0))
    return chance


@given(graphs, st.integers(1, 4), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_around_takes_the_most_probable_vertices(weights, hops, limit):
    chance = brute_chances(weights, 0, hops)
    others = sorted((i for i in range(1, len(weights)) if chance[i] > 0), key=lambda i: (-chance[i], i))
    wanted = [0, *others][:limit]
    part = FeatureGraph(names_of(len(weights)), weights).around("w0", hops=hops, limit=limit)
    assert part.names.tolist() == [f"w{i}" for i in wanted]
    np.testing.assert_array_equal(part.weights.toarray(), weights[np.ix_(wanted, wanted)])


def test_around_checks_its_parameters(planted):
    with pytest.raises(ParameterError, match="hops must be"):
        planted.around("cat", hops=0)
    with pytest.raises(ParameterError, match="limit must be"):
        planted.around("cat", limit=0)


@given(graphs)
@settings(max_examples=80, deadline=None)
def test_paths_equal_networkx(weights):
    graph = FeatureGraph(names_of(len(weights)), weights)
    other = nx.DiGraph()
    other.add_nodes_from(graph.names)
    for i, j in zip(*np.nonzero(weights), strict=True):
        other.add_edge(f"w{i}", f"w{j}", length=-np.log(weights[i, j]))
    lengths = nx.single_source_dijkstra_path_length(other, "w0", weight="length")
    for target in graph.names:
        path = graph.most_probable_path("w0", target)
        if target not in lengths:
            assert path is None
            continue
        assert path.probability == pytest.approx(np.exp(-lengths[target]), rel=1e-9)
        product = 1.0
        for a, b in zip(path.names, path.names[1:], strict=False):
            product *= weights[graph.index(a), graph.index(b)]
        assert (path.names[0], path.names[-1]) == ("w0", target)
        assert len(set(path.names)) == len(path.names)
        assert product == path.probability


def test_path_to_itself_is_certain(planted):
    assert planted.most_probable_path("cat", "cat") == Path(("cat",), 1.0)


def test_a_detour_of_strong_edges_beats_a_weak_edge():
    weights = np.array([[0, 0.9, 0.5], [0, 0, 0.8], [0, 0, 0]])
    path = FeatureGraph(["a", "b", "c"], weights).most_probable_path("a", "c")
    assert path.names == ("a", "b", "c")
    assert path.probability == 0.9 * 0.8


def test_a_path_whose_probability_underflows_is_still_found():
    n = 400
    weights = sparse.csr_array((np.full(n - 1, 0.1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    path = FeatureGraph(names_of(n), weights).most_probable_path("w0", f"w{n - 1}")
    assert len(path.names) == n
    assert path.probability == 0.0


@given(graphs)
@settings(max_examples=80, deadline=None)
def test_spectral_radius_equals_dense_eigenvalues(weights):
    graph = FeatureGraph(names_of(len(weights)), weights)
    # Dense eigenvalues of a nilpotent matrix are only good to about eps^(1/n); its radius is 0.
    wanted = np.abs(np.linalg.eigvals(weights)).max()
    if not np.linalg.matrix_power(weights, len(weights)).any():
        wanted = 0.0
    assert graph.spectral_radius() == pytest.approx(wanted, rel=1e-4, abs=1e-9)
    assert graph.spectral_radius() <= graph.max_row_sum() * (1 + 1e-12)


@pytest.mark.parametrize("density", [0.01, 0.05])
def test_spectral_radius_of_a_large_component_is_iterated(density, monkeypatch):
    weights = random_weights(3, 400, density)
    calls = []
    monkeypatch.setattr(spectral_module, "_iterated_root", lambda block: calls.append(1) or _iterated_root(block))
    radius = spectral_radius(FeatureGraph(names_of(400), weights).weights)
    assert calls
    assert radius == pytest.approx(np.abs(np.linalg.eigvals(weights)).max(), rel=1e-9)


def test_spectral_radius_of_a_long_cycle_is_the_geometric_mean():
    n = 300
    cycle = np.random.default_rng(0).uniform(0.1, 1.0, n)
    weights = sparse.csr_array((cycle, (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    graph = FeatureGraph(names_of(n), weights)
    mean = np.exp(np.log(cycle).mean())
    assert graph.spectral_radius() == pytest.approx(mean, rel=1e-9)
    assert _bracketed_root(graph.weights) == pytest.approx(mean, rel=1e-9)


def test_spectral_radius_of_a_random_walk_is_one_and_of_a_chain_zero():
    walk = FeatureGraph(names_of(30), random_weights(5, 30, 0.5)).row_normalized()
    assert walk.spectral_radius() == pytest.approx(1.0, abs=1e-13)
    chain = FeatureGraph(names_of(5), np.diag(np.ones(4), 1))
    assert chain.spectral_radius() == 0.0
    assert FeatureGraph([], np.zeros((0, 0))).spectral_radius() == 0.0


@given(graphs)
@settings(max_examples=40, deadline=None)
def test_degrees_and_normalisation(weights):
    graph = FeatureGraph(names_of(len(weights)), weights)
    np.testing.assert_allclose(graph.out_degree(), weights.sum(1))
    np.testing.assert_allclose(graph.in_degree(), weights.sum(0))
    np.testing.assert_array_equal(graph.out_degree(weighted=False), (weights > 0).sum(1))
    np.testing.assert_array_equal(graph.in_degree(weighted=False), (weights > 0).sum(0))
    assert graph.max_row_sum() == pytest.approx(weights.sum(1).max())
    sums = weights.sum(1, keepdims=True)
    walk = graph.row_normalized()
    np.testing.assert_allclose(walk.weights.toarray(), weights / np.where(sums == 0, 1, sums), rtol=1e-14)
    assert graph.row_normalized() is walk


def test_a_graph_without_vertices():
    graph = FeatureGraph([], np.zeros((0, 0)))
    assert graph.max_row_sum() == 0.0
    assert graph.knn(3).n_edges == graph.mutual_knn(3).n_edges == graph.row_normalized().n_edges == 0
