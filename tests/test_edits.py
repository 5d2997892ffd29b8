"""Edits as lines, and edited graphs and nets against dense algebra: what is edited changes, and nothing else."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from classinet._sparse import canonical_csr
from classinet.edits import Edit, Edits
from classinet.exceptions import DivergenceWarning, InputError, ParameterError
from classinet.expansion import AllNeighbors, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.graph import FeatureGraph
from classinet.net import Net
from classinet.predictors.base import Predictor, Setup

seeds = st.integers(0, 2**32 - 1)
names = st.text(min_size=1, max_size=4)
probabilities = st.floats(0, 1)


# ------------------------------------------------------------------------------------------------------ lines


@st.composite
def any_edits(draw):
    edits = Edits()
    for _ in range(draw(st.integers(0, 6))):
        pair = draw(st.lists(names, min_size=2, max_size=2, unique=True))
        match draw(st.integers(0, 2)):
            case 0:
                edits = edits.ban(pair[0])
            case 1:
                edits = edits.ban(*pair)
            case _:
                edits = edits.pin(*pair, draw(probabilities))
    return edits


@given(any_edits())
def test_lines_say_all(edits):
    lines = edits.to_lines()
    assert Edits.from_lines(lines) == edits
    assert Edits.from_lines([line + "\n" for line in lines]) == edits
    text = "\n".join(lines)
    assert text.encode().decode().splitlines() == lines  # names with line separators keep a line a line


def test_lines_are_readable():
    edits = Edits((Edit("cat", "dog", None, 0.41), Edit("cat", "pet", 0.9, 0.2))).ban("the").ban("café", "thé")
    assert edits.to_lines() == [
        '{"ban": ["cat", "dog"], "was": 0.41}',
        '{"pin": ["cat", "pet"], "weight": 0.9, "was": 0.2}',
        '{"ban": "the"}',
        '{"ban": ["café", "thé"]}',
    ]
    assert [edit.was for edit in Edits.from_lines(edits.to_lines())] == [0.41, 0.2, None, None]
    assert [str(edit) for edit in edits] == [
        "ban cat → dog (was 0.41)", "pin cat → pet to 0.9 (was 0.2)", "ban the", "ban café → thé",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "one JSON object, and this is none"),
        ("[" * 100_000, "one JSON object, and this is none"),
        ("[1]", r"one JSON object, got '\[1\]'"),
        ("{}", 'says "ban" or "pin"'),
        ('{"ban": "a", "pin": ["a", "b"]}', "and not both"),
        ('{"ban": "a", "why": 1}', "does not go with the key 'why'"),
        ('{"ban": ["a", "b"], "weight": 0.5}', "does not go with the key 'weight'"),
        ('{"ban": "a", "ban": "b"}', "each key once"),
        ('{"ban": "a", "was": 0.5}', "has no weight"),
        ('{"ban": 3}', "must hold a name or"),
        ('{"ban": ["a"]}', "must hold a name or"),
        ('{"ban": ["a", "b", "c"]}', "must hold a name or"),
        ('{"ban": ["a", 3]}', "by strings that are not empty, got 3"),
        ('{"ban": ["a", null]}', "by strings that are not empty, got None"),
        ('{"ban": ""}', "not empty"),
        ('{"pin": "a", "weight": 0.5}', r"must hold \[source, target\]"),
        ('{"pin": ["a", "b"]}', 'needs a "weight"'),
        ('{"pin": ["a", "a"], "weight": 0.5}', "from 'a' to itself"),
        ('{"pin": ["a", "b"], "weight": NaN}', "NaN is no weight"),
        ('{"pin": ["a", "b"], "weight": -Infinity}', "-Infinity is no weight"),
        ('{"pin": ["a", "b"], "weight": 1e999}', "got inf"),
        ('{"pin": ["a", "b"], "weight": 1.5}', "weight must be a number in"),
        ('{"pin": ["a", "b"], "weight": -0.1}', "weight must be a number in"),
        ('{"pin": ["a", "b"], "weight": true}', "weight must be a number in"),
        ('{"pin": ["a", "b"], "weight": null}', "weight must be a number in"),
        ('{"pin": ["a", "b"], "weight": "1"}', "weight must be a number in"),
        ('{"pin": ["a", "b"], "weight": 1' + "0" * 400 + "}", "weight must be a number in"),
        ('{"ban": ["a", "b"], "was": null}', "was must be a number in"),
    ],
)
def test_lines_are_checked(line, message):
    with pytest.raises(InputError, match=rf"line 3 of the edits: .*{message}"):
        Edits.from_lines(['{"ban": "the"}', "", line])


def test_edits_are_values():
    one = Edits().ban("the").pin("cat", "pet", 1)
    assert one == Edits([Edit.ban_vertex("the"), Edit.pin_edge("cat", "pet", 1.0)])
    assert hash(one) == hash(one.ban("a").undo())
    assert isinstance(one.items[1].weight, float)
    assert one.undo(2) == Edits() == one.undo(0).undo().undo()
    for count in (3, -1, True, 1.0):
        with pytest.raises(ParameterError, match="count must be a whole number from 0 to the 2 edits"):
            one.undo(count)
    with pytest.raises(InputError, match="must be Edit objects, got 'the'"):
        Edits(("the",))


def test_an_edit_repeats_only_what_counts():
    assert not Edits().repeats()
    assert not Edits().ban("a").repeats()
    assert not Edits().ban("a").ban("a", "b").ban("b").repeats()
    assert Edits().pin("a", "b", 0.5).ban("c").pin("a", "b", 0.5).repeats()
    assert not Edits().pin("a", "b", 0.5).ban("a", "b").pin("a", "b", 0.5).repeats()


def test_the_last_edit_of_an_edge_counts():
    edits = Edits().pin("a", "b", 0.2).ban("a", "b").pin("b", "a", 0.3).pin("a", "b", 0.7)
    assert edits.edges() == {("a", "b"): 0.7, ("b", "a"): 0.3}
    assert edits.undo().edges() == {("a", "b"): 0.0, ("b", "a"): 0.3}


# ------------------------------------------------------------------------------------------- graphs and nets


def random_net(seed, first_hop=False):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 10))
    n = int(rng.integers(2, d + 1))
    edges = rng.uniform(0.02, 1, (n, n)) * (rng.random((n, n)) < rng.uniform(0.1, 0.9))
    np.fill_diagonal(edges, 0)
    features = np.array([f"w{i}" for i in range(d)], dtype=object)
    columns = rng.permutation(d)[:n]
    hop = None
    if first_hop:
        hop = rng.uniform(0, 1, (d, n)) * (rng.random((d, n)) < 0.5)
        hop[columns] = edges
    stored = np.count_nonzero(edges)
    graph = FeatureGraph(
        features[columns],
        edges,
        association=rng.random(stored),
        counts=rng.integers(1, 9, (stored, 4)),
        first_hop=hop,
    )
    return Net(graph=graph, columns=columns, feature_names=features, frequency=rng.uniform(0.1, 1, d))


def random_edits(seed, net, size=6):
    rng = np.random.default_rng(seed)
    edits = Edits()
    sources = net.feature_names if net.graph.first_hop is not None else net.graph.names
    for _ in range(int(rng.integers(1, size))):
        source, target = str(rng.choice(sources)), str(rng.choice(net.graph.names))
        kind = rng.integers(5)
        if kind == 0 or source == target:
            edits = edits.ban(source)
        elif kind < 3:
            edits = edits.ban(source, target)
        else:
            edits = edits.pin(source, target, float(rng.uniform(0, 1)))
    return edits


def random_texts(seed, d, rows=4):
    rng = np.random.default_rng(seed)
    return canonical_csr(rng.uniform(0.1, 3, (rows, d)) * (rng.random((rows, d)) < 0.6))


def dense_edited(matrix, row_names, column_names, edits):
    """The edits on a dense matrix, one at a time, bans of features last."""
    matrix = matrix.copy()
    rows, columns = list(row_names), list(column_names)
    for edit in edits:
        if edit.target is not None and edit.source in rows:
            matrix[rows.index(edit.source), columns.index(edit.target)] = edit.weight or 0.0
    for edit in edits:
        if edit.target is None:
            if edit.source in rows:
                matrix[rows.index(edit.source)] = 0
            if edit.source in columns:
                matrix[:, columns.index(edit.source)] = 0
    return matrix


def normalized(matrix):
    sums = matrix.sum(1, keepdims=True)
    return matrix / np.where(sums == 0, 1, sums)


def same(one, other):
    """The same graph, bit for bit."""
    for a, b in ((one.weights, other.weights), (one.first_hop, other.first_hop)):
        assert (a is None) == (b is None)
        if a is not None:
            for part in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(getattr(a, part), getattr(b, part), strict=True)
    np.testing.assert_array_equal(one.names, other.names)
    np.testing.assert_array_equal(one.association, other.association)
    np.testing.assert_array_equal(one.counts, other.counts)


def assert_canonical(matrix):
    assert matrix.indptr.dtype == np.int64
    assert matrix.indices.dtype == np.int32
    assert matrix.indptr[-1] == len(matrix.data) == len(matrix.indices)
    assert (matrix.data > 0).all()
    assert not matrix.data.flags.writeable
    for row in range(matrix.shape[0]):
        assert (np.diff(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]) > 0).all()


@given(seeds, seeds, st.booleans())
@settings(max_examples=150, deadline=None)
def test_an_edited_graph_is_the_edited_matrix(net_seed, edit_seed, first_hop):
    net = random_net(net_seed, first_hop)
    edits = random_edits(edit_seed, net)
    plain, graph = net.graph, net.edited(edits).graph
    vertices, features = plain.names, net.feature_names
    wanted = dense_edited(plain.weights.toarray(), vertices, vertices, edits)
    np.testing.assert_array_equal(graph.weights.toarray(), wanted)
    assert_canonical(graph.weights)
    if first_hop:
        wanted_hop = dense_edited(plain.first_hop.toarray(), features, vertices, edits)
        np.testing.assert_array_equal(graph.first_hop.toarray(), wanted_hop)
        assert_canonical(graph.first_hop)
    known = {(e.source, e.target): e for name in plain.names for e in plain.successors(name)}
    for name in graph.names:
        for edge in graph.successors(name):
            before = known.get((edge.source, edge.target))
            counted = (0.0, (0, 0, 0, 0)) if before is None else (before.association, before.counts)
            assert (edge.association, edge.counts) == counted
    assert graph.max_row_sum() == pytest.approx(wanted.sum(1).max())
    # The checks of an ordinary graph find nothing to complain of, and the same spectrum.
    again = FeatureGraph(
        graph.names, graph.weights, association=graph.association, counts=graph.counts, first_hop=graph.first_hop
    )
    assert graph.spectral_radius() == again.spectral_radius()


@given(seeds, seeds, st.booleans(), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_what_is_derived_is_derived_first_and_edited_then(net_seed, edit_seed, first_hop, k):
    net = random_net(net_seed, first_hop)
    edits = random_edits(edit_seed, net)
    plain, graph = net.graph, net.edited(edits).graph
    vertices = plain.names
    own = vertices[np.random.default_rng(edit_seed).permutation(len(vertices))[: k + 1]]
    inside = [e for e in edits if (e.target is None and e.source in own) or {e.source, e.target} <= set(own)]
    for derive in (
        lambda g: g.knn(k),
        lambda g: g.knn(k, by="association"),
        lambda g: g.mutual_knn(k),
        lambda g: g.row_normalized(),
        lambda g: g.row_normalized().mutual_knn(k),
    ):
        wanted = dense_edited(derive(plain).weights.toarray(), vertices, vertices, edits)
        np.testing.assert_array_equal(derive(graph).weights.toarray(), wanted)
    part = graph.subgraph(own)
    np.testing.assert_array_equal(
        part.row_normalized().weights.toarray(),
        dense_edited(plain.subgraph(own).row_normalized().weights.toarray(), own, own, inside),
    )
    if first_hop:
        order = [plain.index(name) for name in own]
        np.testing.assert_array_equal(part.first_hop.toarray(), graph.first_hop.toarray()[:, order])
    assert graph.mutual_knn(k) is graph.mutual_knn(k)
    assert graph.row_normalized() is graph.row_normalized()
    assert graph.knn(k).unedited.weights.nnz == plain.knn(k).weights.nnz


@given(seeds, seeds, seeds, st.booleans(), st.integers(1, 4), st.sampled_from(["row", None]))
@settings(max_examples=150, deadline=None)
def test_global_expansion_equals_dense_algebra(net_seed, edit_seed, text_seed, first_hop, hops, normalize):
    net = random_net(net_seed, first_hop)
    edits = random_edits(edit_seed, net)
    vertices = net.graph.names
    X = random_texts(text_seed, net.n_features)
    W = net.graph.weights.toarray()
    F = net.graph.first_hop.toarray() if first_hop else W
    if normalize == "row":
        W, F = normalized(W), normalized(F)
    W = dense_edited(W, vertices, vertices, edits)
    F = dense_edited(F, net.feature_names, vertices, edits) if first_hop else W
    term = 0.7 * (X.toarray() if first_hop else X.toarray()[:, net.columns]) @ F
    wanted = np.zeros_like(term)
    for _ in range(hops):
        wanted += term
        term = 0.7 * term @ W
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        E = Global(0.7, hops, normalize=normalize).expand(X, net.edited(edits))
    np.testing.assert_allclose(E.toarray(), wanted, rtol=1e-12)


@given(seeds, seeds, st.booleans())
@settings(max_examples=80, deadline=None)
def test_edits_are_undone_bit_for_bit(net_seed, edit_seed, first_hop):
    net = random_net(net_seed, first_hop)
    edits = random_edits(edit_seed, net)
    edited = net.edited(edits)
    assert edited.edits == edits
    assert net.edited(Edits()) is net is net.unedited is edited.unedited is edited.edited(Edits())
    # Always from the unedited net: what was edited before leaves no trace.
    other = Edits().ban(net.graph.names[0])
    same(edited.edited(other).graph, net.edited(other).graph)
    same(net.edited(other).edited(edits).graph, edited.graph)
    same(net.edited(edits.ban(net.graph.names[0]).undo()).graph, edited.graph)


@given(seeds, seeds, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_edits_of_different_edges_does_not_matter(net_seed, edit_seed, first_hop, random):
    net = random_net(net_seed, first_hop)
    distinct = {(edit.source, edit.target): edit for edit in random_edits(edit_seed, net)}
    shuffled = random.sample(list(distinct.values()), len(distinct))
    same(net.edited(Edits(tuple(distinct.values()))).graph, net.edited(Edits(tuple(shuffled))).graph)


@given(seeds, seeds, st.booleans())
@settings(max_examples=60, deadline=None)
def test_an_edited_edge_leaves_other_words_alone(net_seed, text_seed, first_hop):
    net = random_net(net_seed, first_hop)
    source, target = net.graph.names[:2]
    X = random_texts(text_seed, net.n_features).toarray()
    X[:, net.columns[0]] = 0
    X = canonical_csr(X)
    before = Global().expand(X, net).toarray()
    for edits in (Edits().ban(source, target), Edits().pin(source, target, 0.5)):
        np.testing.assert_array_equal(Global().expand(X, net.edited(edits)).toarray(), before)


def planted():
    """a → b, c; b → a; c → a; "rare" is no vertex but reaches a and b."""
    vertices = np.array(["a", "b", "c"], dtype=object)
    edges = np.array([[0, 0.6, 0.2], [0.5, 0, 0], [0.4, 0, 0]])
    graph = FeatureGraph(vertices, edges, first_hop=np.vstack([edges, [[0.3, 0.1, 0]]]))
    features = np.array(["a", "b", "c", "rare"], dtype=object)
    return Net(graph=graph, columns=np.arange(3), feature_names=features, frequency=np.ones(4))


def test_known_numbers():
    net = planted()
    X = canonical_csr(np.array([[1.0, 0, 0, 0], [0, 0, 0, 1.0]]))
    one = Global(damping=1.0)
    np.testing.assert_allclose(one.expand(X, net).toarray(), [[0, 0.75, 0.25], [0.75, 0.25, 0]])
    edited = net.edited(Edits().ban("a", "b").pin("rare", "c", 0.9))
    np.testing.assert_allclose(one.expand(X, edited).toarray(), [[0, 0, 0.25], [0.75, 0.25, 0.9]])
    assert edited.edits.to_lines() == [
        '{"ban": ["a", "b"], "was": 0.6}',
        '{"pin": ["rare", "c"], "weight": 0.9, "was": 0.0}',
    ]
    np.testing.assert_allclose(one.expand(X, net.edited(Edits().ban("rare"))).toarray()[1], [0, 0, 0])
    assert (edited.weight("a", "b"), edited.weight("rare", "c"), net.weight("rare", "a")) == (0.0, 0.9, 0.3)
    assert net.graph.edited(Edits().ban("a", "b"), {"a": 0, "b": 1, "c": 2, "rare": 3}).n_edges == 3
    # The weight before all edits, not the one before the last.
    assert [edit.was for edit in edited.edited(Edits().pin("a", "c", 0.9).ban("a", "c")).edits] == [0.2, 0.2]
    assert repr(edited) == "<Net: 3 vertices, 3 edges, recipe='custom', 2 edits>"


def test_a_ban_lets_no_other_neighbour_in():
    edges = np.array([[0, 0.9, 0.5], [0.9, 0, 0], [0.5, 0, 0]])
    vertices = np.array(["a", "b", "c"], dtype=object)
    net = Net(graph=FeatureGraph(vertices, edges), columns=np.arange(3), feature_names=vertices, frequency=np.ones(3))
    X = canonical_csr(np.eye(3))
    np.testing.assert_array_equal(AllNeighbors(k=1).expand(X, net).toarray(), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    banned = net.edited(Edits().ban("a", "b"))
    np.testing.assert_array_equal(AllNeighbors(k=1).expand(X, banned).toarray(), [[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    pinned = net.edited(Edits().pin("c", "a", 0.1))
    np.testing.assert_array_equal(AllNeighbors(k=1).expand(X, pinned).toarray(), [[0, 1, 0], [1, 0, 0], [1, 0, 0]])


def test_a_banned_vertex_stays_banned_whatever_is_pinned():
    net = planted()
    for edits in (Edits().ban("a").pin("b", "a", 0.9), Edits().pin("b", "a", 0.9).ban("a")):
        assert net.edited(edits).graph.n_edges == 0
    undone = net.edited(Edits().pin("b", "a", 0.9).ban("a").undo())
    assert undone.weight("b", "a") == 0.9


class Eager(Predictor):
    """Every vertex fires where the text holds any feature of weight 1."""

    def __init__(self, weights=None):
        self.weights = weights

    def _fit(self, problem):
        self.positives_ = np.ones(problem.n_vertices, dtype=np.int64)

    def _unlearnable(self, problem):
        return {}

    def scores(self, contexts, start, stop):
        return (contexts @ self.weights[:, start:stop]).T.astype(np.float32)


@pytest.mark.parametrize(
    "expansion", [Global(hops=3), Independent(), LocalPath(), AllNeighbors(), MutualNeighbors(), Spectral(3)], ids=repr
)
@given(seeds, seeds)
@settings(max_examples=25, deadline=None)
def test_a_banned_vertex_is_never_predicted_and_predicts_nothing(expansion, net_seed, text_seed):
    plain = random_net(net_seed)
    d, n = plain.n_features, plain.n_vertices
    rng = np.random.default_rng(net_seed)
    weights = (rng.random((d, n)) < 0.4).astype(np.float64)
    predictor = Eager(weights).fit(np.eye(d), np.zeros((d, n)), setup=Setup(columns=plain.columns))
    net = Net(
        graph=plain.graph, columns=plain.columns, feature_names=plain.feature_names, frequency=plain.frequency,
        predictor=predictor,
    )  # fmt: skip
    X = random_texts(text_seed, d)
    edited = net.edited(Edits().ban(net.graph.names[1]))
    assert edited.banned_vertices.tolist() == [1]
    assert edited.banned_columns.tolist() == [net.columns[1]]
    E = expansion.expand(X, edited).toarray()
    assert not E[:, 1].any()
    without = X.toarray()
    without[:, net.columns[1]] = 0
    np.testing.assert_array_equal(expansion.expand(canonical_csr(without), edited).toarray(), E)
    if isinstance(expansion, Independent):
        fires = (without > 0) @ weights > 0
        fires[:, 1] = False
        np.testing.assert_array_equal(E, fires)


@given(seeds, seeds, st.booleans())
@settings(max_examples=20, deadline=None)
def test_an_edited_net_is_a_value(net_seed, edit_seed, first_hop):
    net = random_net(net_seed, first_hop)
    edited = net.edited(random_edits(edit_seed, net))
    assert clone(edited) is edited
    other = pickle.loads(pickle.dumps(edited))  # noqa: S301
    assert other.edits == edited.edits
    same(other.graph, edited.graph)
    same(other.unedited.graph, net.graph)
    same(other.graph.row_normalized(), edited.graph.row_normalized())
    assert other.unedited is other.edited(Edits())


def test_unknown_names_are_refused_with_close_ones():
    net = planted()
    with pytest.raises(InputError, match="'rarre' is no vertex of this graph"):
        net.edited(Edits().ban("rarre"))
    with pytest.raises(InputError, match="'rare' is no vertex"):
        net.edited(Edits().pin("a", "rare", 0.5))
    with pytest.raises(InputError, match="'x' is no vertex"):
        net.edited(Edits().ban("x", "a"))
    graph = FeatureGraph(["cat", "dog"], np.array([[0, 0.5], [0.5, 0]]))
    with pytest.raises(InputError, match="'cxt' is no vertex of this graph; did you mean 'cat'"):
        graph.edited(Edits().pin("cxt", "dog", 0.5))
    features = np.array(["cat", "dog", "rare"], dtype=object)
    bare = Net(graph=graph, columns=np.arange(2), feature_names=features, frequency=np.ones(3))
    with pytest.raises(InputError, match="no edge leaves 'rare': it is no vertex, and this graph has no first hop"):
        bare.edited(Edits().pin("rare", "dog", 0.5))
    # Nothing is expanded from a banned feature: for one that is no vertex this concerns the predictors.
    assert bare.edited(Edits().ban("rare")).banned_columns.tolist() == [2]


def test_edits_that_cannot_be_placed_are_refused():
    net = planted()
    with pytest.raises(ParameterError, match=r"edit the net \(Net.edited\), or pass `features`"):
        net.graph.edited(Edits().ban("a"))
    with pytest.raises(InputError, match="the vertex 'a' is none of the features"):
        net.graph.edited(Edits().ban("a"), {"b": 1})
    for parts in ({"graph": net.edited(Edits().ban("a")).graph}, {"graph": net.graph, "edits": Edits().ban("a")}):
        with pytest.raises(InputError, match="a net and its graph are edited together"):
            Net(columns=net.columns, feature_names=net.feature_names, frequency=net.frequency, **parts)


def test_a_net_that_was_used_is_freed_without_the_collector():
    # A server that follows new versions drops hundreds of megabytes each time; a circle of references would keep them.
    names = np.array(["cat", "dog"], dtype=object)
    net = Net(graph=FeatureGraph(names, np.array([[0, 0.8], [0.5, 0]])), columns=np.arange(2), feature_names=names,
              frequency=np.ones(2))  # fmt: skip
    edited = net.edited(Edits().ban("cat", "dog"))
    text = canonical_csr(np.array([[1.0, 0.0]]))
    for used in (net, edited):
        assert used.unedited is net
        Global(hops=2).expand(text, used)
    gone = [weakref.ref(net), weakref.ref(edited), weakref.ref(net.graph)]
    gc.disable()
    try:
        del net, edited, used
        assert [each() for each in gone] == [None, None, None]
    finally:
        gc.enable()
