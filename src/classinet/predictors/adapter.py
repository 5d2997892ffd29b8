"""Any scikit-learn classifier as the predictor of every vertex.

Enter: a classifier. Leaves: one fitted clone a vertex, trained on the vertex's own sample of rows and
features. The sample is the one that the built-in kinds draw, so that kinds can be compared on equal rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from threadpoolctl import threadpool_limits

from classinet._sparse import take_columns, take_rows, transpose
from classinet._typing import Csr, Floats, Integers, MatrixLike, Singles
from classinet.exceptions import ParameterError
from classinet.predictors.base import Problem
from classinet.predictors.sampled import Sample, SampledPredictor, Sampling


def _gives_probabilities(predictor: SklearnPredictor) -> bool:
    if not hasattr(predictor.estimator, "predict_proba"):
        raise AttributeError(f"{type(predictor.estimator).__name__} has no predict_proba")
    return True


class SklearnPredictor(SampledPredictor):
    """One clone of a scikit-learn classifier for every vertex, linear or not.

    Slower by far than the built-in kinds: meant for a few hundred vertices, or for a classifier that there is
    no built-in kind of.

    Parameters
    ----------
    estimator : a binary classifier. Its `random_state`, and that of its parts, is set anew for every vertex.
    sampling : which rows and features train a predictor.
    binary : see only whether a feature occurs, not its value.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 10)
    >>> predictor = SklearnPredictor(DecisionTreeClassifier()).fit(X, X)
    >>> predictor.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).astype(int)
    array([[0, 1, 0, 0],
           [0, 0, 1, 0]])
    """

    def __init__(self, estimator: Any, sampling: Sampling | None = None, binary: bool = True) -> None:
        self.estimator = estimator
        self.sampling = sampling
        self.binary = binary

    def _fit(self, problem: Problem) -> None:
        instance = hasattr(self.estimator, "fit") and not isinstance(self.estimator, type)
        if not (instance and is_classifier(self.estimator)):
            raise ParameterError(
                f"estimator must be a scikit-learn classifier, such as LogisticRegression(), got {self.estimator!r}"
            )
        sample = Sample(problem, self._sampling)
        sample.kernel_arguments()  # fills what the threads would otherwise all compute at once

        def train(batch: tuple[int, int]) -> list[tuple[Any, Integers, int]]:
            return [self._train(sample, vertex) for vertex in range(*batch)]

        # BLAS splits a product differently over different numbers of threads: one keeps the bytes equal.
        with threadpool_limits(1):
            parts = problem.engine.map_batches(train, sample.batches(), stage="predictors")
        fitted = [one for part in parts for one in part]
        self.estimators_ = [estimator for estimator, _, _ in fitted]
        self.features_ = [features for _, features, _ in fitted]
        self.positives_ = np.array([n_positive for _, _, n_positive in fitted], dtype=np.int64)

    def _train(self, sample: Sample, vertex: int) -> tuple[Any, Integers, int]:
        matrix, features, labels = sample.local(vertex)
        order = np.argsort(features)
        estimator = clone(self.estimator)
        state = int(sample.keys[vertex] >> np.uint64(33))
        states = {
            name: state
            for name in estimator.get_params(deep=True)
            if name == "random_state" or name.endswith("__random_state")
        }
        estimator.set_params(**states)
        estimator.fit(self._given(take_columns(matrix, order)), labels.astype(np.int64))
        return estimator, features[order], int(labels.sum())

    def _given(self, matrix: Csr) -> Any:
        """The matrix as the estimator takes it; a vertex without features gets one that never occurs."""
        shape = (matrix.shape[0], max(1, matrix.shape[1]))
        values = matrix.data.astype(np.float64)
        given = sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=shape)
        return given if get_tags(self.estimator).input_tags.sparse else given.toarray()

    def _outputs(self, contexts: Csr, start: int, stop: int, method: str) -> Floats:
        """What a method of the estimators of start..stop says of each text, one row a vertex."""
        rows_of = transpose(contexts)
        out = np.empty((stop - start, contexts.shape[0]))
        for i in range(start, stop):
            local = self._given(transpose(take_rows(rows_of, self.features_[i])))
            answer = getattr(self.estimators_[i], method)(local)
            out[i - start] = answer[:, 1] if method == "predict_proba" else np.ravel(answer)
        return out

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Scores of vertices start..stop, one row a vertex: margins if there are any, else posterior − ½."""
        for method, middle in (("decision_function", 0.0), ("predict_proba", 0.5)):
            if hasattr(self.estimator, method):
                return (self._outputs(contexts, start, stop, method) - middle).astype(np.float32)
        return (self._outputs(contexts, start, stop, "predict") - 0.5).astype(np.float32)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, contexts: MatrixLike) -> Floats:
        """Return the posterior of each vertex under the sampled ratio of negatives (texts × vertices)."""
        prepared = self.prepare_contexts(contexts)
        return self._outputs(prepared, 0, self.n_vertices_, "predict_proba").T
