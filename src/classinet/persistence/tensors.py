"""Arrays in the safetensors container, read in place.

Enter: named arrays, or a file. Leave: a file that any safetensors library reads, or read-only arrays that are views of
the mapped file: nothing is copied, and processes that load one model share its memory. The container is eight bytes
with the length of a JSON header (little-endian), the header, and the arrays one after the other. Everything that the
header says is checked against the file, and everything that an index array points to against the matrix it belongs to,
before a compiled kernel, which checks nothing, may see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from classinet._container import LENGTH_BYTES, LONE, container
from classinet._files import whole_file
from classinet._sparse import from_arrays
from classinet._typing import Csr
from classinet.exceptions import StorageError
from classinet.persistence.reading import damaged, file_size, kind_of, parse_json

# In the order in which the safetensors library writes them.
DTYPES = {name: np.dtype(code) for name, code in
          (("U64", "<u8"), ("I64", "<i8"), ("F64", "<f8"), ("F32", "<f4"), ("I32", "<i4"))}  # fmt: skip
CODES = {dtype: name for name, dtype in DTYPES.items()}
HEADER_LIMIT = 1 << 20
MAX_DIMENSIONS = 4
MAX_EXTENT = 1 << 48


@dataclass(frozen=True)
class Extent:
    """Where an array lies in the file, and how it is to be read."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    stop: int


class TensorFile:
    """A checked container whose arrays are taken one by one; `finish` refuses what nobody asked for.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> write_tensors(Path(folder.name) / "a.safetensors", {"x": np.arange(3)})
    >>> with TensorFile(Path(folder.name) / "a.safetensors") as tensors:
    ...     x = tensors.array("x", np.int64, (3,))
    >>> x, x.flags.writeable
    (array([0, 1, 2]), False)
    >>> del x
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, apart: Mapping[str, Path] | None = None) -> None:
        """Open a container; `apart` says which of its arrays lie in files of their own."""
        self.path = path
        self._apart = dict(apart or {})
        size = file_size(path)
        if size < LENGTH_BYTES:
            raise damaged(path, f"holds {size} bytes, too few for a header")
        try:
            with path.open("rb") as file:
                length = int.from_bytes(file.read(LENGTH_BYTES), "little")
                if length > min(HEADER_LIMIT, size - LENGTH_BYTES):
                    raise damaged(path, f"promises a header of {length:,} bytes in a file of {size:,}")
                header = file.read(length)
        except StorageError:
            raise
        except OSError as error:
            raise StorageError(f"{path}: cannot be read ({error}); check the permissions") from error
        self._extents = _checked_header(header, size, path)
        for name in self._extents.keys() & self._apart.keys():
            raise damaged(path, f"holds array {name!r}, and so does {self._apart[name].name}")
        self._left = {*self._extents, *self._apart}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.finish()

    def __contains__(self, name: str) -> bool:
        return name in self._extents or name in self._apart

    def finish(self) -> None:
        """Refuse a file that holds arrays which were not taken."""
        if self._left:
            raise damaged(self.path, f"holds an array {min(self._left)!r} that does not belong there")

    def array(self, name: str, dtype: Any, shape: tuple[int | None, ...], *, finite: bool = False) -> NDArray[Any]:
        """Return an array of exactly this type and shape; None is a length that is not known beforehand."""
        if name in self._apart:
            self._left.discard(name)
            with TensorFile(self._apart[name]) as lone:
                return lone.array(LONE, dtype, shape, finite=finite)
        if name not in self._extents:
            raise damaged(self.path, f"has no array {name!r}")
        extent = self._extents[name]
        if extent.dtype != np.dtype(dtype):
            raise damaged(self.path, f"array {name!r} is of type {extent.dtype}, where {np.dtype(dtype)} is expected")
        if len(shape) != len(extent.shape) or any(
            wanted is not None and wanted != found for wanted, found in zip(shape, extent.shape, strict=True)
        ):
            expected = tuple("any" if length is None else length for length in shape)
            raise damaged(self.path, f"array {name!r} has shape {extent.shape}, where {expected} is expected")
        self._left.discard(name)
        found = self._view(extent)
        if finite and found.size and not (np.isfinite(found.min()) and np.isfinite(found.max())):
            raise damaged(self.path, f"array {name!r} holds NaN or infinity")
        return found

    def _view(self, extent: Extent) -> NDArray[Any]:
        if extent.start == extent.stop:
            found: NDArray[Any] = np.empty(extent.shape, dtype=extent.dtype)
        else:
            # One map an array: scipy copies what looks like a small part of a much larger array.
            try:
                mapped = np.memmap(self.path, extent.dtype, "r", extent.start, extent.shape)
            except (OSError, ValueError) as error:
                raise StorageError(f"{self.path}: cannot be mapped into memory ({error})") from error
            # Other writers need not align; a kernel needs it.
            found = np.asarray(mapped) if extent.start % extent.dtype.itemsize == 0 else np.array(mapped)
        found.flags.writeable = False
        return found

    def csr(self, name: str, shape: tuple[int | None, int], dtype: Any) -> Csr:
        """Return a canonical sparse matrix of finite values, all of whose indices are inside; None is any number."""
        indptr = self.array(f"{name}.indptr", np.int64, (None if shape[0] is None else shape[0] + 1,))
        indices = self.array(f"{name}.indices", np.int32, (None,))
        data = self.array(f"{name}.data", dtype, (len(indices),), finite=True)
        fault = _csr_fault(indptr, indices, shape[1])
        if fault:
            raise damaged(self.path, f"matrix {name!r} {fault}")
        return from_arrays(data, indices, indptr, (len(indptr) - 1, shape[1]))


def csr_arrays(name: str, matrix: Csr) -> dict[str, NDArray[Any]]:
    """Return the three arrays of a sparse matrix under the names by which `TensorFile.csr` finds them."""
    return {f"{name}.indptr": matrix.indptr, f"{name}.indices": matrix.indices, f"{name}.data": matrix.data}


def write_tensors(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays; the file appears whole or not at all.

    The bytes are those that the safetensors library would write, which makes copies of all arrays on the way.
    """
    known = list(CODES)
    for name, array in arrays.items():
        if array.dtype not in known:
            raise StorageError(f"{path}: array {name!r} of type {array.dtype} cannot be stored")
    ordered = sorted(arrays.items(), key=lambda item: (known.index(item[1].dtype), item[0]))
    with whole_file(path, binary=True) as file:
        for piece in container(ordered, CODES):
            file.write(piece)


