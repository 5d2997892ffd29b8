"""`classinet neighbors`: what a word leads to, or what leads to it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from classinet.cli import inputs, output


def neighbors(
    net: inputs.Net,
    word: Annotated[str, typer.Argument(help="A word of the net.", metavar="WORD", show_default=False)],
    top: Annotated[int, typer.Option("--top", help="How many to print.", min=1, metavar="N")] = 10,
    incoming: Annotated[
        bool, typer.Option("--incoming", help="Print words that lead to this one.", show_default=False)
    ] = False,
    json: inputs.Json = False,
) -> None:
    """Print the neighbors of a word, the strongest first.

    Prints the word and the weight of the edge, separated by a tab. In a net of the default recipe the weight is how
    similar the two predictors are, the same in both directions; in one of the paper's recipe it is how probable the
    second word is where the first is predicted.
    """
    text_net = inputs.load_net(net)
    edges = text_net.neighbors(word, top, incoming=incoming)
    for edge in edges:
        if json:
            output.as_json(asdict(edge))
        else:
            output.row(edge.source if incoming else edge.target, f"{edge.weight:.4f}")
    if not edges:
        output.note(f"no edge {'leads to' if incoming else 'leaves'} {word!r}")
