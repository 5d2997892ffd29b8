"""Histograms: how many edges leave a vertex, and how many times larger a text becomes by expansion.

Enter: a graph, or texts before and after. Leaves: Axes with bars and the mean as a dashed line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from classinet._typing import Csr, Floats, Integers, MatrixLike
from classinet._validation import check_matrix
from classinet.exceptions import InputError
from classinet.graph import FeatureGraph
from classinet.graph.selection import row_of_entries
from classinet.plotting._axes import INK, chart_axes, counted, label_axes, plot_module
from classinet.plotting._checks import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 40
WIDE = 100.0  # times the smallest degree: beyond, equal bars would show one bar and a long empty tail


def plot_out_degree(
    graph: FeatureGraph, *, weighted: bool = False, log: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how many vertices have how many edges leaving them, as the paper does.

    Parameters
    ----------
    graph : the graph.
    weighted : sum the weights of the edges rather than count them; the mean is then the paper's out-degree d.
    log : logarithmic axes, on which vertices without edges cannot be drawn and are counted in a remark; None takes them
        where the largest degree is over a hundred times the smallest.
    ax : where to draw; None makes a figure.

    Examples
    --------
    >>> graph = FeatureGraph(["cat", "dog", "pet"], np.array([[0, 0.8, 0.5], [0.6, 0, 0], [0.5, 0.9, 0]]))
    >>> [int(bar.get_height()) for bar in plot_out_degree(graph).patches]
    [1, 2]
    """
    if not graph.n_vertices:
        raise InputError("the graph has no vertices, so there are no degrees to draw")
    return plot_degrees(graph.out_degree(weighted=weighted), weighted=weighted, log=log, ax=ax)


def plot_degrees(degrees: Any, *, weighted: bool = False, log: bool | None = None, ax: Axes | None = None) -> Axes:
    """Draw out-degrees that are known already, one a vertex; parameters as of `plot_out_degree`.

    Examples
    --------
    >>> [int(bar.get_height()) for bar in plot_degrees([1, 1, 2, 1]).patches]
    [3, 1]
    """
    degrees = numbers("degrees", degrees)
    positive = degrees[degrees > 0]
    if log is None:
        log = bool(len(positive)) and bool(positive.max() > WIDE * positive.min())
    if log and not len(positive):
        raise InputError("no vertex has an edge, and logarithmic axes cannot show zero; use log=False")
    ax = chart_axes(ax)
    whole = not weighted
    if log:
        _bars(ax, positive, _log_edges(positive, whole=whole))
        ax.set_xscale("log")
        ax.set_yscale("log")
        missing = len(degrees) - len(positive)
    else:
        _bars(ax, degrees, _edges(degrees, whole=whole))
        if whole:
            ax.xaxis.set_major_locator(plot_module("ticker").MaxNLocator(integer=True))
        missing = 0
    _mark_mean(ax, degrees)
    left_out = counted(missing, "vertex without edges", "vertices without edges")
    unit = "sum of edge weights" if weighted else "number of edges"
    label_axes(ax, f"Out-degree ({unit})", "Number of vertices", left_out=left_out)
    return ax


def expansion_ratios(X: MatrixLike, E: MatrixLike, columns: Integers | None = None) -> Floats:
    """Return per text how many times as many features it has after expansion as before.

    Parameters
    ----------
    X : texts × features, before.
    E : texts × vertices, what the expansion adds.
    columns : the feature column of each vertex (`net.columns`): a predicted feature that the text holds already is then
        not counted again, as in the paper. None counts every one, as features under names of their own (`EXP=cat`).

    Returns
    -------
    One ratio per text, at least 1; NaN for a text without features.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [0, 0, 0]])
    >>> E = np.array([[0.4, 0.0, 0.2], [0.0, 0.0, 0.0]])
    >>> expansion_ratios(X, E)
    array([ 2., nan])
    >>> expansion_ratios(X, E, columns=np.array([0, 1, 2]))
    array([1.5, nan])
    """
    before, added = check_matrix(X, "X"), check_matrix(E, "E")
    if before.shape[0] != added.shape[0]:
        raise InputError(f"X has {before.shape[0]} rows and E {added.shape[0]}; they must be the same texts")
    original, new = np.diff(before.indptr), np.diff(added.indptr)
    if columns is not None:
        own = np.asarray(columns, dtype=np.int64)
        if own.shape != (added.shape[1],) or (own < 0).any() or (own >= before.shape[1]).any():
            raise InputError(f"columns must name one of the {before.shape[1]} columns of X for each column of E")
        new = new - _shared(before, added, own)
    ratios: Floats = np.divide(original + new, original, out=np.full(len(original), np.nan), where=original > 0)
    return ratios


