"""Scores of pooled cells: one `Score` for each study, task, corpus, method and number of labels, and their CSV file.

Enter: the cells of a task. Leave: accuracy, macro-F1 and class scores with intervals. Folds are laid end to end and
judged as one set of texts. One draw of labels gets Wilson's interval over texts; several draws get the t-interval of
their mean. `scores.csv` holds every number exactly, so that tables can be made again without the cells.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from math import sqrt
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from classinet._files import whole_file
from classinet._typing import Flags, Floats, Integers
from classinet.bench.cells import Cell
from classinet.evaluation import wilson
from classinet.exceptions import InputError

ALL_LABELS = "all"
T = TypeVar("T")


@dataclass(frozen=True, order=True)
class ScoreKey:
    """What a score is of: a `CellKey` without the fold."""

    study: str
    task: str
    corpus: str
    method: str
    labels: str


@dataclass(frozen=True)
class Estimate:
    """A number and what is known of its precision.

    Attributes
    ----------
    mean : the number, for several draws their mean.
    low, high : 95 % interval, None where there is none.
    sd : standard deviation over draws, None for a single draw.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    sd: float | None = None

    @property
    def half(self) -> float | None:
        """How far the interval reaches from the mean, on its longer side.

        >>> Estimate(0.5, 0.25, 0.625).half
        0.25
        """
        return None if self.low is None or self.high is None else max(self.mean - self.low, self.high - self.mean)


@dataclass(frozen=True)
class ClassResult:
    """How well one class is found, as a mean over draws; recall is the accuracy on the class's own texts."""

    name: str
    n: int
    recall: float
    f1: float


@dataclass(frozen=True)
class Score:
    """How well a method does on a task.

    Attributes
    ----------
    key : what it is of.
    splits : folds that were pooled.
    draws : draws of labels.
    n : texts judged in each draw.
    n_labels : labelled texts trained on, as a mean.
    accuracy, macro_f1 : macro-F1 is the mean over classes that occur or were given; of one draw it has no interval.
    classes : a result a class; kept for full sets of labels only.
    fit_seconds : what the unlabeled part took.
    run_seconds : to train and judge once, as a mean.
    peak_memory_mb : largest resident memory.
    """

    key: ScoreKey
    splits: int
    draws: int
    n: int
    n_labels: float
    accuracy: Estimate
    macro_f1: Estimate
    classes: tuple[ClassResult, ...]
    fit_seconds: float
    run_seconds: float
    peak_memory_mb: float

    def measure(self, name: str) -> Estimate:
        """Return "accuracy" or "macro_f1" by its name."""
        return self.macro_f1 if name == "macro_f1" else self.accuracy


@dataclass(frozen=True, eq=False)
class Pooled:
    """Predictions of one score, its folds end to end: the raw material of scores and of paired tests.

    Attributes
    ----------
    key : what they are of.
    classes : names of the classes.
    splits : numbers of the folds, in order.
    draws : numbers of the draws.
    truth : true class of each text.
    predicted : draws × texts.
    n_labels, fit_seconds, run_seconds, peak_memory_mb : as in `Score`.
    """

    key: ScoreKey
    classes: tuple[str, ...]
    splits: tuple[int, ...]
    draws: tuple[int, ...]
    truth: NDArray[np.int16]
    predicted: NDArray[np.int16]
    n_labels: float
    fit_seconds: float
    run_seconds: float
    peak_memory_mb: float

    def correct(self) -> Flags:
        """Return draws × texts: which were judged right."""
        right: Flags = self.predicted == self.truth
        return right

    def macro_f1(self) -> Floats:
        """Return macro-F1 of each draw."""
        return np.array([_class_means(table)[2] for table in self.confusion()])

    def confusion(self) -> Integers:
        """Return draws × true class × predicted class: how many texts."""
        k = len(self.classes)
        codes = self.truth.astype(np.int64) * k + self.predicted
        return np.array([np.bincount(row, minlength=k * k) for row in codes]).reshape(-1, k, k)


