"""Tables of the study of few labels over all its tasks: scores side by side, means, gains, ranks and wins.

Enter: `Results`. Leave: `Table`s. A task judged by macro-F1 is scored, ranked and compared by it throughout. A mean is
given only of methods that were judged on all tasks it is of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import rankdata

from classinet.bench.comparisons import PLAIN, Paired
from classinet.bench.report.paper import BLANK, best_of, rows_of
from classinet.bench.report.results import Results, labels_title, percent, signed
from classinet.bench.tables import Entry, Table

MOST_COLOURED = 7
ALWAYS_COLOURED = (PLAIN, "global", "default")  # also where only a part of the study has been computed
OWN = "own"
Block = tuple[str, str, str]  # task, corpus, number of labels
Places = Sequence[Block]


def shared_table(results: Results, corpus: str = OWN) -> Table | None:
    """Return methods × tasks at the fewest labels that all tasks have in common, and the mean over them.

    Examples
    --------
    >>> from classinet.bench.report.labels import Labels
    >>> from classinet.bench.scores import Estimate, Score, ScoreKey
    >>> scores = [
    ...     Score(ScoreKey("few-labels", task, "own", "scl", labels), 1, 3, 9, 50.0, Estimate(value), Estimate(0.4), (),
    ...           1.0, 0.1, 9.0)
    ...     for task, labels, value in [("cr", "10", 0.5), ("cr", "50", 0.6), ("mr", "50", 0.8)]
    ... ]
    >>> table = shared_table(Results("few-labels", scores, [], Labels({}, {})))
    >>> table.header, [entry.text for entry in table.rows[0].entries]
    (('method', 'cr', 'mr', 'mean'), ['scl', '60.0', '80.0', '70.0'])
    """
    tasks = [task for task in results.tasks if corpus in results.corpora(task)]
    shared = _shared_counts(results, tasks)
    if not shared:
        return None
    places = [(task, corpus, shared[0]) for task in tasks]
    columns = [_scores(results, [place]) for place in places] + [_scores(results, places)]
    return Table(
        f"side-by-side-{corpus}",
        f"{labels_title(shared[0])}, unlabeled text: {results.labels.corpus(corpus)}",
        ("method", *(_measured(results, task) for task in tasks), "mean"),
        rows_of(results, results.methods, columns),
        ("In percent, means over draws. Bold: best of a column. F: macro-F1, elsewhere accuracy.",),
    )


def mean_tables(results: Results, corpus: str = OWN) -> list[Table]:
    """Return methods × numbers of labels, as means over tasks: one table for tasks whose labels are counted alike."""
    alike: dict[bool, list[str]] = {}
    for task in results.tasks:
        if corpus in results.corpora(task):
            alike.setdefault(any(map(str.isdecimal, results.label_counts([task]))), []).append(task)
    tables = []
    for in_all, tasks in sorted(alike.items(), reverse=True):
        counts = _shared_counts(results, tasks)
        if len(tasks) < 2 or not counts:
            continue
        columns = [_scores(results, [(task, corpus, labels) for task in tasks]) for labels in counts]
        tables.append(Table(
            f"means-{corpus}-{'in-all' if in_all else 'a-class'}",
            f"Mean over {', '.join(_measured(results, task) for task in tasks)}; unlabeled text: "
            f"{results.labels.corpus(corpus)}",
            ("method", *map(labels_title, counts)),
            rows_of(results, results.methods, columns),
            ("In percent. Bold: best of a column. F: macro-F1, elsewhere accuracy.",),
        ))  # fmt: skip
    return tables


def gains_table(results: Results) -> Table:
    """Return by how much each method is better than no expansion on average, and in how many places it is."""
    methods = [method for method in results.methods if method != PLAIN]
    counts = results.label_counts(results.tasks)
    columns = []
    for labels in [*counts, None]:
        of_methods = [list(_gains(results, method, labels)) for method in methods]
        columns.append([_mean_gain(gains) for gains in of_methods])
    return Table(
        "mean-gains",
        "Mean gain over no expansion, and where there is one, by number of labels",
        ("method", *map(labels_title, counts), "everywhere"),
        rows_of(results, methods, columns),
        ("In points, over tasks and corpora; in brackets in how many of them the method is better.",),
    )


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
            gains = [gain for gain in _gains(results, method, labels) if gain.p is not None]
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


def _gains(results: Results, method: str, labels: str | None) -> Iterator[Paired]:
    """Yield the comparisons of a method with no expansion at a number of labels; None is all."""
    for task, corpus, of in _blocks(results):
        if labels in (None, of) and (gain := results.gain(task, corpus, method, of)) is not None:
            yield gain


def _mean_gain(gains: Sequence[Paired]) -> Entry:
    if not gains:
        return BLANK
    differences = [gain.difference for gain in gains]
    better = sum(difference > 0 for difference in differences)
    return Entry(f"{signed(float(np.mean(differences)))} ({better} of {len(gains)})")


def _scores(results: Results, places: Places) -> list[Entry]:
    """Return a column: the mean of each method over the places, where it was judged in all of them."""
    means: list[float | None] = []
    for method in results.methods:
        found = [results.find(task, corpus, method, labels) for task, corpus, labels in places]
        values = [
            score.measure(results.labels.task(score.key.task).metric).mean for score in found if score is not None
        ]
        means.append(float(np.mean(values)) if len(values) == len(places) else None)
    best = best_of(means)
    return [BLANK if mean is None else Entry(percent(mean), i in best) for i, mean in enumerate(means)]


def _shared_counts(results: Results, tasks: Sequence[str]) -> list[str]:
    """Return the numbers of labels that every one of the tasks has, fewest first."""
    each = [set(results.label_counts([task])) for task in tasks]
    return [labels for labels in results.label_counts(tasks) if all(labels in counts for counts in each)]


def _measured(results: Results, task: str) -> str:
    label = results.labels.task(task)
    return label.title + (" (F)" if label.metric == "macro_f1" else "")
