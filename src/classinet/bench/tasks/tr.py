"""Sentences of film reviews, positive or negative: the treebank's binary task, given split."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "tr",
    "TR",
    partial(given_split, "tr"),
    order=10,
    external="imdb",
    in_paper=True,
)
