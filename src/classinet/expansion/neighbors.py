"""e(x) = x A with A_ij = 1 where i and j are mutual k-nearest neighbours, else 0 (§4.1.3, §4.1.4).

Enter: texts and a net. Leaves: the neighbours of all vertices of a text, or only those at which two of them
point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from classinet._sparse import from_arrays, keep_entries
from classinet._typing import Csr, Floats, Integers
from classinet.expansion.base import Expansion, vertex_values
from classinet.expansion.paths import ExpansionPath, named_paths, strongest_walks
from classinet.expansion.propagate import Walk, propagate

if TYPE_CHECKING:
    from classinet.net import Net


class AllNeighbors(Expansion):
    """Add the mutual nearest neighbours of every vertex of the text, valued by the sum of what leads to them.

    Features that are no vertices do not take part, also where the graph has a first hop for them: a
    neighbour has to point back. An edge that a person pinned makes a neighbour whatever its weight.

    Parameters
    ----------
    k : i and j are neighbours where each is among the k strongest of the other.
    by : "weight" or "association": what makes an edge strong.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> names = np.array(["cat", "dog", "pet"], dtype=object)
    >>> graph = FeatureGraph(names, np.array([[0, 0.8, 0.7], [0.6, 0, 0.9], [0, 0.5, 0]]))
    >>> net = Net(graph=graph, columns=np.arange(3), feature_names=names, frequency=np.ones(3))
    >>> AllNeighbors().expand(canonical_csr(np.array([[1.0, 0.0, 2.0]])), net).toarray()
    array([[0., 3., 0.]])
    """

    def __init__(self, k: int = 4, by: str = "weight") -> None:
        self.k = k
        self.by = by

    def _expand(self, X: Csr, net: Net) -> Csr:
        return _summed(vertex_values(X, net), _adjacency(net, self.k, self.by))

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        return _one_step(x, net, _adjacency(net, self.k, self.by), wanted, totals)


class MutualNeighbors(Expansion):
    """Add the neighbours that at least two distinct vertices of the text have in common.

    The values are those of `AllNeighbors`; features that are no vertices do not take part here either.

    Parameters
    ----------
    k : i and j are neighbours where each is among the k strongest of the other.
    by : "weight" or "association": what makes an edge strong.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> names = np.array(["cat", "dog", "pet", "vet"], dtype=object)
    >>> graph = FeatureGraph(names, 0.5 * np.array([[0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]]))
    >>> net = Net(graph=graph, columns=np.arange(4), feature_names=names, frequency=np.ones(4))
    >>> text = canonical_csr(np.array([[1.0, 1.0, 0.0, 0.0]]))
    >>> AllNeighbors().expand(text, net).toarray()
    array([[0., 0., 2., 1.]])
    >>> MutualNeighbors().expand(text, net).toarray()
    array([[0., 0., 2., 0.]])
    """

    def __init__(self, k: int = 4, by: str = "weight") -> None:
        self.k = k
        self.by = by

    def _expand(self, X: Csr, net: Net) -> Csr:
        present = vertex_values(X, net)
        adjacency = _adjacency(net, self.k, self.by)
        pointing = _summed(_ones(present), adjacency)
        # The k-NN graph has weights 1 and values are positive: both sums store the same entries.
        return keep_entries(_summed(present, adjacency), pointing.data >= 2)

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        return _one_step(x, net, _adjacency(net, self.k, self.by), wanted, totals)


def _adjacency(net: Net, k: int, by: str) -> Csr:
    return _ones(net.graph.mutual_knn(k, by).weights)


def _summed(values: Csr, adjacency: Csr) -> Csr:
    return propagate(values, adjacency, adjacency, Walk())[0]


def _one_step(x: Csr, net: Net, adjacency: Csr, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
    walks = strongest_walks(vertex_values(x, net), adjacency, adjacency, Walk(), wanted)
    return named_paths(walks, net.graph.names, net.graph.names, totals)


def _ones(matrix: Csr) -> Csr:
    return from_arrays(np.ones(matrix.nnz), matrix.indices, matrix.indptr, matrix.shape)
