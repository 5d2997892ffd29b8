"""Several processes that serve one model, and the parent that keeps them alive.

Enter: settings. The parent takes the address, compares the model with its checksums once, starts the workers and says
that the server is ready when all of them are. A worker that dies is replaced; SIGTERM or Ctrl-C ends all of them after
the requests under way. A worker whose parent has died ends too.
"""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

import uvicorn

from classinet.exceptions import DivergenceWarning, ParameterError, StorageError
from classinet.server.board import Board
from classinet.server.holder import read_loaded
from classinet.server.metrics import FOLDER
from classinet.server.settings import Settings

logger = logging.getLogger("classinet.server")

BACKLOG = 2048
KEEP_ALIVE_SECONDS = 75
START_SECONDS = 600.0
LOOK_SECONDS = 0.05
SLOWEST_RESTART = 10.0
QUICK_DEATH = 5.0
GRACE_SECONDS = 5.0
# How long a thread that answers may keep the interpreter while others wait to be read or sent; Python's own 5 ms would
# be longer than most answers take.
SWITCH_SECONDS = 0.0005


def serve(settings: Settings, ready: Callable[[Settings], None]) -> None:
    """Serve a model until SIGINT or SIGTERM; return when the last request has been answered.

    Parameters
    ----------
    settings : how to serve.
    ready : called with the settings, the port filled in, when all workers can answer.
    """
    with ExitStack() as stack:
        stack.enter_context(_logging())
        listener = stack.enter_context(bound(settings.host, settings.port))
        own_listeners = settings.workers > 1 and sys.platform == "linux"
        if own_listeners:
            share(listener)
        else:
            listener.listen(BACKLOG)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="classinet-", ignore_cleanup_errors=True)))
        board = Board(folder)
        board.prepare()
        read_loaded(settings.model, board)  # what cannot be loaded is said here, once
        settings = replace(settings, port=listener.getsockname()[1], board=folder)
        _Parent(settings, board, listener, None if own_listeners else listener).run(ready)


@contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """Take an address, which no other program may have.

    >>> with bound("127.0.0.1", 0) as taken:
    ...     taken.listen()
    ...     with bound("127.0.0.1", taken.getsockname()[1]):
    ...         pass
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: port ... of 127.0.0.1 is taken by another program; choose another with --port
    """
    with _socket(host) as taken:
        try:
            taken.bind((host, port))
        except OSError as error:
            raise ParameterError(_not_bound(host, port, error)) from error
        yield taken


def share(taken: socket.socket) -> None:
    """Let each worker listen at an address that this process has taken.

    The kernel then deals out connections evenly; from one socket that all listen at, the first worker to wake would
    take nearly all of them, and keep them.
    """
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)


def _own_listener(settings: Settings) -> socket.socket:
    listener = _socket(settings.host)
    share(listener)
    listener.bind((settings.host, settings.port))
    return listener


def _socket(host: str) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made


def _not_bound(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken by another program; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} may be used by the system's administrator alone; choose another with --port"
    return f"{host}:{port} is no address of this machine ({error.strerror or error}); choose another with --host"


