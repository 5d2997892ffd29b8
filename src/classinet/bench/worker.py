"""What one process does: fit a method on a corpus, turn the texts of its tasks into features, fill its cells.

Enter: a unit of work and the folders. Leave: cells, one file each, as soon as each is done. Features that do not depend
on labels are kept, so that another study, or the same one resumed, need not fit the method again.
"""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from classinet._sparse import canonical_csr, column_counts, take_columns, take_rows
from classinet._typing import Csr, Integers
from classinet.baselines.base import Baseline
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.cells import Cell, CellKey, CellStore, Run
from classinet.bench.judging import Blocks, judge_blocks, judge_by_classifier, judge_by_itself
from classinet.bench.memory import resident_peak
from classinet.bench.methods import Method, all_methods
from classinet.bench.plan import PROTOCOL, Unit, draw_rows, draws_of, holds_words
from classinet.bench.recipes import described
from classinet.bench.tasks import Labelled
from classinet.bench.text import OwnFeatures
from classinet.bench.work import Work, name_of
from classinet.exceptions import DivergenceWarning, UnknownTextWarning
from classinet.pipeline import TextNet
from classinet.pipeline.border import MOST_TEXTS
from classinet.pipeline.representation import unit_rows
from classinet.pipeline.tuning import FIXED_WEIGHT, full_weight

PACKAGES = ("classinets", "numpy", "scipy", "scikit-learn", "numba", "gensim", "fasttext-community", "torch")


def work_on(unit: Unit, cells: Path, work: Path, report: Callable[[float], None]) -> None:
    """Do a unit of work; `report` is told the share of it that is done."""
    # The paper's weights grow with every hop; its recipe is compared as it is.
    warnings.simplefilter("ignore", DivergenceWarning)
    warnings.simplefilter("ignore", UnknownTextWarning)  # what is said of them counts as what is said of others
    folder = Work(work)
    if unit.method is None:
        assert unit.recipe is not None
        folder.net(unit.corpus, unit.recipe)
        return
    bench = _Bench(all_methods()[unit.method], unit.corpus, folder)
    store, tasks = CellStore(cells), dict(unit.tasks)
    done = 0
    for name, kept in tasks.items():
        own = [(key, definition) for key, definition in unit.cells if key.task == name]
        judge = bench.judge(kept)
        for key, definition in own:
            store.write(judge.cell(key, definition))
            done += 1
            report(done / len(unit.cells))


@dataclass(eq=False)
class _Bench:
    """A method on a corpus; it is fitted when something is asked of it that is not kept.

    `learning_seconds` are what nets and fitting took.
    """

    method: Method
    corpus: str
    work: Work
    learning_seconds: float = 0.0

    @cached_property
    def words(self) -> NoExpansion:
        return self.work.words(self.corpus, pieces=self.method.pieces)

    @cached_property
    def full_weight(self) -> float:
        return full_weight(len(self.work.corpus(self.corpus).texts))

    @cached_property
    def unfitted(self) -> Baseline:
        return self.method.make(self._net)

    @cached_property
    def rival(self) -> Baseline:
        corpus = self.work.corpus(self.corpus)
        begun = time.perf_counter()
        more = {"documents": corpus.documents} if self.unfitted.documents else {}
        fitted = self.unfitted.fit(corpus.texts, **more)
        self.learning_seconds += time.perf_counter() - begun
        return fitted

    def _net(self, recipe: str) -> Any:
        net, seconds = self.work.net(self.corpus, recipe)
        self.learning_seconds += seconds
        return net

    @cached_property
    def net(self) -> TextNet:
        assert self.method.recipe is not None
        return self.work.net(self.corpus, self.method.recipe)[0]

    def judge(self, task: str) -> _Judge:
        data = self.work.task(task)
        if self.unfitted.learns_from_labels or isinstance(self.unfitted, NoExpansion):
            return _Judge(self, data)
        return _Judge(self, data, *self._block(task, data))

    def _block(self, task: str, data: Labelled) -> tuple[Csr, float]:
        """Return the features of a task's texts, and what fitting and transforming took."""
        # The same features may serve two methods, alone and beside tf-idf.
        kind, parameters = type(self.unfitted).__name__, self.unfitted.get_params(deep=True)
        parts = sorted((name, repr(value)) for name, value in parameters.items() if name != "use")
        recipe = self.method.recipe and described(self.method.recipe)
        name = f"{kind}-{task}-{name_of(PROTOCOL, self.corpus, recipe, parts)}"
        kept = self.work.block(name)
        if kept is None:
            rival = self.rival
            begun = time.perf_counter()
            features = rival.transform(data.texts)
            self.work.keep_block(name, features, self.learning_seconds + time.perf_counter() - begun)
            kept = self.work.block(name)
            assert kept is not None
        block, seconds = kept
        return trimmed(unit_rows(block)), seconds


