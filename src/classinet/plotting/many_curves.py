"""Learning curves of many methods in one picture: a few in colour and named beside their ends, the rest in grey.

Enter: scores of each method at numbers of labels. Leaves: Axes in which the lines of interest differ in colour, marker
and dashes and carry their names, so that no legend has to be matched with twenty lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._typing import Floats
from classinet.exceptions import InputError
from classinet.plotting._axes import COLOURS, chart_axes, counted, label_axes, plot_module
from classinet.plotting._checks import band, numbers, places
from classinet.plotting._lettering import lettering
from classinet.plotting.curves import ACCURACY, DASHES, MARKERS, _label_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#bdbdbd"
NAME_SIZE = 8.0
LINE_HEIGHT = 1.4  # of a name, in its own size
BESIDE = 1.03  # where names begin, in widths of the frame


def plot_many_learning_curves(
    label_counts: Any,
    curves: Mapping[str, tuple[Any, Any, Any]],
    highlight: Sequence[str],
    *,
    measure: str = ACCURACY,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw how well many methods do with how many labels, and name those of interest beside their ends.

    Parameters
    ----------
    label_counts : numbers of labelled texts, in any order.
    curves : per method (mean, low, high), each with one score per number of labels; a line passes over NaN. NaN for low
        and high alone means that no interval is known.
    highlight : methods to colour and name; a method keeps its colour by its place here, also where it has no curve.
    measure : what a score is, for the axis.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> none = [0.60, 0.68], [0.57, 0.66], [0.63, 0.70]
    >>> expanded = [0.70, 0.73], [0.68, 0.72], [0.72, 0.74]
    >>> ax = plot_many_learning_curves([200, 1000], {"none": none, "global": expanded, "scl": none}, ["global"])
    >>> [text.get_text() for text in ax.texts]
    ['global']
    >>> ax.get_xlabel()
    'Number of labelled texts\n(grey: 2 other methods)'
    """
    x = places("label_counts", label_counts, positive=True)
    if not curves:
        raise InputError("curves holds no method, so there is nothing to draw")
    order = np.argsort(x, kind="stable")
    ax = chart_axes(ax, width=6.4, height=4.0)
    _label_ticks(ax, np.unique(x))
    ends: dict[str, tuple[float, float, str]] = {}
    for method, values in curves.items():
        if not (isinstance(values, tuple | list) and len(values) == 3):
            raise InputError(f"curves[{method!r}] must be (mean, low, high), got {values!r}")
        mean = numbers(f"curves[{method!r}]", values[0], len(x))
        low, high = band(f"curves[{method!r}]", values[1], values[2], len(x))
        at = order[np.isfinite(mean[order])]
        if not len(at):
            continue
        if method not in highlight:
            ax.plot(x[at], mean[at], color=GREY, linewidth=0.8, marker=".", markersize=2.5, zorder=1)
            continue
        i = list(highlight).index(method)
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(
            x[at], mean[at], color=colour, marker=MARKERS[i % len(MARKERS)], linestyle=DASHES[i % len(DASHES)],
            markersize=4, linewidth=1.5, zorder=3,
        )  # fmt: skip
        ax.vlines(x[at], low[at], high[at], color=colour, linewidth=0.9, alpha=0.75, zorder=2)
        ends[method] = (float(x[at[-1]]), float(mean[at[-1]]), colour)
    _name_ends(ax, ends)
    label_axes(ax, "Number of labelled texts", lettering([measure], longest=80).texts[0])
    others = sum(method not in highlight for method in curves)
    if others:
        ax.set_xlabel(f"{ax.get_xlabel()}\n(grey: {counted(others, 'other method', 'other methods')})")
    return ax


def spread_apart(wanted: Floats, gap: float, low: float, high: float) -> Floats:
    """Return heights at least a gap apart, in the order of those wanted and near them, between two limits if they fit.

    >>> spread_apart(np.array([0.5, 0.5, 0.9]), 0.1, 0.0, 1.0).round(3)
    array([0.45, 0.55, 0.9 ])
    >>> spread_apart(np.array([1.0, 0.98]), 0.1, 0.0, 1.0).round(3)
    array([1. , 0.9])
    """
    order = np.argsort(wanted, kind="stable")
    # Names that touch form a block, which stands where its members want to be on average; blocks that touch unite.
    blocks: list[tuple[list[int], float]] = []
    for name in order.tolist():
        members, middle = [name], float(np.clip(wanted[name], low, high))
        while blocks:
            before, at = blocks[-1]
            if middle - at >= gap * (len(before) + len(members)) / 2 - 1e-12:
                break
            blocks.pop()
            members = [*before, *members]
            half = gap * (len(members) - 1) / 2
            middle = float(np.clip(np.mean(wanted[members]), low + half, max(low + half, high - half)))
        blocks.append((members, middle))
    placed = np.empty(len(wanted))
    for members, middle in blocks:
        placed[members] = middle + gap * (np.arange(len(members)) - (len(members) - 1) / 2)
    return placed


def _name_ends(ax: Axes, ends: Mapping[str, tuple[float, float, str]]) -> None:
    """Write each name to the right of the frame, at the height of its line's end or next to it, and join the two."""
    letters = lettering(ends, longest=32)
    ax.margins(x=0.03)
    ax.autoscale_view()
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    ax.set(xlim=(left, right), ylim=(bottom, top))  # names stand by these limits, so nothing may move them any more
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    heights = np.array([(y - bottom) / (top - bottom) for _, y, _ in ends.values()])
    placed = spread_apart(heights, NAME_SIZE * LINE_HEIGHT / height, 0.0, 1.0)
    last = max([x for x, _, _ in ends.values()], default=1.0)
    line = plot_module("lines").Line2D
    for text, (x, _, colour), is_at, at in zip(letters.texts, ends.values(), heights, placed, strict=True):
        across = float(np.log(x / left) / np.log(right / left))
        ax.add_artist(
            line(
                [across, BESIDE - 0.005], [is_at, at], transform=ax.transAxes, clip_on=False, color=colour,
                linewidth=0.6, linestyle="-" if x == last else ":", zorder=1,
            )
        )  # fmt: skip
        ax.text(
            BESIDE, at, text, transform=ax.transAxes, fontsize=NAME_SIZE, fontfamily=list(letters.families),
            color=colour, va="center", ha="left", parse_math=False,
        )  # fmt: skip
