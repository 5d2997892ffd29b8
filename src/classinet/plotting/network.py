"""The picture of a net: words in boxes, arrows between them, weights on the arrows.

Enter: a `FeatureGraph`. Leaves: Axes with the part around a word, or the strongest part, laid out in points so that
text covers no text; the same graph gives the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from classinet._typing import Floats, Integers
from classinet.exceptions import InputError
from classinet.graph import FeatureGraph
from classinet.graph.selection import row_of_entries
from classinet.plotting._axes import INK, plot_module
from classinet.plotting._lettering import Lettering, lettering
from classinet.plotting.arrows import Arrow, Routes, route
from classinet.plotting.extract import extract, named
from classinet.plotting.layout import place

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_SIZE, WEIGHT_SIZE = 9.0, 6.5  # points
PADDING = 0.3  # of the name's size, between a name and its border
GAP, GAP_WITHOUT_WEIGHTS = 40.0, 24.0  # points of every arrow that are to be seen
BORDER = 6.0
ASPECT = 1.4
STRETCH, STRETCHES = 1.1, 12
LARGEST_SCALE = 1.3


def plot_graph(
    graph: FeatureGraph,
    around: str | Sequence[str] | None = None,
    *,
    k: int = 4,
    size: int = 30,
    weights: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the graph around a vertex or several, or its strongest part, as in the paper's picture of a net.

    Two vertices are joined where each is among the other's `k` strongest successors. An arrow carries the weight of its
    edge, to two decimals; the stronger, the thicker and darker. Where both directions read the same, one arrow with two
    heads stands for both; otherwise the two bend apart.

    Parameters
    ----------
    graph : the graph.
    around : the vertex in the middle; the picture shows what is reached from it hop by hop, stronger paths first. Of
        several vertices each is shown with what it reaches, side by side where no path joins them. None draws the
        strongest part: of the connected parts the one with the largest sum of weights, from the vertex in it with the
        largest sum of weights on.
    k : how many strongest successors of each vertex may become neighbours.
    size : largest number of vertices to draw, at most 200.
    weights : whether to write the weights.
    ax : where to draw. None makes a figure as large as the picture needs; a picture that is too large for given Axes is
        shrunk, letters included, to the size that they have now.

    Returns
    -------
    The Axes. In it arrows are called `edge-i-j`, weights `weight-i-j` and names `vertex-i` (their `gid`), i and j being
    places in the order in which vertices were reached.

    Examples
    --------
    >>> graph = FeatureGraph(["cat", "dog", "pet"], np.array([[0, 0.8, 0.5], [0.6, 0, 0], [0.5, 0.9, 0]]))
    >>> sorted(text.get_text() for text in plot_graph(graph, around="cat").texts)
    ['0.50', '0.60', '0.80', 'cat', 'dog', 'pet']
    """
    part = extract(graph, around, k, size)
    letters = lettering(part.names)
    boxes = _boxes(letters, NAME_SIZE)
    label = np.array(letters.measure("0.00", WEIGHT_SIZE)) / 2 if weights else np.zeros(2)
    arrows, arrow_weights = _arrows(part)
    width_over_height = ASPECT if ax is None else _points_of(ax)[0] / _points_of(ax)[1]
    positions, routes = _arranged(boxes, arrows, label, GAP if weights else GAP_WITHOUT_WEIGHTS, width_over_height)
    ax, scale = _canvas(ax, positions, boxes, routes, label)
    _draw_arrows(ax, arrows, arrow_weights, routes, scale)
    if weights:
        _draw_weights(ax, arrows, arrow_weights, routes, letters, scale)
    _draw_names(ax, positions, letters, scale, marked=len(named(around)))
    return ax


# -------------------------------------------------------------------------------------------------------- arrangement


def _boxes(letters: Lettering, size: float) -> Floats:
    """Half width and half height of every name with its border, in points."""
    return np.array([letters.measure(text, size) for text in letters.texts]) / 2 + PADDING * size


def _arrows(part: FeatureGraph) -> tuple[list[Arrow], list[float]]:
    """One arrow per edge, or one for both directions where their weights read the same."""
    W = part.weights
    weight = dict(zip(zip(row_of_entries(W).tolist(), W.indices.tolist(), strict=True), W.data.tolist(), strict=True))
    arrows, arrow_weights = [], []
    for (i, j), value in weight.items():
        same = f"{value:.2f}" == f"{weight[j, i]:.2f}"
        if i < j or not same:
            arrows.append(Arrow(i, j, both_ways=same, apart=not same))
            arrow_weights.append(value)
    return arrows, arrow_weights


