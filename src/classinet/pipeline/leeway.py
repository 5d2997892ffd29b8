"""How much leeway the weight of each feature has: what tells classes apart may weigh more than what does not.

Enter: labelled rows of a text's own features. Leave: one number g a feature. The classifier minimises
Σ loss + Σ_j (w_j / g_j)² / 2C, so a weight with more leeway costs less; texts, explanations and what is stored stay as
they are. g is the root of the largest |log-count ratio| of the feature. Wang & Manning (2012) take the ratio itself, in
place of tf-idf; beside tf-idf, which tells rare words apart already, the root was better.

The ratio of feature f and class c is r = log((p / |p|) / (q / |q|)), where p counts the texts of c that hold f and q
the others, both plus `alpha`: rare features have little of it, and so have frequent ones that all classes share.
"""

from __future__ import annotations

import numpy as np

from classinet._sparse import from_arrays, plain, presence, transpose
from classinet._typing import Csr, Flags, Floats
from classinet.merging import row_lengths
from classinet.pipeline.targets import Targets

POWER = 0.5


def leeway(rows: Csr, targets: Targets, weights: Floats) -> Floats:
    """Return the leeway of every column, so that rows scaled by it keep their mean squared length.

    Parameters
    ----------
    rows : labelled texts × their own features.
    targets, weights : the labels, and one weight a text and output.

    Examples
    --------
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.pipeline.targets import as_targets
    >>> targets = as_targets(["pos", "pos", "neg", "neg"], 4)
    >>> a_good_bad = canonical_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]]))
    >>> leeway(a_good_bad, targets, targets.row_weights(None, None)).round(3)
    array([0.   , 1.414, 1.414])
    """
    found = largest_ratios(rows, targets.member, weights) ** POWER
    by_text = weights.mean(axis=1)
    before, after = (float(by_text @ row_lengths(part) ** 2) for part in (rows, with_leeway(rows, found)))
    # Where no feature tells any class apart, none deserves more leeway than another.
    return found * np.sqrt(before / after) if after > 0 else np.ones_like(found)


def with_leeway(rows: Csr, found: Floats) -> Csr:
    """Scale every column by its leeway: a weight of the scaled column, scaled alike, is a weight of the column."""
    return from_arrays(rows.data * found[rows.indices], rows.indices, rows.indptr, rows.shape)


def largest_ratios(rows: Csr, member: Flags, weights: Floats | None = None, alpha: float = 1.0) -> Floats:
    """Return the largest |log-count ratio| of each feature over the classes, each class against all others.

    Parameters
    ----------
    rows : texts × features; only presence matters.
    member : texts × classes: which text is of which class.
    weights : as how many texts each counts, for each class; None is one.
    alpha : what is added to every count.

    Examples
    --------
    >>> from classinet._sparse import canonical_csr
    >>> rows = canonical_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]]))
    >>> largest_ratios(rows, np.array([[True, False], [True, False], [False, True]])).round(3)
    array([0.069, 0.762, 1.03 ])
    """
    counting = np.ones(member.shape) if weights is None else weights
    holding = plain(transpose(presence(rows)))
    inside, outside = (np.asarray(holding @ (counting * side)) + alpha for side in (member, ~member))
    ratios = np.log(inside / inside.sum(axis=0)) - np.log(outside / outside.sum(axis=0))
    largest: Floats = np.abs(ratios).max(axis=1)
    return largest
