"""Accuracy by overlap: how much of a text the labelled texts hold, and who judges it right where that is little.

Enter: stored cells of few labels and the texts they judged. Leave: two tables for the report. What expansion is for is
the text that shares few words with the labelled ones, so its gain should grow as the overlap falls. The overlap of a
text in a draw is the share of its distinct words that any text labelled in that draw holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from classinet._sparse import canonical_csr, column_counts, entries_per_row, presence, take_rows
from classinet._typing import Flags, Floats
from classinet.bench.cells import CellKey, CellStore
from classinet.bench.comparisons import FEW_LABELS, PLAIN
from classinet.bench.corpora import ANY, OWN
from classinet.bench.plan import Loaded, draw_rows
from classinet.bench.report import AnalysisResult, Labels
from classinet.bench.report.results import percent, signed
from classinet.bench.tables import MISSING
from classinet.bench.tasks import Labelled
from classinet.text import TextVectorizer

LABELS = "10-a-class"  # the one label count that all data sets have
BORDERS = (0.25, 0.5, 0.75)
TITLES = ("less than a quarter", "a quarter to a half", "a half to three quarters", "three quarters and more")
LEAST = 100  # judgements: a part with fewer is left out of all columns
OURS = "default"

Shares = Mapping[str, Sequence[float | None]]  # method → accuracy in each part, None where it has too few texts


def overlaps(data: Labelled, draws: int, labels: str = LABELS) -> Floats:
    """Return draws × test texts: the share of each text's distinct words that labelled texts hold; 0 for no words.

    Examples
    --------
    >>> from classinet.bench.tasks import labelled
    >>> parts = [-1, -1, -1, -1, 0, 0]
    >>> data = labelled("x", ["sun", "sun sun", "oven", "the oven", "the sun sets", "soup"], list("wwkkwk"), parts)
    >>> overlaps(data, draws=1, labels="2-a-class").round(2)
    array([[0.67, 0.  ]])
    """
    words = presence(canonical_csr(TextVectorizer().fit_transform(data.texts)))
    pool, tested = data.train(0), take_rows(words, data.test(0))
    held = []
    for draw in range(draws):
        labelled = pool[draw_rows(data.codes[pool], labels, draw)]
        known = column_counts(take_rows(words, labelled)) > 0
        held.append(tested @ known.astype(np.float64))
    return np.asarray(held) / np.maximum(entries_per_row(tested), 1)


def by_overlap(found: Floats, correct: Flags) -> list[float | None]:
    """Return the accuracy in each part of the judgements, by their overlap.

    >>> by_overlap(np.full((1, 200), 0.6), np.arange(200)[None] % 4 > 0)
    [None, None, 0.75, None]
    """
    part = np.searchsorted(BORDERS, found, side="right")
    return [
        float(correct[part == i].mean()) if np.count_nonzero(part == i) >= LEAST else None for i in range(len(TITLES))
    ]


def overlap_results(store: CellStore, tasks: Sequence[Loaded], labels: Labels) -> list[AnalysisResult]:
    """Return both tables: methods over all data sets, and what the default gains on each; none without cells."""
    shares = {one.task.key: dict(_shares(store, one, labels)) for one in tasks}
    shares = {task: of for task, of in shares.items() if PLAIN in of}
    gained = {task: of for task, of in shares.items() if OURS in of}
    return ([_of_methods(shares, labels)] if shares else []) + ([_of_tasks(gained, labels)] if gained else [])


def _of_methods(shares: Mapping[str, Shares], labels: Labels) -> AnalysisResult:
    everywhere = [method for method in labels.methods if all(method in of for of in shares.values())]
    means = {
        method: [_mean([of[method][i] for of in shares.values()]) for i in range(len(TITLES))] for method in everywhere
    }
    rows = [
        [labels.method(method).title, *(MISSING if mean is None else percent(mean) for mean in of)]
        for method, of in means.items()
    ]
    finding = (
        "Ten labels a class, own text: the accuracy on texts of which the labelled texts hold such a share of words, "
        f"as a mean over the data sets; only methods that were judged on all of them.{_finding(means)}"
    )
    return AnalysisResult("overlap", "Accuracy by overlap with the labelled texts", finding, ["method", *TITLES], rows)


def _of_tasks(shares: Mapping[str, Shares], labels: Labels) -> AnalysisResult:
    rows = [[labels.task(task).title, *map(_gain, of[PLAIN], of[OURS])] for task, of in shares.items()]
    finding = (
        "Accuracy without expansion, and by how many points the default is better. "
        f"{MISSING} fewer than {LEAST} judgements."
    )
    return AnalysisResult("overlap-gains", "What the default gains, by overlap", finding, ["data set", *TITLES], rows)


def _shares(store: CellStore, one: Loaded, labels: Labels) -> Iterator[tuple[str, list[float | None]]]:
    found: dict[int, Floats] = {}
    for method in labels.methods:
        for corpus in (OWN, ANY):
            key = CellKey(FEW_LABELS, one.task.key, corpus, method, LABELS)
            if not store.exists(key):
                continue
            correct = store.read(key).correct()
            draws = len(correct)
            if draws not in found:
                found[draws] = overlaps(one.data, draws)
            yield method, by_overlap(found[draws], correct)


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None


def _gain(before: float | None, after: float | None) -> str:
    return MISSING if before is None or after is None else f"{percent(before)} {signed(after - before)}"


def _finding(means: Shares) -> str:
    if OURS not in means:
        return ""
    gains = [
        f"{signed(after - before)} ({title})"
        for before, after, title in zip(means[PLAIN], means[OURS], TITLES, strict=True)
        if before is not None and after is not None
    ]
    return f" The default gains over no expansion, in points: {', '.join(gains)}."
