"""The protocol that every engine, local or distributed, follows.

A stage is a pure function over batches whose borders never depend on the number of workers. Results come back in
the order of the batches and reductions follow a fixed tree, so every engine produces the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

B = TypeVar("B")
R = TypeVar("R")


class Engine(Protocol):
    """Run pure functions over batches."""

    def map_batches(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> list[R]:
        """Apply `function` to every batch; results in the order of the batches."""
        ...

    def tree_reduce(self, function: Callable[[R, R], R], items: Sequence[R]) -> R:
        """Combine neighbours pairwise, level by level."""
        ...

    def broadcast(self, value: R) -> R:
        """Make a value that many batches read available to all workers."""
        ...


def fixed_batches(count: int, size: int) -> list[tuple[int, int]]:
    """Split range(count) into (start, stop) pairs of at most `size`.

    >>> fixed_batches(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, count)) for start in range(0, count, size)]
