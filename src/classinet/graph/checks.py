"""What makes a graph a graph: every rule its parts must keep, with a message for each that is broken.

Enter: names, matrices and arrays as a caller gives them. Leave: the same in the library's layout and
read-only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classinet._sparse import canonical_csr, from_arrays, keep_entries
from classinet._typing import Csr, Floats, Integers, MatrixLike
from classinet.exceptions import InputError
from classinet.graph.selection import read_only, row_of_entries


def checked_names(names: Sequence[str] | NDArray[np.object_]) -> NDArray[np.object_]:
    """Return names as an array of objects, all of them different strings."""
    if isinstance(names, str):
        raise InputError(f"names must be a sequence of strings, got the single string {names!r}")
    array = np.empty(len(names), dtype=object)
    array[:] = [str(name) if isinstance(name, str) else name for name in names]
    for i, name in enumerate(array):
        if not isinstance(name, str):
            raise InputError(f"names must be strings; name {i} is {name!r}")
    twice = [name for name, times in Counter(array).items() if times > 1]
    if twice:
        raise InputError(f"names must differ; {twice[0]!r} occurs more than once")
    return read_only(array)


def checked_edges(
    weights: MatrixLike, association: Any, counts: Any, n: int
) -> tuple[Csr, Floats | None, Integers | None]:
    """Return weights, association and counts, in the order of rows and columns and without stored zeros."""
    matrix = sparse.csr_array(weights)
    if matrix.shape != (n, n):
        raise InputError(f"weights has shape {matrix.shape}; {n} names need {(n, n)}")
    association = _aligned(association, "association", (matrix.nnz,), np.float64)
    counts = _aligned(counts, "counts", (matrix.nnz, 4), np.int64)
    if association is not None and not np.isfinite(association).all():
        raise InputError(
            f"association holds a value that is NaN or infinity, for edge {_first(~np.isfinite(association))}"
        )
    if counts is not None and (counts < 0).any():
        raise InputError(f"counts holds a negative number, for edge {_first((counts < 0).any(axis=1))}")
    rows = row_of_entries(matrix)
    if not matrix.has_canonical_format:
        order = np.lexsort((matrix.indices, rows))
        columns = matrix.indices[order]
        if ((np.diff(rows) == 0) & (np.diff(columns) == 0)).any():
            raise InputError("weights holds an edge twice; sum or drop the duplicates first")
        matrix = from_arrays(matrix.data[order], columns, matrix.indptr, matrix.shape)
        association, counts = _taken(association, order), _taken(counts, order)
    _check_range(matrix, "weights")
    loops = rows == matrix.indices
    if loops.any():
        vertex = rows[_first(loops)]
        raise InputError(f"weights has an edge from vertex {vertex} to itself; leave the diagonal empty")
    if not matrix.data.all():
        kept = matrix.data != 0
        matrix, association, counts = (
            keep_entries(matrix, kept),
            _taken(association, kept),
            _taken(counts, kept),
        )
    return (
        _frozen(matrix),
        None if association is None else read_only(association),
        None if counts is None else read_only(counts),
    )


def checked_first_hop(first_hop: MatrixLike, n: int) -> Csr:
    """Return the first hop in the library's layout."""
    matrix = canonical_csr(sparse.csr_array(first_hop))
    if matrix.shape[1] != n:
        raise InputError(f"first_hop has {matrix.shape[1]} columns; there are {n} vertices")
    _check_range(matrix, "first_hop")
    return _frozen(matrix)


def _check_range(matrix: Csr, name: str) -> None:
    outside = ~((matrix.data >= 0) & (matrix.data <= 1))
    if outside.any():
        at = _first(outside)
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise InputError(f"{name} must lie in [0, 1]; row {row}, column {matrix.indices[at]} holds {matrix.data[at]}")


def _aligned(array: Any, name: str, shape: tuple[int, ...], dtype: type[np.generic]) -> Any:
    if array is None:
        return None
    array = np.asarray(array)
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; one entry per stored weight needs {shape}")
    if dtype is np.int64 and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    return np.ascontiguousarray(array, dtype=dtype)


def _taken(array: Any, selection: NDArray[Any]) -> Any:
    return None if array is None else array[selection]


def _frozen(matrix: Csr) -> Csr:
    data = np.ascontiguousarray(matrix.data, dtype=np.float64)
    frozen = from_arrays(data, matrix.indices, matrix.indptr, matrix.shape)
    for part in ("data", "indices", "indptr"):
        setattr(frozen, part, read_only(getattr(frozen, part)))
    return frozen


def _first(flags: NDArray[np.bool_]) -> int:
    return int(np.argmax(flags))
