"""What the processes of one server know of each other: a small file each, in a folder of their own.

Enter: the state of a worker. Leave: the states of all live workers, and which versions of the model one of them has
compared with their checksums, so that the others need not. The folder is made by the parent for its owner alone and
ends with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from classinet._files import whole_file

METRICS, LOCK, ASKED = "metrics", "lock", "asked"


@dataclass(frozen=True)
class State:
    """What a worker says of itself.

    Attributes
    ----------
    pid : its process.
    model : version and edits of the model it answers with, or None before there is one.
    failed : version and edits that it could not load, or None.
    reason : why not.
    asked : the last request to look again that it has followed.
    """

    pid: int
    model: str | None = None
    failed: str | None = None
    reason: str | None = None
    asked: int = 0


class Board:
    """The folder in which workers tell their states.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     board = Board(Path(folder))
    ...     board.tell(State(os.getpid(), "v0001"))
    ...     [state.model for state in board.states()]
    ['v0001']
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def metrics(self) -> Path:
        """Where the workers' counters lie."""
        return self.folder / METRICS

    def prepare(self) -> None:
        """Make what the workers need in the folder."""
        self.metrics.mkdir(exist_ok=True)

    def tell(self, state: State) -> None:
        """Replace this process's state."""
        with whole_file(self._place(state.pid)) as file:
            json.dump(asdict(state), file)

    def listens(self, pid: int) -> None:
        """Note that a process can be reached."""
        self._mark(pid).touch()

    def listening(self) -> int:
        """Return how many processes can be reached."""
        return len(list(self.folder.glob("listening-*")))

    def forget(self, pid: int) -> None:
        """Remove what a process that has ended said of itself."""
        self._place(pid).unlink(missing_ok=True)
        self._mark(pid).unlink(missing_ok=True)

    def states(self) -> list[State]:
        """Return the states of all live workers, by process number."""
        found = []
        for path in self.folder.glob("worker-*.json"):
            # A worker may end between the listing and the reading.
            with suppress(FileNotFoundError):
                state = State(**json.loads(path.read_text(encoding="utf-8")))
                if _alive(state.pid):
                    found.append(state)
        return sorted(found, key=lambda state: state.pid)

    def ask(self) -> int:
        """Ask all workers to look again, also those that have failed; return the number of this request."""
        with self.alone():
            number = self.asked() + 1
            with whole_file(self.folder / ASKED) as file:
                file.write(str(number))
        return number

    def asked(self) -> int:
        """Return the number of the last request to look again, 0 before the first."""
        try:
            return int((self.folder / ASKED).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return 0

    def is_verified(self, mark: str) -> bool:
        """Say whether a version has been compared with its checksums; `mark` names its very files."""
        return (self.folder / f"verified-{mark}").exists()

    def verified(self, mark: str) -> None:
        """Note that a version has been compared with its checksums."""
        (self.folder / f"verified-{mark}").touch()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let one process at a time do something; where the system has no such lock, all do it."""
        if os.name != "posix":
            yield
            return
        import fcntl

        descriptor = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _mark(self, pid: int) -> Path:
        return self.folder / f"listening-{pid}"

    def _place(self, pid: int) -> Path:
        return self.folder / f"worker-{pid}.json"


def _alive(pid: int) -> bool:
    if os.name != "posix":  # there the parent alone knows, and removes the files of those that have ended
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
