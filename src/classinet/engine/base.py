"""The contract that every engine, local or distributed, follows.

A stage is a pure function over batches whose borders never depend on the number of workers: it returns its result and
writes nothing that others see. Results come back in the order of the batches and reductions follow a fixed tree, so
every engine produces the same bytes. An engine must say how batches are `run`; it may say where long results and
finished work are kept (`concatenate`, `map_reduce`, `checkpoint`, `keep`), which is all that a restartable build
needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from classinet.exceptions import ParameterError

B = TypeVar("B")
R = TypeVar("R")


class Engine(ABC):
    """Run pure functions over batches.

    `distributed` says that batches run in other processes, which see nothing of this one but what is sent.
    """

    distributed: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Give back what the engine holds: nothing, unless a kind of engine says otherwise."""

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

    def map_reduce(
        self, function: Callable[[B], R], combine: Callable[[R, R], R], batches: Sequence[B], *, stage: str
    ) -> R:
        """Combine the results of all batches pairwise, in a tree that depends on nothing but their number.

        There must be at least one batch. Of n results about log2(n) partial ones are held at a time. What is returned
        may be a file mapped into memory.

        >>> from classinet.engine import ThreadEngine
        >>> ThreadEngine().map_reduce(str, lambda a, b: f"({a}{b})", [1, 2, 3, 4, 5], stage="words")
        '(((12)(34))5)'
        """
        return pairwise(combine, self.run(function, batches, stage=stage))

    def checkpoint(self, compute: Callable[[Engine], R], *, stage: str) -> R:
        """Compute something in one piece, on an engine whose batches share memory: inside, writing in place is allowed.

        A distributed engine computes it on one of its workers; what is returned may be a file mapped into memory. A
        journalled engine remembers the value, so `compute` must be a function of what was computed before it.
        """
        return compute(self)

    def keep(self, compute: Callable[[], R], *, stage: str) -> R:
        """Compute something here, in the calling thread; a journalled engine remembers the value."""
        return compute()

    def broadcast(self, value: R) -> R:
        """Make a value that many batches read available to all workers; nothing to do where memory is shared."""
        return value


def pairwise(combine: Callable[[R, R], R], items: Iterable[R]) -> R:
    """Combine neighbours, then neighbouring pairs, and so on, as the items come in.

    Like a binary counter: at any time one partial result is held for each 1 in the number of items taken.

    >>> pairwise(lambda a, b: f"({a}{b})", "abcdefg")
    '(((ab)(cd))((ef)g))'
    """
    partial: list[R] = []
    for number, item in enumerate(items, start=1):
        while number % 2 == 0:
            item, number = combine(partial.pop(), item), number // 2
        partial.append(item)
    if not partial:
        raise ParameterError("a reduction needs at least one batch")
    result = partial.pop()
    while partial:
        result = combine(partial.pop(), result)
    return result


def fixed_batches(count: int, size: int) -> list[tuple[int, int]]:
    """Split range(count) into (start, stop) pairs of at most `size`.

    >>> fixed_batches(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, count)) for start in range(0, count, size)]


def even_batches(costs: Sequence[float], most: float, size: int) -> list[tuple[int, int]]:
    """Split range(len(costs)) into (start, stop) pairs of at most `size`, which together cost at most `most`.

    What costs more than that by itself is a batch of its own. For work of very different lengths: while a long batch
    is awaited, the few that may run ahead of it must be enough for the other workers.

    >>> even_batches([9, 1, 1, 1, 5, 1], most=4, size=2)
    [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]
    """
    starts, total = [0], 0.0
    for at, cost in enumerate(costs):
        if at > starts[-1] and (at - starts[-1] == size or total + cost > most):
            starts.append(at)
            total = 0.0
        total += cost
    return list(zip(starts, [*starts[1:], len(costs)], strict=True)) if len(costs) else []
