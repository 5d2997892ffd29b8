"""Neighbour searches against dense oracles, planted clusters, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from classinet import _kernels
from classinet._sparse import from_arrays
from classinet.associations import ASSOCIATIONS
from classinet.engine import ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.labels import LabelVectors, pack_flags
from classinet.neighbors import (
    PLEB,
    ExactNeighbors,
    FaissNeighbors,
    LSHNeighbors,
    VectorNeighbors,
    base,
    exact,
    recall,
    sample_vertices,
    search_outside,
)
from classinet.neighbors.lsh import first_row_codes, sign_codes
from classinet.neighbors.pleb import VOTES, _joined
from classinet.neighbors.scoring import label_scorer, vector_scorer
from classinet.neighbors.tables import Tables, build_tables, row_order
from classinet.neighbors.vectors import projection_codes

ENGINE = ThreadEngine()
seeds = st.integers(0, 2**32 - 1)
LABEL_SEARCHES = [
    ExactNeighbors(k=5),
    PLEB(k=5, permutations=8, beam=4),
    LSHNeighbors(k=5, hash="minhash", tables=8, beam=4),
    LSHNeighbors(k=5, hash="simhash", tables=8, bits=3, beam=4),
]
VECTOR_SEARCHES = [
    ExactNeighbors(k=5, association="angle"),
    VectorNeighbors(k=5),
    VectorNeighbors(k=5, tables=8, beam=4, exact_below=0),
    FaissNeighbors(k=5),
    FaissNeighbors(k=5, exact_below=0, cells=4, probes=4),
]
SEARCHES = LABEL_SEARCHES + VECTOR_SEARCHES


def random_labels(n, n_rows, seed=0, rate=0.3):
    """Random votes, with predictors that never and always fire, and two that are equal."""
    votes = np.random.default_rng(seed).random((n, n_rows)) < rate
    if n > 4:
        votes[1], votes[2], votes[3] = False, True, votes[4]
    return votes, LabelVectors.from_votes(votes, votes)


def random_vectors(n, r, seed=0):
    """Random vectors, with a zero one, and two of the same direction."""
    vectors = np.random.default_rng(seed).normal(size=(n, r)).astype(np.float32)
    if n > 4:
        vectors[1], vectors[3] = 0, vectors[4]
    return vectors


def clusters(n_clusters=40, size=12, n_rows=600, seed=0):
    """Votes that copy their cluster's votes with a little noise, and vectors likewise."""
    rng = np.random.default_rng(seed)
    cluster = rng.permutation(np.repeat(np.arange(n_clusters), size))
    votes = (rng.random((n_clusters, n_rows)) < 0.15)[cluster] ^ (rng.random((len(cluster), n_rows)) < 0.03)
    vectors = rng.normal(size=(n_clusters, 20))[cluster] + 0.4 * rng.normal(size=(len(cluster), 20))
    return cluster, LabelVectors.from_votes(votes, votes), vectors.astype(np.float32)


def best(scores, k, own=True):
    """Of each row the k best columns with a score above 0, ties by lower column."""
    rows = []
    for i, row in enumerate(scores):
        ranked = sorted((j for j in range(len(row)) if row[j] > 0 and not (own and i == j)), key=lambda j: (-row[j], j))
        rows.append(sorted(ranked[:k]))
    return rows


def columns(found):
    return [found.indices[a:b].tolist() for a, b in zip(found.indptr[:-1], found.indptr[1:], strict=True)]


def label_scores(left, right, association):
    a, b = left.astype(np.int64), right.astype(np.int64)
    return ASSOCIATIONS[association](a @ b.T, a.sum(axis=1)[:, None], b.sum(axis=1)[None, :], left.shape[1])


def cosines(left, right):
    """Float32 products added in order: what the kernels promise, in numpy."""
    units = []
    for vectors in (left, right):
        lengths = np.sqrt((vectors.astype(np.float64) ** 2).cumsum(axis=1)[:, -1:])
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        units.append((vectors * scale).astype(np.float32))
    total = np.zeros((len(left), len(right)), dtype=np.float32)
    for a, b in zip(units[0].T, units[1].T, strict=True):
        total = total + a[:, None] * b[None, :]
    return np.minimum(total, np.float32(1)).astype(np.float64)


