"""What a report has to be told: names of methods, tasks and corpora, and the analyses that stand at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class MethodLabel:
    """Name of a method in tables, and of the group of rows it stands in."""

    title: str
    group: str = ""


@dataclass(frozen=True)
class TaskLabel:
    """Name of a task in tables, and what it is judged by: "accuracy" or "macro_f1"."""

    title: str
    metric: str = "accuracy"


@dataclass(frozen=True)
class Labels:
    """Names, each mapping in the order of the tables; what is not named stands last, under its key.

    Attributes
    ----------
    methods, tasks, corpora : names by key.
    highlight : methods to colour in learning curves; empty chooses no expansion, our own and those of best rank.

    Examples
    --------
    >>> labels = Labels({"none": MethodLabel("No expansion")}, {"mr": TaskLabel("MR")})
    >>> labels.method("none").title, labels.method("scl").title, labels.corpus("own")
    ('No expansion', 'scl', 'own')
    """

    methods: Mapping[str, MethodLabel]
    tasks: Mapping[str, TaskLabel]
    corpora: Mapping[str, str] = field(default_factory=dict)
    highlight: tuple[str, ...] = ()

    def method(self, key: str) -> MethodLabel:
        """Return the name of a method."""
        return self.methods.get(key, MethodLabel(key))

    def task(self, key: str) -> TaskLabel:
        """Return the name of a task."""
        return self.tasks.get(key, TaskLabel(key))

    def corpus(self, key: str) -> str:
        """Return the name of a corpus."""
        return self.corpora.get(key, key)


class AnalysisResult(NamedTuple):
    """What one analysis found, ready for a report.

    Attributes
    ----------
    name : for links and files: letters, digits and hyphens.
    title : heading.
    finding : what the paper says and what was seen.
    header, rows : its table; without a header there is none.
    figure : an .svg or .png file, or None.
    """

    name: str
    title: str
    finding: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    figure: Path | None = None
