"""ClassiNet: the five expansions over a net of the default recipe, and over nets of the paper's recipe.

"Global" stands beside words alone, as the rivals do; "Default" is what a user gets: Global with pieces of texts beside
their words, which with few labels learns from unlabeled texts too. "Dense average" is the mean of the vectors from
which the default net's graph was made.
"""

from __future__ import annotations

from collections.abc import Callable

from classinet.baselines.base import Baseline
from classinet.baselines.dense_average import DenseAverage
from classinet.baselines.expanded import Expanded
from classinet.bench.methods.base import RECIPE, Method, Nets
from classinet.expansion import AllNeighbors, Expansion, Global, Independent, LocalPath, MutualNeighbors

HOPS = (1, 2, 3, 4, 5)  # the paper names none


def _over(recipe: str, expansion: Expansion) -> Callable[[Nets], Baseline]:
    return lambda nets: Expanded(nets(recipe), expansion, by_rarity=recipe == "default")


def _paper_global(hops: int) -> Global:
    return Global(damping=0.85, hops=hops, normalize=None)


_OURS = "ClassiNet"
_LOCAL = (
    ("independent", "Independent", Independent(), 0.3, 1500, True),
    ("local-path", "Local path", LocalPath(), 2.5, 4000, True),
    ("all-neighbor", "All neighbor", AllNeighbors(), 0.1, 40, False),
    ("mutual-neighbor", "Mutual neighbor", MutualNeighbors(), 0.1, 20, False),
)
METHODS = (
    *(
        Method(key, title, _OURS, 20 + i, _over("default", expansion), "default", text_seconds=seconds, width=width,
               few=slow)
        for i, (key, title, expansion, seconds, width, slow) in enumerate(_LOCAL)
    ),
    Method("global", "Global", _OURS, 25, _over("default", Global()), "default", text_seconds=0.3, width=1000),
    Method("default", "Default", _OURS, 26, _over("default", Global()), "default", text_seconds=0.3, width=1100,
           pieces=True, itself=True),
    Method("dense", "Dense average", "What one would use today", 79, lambda nets: DenseAverage(nets("default")),
           "default", text_seconds=0.1, width=100),
    *(
        Method(f"paper-{key}", f"{title}, 1,000 vertices", RECIPE, 100 + i, _over("paper-1000", expansion),
               "paper-1000", studies=("paper",), text_seconds=0.5, width=100)
        for i, (key, title, expansion, *_) in enumerate(_LOCAL)
    ),
    *(
        Method(f"paper-{n}-global-{q}", f"Global, {n:,} vertices, {q} hop{'s' * (q > 1)}", RECIPE,
               (120 if n == 700 else 110) + q, _over(f"paper-{n}", _paper_global(q)), f"paper-{n}", studies=("paper",),
               text_seconds=0.5, width=300)
        for n in (1000, 700) for q in HOPS
    ),
)  # fmt: skip
