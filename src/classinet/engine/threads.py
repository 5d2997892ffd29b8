"""The local engine: a thread pool. The kernels it runs release the GIL, so threads are enough."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from numbers import Integral
from typing import Any, TypeVar

from classinet._typing import Progress
from classinet.engine.base import Engine, pairwise
from classinet.exceptions import ParameterError

B = TypeVar("B")
R = TypeVar("R")

AHEAD = 8  # batches in flight per thread: enough that one slow batch does not leave the others idle


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Follow scikit-learn: None is 1, -1 all cores this process may use, -2 all but one.

    >>> resolve_n_jobs(None), resolve_n_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    given: Any = n_jobs
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise ParameterError(f"n_jobs must be a whole number or None, got {n_jobs!r}")
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 has no meaning; use None for one thread or -1 for all cores")
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


class ThreadEngine(Engine):
    """Run batches on `n_jobs` threads, telling `progress(stage, done, total)` from the calling thread.

    An exception raised by `progress` (say, `classinet.Cancelled`) or by a batch, and Ctrl-C, stop the stage: batches
    that have not begun are dropped, those under way end, and the exception goes on to the caller.

    >>> with ThreadEngine(n_jobs=2) as engine:
    ...     engine.map_batches(lambda n: n * n, [1, 2, 3], stage="squares")
    [1, 4, 9]
    """

    def __init__(self, n_jobs: int | None = None, progress: Progress | None = None) -> None:
        self.n_threads = resolve_n_jobs(n_jobs)
        self.progress = progress
        self._pool: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """End the threads; the engine may be used again and will start new ones."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def run(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> Iterator[R]:
        """Yield the result of every batch, in the order of the batches; a few run ahead of the one that is awaited."""
        return self._run(function, batches, stage, AHEAD * self.n_threads)

    def map_reduce(
        self, function: Callable[[B], R], combine: Callable[[R, R], R], batches: Sequence[B], *, stage: str
    ) -> R:
        """Combine the results pairwise; few run ahead, since what is reduced is often large."""
        return pairwise(combine, self._run(function, batches, stage, self.n_threads))

    def _run(self, function: Callable[[B], R], batches: Sequence[B], stage: str, n_ahead: int) -> Iterator[R]:
        total = len(batches)
        if self.n_threads == 1 or total == 1:
            for done, batch in enumerate(batches, start=1):
                result = function(batch)
                self._tell(stage, done, total)
                yield result
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_threads, thread_name_prefix="classinet")
        remaining = iter(batches)
        ahead = deque(self._pool.submit(function, batch) for batch in islice(remaining, n_ahead))
        try:
            for done in range(1, total + 1):
                result = ahead.popleft().result()
                ahead.extend(self._pool.submit(function, batch) for batch in islice(remaining, 1))
                self._tell(stage, done, total)
                yield result
        finally:
            for future in ahead:
                future.cancel()

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, total)
