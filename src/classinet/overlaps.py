"""Which features contain each other: "new york" must be predicted by neither "york" nor "new york city".

Enter: feature names: tokens separated by spaces, or runs of characters. Leaves: vertices × features, stored where one
name holds the other as a run of whole tokens (only n-grams share runs, so unigram features cost nothing), where one is
a run of letters of the other ("…fund…" and "refund"), or, of characters, where one holds the other or goes on where the
other began: "rai" and "ain" stand together in every "rain".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from classinet._sparse import from_arrays
from classinet._typing import Csr, Integers
from classinet.text.pieces import is_run, letters_of, stem_of


def overlapping_names(names: Sequence[str], columns: Integers, *, characters: bool = False) -> Csr | None:
    """Return, for each vertex, the other features whose names overlap with its name.

    None where no names do.

    >>> overlapping_names(["new", "new york", "york"], np.arange(3)).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    >>> overlapping_names(["red", "refund", "…fund…"], np.arange(3)).toarray()
    array([[0., 0., 0.],
           [0., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    >>> overlapping_names(["ai", "ain", "in", "rai"], np.arange(4), characters=True).toarray()
    array([[0., 1., 1., 1.],
           [1., 0., 1., 1.],
           [1., 1., 0., 0.],
           [1., 1., 0., 0.]], dtype=float32)
    """
    place = {name: column for column, name in enumerate(names)}
    partners: defaultdict[int, set[int]] = defaultdict(set)
    following = _by_beginning(names) if characters else {}
    with_runs = not characters and any(map(is_run, names))
    for column, name in enumerate(names):
        others = [place.get(part) for part in (_substrings(name) if characters else _parts(name))]
        if with_runs and " " not in name:
            others += [place.get(part) for part in (*letters_of(name), stem_of(name))]
        for other in [*others, *following.get(name[1:], ())]:
            if other is not None and other != column:
                partners[column].add(other)
                partners[other].add(column)
    if not partners:
        return None
    rows = [sorted(partners.get(int(column), ())) for column in columns]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    return from_arrays(np.ones(len(indices), dtype=np.float32), indices, indptr, (len(columns), len(names)))


class Holders:
    """Which features hold a word: the phrases it stands in; and which are parts of it: its runs of letters.

    >>> holders = Holders(["refund", "…fund…", "a refund", "funds"])
    >>> holders.of("refund"), holders.of("funds")
    ([2, 1], [1])
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._phrases: defaultdict[str, list[int]] = defaultdict(list)
        self._runs: dict[str, int] = {}
        for column, name in enumerate(names):
            if " " in name:
                for token in dict.fromkeys(name.split(" ")):
                    self._phrases[token].append(column)
            elif is_run(name):
                self._runs[name] = column

    def of(self, word: str) -> list[int]:
        """Return the columns of these features."""
        parts = dict.fromkeys((*letters_of(word), stem_of(word)))
        return self._phrases.get(word, []) + [self._runs[part] for part in parts if part in self._runs]


def _parts(name: str) -> Iterator[str]:
    """Every shorter run of the tokens of a name."""
    if " " not in name:
        return
    tokens = name.split(" ")
    for length in range(1, len(tokens)):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])


def _substrings(name: str) -> Iterator[str]:
    """Every shorter run of the characters of a name."""
    for length in range(1, len(name)):
        for start in range(len(name) - length + 1):
            yield name[start : start + length]


def _by_beginning(names: Sequence[str]) -> dict[str, list[int]]:
    """The columns of names by all but their last character; a single character follows nothing."""
    columns: defaultdict[str, list[int]] = defaultdict(list)
    for column, name in enumerate(names):
        if len(name) > 1:
            columns[name[:-1]].append(column)
    return columns
