"""Functions and results on their way between the processes of a cluster, with their arrays left behind in files.

Enter: a function over large arrays, or a result that holds some. Leave: a few bytes in which a large array is the name
of a file that all processes see, and a place in it. An array of a file that is mapped already stays where it is; any
other is written to a folder, once. Small arrays travel along.

What travels is a pickle, as in everything that Dask sends between the processes of one's own cluster. It is read by
those alone and removed with its folder; models and finished steps are never stored like this.
"""

from __future__ import annotations

import io
import os
import pickle
from enum import Enum
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from classinet._optional import optional_import
from classinet.engine.base import Engine
from classinet.engine.threads import ThreadEngine

SMALL = 1 << 16  # bytes of an array that travels by value


class Use(Enum):
    """What becomes of the arrays that were left behind.

    INPUT: they are mapped, by any number of processes, and files that are mapped already are referred to. (Outside a
    checkpoint nothing writes to a map, so that it is what its file says.)
    VALUE: they are mapped by whoever asked for them. A mapped file may differ from its map, so all are written.
    RESULT: the same, but they are read into memory and their files removed.
    """

    INPUT = "input"
    VALUE = "value"
    RESULT = "result"


def pack(value: Any, folder: Path, use: Use) -> bytes:
    """Turn a value, even a closure, into bytes; its large arrays are left in files of the folder.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> packed = pack({"long": np.arange(100_000)}, Path(folder.name), Use.INPUT)
    >>> len(packed) < 1000, int(unpack(packed)["long"].sum())
    (True, 4999950000)
    >>> folder.cleanup()
    """
    file = io.BytesIO()
    _pickler()(file, folder, use).dump(value)
    return file.getvalue()


def unpack(packed: bytes) -> Any:
    """Return what was packed."""
    return pickle.loads(packed)  # noqa: S301 - from a process of the same cluster, see above


@cache
def _pickler() -> Any:
    """The class, made when it is first needed: cloudpickle comes with the extra."""
    cloudpickle = optional_import("cloudpickle", "classinets[dask]")

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc, name-defined]
        def __init__(self, file: io.BytesIO, folder: Path, use: Use) -> None:
            super().__init__(file, protocol=5)
            self.folder = folder
            self.use = use

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, Engine):
                return ThreadEngine, ()  # over there a batch is one thread's work, and nobody looks at its progress
            if isinstance(obj, np.ndarray) and obj.nbytes > SMALL and not obj.dtype.hasobject:
                return _left_behind(obj, self.folder, self.use)
            return super().reducer_override(obj)

    return Pickler


def _left_behind(array: NDArray[Any], folder: Path, use: Use) -> tuple[Any, ...]:
    """How to make the array again from a file."""
    array = array.view(np.ndarray)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    order = "C" if array.flags.c_contiguous else "F"
    found = _in_mapped_file(array) if use is Use.INPUT else None
    if found is None:
        found = _written(array if order == "C" else array.T, folder, use), 0
    path, offset = found
    rebuild = _taken if use is Use.RESULT else _mapped
    return rebuild, (path, array.dtype, array.shape, offset, order, array.flags.writeable)


def _in_mapped_file(array: NDArray[Any]) -> tuple[str, int] | None:
    """The file that holds the array, and where in it; None if it is in memory only."""
    owner: Any = array
    while isinstance(owner.base, np.ndarray):  # only the first of a chain of views knows its place in the file
        owner = owner.base
    filename = getattr(owner, "filename", None)
    if filename is None or not os.path.exists(filename):
        return None
    return os.fspath(filename), owner.offset + _address(array) - _address(owner)


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _written(array: NDArray[Any], folder: Path, use: Use) -> str:
    if use is Use.INPUT:
        # Named by its content: what a function holds twice is written once.
        path = folder / f"{blake2b(array.reshape(-1).view(np.uint8).data, digest_size=16).hexdigest()}.array"
        if path.exists():
            return str(path)
    else:
        path = folder / f"{uuid4().hex}.array"
    array.tofile(path)
    return str(path)


def _mapped(
    path: str, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int, order: Any, writeable: bool
) -> NDArray[Any]:
    # Written pages are private: a kernel is compiled for arrays that can be written, and the file never changes.
    array = np.memmap(path, dtype=dtype, mode="c", offset=offset, shape=shape, order=order).view(np.ndarray)
    array.flags.writeable = writeable
    return array


def _taken(
    path: str, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int, order: Any, writeable: bool
) -> NDArray[Any]:
    array = np.fromfile(path, dtype=dtype).reshape(shape, order=order)
    os.unlink(path)
    array.flags.writeable = writeable
    return array
