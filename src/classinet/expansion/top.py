"""e ↦ its m largest entries: a cut after any expansion.

Enter: an expansion (texts × vertices). Leaves: the same with at most m vertices a text.
"""

from __future__ import annotations

from classinet._sparse import keep_entries
from classinet._typing import Csr
from classinet._validation import check_number
from classinet.graph.selection import top_entries


def keep_top(E: Csr, m: int) -> Csr:
    """Return the m largest values of each row; between equals the lower column wins.

    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> keep_top(canonical_csr(np.array([[3.0, 1.0, 2.0, 1.0]])), 3).toarray()
    array([[3., 1., 2., 0.]])
    """
    check_number("m", m, low=1, whole=True)
    return keep_entries(E, top_entries(E, E.data, m))
