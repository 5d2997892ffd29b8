"""Curves: a score against the damping factor, scores of several methods against the number of labels or any number.

Enter: numbers as a benchmark left them. Leaves: Axes with lines that differ in colour, marker and dashes, so that they
stay apart in grey and for colour-blind eyes, and bands for what is uncertain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._typing import Floats
from classinet.exceptions import InputError
from classinet.plotting._axes import COLOURS, INK, QUIET, chart_axes, label_axes, plot_module
from classinet.plotting._checks import band, numbers, places
from classinet.plotting._lettering import lettering

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACCURACY = "Accuracy (fraction of texts)"
# Numbers without a common divisor: the first 140 methods each have a combination of their own.
MARKERS = ("o", "s", "^", "D")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MOST_TICKS = 9


def plot_damping(
    dampings: Any,
    scores: Any,
    *,
    interval: tuple[Any, Any] | None = None,
    measure: str = ACCURACY,
    ax: Axes | None = None,
) -> Axes:
    """Draw a score against the damping factor of global expansion, and mark its peak.

    Parameters
    ----------
    dampings : damping factors, in any order.
    scores : one score for each; NaN leaves a hole.
    interval : lower and upper ends of an interval around each score, drawn as a band.
    measure : what a score is, for the axis.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> ax = plot_damping([0.95, 0.5, 0.85], [0.74, 0.71, 0.78], interval=([0.72, 0.69, 0.76], [0.76, 0.73, 0.80]))
    >>> ax.lines[0].get_xdata()
    array([0.5 , 0.85, 0.95])
    >>> ax.texts[0].get_text()
    'best at 0.85'
    """
    x = places("dampings", dampings, positive=False)
    y = numbers("scores", scores, len(x))
    if np.isnan(y).all():
        raise InputError("scores holds NaN alone, so there is nothing to draw")
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    ax = chart_axes(ax)
    ax.plot(x, y, color=COLOURS[0], marker="o", markersize=4, linewidth=1.4, zorder=3)
    if interval is not None:
        low, high = band("interval", *interval, len(x))
        ax.fill_between(x, low[order], high[order], color=COLOURS[0], alpha=0.18, linewidth=0)
    peak = int(np.nanargmax(y))
    if np.nanmin(y) < y[peak]:  # a flat curve has no best place
        ax.axvline(x[peak], color=QUIET, linestyle=":", linewidth=1.0)
        ax.annotate(
            f"best at {x[peak]:g}", (x[peak], 1.0), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", fontsize=8, color=INK, ha="center", va="bottom",
        )  # fmt: skip
    label_axes(ax, "Damping factor γ", lettering([measure], longest=80).texts[0])
    return ax


def plot_learning_curve(
    label_counts: Any,
    curves: Mapping[str, tuple[Any, Any, Any]],
    *,
    measure: str = ACCURACY,
    ax: Axes | None = None,
) -> Axes:
    """Draw how well methods do with how many labels, the number of labels on a logarithmic axis.

    Parameters
    ----------
    label_counts : numbers of labelled texts, in any order.
    curves : per method (mean, low, high), each with one score per number of labels; NaN leaves a hole.
    measure : what a score is, for the axis.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> none = [0.60, 0.68], [0.57, 0.66], [0.63, 0.70]
    >>> expanded = [0.70, 0.73], [0.68, 0.72], [0.72, 0.74]
    >>> ax = plot_learning_curve([200, 1000], {"no expansion": none, "global": expanded})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no expansion', 'global']
    """
    x = places("label_counts", label_counts, positive=True)
    ax = chart_axes(ax)
    _draw_bands(ax, x, curves)
    _label_ticks(ax, np.unique(x))
    label_axes(ax, "Number of labelled texts", lettering([measure], longest=80).texts[0])
    return ax


def plot_bands(
    at: Any, curves: Mapping[str, tuple[Any, Any, Any]], *, x: str, measure: str = ACCURACY, ax: Axes | None = None
) -> Axes:
    """Draw scores of several methods, each with a band, against any number on a plain axis.

    Parameters
    ----------
    at : where the scores were taken, in any order.
    curves : per method (mean, low, high), each with one score per place; NaN leaves a hole.
    x : what the places are, for the axis.
    measure : what a score is, for the axis.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> ax = plot_bands([1, 2], {"global": ([0.7, 0.8], [0.6, 0.7], [0.8, 0.9])}, x="Number of hops")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata()
    ('Number of hops', array([0.7, 0.8]))
    """
    places_at = places("at", at, positive=False)
    ax = chart_axes(ax)
    _draw_bands(ax, places_at, curves)
    if (places_at == places_at.round()).all():
        ax.xaxis.set_major_locator(plot_module("ticker").MaxNLocator(integer=True))
    label_axes(ax, x, lettering([measure], longest=80).texts[0])
    return ax


def _draw_bands(ax: Axes, x: Floats, curves: Mapping[str, tuple[Any, Any, Any]]) -> None:
    """Draw a line and a band for each method, and name them."""
    if not curves:
        raise InputError("curves holds no method, so there is nothing to draw")
    order = np.argsort(x, kind="stable")
    lines = []
    for i, (method, values) in enumerate(curves.items()):
        if not (isinstance(values, tuple | list) and len(values) == 3):
            raise InputError(f"curves[{method!r}] must be (mean, low, high), got {values!r}")
        mean = numbers(f"curves[{method!r}]", values[0], len(x))
        low, high = band(f"curves[{method!r}]", values[1], values[2], len(x))
        colour, marker, dashes = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], DASHES[i % len(DASHES)]
        lines += ax.plot(
            x[order], mean[order], color=colour, marker=marker, linestyle=dashes, markersize=4, linewidth=1.4, zorder=3
        )
        ax.fill_between(x[order], low[order], high[order], color=colour, alpha=0.13, linewidth=0)
    _name_lines(ax, lines, list(curves))


def _label_ticks(ax: Axes, counts: Any) -> None:
    """Label the numbers of labels themselves, or as many of them as fit, rather than powers of ten."""
    ticker = plot_module("ticker")
    ax.set_xscale("log")
    shown = counts[np.unique(np.linspace(0, len(counts) - 1, min(len(counts), MOST_TICKS)).round().astype(int))]
    ax.xaxis.set_major_locator(ticker.FixedLocator(shown))
    ax.xaxis.set_major_formatter(ticker.FixedFormatter([f"{count:,.10g}" for count in shown]))
    ax.xaxis.set_minor_locator(ticker.NullLocator())


def _name_lines(ax: Axes, lines: list[Any], methods: list[str]) -> None:
    letters = lettering(methods, longest=40)
    # Numbers stand in until the legend exists: it passes over names with "_" in front and reads "$" as a formula.
    # Above the axes, where it hides no curve and no band.
    legend = ax.legend(
        lines, [str(i) for i in range(len(lines))], fontsize=8, frameon=False, handlelength=3.2,
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2 if len(lines) > 2 else 1, borderaxespad=0,
    )  # fmt: skip
    for text, method in zip(legend.get_texts(), letters.texts, strict=True):
        text.set_parse_math(False)
        text.set_fontfamily(list(letters.families))
        text.set_text(method)