def _arranged(
    boxes: Floats, arrows: list[Arrow], label: Floats, gap: float, width_over_height: float
) -> tuple[Floats, Routes]:
    """Place vertices and arrows, and spread the picture until no weight covers other text."""
    pairs = np.array([(a.source, a.target) for a in arrows if a.source < a.target], dtype=np.int64).reshape(-1, 2)
    positions = place(_distances(boxes, pairs, gap), pairs, boxes, gap, width_over_height)
    routes = route(positions, boxes, arrows, label)
    for _ in range(STRETCHES):
        if not routes.collisions:
            break
        positions = positions * STRETCH
        routes = route(positions, boxes, arrows, label)
    return positions, routes


def _distances(boxes: Floats, pairs: Integers, gap: float) -> Floats:
    """Shortest ways through the graph, in points: a line is as long as its gap and half of the boxes it joins.

    What no path joins stands as far apart as the ends of the longest path.
    """
    lengths = np.zeros((len(boxes), len(boxes)))
    start, stop = pairs.T
    lengths[start, stop] = gap + boxes.mean(axis=1)[start] + boxes.mean(axis=1)[stop]
    ways = np.asarray(shortest_path(lengths, directed=False), dtype=np.float64)
    unjoined = np.isinf(ways)
    ways[unjoined] = max(float(ways[~unjoined].max()), gap + 2 * float(boxes.mean()))
    return ways


def _points_of(ax: Axes) -> tuple[float, float]:
    """Width and height of Axes, in points."""
    extent = ax.get_window_extent()
    dots = ax.figure.dpi / 72
    return extent.width / dots, extent.height / dots


def _canvas(ax: Axes | None, positions: Floats, boxes: Floats, routes: Routes, label: Floats) -> tuple[Axes, float]:
    """Return Axes whose unit is `scale` points and that hold the whole picture, and that scale."""
    curves = routes.curves.reshape(-1, 2)
    low = np.concatenate([positions - boxes, curves, routes.labels - label]).min(axis=0) - BORDER
    high = np.concatenate([positions + boxes, curves, routes.labels + label]).max(axis=0) + BORDER
    size = high - low
    if ax is None:
        figure = plot_module("figure").Figure(figsize=(size / 72).tolist())
        ax, room, scale = figure.add_axes((0.0, 0.0, 1.0, 1.0)), size, 1.0
    else:
        room = np.array(_points_of(ax))
        if not room.min() > 0:
            raise InputError("the Axes to draw in have no width or no height")
        scale = float(min(*(room / size), LARGEST_SCALE))
    assert ax is not None
    middle, half = (low + high) / 2, room / scale / 2
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    return ax, scale


# ------------------------------------------------------------------------------------------------------------ drawing


def _draw_arrows(ax: Axes, arrows: list[Arrow], arrow_weights: list[float], routes: Routes, scale: float) -> None:
    patches, paths = plot_module("patches"), plot_module("path")
    for arrow, weight, curve in zip(arrows, arrow_weights, routes.curves, strict=True):
        ax.add_patch(
            patches.FancyArrowPatch(
                path=paths.Path(curve, [paths.Path.MOVETO, paths.Path.CURVE3, paths.Path.CURVE3]),
                arrowstyle="<|-|>" if arrow.both_ways else "-|>",
                mutation_scale=6.5 * scale,
                linewidth=(0.5 + 0.9 * weight) * scale,
                color=str(round(0.62 - 0.45 * weight, 3)),
                shrinkA=0,
                shrinkB=0,
                zorder=1,
                gid=f"edge-{arrow.source}-{arrow.target}",
            )
        )


def _draw_weights(
    ax: Axes, arrows: list[Arrow], arrow_weights: list[float], routes: Routes, letters: Lettering, scale: float
) -> None:
    for arrow, weight, (x, y) in zip(arrows, arrow_weights, routes.labels, strict=True):
        gid = f"weight-{arrow.source}-{arrow.target}"
        backing = {"boxstyle": "square,pad=0.08", "facecolor": "white", "edgecolor": "none"}
        _write(ax, x, y, f"{weight:.2f}", letters, WEIGHT_SIZE * scale, color=INK, bbox=backing, zorder=2, gid=gid)


def _draw_names(ax: Axes, positions: Floats, letters: Lettering, scale: float, *, marked: int) -> None:
    for i, ((x, y), text) in enumerate(zip(positions, letters.texts, strict=True)):
        face, ink = (INK, "white") if i < marked else ("#f4f4f4", "black")
        border = {
            "boxstyle": f"round,pad={PADDING}",
            "facecolor": face,
            "edgecolor": "#666666",
            "linewidth": 0.6 * scale,
        }
        _write(ax, x, y, text, letters, NAME_SIZE * scale, color=ink, bbox=border, zorder=3, gid=f"vertex-{i}")


def _write(ax: Axes, x: float, y: float, text: str, letters: Lettering, size: float, **look: Any) -> None:
    # A name is no formula: neither "$" nor "_" means anything in it.
    ax.text(
        x, y, text, ha="center", va="center", fontsize=size, fontfamily=list(letters.families), parse_math=False,
        usetex=False, **look,
    )  # fmt: skip
