"""How well a classifier does on labelled texts, and whether its expansion helps there.

Enter: a fitted classifier, texts and their true labels. Leaves: `Evaluation`: accuracy with an interval, F1, a score a
class, and the paired comparison of what the classifier says with and without expansion on the same texts. A label that
the classifier never saw counts as an error and is named.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import binomtest

from classinet.exceptions import InputError, UnknownTextWarning
from classinet.pipeline import ClassiNetClassifier
from classinet.pipeline.targets import label_sets

Z95 = 1.959963984540054  # so many standard deviations to each side hold 95 % of a normal distribution
LEVEL = 0.05  # a difference is called one where chance would show it less often than this


@dataclass(frozen=True)
class ClassScore:
    """How well one class, or tag, is found.

    Attributes
    ----------
    label : the class.
    precision : share of the texts given this label that have it; 0 where none was given it.
    recall : share of the texts that have this label that were given it; 0 where none has it.
    f1 : harmonic mean of the two.
    support : number of texts that have it.
    """

    label: Any
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Comparison:
    """Two classifiers on the same texts.

    Attributes
    ----------
    n : number of texts.
    only_first, only_second : texts that only the first, or only the second, judged right.
    difference : accuracy of the first less that of the second.
    low, high : 95 % interval of the difference.
    p : exact McNemar test: how often texts on which the two differ would split at least this unevenly by chance.
    """

    n: int
    only_first: int
    only_second: int
    difference: float
    low: float
    high: float
    p: float

    @property
    def verdict(self) -> str:
        """Say what the first does compared with the second: "helps", "hurts" or that these labels cannot tell.

        >>> compare([True] * 30, [True] * 20 + [False] * 10).verdict
        'helps'
        >>> compare([True, True, False], [True, False, True]).verdict
        'no difference that these 3 labels could show'
        """
        if self.p < LEVEL and not self.low <= 0 <= self.high:
            return "helps" if self.difference > 0 else "hurts"
        return f"no difference that these {self.n:,} labels could show"


@dataclass(frozen=True)
class Evaluation:
    """How well a classifier does on labelled texts.

    Attributes
    ----------
    n : number of texts.
    multilabel : whether a text may have several labels; a text is then right where all of them are.
    accuracy : share of the texts judged right; `low` and `high` are its 95 % interval (Wilson).
    macro_f1 : mean F1 of the labels that occur or were given; `micro_f1` is F1 over all labels at once, which for one
        label a text is the accuracy.
    classes : a score for each of these labels, sorted.
    expansion : the classifier compared with the one trained alike without expansion.
    coverage : mean share of a text's features that are known; `unknown_texts` have none.
    unseen : labels the classifier never saw, and how many texts have each.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import ClassiNetClassifier, TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> clf = ClassiNetClassifier(net).fit(["rain and wind", "onion soup"], ["weather", "kitchen"])
    >>> print(evaluate(clf, ["a storm", "bread", "a goal"], ["weather", "kitchen", "football"]))
    3 texts
    accuracy 0.667 (95 % interval 0.208 to 0.939)
    macro-F1 0.556
    <BLANKLINE>
    class     precision  recall     F1  texts
    football      0.000   0.000  0.000      1
    kitchen       0.500   1.000  0.667      1
    weather       1.000   1.000  1.000      1
    <BLANKLINE>
    expansion: no difference that these 3 labels could show: +33.3 points of accuracy, 95 % interval ...
    coverage: 100 % of a text's features are known on average
    never seen in training, so counted as errors: football (1)
    """

    n: int
    multilabel: bool
    accuracy: float
    low: float
    high: float
    macro_f1: float
    micro_f1: float
    classes: tuple[ClassScore, ...]
    expansion: Comparison
    coverage: float
    unknown_texts: int
    unseen: tuple[tuple[Any, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        values = asdict(self)
        values["expansion"]["verdict"] = self.expansion.verdict
        values["unseen"] = [{"label": label, "texts": count} for label, count in self.unseen]
        return values

    def __str__(self) -> str:
        what = "subset accuracy" if self.multilabel else "accuracy"
        lines = [f"{self.n:,} texts", f"{what} {self.accuracy:.3f} (95 % interval {self.low:.3f} to {self.high:.3f})"]
        micro = f", micro-F1 {self.micro_f1:.3f}" if self.multilabel else ""
        lines += [f"macro-F1 {self.macro_f1:.3f}{micro}", "", *_table(self.classes), ""]
        lines += [_told(self.expansion), f"coverage: {self.coverage:.0%}".replace("%", " %") + " of a text's features "
                  "are known on average"]  # fmt: skip
        if self.unknown_texts:
            lines[-1] += f"; texts without a known word: {self.unknown_texts:,}"
        if self.unseen:
            named = ", ".join(f"{label} ({count})" for label, count in self.unseen)
            lines.append(f"never seen in training, so counted as errors: {named}")
        return "\n".join(lines)


def evaluate(clf: ClassiNetClassifier, texts: Sequence[str], labels: Any) -> Evaluation:
    """Judge a fitted classifier by texts it was not trained on.

    Parameters
    ----------
    clf : the classifier.
    texts : the texts.
    labels : their true labels, in the form `fit` was given: one a text, tags, or a 0/1 matrix.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> clf = ClassiNetClassifier(net).fit(["rain and wind", "onion soup"], ["weather", "kitchen"])
    >>> evaluate(clf, ["a storm", "bread"], ["weather", "kitchen"]).accuracy
    1.0
    """
    texts = list(texts)
    multilabel = bool(clf.head_.multilabel)
    true = label_sets(labels, clf.classes_, multilabel=multilabel)
    if not texts or len(true) != len(texts):
        raise InputError(f"{len(texts)} texts and {len(true)} labels; give one for each text, and at least one text")
    with warnings.catch_warnings():
        # The result counts texts without a known word.
        warnings.simplefilter("ignore", UnknownTextWarning)
        said, plain = (
            label_sets(predict(texts), clf.classes_, multilabel=multilabel)
            for predict in (clf.predict, clf.predict_without_expansion)
        )
    right = [a == b for a, b in zip(said, true, strict=True)]
    scores = _class_scores(true, said)
    low, high = wilson(sum(right), len(right))
    coverage = clf.coverage(texts)
    known = set(clf.classes_.tolist())
    occurring = Counter(label for labels in true for label in labels)
    return Evaluation(
        n=len(texts),
        multilabel=multilabel,
        accuracy=sum(right) / len(right),
        low=low,
        high=high,
        macro_f1=float(np.mean([score.f1 for score in scores])) if scores else 0.0,
        micro_f1=_micro_f1(true, said),
        classes=scores,
        expansion=compare(right, [a == b for a, b in zip(plain, true, strict=True)]),
        coverage=float(np.mean(coverage)),
        unknown_texts=int((np.asarray(coverage) == 0).sum()),
        unseen=tuple((label, occurring[label]) for label in _sorted(set(occurring) - known)),
    )


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson's score interval), which stays sensible near 0 and 1.

    >>> low, high = wilson(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4902 0.9433
    """
    if not 0 <= successes <= n or n < 1:
        raise InputError(f"{successes} successes of {n} are no share; n must be at least 1 and hold the successes")
    share, spread = successes / n, Z95**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * sqrt(share * (1 - share) / n + spread / (4 * n))
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == n else middle + half)


