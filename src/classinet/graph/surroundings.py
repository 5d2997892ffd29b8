"""The part of a graph around some vertices, small enough to be looked at, with how far each vertex is.

Enter: a graph and where to start. Leaves: `Neighborhood`. From ring to ring each vertex is left by its few strongest
edges; of the vertices of a ring those at the end of more probable paths come first, so that a limit on their number
leaves out the least probable ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Floats
from classinet._validation import check_number
from classinet.exceptions import InputError
from classinet.graph.answers import Edge
from classinet.graph.feature_graph import FeatureGraph


@dataclass(frozen=True)
class Neighborhood:
    """A part of a graph.

    Attributes
    ----------
    distances : the number of hops from the nearest start to each vertex, by name; starts first, then ring by ring.
    edges : the edges between these vertices that are among the strongest of their source.
    complete : whether every vertex within reach is there; False where the limit left some out.
    """

    distances: dict[str, int]
    edges: tuple[Edge, ...]
    complete: bool


def neighborhood(
    graph: FeatureGraph, around: Sequence[str], hops: int = 1, top: int = 10, most: int = 100, mutual: bool = False
) -> Neighborhood:
    """Return what lies within some hops of some vertices.

    Parameters
    ----------
    graph : where to look.
    around : names of the vertices to start from.
    hops : how far to go.
    top : how many edges, the strongest, leave each vertex.
    most : how many vertices to return at most, the starts included.
    mutual : follow an edge only where its ends are among each other's `top` strongest successors.

    Examples
    --------
    >>> import numpy as np
    >>> graph = FeatureGraph(["cat", "dog", "pet"], np.array([[0, 0.8, 0], [0.6, 0, 0.5], [0, 0.9, 0]]))
    >>> found = neighborhood(graph, ["cat"], hops=2)
    >>> found.distances, found.complete
    ({'cat': 0, 'dog': 1, 'pet': 2}, True)
    >>> [(edge.source, edge.target) for edge in neighborhood(graph, ["cat"]).edges]
    [('cat', 'dog'), ('dog', 'cat')]
    """
    for name, value in (("hops", hops), ("top", top), ("most", most)):
        check_number(name, value, low=1, whole=True)
    starts = list(dict.fromkeys(graph.index(name) for name in around))
    if not starts:
        raise InputError("around names no vertex; name at least one")
    leaving = _Leaving(graph, top, mutual)
    ring = starts[:most]
    distances, chance = dict.fromkeys(ring, 0), dict.fromkeys(ring, 1.0)
    complete = len(starts) <= most
    for distance in range(1, hops + 1):
        found: dict[int, float] = {}
        for vertex in ring:
            for target, weight in leaving.of(vertex):
                if target not in distances:
                    found[target] = max(found.get(target, 0.0), chance[vertex] * weight)
        ring = sorted(found, key=lambda vertex: (-found[vertex], vertex))
        complete = complete and len(distances) + len(ring) <= most
        ring = ring[: most - len(distances)]
        distances |= dict.fromkeys(ring, distance)
        chance |= found
    names = graph.names
    edges = tuple(
        Edge(str(names[vertex]), str(names[target]), weight)
        for vertex in distances
        for target, weight in leaving.of(vertex)
        if target in distances
    )
    return Neighborhood({str(names[vertex]): distance for vertex, distance in distances.items()}, edges, complete)


class _Leaving:
    """The strongest edges of each vertex, looked up once; of equals the earlier target comes first."""

    def __init__(self, graph: FeatureGraph, top: int, mutual: bool) -> None:
        self.weights = graph.weights
        self.top = top
        self.mutual = mutual
        self.found: dict[int, list[tuple[int, float]]] = {}

    def of(self, vertex: int) -> list[tuple[int, float]]:
        if vertex not in self.found:
            targets, weights = self._row(vertex)
            order = np.argsort(-weights, kind="stable")[: self.top]
            edges = list(zip(targets[order].tolist(), weights[order].tolist(), strict=True))
            self.found[vertex] = [edge for edge in edges if not self.mutual or self._leads(edge[0], vertex)]
        return self.found[vertex]

    def _leads(self, source: int, target: int) -> bool:
        """Say whether an edge is among the strongest of its source."""
        targets, weights = self._row(source)
        at = int(np.searchsorted(targets, target))
        if at == len(targets) or targets[at] != target:
            return False
        stronger = np.count_nonzero(weights > weights[at]) + np.count_nonzero(weights[:at] == weights[at])
        return bool(stronger < self.top)

    def _row(self, vertex: int) -> tuple[NDArray[np.int32], Floats]:
        own = slice(self.weights.indptr[vertex], self.weights.indptr[vertex + 1])
        return self.weights.indices[own], self.weights.data[own]
