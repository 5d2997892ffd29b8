"""Names of classes as texts: "gardening" or "card_arrival" says what such texts are about, and the net what it implies.

Enter: classes, and rows of labelled texts followed by one row a name. Leave: labelled rows, with the names among them
where these tell classes apart. Names may mislead, be codes, or stand in another language, so they are asked first: a
classifier of the names alone must judge the labelled texts better than by chance.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from classinet._sparse import entries_per_row, row_slice
from classinet._typing import Csr, Floats
from classinet.merging import append
from classinet.pipeline.linear import fit_head
from classinet.pipeline.representation import weigh_blocks
from classinet.pipeline.targets import Targets, checked_weights
from classinet.pipeline.tuning import FIXED_C, FIXED_WEIGHT

# As how many texts a name counts. On held-out training texts of five sets, 2 gained 0.3 points over 1; 4 was level.
NAME_WEIGHT = 2.0
# With more texts a class than these on average, a name has nothing to add: with 50 it gained 0.1 to 0.9 points.
MAX_PER_CLASS = 50
# How likely names may be right by chance as often as they are.
SIGNIFICANCE = 0.05

_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


def name_text(label: str) -> str:
    """Return a label as people would write it.

    >>> [name_text(label) for label in ("card_arrival", "AskHistorians", "scipy.integrate", "Café", "42")]
    ['card arrival', 'Ask Historians', 'scipy integrate', 'Café', '']
    """
    return " ".join(part for part in _BORDER.split(label) if any(map(str.isalpha, part)))


def names_to_read(classes: NDArray[Any], n_texts: float) -> list[str]:
    """Return one text a class, or none where classes are no words or labels are many.

    >>> names_to_read(np.array(["lost_card", "refund"]), 10)
    ['lost card', 'refund']
    >>> names_to_read(np.array([0, 1]), 10), names_to_read(np.array(["lost_card", "2"]), 10)
    ([], [])
    """
    if classes.dtype.kind != "U" or n_texts > MAX_PER_CLASS * len(classes):
        return []
    names = [name_text(label) for label in classes.tolist()]
    return names if all(names) else []


def names_tell(own: Csr, added: Csr, targets: Targets, counts: Floats) -> bool:
    """Whether a classifier of the names alone judges labelled texts better than by chance.

    Chance is what agreement would be if what is said had nothing to do with the text: the share of texts of a class
    times the share of which it is said.

    Parameters
    ----------
    own, added : rows of labelled texts and, after them, of the names; what stands in them, and what they imply.
    targets : the labels of the texts.
    counts : as how many each text counts.
    """
    n, n_classes = targets.member.shape
    rows = append(*weigh_blocks(own, added, FIXED_WEIGHT))
    names = row_slice(rows, n, n + n_classes)
    if not entries_per_row(names).all():
        return False  # nothing is known of a name, so its class would never be said
    each = Targets.of_codes(np.arange(n_classes), n_classes)
    head = fit_head(names, each, FIXED_C, each.row_weights(None, None))
    said, asked = head.logits(row_slice(rows, 0, n)).argmax(axis=1), counts.sum()
    right = counts @ targets.member[np.arange(n), said]
    chance = np.bincount(said, counts, minlength=n_classes) @ (counts @ targets.member) / asked**2
    # The binomial tail, P(as many right or more); of counts that are no whole numbers it is the same integral.
    return bool(right > 0 and betainc(right, asked - right + 1, chance) < SIGNIFICANCE)


def with_names(
    own: Csr, added: Csr, targets: Targets, class_weight: Any, sample_weight: Any
) -> tuple[Csr, Csr, Targets, Floats, bool]:
    """Return labelled rows, their labels and weights, and whether names are among them.

    Parameters
    ----------
    own, added : rows of labelled texts and, after them, of the names where there are any to read.
    targets : the labels of the texts.
    class_weight, sample_weight : see `Targets.row_weights`.
    """
    n = len(targets.member)
    counts = checked_weights(sample_weight, n)
    if own.shape[0] == n or not names_tell(own, added, targets, counts):
        texts = row_slice(own, 0, n), row_slice(added, 0, n)
        return *texts, targets, targets.row_weights(class_weight, counts), False
    every = targets.with_each_class()
    weights = np.append(counts, np.full(len(targets.classes), NAME_WEIGHT))
    # Whether texts are few is asked of the texts: names do not make them many.
    return own, added, every, every.row_weights(targets.resolved(class_weight, counts), weights), True
