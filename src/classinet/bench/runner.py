"""A study from definitions to cells: load and check everything first, say what it will cost, then compute.

Enter: which study, data sets, methods and unlabeled text. Leave: cells. Whatever can be wrong with the input is found
before the first unit of work begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classinet._typing import Progress
from classinet._validation import check_choice
from classinet.bench.cells import CellKey, CellStore
from classinet.bench.comparisons import PAPER
from classinet.bench.corpora import AND_OWN, ANY, CORPORA, OWN, Corpus, joined, separate
from classinet.bench.methods import Method, all_methods
from classinet.bench.plan import KEYS, Kept, Loaded, Unit, planned_cells, units
from classinet.bench.pool import run_units
from classinet.bench.tasks import Labelled, Task, all_tasks
from classinet.bench.work import Work
from classinet.exceptions import ParameterError


@dataclass(frozen=True)
class Choice:
    """What part of a study to run.

    Attributes
    ----------
    study : "paper" or "few-labels".
    tasks, methods, corpora : keys; None is all that belong to the study.
    neural : whether the neural rivals take part.
    """

    study: str
    tasks: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    corpora: tuple[str, ...] | None = None
    neural: bool = True


@dataclass(frozen=True, eq=False)
class Prepared:
    """A study, read and checked.

    Attributes
    ----------
    choice : what was chosen.
    tasks : the data sets.
    methods : the methods that can run here.
    left_out : why others cannot, a line each.
    planned : all cells, and how each is computed.
    units : what is missing.
    """

    choice: Choice
    tasks: tuple[Loaded, ...]
    methods: tuple[Method, ...]
    left_out: tuple[str, ...]
    planned: Mapping[CellKey, str]
    units: tuple[Unit, ...]

    @property
    def total(self) -> int:
        """Number of cells in all."""
        return len(self.planned)

    @property
    def missing(self) -> int:
        """Number of cells to compute."""
        return sum(len(unit.cells) for unit in self.units)

    def seconds(self, jobs: int) -> float:
        """Guess how long the missing part takes."""
        alone = sum(unit.seconds for unit in self.units if self.alone(unit))
        return alone + sum(unit.seconds for unit in self.units if not self.alone(unit)) / jobs

    def alone(self, unit: Unit) -> bool:
        """Whether a unit uses all cores by itself."""
        return unit.method is None or next(m.neural for m in self.methods if m.key == unit.method)


@dataclass(eq=False)
class Bench:
    """The folders of a benchmark.

    Attributes
    ----------
    folder : holds `cells`, which are results, and `work`, which can be made again.
    tasks, methods, corpora : definitions, by key; those of the library where none are given.
    """

    folder: Path
    tasks: Mapping[str, Task] = field(default_factory=all_tasks)
    methods: Mapping[str, Method] = field(default_factory=all_methods)
    corpora: Mapping[str, Callable[[], Corpus]] = field(default_factory=lambda: CORPORA)

    @property
    def store(self) -> CellStore:
        """The cells."""
        return CellStore(self.folder / "cells")

    @property
    def work(self) -> Work:
        """What can be made again."""
        return Work(self.folder / "work")

    def prepare(self, choice: Choice, progress: Progress) -> Prepared:
        """Load and check what a study needs, and find out what is missing."""
        check_choice("study", choice.study, tuple(KEYS))
        methods, left_out = self._methods(choice)
        tasks = self._tasks(choice)
        self._check_corpora(choice, tasks)
        loaded = self._load(choice, tasks, progress)
        planned = planned_cells(choice.study, loaded, methods)
        missing = units(planned, loaded, methods, self.store)
        return Prepared(choice, tuple(loaded), tuple(methods), tuple(left_out), planned, tuple(missing))

    def compute(self, prepared: Prepared, jobs: int, threads: int, progress: Progress) -> list[str]:
        """Compute the missing cells; return a line for each unit that failed."""
        clock = _Clock(prepared.units, progress)
        nets = [unit for unit in prepared.units if unit.method is None]
        alone = [unit for unit in prepared.units if unit.method is not None and prepared.alone(unit)]
        others = [unit for unit in prepared.units if unit not in nets and unit not in alone]
        # The longest first, so that no process ends long after the others.
        others.sort(key=lambda unit: -unit.seconds)
        failures = []
        for group, beside, each in ((nets, 1, threads), (others, jobs, 1), (alone, 1, threads)):
            failures += run_units(group, self.store.folder, self.work.folder, beside, each, clock.tell)
        return failures

    def _methods(self, choice: Choice) -> tuple[list[Method], list[str]]:
        for key in choice.methods or ():
            check_choice("method", key, tuple(self.methods))
        wanted = [
            method
            for key, method in self.methods.items()
            if (choice.study in method.studies and (choice.neural or not method.neural))
            and (choice.methods is None or key in choice.methods)
        ]
        reasons = [(method, method.missing()) for method in wanted]
        return [method for method, reason in reasons if reason is None], [reason for _, reason in reasons if reason]

    def _tasks(self, choice: Choice) -> list[Task]:
        for key in choice.tasks or ():
            check_choice("data set", key, tuple(self.tasks))
        return [
            task
            for key, task in self.tasks.items()
            if (key in choice.tasks if choice.tasks is not None else choice.study != PAPER or task.in_paper)
        ]

    def _load(self, choice: Choice, tasks: Sequence[Task], progress: Progress) -> list[Loaded]:
        data = {}
        for done, task in enumerate(tasks):
            progress("read data sets", done, len(tasks))
            data[task.key] = task.load()
        progress("read data sets", len(tasks), len(tasks))
        library = _Library(self.corpora, self.work, progress)
        loaded = []
        for task in tasks:
            own = data[task.key]
            n_splits = own.n_splits if choice.study == PAPER else 1
            corpora = {name: library.of_splits(name, task, own, n_splits) for name in self._corpora_of(task, choice)}
            loaded.append(Loaded(task, own, self.work.keep_task(task.key, own), corpora))
        return loaded

    def _corpora_of(self, task: Task, choice: Choice) -> list[str]:
        names = [task.external] if choice.study == PAPER else [OWN, task.external]
        if choice.corpora is not None:
            # Reviews of all kinds may stand in for those of the training part.
            names = [name for name in choice.corpora if name == OWN or name.startswith(task.external)]
        return [ANY, *names]  # methods that learn from no unlabeled text stand beside those of every corpus

    def _check_corpora(self, choice: Choice, tasks: Sequence[Task]) -> None:
        for name in choice.corpora or ():
            check_choice("unlabeled text", name, (OWN, *self.corpora, *(f"{key}{AND_OWN}" for key in self.corpora)))
            if not any(name in self._corpora_of(task, choice) for task in tasks):
                raise ParameterError(
                    f"unlabeled text {name!r} goes with none of the data sets {', '.join(task.key for task in tasks)}"
                )


class _Library:
    """Reads unlabeled text, each from elsewhere once, and keeps it for the processes that compute."""

    def __init__(self, corpora: Mapping[str, Callable[[], Corpus]], work: Work, progress: Progress) -> None:
        self.corpora = corpora
        self.work = work
        self.progress = progress
        self.read: dict[str, tuple[Corpus, Kept]] = {}

    def of_splits(self, name: str, task: Task, data: Labelled, n_splits: int) -> tuple[Kept, ...]:
        """Return the unlabeled text of each split: own texts are those that train, others are the same in all."""
        if not name.endswith(OWN):
            return (self._elsewhere(name)[1],) * n_splits
        stage = f"read unlabeled text {name}"
        kept = []
        for split in range(n_splits):
            self.progress(stage, split, n_splits)
            place = f"{task.key}-{split}" if split else task.key
            corpus = separate(f"{OWN}-{place}", data.own_texts(split))
            if name != OWN:
                corpus = joined(f"{name}-{place}", self._elsewhere(name.removesuffix(AND_OWN))[0], corpus)
            kept.append(self._keep(corpus))
        self.progress(stage, n_splits, n_splits)
        return tuple(kept)

    def _elsewhere(self, name: str) -> tuple[Corpus, Kept]:
        if name not in self.read:
            self.progress(f"read unlabeled text {name}", 0, 1)
            corpus = separate(ANY, []) if name == ANY else self.corpora[name]()
            self.read[name] = corpus, self._keep(corpus)
            self.progress(f"read unlabeled text {name}", 1, 1)
        return self.read[name]

    def _keep(self, corpus: Corpus) -> Kept:
        return Kept(self.work.keep_corpus(corpus), len(corpus.texts), corpus.ordered)


class _Clock:
    """Adds up what is done, weighed by what each unit was expected to take."""

    def __init__(self, units: Sequence[Unit], progress: Progress) -> None:
        self.shares = {id(unit): 0.0 for unit in units}
        self.units = {id(unit): unit for unit in units}
        self.progress = progress
        self.begun = time.perf_counter()

    def tell(self, unit: Unit, share: float) -> None:
        self.shares[id(unit)] = share
        done = sum(self.units[name].seconds * part for name, part in self.shares.items())
        total = sum(unit.seconds for unit in self.units.values())
        self.progress("compute", round(1000 * done / total), 1000)
