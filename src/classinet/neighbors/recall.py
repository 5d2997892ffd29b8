"""The paper's check of a shortlist: compare it with the exact neighbours of a few sampled vertices.

Enter: found neighbours and what they were found from. Leaves: the share of the exact k nearest that was
found.
"""

from __future__ import annotations

import numpy as np

from classinet._keys import name_keys, shuffled
from classinet._sparse import take_rows
from classinet._typing import Csr, Integers, Singles
from classinet._validation import check_number
from classinet.engine import Engine, ThreadEngine
from classinet.exceptions import InputError
from classinet.labels import LabelVectors, read_only
from classinet.neighbors.exact import all_queries
from classinet.neighbors.scoring import LabelScorer, Scorer, VectorScorer, make_scorer


def sample_vertices(n: int, alpha: int, seed: int = 0) -> Integers:
    """Draw alpha of n vertices (all when there are fewer), in increasing order.

    >>> sample_vertices(3, 5)
    array([0, 1, 2])
    >>> len(sample_vertices(1000, 20, seed=1))
    20
    """
    check_number("alpha", alpha, low=1, whole=True)
    stream = int(name_keys([f"recall sample {seed}"])[0])
    return np.sort(shuffled(np.arange(n, dtype=np.uint64), stream)[:alpha])


def recall(
    found: Csr,
    labels: LabelVectors | None,
    vectors: Singles | None,
    association: str,
    k: int,
    sample: Integers,
    engine: Engine | None = None,
) -> float:
    """Return which share of the sampled vertices' exact k nearest is among those found.

    A found neighbour as near as the exact k-th counts as found, so ties cost nothing. 1 when there is nothing
    to find.

    >>> from classinet.neighbors import ExactNeighbors
    >>> votes = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]], dtype=bool)
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> found = ExactNeighbors(k=1).search(labels, None, ThreadEngine())
    >>> recall(found, labels, None, "correlation", 1, sample_vertices(3, 3))
    1.0
    """
    check_number("k", k, low=1, whole=True)
    engine = engine or ThreadEngine()
    sample = np.asarray(sample, dtype=np.int64)
    scorer = make_scorer(association, labels, vectors)
    if found.shape != (scorer.n_vertices, scorer.n_vertices):
        raise InputError(f"found has shape {found.shape}, but there are {scorer.n_vertices} vertices")
    sampled = _only(scorer, sample)
    exact = all_queries(sampled, k, engine, own=sample)
    sizes = (exact.columns >= 0).sum(axis=1)
    lists = take_rows(found, sample)
    indptr = np.asarray(lists.indptr, dtype=np.int64)
    scores = sampled.pairs((0, len(sample)), indptr, lists.indices)
    rows = np.repeat(np.arange(len(sample)), np.diff(indptr))
    worst = np.where(sizes > 0, exact.scores[np.arange(len(sample)), np.maximum(sizes, 1) - 1], np.inf)
    near = (scores >= worst[rows]) & (lists.indices != sample[rows])
    hits = np.minimum(np.bincount(rows[near], minlength=len(sample)), sizes)
    return float(hits.sum() / sizes.sum()) if sizes.sum() else 1.0


def _only(scorer: Scorer, sample: Integers) -> Scorer:
    """Ask only for some of the vertices."""
    if isinstance(scorer, LabelScorer):
        bits, counts = scorer.vertex_bits, scorer.vertex_counts
        return LabelScorer(scorer.association, read_only(bits[sample]), counts[sample], bits, counts, scorer.n_rows)
    assert isinstance(scorer, VectorScorer)
    return VectorScorer(scorer.vertex_units[sample], scorer.vertex_units)