@dataclass(eq=False)
class _Judge:
    """A method on one task."""

    bench: _Bench
    data: Labelled
    block: Csr | None = None
    block_seconds: float = 0.0

    @cached_property
    def own(self) -> OwnFeatures:
        return OwnFeatures.of(self.data.texts, self.bench.words)

    @property
    def fit_seconds(self) -> float:
        """What the unlabeled part took."""
        return self.bench.learning_seconds if self.block is None else self.block_seconds

    def cell(self, key: CellKey, definition: str) -> Cell:
        tested, pool = self.data.test(key.split), self.data.train(key.split)
        runs: list[Run] = []
        # What is chosen on the labelled texts of the first draw serves the others: tuning ten times would cost hours.
        settings: dict[str, Any] | None = None
        for draw in range(draws_of(key, self.bench.method, self.data)):
            begun = time.perf_counter()
            training = pool[draw_rows(self.data.codes[pool], key.labels, draw)]
            predicted, settings = self._run(training, tested, settings)
            runs.append(
                Run(draw, len(training), tuple(predicted.tolist()), settings, round(time.perf_counter() - begun, 4))
            )
        return Cell(
            key=key, definition=definition, classes=self.data.classes, truth=tuple(self.data.codes[tested].tolist()),
            runs=tuple(runs), fit_seconds=round(self.fit_seconds, 3), peak_memory_mb=round(resident_peak() / 1e6, 1),
            made=made(),
        )  # fmt: skip

    def _run(self, training: Integers, tested: Integers, settings: dict[str, Any] | None) -> tuple[Integers, Any]:
        data, n_classes = self.data, len(self.data.classes)
        rival = self.bench.unfitted
        if self.bench.method.itself and len(training) <= MOST_TEXTS:
            return judge_by_classifier(self.bench.net, data.texts, data.codes, training, tested, settings)
        if rival.use == "predict":
            return judge_by_itself(self.bench.rival, data.texts, data.codes, n_classes, training, tested, settings)
        words = self.own.rows(training) if holds_words(rival) else None

        def blocks(labelled: Integers, needed: Integers) -> Blocks:
            if words is None:
                return self._features(labelled, needed), None
            return words, None if isinstance(rival, NoExpansion) else self._features(labelled, needed)

        return judge_blocks(
            *blocks(training, np.concatenate([training, tested])), data.codes, n_classes, training, tested, settings,
            full=self.bench.full_weight if rival.use == "append" else FIXED_WEIGHT, counted=words is not None,
            adapted=(lambda labelled: blocks(labelled, training)) if rival.learns_from_labels else None,
        )  # fmt: skip

    def _features(self, labelled: Integers, needed: Integers) -> Csr:
        """Return a method's features of all texts; where labels have a say in them, rows not needed stay empty."""
        if self.block is not None:
            return self.block
        data = self.data
        labels = [data.classes[code] for code in data.codes[labelled]]
        adapted = self.bench.rival.adapt([data.texts[row] for row in labelled], labels)
        features = canonical_csr(adapted.transform([data.texts[row] for row in needed]))
        place = np.zeros(len(data.texts), dtype=np.int64)
        place[needed] = np.arange(len(needed))
        return take_rows(trimmed(unit_rows(features)), place)


def trimmed(block: Csr) -> Csr:
    """Leave out columns that no row has: they would only widen every matrix to come."""
    return take_columns(block, np.flatnonzero(column_counts(block)))


def made() -> dict[str, str]:
    """Say when, with what and where something was computed.

    >>> sorted(made())[:3]
    ['classinets', 'cpu', 'date']
    """
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cpu": platform.machine(),
        **versions,
    }
