"""A graph for other programs: scipy, networkx, an edge table, GraphML, GEXF and CSV.

Enter: a `FeatureGraph`. Leave: objects of other libraries, or a file that is written edge by edge beside its
place and moved there when complete, so that nobody ever reads half of it.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from numpy.typing import NDArray
from scipy import sparse

from classinet._files import whole_file
from classinet._optional import optional_import
from classinet._typing import Csr
from classinet.graph.selection import row_of_entries

if TYPE_CHECKING:
    from classinet.graph.feature_graph import FeatureGraph

COUNT_NAMES = ("m11", "m10", "m01", "m00")
LINES_AT_ONCE = 10_000

# What XML 1.0 cannot hold, not even escaped: control characters, halves of surrogate pairs, two
# non-characters.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
NOT_UTF8 = re.compile("[\ud800-\udfff]")


def to_scipy(graph: FeatureGraph) -> Csr:
    """Return a copy of the weights that may be written to."""
    W = graph.weights
    # Through its constructor scipy brings both index arrays to one type, as all of its methods expect.
    return sparse.csr_array((W.data, W.indices, W.indptr), shape=W.shape, copy=True)


def edge_table(graph: FeatureGraph) -> dict[str, NDArray[Any]]:
    """Return the edges, in the order of rows and columns, as columns of equal length."""
    W = graph.weights
    table: dict[str, NDArray[Any]] = {
        "source": graph.names[row_of_entries(W)],
        "target": graph.names[W.indices],
        **_edge_columns(graph),
    }
    return table


def to_networkx(graph: FeatureGraph) -> Any:
    """Return a `networkx.DiGraph` whose nodes are the names."""
    networkx = optional_import("networkx", "networkx")
    result = networkx.DiGraph()
    result.add_nodes_from(graph.names.tolist())
    table = {name: column.tolist() for name, column in edge_table(graph).items()}
    attributes = [name for name in table if name not in ("source", "target")]
    for values in zip(*table.values(), strict=True):
        result.add_edge(values[0], values[1], **dict(zip(attributes, values[2:], strict=True)))
    return result


def write_graphml(graph: FeatureGraph, path: str | os.PathLike[str]) -> None:
    """Write GraphML: nodes n0, n1, … with a `label`, edges with all that is known of them."""
    columns = _edge_columns(graph)
    keys = "".join(f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{_type(name)}"/>\n' for name in columns)
    with whole_file(path) as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            '<key id="label" for="node" attr.name="label" attr.type="string"/>\n'
            f'{keys}<graph id="G" edgedefault="directed">\n'
        )
        _write_lines(
            file,
            (f'<node id="n{i}"><data key="label">{_text(name)}</data></node>\n' for i, name in enumerate(graph.names)),
        )
        _write_lines(
            file,
            (
                f'<edge source="n{i}" target="n{j}">'
                + "".join(f'<data key="{name}">{value!r}</data>' for name, value in zip(columns, values, strict=True))
                + "</edge>\n"
                for i, j, *values in _edge_rows(graph, columns)
            ),
        )
        file.write("</graph>\n</graphml>\n")


def write_gexf(graph: FeatureGraph, path: str | os.PathLike[str]) -> None:
    """Write GEXF 1.2: nodes with a label, edges with a weight and the rest as attributes."""
    columns = _edge_columns(graph)
    others = [name for name in columns if name != "weight"]
    attributes = "".join(f'<attribute id="{name}" title="{name}" type="{_type(name)}"/>\n' for name in others)
    with whole_file(path) as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
            '<graph defaultedgetype="directed" mode="static">\n'
        )
        if others:
            file.write(f'<attributes class="edge" mode="static">\n{attributes}</attributes>\n')
        file.write("<nodes>\n")
        _write_lines(file, (f'<node id="{i}" label={_attribute(name)}/>\n' for i, name in enumerate(graph.names)))
        file.write("</nodes>\n<edges>\n")
        _write_lines(
            file,
            (
                f'<edge id="{at}" source="{i}" target="{j}" weight="{weight!r}">{_gexf_values(others, values)}</edge>\n'
                for at, (i, j, weight, *values) in enumerate(_edge_rows(graph, columns))
            ),
        )
        file.write("</edges>\n</graph>\n</gexf>\n")


def write_csv(graph: FeatureGraph, path: str | os.PathLike[str]) -> None:
    """Write the edge table as comma-separated values with a header."""
    columns = _edge_columns(graph)
    names = [NOT_UTF8.sub("\ufffd", name) for name in graph.names]
    with whole_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(["source", "target", *columns])
        writer.writerows([names[i], names[j], *values] for i, j, *values in _edge_rows(graph, columns))


def _edge_columns(graph: FeatureGraph) -> dict[str, NDArray[Any]]:
    """Weight, association and counts per edge, as far as they are known."""
    columns: dict[str, NDArray[Any]] = {"weight": graph.weights.data}
    if graph.association is not None:
        columns["association"] = graph.association
    if graph.counts is not None:
        columns.update(zip(COUNT_NAMES, graph.counts.T, strict=True))
    return columns


def _edge_rows(graph: FeatureGraph, columns: dict[str, NDArray[Any]]) -> Iterator[tuple[Any, ...]]:
    """Edges as Python numbers (source, target, weight, …), a vertex at a time so that memory stays small."""
    W = graph.weights
    for i in range(graph.n_vertices):
        own = slice(W.indptr[i], W.indptr[i + 1])
        for j, *values in zip(W.indices[own].tolist(), *(c[own].tolist() for c in columns.values()), strict=True):
            yield (i, j, *values)


def _gexf_values(names: list[str], values: list[Any]) -> str:
    if not names:
        return ""
    inner = "".join(f'<attvalue for="{name}" value="{value!r}"/>' for name, value in zip(names, values, strict=True))
    return f"<attvalues>{inner}</attvalues>"


def _type(name: str) -> str:
    return "long" if name in COUNT_NAMES else "double"


def _text(name: str) -> str:
    return escape(NOT_XML.sub("\ufffd", name), {"\r": "&#13;"})


def _attribute(name: str) -> str:
    return quoteattr(NOT_XML.sub("\ufffd", name))


def _write_lines(file: IO[str], lines: Iterator[str]) -> None:
    while block := "".join(islice(lines, LINES_AT_ONCE)):
        file.write(block)
