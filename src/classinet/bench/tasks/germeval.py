"""German tweets, offensive or not; English titles as unlabeled text show what text of no use does."""

from functools import partial

from classinet.bench.tasks._registry import given_split
from classinet.bench.tasks.base import Task

TASK = Task(
    "germeval2018_de",
    "GermEval (German)",
    partial(given_split, "germeval2018_de"),
    order=100,
    external="reddit",
    metric="macro_f1",
)
