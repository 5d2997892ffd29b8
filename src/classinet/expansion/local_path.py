"""e(x) = h(x) ∪ {v inside the most probable path i ⇝ j : x_i ≠ 0, h_j(x) = 1}, e_v = Π w up to v (§4.1.2).

Enter: texts and a net with predictors. Leaves: what `Independent` gives, and the vertices through which a
vertex of the text leads to a predicted one, each with the probability of the path up to it (the largest,
where several pass it).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._sparse import canonical_csr, from_arrays, transpose
from classinet._typing import Csr, Floats, Integers
from classinet.expansion.base import Expansion, vertex_values
from classinet.expansion.independent import Independent
from classinet.expansion.paths import ExpansionPath, own_paths
from classinet.graph.editing import entry
from classinet.graph.selection import read_only

if TYPE_CHECKING:
    from classinet.graph import FeatureGraph
    from classinet.net import Net

# The search from a vertex is shared by all texts that hold it. What the searches found is joined after so many finds.
FINDS = 20_000_000


class LocalPath(Expansion):
    """Add the predicted vertices and those on the most probable paths that lead to them from the text.

    One search through the graph per distinct vertex of the texts: on a large graph with thousands of
    predicted vertices per text this is the slowest expansion by far.

    Parameters
    ----------
    values : value of a predicted vertex, as in `Independent`: "label" or "posterior".

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> from classinet.predictors.logistic import Logistic
    >>> names = np.array(["good", "fun", "dull", "slow"], dtype=object)
    >>> unlabeled = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]] * 10)
    >>> net = Net(
    ...     graph=FeatureGraph(names, np.array([[0, 0.1, 0, 0.6], [0] * 4, [0] * 4, [0, 0.5, 0, 0]])),
    ...     columns=np.arange(4),
    ...     feature_names=names,
    ...     frequency=unlabeled.mean(axis=0),
    ...     predictor=Logistic(strength=1.0).fit(unlabeled, unlabeled),
    ... )
    >>> LocalPath().expand(canonical_csr(np.array([[1.0, 0.0, 0.0, 0.0]])), net).toarray()
    array([[0. , 1. , 0. , 0.6]])
    """

    def __init__(self, values: str = "label") -> None:
        self.values = values

    def _expand(self, X: Csr, net: Net) -> Csr:
        predicted = Independent(self.values).expand(X, net)
        interior = _interiors(vertex_values(X, net), predicted, net.graph)
        # No interior vertex is a predicted one, so the sum is a union and predicted vertices keep their
        # value.
        return canonical_csr(predicted + interior)

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        # The value of a predicted vertex is its predictor's, whatever paths lead there.
        predicted = np.isin(wanted, Independent(self.values).expand(x, net).indices)
        paths = dict(
            zip(
                wanted[predicted].tolist(),
                own_paths(net.graph.names[wanted[predicted]], totals[predicted]),
                strict=True,
            )
        )
        interior, values = wanted[~predicted], totals[~predicted]
        paths |= zip(
            interior.tolist(), _interior_paths(vertex_values(x, net), interior, values, net.graph), strict=True
        )
        return [paths[vertex] for vertex in wanted.tolist()]


def _interior_paths(present: Csr, wanted: Integers, values: Floats, graph: FeatureGraph) -> list[ExpansionPath]:
    """Return the most probable paths that gave interior vertices their values, of equals the earliest source's.

    The search settles vertices as the expansion's does, so the chance of the path is the value, bit for bit.
    """
    found: dict[int, ExpansionPath] = {}
    W = graph.weights
    for source in present.indices.tolist() if len(wanted) else []:
        state = _kernels.paths.fresh_state(graph.n_vertices)
        is_wanted = np.full(graph.n_vertices, -1, dtype=np.int64)
        is_wanted[wanted] = source
        n_wanted = len(np.unique(wanted))
        _kernels.paths.settle(W.indptr, W.indices, graph.lengths, W.data, source, is_wanted, n_wanted, state)
        _, _, place, parent, chance, _, _ = state
        for vertex, value in zip(wanted.tolist(), values.tolist(), strict=True):
            if vertex not in found and place[vertex] == _kernels.paths.SETTLED and chance[vertex] == value:
                found[vertex] = _traced(vertex, value, parent, graph)
    return [found[vertex] for vertex in wanted.tolist()]


def _traced(vertex: int, value: float, parent: NDArray[np.int32], graph: FeatureGraph) -> ExpansionPath:
    chain = [vertex]
    while parent[chain[-1]] >= 0:
        chain.append(int(parent[chain[-1]]))
    chain.reverse()
    weights = tuple(entry(graph.weights, a, b) for a, b in pairwise(chain))
    return ExpansionPath(tuple(graph.names[chain]), weights, value, 1.0)


def _interiors(present: Csr, predicted: Csr, graph: FeatureGraph) -> Csr:
    """Return what lies inside the paths from present to predicted vertices, predicted ones left out."""
    W = graph.weights
    holders = transpose(present)
    searched = (
        W.indptr, W.indices, graph.lengths, W.data, read_only(holders.indptr), read_only(holders.indices),
        read_only(predicted.indptr), read_only(predicted.indices),
    )  # fmt: skip
    found = from_arrays(np.zeros(0), [], np.zeros(present.shape[0] + 1), present.shape)
    source = 0
    while source < graph.n_vertices:
        rows, vertices, chances, source = _kernels.paths.interiors(*searched, source, FINDS)
        indptr, indices, data = _kernels.paths.strongest(rows, vertices, chances, *present.shape)
        found = found.maximum(from_arrays(data, indices, indptr, present.shape))
    return canonical_csr(found)
