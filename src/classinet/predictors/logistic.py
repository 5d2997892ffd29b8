"""min ½‖w‖² + C Σ log(1 + exp(−y(w·x + b))): the paper's predictor, its strength C chosen vertex by vertex (§3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._typing import Floats, MatrixLike
from classinet._validation import check_number
from classinet.exceptions import ParameterError
from classinet.predictors.base import Problem
from classinet.predictors.sampled import Sampling, SparseLinearPredictor, sigmoid

STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)
CV_TOLERANCE = 0.03


class Logistic(SparseLinearPredictor):
    """L2-regularised logistic regression with an unpenalised intercept, one for every vertex.

    Parameters
    ----------
    strength : a number C, or the grid from which cross-validation chooses for every vertex (smaller is stronger
        regularisation, as in scikit-learn).
    folds : folds of that cross-validation; a vertex with fewer than two positives per fold gets fewer folds.
    sampling : which rows and features train a predictor.
    tol : gradient, relative to the gradient at zero, at which a fit is done.
    binary : see only whether a feature occurs, not its value.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 10)
    >>> predictor = Logistic(strength=1.0, sampling=Sampling(longer_than_average=False)).fit(X, X)
    >>> predictor.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).astype(int)
    array([[0, 1, 0, 0],
           [0, 0, 1, 0]])
    """

    def __init__(
        self,
        strength: float | Sequence[float] = STRENGTHS,
        folds: int = 5,
        sampling: Sampling | None = None,
        tol: float = 5e-4,
        binary: bool = True,
    ) -> None:
        self.strength = strength
        self.folds = folds
        self.sampling = sampling
        self.tol = tol
        self.binary = binary

    def _fit(self, problem: Problem) -> None:
        self._grid = np.unique(np.asarray(self.strength, dtype=np.float64))
        if not (np.isfinite(self._grid).all() and (self._grid > 0).all() and self._grid.size):
            raise ParameterError(f"strength must be a number > 0 or a list of such numbers, got {self.strength!r}")
        check_number("folds", self.folds, low=2, high=8, whole=True)
        check_number("tol", self.tol, low=0, open_low=True)
        super()._fit(problem)

    def _train(self, first: int, last: int, sample: tuple[Any, ...]) -> tuple[Any, ...]:
        starts, *rest = _kernels.logistic.fit_batch(
            first, last, sample, self._grid, self.folds, CV_TOLERANCE, float(self.tol)
        )
        return (np.diff(starts), *rest)

    def _note(self, notes: list[Any]) -> None:
        self.positives_, self.strength_, self.cv_loss_ = notes[0].astype(np.int64), notes[1], notes[2]

    def predict_proba(self, contexts: MatrixLike) -> Floats:
        """Return the posterior of each vertex under the sampled ratio of negatives (texts × vertices)."""
        return sigmoid(self.decision_function(contexts))

    def report(self) -> Mapping[str, NDArray[Any]]:
        """Return positives, chosen strength and cross-validated loss per vertex."""
        return {**super().report(), "strength": self.strength_, "cv_loss": self.cv_loss_}
