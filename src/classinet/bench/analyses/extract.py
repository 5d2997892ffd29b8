"""What stands near words of praise and blame in the k = 4 mutual graph (§6.4, figure "classinet").

Three graphs are asked: all pairs of the paper's recipe by edge weight, which is how the text describes the figure; the
same recipe with the ten neighbours of each vertex; and the default net. Kept are the words, their mutual neighbours and
all edges between these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet.bench.analyses.base import (
    DEFAULT,
    LARGE,
    PAPER,
    Analysis,
    Materials,
    Table,
    Values,
    all_pairs,
    as_start,
    panels,
)
from classinet.graph import FeatureGraph
from classinet.plotting.network import plot_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = ("awful", "horrible", "boring", "good", "bad", "terrible", "dull", "great", "excellent", "wonderful")
NEAREST = 4
FEWEST_DRAWN, MOST_DRAWN = 6, 60  # edges, vertices
MOST_ROWS = 12


def compute(materials: Materials) -> Values:
    """Cut the same words out of all three graphs, and ask what the paper says of them."""
    paper_net = materials.paper_net(LARGE).net_
    return {
        "k": NEAREST,
        "words": list(WORDS),
        "graphs": {
            f"{PAPER}, all pairs": _cut(all_pairs(paper_net).graph),
            f"{PAPER}, 10 neighbours": _cut(paper_net.graph),
            DEFAULT: _cut(materials.net.net_.graph),
        },
    }


def _cut(graph: FeatureGraph) -> dict[str, Any]:
    mutual = graph.mutual_knn(NEAREST)
    words = [word for word in WORDS if word in mutual]
    near = {edge.target for word in words for edge in mutual.successors(word)}
    names = [*words, *sorted(near - set(words))]
    part = mutual.subgraph(names)
    edges = [[edge.source, edge.target, round(edge.weight, 4)] for name in part.names for edge in part.successors(name)]
    return {
        "vertices": graph.n_vertices,
        "mutual_edges": mutual.n_edges,
        "missing": [word for word in WORDS if word not in graph],
        "names": names,
        "edges": edges,
        "good_bad": _joined(mutual, "good", "bad"),
        "awful_horrible": _joined(mutual, "awful", "horrible"),
        "horrible_boring": _joined(mutual, "horrible", "boring"),
        "between": sorted(_two_hops(mutual, "horrible", "boring")),
    }


def _joined(graph: FeatureGraph, first: str, second: str) -> bool | None:
    """Whether an edge joins two words; None where one of them is no vertex."""
    if first not in graph or second not in graph:
        return None
    return any(edge.target == second for edge in graph.successors(first))


def _two_hops(graph: FeatureGraph, first: str, second: str) -> Iterator[str]:
    """The words between two others on paths of two hops."""
    if first in graph and second in graph:
        yield from (e.target for e in graph.successors(first) if _joined(graph, e.target, second))


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw each cut with enough edges for a picture; the words asked for are white on black."""
    shown = {name: own for name, own in values["graphs"].items() if len(own["edges"]) >= FEWEST_DRAWN}
    parts = panels(ax, max(1, len(shown)), width=6.5, height=5.5, settled=True)
    if not shown:
        parts[0].set_axis_off()
        parts[0].text(0.5, 0.5, "hardly two of these words are mutual neighbours", ha="center", fontsize=9)
    for part, (name, own) in zip(parts, shown.items(), strict=False):
        joined = {end for source, target, _ in own["edges"] for end in (source, target)}
        graph = _graph([name for name in own["names"] if name in joined], own["edges"])
        words = [word for word in values["words"] if word in joined]
        plot_graph(graph, words, k=values["k"], size=MOST_DRAWN, ax=part)
        part.set_title(name, fontsize=9, loc="left")
    return parts[0] if ax is None else ax


def _graph(names: list[str], edges: list[list[Any]]) -> FeatureGraph:
    place = {name: i for i, name in enumerate(names)}
    weights = np.zeros((len(names), len(names)))
    for source, target, weight in edges:
        weights[place[source], place[target]] = weight
    return FeatureGraph(names, weights)


def table(values: Values) -> Table:
    """The heaviest edges of each cut."""
    rows = []
    for name, own in values["graphs"].items():
        heaviest = sorted(own["edges"], key=lambda edge: (-edge[2], edge[0], edge[1]))[:MOST_ROWS]
        rows += [[name, source, target, f"{weight:.2f}"] for source, target, weight in heaviest]
    return ["graph", "from", "to", "weight"], rows


def finding(values: Values) -> str:
    """Answer what the paper says of its figure, for each graph."""
    sentences = [
        "The paper sees awful and horrible joined, good and bad joined, and no edge from horrible to boring but a path "
        "of two hops through awful."
    ]
    for name, own in values["graphs"].items():
        between = f"two-hop paths through {', '.join(own['between'])}" if own["between"] else "no path of two hops"
        missing = f" ({', '.join(own['missing'])} are no vertices)" if own["missing"] else ""
        sentences.append(
            f"{as_start(name)}: {own['mutual_edges']:,} mutual edges in all{missing}; awful–horrible "
            f"{_said(own['awful_horrible'])}, good–bad {_said(own['good_bad'])}, horrible–boring "
            f"{_said(own['horrible_boring'])}, {between}."
        )
    return " ".join(sentences)


def _said(joined: bool | None) -> str:
    return "not asked" if joined is None else "joined" if joined else "not joined"


ANALYSIS = Analysis("graph_extract", "Extract of the net", compute, draw, table, finding)
