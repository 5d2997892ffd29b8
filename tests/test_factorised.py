"""Factorised predictors against plain replicas, and their posteriors on planted corpora."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from classinet import _kernels
from classinet._decomposition import truncated_svd
from classinet._keys import name_keys
from classinet._sparse import canonical_csr, presence
from classinet.engine import ThreadEngine
from classinet.predictors import cooccurrence
from classinet.predictors.base import Setup
from classinet.predictors.cooccurrence import CONTEXT_SMOOTHING, joint_counts, positive_pmi
from classinet.predictors.factorised import RANKS, Factorised


def texts(n_rows, n_features, seed=0, density=0.25):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_features)) < density * rng.uniform(0.3, 2.0, size=n_features)).astype(float)
    X[::17] = 0
    return X


def csr(dense):
    return presence(canonical_csr(np.asarray(dense, dtype=float)))


# ------------------------------------------------------------------------------------------ co-occurrence


def pmi_oracle(contexts, targets, forbidden):
    joint = np.zeros((targets.shape[1], contexts.shape[1]))
    for context, target in zip(contexts, targets, strict=True):
        share = 1.0 / max(np.count_nonzero(context) - 1, 1)
        for i in np.flatnonzero(target):
            for j in np.flatnonzero(context):
                if not forbidden[i, j]:
                    joint[i, j] += share
    smoothed = joint.sum(axis=0) ** CONTEXT_SMOOTHING
    smoothed /= smoothed.sum()
    out = np.zeros_like(joint)
    for i, j in zip(*np.nonzero(joint), strict=True):
        out[i, j] = max(0.0, math.log(joint[i, j] / (joint[i].sum() * smoothed[j])))
    return out


@pytest.mark.parametrize("shifted", [False, True], ids=["same texts", "other targets"])
def test_positive_pmi_equals_a_plain_count(shifted):
    contexts = texts(80, 12)
    targets = np.roll(contexts, 1, axis=0)[:, :7] if shifted else contexts
    forbidden = np.random.default_rng(4).random((targets.shape[1], 12)) < 0.15
    if not shifted:
        np.fill_diagonal(forbidden, True)
    joint = joint_counts(csr(contexts), csr(targets), ThreadEngine(), "counts")
    found = positive_pmi(joint, csr(forbidden))
    expected = pmi_oracle(contexts, targets, forbidden)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-5)
    assert found.data.all()
    assert (expected > 0).any()


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(0, 30), st.booleans())
def test_joint_counts_equal_a_dense_product(seed, n_features, n_texts, with_lengths):
    rng = np.random.default_rng(seed)
    contexts = rng.random((n_texts, n_features)) < rng.uniform(0, 0.5, size=n_features)
    targets = rng.random((n_texts, 90)) < 0.1
    lengths = rng.integers(0, 9, size=n_texts) if with_lengths else contexts.sum(axis=1)
    found = joint_counts(csr(contexts), csr(targets), ThreadEngine(), "counts", lengths if with_lengths else None)
    expected = targets.T.astype(float) @ (contexts / np.maximum(lengths - 1, 1)[:, None])
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6, atol=1e-12)
    assert found.has_sorted_indices
    assert np.array_equal(found.toarray() > 0, expected > 0)
    assert found.data.all()


def test_joint_counts_of_blocks_of_texts_and_of_further_ones_add_up(monkeypatch):
    contexts = texts(90, 200, seed=3)
    targets = contexts[:, ::2]
    whole = joint_counts(csr(contexts), csr(targets), ThreadEngine(), "counts")
    monkeypatch.setattr(cooccurrence, "TEXT_BLOCK", 300)
    in_parts = joint_counts(csr(contexts), csr(targets), ThreadEngine(), "counts")
    further = csr(contexts[50:]), csr(targets[50:])
    joined = joint_counts(csr(contexts[:50]), csr(targets[:50]), ThreadEngine(), "counts", further=further)
    for found in (in_parts, joined):
        assert np.array_equal(found.indices, whole.indices)
        np.testing.assert_allclose(found.data, whole.data, rtol=1e-5)


def test_joint_counts_find_the_room_that_they_need():
    """One vertex is met with everything, after one that is met with nothing, and so on: more than is made room for."""
    n = 1000
    contexts = np.ones((3, n))
    targets = np.tile([0, 1], 100)[None].repeat(3, axis=0)
    found = joint_counts(csr(contexts), csr(targets), ThreadEngine(), "counts").toarray()
    np.testing.assert_allclose(found[1::2], 3 / (n - 1), rtol=1e-6)
    np.testing.assert_array_equal(found[::2], 0)


def svd(dense, rank, n_threads=1, telling=None):
    keys = name_keys(f"x{i}" for i in range(dense.shape[1]))
    with ThreadEngine(n_threads) as engine:
        return truncated_svd(canonical_csr(dense, np.float32), rank, keys, engine, telling)


@pytest.mark.parametrize("shape", [(60, 90), (90, 60), (12, 70)])
@pytest.mark.parametrize("true_rank", [1, 3, 6])
@pytest.mark.parametrize("telling", [None, np.arange(3, 11)])
def test_svd_recovers_a_planted_low_rank_exactly(shape, true_rank, telling):
    rng = np.random.default_rng(true_rank)
    dense = rng.normal(size=(shape[0], true_rank)) @ rng.normal(size=(true_rank, shape[1]))
    left, right = svd(dense, 6, telling=telling)
    assert left.shape == (shape[0], 8)
    assert right.shape == (shape[1], 8)
    np.testing.assert_allclose(left @ right.T, dense, atol=1e-4 * np.abs(dense).max())
    np.testing.assert_array_equal(left[:, 6:], 0)
    np.testing.assert_array_equal(right[:, 6:], 0)


@pytest.mark.parametrize("telling", [None, np.arange(0, 110, 3)])
@pytest.mark.parametrize("rank", [1, 5, 10])
def test_svd_is_as_near_as_the_exact_one(rank, telling):
    """The spectrum falls as 1/k; the error may be 2 % above the least possible."""
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(n, 50)))[0] for n in (70, 110))
    spectrum = 10.0 / np.arange(1, 51)
    dense = u * spectrum @ v.T
    left, right = svd(dense, rank, telling=telling)
    least = np.sqrt((spectrum[rank:] ** 2).sum())
    assert least * (1 - 1e-5) <= np.linalg.norm(left @ right.T - dense) <= 1.02 * least
    # Both sides carry the root of the singular value, and the first columns serve every smaller rank.
    np.testing.assert_allclose(np.linalg.norm(left[:, :rank], axis=0) ** 2, spectrum[:rank], rtol=0.05)
    np.testing.assert_allclose(np.linalg.norm(right[:, :rank], axis=0) ** 2, spectrum[:rank], rtol=0.05)


def test_svd_gives_the_same_bytes_for_any_number_of_threads():
    dense = texts(5000, 40, seed=2)
    first, second = svd(dense, 8, n_threads=1), svd(dense, 8, n_threads=3)
    assert first[0].tobytes() == second[0].tobytes()
    assert first[1].tobytes() == second[1].tobytes()


# ------------------------------------------------------------------------------------------ drawing vertices


def tables(weights):
    chance, alias = np.empty(len(weights)), np.empty(len(weights), dtype=np.int64)
    _kernels.factorised.alias_table(np.asarray(weights, dtype=np.float64), chance, alias)
    return chance, alias


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=40))
def test_alias_tables_hold_exactly_the_weights(weights):
    chance, alias = tables(weights)
    share = np.minimum(chance, 1.0)
    held = share.copy()
    np.add.at(held, alias, 1.0 - share)
    np.testing.assert_allclose(held / len(weights), np.array(weights) / sum(weights), rtol=1e-9, atol=1e-12)


def test_draws_follow_the_weights():
    weights = np.array([1.0, 2.0, 10.0, 0.5, 6.5, 20.0])
    chance, alias = tables(weights)
    n_draws = 20_000
    drawn = [_kernels.factorised.draw(np.uint64(key), chance, alias) for key in range(n_draws)]
    counts = np.bincount(drawn, minlength=6)
    assert stats.chisquare(counts, n_draws * weights / weights.sum()).pvalue > 1e-3


# ------------------------------------------------------------------------------------------ scores, training


def context_oracle(text, vertex, forbidden, V):
    allowed = [j for j in np.flatnonzero(text) if not forbidden[vertex, j]]
    return V[allowed].astype(float).mean(axis=0) if allowed else np.zeros(V.shape[1])


def case(n_rows, n_features, n_vertices, seed=0):
    rng = np.random.default_rng(seed)
    contexts = texts(n_rows, n_features, seed)
    contexts[1] = 0
    contexts[1, 0] = 1  # a text that holds nothing but a vertex
    forbidden = rng.random((n_vertices, n_features)) < 0.1
    forbidden[np.arange(n_vertices), np.arange(n_vertices)] = True
    V = rng.normal(size=(n_features, 8)).astype(np.float32)
    U = rng.normal(size=(n_vertices, 8)).astype(np.float32)
    b = rng.normal(size=n_vertices).astype(np.float32)
    return contexts, contexts[:, :n_vertices], forbidden, V, U, b


def test_scores_equal_a_plain_mean_of_what_is_allowed():
    contexts, _, forbidden, V, U, b = case(40, 15, 9)
    rows, banned = csr(contexts), csr(forbidden)
    out = np.empty((9, 40), dtype=np.float32)
    _kernels.factorised.scores(rows.indptr, rows.indices, banned.indptr, banned.indices, V, U, b, out)
    for row, text in enumerate(contexts):
        for vertex in range(9):
            expected = U[vertex] @ context_oracle(text, vertex, forbidden, V) + b[vertex]
            assert out[vertex, row] == pytest.approx(expected, abs=1e-4)
    assert out[0, 1] == pytest.approx(b[0], abs=1e-6)  # nothing is left: the bias alone


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 39), min_size=1), st.sets(st.integers(0, 39)), st.integers(0, 2**31))
def test_what_is_forbidden_is_left_out_alike_however_much_more_is_forbidden(own, banned, seed):
    """A long list is searched for the text's features, a short one gone through: the same bits."""
    rank, wide = 8, 2000
    V = np.random.default_rng(seed).standard_normal((wide, rank)).astype(np.float32)
    text = np.array(sorted(own), dtype=np.int32)
    seen = np.full(wide, -1, dtype=np.int64)
    seen[text] = 7
    total = np.zeros((1, rank), dtype=np.float32)
    for feature in text:
        total[0] += V[feature]

    def found(forbidden):
        items, mean = np.array(sorted(forbidden), dtype=np.int32), np.zeros((1, rank), dtype=np.float32)
        starts = np.array([0, len(items)], dtype=np.int64)
        return _kernels.factorised.allowed_mean(0, text, seen, 7, starts, items, V, total, mean), mean

    n_short, short = found(banned)
    n_long, long = found(banned | set(range(40, wide)))
    assert n_short == n_long == len(own & banned)
    np.testing.assert_array_equal(short, long)
    if own & banned:
        allowed = sorted(own - banned)
        expected = V[allowed].astype(np.float64).mean(axis=0) if allowed else np.zeros(rank)
        np.testing.assert_allclose(long[0], expected, atol=1e-4)


