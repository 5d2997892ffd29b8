"""Terms a text brings: {b : a in the text, {a, b} frequent, P(b | a) high, a and b of one class} (Man 2014).

Enter: texts or counts, then labelled ones. Leaves: texts × features, 1 where a frequent term set that holds a term of
the text holds the feature. Two relations make a set: its terms co-occur often enough in unlabeled texts (`fit`), and
they are oriented to the same class in labelled ones (`adapt`).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet import _kernels
from classinet._sparse import (
    ROW_BLOCK,
    canonical_csr,
    column_counts,
    from_arrays,
    presence,
    row_slice,
    take_columns,
    transpose,
)
from classinet._typing import Csr, Integers, MatrixLike
from classinet._validation import check_matrix, check_number, is_missing
from classinet.baselines.base import BagBaseline
from classinet.engine import fixed_batches
from classinet.exceptions import InputError
from classinet.text import TextVectorizer
from classinet.vertices import MostFrequent

TERM_BLOCK = 256  # terms whose co-occurrence counts with all others are in memory at a time
SET_BLOCK = 1024  # sets whose rows are in memory, packed, at a time
LABELLED_TEXTS = 2  # in fewer, the share of a class says nothing


@dataclass(frozen=True)
class TermSets:
    """Frequent sets, smallest first.

    Attributes
    ----------
    members : for size 1, 2, …: sets × size, the columns of each set ascending, the sets in lexicographic order.
    support : for each size, in how many texts all members of a set occur.
    """

    members: tuple[Integers, ...]
    support: tuple[Integers, ...]


def frequent_sets(counts: MatrixLike, min_support: int | float, max_size: int = 2) -> TermSets:
    """Return all sets of up to `max_size` features that occur together in enough texts.

    A set can only be frequent if all smaller sets in it are: sizes are counted one after the other, each from pairs of
    the sets before it. Pairs come from a sparse product, some terms at a time; larger sets from packed bits.

    Parameters
    ----------
    counts : texts × features; a feature occurs where its value is not zero.
    min_support : number of texts (int), or their share (float in (0, 1]), in which a set must occur.
    max_size : largest size of a set.

    Examples
    --------
    >>> found = frequent_sets([[1, 1, 0], [1, 2, 1], [1, 0, 1]], min_support=2)
    >>> found.members[1].tolist(), found.support[1].tolist()
    ([[0, 1], [0, 2]], [2, 2])
    """
    check_number("max_size", max_size, low=1, whole=True)
    matrix = check_matrix(counts, "counts", min_features=0)
    least = _least(min_support, matrix.shape[0])
    occurrences = column_counts(matrix)
    terms = np.flatnonzero(occurrences >= least)
    members, support = [terms[:, None]], [occurrences[terms]]
    texts = take_columns(matrix, terms)
    if max_size > 1:
        pairs, together = _frequent_pairs(texts, least)
        members.append(terms[pairs])
        support.append(together)
        for _ in range(2, max_size):
            pairs, together = _one_larger(pairs, texts, least)
            members.append(terms[pairs])
            support.append(together)
    return TermSets(tuple(members), tuple(support))


class FrequentTermSets(BagBaseline):
    """Expand every term of a text by the terms with which it forms a frequent set.

    The terms a and b co-occur where at least `min_support` texts hold both; a brings b if moreover at least
    `min_confidence` of the texts with a hold b. Sets of two are enough: every pair inside a larger frequent set is
    frequent and at least as confident, so larger sets bring no further term.

    With labels (`adapt`) both terms must also be oriented to the same class. The class of a term is the one that most
    of the labelled texts that hold it are of; it is oriented to it if their share is at least `min_orientation`, there
    are two such texts or more, and no other class has as many. A term without orientation, because labelled texts
    hold it evenly, once or not at all, is in no set: the relation is defined between classes of terms, and a guess
    would undo it. So with few labels this rival brings little; that is its nature.

    Parameters
    ----------
    min_support : number of texts (int), or their share (float in (0, 1]), in which both terms must occur.
    min_confidence : least share of the texts with a term that hold the term it brings.
    min_orientation : least share of a class among the labelled texts with a term.
    max_terms : only so many most frequent terms are looked at.
    vectorizer : how texts become counts; None: words that occur in two texts.

    Attributes
    ----------
    cooccurring_ : features × features, the confidence P(column | row) of every pair that co-occurs.
    related_ : those of these pairs that `transform` uses; all of them as long as there are no labels.
    orientation_ : class of each feature, None for those without; only after `adapt`.

    Examples
    --------
    >>> rival = FrequentTermSets(min_support=2).fit(["rain storm", "rain storm", "goal team", "goal team"])
    >>> dict(zip(rival.get_feature_names_out(), rival.transform(["a storm"]).toarray()[0].tolist()))
    {'goal': 0.0, 'rain': 1.0, 'storm': 0.0, 'team': 0.0}
    >>> texts, labels = ["rain storm", "goal", "rain", "goal", "storm"], ["wet", "dry", "wet", "dry", "dry"]
    >>> rival.adapt(texts, labels).transform(["a storm"]).nnz
    0
    """

    def __init__(
        self,
        min_support: int | float = 0.001,
        min_confidence: float = 0.05,
        min_orientation: float = 0.6,
        max_terms: int = 20_000,
        vectorizer: TextVectorizer | None = None,
    ) -> None:
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.min_orientation = min_orientation
        self.max_terms = max_terms
        self.vectorizer = vectorizer

    def adapt(self, texts: Any, labels: Sequence[Any]) -> Self:
        """Return a copy that uses only pairs of terms that labelled texts orient to the same class.

        Parameters
        ----------
        texts : labelled texts, or their counts.
        labels : the class of each.
        """
        counts = self.counts(texts)
        classes, codes = _codes(labels, counts.shape[0])
        orientation = _orientation(counts, codes, len(classes), self.min_orientation)
        adapted = copy.copy(self)
        adapted.related_ = _within_a_class(self.cooccurring_, orientation)
        adapted.orientation_ = np.array([None if c < 0 else classes[c] for c in orientation], dtype=object)
        return adapted

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the features in the order of the columns."""
        check_is_fitted(self)
        return self.feature_names_

    def _fit(self, counts: Csr) -> None:
        check_number("min_confidence", self.min_confidence, low=0, high=1)
        check_number("min_orientation", self.min_orientation, low=0, high=1)
        check_number("max_terms", self.max_terms, low=1, whole=True)
        terms = MostFrequent(self.max_terms).choose(counts, self.feature_names_)
        found = frequent_sets(take_columns(counts, terms), self.min_support)
        pairs, together = terms[found.members[1]], found.support[1]
        self.cooccurring_ = _confidences(pairs, together, column_counts(counts), self.min_confidence)
        self.related_ = self.cooccurring_

    def _transform(self, counts: Csr) -> Csr:
        brought = canonical_csr(presence(counts) @ presence(self.related_))
        brought.data[:] = 1.0
        return brought


