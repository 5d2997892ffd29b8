"""The commands put together, each guarded so that it ends in one line and an exit code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

import classinet
from classinet.cli.bench import COMMANDS as BENCH
from classinet.cli.build import build
from classinet.cli.demo import demo
from classinet.cli.edit import edit
from classinet.cli.evaluate import evaluate
from classinet.cli.expand import expand
from classinet.cli.explain import explain
from classinet.cli.graph import graph
from classinet.cli.guard import guarded
from classinet.cli.info import info
from classinet.cli.merge import merge
from classinet.cli.neighbors import neighbors
from classinet.cli.path import path
from classinet.cli.plot import plot
from classinet.cli.predict import predict
from classinet.cli.serve import serve
from classinet.cli.train import train
from classinet.cli.update import update

# In the order in which a new user needs them.
ORDER: tuple[Callable[..., None], ...] = (
    demo, build, train, predict, explain, evaluate, expand, neighbors, path, graph, plot, edit, serve, info,
    update, merge,
)  # fmt: skip
WRITING: tuple[Callable[..., None], ...] = (build, train, edit, graph, plot, update, merge)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


bench = typer.Typer(no_args_is_help=True, help="Compare ClassiNet with other methods, on your machine.")
app.add_typer(bench, name="bench")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"classinet {classinet.__version__}")
        raise typer.Exit


@app.callback()
def _of_all(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version.", show_default=False
        ),
    ] = False,
) -> None:
    """Predict the words a short text could have contained, and classify it with them.

    Begin with: classinet demo. Then build a net from unlabeled texts, train a model on a few labels, and predict,
    explain, evaluate.
    """


def _register(function: Callable[..., None], name: str, group: typer.Typer = app, *, hidden: bool = False) -> None:
    # Each paragraph in one line: the width of the terminal decides where it is broken.
    paragraphs = [" ".join(part.split()) for part in (function.__doc__ or "").split("\n\n")]
    group.command(name, help="\n\n".join(paragraphs), hidden=hidden)(guarded(function, writes=function in WRITING))


for _command in ORDER:
    _register(_command, _command.__name__)
for _command in BENCH:
    _register(_command, _command.__name__.replace("_", "-"), bench)
_register(neighbors, "neighbours", hidden=True)
