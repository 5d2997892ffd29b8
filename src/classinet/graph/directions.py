"""A step of the random walk by its leading directions: P ≈ A B, where P is features × vertices and A has few columns.

Enter: the weights of a step, every row of sum 1. Leave: A, and B for the vertices to which most mass leads. The
decomposition is one of P with its columns divided by the roots of their sums, as correspondence analysis does it:
otherwise the few hubs to which all features lead would take the first directions. B gives the roots back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classinet._decomposition import truncated_svd
from classinet._sparse import from_arrays
from classinet._typing import Csr, Integers, Keys, Singles
from classinet.engine import ThreadEngine
from classinet.graph.selection import read_only


@dataclass(frozen=True, eq=False)
class Directions:
    """The leading directions of a step; all arrays are read-only.

    Attributes
    ----------
    sources : features × directions.
    vertices : positions of the vertices to which most mass leads, ascending.
    targets : directions × these vertices; sources @ targets approximates the weights of the step.
    """

    sources: Singles
    vertices: Integers
    targets: Singles


def leading_directions(step: Csr, keys: Keys, rank: int, reach: int) -> Directions:
    """Decompose a step.

    Parameters
    ----------
    step : features × vertices, every row of sum 1 or empty.
    keys : one a vertex, from which the decomposition begins.
    rank : number of directions; widths are padded with zeros to a multiple of eight.
    reach : number of vertices that can be reached.

    >>> from classinet._keys import name_keys
    >>> from classinet._sparse import canonical_csr
    >>> step = canonical_csr(np.array([[0, 0.5, 0.5, 0], [0.5, 0, 0.5, 0], [0.5, 0.5, 0, 0]]))
    >>> found = leading_directions(step, name_keys(["a", "b", "c", "d"]), rank=3, reach=4)
    >>> found.vertices, bool(np.allclose(found.sources @ found.targets, step.toarray()[:, :3], atol=1e-6))
    (array([0, 1, 2]), True)
    """
    mass = np.bincount(step.indices, step.data, step.shape[1])
    most = np.argsort(-mass, kind="stable")[:reach]
    vertices = np.sort(most[mass[most] > 0])
    if len(vertices):
        roots = np.sqrt(mass)
        scaled = (step.data / roots[step.indices]).astype(np.float32)
        sources, targets = truncated_svd(
            from_arrays(scaled, step.indices, step.indptr, step.shape), rank, keys, ThreadEngine()
        )
        given_back = (targets[vertices] * roots[vertices, None]).astype(np.float32)
    else:
        sources, given_back = np.zeros((step.shape[0], 8), np.float32), np.zeros((0, 8), np.float32)
    return Directions(read_only(sources), read_only(vertices), read_only(np.ascontiguousarray(given_back.T)))
