"""`classinet merge`: several nets → one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from classinet.cli import inputs, output


def merge(
    nets: Annotated[
        list[Path], typer.Argument(help="Folders of nets, at least two.", metavar="NET", show_default=False)
    ],
    to: Annotated[Path, typer.Option("--output", "-o", help="Folder of the new net.", show_default=False)],
    replace: inputs.Replace = False,
    json: inputs.Json = False,
) -> None:
    """Make one net of several, for places that may share counts but not texts.

    The new net has all words and edges; weights are means by numbers of texts, counts are added up, and predictors stay
    behind. The nets must have been built with the same options for reading texts.
    """
    if len(nets) < 2:
        raise typer.BadParameter("give at least two nets", param_hint="NET")
    inputs.check_free(to, replace=replace)
    first, *others = (inputs.load_net(path) for path in nets)
    merged = first.merged(*others)
    from classinet.persistence import save

    save(merged, to, replace=replace)
    output.net_facts(merged, to, json=json)
