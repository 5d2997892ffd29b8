"""The folder of a saved model: versions beside each other, and a pointer to the one that counts.

Enter: a path, and a function that writes the files of a version into an empty folder. Leave: a new version that appears
whole or not at all. It is written under a hidden name, every file and folder is flushed to the disk, it gets its own
name, and only then the pointer file is replaced in one step. Whoever reads follows the pointer first, so a crash at any
moment, or a writer at work, leaves the model before it readable.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from classinet._files import whole_file
from classinet._validation import check_number
from classinet.exceptions import StorageError
from classinet.persistence.reading import damaged, field, file_size, read_bytes, read_object, write_object

POINTER, CHECKSUMS, CONFIG = "CURRENT", "checksums.json", "config.json"
FORMAT, FORMAT_VERSION = "classinet-model", 7
VERSION_NAME = re.compile(r"v([0-9]{4,9})", re.ASCII)
HIDDEN = re.compile(r"\..+\.[0-9a-f]{32}\.tmp", re.ASCII)
POINTER_LIMIT = 64
HASHING_THREADS = 4


# ---------------------------------------------------------------------------------------------------- reading


def find_model(path: Path) -> str:
    """Return the name of the version that the pointer names, or say that there is no model at this path.

    Only the pointer and the format are looked at: enough to know that a folder is ours.
    """
    if not path.exists():
        raise StorageError(f"{path}: there is no such folder; check the path")
    if not path.is_dir() or not os.path.lexists(path / POINTER):
        raise StorageError(f"{path}: is no ClassiNet model (a folder with a file {POINTER}); check the path")
    pointer = path / POINTER
    name = read_bytes(pointer, POINTER_LIMIT).removesuffix(b"\n").decode("ascii", "replace")
    if version_number(name) is None:
        raise damaged(pointer, f"names {name!r}, which is no version such as 'v0001'")
    _check_folder(path / name)
    return name


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a version; only its format is checked here."""
    path = folder / CONFIG
    config = read_object(path)
    if field(config, "format", str, path) != FORMAT:
        raise damaged(path, f"is not of the format {FORMAT!r}")
    number = field(config, "format_version", int, path)
    if number > FORMAT_VERSION:
        raise StorageError(
            f"{path}: has format version {number}, and this classinet reads up to {FORMAT_VERSION}; "
            "install a newer classinets to load it"
        )
    if number < 1:
        raise damaged(path, f"has format version {number}")
    return config


def version_number(name: str) -> int | None:
    """Return the number of a version's name, None for any other name.

    >>> version_number("v0012"), version_number("v00012"), version_number("../v0001")
    (12, None, None)
    """
    match = VERSION_NAME.fullmatch(name)
    number = int(match[1]) if match else 0
    return number if number >= 1 and name == version_name(number) else None


def version_name(number: int) -> str:
    """Name a version by its number."""
    return f"v{number:04d}"


def versions(path: Path) -> list[str]:
    """Return the versions that lie in a model's folder, oldest first."""
    names = [entry.name for entry in path.iterdir() if version_number(entry.name) is not None and entry.is_dir()]
    return sorted(names, key=lambda name: version_number(name) or 0)


def check_files(folder: Path, known: frozenset[str], *, hashes: bool) -> dict[str, int]:
    """Compare a version's files with its list of checksums; return the size of each.

    Parameters
    ----------
    folder : the version.
    known : names of the files that a version may have.
    hashes : also compare contents; without it only names and sizes.
    """
    path = folder / CHECKSUMS
    listed = field(read_object(path), "files", dict, path)
    for name in listed:
        if name not in known:
            raise damaged(path, f"lists {name!r}, which is no file of a model")
    try:
        present = {entry.name for entry in os.scandir(folder)} - {CHECKSUMS}
    except OSError as error:
        raise StorageError(f"{folder}: cannot be read ({error}); check the permissions") from error
    for name in sorted(present ^ set(listed)):
        raise damaged(folder / name, f"is not listed in {CHECKSUMS}" if name in present else "is missing")
    sizes = {name: file_size(folder / name) for name in sorted(listed)}
    for name, size in sizes.items():
        entry = field(listed, name, dict, path)
        if field(entry, "size", int, path) != size:
            raise damaged(folder / name, f"holds {size:,} bytes, where {entry['size']:,} were written")
        field(entry, "sha256", str, path)
    if hashes:
        for name, found in _hashes(folder, sizes).items():
            if found != listed[name]["sha256"]:
                raise damaged(folder / name, "its contents have changed since they were written")
    return sizes


def edits_path(path: Path, version: str) -> Path:
    """Return where the edits of a version lie."""
    return path / f"{version}.edits.jsonl"


def _check_folder(folder: Path) -> None:
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        raise damaged(folder, f"is missing, though {POINTER} names it") from None
    if not stat.S_ISDIR(mode):
        raise damaged(folder, "is no folder")