def train_oracle(contexts, targets, forbidden, chance, alias, offsets, n_drawn, key, rate, V, U, b, energy):
    """One pass, text by text and vertex by vertex."""
    rank = V.shape[1]
    for row, (text, target) in enumerate(zip(contexts, targets, strict=True)):
        stream = int(_kernels.hashing.mix(np.uint64(key + row)))
        own = list(np.flatnonzero(target))
        drawn = [
            int(_kernels.factorised.draw(np.uint64((stream + k) % 2**64), chance, alias))
            for k in range(len(own), len(own) + n_drawn)
        ]
        for vertex, positive in [(i, True) for i in own] + [(i, False) for i in drawn if i not in own]:
            mean = context_oracle(text, vertex, forbidden, V)
            z = U[vertex] @ mean + b[vertex] - offsets[vertex]
            error = float(positive) - 1.0 / (1.0 + math.exp(-z))
            energy[vertex] += error**2 * (1.0 + mean @ mean) / (rank + 1)
            step = rate * error / math.sqrt(energy[vertex])
            b[vertex] += step
            U[vertex] += step * mean


def test_a_pass_equals_its_plain_replica_and_shards_do_not_meet():
    contexts, targets, forbidden, V, U, b = case(30, 14, 10, seed=3)
    chance, alias = tables(np.arange(1.0, 11.0) ** 0.75)
    offsets = np.log(np.linspace(0.2, 1.5, 10))
    rows, texts_of, banned = csr(contexts), csr(targets), csr(forbidden)
    results = []
    for shards in (1, 4):
        u, bias, energy = U.copy(), b.copy(), np.full(10, 1e-3)
        for shard in reversed(range(shards)):
            _kernels.factorised.train_shard(
                shard, shards, rows.indptr, rows.indices, texts_of.indptr, texts_of.indices, banned.indptr,
                banned.indices, chance, alias, offsets, 6, np.uint64(77), 0.1, V, u, bias, energy,
            )  # fmt: skip
        results.append((u, bias, energy))
    for one, other in zip(*results, strict=True):
        assert one.tobytes() == other.tobytes()
    u, bias, energy = U.astype(float), b.astype(float), np.full(10, 1e-3)
    train_oracle(contexts, targets, forbidden, chance, alias, offsets, 6, 77, 0.1, V, u, bias, energy)
    np.testing.assert_allclose(results[0][0], u, atol=1e-4)
    np.testing.assert_allclose(results[0][1], bias, atol=1e-4)
    np.testing.assert_allclose(results[0][2], energy, atol=1e-4)
    assert not np.allclose(u, U, atol=0.05)