def _least(min_support: int | float, n_texts: int) -> int:
    """The support as a number of texts."""
    if isinstance(min_support, float | np.floating):
        check_number("min_support as a share of the texts", min_support, low=0, high=1, open_low=True)
        return max(1, math.ceil(round(float(min_support) * n_texts, 9)))  # 0.1 of 30 texts is 3, not 3.0000000000000004
    check_number("min_support", min_support, low=1, whole=True)
    return int(min_support)


def _frequent_pairs(texts: Csr, least: int) -> tuple[Integers, Integers]:
    """Pairs of columns, the lower first, that at least `least` texts hold, and how many do."""
    held = from_arrays(np.ones(texts.nnz, dtype=np.int32), texts.indices, texts.indptr, texts.shape)
    postings = transpose(held)
    parts, supports = [np.empty((0, 2), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for start, stop in fixed_batches(texts.shape[1], TERM_BLOCK):
        together = row_slice(postings, start, stop) @ held
        first = np.repeat(np.arange(start, stop), np.diff(together.indptr))
        kept = (together.data >= least) & (together.indices > first)
        pairs = np.stack((first[kept], together.indices[kept].astype(np.int64)), axis=1)
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        parts.append(pairs[order])
        supports.append(together.data[kept][order].astype(np.int64))
    return np.concatenate(parts), np.concatenate(supports)


def _one_larger(sets: Integers, texts: Csr, least: int) -> tuple[Integers, Integers]:
    """Frequent sets with one member more, and their support: joins of two sets that differ in the last member alone."""
    if not len(sets):
        return np.empty((0, sets.shape[1] + 1), dtype=np.int64), np.empty(0, dtype=np.int64)
    # In lexicographic order the partners of a set are those after it that begin alike.
    begins = np.flatnonzero(np.concatenate(([True], (sets[1:, :-1] != sets[:-1, :-1]).any(axis=1))))
    ends = np.repeat(np.append(begins[1:], len(sets)), np.diff(np.append(begins, len(sets))))
    lengths = ends - np.arange(len(sets)) - 1
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    partners = np.repeat(np.arange(len(sets)) + 1 - indptr[:-1], lengths) + np.arange(indptr[-1])
    added = sets[partners, -1]
    support = np.zeros(len(added), dtype=np.int64)
    for start, stop in fixed_batches(texts.shape[0], ROW_BLOCK):
        bits = _packed(row_slice(texts, start, stop))
        for low, high in fixed_batches(len(sets), SET_BLOCK):
            all_members = np.bitwise_and.reduce(bits[sets[low:high]], axis=1)
            first, last = indptr[low], indptr[high]
            counted = np.empty(last - first, dtype=np.int64)
            _kernels.bits.count_pairs(all_members, bits, indptr[low : high + 1] - first, added[first:last], counted)
            support[first:last] += counted
    kept = support >= least
    larger = np.column_stack((np.repeat(sets, lengths, axis=0), added))
    return larger[kept], support[kept]


def _packed(texts: Csr) -> NDArray[np.uint64]:
    """One row of bits a column: the texts that hold it."""
    postings = transpose(texts)
    bits = np.zeros((texts.shape[1], -(-texts.shape[0] // 64)), dtype=np.uint64)
    _kernels.bits.pack_lists(postings.indptr, postings.indices, bits)
    return bits


def _confidences(pairs: Integers, together: Integers, occurrences: Integers, least: float) -> Csr:
    """P(b | a) in row a and column b for both directions of every pair, where it is high enough."""
    rows, columns = np.concatenate((pairs, pairs[:, ::-1])).T
    confidence = np.concatenate((together, together)) / occurrences[rows]
    kept = confidence >= least
    rows, columns, confidence = rows[kept], columns[kept], confidence[kept]
    order = np.lexsort((columns, rows))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(occurrences)))))
    return from_arrays(confidence[order], columns[order], indptr, (len(occurrences), len(occurrences)))


def _codes(labels: Sequence[Any], n_texts: int) -> tuple[NDArray[Any], Integers]:
    if len(labels) != n_texts:
        raise InputError(f"{len(labels)} labels for {n_texts} texts; give one for each")
    missing = [row for row, label in enumerate(labels) if is_missing(label)]
    if missing:
        raise InputError(f"the label of row {missing[0]} is missing; leave out texts without labels")
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"labels holds one class only, {classes[0]!r}; no term is oriented to one class of one")
    return classes, codes


def _orientation(counts: Csr, codes: Integers, n_classes: int, least: float) -> Integers:
    """The class to which each column is oriented, -1 for none."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    # Few columns hold labelled texts, and classes may be many: only columns that occur get a row of counts.
    present, place = np.unique(counts.indices, return_inverse=True)
    held = np.bincount(place * n_classes + codes[rows], minlength=len(present) * n_classes).reshape(-1, n_classes)
    total, most = held.sum(axis=1), held.max(axis=1, initial=0)
    oriented = (total >= LABELLED_TEXTS) & (most >= least * total) & ((held == most[:, None]).sum(axis=1) == 1)
    orientation = np.full(counts.shape[1], -1, dtype=np.int64)
    orientation[present[oriented]] = held.argmax(axis=1)[oriented]
    return orientation


def _within_a_class(pairs: Csr, orientation: Integers) -> Csr:
    """The stored pairs whose row and column are oriented to the same class."""
    rows = np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.indptr))
    kept = (orientation[rows] >= 0) & (orientation[rows] == orientation[pairs.indices])
    indptr = np.concatenate(([0], np.cumsum(kept)))[pairs.indptr]
    return from_arrays(pairs.data[kept], pairs.indices[kept], indptr, pairs.shape)
