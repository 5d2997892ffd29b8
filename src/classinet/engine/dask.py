"""The engine on a cluster: the same batches, on the workers of `dask.distributed`.

Enter: pure functions over batches. Leave: the same results in the same order, from processes on this machine or on
many. A function is packed once a stage, its large arrays left in a directory that all machines see, so a task is the
name of a file and a batch; a large result comes back through the same directory. Reductions combine where the results
are, and what must be computed in one piece is one worker's task.
"""

from __future__ import annotations

import logging
import shutil
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4
from weakref import WeakSet

from threadpoolctl import threadpool_limits

from classinet._optional import optional_import
from classinet._typing import Progress
from classinet.engine.base import Engine, pairwise
from classinet.engine.references import Use, pack, unpack
from classinet.engine.threads import ThreadEngine, resolve_n_jobs
from classinet.engine.versions import versions
from classinet.exceptions import ClusterError, ParameterError

B = TypeVar("B")
R = TypeVar("R")

AHEAD = 4  # tasks in flight per thread of the cluster
# A terminal sends Ctrl-C to all its processes; this one ends the others in order.
IGNORE_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
WORKERS_TIMEOUT = 60.0  # seconds: batch systems start workers when they please


class DaskEngine(Engine):
    """Run batches on the workers of a Dask cluster, telling `progress(stage, done, total)` from the calling thread.

    The bytes of a result are those of `ThreadEngine` on a machine of the same CPU type with the same versions of the
    libraries; other versions are refused. What a worker had when it died is computed by the others. An exception, also
    one raised by `progress`, and Ctrl-C drop what has not begun.

    A script that starts a local cluster must do so under `if __name__ == "__main__":`, since its workers import it.

    Parameters
    ----------
    scheduler : address such as "tcp://10.0.0.5:8786"; None starts a cluster of processes on this machine.
    n_workers : processes of the cluster on this machine; None: one a core.
    directory : where functions and arrays are left for the workers, on storage that all machines see under the same
        path. It is made if need be, and what is put there is removed at the end. None: a temporary one, for a
        cluster on this machine.
    progress : called as progress(stage, done, total).
    timeout : seconds to wait for the scheduler.

    Examples
    --------
    >>> DaskEngine("tcp://10.0.0.5:8786")
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: a cluster at an address needs directory=..., a folder that all machines see
    """

    distributed = True

    def __init__(
        self,
        scheduler: str | None = None,
        *,
        n_workers: int | None = None,
        directory: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        timeout: float = 10.0,
    ) -> None:
        if scheduler is not None and directory is None:
            raise ParameterError("a cluster at an address needs directory=..., a folder that all machines see")
        if scheduler is not None and n_workers is not None:
            raise ParameterError("n_workers is for a cluster on this machine; one at an address has its own workers")
        self.scheduler = scheduler
        self.n_workers = n_workers
        self.directory = None if directory is None else Path(directory).absolute()
        self.progress = progress
        self.timeout = timeout
        self._client: Any = None
        self._cluster: Any = None
        self._folder: Path | None = None
        self._made: Path | None = None

    def __enter__(self) -> Self:
        self._connect()
        return self

    def close(self) -> None:
        """Leave the cluster, end it if it is our own, and remove what was left for the workers."""
        client, cluster, folder = self._client, self._cluster, self._folder
        self._client = self._cluster = self._folder = None
        try:
            if client is not None:
                client.close()
            if cluster is not None:
                cluster.close()
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            if self._made is not None:
                with suppress(OSError):  # another engine's folder may be there
                    self._made.rmdir()

    def run(self, function: Callable[[B], R], batches: Sequence[B], *, stage: str) -> Iterator[R]:
        """Yield the result of every batch, in the order of the batches; a few are under way at a time."""
        if not batches:
            return
        with self._stage(stage) as here:
            sent = here.send(function)
            folder = str(here.folder)
            remaining = iter(batches)
            ahead = deque(here.submit(_call, sent, batch, folder) for batch in islice(remaining, here.n_ahead))
            for done in range(1, len(batches) + 1):
                result = unpack(here.result(ahead.popleft()))
                ahead.extend(here.submit(_call, sent, batch, folder) for batch in islice(remaining, 1))
                self._tell(stage, done, len(batches))
                yield result

    def map_reduce(
        self, function: Callable[[B], R], combine: Callable[[R, R], R], batches: Sequence[B], *, stage: str
    ) -> R:
        """Combine the results pairwise on the workers; only what is left in the end comes here, as a mapped file."""
        with self._stage(stage) as here:
            sent = here.send((function, combine))

            def leaves() -> Iterator[Any]:
                under_way: deque[Any] = deque()
                n_ahead = here.n_ahead // 2  # what is reduced is often large
                for done, batch in enumerate(batches, start=1 - n_ahead):
                    if done > 0:
                        here.finished(under_way.popleft())
                        self._tell(stage, done, len(batches))
                    under_way.append(here.submit(_leaf, sent, batch))
                    yield under_way[-1]
                for left in range(len(under_way) - 1, -1, -1):
                    here.finished(under_way.popleft())
                    self._tell(stage, len(batches) - left, len(batches))

            root = pairwise(lambda a, b: here.submit(_combined, sent, a, b), leaves())
            value: R = unpack(here.result(here.submit(_packed_value, root, str(self._connect().values))))
        return value

    def checkpoint(self, compute: Callable[[Engine], R], *, stage: str) -> R:
        """Compute on one worker, on all cores of its machine; what comes back is mapped from files it wrote."""
        self._tell(stage, 0, 1)
        with self._stage(stage) as here:
            values = str(self._connect().values)
            value: R = unpack(here.result(here.submit(_computed, here.send(compute), values)))
        self._tell(stage, 1, 1)
        return value

    def broadcast(self, value: R) -> R:
        """Leave the large arrays of a value where all workers see them, once for all stages; return it, mapped."""
        mapped: R = unpack(pack(value, self._connect().values, Use.INPUT))
        return mapped

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, total)

    def _stage(self, stage: str) -> _Stage:
        link = self._connect()
        return _Stage(link.client, Path(mkdtemp(prefix="stage-", dir=link.folder)), stage)

    # ------------------------------------------------------------------------------------------ the cluster

    def _connect(self) -> _Link:
        """Connect and check what can be checked, the first time; return client and folder."""
        if self._client is None:
            distributed = optional_import("distributed", "classinets[dask]")
            try:
                self._open(distributed)
            except BaseException:
                self.close()
                raise
        assert self._folder is not None  # made beside the client
        return _Link(self._client, self._folder)

    def _open(self, distributed: Any) -> None:
        logging.getLogger("asyncio").addFilter(_not_of_a_wait_that_was_left)
        address = self.scheduler
        if address is None:
            self._cluster = distributed.LocalCluster(
                n_workers=resolve_n_jobs(-1 if self.n_workers is None else self.n_workers),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else its HTTP server asks for a fixed port
                memory_limit=0,  # a mapped file would count as memory of each worker that looks at it
                preload=IGNORE_INTERRUPTS,
                silence_logs=logging.CRITICAL,  # what fails is raised here
            )
            address = self._cluster.scheduler_address
        try:
            self._client = distributed.Client(address, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"no Dask scheduler answers at {address} ({type(error).__name__}); is `dask scheduler` running there, "
                "are host and port right, and does a firewall let this machine through?"
            ) from error
        if self.directory is None:
            self._folder = Path(mkdtemp(prefix="classinet-"))
        else:
            self._made = None if self.directory.exists() else self.directory
            self.directory.mkdir(parents=True, exist_ok=True)
            self._folder = Path(mkdtemp(prefix="engine-", dir=self.directory))
        (self._folder / "values").mkdir()
        self._check_workers(address)

    def _check_workers(self, address: str) -> None:
        """Refuse a cluster without workers, with other versions, or that does not see the directory."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_TIMEOUT)
        except TimeoutError:
            raise ClusterError(
                f"the scheduler at {address} has no workers after {WORKERS_TIMEOUT:.0f} s; start some with: "
                f"dask worker {address}"
            ) from None
        ours = versions()
        for worker, (theirs, sees, trouble) in self._client.run(_greeting(str(self._folder), tuple(ours))).items():
            if theirs != ours:
                raise ClusterError(_other_versions(f"worker {worker}", theirs, ours))
            if trouble:
                raise ClusterError(f"worker {worker} cannot import classinet ({trouble}); install the same there")
            if not sees:
                raise ClusterError(
                    f"worker {worker} does not see {self._folder}; give a directory on storage that all machines "
                    "share, under the same path"
                )


def _not_of_a_wait_that_was_left(record: logging.LogRecord) -> bool:
    """Whether something is worth telling: that nobody asks how a wait ended that Ctrl-C broke off is not."""
    return record.exc_info is None or type(record.exc_info[1]).__name__ != "AllExit"


@dataclass(frozen=True)
class _Link:
    client: Any
    folder: Path

    @property
    def values(self) -> Path:
        """Where arrays are that outlive their stage."""
        return self.folder / "values"


class _Stage:
    """What one stage put into the cluster and the directory; leaving it takes both back."""

    def __init__(self, client: Any, folder: Path, name: str) -> None:
        self.client = client
        self.folder = folder
        self.name = name.replace("-", " ")
        self.n_ahead = AHEAD * max(1, sum(client.nthreads().values()))
        self._futures: WeakSet[Any] = WeakSet()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The scheduler drops what nobody waits for. (`Client.cancel` was tried: after tasks that failed it sometimes
        # ended the connection.)
        for future in list(self._futures):
            future.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, function: Any) -> _Sent:
        """Leave a function for the workers."""
        path = self.folder / f"{uuid4().hex}.function"
        path.write_bytes(pack(function, self.folder, Use.INPUT))
        return _Sent(str(path), tuple(versions().items()))

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Hand a task to the cluster."""
        future = self.client.submit(task, *arguments, key=f"{self.name}-{uuid4().hex}", pure=False)
        self._futures.add(future)
        return future

    def result(self, future: Any) -> Any:
        """Wait for a task and return what it returned."""
        self.finished(future)
        return future.result()

    def finished(self, future: Any) -> None:
        """Wait for a task, leaving its result where it is."""
        distributed = optional_import("distributed", "classinets[dask]")
        error = future.exception()
        if future.cancelled():  # nobody else could have
            raise ClusterError(
                f"the connection to the scheduler was lost in the stage {self.name!r}; start it again and resume"
            )
        if isinstance(error, distributed.KilledWorker):
            raise ClusterError(
                f"a batch of the stage {self.name!r} ended several workers one after the other; most often it needs "
                "more memory than they have, or than their limit lets them use"
            ) from error
        if error is not None:
            raise error.with_traceback(future.traceback())


