"""Smoothed positive PMI between targets and contexts: how much more often than by chance they meet.

Enter: contexts and targets over the same texts. Leaves: vertices × features, of which a truncated SVD makes context
vectors in closed form: no passes, no learning rate, and the first r columns are the answer for every smaller rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np

from classinet import _kernels
from classinet._sparse import canonical_csr, entries_per_row, from_arrays, inverted, plain, row_slice, stacked
from classinet._typing import Csr, Integers, Singles
from classinet.engine import Engine, fixed_batches

CONTEXT_SMOOTHING = 0.75
VERTEX_BLOCK = 64  # vertices that meet every other word: tens of thousands of values a row where features are many
TEXT_BLOCK = 1 << 26  # stored values of the texts that are gone through at a time
MOST_BLOCKS = 16


def positive_pmi(joint: Csr, forbidden: Csr) -> Csr:
    """Return max(0, log p(i, j) / (p(i) · p(j)^0.75 normalised)) for vertices i and contexts j.

    Parameters
    ----------
    joint : from `joint_counts`; its memory is used, and what it held is gone.
    forbidden : vertices × features, stored where they must not be told of each other.
    """
    n_rows, n_columns = joint.shape
    lengths, kept = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    per_target, per_context = np.zeros(n_rows), np.zeros(n_columns)
    # In place: there may be more pairs of words than anything else in memory.
    _kernels.cooccurrence.allowed_in_place(
        joint.indptr, joint.indices, joint.data, forbidden.indptr, forbidden.indices, lengths, per_target, per_context
    )
    smoothed = per_context**CONTEXT_SMOOTHING
    smoothed /= max(smoothed.sum(), 1e-300)
    _kernels.cooccurrence.surplus_in_place(lengths, joint.indices, joint.data, per_target, smoothed, kept)
    indptr = np.concatenate(([0], np.cumsum(kept)))
    return from_arrays(joint.data[: indptr[-1]], joint.indices[: indptr[-1]], indptr, joint.shape)


def joint_counts(
    contexts: Csr, targets: Csr, engine: Engine, stage: str, lengths: Integers | None = None,
    further: tuple[Csr, Csr] | None = None,
) -> Csr:  # fmt: skip
    """Return vertices × features: how often each vertex is met with each feature.

    A text spreads one unit of evidence for each of its targets evenly over its features, so long texts do not drown
    short ones. The counts of two corpora add up. Texts may be more than memory holds: some are gone through at a time.

    Parameters
    ----------
    contexts, targets : texts × features and texts × vertices, of which only what is stored counts.
    engine, stage : where batches of vertices run, and what they are called.
    lengths : how many features of each text count for its length; None is all.
    further : contexts and targets of further texts.

    >>> from classinet.engine import ThreadEngine
    >>> X = canonical_csr(np.array([[1, 1, 1], [1, 1, 0]]), np.float32)
    >>> joint_counts(X, X, ThreadEngine(), "counts").toarray()
    array([[1.5, 1.5, 0.5],
           [1.5, 1.5, 0.5],
           [0.5, 0.5, 0.5]], dtype=float32)
    """
    corpora = [_Holders.of(contexts, targets, engine, stage, lengths)]
    if further is not None:
        corpora.append(_Holders.of(*further, engine, f"{stage}, further"))
    n_vertices, n_features = targets.shape[1], contexts.shape[1]
    # Every batch goes through all texts, so where these are many, its vertices are too.
    size = VERTEX_BLOCK * min(sum(len(corpus.stops) for corpus in corpora), MOST_BLOCKS)

    def met(border: tuple[int, int]) -> Csr:
        parts = (part for corpus in corpora for part in corpus.joint_rows(border, n_features))
        return reduce(added, parts)

    return stacked(met, fixed_batches(n_vertices, size) or [(0, 0)], n_features, engine, stage)


class _Holders(NamedTuple):
    """Texts, which of them hold each vertex, what each adds to its features, and where blocks of texts end."""

    contexts: Csr
    holders: Csr
    shares: Singles
    stops: list[int]

    @classmethod
    def of(cls, contexts: Csr, targets: Csr, engine: Engine, stage: str, lengths: Integers | None = None) -> _Holders:
        counting = entries_per_row(contexts) if lengths is None else lengths
        shares = (1.0 / np.maximum(counting - 1, 1)).astype(np.float32)
        cuts = np.searchsorted(contexts.indptr, np.arange(TEXT_BLOCK, contexts.indptr[-1], TEXT_BLOCK))
        stops = np.unique([*cuts, contexts.shape[0]]).tolist()
        return cls(contexts, inverted(targets, engine, f"{stage}, holders"), shares, stops)

    def joint_rows(self, border: tuple[int, int], n_features: int) -> Iterator[Csr]:
        """What some vertices are met with, block of texts by block."""
        holding = row_slice(self.holders, *border)
        cursors = holding.indptr[:-1].copy()
        for stop in self.stops:
            lengths, features, sums = _kernels.cooccurrence.joint_rows(
                cursors, holding.indptr[1:], holding.indices, stop,
                self.contexts.indptr, self.contexts.indices, self.shares, n_features,
            )  # fmt: skip
            yield from_arrays(sums, features, np.concatenate(([0], np.cumsum(lengths))), (len(lengths), n_features))


def added(a: Csr, b: Csr) -> Csr:
    """Return the sum of two counts."""
    return canonical_csr(plain(a) + plain(b), np.float32)
