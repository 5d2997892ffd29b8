"""Out-degrees of a net in which all pairs are joined (§6.6, figure "degree").

The paper reports 263.35 as the mean weighted out-degree of a 700-vertex net: more than the ten neighbours it keeps
elsewhere could give. So all pairs are weighed, for 700 vertices and for 1,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from classinet.bench.analyses.base import LARGE, SMALL, Analysis, Materials, Table, Values, all_pairs, known, panels
from classinet.plotting.histograms import plot_degrees

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED_MEAN = 263.35
PUBLISHED_MOST = (240, 300)
PUBLISHED_EDGES = 489_300


def compute(materials: Materials) -> Values:
    """Weigh all pairs of both nets; the smaller one keeps its degrees for the picture."""
    nets = []
    for size in (SMALL, LARGE):
        net = materials.paper_net(size).net_
        graph = all_pairs(net).graph
        assert net.labels is not None  # or pairs could not have been weighed
        weighted, counted = graph.out_degree(), graph.out_degree(weighted=False)
        nets.append(
            {
                "vertices": graph.n_vertices,
                "pairs": graph.n_vertices * (graph.n_vertices - 1),
                "edges": graph.n_edges,
                "mean": float(counted.mean()),
                "weighted_mean": float(weighted.mean()),
                "weighted_quartiles": known(np.percentile(weighted, [25, 50, 75]), 2),
                "in_published_range": float(np.mean((weighted >= PUBLISHED_MOST[0]) & (weighted <= PUBLISHED_MOST[1]))),
                "mean_weight": float(graph.weights.data.mean()) if graph.n_edges else 0.0,
                "firing_rate": float(net.labels.firing_rate().mean()),
            }
        )
        if size == SMALL:
            degrees = {"out_degree": counted.tolist(), "weighted_out_degree": known(weighted, 2)}
    return {"nets": nets, **degrees}


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw the number of edges that leave each vertex, and the sum of their weights, as the paper does."""
    plain, weighted = panels(ax, 2)
    plot_degrees(values["out_degree"], log=False, ax=plain)
    plot_degrees(values["weighted_out_degree"], weighted=True, log=False, ax=weighted)
    return plain if ax is None else ax


def table(values: Values) -> Table:
    """One row a net, the paper's first."""
    rows = [["the paper", f"{SMALL}", "", "", "", f"{PUBLISHED_MEAN}", f"most {PUBLISHED_MOST[0]}–{PUBLISHED_MOST[1]}"]]
    for net in values["nets"]:
        low, _, high = net["weighted_quartiles"]
        rows.append(
            ["ours", f"{net['vertices']:,}", f"{net['pairs']:,}", f"{net['edges']:,}", f"{net['mean']:.1f}",
             f"{net['weighted_mean']:.2f}", f"half {low:.0f}–{high:.0f}"]
        )  # fmt: skip
    header = ["net", "vertices", "ordered pairs", "edges", "mean out-degree", "mean weighted out-degree", "range"]
    return header, rows


def finding(values: Values) -> str:
    """Compare means, and say what the paper's number of edges is the number of."""
    small, large = values["nets"]
    text = (
        f"The paper reports a mean weighted out-degree of {PUBLISHED_MEAN} with {SMALL} vertices; all pairs of "
        f"{small['vertices']:,} vertices give {small['weighted_mean']:.2f} here (mean weight "
        f"{small['mean_weight']:.2f}, predictors fire on {100 * small['firing_rate']:.1f} % of the texts), and "
        f"{large['vertices']:,} vertices {large['weighted_mean']:.2f}. "
        f"{small['edges']:,} of {small['pairs']:,} ordered pairs have a weight above 0."
    )
    if small["pairs"] == PUBLISHED_EDGES:
        text += (
            f" That number of pairs is exactly the {PUBLISHED_EDGES:,} edges that a line the authors commented out "
            f"gives for 1,000 vertices, all pairs of which would be {LARGE * (LARGE - 1):,}: so that line, too, seems "
            f"to count all pairs of {SMALL} vertices."
        )
    return text


ANALYSIS = Analysis("out_degree", "Out-degree with all pairs joined", compute, draw, table, finding)
