"""Which part of a graph to show: the vertices around one or some, or the strongest part.

Enter: a graph. Leaves: a small graph, connected unless it is to show several vertices, whose edges join vertices that
are among each other's k strongest successors, as in the paper's picture of a net.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from classinet._validation import check_number
from classinet.exceptions import InputError
from classinet.graph import FeatureGraph, neighborhood
from classinet.graph.selection import row_of_entries

LARGEST = 200


def extract(graph: FeatureGraph, around: str | Sequence[str] | None, k: int, size: int) -> FeatureGraph:
    """Return the part to draw, its vertices in the order in which they were reached.

    Around a vertex, or several at once: breadth first through the mutual k-nearest-neighbour graph; of the vertices
    reached by the same hop, those at the end of the more probable paths come first, of equals the earlier vertex.
    Without a vertex: the same from a start that is chosen. Of the connected parts of the mutual graph the one with
    the largest sum of weights is taken, and in it the vertex with the largest sum of weights of its edges.

    >>> graph = FeatureGraph(["a", "b", "c"], np.array([[0, 0.2, 0], [0.3, 0, 0.9], [0, 0.8, 0]]))
    >>> extract(graph, None, k=2, size=3).names.tolist()
    ['b', 'c', 'a']
    >>> extract(graph, "a", k=2, size=2).names.tolist()
    ['a', 'b']
    >>> extract(graph, ["c", "a"], k=2, size=2).names.tolist()
    ['c', 'a']
    """
    check_number("size", size, low=1, high=LARGEST, whole=True)
    if not graph.n_vertices:
        raise InputError("the graph has no vertices, so there is nothing to draw")
    starts = [str(graph.names[graph.index(name)]) for name in named(around)]
    mutual = graph.mutual_knn(k)
    # So many hops at most can find as many vertices.
    around_starts = neighborhood(mutual, starts or [str(mutual.names[_strongest(mutual, k)])], size, k, size)
    return mutual.subgraph(list(around_starts.distances))


def named(around: str | Sequence[str] | None) -> list[str]:
    """Return the vertices to start from, each once; none where the start is to be chosen.

    >>> named("cat"), named(["cat", "dog", "cat"]), named(None)
    (['cat'], ['cat', 'dog'], [])
    """
    if around is None:
        return []
    return [around] if isinstance(around, str) else list(dict.fromkeys(around))


def _strongest(mutual: FeatureGraph, k: int) -> int:
    if mutual.n_vertices == 1:
        return 0
    if not mutual.n_edges:
        raise InputError(
            f"no two vertices are among each other's {k} strongest successors, so there is nothing to draw; raise k, "
            "or name a vertex to draw it alone"
        )
    W = mutual.weights
    ends = np.ones(W.nnz), W.indices.astype(np.int64), W.indptr
    _, part = connected_components(sparse.csr_array(ends, shape=W.shape), directed=False)
    own_weight = mutual.out_degree() + mutual.in_degree()
    strongest_part = np.argmax(np.bincount(part[row_of_entries(W)], W.data))
    return int(np.argmax(np.where(part == strongest_part, own_weight, -1.0)))
