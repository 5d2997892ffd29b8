"""Tables of the study of few labels: scores and gains a task and corpus, average ranks, and wins against no expansion.

Enter: `Results`. Leave: `Table`s. A task judged by macro-F1 is scored, ranked and compared by it throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import rankdata

from classinet.bench.comparisons import PLAIN
from classinet.bench.report.paper import BLANK, best_of, rows_of
from classinet.bench.report.results import Results, labels_title, percent, signed
from classinet.bench.tables import Entry, Table

MEASURES = {"accuracy": "accuracy", "macro_f1": "macro-F1"}
MOST_COLOURED = 7
ALWAYS_COLOURED = (PLAIN, "global", "default")  # also where only a part of the study has been computed
Block = tuple[str, str, str]  # task, corpus, number of labels


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


def rank_table(results: Results) -> Table:
    """Return each method's average rank over all tasks and corpora, by number of labels; 1 is best."""
    counts = results.label_counts(results.tasks)
    columns = []
    for labels in [*counts, None]:
        blocks = [block for block in _blocks(results) if labels in (None, block[2])]
        ranks = [_ranks(results, block) for block in blocks]
        whole = sum(bool(of_block) for of_block in ranks)
        columns.append([_mean_rank([of[m] for of in ranks if m in of], whole) for m in results.methods])
    return Table(
        "ranks",
        "Average rank over all tasks and corpora, by number of labels",
        ("method", *map(labels_title, counts), "everywhere"),
        rows_of(results, results.methods, columns),
        (
            "1 is best; equal scores share their ranks. A method is ranked among those that were judged there, so "
            "ranks run higher where more methods were; where it was judged in fewer places than others, their number "
            "is in brackets.",
        ),
    )


def win_table(results: Results) -> Table:
    """Return how often each method is significantly better and worse than no expansion, by number of labels."""
    methods = [method for method in results.methods if method != PLAIN]
    counts = results.label_counts(results.tasks)
    columns, tested = [], 0
    for labels in [*counts, None]:
        column = []
        for method in methods:
            gains = [
                gain
                for task, corpus, of in _blocks(results)
                if labels in (None, of)
                if (gain := results.gain(task, corpus, method, of)) is not None and gain.p is not None
            ]
            won = sum(gain.significant and gain.difference > 0 for gain in gains)
            lost = sum(gain.significant and gain.difference < 0 for gain in gains)
            column.append(Entry(f"{won} / {lost} / {len(gains) - won - lost}") if gains else BLANK)
            tested += len(gains) if labels is None else 0
        columns.append(column)
    return Table(
        "wins",
        "Better / worse / neither than no expansion at p < 0.01, by number of labels",
        ("method", *map(labels_title, counts), "everywhere"),
        rows_of(results, methods, columns),
        (
            f"Number of tasks and corpora. Of {tested:,} comparisons about {tested / 100:,.0f} would be marked by "
            "chance alone if no method made any difference.",
        ),
    )


def coloured(results: Results) -> list[str]:
    """Return the methods to colour in all learning curves: as asked for, or what is compared and the best by rank."""
    if results.labels.highlight:
        return list(results.labels.highlight)
    ranks = [of for block in _blocks(results) if (of := _ranks(results, block))]
    # The rank as a share of the methods that were there, so that places with few methods do not count as won.
    shares = {
        m: np.mean([of[m] / len(of) for of in ranks if m in of])
        for m in results.methods
        if sum(m in of for of in ranks) * 2 >= len(ranks) > 0
    }
    there = {score.key.method for score in results.scores}
    fixed = [method for method in ALWAYS_COLOURED if method in there]
    best = sorted((method for method in shares if method not in fixed), key=lambda method: shares[method])
    return [*fixed, *best][:MOST_COLOURED]


def _blocks(results: Results) -> Iterator[Block]:
    for task in results.tasks:
        for corpus in results.corpora(task):
            for labels in results.label_counts([task]):
                yield task, corpus, labels


def _ranks(results: Results, block: Block) -> dict[str, float]:
    """Return the rank of each method that was judged in a place."""
    task, corpus, labels = block
    metric = results.labels.task(task).metric
    found = {m: s for m in results.methods if (s := results.find(task, corpus, m, labels)) is not None}
    ranks = rankdata([-score.measure(metric).mean for score in found.values()])
    return dict(zip(found, ranks.tolist(), strict=True))


def _mean_rank(ranks: Sequence[float], places: int) -> Entry:
    if not ranks:
        return BLANK
    return Entry(f"{np.mean(ranks):.1f}" + (f" ({len(ranks)} of {places})" if len(ranks) < places else ""))


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
