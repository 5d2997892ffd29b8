"""A cell: what one method said about one data set, as one JSON file, and the folder of all of them.

Enter: the key of a cell and what was computed. Leave: `CELLS/STUDY/TASK/CORPUS/METHOD/LABELS-SPLIT.json`, written
whole. A cell holds raw predictions: scores, tests and tables are computed from cells alone, at any later time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from classinet._files import whole_file
from classinet._typing import Flags, Integers
from classinet.exceptions import InputError

FORMAT = 1


@dataclass(frozen=True, order=True)
class CellKey:
    """Which cell.

    Attributes
    ----------
    study : "paper" or "few-labels".
    task : data set, as "subj".
    corpus : unlabeled text, as "imdb" or "own".
    method : as "global".
    labels : how many labels: "all", "200" (in all) or "10-a-class".
    split : fold of cross-validation, 0 where the split is given.
    """

    study: str
    task: str
    corpus: str
    method: str
    labels: str = "all"
    split: int = 0

    @property
    def path(self) -> Path:
        """Where the cell lies, below the folder of cells."""
        return Path(self.study, self.task, self.corpus, self.method, f"{self.labels}-{self.split}.json")


@dataclass(frozen=True)
class Run:
    """One draw of labels.

    Attributes
    ----------
    draw : number of the draw, which is also its seed.
    n_labels : labelled texts trained on.
    predicted : position of the predicted class of each test text.
    settings : what was chosen (C, weight, …), and how.
    seconds : to train and judge.
    """

    draw: int
    n_labels: int
    predicted: tuple[int, ...]
    settings: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class Cell:
    """All draws of one cell.

    Attributes
    ----------
    key : which cell.
    definition : hash of how it was computed; a cell of another definition is computed anew.
    classes : names of the classes, sorted.
    truth : position of the true class of each test text.
    runs : one a draw.
    fit_seconds : what the unlabeled part (fit and transform) took; shared by all cells of the method and corpus.
    peak_memory_mb : largest resident memory of the process.
    made : date, versions and machine.
    """

    key: CellKey
    definition: str
    classes: tuple[str, ...]
    truth: tuple[int, ...]
    runs: tuple[Run, ...]
    fit_seconds: float
    peak_memory_mb: float
    made: dict[str, str]

    def correct(self) -> Flags:
        """Return draws × test texts: which were judged right."""
        return np.asarray(np.array([run.predicted for run in self.runs]) == self.codes)

    @property
    def codes(self) -> Integers:
        """The true classes as an array."""
        return np.array(self.truth, dtype=np.int64)


class CellStore:
    """A folder of cells.

    Examples
    --------
    >>> import tempfile
    >>> key = CellKey("paper", "subj", "imdb", "global")
    >>> cell = Cell(key, "d1", ("no", "yes"), (0, 1, 1), (Run(0, 9, (0, 1, 0), {"C": 1.0}, 0.1),), 2.0, 99.0, {})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = CellStore(folder)
    ...     store.write(cell)
    ...     store.read(key) == cell, store.has(key, "d1"), store.has(key, "d2")
    (True, True, False)
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def write(self, cell: Cell) -> None:
        """Write a cell whole, in place of an earlier one."""
        path = self.folder / cell.key.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            json.dump({"format": FORMAT, **asdict(cell)}, file, ensure_ascii=False, separators=(",", ":"))

    def read(self, key: CellKey) -> Cell:
        """Read a cell back."""
        return _read(self.folder / key.path)

    def exists(self, key: CellKey) -> bool:
        """Whether the cell is there, however it was computed."""
        return (self.folder / key.path).is_file()

    def has(self, key: CellKey, definition: str) -> bool:
        """Whether the cell is there, computed as the definition says."""
        return self.exists(key) and self.read(key).definition == definition

    def all(self, study: str | None = None) -> Iterator[Cell]:
        """Read all cells, of one study or of every one, in the order of their paths."""
        root = self.folder if study is None else self.folder / study
        for path in sorted(root.rglob("*.json")):
            yield _read(path)


class Planned(CellStore):
    """Those cells of a folder that were computed as planned; all others are as if they were not there."""

    def __init__(self, folder: str | Path, planned: Mapping[CellKey, str]) -> None:
        super().__init__(folder)
        self.planned = planned

    def exists(self, key: CellKey) -> bool:
        """Whether the cell is there as planned."""
        return super().exists(key) and self.read(key).definition == self.planned.get(key)

    def all(self, study: str | None = None) -> Iterator[Cell]:
        """Read all cells that are there as planned."""
        return (cell for cell in super().all(study) if cell.definition == self.planned.get(cell.key))


def _read(path: Path) -> Cell:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("format") != FORMAT:
            raise InputError(f"{path} is a cell of another format; remove it, and it is computed anew")
        runs = tuple(Run(**{**run, "predicted": tuple(run["predicted"])}) for run in values.pop("runs"))
        key, classes, truth = CellKey(**values.pop("key")), tuple(values.pop("classes")), tuple(values.pop("truth"))
        return Cell(key=key, classes=classes, truth=truth, runs=runs, **values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is no cell ({error}); remove it, and it is computed anew") from error
