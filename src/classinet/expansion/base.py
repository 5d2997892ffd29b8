"""x ↦ e(x): the contract of an expansion, a value per vertex for every text.

Enter: texts × features as canonical CSR, and a fitted net. Leaves: texts × vertices as canonical CSR. An
expansion has parameters but no state: the same object serves any net, and `clone` and grid search work on
it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator

from classinet._sparse import from_arrays, keep_entries
from classinet._typing import Csr, Floats, Integers
from classinet.exceptions import InputError
from classinet.expansion.paths import ExpansionPath
from classinet.graph.selection import row_of_entries

if TYPE_CHECKING:
    from classinet.graph import FeatureGraph
    from classinet.net import Net


class Expansion(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all expansions.

    A kind implements `_expand` and `_paths`; what it gives a text depends on that text and the net alone.
    """

    def expand(self, X: Csr, net: Net) -> Csr:
        """Return the expansion (texts × vertices) of canonical float64 rows; an empty row stays empty."""
        E = self._expand(unbanned(X, net), net)
        banned = net.banned_vertices
        return keep_entries(E, ~np.isin(E.indices, banned)) if len(banned) else E

    @abstractmethod
    def _expand(self, X: Csr, net: Net) -> Csr:
        """Expand rows whose width fits the net and that hold no banned feature."""

    def paths(self, x: Csr, net: Net, vertices: Integers) -> list[ExpansionPath]:
        """Return how each of some vertices, by position, came into the expansion of one text.

        For an expansion over the graph this is the strongest of all walks that lead from the text to the
        vertex; their values sum to the value of the vertex. Of equally strong walks the one with fewer hops
        wins, then the one whose last steps come from the earlier vertex. A vertex that the expansion does not
        hold is refused.

        Examples
        --------
        >>> import numpy as np
        >>> from classinet._sparse import canonical_csr
        >>> from classinet.expansion import Global
        >>> from classinet.graph import FeatureGraph
        >>> from classinet.net import Net
        >>> names = np.array(["google", "bing", "microsoft"], dtype=object)
        >>> graph = FeatureGraph(names, np.array([[0, 0.8, 0], [0.5, 0, 0.5], [0, 0.6, 0]]))
        >>> net = Net(graph=graph, columns=np.arange(3), feature_names=names, frequency=np.ones(3))
        >>> text = canonical_csr(np.array([[1.0, 0.0, 0.0]]))
        >>> Global(damping=0.5, hops=2, normalize=None).paths(text, net, np.array([2]))
        [ExpansionPath(names=('google', 'bing', 'microsoft'), weights=(0.8, 0.5), value=0.1, share=1.0)]
        """
        if x.shape[0] != 1:
            raise InputError(f"paths explain one text; got {x.shape[0]} rows")
        wanted = np.asarray(vertices, dtype=np.int64)
        outside = wanted[(wanted < 0) | (wanted >= net.n_vertices)]
        if len(outside):
            raise InputError(f"the net has {net.n_vertices} vertices; there is none at position {outside[0]}")
        E = self.expand(x, net)
        totals = np.zeros(net.n_vertices)
        totals[E.indices] = E.data
        missing = wanted[totals[wanted] == 0]
        if len(missing):
            name = net.graph.names[missing[0]]
            raise InputError(f"the expansion of this text does not hold {name!r}: no path leads there")
        return self._paths(unbanned(x, net), net, wanted, totals[wanted])

    @abstractmethod
    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        """Explain vertices that the expansion of a text holds, with their values in it."""


def unbanned(X: Csr, net: Net) -> Csr:
    """Return what of the texts may be expanded; texts over other features than the net's are refused."""
    if X.shape[1] != net.n_features:
        raise InputError(f"X has {X.shape[1]} features, but the net was built on {net.n_features}")
    banned = net.banned_columns
    return keep_entries(X, ~np.isin(X.indices, banned)) if len(banned) else X


def entering(X: Csr, net: Net, graph: FeatureGraph) -> tuple[Csr, Csr]:
    """Return what of the texts enters a graph, and the weights of its first step: from all features, or from vertices.

    The graph is that of the net, or one derived from it.
    """
    if graph.first_hop is None:
        return vertex_values(X, net), graph.weights
    if graph.first_hop.shape[0] != X.shape[1]:
        raise InputError(
            f"the graph's first hop has {graph.first_hop.shape[0]} rows; the net has {X.shape[1]} features"
        )
    return X, graph.first_hop


def vertex_values(X: Csr, net: Net) -> Csr:
    """Return the values of the features that are vertices, as texts × vertices."""
    vertices = net.vertex_of_column[X.indices]
    kept = vertices >= 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[X.indptr]
    picked = from_arrays(X.data[kept], vertices[kept], indptr, (X.shape[0], net.n_vertices))
    if net.columns_ascend:
        return picked
    order = np.lexsort((picked.indices, row_of_entries(picked)))
    return from_arrays(picked.data[order], picked.indices[order], indptr, picked.shape)
