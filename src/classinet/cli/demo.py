"""`classinet demo`: the whole way on real text that every machine has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from classinet.cli import inputs, output
from classinet.cli.progress import reporting


def demo(
    to: Annotated[Path, typer.Option("--output", "-o", help="Folder for the picture and the saved model.")] = Path(
        "classinet-demo"
    ),
    seed: inputs.Seed = 0,
    threads: inputs.Threads = None,
    json: inputs.Json = False,
) -> None:
    """Build, train and explain on the docstrings of installed Python packages, without any download.

    Prints what was measured, whichever way it comes out. Takes about a minute.
    """
    from classinet.demo import run

    with reporting() as progress:
        report = run(to, progress=progress, threads=threads or -1, seed=seed)
    if json:
        output.as_json(report.to_dict())
    else:
        print(report)
