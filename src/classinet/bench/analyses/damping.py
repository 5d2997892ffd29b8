"""Accuracy against the damping factor γ, for the default net and the paper's recipe (§6.5, figure "damp").

The paper finds a peak at γ = 0.85. One hop would hide γ altogether, because the expansion is brought to a fixed length:
the default net, which else takes one hop, is expanded by two, the paper's recipe by its three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.base import clone

from classinet.bench.analyses.base import (
    DEFAULT,
    LARGE,
    PAPER,
    Analysis,
    Materials,
    Table,
    Values,
    as_start,
    interval,
    paper_expansion,
    percent,
)
from classinet.bench.analyses.judging import alike, first, judge, level_line, scored
from classinet.curves import DAMPINGS
from classinet.evaluation import LEVEL
from classinet.expansion import Global
from classinet.pipeline.tuning import FIXED_C, FIXED_WEIGHT
from classinet.plotting.curves import plot_bands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_HOPS = 2
PUBLISHED_PEAK = 0.85


def compute(materials: Materials) -> Values:
    """Judge every damping on both nets, and no expansion."""
    recipes = {}
    paper_net = materials.paper_net(LARGE)
    for name, net, expansion in (
        (DEFAULT, materials.net, Global(hops=DEFAULT_HOPS)),
        (f"{PAPER}, {paper_net.net_.n_vertices:,} vertices", paper_net, paper_expansion()),
    ):
        damped = [clone(expansion).set_params(damping=damping) for damping in DAMPINGS]
        right = judge(materials, net, [None, *damped])
        recipes[name] = {"hops": expansion.hops, **scored(right[1:]), "without": first(scored(right[:1]))}
    return {
        "texts": right.shape[1], "C": FIXED_C, "weight": FIXED_WEIGHT, "dampings": list(DAMPINGS),
        "recipes": recipes,
    }  # fmt: skip


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw a line for each net, and one for each without expansion: one of them counts pieces of texts too."""
    recipes = values["recipes"].items()
    curves = {name: (own["accuracy"], own["low"], own["high"]) for name, own in recipes}
    curves |= {
        f"no expansion, {name.partition(',')[0]}": level_line(own["without"], len(values["dampings"]))
        for name, own in recipes
    }
    return plot_bands(values["dampings"], curves, x="Damping factor γ", ax=ax)


def table(values: Values) -> Table:
    """One row a damping: accuracy with its interval, and p against the best."""
    header = ["γ"]
    rows = [["none"], *([f"{damping:g}"] for damping in values["dampings"])]
    for name, own in values["recipes"].items():
        header += [name, "p against its best"]
        rows[0] += [interval(*own["without"]), ""]
        for i, row in enumerate(rows[1:]):
            best = i == own["best"]
            row += [
                interval(own["accuracy"][i], own["low"][i], own["high"][i]),
                "best" if best else f"{own['p'][i]:.2g}",
            ]
    return header, rows


def finding(values: Values) -> str:
    """Say where the peaks are and whether they stand out."""
    sentences = [f"The paper reports a peak at γ = {PUBLISHED_PEAK}. Here each sentence takes the label of its review."]
    for name, own in values["recipes"].items():
        others = len(values["dampings"]) - 1
        same = alike(own)
        published = values["dampings"].index(PUBLISHED_PEAK)
        place = "the best itself" if published == own["best"] else (
            "among these" if published in same else f"told from it (p = {own['p'][published]:.2g})"
        )  # fmt: skip
        sentences.append(
            f"{as_start(name)}: best at γ = {values['dampings'][own['best']]:g} by {own['hops']} hops "
            f"({percent(own['accuracy'][own['best']])} %, without expansion {percent(own['without'][0])} %); "
            f"{len(same)} of the {others} other dampings cannot be told from it on these {values['texts']:,} sentences "
            f"(exact McNemar, p ≥ {LEVEL} / {others}), and {PUBLISHED_PEAK} is {place}."
        )
    return " ".join(sentences)


ANALYSIS = Analysis("damping", "Effect of the damping factor", compute, draw, table, finding)
