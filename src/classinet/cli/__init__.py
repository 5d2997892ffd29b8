"""The command line `classinet`: one file a command, built with typer and rich (extra "cli").

Enter: arguments, files, standard input. Leave: data on standard output; progress, notes and errors on standard error;
an exit code: 0 done, 1 failed, 2 used wrongly. What is heavy is imported inside the commands, so that help is quick.
"""

from __future__ import annotations

import sys

__all__ = ["main", "reference"]


def main() -> None:
    """Run the command line with the arguments of this process, and exit.

    >>> import contextlib, io, unittest.mock
    >>> with unittest.mock.patch("sys.argv", ["classinet", "--version"]), contextlib.suppress(SystemExit):
    ...     main()
    classinet 0.1.0
    """
    try:
        import rich  # noqa: F401  (typer would do without it, and print other help)
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("rich", "typer"):
            raise
        print('classinet\'s command line needs typer and rich; run: pip install "classinets[cli]"', file=sys.stderr)
        sys.exit(1)
    from classinet.cli.app import app

    # Whatever a text holds can be printed, also on a terminal that does not know all characters.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="classinet")


def reference() -> str:
    """Return the page that documents every command, argument and option, as Markdown.

    >>> print(reference().splitlines()[0])
    # Command line
    """
    from classinet.cli.manual import page

    return page()
