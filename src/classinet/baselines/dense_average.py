"""The mean of the vectors from which a net's graph was made: what the explicit graph is up against.

Enter: unlabeled texts, or a fitted net. Leave: texts × directions. The vectors are those by which the net finds
neighbours, each of length 1, weighed by how rare their words are; so the graph is all that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from classinet._sparse import canonical_csr
from classinet._typing import Csr
from classinet.baselines.over_net import OverNet
from classinet.exceptions import ParameterError
from classinet.pipeline import TextNet


class DenseAverage(OverNet):
    """Average the vectors of a text's features: its words and, over a net that counts them, its pieces.

    Parameters
    ----------
    net : a fitted `TextNet`, which is used as it is; an unfitted one, which `fit` builds; None for a default one. Its
        predictors must have vectors for all features.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> rival = DenseAverage().fit(made_up_sentences())
    >>> near = rival.transform(["storm", "thunder", "oven"]).toarray()
    >>> bool(near[0] @ near[1] > near[0] @ near[2])
    True
    """

    def __init__(self, net: TextNet | None = None) -> None:
        self.net = net

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Build the net from unlabeled texts, unless a fitted one was given, and take its vectors."""
        super().fit(X)
        predictor: Any = self.net_.net_.predictor
        if not hasattr(predictor, "feature_vectors"):
            raise ParameterError(f"net must have predictors with vectors for all features, got {predictor!r}")
        vectors = predictor.feature_vectors().astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.vectors_ = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return self

    def transform(self, X: Iterable[str]) -> Csr:
        """Return the weighed mean of the vectors of each text's features."""
        way, counts = self._rows(X)
        return canonical_csr(way.leading_rows(counts) @ self.vectors_)
