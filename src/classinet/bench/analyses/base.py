"""What all analyses share: what they are given, what they are, and the net in which all pairs are joined.

Enter: `Materials`, filled once for all analyses. Leave: plain JSON values, from which alone the picture, the table and
the finding are made, so that a report can be written again without computing anything again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from classinet._typing import Progress
from classinet.edges import PairSample
from classinet.engine import ThreadEngine
from classinet.exceptions import DivergenceWarning, InputError
from classinet.expansion import Global
from classinet.graph import FeatureGraph
from classinet.model import ClassiNet
from classinet.neighbors import ExactNeighbors
from classinet.net import Net
from classinet.pipeline import TextNet
from classinet.plotting._axes import plot_module

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values: TypeAlias = dict[str, Any]
Table: TypeAlias = tuple[list[str], list[list[str]]]

DEFAULT = "default recipe"
PAPER = "paper's recipe"
SMALL, LARGE = 700, 1000  # numbers of vertices that the paper names


@dataclass(frozen=True, eq=False)
class Materials:
    """What analyses are computed from.

    Attributes
    ----------
    labelled : sentences of labelled film reviews, each with the label of its review: the paper's validation data.
    subj_texts : all texts of SUBJ.
    task : texts and labels to train on, then texts and labels to judge by, for the qualitative table.
    net : the default net, fitted on the unlabeled corpus.
    paper_net : number of vertices → a net of the paper's recipe, fitted on the same corpus.
    seed : seed of what is drawn.
    progress : called as progress(stage, done, total).
    """

    labelled: tuple[list[str], list[str]]
    subj_texts: list[str]
    task: tuple[list[str], list[str], list[str], list[str]]
    net: TextNet
    paper_net: Callable[[int], TextNet]
    seed: int = 0
    progress: Progress = lambda stage, done, total: None


@dataclass(frozen=True)
class Analysis:
    """One figure or table of the report.

    Attributes
    ----------
    name : of its file, as "damping".
    title : its heading in the report.
    compute : materials → plain JSON values; slow.
    draw : the picture, from the stored values, in given Axes or in a figure of its own; None where a table is enough.
    table : header and rows.
    finding : what the paper says and what was seen, computed from the numbers.
    """

    name: str
    title: str
    compute: Callable[[Materials], Values]
    draw: Callable[[Values, Axes | None], Axes] | None
    table: Callable[[Values], Table]
    finding: Callable[[Values], str]


def paper_expansion() -> Global:
    """Return the expansion of the paper's recipe: damping 0.85, weights as they are, three hops.

    >>> paper_expansion()
    Global(hops=3, normalize=None)
    """
    expansion = ClassiNet.paper().expansion
    assert isinstance(expansion, Global)
    return expansion


def all_pairs(net: Net) -> Net:
    """Return the net with every two vertices joined, by the paper's weights, in place of near ones alone.

    Predictors that fire together on no held-out text have weight 0 on any part of these texts, so an exact search by
    the conditional probability misses no pair whose weight is above 0.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> net = TextNet(model=ClassiNet.paper(30)).fit(made_up_sentences()).net_
    >>> all_pairs(net).graph.n_edges > net.graph.n_edges
    True
    """
    if net.labels is None:
        raise InputError("this net holds no votes on held-out texts, so pairs of its vertices cannot be weighed")
    with ThreadEngine(-1) as engine:
        search = ExactNeighbors(k=max(1, net.n_vertices - 1), association="conditional")
        near = search.search(net.labels, None, engine)
        weights, association, counts = PairSample().weigh(near, net.labels, engine)
    graph = FeatureGraph(net.graph.names, weights, association=association, counts=counts)
    return replace(net, graph=graph, neighbors=near, recipe="custom")


@contextmanager
def growth_allowed() -> Iterator[None]:
    """Let the paper's weights grow with every hop without a warning: the findings say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        yield


def panels(
    ax: Axes | None, count: int, *, width: float = 4.2, height: float = 3.2, settled: bool = False
) -> list[Axes]:
    """Return so many Axes side by side: in a figure of their own, or inside given Axes.

    Otherwise a figure finds room for labels when it is drawn; `settled` Axes have their final size at once, as a
    picture of a graph needs, which is fitted to them.

    >>> len(panels(None, 2))
    2
    """
    if ax is None:
        layout = None if settled else "constrained"
        figure = plot_module("figure").Figure(figsize=(count * width, height), layout=layout)
        if settled:
            figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.94, wspace=0.03)
        return list(figure.subplots(1, count, squeeze=False)[0])
    ax.set_axis_off()
    gap = 0.16 / count
    share = (1.0 - gap * (count - 1)) / count
    return [ax.inset_axes((i * (share + gap), 0.0, share, 1.0)) for i in range(count)]


def as_start(name: str) -> str:
    """Return a name as the start of a sentence.

    >>> as_start("paper's recipe")
    "Paper's recipe"
    """
    return name[:1].upper() + name[1:]


def percent(share: float) -> str:
    """Return a share as per cent with one decimal.

    >>> percent(0.7256)
    '72.6'
    """
    return f"{100 * share:.1f}"


def interval(score: float, low: float, high: float) -> str:
    """Return a share and its interval in per cent.

    >>> interval(0.725, 0.7, 0.75)
    '72.5 (70.0–75.0)'
    """
    return f"{percent(score)} ({percent(low)}–{percent(high)})"


def known(values: Any, digits: int) -> list[float | None]:
    """Return numbers rounded for a file; JSON has no NaN, so what is not known is None.

    >>> known([0.12345, float("nan")], 3)
    [0.123, None]
    """
    return [None if math.isnan(value) else round(float(value), digits) for value in values]
