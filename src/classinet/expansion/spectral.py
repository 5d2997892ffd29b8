"""e(x) = max(0, x A B), where A B is the first step of the random walk by its leading directions alone.

Enter: texts and a net. Leaves: values for the vertices to which most mass leads. Where a graph is sparse, two words of
one topic may share no neighbour; in a few directions they still point the same way, so what a text implies
follows from all its words together and not only from edges that were counted. A text costs rank × (its words + reach)
operations, however large the graph is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from classinet import _kernels
from classinet._sparse import canonical_csr, from_arrays, plain, row_slice, stacked, take_columns, times_dense
from classinet._typing import Csr, Floats, Integers
from classinet._validation import check_number
from classinet.engine import ThreadEngine, fixed_batches
from classinet.expansion.base import Expansion, entering
from classinet.expansion.paths import ExpansionPath
from classinet.graph.directions import Directions
from classinet.graph.selection import row_of_entries

if TYPE_CHECKING:
    from classinet.net import Net

ROW_BLOCK = 512
# Directions are known to about seven digits: what is less than this share of a text's mass cannot be told from 0.
ROUNDING = 1e-5


class Spectral(Expansion):
    """Add what the text leads to by the leading directions of the graph.

    The directions are found once for a net, and take about as long as a few walks from every feature. An edge that a
    person banned or pinned has exactly that weight; all others are as the directions have them.

    Parameters
    ----------
    rank : number of directions.
    reach : number of vertices that can be reached: those to which most mass leads.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> names = np.array(["storm", "rain", "snow", "goal", "team"], dtype=object)
    >>> weights = np.array([[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])
    >>> net = Net(graph=FeatureGraph(names, weights), columns=np.arange(5), feature_names=names, frequency=np.ones(5))
    >>> text = canonical_csr(np.array([[1.0, 0.0, 0.0, 0.0, 0.0]]))
    >>> Spectral(rank=5).expand(text, net).toarray().round(3) + 0.0
    array([[0., 1., 0., 0., 0.]])
    """

    def __init__(self, rank: int = 96, reach: int = 4000) -> None:
        self.rank = rank
        self.reach = reach

    def _expand(self, X: Csr, net: Net) -> Csr:
        start, found = self._prepared(X, net)
        edited = _edited(net, found)
        borders = fixed_batches(start.shape[0], ROW_BLOCK)
        if not borders:
            return from_arrays(np.empty(0), [], [0], (0, net.n_vertices))

        def some(border: tuple[int, int]) -> Csr:
            return _spread(row_slice(start, *border), found, edited, net.n_vertices)

        return stacked(some, borders, net.n_vertices, ThreadEngine(), "expansion")

    def _prepared(self, X: Csr, net: Net) -> tuple[Csr, Directions]:
        check_number("rank", self.rank, low=1, whole=True)
        check_number("reach", self.reach, low=1, whole=True)
        return entering(X, net, net.graph)[0], net.graph.directions(self.rank, self.reach)

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        start, found = self._prepared(x, net)
        weights = _weights(found, start.indices.astype(np.int64), wanted)
        for row, column, weight in zip(*net.graph.edited_edges, strict=True):
            weights[np.ix_(start.indices == row, wanted == column)] = weight
        values = start.data[:, None] * weights
        best = values.argmax(axis=0) if len(wanted) else np.empty(0, dtype=np.int64)
        names = net.graph.names if net.graph.unedited.first_hop is None else net.feature_names
        return [
            ExpansionPath(
                (names[start.indices[i]], net.graph.names[vertex]),
                (float(weights[i, at]),),
                float(values[i, at]),
                min(1.0, float(values[i, at] / totals[at])),
            )
            for at, (i, vertex) in enumerate(zip(best.tolist(), wanted.tolist(), strict=True))
        ]


def _spread(start: Csr, found: Directions, edited: Csr | None, n_vertices: int) -> Csr:
    """Return the values above 0 of a few texts, every sum in a fixed order: texts do not influence each other."""
    single = from_arrays(start.data.astype(np.float32), start.indices, start.indptr, start.shape)
    spread = np.empty((start.shape[0], len(found.vertices)), dtype=np.float32)
    _kernels.neighbors.dot_tile(times_dense(single, found.sources, ThreadEngine()), found.targets, spread)
    values, vertices = spread.astype(np.float64), found.vertices
    if edited is not None:
        changed = np.unique(edited.indices).astype(np.int64)
        vertices = np.union1d(vertices, changed)
        wider = np.zeros((len(values), len(vertices)))
        wider[:, np.searchsorted(vertices, found.vertices)] = values
        wider[:, np.searchsorted(vertices, changed)] += (plain(start) @ plain(take_columns(edited, changed))).toarray()
        values = wider
    mass = np.bincount(row_of_entries(start), np.abs(start.data), start.shape[0])
    positive = values > ROUNDING * mass[:, None]
    indptr = np.concatenate(([0], np.cumsum(positive.sum(axis=1))))
    shape = (start.shape[0], n_vertices)
    return from_arrays(values[positive], vertices[np.nonzero(positive)[1]], indptr, shape)


def _edited(net: Net, found: Directions) -> Csr | None:
    """Return by how much edited edges differ from what the directions have for them; None where none is edited."""
    rows, columns, weights = net.graph.edited_edges
    if not len(rows):
        return None
    difference = weights - np.array(
        [_weights(found, np.array([row]), np.array([column]))[0, 0] for row, column in zip(rows, columns, strict=True)]
    )
    shape = (len(found.sources), net.n_vertices)
    return canonical_csr(sparse.csr_array((difference, (rows, columns)), shape=shape))


def _weights(found: Directions, sources: Integers, vertices: Integers) -> Floats:
    """Return the weights that the directions have for some edges: sources × vertices, 0 where none can be reached."""
    place = np.searchsorted(found.vertices, vertices)
    reached = np.isin(vertices, found.vertices)
    weights = np.zeros((len(sources), len(vertices)))
    weights[:, reached] = found.sources[sources].astype(np.float64) @ found.targets[:, place[reached]]
    return weights
