"""Questions to a bank by intent, 77 intents."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "banking77",
    "Banking77",
    partial(given_split, "banking77"),
    order=80,
    external="reddit",
    per_class=True,
)
