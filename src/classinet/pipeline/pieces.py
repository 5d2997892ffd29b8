"""What a classifier counts beside the features of its net: runs of letters, and phrases where the net has none.

Enter: the tokens of labelled texts. Leave: what to count in other texts, and how to weigh it. Where labels are few, a
text often shares no word with them but a run of one ("refund", "refunded"); and what a question asks for stands in
how it begins ("how many"), not in its words. Only pieces of labelled texts are kept: no others can bear a weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np

from classinet._sparse import canonical_csr
from classinet._typing import Csr, Floats
from classinet.text.pieces import phrases_of
from classinet.text.vectorizer import count_columns, runs_within

SHORTEST, LONGEST = 3, 5  # characters of a run; a space stands for the border of a word
# From so many labelled texts on, a piece that a single one of them holds says nothing that the text's words do not.
MANY_TEXTS = 1000
# Words whose runs are remembered; natural texts come back to a few thousand.
REMEMBERED = 50_000


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which pieces are counted; an immutable value.

    Attributes
    ----------
    phrases : pairs of neighbouring words and beginnings, in the order of their columns; none where the net counts them.
    runs : runs of letters, in the order of the columns after those.
    rarity : weight of each run.
    """

    phrases: Sequence[str]
    runs: Sequence[str]
    rarity: Floats

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], least: int | None = None, *, phrases: bool = True) -> Self:
        """Collect the pieces of labelled texts, given as tokens, with or without phrases; runs all have weight 1.

        Pieces that fewer than `least` texts hold are left out; None is `least_texts`.

        >>> Pieces.of([["how", "many"], ["how", "far"]]).phrases
        ('far ⊣', 'how far', 'how many', 'many ⊣', '⊢ how', '⊢ how far', '⊢ how many')
        """
        least = least_texts(len(texts)) if least is None else least
        pairs = Counter(piece for tokens in texts if phrases for piece in set(phrases_of(tokens)))
        runs = Counter(run for tokens in texts for run in set(chain.from_iterable(map(runs_of_word, set(tokens)))))
        kept = [tuple(sorted(name for name, held in found.items() if held >= least)) for found in (pairs, runs)]
        return cls(kept[0], kept[1], np.ones(len(kept[1])))

    def __len__(self) -> int:
        return len(self.phrases) + len(self.runs)

    @cached_property
    def _phrase_column(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.phrases)}

    @cached_property
    def _run_column(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.runs, start=len(self.phrases))}

    @cached_property
    def _remembered(self) -> dict[str, list[int]]:
        return {}

    def count(self, texts: Iterable[Sequence[str]]) -> Csr:
        """Count the known pieces of texts, given as tokens: texts × pieces.

        >>> Pieces.of([["how", "many"]]).count([["how", "far"]]).nnz  # "⊢ how" and six runs of "how"
        7
        """
        columns = self._phrase_column
        rows = (
            [columns[piece] for piece in (phrases_of(tokens) if columns else ()) if piece in columns]
            + [column for token in tokens for column in self.run_columns(token)]
            for tokens in texts
        )
        return canonical_csr(count_columns(rows, lambda: len(self)))

    def run_columns(self, word: str) -> list[int]:
        """Return the column of every known run of a word."""
        known = self._remembered.get(word)
        if known is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            columns = self._run_column
            known = [columns[run] for run in runs_of_word(word) if run in columns]
            self._remembered[word] = known
        return known


def least_texts(n_labelled: int) -> int:
    """Return how many of the labelled texts must hold a piece.

    >>> least_texts(20), least_texts(5000)
    (1, 2)
    """
    return 2 if n_labelled >= MANY_TEXTS else 1


def run_frequencies(runs: Sequence[str], words: Iterable[str], holding: Floats) -> Floats:
    """Return in about how many texts each run occurs, told from how many hold each word: their sum.

    A text with two words that share a run counts twice; what is wanted is a weight, not the count.

    >>> run_frequencies([" re", "ine"], ["read", "red", "line"], np.array([5.0, 2.0, 4.0]))
    array([7., 4.])
    """
    total = dict.fromkeys(runs, 0.0)
    for word, texts in zip(words, holding.tolist(), strict=True):
        for run in set(runs_of_word(word)):
            if run in total:
                total[run] += texts
    return np.array(list(total.values()))


def runs_of_word(word: str) -> list[str]:
    """Return the runs of letters of a word, which count twice where they occur twice."""
    return runs_within(word, SHORTEST, LONGEST)
