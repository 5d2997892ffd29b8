"""The contract that every engine, local or distributed, follows.

A stage is a pure function over batches whose borders never depend on the number of workers: it returns its result and
writes nothing that others see. Results come back in the order of the batches and reductions follow a fixed tree, so
every engine produces the same bytes. An engine must say how batches are `run`; it may say where long results and
finished work are kept (`concatenate`, `checkpoint`), which is all that a restartable build needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from classinet.exceptions import ParameterError

B = TypeVar("B")
R = TypeVar("R")


class Engine(ABC):
    """Run pure functions over batches."""

    @abstractmethod
    def run(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> Iterator[R]:
        """Yield the result of every batch, in the order of the batches, holding only a few at a time."""

    def map_batches(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> list[R]:
        """Return the results of all batches, in their order."""
        return list(self.run(function, batches, stage=stage))

    def concatenate(
        self, function: Callable[[B], tuple[NDArray[Any], ...]], batches: Sequence[B], *, stage: str
    ) -> tuple[NDArray[Any], ...]:
        """Join the arrays that the batches return along their first axis; for results as long as the corpus.

        There must be at least one batch. What is returned may be a file mapped into memory.
        """
        parts = self.map_batches(function, batches, stage=stage)
        return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))

    def checkpoint(self, compute: Callable[[Engine], R], *, stage: str) -> R:
        """Compute something in one piece, on an engine whose batches share memory: inside, writing in place is allowed.

        A journalled engine remembers the value, so `compute` must be a function of what was computed before it.
        """
        return compute(self)

    def tree_reduce(self, function: Callable[[R, R], R], items: Sequence[R]) -> R:
        """Combine neighbours pairwise, level by level.

        >>> from classinet.engine import ThreadEngine
        >>> ThreadEngine().tree_reduce(lambda a, b: f"({a}{b})", ["1", "2", "3"])
        '((12)3)'
        """
        if not items:
            raise ParameterError("tree_reduce needs at least one item")
        level = list(items)
        while len(level) > 1:
            pairs = [function(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[len(pairs) * 2 :]
        return level[0]

    def broadcast(self, value: R) -> R:
        """Make a value that many batches read available to all workers; nothing to do where memory is shared."""
        return value


def fixed_batches(count: int, size: int) -> list[tuple[int, int]]:
    """Split range(count) into (start, stop) pairs of at most `size`.

    >>> fixed_batches(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, count)) for start in range(0, count, size)]
