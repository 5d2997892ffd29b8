"""Tables of the paper's study: its two tables beside ours, class scores, intervals, costs, and the paper's recipe.

Enter: `Results`. Leave: `Table`s, with "–" where a number is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from classinet.bench.comparisons import PLAIN
from classinet.bench.methods.base import RECIPE
from classinet.bench.published import PUBLISHED, TABLE_1, TABLE_2, PublishedTable, published
from classinet.bench.report.results import Results, percent
from classinet.bench.scores import Score
from classinet.bench.tables import MISSING, Entry, Row, Table

TEST = (
    "two-tailed exact McNemar test on which of the same texts each judged right, folds pooled; over several draws a "
    "paired t-test"
)
BLANK = Entry(MISSING)


def published_table(results: Results, corpus: str, of: PublishedTable) -> Table:
    """Return one of the paper's tables: our accuracy of each method on each task, the paper's beside it.

    Rows are the methods of the paper's table, no expansion, and methods that the paper does not know.

    Examples
    --------
    >>> from classinet.bench.report.labels import Labels, MethodLabel
    >>> results = Results("paper", [], [], Labels({"global": MethodLabel("Global")}, {}))
    >>> [entry.text for entry in published_table(results, "imdb", TABLE_2).rows[0].entries]
    ['Global', '–', '81.20*', '–', '83.89*', '–', '89.70', '–', '88.3']
    """
    known = {method for method, _ in PUBLISHED}
    methods = [m for m in _usual(results) if m in of.methods or m not in known or m == PLAIN]
    columns, header, elsewhere = [], ["method"], False
    for task in of.tasks:
        title = results.labels.task(task).title
        header += [title, f"{title}, paper"]
        columns += [_ours(results, corpus, task, methods), _printed(task, methods, of)]
        elsewhere |= any((found := published(m, task)) is not None and found.elsewhere for m in methods)
    notes = [
        f"Accuracy in percent. Bold: best of a column. * significantly better than the second best (p < 0.01, {TEST}; "
        "in the paper's columns as printed there).",
        f"{MISSING} not computed, or not published.",
    ]
    if elsewhere:
        notes.append(
            "† published for a model that learnt from another corpus, or from one that the paper does not name."
        )
    return Table(
        f"{of.name}-{corpus}",
        f"{of.title}: accuracy beside the paper's; unlabeled text: {results.labels.corpus(corpus)}",
        tuple(header),
        rows_of(results, methods, columns),
        tuple(notes),
    )


def recipe_table(results: Results, corpus: str) -> Table | None:
    """Return the accuracies of methods in the group `RECIPE`, or None without such methods."""
    methods = [method for method in results.methods if results.labels.method(method).group == RECIPE]
    if not methods:
        return None
    columns = [_ours(results, corpus, task, methods, star=False) for task in results.tasks]
    return Table(
        f"recipe-{corpus}",
        f"{RECIPE}: accuracy; unlabeled text: {results.labels.corpus(corpus)}",
        ("method", *_titles(results)),
        tuple(Row(row.entries) for row in rows_of(results, methods, columns)),
        ("Accuracy in percent. Bold: best of a column. The paper names no number of hops.",),
    )


def interval_table(results: Results, corpus: str) -> Table:
    """Return the 95 % interval of every accuracy."""

    def entry(score: Score) -> Entry:
        low, high = score.accuracy.low, score.accuracy.high
        return BLANK if low is None or high is None else Entry(f"{percent(low)}–{percent(high)}")

    return _each_task(
        results, corpus, "intervals", "95 % intervals of accuracy", entry,
        "In percent. Wilson's interval over the texts of all folds; over several draws the t-interval of their mean.",
    )  # fmt: skip


def macro_f1_table(results: Results, corpus: str) -> Table:
    """Return macro-F1 of every method on every task."""
    return _each_task(
        results, corpus, "macro-f1", "Macro-F1", lambda score: Entry(percent(score.macro_f1.mean, 2)),
        "In percent, over the texts of all folds. Bold: best of a column.", strong=True,
    )  # fmt: skip


def class_table(results: Results, corpus: str, task: str) -> Table | None:
    """Return accuracy and F1 of each class of a task, or None where no method was judged on it."""
    scores = {method: results.find(task, corpus, method) for method in results.methods}
    classes = next((score.classes for score in scores.values() if score is not None and score.classes), None)
    if classes is None:
        return None
    columns = []
    for i in range(len(classes)):
        of_class = {m: s.classes[i] for m, s in scores.items() if s is not None and s.classes}
        columns.append([
            Entry(f"{percent(of_class[m].recall)} / {percent(of_class[m].f1)}") if m in of_class else BLANK
            for m in results.methods
        ])  # fmt: skip
    title = results.labels.task(task).title
    return Table(
        f"classes-{task}-{corpus}",
        f"{title}: accuracy within each class / F1; unlabeled text: {results.labels.corpus(corpus)}",
        ("method", *(f"{result.name} ({result.n:,})" for result in classes)),
        rows_of(results, results.methods, columns),
        ("In percent; in brackets the number of texts of the class. Accuracy within a class is its recall.",),
    )


def cost_table(results: Results, corpus: str) -> Table:
    """Return what each method took: time to learn from unlabeled text, time to train and judge, memory."""
    methods = results.methods
    costs: list[list[Entry]] = [[], [], []]
    for method in methods:
        found = [
            score
            for task in results.tasks
            for labels in results.label_counts([task])
            if (score := results.find(task, corpus, method, labels)) is not None
        ]
        costs[0].append(Entry(_seconds(max(s.fit_seconds for s in found))) if found else BLANK)
        costs[1].append(Entry(_seconds(sum(s.run_seconds for s in found) / len(found))) if found else BLANK)
        costs[2].append(Entry(f"{max(s.peak_memory_mb for s in found):,.0f}") if found else BLANK)
    return Table(
        f"costs-{corpus}",
        f"Cost; unlabeled text: {results.labels.corpus(corpus)}",
        ("method", "learn from unlabeled text (s)", "train and judge once (s)", "peak memory (MB)"),
        rows_of(results, methods, costs),
        (
            "The longest fit and transform of any task; the mean run over tasks and numbers of labels, choice of "
            "parameters included; the largest resident memory of the process, which holds the texts of all tasks.",
        ),
    )


def rows_of(results: Results, methods: Sequence[str], columns: Sequence[Sequence[Entry]]) -> tuple[Row, ...]:
    """Return rows of methods from columns of entries."""
    labels = [results.labels.method(method) for method in methods]
    return tuple(
        Row((Entry(label.title), *(column[i] for column in columns)), label.group) for i, label in enumerate(labels)
    )


def best_of(values: Sequence[float | None]) -> list[int]:
    """Return the places of the largest value.

    >>> best_of([0.5, None, 0.7, 0.7]), best_of([None])
    ([2, 3], [])
    """
    known = [value for value in values if value is not None]
    return [i for i, value in enumerate(values) if known and value == max(known)]


def _usual(results: Results) -> list[str]:
    return [method for method in results.methods if results.labels.method(method).group != RECIPE]


def _titles(results: Results) -> list[str]:
    return [results.labels.task(task).title for task in results.tasks]


def _ours(results: Results, corpus: str, task: str, methods: Sequence[str], *, star: bool = True) -> list[Entry]:
    """Return a column of our accuracies, the best in bold, with a star where the second best is significantly worse."""
    scores = [results.find(task, corpus, method) for method in methods]
    values = [None if score is None else score.accuracy.mean for score in scores]
    best = best_of(values)
    mark = "*" if star and _stands_out(results, corpus, task, methods, values) else ""
    return [
        BLANK if value is None else Entry(percent(value, 2) + (mark if i in best else ""), i in best)
        for i, value in enumerate(values)
    ]


def _stands_out(
    results: Results, corpus: str, task: str, methods: Sequence[str], values: Sequence[float | None]
) -> bool:
    ranked = sorted(((value, m) for value, m in zip(values, methods, strict=True) if value is not None), reverse=True)
    if len(ranked) < 2 or ranked[0][0] == ranked[1][0]:
        return False
    compared = results.compared(task, corpus, ranked[0][1], ranked[1][1])
    return compared is not None and compared.significant


def _printed(task: str, methods: Sequence[str], of: PublishedTable) -> list[Entry]:
    found = [published(method, task) if method in of.methods else None for method in methods]
    best = best_of([None if f is None else f.accuracy for f in found])
    return [
        BLANK if f is None else Entry(f.printed + "*" * f.star + "†" * f.elsewhere, i in best)
        for i, f in enumerate(found)
    ]


def _each_task(
    results: Results, corpus: str, name: str, title: str, entry: Callable[[Score], Entry], note: str,
    *, strong: bool = False,
) -> Table:  # fmt: skip
    """Return methods × tasks; with `strong` the entry of the largest macro-F1 is bold."""
    columns = []
    for task in results.tasks:
        scores = [results.find(task, corpus, method) for method in results.methods]
        best = best_of([None if score is None else score.macro_f1.mean for score in scores]) if strong else []
        columns.append([BLANK if s is None else Entry(entry(s).text, i in best) for i, s in enumerate(scores)])
    return Table(
        f"{name}-{corpus}",
        f"{title}; unlabeled text: {results.labels.corpus(corpus)}",
        ("method", *_titles(results)),
        rows_of(results, results.methods, columns),
        (note,),
    )


def _seconds(value: float) -> str:
    """Return seconds with as many digits as matter."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.3f}"


__all__ = [
    "TABLE_1",
    "TABLE_2",
    "best_of",
    "class_table",
    "cost_table",
    "interval_table",
    "macro_f1_table",
    "published_table",
    "recipe_table",
    "rows_of",
]