def check_layout(found, n, k):
    assert found.shape == (n, n)
    assert (found.indptr.dtype, found.indices.dtype, found.data.dtype) == (np.int64, np.int32, np.float64)
    assert (np.diff(found.indptr) <= k).all()
    assert (found.data > 0).all()
    for i, row in enumerate(columns(found)):
        assert row == sorted(set(row))
        assert i not in row


# ------------------------------------------------------------------------------------------------ exact


@pytest.mark.parametrize("n", [1, 2, 5, 16, 17, 32, 33, 48, 61, 64])
@pytest.mark.parametrize("association", [*ASSOCIATIONS, "angle"])
def test_exact_equals_the_dense_oracle_for_any_number_of_blocks(monkeypatch, association, n):
    monkeypatch.setattr(exact, "BLOCK", 16)
    votes, labels = random_labels(n, 70, seed=n)
    vectors = random_vectors(n, 7, seed=n)
    found = ExactNeighbors(k=4, association=association).search(labels, vectors, ENGINE)
    scores = cosines(vectors, vectors) if association == "angle" else label_scores(votes, votes, association)
    check_layout(found, n, 4)
    assert columns(found) == best(scores, 4)
    rows = np.repeat(np.arange(n), np.diff(found.indptr))
    wanted = scores[rows, found.indices]
    if association == "angle":
        wanted = 1 - 2 * np.arccos(wanted) / np.pi
        np.testing.assert_allclose(found.data, wanted, rtol=1e-9, atol=1e-9)
    else:
        assert np.array_equal(found.data, wanted)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 40), n_rows=st.integers(1, 130), k=st.integers(1, 45), seed=st.integers(0, 999))
def test_exact_on_few_rows_where_ties_abound(n, n_rows, k, seed):
    rng = np.random.default_rng(seed)
    votes = rng.random((n, n_rows)) < rng.random((n, 1))
    labels = LabelVectors.from_votes(votes, votes)
    for association in ("correlation", "hamming", "conditional"):
        found = ExactNeighbors(k=k, association=association).search(labels, None, ENGINE)
        assert columns(found) == best(label_scores(votes, votes, association), k)


def test_exact_across_real_blocks():
    votes, labels = random_labels(1100, 40)
    found = ExactNeighbors(k=3, association="jaccard").search(labels, None, ENGINE)
    assert columns(found) == best(label_scores(votes, votes, "jaccard"), 3)


def test_with_equal_popcounts_all_associations_rank_alike():
    rng = np.random.default_rng(0)
    cluster = np.arange(120) // 6
    scores = rng.normal(size=(20, 400))[cluster] + rng.normal(size=(120, 400))
    votes = np.zeros((120, 400), dtype=bool)
    np.put_along_axis(votes, np.argsort(-scores, axis=1)[:, :40], True, axis=1)
    labels = LabelVectors.from_votes(votes, votes)
    assert (labels.popcounts() == 40).all()
    found = {name: ExactNeighbors(k=5, association=name).search(labels, None, ENGINE) for name in ASSOCIATIONS}
    assert (np.diff(found["correlation"].indptr) == 5).all()
    for name in ASSOCIATIONS:
        assert columns(found[name]) == columns(found["correlation"]), name


def test_hamming_alone_keeps_what_is_less_alike_than_chance():
    votes = np.array([[1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]], dtype=bool)
    labels = LabelVectors.from_votes(votes, votes)
    found = ExactNeighbors(association="hamming").search(labels, None, ENGINE)
    # Vertices 0 and 2 differ on every row: agreement 0 is not stored.
    assert np.array_equal(found.toarray(), [[0, 0.25, 0], [0.25, 0, 0.75], [0, 0.75, 0]])


def test_planted_angles():
    vectors = np.array([[1, 0], [1, 1], [0, 1], [-1, 0], [0, 0]], dtype=np.float32)
    found = ExactNeighbors(association="angle").search(None, vectors, ENGINE).toarray()
    wanted = np.zeros((5, 5))
    for i, j in ((0, 1), (1, 2)):
        wanted[i, j] = wanted[j, i] = 0.5
    np.testing.assert_allclose(found, wanted, atol=1e-7)
    assert np.count_nonzero(found) == 4


