"""Figures of a report: learning curves drawn from scores, and files that are the same bytes every time.

Enter: `Results`, or Axes. Leave: `NAME.svg` and `NAME.png`, and SVG that can stand inside a page beside others.
"""

from __future__ import annotations

import re
from html import escape
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from classinet.bench.report.results import Results
from classinet.bench.scores import ALL_LABELS
from classinet.exceptions import InputError
from classinet.plotting import plot_many_learning_curves, save
from classinet.plotting._axes import plot_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

Points = tuple[list[float], list[float], list[float]]


def learning_curves(results: Results, task: str, corpus: str, highlight: Sequence[str]) -> Axes | None:
    """Draw the scores of all methods on a task against the number of labels, or return None where there are none.

    A curve is of labels that were drawn in one way: where there are numbers in all, those a class are left out.
    """
    metric = results.labels.task(task).metric
    counts = one_way_of_drawing(results.label_counts([task]))
    found = {
        method: [results.find(task, corpus, method, labels) for labels in counts]
        for method in results.methods_of(task, corpus)
    }
    at = [
        max((s.n_labels for row in found.values() if (s := row[i]) is not None), default=nan)
        for i in range(len(counts))
    ]
    known = [i for i, count in enumerate(at) if count > 0]
    curves: dict[str, Points] = {}
    for method, row in found.items():
        estimates = [None if (score := row[i]) is None else score.measure(metric) for i in known]
        if any(estimates):
            curves[results.labels.method(method).title] = (
                [nan if e is None else e.mean for e in estimates],
                [nan if e is None or e.low is None else e.low for e in estimates],
                [nan if e is None or e.high is None else e.high for e in estimates],
            )
    if not curves:
        return None
    return plot_many_learning_curves(
        [at[i] for i in known],
        curves,
        [results.labels.method(method).title for method in highlight],
        measure="Accuracy (fraction of texts)" if metric == "accuracy" else "Macro-F1",
    )


def one_way_of_drawing(counts: Sequence[str]) -> list[str]:
    """Return numbers of labels in all, if there are any, and all labels; else numbers a class.

    >>> one_way_of_drawing(["10", "20", "10-a-class", "all"]), one_way_of_drawing(["5-a-class", "all"])
    (['10', '20', 'all'], ['5-a-class', 'all'])
    """
    in_all = [labels for labels in counts if labels.isdecimal()]
    return [*in_all, *(labels for labels in counts if labels == ALL_LABELS)] if in_all else list(counts)


def save_figure(ax: Axes, folder: Path, name: str) -> Path:
    """Write a picture as SVG and as PNG, the same bytes every time, and return the path of the SVG.

    >>> import tempfile
    >>> from classinet.plotting import plot_damping
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_figure(plot_damping([0.5, 0.85], [0.7, 0.8]), Path(folder), "damping")
    ...     path.name, sorted(file.name for file in Path(folder).iterdir())
    ('damping.svg', ['damping.png', 'damping.svg'])
    """
    with plot_module("").rc_context({"svg.hashsalt": name}):
        save(ax, folder / f"{name}.svg")
    save(ax, folder / f"{name}.png")
    return folder / f"{name}.svg"


def inline_svg(path: Path, name: str, title: str) -> str:
    """Return the SVG of a file as a part of a page: its ids its own, named for readers who do not see it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.svg"
    ...     _ = path.write_text('<?xml version="1.0"?><svg width="9pt"><g id="x"/><use href="#x"/></svg>')
    ...     print(inline_svg(path, "a", "A & B"))
    <svg role="img" aria-label="A &amp; B" width="9pt"><g id="a-x"/><use href="#a-x"/></svg>
    """
    text = path.read_text(encoding="utf-8")
    start = re.search(r"<svg\b", text)
    if start is None:
        raise InputError(f"{path} holds no <svg> element; draw this figure anew")
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text[start.start() :], flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'\bhref="#', f'href="#{name}-', text)
    text = text.replace("url(#", f"url(#{name}-")
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1).rstrip()
