"""How strong a classifier, how much expansion: chosen on the labels, or fixed where these are too few to ask.

Enter: labelled rows as two blocks, the text itself and its expansion. Leave: C, the weight of the expansion, whether
features that tell classes apart get more leeway, and why. Up to a thousand texts the weight is chosen by
cross-validation and C is fixed: the log-loss of so few asks for a C that leans to the most frequent class. It is the
full weight unless a smaller one is better beyond doubt, and in small corpora, which know less, the full weight is
smaller. Of more texts, all is chosen on a held-out fifth of as many as there is time for: the more labels, the less
there is to infer, so what suits a part need not suit the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from classinet._sparse import take_rows
from classinet._typing import Csr, Floats, Integers
from classinet.merging import append
from classinet.pipeline.held_out import FOLDS, HeldOut, inner_folds, log_losses, scaled_log_losses
from classinet.pipeline.linear import span_is_quicker
from classinet.pipeline.targets import Targets, place_in_class

# Chosen on six sets with 200 and 600 labels: against C = 10, 30 gained 1.3 and 0.6 points, most of it macro-F1 of
# skewed classes; 100 gained another 0.6 and 0.2, at the price of probabilities that are too sure.
FIXED_C, FIXED_WEIGHT = 30.0, 1.0
# With all labels of those sets the log-loss would choose 3, which lost up to a point of accuracy against 10 and 30.
STRENGTHS = (10.0, 30.0, 100.0, 300.0)
# The weight is chosen at this C; at 100 the choice was a point worse, because held-out losses there tell more about
# single texts that are judged too surely than about the weight.
MIDDLING_C = 10.0
# A larger weight makes a classifier surer, which the log-loss rewards, but not better: when 2 and 4 could be chosen,
# held-out training texts of Reddit titles lost 2.1 points with 20 labels a class, 1.3 with 50 and 0.7 with 100, those
# of docstrings 1.3 with 20. Only film reviews over IMDB would be better off with 2, by 0.6 points with 200 labels.
# They are shares of the full weight.
WEIGHTS = (0.0, 0.25, 0.5, 1.0)
# From so many unlabeled texts on the full weight is 1; below, it falls with the fourth root of their number. Of 500 and
# 1,000 texts, a weight of 0.7 was 0.5 points better than 1 with 10, 20 and 50 labels a class, of 3,000 0.3.
MANY_UNLABELED = 2000
# A smaller weight is taken if its held-out losses are smaller by so many standard errors. The smallest loss itself cost
# product reviews up to 4 points and was no better on average than no choice. So sure a choice cost nothing on average
# of any number of labels, and what libraries are written in gained 1 to 2 points.
SURE = 2.0
# A model of a larger one could not be loaded; far larger ones overflow.
MAX_WEIGHT = 1e100
# Below these, a choice by cross-validation follows the luck of the draw more than the data: with 10 and 20 labels a
# class it lost 0.2 to 2 points against the fixed choice on spam, questions and German tweets, with 50 it was level.
MIN_TEXTS, MIN_PER_CLASS = 200, 20
# Up to so many texts are cross-validated.
MAX_TEXTS = 1000
# Of more, one fifth judges the others: a fit may look at so many stored values, once for every class; or, in the span
# of so many texts at most, at so many inner products. Of 8,000 texts of 77 classes, 4,000 instead of 1,000 chose a C
# and a weight that judged a point better.
MAX_VALUES, MAX_IN_SPAN, MAX_PRODUCTS = 40_000_000, 4000, 1_250_000_000
# As many looks as a fit takes that is only to be compared with others.
COARSE_LOOKS = 40


@dataclass(frozen=True)
class Settings:
    """What was chosen for a classifier, and how.

    Attributes
    ----------
    C : inverse strength of regularisation.
    weight : length of the expansion relative to the text's own features.
    leeway : whether the weights of features that tell classes apart get more leeway.
    how : "given", "fixed" (too few labels to choose) or "cross-validation".
    losses : held-out log-loss a text of each choice that was tried, as "C=…, weight=…" or "…, leeway" → loss; up to a
        thousand texts of logits that are scaled to be as sure as they should be.
    """

    C: float
    weight: float
    leeway: bool = False
    how: str = "given"
    losses: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


class Tuner:
    """Chooses on one set of labelled rows; what was computed for one choice serves the next.

    Texts of weight 0 are not asked.

    Parameters
    ----------
    text, expansion : the two blocks of the rows.
    targets, weights : the labels, and one weight a text and output.
    seed : seed of the folds.
    full : the full weight; see `full_weight`.
    counted : whether the first block holds features that a text has or has not, so that counting them can tell which
        deserve leeway; not so of vectors.
    adapted : for features that hang on labels: returns both blocks of all rows, made by the labels of the given rows
        alone, so that labels which are held out have no say in the features that judge them.
    """

    def __init__(
        self, text: Csr, expansion: Csr, targets: Targets, weights: Floats, seed: int, *,
        full: float = FIXED_WEIGHT, counted: bool = True, adapted: Callable[[Integers], tuple[Csr, Csr]] | None = None,
    ) -> None:  # fmt: skip
        counting = np.flatnonzero(weights.any(axis=1))
        self.too_few = too_few(targets.take(counting))
        rows = counting[sample_texts(targets.take(counting), _affordable(text, expansion, targets), seed)]
        self.many = len(rows) > MAX_TEXTS
        # Counts of fewer texts tell too little: with a hundred labels a class, leeway lost points on reviews.
        self.leeways = (True, False) if self.many and counted else (False,)
        self.rows, self.targets, self.weights = rows, targets.take(rows), weights[rows]
        self.blocks = take_rows(text, rows), take_rows(expansion, rows)
        self.adapted, self.seed, self.full = adapted, seed, full
        self.known: dict[tuple[float, float, bool], Floats] = {}

    @cached_property
    def parts(self) -> list[HeldOut]:
        """What is judged: all folds over the same rows, or, of features that hang on labels, each over its own."""
        folds = inner_folds(self.targets, self.seed)[: 1 if self.many else None]  # of many texts one is enough
        n_choices = len(WEIGHTS) + len(STRENGTHS) + len(self.leeways) - 1
        in_span = not self.many or span_is_quicker(
            append(*self.blocks), len(self.targets.classes), COARSE_LOOKS, n_choices
        )
        if self.adapted is None:
            return [HeldOut(*self.blocks, self.targets, self.weights, folds, in_span)]
        parts = []
        for fold in folds:
            text, expansion = (take_rows(block, self.rows) for block in self.adapted(self.rows[fold[0]]))
            parts.append(HeldOut(text, expansion, self.targets, self.weights, [fold], in_span))
        return parts

    def choose(self, C: Any, weight: Any, *, leeway: bool | None = None) -> Settings:
        """Choose what is "auto" among C and weight, and leeway with them.

        `leeway` says whether to ask for that; None asks where something else is asked.
        """
        asked = "auto" in (C, weight) if leeway is None else leeway
        if not asked and "auto" not in (C, weight):
            return Settings(float(C), float(weight))
        chosen_C = FIXED_C if C == "auto" else float(C)
        chosen_weight = self.full if weight == "auto" else float(weight)
        if self.too_few:
            return Settings(chosen_C, chosen_weight, how="fixed")
        tried: dict[str, float] = {}

        def loss(C: float, weight: float, free: bool) -> float:
            tried[_told(C, weight, free)] = self.loss(C, weight, free)
            return self.loss(C, weight, free)

        leeways = self.leeways if asked else (False,)
        at_C, free = MIDDLING_C if C == "auto" else chosen_C, leeways[0]
        if weight == "auto" and self.many:
            chosen_weight = min((share * self.full for share in WEIGHTS), key=lambda w: loss(at_C, w, free))
        elif weight == "auto":
            chosen_weight = self._full_or_surely_better(at_C, tried)
        if len(leeways) > 1:
            free = min(leeways, key=lambda either: loss(at_C, chosen_weight, either))
        if C == "auto" and self.many:
            chosen_C = _before_rise(STRENGTHS, lambda c: loss(c, chosen_weight, free))
        return Settings(chosen_C, chosen_weight, free, "cross-validation" if tried else "fixed", tried)

    def loss(self, C: float, weight: float, free: bool = False) -> float:
        """Held-out log-loss a text; `free` with leeway."""
        return float(log_losses(self._logits(C, weight, free), *self._judged).sum() / self._counts.sum())

    def _full_or_surely_better(self, C: float, tried: dict[str, float]) -> float:
        """Return the smaller weight of least loss among those that are surely better than the full one, or this."""
        total = self._counts.sum()
        losses = {
            share * self.full: scaled_log_losses(self._logits(C, share * self.full, False), *self._judged)
            for share in WEIGHTS
        }
        tried |= {_told(C, weight, False): float(each.sum() / total) for weight, each in losses.items()}
        better = [self.full]
        for weight, each in losses.items():
            more = each - losses[self.full]
            error = np.sqrt(((more - more.sum() / total * self._counts) ** 2).sum())
            if more.sum() < -SURE * error:
                better.append(weight)
        return min(better, key=lambda weight: losses[weight].sum())

    def _logits(self, C: float, weight: float, free: bool) -> Floats:
        if (C, weight, free) not in self.known:
            self.known[C, weight, free] = np.concatenate([part.logits(C, weight, free=free) for part in self.parts])
        return self.known[C, weight, free]

    @cached_property
    def _judged(self) -> tuple[Targets, Floats]:
        """Labels and weights of the texts that are judged."""
        rows = np.concatenate([part.asked for part in self.parts])
        return self.targets.take(rows), self.weights[rows]

    @cached_property
    def _counts(self) -> Floats:
        """As how many each of these counts."""
        return np.asarray(self._judged[1].mean(axis=1))


def full_weight(n_texts: int) -> float:
    """Return the weight of expansions by what so many unlabeled texts tell.

    >>> [full_weight(n) for n in (500, 1000, 100_000)]
    [0.71, 0.84, 1.0]
    """
    return round(FIXED_WEIGHT * math.pow(min(1.0, n_texts / MANY_UNLABELED), 0.25), 2)


def _told(C: float, weight: float, free: bool) -> str:
    return f"C={C:g}, weight={weight:g}{', leeway' * free}"


def _before_rise(choices: Sequence[float], loss: Callable[[float], float]) -> float:
    """Return the last choice before the loss rises first: a larger C takes ever longer to fit.

    >>> _before_rise([1.0, 2.0, 3.0, 4.0], lambda c: abs(c - 2.2))
    2.0
    """
    for choice, following in pairwise(choices):
        if loss(following) > loss(choice):
            return choice
    return choices[-1]


def _affordable(text: Csr, expansion: Csr, targets: Targets) -> int:
    """How many texts may be asked."""
    outputs = 1 if len(targets.classes) == 2 else len(targets.classes)
    by_values = int(MAX_VALUES * text.shape[0] / max(1, outputs * (text.nnz + expansion.nnz)))
    # Of hundreds of classes, every fold is to have a text of each.
    return max(MAX_TEXTS, by_values, min(MAX_IN_SPAN, math.isqrt(MAX_PRODUCTS // outputs)), FOLDS * outputs)


def too_few(targets: Targets) -> bool:
    """Whether cross-validation on these labels would choose by luck."""
    counts = targets.member.sum(axis=0)
    return len(targets.member) < MIN_TEXTS or int(counts.min()) < MIN_PER_CLASS


def sample_texts(targets: Targets, most: int, seed: int) -> Integers:
    """Pick up to so many texts, of every class in turn, so that small classes are all there."""
    n = len(targets.member)
    if n <= most:
        return np.arange(n)
    order = np.random.default_rng(seed).permutation(n)
    if targets.form != "classes":
        return np.sort(order[:most])
    # All firsts of their class come before all seconds.
    turns = np.argsort(place_in_class(targets.codes[order]), kind="stable")
    return np.sort(order[turns[:most]])
