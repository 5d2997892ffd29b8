"""`classinet graph`: the graph of a net, as a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classinet.cli import inputs, output

if TYPE_CHECKING:
    from classinet.graph import FeatureGraph

SUFFIXES = (".gexf", ".graphml", ".csv", ".parquet")


def graph(
    net: inputs.Net,
    to: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help=f"The file to write; its name ends in {', '.join(SUFFIXES)}.", show_default=False
        ),
    ],
    around: Annotated[
        str | None, typer.Option("--around", help="Only this word and what it leads to.", show_default=False)
    ] = None,
    hops: Annotated[int, typer.Option("--hops", help="How far from that word.", min=1, metavar="N")] = 2,
    size: Annotated[int, typer.Option("--size", help="How many words around it, at most.", min=1, metavar="N")] = 100,
    k: Annotated[
        int | None,
        typer.Option("--k", help="Only the k strongest edges of each word.", min=1, metavar="N", show_default=False),
    ] = None,
    json: inputs.Json = False,
) -> None:
    """Write the graph for Gephi (.gexf), other graph programs (.graphml) or as a table of edges (.csv, .parquet)."""
    kind = to.suffix.lower()
    if kind not in SUFFIXES:
        raise typer.BadParameter(f"{to.name!r} ends in none of {', '.join(SUFFIXES)}", param_hint="--output")
    text_net = inputs.load_net(net)
    middle = None if around is None else text_net.as_feature(around)
    part = text_net.net_.graph if middle is None else text_net.net_.graph_from(middle)
    if k is not None:
        part = part.knn(k)
    if middle is not None:
        part = part.around(middle, hops=hops, limit=size)
    {".gexf": part.write_gexf, ".graphml": part.write_graphml, ".csv": part.write_csv}.get(
        kind, lambda path: _write_parquet(part, path)
    )(to)
    if json:
        output.as_json({"file": str(to), "vertices": part.n_vertices, "edges": part.n_edges})
    else:
        output.say(f"wrote {to}: {part.n_vertices:,} words, {part.n_edges:,} edges")


def _write_parquet(part: FeatureGraph, path: str | Path) -> None:
    from classinet._files import whole_file
    from classinet._optional import optional_import

    arrow = optional_import("pyarrow", "classinets[parquet]")
    parquet = optional_import("pyarrow.parquet", "classinets[parquet]")
    table = arrow.table({name: arrow.array(column) for name, column in part.edge_table().items()})
    with whole_file(path, binary=True) as file:
        parquet.write_table(table, file)
