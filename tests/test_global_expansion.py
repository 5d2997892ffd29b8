"""Global expansion against dense algebra, its convergence and its pruning bound."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from classinet import _kernels
from classinet._sparse import canonical_csr, take_rows
from classinet.exceptions import DivergenceError, DivergenceWarning, InputError, ParameterError
from classinet.expansion import Global
from classinet.graph import FeatureGraph
from classinet.net import Net

seeds = st.integers(0, 2**32 - 1)


def random_net(seed, first_hop=False, largest=14):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, largest))
    n = int(rng.integers(1, d + 1))
    edges = rng.uniform(0.02, 1, (n, n)) * (rng.random((n, n)) < rng.uniform(0.05, 0.9))
    np.fill_diagonal(edges, 0)
    names = np.array([f"w{i}" for i in range(d)], dtype=object)
    columns = rng.permutation(d)[:n]
    hop = rng.uniform(0, 1, (d, n)) * (rng.random((d, n)) < 0.5) if first_hop else None
    return Net(
        graph=FeatureGraph(names[columns], edges, first_hop=hop),
        columns=columns,
        feature_names=names,
        frequency=rng.uniform(0.01, 1, d),
    )


def random_texts(seed, d, rows=5):
    rng = np.random.default_rng(seed)
    texts = rng.uniform(0, 3, (rows, d)) * (rng.random((rows, d)) < 0.5)
    texts[0] = 0
    return canonical_csr(texts)


def normalized(matrix):
    sums = matrix.sum(1, keepdims=True)
    return matrix / np.where(sums == 0, 1, sums)


def dense_terms(X, net, damping, prior, normalize):
    """First term γ (p∘x) F and the matrix γ W that leads from each term to the next."""
    x = X.toarray() * (net.frequency if prior == "empirical" else 1.0)
    W = net.graph.weights.toarray()
    F = W if net.graph.first_hop is None else net.graph.first_hop.toarray()
    if net.graph.first_hop is None:
        x = x[:, net.columns]
    if normalize == "row":
        W, F = normalized(W), normalized(F)
    return damping * (x @ F), damping * W


def dense_sum(X, net, damping, hops, prior="uniform", normalize="row"):
    term, step = dense_terms(X, net, damping, prior, normalize)
    if hops is None:
        return term @ np.linalg.inv(np.eye(len(step)) - step)
    total = np.zeros_like(term)
    for _ in range(hops):
        total += term
        term = term @ step
    return total


priors = st.sampled_from(["uniform", "empirical"])
normalizations = st.sampled_from(["row", None])


@given(seeds, seeds, st.booleans(), st.integers(1, 6), st.floats(0.01, 1), priors, normalizations)
@settings(max_examples=150, deadline=None)
def test_finite_sums_equal_dense_algebra(net_seed, text_seed, first_hop, hops, damping, prior, normalize):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        E, bound = Global(damping, hops, prior, normalize).expand_with_bound(X, net)
    np.testing.assert_allclose(E.toarray(), dense_sum(X, net, damping, hops, prior, normalize), rtol=1e-12)
    assert not bound.any()
    assert (E.data > 0).all()
    assert E.indices.dtype == np.int32
    for row in range(X.shape[0]):
        assert (np.diff(E.indices[E.indptr[row] : E.indptr[row + 1]]) > 0).all()


@given(seeds, seeds, st.booleans(), st.floats(0.01, 0.99), priors)
@settings(max_examples=80, deadline=None)
def test_endless_random_walks_equal_the_inverse(net_seed, text_seed, first_hop, damping, prior):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    E, bound = Global(damping, None, prior).expand_with_bound(X, net)
    wanted = dense_sum(X, net, damping, None, prior)
    np.testing.assert_allclose(E.toarray(), wanted, atol=1e-11 * max(1.0, wanted.max()))
    assert (bound <= 1e-12 * wanted.sum(1) * 1.001 + 1e-300).all()


@given(seeds, seeds, st.booleans(), normalizations)
@settings(max_examples=100, deadline=None)
def test_automatic_damping_always_converges(net_seed, text_seed, first_hop, normalize):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    E = Global("auto", None, normalize=normalize).expand(X, net)
    graph = net.graph if normalize is None else net.graph.row_normalized()
    wanted = dense_sum(X, net, 1 / (1 + graph.spectral_radius()), None, normalize=normalize)
    np.testing.assert_allclose(E.toarray(), wanted, atol=1e-10 * max(1.0, wanted.max()))


@given(seeds, seeds, st.booleans(), st.one_of(st.none(), st.integers(1, 6)), st.floats(0, 0.5), normalizations)
@settings(max_examples=150, deadline=None)
def test_pruning_errs_by_no_more_than_its_bound(net_seed, text_seed, first_hop, hops, prune, normalize):
    net = random_net(net_seed, first_hop)
    X = random_texts(text_seed, net.n_features)
    damping = "auto" if normalize is None else 0.85
    exact = Global(damping, hops, normalize=normalize).expand(X, net).toarray()
    E, bound = Global(damping, hops, normalize=normalize, prune=prune).expand_with_bound(X, net)
    missing = exact - E.toarray()
    slack = 1e-11 * (1 + exact.sum(1))
    assert (missing.sum(1) <= bound + slack).all()
    assert (missing >= -slack[:, None]).all()
    if hops == 1:
        assert not bound.any()
        np.testing.assert_array_equal(E.toarray(), exact)


def star(n=4):
    """w0 → w1 … w(n-1) with falling weights, each of which → w0."""
    edges = np.zeros((n, n))
    edges[0, 1:] = np.linspace(0.9, 0.1, n - 1)
    edges[1:, 0] = 0.5
    return edges


def net_of(edges, **parts):
    names = np.array([f"w{i}" for i in range(len(edges))], dtype=object)
    n = len(edges)
    return Net(
        graph=FeatureGraph(names, edges, **parts),
        columns=np.arange(n),
        feature_names=names,
        frequency=np.ones(n),
    )


def test_pruning_is_seen_and_its_bound_is_the_known_number():
    # After one hop w1, w2, w3 hold 0.45, 0.25, 0.05. The floor 0.1 stops w3, which leads back to w0.
    net = net_of(star())
    X = canonical_csr(np.array([[1.0, 0, 0, 0]]))
    plain = Global(0.5, 2, normalize=None)
    np.testing.assert_allclose(plain.expand(X, net).toarray(), [[0.1875, 0.45, 0.25, 0.05]])
    E, bound = clone(plain).set_params(prune=0.1).expand_with_bound(X, net)
    np.testing.assert_allclose(E.toarray(), [[0.175, 0.45, 0.25, 0.05]])
    # 0.05 dropped with one hop left, γ × largest row sum 0.5 × 1.5.
    assert bound == pytest.approx([0.05 * 0.75])


def test_the_bound_of_an_endless_pruned_sum_is_infinite_where_row_sums_are_large():
    # Row sums reach 1.5, so γ = 0.9 gives 1.35 ≥ 1, although γ |λmax| = 0.9 √0.75 < 1 converges.
    net = net_of(star())
    X = canonical_csr(np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]]))
    _, bound = Global(0.9, None, normalize=None, prune=0.2).expand_with_bound(X, net)
    assert bound.tolist() == [np.inf, 0.0]
    _, bound = Global(0.5, None, normalize=None, prune=0.2).expand_with_bound(X, net)
    assert 0 < bound[0] < np.inf


def test_an_endless_sum_that_grows_at_first_is_still_exact():
    # A fan of 50 edges of weight 1 multiplies mass at the end of a chain: a small term is no small rest.
    n = 53
    edges = np.zeros((n, n))
    edges[0, 1] = 1e-6
    edges[1, 2:52] = 1.0
    edges[2:52, 52] = 1.0
    net = net_of(edges)
    X = canonical_csr(np.eye(1, n))
    E = Global(1.0, None, normalize=None).expand(X, net).toarray()
    np.testing.assert_allclose(E, dense_sum(X, net, 1.0, None, normalize=None), rtol=1e-12)
    assert E[0, 52] == pytest.approx(50e-6)


def test_divergence_is_an_error_or_a_warning():
    edges = np.ones((4, 4)) - np.eye(4)
    net = net_of(edges)
    X = canonical_csr(np.eye(4))
    with pytest.raises(DivergenceError, match=r"λmax\| = 3: .* damping below 0.333333, damping=\"auto\" \(here 0.25\)"):
        Global(0.5, None, normalize=None).expand(X, net)
    with pytest.raises(DivergenceError):
        Global(1.0, None).expand(X, net)
    with pytest.warns(DivergenceWarning, match="exceeds 1") as caught:
        E = Global(0.5, 3, normalize=None).expand(X, net)
    assert len(caught) == 1
    np.testing.assert_allclose(E.toarray(), dense_sum(X, net, 0.5, 3, normalize=None))
    # One hop cannot grow, γ |λmax| = 1 does not, a random walk never does: no warning (it would be an error).
    Global(1.0, 1, normalize=None).expand(X, net)
    Global(1 / 3, 5, normalize=None).expand(X, net)
    Global(1.0, 5).expand(X, net)


def test_a_sum_that_would_take_for_ever_is_refused():
    edges = np.array([[0, 1.0], [1.0, 0]])
    with pytest.raises(DivergenceError, match="too slowly"):
        Global(1 - 1e-6, None, normalize=None).expand(canonical_csr(np.eye(2)), net_of(edges))


def test_first_hop_carries_features_that_are_no_vertices():
    names = np.array(["a", "b", "rare"], dtype=object)
    graph = FeatureGraph(
        names[:2], np.array([[0, 0.5], [0.5, 0]]), first_hop=np.array([[0, 0.5], [0.5, 0], [0.3, 0.1]])
    )
    net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.array([0.5, 0.5, 0.1]))
    X = canonical_csr(np.array([[0, 0, 2.0]]))
    np.testing.assert_allclose(Global(1.0, normalize=None).expand(X, net).toarray(), [[0.6, 0.2]])
    np.testing.assert_allclose(Global(1.0).expand(X, net).toarray(), [[1.5, 0.5]])
    np.testing.assert_allclose(Global(1.0, prior="empirical").expand(X, net).toarray(), [[0.15, 0.05]])


def test_first_hop_of_another_width_is_refused():
    net = net_of(star(), first_hop=np.full((7, 4), 0.5))
    with pytest.raises(InputError, match="first hop has 7 rows; the net has 4 features"):
        Global().expand(canonical_csr(np.eye(4)), net)


@given(seeds, seeds, st.sampled_from([1, 3, None]))
@settings(max_examples=40, deadline=None)
def test_row_order_and_company_never_change_a_row(net_seed, text_seed, hops):
    net = random_net(net_seed)
    X = random_texts(text_seed, net.n_features)
    E = Global(hops=hops).expand(X, net)
    order = np.random.default_rng(text_seed).permutation(X.shape[0])
    np.testing.assert_array_equal(Global(hops=hops).expand(take_rows(X, order), net).toarray(), E.toarray()[order])
    assert E.indptr[1] == 0  # the first text is empty


def test_output_grows_when_later_rows_are_denser():
    rng = np.random.default_rng(0)
    n = 90
    edges = rng.uniform(0.1, 1, (n, n)) * (rng.random((n, n)) < 0.5)
    np.fill_diagonal(edges, 0)
    net = net_of(edges)
    texts = np.zeros((400, n))
    texts[20:] = rng.random((380, n)) < 0.3
    X = canonical_csr(texts)
    for hops in (1, 2):
        E = Global(hops=hops).expand(X, net)
        np.testing.assert_allclose(E.toarray(), dense_sum(X, net, 0.85, hops), rtol=1e-12)
    assert E.nnz > 2 * 32 * n


def test_the_graph_is_left_alone_and_read_only_texts_are_welcome():
    net = net_of(star())
    X = canonical_csr(np.eye(4))
    before = Global(hops=3).expand(X, net).toarray()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    np.testing.assert_array_equal(Global(hops=3).expand(X, net).toarray(), before)
    np.testing.assert_array_equal(net.graph.weights.toarray(), star())
    # Writable or not, long or short: one compilation serves all.
    assert len(_kernels.propagation.propagate.signatures) == 1


@pytest.mark.parametrize("hops", [1, 2, None])
def test_a_net_without_vertices_or_edges_expands_to_nothing(hops):
    names = np.array(["a", "b"], dtype=object)
    none = Net(
        graph=FeatureGraph([], np.zeros((0, 0))),
        columns=np.zeros(0, dtype=np.int64),
        feature_names=names,
        frequency=np.ones(2),
    )
    X = canonical_csr(np.ones((3, 2)))
    assert Global(hops=hops).expand(X, none).shape == (3, 0)
    assert Global("auto", hops=hops).expand(X, net_of(np.zeros((2, 2)))).nnz == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"damping": 0}, "damping must be a number > 0 and ≤ 1, got 0"),
        ({"damping": 1.5}, "damping must be a number"),
        ({"damping": "best"}, "damping must be one of 'auto'"),
        ({"hops": 0}, "hops must be a whole number ≥ 1"),
        ({"hops": 1.5}, "hops must be a whole number"),
        ({"hops": 10_001}, "hops must be a whole number ≥ 1 and ≤ 10000, got 10001"),
        ({"prior": "flat"}, "prior must be one of"),
        ({"normalize": True}, "normalize must be one of"),
        ({"prune": -0.1}, "prune must be a number"),
        ({"prune": 2}, "prune must be a number"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Global(**parameters).expand(canonical_csr(np.eye(4)), net_of(star()))


def test_importing_the_package_does_not_load_numba():
    import subprocess
    import sys

    code = "import sys, classinet.expansion, classinet.graph; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_default_parameters_are_the_default_recipe():
    assert Global().get_params() == {
        "damping": 0.85, "hops": 1, "prior": "uniform", "normalize": "row", "prune": 0.0,
    }  # fmt: skip
