"""Texts that a net keeps as counts of their features, so that classifiers can learn from them beside labelled ones.

Enter: the texts of a net as a matrix, or the samples of nets that become one. Leaves: some of its rows, drawn by what
they hold and not by where they stand, in an order that is as good as random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classinet._keys import name_keys, row_keys, shuffled
from classinet._sparse import entries_per_row, from_arrays, row_slice, take_rows
from classinet._typing import Csr

SEED = 0


def draw_sample(matrix: Csr, names: Sequence[str] | NDArray[np.object_], size: int) -> Csr | None:
    """Return so many rows that hold anything, or all where there are fewer; None for a size of 0.

    >>> from classinet._sparse import canonical_csr
    >>> draw_sample(canonical_csr(np.eye(9, 3)), ["a", "b", "c"], 2).shape
    (2, 3)
    """
    if size == 0:
        return None
    order = shuffled(row_keys(matrix, name_keys(map(str, names))), SEED)
    return take_rows(matrix, order[entries_per_row(matrix)[order] > 0][:size])


def joined_samples(
    parts: Sequence[tuple[Csr | None, Sequence[str] | NDArray[np.object_], int]],
    names: Sequence[str] | NDArray[np.object_],
    size: int,
) -> Csr | None:
    """Return one sample of several, from each so many texts as it stands for; None if one of them kept none.

    Parameters
    ----------
    parts : of each its rows, the names of its features, and of how many texts it is a sample.
    names : the features of all; what is not among them is left out.
    size : so many rows at most.

    Examples
    --------
    >>> from classinet._sparse import canonical_csr
    >>> rows = canonical_csr(np.ones((4, 1)))
    >>> joined_samples([(rows, ["a"], 30), (rows, ["b"], 10)], ["a", "b", "c"], 4).toarray().tolist()
    [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    total = sum(n_texts for _, _, n_texts in parts)
    place = {str(name): column for column, name in enumerate(names)}
    indices, data, lengths = [], [], []
    for rows, own_names, n_texts in parts:
        if rows is None:
            return None
        taken = row_slice(rows, 0, min(rows.shape[0], round(size * n_texts / total)))
        columns = np.array([place.get(str(name), -1) for name in own_names], dtype=np.int64)[taken.indices]
        row = np.repeat(np.arange(taken.shape[0]), entries_per_row(taken))
        order = np.lexsort((columns, row))
        order = order[columns[order] >= 0]
        indices.append(columns[order])
        data.append(taken.data[order])
        lengths.append(np.bincount(row[order], minlength=taken.shape[0]))
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    return from_arrays(np.concatenate(data), np.concatenate(indices), indptr, (len(indptr) - 1, len(place)))
