"""Paired comparisons of methods, and their CSV file.

Enter: pooled predictions of methods on the same texts. Leave: `Paired`: by how much one is better than another, and
how often chance would show as much. One draw: exact McNemar test on which texts each judged right. Several draws:
paired t-test on the scores of the draws, which both methods were given alike. `comparisons.csv` holds what no score
can give back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from math import inf, sqrt
from os import PathLike

import numpy as np
from scipy.stats import t as student

from classinet._typing import Floats
from classinet.bench.cells import Cell
from classinet.bench.corpora import ANY
from classinet.bench.scores import Pooled, Score, over_draws, pooled_by_task, read_csv, score, write_csv
from classinet.evaluation import compare
from classinet.exceptions import InputError

PAPER, FEW_LABELS = "paper", "few-labels"
PLAIN = "none"  # the method that expands nothing
LEVEL = 0.01  # the paper's


@dataclass(frozen=True)
class Paired:
    """Two methods on the same texts.

    Attributes
    ----------
    study, task, corpus, labels : where they were compared.
    first, second : the methods.
    measure : "accuracy" or "macro_f1".
    test : "mcnemar" (one draw), "draws" (paired t-test over draws) or "" (macro-F1 of one draw: no test).
    n : texts of a McNemar test, else draws.
    difference : of the first less the second; `low` and `high` are its 95 % interval.
    p : two-tailed.
    only_first, only_second : texts that only one judged right, for a McNemar test.
    """

    study: str
    task: str
    corpus: str
    labels: str
    first: str
    second: str
    measure: str
    test: str
    n: int
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    only_first: int | None = None
    only_second: int | None = None

    @property
    def significant(self) -> bool:
        """Whether p is below 0.01.

        >>> Paired("paper", "mr", "imdb", "all", "global", "scl", "accuracy", "mcnemar", 9, 0.0, p=1.0).significant
        False
        """
        return self.p is not None and self.p < LEVEL


def summarise(cells: Iterable[Cell]) -> tuple[list[Score], list[Paired]]:
    """Return all that tables are made of: the score of each method, and comparisons of methods.

    In the study of few labels every method is compared with no expansion, elsewhere every method with every other.

    Parameters
    ----------
    cells : as `CellStore.all` gives them.

    Examples
    --------
    >>> from classinet.bench.cells import CellKey, Run
    >>> cells = [
    ...     Cell(CellKey("paper", "mr", "imdb", method), "d", ("no", "yes"), (0, 1, 1),
    ...          (Run(0, 9, said, {}, 0.1),), 2.0, 99.0, {})
    ...     for method, said in [("global", (0, 1, 1)), ("none", (0, 1, 0))]
    ... ]
    >>> scores, comparisons = summarise(cells)
    >>> [(score.key.method, round(score.accuracy.mean, 2)) for score in scores]
    [('global', 1.0), ('none', 0.67)]
    >>> comparisons[0].first, comparisons[0].second, comparisons[0].only_first, comparisons[0].p
    ('global', 'none', 1, 1.0)
    """
    scores: list[Score] = []
    comparisons: list[Paired] = []
    for of_task in pooled_by_task(cells):
        scores += map(score, of_task)
        comparisons += _of_task(of_task)
    return scores, comparisons


def paired(first: Pooled, second: Pooled, measure: str, corpus: str) -> Paired | None:
    """Compare two methods on the draws they share, or return None where they share none or judged other folds."""
    if first.splits != second.splits:
        return None
    if first.classes != second.classes or not np.array_equal(first.truth, second.truth):
        raise InputError(f"{first.key} and {second.key} were judged on other texts; remove one, and compute it anew")
    shared = [draw for draw in first.draws if draw in second.draws]
    if not shared:
        return None
    key = first.key
    place = (key.study, key.task, corpus, key.labels, key.method, second.key.method, measure)
    rows = [[pooled.draws.index(draw) for draw in shared] for pooled in (first, second)]
    if len(shared) == 1 and measure == "accuracy":
        result = compare(first.correct()[rows[0][0]], second.correct()[rows[1][0]])
        return Paired(
            *place, "mcnemar", result.n, result.difference, result.low, result.high, result.p, result.only_first,
            result.only_second,
        )  # fmt: skip
    differences = _values(first, measure)[rows[0]] - _values(second, measure)[rows[1]]
    if len(shared) == 1:
        return Paired(*place, "", 1, float(differences[0]))
    found = over_draws(differences, lowest=-1.0)
    return Paired(*place, "draws", len(shared), found.mean, found.low, found.high, paired_p(differences))


def paired_p(differences: Floats) -> float:
    """Return the two-tailed p of a paired t-test; of equal differences 1 if they are zero, else 0.

    >>> print(f"{paired_p(np.array([0.02, 0.03, 0.04, 0.01])):.4f}")
    0.0305
    """
    mean, sd = float(np.mean(differences)), float(np.std(differences, ddof=1))
    if mean == 0:
        return 1.0
    statistic = abs(mean) / (sd / sqrt(len(differences))) if sd else inf
    return float(2 * student.sf(statistic, len(differences) - 1))


def write_comparisons(path: str | PathLike[str], comparisons: Iterable[Paired]) -> None:
    """Write comparisons as CSV, one a line, sorted; numbers are written exactly.

    >>> import tempfile
    >>> from pathlib import Path
    >>> result = Paired("paper", "mr", "imdb", "all", "global", "scl", "accuracy", "mcnemar", 9, 0.0, -0.1, 0.1, 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_comparisons(Path(folder) / "comparisons.csv", [result])
    ...     read_comparisons(Path(folder) / "comparisons.csv") == [result]
    True
    """
    write_csv(path, COLUMNS, map(astuple, sorted(comparisons, key=lambda c: astuple(c)[:PLACE])))


def read_comparisons(path: str | PathLike[str]) -> list[Paired]:
    """Read what `write_comparisons` wrote."""
    return read_csv(path, COLUMNS, _paired_of)


COLUMNS = tuple(field.name for field in fields(Paired))
PLACE = COLUMNS.index("test")  # so many first columns say what was compared


def _paired_of(values: list[str]) -> Paired:
    study, task, corpus, labels, first, second, measure, test = values[:8]
    low, high, p = (float(value) if value else None for value in values[10:13])
    only_first, only_second = (int(value) if value else None for value in values[13:15])
    return Paired(
        study, task, corpus, labels, first, second, measure, test, int(values[8]), float(values[9]), low, high, p,
        only_first, only_second,
    )  # fmt: skip


def _of_task(of_task: Sequence[Pooled]) -> list[Paired]:
    """Compare the methods of a task, for each corpus and number of labels."""
    measures = ("accuracy",) if of_task[0].key.study == PAPER else ("accuracy", "macro_f1")
    corpora = sorted({p.key.corpus for p in of_task} - {ANY}) or [ANY]
    found = []
    for corpus in corpora:
        for labels in sorted({p.key.labels for p in of_task}):
            # Of a method with both, the cell that saw this corpus comes later and stays.
            beside = {
                p.key.method: p
                for wanted in (ANY, corpus)
                for p in of_task
                if (p.key.corpus, p.key.labels) == (wanted, labels)
            }
            for first, second in _pairs(beside, of_task[0].key.study):
                found += [paired(first, second, measure, corpus) for measure in measures]
    return [comparison for comparison in found if comparison is not None]


def _pairs(beside: dict[str, Pooled], study: str) -> list[tuple[Pooled, Pooled]]:
    ordered = [beside[method] for method in sorted(beside)]
    if study != FEW_LABELS:
        return list(combinations(ordered, 2))
    plain = beside.get(PLAIN)
    return [] if plain is None else [(pooled, plain) for pooled in ordered if pooled is not plain]


def _values(pooled: Pooled, measure: str) -> Floats:
    return pooled.macro_f1() if measure == "macro_f1" else pooled.correct().sum(axis=1) / len(pooled.truth)
