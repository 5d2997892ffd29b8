"""The strongest walk from a text to a vertex: max over walks of x_i Π_t γ w_t, the largest term of the sum.

Enter: one text and what `propagate` is given. Leave: for each wanted vertex the walk that contributed most to
its value. Walks are lengthened hop by hop, and for each vertex only the best of a length is kept. Without
pruning a walk goes on only if it beats all shorter ones to its last vertex: no factor γ w exceeds 1, so what
follows could as well follow the shorter one. Hence no best walk visits a vertex twice, and an endless sum needs
no cut: the search ends when no vertex improves. With pruning the expansion itself does not go on from some
vertices after some hops, so the search follows, hop for hop, the same ones as the expansion.

Of equally strong walks the one with fewer hops wins, then the one whose last step, or else the step before,
comes from the earlier vertex (for the first step: the earlier column of the text).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Csr, Floats, Integers
from classinet.exceptions import InputError
from classinet.expansion.propagate import Walk


@dataclass(frozen=True)
class ExpansionPath:
    """How a vertex came into the expansion of a text.

    Attributes
    ----------
    names : from a feature of the text to the vertex; the vertex alone where its own predictor brought it.
    weights : the weight of each step as the expansion used it: edited, normalised, without damping.
    value : what this walk alone contributed to the value of the vertex.
    share : the part of the vertex's whole value that this is, in (0, 1].

    Examples
    --------
    >>> print(ExpansionPath(("cat", "dog", "pet"), (0.5, 0.8), 0.289, 0.7))
    cat → dog → pet
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    value: float
    share: float

    def __str__(self) -> str:
        return " → ".join(self.names)


@dataclass(frozen=True)
class FoundWalk:
    """A walk by position: a column of the text, then vertices."""

    start: int
    vertices: tuple[int, ...]
    weights: tuple[float, ...]
    value: float


@dataclass(frozen=True)
class _Layer:
    """The best walk of one length to each vertex: its value, the vertex before and the weight of the last step.

    `amounts` are the sums over all walks of that length, what pruning goes by.
    """

    vertices: Integers
    best: Floats
    parents: Integers
    weights: Floats
    amounts: Floats


@dataclass
class _Search:
    """What is known of the wanted vertices so far."""

    wanted: Integers
    layers: list[_Layer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.best = np.zeros(len(self.wanted))
        self.hop = np.full(len(self.wanted), -1)

    def add(self, layer: _Layer) -> None:
        """Note which wanted vertices the walks of one more hop improve."""
        at = np.searchsorted(layer.vertices, self.wanted)
        at[at == len(layer.vertices)] = 0
        if len(layer.vertices):
            better = (layer.vertices[at] == self.wanted) & (layer.best[at] > self.best)
            self.best[better], self.hop[better] = layer.best[at[better]], len(self.layers)
        self.layers.append(layer)

    def walk(self, at: int) -> FoundWalk | None:
        """Return the best walk to a wanted vertex, traced back from its end."""
        if self.hop[at] < 0:
            return None
        vertex = int(self.wanted[at])
        vertices, weights = [], []
        for layer in reversed(self.layers[: self.hop[at] + 1]):
            entry = int(np.searchsorted(layer.vertices, vertex))
            vertices.append(vertex)
            weights.append(float(layer.weights[entry]))
            vertex = int(layer.parents[entry])
        return FoundWalk(vertex, tuple(reversed(vertices)), tuple(reversed(weights)), float(self.best[at]))


def strongest_walks(x: Csr, first: Csr, later: Csr, walk: Walk, wanted: Integers) -> list[FoundWalk | None]:
    """Return the strongest walk from the one row of x to each wanted vertex, or None where none leads there."""
    search = _Search(wanted)
    n = first.shape[1]
    floor = walk.prune * np.cumsum(x.data)[-1] if x.nnz else 0.0  # summed in the order of the propagation
    matrix, frontier, best, amounts = first, x.indices.astype(np.int64), x.data, x.data
    known = np.zeros(n)
    for hop in range(1, walk.hops + 1):
        # Nothing goes on from the last hop, so only its wanted ends matter.
        targets = wanted if hop == walk.hops else None
        layer = _next_layer(matrix, frontier, best, amounts, walk.damping, targets)
        search.add(layer)
        goes_on = layer.amounts >= floor if floor > 0 else layer.best > known[layer.vertices]
        known[layer.vertices] = np.maximum(known[layer.vertices], layer.best)
        if not goes_on.any():
            break
        matrix, frontier = later, layer.vertices[goes_on]
        best, amounts = layer.best[goes_on], layer.amounts[goes_on]
    return [search.walk(at) for at in range(len(wanted))]


def named_paths(
    walks: Sequence[FoundWalk | None], names: NDArray[np.object_], start_names: NDArray[np.object_], totals: Floats
) -> list[ExpansionPath]:
    """Give walks names; `totals` are the values of their last vertices."""
    paths = []
    for found, total in zip(walks, totals.tolist(), strict=True):
        if found is None:
            raise InputError(f"the value {total!r} is a sum of walks each of which is too weak to be told from 0")
        path = (start_names[found.start], *names[list(found.vertices)])
        # An endless sum stops a little short of all walks, so even the largest may exceed it by that little.
        paths.append(ExpansionPath(path, found.weights, found.value, min(1.0, found.value / total)))
    return paths


def own_paths(names: NDArray[np.object_], totals: Floats) -> list[ExpansionPath]:
    """Return the paths of vertices that their own predictors brought: no walk, only the vertex."""
    return [ExpansionPath((name,), (), total, 1.0) for name, total in zip(names, totals.tolist(), strict=True)]


def _next_layer(
    matrix: Csr, frontier: Integers, best: Floats, amounts: Floats, damping: float, targets: Integers | None
) -> _Layer:
    """Lengthen the best walks to the frontier by one step, to the target vertices (None: to all)."""
    n = matrix.shape[1]
    lengths = matrix.indptr[frontier + 1] - matrix.indptr[frontier]
    source = np.repeat(np.arange(len(frontier)), lengths)
    edges = np.arange(len(source)) + np.repeat(matrix.indptr[frontier] - np.cumsum(lengths) + lengths, lengths)
    ends = matrix.indices[edges]
    if targets is not None:
        is_target = np.zeros(n, dtype=np.bool_)
        is_target[targets] = True
        kept = np.flatnonzero(is_target[ends])
        source, edges, ends = source[kept], edges[kept], ends[kept]
    weights = matrix.data[edges]
    # Multiplied in the order of the propagation: where one walk is all there is, its value is the sum, bit for
    # bit.
    values = (damping * best)[source] * weights
    largest = np.zeros(n)
    np.maximum.at(largest, ends, values)
    # Entries are in the order of their sources; written backwards, the first of equals remains.
    winners = np.flatnonzero(values == largest[ends])[::-1]
    winner = np.full(n, -1, dtype=np.int64)
    winner[ends[winners]] = winners
    # A value that rounds to zero is no walk, as it is no entry of the expansion.
    vertices = np.flatnonzero(largest)
    won = winner[vertices]
    sums = np.bincount(ends, (damping * amounts)[source] * weights, n).astype(np.float64)
    return _Layer(vertices, largest[vertices], frontier[source[won]], weights[won], sums[vertices])
