"""One-line summaries of functions by sub-package, 20 sub-packages: real text on every machine."""

from __future__ import annotations

from classinet.bench.tasks.base import Labelled, Task, labelled
from classinet.datasets import load_docstrings


def _load() -> Labelled:
    data = load_docstrings()
    return labelled("docstrings", data.texts, data.labels, unlabeled=data.sentences)


TASK = Task("docstrings", "Docstrings", _load, order=60, external="reddit", per_class=True)
