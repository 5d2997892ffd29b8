"""log p(x | v_i) − log p(x | not v_i) + log prior odds, features independent: multinomial naive Bayes."""

from __future__ import annotations

from typing import Any

from classinet import _kernels
from classinet._typing import Floats, MatrixLike
from classinet._validation import check_number
from classinet.predictors.base import Problem
from classinet.predictors.sampled import Sampling, SparseLinearPredictor, sigmoid


class NaiveBayes(SparseLinearPredictor):
    """Multinomial naive Bayes, one for every vertex, by one count over the rows of its sample.

    The quickest of the trained kinds. It counts correlated features as if each were news, so its posteriors
    are too sure of themselves; their order is better than their size. What speaks against a vertex is seen
    only with `Sampling(min_cooccurrence=0)`, which lets features take part that none of the positives hold.

    Parameters
    ----------
    smoothing : added to the count of every feature of a predictor on both sides.
    sampling : which rows and features train a predictor.
    binary : see only whether a feature occurs, not its value.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 10)
    >>> predictor = NaiveBayes(sampling=Sampling(min_cooccurrence=0)).fit(X, X)
    >>> predictor.predict_proba([[1, 0, 0, 0], [0, 0, 0, 1]])[:, 1].round(2)
    array([0.95, 0.14])
    """

    def __init__(self, smoothing: float = 1.0, sampling: Sampling | None = None, binary: bool = True) -> None:
        self.smoothing = smoothing
        self.sampling = sampling
        self.binary = binary

    def _fit(self, problem: Problem) -> None:
        check_number("smoothing", self.smoothing, low=0, open_low=True)
        super()._fit(problem)

    def _train(self, first: int, last: int, sample: tuple[Any, ...]) -> tuple[Any, ...]:
        starts, *rest = _kernels.naive_bayes.fit_batch(first, last, sample, float(self.smoothing))
        return (starts[1:] - starts[:-1], *rest)

    def _note(self, notes: list[Any]) -> None:
        self.positives_ = notes[0].astype("int64")

    def predict_proba(self, contexts: MatrixLike) -> Floats:
        """Return the posterior of each vertex under the sampled ratio of negatives (texts × vertices)."""
        return sigmoid(self.decision_function(contexts))
