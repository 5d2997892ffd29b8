"""Edge weights: how surely one predictor's vote brings another's, for the pairs that a search shortlisted.

Enter: neighbours (vertices × vertices, data = association) and label vectors. Leave: the same edges with a
weight in (0, 1], and beside each its association and the counts M11, M10, M01, M00 it rests on. An edge of
weight 0, or of undefined weight because its first predictor never fires, is dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from classinet import _kernels
from classinet._sparse import from_arrays
from classinet._typing import Bits, Csr, Floats, Integers
from classinet._validation import check_choice, check_number
from classinet.engine import Engine, fixed_batches
from classinet.exceptions import InputError
from classinet.labels import LabelVectors

ROW_BATCH = 256


@dataclass(frozen=True, eq=False)
class Pairs:
    """Edges of consecutive vertices, with their associations and what the votes say of all vertices.

    Vertex `start + i` has the edges indptr[i] to indptr[i + 1] of `tails`. `unbounded` says that some
    association, of this batch or another, exceeds 1.
    """

    start: int
    indptr: Integers
    tails: NDArray[np.int32]
    association: Floats
    labels: LabelVectors
    popcounts: Integers
    frequencies: Integers
    unbounded: bool

    @property
    def heads(self) -> Integers:
        """The vertex that each edge leaves."""
        return self.start + np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def common(self, bits: Bits) -> Integers:
        """Number of ones that the two rows of each pair have in common."""
        counts = np.empty(len(self.tails), dtype=np.int64)
        own = bits[self.start : self.start + len(self.indptr) - 1]
        _kernels.bits.count_pairs(own, bits, self.indptr, self.tails, counts)
        return counts

    def held_out_counts(self) -> Integers:
        """M11, M10, M01, M00 of each pair over all held-out rows."""
        both = self.common(self.labels.bits)
        n_i, n_j = self.popcounts[self.heads], self.popcounts[self.tails]
        return np.column_stack([both, n_i - both, n_j - both, self.labels.n_rows - n_i - n_j + both])

    def sampled_strata(self, cap: int) -> Integers:
        """The same on D_(i,j), by stratum: (pairs, [both, i only, j only, neither occurs], 4)."""
        strata = np.zeros((len(self.tails), 4, 4), dtype=np.int64)
        labels = self.labels
        _kernels.bits.pair_strata(
            labels.bits, labels.present, self.frequencies, cap, labels.n_rows, self.heads, self.tails, strata
        )
        return strata


class EdgeWeights(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all ways to weigh edges.

    Parameters
    ----------
    outside : also give edges to the features that are no vertices, so that rare words reach the graph in the first
        hop (`FeatureGraph.first_hop`). Costs one exact search over those features.
    """

    def __init__(self, outside: bool = False) -> None:
        self.outside = outside

    def weigh(self, neighbors: Csr, labels: LabelVectors, engine: Engine) -> tuple[Csr, Floats, Integers]:
        """Weigh the edge from each vertex to each of its neighbours.

        Returns the weights (vertices × vertices) and, aligned with their data, the associations and the
        counts (edges × 4: M11, M10, M01, M00).
        """
        self._check()
        n = labels.n_vertices
        if neighbors.shape != (n, n):
            raise InputError(f"neighbors has shape {neighbors.shape}, but there are {n} label vectors")
        popcounts, frequencies = labels.popcounts(), labels.frequencies()
        unbounded = bool((neighbors.data > 1).any())
        indptr = np.asarray(neighbors.indptr, dtype=np.int64)

        def weigh_rows(border: tuple[int, int]) -> tuple[Floats, Integers]:
            start, stop = border
            edges = slice(indptr[start], indptr[stop])
            local, tails = indptr[start : stop + 1] - indptr[start], neighbors.indices[edges].copy()
            data = neighbors.data[edges].astype(np.float64)
            return self._weigh(Pairs(start, local, tails, data, labels, popcounts, frequencies, unbounded))

        parts = engine.map_batches(weigh_rows, fixed_batches(n, ROW_BATCH), stage="edges")
        weights = np.concatenate([np.empty(0), *(part[0] for part in parts)])
        counts = np.concatenate([np.empty((0, 4), dtype=np.int64), *(part[1] for part in parts)])
        kept = weights > 0
        starts = np.concatenate(([0], np.cumsum(kept)))[indptr]
        matrix = from_arrays(weights[kept], neighbors.indices[kept], starts, (n, n))
        return matrix, neighbors.data[kept].astype(np.float64), counts[kept]

    @abstractmethod
    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        """Weights (0 where undefined) and counts of a batch of edges."""

    def _check(self) -> None:
        """Refuse parameters that cannot work."""


class PairSample(EdgeWeights):
    """The paper's weight M11 / (M11 + M10) on a sample D_(i,j) made for each pair.

    D_(i,j) joins the first m held-out rows with v_i, the first m with v_j (a row with both counts once) and
    the first m with neither; m = min(cap, rows with v_i, rows with v_j). Without a row of either there is no
    edge. Because D holds v_j in at least a third of its rows, this is no population probability; see
    `Population`.

    >>> from classinet.engine import ThreadEngine
    >>> from classinet.neighbors import ExactNeighbors
    >>> votes = [[1, 1, 0, 0], [1, 0, 0, 0]]
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> near = ExactNeighbors().search(labels, None, ThreadEngine())
    >>> weights, association, counts = PairSample().weigh(near, labels, ThreadEngine())
    >>> weights.toarray()
    array([[0., 1.],
           [1., 0.]])
    >>> counts
    array([[1, 0, 0, 1],
           [1, 0, 0, 1]])
    """

    def __init__(self, cap: int = 1000, outside: bool = False) -> None:
        super().__init__(outside)
        self.cap = cap

    def _check(self) -> None:
        check_number("cap", self.cap, low=1, whole=True)

    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        counts = pairs.sampled_strata(self.cap).sum(axis=1)
        return _share(counts[:, 0], counts[:, 1]), counts