def _checked_header(text: bytes, size: int, path: Path) -> dict[str, Extent]:
    first = LENGTH_BYTES + len(text)
    header = parse_json(text, path)
    if not isinstance(header, dict):
        raise damaged(path, f"its header is {kind_of(header)}, where an object is expected")
    extents = {name: _extent(name, entry, first, path) for name, entry in header.items() if name != "__metadata__"}
    at = first
    for name, extent in sorted(extents.items(), key=lambda item: (item[1].start, item[1].stop)):
        if extent.start != at:
            raise damaged(path, f"array {name!r} does not begin where the one before it ends")
        at = extent.stop
    if at != size:
        raise damaged(path, f"its arrays end at byte {at:,} of {size:,}")
    return extents


def _extent(name: str, entry: Any, first: int, path: Path) -> Extent:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise damaged(path, f"the header's entry of {name!r} is {kind_of(entry)}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise damaged(path, f"array {name!r} is of type {kind_of(dtype)}, none of {', '.join(DTYPES)}")
    if not _lengths(shape) or len(shape) > MAX_DIMENSIONS:
        raise damaged(path, f"array {name!r} has shape {kind_of(shape)}")
    if not _lengths(offsets) or len(offsets) != 2:
        raise damaged(path, f"array {name!r} has offsets {kind_of(offsets)}")
    # Python's integers do not overflow, so that no product of absurd lengths can look small.
    size = prod(shape) * DTYPES[dtype].itemsize
    if offsets[1] - offsets[0] != size:
        raise damaged(path, f"array {name!r} needs {size:,} bytes and has {offsets[1] - offsets[0]:,}")
    return Extent(DTYPES[dtype], tuple(shape), first + offsets[0], first + offsets[1])


def _lengths(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_EXTENT for value in values
    )


def _csr_fault(indptr: NDArray[np.int64], indices: NDArray[np.int32], n_columns: int) -> str:
    """Say what makes these arrays no canonical sparse matrix; nothing if they are one."""
    if len(indptr) == 0:
        return "has no rows, not even a beginning"
    if indptr[0] != 0 or indptr[-1] != len(indices):
        return f"has rows from {indptr[0]} to {indptr[-1]} over {len(indices)} entries"
    if (indptr[1:] < indptr[:-1]).any():
        return "has a row that ends before it begins"
    if len(indices) and not (indices.min() >= 0 and indices.max() < n_columns):
        return f"has a column that is none of 0 to {n_columns - 1}"
    ascending = indices[1:] > indices[:-1]
    borders = indptr[(indptr > 0) & (indptr < len(indices))]
    ascending[borders - 1] = True
    return "" if ascending.all() else "has a row whose columns are not in order"
