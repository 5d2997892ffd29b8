"""The border between uneven classes: shifts by another road, laws of theirs, and when they are asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from classinet import ClassiNetClassifier, TextNet
from classinet._sparse import canonical_csr
from classinet.bench.judging import judge_blocks
from classinet.datasets import made_up_sentences
from classinet.pipeline import border
from classinet.pipeline.border import SHARPNESS, border_shift, left_out_logits, said_as_often, texts_to_ask, unevenness
from classinet.pipeline.linear import fit_head
from classinet.pipeline.targets import Targets, as_targets


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def plain_logits(rows, codes, C):
    """Logits of every text by scikit-learn, fitted to all but the text and its like in the other classes."""
    seen, turns = {}, []
    for code in codes.tolist():
        turns.append(seen.get(code, 0))
        seen[code] = turns[-1] + 1
    found = []
    for row, turn in enumerate(turns):
        alone = seen[codes[row]] == 1
        kept = [i for i, other in enumerate(turns) if other != turn or seen[codes[i]] == 1]
        head = LogisticRegression(C=C, class_weight="balanced", tol=1e-10, max_iter=10_000).fit(rows[kept], codes[kept])
        # Balanced weights add up to the number of texts; those of all texts to theirs.
        head.C = C * len(codes) / len(kept)
        head.fit(rows[kept], codes[kept])
        logits = head.decision_function(rows[[row]])[0]
        logits = np.array([-logits / 2, logits / 2] if len(seen) == 2 else logits)
        if alone:  # what it says of itself: by how much its own part of the coefficients moves its logits
            chances = head.predict_proba(rows[[row]])[0]
            weight = len(kept) / (len(seen) * 1)
            own = head.C * weight * ((np.arange(len(seen)) == codes[row]) - chances) * (rows[row] @ rows[row])
            logits = logits - (own / 2 if len(seen) == 2 else own)
        found.append(logits)
    return np.array(found)


@pytest.mark.parametrize("sizes", [(5, 2), (4, 1), (3, 7), (5, 3, 2), (4, 3, 1)])
def test_texts_are_judged_by_the_others(sizes, monkeypatch):
    monkeypatch.setattr(border, "COARSE", 1e-9)
    rng = np.random.default_rng(len(sizes))
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = unit(rng.random((len(codes), 8)))
    targets = Targets.of_codes(codes, len(sizes))
    weights = targets.row_weights("balanced", None)
    found = left_out_logits(canonical_csr(rows), targets, 5.0, weights[:, 0], np.arange(len(codes)))
    wanted = plain_logits(rows, codes, 5.0)
    centred = [logits - logits.mean(axis=1, keepdims=True) for logits in (found, wanted)]
    np.testing.assert_allclose(*centred, atol=1e-4)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=2, max_size=12).filter(
        lambda texts: len({label for _, label in texts}) == 2
    )
)
def test_the_shift_of_two_classes_is_a_root(texts):
    logits = np.array([[-value, value] for value, _ in texts])
    truth = np.array([int(label) for _, label in texts])

    def surplus(shift):
        return expit(2 * SHARPNESS * (logits[:, 1] + shift)).sum() - truth.sum()

    shifts = said_as_often(logits, Targets.of_codes(truth, 2), np.ones(len(truth)))
    assert shifts.sum() == pytest.approx(0, abs=1e-6)
    assert surplus(shifts[1]) == pytest.approx(0, abs=1e-3)
    wanted = brentq(surplus, -20, 20)
    assert expit(2 * SHARPNESS * (logits[:, 1] + shifts[1])) == pytest.approx(
        expit(2 * SHARPNESS * (logits[:, 1] + wanted)), abs=1e-2
    )


@given(st.integers(0, 1000), st.integers(2, 5))
def test_chances_add_up_to_the_texts_of_every_class(seed, n_classes):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 10)])
    logits, counts = rng.normal(size=(len(codes), n_classes)), rng.integers(1, 4, len(codes)).astype(float)
    targets = Targets.of_codes(codes, n_classes)
    shifts = said_as_often(logits, targets, counts)
    said = counts @ softmax(SHARPNESS * (logits + shifts), axis=1)
    np.testing.assert_allclose(said, counts @ targets.member, atol=0.02)
    # A text that counts twice is two texts.
    twice = np.repeat(np.arange(len(codes)), counts.astype(int))
    again = said_as_often(logits[twice], targets.take(twice), np.ones(len(twice)))
    np.testing.assert_allclose(again, shifts, atol=1e-2)


@given(st.integers(2, 6), st.integers(1, 8))
def test_what_is_unlike_all_texts_is_called_less_surely_by_the_larger_class(small, more):
    """Texts that share nothing: by symmetry nothing speaks for either class but how many texts each has."""
    codes = np.repeat([0, 1], [small + more, small])
    targets = Targets.of_codes(codes, 2)
    weights = targets.row_weights("balanced", None)
    rows = canonical_csr(np.eye(len(codes)))
    intercept = fit_head(rows, targets, 30.0, weights).intercept
    shift = border_shift(rows, targets, 30.0, weights, np.ones(len(codes)))
    assert intercept[0] > 0 > shift[0]
    assert shift.sum() == pytest.approx(0, abs=1e-6)


def test_a_class_that_no_text_has_is_left_alone():
    targets = Targets.of_codes(np.array([0, 0, 2]), 3)
    shifts = said_as_often(np.array([[1.0, 9.0, 0.0], [2.0, 9.0, 0.0], [3.0, 9.0, 0.0]]), targets, np.ones(3))
    assert shifts[1] == 0
    assert shifts[0] < 0 < shifts[2]


def test_texts_of_no_weight_are_not_asked():
    rng = np.random.default_rng(0)
    rows, codes = unit(rng.random((9, 5))), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    counts = np.array([1.0] * 6 + [0.0] * 3)
    all_targets, some = Targets.of_codes(codes, 2), Targets.of_codes(codes[:6], 2)
    np.testing.assert_allclose(
        border_shift(canonical_csr(rows), all_targets, 9.0, all_targets.row_weights("balanced", counts), counts),
        border_shift(canonical_csr(rows[:6]), some, 9.0, some.row_weights("balanced", None), np.ones(6)),
        atol=1e-4,
    )


def test_names_of_classes_stay_when_texts_are_left_out():
    """A text alone in its class is judged by the name of its class."""
    rows = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    targets = Targets.of_codes(np.array([0, 0, 1, 0, 1]), 2)
    weights = np.ones(5)
    texts = np.arange(3)
    with_names = left_out_logits(canonical_csr(rows), targets, 30.0, weights, texts)
    without = left_out_logits(canonical_csr(rows[:3]), targets.take(texts), 30.0, weights[:3], texts)
    assert with_names[2, 1] > with_names[2, 0]
    assert without[2, 1] < without[2, 0]  # unlike all others, which are of the other class


def test_many_texts_are_judged_in_twenty_turns(monkeypatch):
    asked, fit = [], border.fit_linear
    monkeypatch.setattr(border, "fit_linear", lambda rows, *rest: asked.append(len(rows)) or fit(rows, *rest))
    codes = np.repeat([0, 1], [90, 30])
    rows = np.hstack([unit(np.random.default_rng(0).random((120, 20))), np.eye(2)[codes]])
    targets = Targets.of_codes(codes, 2)
    border_shift(canonical_csr(rows), targets, 1.0, targets.row_weights("balanced", None), np.ones(120))
    # Of 90 texts four or five are left out at a time, of 30 one or two.
    assert asked == [120 - 5 - 2] * 10 + [120 - 4 - 1] * 10


def test_it_is_asked_for_where_labels_are_few_and_uneven():
    def asked(labels, class_weight="auto"):
        return len(texts_to_ask(as_targets(labels, len(labels)), class_weight, np.ones(len(labels))))

    assert asked(["a", "a", "b"]) == 3
    assert asked(["a"] * 499 + ["b"]) == 500
    assert asked(["a"] * 500 + ["b"]) == 0  # many
    assert asked(["a", "b"] * 3) == 0  # even
    assert asked([["a"], ["a"], ["b"]]) == 0  # tags
    for given_weight in ("balanced", None, {"a": 2.0}):
        assert asked(["a", "a", "b"], given_weight) == 0
    assert unevenness(Targets.of_codes(np.array([0, 0, 1]), 3), np.array([1.0, 1.0, 1.0])) == 0.5


@pytest.fixture(scope="module")
def net():
    return TextNet().fit(made_up_sentences())


def test_a_classifier_shifts_its_border_and_says_so(net):
    texts = ["rain and wind", "snow", "a cold storm", "thunder and rain", "clouds and wind", "onion soup"]
    labels = ["weather"] * 5 + ["kitchen"]
    by = {
        how: ClassiNetClassifier(net, class_weight=how, unlabeled=False).fit(texts, labels)
        for how in ("auto", "balanced")
    }
    assert by["auto"].settings_["border_shifted"]
    assert not by["balanced"].settings_["border_shifted"]
    asked = ["salt", "a goal", "storm"]
    shift = by["auto"].decision_function(asked) - by["balanced"].decision_function(asked)
    assert shift == pytest.approx(shift[0], abs=1e-9)
    assert shift[0] < 0
    plain = [clf.predict_proba_without_expansion(asked)[:, 0] for clf in by.values()]
    assert (plain[0] > plain[1]).all()  # what it is compared with is shifted, too
    even = ClassiNetClassifier(net).fit(texts[-2:], labels[-2:])
    assert not even.settings_["border_shifted"]


def test_the_benchmark_shifts_borders_as_the_classifier_does():
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1], [30, 6])
    own, block = (unit(rng.normal(size=(36, 200)) + np.eye(2)[codes] @ rng.normal(size=(2, 200)) / 3) for _ in range(2))
    training, tested = np.arange(0, 36, 2), np.arange(1, 36, 2)
    said, settings = judge_blocks(*map(canonical_csr, (own, block)), codes, 2, training, tested)
    joined = np.hstack([own, block]) / np.sqrt(2)
    targets = Targets.of_codes(codes[training], 2)
    weights = targets.row_weights("balanced", None)
    head = fit_head(canonical_csr(joined[training]), targets, settings["C"], weights)
    shift = border_shift(canonical_csr(joined[training]), targets, settings["C"], weights, np.ones(len(training)))
    logits = head.logits(canonical_csr(joined[tested]))
    np.testing.assert_array_equal(said, (logits + shift).argmax(axis=1))
    assert (said != logits.argmax(axis=1)).any()  # which would have been said without
