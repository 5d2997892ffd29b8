"""Tables of the study of few labels, one task and corpus each: scores, and gains over no expansion.

Enter: `Results`. Leave: `Table`s. A task judged by macro-F1 is scored and compared by it throughout.
"""

from __future__ import annotations

from collections.abc import Sequence

from classinet.bench.comparisons import PLAIN
from classinet.bench.report.paper import BLANK, best_of, rows_of
from classinet.bench.report.results import Results, labels_title, percent, signed
from classinet.bench.tables import Entry, Table

MEASURES = {"accuracy": "accuracy", "macro_f1": "macro-F1"}


def score_table(results: Results, task: str, corpus: str) -> Table:
    """Return methods × numbers of labels: mean and half of the 95 % interval.

    Examples
    --------
    >>> from classinet.bench.report.labels import Labels
    >>> from classinet.bench.scores import Estimate, Score, ScoreKey
    >>> key = ScoreKey("few-labels", "mr", "own", "scl", "50")
    >>> score = Score(key, 1, 3, 9, 50.0, Estimate(0.5, 0.4, 0.6, 0.1), Estimate(0.4), (), 1.0, 0.1, 9.0)
    >>> table = score_table(Results("few-labels", [score], [], Labels({}, {})), "mr", "own")
    >>> table.header, [entry.text for entry in table.rows[0].entries]
    (('method', '50'), ['scl', '50.0 ± 10.0'])
    """
    metric, methods, columns = results.labels.task(task).metric, results.methods_of(task, corpus), []
    for labels in results.label_counts([task]):
        found = [results.find(task, corpus, method, labels) for method in methods]
        estimates = [None if score is None else score.measure(metric) for score in found]
        best = best_of([None if e is None else e.mean for e in estimates])
        columns.append([
            BLANK if e is None else Entry(percent(e.mean) + _plus_minus(e.half), i in best)
            for i, e in enumerate(estimates)
        ])  # fmt: skip
    return _table(
        results, task, corpus, columns, "scores", MEASURES[metric],
        "In percent: mean over draws ± half of its 95 % t-interval, which holds for these test texts; of a single draw "
        "the interval over texts (Wilson), for macro-F1 none. Bold: best of a column. – not planned, or not computed.",
        methods,
    )  # fmt: skip


def gain_table(results: Results, task: str, corpus: str) -> Table | None:
    """Return methods × numbers of labels: by how much a method is better than no expansion on the same draws."""
    methods = [method for method in results.methods_of(task, corpus) if method != PLAIN]
    gains = [
        [results.gain(task, corpus, method, labels) for method in methods] for labels in results.label_counts([task])
    ]
    if not any(gain for column in gains for gain in column):
        return None
    columns = [
        [
            BLANK
            if g is None
            else Entry(signed(g.difference) + _plus_minus(_half(g.low, g.high)) + "*" * g.significant)
            for g in column
        ]
        for column in gains
    ]
    metric = results.labels.task(task).metric
    return _table(
        results, task, corpus, columns, "gains", f"{MEASURES[metric]} gained over no expansion",
        "In points, ± half of the 95 % interval over the draws that both share. * p < 0.01, paired t-test over draws "
        "(a single draw: exact McNemar test over texts; macro-F1 of a single draw is not tested). Draws share what was "
        "chosen on the labels of the first, and with many labels they share texts, so p is a little too small there.",
        methods,
    )  # fmt: skip


def _table(
    results: Results, task: str, corpus: str, columns: Sequence[Sequence[Entry]], name: str, what: str, note: str,
    methods: Sequence[str],
) -> Table:  # fmt: skip
    found = [score for method in methods if (score := results.find(task, corpus, method)) is not None]
    whole = found[0].n_labels if found else None
    header = ("method", *(labels_title(labels, whole) for labels in results.label_counts([task])))
    title = f"{results.labels.task(task).title}: {what}; unlabeled text: {results.labels.corpus(corpus)}"
    return Table(f"{name}-{task}-{corpus}", title, header, rows_of(results, methods, columns), (note,))


def _half(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2


def _plus_minus(half: float | None) -> str:
    return "" if half is None else f" ± {percent(half)}"
