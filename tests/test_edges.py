"""Edge weights against row-by-row counting in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from classinet._sparse import canonical_csr
from classinet.edges import Angle, HeldOut, PairSample, Population, Similarity, pair_confusion
from classinet.engine import ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.labels import LabelVectors
from classinet.neighbors import ExactNeighbors

ENGINE = ThreadEngine()
ALL = [PairSample(cap=3), PairSample(), HeldOut(), Population(cap=3), Population(), Similarity(), Angle()]


def random_case(n, n_rows, seed):
    """Votes and presence with all sorts of densities, silent predictors and absent vertices among them."""
    rng = np.random.default_rng(seed)
    votes, present = rng.random((2, n, n_rows)) < rng.choice([0, 0.05, 0.3, 0.7, 1], size=(2, n, 1))
    return votes, present, LabelVectors.from_votes(votes, present)


def all_pairs(n, seed=0):
    """Every ordered pair, with made-up associations."""
    association = np.random.default_rng(seed).random((n, n)) + 0.01
    np.fill_diagonal(association, 0)
    return canonical_csr(association)


def sample(present, i, j, cap):
    """D_(i,j), row by row."""
    m = min(cap, sum(present[i]), sum(present[j]))
    chosen, with_i, with_j, with_none = [], 0, 0, 0
    for row in range(len(present[i])):
        has_i, has_j = present[i][row], present[j][row]
        takes = False
        if has_i and with_i < m:
            with_i, takes = with_i + 1, True
        if has_j and with_j < m:
            with_j, takes = with_j + 1, True
        if not has_i and not has_j and with_none < m:
            with_none, takes = with_none + 1, True
        if takes:
            chosen.append(row)
    return chosen


def table(votes, i, j, rows):
    counts = [0, 0, 0, 0]
    for row in rows:
        counts[2 * (not votes[i][row]) + (not votes[j][row])] += 1
    return counts


def ratio(above, below):
    return above / (above + below) if above + below > 0 else 0.0


def population(votes, present, i, j, cap):
    fires = [0.0, 0.0]
    rows = sample(present, i, j, cap)
    for stratum in [(True, True), (True, False), (False, True), (False, False)]:
        size = sum((a, b) == stratum for a, b in zip(present[i], present[j], strict=True))
        inside = [r for r in rows if (present[i][r], present[j][r]) == stratum]
        if inside:
            m11, m10, _, _ = table(votes, i, j, inside)
            fires[0] += m11 * size / len(inside)
            fires[1] += m10 * size / len(inside)
    return ratio(*fires)


def oracle(rule, votes, present, association, i, j):
    """Weight and counts of one edge."""
    n_rows = len(votes[i])
    everything = table(votes, i, j, range(n_rows))
    if isinstance(rule, PairSample):
        counts = table(votes, i, j, sample(present, i, j, rule.cap))
        return ratio(counts[0], counts[1]), counts
    if isinstance(rule, Population):
        return population(votes, present, i, j, rule.cap), table(votes, i, j, sample(present, i, j, rule.cap))
    if isinstance(rule, Similarity):
        return min(association, 1.0), everything
    if isinstance(rule, Angle):
        agreement = (everything[0] + everything[3]) / n_rows
        return (max(0.0, 2 * agreement - 1) if any(votes[i]) else 0.0), everything
    return ratio(everything[0], everything[1]), everything


def check_against_oracle(rule, votes, present, labels, neighbors):
    weights, association, counts = rule.weigh(neighbors, labels, ENGINE)
    votes, present = votes.tolist(), present.tolist()
    expected = []
    given_association = neighbors.toarray()
    for i in range(len(votes)):
        for j in range(len(votes)):
            if given_association[i, j]:
                weight, table_ = oracle(rule, votes, present, given_association[i, j], i, j)
                if weight > 0:
                    expected.append((i, j, weight, given_association[i, j], table_))
    rows = np.repeat(np.arange(len(votes)), np.diff(weights.indptr))
    assert [(e[0], e[1]) for e in expected] == list(zip(rows.tolist(), weights.indices.tolist(), strict=True))
    np.testing.assert_allclose(weights.data, [e[2] for e in expected], rtol=1e-12)
    assert association.tolist() == [e[3] for e in expected]
    assert counts.tolist() == [e[4] for e in expected]


@pytest.mark.parametrize("rule", ALL, ids=str)
@pytest.mark.parametrize("n_rows", [1, 40, 64, 65, 200])
def test_every_weight_equals_the_oracle(rule, n_rows):
    votes, present, labels = random_case(14, n_rows, seed=n_rows)
    neighbors = all_pairs(14)
    neighbors.data = np.minimum(neighbors.data, 1.0)
    check_against_oracle(rule, votes, present, labels, neighbors)


@settings(max_examples=60, deadline=None)
@given(n_rows=st.integers(1, 200), cap=st.integers(1, 80), seed=st.integers(0, 10**6))
def test_pair_sample_integer_for_integer(n_rows, cap, seed):
    votes, present, labels = random_case(4, n_rows, seed)
    for i in range(4):
        for j in range(4):
            wanted = table(votes.tolist(), i, j, sample(present.tolist(), i, j, cap))
            assert pair_confusion(labels, i, j, cap).ravel().tolist() == wanted


def test_planted_sample():
    # rows:            0  1  2  3  4  5  6  7
    present = np.array([[1, 1, 0, 0, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0, 0]], dtype=bool)
    votes = np.array([[1, 1, 1, 0, 1, 1, 1, 1], [0, 1, 1, 0, 1, 0, 1, 1]], dtype=bool)
    labels = LabelVectors.from_votes(votes, present)
    # m = 2: rows 0, 1 hold v_0; rows 1, 2 hold v_1; rows 3, 5 hold neither. Row 1 counts once.
    assert pair_confusion(labels, 0, 1).tolist() == [[2, 2], [0, 1]]
    weights, _, counts = PairSample().weigh(all_pairs(2), labels, ENGINE)
    assert weights.toarray().tolist() == [[0, 0.5], [1, 0]]
    assert counts.tolist() == [[2, 2, 0, 1], [2, 0, 2, 1]]
    # Strata (size, sampled): both (1, 1), only v_0 (2, 1), only v_1 (1, 1), neither (4, 2).
    # Scaled M11 = 1 + 0 + 1 + 0 = 2, M10 = 0 + 2 + 0 + 2·1 = 4.
    assert Population().weigh(all_pairs(2), labels, ENGINE)[0].toarray()[0, 1] == pytest.approx(2 / 6)
    # With cap 1: rows 0; 1; 3.
    assert pair_confusion(labels, 0, 1, cap=1).tolist() == [[1, 1], [0, 1]]


def test_absent_vertices_have_no_pair_sample():
    votes = np.ones((3, 70), dtype=bool)
    present = votes.copy()
    present[1] = False
    present[0, 5:] = False
    labels = LabelVectors.from_votes(votes, present)
    assert pair_confusion(labels, 0, 1).sum() == 0
    for rule in (PairSample(), Population()):
        weights, association, counts = rule.weigh(all_pairs(3), labels, ENGINE)
        assert weights.toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
        assert len(association) == len(counts) == 2


def test_population_is_held_out_where_the_sample_is_everything():
    # 30 rows with v_0 only, 30 with v_1 only, 30 with neither: D holds all rows.
    present = np.repeat(np.array([[1, 0, 0], [0, 1, 0]], dtype=bool), 30, axis=1)
    votes = np.random.default_rng(0).random((2, 90)) < 0.5
    labels = LabelVectors.from_votes(votes, present)
    weights = [
        rule.weigh(all_pairs(2), labels, ENGINE)[0].toarray() for rule in (Population(), HeldOut(), PairSample())
    ]
    np.testing.assert_allclose(weights[0], weights[1])
    np.testing.assert_allclose(weights[2], weights[1])


def test_silent_predictors_have_no_edges_out():
    votes = np.random.default_rng(0).random((4, 100)) < 0.5
    votes[2] = False
    labels = LabelVectors.from_votes(votes, np.ones_like(votes))
    for rule in (PairSample(), HeldOut(), Population(), Angle()):
        weights = rule.weigh(all_pairs(4), labels, ENGINE)[0].toarray()
        assert not weights[2].any()
        if not isinstance(rule, Angle):
            assert not weights[:, 2].any()
    assert Similarity().weigh(all_pairs(4), labels, ENGINE)[0].nnz == 12


def test_similarity_scales():
    _, _, labels = random_case(3, 50, 0)
    lift = canonical_csr(np.array([[0, 3.0, 1.0], [0.5, 0, 0], [0, 0, 0]]))
    for scale, wanted in (("auto", [0.75, 0.5, 1 / 3]), ("odds", [0.75, 0.5, 1 / 3]), ("clip", [1, 1, 0.5])):
        weights, association, counts = Similarity(scale=scale).weigh(lift, labels, ENGINE)
        np.testing.assert_allclose(weights.data, wanted)
        assert association.tolist() == [3.0, 1.0, 0.5]
        assert counts[0].reshape(2, 2).tolist() == labels.confusion(0, 1).tolist()
    small = canonical_csr(np.array([[0, 0.5, 1.0], [0.25, 0, 0], [0, 0, 0]]))
    assert Similarity().weigh(small, labels, ENGINE)[0].data.tolist() == [0.5, 1.0, 0.25]


def test_one_scale_holds_for_all_batches():
    _, _, labels = random_case(600, 10, 0)
    association = np.zeros((600, 600))
    association[0, 1], association[599, 0] = 3.0, 0.5
    assert Similarity().weigh(canonical_csr(association), labels, ENGINE)[0].data.tolist() == [0.75, 1 / 3]


def test_angle_recovers_planted_angles():
    rng = np.random.default_rng(0)
    vectors = np.array([[1, 0], [np.cos(0.5), np.sin(0.5)], [np.cos(1.2), np.sin(1.2)], [-1, 0]])
    votes = vectors @ rng.normal(size=(2, 20_000)) > 0
    labels = LabelVectors.from_votes(votes, votes)
    weights = Angle().weigh(all_pairs(4), labels, ENGINE)[0].toarray()
    theta = np.array([[0, 0.5, 1.2, np.pi], [0.5, 0, 0.7, np.pi - 0.5], [1.2, 0.7, 0, np.pi - 1.2]])
    wanted = np.maximum(0, 1 - 2 * theta / np.pi)
    np.fill_diagonal(wanted, 0)
    # A share of 20,000 rows has standard error 0.0035, the weight twice that.
    assert np.abs(weights[:3] - wanted).max() < 0.03


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_laws(rule):
    _, _, labels = random_case(300, 130, 1)
    neighbors = ExactNeighbors(k=6).search(labels, None, ENGINE)
    weights, association, counts = clone(rule).weigh(neighbors, labels, ENGINE)
    assert 0 < weights.nnz <= neighbors.nnz
    assert (weights.indptr.dtype, weights.indices.dtype, weights.data.dtype) == (
        np.int64,
        np.int32,
        np.float64,
    )
    assert (weights.data > 0).all()
    assert (weights.data <= 1).all()
    assert counts.shape == (weights.nnz, 4)
    assert counts.dtype == np.int64
    assert (counts >= 0).all()
    assert (counts.sum(axis=1) <= 130).all()
    for n_jobs in (2, 3):
        with ThreadEngine(n_jobs) as engine:
            again = rule.weigh(neighbors, labels, engine)
        assert again[0].data.tobytes() == weights.data.tobytes()
        assert again[0].indices.tobytes() == weights.indices.tobytes()
        assert again[0].indptr.tobytes() == weights.indptr.tobytes()
        assert again[1].tobytes() == association.tobytes()
        assert again[2].tobytes() == counts.tobytes()


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_no_neighbours_no_edges(rule):
    _, _, labels = random_case(3, 20, 0)
    weights, association, counts = rule.weigh(canonical_csr(np.zeros((3, 3))), labels, ENGINE)
    assert (weights.shape, weights.nnz, association.shape, counts.shape) == ((3, 3), 0, (0,), (0, 4))
    none = LabelVectors.from_votes(np.zeros((0, 20)), np.zeros((0, 20)))
    assert rule.weigh(canonical_csr(np.zeros((0, 0))), none, ENGINE)[0].shape == (0, 0)


def test_bad_parameters_and_shapes():
    _, _, labels = random_case(3, 20, 0)
    for rule, name in (
        (PairSample(cap=0), "cap"),
        (Population(cap=2.5), "cap"),
        (Similarity(scale="log"), "scale"),
    ):
        with pytest.raises(ParameterError, match=name):
            rule.weigh(all_pairs(3), labels, ENGINE)
    with pytest.raises(InputError, match="3 label vectors"):
        HeldOut().weigh(all_pairs(4), labels, ENGINE)
    with pytest.raises(ParameterError, match="j must"):
        pair_confusion(labels, 0, 3)
