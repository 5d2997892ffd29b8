"""The contract of a neighbour search, and the shortlist all kinds fill.

Enter: label vectors and/or predictor vectors. Leaves: a sparse matrix (vertices × vertices) with at most k
neighbours a row; its data are associations, above 0. Equal associations prefer the lower vertex, so that a
shortlist depends neither on the order in which pairs are met nor on the number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from classinet import _kernels
from classinet._sparse import canonical_csr, from_arrays, plain, presence
from classinet._typing import Csr, Floats, Integers, Singles
from classinet.engine import Engine, fixed_batches
from classinet.labels import LabelVectors
from classinet.neighbors.scoring import Border, Scorer

ROW_BATCH = 256
WIDER = 3  # so many times k neighbours are looked at again, with theirs
Candidates = Callable[[int, int], tuple[Integers, NDArray[np.int32]]]


class NeighborSearch(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all searches.

    Attributes
    ----------
    k : at most so many neighbours a vertex.
    association : what makes a neighbour near: a name in `ASSOCIATIONS`, or "angle".
    """

    k: int
    association: str

    @abstractmethod
    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find the nearest predictors of each predictor.

        Parameters
        ----------
        labels : votes on held-out rows; needed by every association of votes.
        vectors : float32 (vertices × dimensions), one vector a predictor; needed by "angle".
        engine : where batches run.
        seed : seed of what is random in an approximate search.
        """


@dataclass(frozen=True, eq=False)
class Shortlist:
    """The best so far of each row, from best to worst; free places hold score 0 and column -1."""

    scores: Floats
    columns: NDArray[np.int32]

    @classmethod
    def empty(cls, n: int, k: int) -> Self:
        """A shortlist without neighbours."""
        return cls(np.zeros((n, k)), np.full((n, k), -1, dtype=np.int32))

    def trimmed(self) -> Shortlist:
        """The same without the places that are free in every row: what is sent and kept of a batch."""
        width = max(1, int((self.columns >= 0).sum(axis=1).max(initial=0)))
        return Shortlist(self.scores[:, :width].copy(), self.columns[:, :width].copy())

    def floor(self, rows: Border) -> tuple[Floats, NDArray[np.int32]]:
        """The worst that some rows keep: what is not better need not be looked at."""
        return self.scores[slice(*rows), -1].copy(), self.columns[slice(*rows), -1].copy()

    def merge(self, rows: Border, more: Shortlist) -> None:
        """Take in shortlists of some rows over columns not seen yet."""
        mine = self.scores[slice(*rows)], self.columns[slice(*rows)]
        _kernels.neighbors.merge(more.scores, more.columns, *mine)

    def to_csr(self, n_columns: int, stored: Callable[[Floats], Floats]) -> Csr:
        """Build the matrix of neighbours, columns in order."""
        held = self.columns >= 0
        order = np.argsort(np.where(held, self.columns, n_columns), axis=1, kind="stable")
        columns = np.take_along_axis(self.columns, order, axis=1)
        scores = np.take_along_axis(self.scores, order, axis=1)
        indptr = np.concatenate(([0], np.cumsum(held.sum(axis=1))))
        return from_arrays(stored(scores[columns >= 0]), columns[columns >= 0], indptr, (len(self.columns), n_columns))


def rescore(scorer: Scorer, candidates: Candidates, k: int, engine: Engine) -> Csr:
    """Keep the k best of each query's candidates; candidate lists live only as long as their batch."""
    scorer = engine.broadcast(scorer)
    width = min(k, max(1, scorer.n_vertices))

    def best(border: Border) -> Shortlist:
        indptr, indices = candidates(*border)
        found = Shortlist.empty(border[1] - border[0], width)
        scores = scorer.pairs(border, indptr, indices)
        _kernels.neighbors.shortlist_lists(indptr, indices, scores, found.scores, found.columns)
        return found

    borders = fixed_batches(scorer.n_queries, ROW_BATCH)
    return stack(engine.map_batches(best, borders, stage="neighbors"), width).to_csr(scorer.n_vertices, scorer.stored)


def rescore_twice(scorer: Scorer, candidates: Candidates, k: int, engine: Engine) -> Csr:
    """Keep the k best of each vertex's candidates, its neighbours and their neighbours being candidates again.

    What is near to a near vertex is often near: this finds most of what hash tables missed, for a fraction of their
    cost, since candidates of the second round are few and good.
    """
    wide = rescore(scorer, candidates, WIDER * k, engine)
    links = plain(presence(wide))

    def around(start: int, stop: int) -> tuple[Integers, NDArray[np.int32]]:
        own = links[start:stop]
        near = canonical_csr(own + own @ links)
        rows = np.repeat(np.arange(start, stop), np.diff(near.indptr))
        others = near.indices != rows
        indptr = np.concatenate(([0], np.cumsum(others)))[near.indptr]
        return indptr, near.indices[others]

    return rescore(scorer, around, k, engine)


def stack(parts: list[Shortlist], width: int) -> Shortlist:
    """Put shortlists of consecutive rows below each other."""
    if not parts:
        return Shortlist.empty(0, width)
    scores = np.concatenate([part.scores for part in parts])
    return Shortlist(scores, np.concatenate([part.columns for part in parts]))
