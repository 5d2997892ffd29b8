"""Smoothed positive PMI between targets and contexts: how much more often than by chance they meet.

Enter: contexts and targets over the same texts. Leaves: vertices × features, of which a truncated SVD makes context
vectors in closed form: no passes, no learning rate, and the first r columns are the answer for every smaller rank.
"""

from __future__ import annotations

import numpy as np

from classinet import _kernels
from classinet._sparse import canonical_csr, from_arrays, inverted, plain, row_slice, stacked
from classinet._typing import Csr, Integers
from classinet.engine import Engine, fixed_batches

CONTEXT_SMOOTHING = 0.75
VERTEX_BLOCK = 64  # vertices that meet every other word: tens of thousands of values a row where features are many


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
    contexts: Csr, targets: Csr, engine: Engine, stage: str, lengths: Integers | None = None
) -> Csr:  # fmt: skip
    """Return vertices × features: how often each vertex is met with each feature.

    A text spreads one unit of evidence for each of its targets evenly over its features, so long texts do not drown
    short ones. The counts of two corpora add up. `lengths` says how many features of each text count for its length;
    None is all.

    >>> from classinet.engine import ThreadEngine
    >>> X = canonical_csr(np.array([[1, 1, 1], [1, 1, 0]]), np.float32)
    >>> joint_counts(X, X, ThreadEngine(), "counts").toarray()
    array([[1.5, 1.5, 0.5],
           [1.5, 1.5, 0.5],
           [0.5, 0.5, 0.5]], dtype=float32)
    """
    stored = np.diff(contexts.indptr)
    shares = (1.0 / np.maximum((stored if lengths is None else lengths) - 1, 1)).astype(np.float32)
    holders = inverted(targets, engine, f"{stage}, holders")
    n_features = contexts.shape[1]

    def met(border: tuple[int, int]) -> Csr:
        holding = row_slice(holders, *border)
        found, features, sums = _kernels.cooccurrence.joint_rows(
            holding.indptr, holding.indices, contexts.indptr, contexts.indices, shares, n_features
        )
        return from_arrays(sums, features, np.concatenate(([0], np.cumsum(found))), (len(found), n_features))

    return stacked(met, fixed_batches(targets.shape[1], VERTEX_BLOCK) or [(0, 0)], n_features, engine, stage)


def added(a: Csr, b: Csr) -> Csr:
    """Return the sum of two counts."""
    return canonical_csr(plain(a) + plain(b), np.float32)
