"""The spectral radius |λmax| of a non-negative matrix, which decides whether propagation over it converges.

Enter: the weights of a graph. Leaves: one number. A matrix in block-triangular form has the eigenvalues of
its diagonal blocks, here the strongly connected components; a component of one vertex, without self-edges,
adds only 0. In each larger component the radius is itself an eigenvalue (Perron and Frobenius), and it lies
between the smallest and the largest row sum of the component: that closes the result to within rounding
where all row sums agree.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from classinet._typing import Csr, Floats

DENSE_SIZE = 200


def spectral_radius(weights: Csr) -> float:
    """Return the largest modulus of an eigenvalue of a square non-negative matrix with an empty diagonal."""
    if weights.nnz == 0:
        return 0.0
    # csgraph knows 32-bit positions only; rebuilt from its arrays, a matrix gets the narrowest that suffice.
    narrow = sparse.csr_array((weights.data, weights.indices, weights.indptr), shape=weights.shape)
    n_components, label = connected_components(narrow, directed=True, connection="strong")
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=n_components))
    members = (order[end - size : end] for end, size in zip(ends, np.diff(ends, prepend=0), strict=True) if size > 1)
    return max((_component_radius(narrow[own][:, own]) for own in members), default=0.0)


def _component_radius(block: Csr) -> float:
    """Return the Perron root of an irreducible block."""
    row_sums: Floats = np.asarray(block.sum(axis=1))
    low, high = float(row_sums.min()), float(row_sums.max())
    if high - low <= 1e-14 * high:
        return high
    if block.shape[0] <= DENSE_SIZE:
        root = float(np.abs(np.linalg.eigvals(block.toarray())).max())
    else:
        root = _iterated_root(block)
    return min(max(root, low), high)


def _iterated_root(block: Csr) -> float:
    # A component that is periodic has several eigenvalues on the same circle. Adding the identity leaves 1 +
    # |λmax| alone in front, and Arnoldi's method has one clear thing to converge to.
    shifted = LinearOperator(block.shape, matvec=lambda x: x + block @ x, dtype=np.float64)
    start = np.ones(block.shape[0])
    try:
        found = eigs(shifted, k=1, which="LM", v0=start, tol=1e-12, maxiter=300, return_eigenvectors=False)
        return float(np.abs(found).max()) - 1.0
    except ArpackNoConvergence:
        return _bracketed_root(block)


def _bracketed_root(block: Csr, rounds: int = 100, tolerance: float = 1e-12) -> float:
    """Return the Perron root from above by Noda's inverse iteration, which always converges.

    For any positive vector x the root lies between the smallest and the largest growth (Ax)_i / x_i. A
    linear solve with the upper end as shift gives the next vector; long cycles, on which Arnoldi's method
    fails, are cheap to solve.
    """
    identity = sparse.eye_array(block.shape[0], format="csc")
    x = np.ones(block.shape[0])
    high = np.inf
    for _ in range(rounds):
        growth = (block @ x) / x
        high = min(high, float(growth.max()))
        if high - float(growth.min()) <= tolerance * high:
            break
        try:
            x = splu(sparse.csc_array(high * identity - block)).solve(x)
        except RuntimeError:
            break  # exactly singular: the upper end is an eigenvalue
        # A floor keeps every entry positive, on which the bracket rests.
        x = np.maximum(x / x.max(), 1e-300)
    return high
