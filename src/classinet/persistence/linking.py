"""Large arrays in files of their own, which a build, its net and later versions of the net share instead of copying.

Enter: an array. Leaves: a container that holds nothing else. Where the array is mapped from such a file and still says
what the file says, the new name is a hard link: no bytes are written, and each name may be removed without the other.
Finished files are never written to, so what is shared cannot change.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet._container import LONE_START, array_bytes, lone_header
from classinet._files import whole_file
from classinet.persistence.tensors import CODES

PIECE = 1 << 26


def write_lone(path: Path, array: NDArray[Any]) -> None:
    """Put an array into a container of its own: a new name of the one that it lies in, or else a copy.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> first, second = Path(folder.name) / "first", Path(folder.name) / "second"
    >>> write_lone(first, np.arange(3))
    >>> write_lone(second, np.memmap(first, np.int64, "r", LONE_START))
    >>> first.samefile(second)
    True
    >>> folder.cleanup()
    """
    header = lone_header(array.dtype, array.shape, CODES)
    source = file_of(array)
    if source is None or not _says(source, header, array) or not _linked(source, path):
        with whole_file(path, binary=True) as file:
            file.write(header)
            file.write(array_bytes(array))


def file_of(array: NDArray[Any]) -> Path | None:
    """Return the file that an array, or what it is a part of, was mapped from."""
    mapped: Any = array
    while isinstance(mapped, np.ndarray) and not isinstance(mapped, np.memmap):
        mapped = mapped.base
    return Path(mapped.filename) if isinstance(mapped, np.memmap) and mapped.filename is not None else None


def _says(path: Path, header: bytes, array: NDArray[Any]) -> bool:
    """Whether a file holds this header and this array, byte for byte.

    It may be gone or hold more than the array, and what was mapped from it may have been changed in memory.
    """
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) != LONE_START + array.nbytes:
                return False
            file.seek(0)
            if file.read(LONE_START) != header:
                return False
            content = np.frombuffer(array_bytes(array), np.uint8)
            pieces = (content[at : at + PIECE] for at in range(0, len(content), PIECE))
            return all(np.array_equal(np.fromfile(file, np.uint8, len(piece)), piece) for piece in pieces)
    except OSError:
        return False


def _linked(source: Path, path: Path) -> bool:
    """Give a file a second name, where the file system can."""
    try:
        os.link(source, path)
    except OSError:
        return False
    return True
