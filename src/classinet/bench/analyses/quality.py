"""How well predictors tell held-out texts that hold their word from others, by how frequent the word is.

Both recipes are shown over all their vertices, and compared over the vertices that both have.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._typing import Floats
from classinet.bench.analyses.base import (
    DEFAULT,
    LARGE,
    PAPER,
    Analysis,
    Materials,
    Table,
    Values,
    as_start,
    known,
    panels,
    percent,
)
from classinet.net import Net
from classinet.plotting.quality import plot_auc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BANDS = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)  # shares of the texts
MOST_POINTS = 3000  # kept for the picture; bands are of all predictors


def compute(materials: Materials) -> Values:
    """Band all predictors by frequency, and keep points for the picture."""
    recipes, aucs = {}, {}
    for name, net in ((DEFAULT, materials.net.net_), (PAPER, materials.paper_net(LARGE).net_)):
        share, auc = net.frequency[net.columns], _auc(net)
        drawn = np.sort(np.random.default_rng(materials.seed).permutation(len(auc))[:MOST_POINTS])
        recipes[name] = {
            "predictors": len(auc),
            "without_auc": int(np.isnan(auc).sum()),
            "bands": _bands(share, auc),
            "share": [float(f"{value:.3g}") for value in share[drawn]],
            "auc": known(auc[drawn], 4),
        }
        aucs[name] = dict(zip(net.graph.names.tolist(), auc.tolist(), strict=True))
    pairs = [(auc, aucs[PAPER][word]) for word, auc in aucs[DEFAULT].items() if word in aucs[PAPER]]
    both = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    both = both[~np.isnan(both).any(axis=1)]
    return {"recipes": recipes, "shared": _shared(both)}


def _auc(net: Net) -> Floats:
    return np.asarray(net.report()["auc"], dtype=np.float64)


def _bands(share: Floats, auc: Floats) -> list[dict[str, Any]]:
    bands = []
    for low, high in pairwise(BANDS):
        # The last band takes in words that are in every text.
        inside = auc[(share >= low) & ((share < high) | (high == BANDS[-1])) & ~np.isnan(auc)]
        if len(inside):
            quartiles = np.percentile(inside, [25, 50, 75])
            bands.append(
                {"low": low, "high": high, "predictors": len(inside), "quartiles": known(quartiles, 4),
                 "worse_than_chance": float((inside < 0.5).mean())}
            )  # fmt: skip
    return bands


def _shared(both: Floats) -> dict[str, Any]:
    """Medians of the two recipes on the words that both know, and how often the default is ahead."""
    if not len(both):
        return {"words": 0}
    default, paper = np.median(both, axis=0).tolist()
    ahead = float((both[:, 0] > both[:, 1]).mean())
    return {"words": len(both), "default": default, "paper": paper, "default_ahead": ahead}


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw AUC against frequency for both recipes, on the same scale."""
    parts = panels(ax, len(values["recipes"]))
    for part, (name, own) in zip(parts, values["recipes"].items(), strict=True):
        plot_auc(own["share"], own["auc"], part)
        part.set_title(name, fontsize=9, loc="left")
    lowest = min(part.get_ylim()[0] for part in parts)
    for part in parts:
        part.set_ylim(lowest, 1.02)
    return parts[0] if ax is None else ax


def table(values: Values) -> Table:
    """One row a recipe and band."""
    rows = []
    for name, own in values["recipes"].items():
        for band in own["bands"]:
            low, middle, high = band["quartiles"]
            rows.append(
                [name, f"{100 * band['low']:g}–{100 * band['high']:g} %", f"{band['predictors']:,}", f"{middle:.3f}",
                 f"{low:.3f}–{high:.3f}", f"{100 * band['worse_than_chance']:.1f} %"]
            )  # fmt: skip
    return ["recipe", "texts that hold the word", "predictors", "median AUC", "middle half", "below chance"], rows


def finding(values: Values) -> str:
    """Compare frequent with rare words, and the recipes on the words they share."""
    sentences = ["The paper gives no quality of its predictors."]
    for name, own in values["recipes"].items():
        if own["bands"]:
            rare, frequent = own["bands"][0], own["bands"][-1]
            sentences.append(
                f"{as_start(name)}: median AUC {rare['quartiles'][1]:.2f} for the rarest band "
                f"({100 * rare['low']:g}–{100 * rare['high']:g} % of the texts) and {frequent['quartiles'][1]:.2f} for "
                f"the most frequent ({100 * frequent['low']:g}–{100 * frequent['high']:g} %)."
            )
    shared = values["shared"]
    if shared["words"]:
        sentences.append(
            f"On the {shared['words']:,} words that both predict the medians are {shared['default']:.3f} (default) and "
            f"{shared['paper']:.3f} (paper); the default is ahead on {percent(shared['default_ahead'])} %."
        )
    return " ".join(sentences)


ANALYSIS = Analysis("predictor_quality", "Quality of the predictors", compute, draw, table, finding)
