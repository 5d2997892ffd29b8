"""How strong a classifier, how much expansion: chosen on the labels, or fixed where these are too few to ask.

Enter: labelled rows as two blocks, the text itself and its expansion. Leave: C, the weight of the expansion, and why.
First the weight is chosen at a weak regularisation (under a strong one all features fit too little, and whatever fits
faster looks better), then C at that weight, by the log-loss on held-out labels. A weight that suits some texts suits
more of them; the best C falls with their number, so it is chosen on as many as there is time for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax
from sklearn.model_selection import KFold, StratifiedKFold

from classinet._sparse import column_counts, take_columns, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet.merging import append, like_input
from classinet.pipeline.linear import fit_linear, inner_products, joined_products, span
from classinet.pipeline.representation import weigh_blocks
from classinet.pipeline.targets import Targets, place_in_class

FIXED_C, FIXED_WEIGHT = 10.0, 1.0
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
WEAK_C = 100.0
WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)
# Below these, a choice by cross-validation follows the luck of the draw more than the data: with 10 and 20 labels a
# class it lost 0.2 to 2 points against the fixed choice on spam, questions and German tweets, with 50 it was level.
MIN_TEXTS, MIN_PER_CLASS = 200, 20
FOLDS = 5
# So many labelled texts are enough to choose the weight on.
MAX_TEXTS = 1000
# C is chosen on more: a fit may look at so many stored values, once for every class.
MAX_VALUES = 40_000_000
# Losses are compared, not coefficients: a coarse solution tells them apart as well as a fine one.
COARSE = 1e-3
# A probability that a fold without the class would call 0.
FLOOR = np.log(1e-6)


@dataclass(frozen=True)
class Settings:
    """What was chosen for a classifier, and how.

    Attributes
    ----------
    C : inverse strength of regularisation.
    weight : length of the expansion relative to the text's own features.
    how : "given", "fixed" (too few labels to choose) or "cross-validation".
    losses : held-out log-loss a text of each choice that was tried, as "C=…, weight=…" → loss.
    """

    C: float
    weight: float
    how: str
    losses: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


class Tuner:
    """Chooses on one set of labelled rows; what was computed for one choice serves the next."""

    def __init__(self, text: Csr, expansion: Csr, targets: Targets, weights: Floats, seed: int) -> None:
        self.too_few = too_few(targets)
        self.everything = text, expansion, targets, weights
        rows = sample_texts(targets, MAX_TEXTS, seed)
        self.targets, self.weights = targets.take(rows), weights[rows]
        self.blocks = take_rows(text, rows), take_rows(expansion, rows)
        self.seed = seed
        self.coordinates: dict[float, Floats] = {}
        self.known: dict[tuple[float, float], float] = {}

    @cached_property
    def products(self) -> tuple[Floats, Floats]:
        """Inner products of the texts, by their own features and by their expansions."""
        text, expansion = self.blocks
        return inner_products(text), inner_products(expansion)

    @cached_property
    def folds(self) -> list[tuple[Integers, Integers]]:
        """Pairs of training and held-out rows."""
        return inner_folds(self.targets, self.seed)

    def choose(self, C: Any, weight: Any) -> Settings:
        """Choose what is "auto" among C and weight."""
        if C != "auto" and weight != "auto":
            return Settings(float(C), float(weight), "given", {})
        chosen_C = FIXED_C if C == "auto" else float(C)
        chosen_weight = FIXED_WEIGHT if weight == "auto" else float(weight)
        if self.too_few:
            return Settings(chosen_C, chosen_weight, "fixed", {})
        tried: dict[str, float] = {}

        def loss(C: float, weight: float) -> float:
            tried[f"C={C:g}, weight={weight:g}"] = self.loss(C, weight)
            return self.loss(C, weight)

        if weight == "auto":
            at_C = WEAK_C if C == "auto" else chosen_C
            chosen_weight = min(WEIGHTS, key=lambda w: loss(at_C, w))
        if C == "auto":
            many = self.losses_of_many(chosen_weight)
            tried |= {f"C={c:g}, weight={chosen_weight:g}": value for c, value in many.items()}
            chosen_C = min(STRENGTHS, key=many.__getitem__ if many else lambda c: loss(c, chosen_weight))
        return Settings(chosen_C, chosen_weight, "cross-validation", tried)

    def losses_of_many(self, weight: float) -> dict[float, float]:
        """Held-out log-loss a text for every C, on a fifth of more texts than the sample; empty where all are in it."""
        text, expansion, targets, weights = self.everything
        outputs = 1 if len(targets.classes) == 2 else len(targets.classes)
        values = text.nnz + (expansion.nnz if weight else 0)
        most = int(MAX_VALUES * text.shape[0] / max(1, outputs * values))
        rows = sample_texts(targets, max(most, MAX_TEXTS), self.seed)
        if len(rows) <= MAX_TEXTS:
            return {}
        joined = append(*weigh_blocks(take_rows(text, rows), take_rows(expansion, rows), weight))
        plain: Any = like_input(take_columns(joined, np.flatnonzero(column_counts(joined))), None)
        asked = targets.take(rows)
        fold = inner_folds(asked, self.seed)[:1]
        return {C: _held_out_loss(plain, asked, weights[rows], fold, C) for C in STRENGTHS}

    def loss(self, C: float, weight: float) -> float:
        """Held-out log-loss a text."""
        if weight not in self.coordinates:
            self.coordinates[weight] = span(joined_products(*self.products, weight)).coordinates
        if (C, weight) not in self.known:
            self.known[C, weight] = _held_out_loss(self.coordinates[weight], self.targets, self.weights, self.folds, C)
        return self.known[C, weight]


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


def inner_folds(targets: Targets, seed: int) -> list[tuple[Integers, Integers]]:
    """Return pairs of training and held-out rows, each with the mix of classes of the whole."""
    rows = np.zeros(len(targets.member))
    if targets.form == "classes":
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows, targets.codes))
    return list(KFold(FOLDS, shuffle=True, random_state=seed).split(rows))


def _held_out_loss(
    rows: Any, targets: Targets, weights: Floats, folds: list[tuple[Integers, Integers]], C: float
) -> float:
    total, asked = 0.0, 0.0
    for training, held_out in folds:
        coef, intercept = fit_linear(rows[training], targets.take(training), C, weights[training], COARSE)
        logits = rows[held_out] @ coef.T + intercept
        member = targets.member[held_out]
        if targets.form == "classes":
            log_likelihood = np.where(member, np.maximum(log_softmax(logits, axis=1), FLOOR), 0.0)
        else:
            log_likelihood = np.maximum(np.where(member, log_expit(logits), log_expit(-logits)), FLOOR)
        total -= float((weights[held_out] * log_likelihood).sum())
        asked += float(weights[held_out, 0].sum())
    return total / asked
