"""Sentences on films: a critic's opinion or a part of the plot."""

from functools import partial

from classinet.bench.tasks._registry import cross_validated
from classinet.bench.tasks.base import Task

TASK = Task(
    "subj",
    "SUBJ",
    partial(cross_validated, "subj"),
    order=40,
    external="imdb",
    in_paper=True,
)
