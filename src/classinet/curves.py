"""The numbers behind two pictures: accuracy against the damping factor, and against the number of labels.

Enter: a net, labelled texts and a seed. Leave: accuracies with intervals, always of texts that a classifier was not
trained on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split

from classinet._typing import Integers
from classinet.evaluation import wilson
from classinet.exceptions import InputError, UnknownTextWarning
from classinet.expansion import Global
from classinet.pipeline.linear import fit_linear, inner_products, joined_products, span
from classinet.pipeline.representation import Representation
from classinet.pipeline.targets import as_targets

if TYPE_CHECKING:
    from classinet.pipeline import ClassiNetClassifier, TextNet

Report = Callable[[str, int, int], None]

DAMPINGS = tuple(round(0.05 * step, 2) for step in range(1, 21))
FOLDS = 5
DRAWS = 10
SIZES = 6
MOST_TEXTS = 1000


@dataclass(frozen=True)
class Curve:
    """Scores at some places, and an interval around each."""

    at: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def damping_curve(
    net: TextNet,
    texts: list[str],
    labels: list[Any],
    expansion: Global,
    *,
    C: float,
    weight: float,
    seed: int,
    progress: Report,
) -> Curve:
    """Return the accuracy by 5-fold cross-validation for dampings from 0.05 to 1, with Wilson's intervals.

    C and weight are the same for every damping, so that only the damping differs. A classifier depends on its texts by
    their inner products alone: texts are expanded once for each damping, and every fold takes its part of the products.
    """
    _check(labels, FOLDS)
    targets = as_targets(labels, len(texts))
    weights = targets.row_weights(None, None)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(texts, targets.codes))
    plain = Representation.of(net.vectorizer_, net.net_, net.n_texts_, (), expansion, n_jobs=-1)
    own = plain.text_rows(plain.counts(texts))
    products = inner_products(own)
    scores = []
    for done, damping in enumerate(DAMPINGS, start=1):
        damped = Representation.of(
            net.vectorizer_, net.net_, net.n_texts_, (), clone(expansion).set_params(damping=damping), n_jobs=-1
        )
        rows = span(joined_products(products, inner_products(damped.expansion_rows(own)), weight)).coordinates
        right = 0
        for training, held_out in folds:
            coef, intercept = fit_linear(rows[training], targets.take(training), C, weights[training])
            said = (rows[held_out] @ coef.T + intercept).argmax(axis=1)
            right += int((said == targets.codes[held_out]).sum())
        scores.append((right / len(texts), *wilson(right, len(texts))))
        progress("cross-validate", done, len(DAMPINGS))
    return Curve(DAMPINGS, *(tuple(column) for column in zip(*scores, strict=True)))


def learning_curve(
    model: ClassiNetClassifier, texts: list[str], labels: list[Any], *, seed: int, progress: Report
) -> dict[str, Curve]:
    """Return the accuracy with and without expansion for growing numbers of labels.

    Ten times the file is cut into halves with the same mix of classes. From one half so many texts are drawn, of every
    class in turn, to train on; the other half judges. The interval is that of the mean over the ten draws, which share
    texts: it leaves out what another file would change.
    """
    _check(labels, 2 * FOLDS)
    codes = _codes(labels)
    halves = StratifiedShuffleSplit(DRAWS, test_size=0.5, random_state=seed).split(texts, codes)
    largest, smallest = len(texts) // 2, 2 * len(np.unique(codes))
    sizes = np.unique(np.geomspace(min(smallest, largest), largest, SIZES).astype(np.int64))
    scores = np.zeros((2, len(sizes), DRAWS))
    for draw, (pool, held_out) in enumerate(halves):
        order = pool[_every_class_in_turn(codes[pool], np.random.default_rng([seed, draw]))]
        judged = [texts[j] for j in held_out], [labels[j] for j in held_out]
        for i, size in enumerate(sizes):
            clf = clone(model).fit([texts[j] for j in order[:size]], [labels[j] for j in order[:size]])
            scores[0, i, draw] = _right(clf.predict_without_expansion, *judged) / len(held_out)
            scores[1, i, draw] = _right(clf.predict, *judged) / len(held_out)
            progress("train and judge", draw * len(sizes) + i + 1, len(sizes) * DRAWS)
    at = tuple(float(size) for size in sizes)
    return {
        "without expansion": _over_draws(at, scores[0]),
        "with expansion": _over_draws(at, scores[1]),
    }


def sample(texts: list[str], labels: list[Any], *, seed: int) -> tuple[list[str], list[Any]]:
    """Return all texts or, of many, so many that a picture does not take long, in the same mix of classes.

    >>> sample(["a", "b"], ["x", "y"], seed=0)
    (['a', 'b'], ['x', 'y'])
    """
    if len(texts) <= MOST_TEXTS:
        return texts, labels
    _check(labels, FOLDS)
    chosen, _ = train_test_split(np.arange(len(texts)), train_size=MOST_TEXTS, stratify=labels, random_state=seed)
    return [texts[i] for i in chosen], [labels[i] for i in chosen]


def _codes(labels: list[Any]) -> Integers:
    codes: Integers = np.unique(np.asarray(labels), return_inverse=True)[1]
    return codes


def _check(labels: list[Any], least: int) -> list[Any]:
    if any(isinstance(label, tuple) for label in labels):
        raise InputError("this picture is for one label a text; the file gives tags")
    classes, counts = np.unique(np.asarray(labels), return_counts=True)
    if len(classes) < 2 or counts.min() < least:
        raise InputError(
            f"this picture needs at least 2 classes of at least {least} texts; the file has "
            + ", ".join(f"{name} {count}" for name, count in list(zip(classes, counts, strict=True))[:10])
        )
    return list(classes)


def _every_class_in_turn(codes: Integers, rng: np.random.Generator) -> Integers:
    """Shuffle, so that any first part holds every class as evenly as the classes allow."""
    order = rng.permutation(len(codes))
    place = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        own = np.flatnonzero(codes[order] == code)
        place[own] = np.arange(len(own))
    turns: Integers = order[np.argsort(place, kind="stable")]
    return turns


def _right(predict: Callable[[list[str]], Any], texts: list[str], labels: list[Any]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTextWarning)  # a guess counts as any other answer here
        return int((np.asarray(predict(texts)) == np.asarray(labels)).sum())


def _over_draws(at: tuple[float, ...], scores: Any) -> Curve:
    mean = scores.mean(axis=1)
    half = student.ppf(0.975, DRAWS - 1) * scores.std(axis=1, ddof=1) / np.sqrt(DRAWS)
    return Curve(at, *(tuple(np.clip(values, 0, 1).tolist()) for values in (mean, mean - half, mean + half)))
