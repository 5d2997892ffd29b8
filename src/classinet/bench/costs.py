"""What a build would cost in other sizes and on more workers, from what builds of several sizes did cost.

Enter: builds of one recipe, measured. Leave: hours, memory, disk. Every stage follows a law of its own,
c · texts^a · features^b, so that one that hardly counts in small builds is not forgotten in a large one. A stage that
is cut into batches takes its time divided by the workers; what one process computes takes as long on a cluster as here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from classinet.bench.measuring import Measured
from classinet.bench.scale_points import READING

LEAST = 1e-3  # seconds: what is quicker is as good as nothing, and its logarithm is noise


@dataclass(frozen=True)
class PowerLaw:
    """coefficient · texts^a · features^b."""

    coefficient: float
    a: float
    b: float

    def at(self, texts: float, features: float) -> float:
        """Return the value for these sizes.

        >>> PowerLaw(2.0, 1.0, 0.5).at(texts=10, features=9)
        60.0
        """
        return float(self.coefficient * texts**self.a * features**self.b)


def fit_law(texts: Sequence[float], features: Sequence[float], values: Sequence[float]) -> PowerLaw:
    """Fit a law by least squares on the logarithms, no exponent below 0, and let it hold exactly in the largest size.

    >>> law = fit_law([10, 10, 100], [5, 20, 20], [50.0, 100.0, 1000.0])
    >>> round(law.coefficient, 6), round(law.a, 6), round(law.b, 6)
    (2.236068, 1.0, 0.5)
    """
    sizes = np.log(np.array([texts, features], dtype=np.float64))
    logs = np.log(np.array(values, dtype=np.float64))
    kept = [axis for axis in (0, 1) if len(set(sizes[axis])) > 1]
    exponents = np.zeros(2)
    while kept:
        centred = sizes[kept] - sizes[kept].mean(axis=1, keepdims=True)
        slopes = np.linalg.lstsq(centred.T, logs - logs.mean(), rcond=None)[0]
        if slopes.min() >= 0:
            exponents[kept] = slopes
            break
        kept.pop(int(slopes.argmin()))  # what falls with size does so by chance, or has an end
    largest = int(sizes.sum(axis=0).argmax())
    return PowerLaw(float(np.exp(logs[largest] - exponents @ sizes[:, largest])), *exponents.tolist())


@dataclass(frozen=True)
class Cost:
    """What a build costs: hours, those in which the other workers wait, and bytes of memory and of disk."""

    hours: float
    alone_hours: float
    memory_bytes: float
    disk_bytes: float


@dataclass(frozen=True, eq=False)
class CostModel:
    """Laws of one recipe.

    Attributes
    ----------
    shared : seconds on one core of each stage that is cut into batches.
    alone : seconds of each stage that one process computes, with the threads it was measured with.
    memory, disk : bytes of the process that takes most, and of the build's directory with the net.
    """

    shared: Mapping[str, PowerLaw]
    alone: Mapping[str, PowerLaw]
    memory: PowerLaw
    disk: PowerLaw

    def cost(self, texts: float, features: float, workers: int) -> Cost:
        """Return what a build of this size costs on so many workers of one core."""
        alone = sum(law.at(texts, features) for law in self.alone.values()) / 3600
        shared = sum(law.at(texts, features) for law in self.shared.values()) / 3600
        return Cost(alone + shared / workers, alone, self.memory.at(texts, features), self.disk.at(texts, features))


def cost_model(builds: Sequence[Measured], threads: int) -> CostModel | None:
    """Fit the laws of builds that were made with so many threads; None unless both texts and features varied."""
    texts, features = ([float(build.notes[axis]) for build in builds] for axis in ("texts", "features"))
    if min(len(set(texts)), len(set(features))) < 2:
        return None

    def law(values: Iterable[float]) -> PowerLaw:
        return fit_law(texts, features, [max(LEAST, value) for value in values])

    alone = {stage for build in builds for stage in build.notes["alone"]}
    stages = dict.fromkeys(stage for build in builds for stage in build.notes["stages"])
    cores = {stage: 1 if stage in alone or stage == READING else threads for stage in stages}
    laws = {stage: law(cores[stage] * build.notes["stages"].get(stage, 0.0) for build in builds) for stage in stages}
    return CostModel(
        shared={stage: found for stage, found in laws.items() if stage not in alone},
        alone={stage: found for stage, found in laws.items() if stage in alone},
        memory=law(float(build.anonymous_bytes or build.peak_bytes) for build in builds),
        disk=law(float(build.notes["disk_bytes"]) for build in builds),
    )


def largest_from_others(builds: Sequence[Measured], threads: int) -> float | None:
    """Return by which factor a model of all builds but the largest mistakes the seconds of the largest."""
    ordered = sorted(builds, key=lambda build: build.notes["texts"] * build.notes["features"])
    model = cost_model(ordered[:-1], threads)
    if model is None:
        return None
    notes = ordered[-1].notes
    size = float(notes["texts"]), float(notes["features"])
    seconds = sum(law.at(*size) for law in model.alone.values())
    seconds += sum(law.at(*size) / (1 if s == READING else threads) for s, law in model.shared.items())
    return float(seconds / sum(notes["stages"].values()))
