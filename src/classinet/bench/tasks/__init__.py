"""The data sets of the benchmark, one small file each: a file here that defines TASK is found by itself."""

from classinet.bench._discovery import discover
from classinet.bench.tasks.base import Labelled, Task, folds, labelled

__all__ = ["Labelled", "Task", "all_tasks", "folds", "labelled"]


def all_tasks() -> dict[str, Task]:
    """Return every task by its key, in the order of the tables.

    >>> list(all_tasks())[:5]
    ['tr', 'mr', 'cr', 'subj', 'trec']
    """
    return discover(__name__, __path__, "TASK", Task)