# ------------------------------------------------------------------------------------------ planted corpora

WORDS = 24
LIKELY, UNLIKELY = 0.35, 0.03


def two_topics(n_rows, seed):
    """Each text has one of two topics; a word of its topic occurs with 0.35, one of the other with 0.03."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(2, size=n_rows)
    p = np.where(np.arange(WORDS)[None, :] % 2 == topic[:, None], LIKELY, UNLIKELY)
    return (rng.random((n_rows, WORDS)) < p).astype(float), topic


def true_posterior(X):
    """p(word | the other words of its text), by Bayes' rule over the two topics."""
    p = np.where(np.arange(WORDS)[None, :] % 2 == np.arange(2)[:, None], LIKELY, UNLIKELY)
    each = X[:, None, :] * np.log(p) + (1 - X[:, None, :]) * np.log(1 - p)  # texts × topics × words
    rest = each.sum(axis=2, keepdims=True) - each
    belief = np.exp(rest - rest.max(axis=1, keepdims=True))
    belief /= belief.sum(axis=1, keepdims=True)
    return (belief * p).sum(axis=1)


@pytest.fixture(scope="module", params=[8, 48], ids=["8 negatives", "48 negatives"])
def planted(request):
    X, _ = two_topics(20_000, seed=0)
    return Factorised(rank=4, passes=8, negatives=request.param).fit(X, X)


