"""Σ_{t=1..q} γ^t x F W^(t-1): the one propagation that the graph expansions share.

Enter: texts × sources, the first hop F (sources × vertices), the later hops W (vertices × vertices). Leave:
the expansion and, per text, a bound on the mass that pruning and stopping kept back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._sparse import from_arrays
from classinet._typing import Csr, Floats
from classinet.graph.selection import read_only

# An endless sum ends when no more than this share of a row's result can still follow.
TOLERANCE = 1e-12


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class Walk:
    """How far and how faithfully to propagate.

    Attributes
    ----------
    damping : γ, applied at every hop.
    hops : number of hops; for an endless sum, a number that suffices.
    prune : share of a text's mass below which an entry is not propagated further.
    series : series[m] bounds what a unit of mass becomes in m more hops; read only when pruning.
    future : for an endless sum, a bound on all that a unit of mass at each vertex still becomes; empty if
        finite.
    """

    damping: float = 1.0
    hops: int = 1
    prune: float = 0.0
    series: Floats = field(default_factory=_nothing)
    future: Floats = field(default_factory=_nothing)


def propagate(X: Csr, first: Csr, later: Csr, walk: Walk) -> tuple[Csr, Floats]:
    """Return the propagated rows and, for each, a bound on the L1 mass that is missing from it."""
    n_rows, n = X.shape[0], first.shape[1]
    indptr, lost = np.zeros(n_rows + 1, dtype=np.int64), np.zeros(n_rows)
    indices, data = np.empty(32 * n, dtype=np.int32), np.empty(32 * n)
    # Read-only views throughout, so that the kernel is compiled once, whether or not the caller's arrays are
    # writable.
    inputs = [read_only(array) for M in (X, first, later) for array in (M.indptr, M.indices, M.data)]
    series, future = read_only(walk.series), read_only(walk.future)
    row = 0
    while row < n_rows:
        if row > 0:
            # Expect the rest to be as dense as what is done: few copies, and memory never written costs
            # nothing.
            used = int(indptr[row])
            expected = min(int(1.2 * used / row * n_rows) + n, used + (n_rows - row) * n)
            capacity = max(expected, used + n, len(data) * 3 // 2)
            indices, data = _longer(indices, used, capacity), _longer(data, used, capacity)
        row = _kernels.propagation.propagate(
            *inputs, n, float(walk.damping), walk.hops, float(walk.prune), series, future, TOLERANCE,
            row, indptr, indices, data, lost,
        )  # fmt: skip
    used = int(indptr[-1])
    return from_arrays(data[:used], indices[:used], indptr, (n_rows, n)), lost


def _longer(array: NDArray[Any], used: int, capacity: int) -> NDArray[Any]:
    longer = np.empty(capacity, dtype=array.dtype)
    longer[:used] = array[:used]
    return longer
