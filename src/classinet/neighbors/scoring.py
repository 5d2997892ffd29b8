"""How near two predictors are, by their label vectors or by the angle of their vectors.

Enter: a side of queries and a side of vertices, often the same. Leave: scores, larger = nearer, of whole
tiles or of listed pairs, the same bytes either way. What must be counted for a pair (common votes, inner
product) is the same from both ends, so a tile is counted once and scored from each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._typing import Bits, Floats, Integers, Singles
from classinet._validation import check_choice
from classinet.associations import ASSOCIATIONS
from classinet.exceptions import InputError, ParameterError
from classinet.labels import LabelVectors, n_words, popcounts, read_only

ANGLE = "angle"
Border = tuple[int, int]


class Scorer(ABC):
    """Score queries against vertices."""

    n_queries: int
    n_vertices: int

    @abstractmethod
    def count(self, rows: Border, columns: Border) -> NDArray[Any]:
        """What a tile of pairs has in common, to be scored from either end."""

    @abstractmethod
    def score(self, common: NDArray[Any], rows: Border, columns: Border) -> Floats:
        """Scores of a counted tile, seen from its rows."""

    @abstractmethod
    def pairs(self, rows: Border, indptr: Integers, indices: NDArray[np.int32]) -> Floats:
        """Scores of each query in `rows` with the vertices that its list names."""

    @abstractmethod
    def stored(self, scores: Floats) -> Floats:
        """What is written beside a neighbour: a strictly increasing function of its score."""


@dataclass(frozen=True, eq=False)
class LabelScorer(Scorer):
    """Associations of label vectors, from exact integer counts; bits are read-only arrays."""

    association: str
    query_bits: Bits
    query_counts: Integers
    vertex_bits: Bits
    vertex_counts: Integers
    n_rows: int

    @property
    def n_queries(self) -> int:  # type: ignore[override]
        """Number of queries."""
        return len(self.query_bits)

    @property
    def n_vertices(self) -> int:  # type: ignore[override]
        """Number of vertices."""
        return len(self.vertex_bits)

    def count(self, rows: Border, columns: Border) -> NDArray[Any]:
        """Rows on which both fire."""
        common = np.empty((rows[1] - rows[0], columns[1] - columns[0]), dtype=np.int64)
        _kernels.bits.count_tile(self.query_bits[slice(*rows)], self.vertex_bits[slice(*columns)], common)
        return common

    def score(self, common: NDArray[Any], rows: Border, columns: Border) -> Floats:
        """Association of each pair of a tile."""
        n_i, n_j = self.query_counts[slice(*rows), None], self.vertex_counts[None, slice(*columns)]
        return ASSOCIATIONS[self.association](common, n_i, n_j, self.n_rows)

    def pairs(self, rows: Border, indptr: Integers, indices: NDArray[np.int32]) -> Floats:
        """Association of each listed pair."""
        common = np.empty(len(indices), dtype=np.int64)
        _kernels.bits.count_pairs(self.query_bits[slice(*rows)], self.vertex_bits, indptr, indices, common)
        n_i = np.repeat(self.query_counts[slice(*rows)], np.diff(indptr))
        return ASSOCIATIONS[self.association](common, n_i, self.vertex_counts[indices], self.n_rows)

    def stored(self, scores: Floats) -> Floats:
        """The association itself."""
        return scores


@dataclass(frozen=True, eq=False)
class VectorScorer(Scorer):
    """Cosines of unit vectors; stored as 1 - 2θ/π, which runs from 0 (right angle) to 1 (same direction)."""

    query_units: Singles
    vertex_units: Singles

    @property
    def n_queries(self) -> int:  # type: ignore[override]
        """Number of queries."""
        return len(self.query_units)

    @property
    def n_vertices(self) -> int:  # type: ignore[override]
        """Number of vertices."""
        return len(self.vertex_units)

    def count(self, rows: Border, columns: Border) -> NDArray[Any]:
        """Inner products."""
        right = np.ascontiguousarray(self.vertex_units[slice(*columns)].T)
        common = np.empty((rows[1] - rows[0], right.shape[1]), dtype=np.float32)
        _kernels.neighbors.dot_tile(self.query_units[slice(*rows)], right, common)
        return common

    def score(self, common: NDArray[Any], rows: Border, columns: Border) -> Floats:
        """Cosines; rounding must not lift one above 1, or equal directions would not tie."""
        cosines: Floats = np.minimum(common, np.float32(1.0)).astype(np.float64)
        return cosines

    def pairs(self, rows: Border, indptr: Integers, indices: NDArray[np.int32]) -> Floats:
        """Cosine of each listed pair."""
        common = np.empty(len(indices), dtype=np.float32)
        _kernels.neighbors.dot_pairs(self.query_units[slice(*rows)], self.vertex_units, indptr, indices, common)
        return self.score(common, rows, (0, self.n_vertices))

    def stored(self, scores: Floats) -> Floats:
        """1 - 2θ/π, written by arcsin because 1 - 2·arccos(c)/π would round small cosines to 0."""
        return 2.0 / np.pi * np.arcsin(scores)


def unit_vectors(vectors: Any, name: str = "vectors") -> Singles:
    """Scale every row to length 1 (zero rows stay zero)."""
    array = np.ascontiguousarray(vectors, dtype=np.float32)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise InputError(f"{name} must be a two-dimensional array of finite numbers, one row a predictor")
    units = np.empty_like(array)
    _kernels.neighbors.unit_rows(read_only(array), units)
    return units


def label_scorer(association: str, labels: LabelVectors | None, queries: Bits | None = None) -> LabelScorer:
    """Compare label vectors with each other, or packed outside rows with label vectors."""
    check_choice("association", association, tuple(ASSOCIATIONS))
    if labels is None:
        raise ParameterError(f"association={association!r} compares label vectors, but there are none; use 'angle'")
    counts = labels.popcounts()
    if queries is None:
        return LabelScorer(association, labels.bits, counts, labels.bits, counts, labels.n_rows)
    bits = read_only(np.ascontiguousarray(queries))
    if bits.dtype != np.uint64 or bits.ndim != 2 or bits.shape[1] != n_words(labels.n_rows):
        raise InputError(
            f"queries must be packed rows as pack_columns gives, uint64 (queries, {n_words(labels.n_rows)}); "
            f"got {bits.dtype} of shape {bits.shape}"
        )
    return LabelScorer(association, bits, popcounts(bits), labels.bits, counts, labels.n_rows)


def vector_scorer(vectors: Singles | None, queries: Singles | None = None) -> VectorScorer:
    """Compare predictor vectors with each other, or outside vectors with them."""
    if vectors is None:
        raise ParameterError(
            "neighbors by angle need predictor vectors, which this kind of predictor does not have; use "
            "another association or search, such as ExactNeighbors(association='correlation')"
        )
    units = unit_vectors(vectors)
    if queries is None:
        return VectorScorer(units, units)
    outside = unit_vectors(queries, "queries")
    if outside.shape[1] != units.shape[1]:
        raise InputError(f"queries have {outside.shape[1]} dimensions and predictor vectors {units.shape[1]}")
    return VectorScorer(outside, units)


def make_scorer(
    association: str,
    labels: LabelVectors | None,
    vectors: Singles | None,
    queries: NDArray[Any] | None = None,
) -> Scorer:
    """Compare by angle of vectors or by an association of label vectors."""
    check_choice("association", association, (*ASSOCIATIONS, ANGLE))
    if association == ANGLE:
        return vector_scorer(vectors, queries)
    return label_scorer(association, labels, queries)