def compare(correct_a: Iterable[bool], correct_b: Iterable[bool]) -> Comparison:
    """Compare two classifiers by which of the same texts each judged right.

    The interval of the difference is Bonett and Price's: one text is added to each way of differing, which keeps it
    honest where few texts differ or none does.

    Parameters
    ----------
    correct_a, correct_b : for each text whether the first, and the second, was right.

    Examples
    --------
    >>> result = compare([True, True, True, False], [True, False, False, False])
    >>> result.difference, result.only_first, result.p
    (0.5, 2, 0.5)
    """
    a, b = (np.array(list(values), dtype=np.bool_) for values in (correct_a, correct_b))
    if len(a) != len(b) or not len(a):
        raise InputError(f"{len(a)} and {len(b)} texts; both must have judged the same texts, at least one")
    n, only_a, only_b = len(a), int((a & ~b).sum()), int((b & ~a).sum())
    first, second = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    middle, half = first - second, Z95 * sqrt((first + second - (first - second) ** 2) / (n + 2))
    p = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    return Comparison(
        n, only_a, only_b, (only_a - only_b) / n, max(-1.0, middle - half), min(1.0, middle + half), p
    )  # fmt: skip


def _class_scores(true: list[frozenset[Any]], said: list[frozenset[Any]]) -> tuple[ClassScore, ...]:
    has, given, both = Counter[Any](), Counter[Any](), Counter[Any]()
    for t, s in zip(true, said, strict=True):
        has.update(t)
        given.update(s)
        both.update(t & s)
    return tuple(
        ClassScore(
            label=label,
            precision=both[label] / given[label] if given[label] else 0.0,
            recall=both[label] / has[label] if has[label] else 0.0,
            f1=2 * both[label] / (has[label] + given[label]),
            support=has[label],
        )
        for label in _sorted(set(has) | set(given))
    )


def _micro_f1(true: list[frozenset[Any]], said: list[frozenset[Any]]) -> float:
    total = sum(len(t) + len(s) for t, s in zip(true, said, strict=True))
    return 2 * sum(len(t & s) for t, s in zip(true, said, strict=True)) / total if total else 0.0


def _sorted(labels: set[Any]) -> list[Any]:
    # Labels that were never seen may be of another type than the classes: names from a file beside numbers.
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


def _table(classes: Sequence[ClassScore]) -> list[str]:
    width = max([5, *(len(str(score.label)) for score in classes)])
    return [
        f"{'class':<{width}}  precision  recall     F1  texts",
        *(f"{s.label!s:<{width}}  {s.precision:9.3f}  {s.recall:6.3f}  {s.f1:5.3f}  {s.support:5}" for s in classes),
    ]


def _told(c: Comparison) -> str:
    verdict = c.verdict
    head = f"expansion {verdict}" if verdict in ("helps", "hurts") else f"expansion: {verdict}"
    return (
        f"{head}: {c.difference * 100:+.1f} points of accuracy, 95 % interval {c.low * 100:+.1f} to "
        f"{c.high * 100:+.1f} ({c.only_first} texts right only with it, {c.only_second} only without; "
        f"exact McNemar p = {c.p:.3g})"
    )
