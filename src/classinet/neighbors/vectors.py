"""Neighbours by angle of predictor vectors (Theorem 1): the angle that agreement of label vectors estimates.

Enter: one vector a predictor (linear or factorised ones have it). Leave: the k nearest by cosine. Small nets
are searched exactly; large ones through tables sorted by the signs of random projections, candidates then
being scored exactly.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from classinet import _kernels
from classinet._typing import Csr, Singles
from classinet._validation import check_number
from classinet.engine import Engine, fixed_batches
from classinet.labels import LabelVectors
from classinet.neighbors.base import NeighborSearch, rescore
from classinet.neighbors.exact import all_pairs
from classinet.neighbors.scoring import ANGLE, VectorScorer, vector_scorer
from classinet.neighbors.tables import Codes, build_tables, stream

PROJECTED_ROWS = 4096


class VectorNeighbors(NeighborSearch):
    """The k nearest predictors by the angle θ of their vectors, stored as 1 - 2θ/π; only θ < π/2 is kept.

    Parameters
    ----------
    k : at most so many neighbours a vertex.
    tables : number of tables, each sorted by its own random signs; more find more.
    bits : signs in a table's code, at most 64.
    beam : candidates on each side of a vertex in every table.
    exact_below : nets with fewer vertices are searched exactly, which is then no slower.

    >>> from classinet.engine import ThreadEngine
    >>> vectors = np.array([[1, 0], [1, 1], [-1, 0]], dtype=np.float32)
    >>> VectorNeighbors(k=1).search(None, vectors, ThreadEngine()).toarray().round(3)
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0. ],
           [0. , 0. , 0. ]])
    """

    association: ClassVar[str] = ANGLE  # type: ignore[misc]

    def __init__(
        self, k: int = 200, tables: int = 32, bits: int = 24, beam: int = 64, exact_below: int = 30_000
    ) -> None:
        self.k = k
        self.tables = tables
        self.bits = bits
        self.beam = beam
        self.exact_below = exact_below

    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find near predictors of each predictor; `seed` draws the projections."""
        for name in ("k", "tables", "beam"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_number("bits", self.bits, low=1, high=64, whole=True)
        check_number("exact_below", self.exact_below, low=0, whole=True)
        scorer = vector_scorer(vectors)
        if scorer.n_vertices < self.exact_below:
            return all_pairs(scorer, self.k, engine)
        name = f"vectors {seed}"

        def codes(table: int) -> Codes:
            return projection_codes(scorer, self.bits, name, table)

        tables = build_tables(codes, scorer.n_vertices, self.tables, name, engine)
        return rescore(scorer, tables.candidates(self.beam), self.k, engine)


def projection_codes(scorer: VectorScorer, n_bits: int, name: str, table: int) -> Codes:
    """Signs of projections on random directions; vectors at angle θ differ in a sign with probability θ/π."""
    units = scorer.vertex_units
    drawn = np.random.default_rng(stream(f"{name} directions", table))
    directions = drawn.standard_normal((units.shape[1], n_bits)).astype(np.float32)
    codes = np.zeros(len(units), dtype=np.uint64)
    for start, stop in fixed_batches(len(units), PROJECTED_ROWS):
        projected = np.empty((stop - start, n_bits), dtype=np.float32)
        _kernels.neighbors.dot_tile(units[start:stop], directions, projected)
        _kernels.neighbors.pack_signs(projected, codes[start:stop])
    return [codes], None
