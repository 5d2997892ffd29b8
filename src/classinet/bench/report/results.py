"""Scores and comparisons of one study, found by what they are of; the view that all tables are made from.

A score of fewer folds than planned is not given out: it would be of other texts than the rest of its column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from classinet.bench.cells import CellKey
from classinet.bench.comparisons import PLAIN, Paired
from classinet.bench.corpora import ANY
from classinet.bench.report.labels import Labels
from classinet.bench.scores import ALL_LABELS, Score, ScoreKey
from classinet.bench.tables import MISSING


class Results:
    """All scores of a study.

    Parameters
    ----------
    study : "paper" or "few-labels".
    scores, comparisons : as `summarise` returns them; those of other studies are passed over.
    labels : names and order.
    planned : cells that the whole study has; none means that nobody says what is missing.

    Examples
    --------
    >>> from classinet.bench.scores import Estimate
    >>> key = ScoreKey("paper", "mr", "imdb", "scl", "all")
    >>> score = Score(key, 1, 1, 9, 5.0, Estimate(0.5), Estimate(0.4), (), 1.0, 0.1, 9.0)
    >>> results = Results("paper", [score], [], Labels({}, {}), [CellKey("paper", "mr", "imdb", "scl", split=1)])
    >>> results.find("mr", "imdb", "scl").accuracy.mean, results.find("mr", "imdb", "cbow"), results.missing
    (0.5, None, 0)
    """

    def __init__(
        self,
        study: str,
        scores: Iterable[Score],
        comparisons: Iterable[Paired],
        labels: Labels,
        planned: Iterable[CellKey] = (),
    ) -> None:
        self.study = study
        self.labels = labels
        self.scores = [score for score in scores if score.key.study == study]
        self._by_key = {score.key: score for score in self.scores}
        self._compared = {
            (c.task, c.corpus, c.labels, c.first, c.second, c.measure): c for c in comparisons if c.study == study
        }
        self._folds = Counter(
            ScoreKey(k.study, k.task, k.corpus, k.method, k.labels) for k in set(planned) if k.study == study
        )
        self._most_folds: Counter[str] = Counter()
        for score in self.scores:
            self._most_folds[score.key.task] = max(self._most_folds[score.key.task], score.splits)

    # ---------------------------------------------------------------------------------------------------- what there is

    @property
    def tasks(self) -> list[str]:
        """Keys of all tasks, in order."""
        return _ordered(self.labels.tasks, (score.key.task for score in self.scores), every=False)

    @property
    def methods(self) -> list[str]:
        """Keys of the methods that tables list, in order: planned or computed or, without a plan, named or computed."""
        met = {key.method for key in [*self._folds, *self._by_key]}
        return _ordered(self.labels.methods, met, every=not self._folds)

    def methods_of(self, task: str, corpus: str) -> list[str]:
        """Keys of the methods that a table of a task and corpus lists: planned there or, without a plan, all."""
        if not self._folds:
            return self.methods
        keys = [*self._folds, *self._by_key]
        there = {key.method for key in keys if key.task == task and key.corpus in (corpus, ANY)}
        return [method for method in self.methods if method in there]

    def corpora(self, task: str | None = None) -> list[str]:
        """Keys of the corpora that methods learnt from, of one task or of all."""
        met = {score.key.corpus for score in self.scores if task in (None, score.key.task)}
        return _ordered(self.labels.corpora, (met - {ANY}) or met, every=False)

    def label_counts(self, tasks: Sequence[str]) -> list[str]:
        """Numbers of labels that occur in tasks, fewest first and all of them last."""
        return sorted({score.key.labels for score in self.scores if score.key.task in tasks}, key=_amount)

    @property
    def planned(self) -> int:
        """How many cells the whole study has; 0 where nobody said."""
        return sum(self._folds.values())

    @property
    def missing(self) -> int:
        """How many of the planned cells are not there."""
        there = Counter({key: self._by_key[key].splits for key in self._folds if key in self._by_key})
        return (self._folds - there).total()

    # ---------------------------------------------------------------------------------------------------------- finding

    def find(self, task: str, corpus: str, method: str, labels: str = ALL_LABELS) -> Score | None:
        """Return the score of a method that learnt from this corpus, or needs none."""
        for of in (corpus, ANY):
            key = ScoreKey(self.study, task, of, method, labels)
            score = self._by_key.get(key)
            if score is not None and score.splits >= self._folds.get(key, self._most_folds[task]):
                return score
        return None

    def compared(
        self, task: str, corpus: str, first: str, second: str, labels: str = ALL_LABELS, measure: str = "accuracy"
    ) -> Paired | None:
        """Return the comparison of two methods, whichever of them was put first."""
        if found := self._compared.get((task, corpus, labels, first, second, measure)):
            return found
        found = self._compared.get((task, corpus, labels, second, first, measure))
        return None if found is None else _turned(found)

    def gain(self, task: str, corpus: str, method: str, labels: str) -> Paired | None:
        """Return the comparison with no expansion, by what the task is judged by."""
        if self.find(task, corpus, method, labels) is None or self.find(task, corpus, PLAIN, labels) is None:
            return None
        return self.compared(task, corpus, method, PLAIN, labels, self.labels.task(task).metric)


def percent(value: float, digits: int = 1) -> str:
    """Return a share in percent.

    >>> percent(0.8125), percent(0.8125, 2)
    ('81.2', '81.25')
    """
    return f"{100 * value:.{digits}f}"


def signed(value: float, digits: int = 1) -> str:
    """Return a difference of shares in points, with its sign; one that rounds to nothing has none.

    >>> signed(0.012), signed(-0.012), signed(-0.0001)
    ('+1.2', '−1.2', '0.0')
    """
    text = f"{100 * value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def labels_title(labels: str, n_labels: float | None = None) -> str:
    """Return a number of labels as a heading.

    >>> labels_title("10-a-class"), labels_title("all", 8530), labels_title("1000")
    ('10 a class', 'all (8,530)', '1,000')
    """
    if labels == ALL_LABELS:
        return "all" if n_labels is None else f"all ({n_labels:,.0f})"
    return f"{int(labels):,}" if labels.isdecimal() else labels.replace("-", " ")


def p_text(p: float | None) -> str:
    """Return p as it is read, never as zero.

    >>> p_text(0.0312), p_text(1e-9), p_text(None)
    ('0.031', '< 0.001', '–')
    """
    return MISSING if p is None else "< 0.001" if p < 0.001 else f"{p:.2g}"


def _turned(c: Paired) -> Paired:
    return replace(
        c,
        first=c.second,
        second=c.first,
        difference=-c.difference,
        low=None if c.high is None else -c.high,
        high=None if c.low is None else -c.low,
        only_first=c.only_second,
        only_second=c.only_first,
    )


def _ordered(named: Mapping[str, object], met: Iterable[str], *, every: bool) -> list[str]:
    there = set(met)
    return [key for key in named if every or key in there] + sorted(there - set(named))


def _amount(labels: str) -> tuple[int, float, str]:
    """Sort by number; numbers a class follow numbers in all, whatever else there is comes before all labels."""
    head = labels.split("-")[0]
    kind = 3 if labels == ALL_LABELS else 0 if labels.isdecimal() else 1 if head.isdecimal() else 2
    return kind, float(head) if head.isdecimal() else 0.0, labels
