"""The page of the manual that lists every command, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from classinet.cli.app import ORDER
from classinet.cli.bench import COMMANDS as BENCH

HEAD = """\
# Command line

`pip install "classinets[cli]"` brings the command `classinet`. Data goes to standard output; progress, notes and errors
go to standard error. The exit code is 0 (done), 1 (failed, with one line that says why) or 2 (used wrongly).
`CLASSINET_TRACEBACK=1` shows where an error came from; `NO_COLOR=1` turns colours off. Files and models are written
whole or not at all, so Ctrl-C leaves nothing half-written.

Files of texts are lines, TSV, CSV, JSONL, Parquet or fastText's `__label__` lines, gzipped or not; `-` is standard
input. The first line of a table is its header if a cell of it is `text`, or if `--text` or `--label` is a name. A table
without a header has one column, the text, or two: label, text.

This page is made from the commands: `python -c "import classinet.cli; print(classinet.cli.reference(), end='')"`.
"""


@dataclass(frozen=True)
class Parameter:
    """An argument or option of a command, as its function declares it."""

    name: str
    info: Any
    kind: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether the command cannot do without it."""
        return self.default is inspect.Parameter.empty

    def __str__(self) -> str:
        return f"- `{self.usage()}`: {self.info.help}{self._default()}"

    def usage(self) -> str:
        """Return how it is written on the command line."""
        if isinstance(self.info, ArgumentInfo):
            name = str(self.info.metavar) + ("..." if "list" in str(self.kind) else "")
            return name if self.required else f"[{name}]"
        # Within Annotated the first name stands where a default would.
        names = ", ".join(name for name in (self.info.default, *(self.info.param_decls or ())) if name is not ...)
        return names if self._is_flag else f"{names} {self._metavar()}"

    @property
    def _is_flag(self) -> bool:
        """Whether it is said or not, without a value; one that may also be left open has the type bool | None."""
        return bool in (self.kind, *get_args(self.kind))

    def _metavar(self) -> str:
        if self.info.metavar:
            return str(self.info.metavar)
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            return "|".join(self.kind)
        kinds = {str: "TEXT", float: "NUMBER", int: "N"}
        kind = next((part for part in get_args(self.kind) if part is not type(None)), self.kind)
        return kinds.get(kind, "PATH")

    def _default(self) -> str:
        if isinstance(self.info, ArgumentInfo) or self._is_flag or self.default is None:
            return ""
        return " Required." if self.required else f" Default: `{self.default}`."


def page() -> str:
    """Return the page as Markdown."""
    commands = [(command, command.__name__) for command in ORDER]
    commands += [(command, f"bench {command.__name__.replace('_', '-')}") for command in BENCH]
    contents = "".join(f"- [`{name}`](#{name.replace(' ', '-')}): {_told(command)[0]}\n" for command, name in commands)
    return "\n".join([HEAD, contents, *(_section(command, name) for command, name in commands)])


def parameters(command: Callable[..., None]) -> Iterator[Parameter]:
    """Yield the arguments and options of a command."""
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        kind, info = get_args(hints[name])
        yield Parameter(name, info, kind, parameter.default)


def _section(command: Callable[..., None], name: str) -> str:
    arguments = [p for p in parameters(command) if isinstance(p.info, ArgumentInfo)]
    options = [p for p in parameters(command) if isinstance(p.info, OptionInfo)]
    usage = " ".join(["classinet", name, *(p.usage() for p in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", f"`{usage}`"]
    for paragraph in _told(command):
        lines += ["", paragraph]
    return "\n".join([*lines, "", *map(str, arguments + options)]) + "\n"


def _told(command: Callable[..., None]) -> list[str]:
    """Return the paragraphs of a command's help, each in one line."""
    return [" ".join(part.split()) for part in (command.__doc__ or "").split("\n\n")]