# ---------------------------------------------------------------------------------------------- on the workers


@dataclass(frozen=True)
class _Sent:
    """The name of a packed function, and the versions it was packed with."""

    path: str
    versions: tuple[tuple[str, str], ...]


def _unpacked(sent: _Sent) -> Any:
    if dict(sent.versions) != versions():  # a worker that joined later was not asked when the engine connected
        raise ClusterError(_other_versions(f"a worker on {socket.gethostname()}", versions(), dict(sent.versions)))
    threadpool_limits(1)  # BLAS splits sums differently over different numbers of threads
    try:
        return unpack(Path(sent.path).read_bytes())
    except FileNotFoundError as error:
        raise ClusterError(
            f"a worker on {socket.gethostname()} does not see {error.filename}; the directories of a build must be on "
            "storage that all machines share, under the same path"
        ) from error


# The threads of a worker and the tasks of a stage share a function and its maps.
_received = lru_cache(maxsize=4)(_unpacked)


def _call(sent: _Sent, batch: Any, folder: str) -> bytes:
    return pack(_received(sent)(batch), Path(folder), Use.RESULT)


def _leaf(sent: _Sent, batch: Any) -> Any:
    return _received(sent)[0](batch)


def _combined(sent: _Sent, a: Any, b: Any) -> Any:
    return _received(sent)[1](a, b)


