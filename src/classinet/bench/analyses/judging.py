"""How expansions are judged on labelled sentences: one protocol for the damping factor and for the number of hops.

Enter: labelled sentences, a net and expansions. Leave: which sentences each expansion judged right, by 5-fold
cross-validation on the same folds, and these as accuracies with intervals and tests against the best. The classifier's
strength and the weight of the expansion are the same for all, so that only the expansion differs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from classinet._typing import Flags
from classinet.bench.analyses.base import Materials, Values, growth_allowed
from classinet.curves import cross_validated
from classinet.evaluation import LEVEL, compare, wilson
from classinet.expansion import Expansion
from classinet.pipeline import TextNet
from classinet.pipeline.tuning import FIXED_C, FIXED_WEIGHT

PER_CLASS = 1000  # the paper's number


def labelled_sentences(materials: Materials) -> tuple[list[str], list[str]]:
    """Return equally many sentences of each class, at most the paper's 1,000, drawn by the seed."""
    texts, labels = materials.labelled
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    count = min(PER_CLASS, int(np.bincount(codes).min()))
    rng = np.random.default_rng(materials.seed)
    drawn = [rng.permutation(np.flatnonzero(codes == code))[:count] for code in range(codes.max() + 1)]
    chosen = np.sort(np.concatenate(drawn))
    return [texts[i] for i in chosen], [labels[i] for i in chosen]


def judge(materials: Materials, net: TextNet, expansions: Sequence[Expansion | None]) -> Flags:
    """Return expansions × sentences: which were judged right."""
    with growth_allowed():
        return cross_validated(
            net, *labelled_sentences(materials), expansions,
            C=FIXED_C, weight=FIXED_WEIGHT, seed=materials.seed, progress=materials.progress,
        )  # fmt: skip


def scored(right: Flags) -> Values:
    """Return accuracies, their intervals, which row is best, and how surely each of the others differs from it.

    >>> scored(np.array([[True, True, False], [True, True, True]]))["best"]
    1
    """
    counts = right.sum(axis=1).tolist()
    intervals = [wilson(count, right.shape[1]) for count in counts]
    best = int(np.argmax(counts))
    return {
        "accuracy": [count / right.shape[1] for count in counts],
        "low": [low for low, _ in intervals],
        "high": [high for _, high in intervals],
        "best": best,
        "p": [compare(right[best], row).p for row in right],
    }


def first(scores: Values) -> list[float]:
    """Return accuracy, low and high of the first row.

    >>> first({"accuracy": [0.5], "low": [0.4], "high": [0.6]})
    [0.5, 0.4, 0.6]
    """
    return [scores[key][0] for key in ("accuracy", "low", "high")]


def level_line(score: Sequence[float], length: int) -> tuple[list[float], list[float], list[float]]:
    """Return an accuracy and its interval as a curve that stays level.

    >>> level_line([0.5, 0.4, 0.6], 2)
    ([0.5, 0.5], [0.4, 0.4], [0.6, 0.6])
    """
    accuracy, low, high = score
    return [accuracy] * length, [low] * length, [high] * length


def alike(scores: Values) -> list[int]:
    """Return the places of the others that cannot be told from the best.

    The more there are, the more would differ by chance: the level is shared among them (Bonferroni).

    >>> alike({"best": 1, "p": [0.03, 1.0, 0.01]})
    [0]
    """
    level = LEVEL / max(1, len(scores["p"]) - 1)
    return [i for i, p in enumerate(scores["p"]) if i != scores["best"] and p >= level]
