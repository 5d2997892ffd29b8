"""Work that ends when its time is up.

Enter: a function and how many seconds it may take. Leaves: its result, or the problem "out-of-time". The function runs
on one of a few threads and looks at its deadline between slices of work, so that what nobody waits for any more stops
soon.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from classinet.server.problems import Problem

R = TypeVar("R")
T = TypeVar("T")


class Deadline:
    """A moment after which work is in vain.

    Examples
    --------
    >>> Deadline(60).check()
    >>> Deadline(0).check()
    Traceback (most recent call last):
    ...
    classinet.server.problems.Problem: the answer was not ready within 0 seconds; send fewer or shorter texts
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, 0 when the time is up."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise the problem "out-of-time" if the moment has passed."""
        if not self.left:
            raise self.missed()

    def missed(self) -> Problem:
        """Return the problem to answer with."""
        return Problem(
            "out-of-time", f"the answer was not ready within {self.seconds:g} seconds; send fewer or shorter texts"
        )

    def slices(self, items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
        """Yield runs of items, looking at the time before each.

        >>> list(Deadline(60).slices("abcde", 2))
        ['ab', 'cd', 'e']
        """
        for start in range(0, len(items), size):
            self.check()
            yield items[start : start + size]


class Workshop:
    """A few threads that work under deadlines.

    Parameters
    ----------
    threads : how many. Kernels release the interpreter, so two overlap; more would only take turns.

    Examples
    --------
    >>> workshop = Workshop()
    >>> asyncio.run(workshop.run(lambda deadline: "done", seconds=10))
    'done'
    >>> workshop.close()
    """

    def __init__(self, threads: int = 2) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="classinet-answer")

    async def run(self, work: Callable[[Deadline], R], seconds: float) -> R:
        """Return what the work returns, or raise "out-of-time"; work that waits for a thread meanwhile never begins."""
        deadline = Deadline(seconds)

        def begin() -> R:
            deadline.check()
            return work(deadline)

        future = asyncio.get_running_loop().run_in_executor(self._pool, begin)
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            raise deadline.missed() from None

    def close(self) -> None:
        """End the threads; work that has not begun is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
