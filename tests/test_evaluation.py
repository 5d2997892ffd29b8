"""Evaluation: against scikit-learn's scores, and numbers worked out by hand."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from classinet.datasets import made_up_sentences
from classinet.evaluation import compare, evaluate, wilson
from classinet.exceptions import InputError
from classinet.pipeline import ClassiNetClassifier, TextNet


class FakeHead:
    def __init__(self, multilabel):
        self.multilabel = multilabel


class Fake:
    """A classifier whose answers are given; texts are numbers written out."""

    def __init__(self, said, plain, classes, multilabel=False):
        self.said, self.plain = said, plain
        self.classes_ = np.array(classes)
        self.head_ = FakeHead(multilabel)

    def predict(self, texts):
        return np.array(self.said) if not self.head_.multilabel else self.said

    def predict_without_expansion(self, texts):
        return np.array(self.plain) if not self.head_.multilabel else self.plain

    def coverage(self, texts):
        return np.array([0.0 if text == "0" else 1.0 for text in texts])


def texts_of(labels):
    return [str(i) for i in range(len(labels))]


LABELS = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=30))
def test_scores_of_classes_are_those_of_scikit_learn(rows):
    true, said, plain = (list(column) for column in zip(*rows, strict=True))
    result = evaluate(Fake(said, plain, ["a", "b"]), texts_of(true), true)
    names = sorted(set(true) | set(said))
    expected = precision_recall_fscore_support(true, said, labels=names, zero_division=0)
    assert [score.label for score in result.classes] == names
    for column, name in zip(expected, ("precision", "recall", "f1", "support"), strict=True):
        assert [getattr(score, name) for score in result.classes] == pytest.approx(list(column))
    assert result.accuracy == pytest.approx(accuracy_score(true, said)) == pytest.approx(result.micro_f1)
    assert result.macro_f1 == pytest.approx(f1_score(true, said, average="macro", zero_division=0))
    right, right_plain = (np.array(values) == np.array(true) for values in (said, plain))
    assert result.expansion == compare(right, right_plain)
    assert result.expansion.difference == pytest.approx(right.mean() - right_plain.mean())
    assert result.unseen == ((("c", true.count("c")),) if "c" in true else ())


TAGS = st.lists(LABELS, max_size=3, unique=True).map(tuple)


@given(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=20).filter(lambda rows: any(a or b for a, b in rows)))
def test_scores_of_tags_are_those_of_scikit_learn(rows):
    true, said = (list(column) for column in zip(*rows, strict=True))
    result = evaluate(Fake(said, said, ["a", "b", "c"], multilabel=True), texts_of(true), true)
    binary = MultiLabelBinarizer().fit(true + said)
    expected = binary.transform(true), binary.transform(said)
    assert result.accuracy == pytest.approx(accuracy_score(*expected))
    # Column by column: scikit-learn reads a matrix of one column as one label a text.
    columns = [f1_score(*(each[:, j] for each in expected), zero_division=0) for j in range(len(binary.classes_))]
    assert result.macro_f1 == pytest.approx(np.mean(columns))
    assert result.micro_f1 == pytest.approx(f1_score(*(each.ravel() for each in expected), zero_division=0))
    assert "subset accuracy" in str(result)
    assert "micro-F1" in str(result)


def test_a_matrix_of_labels_is_the_same_as_tags():
    true = np.array([[1, 0], [1, 1], [0, 0]])
    said = np.array([[1, 0], [0, 1], [0, 0]])
    result = evaluate(Fake(said, said, [0, 1], multilabel=True), texts_of(true), true)
    assert result.accuracy == pytest.approx(2 / 3)
    assert [(score.label, score.support, score.recall) for score in result.classes] == [(0, 2, 0.5), (1, 1, 1.0)]


def test_unseen_labels_are_named_and_count_as_errors():
    clf = Fake([1, 1, 2], [1, 1, 2], [1, 2])
    result = evaluate(clf, ["0", "1", "2"], [1, "other", "other"])
    assert result.unseen == (("other", 2),)
    assert result.accuracy == pytest.approx(1 / 3)
    assert result.unknown_texts == 1
    assert "never seen in training, so counted as errors: other (2)" in str(result)
    assert "texts without a known word: 1" in str(result)
    assert result.to_dict()["unseen"] == [{"label": "other", "texts": 2}]


@pytest.mark.parametrize(("texts", "labels"), [([], []), (["a"], ["x", "y"])])
def test_texts_and_labels_must_match(texts, labels):
    with pytest.raises(InputError, match="texts and"):
        evaluate(Fake(["x"] * len(texts), ["x"] * len(texts), ["x", "y"]), texts, labels)


def test_a_classifier_of_tags_wants_tags():
    with pytest.raises(InputError, match=r"labels\[0\] is 'xy'; this classifier gives tags"):
        evaluate(Fake([("x",)], [("x",)], ["x"], multilabel=True), ["a"], ["xy"])


# ------------------------------------------------------------------------------------------------------ intervals


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Roots of (share - p)² = z² p (1 - p) / n, worked out by hand.
    [(8, 10, 0.490162, 0.943318), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (50, 100, 0.403832, 0.596168)],
)
def test_wilson_by_hand(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-6)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ends_of_wilsons_interval_solve_its_equation(case):
    successes, n = case
    share = successes / n
    for end in wilson(successes, n):
        if 0 < end < 1:
            assert (share - end) ** 2 == pytest.approx(1.959963984540054**2 * end * (1 - end) / n, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(successes, n):
    with pytest.raises(InputError, match="are no share"):
        wilson(successes, n)


def exact_p(b, c):
    """Two-sided binomial test with probability ½, in fractions."""
    n = b + c
    if n == 0:
        return 1.0
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), 2 * tail))


@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 60))
def test_the_comparison_is_mcnemars(b, c, both):
    if b + c + both == 0:
        return
    first = [True] * b + [False] * c + [True] * both
    second = [False] * b + [True] * c + [True] * both
    result = compare(first, second)
    n = b + c + both
    assert (result.only_first, result.only_second, result.n) == (b, c, n)
    assert result.p == pytest.approx(exact_p(b, c))
    assert result.difference == pytest.approx((b - c) / n)
    assert -1 <= result.low <= result.high <= 1
    swapped = compare(second, first)
    assert (swapped.low, swapped.high) == pytest.approx((-result.high, -result.low))
    # One verdict: the exact test never sees a difference that the interval does not.
    if result.p < 0.05:
        assert result.low > 0 or result.high < 0
        assert result.verdict == ("helps" if b > c else "hurts")
    else:
        assert result.verdict == f"no difference that these {n:,} labels could show"


def test_bonett_and_price_by_hand():
    # b = 7, c = 1, n = 40: p1 = 8/42, p2 = 2/42; middle 6/42, half 1.96 √((10/42 − (6/42)²) / 42).
    result = compare([True] * 7 + [False] * 33, [False] * 7 + [True] + [False] * 32)
    assert (result.low, result.high) == pytest.approx((0.001745, 0.283969), abs=2e-4)


def test_compare_needs_the_same_texts():
    with pytest.raises(InputError, match="2 and 1 texts"):
        compare([True, False], [True])


# ------------------------------------------------------------------------------------------------- a real model


def test_a_real_classifier_is_judged():
    net = TextNet().fit(made_up_sentences(600))
    clf = ClassiNetClassifier(net).fit(["rain and wind", "bread oven", "late goal"], ["weather", "kitchen", "football"])
    texts = ["thunder and snow", "onion soup", "the striker", "zzz"]
    labels = ["weather", "kitchen", "football", "football"]
    result = evaluate(clf, texts, labels)
    assert result.unknown_texts == 1  # and no warning: it would be an error here
    assert result.accuracy == accuracy_score(labels, clf_predict(clf, texts))
    assert result.expansion.only_first > 0
    assert set(result.to_dict()) >= {"accuracy", "macro_f1", "classes", "expansion", "coverage"}


def clf_predict(clf, texts):
    with pytest.warns(UserWarning, match="no known word"):
        return clf.predict(texts)
