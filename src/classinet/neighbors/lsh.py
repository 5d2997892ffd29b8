"""Locality-sensitive hashing: candidates share a bucket in some hash table, then are scored exactly.

Enter: label vectors. Leave: the k nearest among the candidates met, and among their neighbours. SimHash keeps the
signs of random ±1 sums of a centred label vector: two signs agree with probability 1 - θ/π, cos θ being the
correlation. MinHash keeps the first row, along a random order of the rows, on which a predictor fires: two agree with
probability equal to the Jaccard coefficient.
"""

from __future__ import annotations

import numpy as np

from classinet import _kernels
from classinet._typing import Bits, Csr, Singles
from classinet._validation import check_choice, check_number
from classinet.engine import Engine, fixed_batches
from classinet.labels import LabelVectors, pack_flags, popcounts, read_only
from classinet.neighbors.base import ROW_BATCH, NeighborSearch, rescore_twice
from classinet.neighbors.scoring import LabelScorer, label_scorer
from classinet.neighbors.tables import Codes, build_tables, row_order, stream

# Signs beyond those of the bucket, by which vertices stand in order inside it.
ORDER_SIGNS = 16
DEFAULT_BITS = {"simhash": 6, "minhash": 1}


class LSHNeighbors(NeighborSearch):
    """Candidates from SimHash or MinHash tables, then exact scores.

    Parameters
    ----------
    k : at most so many neighbours a vertex.
    association : association of label vectors that ranks the candidates.
    hash : "minhash" suits predictors that fire on few rows, "simhash" those that fire on about half of them.
    tables : number of hash tables; more find more.
    bits : hash values that make a bucket: signs (SimHash, at most 48) or first rows (MinHash). None: 6 signs
        or 1 row.
    beam : inside a bucket vertices are sorted by further hash values, and only the `beam` nearest on each
        side of a vertex are candidates, so that a giant bucket costs no more than a small one.

    >>> from classinet.engine import ThreadEngine
    >>> from classinet.labels import LabelVectors
    >>> votes = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]
    >>> labels = LabelVectors.from_votes(votes, present=votes)
    >>> LSHNeighbors(k=1).search(labels, None, ThreadEngine()).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(
        self,
        k: int = 10,
        association: str = "correlation",
        hash: str = "minhash",
        tables: int = 64,
        bits: int | None = None,
        beam: int = 64,
    ) -> None:
        self.k = k
        self.association = association
        self.hash = hash
        self.tables = tables
        self.bits = bits
        self.beam = beam

    def search(self, labels: LabelVectors | None, vectors: Singles | None, engine: Engine, seed: int = 0) -> Csr:
        """Find near predictors of each predictor; `seed` draws the hash functions."""
        for name in ("k", "tables", "beam"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_choice("hash", self.hash, tuple(DEFAULT_BITS))
        n_bits = DEFAULT_BITS[self.hash] if self.bits is None else self.bits
        check_number("bits", n_bits, low=1, high=64 - ORDER_SIGNS, whole=True)
        scorer = label_scorer(self.association, labels)
        name = f"{self.hash} {seed}"

        def codes(table: int) -> Codes:
            make = sign_codes if self.hash == "simhash" else first_row_codes
            return make(scorer, n_bits, name, table)

        tables = build_tables(codes, scorer.n_vertices, self.tables, name, engine)
        return rescore_twice(scorer, tables.candidates(self.beam), self.k, engine)


def sign_codes(scorer: LabelScorer, n_bits: int, name: str, table: int) -> Codes:
    """SimHash: whether Σ_r s_r (b_r - mean of b) is above 0, in integers, for random signs s."""
    planes = _random_planes(scorer.n_rows, n_bits + ORDER_SIGNS, name, table)
    ones = popcounts(planes)
    codes = np.zeros(scorer.n_vertices, dtype=np.uint64)
    for start, stop in fixed_batches(scorer.n_vertices, ROW_BATCH):
        common = np.empty((stop - start, len(planes)), dtype=np.int64)
        _kernels.bits.count_tile(scorer.vertex_bits[start:stop], planes, common)
        # With s = 2p - 1 the sum is 2·(common - ones · popcount / n_rows).
        centred = scorer.n_rows * common - ones * scorer.vertex_counts[start:stop, None]
        _kernels.neighbors.pack_signs(centred, codes[start:stop])
    return [codes], codes >> np.uint64(ORDER_SIGNS)


def first_row_codes(scorer: LabelScorer, n_bits: int, name: str, table: int) -> Codes:
    """MinHash: the first row that fires along `n_bits` random orders; the last order's second one sorts."""
    bucket = np.zeros(scorer.n_vertices, dtype=np.uint64)
    votes = np.empty((scorer.n_vertices, 2), dtype=np.int64)
    for at in range(n_bits):
        order = row_order(scorer.n_rows, f"{name} {at}", table)
        _kernels.bits.first_votes(scorer.vertex_bits, scorer.vertex_counts, order, scorer.n_rows, votes)
        _kernels.hashing.mix_all(bucket ^ votes[:, 0].astype(np.uint64), np.uint64(at), bucket)
    # A predictor that never fires is like no other: each gets a bucket of its own (a chance meeting is
    # harmless).
    silent = np.flatnonzero(scorer.vertex_counts == 0)
    bucket[silent] = silent.astype(np.uint64)
    return [bucket, votes[:, 1].astype(np.uint64)], bucket


def _random_planes(n_rows: int, count: int, name: str, table: int) -> Bits:
    """Random rows of bits, each row of the data in about half of them."""
    keys = np.arange(count * n_rows, dtype=np.uint64)
    drawn = np.empty_like(keys)
    _kernels.hashing.mix_all(keys, np.uint64(stream(f"{name} planes", table)), drawn)
    return read_only(pack_flags((drawn >> np.uint64(63)).astype(bool).reshape(count, n_rows)))
