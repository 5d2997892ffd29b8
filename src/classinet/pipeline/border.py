"""Where the border between classes lies if labels are few and uneven: where texts to come need it, not labelled ones.

Enter: labelled rows, and how a classifier is fitted to them. Leave: what to add to the logit of each class. A labelled
text is more like itself than like any to come, and the fewer texts a class has, the more each of them counts. So a
classifier puts the border close to the texts of a small class, and calls what is unlike all of them by the name of a
large one; that classes count alike is not enough against it. Here texts are judged by the others, and logits are
shifted until each class is said as often as it is true. Where classes are even there is nothing to mend, and what the
luck of the draw would shift is noise; so of that shift a share is taken, 1 - (smallest class) / (largest class).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from classinet._typing import Csr, Flags, Floats, Integers
from classinet.pipeline.held_out import COARSE
from classinet.pipeline.linear import fit_linear, inner_products, span
from classinet.pipeline.targets import Targets, place_in_class

# Of more texts none is alone any more: with 1,000 labels of four uneven sets the shift changed nothing.
MOST_TEXTS = 500
# So many classifiers judge at most; of up to so many texts a class, each leaves one out. More did no better.
TURNS = 20
# Logits are made so much steeper that what counts is what is said, and not how surely; 5 and 20 did as well.
SHARPNESS = 10.0
# Holds the sum of all shifts, which changes nothing, at 0.
HOLD = 1e-6
NOBODY: Floats = np.empty(0)


def texts_to_ask(targets: Targets, class_weight: Any, counts: Floats) -> Floats:
    """Return `counts` if the border is to be found by texts that judge each other, and nothing otherwise.

    Parameters
    ----------
    targets : the labels.
    class_weight : as the user gave it; anything but "auto" is followed to the letter.
    counts : as how many each text counts.

    Examples
    --------
    >>> targets = Targets.of_codes(np.array([0, 0, 0, 1]), 2)
    >>> texts_to_ask(targets, "auto", np.ones(4)), texts_to_ask(targets, "balanced", np.ones(4))
    (array([1., 1., 1., 1.]), array([], dtype=float64))
    """
    automatic = isinstance(class_weight, str) and class_weight == "auto" and targets.form == "classes"
    few = np.count_nonzero(counts) <= MOST_TEXTS
    return counts if automatic and few and unevenness(targets, counts) > 0 else NOBODY


def unevenness(targets: Targets, counts: Floats) -> float:
    """Return 1 - smallest / largest class: 0 where all have as many texts.

    >>> unevenness(Targets.of_codes(np.array([0, 0, 0, 0, 1]), 2), np.ones(5))
    0.75
    """
    sizes = counts @ targets.member
    there = sizes[sizes > 0]
    return float(1.0 - there.min() / there.max())


def border_shift(rows: Csr, targets: Targets, C: float, weights: Floats, counts: Floats) -> Floats:
    """Return what to add to the logit of each class.

    Parameters
    ----------
    rows : all rows that the classifier is fitted to: texts, and names of classes after them where these are read.
    targets, C, weights : its labels, its strength, and one weight a row and output.
    counts : as how many each text counts.

    Examples
    --------
    Where no text shares anything with another, what is unlike all of them could be of either class; and yet it would be
    called by the name of the larger. Of classes as uneven as two to one half of that is taken back.

    >>> from classinet._sparse import canonical_csr
    >>> from classinet.pipeline.linear import fit_head
    >>> rows, targets = canonical_csr(np.eye(6)), Targets.of_codes(np.array([0, 0, 0, 0, 1, 1]), 2)
    >>> weights = targets.row_weights("balanced", None)
    >>> fit_head(rows, targets, 30.0, weights).intercept.round(2)
    array([ 0.42, -0.42])
    >>> border_shift(rows, targets, 30.0, weights, np.ones(6)).round(2)
    array([-0.24,  0.24])
    """
    asked = np.flatnonzero(counts)
    logits = left_out_logits(rows, targets, C, weights[:, 0], asked)
    of_texts, counting = targets.take(asked), counts[asked]
    return unevenness(of_texts, counting) * said_as_often(logits, of_texts, counting)


def left_out_logits(rows: Csr, targets: Targets, C: float, weights: Floats, asked: Integers) -> Floats:
    """Return the logits of the rows that are asked, by classifiers of the others.

    At every turn one text of each class is left out, or some of a class of many, and the others of the class take over
    their weight. A text that is all there is of its class has to stay; what it says of itself is taken out.
    """
    coordinates, codes = span(inner_products(rows)).coordinates, targets.codes
    turns = place_in_class(codes[asked]) % TURNS
    logits = np.empty((len(asked), len(targets.classes)))
    for turn in range(int(turns.max()) + 1):
        judged = asked[turns == turn]
        staying = weights.copy()
        staying[judged] = 0.0
        whole, left = (np.bincount(codes, part, minlength=len(targets.classes)) for part in (weights, staying))
        taken_over = np.divide(whole, left, out=np.zeros_like(whole), where=left > 0)
        staying = np.where(left[codes] > 0, staying * taken_over[codes], weights)
        kept = np.flatnonzero(staying)
        coef, intercept = fit_linear(coordinates[kept], targets.take(kept), C, staying[kept, None], COARSE)
        said = coordinates[judged] @ coef.T + intercept
        lengths = (coordinates[judged] ** 2).sum(axis=1)
        logits[turns == turn] = said - _own_part(said, targets.member[judged], C * staying[judged] * lengths)
    return logits


def _own_part(logits: Floats, member: Flags, strength: Floats) -> Floats:
    """What texts that the classifier was fitted to add to their own logits; nothing for those of strength 0.

    At the minimum the coefficients of class c are C Σ_i w_i (1 if i is of c, else 0, minus its chance) x_i.
    """
    part = strength[:, None] * (member - softmax(logits, axis=1))
    return np.asarray(part / 2 if logits.shape[1] == 2 else part)  # of two classes each has half the logit


def said_as_often(logits: Floats, targets: Targets, counts: Floats) -> Floats:
    """Return the shifts with which each class is said as often as it is true.

    They are the intercepts of a logistic regression on the logits, made steeper, since there the chances of a class add
    up to its texts.

    >>> logits = np.array([[2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 0.0]])
    >>> said_as_often(logits, Targets.of_codes(np.array([1, 1, 0, 0]), 2), np.ones(4)).round(2)
    array([-1.75,  1.75])
    """
    return said_so_often(logits, counts @ targets.member, counts)


def said_so_often(logits: Floats, sizes: Floats, counts: Floats) -> Floats:
    """Return the shifts with which each class is said of so many texts; classes of none are left as they are.

    Parameters
    ----------
    logits : texts × classes.
    sizes : of how many texts each class is to be said.
    counts : as how many each text counts; in all as many as the sizes.

    >>> said_so_often(np.array([[2.0, 0.0], [4.0, 0.0]]), np.array([1.0, 1.0]), np.ones(2)).round(1)
    array([-1.5,  1.5])
    """
    there = np.flatnonzero(sizes)
    steep, sizes = SHARPNESS * logits[:, there], sizes[there]

    def loss(shifts: Floats) -> tuple[float, Floats]:
        moved = steep + shifts
        total = logsumexp(moved, axis=1)
        said = counts @ np.exp(moved - total[:, None])
        return float(counts @ total - sizes @ shifts + HOLD / 2 * shifts @ shifts), said - sizes + HOLD * shifts

    shifts = np.zeros(logits.shape[1])
    shifts[there] = minimize(loss, np.zeros(len(there)), jac=True, method="L-BFGS-B").x / SHARPNESS
    return shifts
