"""Neighbours by angle through faiss (the extra `classinets[faiss]`): inner products of unit vectors.

Enter: one vector a predictor. Leave: the k nearest that faiss finds, scored again by our own kernel so that
the numbers are those of every other search.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classinet._optional import optional_import
from classinet._typing import Csr, Integers, Singles
from classinet._validation import check_number
from classinet.engine import Engine
from classinet.labels import LabelVectors
from classinet.neighbors.base import NeighborSearch, rescore
from classinet.neighbors.scoring import ANGLE, vector_scorer


class FaissNeighbors(NeighborSearch):
    """The k nearest predictors by angle, found by faiss; stored as `VectorNeighbors` stores them.

    Parameters
    ----------
    k : at most so many neighbours a vertex.
    cells : cells of the inverted file; None: about four times the square root of the number of vertices.
    probes : cells that are looked into for each vertex; more find more.
    exact_below : nets with fewer vertices use a flat index, which is exact.
    """

    association: ClassVar[str] = ANGLE  # type: ignore[misc]

    def __init__(self, k: int = 100, cells: int | None = None, probes: int = 16, exact_below: int = 30_000) -> None:
        self.k = k
        self.cells = cells
        self.probes = probes
        self.exact_below = exact_below

    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find near predictors of each predictor; `seed` draws the cells' first centres."""
        for name in ("k", "probes"):
            check_number(name, getattr(self, name), low=1, whole=True)
        if self.cells is not None:
            check_number("cells", self.cells, low=1, whole=True)
        check_number("exact_below", self.exact_below, low=0, whole=True)
        scorer = vector_scorer(vectors)
        n = scorer.n_vertices
        if n == 0:
            return rescore(scorer, lambda start, stop: _lists(np.empty((0, 0), np.int64), start), self.k, engine)
        faiss = optional_import("faiss", "classinets[faiss]")
        # One more than k because a vertex finds itself; vectors equal to it may push it out, which costs
        # nothing.
        wanted = min(self.k + 1, n)

        with _one_thread(faiss):
            index = self._index(faiss, scorer.vertex_units, seed)

            def candidates(start: int, stop: int) -> tuple[Integers, NDArray[np.int32]]:
                _, found = index.search(scorer.query_units[start:stop], wanted)
                return _lists(found, start)

            return rescore(scorer, candidates, self.k, engine)

    def _index(self, faiss: ModuleType, units: Singles, seed: int) -> Any:
        n, size = units.shape
        flat = faiss.IndexFlatIP(size)
        if n < self.exact_below:
            flat.add(units)
            return flat
        n_cells = min(n, self.cells or round(4 * np.sqrt(n)))
        index = faiss.IndexIVFFlat(flat, size, n_cells, faiss.METRIC_INNER_PRODUCT)
        index.cp.seed = seed % 2**31
        index.cp.min_points_per_centroid = 1  # small cells are intended, not worth a warning on stderr
        index.train(units)
        index.add(units)
        index.nprobe = min(self.probes, n_cells)
        return index


def _lists(found: NDArray[np.int64], start: int) -> tuple[Integers, NDArray[np.int32]]:
    """Candidate lists of faiss's table of answers, where -1 fills up what it did not find."""
    own = start + np.arange(len(found))[:, None]
    valid = (found >= 0) & (found != own)
    indptr = np.concatenate(([0], np.cumsum(valid.sum(axis=1)))).astype(np.int64)
    return indptr, found[valid].astype(np.int32)


@contextmanager
def _one_thread(faiss: ModuleType) -> Iterator[None]:
    """Keep faiss to the thread it is called from: the engine does the rest, and sums keep their order."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