class _Parent:
    """The process that starts, replaces and ends the workers.

    `taken` is the socket that holds the address; `listener` the one that the workers listen at, None where each makes
    its own.
    """

    def __init__(self, settings: Settings, board: Board, taken: socket.socket, listener: socket.socket | None) -> None:
        self.settings = settings
        self.board = board
        self.taken = taken
        self.listener = listener
        self.workers: dict[BaseProcess, float] = {}
        self.stopping = 0
        self._pause = 0.0

    def run(self, ready: Callable[[Settings], None]) -> None:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for _ in range(self.settings.workers):
                self._start()
            self._wait_until_ready()
            if not self.stopping:
                ready(self.settings)
            while not self.stopping:
                self._replace_dead()
        finally:
            self._end()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping += 1

    def _start(self) -> None:
        # Not forked: this process may have threads, and what it has loaded shall not be carried along.
        context = multiprocessing.get_context("spawn")
        process = context.Process(
            target=work, args=(self.settings, self.board.folder, self.listener), name="classinet-worker"
        )
        with _environment(FOLDER, str(self.board.metrics)):
            process.start()
        self.workers[process] = time.monotonic()

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + START_SECONDS
        while not self.stopping:
            for state in self.board.states():
                if state.failed is not None:
                    raise StorageError(state.reason)
            if self.board.listening() == self.settings.workers:
                return
            if any(process.exitcode is not None for process in self.workers) or time.monotonic() > end:
                raise StorageError("a worker ended before it could serve; what it printed says why")
            time.sleep(LOOK_SECONDS)

    def _replace_dead(self) -> None:
        wait([process.sentinel for process in self.workers], timeout=0.2)
        for process in [process for process in self.workers if process.exitcode is not None]:
            lived = time.monotonic() - self.workers.pop(process)
            self._bury(process)
            if self.stopping:
                return
            logger.warning("worker %s ended (%s) and is replaced", process.pid, process.exitcode)
            # One that dies at once will do so again: try less and less often.
            self._pause = min(SLOWEST_RESTART, 2 * self._pause + 0.1) if lived < QUICK_DEATH else 0.0
            time.sleep(self._pause)
            self._start()

    def _bury(self, process: BaseProcess) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        process.join()
        if process.pid is not None:
            self.board.forget(process.pid)
            mark_process_dead(process.pid, str(self.board.metrics))  # type: ignore[no-untyped-call]

    def _end(self) -> None:
        """Let the workers finish what they are answering; a second signal, or too long a wait, ends them at once."""
        self.taken.close()
        for process in self.workers:
            process.terminate()
        asked = self.stopping
        limits = self.settings.limits
        end = time.monotonic() + limits.seconds + limits.read_seconds + GRACE_SECONDS
        while any(process.is_alive() for process in self.workers):
            if time.monotonic() > end or self.stopping > asked:
                for process in self.workers:
                    process.kill()
            wait([process.sentinel for process in self.workers if process.is_alive()], timeout=LOOK_SECONDS)
        for process in self.workers:
            process.join()


# -------------------------------------------------------------------------------------------------------- worker


def work(settings: Settings, folder: Path, listener: socket.socket | None) -> None:
    """Serve in this process, until its parent ends it or has ended itself; `folder` is that of the board."""
    from classinet.server.app import make_app
    from classinet.server.protocol import bounded_protocol

    warnings.simplefilter("ignore", DivergenceWarning)  # a request's own parameters, told in its answer
    sys.setswitchinterval(SWITCH_SECONDS)
    app = make_app(settings)
    config = uvicorn.Config(
        app, http=bounded_protocol(settings.limits), ws="none", lifespan="on", access_log=False, log_config=None,
        server_header=False, proxy_headers=False, timeout_keep_alive=KEEP_ALIVE_SECONDS, backlog=BACKLOG,
    )  # fmt: skip
    server = _Server(config, Board(folder))

    def stop(*_: object) -> None:
        app.service.stopping = True
        server.should_exit = True

    # Ctrl-C reaches all processes of a terminal; the parent says when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stop)
    _when_orphaned(stop)
    with _logging():
        server.run([_own_listener(settings) if listener is None else listener])


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves the signals of its process to us and says when it can be reached."""

    def __init__(self, config: uvicorn.Config, board: Board) -> None:
        super().__init__(config)
        self._board = board

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._board.listens(os.getpid())

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _when_orphaned(stop: Callable[[], None]) -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        stop()

    threading.Thread(target=watch, daemon=True, name="classinet-orphan").start()


@contextmanager
def _logging() -> Iterator[None]:
    """Write what the server says to standard error while it runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s [%(process)d] %(message)s"))
    loggers = {logging.getLogger("classinet.server"): logging.INFO, logging.getLogger("uvicorn.error"): logging.ERROR}
    before = [(each, each.level) for each in loggers]
    for each, level in loggers.items():
        each.addHandler(handler)
        each.setLevel(level)
    try:
        yield
    finally:
        for each, level in before:
            each.removeHandler(handler)
            each.setLevel(level)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable for processes that are started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
