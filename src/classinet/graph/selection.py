"""Parts of a sparse matrix: which entries are a row's strongest, in which row each is, and columns in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._sparse import from_arrays, take_columns
from classinet._typing import Csr, Flags, Integers


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of the same memory through which nothing can be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def top_entries(matrix: Csr, values: NDArray[np.float64], m: int) -> Flags:
    """Flag the m entries of each row with the largest values; between equals the lower column wins.

    `values` has one entry per stored entry of the matrix: its data, or another measure to rank by.
    """
    kept = np.zeros(matrix.nnz, dtype=np.bool_)
    _kernels.propagation.top_entries(read_only(matrix.indptr), read_only(values), int(m), kept)
    return kept


def pick_columns(matrix: Csr, columns: Integers) -> Csr:
    """Return the given distinct columns in that order, which need not be ascending."""
    ascending = np.argsort(columns)
    picked = take_columns(matrix, columns[ascending])
    target = ascending[picked.indices]
    order = np.lexsort((target, row_of_entries(picked)))
    return from_arrays(picked.data[order], target[order], picked.indptr, picked.shape)


def row_of_entries(matrix: Csr) -> NDArray[np.int64]:
    """Return the row of each stored entry."""
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
