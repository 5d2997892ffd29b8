"""`classinet expand`: texts → the words a net infers from them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from classinet.cli import inputs, output
from classinet.cli.progress import counted, reporting


def expand(
    net: inputs.Net,
    file: inputs.Texts = "-",
    top: Annotated[int, typer.Option("--top", help="How many inferred words to print.", min=1, metavar="N")] = 10,
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    encoding: inputs.Encoding = "utf-8",
    json: inputs.Json = False,
) -> None:
    """Print what a net adds to each text.

    Prints the text, a tab, and word:value for each inferred word, the strongest first. With --json also the path
    through the net that brought each word. An empty line of a file of lines, or of a table of one column, is an empty
    text.
    """
    text_net, model = inputs.load_either(net)
    expansion = None if model is None else model.expansion
    unknown = read = 0
    with reporting(beside_data=True) as progress:
        stream = inputs.read_texts([file], format=format, text=text, encoding=encoding, keep_empty=True)
        for each in counted(stream, "expand", progress):
            expanded = text_net.expand(each, top=top, expansion=expansion)
            read += 1
            unknown += expanded.coverage == 0
            if json:
                output.as_json(expanded.to_dict())
            else:
                output.row(each, " ".join(f"{word.name}:{word.value:.4f}" for word in expanded.predicted))
            if sys.stdin.isatty():
                sys.stdout.flush()
    if unknown:
        output.note(f"texts without a word that the net knows, so nothing is inferred: {unknown:,} of {read:,}")
