"""How much memory a process has, and has had."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def resident_peak() -> int:
    """Return the largest resident memory this process has had, in bytes.

    >>> resident_peak() > 1_000_000
    True
    """
    # Linux counts what the parent had before the program began in ru_maxrss; its /proc does not.
    found = _status("self", "VmHWM")
    if found is not None:
        return found
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def anonymous_bytes(process: int | str) -> int | None:
    """Return how much memory of a process ("self": of this one) is no mapped file, or None where nobody knows."""
    return _status(process, "RssAnon")


def _status(process: int | str, name: str) -> int | None:
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # no such folder on this system, or the process has just ended
        return None
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
