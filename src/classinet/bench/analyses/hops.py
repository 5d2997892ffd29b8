"""Accuracy against the number of hops q of global expansion, on the paper's recipe (§4.2, which names no q)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.base import clone

from classinet.bench.analyses.base import (
    LARGE,
    Analysis,
    Materials,
    Table,
    Values,
    interval,
    paper_expansion,
    percent,
)
from classinet.bench.analyses.judging import alike, first, judge, level_line, scored
from classinet.evaluation import LEVEL, compare
from classinet.plotting.curves import plot_bands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOPS = (1, 2, 3, 4, 5)


def compute(materials: Materials) -> Values:
    """Judge one to five hops, and none."""
    net = materials.paper_net(LARGE)
    expansion = paper_expansion()
    right = judge(materials, net, [None, *(clone(expansion).set_params(hops=hops) for hops in HOPS)])
    return {
        "texts": right.shape[1],
        "vertices": net.net_.n_vertices,
        "fixed": expansion.hops,
        "growth": float(expansion.damping) * net.net_.graph.spectral_radius(),
        "hops": list(HOPS),
        "without": first(scored(right[:1])),
        "p_without": [compare(row, right[0]).p for row in right[1:]],
        **scored(right[1:]),
    }


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw accuracy against hops, and that of no expansion beside it."""
    curves = {
        "global expansion": (values["accuracy"], values["low"], values["high"]),
        "no expansion": level_line(values["without"], len(values["hops"])),
    }
    return plot_bands(values["hops"], curves, x="Number of hops q", ax=ax)


def table(values: Values) -> Table:
    """One row a number of hops."""
    rows = [["none", interval(*values["without"]), "", ""]]
    for i, hops in enumerate(values["hops"]):
        score = interval(values["accuracy"][i], values["low"][i], values["high"][i])
        best = "best" if i == values["best"] else f"{values['p'][i]:.2g}"
        rows.append([str(hops), score, best, f"{values['p_without'][i]:.2g}"])
    return ["hops", "accuracy", "p against the best", "p against none"], rows


def finding(values: Values) -> str:
    """Say which number of hops is best, whether it stands out, and whether any helps."""
    best, same = values["best"], alike(values)
    others = [str(values["hops"][i]) for i in same]
    helped = values["p_without"][best] < LEVEL
    return (
        f"The paper names no number of hops; we fix {values['fixed']}. Best here is {values['hops'][best]} "
        f"({percent(values['accuracy'][best])} %, without expansion {percent(values['without'][0])} %, "
        f"{'a' if helped else 'no'} difference that {values['texts']:,} sentences could show); "
        + (f"q = {', '.join(others)} cannot be told from it. " if others else "every other number is worse. ")
        + f"In the long run each hop multiplies the mass by {values['growth']:.1f} (γ |λmax|): "
        + ("far hops outweigh near ones." if values["growth"] > 1 else "near hops outweigh far ones.")
    )


ANALYSIS = Analysis("hops", "Number of hops", compute, draw, table, finding)
