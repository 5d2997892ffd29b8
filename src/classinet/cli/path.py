"""`classinet path`: the most probable way from one word to another."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from classinet.cli import inputs, output


def path(
    net: inputs.Net,
    source: Annotated[str, typer.Argument(help="Where to start.", metavar="A", show_default=False)],
    target: Annotated[str, typer.Argument(help="Where to end.", metavar="B", show_default=False)],
    json: inputs.Json = False,
) -> None:
    """Print the strongest path from word A to word B: the one with the largest product of weights.

    Prints one line for each step: the words and the weight of the edge, separated by tabs.
    """
    text_net = inputs.load_net(net)
    found = text_net.path(source, target)
    if json:
        output.as_json(None if found is None else asdict(found))
    elif found is not None:
        for a, b in zip(found.names, found.names[1:], strict=False):
            output.row(a, b, f"{text_net.net_.weight(a, b):.4f}")
        output.say(f"product of the weights: {found.probability:.4g}")
    if found is None:
        output.note(f"no path leads from {source!r} to {target!r}")