class HeldOut(EdgeWeights):
    """M11 / (M11 + M10) on all held-out rows.

    >>> HeldOut().get_params()
    {'outside': False}
    """

    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        counts = pairs.held_out_counts()
        return _share(counts[:, 0], counts[:, 1]), counts


class Population(EdgeWeights):
    """M11 / (M11 + M10) on D_(i,j), each stratum scaled to its size among all held-out rows.

    The strata are the rows with both vertices, with only the first, only the second, and neither. A stratum
    of which D holds no row contributes nothing. Where D is all held-out rows, the weight is that of
    `HeldOut`. Counts are those on D.

    >>> Population(cap=100).get_params()
    {'cap': 100, 'outside': False}
    """

    def __init__(self, cap: int = 1000, outside: bool = False) -> None:
        super().__init__(outside)
        self.cap = cap

    def _check(self) -> None:
        check_number("cap", self.cap, low=1, whole=True)

    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        strata = pairs.sampled_strata(self.cap)
        both = pairs.common(pairs.labels.present)
        df_i, df_j = pairs.frequencies[pairs.heads], pairs.frequencies[pairs.tails]
        neither = pairs.labels.n_rows - df_i - df_j + both
        sizes = np.column_stack([both, df_i - both, df_j - both, neither])
        sampled = strata.sum(axis=2)
        scale = np.divide(sizes, sampled, out=np.zeros(sizes.shape), where=sampled > 0)
        fires = (scale[:, :, None] * strata[:, :, :2]).sum(axis=1)
        return _share(fires[:, 0], fires[:, 1]), strata.sum(axis=1)


class Similarity(EdgeWeights):
    """The neighbours' association itself, brought into [0, 1]. Counts are those on all held-out rows.

    Parameters
    ----------
    scale : "clip" cuts at 1, which only lift exceeds; "odds" maps a to a / (1 + a), which suits lift; "auto"
        is "odds" when any association exceeds 1, else "clip".

    >>> Similarity().get_params()
    {'outside': False, 'scale': 'auto'}
    """

    def __init__(self, scale: str = "auto", outside: bool = False) -> None:
        super().__init__(outside)
        self.scale = scale

    def _check(self) -> None:
        check_choice("scale", self.scale, ("auto", "clip", "odds"))

    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        near = np.maximum(pairs.association, 0.0)
        if self.scale == "odds" or (self.scale == "auto" and pairs.unbounded):
            weights = near / (1.0 + near)
        else:
            weights = np.minimum(near, 1.0)
        return weights, pairs.held_out_counts()


class Angle(EdgeWeights):
    """Theorem 1 read from the votes: agreement a estimates 1 - θ/π, and the weight is 1 - 2θ/π.

    The weight is max(0, 2a - 1) with a = (M11 + M00) / rows. The theorem assumes that every predictor fires
    on half of the rows; predictors that rarely fire agree with all others, so use it with
    `QuantileLabels(rate=0.5)`.

    >>> Angle().get_params()
    {'outside': False}
    """

    def _weigh(self, pairs: Pairs) -> tuple[Floats, Integers]:
        counts = pairs.held_out_counts()
        agreement = (counts[:, 0] + counts[:, 3]) / pairs.labels.n_rows
        fires = counts[:, 0] + counts[:, 1] > 0
        return np.where(fires, np.maximum(0.0, 2.0 * agreement - 1.0), 0.0), counts


def pair_confusion(labels: LabelVectors, i: int, j: int, cap: int = 1000) -> Integers:
    """Confusion table [[M11, M10], [M01, M00]] of two predictors' votes on D_(i,j).

    >>> labels = LabelVectors.from_votes([[1, 1, 0, 0], [1, 0, 0, 0]], present=[[1, 1, 0, 0], [1, 0, 0, 0]])
    >>> pair_confusion(labels, 0, 1)
    array([[1, 0],
           [0, 1]])
    """
    check_number("cap", cap, low=1, whole=True)
    for name, vertex in (("i", i), ("j", j)):
        check_number(name, vertex, low=0, high=labels.n_vertices - 1, whole=True)
    edge, tail = np.array([0, 1], dtype=np.int64), np.array([j], dtype=np.int32)
    pair = Pairs(i, edge, tail, np.ones(1), labels, labels.popcounts(), labels.frequencies(), unbounded=False)
    table: Integers = pair.sampled_strata(cap).sum(axis=(0, 1)).reshape(2, 2)
    return table


def _share(fires_with: NDArray[np.number], fires_without: NDArray[np.number]) -> Floats:
    """M11 / (M11 + M10), 0 where the first predictor never fires."""
    fires = (fires_with + fires_without).astype(np.float64)
    shares: Floats = np.divide(fires_with, fires, out=np.zeros(len(fires)), where=fires > 0)
    return shares
