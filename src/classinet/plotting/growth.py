"""How something grows with size, on two logarithmic axes; and figures of a few methods as dots.

Enter: sizes and figures as a benchmark left them. Leaves: Axes with points, and the fitted power law through them as a
line, its exponent in the legend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet.exceptions import InputError
from classinet.plotting._axes import COLOURS, INK, QUIET, chart_axes, label_axes, plot_module
from classinet.plotting._checks import numbers, places
from classinet.plotting._lettering import lettering
from classinet.plotting.curves import DASHES, MARKERS, _name_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DECADE = 10.0
WIDE = 30.0  # times the smallest: from here on powers of ten are ticks enough


def plot_growth(
    curves: Mapping[str, tuple[Any, Any, float | None]], *, x: str, measure: str, ax: Axes | None = None
) -> Axes:
    """Draw how something grows with size: points, and the power law that was fitted to them as a line.

    Parameters
    ----------
    curves : per method (sizes, values, exponent); values above 0; an exponent of None draws no line.
    x, measure : what sizes and values are, for the axes.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> ax = plot_growth({"ours": ([1000, 4000], [2.0, 8.0], 1.0)}, x="Number of texts", measure="Seconds")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['ours: exponent 1.00']
    """
    if not curves:
        raise InputError("curves holds no method, so there is nothing to draw")
    ax = chart_axes(ax)
    lines, names = [], []
    low, high = [np.inf, np.inf], [0.0, 0.0]
    for i, (method, (sizes, values, exponent)) in enumerate(curves.items()):
        at = places(f"curves[{method!r}] (sizes)", sizes, positive=True)
        found = places(f"curves[{method!r}] (values)", numbers(method, values, len(at)), positive=True)
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        lines += ax.plot(at, found, color=colour, marker=marker, markersize=5, linestyle="none", zorder=3)
        names.append(method if exponent is None else f"{method}: exponent {exponent:z.2f}")
        if exponent is not None:
            # A line fitted by least squares goes through the mean of its points.
            ends = np.array([at.min(), at.max()])
            middle = np.log(found).mean() - exponent * np.log(at).mean()
            ax.plot(
                ends, np.exp(middle + exponent * np.log(ends)), color=colour, linewidth=1.2,
                linestyle=DASHES[i % len(DASHES)], zorder=2,
            )  # fmt: skip
        for side, seen in enumerate((at, found)):
            low[side], high[side] = min(low[side], float(seen.min())), max(high[side], float(seen.max()))
    ax.set_xscale("log")
    ax.set_yscale("log")
    # At least a decade high: a few percent over the whole height would look like growth.
    middle = np.sqrt(low[1] * high[1])
    ax.update_datalim([(low[0], middle / DECADE**0.5), (low[0], middle * DECADE**0.5)])
    ax.margins(x=0.06, y=0.12)
    for side, axis in enumerate((ax.xaxis, ax.yaxis)):
        _plain_figures(axis, max(high[side] / low[side], DECADE if side else 1.0))
    ax.grid(visible=True, which="major", color="#e6e6e6", linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    _name_lines(ax, lines, names)
    label_axes(ax, lettering([x], longest=80).texts[0] if x else "", measure)
    return ax


def _plain_figures(axis: Any, widest: float) -> None:
    """Label powers of ten as figures, and what lies between where powers would be too few."""
    ticker = plot_module("ticker")
    axis.set_major_locator(ticker.LogLocator(subs=(1.0,) if widest >= WIDE else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def plot_dots(values: Mapping[str, float], *, measure: str, ours: Sequence[str] = (), ax: Axes | None = None) -> Axes:
    """Draw one figure a method as a dot on a logarithmic axis, the figure beside it; ours in colour.

    Dots and no bars: a logarithmic axis has no zero, so the length of a bar would say nothing.

    Parameters
    ----------
    values : the figure of each method, above 0; the first is drawn on top.
    measure : what a figure is, for the axis.
    ours : methods to colour.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> ax = plot_dots({"ours": 2.0, "theirs": 4.5}, measure="Seconds", ours=["ours"])
    >>> [text.get_text() for text in ax.texts]
    ['2', '4.5']
    """
    if not values:
        raise InputError("values holds no method, so there is nothing to draw")
    found = places("values", list(values.values()), positive=True)
    letters = lettering(values, longest=40)
    ax = chart_axes(ax, height=0.6 + 0.3 * len(values))
    rows = np.arange(len(found))
    ax.hlines(rows, 0, 1, transform=ax.get_yaxis_transform(), color="#e6e6e6", linewidth=0.8, zorder=0)
    ax.scatter(found, rows, s=42, color=[COLOURS[0] if name in ours else QUIET for name in values], zorder=3)
    for row, value in zip(rows, found, strict=True):
        ax.annotate(
            f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", (value, row), (7, 0), textcoords="offset points",
            fontsize=8, color=INK, va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(found.min() / 2, found.max() * 3)  # room for the figure of the largest
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_yticks(rows, letters.texts, fontfamily=list(letters.families), parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    _plain_figures(ax.xaxis, float(found.max() / found.min()))
    label_axes(ax, lettering([measure], longest=80).texts[0], "")
    return ax