def test_equal_directions_tie_and_the_lower_vertex_wins():
    vectors = np.repeat(random_vectors(1, 33), 40, axis=0) * np.arange(1, 41)[:, None].astype(np.float32)
    found = ExactNeighbors(k=3, association="angle").search(None, vectors, ENGINE)
    cosine = cosines(vectors, vectors)
    assert columns(found) == best(cosine, 3)
    vectors[:] = vectors[0]
    assert columns(ExactNeighbors(k=2, association="angle").search(None, vectors, ENGINE))[5:] == [[0, 1]] * 35


# ---------------------------------------------------------------------------------- contract of all searches


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_same_bytes_for_any_number_of_threads(search):
    _, labels, vectors = clusters(n_clusters=60)
    reference = clone(search).search(labels, vectors, ENGINE, seed=3)
    for n_jobs in (2, 3):
        with ThreadEngine(n_jobs) as engine:
            found = search.search(labels, vectors, engine, seed=3)
        for name in ("data", "indices", "indptr"):
            assert getattr(found, name).tobytes() == getattr(reference, name).tobytes()


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_layout_and_small_nets(search, n):
    if isinstance(search, FaissNeighbors) and search.exact_below == 0:
        search = clone(search).set_params(cells=1)
    _, labels = random_labels(n, 100)
    check_layout(search.search(labels, random_vectors(n, 6), ENGINE), n, 5)


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_found_neighbours_carry_their_exact_association(search):
    _, labels, vectors = clusters()
    found = search.search(labels, vectors, ENGINE)
    rows = np.repeat(np.arange(labels.n_vertices), np.diff(found.indptr))
    everything = ExactNeighbors(k=10**6, association=search.association).search(labels, vectors, ENGINE).toarray()
    assert found.nnz > 400
    assert np.array_equal(found.data, everything[rows, found.indices])


@pytest.mark.parametrize(
    "search",
    [
        PLEB(k=8),
        LSHNeighbors(k=8, hash="minhash"),
        LSHNeighbors(k=8, hash="simhash"),
        LSHNeighbors(k=8, hash="minhash", bits=2, association="jaccard"),
        VectorNeighbors(k=8, exact_below=0),
        FaissNeighbors(k=8, exact_below=0),
    ],
    ids=str,
)
def test_planted_clusters_are_found(search):
    cluster, labels, vectors = clusters(n_clusters=100)
    found = search.search(labels, vectors, ENGINE, seed=1)
    sample = sample_vertices(len(cluster), 200)
    assert recall(found, labels, vectors, search.association, 8, sample) >= 0.9
    rows = np.repeat(np.arange(len(cluster)), np.diff(found.indptr))
    assert (cluster[rows] == cluster[found.indices]).mean() >= 0.9


@pytest.mark.parametrize("search", LABEL_SEARCHES[1:] + VECTOR_SEARCHES[2:3], ids=str)
def test_seed_changes_an_approximate_search(search):
    # Vectors without any order: of clusters, every seed would find all.
    _, labels = random_labels(2000, 90)
    vectors = random_vectors(2000, 16)
    one, same, other = (search.search(labels, vectors, ENGINE, seed=seed) for seed in (0, 0, 1))
    assert columns(one) == columns(same)
    assert columns(one) != columns(other)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_a_second_round_looks_at_neighbours_of_neighbours(seed):
    n, k = 40, 2
    votes, labels = random_labels(n, 70, seed)
    rng = np.random.default_rng(seed)
    known = [np.setdiff1d(rng.choice(n, 7, replace=False), [i]).astype(np.int32) for i in range(n)]

    def candidates(start, stop):
        return np.concatenate(([0], np.cumsum([len(own) for own in known[start:stop]]))), np.concatenate(
            known[start:stop]
        )

    with np.errstate(invalid="ignore"):
        scores = np.nan_to_num(np.corrcoef(votes)).round(9)

    def best(i, among, count):
        near = sorted((j for j in set(among) - {i} if scores[i, j] > 0), key=lambda j: (-scores[i, j], j))
        return near[:count]

    wide = [best(i, own, base.WIDER * k) for i, own in enumerate(known)]
    wanted = [sorted(best(i, [*own, *(b for a in own for b in wide[a])], k)) for i, own in enumerate(wide)]
    found = base.rescore_twice(label_scorer("correlation", labels), candidates, k, ENGINE)
    assert columns(found) == wanted


