"""Texts in files, as one long sequence or file by file.

Enter: the names of files and how they are written. Leaves: an iterable of texts, like any other, which also tells its
files, so that the workers of a cluster can read them where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from classinet.exceptions import InputError
from classinet.text.readers import Column, Format, read_records
from classinet.text.streams import STDIN


class TextFiles:
    r"""The texts of files, one file after the other; each is opened when its turn comes.

    Parameters
    ----------
    paths : of the files. On a cluster each is read by one worker, so all machines must see them under these names, and
        many files of some ten or hundred megabytes are better than a few long ones.
    format, text, encoding : as in `read_records`; without a format, each name tells its own.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> for name, content in (("a.txt", "one\ntwo\n"), ("b.txt", "three\n")):
    ...     _ = (Path(folder.name) / name).write_text(content)
    >>> texts = TextFiles(sorted(Path(folder.name).iterdir()))
    >>> list(texts), list(texts.read(1))
    (['one', 'two', 'three'], ['three'])
    >>> folder.cleanup()
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        format: Format | None = None,
        text: Column = None,
        encoding: str = "utf-8",
    ) -> None:
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        if STDIN in given:
            raise InputError("standard input is no file, so only this process can read it; write its texts to files")
        self.paths = [str(Path(path).absolute()) for path in given]
        self.format = format
        self.text = text
        self.encoding = encoding

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self.paths)):
            yield from self.read(number)

    def read(self, number: int) -> Iterator[str]:
        """Yield the texts of one file."""
        for record in read_records(
            self.paths[number], format=self.format, text=self.text, encoding=self.encoding, with_labels=False
        ):  # fmt: skip
            yield record.text

    def described(self) -> str:
        """Say which files these are, so that others, or changed ones, read differently: names, sizes and times.

        >>> TextFiles(["no/such/file.txt"]).described()
        Traceback (most recent call last):
        ...
        classinet.exceptions.InputError: ...no/such/file.txt cannot be read: No such file or directory
        """
        digest, size = blake2b(digest_size=8), 0
        for path in self.paths:
            try:
                found = os.stat(path)
            except OSError as error:
                raise InputError(f"{path} cannot be read: {error.strerror}") from error
            digest.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
            size += found.st_size
        return f"{len(self.paths):,} files of {size:,} bytes ({digest.hexdigest()})"