def test_posteriors_are_calibrated(planted):
    """Mean posteriors are frequencies: to 0.02 over all texts, to 0.05 where a topic is likely or not.

    The rest is the form of the model: log-odds that are linear in a mean of vectors. Without the correction
    for the drawing of negatives log-odds would be off by −1.1 (8 negatives) or 0.7 (48).
    """
    fresh, _ = two_topics(20_000, seed=1)
    posterior, likely = planted.predict_proba(fresh), true_posterior(fresh) > (LIKELY + UNLIKELY) / 2
    np.testing.assert_allclose(posterior.mean(axis=0), fresh.mean(axis=0), atol=0.02)
    for word in range(WORDS):
        for group in (likely[:, word], ~likely[:, word]):
            assert posterior[group, word].mean() == pytest.approx(fresh[group, word].mean(), abs=0.05)


def test_posteriors_are_near_the_true_ones(planted):
    fresh, _ = two_topics(5000, seed=2)
    truth = true_posterior(fresh)
    gap = np.abs(planted.predict_proba(fresh) - truth).mean()
    assert gap < 0.04
    assert gap < 0.3 * np.abs(fresh.mean(axis=0) - truth).mean()  # the context is used


def wide_topics(n_rows, n_words, seed=0):
    """A corpus of rank two: two topics over many words."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(2, size=n_rows)
    p = np.where(np.arange(n_words)[None, :] % 2 == topic[:, None], 0.12, 0.01)
    return (rng.random((n_rows, n_words)) < p).astype(float)


@pytest.fixture(scope="module")
def automatic():
    X = wide_topics(2000, 110)
    return Factorised(rank="auto").fit(X, X)


def test_the_smallest_rank_is_chosen_where_two_would_do(automatic):
    assert list(automatic.rank_losses_) == sorted({min(rank, 110) for rank in RANKS})
    assert automatic.rank_ == min(RANKS)
    assert (automatic.report()["rank"] == min(RANKS)).all()
    width = -(-min(RANKS) // 8) * 8
    assert automatic.vectors().shape == (110, width)
    assert automatic.feature_vectors().shape == (110, width)


def test_passes_never_end_worse_on_held_out_words_than_they_began(automatic):
    losses = automatic.pass_losses_
    assert losses[automatic.passes_] == min(losses[: automatic.passes_ + 1])
    assert losses[automatic.passes_] <= losses[0]
    assert automatic.passes_ > 0  # the start knows no negatives: there is something to gain


def test_a_start_that_cannot_be_bettered_is_kept():
    X = (np.random.default_rng(0).random((300, 20)) < 0.2).astype(float)  # pure noise
    predictor = Factorised(rank=2, learning_rate=100.0).fit(X, X)
    assert predictor.passes_ == 0
    assert (
        predictor.target_vectors_.tobytes()
        == Factorised(rank=2, passes=0).fit(*[_training_rows(X)] * 2).target_vectors_.tobytes()
    )


def _training_rows(X):
    """What a fit with held-out words trains on: all but the first tenth of the canonical order."""
    problem = Factorised()._prepare(X, X, None, Setup())
    return problem.contexts.toarray()[len(X) // 10 :]


def test_zero_passes_and_one_rank_are_closed_form():
    X = texts(200, 12)
    first, second = (Factorised(rank=3, passes=0).fit(X, X, setup=Setup(seed=seed)) for seed in (0, 1))
    np.testing.assert_allclose(first.decision_function(X), second.decision_function(X), atol=1e-3)
    assert first.passes_ == 0
    assert first.rank_ == 3
    share = (X.sum(axis=0) + 0.5) / 201
    np.testing.assert_allclose(first.intercept_, np.log(share / (1 - share)), rtol=1e-5)


def test_a_target_that_is_no_context_has_no_context_vector():
    X = texts(200, 12)
    columns = np.array([-1, *range(1, 12)])
    predictor = Factorised(rank=3, passes=1).fit(X, X, setup=Setup(columns=columns))
    np.testing.assert_array_equal(predictor.vectors()[0], 0)
    np.testing.assert_array_equal(predictor.vectors()[1:], predictor.feature_vectors()[1:])
    assert predictor.feature_vectors()[-1].any()  # which −1 must not be taken for


# ------------------------------------------------------------------------------------- vectors that are compared


def plain_vectors(X, rank):
    """Right singular vectors of the PMI of all texts, each direction times its singular value to the power 0.75."""
    n = X.shape[1]
    joint = joint_counts(*2 * [presence(canonical_csr(X, np.float32))], ThreadEngine(), "counts")
    pmi = positive_pmi(joint, canonical_csr(np.eye(n), np.float32)).toarray()
    _, s, right = np.linalg.svd(pmi.astype(np.float64))
    return right[:rank].T * s[:rank] ** 0.75


def cosines(vectors):
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units @ units.T


def test_features_are_compared_by_vectors_of_all_texts():
    """Also those on which predictors are judged; the predictors themselves know nothing of them."""
    X = wide_topics(600, 30)
    shown, unseen = canonical_csr(X[:400]), presence(canonical_csr(X[400:]))
    setup = Setup(unseen=(unseen, unseen))
    fitted = Factorised(rank=3, passes=1).fit(shown, shown, setup=setup)
    np.testing.assert_allclose(cosines(fitted.feature_vectors()), cosines(plain_vectors(X, 3)), atol=0.02)
    alone = Factorised(rank=3, passes=1).fit(shown, shown)
    np.testing.assert_array_equal(fitted.context_vectors_, alone.context_vectors_)
    np.testing.assert_array_equal(fitted.decision_function(X), alone.decision_function(X))
    np.testing.assert_allclose(cosines(alone.feature_vectors()), cosines(plain_vectors(X[:400], 3)), atol=0.02)
    assert np.abs(fitted.feature_vectors() - alone.feature_vectors()).max() > 0.01


def test_few_held_out_texts_are_not_worth_a_second_decomposition():
    X = canonical_csr(wide_topics(600, 30))
    few = presence(canonical_csr(wide_topics(20, 30, seed=1)))
    with_few = Factorised(rank=3, passes=1).fit(X, X, setup=Setup(unseen=(few, few)))
    np.testing.assert_array_equal(with_few.feature_vectors(), Factorised(rank=3, passes=1).fit(X, X).feature_vectors())