def _packed_value(value: Any, folder: str) -> bytes:
    return pack(value, Path(folder), Use.VALUE)


def _computed(sent: _Sent, folder: str) -> bytes:
    # Never a function that was used before: it may write in place.
    with ThreadEngine(-1) as engine:
        return pack(_unpacked(sent)(engine), Path(folder), Use.VALUE)


def _greeting(folder: str, libraries: tuple[str, ...]) -> Callable[[], tuple[dict[str, str], bool, str]]:
    """What a worker is asked first. Being sent by value, it needs no classinet there."""

    def greet() -> tuple[dict[str, str], bool, str]:
        import platform
        from importlib import import_module, metadata
        from pathlib import Path

        found = {"cpu": platform.machine()}
        for name in libraries:
            if name != "cpu":
                try:
                    found[name] = metadata.version(name)
                except metadata.PackageNotFoundError:
                    found[name] = "missing"
        trouble = ""
        try:
            import_module("classinet.engine.dask")
        except ImportError as error:
            trouble = str(error)
        return found, Path(folder).is_dir(), trouble

    return greet


def _other_versions(who: str, theirs: dict[str, str], ours: dict[str, str]) -> str:
    differences: Iterable[str] = (
        f"{name} {theirs.get(name)} instead of {ours[name]}" for name in ours if theirs.get(name) != ours[name]
    )
    return f"{who} has {', '.join(differences)}; the same bytes need the same versions everywhere"
