"""What the commands print: data on standard output, talk on standard error, each on lines of their own."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classinet.pipeline import TextNet

# What would break a line, a column or a terminal: control characters and the separators of lines.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    r"""Return a text that stays in its line and column: control characters become spaces.

    >>> one_line("a\tb\nc")
    'a b c'
    """
    return UNPRINTABLE.sub(" ", text)


def row(*cells: Any) -> None:
    """Print one line of tab-separated cells.

    >>> row("storm", 0.5)
    storm	0.5
    """
    print("\t".join(one_line(str(cell)) for cell in cells))


def as_json(value: Any) -> None:
    """Print one JSON value on one line.

    >>> as_json({"word": "café"})
    {"word": "café"}
    """
    print(json.dumps(value, ensure_ascii=False))


def facts(values: Mapping[str, Any]) -> None:
    """Print names and values, one pair a line, the values below each other.

    >>> facts({"texts": 1200, "words": 30})
    texts  1,200
    words  30
    """
    width = max(map(len, values), default=0)
    for name, value in values.items():
        print(f"{name:<{width}}  {value:,}" if isinstance(value, int) else f"{name:<{width}}  {one_line(str(value))}")


def net_facts(net: TextNet, place: Path, *, json: bool) -> None:
    """Print what a net that was written consists of."""
    graph = net.net_.graph
    told = {
        "net": str(place),
        "texts": net.n_texts_,
        "features": net.net_.n_features,
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "recipe": net.net_.recipe,
    }
    if json:
        as_json(told)
    else:
        facts(told)


def say(message: str) -> None:
    """Print a line of talk on standard error."""
    print(one_line(message), file=sys.stderr, flush=True)


def note(message: str) -> None:
    """Print something to know on standard error."""
    say(f"note: {message}")


def listed(names: Iterable[Any], most: int = 10) -> str:
    """Name the first few of many.

    >>> listed("abc", most=2)
    'a, b and 1 more'
    """
    every = [str(name) for name in names]
    shown = ", ".join(every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most:,} more"


def many(count: int, one: str) -> str:
    """Say how many there are of something.

    >>> many(1, "edit"), many(2000, "edit")
    ('1 edit', '2,000 edits')
    """
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def size_of(count: float) -> str:
    """Say a number of bytes in a unit that suits it.

    >>> size_of(900), size_of(1_500_000)
    ('900 bytes', '1.5 MB')
    """
    for unit, bytes_each in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= bytes_each:
            return f"{count / bytes_each:.1f} {unit}"
    return f"{count:.0f} bytes"


def time_of(seconds: float) -> str:
    """Say a duration in a unit that suits it.

    >>> time_of(4.2), time_of(200), time_of(9000)
    ('4 seconds', '3.3 minutes', '2.5 hours')
    """
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.1f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"
