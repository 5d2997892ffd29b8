"""Sorted hash tables: vertices with like codes stand close together, and close ones are candidates.

Enter: for each table a code of every vertex. Leave: candidate lists, made batch by batch so that memory holds
the tables (tables × vertices) but never all candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._keys import name_keys, shuffled
from classinet._typing import Integers, Keys
from classinet.engine import Engine

# Codes of one table: sort keys, most significant first, and the bucket of every vertex (None: one bucket
# holds all).
Codes = tuple[list[Keys], Keys | None]


@dataclass(frozen=True, eq=False)
class Tables:
    """Orders of all vertices, one a table, with each vertex's place and bucket in it."""

    orders: NDArray[np.int32]
    ranks: NDArray[np.int32]
    buckets: Keys

    def candidates(self, beam: int) -> Callable[[int, int], tuple[Integers, NDArray[np.int32]]]:
        """Lists of the up to `beam` vertices on each side, in every table, within the bucket."""
        n_tables, n = self.orders.shape
        beam = min(beam, n)

        def lists(start: int, stop: int) -> tuple[Integers, NDArray[np.int32]]:
            indptr = np.empty(stop - start + 1, dtype=np.int64)
            met = np.empty((stop - start) * min(2 * beam * n_tables, n), dtype=np.int32)
            _kernels.neighbors.windows(self.orders, self.ranks, self.buckets, start, stop, beam, indptr, met)
            return indptr, met[: indptr[-1]]

        return lists


def build_tables(codes: Callable[[int], Codes], n: int, n_tables: int, name: str, engine: Engine) -> Tables:
    """Sort the vertices by the codes of every table.

    Vertices with equal codes stand in an order drawn anew for each table: where many are equal, each table
    then offers other candidates.
    """

    def build(table: int) -> tuple[NDArray[np.int32], NDArray[np.int32], Keys]:
        keys, bucket = codes(table)
        drawn = np.empty(n, dtype=np.int64)
        drawn[shuffled(np.arange(n, dtype=np.uint64), stream(f"{name} ties", table))] = np.arange(n)
        order = np.lexsort((drawn, *reversed(keys))).astype(np.int32)
        rank = np.empty(n, dtype=np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        return order, rank, np.empty(0, dtype=np.uint64) if bucket is None else bucket

    built = engine.map_batches(build, range(n_tables), stage="hash tables")
    return Tables(*(np.stack(arrays) for arrays in zip(*built, strict=True)))


def stream(name: str, table: int) -> int:
    """Key of the random stream of one table."""
    return int(name_keys([f"{name} {table}"])[0])


def row_order(n_rows: int, name: str, table: int) -> Integers:
    """A random permutation of the held-out rows, keyed by name and table."""
    return shuffled(np.arange(n_rows, dtype=np.uint64), stream(name, table))
