"""w ← w + y·x at every mistake, averaged over all steps: the online predictor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from classinet import _kernels
from classinet._validation import check_number
from classinet.predictors.base import Problem
from classinet.predictors.sampled import Sampling, SparseLinearPredictor


class Perceptron(SparseLinearPredictor):
    """Averaged perceptron, one for every vertex.

    Positives and negatives are visited one at a time, in an order that is drawn anew for every epoch from the
    seed and the vertex's name. Quicker than `Logistic` with its choice of strength, but its scores are
    margins, not posteriors.

    Parameters
    ----------
    epochs : passes over the rows of a vertex.
    sampling : which rows and features train a predictor.
    binary : see only whether a feature occurs, not its value.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 10)
    >>> predictor = Perceptron().fit(X, X)
    >>> predictor.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).astype(int)
    array([[0, 1, 0, 0],
           [0, 0, 1, 0]])
    """

    def __init__(self, epochs: int = 5, sampling: Sampling | None = None, binary: bool = True) -> None:
        self.epochs = epochs
        self.sampling = sampling
        self.binary = binary

    def _fit(self, problem: Problem) -> None:
        check_number("epochs", self.epochs, low=1, whole=True)
        super()._fit(problem)

    def _train(self, first: int, last: int, sample: tuple[Any, ...]) -> tuple[Any, ...]:
        starts, *rest = _kernels.perceptron.fit_batch(first, last, sample, self.epochs)
        return (starts[1:] - starts[:-1], *rest)

    def _note(self, notes: list[Any]) -> None:
        self.positives_, self.mistakes_ = notes[0].astype("int64"), notes[1].astype("int64")

    def report(self) -> Mapping[str, NDArray[Any]]:
        """Return positives and the mistakes of the last epoch per vertex."""
        return {**super().report(), "mistakes": self.mistakes_}