def pool(cells: Sequence[Cell]) -> Pooled:
    """Lay the folds of one score end to end.

    Draws that not every fold has are left out. With all labels there is nothing to draw: where all draws say the same
    of every text they are one draw, else a method without chance would seem to be known exactly.

    Parameters
    ----------
    cells : cells that differ in nothing but the fold.

    Examples
    --------
    >>> from classinet.bench.cells import CellKey, Run
    >>> one, two = CellKey("paper", "subj", "imdb", "global"), CellKey("paper", "subj", "imdb", "global", split=1)
    >>> cells = [
    ...     Cell(one, "d", ("no", "yes"), (0, 1), (Run(0, 9, (0, 1), {}, 0.1),), 2.0, 99.0, {}),
    ...     Cell(two, "d", ("no", "yes"), (1, 1), (Run(0, 9, (0, 1), {}, 0.3),), 2.0, 99.0, {}),
    ... ]
    >>> pool(cells).correct()
    array([[ True,  True, False,  True]])
    """
    cells = sorted(cells, key=lambda cell: cell.key.split)
    key = _score_key(cells[0])
    _check(cells)
    runs = [{run.draw: run for run in cell.runs} for cell in cells]
    draws = tuple(sorted(set.intersection(*(set(of_cell) for of_cell in runs))))
    if not draws:
        raise InputError(f"the folds of {key} share no draw; remove these cells, and they are computed anew")
    predicted = np.hstack(
        [np.array([of_cell[draw].predicted for draw in draws], dtype=np.int16) for of_cell in runs]
    )  # fmt: skip
    if key.labels == ALL_LABELS and (predicted == predicted[0]).all():
        draws, predicted = draws[:1], predicted[:1]
    kept = [of_cell[draw] for of_cell in runs for draw in draws]
    return Pooled(
        key=key,
        classes=cells[0].classes,
        splits=tuple(cell.key.split for cell in cells),
        draws=draws,
        truth=np.concatenate([np.array(cell.truth, dtype=np.int16) for cell in cells]),
        predicted=predicted,
        n_labels=float(np.mean([run.n_labels for run in kept])),
        fit_seconds=max(cell.fit_seconds for cell in cells),
        run_seconds=float(np.mean([run.seconds for run in kept])),
        peak_memory_mb=max(cell.peak_memory_mb for cell in cells),
    )


def pooled_by_task(cells: Iterable[Cell]) -> Iterator[list[Pooled]]:
    """Return the pooled predictions of one task after the other, so that one task at a time is in memory.

    Cells of a task must stand together, as `CellStore.all` gives them.
    """
    met = set()
    for task, of_task in groupby(cells, key=lambda cell: (cell.key.study, cell.key.task)):
        if task in met:
            raise InputError(f"cells of {'/'.join(task)} stand apart; give the cells of a task together")
        met.add(task)
        ordered = sorted(of_task, key=lambda cell: cell.key)
        yield [pool(list(of_score)) for _, of_score in groupby(ordered, key=_score_key)]


def score(pooled: Pooled) -> Score:
    """Score pooled predictions.

    >>> from classinet.bench.cells import CellKey, Run
    >>> key = CellKey("paper", "subj", "imdb", "global")
    >>> cell = Cell(key, "d", ("no", "yes"), (0, 0, 1, 1), (Run(0, 9, (0, 0, 0, 1), {}, 0.1),), 2.0, 99.0, {})
    >>> result = score(pool([cell]))
    >>> result.accuracy.mean, [(c.name, c.recall) for c in result.classes]
    (0.75, [('no', 1.0), ('yes', 0.5)])
    """
    right = pooled.correct().sum(axis=1)
    n = len(pooled.truth)
    if len(right) == 1:
        accuracy = Estimate(int(right[0]) / n, *wilson(int(right[0]), n))
        macro_f1 = Estimate(float(pooled.macro_f1()[0]))
    else:
        accuracy, macro_f1 = over_draws(right / n), over_draws(pooled.macro_f1())
    return Score(
        key=pooled.key,
        splits=len(pooled.splits),
        draws=len(pooled.draws),
        n=n,
        n_labels=pooled.n_labels,
        accuracy=accuracy,
        macro_f1=macro_f1,
        classes=_class_results(pooled) if pooled.key.labels == ALL_LABELS else (),
        fit_seconds=pooled.fit_seconds,
        run_seconds=pooled.run_seconds,
        peak_memory_mb=pooled.peak_memory_mb,
    )


def over_draws(values: Floats, *, lowest: float = 0.0) -> Estimate:
    """Return the mean of at least two draws with its 95 % t-interval, cut to what a share can be.

    >>> print(over_draws(np.array([0.5, 0.6, 0.7])))
    Estimate(mean=0.6, low=0.351..., high=0.848..., sd=0.0999...)
    """
    k, mean, sd = len(values), float(np.mean(values)), float(np.std(values, ddof=1))
    half = float(student.ppf(0.975, k - 1)) * sd / sqrt(k)
    return Estimate(mean, max(lowest, mean - half), min(1.0, mean + half), sd)


# ---------------------------------------------------------------------------------------------------------- CSV files


def write_scores(path: str | PathLike[str], scores: Iterable[Score]) -> None:
    """Write scores as CSV, one a line, in the order of their keys; numbers are written exactly.

    >>> import tempfile
    >>> from pathlib import Path
    >>> key = ScoreKey("paper", "subj", "imdb", "global", "all")
    >>> result = Score(key, 5, 1, 10, 8.0, Estimate(0.9, 0.6, 0.98), Estimate(0.89), (), 1.0, 0.1, 9.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(Path(folder) / "scores.csv", [result])
    ...     read_scores(Path(folder) / "scores.csv") == [result]
    True
    """
    write_csv(path, SCORE_COLUMNS, (_values(score) for score in sorted(scores, key=lambda score: score.key)))


