"""Read files that nobody vouches for: bounded, regular, strictly parsed.

Enter: a path, and what its contents must look like. Leave: plain values, or one `StorageError` that names the file and
what is wrong with it. Links and devices are refused before they are opened; JSON with doubled keys, numbers that are
none (NaN, Infinity) or endless nesting is refused as a whole.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from classinet._files import whole_file
from classinet.exceptions import StorageError

T = TypeVar("T")
JSON_LIMIT = 64 << 20
LINES_LIMIT = 8 << 30


def damaged(path: Path, what: str) -> StorageError:
    """Say that a file is not what a save left behind.

    >>> print(damaged(Path("model/CURRENT"), "is empty"))
    model/CURRENT: is empty; the model is damaged: restore it from a copy, or save it again
    """
    return StorageError(f"{path}: {what}; the model is damaged: restore it from a copy, or save it again")


def file_size(path: Path) -> int:
    """Return the size of a regular file; links, folders, pipes and devices are refused."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        raise damaged(path, "is missing") from None
    except (OSError, ValueError) as error:
        raise StorageError(f"{path}: cannot be looked at ({error}); check the path and its permissions") from error
    if not stat.S_ISREG(status.st_mode):
        raise damaged(path, "is no regular file")
    return status.st_size


def read_bytes(path: Path, limit: int) -> bytes:
    """Return the contents of a regular file of at most `limit` bytes."""
    size = file_size(path)
    if size > limit:
        raise damaged(path, f"holds {size:,} bytes, where at most {limit:,} are expected")
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({error}); check the permissions") from error


def parse_json(data: bytes, path: Path) -> Any:
    """Parse strict JSON.

    >>> parse_json(b'{"a": 1, "a": 2}', Path("config.json"))
    Traceback (most recent call last):
    ...
    classinet.exceptions.StorageError: config.json: no valid JSON (key 'a' occurs twice); the model is damaged: ...
    """
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except RecursionError:
        raise damaged(path, "JSON that is nested too deeply") from None
    except ValueError as error:
        raise damaged(path, f"no valid JSON ({error})") from error


def read_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object."""
    value = parse_json(read_bytes(path, JSON_LIMIT), path)
    if not isinstance(value, dict):
        raise damaged(path, f"holds {kind_of(value)}, where an object is expected")
    return value


def field(values: dict[str, Any], name: str, kind: type[T], path: Path) -> T:
    """Return one entry of a JSON object, which must be there and of that kind."""
    if name not in values:
        raise damaged(path, f"has no entry {name!r}")
    value = values[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise damaged(path, f"entry {name!r} is {kind_of(value)}, where {kind.__name__} is expected")
    return value


def kind_of(value: Any) -> str:
    """Name a JSON value in a message without repeating all of it."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:60] + '…'}"


def read_lines(path: Path, fits: Callable[[Any], bool], what: str) -> list[Any]:
    """Read one JSON value a line; `fits` says whether a value is one of those expected."""
    data = read_bytes(path, LINES_LIMIT)
    if not data:
        return []
    if not data.endswith(b"\n"):
        raise damaged(path, "the last line is cut off")
    lines = data[:-1].split(b"\n")
    try:
        # One parse of all lines is many times faster; whatever is odd is looked at line by line below.
        values = json.loads((b"[" + b",".join(lines) + b"]").decode("utf-8"))
    except (ValueError, RecursionError):
        values = []
    if len(values) == len(lines) and all(map(fits, values)):
        return list(values)
    for number, line in enumerate(lines, start=1):
        try:
            value = parse_json(line, path)
        except StorageError as error:
            raise damaged(path, f"line {number} is no valid JSON") from error
        if not fits(value):
            raise damaged(path, f"line {number} holds {kind_of(value)}, where {what} is expected")
    raise damaged(path, "its lines do not hold one value each")


# ---------------------------------------------------------------------------------------------------- writing


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return JSON as people read it: letters stay letters, unless a string cannot be encoded otherwise.

    >>> json_text("naïve"), len(json_text(chr(0xD800)))
    ('"naïve"', 8)
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: Python strings may hold one, UTF-8 may not
        return json.dumps(value, ensure_ascii=True, indent=indent, allow_nan=False)
    return text


def write_object(path: Path, value: dict[str, Any]) -> None:
    """Write one JSON object."""
    with whole_file(path) as file:
        file.write(json_text(value, indent=1) + "\n")


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write one JSON value a line."""
    with whole_file(path) as file:
        file.writelines(json_text(value) + "\n" for value in values)


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"key {key!r} occurs twice")
        values[key] = value
    return values


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
