"""Texts → rows for the classifier: [the text's own features | weight × its expansion], as a whole of length 1.

Enter: texts. Leave: two blocks of rows. The text's features are weighed by how rare they were in the unlabeled text
and brought to length 1, with others (see `pieces`) beside them where these are asked for. The expansion follows from
the features over the net, and from runs of letters, which the net counts to know where rare words lead. Texts are not
judged by these: beside words and phrases they were in the way, and letters have a block of their own. The expansion is
weighed by rarity as the features are, since an inferred "and" tells as little as a written one, and is brought to the
same length, so that the weight says how much of the row is inferred; then both are scaled down alike, so that a larger
weight does not loosen the regularisation as well. Features of labelled texts that the net has never seen stand after
the net's own: they cannot be expanded, but a label may hang on them. Pieces stand last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet._sparse import canonical_csr, column_counts, entries_per_row, from_arrays, plain, take_columns
from classinet._typing import Csr, Flags, Floats, Integers
from classinet.expansion import Expansion
from classinet.merging import append, expand_rows, row_lengths
from classinet.net import Net
from classinet.pipeline.pieces import Pieces, run_frequencies
from classinet.text import TextVectorizer
from classinet.text.pieces import RUN_SHARE
from classinet.text.vectorizer import strings

# Lengths of the three blocks that make up a text's own features. Chosen once for all, on eight sets of texts.
WORDS, PHRASES, RUNS = 0.7, 0.7, 1.0
FEATURES = float(np.hypot(WORDS, PHRASES))  # of a net that counts words and phrases alike


@dataclass(frozen=True, eq=False)
class Representation:
    """How texts become rows; an immutable value.

    Attributes
    ----------
    vectorizer : knows the net's features and the extra ones, in this order.
    net : the net, edited or not.
    n_texts : number of unlabeled texts the net was built from.
    expansion : how to expand.
    weight : length of the expansion relative to the text's own features.
    by_rarity : weigh inferred features by how rare they are, too.
    pieces : what is counted beside words; None is nothing.
    n_jobs : threads.
    """

    vectorizer: TextVectorizer
    net: Net
    n_texts: int
    expansion: Expansion
    weight: float = 1.0
    by_rarity: bool = True
    pieces: Pieces | None = None
    n_jobs: int | None = None

    @classmethod
    def of(
        cls, vectorizer: TextVectorizer, net: Net, n_texts: int, extra: Iterable[str], expansion: Expansion, **more: Any
    ) -> Representation:
        """Build it from the net's vectorizer and the features that are not the net's."""
        extra = list(extra)
        known = vectorizer.with_vocabulary([*net.feature_names, *extra]) if extra else vectorizer
        return cls(known, net, n_texts, expansion, **more)

    @cached_property
    def idf(self) -> Floats:
        """Weight of each word: 1 + log((1 + texts) / (1 + texts that hold it))."""
        holding = np.zeros(self.n_words)
        holding[: self.net.n_features] = self._holding
        return rarity(holding, self.n_texts)

    @cached_property
    def runs(self) -> Flags:
        """Which of the net's features are runs of letters."""
        return self.vectorizer.runs_among(self.net.feature_names)

    @cached_property
    def _judged(self) -> Flags:
        """Which columns a text is judged by: all but the net's runs."""
        others = np.ones(self.n_columns - self.net.n_features, dtype=np.bool_)
        return np.append(~self.runs, others)

    @cached_property
    def _leading_weights(self) -> Floats:
        """Weight of each of the net's features as one that leads to words."""
        return self.idf[: self.net.n_features] * np.where(self.runs, RUN_SHARE, 1.0)

    @cached_property
    def vertex_weights(self) -> Floats:
        """Weight of each vertex where it is inferred."""
        return self.idf[self.net.columns] if self.by_rarity else np.ones(self.net.n_vertices)

    @property
    def _holding(self) -> Floats:
        """How many of the unlabeled texts hold each feature of the net."""
        return np.rint(self.net.frequency * self.n_texts)

    @property
    def _words_length(self) -> float:
        """Length of the first block: where the vectorizer counts phrases, they are in it."""
        return FEATURES if self.vectorizer.pieces else WORDS

    @property
    def n_words(self) -> int:
        """Number of the vectorizer's features, the net's and others."""
        return len(self.vectorizer.vocabulary_)

    @property
    def n_columns(self) -> int:
        """Number of features of a text, before its expansion."""
        return self.n_words + (0 if self.pieces is None else len(self.pieces))

    def with_weight(self, weight: float) -> Representation:
        """The same with another weight of the expansion."""
        return replace(self, weight=weight)

    def with_net(self, net: Net) -> Representation:
        """The same over another net of the same features, such as an edited one."""
        other = replace(self, net=net)
        # What follows from the features alone is not computed again for every edit that is tried.
        kept = ("idf", "runs", "_judged", "_leading_weights")
        other.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return other

    def with_pieces_of(self, texts: Iterable[str]) -> Representation:
        """The same, also counting the pieces that these texts hold."""
        pieces = Pieces.of(self.tokens(texts), phrases=not self.vectorizer.pieces)
        words = self.vectorizer.words_among(self.net.feature_names)
        frequency = run_frequencies(pieces.runs, self.net.feature_names[words], self._holding[words])
        weights = rarity(np.minimum(frequency, self.n_texts), self.n_texts)
        return replace(self, pieces=replace(pieces, rarity=weights))

    def tokens(self, texts: Iterable[str]) -> list[list[str]]:
        """Cut texts into tokens."""
        tokenize = self.vectorizer.compiled_steps()[0]
        return [tokenize(text) for text in strings(texts)]

    def counts(self, texts: Iterable[str]) -> Csr:
        """Count the features of texts."""
        return self.counts_of(self.tokens(texts))

    def counts_of(self, texts: Sequence[list[str]]) -> Csr:
        """Count the features of texts that are cut into tokens."""
        words = canonical_csr(self.vectorizer.count(self._features(texts)))
        return words if self.pieces is None else append(words, self.pieces.count(texts))

    def counts_of_known(self, known: Csr) -> Csr:
        """Count the features of texts of which only the net's features were kept: other words, and phrases that are no
        features of the net, are not in them.
        """  # noqa: D205
        widened = append(known, no_rows(known.shape[0], self.n_words - known.shape[1]))
        if self.pieces is None:
            return widened
        words = np.flatnonzero(self.vectorizer.words_among(self.net.feature_names) & (column_counts(known) > 0))
        runs = self.pieces.count([[word] for word in self.net.feature_names[words].tolist()])
        return append(widened, canonical_csr(plain(take_columns(known, words)) @ plain(runs)))

    def coverage(self, texts: Sequence[list[str]]) -> Floats:
        """Return for each text, cut into tokens, the share of its distinct features that are known, pieces apart."""
        known, shares = self.vectorizer.vocabulary_, []
        for found in map(set, texts if self.vectorizer.pieces else self._features(texts)):
            shares.append(sum(feature in known for feature in found) / len(found) if found else 0.0)
        return np.array(shares)

    def _features(self, texts: Sequence[list[str]]) -> Iterable[list[str]]:
        assemble = self.vectorizer.compiled_steps()[1]
        return texts if assemble is None else map(assemble, texts)

    def text_rows(self, counts: Csr) -> Csr:
        """Return what texts are judged by: 1 + log count by idf, rows of length 1; a row of nothing stays empty."""
        counts = _with_entries(counts, self._judged[counts.indices])
        if self.pieces is None:
            return own_rows(weigh_words(counts, self.idf), self.n_words)
        n_phrases = len(self.pieces.phrases)
        weights = np.concatenate([self.idf, np.ones(n_phrases), self.pieces.rarity])
        return own_rows(weigh_words(counts, weights), self.n_words, n_phrases, self._words_length)

    def leading_rows(self, counts: Csr) -> Csr:
        """Return what leads to words: the net's features, weighed by rarity, runs of letters for a share of it."""
        return unit_rows(weigh_words(self.known_to_net(counts), self._leading_weights))

    def expansion_rows(self, counts: Csr) -> Csr:
        """Expand counted texts and bring every expansion to length 1, before the weight.

        Edits do not renormalise: it is the unedited expansion that has this length, so that what was not edited keeps
        exactly the value it had.
        """
        leading = self.leading_rows(counts)
        expanded = self._inferred(leading, self.net)
        unedited = self.net.unedited
        whole = expanded if unedited is self.net else self._inferred(leading, unedited)
        lengths = row_lengths(whole)
        return _rows_scaled(expanded, np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))

    def _inferred(self, known: Csr, net: Net) -> Csr:
        found = expand_rows(known, net, self.expansion, self.n_jobs)
        return from_arrays(found.data * self.vertex_weights[found.indices], found.indices, found.indptr, found.shape)

    def rows_of(self, counts: Csr) -> Csr:
        """Return counted texts as rows for the classifier: what stands in them, and their expansion beside it."""
        return self.joined(self.text_rows(counts), counts)

    def joined(self, own: Csr, counts: Csr) -> Csr:
        """Return rows of text and their expansion as rows for the classifier."""
        if self.weight == 0:
            return append(own, no_rows(own.shape[0], self.net.n_vertices))
        return append(*weigh_blocks(own, self.expansion_rows(counts), self.weight))

    def column_names(self) -> NDArray[np.object_]:
        """Names of the words that are counted, the net's first."""
        return self.vectorizer.get_feature_names_out()

    def known_to_net(self, rows: Csr) -> Csr:
        """Return the columns that the net can expand."""
        if rows.shape[1] == self.net.n_features:
            return rows
        kept = _with_entries(rows, rows.indices < self.net.n_features)
        return from_arrays(kept.data, kept.indices, kept.indptr, (rows.shape[0], self.net.n_features))


