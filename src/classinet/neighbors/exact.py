"""Exact neighbours: every pair is counted, once, and scored from both ends.

Enter: label vectors or predictor vectors. Leave: the true k nearest. Vertices are cut into blocks that meet
as in a tournament: in round d block b meets block b + d, so a round is a set of equal, independent tasks,
half the rounds reach all pairs, and never more than one round's shortlists are held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._typing import Csr, Singles
from classinet._validation import check_number
from classinet.engine import Engine, ThreadEngine, fixed_batches
from classinet.labels import LabelVectors
from classinet.neighbors.base import ROW_BATCH, NeighborSearch, Shortlist, stack
from classinet.neighbors.scoring import Border, Scorer, make_scorer

BLOCK = 512


class ExactNeighbors(NeighborSearch):
    """The k nearest of each predictor, by counting all pairs.

    The cost grows with the square of the number of vertices: about half a minute on one core for 20,000
    vertices and 32,768 held-out rows, hours for half a million; then use `PLEB`, `LSHNeighbors` or
    `VectorNeighbors`.

    Parameters
    ----------
    k : at most so many neighbours a vertex.
    association : "correlation", "jaccard", "lift", "conditional" or "hamming" of label vectors, or "angle" of
        predictor vectors, stored as 1 - 2θ/π. Only neighbours with an association above 0 are kept.

    >>> from classinet.labels import LabelVectors
    >>> votes = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> ExactNeighbors(k=1).search(labels, None, ThreadEngine()).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(self, k: int = 10, association: str = "correlation") -> None:
        self.k = k
        self.association = association

    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find the k nearest predictors of each predictor; nothing is random here."""
        check_number("k", self.k, low=1, whole=True)
        return all_pairs(make_scorer(self.association, labels, vectors), self.k, engine)


def search_outside(
    queries: NDArray[Any],
    labels: LabelVectors | None,
    vectors: Singles | None,
    *,
    k: int = 10,
    association: str = "correlation",
    engine: Engine | None = None,
) -> Csr:
    """Find the exact k nearest vertices of features that are no vertices: a matrix (queries × vertices).

    Parameters
    ----------
    queries : for "angle" float32 (queries × dimensions); otherwise packed held-out rows in which each feature
        occurs, as `labels.pack_columns` gives, compared with what the predictors say of those rows.
    labels, vectors, association : as in a search.

    >>> from classinet.labels import LabelVectors, pack_flags
    >>> votes = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> search_outside(pack_flags(np.array([[False, False, True, True]])), labels, None).toarray()
    array([[0., 1.]])
    """
    check_number("k", k, low=1, whole=True)
    scorer = make_scorer(association, labels, vectors, queries)
    return all_queries(scorer, k, engine or ThreadEngine()).to_csr(scorer.n_vertices, scorer.stored)


def all_pairs(scorer: Scorer, k: int, engine: Engine) -> Csr:
    """Find the k nearest other vertices of each vertex; the scorer's two sides are the same."""
    n = scorer.n_vertices
    blocks = fixed_batches(n, BLOCK)
    best = Shortlist.empty(n, min(k, max(1, n - 1)))
    scorer = engine.broadcast(scorer)
    n_rounds = len(blocks) // 2 + 1 if blocks else 0
    for distance in range(n_rounds):
        # At half the way round, block b meets b + d and is met by it: one of the two is enough.
        hosts = len(blocks) // 2 if distance and 2 * distance == len(blocks) else len(blocks)
        meetings = [(blocks[b], blocks[(b + distance) % len(blocks)]) for b in range(hosts)]

        def meet(meeting: tuple[Border, Border]) -> list[tuple[Border, Shortlist]]:
            host, guest = meeting
            common = scorer.count(host, guest)
            ends = [(host, guest, common)]
            if host != guest:
                ends.append((guest, host, common.T))
            return [(rows, _best_of_tile(scorer, tile, rows, columns, best)) for rows, columns, tile in ends]

        stage = f"neighbors, round {distance + 1} of {n_rounds}"
        for found in engine.map_batches(meet, meetings, stage=stage):
            for rows, shortlist in found:
                best.merge(rows, shortlist)
    return best.to_csr(n, scorer.stored)


def all_queries(scorer: Scorer, k: int, engine: Engine, own: NDArray[np.int64] | None = None) -> Shortlist:
    """Find the k nearest vertices of each query; `own` names the vertex that a query is and must not find."""
    width = min(k, max(1, scorer.n_vertices))
    scorer = engine.broadcast(scorer)

    def best(rows: Border) -> Shortlist:
        found = Shortlist.empty(rows[1] - rows[0], width)
        for columns in fixed_batches(scorer.n_vertices, BLOCK):
            tile = scorer.score(scorer.count(rows, columns), rows, columns)
            if own is not None:
                inside = np.flatnonzero((own[slice(*rows)] >= columns[0]) & (own[slice(*rows)] < columns[1]))
                tile[inside, own[slice(*rows)][inside] - columns[0]] = 0.0
            floor = found.floor((0, len(found.scores)))
            _kernels.neighbors.shortlist_tile(tile, 0, columns[0], False, *floor, found.scores, found.columns)
        return found

    return stack(engine.map_batches(best, fixed_batches(scorer.n_queries, ROW_BATCH), stage="neighbors"), width)


def _best_of_tile(scorer: Scorer, common: NDArray[Any], rows: Border, columns: Border, best: Shortlist) -> Shortlist:
    scores = np.ascontiguousarray(scorer.score(common, rows, columns))
    found = Shortlist.empty(rows[1] - rows[0], best.scores.shape[1])
    _kernels.neighbors.shortlist_tile(scores, rows[0], columns[0], True, *best.floor(rows), found.scores, found.columns)
    return found.trimmed()
