"""Titles of posts by topic, 20 topics."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "reddit20",
    "Reddit titles",
    partial(given_split, "reddit20"),
    order=70,
    external="reddit",
    per_class=True,
)
