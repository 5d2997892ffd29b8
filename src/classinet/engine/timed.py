"""An engine with a stopwatch: how long each stage of a build takes on another engine."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from classinet.engine.base import Engine

B = TypeVar("B")
R = TypeVar("R")


class TimedEngine(Engine):
    """Run everything on another engine and note the seconds of every stage.

    What a checkpoint runs inside counts for the checkpoint; what happens between stages is not noted.

    Attributes
    ----------
    seconds : of each stage; until the last result is taken, so what its consumer does with results counts too.
    alone : the stages that are checkpoints: one process computes them, however many there are.
    begun : when the first stage began, on the clock of `time.perf_counter`; None before.

    >>> from classinet.engine import ThreadEngine
    >>> engine = TimedEngine(ThreadEngine())
    >>> engine.map_batches(lambda n: n * n, [1, 2, 3], stage="squares")
    [1, 4, 9]
    >>> list(engine.seconds)
    ['squares']
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.alone: set[str] = set()
        self.begun: float | None = None

    @property
    def distributed(self) -> bool:  # type: ignore[override]
        """Whether the engine underneath is."""
        return self.engine.distributed

    def run(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> Iterator[R]:
        """Run on the other engine."""
        with self._timed(stage):
            yield from self.engine.run(function, batches, stage=stage)

    def map_reduce(
        self, function: Callable[[B], R], combine: Callable[[R, R], R], batches: Sequence[B], *, stage: str
    ) -> R:
        """Reduce on the other engine."""
        with self._timed(stage):
            return self.engine.map_reduce(function, combine, batches, stage=stage)

    def checkpoint(self, compute: Callable[[Engine], R], *, stage: str) -> R:
        """Compute on the other engine."""
        self.alone.add(stage)
        with self._timed(stage):
            return self.engine.checkpoint(compute, stage=stage)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        self.begun = begun if self.begun is None else self.begun
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - begun
