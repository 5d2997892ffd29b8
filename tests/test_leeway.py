"""Leeway: ratios by their definition, the classifier it gives by another road, and when it is chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from classinet import ClassiNetClassifier, TextNet
from classinet._sparse import canonical_csr
from classinet.datasets import made_up_sentences
from classinet.pipeline import held_out, tuning
from classinet.pipeline.fitting import fit_blocks
from classinet.pipeline.leeway import POWER, largest_ratios, leeway, with_leeway
from classinet.pipeline.representation import no_rows, unit_rows
from classinet.pipeline.targets import as_targets


def plain_ratio(rows, member, weights, feature, alpha):
    """The largest ratio of one feature, counted one by one from the definition."""
    found = []
    for c in range(len(member[0])):
        counts = {}
        for inside in (True, False):
            counts[inside] = [
                alpha + sum(weights[t][c] for t, row in enumerate(rows) if row[f] and bool(member[t][c]) == inside)
                for f in range(len(rows[0]))
            ]
        shares = [counts[inside][feature] / sum(counts[inside]) for inside in (True, False)]
        found.append(abs(np.log(shares[0] / shares[1])))
    return max(found)


ROWS = st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=3, max_size=8)


@given(ROWS, st.sampled_from([0.5, 1.0, 2.0]), st.randoms(use_true_random=False))
def test_ratios_follow_the_definition(rows, alpha, random):
    member = np.array([[random.random() < 0.5 for _ in range(3)] for _ in rows])  # tags: any number of them
    weights = np.array([[random.choice([0.0, 1.0, 2.5]) for _ in range(3)] for _ in rows])
    ratios = largest_ratios(canonical_csr(np.array(rows)), member, weights, alpha)
    wanted = [plain_ratio(rows, member, weights, f, alpha) for f in range(4)]
    np.testing.assert_allclose(ratios, wanted, atol=1e-12)
    np.testing.assert_allclose(
        largest_ratios(canonical_csr(np.array(rows)), member, alpha=alpha),
        largest_ratios(canonical_csr(np.array(rows)), member, np.ones(member.shape), alpha),
    )


@given(ROWS)
def test_a_text_that_counts_twice_is_two_texts(rows):
    targets = as_targets([i % 2 for i in range(len(rows))], len(rows))
    weights = targets.row_weights(None, [2.0] + [1.0] * (len(rows) - 1))
    twice = as_targets([0, *(i % 2 for i in range(len(rows)))], len(rows) + 1)
    np.testing.assert_allclose(
        leeway(canonical_csr(np.array(rows)), targets, weights),
        leeway(canonical_csr(np.array([rows[0], *rows])), twice, twice.row_weights(None, None)),
    )


def test_leeway_keeps_the_length_of_rows_and_forgets_what_tells_nothing():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=200)
    rows = (rng.random((200, 6)) < 0.4).astype(float)
    rows[:, 0], rows[:, 1] = 1.0, codes  # in every text; in the texts of one class
    targets = as_targets(codes.tolist(), 200)
    weights = targets.row_weights(None, None)
    found = leeway(canonical_csr(rows), targets, weights)
    assert found.argmax() == 1
    assert found[1] > 2 * found[[0, 2, 3, 4, 5]].max()
    scaled = with_leeway(canonical_csr(rows), found).toarray()
    assert (scaled**2).sum() == pytest.approx((rows**2).sum())
    ratios = largest_ratios(canonical_csr(rows), targets.member)
    np.testing.assert_allclose((found / found[1]), (ratios / ratios[1]) ** POWER)


def test_where_nothing_tells_classes_apart_all_have_the_same_leeway():
    targets = as_targets(["a", "b"], 2)
    same = canonical_csr(np.array([[1.0, 2.0], [1.0, 2.0]]))
    assert leeway(same, targets, targets.row_weights(None, None)).tolist() == [1.0, 1.0]
    assert leeway(no_rows(2, 3), targets, targets.row_weights(None, None)).tolist() == [1.0] * 3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_classifier_pays_less_for_weights_with_leeway(n_classes):
    """min Σ loss + Σ (w / g)² / 2C is ridge regression on scaled columns; the added block has no leeway."""
    rng = np.random.default_rng(1)
    own, added = (np.abs(rng.normal(size=(90, n))) * (rng.random((90, n)) < 0.5) for n in (12, 5))
    codes = rng.integers(n_classes, size=90)
    own[:, 0] += codes
    targets = as_targets(codes.tolist(), 90)
    weights = targets.row_weights(None, None)
    settings = tuning.Settings(5.0, 0.5, leeway=True)
    head = fit_blocks(canonical_csr(own), canonical_csr(added), targets, weights, settings)
    g = leeway(canonical_csr(own), targets, weights)
    plain = LogisticRegression(C=5.0, tol=1e-10, max_iter=10_000)
    scaled = np.hstack([own * g, 0.5 * added]) / np.sqrt(1.25)
    wanted = plain.fit(scaled, codes).predict_proba(scaled)
    rows = np.hstack([own, 0.5 * added]) / np.sqrt(1.25)
    np.testing.assert_allclose(head.probabilities(canonical_csr(rows)), wanted, atol=1e-3)


@pytest.fixture(scope="module")
def net():
    return TextNet().fit(made_up_sentences())


def keyworded(n, seed):
    """Texts of twenty random words, and one that is the label's."""
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(300)]
    labels = rng.integers(2, size=n)
    return [f"{('quux', 'xyzzy')[label]} {' '.join(rng.choice(words, 20))}" for label in labels], labels


