"""A short report of measurements: Markdown, plain text for a terminal, JSON, and one picture.

Enter: tables and what else there is to say. Leave: strings, and `NAME.md`, `NAME.json` and `NAME.png` in a folder, each
whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classinet import plotting
from classinet._files import whole_file
from classinet.bench.tables import Table, markdown_text, to_markdown, to_text
from classinet.exceptions import MissingExtraError
from classinet.plotting._axes import plot_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Report:
    """What was measured, ready to be told.

    Attributes
    ----------
    name : of its files.
    title : heading.
    text : paragraphs below the heading.
    tables : the figures.
    json : the same and more, for programs.
    draw : makes the picture.

    Examples
    --------
    >>> from classinet.bench.tables import plain_table
    >>> print(Report("t", "Title", ("Some text.",), (plain_table("a", "A", ["x", "y"], [["1", "2"]]),)).terminal())
    A
    x  y
    1  2
    """

    name: str
    title: str
    text: tuple[str, ...]
    tables: tuple[Table, ...]
    json: dict[str, Any] = field(default_factory=dict)
    draw: Callable[[], Figure] | None = None

    def terminal(self) -> str:
        """Return the tables as plain text."""
        return "\n\n".join(map(to_text, self.tables))

    def markdown(self, picture: str | None = None) -> str:
        """Return the whole as Markdown, with a picture of that name if there is one."""
        blocks = [f"# {markdown_text(self.title)}", *map(markdown_text, self.text)]
        if picture is not None:
            blocks.append(f"![{markdown_text(self.title)}]({picture})")
        return "\n\n".join([*blocks, *map(to_markdown, self.tables)]) + "\n"

    def write(self, folder: Path) -> list[str]:
        """Write all forms into a folder; return remarks on what could not be made."""
        folder.mkdir(parents=True, exist_ok=True)
        remarks: list[str] = []
        picture = f"{self.name}.png" if self.draw is not None else None
        if self.draw is not None:
            try:
                plotting.save(self.draw(), folder / f"{self.name}.png")
            except MissingExtraError as error:
                picture = None
                remarks.append(f"no picture: {error}")
        with whole_file(folder / f"{self.name}.md") as file:
            file.write(self.markdown(picture))
        with whole_file(folder / f"{self.name}.json") as file:
            file.write(json.dumps(self.json, indent=1, ensure_ascii=False) + "\n")
        return remarks


def figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches, for several charts."""
    made: Figure = plot_module("figure").Figure(figsize=(width, height), layout="constrained")
    return made
