"""NBSVM: words and pairs of words, each weighed by how much its presence speaks for a class (Wang & Manning 2012).

Enter: labelled texts. Leaves: a sparse row a text, presence × |log-count ratio|, for a linear classifier.

The original trains one classifier a class, each on features scaled by its own ratios (see `classinet.pipeline.leeway`).
Here all classes share one block, scaled by the largest |r| over the classes: a word that tells any class apart weighs
much, one that tells none weighs little. With two classes this is the original, for their ratios differ in sign alone
and a linear classifier does not mind the sign of a feature.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from classinet._sparse import canonical_csr, from_arrays, presence
from classinet._typing import Csr
from classinet._validation import check_number
from classinet.baselines._vectors import Tokenize, labelled
from classinet.baselines.base import Baseline, Use
from classinet.exceptions import InputError
from classinet.pipeline.leeway import largest_ratios
from classinet.text import TextVectorizer
from classinet.text.vectorizer import strings


class NBSVM(Baseline):
    """Weigh the words and pairs of words of a text by their log-count ratios in labelled texts.

    Unlabeled texts teach it nothing: a feature that no labelled text holds has no ratio. So its features are those of
    the labelled texts, and `fit` only looks whether it is given texts.

    Parameters
    ----------
    alpha : float, default 1.0
        What is added to every count.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.

    Attributes
    ----------
    feature_names_ : ndarray of str
        Words and pairs of words of the labelled texts, once adapted.
    ratios_ : ndarray of float64
        The largest |log-count ratio| of each.

    Examples
    --------
    >>> rival = NBSVM().fit(["unlabeled texts"])
    >>> rival = rival.adapt(["a good film", "a bad film"], ["pos", "neg"])
    >>> dict(zip(rival.feature_names_, rival.ratios_.round(2).tolist()))
    {'a': 0.0, 'a bad': 0.69, 'a good': 0.69, 'bad': 0.69, 'bad film': 0.69, 'film': 0.0, 'good': 0.69,
     'good film': 0.69}
    """

    use: Use = "alone"

    def __init__(self, alpha: float = 1.0, tokenizer: Tokenize | None = None) -> None:
        self.alpha = alpha
        self.tokenizer = tokenizer

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn nothing from unlabeled texts, but refuse what is none."""
        check_number("alpha", self.alpha, low=0, open_low=True)
        for _ in strings(X):
            pass
        self.fitted_ = True
        return self

    def adapt(self, texts: Iterable[str], labels: Sequence[Any]) -> Self:
        """Return a copy that knows the features of labelled texts and their ratios."""
        check_is_fitted(self)
        known = labelled(texts, labels)
        adapted = copy.copy(self)
        adapted.vectorizer_ = TextVectorizer(self.tokenizer, ngram_range=(1, 2))
        counts = canonical_csr(adapted.vectorizer_.fit_transform(known.texts))
        adapted.feature_names_ = adapted.vectorizer_.get_feature_names_out()
        member = known.codes[:, None] == np.arange(len(known.classes))
        adapted.ratios_ = largest_ratios(counts, member, alpha=self.alpha)
        return adapted

    def transform(self, X: Any) -> Csr:
        """Return presence × ratio; a feature that is as common in all classes is left out."""
        check_is_fitted(self)
        if not hasattr(self, "ratios_"):
            raise InputError("NBSVM weighs features by labels; call adapt with labelled texts before transform")
        found = presence(canonical_csr(self.vectorizer_.transform(X)))
        return canonical_csr(from_arrays(self.ratios_[found.indices], found.indices, found.indptr, found.shape))
