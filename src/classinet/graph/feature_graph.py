"""`FeatureGraph`: a directed weighted graph of features, an immutable value.

Enter: names, edge weights as CSR and, aligned with them, what else is known of each edge. Leave: neighbours,
subgraphs, paths, degrees, the spectral radius, files. An edge i → j carries w_ij = p(h_j = 1 | h_i = 1), so
mass flows along edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._keys import name_keys
from classinet._sparse import from_arrays, keep_entries, take_rows
from classinet._typing import Csr, Flags, Floats, Integers, MatrixLike
from classinet._validation import check_choice, check_number
from classinet.exceptions import InputError
from classinet.graph import export
from classinet.graph.answers import Edge, Path
from classinet.graph.checks import checked_edges, checked_first_hop, checked_names
from classinet.graph.directions import Directions, leading_directions
from classinet.graph.selection import pick_columns, read_only, row_of_entries, top_entries
from classinet.graph.spectral import spectral_radius

if TYPE_CHECKING:
    from classinet.edits import Edits

K = TypeVar("K")
V = TypeVar("V")
# Whoever asks for many k's, such as a page with a slider, must not fill the memory with their graphs.
KEPT = 4


class FeatureGraph:
    """A directed weighted graph whose vertices are named features.

    Parameters
    ----------
    names : names of the n vertices, all different.
    weights : sparse matrix (n × n) with weights in [0, 1]; a stored zero is no edge. Its arrays are viewed,
        not copied: do not write to them afterwards.
    association : one number per stored weight, what neighbours were ranked by; or None.
    counts : one row (M11, M10, M01, M00) per stored weight; or None.
    first_hop : sparse matrix (d × n) with weights in [0, 1], or None: by it any feature, also one that is no
        vertex, reaches the vertices.

    Examples
    --------
    >>> import numpy as np
    >>> graph = FeatureGraph(["cat", "dog", "pet"], np.array([[0, 0.8, 0.5], [0.6, 0, 0], [0, 0.9, 0]]))
    >>> graph
    <FeatureGraph: 3 vertices, 4 edges>
    >>> graph.successors("cat", top=1)
    [Edge(source='cat', target='dog', weight=0.8, association=None, counts=None)]
    >>> graph.most_probable_path("pet", "cat").names
    ('pet', 'dog', 'cat')
    """

    def __init__(
        self,
        names: Sequence[str] | NDArray[np.object_],
        weights: MatrixLike,
        *,
        association: Floats | None = None,
        counts: Integers | None = None,
        first_hop: MatrixLike | None = None,
    ) -> None:
        self._names = checked_names(names)
        n = len(self._names)
        self._weights, self._association, self._counts = checked_edges(weights, association, counts, n)
        self._first_hop = None if first_hop is None else checked_first_hop(first_hop, n)
        self._mutual: dict[tuple[int, str], FeatureGraph] = {}
        self._directions: dict[tuple[int, int], Directions] = {}

    def __repr__(self) -> str:
        first_hop = "" if self.first_hop is None else f", first hop from {self.first_hop.shape[0]:,} features"
        return f"<FeatureGraph: {self.n_vertices:,} vertices, {self.n_edges:,} edges{first_hop}>"

    def __sklearn_clone__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt rather than copied, so that what comes out of a pickle is read-only again and carries no
        # caches.
        return _rebuilt, (self._names, self._weights, self._association, self._counts, self._first_hop)

    # -------------------------------------------------------------------------------------------------- parts

    @property
    def names(self) -> NDArray[np.object_]:
        """Names of the vertices, in the order of rows and columns."""
        return self._names

    @property
    def weights(self) -> Csr:
        """Edge weights: row i holds the edges that leave vertex i."""
        return self._weights

    @property
    def association(self) -> Floats | None:
        """Association per edge, in the order of `weights.data`."""
        return self._association

    @property
    def counts(self) -> Integers | None:
        """(M11, M10, M01, M00) per edge, in the order of `weights.data`."""
        return self._counts

    @property
    def first_hop(self) -> Csr | None:
        """Weights from all features to the vertices, or None when only vertices have edges."""
        return self._first_hop

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self._names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(self.weights.nnz)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self._names)}

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def index(self, name: str) -> int:
        """Return the position of a vertex."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise InputError(f"{name!r} is no vertex of this graph{self._suggestion(name)}") from None

    def _suggestion(self, name: object) -> str:
        # Only names of about that length: comparing with half a million of all lengths would take seconds.
        text = str(name)
        candidates = [other for other in self._names if abs(len(other) - len(text)) <= 2][:20_000]
        close = get_close_matches(text, candidates, n=3)
        return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""

    # -------------------------------------------------------------------------------------------------- edits

    @property
    def unedited(self) -> FeatureGraph:
        """The graph before all edits: itself, where there are none."""
        return self

    @property
    def edited_edges(self) -> tuple[Integers, Integers, Floats]:
        """Edges that a person set, as (source, target, weight) by position; sources are features if all have edges."""
        none = np.empty(0, dtype=np.int64)
        return none, none, np.empty(0)

    def edited(
        self, edits: Edits, features: Mapping[str, int] | None = None,
        holding: Callable[[str], Iterable[int]] | None = None,
    ) -> FeatureGraph:  # fmt: skip
        """Return the unedited graph with bans and pinned weights applied and all other weights as they were.

        No weight makes up for another: k-NN graphs, subgraphs and the random walk of an edited graph are those of the
        unedited graph with the same edits applied, so that a ban lets no other neighbour in, the rest of a
        normalised row stays what it was, and a pinned weight is used as it is. An edge that a pin creates has
        association 0 and counts 0: nobody counted it.

        Parameters
        ----------
        edits : what to ban and to pin, by name.
        features : row of the first hop by name of the feature; needed where the graph has a first hop.
        holding : rows of the first hop of features that hold a word, such as phrases: what is banned of the word is
            banned of them too.

        Examples
        --------
        >>> import numpy as np
        >>> from classinet.edits import Edits
        >>> graph = FeatureGraph(["cat", "dog", "pet"], np.array([[0, 0.6, 0.2], [0.6, 0, 0], [0, 0.9, 0]]))
        >>> edited = graph.edited(Edits().ban("cat", "dog").pin("dog", "pet", 0.9))
        >>> edited.weights.toarray()
        array([[0. , 0. , 0.2],
               [0.6, 0. , 0.9],
               [0. , 0.9, 0. ]])
        >>> edited.row_normalized().weights.toarray()
        array([[0.  , 0.  , 0.25],
               [1.  , 0.  , 0.9 ],
               [0.  , 1.  , 0.  ]])
        """
        from classinet.graph.edited_graph import EditedGraph

        return EditedGraph.of(self.unedited, edits, features, holding) if len(edits) else self.unedited

    # --------------------------------------------------------------------------------------------- neighbours

    def successors(self, name: str, top: int | None = None) -> list[Edge]:
        """Return the edges that leave a vertex, strongest first."""
        i = self.index(name)
        return self._edges(np.arange(self.weights.indptr[i], self.weights.indptr[i + 1]), top)

    def predecessors(self, name: str, top: int | None = None) -> list[Edge]:
        """Return the edges that enter a vertex, strongest first."""
        return self._edges(np.flatnonzero(self.weights.indices == self.index(name)), top)

    def _edges(self, at: Integers, top: int | None) -> list[Edge]:
        if top is not None:
            check_number("top", top, low=0, whole=True)
        # Stored entries are in the order of vertices, so a stable sort settles ties by that order.
        at = at[np.argsort(-self.weights.data[at], kind="stable")][:top]
        sources = np.searchsorted(self.weights.indptr, at, side="right") - 1
        return [self._edge(int(source), int(entry)) for source, entry in zip(sources, at, strict=True)]

    def _edge(self, source: int, entry: int) -> Edge:
        association, counts = self.association, self.counts
        return Edge(
            source=self._names[source],
            target=self._names[self.weights.indices[entry]],
            weight=float(self.weights.data[entry]),
            association=None if association is None else float(association[entry]),
            counts=None if counts is None else tuple(counts[entry].tolist()),
        )

    # ---------------------------------------------------------------------------------------------- subgraphs

    def knn(self, k: int, by: str = "weight") -> FeatureGraph:
        """Return the graph of each vertex's k strongest outgoing edges; of equals the earlier vertex wins.

        A first hop keeps the k largest weights of each feature.
        """
        first_hop = self.first_hop
        if first_hop is not None:
            first_hop = keep_entries(first_hop, top_entries(first_hop, first_hop.data, k))
        return self._with_edges(self._nearest(k, by), first_hop)

    def mutual_knn(self, k: int, by: str = "weight") -> FeatureGraph:
        """Return the graph of edges i → j where j is among i's k strongest successors and i among j's.

        Nothing leads back to a feature that is no vertex, so the result has no first hop.
        """
        return _kept(self._mutual, (k, by), lambda: self._mutual_knn(k, by))

    def _mutual_knn(self, k: int, by: str) -> FeatureGraph:
        W, n = self.weights, self.n_vertices
        nearest = self._nearest(k, by)
        rows, columns = row_of_entries(W)[nearest], W.indices[nearest].astype(np.int64)
        kept = np.zeros(self.n_edges, dtype=np.bool_)
        kept[np.flatnonzero(nearest)[np.isin(rows * n + columns, columns * n + rows)]] = True
        return self._with_edges(kept, None)

    def _nearest(self, k: int, by: str) -> Flags:
        """Flag each vertex's k strongest outgoing edges."""
        check_number("k", k, low=1, whole=True)
        check_choice("by", by, ("weight", "association"))
        if by == "weight":
            return top_entries(self.weights, self.weights.data, k)
        if self.association is None:
            raise InputError('this graph holds no association of its edges; use by="weight"')
        return top_entries(self.weights, self.association, k)

    def _with_edges(self, kept: Flags, first_hop: Csr | None) -> FeatureGraph:
        return FeatureGraph(
            self._names,
            keep_entries(self.weights, kept),
            association=None if self.association is None else self.association[kept],
            counts=None if self.counts is None else self.counts[kept],
            first_hop=first_hop,
        )

    def subgraph(self, names: Sequence[str]) -> FeatureGraph:
        """Return the graph of some vertices, in the order given, and all edges between them."""
        return self._of_vertices(np.array([self.index(name) for name in names], dtype=np.int64))

    def _of_vertices(self, own: Integers) -> FeatureGraph:
        W = self.weights
        # The positions of the entries travel through the same selection, to bring along what belongs to each
        # edge.
        positions = from_arrays(np.arange(W.nnz, dtype=np.int64), W.indices, W.indptr, W.shape)
        picked = pick_columns(take_rows(positions, own), own)
        at = picked.data
        return FeatureGraph(
            self._names[own],
            from_arrays(W.data[at], picked.indices, picked.indptr, picked.shape),
            association=None if self.association is None else self.association[at],
            counts=None if self.counts is None else self.counts[at],
            first_hop=None if self.first_hop is None else pick_columns(self.first_hop, own),
        )

    def around(self, name: str, hops: int = 1, limit: int = 50) -> FeatureGraph:
        """Return the graph of a vertex and what it most probably leads to within some hops, strongest first.

        `limit` is the number of vertices, the one in the middle included.
        """
        check_number("hops", hops, low=1, whole=True)
        check_number("limit", limit, low=1, whole=True)
        W = self.weights
        middle = self.index(name)
        chance = np.zeros(self.n_vertices)
        chance[middle] = 1.0
        frontier = np.array([middle], dtype=np.int64)
        for _ in range(hops):
            edges = take_rows(W, frontier)
            reached = chance.copy()
            np.maximum.at(reached, edges.indices, np.repeat(chance[frontier], np.diff(edges.indptr)) * edges.data)
            frontier = np.flatnonzero(reached > chance)
            chance = reached
        order = np.argsort(-chance, kind="stable")
        order = order[(chance[order] > 0) & (order != middle)]
        return self._of_vertices(np.concatenate(([middle], order[: limit - 1])))

    # ----------------------------------------------------------------------------------------- paths and sums

    @cached_property
    def lengths(self) -> Floats:
        """Length -log w of each edge, in the order of `weights.data`: what makes probable paths short."""
        return read_only(0.0 - np.log(self.weights.data))

    def most_probable_path(self, source: str, target: str) -> Path | None:
        """Return the path with the largest product of weights, or None where none leads to the target."""
        W = self.weights
        vertices, probability = _kernels.paths.best_path(
            W.indptr, W.indices, self.lengths, W.data, self.index(source), self.index(target)
        )
        return Path(tuple(self._names[vertices]), float(probability)) if len(vertices) else None

    def spectral_radius(self) -> float:
        """Return |λmax| of the weights: Σ γ^t W^t converges exactly where γ |λmax| < 1."""
        return self._spectral_radius

    @cached_property
    def _spectral_radius(self) -> float:
        return spectral_radius(self.weights)

    def directions(self, rank: int, reach: int) -> Directions:
        """Return the leading directions of a random step to the `reach` vertices to which most mass leads.

        The step is that of all features where there is a first hop, otherwise that of the vertices; without edits.
        """
        walk = self.row_normalized()
        step = walk.weights if walk.first_hop is None else walk.first_hop
        return _kept(
            self._directions, (rank, reach), lambda: leading_directions(step, name_keys(self._names), rank, reach)
        )

    def max_row_sum(self) -> float:
        """Return the largest weighted out-degree: a bound of |λmax| that is cheap."""
        return float(self.out_degree().max(initial=0.0))

    def out_degree(self, weighted: bool = True) -> NDArray[Any]:
        """Return per vertex the sum, or the number, of edges that leave it."""
        return self._out_sums if weighted else np.diff(self.weights.indptr)

    @cached_property
    def _out_sums(self) -> Floats:
        return _row_sums(self.weights)

    def in_degree(self, weighted: bool = True) -> NDArray[Any]:
        """Return per vertex the sum, or the number, of edges that enter it."""
        sums = np.bincount(self.weights.indices, self.weights.data if weighted else None, self.n_vertices)
        return sums.astype(np.float64 if weighted else np.int64)

    def row_normalized(self) -> FeatureGraph:
        """Return the random walk on this graph: the weights of each row, also of a first hop, sum to 1.

        Of an edited graph: the random walk on the unedited one, with the same edits.
        """
        return self._row_normalized

    @cached_property
    def _row_normalized(self) -> FeatureGraph:
        return FeatureGraph(
            self._names,
            _normalized(self.weights),
            association=self.association,
            counts=self.counts,
            first_hop=None if self.first_hop is None else _normalized(self.first_hop),
        )

    # ------------------------------------------------------------------------------------------------- export

    def to_scipy(self) -> Csr:
        """Return the weights as a scipy CSR array that may be written to."""
        return export.to_scipy(self)

    def to_networkx(self) -> Any:
        """Return a `networkx.DiGraph` over the names."""
        return export.to_networkx(self)

    def edge_table(self) -> dict[str, NDArray[Any]]:
        """Return the edges as columns of equal length, ready for a data frame."""
        return export.edge_table(self)

    def write_graphml(self, path: str | PathLike[str]) -> None:
        """Write GraphML; the file appears whole or not at all."""
        export.write_graphml(self, path)

    def write_gexf(self, path: str | PathLike[str]) -> None:
        """Write GEXF for Gephi; the file appears whole or not at all."""
        export.write_gexf(self, path)

    def write_csv(self, path: str | PathLike[str]) -> None:
        """Write the edge table as CSV; the file appears whole or not at all."""
        export.write_csv(self, path)


def _rebuilt(
    names: NDArray[np.object_],
    weights: Csr,
    association: Floats | None,
    counts: Integers | None,
    first_hop: Csr | None,
) -> FeatureGraph:
    return FeatureGraph(names, weights, association=association, counts=counts, first_hop=first_hop)


def _kept(known: dict[K, V], key: K, make: Callable[[], V]) -> V:
    """Return what is known, or make it and keep it in place of the oldest."""
    found = known.get(key)
    if found is None:
        while len(known) >= KEPT:
            known.pop(next(iter(known)), None)
        found = known[key] = make()
    return found


def _row_sums(matrix: Csr) -> Floats:
    return read_only(np.bincount(row_of_entries(matrix), matrix.data, matrix.shape[0]).astype(np.float64))


def _normalized(matrix: Csr) -> Csr:
    data = matrix.data / _row_sums(matrix)[row_of_entries(matrix)]
    return from_arrays(data, matrix.indices, matrix.indptr, matrix.shape)