def _with_entries(rows: Csr, kept: Flags) -> Csr:
    indptr = np.concatenate(([0], np.cumsum(kept)))[rows.indptr]
    return from_arrays(rows.data[kept], rows.indices[kept], indptr, rows.shape)


def rarity(holding: Floats, n_texts: int) -> Floats:
    """Return the weight of features that so many of `n_texts` texts hold: 1 + log((1 + texts) / (1 + holding)).

    >>> rarity(np.array([0.0, 9.0]), 9)
    array([3.30258509, 1.        ])
    """
    return np.asarray(1.0 + np.log((1.0 + n_texts) / (1.0 + holding)))


def weigh_words(counts: Csr, idf: Floats) -> Csr:
    """Return (1 + log count) × rarity of every word."""
    values = (1.0 + np.log(counts.data)) * idf[counts.indices]
    return from_arrays(values, counts.indices, counts.indptr, counts.shape)


def unit_rows(rows: Csr) -> Csr:
    """Bring every row to length 1; a row of nothing stays empty.

    >>> from classinet._sparse import canonical_csr
    >>> unit_rows(canonical_csr(np.array([[3.0, 4.0], [0.0, 0.0]]))).toarray()
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = row_lengths(rows)
    return _rows_scaled(rows, np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))


def own_rows(weighed: Csr, n_words: int, n_phrases: int | None = None, words_length: float = WORDS) -> Csr:
    """Bring rows of weighed words, phrases and runs to length 1, each of the three with its share in it.

    Parameters
    ----------
    weighed : the rows.
    n_words : so many columns are words.
    n_phrases : so many follow that are phrases; all others are runs. None: there are words only.
    words_length : length of the words before the whole is brought to 1.

    >>> from classinet._sparse import canonical_csr
    >>> own_rows(canonical_csr(np.array([[3.0, 4.0]])), 2).toarray()
    array([[0.6, 0.8]])
    """
    if n_phrases is None:
        return unit_rows(weighed)
    return unit_rows(unit_blocks(weighed, (n_words, n_words + n_phrases), (words_length, PHRASES, RUNS)))


def unit_blocks(rows: Csr, borders: Sequence[int] | Integers, lengths: Sequence[float]) -> Csr:
    """Bring each block of columns of every row to its length; a block of nothing stays empty.

    Parameters
    ----------
    rows : the rows.
    borders : the column where each block but the first begins.
    lengths : one a block.

    >>> from classinet._sparse import canonical_csr
    >>> unit_blocks(canonical_csr(np.array([[3.0, 4.0, 9.0], [0.0, 0.0, 2.0]])), [2], [1.0, 0.5]).toarray()
    array([[0.6, 0.8, 0.5],
           [0. , 0. , 0.5]])
    """
    block = np.searchsorted(borders, rows.indices, side="right")
    place = np.repeat(np.arange(rows.shape[0]), entries_per_row(rows)) * len(lengths) + block
    found = np.sqrt(np.bincount(place, rows.data**2, minlength=rows.shape[0] * len(lengths)))
    factor = np.divide(np.tile(lengths, rows.shape[0]), found, out=np.zeros_like(found), where=found > 0)
    return from_arrays(rows.data * factor[place], rows.indices, rows.indptr, rows.shape)


def weigh_blocks(own: Csr, added: Csr, weight: float) -> tuple[Csr, Csr]:
    """Scale the text's own block and an added one, so that the latter has the weight and both together length 1.

    >>> from classinet._sparse import canonical_csr
    >>> block = canonical_csr(np.ones((1, 1)))
    >>> [part.toarray().tolist() for part in weigh_blocks(block, block, 0.75)]
    [[[0.8]], [[0.6]]]
    """
    if weight == 0:
        return own, no_rows(*added.shape)
    whole = np.sqrt(1.0 + weight**2)
    return _scaled(own, 1.0 / whole), _scaled(added, weight / whole)


def no_rows(count: int, columns: int) -> Csr:
    """Return an empty block of so many rows and columns."""
    return from_arrays(np.empty(0), np.empty(0, dtype=np.int32), np.zeros(count + 1, dtype=np.int64), (count, columns))


def _scaled(matrix: Csr, factor: float) -> Csr:
    return from_arrays(matrix.data * factor, matrix.indices, matrix.indptr, matrix.shape)


def _rows_scaled(matrix: Csr, factors: Floats) -> Csr:
    data = matrix.data * np.repeat(factors, entries_per_row(matrix))
    return from_arrays(data, matrix.indices, matrix.indptr, matrix.shape)
