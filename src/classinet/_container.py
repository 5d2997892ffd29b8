"""The safetensors container: eight bytes with the length of a JSON header, the header, and arrays one after the other.

Enter: named arrays. Leave: the pieces of a file, without a copy of any array: those of a large net are mapped from
other files, and would not fit in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

LENGTH_BYTES = 8
LONE = "array"  # what an array is called that has a file to itself, …
LONE_START = 4_096  # … and where in the file it begins: the header can be written last, when the length is known


def container(
    arrays: Iterable[tuple[str, NDArray[Any]]], codes: Mapping[np.dtype[Any], str], **metadata: str
) -> list[bytes | memoryview]:
    """Return what to write, in order; arrays of wide types should come first, so that each begins where it may.

    >>> length, header, values = container([("x", np.arange(2))], {np.dtype("<i8"): "I64"})
    >>> header
    b'{"x":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}}         '
    >>> int.from_bytes(length, "little") == len(header), values.nbytes
    (True, 16)
    """
    entries: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    end, pieces = 0, []
    for name, array in arrays:
        start, end = end, end + array.nbytes
        entries[name] = {"dtype": codes[array.dtype], "shape": array.shape, "data_offsets": [start, end]}
        pieces.append(array_bytes(array))
    header = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    header += b" " * (-len(header) % LENGTH_BYTES)
    return [len(header).to_bytes(LENGTH_BYTES, "little"), header, *pieces]


def lone_header(dtype: np.dtype[Any], shape: Sequence[int], codes: Mapping[np.dtype[Any], str]) -> bytes:
    """Return the first `LONE_START` bytes of a container that holds a single array.

    >>> len(lone_header(np.dtype("<i8"), (2,), {np.dtype("<i8"): "I64"}))
    4096
    """
    size = prod(shape) * dtype.itemsize
    entries = {LONE: {"dtype": codes[dtype], "shape": list(shape), "data_offsets": [0, size]}}
    header = json.dumps(entries, separators=(",", ":")).encode().ljust(LONE_START - LENGTH_BYTES)
    return len(header).to_bytes(LENGTH_BYTES, "little") + header


def array_bytes(array: NDArray[Any]) -> memoryview:
    """Return the bytes of an array, where they are if its rows lie one after the other."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