def _hashes(folder: Path, sizes: dict[str, int]) -> dict[str, str]:
    def digest(name: str) -> str:
        try:
            with (folder / name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise StorageError(f"{folder / name}: cannot be read ({error}); check the permissions") from error

    largest_first = sorted(sizes, key=lambda name: (-sizes[name], name))
    with ThreadPoolExecutor(HASHING_THREADS) as pool:  # hashing releases the GIL
        return dict(zip(largest_first, pool.map(digest, largest_first), strict=True))


# ---------------------------------------------------------------------------------------------------- writing


def add_version(path: Path, write: Callable[[Path], None], edits: Sequence[str], *, replace: bool) -> str:
    """Write a version and point to it; return its name.

    Parameters
    ----------
    path : folder of the model. What is no model is never touched.
    write : called with an empty folder, which it fills.
    edits : lines of the file of edits; no lines, no file.
    replace : whether a model may be there already.
    """
    if os.path.lexists(path):
        if not replace:
            _refuse_existing(path)
        find_model(path)
        with _writing(path):
            return _add_to_model(path, write, edits)
    if not path.parent.is_dir():
        raise StorageError(f"{path.parent}: there is no such folder; create it first")
    with _reporting(path):
        _add_model(path, write, edits)
    return version_name(1)


def _refuse_existing(path: Path) -> None:
    try:
        find_model(path)
    except StorageError as error:
        raise StorageError(
            f"{path}: exists and is no ClassiNet model, so it is not touched; choose another path"
        ) from error
    raise StorageError(f"{path}: holds a model already; pass replace=True (--replace) to put a new version beside it")


def _add_model(path: Path, write: Callable[[Path], None], edits: Sequence[str]) -> None:
    hidden = path.parent / _hidden_name(path.name)
    try:
        hidden.mkdir()
        folder = hidden / version_name(1)
        folder.mkdir()
        _fill(folder, write)
        _write_edits(edits_path(hidden, folder.name), edits)
        _write_pointer(hidden, folder.name)
        if os.path.lexists(path):
            raise StorageError(f"{path}: appeared while the model was being written, and is not touched")
        os.replace(hidden, path)
        _flush_folder(path.parent)
    finally:
        _discard(hidden)


def _add_to_model(path: Path, write: Callable[[Path], None], edits: Sequence[str]) -> str:
    name = version_name(1 + max((version_number(name) or 0 for name in versions(path)), default=0))
    hidden = path / _hidden_name(name)
    try:
        hidden.mkdir()
        _fill(hidden, write)
        os.replace(hidden, path / name)
        _flush_folder(path)
        _write_edits(edits_path(path, name), edits)
        _write_pointer(path, name)
    finally:
        _discard(hidden)
    return name


def swap_edits(path: Path, edits_for: Callable[[str], Sequence[str]]) -> None:
    """Replace the edits of the current version in one step, by the lines made for it; no lines remove them."""
    find_model(path)
    with _writing(path):
        name = find_model(path)
        _write_edits(edits_path(path, name), edits_for(name))
        _flush_folder(path)


def remove_versions(path: Path, keep: int) -> list[str]:
    """Remove versions but the current one and the `keep` - 1 before it, and what crashed writers left."""
    check_number("keep", keep, low=1, whole=True)
    current = find_model(path)
    with _writing(path):
        present = versions(path)
        older = [name for name in present if (version_number(name) or 0) < (version_number(current) or 0)]
        kept = {current, *older[len(older) - min(keep - 1, len(older)) :]}
        removed = [name for name in present if name not in kept]
        for name in removed:
            # Renamed first: no reader may find half a version under a version's name.
            hidden = path / _hidden_name(name)
            os.replace(path / name, hidden)
            edits_path(path, name).unlink(missing_ok=True)
        for entry in path.iterdir():
            if HIDDEN.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
        _flush_folder(path)
    return removed


def _fill(folder: Path, write: Callable[[Path], None]) -> None:
    write(folder)
    sizes = {entry.name: entry.stat().st_size for entry in folder.iterdir()}
    hashes = _hashes(folder, sizes)
    listed = {name: {"size": sizes[name], "sha256": hashes[name]} for name in sorted(sizes)}
    write_object(folder / CHECKSUMS, {"files": listed})
    _flush_folder(folder)


def _write_pointer(path: Path, name: str) -> None:
    with whole_file(path / POINTER) as file:
        file.write(name + "\n")
    _flush_folder(path)


def _write_edits(path: Path, lines: Sequence[str]) -> None:
    if not lines:
        path.unlink(missing_ok=True)
        return
    with whole_file(path) as file:
        file.writelines(line + "\n" for line in lines)


def _hidden_name(name: str) -> str:
    return f".{name}.{uuid4().hex}.tmp"


def _discard(folder: Path) -> None:
    # What could not be removed is hidden and harmless; a failure here must not hide the one that led to it.
    shutil.rmtree(folder, ignore_errors=True)


def _flush_folder(folder: Path) -> None:
    """Make sure that names given in a folder survive a power cut."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Turn what the system says into an error that says what to do."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be written ({error}); check permissions and free space. What was there is unchanged"
        ) from error


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Let one writer at a time into a model's folder; the lock ends with the process that holds it."""
    with _reporting(path):
        if os.name != "posix":
            yield
            return
        import fcntl

        descriptor = os.open(path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise StorageError(f"{path}: another process is writing this model; wait for it and retry") from error
            yield
        finally:
            os.close(descriptor)
