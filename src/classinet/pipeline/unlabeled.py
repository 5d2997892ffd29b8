"""Learn from unlabeled texts too: those that a classifier is surest of become labelled texts, where they are of a kind.

Enter: a classifier of few labels, the rows it was fitted to, and rows of unlabeled texts. Leaves: a classifier of both.
The first one names the class of every unlabeled text; of each class those it is surest of join the labelled ones, all
together with as much weight as these. Three things make that safe. Sure texts lie far from the border, and a classifier
that has learnt from them is surer of them than of any to come: so the border is put where each class is said as often
as before, of the texts that did not join. Texts of another kind, such as film reviews beside questions, would drown the
labels: so it is asked how well unlabeled texts can be told from labelled ones (`told_apart`), and the more so, the less
they count. And where a class has few of them, each would count for as much as many labelled ones, with a label that may
be wrong: so they count in full only where there are ten times as many as labelled ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from classinet._sparse import entries_per_row, from_arrays, plain, take_columns, take_rows
from classinet._typing import Csr, Flags, Floats, Integers
from classinet.merging import append, row_lengths
from classinet.pipeline.border import MOST_TEXTS, said_so_often
from classinet.pipeline.head import Head
from classinet.pipeline.linear import fit_linear, inner_products, span
from classinet.pipeline.representation import unit_rows, weigh_blocks
from classinet.pipeline.targets import Targets, place_in_class
from classinet.pipeline.tuning import Settings

# So many unlabeled texts join at most, as many of every class. Up to 3,000 did no better, 500 a little worse.
MOST_JOINING = 1000
# Of the texts of a class this share joins at most, for the others have to tell where the border is. When all of a small
# corpus joined, German tweets lost up to 4 points; a third was better there, and worse for questions.
JOINING_SHARE = 0.5
# So many unlabeled texts of a class to one labelled text count in full; 4 to 20 did nearly the same. Without it five
# points were lost where 289 descriptions of games were labelled and 117 were not, most of these of one class.
ENOUGH = 10.0
# How much more the surest count: the chance of their class to this power. 1 and 6 did as well.
POWER = 2.0
# Up to the first chance of telling a labelled text from an unlabeled one, the latter count in full; from the second on,
# not at all. Texts of the same set had 0.2 to 0.66, film reviews beside products or questions 0.7 to 0.9, English
# titles beside German tweets 1; titles of other topics beside Reddit titles, which still gain, 0.62.
ALIKE, APART = 0.6, 0.7
# A class that is said of less than this share of an even part is not weighed up any further: of English titles ten were
# called by the name of a class of German tweets, and these looked German.
RAREST = 0.1
# Fewer unlabeled texts than these have nothing to tell.
FEWEST = 100
SAME = 1.0 - 1e-6  # inner product of rows of length 1
# Tolerance of the last fit. A coarser one stops elsewhere on every kind of processor, and what is told of a text then
# differs in the third digit; it costs a few hundredths of a second.
FINE = 1e-6


@dataclass(frozen=True, eq=False)
class Unlabeled:
    """Rows of unlabeled texts, over the columns of the labelled ones.

    Attributes
    ----------
    own, added : what stands in them, and what they imply.
    n_known : so many of the first columns of `own` are features of the net, which are the same for every classifier.
    """

    own: Csr
    added: Csr
    n_known: int


def may_learn(targets: Targets, counts: Floats) -> bool:
    """Whether labels are so few that unlabeled texts may help: with more, what they would be called is no news.

    >>> may_learn(Targets.of_codes(np.array([0, 1]), 2), np.ones(2))
    True
    """
    return bool(targets.form == "classes" and np.count_nonzero(counts) <= MOST_TEXTS)


def with_unlabeled(
    head: Head, own: Csr, added: Csr, targets: Targets, weights: Floats, settings: Settings, sizes: Floats,
    unlabeled: Unlabeled,
) -> tuple[Head, float]:  # fmt: skip
    """Return a classifier of labelled and unlabeled texts, and as how much the latter count: 1 as much as the former.

    Parameters
    ----------
    head : the classifier of the labelled rows.
    own, added, targets, weights : these rows, their labels, and one weight a row and output.
    settings : its C and weight.
    sizes : how many labelled texts each class has.
    unlabeled : rows of unlabeled texts.
    """
    # What is compared are features of the net and what they imply: runs of letters are those of labelled texts alone.
    known, others_known = (take_columns(rows, np.arange(unlabeled.n_known)) for rows in (own, unlabeled.own))
    others = np.flatnonzero(~_labelled_too(others_known, known))
    if len(others) < FEWEST:
        return head, 0.0
    kind, others_kind = append(known, added), take_rows(append(others_known, unlabeled.added), others)
    rows = append(*weigh_blocks(own, added, settings.weight))
    asked = append(*weigh_blocks(take_rows(unlabeled.own, others), take_rows(unlabeled.added, others), settings.weight))
    logits = head.logits(asked)
    said = np.bincount(logits.argmax(axis=1), minlength=len(head.classes)).astype(np.float64)

    # 1. Are they of a kind? Every class counts alike on both sides, or a rare one would look like another kind.
    own_weights = weights[:, 0]
    even = 1.0 / np.maximum(said, RAREST * len(others) / len(said))
    chance = told_apart(kind, own_weights, others_kind, even[logits.argmax(axis=1)])
    share = float(np.clip((APART - chance) / (APART - ALIKE), 0.0, 1.0))
    if share == 0.0:
        return head, 0.0

    # 2. The surest of every class join, with the weight of its labelled texts where there are enough of them.
    chosen, codes, sureness = surest(logits, MOST_JOINING)
    counting = share * np.minimum(1.0, said / (ENOUGH * sizes))
    class_weights = own_weights @ targets.member
    parts = sureness / np.bincount(codes, sureness, minlength=len(head.classes))[codes]
    joining = Targets.of_codes(codes, len(head.classes)).member
    joined = Targets(targets.classes, np.vstack([targets.member, joining]), targets.form)
    joined_weights = np.append(own_weights, (counting * class_weights)[codes] * parts)
    both = _stacked(rows, take_rows(asked, chosen))
    within = span(inner_products(both))
    coef, intercept = fit_linear(within.coordinates, joined, settings.C, joined_weights[:, None], FINE)
    coef = np.asarray((both.T @ within.combination(coef)).T)

    # 3. The border where each class is said as often as before; half a text more, so that none is never said.
    found = replace(head, coef=coef, intercept=intercept)
    staying = np.setdiff1d(np.arange(len(others)), chosen)
    expected = np.bincount(logits[staying].argmax(axis=1), minlength=len(head.classes)) + 0.5
    shift = said_so_often(
        found.logits(take_rows(asked, staying)), expected * (len(staying) / expected.sum()), np.ones(len(staying))
    )
    return replace(found, intercept=intercept + shift), float(class_weights @ counting / class_weights.sum())


def surest(logits: Floats, most: int) -> tuple[Integers, Integers, Floats]:
    """Return which texts a classifier is surest of; their classes, and how sure it is.

    They are as many of every class, and at most `JOINING_SHARE` of those that are said to be of it.

    >>> chosen, codes, _ = surest(np.array([[3.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 4.0], [0.0, 1.0]]), 4)
    >>> chosen.tolist(), codes.tolist()
    ([0, 3], [0, 1])
    """
    chances = softmax(logits, axis=1)
    codes, sureness = chances.argmax(axis=1), chances.max(axis=1)
    said = np.bincount(codes, minlength=logits.shape[1])
    bound = np.minimum(max(1, most // logits.shape[1]), np.floor(JOINING_SHARE * said))
    order = np.argsort(-sureness, kind="stable")
    chosen = np.sort(order[place_in_class(codes[order]) < bound[codes[order]]])
    return chosen, codes[chosen], sureness[chosen] ** POWER


def told_apart(labelled: Csr, weights: Floats, unlabeled: Csr, unlabeled_weights: Floats) -> float:
    """Return the chance that a labelled text is more like the labelled than an unlabeled one: 0.5 is no telling.

    A text's likeness to a side is the mean of its inner products with that side's texts; itself is left out, and
    labelled ones that are the same, so that it does not matter whether a text is repeated or weighed.

    Parameters
    ----------
    labelled, unlabeled : rows over the same columns.
    weights, unlabeled_weights : as how many each of them counts.

    Examples
    --------
    >>> from classinet._sparse import canonical_csr
    >>> here, there = canonical_csr(np.eye(2)[[0, 0, 0, 1]]), canonical_csr(np.eye(2)[[1, 1, 1, 0]])
    >>> told_apart(here, np.ones(4), there, np.ones(4))
    0.5625
    """
    shares, other_shares = weights / weights.sum(), unlabeled_weights / unlabeled_weights.sum()
    mean, other_mean = labelled.T @ shares, unlabeled.T @ other_shares
    products = inner_products(labelled)
    lengths = np.sqrt(products.diagonal())
    other = products < SAME * np.outer(lengths, lengths)
    likeness = _mean(products * other @ shares, other @ shares) - labelled @ other_mean
    itself = other_shares * row_lengths(unlabeled) ** 2
    other_likeness = unlabeled @ mean - _mean(unlabeled @ other_mean - itself, 1.0 - other_shares)
    order = np.argsort(other_likeness, kind="stable")
    below = np.concatenate(([0.0], np.cumsum(other_shares[order])))
    low, high = (below[np.searchsorted(other_likeness[order], likeness, side)] for side in ("left", "right"))
    return float(shares @ (low + high) / 2)


def _mean(total: Floats, whole: Floats) -> Floats:
    return np.divide(total, whole, out=np.zeros_like(total), where=whole > 0)


def _labelled_too(unlabeled: Csr, labelled: Csr) -> Flags:
    """Which texts hold nothing, or the same features as a labelled one: they have nothing to add."""
    likeness = plain(unit_rows(unlabeled)) @ plain(unit_rows(labelled)).T
    nearest = likeness.max(axis=1).toarray().ravel()
    return np.asarray((nearest > SAME) | (entries_per_row(unlabeled) == 0))


def _stacked(above: Csr, below: Csr) -> Csr:
    indptr = np.append(above.indptr, above.indptr[-1] + below.indptr[1:])
    data, indices = (np.append(getattr(above, name), getattr(below, name)) for name in ("data", "indices"))
    return from_arrays(data, indices, indptr, (above.shape[0] + below.shape[0], above.shape[1]))
