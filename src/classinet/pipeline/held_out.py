"""Held-out losses: how well some labelled rows judge the others, with so much expansion, strength and leeway.

Enter: two blocks of labelled rows, and folds of them. Leave: logits of what is held out, and log-losses. Where that is
quicker, rows are taken in coordinates of their span (see `linear`), so that another weight of the expansion costs one
sum and one decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax
from sklearn.model_selection import KFold, StratifiedKFold

from classinet._sparse import take_rows
from classinet._typing import Csr, Floats, Integers
from classinet.merging import append
from classinet.pipeline.leeway import leeway, with_leeway
from classinet.pipeline.linear import fit_linear, inner_products, joined_products, span, used_columns
from classinet.pipeline.representation import weigh_blocks
from classinet.pipeline.targets import Targets

Fold = tuple[Integers, Integers]

FOLDS = 5
# Losses are compared, not coefficients: a coarse solution tells them apart as well as a fine one. Ten times coarser,
# losses of thousands of texts were off by up to 0.08, and the weight was chosen by chance.
COARSE = 1e-4
# A probability that a fold without the class would call 0.
FLOOR = np.log(1e-6)
# Logarithms of the least and the largest number by which logits are multiplied.
LOG_SCALES = (-1.0, 3.0)


def inner_folds(targets: Targets, seed: int) -> list[Fold]:
    """Return pairs of training and held-out rows, each with the mix of classes of the whole."""
    rows = np.zeros(len(targets.member))
    if targets.form == "classes":
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows, targets.codes))
    return list(KFold(FOLDS, shuffle=True, random_state=seed).split(rows))


def log_losses(logits: Floats, targets: Targets, weights: Floats) -> Floats:
    """Return the log-loss of each text, times its weight.

    >>> log_losses(np.array([[0.0, 0.0], [0.0, 3.0]]), Targets.of_codes(np.array([0, 1]), 2), np.ones((2, 2))).round(3)
    array([0.693, 0.049])
    """
    if targets.form == "classes":
        log_likelihood = np.where(targets.member, np.maximum(log_softmax(logits, axis=1), FLOOR), 0.0)
    else:
        log_likelihood = np.maximum(np.where(targets.member, log_expit(logits), log_expit(-logits)), FLOOR)
    return np.asarray(-(weights * log_likelihood).sum(axis=1))


def scaled_log_losses(logits: Floats, targets: Targets, weights: Floats) -> Floats:
    """Return the same of logits that are all multiplied by the one number that makes the sum smallest.

    What is merely surer, or less sure, then has no smaller loss.

    >>> given = Targets.of_codes(np.array([0, 0, 1]), 2), np.ones((3, 2))
    >>> unsure = np.array([[0.1, 0.0], [0.0, 0.1], [0.0, 0.2]])
    >>> bool(np.allclose(scaled_log_losses(unsure, *given), scaled_log_losses(9 * unsure, *given), atol=1e-4))
    True
    """

    def scaled(log_scale: float) -> Floats:
        return log_losses(logits * np.exp(log_scale), targets, weights)

    best = minimize_scalar(lambda log_scale: scaled(log_scale).sum(), bounds=LOG_SCALES, method="bounded")
    return scaled(best.x)


@dataclass(eq=False)
class HeldOut:
    """Two blocks of rows, of which each fold's training rows judge its held-out rows.

    Attributes
    ----------
    text, expansion : the blocks, to be joined with any weight.
    targets, weights : the labels, and one weight a text and output.
    folds : pairs of training and held-out rows.
    in_span : whether rows are taken in coordinates of their span.
    """

    text: Csr
    expansion: Csr
    targets: Targets
    weights: Floats
    folds: list[Fold]
    in_span: bool
    _joined_rows: dict[tuple[float, bool], Any] = field(default_factory=dict, init=False)

    @cached_property
    def asked(self) -> Integers:
        """Which rows are judged, fold after fold."""
        return np.concatenate([held_out for _, held_out in self.folds])

    def logits(self, C: float, weight: float, *, free: bool = False) -> Floats:
        """Return what is said of rows that are judged; `free` with leeway, which then the first fold gives for all."""
        if (weight, free) not in self._joined_rows:
            # Of many texts they are large, and asked for weight by weight.
            self._joined_rows = {(weight, free): self._joined(weight, free)}
        rows, said = self._joined_rows[weight, free], []
        for training, held_out in self.folds:
            coef, intercept = fit_linear(rows[training], self.targets.take(training), C, self.weights[training], COARSE)
            said.append(rows[held_out] @ coef.T + intercept)
        return np.concatenate(said)

    def _joined(self, weight: float, free: bool) -> Any:
        if self.in_span:
            text = self._products_with_leeway if free else self._products[0]
            return span(joined_products(text, self._products[1], weight)).coordinates
        text_rows = self._text_with_leeway if free else self.text
        return used_columns(append(*weigh_blocks(text_rows, self.expansion, weight)))[1]

    @cached_property
    def _products(self) -> tuple[Floats, Floats]:
        """Inner products of the texts, by their own features and by their expansions."""
        return inner_products(self.text), inner_products(self.expansion)

    @cached_property
    def _products_with_leeway(self) -> Floats:
        return inner_products(self._text_with_leeway)

    @cached_property
    def _text_with_leeway(self) -> Csr:
        """The texts' own features with the leeway that the training rows give them: what is held out has no say."""
        training, _ = self.folds[0]
        found = leeway(take_rows(self.text, training), self.targets.take(training), self.weights[training])
        return with_leeway(self.text, found)