def plot_expansion_ratio(ratios: Floats, ax: Axes | None = None) -> Axes:
    """Draw how many texts become how many times larger, from what `expansion_ratios` returns.

    Texts without features, whose ratio is NaN, are left out and counted in a remark.

    Examples
    --------
    >>> ax = plot_expansion_ratio([1.5, 2.0, 2.5, float("nan")])
    >>> sum(int(bar.get_height()) for bar in ax.patches)
    3
    """
    values = numbers("ratios", ratios)
    known = values[~np.isnan(values)]
    if not len(known):
        raise InputError("ratios holds NaN alone: no text has a feature to compare with")
    ax = chart_axes(ax)
    _bars(ax, known, _edges(known, whole=False))
    _mark_mean(ax, known)
    left_out = counted(len(values) - len(known), "text without features", "texts without features")
    label_axes(ax, "Features after expansion / features before", "Number of texts", left_out=left_out)
    return ax


def _shared(before: Csr, added: Csr, columns: Integers) -> Integers:
    """Number of features per row that are stored in both."""
    width = before.shape[1]
    held = row_of_entries(before) * width + before.indices
    predicted_rows = row_of_entries(added)
    both = np.isin(predicted_rows * width + columns[added.indices], held)
    return np.bincount(predicted_rows[both], minlength=added.shape[0])


def _edges(values: Floats, *, whole: bool) -> Floats:
    """Borders of equally wide bars; whole numbers stand in the middle of theirs, or so many of them share one."""
    low, high = values.min(), values.max()
    if whole:
        step = np.ceil((high - low + 1) / MOST_BARS)
        edges: Floats = low - 0.5 + step * np.arange(np.ceil((high - low + 1) / step) + 1)
        return edges
    if low == high:
        # One bar of a width that can be seen at this value.
        return np.array([low - 0.05 * max(1.0, abs(low)), low + 0.05 * max(1.0, abs(low))])
    return np.linspace(low, high, int(np.clip(np.sqrt(len(values)), 5, MOST_BARS)) + 1)


def _log_edges(values: Floats, *, whole: bool) -> Floats:
    """Borders of bars that are equally wide on a logarithmic axis; none so narrow that it holds no whole number."""
    low, high = values.min(), values.max()
    if low == high:
        return np.array([low / 1.1, low * 1.1])
    # Rounding must not leave the extremes outside.
    first, last = (low, high + 1) if whole else (low, high)
    edges = np.geomspace(first, last, MOST_BARS // 2 + 1)
    edges[[0, -1]] = first, last
    return np.unique(np.floor(edges)) - 0.5 if whole else edges


def _bars(ax: Axes, values: Floats, edges: Floats) -> None:
    heights, _ = np.histogram(values, edges)
    ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color="#9ecae1", edgecolor=INK, linewidth=0.5)
    if len(heights) == 1:
        # A lone bar that filled the whole width would not look like one value.
        ax.set_xlim(edges[0] - 2 * (edges[1] - edges[0]), edges[1] + 2 * (edges[1] - edges[0]))


def _mark_mean(ax: Axes, values: Floats) -> None:
    mean = float(values.mean())
    ax.axvline(mean, color=INK, linestyle="--", linewidth=1.0)
    ax.annotate(
        f"mean {mean:,.2f}", (mean, 1.0), (3, 2), xycoords=("data", "axes fraction"), textcoords="offset points",
        fontsize=8, color=INK, ha="left", va="bottom",
    )  # fmt: skip
