"""How good the predictors are: held-out AUC of each vertex against how frequent its feature is.

Enter: a fitted net. Leaves: Axes with a point per predictor, or cells where points would cover each other, and the
median of predictors of similar frequency as a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._typing import Floats
from classinet.exceptions import InputError
from classinet.net import Net
from classinet.plotting._axes import COLOURS, QUIET, chart_axes, counted, label_axes, plot_module
from classinet.plotting._checks import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 3000
MEDIANS = 60
WIDE = 100.0  # times the smallest frequency
NARROWEST, SHARE = 11, 0.05  # predictors per median: so many, or this share of all if that is more


def plot_predictor_quality(net: Net, ax: Axes | None = None) -> Axes:
    """Draw how well each predictor ranks held-out texts against how frequent its feature is.

    The line is the running median over predictors of similar frequency; 0.5 is chance. Predictors without an AUC (their
    feature is in no held-out text, or in all) are left out and counted in a remark.

    Examples
    --------
    >>> from classinet import ClassiNet
    >>> rng = np.random.default_rng(0)
    >>> topics, words = rng.integers(2, size=(400, 1)), np.arange(12)
    >>> X = rng.random((400, 12)) < np.where(topics == words % 2, 0.4, 0.1)
    >>> net = ClassiNet().fit(X.astype(float)).net_
    >>> plot_predictor_quality(net).get_ylabel()
    'AUC on held-out texts (0.5 is chance)'
    """
    report = net.report()
    if "auc" not in report:
        raise InputError("this net holds no votes on held-out texts, so the quality of its predictors is not known")
    return plot_auc(net.frequency[net.columns], report["auc"], ax)


def plot_auc(share: Any, auc: Any, ax: Axes | None = None) -> Axes:
    """Draw AUCs that are known already against the share of texts that hold each feature; NaN where there is no AUC.

    Examples
    --------
    >>> plot_auc([0.1, 0.01], [0.8, 0.9]).get_xscale()
    'log'
    """
    auc = numbers("auc", auc)
    share = numbers("share", share, len(auc))
    known = np.isfinite(auc) & (share > 0)
    if not known.any():
        raise InputError("no predictor of this net has an AUC: their features are in no held-out text, or in all")
    x, y = share[known], auc[known]
    ax = chart_axes(ax)
    ax.set_xscale("log")
    if len(x) <= MOST_POINTS:
        ax.scatter(x, y, s=9, color=COLOURS[3], alpha=0.6, linewidths=0, rasterized=len(x) > 500)
    else:
        _cells(ax, x, y)
    ax.axhline(0.5, color=QUIET, linestyle=":", linewidth=1.0)
    ax.plot(*running_median(x, y), color=COLOURS[1], linewidth=1.8, label="running median")
    ax.legend(fontsize=8, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0)
    _mark_frequencies(ax, float(x.max() / x.min()))
    label_axes(
        ax,
        "Frequency of the feature (fraction of texts)",
        "AUC on held-out texts (0.5 is chance)",
        left_out=counted(int((~known).sum()), "predictor without AUC", "predictors without AUC"),
    )
    return ax


def running_median(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return medians of x and of y over a window that slides along x in equal steps of rank.

    >>> x, median = running_median(np.arange(1.0, 101.0), np.where(np.arange(100) < 50, 0.6, 0.9))
    >>> median[0], median[-1]
    (np.float64(0.6), np.float64(0.9))
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    window = min(len(x), max(NARROWEST, int(SHARE * len(x))))
    starts = np.unique(np.linspace(0, len(x) - window, MEDIANS).astype(np.int64))
    return (
        np.array([np.median(x[start : start + window]) for start in starts]),
        np.array([np.median(y[start : start + window]) for start in starts]),
    )


def _mark_frequencies(ax: Axes, widest: float) -> None:
    """Label powers of ten in plain figures, and what lies between where powers would be too few."""
    ticker = plot_module("ticker")
    ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if widest < WIDE else (1.0,)))
    ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(ticker.NullFormatter())


def _cells(ax: Axes, x: Floats, y: Floats) -> None:
    cells = ax.hexbin(x, y, gridsize=(60, 40), xscale="log", bins="log", mincnt=1, cmap="Greys", linewidths=0.1)
    bar = ax.figure.colorbar(cells, ax=ax, pad=0.02)
    bar.set_label("Predictors per cell", size=8)
    bar.ax.tick_params(labelsize=7)
