"""The numbers behind two pictures: accuracy against the damping factor, and against the number of labels.

Enter: a net, labelled texts and a seed. Leave: accuracies with intervals, always of texts that a classifier was not
trained on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import lapack
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split
from threadpoolctl import threadpool_limits

from classinet._typing import Flags, Floats, Integers, Progress
from classinet.evaluation import wilson
from classinet.exceptions import InputError, UnknownTextWarning
from classinet.expansion import Expansion, Global
from classinet.pipeline.linear import fit_linear, inner_products, joined_products
from classinet.pipeline.representation import Representation
from classinet.pipeline.targets import as_targets, place_in_class

if TYPE_CHECKING:
    from classinet.pipeline import ClassiNetClassifier, TextNet

DAMPINGS = tuple(round(0.05 * step, 2) for step in range(1, 21))
FOLDS = 5
DRAWS = 10
SIZES = 6
MOST_TEXTS = 1000
SMALLEST_PIVOT = 1e-12
TOLERANCE = 1e-6  # finer than elsewhere: accuracies that differ by a few texts are compared


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
    progress: Progress,
) -> Curve:
    """Return the accuracy by 5-fold cross-validation for dampings from 0.05 to 1, with Wilson's intervals.

    C and weight are the same for every damping, so that only the damping differs. A classifier depends on its texts by
    their inner products alone: texts are expanded once for each damping, and every fold takes its part of the products.
    """
    expansions = [clone(expansion).set_params(damping=damping) for damping in DAMPINGS]
    right = cross_validated(net, texts, labels, expansions, C=C, weight=weight, seed=seed, progress=progress)
    scores = [(count / len(texts), *wilson(count, len(texts))) for count in right.sum(axis=1).tolist()]
    return Curve(DAMPINGS, *(tuple(column) for column in zip(*scores, strict=True)))


def cross_validated(
    net: TextNet,
    texts: list[str],
    labels: list[Any],
    expansions: Sequence[Expansion | None],
    *,
    C: float,
    weight: float,
    seed: int,
    progress: Progress,
) -> Flags:
    """Return expansions × texts: which texts were judged right, by 5-fold cross-validation on the same folds for all.

    Parameters
    ----------
    net : a fitted net.
    texts, labels : one label a text, at least five texts a class.
    expansions : how texts are expanded; None is no expansion.
    C, weight : strength of the classifier and weight of the expansion, the same for every expansion.
    seed : seed of the folds.
    progress : called as progress(stage, done, total).

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> texts = "rain storm snow wind cloud soup oven salt onion bake".split()
    >>> labels = 5 * ["weather"] + 5 * ["kitchen"]
    >>> right = cross_validated(net, texts, labels, [None, Global()], C=10, weight=1, seed=0, progress=print)
    cross-validate 1 2
    cross-validate 2 2
    >>> right.sum(axis=1)
    array([ 5, 10])
    """
    _check(labels, FOLDS)
    targets = as_targets(labels, len(texts))
    weights = targets.row_weights("auto", None)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(texts, targets.codes))
    plain = Representation.of(net.vectorizer_, net.net_, net.n_texts_, (), Global(), n_jobs=-1)
    counts = plain.counts(texts)
    products = inner_products(plain.text_rows(counts))
    right = np.zeros((len(expansions), len(texts)), dtype=np.bool_)
    for i, expansion in enumerate(expansions):
        joined = products
        if expansion is not None:
            expanded = replace(plain, expansion=expansion).expansion_rows(counts)
            joined = joined_products(products, inner_products(expanded), weight)
        rows = _coordinates(joined)
        for training, held_out in folds:
            coef, intercept = fit_linear(rows[training], targets.take(training), C, weights[training], TOLERANCE)
            said = (rows[held_out] @ coef.T + intercept).argmax(axis=1)
            right[i, held_out] = said == targets.codes[held_out]
        progress("cross-validate", i + 1, len(expansions))
    return right


def _coordinates(products: Floats) -> Floats:
    """Return rows with the given inner products: Cholesky's factor with pivots, at a fiftieth of what `span` costs."""
    with threadpool_limits(1, "blas"):  # one thread: the same bytes wherever it runs
        factor, pivots, rank, _ = lapack.dpstrf(products, tol=SMALLEST_PIVOT * products.diagonal().max(), lower=1)
    rows = np.empty((len(products), rank))
    rows[pivots - 1] = np.tril(factor)[:, :rank]
    return rows


def learning_curve(
    model: ClassiNetClassifier, texts: list[str], labels: list[Any], *, seed: int, progress: Progress
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
    turns: Integers = order[np.argsort(place_in_class(codes[order]), kind="stable")]
    return turns


def _right(predict: Callable[[list[str]], Any], texts: list[str], labels: list[Any]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTextWarning)  # a guess counts as any other answer here
        return int((np.asarray(predict(texts)) == np.asarray(labels)).sum())


def _over_draws(at: tuple[float, ...], scores: Any) -> Curve:
    mean = scores.mean(axis=1)
    half = student.ppf(0.975, DRAWS - 1) * scores.std(axis=1, ddof=1) / np.sqrt(DRAWS)
    return Curve(at, *(tuple(np.clip(values, 0, 1).tolist()) for values in (mean, mean - half, mean + half)))
