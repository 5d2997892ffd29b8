"""Fetch a file of known size and SHA-256 over HTTP, and continue where an earlier attempt stopped.

Enter: where the file is offered, and its size and checksum. Leave: the file, whole and checked, or an error.

The idea: bytes go to ``NAME.part`` first. Whatever interrupts the transfer (a lost connection, Ctrl-C, a callback that
raises) leaves that file behind, and the next attempt asks the server for the rest of it. Only a file whose checksum is
right takes its final name, in one step; one whose checksum is wrong is removed.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from classinet._typing import Progress
from classinet.datasets.errors import DatasetError

_CHUNK = 1 << 16
_SCHEMES = ("https://", "http://")
# The server's passing troubles: timed out, too many requests. All of 5xx counts as well.
_PASSING = frozenset({408, 425, 429})


@dataclass(frozen=True)
class Remote:
    """A file that is offered at one or more addresses.

    Attributes
    ----------
    name : str
        What the file is called.
    addresses : tuple of str
        Where it is offered, the official place first.
    sha256 : str or None
        Its checksum in hexadecimal; without one it is never downloaded, only taken from where the user put it.
    size : int
        Its size in bytes; no more than this is ever read.

    Examples
    --------
    >>> Remote("a.zip", ("https://example.org/a.zip",), "00" * 32, 10).name
    'a.zip'
    """

    name: str
    addresses: tuple[str, ...]
    sha256: str | None = None
    size: int = 0


@dataclass(frozen=True)
class Patience:
    """How long to try.

    Attributes
    ----------
    attempts : int
        How often each address is asked before giving up.
    pause : float
        Seconds before the second attempt; doubled before each further one.
    timeout : float
        Seconds without a byte after which a connection counts as lost.

    Examples
    --------
    >>> Patience().attempts
    4
    """

    attempts: int = 4
    pause: float = 1.0
    timeout: float = 30.0


class _Lost(Exception):
    """The connection broke or the server is in passing trouble: worth another attempt."""


class _Refused(Exception):
    """The server will not give the file: another attempt would be answered the same."""


def download(
    remote: Remote,
    folder: str | os.PathLike[str],
    *,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> Path:
    """Bring a file into a folder, unless it is there already.

    Parameters
    ----------
    remote : Remote
        The file; its addresses are tried in order.
    folder : path
        Where to put it; made if need be.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` with bytes. What it raises stops the transfer; it can be continued.
    patience : Patience, optional
        How often and how long to try.

    Returns
    -------
    pathlib.Path
        The file, its checksum verified.

    Raises
    ------
    DatasetError
        No address gave the file, its checksum is wrong, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_bytes(b"abc")
    ...     remote = Remote("a.txt", ("https://example.org/a.txt",), hashlib.sha256(b"abc").hexdigest(), 3)
    ...     download(remote, folder).name  # there already: nothing is fetched
    'a.txt'
    """
    if remote.sha256 is None:
        raise DatasetError(f"{remote.name} has no known checksum, so it is not downloaded")
    target = Path(folder) / remote.name
    if target.is_file() and sha256_of(target) == remote.sha256:
        return target
    part = target.with_name(target.name + ".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(part.parent, error) from error
    failures = []
    for address in remote.addresses:
        try:
            _fetch_patiently(address, part, remote, progress, patience or Patience())
        except (_Lost, _Refused) as failure:
            failures.append(f"{address}: {failure}")
            continue
        found = sha256_of(part)
        if found == remote.sha256:
            os.replace(part, target)
            return target
        part.unlink()
        failures.append(f"{address}: wrong checksum (sha256 {found}, expected {remote.sha256}); removed what it sent")
    raise DatasetError(f"cannot download {remote.name}: " + "; ".join(failures))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Returns
    -------
    str

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     sha256_of(Path(file.name))[:8]
    'e3b0c442'
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_patiently(address: str, part: Path, remote: Remote, progress: Progress | None, patience: Patience) -> None:
    """Fetch until the part has its full size, with longer and longer pauses between attempts."""
    for attempt in range(patience.attempts):
        if attempt:
            time.sleep(patience.pause * 2 ** (attempt - 1))
        try:
            return _fetch(address, part, remote, progress, patience.timeout)
        except _Lost:
            if attempt == patience.attempts - 1:
                raise
    raise _Lost("no attempt was allowed")


def _fetch(address: str, part: Path, remote: Remote, progress: Progress | None, timeout: float) -> None:
    """Ask once for what the part lacks."""
    if not address.startswith(_SCHEMES):
        raise _Refused("not an http address")
    have = part.stat().st_size if part.exists() else 0
    if have > remote.size:
        part.unlink()
        have = 0
    if have == remote.size:
        return
    request = urllib.request.Request(address, headers={"User-Agent": "classinet", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            begin = _first_byte(response, have)
            _receive(response, part, begin, remote, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the server's file ends before our part does: it is another file
            part.unlink(missing_ok=True)
            raise _Lost("the part held more than the server has; starting over") from error
        if error.code >= 500 or error.code in _PASSING:
            raise _Lost(f"the server answered {error.code} {error.reason}") from error
        raise _Refused(f"the server answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise _Lost(f"no connection ({error.reason})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _Lost(f"the connection was lost ({error!r})") from error
    have = part.stat().st_size
    if have < remote.size:
        raise _Lost(f"the connection was lost after {have:,} of {remote.size:,} bytes")


def _first_byte(response: http.client.HTTPResponse, have: int) -> int:
    """Return where in the file the answer begins: after our part, or at 0 if the server does not know ranges."""
    if response.status != 206:
        return 0
    given = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if given is None or int(given[1]) != have:
        raise _Refused("the server sent another range than was asked for")
    return have


def _receive(
    response: http.client.HTTPResponse, part: Path, begin: int, remote: Remote, progress: Progress | None
) -> None:
    """Write the answer to the part, from its place on, up to the size of the file."""
    done = begin
    try:
        with part.open("ab" if begin else "wb") as file:
            for chunk in _chunks(response, remote.size - begin):
                file.write(chunk)
                file.flush()  # an interruption must not lose what has come
                done += len(chunk)
                if progress is not None:
                    progress(f"downloading {remote.name}", done, remote.size)
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(part, error) from error


def _chunks(response: http.client.HTTPResponse, left: int) -> Iterator[bytes]:
    """Yield what the server sends; its failures are told apart from those of the disk here."""
    while left > 0:
        try:
            chunk = response.read(min(_CHUNK, left))
        except (OSError, http.client.HTTPException) as error:
            raise _Lost(f"the connection was lost ({error!r})") from error
        if not chunk:
            return
        left -= len(chunk)
        yield chunk


def _unwritable(path: Path, error: OSError) -> DatasetError:
    return DatasetError(
        f"cannot write {path}: {error.strerror}; make room or set CLASSINET_CACHE to a folder that can be written"
    )
