"""Edges for features that are no vertices, so that rare words reach the graph: the first hop is features × vertices.

A feature outside V has no predictor. Where predictors share vectors for all features, its own vector finds its nearest
vertices; otherwise it takes the indicator of §3.4 as its predictor: its presence on the held-out texts is its vote.
None leads to a vertex that must not be predicted by it: that "new york" implies "york" is nothing to learn.
"""

from __future__ import annotations

import numpy as np

from classinet._sparse import from_arrays, keep_entries, take_columns
from classinet._typing import Bits, Csr, Floats, Integers, Singles
from classinet.associations import conditional
from classinet.edges import Angle, EdgeWeights, Similarity
from classinet.engine import Engine
from classinet.graph.selection import row_of_entries
from classinet.labels import LabelVectors, pack_columns, popcounts
from classinet.neighbors import NeighborSearch, search_outside
from classinet.neighbors.scoring import ANGLE


def first_hop(
    weights: Csr, columns: Integers, held_out: Csr, search: NeighborSearch, edges: EdgeWeights,
    labels: LabelVectors, vectors: Singles | None, feature_vectors: Singles | None, forbidden: Csr, engine: Engine,
) -> Csr:  # fmt: skip
    """Return features × vertices: the graph's own rows for vertices, found edges for all other features.

    `forbidden` is vertices × features, stored where one must not be told of the other.
    """
    n_features = held_out.shape[1]
    outside = np.setdiff1d(np.arange(n_features), columns)
    by_angle = search.association == ANGLE and feature_vectors is not None
    if by_angle:
        assert feature_vectors is not None
        found = search_outside(feature_vectors[outside], labels, vectors, k=search.k, association=ANGLE, engine=engine)
        values = found.data
    else:
        bits = pack_columns(take_columns(held_out, outside))
        association = "correlation" if search.association == ANGLE else search.association
        found = search_outside(bits, labels, vectors, k=search.k, association=association, engine=engine)
        bounded = isinstance(edges, (Similarity, Angle))
        values = np.clip(found.data, 0.0, 1.0) if bounded else _conditional(found, bits, labels)
    allowed = _without(from_arrays(values, found.indices, found.indptr, found.shape), outside, forbidden)
    return _stack(weights, columns, allowed, outside, n_features)


def _without(found: Csr, outside: Integers, forbidden: Csr) -> Csr:
    """The same without edges to vertices that must not be told of the feature."""
    n_vertices = found.shape[1]
    edges = outside[row_of_entries(found)] * n_vertices + found.indices  # ascending, and far more than are banned
    banned = forbidden.indices.astype(np.int64) * n_vertices + row_of_entries(forbidden)
    at = np.searchsorted(edges, banned)
    there = at < len(edges)
    there[there] = edges[at[there]] == banned[there]
    allowed = np.ones(len(edges), dtype=np.bool_)
    allowed[at[there]] = False
    return keep_entries(found, allowed)


def _conditional(found: Csr, bits: Bits, labels: LabelVectors) -> Floats:
    """P(vertex fires | feature occurs) on all held-out texts."""
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    both = np.bitwise_count(bits[rows] & labels.bits[found.indices]).sum(axis=1).astype(np.int64)
    n_i = popcounts(bits)[rows]
    return conditional(both, n_i, labels.popcounts()[found.indices], labels.n_rows)


def _stack(weights: Csr, columns: Integers, found: Csr, outside: Integers, n_features: int) -> Csr:
    """Interleave the rows of vertices and of outside features in the order of the features."""
    lengths = np.zeros(n_features, dtype=np.int64)
    lengths[columns], lengths[outside] = np.diff(weights.indptr), np.diff(found.indptr)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    for part, rows in ((weights, columns), (found, outside)):
        place = np.arange(part.nnz) + np.repeat(indptr[rows] - part.indptr[:-1], np.diff(part.indptr))
        indices[place], data[place] = part.indices, part.data
    return from_arrays(data, indices, indptr, (n_features, weights.shape[1]))