def test_a_second_round_finds_what_tables_missed():
    _, labels, _ = clusters(n_clusters=60)
    scorer = label_scorer("correlation", labels)
    n = labels.n_vertices
    drawn = np.sort(np.random.default_rng(0).permuted(np.tile(np.arange(n), (n, 1)), axis=1)[:, : n // 4], axis=1)

    def candidates(start, stop):
        lists = [own[own != i].astype(np.int32) for i, own in zip(range(start, stop), drawn[start:stop], strict=True)]
        return np.concatenate(([0], np.cumsum([len(own) for own in lists]))), np.concatenate(lists)

    once, twice = (
        recall(rule(scorer, candidates, 5, ENGINE), labels, None, "correlation", 5, np.arange(n))
        for rule in (base.rescore, base.rescore_twice)
    )
    assert once < 0.5
    assert twice > 0.8


def test_silent_predictors_have_no_neighbours():
    _, labels = random_labels(50, 90)
    for search in LABEL_SEARCHES:
        found = search.search(labels, None, ENGINE)
        assert columns(found)[1] == []
        assert 1 not in found.indices


@pytest.mark.parametrize(
    ("search", "name"),
    [
        (ExactNeighbors(k=0), "k must"),
        (ExactNeighbors(association="cosine"), "association must be one of"),
        (PLEB(association="angle"), "association must be one of"),
        (PLEB(permutations=0), "permutations"),
        (PLEB(beam=1.5), "beam"),
        (LSHNeighbors(hash="md5"), "hash must be one of"),
        (LSHNeighbors(bits=60), "bits"),
        (LSHNeighbors(tables=0), "tables"),
        (VectorNeighbors(bits=65), "bits"),
        (VectorNeighbors(exact_below=-1), "exact_below"),
        (FaissNeighbors(probes=0), "probes"),
        (FaissNeighbors(cells=0), "cells"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(search, name):
    _, labels = random_labels(5, 10)
    with pytest.raises(ParameterError, match=name):
        search.search(labels, random_vectors(5, 2), ENGINE)


def test_missing_evidence_is_named():
    with pytest.raises(ParameterError, match="need predictor vectors"):
        VectorNeighbors().search(None, None, ENGINE)
    with pytest.raises(ParameterError, match="compares label vectors"):
        PLEB().search(None, random_vectors(3, 2), ENGINE)
    with pytest.raises(InputError, match="finite"):
        VectorNeighbors().search(None, np.full((3, 2), np.nan, dtype=np.float32), ENGINE)


# ------------------------------------------------------------------------------------------ hashes and tables


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 60), n_rows=st.integers(1, 200), seed=st.integers(0, 999))
def test_first_votes_sort_like_permuted_bit_strings(n, n_rows, seed):
    rng = np.random.default_rng(seed)
    votes = np.zeros((n, n_rows), dtype=bool)
    for row in votes:  # at most VOTES ones, so that the keys hold the whole string
        row[rng.choice(n_rows, size=rng.integers(0, min(VOTES, n_rows) + 1), replace=False)] = True
    labels = LabelVectors.from_votes(votes, votes)
    order = row_order(n_rows, "test", seed)
    positions = np.empty((n, VOTES), dtype=np.uint16)
    _kernels.bits.first_votes(labels.bits, labels.popcounts(), order, n_rows, positions)
    got = np.lexsort(tuple(reversed(_joined(positions))))
    strings = ["".join("01"[int(bit)] for bit in row[order]) for row in votes]
    assert [strings[i] for i in got] == sorted(strings, reverse=True)


def test_row_order_is_a_permutation_that_depends_on_name_and_table():
    orders = [row_order(500, name, table) for name, table in (("a", 0), ("a", 1), ("b", 0))]
    for order in orders:
        assert np.array_equal(np.sort(order), np.arange(500))
    assert len({order.tobytes() for order in orders}) == 3


def test_simhash_agrees_with_the_angle_of_centred_votes():
    votes, labels = random_labels(40, 1000)
    scorer = label_scorer("correlation", labels)
    agree = np.zeros((40, 40))
    for table in range(40):
        keys, bucket = sign_codes(scorer, 34, "test", table)
        assert np.array_equal(bucket, keys[0] >> np.uint64(16))
        signs = (keys[0][:, None] >> np.arange(50, dtype=np.uint64)) & np.uint64(1)
        agree += (signs[:, None] == signs[None, :]).mean(axis=2) / 40
    usual = np.setdiff1d(np.arange(40), [1, 2])
    theta = np.arccos(np.clip(np.corrcoef(votes[usual]), -1, 1))
    # 2,000 signs: four standard errors are 0.045.
    assert np.abs(agree[np.ix_(usual, usual)] - (1 - theta / np.pi)).max() < 0.05
    assert agree[3, 4] == pytest.approx(1.0, abs=1e-9)


def test_minhash_agrees_with_probability_jaccard():
    votes, labels = random_labels(30, 300)
    scorer = label_scorer("jaccard", labels)
    buckets = np.stack([first_row_codes(scorer, 1, "test", table)[1] for table in range(1000)])
    agree = (buckets[:, :, None] == buckets[:, None, :]).mean(axis=0)
    wanted = label_scores(votes, votes, "jaccard")
    np.fill_diagonal(wanted, 1)  # also for the predictor that never fires
    assert np.abs(agree - wanted).max() < 0.065
    assert not (agree[1][np.arange(30) != 1]).any()


def test_minhash_of_two_rows_needs_both_equal():
    votes = np.zeros((3, 64), dtype=bool)
    votes[0, [3, 9]] = votes[1, [3, 9]] = True
    votes[2, 3] = True
    scorer = label_scorer("jaccard", LabelVectors.from_votes(votes, votes))
    agree = np.zeros(2)
    for table in range(400):
        bucket = first_row_codes(scorer, 2, "test", table)[1]
        agree += bucket[0] == bucket[1], bucket[0] == bucket[2]
    assert agree[0] == 400
    assert 60 < agree[1] < 140  # a quarter, within four standard errors


def test_projections_agree_with_the_angle_of_vectors():
    vectors = np.delete(random_vectors(30, 10), 1, axis=0)
    agree = np.zeros((29, 29))
    for table in range(40):
        codes = projection_codes(vector_scorer(vectors), 50, "test", table)[0][0]
        signs = (codes[:, None] >> np.arange(50, dtype=np.uint64)) & np.uint64(1)
        agree += (signs[:, None] == signs[None, :]).mean(axis=2) / 40
    theta = np.arccos(cosines(vectors, vectors))
    assert np.abs(agree - (1 - theta / np.pi)).max() < 0.05


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 30),
    n_tables=st.integers(1, 4),
    beam=st.integers(1, 40),
    bounded=st.booleans(),
    seed=st.integers(0, 99),
)
def test_windows_list_what_stands_near_in_some_table(n, n_tables, beam, bounded, seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 6, size=(n_tables, n)).astype(np.uint64)

    def codes(table):
        return [keys[table]], keys[table] >> np.uint64(1) if bounded else None

    tables = build_tables(codes, n, n_tables, "test", ENGINE)
    assert isinstance(tables, Tables)
    start = n // 3
    indptr, indices = tables.candidates(beam)(start, n)
    for i in range(start, n):
        wanted = set()
        for table in range(n_tables):
            order = tables.orders[table].tolist()
            assert keys[table][order].tolist() == sorted(keys[table].tolist())
            place = order.index(i)
            near = order[max(0, place - beam) : place] + order[place + 1 : place + 1 + beam]
            wanted |= {
                j for j in near if not bounded or keys[table][j] >> np.uint64(1) == keys[table][i] >> np.uint64(1)
            }
        assert indices[indptr[i - start] : indptr[i - start + 1]].tolist() == sorted(wanted)


def test_equal_codes_stand_in_another_order_in_every_table():
    tables = build_tables(lambda table: ([np.zeros(100, dtype=np.uint64)], None), 100, 3, "test", ENGINE)
    assert len({order.tobytes() for order in tables.orders}) == 3


# ------------------------------------------------------------------------------------------------- recall


def without(found, drop):
    """Remove the listed (row, column) entries."""
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    kept = np.array([(i, j) not in drop for i, j in zip(rows.tolist(), found.indices.tolist(), strict=True)])
    indptr = np.concatenate(([0], np.cumsum(kept)))[found.indptr]
    return from_arrays(found.data[kept], found.indices[kept], indptr, found.shape)


@pytest.mark.parametrize("association", ["correlation", "angle"])
def test_recall_counts_what_is_missing(association):
    _, labels, vectors = clusters()
    found = ExactNeighbors(k=4, association=association).search(labels, vectors, ENGINE)
    sample = sample_vertices(labels.n_vertices, 10, seed=5)
    assert recall(found, labels, vectors, association, 4, sample) == 1.0
    drop = {(int(i), columns(found)[i][0]) for i in sample[:6]}
    assert recall(without(found, drop), labels, vectors, association, 4, sample) == pytest.approx(34 / 40)
    outside = {(i, j) for i in range(labels.n_vertices) if i not in sample for j in columns(found)[i]}
    assert recall(without(found, outside), labels, vectors, association, 4, sample) == 1.0


def test_recall_takes_a_wider_shortlist_and_ties():
    votes = np.array([[1, 1, 0, 0]] * 6 + [[1, 0, 0, 0]], dtype=bool)
    labels = LabelVectors.from_votes(votes, votes)
    wide = ExactNeighbors(k=6).search(labels, None, ENGINE)
    assert recall(wide, labels, None, "correlation", 2, np.arange(7)) == 1.0
    # Vertex 0's two nearest are 1 and 2; 4 and 5 are as near.
    tied = without(wide, {(0, 1), (0, 2), (0, 3)})
    assert recall(tied, labels, None, "correlation", 2, np.array([0])) == 1.0
    worse = without(wide, {(0, 1), (0, 2), (0, 3), (0, 4)})
    assert recall(worse, labels, None, "correlation", 2, np.array([0])) == 0.5


def test_recall_of_nothing_is_one_and_shapes_are_checked():
    votes = np.zeros((3, 8), dtype=bool)
    labels = LabelVectors.from_votes(votes, votes)
    found = ExactNeighbors().search(labels, None, ENGINE)
    assert found.nnz == 0
    assert recall(found, labels, None, "correlation", 2, np.arange(3)) == 1.0
    with pytest.raises(InputError, match="3 vertices"):
        recall(found[:2], labels, None, "correlation", 2, np.arange(2))


def test_samples_are_keyed_and_nested():
    small, large = sample_vertices(1000, 10, seed=1), sample_vertices(1000, 50, seed=1)
    assert set(small) < set(large)
    assert len(set(large)) == 50
    assert not np.array_equal(large, sample_vertices(1000, 50, seed=2))
    assert np.array_equal(large, np.sort(large))
    with pytest.raises(ParameterError, match="alpha"):
        sample_vertices(10, 0)


# ------------------------------------------------------------------------------------------------ outside


@pytest.mark.parametrize("association", [*ASSOCIATIONS, "angle"])
def test_outside_features_find_their_nearest_vertices(monkeypatch, association):
    monkeypatch.setattr(exact, "BLOCK", 16)
    votes, labels = random_labels(50, 99)
    vectors, queries = random_vectors(50, 9), random_vectors(7, 9, seed=1)
    outside = np.random.default_rng(1).random((7, 99)) < 0.2
    outside[2] = False
    given_queries = queries if association == "angle" else pack_flags(outside)
    found = search_outside(given_queries, labels, vectors, k=3, association=association)
    scores = cosines(queries, vectors) if association == "angle" else label_scores(outside, votes, association)
    assert found.shape == (7, 50)
    assert columns(found) == best(scores, 3, own=False)


def test_outside_queries_are_checked():
    _, labels = random_labels(5, 99)
    with pytest.raises(InputError, match=r"uint64 \(queries, 2\)"):
        search_outside(np.zeros((1, 3), dtype=np.uint64), labels, None)
    with pytest.raises(InputError, match="dimensions"):
        search_outside(random_vectors(2, 3), labels, random_vectors(5, 4), association="angle")
    with pytest.raises(ParameterError, match="k must"):
        search_outside(np.zeros((1, 2), dtype=np.uint64), labels, None, k=0)


def test_outside_without_queries_is_empty():
    _, labels = random_labels(5, 99)
    assert search_outside(np.zeros((0, 2), dtype=np.uint64), labels, None).shape == (0, 5)
