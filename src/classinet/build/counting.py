"""What any reading of texts needs: occurrences as counts, texts as short hashes."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from classinet._sparse import from_arrays
from classinet._typing import Csr, Integers


def counted(ids: Integers, ends: Integers, n_columns: int) -> Csr:
    """Return occurrences, row after row, as canonical counts.

    >>> counted(np.array([2, 0, 2, 1]), np.array([0, 3, 4]), 3).toarray().tolist()
    [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]
    """
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    cells, counts = np.unique(rows * max(n_columns, 1) + ids, return_counts=True)
    at, columns = np.divmod(cells, max(n_columns, 1))
    indptr = np.searchsorted(at, np.arange(len(ends)))
    return from_arrays(counts.astype(np.float32), columns, indptr, (len(ends) - 1, n_columns))


def digest(text: str, document: int = 0) -> bytes:
    """Return a short hash of a text, and of the number of its document where documents are told apart.

    >>> digest("a").hex() == digest("a").hex() != digest("a", 1).hex()
    True
    """
    return blake2b(utf8(text), digest_size=8, salt=document.to_bytes(16, "little")).digest()


def utf8(text: str) -> bytes:
    """Encode any string, half surrogate pairs too."""
    return text.encode("utf-8", "surrogatepass")
