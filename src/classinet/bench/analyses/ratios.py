"""How many times more features a text of SUBJ has after expansion (§6.6, figures "all-neighb" and "global").

The net is that of the out-degree study: 700 vertices, all pairs joined; all-neighbour expansion is also shown on the
net of the same vertices with ten neighbours each. A predicted feature that the text holds already is not counted again.
The ratio depends on what counts as a feature before: every known word, or the vertices alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._sparse import canonical_csr, take_columns
from classinet._typing import Csr, Floats
from classinet.bench.analyses.base import (
    SMALL,
    Analysis,
    Materials,
    Table,
    Values,
    all_pairs,
    growth_allowed,
    known,
    panels,
    paper_expansion,
)
from classinet.expansion import AllNeighbors
from classinet.merging import expand_rows
from classinet.net import Net
from classinet.plotting.histograms import expansion_ratios, plot_expansion_ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAR, NEAR_OF_TEN, WIDE = "all neighbour", "all neighbour, 10 neighbours", "global"
PUBLISHED = {NEAR: (1.5, 2.5), NEAR_OF_TEN: (1.5, 2.5), WIDE: (25.0, 30.0)}
NEAREST = 4  # the paper's k for the mutual graph
HUBS = 10


def compute(materials: Materials) -> Values:
    """Expand all texts both ways."""
    text_net = materials.paper_net(SMALL)
    net = all_pairs(text_net.net_)
    counts = canonical_csr(text_net.vectorizer_.transform(materials.subj_texts))
    methods = {}
    for name, own, expansion in (
        (NEAR, net, AllNeighbors(k=NEAREST)),
        (NEAR_OF_TEN, text_net.net_, AllNeighbors(k=NEAREST)),
        (WIDE, net, paper_expansion()),
    ):
        with growth_allowed():
            added = expand_rows(counts, own, expansion, n_jobs=-1)
        ratios, of_vertices = _ratios(counts, added, net)
        low, high = PUBLISHED[name]
        methods[name] = {
            "summary": _summary(ratios),
            "of_vertices": _summary(of_vertices),
            "reached": added.nnz / (added.shape[0] * max(1, net.n_vertices)),
            "in_published_range": _share_within(ratios, low, high),
            "ratios": known(ratios, 2),
        }
    strongest = np.sort(net.graph.knn(NEAREST).in_degree(weighted=False))[::-1]
    return {
        "texts": counts.shape[0],
        "vertices": net.n_vertices,
        "mean_features": counts.nnz / max(1, counts.shape[0]),
        "mutual_edges": net.graph.mutual_knn(NEAREST).n_edges,
        "to_hubs": float(strongest[:HUBS].sum() / max(1, strongest.sum())),
        "methods": methods,
    }


def _share_within(ratios: Floats, low: float, high: float) -> float:
    """Share of the texts with a ratio whose ratio is in a range."""
    there = ratios[~np.isnan(ratios)]
    return float(np.mean((there >= low) & (there <= high))) if len(there) else 0.0


def _ratios(counts: Csr, added: Csr, net: Net) -> tuple[Floats, Floats]:
    """Ratios by all known words, and by vertices alone."""
    order = np.argsort(net.columns)
    vertices = take_columns(counts, net.columns[order])
    place = np.empty(net.n_vertices, dtype=np.int64)
    place[order] = np.arange(net.n_vertices)
    return expansion_ratios(counts, added, net.columns), expansion_ratios(vertices, added, place)


def _summary(ratios: Floats) -> dict[str, Any]:
    low, middle, high = np.nanpercentile(ratios, [25, 50, 75])
    return {"mean": float(np.nanmean(ratios)), "quartiles": [float(low), float(middle), float(high)]}


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw both distributions."""
    parts = panels(ax, len(values["methods"]))
    for part, (name, method) in zip(parts, values["methods"].items(), strict=True):
        plot_expansion_ratio(method["ratios"], part)
        part.set_title(name, fontsize=9, loc="left", pad=16)
    return parts[0] if ax is None else ax


def table(values: Values) -> Table:
    """One row a method, for each way to count what was there before."""
    rows = []
    for name, method in values["methods"].items():
        for what, key in (("all known words", "summary"), ("vertices alone", "of_vertices")):
            own = method[key]
            low, middle, high = own["quartiles"]
            paper = "{:g}–{:g}".format(*PUBLISHED[name])
            rows.append([name, what, paper, f"{own['mean']:.2f}", f"{low:.2f}", f"{middle:.2f}", f"{high:.2f}"])
    return ["expansion", "features before", "the paper", "mean", "lower quartile", "median", "upper quartile"], rows


def finding(values: Values) -> str:
    """Compare both ratios with the paper's."""
    near, of_ten, wide = (values["methods"][name] for name in (NEAR, NEAR_OF_TEN, WIDE))
    return (
        f"The paper sees ratios of about 1.5–2.5 for all-neighbour and 25–30 for global expansion. On the "
        f"{values['texts']:,} texts ({values['mean_features']:.1f} features each) the means are "
        f"{near['summary']['mean']:.2f} and {wide['summary']['mean']:.1f}, with "
        f"{100 * near['in_published_range']:.0f} % and {100 * wide['in_published_range']:.0f} % of the texts in the "
        f"paper's ranges. Global expansion gives a text {100 * wide['reached']:.0f} % of all {values['vertices']:,} "
        "vertices on average; the nearer this is to all, the more its ratio only says how short the text is. The "
        f"mutual graph of all-neighbour expansion has {values['mutual_edges']:,} edges: of the {NEAREST} heaviest "
        f"edges of each vertex {100 * values['to_hubs']:.0f} % lead to the same {HUBS} words, which cannot all point "
        f"back. On the net with ten neighbours each its mean ratio is {of_ten['summary']['mean']:.2f}."
    )


ANALYSIS = Analysis("expansion_ratio", "Number of expansion features on SUBJ", compute, draw, table, finding)
