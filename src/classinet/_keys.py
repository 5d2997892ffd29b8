"""Names for randomness: every random choice is keyed by the seed, a feature's name and a row's content.

Enter: names, rows, a seed. Leave: 64-bit keys and the canonical order of rows. Because nothing depends on position,
thread or batch, a fit gives the same bytes for any number of threads and for any order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from classinet import _kernels
from classinet._typing import Csr, Integers, Keys

ROWS_AT_ONCE = 65_536


def name_keys(names: Iterable[str]) -> Keys:
    """Hash names to 64 bits, the same on every machine and in every process."""
    digests = b"".join(blake2b(str(name).encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def row_keys(X: Csr, feature_keys: Keys) -> Keys:
    """Hash each row's content: equal rows get equal keys."""
    keys = np.empty(X.shape[0], dtype=np.uint64)
    for start in range(0, len(keys), ROWS_AT_ONCE):  # a matrix that is a mapped file is never copied as a whole
        indptr = X.indptr[start : start + ROWS_AT_ONCE + 1]
        part = slice(indptr[0], indptr[-1])
        bits = np.ascontiguousarray(X.data[part], dtype=np.float64).view(np.uint64)
        out = keys[start : start + ROWS_AT_ONCE]
        _kernels.hashing.row_keys(indptr - indptr[0], X.indices[part], bits, feature_keys, out)
    return keys


def shuffled(keys: Keys, seed: int) -> Integers:
    """Return the canonical order: positions sorted by scrambled key.

    Rows with equal keys are equal rows, so their relative order cannot be seen in any result.
    """
    scrambled = np.empty_like(keys)
    _kernels.hashing.mix_all(keys, np.uint64(seed), scrambled)
    return np.argsort(scrambled, kind="stable")