def test_leeway_is_chosen_where_labels_are_many_and_single_words_decide(net):
    texts, labels = keyworded(1400, seed=0)
    clf = ClassiNetClassifier(net, pieces=False).fit(texts, labels)
    assert clf.settings_["leeway"]
    assert clf.settings_["plain_leeway"]
    losses = clf.settings_["losses"]
    weight = f"weight={clf.settings_['weight']:g}"
    assert losses[f"C=10, {weight}, leeway"] < losses[f"C=10, {weight}"]
    fresh, truth = keyworded(400, seed=1)
    assert clf.score(fresh, truth) == 1.0
    # Terms still add up: what is given leeway is the weight, not the text.
    told = clf.explain(fresh[0])
    assert told.logits == pytest.approx(
        np.array([sum(term.contributions[c] for term in told.terms) for c in range(2)]), abs=1e-9
    )


def test_few_labels_get_no_leeway_and_what_is_given_is_left_alone(net):
    texts, labels = keyworded(1400, seed=0)
    few = ClassiNetClassifier(net, pieces=False).fit(texts[:400], labels[:400])
    assert not few.settings_["leeway"]
    assert not any("leeway" in choice for choice in few.settings_["losses"])
    given = ClassiNetClassifier(net, pieces=False, C=10.0, weight=1.0).fit(texts, labels)
    assert (given.settings_["leeway"], given.settings_["how"]) == (False, "given")


def test_losses_of_many_texts_are_those_of_the_solution(monkeypatch):
    """Compared with each other, losses must not tell how far each fit happened to get."""
    rng = np.random.default_rng(0)
    share = np.minimum(0.5, 4.0 / np.arange(1, 4001))  # a few frequent words and many rare ones
    presence = rng.random((3000, 4000)) < share
    codes = (presence[:, 20:] @ rng.normal(size=3980) > 0).astype(int)
    own = unit_rows(canonical_csr(presence * (1 - np.log(share))))
    added = unit_rows(canonical_csr(presence @ (rng.random((4000, 300)) ** 4)))
    targets = as_targets(codes.tolist(), 3000)
    weights = targets.row_weights(None, None)
    monkeypatch.setattr("classinet.pipeline.linear.MOST_IN_SPAN", 0)

    def losses(tolerance):
        monkeypatch.setattr(held_out, "COARSE", tolerance)
        tuner = tuning.Tuner(own, added, targets, weights, seed=0)
        return np.array([tuner.loss(10.0, weight, free=True) for weight in (0.0, 1.0, 4.0)])

    in_use, solved = losses(held_out.COARSE), losses(1e-8)
    assert np.abs(in_use - solved).max() < 0.004
    assert np.abs(losses(1e-3) - solved).max() > 0.004  # the planted rows are hard enough to tell


def test_vectors_are_not_counted():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=1400)
    vectors = canonical_csr(rng.normal(size=(1400, 8)) + codes[:, None])
    targets = as_targets(codes.tolist(), 1400)
    tuner = tuning.Tuner(vectors, no_rows(1400, 0), targets, targets.row_weights(None, None), seed=0, counted=False)
    assert not any("leeway" in choice for choice in tuner.choose("auto", 0.0).losses)
