"""Write a file whole or not at all: beside its place first, then moved there in one step."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import uuid4


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file (UTF-8 text, or bytes) that takes its place only when it was written to the end.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with whole_file(Path(folder.name) / "note.txt") as file:
    ...     _ = file.write("all of it")
    >>> [file.name for file in Path(folder.name).iterdir()]
    ['note.txt']
    >>> folder.cleanup()
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder; create it first", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; name a file", str(target))
    beside = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        with beside.open("xb") if binary else beside.open("x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
