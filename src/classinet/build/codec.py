"""Results of batches as files: exact, checked, mappable, and nothing in them is ever executed.

Enter: values made of None, numbers, strings, tuples, lists, arrays, canonical CSR matrices and the few result classes
of the stages. Leaves: a safetensors file whose name ends in the hash of its content, so that a file which was cut or
altered is known for what it is, and a value can be read back without a copy.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classinet._container import LONE_START, array_bytes, container, lone_header
from classinet._files import whole_file
from classinet._sparse import from_arrays
from classinet.exceptions import ClassiNetError
from classinet.labels import Votes
from classinet.neighbors.base import Shortlist

SUFFIX = ".safetensors"
KNOWN = {kind.__name__: kind for kind in (Shortlist, Votes)}
DTYPES = {
    "BOOL": "|b1", "U8": "|u1", "I8": "|i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F32": "<f4", "F64": "<f8",
}  # fmt: skip
CODES = {np.dtype(dtype): code for code, dtype in DTYPES.items()}


class NotStorableError(ClassiNetError, TypeError):
    """A value cannot be written without pickle, which this library never uses."""


def write_value(place: Path, value: Any) -> Path:
    """Write a value to `place` plus the hash of its content; return the path.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = write_value(Path(folder.name) / "sums", (1, "a", np.arange(3)))
    >>> is_intact(path), read_value(path)
    (True, (1, 'a', array([0, 1, 2])))
    >>> folder.cleanup()
    """
    arrays: list[NDArray[Any]] = []
    tree = json.dumps(_encode(value, arrays))
    # The widest come first: every array then starts at a multiple of its item size.
    order = sorted(range(len(arrays)), key=lambda i: -arrays[i].itemsize)
    pieces = container([(str(i), arrays[i]) for i in order], CODES, tree=tree)
    digest = blake2b(digest_size=16)
    for piece in pieces:
        digest.update(piece)
    path = place.with_name(f"{place.name}.{digest.hexdigest()}{SUFFIX}")
    with whole_file(path, binary=True) as file:
        for piece in pieces:
            file.write(piece)
    return path


def is_intact(path: Path) -> bool:
    """Whether the content is what the name says."""
    return hash_of(path) == path.name.removesuffix(SUFFIX).rpartition(".")[2]


def hash_of(path: Path, start: int = 0) -> str:
    """Return the hash of a file's content from some byte on, read piece by piece."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        file.seek(start)
        while piece := file.read(1 << 22):
            digest.update(piece)
    return digest.hexdigest()


def read_value(path: Path, *, mapped: bool = False) -> Any:
    """Read what `write_value` wrote; `mapped` leaves the arrays in the file until they are looked at."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    content = map_file(path, np.dtype(np.uint8)) if mapped else np.fromfile(path, dtype=np.uint8)
    tree = json.loads(header.pop("__metadata__")["tree"])
    arrays = []
    for i in range(len(header)):
        entry = header[str(i)]
        start, stop = (8 + size + offset for offset in entry["data_offsets"])
        arrays.append(content[start:stop].view(DTYPES[entry["dtype"]]).reshape(entry["shape"]))
    return _decode(tree, arrays)


def map_file(path: Path, dtype: np.dtype[Any], start: int = 0) -> NDArray[Any]:
    """Map the numbers in a file from some byte on; writing to the array changes memory, never the file.

    (Kernels are compiled for arrays that can be written; a read-only map would have them compiled again.)
    """
    if path.stat().st_size <= start:
        return np.empty(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="c", offset=start).view(np.ndarray)


class ArrayFiles:
    """Arrays that grow batch by batch, each in a container of its own; an index, written last, makes them valid.

    Until then a note says how far they are known to be good, so that writing can go on after an interruption. A saved
    net may share such a file with the build (`persistence.linking`), so one that has other names is never written to.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.index = directory / "index.json"
        self.note = directory / "begun.json"

    def write(
        self, batches_from: Callable[[int], Iterator[Sequence[NDArray[Any]]]], *, note_every: float = 0.0
    ) -> None:
        """Append the arrays of every batch along their first axis; seconds are at least between two notes.

        `batches_from(n)` must yield the batches from number n on: what an interrupted call wrote is kept.
        """
        self.directory.mkdir(exist_ok=True)
        done, arrays = self._begun()
        entries = [array.entry() for array in arrays]
        noted, since = done, time.monotonic()
        try:
            for batch in batches_from(done):
                if not arrays:
                    arrays = [_GrowingFile(self._file(i), a.dtype, a.shape[1:]) for i, a in enumerate(batch)]
                for array, more in zip(arrays, batch, strict=True):
                    array.append(more)
                done, entries = done + 1, [array.entry() for array in arrays]
                if time.monotonic() - since >= note_every:
                    self._write_note(done, arrays, entries)
                    noted, since = done, time.monotonic()
        except BaseException:
            if done > noted:
                self._write_note(done, arrays, entries)
            raise
        else:
            for array in arrays:
                array.settle()
        finally:
            for array in arrays:
                array.file.close()
        with whole_file(self.index) as file:
            json.dump(entries, file)
        self.note.unlink(missing_ok=True)

    def _write_note(self, done: int, arrays: list[_GrowingFile], entries: list[Any]) -> None:
        for array in arrays:
            array.file.flush()
        with whole_file(self.note) as file:
            json.dump({"batches": done, "arrays": entries}, file)

    def _begun(self) -> tuple[int, list[_GrowingFile]]:
        """How many batches an interrupted call wrote, and their arrays; none if a file is not what was noted."""
        arrays: list[_GrowingFile] = []
        try:
            noted = json.loads(self.note.read_text(encoding="utf-8"))
            for i, entry in enumerate(noted["arrays"]):
                arrays.append(_GrowingFile.resumed(self._file(i), entry))
            return int(noted["batches"]), arrays
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            for array in arrays:
                array.file.close()
            return 0, []

    def read(self) -> tuple[NDArray[Any], ...] | None:
        """Return the arrays, mapped; None where they are missing, unfinished or altered."""
        try:
            entries = json.loads(self.index.read_text(encoding="utf-8"))
            if not all(_holds(self._file(i), entry) for i, entry in enumerate(entries)):
                return None
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return tuple(
            map_file(self._file(i), np.dtype(entry["dtype"]), LONE_START).reshape(entry["shape"])
            for i, entry in enumerate(entries)
        )

    def _file(self, number: int) -> Path:
        return self.directory / f"{number}{SUFFIX}"


