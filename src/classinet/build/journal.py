"""An engine that remembers: what a batch returned is on disk before the next is waited for.

Enter: any engine and a directory. Leaves: the same results. The calls of a deterministic program come in the same
order every time, so a call is known by its number, its stage and its number of batches; what a killed run finished is
read back, and only the rest is computed. Stages need not know that they are journalled.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from classinet.build.codec import SUFFIX, ArrayFiles, NotStorableError, is_intact, read_value, write_value
from classinet.engine import Engine
from classinet.exceptions import StorageError

B = TypeVar("B")
R = TypeVar("R")

logger = logging.getLogger("classinet")

GROUP_SECONDS = 0.5  # results of quick batches share a file until they are worth this much work, …
GROUP_BYTES = 1 << 23  # … or hold this much


class JournalEngine(Engine):
    """Run batches on another engine and keep their results in a directory.

    A second engine on the same directory, asked for the same stages in the same order, reads what is there and
    computes what is missing. Files that were cut or altered count as missing.

    Parameters
    ----------
    engine : where batches run.
    directory : where results are kept; made if need be. One process at a time may use it.

    >>> import tempfile
    >>> from classinet.engine import ThreadEngine
    >>> folder = tempfile.TemporaryDirectory()
    >>> JournalEngine(ThreadEngine(), folder.name).map_batches(lambda n: n * n, [1, 2, 3], stage="squares")
    [1, 4, 9]
    >>> JournalEngine(ThreadEngine(), folder.name).map_batches(lambda n: 1 / 0, [1, 2, 3], stage="squares")
    [1, 4, 9]
    >>> folder.cleanup()
    """

    def __init__(self, engine: Engine, directory: str | PathLike[str]) -> None:
        self.engine = engine
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        for leftover in self.directory.rglob(".*.tmp"):
            leftover.unlink()
        self._known = {path.name[:5]: path for path in self.directory.iterdir()}
        self._calls = 0

    @property
    def distributed(self) -> bool:  # type: ignore[override]
        """Whether the engine underneath is."""
        return self.engine.distributed

    def run(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> Iterator[R]:
        """Yield stored results, and compute and store those that are missing."""
        place = self._next(f"{stage} in {len(batches)}")
        place.mkdir(exist_ok=True)
        return self._run(function, batches, stage, _Groups(place))

    def _run(self, function: Callable[[B], R], batches: Sequence[B], stage: str, groups: _Groups) -> Iterator[R]:
        missing = [batch for i, batch in enumerate(batches) if i not in groups.stored]
        fresh = self.engine.run(function, missing, stage=stage) if missing else iter(())
        try:
            for i in range(len(batches)):
                if i in groups.stored:
                    groups.flush()
                    yield groups.read(i)
                else:
                    result = next(fresh)
                    groups.add(i, result)
                    yield result
        finally:
            groups.flush()

    def concatenate(
        self, function: Callable[[B], tuple[NDArray[Any], ...]], batches: Sequence[B], *, stage: str
    ) -> tuple[NDArray[Any], ...]:
        """Join the arrays of all batches in files, which grow as batches come in, and map these."""
        files = ArrayFiles(self._next(f"{stage} from {len(batches)}"))
        arrays = files.read()
        if arrays is None:
            files.write(
                lambda done: (
                    self.engine.run(function, batches[done:], stage=stage) if done < len(batches) else iter(())
                ),
                note_every=GROUP_SECONDS,
            )
            arrays = files.read()
            if arrays is None:
                raise StorageError(
                    f"{files.directory}: what was written does not read back; is the disk full or failing?"
                )
        return arrays

    def map_reduce(
        self, function: Callable[[B], R], combine: Callable[[R, R], R], batches: Sequence[B], *, stage: str
    ) -> R:
        """Return the stored result, mapped; or reduce on the engine underneath and store what is left."""
        return self._remembered(
            f"{stage} of {len(batches)}",
            stage,
            lambda: self.engine.map_reduce(function, combine, batches, stage=stage),
        )

    def checkpoint(self, compute: Callable[[Engine], R], *, stage: str) -> R:
        """Return the stored value, mapped; or compute it on the engine underneath and store it."""
        return self._remembered(stage, stage, lambda: self.engine.checkpoint(compute, stage=stage))

    def keep(self, compute: Callable[[], R], *, stage: str) -> R:
        """Return the stored value, mapped; or compute it here and store it."""
        return self._remembered(stage, stage, compute)

    def _remembered(self, call: str, stage: str, compute: Callable[[], R]) -> R:
        place = self._next(call)
        for path in self.directory.glob(f"{place.name}.*{SUFFIX}"):
            if is_intact(path):
                value: R = read_value(path, mapped=True)
                return value
            _discard_damaged(path)
        value = compute()
        try:
            stored: R = read_value(write_value(place, value), mapped=True)
        except NotStorableError as error:
            _explain_not_stored(stage, error)
            return value
        return stored

    def broadcast(self, value: R) -> R:
        """Leave it to the engine underneath."""
        return self.engine.broadcast(value)

    def _next(self, what: str) -> Path:
        """Return where the next call is kept; refuse a journal in which it was another."""
        number = f"{self._calls:05d}"
        self._calls += 1
        place = self.directory / f"{number} {re.sub(r'[^a-z0-9]+', '-', what.lower()).strip('-')}"
        known = self._known.get(number)
        if known is not None and known.name.partition(".")[0] != place.name:
            raise StorageError(
                f"{self.directory} holds another build: its step {number} was {known.name.partition('.')[0][6:]!r}, "
                f"now it is {place.name[6:]!r}. Resume with the same texts and settings, or remove the directory"
            )
        return place


class _Groups:
    """The results of one stage, consecutive ones in a file that is named after the first and the last."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.stored: dict[int, tuple[Path, int]] = {}
        for path in sorted(place.glob(f"*{SUFFIX}")):
            if not is_intact(path):
                _discard_damaged(path)
                continue
            first, last = map(int, path.name.partition(".")[0].split("-"))
            self.stored.update({i: (path, i - first) for i in range(first, last + 1)})
        self._open: tuple[Path, list[Any]] | None = None
        self._fresh: list[Any] = []
        self._first, self._bytes = 0, 0
        self._since = time.monotonic()
        self._storable = True

    def read(self, number: int) -> Any:
        """Return a stored result."""
        path, at = self.stored[number]
        if self._open is None or self._open[0] != path:
            self._open = path, read_value(path)
        return self._open[1][at]

    def add(self, number: int, result: Any) -> None:
        """Take in a new result, the next after those not yet written."""
        if not self._fresh:
            self._first = number
        self._fresh.append(result)
        self._bytes += _size(result)
        if time.monotonic() - self._since > GROUP_SECONDS or self._bytes > GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the results that are not yet written."""
        if self._fresh and self._storable:
            last = self._first + len(self._fresh) - 1
            try:
                write_value(self.place / f"{self._first:06d}-{last:06d}", self._fresh)
            except NotStorableError as error:
                self._storable = False
                _explain_not_stored(self.place.name[6:], error)
        self._fresh, self._bytes = [], 0
        self._since = time.monotonic()


def _size(value: Any) -> int:
    """About how many bytes of arrays a value holds."""
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(_size, vars(value).values())) if hasattr(value, "__dict__") else 0


def _discard_damaged(path: Path) -> None:
    logger.warning("%s is damaged; what it held is computed again", path)
    path.unlink()


def _explain_not_stored(stage: str, error: NotStorableError) -> None:
    logger.warning("stage %r is not kept and will be computed again after an interruption: %s", stage, error)
