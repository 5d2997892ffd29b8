"""Sentences of customer reviews of electronics, positive or negative."""

from functools import partial

from classinet.bench.tasks._registry import cross_validated
from classinet.bench.tasks.base import Task

TASK = Task(
    "cr",
    "CR",
    partial(cross_validated, "cr"),
    order=30,
    external="imdb",
    metric="macro_f1",
    in_paper=True,
)
