"""The whole benchmark on a small slice of text that every machine holds: to see that all parts work, in minutes.

Enter: nothing. Leave: definitions for `Bench`. The slice is of docstrings; its numbers say nothing about the paper.
"""

from __future__ import annotations

from classinet.bench.corpora import Corpus, of_documents
from classinet.bench.tasks import Labelled, Task, labelled
from classinet.datasets import load_docstrings

N_SENTENCES, N_TEXTS = 4000, 60
CLASSES = ("scipy.stats", "numpy.ma", "sklearn.utils", "scipy.linalg", "scipy.optimize")


def quick_corpus() -> Corpus:
    """Return the first docstring sentences, ten to a document."""
    sentences = load_docstrings().sentences[:N_SENTENCES]
    return of_documents("docstrings", [". ".join(sentences[i : i + 10]) for i in range(0, len(sentences), 10)])


def quick_task(n_classes: int) -> Labelled:
    """Return some one-line summaries of the first classes."""
    data = load_docstrings()
    chosen: list[tuple[str, str]] = []
    for name in CLASSES[:n_classes]:
        own = [(text, label) for text, label in zip(data.texts, data.labels, strict=True) if label == name]
        chosen += own[:N_TEXTS]
    return labelled("docstrings", [text for text, _ in chosen], [label for _, label in chosen])


def quick_tasks() -> dict[str, Task]:
    """Return tasks of two, three and five classes."""
    return {
        "two": Task("two", "Two classes", lambda: quick_task(2), 1, "docstrings", in_paper=True),
        "three": Task("three", "Three classes", lambda: quick_task(3), 2, "docstrings", in_paper=True),
        "five": Task("five", "Five classes", lambda: quick_task(5), 3, "docstrings", per_class=True, in_paper=True),
    }
