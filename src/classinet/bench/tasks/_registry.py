"""Tasks out of the library's own data sets."""

from __future__ import annotations

from classinet.bench.tasks.base import TRAIN, UNUSED, Labelled, labelled
from classinet.datasets import load

_PART = {"train": TRAIN, "test": 0}


def given_split(name: str) -> Labelled:
    """Load a set that is published with a training and a test part; other parts are not used."""
    data = load(name)
    return labelled(name, data.texts, data.labels, [_PART.get(split, UNUSED) for split in data.splits])


def cross_validated(name: str) -> Labelled:
    """Load a set that is published in one piece."""
    data = load(name)
    return labelled(name, data.texts, data.labels)
