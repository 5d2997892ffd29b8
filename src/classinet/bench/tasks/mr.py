"""Sentences of film reviews, positive or negative. Many are in TR too: nothing tuned on one may serve the other."""

from functools import partial

from classinet.bench.tasks._registry import cross_validated
from classinet.bench.tasks.base import Task

TASK = Task(
    "mr",
    "MR",
    partial(cross_validated, "mr"),
    order=20,
    external="imdb",
    in_paper=True,
)
