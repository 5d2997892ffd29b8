"""Questions by the type of their answer, six types, given split."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "trec",
    "TREC",
    partial(given_split, "trec"),
    order=50,
    external="imdb",
    in_paper=True,
)