def read_scores(path: str | PathLike[str]) -> list[Score]:
    """Read what `write_scores` wrote."""
    return read_csv(path, SCORE_COLUMNS, _score_of)


SCORE_COLUMNS = (
    *(field.name for field in fields(ScoreKey)), "splits", "draws", "n", "n_labels",
    "accuracy", "accuracy_low", "accuracy_high", "accuracy_sd",
    "macro_f1", "macro_f1_low", "macro_f1_high", "macro_f1_sd",
    "fit_seconds", "run_seconds", "peak_memory_mb", "classes",
)  # fmt: skip


def _values(s: Score) -> tuple[Any, ...]:
    classes = [astuple(result) for result in s.classes]
    return (
        *astuple(s.key), s.splits, s.draws, s.n, s.n_labels, *astuple(s.accuracy), *astuple(s.macro_f1),
        s.fit_seconds, s.run_seconds, s.peak_memory_mb,
        json.dumps(classes, ensure_ascii=False, separators=(",", ":")) if classes else None,
    )  # fmt: skip


def _score_of(values: list[str]) -> Score:
    numbers = [None if value == "" else float(value) for value in values[9:17]]
    if numbers[0] is None or numbers[4] is None:
        raise ValueError("accuracy and macro_f1 must be given")
    return Score(
        key=ScoreKey(*values[:5]),
        splits=int(values[5]),
        draws=int(values[6]),
        n=int(values[7]),
        n_labels=float(values[8]),
        accuracy=Estimate(numbers[0], *numbers[1:4]),
        macro_f1=Estimate(numbers[4], *numbers[5:8]),
        classes=tuple(ClassResult(*entry) for entry in json.loads(values[20] or "[]")),
        fit_seconds=float(values[17]),
        run_seconds=float(values[18]),
        peak_memory_mb=float(values[19]),
    )


def write_csv(path: str | PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows below the names of their columns; None is an empty field, a float keeps every digit."""
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def read_csv(path: str | PathLike[str], columns: Sequence[str], parse: Callable[[list[str]], T]) -> list[T]:
    """Read rows back; an error names the file and the line."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        if next(reader, None) != list(columns):
            raise InputError(
                f"the first line of {path} must name the columns {','.join(columns)}; write the report anew from cells"
            )
        read = []
        for row in reader:
            try:
                if len(row) != len(columns):
                    raise ValueError(f"{len(row)} fields instead of {len(columns)}")  # noqa: TRY301
                read.append(parse(row))
            except (ValueError, TypeError) as error:
                raise InputError(
                    f"{path}, line {reader.line_num}: {error}; write the report anew from cells"
                ) from error
    return read


# ------------------------------------------------------------------------------------------------------------- helpers


def _score_key(cell: Cell) -> ScoreKey:
    key = cell.key
    return ScoreKey(key.study, key.task, key.corpus, key.method, key.labels)


def _check(cells: Sequence[Cell]) -> None:
    for cell in cells:
        if cell.classes != cells[0].classes:
            raise InputError(f"{cell.key.path} and {cells[0].key.path} have other classes; remove one of the cells")
        k, n = len(cell.classes), len(cell.truth)
        for run in cell.runs:
            if len(run.predicted) != n or n == 0:
                raise InputError(f"{cell.key.path}: draw {run.draw} judges {len(run.predicted)} of {n} texts")
            codes = np.array([run.predicted, cell.truth])
            if codes.min() < 0 or codes.max() >= k:
                raise InputError(f"{cell.key.path}: draw {run.draw} names a class that is not among the {k}")


def _class_means(table: Integers) -> tuple[Floats, Floats, float]:
    """Return recall and F1 of each class (NaN where undefined) and macro-F1, of one confusion table."""
    both, has, given = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    recall = np.divide(both, has, out=np.full(len(both), np.nan), where=has > 0)
    f1 = np.divide(2 * both, has + given, out=np.full(len(both), np.nan), where=has + given > 0)
    return recall, f1, float(np.nanmean(f1))


def _class_results(pooled: Pooled) -> tuple[ClassResult, ...]:
    """Return a result for each class that has texts."""
    means = [_class_means(table) for table in pooled.confusion()]
    support = np.bincount(pooled.truth, minlength=len(pooled.classes))
    return tuple(
        ClassResult(name, int(n), float(np.mean([m[0][i] for m in means])), float(np.mean([m[1][i] for m in means])))
        for i, (name, n) in enumerate(zip(pooled.classes, support, strict=True))
        if n
    )
