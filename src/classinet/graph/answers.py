"""What a graph answers with: an edge, and a path along several."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edge:
    """One edge: how probable the target is where the source is, and what that was counted from.

    `counts` are (M11, M10, M01, M00): how often both were predicted, only the source, only the target,
    neither.
    """

    source: str
    target: str
    weight: float
    association: float | None = None
    counts: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class Path:
    """A chain of vertices and the product of the weights along it."""

    names: tuple[str, ...]
    probability: float
