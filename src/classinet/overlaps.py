"""Which features contain each other: "new york" must be predicted by neither "york" nor "new york city".

Enter: feature names, tokens separated by spaces. Leaves: vertices × features, stored where one name holds the other as
a run of whole tokens. Only n-grams share runs, so unigram features cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from classinet._sparse import from_arrays
from classinet._typing import Csr, Integers


def overlapping_names(names: Sequence[str], columns: Integers) -> Csr | None:
    """Return, for each vertex, the other features whose names contain its name or are contained in it.

    None where no name has more than one token.

    >>> overlapping_names(["new", "new york", "york"], np.arange(3)).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """
    place = {name: column for column, name in enumerate(names)}
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for column, name in enumerate(names):
        for part in _parts(name):
            other = place.get(part)
            if other is not None and other != column:
                partners[column].add(other)
                partners[other].add(column)
    if not partners:
        return None
    rows = [sorted(partners.get(int(column), ())) for column in columns]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    return from_arrays(np.ones(len(indices), dtype=np.float32), indices, indptr, (len(columns), len(names)))


def _parts(name: str) -> Iterator[str]:
    """Every shorter run of the tokens of a name."""
    if " " not in name:
        return
    tokens = name.split(" ")
    for length in range(1, len(tokens)):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])
