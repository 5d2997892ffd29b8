"""Text messages, spam or not."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "sms_spam",
    "SMS spam",
    partial(given_split, "sms_spam"),
    order=90,
    external="reddit",
    metric="macro_f1",
)
