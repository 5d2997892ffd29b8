"""Bytes become lines of text, or one clear error.

Enter: a path, "-" for standard input, or an open binary file; gzip is recognised by its first bytes. Leave: lines
without their line feed, one at a time. Bytes that are not in the encoding stop the reading with their place: a text in
the wrong letters would be learnt as if it were right.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

from classinet.exceptions import InputError, ParameterError

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"

STDIN = "-"
_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"
# The longer first: UTF-32's mark begins with UTF-16's.
_OTHER_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def source_name(source: Source) -> str:
    """Return what to call a source in messages.

    >>> source_name("-"), source_name("folder/reviews.tsv")
    ('standard input', 'folder/reviews.tsv')
    """
    if isinstance(source, str | os.PathLike):
        return "standard input" if source == STDIN else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the open file"


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Open a source for reading bytes; a file that was open already stays open.

    >>> with opened("no/such/file.txt") as file:
    ...     pass
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: no/such/file.txt cannot be read: No such file or directory
    """
    if not isinstance(source, str | os.PathLike):
        given: Any = source
        if isinstance(given, io.TextIOBase) or not hasattr(given, "read"):
            raise InputError(f"a source is a path, '-' or a file opened in binary mode, got {type(given).__name__}")
        yield given
    elif source == STDIN:
        yield sys.stdin.buffer
    else:
        with _open(source) as file:
            yield file


def _open(path: str | os.PathLike[str]) -> IO[bytes]:
    try:
        return Path(path).open("rb")
    except OSError as error:
        hint = "; name one of the files in it" if isinstance(error, IsADirectoryError) else ""
        raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}{hint}") from error
    except ValueError as error:  # a NUL in the path
        raise InputError(f"{os.fspath(path)!r} cannot be read: {error}") from error


def read_lines(source: Source, encoding: str) -> Iterator[str]:
    r"""Yield the lines of a source without their line feed; a carriage return before it stays.

    Only a line feed ends a line, so a text may hold any of the other signs that Unicode counts as line ends.

    >>> list(read_lines(io.BytesIO(b"one\r\ntwo"), "utf-8"))
    ['one\r', 'two']
    """
    with opened(source) as file:
        begun: list[str] = []
        for piece in _decoded(file, source_name(source), encoding):
            first, *others = piece.split("\n")
            begun.append(first)
            for line in others:
                yield "".join(begun)
                begun = [line]
        last = "".join(begun)
        if last:
            yield last


def check_encoding(encoding: str) -> None:
    """Refuse what is no encoding of text.

    >>> check_encoding("latin-1")
    >>> check_encoding("utf8-ish")
    Traceback (most recent call last):
    ...
    classinet.exceptions.ParameterError: encoding 'utf8-ish' is not known; try "utf-8", "latin-1", "cp1252" or "utf-16"
    """
    try:
        "".encode(encoding)
    except (LookupError, TypeError, ValueError):
        raise ParameterError(
            f'encoding {encoding!r} is not known; try "utf-8", "latin-1", "cp1252" or "utf-16"'
        ) from None


def _decoded(file: IO[bytes], name: str, encoding: str) -> Iterator[str]:
    """Decode piece by piece; wrong bytes and NUL are refused with line and position."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    n_bytes = n_lines = 0
    at_start = True
    for chunk in _chunks_and_end(file, name, encoding):
        state = decoder.getstate()
        try:
            try:
                piece = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                pending = len(error.object) - len(chunk)  # bytes of an unfinished character in the chunk before
                decoder.setstate(state)
                line = n_lines + 1 + decoder.decode(chunk[: max(error.start - pending, 0)]).count("\n")
                wrong = " ".join(f"{byte:02x}" for byte in error.object[error.start : error.start + 4])
                raise InputError(
                    f"{name}, line {line}, byte {n_bytes - pending + error.start}: {wrong} is not {encoding} "
                    f'({error.reason}); pass the encoding the file has, such as encoding="latin-1", or convert it'
                ) from error
        except UnicodeError as error:  # UTF-16 that does not say which byte comes first
            raise InputError(f"{name} is not {encoding}: {error}") from error
        if at_start and piece:
            piece, at_start = piece.removeprefix("\ufeff"), False
        nul = piece.find("\0")
        if nul >= 0:
            line = n_lines + 1 + piece.count("\n", 0, nul)
            raise InputError(
                f"{name}, line {line} holds a NUL character, so it is not {encoding} text; "
                'if it was written as UTF-16, pass encoding="utf-16-le" or "utf-16-be"'
            )
        n_bytes += len(chunk)
        n_lines += piece.count("\n")
        yield piece


def _chunks_and_end(file: IO[bytes], name: str, encoding: str) -> Iterator[bytes]:
    """Yield the bytes, unpacked, and an empty chunk at the end; a mark of another encoding is refused."""
    chunks = _raw_chunks(file, name)
    head = next(chunks, b"")
    if head.startswith(_GZIP):
        chunks = _unpacked(head, chunks, name)
        head = next(chunks, b"")
    if codecs.lookup(encoding).name == "utf-8":
        for mark, other in _OTHER_BOMS:
            if head.startswith(mark):
                raise InputError(f'{name} begins with the mark of {other}, not of {encoding}; pass encoding="{other}"')
    if head:
        yield head
    yield from chunks
    yield b""


def _raw_chunks(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield what there is to read, as it comes; the first chunk is long enough to recognise."""
    read: Any = getattr(file, "read1", file.read)
    head = b""
    try:
        while len(head) < 4 and (more := read(_CHUNK)):
            head += more
        if head:
            yield head
        while chunk := read(_CHUNK):
            yield chunk
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error


def _unpacked(head: bytes, chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Unpack gzip, in pieces of limited size however well it was packed; files may follow each other in it."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    packed = head
    begun = False
    try:
        while True:
            while packed:
                begun = True
                unpacked = unpacker.decompress(packed, _CHUNK)
                if unpacked:
                    yield unpacked
                packed = unpacker.unconsumed_tail
                if unpacker.eof:
                    packed = unpacker.unused_data.lstrip(b"\0")
                    unpacker, begun = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), False
            chunk = next(chunks, None)
            if chunk is None:
                break
            packed = chunk if begun else chunk.lstrip(b"\0")
    except zlib.error as error:
        raise InputError(f"{name} is damaged: its gzip data cannot be unpacked ({error})") from error
    if begun:
        raise InputError(f"{name} is cut off: its gzip data ends too early; copy or download it again")
