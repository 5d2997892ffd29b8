"""Edits by position: few entries of a sparse matrix set, removed or added, all others left as they are.

Enter: edits by name and the matrices of a graph. Leave: the edited matrices. A matrix of two million entries
is edited by a handful of passes over its arrays; what is sorted stays sorted, so nothing is checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classinet._sparse import from_arrays
from classinet._typing import Csr, Flags, Floats, Integers
from classinet.exceptions import InputError, ParameterError
from classinet.graph.selection import read_only

if TYPE_CHECKING:
    from classinet.edits import Edits


@dataclass(frozen=True)
class Layout:
    """Where the entries of an edited matrix come from: runs of old ones, and new ones between them.

    Attributes
    ----------
    starts, stops : the runs, in the order of the old entries.
    places : where each run begins among the entries of the edited matrix.
    new : the places of new entries.
    """

    starts: Integers
    stops: Integers
    places: Integers
    new: Integers

    @classmethod
    def of(cls, length: int, removed: Integers, new_at: Integers) -> Layout:
        """Take out the removed entries and put a new one before each old one of `new_at`; both in order."""
        # Each cut ends a run and begins the next, where it left off or behind a removed entry. At the same
        # place the new entry comes first: a stable sort leaves it there.
        ends, begins = np.concatenate((new_at, removed)), np.concatenate((new_at, removed + 1))
        order = np.argsort(ends, kind="stable")
        starts, stops = np.concatenate(([0], begins[order])), np.concatenate((ends[order], [length]))
        is_new = np.concatenate(([False], order < len(new_at)))
        places = np.cumsum(stops - starts) - (stops - starts) + np.cumsum(is_new)
        return cls(starts, stops, places, places[is_new] - 1)

    def moved(self, values: NDArray[Any], new: Any) -> NDArray[Any]:
        """Return values, one (or one row) per old entry, in their new places, with `new` for the new entries."""
        lengths = self.stops - self.starts
        out = np.empty((self.places[-1] + lengths[-1], *values.shape[1:]), dtype=values.dtype)
        runs = np.column_stack((self.starts, self.stops, self.places, self.places + lengths))[lengths > 0]
        for start, stop, place, end in runs.tolist():
            out[place:end] = values[start:stop]
        out[self.new] = new
        return out

    def place(self, old: Integers) -> Integers:
        """Return where old entries that stayed are now."""
        run = np.searchsorted(self.starts, old, side="right") - 1
        places: Integers = self.places[run] + old - self.starts[run]
        return places


@dataclass(frozen=True)
class MatrixChanges:
    """Edits of one matrix.

    Attributes
    ----------
    rows, columns : the edited entries, distinct and in that order; none in a closed row or column.
    weights : what they become; 0 removes an entry.
    closed_rows, closed_columns : rows and columns that lose all entries.
    """

    rows: Integers
    columns: Integers
    weights: Floats
    closed_rows: Integers
    closed_columns: Integers

    @classmethod
    def of(
        cls, entries: Mapping[tuple[int, int], float], closed_rows: set[int], closed_columns: set[int]
    ) -> MatrixChanges:
        """Bring edits into order; what is closed stays closed."""
        open_entries = sorted(
            (row, column, weight)
            for (row, column), weight in entries.items()
            if row not in closed_rows and column not in closed_columns
        )
        rows, columns, weights = zip(*open_entries, strict=True) if open_entries else ((), (), ())
        return cls(
            _integers(rows),
            _integers(columns),
            np.array(weights, dtype=np.float64),
            _integers(sorted(closed_rows)),
            _integers(sorted(closed_columns)),
        )

    def applied(self, matrix: Csr) -> tuple[Csr, Layout]:
        """Return the edited matrix, read-only, and where its entries come from."""
        at, found = _places(matrix, self.rows, self.columns)
        removed = self._removed(matrix, at[found & (self.weights == 0)])
        new, set_anew = ~found & (self.weights > 0), found & (self.weights > 0)
        layout = Layout.of(matrix.nnz, removed, at[new])
        data = layout.moved(matrix.data, self.weights[new])
        data[layout.place(at[set_anew])] = self.weights[set_anew]
        indices = layout.moved(matrix.indices, self.columns[new])
        indptr = matrix.indptr - np.searchsorted(removed, matrix.indptr)
        indptr += np.searchsorted(self.rows[new], np.arange(len(indptr)))
        return from_arrays(read_only(data), read_only(indices), read_only(indptr), matrix.shape), layout

    def _removed(self, matrix: Csr, others: Integers) -> Integers:
        """Return, in order, the entries in closed rows and columns and some others."""
        parts = [others, *(np.arange(matrix.indptr[row], matrix.indptr[row + 1]) for row in self.closed_rows)]
        if len(self.closed_columns):
            closed = np.zeros(matrix.shape[1], dtype=np.bool_)
            closed[self.closed_columns] = True
            parts.append(np.flatnonzero(closed[matrix.indices]))
        return np.unique(np.concatenate(parts))

    def picked(self, rows: Mapping[int, int], columns: Mapping[int, int]) -> MatrixChanges:
        """Return the edits as they concern some rows and columns, given as old position → new position."""
        entries = {
            (rows[row], columns[column]): weight
            for row, column, weight in zip(
                self.rows.tolist(), self.columns.tolist(), self.weights.tolist(), strict=True
            )
            if row in rows and column in columns
        }
        closed_rows = {rows[row] for row in self.closed_rows.tolist() if row in rows}
        closed_columns = {columns[column] for column in self.closed_columns.tolist() if column in columns}
        return MatrixChanges.of(entries, closed_rows, closed_columns)


@dataclass(frozen=True)
class GraphChanges:
    """Edits of the edges of a graph and, where it has one, of its first hop."""

    edges: MatrixChanges
    first_hop: MatrixChanges | None

    def of_vertices(self, own: Integers) -> GraphChanges:
        """Return the edits as they concern some vertices, in the order given."""
        place = {old: new for new, old in enumerate(own.tolist())}
        if self.first_hop is None:
            return GraphChanges(self.edges.picked(place, place), None)
        features = {row: row for row in (*self.first_hop.rows.tolist(), *self.first_hop.closed_rows.tolist())}
        return GraphChanges(self.edges.picked(place, place), self.first_hop.picked(features, place))


def graph_changes(
    edits: Edits,
    vertices: Mapping[str, int],
    index: Callable[[str], int],
    features: Mapping[str, int] | None,
    has_first_hop: bool,
    holding: Callable[[str], Iterable[int]] | None = None,
) -> GraphChanges:
    """Find the places of edits: `vertices` by name (`index` explains a name that is none), `features` in the first hop.

    An edge from a vertex stands twice where there is a first hop: among the edges and in the row of its feature. What
    is banned of a word is banned of the features that are `holding` it too, or they would lead where it may not; unless
    an edit names them.
    """
    if has_first_hop and features is None:
        raise ParameterError(
            "this graph has a first hop, whose rows have no names here: edit the net (Net.edited), or pass `features`"
        )
    features = {} if features is None else features
    edge_entries: dict[tuple[int, int], float] = {}
    hop_entries: dict[tuple[int, int], float] = {}
    implied: dict[tuple[int, int], float] = {}
    for (source, target), weight in edits.edges().items():
        column = index(target)
        if source in vertices:
            edge_entries[vertices[source], column] = weight
        elif source not in features:
            index(source)
        elif not has_first_hop:
            raise InputError(f"no edge leaves {source!r}: it is no vertex, and this graph has no first hop")
        if has_first_hop:
            hop_entries[_row(source, features), column] = weight
            if weight == 0 and holding is not None:
                implied.update(((row, column), 0.0) for row in holding(source))
    closed: set[int] = set()
    closed_hop: set[int] = set()
    for name in edits.banned():
        if name in vertices:
            closed.add(vertices[name])
        elif name not in features:
            index(name)
        if has_first_hop:
            closed_hop.add(_row(name, features))
            closed_hop.update(() if holding is None else holding(name))
    edges = MatrixChanges.of(edge_entries, closed, closed)
    return GraphChanges(edges, MatrixChanges.of(implied | hop_entries, closed_hop, closed) if has_first_hop else None)


def entry(matrix: Csr, row: int, column: int) -> float:
    """Return one entry of a matrix, 0 where none is stored."""
    at, found = _places(matrix, _integers([row]), _integers([column]))
    return float(matrix.data[at[0]]) if found[0] else 0.0


def _places(matrix: Csr, rows: Integers, columns: Integers) -> tuple[Integers, Flags]:
    """Return where each entry is stored, or would be, and whether it is."""
    at, found = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.bool_)
    for i, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        own = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        # A needle of the same type: with any other numpy would first convert the whole row.
        offset = int(np.searchsorted(own, np.int32(column)))
        at[i] = matrix.indptr[row] + offset
        found[i] = offset < len(own) and own[offset] == column
    return at, found


def _row(name: str, features: Mapping[str, int]) -> int:
    try:
        return features[name]
    except KeyError:
        raise InputError(f"the vertex {name!r} is none of the features that name the rows of the first hop") from None


def _integers(values: Any) -> Integers:
    return np.array(values, dtype=np.int64)
