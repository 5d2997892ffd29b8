"""`EditedGraph`: a graph with a person's edits, computed part by part when asked for.

Enter: a graph and edits. Leaves: a graph. One rule makes it: whatever is derived from an edited graph is the
same derived from the unedited one, then edited. So the unedited graph keeps what is expensive (row sums,
neighbours), and an edit costs a copy of the arrays that are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from classinet._typing import Csr, Floats, Integers
from classinet.edits import Edits
from classinet.graph.directions import Directions
from classinet.graph.editing import GraphChanges, Layout, graph_changes
from classinet.graph.feature_graph import FeatureGraph
from classinet.graph.selection import read_only


class EditedGraph(FeatureGraph):
    """A graph with edits applied; `FeatureGraph.edited` makes it.

    Parameters
    ----------
    origin : the unedited graph.
    changes : the edits, by position.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet.edits import Edits
    >>> graph = FeatureGraph(["cat", "dog"], np.array([[0, 0.8], [0.5, 0]]))
    >>> EditedGraph.of(graph, Edits().ban("cat", "dog"))
    <FeatureGraph: 2 vertices, 1 edges>
    """

    def __init__(self, origin: FeatureGraph, changes: GraphChanges) -> None:
        # The parts of the origin were checked when it was made, and edits keep their order and range.
        self._names = origin.names
        self._mutual = {}
        self._origin = origin
        self._changes = changes

    @classmethod
    def of(
        cls, origin: FeatureGraph, edits: Edits, features: Mapping[str, int] | None = None,
        holding: Callable[[str], Iterable[int]] | None = None,
    ) -> EditedGraph:  # fmt: skip
        """Find the places of edits by name; `features` are rows of a first hop, `holding` those that hold a word."""
        has_first_hop = origin.first_hop is not None
        return cls(origin, graph_changes(edits, origin._index, origin.index, features, has_first_hop, holding))

    def __reduce__(self) -> tuple[Any, ...]:
        return EditedGraph, (self._origin, self._changes)

    @property
    def unedited(self) -> FeatureGraph:
        """The graph before all edits."""
        return self._origin

    @cached_property
    def _edges_and_layout(self) -> tuple[Csr, Layout]:
        return self._changes.edges.applied(self._origin.weights)

    @property
    def weights(self) -> Csr:
        """Edge weights, edited."""
        return self._edges_and_layout[0]

    @cached_property
    def association(self) -> Floats | None:
        """Association per edge; 0 for an edge that a pin created."""
        values = self._origin.association
        return None if values is None else read_only(self._edges_and_layout[1].moved(values, 0.0))

    @cached_property
    def counts(self) -> Integers | None:
        """(M11, M10, M01, M00) per edge; all 0 for an edge that a pin created."""
        values = self._origin.counts
        return None if values is None else read_only(self._edges_and_layout[1].moved(values, 0))

    @cached_property
    def first_hop(self) -> Csr | None:
        """Weights from all features to the vertices, edited."""
        first_hop, changes = self._origin.first_hop, self._changes.first_hop
        return None if first_hop is None or changes is None else changes.applied(first_hop)[0]

    @cached_property
    def _index(self) -> dict[str, int]:
        return self._origin._index

    @property
    def edited_edges(self) -> tuple[Integers, Integers, Floats]:
        """Edges that were set, as (source, target, weight) by position."""
        changes = self._changes.edges if self._changes.first_hop is None else self._changes.first_hop
        return changes.rows, changes.columns, changes.weights

    def directions(self, rank: int, reach: int) -> Directions:
        """Return the leading directions of the unedited graph."""
        return self._origin.directions(rank, reach)

    def knn(self, k: int, by: str = "weight") -> FeatureGraph:
        """Return the unedited graph's k strongest edges of each vertex, edited."""
        return EditedGraph(self._origin.knn(k, by), self._changes)

    def _mutual_knn(self, k: int, by: str) -> FeatureGraph:
        return EditedGraph(self._origin.mutual_knn(k, by), self._changes)

    def _of_vertices(self, own: Integers) -> FeatureGraph:
        return EditedGraph(self._origin._of_vertices(own), self._changes.of_vertices(own))

    @cached_property
    def _row_normalized(self) -> FeatureGraph:
        return EditedGraph(self._origin.row_normalized(), self._changes)
