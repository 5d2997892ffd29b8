"""h_i(x) = [x_i ≠ 0]: a vertex is its own predictor, and the net becomes the co-occurrence graph (§3.4)."""

from __future__ import annotations

import numpy as np

from classinet._sparse import column_counts, take_columns, transpose
from classinet._typing import Csr, Singles
from classinet.predictors.base import Predictor, Problem


class Indicator(Predictor):
    """Predict a vertex where it occurs, and nowhere else.

    Nothing is learnt, and nothing that is missing can be found: use it to compare a net with plain
    co-occurrence.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [0, 0, 1]])
    >>> Indicator().fit(X, X).decision_function(X)
    array([[ 0.5,  0.5, -0.5],
           [-0.5, -0.5,  0.5]], dtype=float32)
    """

    def _unlearnable(self, problem: Problem) -> dict[int, str]:
        # A vertex that occurs in every text is no obstacle here: there is nothing to tell apart.
        counts = column_counts(problem.targets)
        reasons = {int(i): "0 usable positives, 1 needed" for i in np.flatnonzero(counts == 0)}
        for i in np.flatnonzero(problem.columns < 0):
            reasons[int(i)] = "no feature of the contexts, so its presence cannot be seen there"
        return reasons

    def _fit(self, problem: Problem) -> None:
        self.positives_ = column_counts(problem.targets)

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """±0.5 for vertices start..stop, one row a vertex."""
        columns, place = np.unique(self.columns_[start:stop], return_inverse=True)
        rows_of = transpose(take_columns(contexts, columns))
        out = np.full(rows_of.shape, -0.5, dtype=np.float32)
        out[np.repeat(np.arange(len(columns)), np.diff(rows_of.indptr)), rows_of.indices] = 0.5
        return out[place]
