"""Texts as sequences of word numbers, and the batches of texts of like length that training and encoding take.

Enter: lists of tokens. Leave: `Sequences` (all numbers in one array, and where each text starts), padded blocks of
some of them, for texts of documents which of them have a neighbour, and word vectors of one length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Flags, Integers, Singles
from classinet.exceptions import InputError

PAD, UNKNOWN, END = 0, 1, 2
N_MARKS = 3

# Texts are sorted by length within so many batches at a time: little padding, yet every batch is another mixture.
BATCHES_TO_SORT = 50


class Block(NamedTuple):
    """Some texts of about one length: word numbers (texts × longest, then PAD), and the length of each text."""

    codes: Integers
    lengths: Integers


@dataclass(frozen=True)
class Sequences:
    """Texts as word numbers, one after another.

    Attributes
    ----------
    codes : ndarray of int32
        The numbers of all texts.
    starts : ndarray of int64
        Where each text starts in `codes`, and where the last one ends.
    """

    codes: NDArray[np.int32]
    starts: Integers

    @property
    def lengths(self) -> Integers:
        """How many words each text has."""
        return np.diff(self.starts)

    def flat(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the word numbers of some texts, and for each the position of its text in `rows`.

        >>> texts = Vocabulary(["a", "b"]).sequences([["a", "b"], [], ["b"]])
        >>> texts.flat(np.array([2, 0]))
        (array([4, 3, 4]), array([0, 1, 1]))
        """
        lengths = self.lengths[rows]
        owners = np.repeat(np.arange(len(rows)), lengths)
        ends = np.cumsum(lengths)
        inside = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        return self.codes[self.starts[rows][owners] + inside].astype(np.int64), owners

    def block(self, rows: Integers) -> Block:
        """Return some texts side by side, the shorter ones filled up.

        >>> texts = Vocabulary(["a", "b"]).sequences([["a", "b"], [], ["b"]])
        >>> texts.block(np.array([0, 2])).codes
        array([[3, 4],
               [4, 0]])
        """
        lengths = self.lengths[rows]
        codes = np.full((len(rows), lengths.max(initial=0)), PAD)
        codes[np.arange(codes.shape[1]) < lengths[:, None]] = self.flat(rows)[0]
        return Block(codes, lengths)


@dataclass(frozen=True)
class Vocabulary:
    """The words that have a number; three numbers before them mark padding, unknown words and the end of a text."""

    words: Sequence[str]

    def __len__(self) -> int:
        return len(self.words) + N_MARKS

    def sequences(self, token_lists: Iterable[Sequence[str]], max_words: int | None = None) -> Sequences:
        """Return texts as numbers, each cut after `max_words`.

        >>> Vocabulary(["good"]).sequences([["a", "good", "good", "film"]], max_words=3).codes
        array([1, 3, 3], dtype=int32)
        """
        number = {word: at for at, word in enumerate(self.words, start=N_MARKS)}
        rows = [[number.get(token, UNKNOWN) for token in tokens[:max_words]] for tokens in token_lists]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        codes = np.fromiter((code for row in rows for code in row), dtype=np.int32, count=int(starts[-1]))
        return Sequences(codes, starts)


def training_batches(
    rows: Integers, lengths: Integers, batch_size: int, rng: np.random.Generator
) -> Iterator[Integers]:
    """Yield batches of `rows`, of like length, without end: each pass holds every row once, in a new order.

    >>> batches = training_batches(np.arange(4), np.array([9, 2, 9, 2]), 2, np.random.default_rng(0))
    >>> sorted(sorted(next(batches).tolist()) for _ in range(2))
    [[0, 2], [1, 3]]
    """
    while True:
        order = rng.permutation(rows)
        for start in range(0, len(order), batch_size * BATCHES_TO_SORT):
            some = order[start : start + batch_size * BATCHES_TO_SORT]
            some = some[np.argsort(lengths[some], kind="stable")]
            batches = [some[at : at + batch_size] for at in range(0, len(some), batch_size)]
            for at in rng.permutation(len(batches)):
                yield batches[at]


def batches_by_length(rows: Integers, lengths: Integers, batch_size: int) -> Iterator[Integers]:
    """Yield batches of `rows` once, shortest texts first.

    >>> [rows.tolist() for rows in batches_by_length(np.array([0, 2, 3]), np.array([5, 0, 2, 3]), 2)]
    [[2, 3], [0]]
    """
    order = rows[np.argsort(lengths[rows], kind="stable")]
    for at in range(0, len(order), batch_size):
        yield order[at : at + batch_size]


def followed(documents: Sequence[int] | Integers | None, lengths: Integers) -> Flags:
    """Return for each text whether the next one is from the same document, and both have words.

    >>> followed([7, 7, 7, 8], np.array([3, 4, 0, 2])).tolist()
    [True, False, False, False]
    """
    if documents is None:
        return np.zeros(len(lengths), dtype=np.bool_)
    numbers = np.asarray(documents)
    if numbers.shape != lengths.shape or numbers.dtype.kind not in "iu":
        raise InputError(
            f"documents must hold one whole number for each of the {len(lengths)} texts, got an array of "
            f"{numbers.dtype} with shape {numbers.shape}"
        )
    same = np.append(numbers[1:] == numbers[:-1], False)
    n_runs = int((~same).sum())
    if n_runs > len(np.unique(numbers)):
        starts = np.flatnonzero(np.append(True, ~same[:-1]))
        _, firsts = np.unique(numbers[starts], return_index=True)
        torn = starts[np.setdiff1d(np.arange(len(starts)), firsts)[0]]
        raise InputError(
            f"document {numbers[torn]} goes on at text {torn}, after texts of another; put the texts of each document "
            "one after another, in their order"
        )
    following: Flags = same & (lengths > 0) & (np.append(lengths[1:], 0) > 0)
    return following


def of_one_length(vectors: Singles) -> Singles:
    """Return word vectors with a mean square of one each: CBOW's differ a hundredfold, rare words' being the shortest.

    >>> of_one_length(np.array([[3, 4], [0.6, 0.8]], dtype=np.float32)).round(2)
    array([[0.85, 1.13],
           [0.85, 1.13]], dtype=float32)
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Singles = vectors * (np.sqrt(np.float32(vectors.shape[1])) / np.maximum(lengths, np.float32(1e-12)))
    return scaled