def _holds(path: Path, entry: dict[str, Any]) -> bool:
    """Whether a file is the container of the array that an index speaks of."""
    header = lone_header(np.dtype(entry["dtype"]), entry["shape"], CODES)
    with path.open("rb") as file:
        return file.read(LONE_START) == header and hash_of(path, LONE_START) == entry["hash"]


class _GrowingFile:
    """One array of `ArrayFiles` while it is written, and the hash of what is in it so far."""

    def __init__(self, path: Path, dtype: np.dtype[Any], width: Sequence[int], *, resume: bool = False) -> None:
        if dtype not in CODES:
            raise NotStorableError(f"an array of {dtype} cannot be stored")
        self.dtype = dtype
        self.shape = [0, *width]
        self.digest = blake2b(digest_size=16)
        if not resume:
            path.unlink(missing_ok=True)  # never emptied: a net may have it under another name
        self.file: Any = path.open("r+b" if resume else "xb")
        self.file.seek(LONE_START)

    @classmethod
    def resumed(cls, path: Path, entry: dict[str, Any]) -> _GrowingFile:
        """Take up a file again; what was written after the note is cut off."""
        if path.stat().st_nlink > 1:
            raise ValueError("the file has another name, so it may not be written to")
        shape, dtype = entry["shape"], np.dtype(entry["dtype"])
        array = cls(path, dtype, shape[1:], resume=True)
        array.shape = shape
        left = size = prod(shape) * dtype.itemsize
        while left and (piece := array.file.read(min(left, 1 << 22))):
            array.digest.update(piece)
            left -= len(piece)
        if left or array.digest.hexdigest() != entry["hash"]:
            array.file.close()
            raise ValueError("the file is not what was noted")
        array.file.truncate(LONE_START + size)
        array.file.seek(LONE_START + size)
        return array

    def append(self, more: NDArray[Any]) -> None:
        piece = array_bytes(more)
        self.file.write(piece)
        self.digest.update(piece)
        self.shape[0] += len(more)

    def entry(self) -> dict[str, Any]:
        return {"dtype": self.dtype.str, "shape": list(self.shape), "hash": self.digest.hexdigest()}

    def settle(self) -> None:
        """Write the header, and have the file on the disk itself."""
        self.file.seek(0)
        self.file.write(lone_header(self.dtype, self.shape, CODES))
        self.file.flush()
        os.fsync(self.file.fileno())


def _encode(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """A JSON tree in which arrays are numbers in a list."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (tuple, list):
        return {type(value).__name__: [_encode(item, arrays) for item in value]}
    if isinstance(value, np.ndarray) and value.dtype in CODES:
        arrays.append(np.asarray(value, order="C"))
        return {"array": len(arrays) - 1}
    if isinstance(value, sparse.csr_array):
        return {"csr": list(value.shape), "of": _encode((value.data, value.indices, value.indptr), arrays)}
    name = type(value).__name__
    if KNOWN.get(name) is type(value):
        return {"kind": name, "of": _encode(tuple(getattr(value, f.name) for f in fields(value)), arrays)}
    raise NotStorableError(f"a {name} cannot be stored without pickle")


def _decode(tree: Any, arrays: list[NDArray[Any]]) -> Any:
    match tree:
        case {"tuple": items}:
            return tuple(_decode(item, arrays) for item in items)
        case {"list": items}:
            return [_decode(item, arrays) for item in items]
        case {"array": number}:
            return arrays[number]
        case {"csr": (rows, columns), "of": parts}:
            data, indices, indptr = _decode(parts, arrays)
            return from_arrays(data, indices, indptr, (rows, columns))
        case {"kind": name, "of": parts}:
            return KNOWN[name](*_decode(parts, arrays))
    return tree
