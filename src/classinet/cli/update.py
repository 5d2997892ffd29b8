"""`classinet update`: further texts → the same net, knowing more.

As for a build, finished steps are kept in a directory, so that an interrupted update continues where it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.cli.build import EngineName, Workers, kept_in
from classinet.exceptions import InputError


def update(
    net: Annotated[
        Path, typer.Argument(help="Folder of a net that was built with --updatable.", metavar="NET", show_default=False)
    ],
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Files of further unlabeled texts, or - for standard input.", metavar="MORE", show_default=False
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder of the new net; otherwise a new version of NET.", show_default=False
        ),
    ] = None,
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    encoding: inputs.Encoding = "utf-8",
    work: inputs.Work = None,
    resume: inputs.Resume = False,
    threads: inputs.Threads = None,
    replace: inputs.Replace = False,
    json: inputs.Json = False,
) -> None:
    """Add unlabeled texts to a net that was built with --updatable, without the texts it was built from.

    Counts are added up, new words join, and predictors of words that occur go on learning. Models trained on the net
    stay as they are: train them again to make use of it.
    """
    inputs.checked_format(format)
    place = to or net
    if to is not None:
        inputs.check_free(to, replace=replace)
    known, model = inputs.load_either(net)
    if model is not None:
        raise InputError(f"{net}: is a model; update the net it was trained on, and train it again")
    work = work or place.with_name(place.name + ".update")
    reading: dict[str, Any] = {"format": format, "text": text, "encoding": encoding}
    workers = Workers(EngineName.THREADS, None, threads)
    with kept_in(work, workers) as run:
        more = known.updated(workers.texts(corpus, reading), directory=work, resume=resume, **run)
    from classinet.build import discard
    from classinet.persistence import save

    save(more, place, replace=to is None or replace)
    discard(work)
    output.net_facts(more, place, json=json)
