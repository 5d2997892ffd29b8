"""How a command ends: its errors, warnings and interruptions as single lines and exit codes.

Enter: the function of a command. Leaves: the same function, which ends in 0, or in 1 with one line on standard error.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer

from classinet.cli.output import note, say
from classinet.exceptions import ClassiNetError

P = ParamSpec("P")
_PARAMETER = r"""\b(encoding|format|text|label|separator)=["']?(\.\.\.|[\w-]*)["']?(?=[\s,;:.)]|$)"""


class Stopped(Exception):
    """A command was interrupted and has something of its own to say about that."""


def guarded(function: Callable[P, None], *, writes: bool = False) -> Callable[P, None]:
    """Return the function with one line for every failure.

    Parameters
    ----------
    function : what a command does.
    writes : whether it writes files, all of them whole or not at all; an interruption then says that none was.

    >>> def fail() -> None:
    ...     raise ClassiNetError("no such word")
    >>> try:
    ...     guarded(fail)()
    ... except typer.Exit as exit:
    ...     exit.exit_code
    1
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with notes():
                function(*args, **kwargs)
                sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
        except KeyboardInterrupt:
            _fail("stopped; nothing was written" if writes else "stopped")
        except Stopped as stop:
            _fail(str(stop))
        except (ClassiNetError, OSError) as error:
            _fail(f"error: {_message(error)}")
        except MemoryError:
            _fail("error: memory is used up; try fewer --vertices or --max-features, or a machine with more of it")

    return run


@contextmanager
def notes() -> Iterator[None]:
    """Print warnings as notes: each kind of the library's own once, others once for each message."""
    seen: set[Any] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        kind = category if category.__module__.startswith("classinet.") else (category, str(message))
        if kind not in seen:
            seen.add(kind)
            note(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, ClassiNetError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return _as_options(str(error)) or type(error).__name__


def _as_options(message: str) -> str:
    """Name options where the library names parameters.

    >>> _as_options('pass encoding="latin-1", or resume=True (--resume)')
    'pass --encoding latin-1, or --resume'
    >>> _as_options("say which: text=..., or label=...")
    'say which: --text, or --label'
    """
    message = re.sub(r"\b(resume|replace)=True(?: \(--\1\))?", r"--\1", message)
    return re.sub(_PARAMETER, _option, message)


def _option(found: re.Match[str]) -> str:
    return f"--{found[1]} {found[2].strip('.')}".rstrip()


def _fail(message: str) -> None:
    if os.environ.get("CLASSINET_TRACEBACK"):
        traceback.print_exc()
    say(message)
    raise typer.Exit(1)


def _discard_output() -> None:
    """Let what is still in the buffer go nowhere: the reader of the pipe has gone, having what it wanted."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
