"""PLEB: permute the bits of all label vectors alike, sort them as strings, look left and right; repeat.

Enter: label vectors. Leave: the k nearest among the candidates met, scored exactly. This is the variant of
point location in equal balls that Ravichandran and Hovy (2005) gave for k nearest neighbours, and that the
paper uses. Neighbours of the neighbours found are candidates once more (see `rescore_twice`).
"""

from __future__ import annotations

import numpy as np

from classinet import _kernels
from classinet._typing import Csr, Keys, Singles
from classinet._validation import check_number
from classinet.engine import Engine
from classinet.labels import LabelVectors
from classinet.neighbors.base import NeighborSearch, rescore_twice
from classinet.neighbors.scoring import label_scorer
from classinet.neighbors.tables import Codes, build_tables, row_order

# Strings are compared up to their twelfth one and no further than 4,096 bits. A prefix of a fixed number of
# bits would say nothing of predictors that rarely fire; counting ones gives each a prefix long enough to tell
# it from others.
VOTES = 12
REACH = 4096
FIELD = np.uint64(16)


class PLEB(NeighborSearch):
    """Candidates from sorted random permutations of the label vectors' bits, then exact scores.

    Parameters
    ----------
    k : at most so many neighbours a vertex.
    association : association of label vectors that ranks the candidates.
    permutations : number of permutations; more find more.
    beam : candidates on each side of a vertex in every sorted order.

    Do not use it below some thousand vertices, where `ExactNeighbors` is exact and no slower.

    >>> from classinet.engine import ThreadEngine
    >>> from classinet.labels import LabelVectors
    >>> votes = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> PLEB(k=1, permutations=4, beam=2).search(labels, None, ThreadEngine()).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(self, k: int = 10, association: str = "correlation", permutations: int = 64, beam: int = 32) -> None:
        self.k = k
        self.association = association
        self.permutations = permutations
        self.beam = beam

    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find near predictors of each predictor; `seed` draws the permutations."""
        for name in ("k", "permutations", "beam"):
            check_number(name, getattr(self, name), low=1, whole=True)
        scorer = label_scorer(self.association, labels)
        reach = min(REACH, scorer.n_rows)

        def codes(table: int) -> Codes:
            order = row_order(scorer.n_rows, f"pleb {seed}", table)
            votes = np.empty((scorer.n_vertices, VOTES), dtype=np.uint16)
            _kernels.bits.first_votes(scorer.vertex_bits, scorer.vertex_counts, order, reach, votes)
            return _joined(votes), None

        tables = build_tables(codes, scorer.n_vertices, self.permutations, f"pleb {seed}", engine)
        return rescore_twice(scorer, tables.candidates(self.beam), self.k, engine)


def _joined(votes: np.ndarray[tuple[int, int], np.dtype[np.uint16]]) -> list[Keys]:
    """Four positions a sort key: comparing keys from low to high compares the strings from high to low."""
    keys = []
    for first in range(0, votes.shape[1], 4):
        key = np.zeros(len(votes), dtype=np.uint64)
        for position in votes[:, first : first + 4].T:
            key = (key << FIELD) | position
        keys.append(key)
    return keys
