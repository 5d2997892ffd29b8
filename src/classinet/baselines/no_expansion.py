"""No expansion: the tf-idf of a text's own words, which every other system is compared with."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from classinet._sparse import column_counts
from classinet._typing import Csr, Integers
from classinet.baselines.base import BagBaseline, Use
from classinet.exceptions import InputError
from classinet.pipeline.representation import rarity, unit_rows, weigh_words
from classinet.text import TextVectorizer
from classinet.text.vectorizer import strings


class NoExpansion(BagBaseline):
    """Weigh 1 + log count of every word by how rare it was in the unlabeled text, and bring rows to length 1.

    Words of labelled texts that the unlabeled text lacks are learnt by `adapt`; nothing is rarer than they.

    Parameters
    ----------
    vectorizer : how texts become counts; None takes words that occur in two unlabeled texts or more.

    Examples
    --------
    >>> rival = NoExpansion().fit(["a red fox", "a red hen", "a hen"]).adapt(["a fine fox"], ["animal"])
    >>> rival.transform(["a fox", "the hen"]).toarray().round(2)
    array([[0.39, 0.  , 0.  , 0.  , 0.92],
           [0.  , 1.  , 0.  , 0.  , 0.  ]])
    >>> rival.feature_names_.tolist()
    ['a', 'hen', 'red', 'fine', 'fox']
    """

    use: Use = "alone"

    def __init__(self, vectorizer: TextVectorizer | None = None) -> None:
        self.vectorizer = vectorizer

    def _fit(self, counts: Csr) -> None:
        self._weigh(column_counts(counts), counts.shape[0])

    @classmethod
    def known(
        cls, names: Sequence[str], holding: Integers, n_texts: int, vectorizer: TextVectorizer | None = None
    ) -> Self:
        """Return a fitted one from the features that were counted, and how many of the texts hold each."""
        fitted = cls(vectorizer)
        fitted.vectorizer_ = (TextVectorizer(min_df=2) if vectorizer is None else vectorizer).with_vocabulary(names)
        fitted.feature_names_ = fitted.vectorizer_.get_feature_names_out()
        fitted._weigh(holding, n_texts)
        return fitted

    def _weigh(self, holding: Integers, n_texts: int) -> None:
        self.holding_, self.n_texts_ = holding, n_texts
        self.idf_ = rarity(holding.astype(np.float64), n_texts)

    def adapt(self, texts: Iterable[str], labels: Sequence[Any]) -> Self:
        """Return a copy that also knows the words of labelled texts."""
        if self.vectorizer_ is None:
            raise InputError("this NoExpansion was fitted on counts; labelled texts can add no words to its columns")
        features_of, known = self.vectorizer_.compiled(), self.vectorizer_.vocabulary_
        unseen = sorted({f for text in strings(texts) for f in features_of(text) if f not in known})
        wider = copy.copy(self)
        wider.vectorizer_ = self.vectorizer_.with_vocabulary([*known, *unseen])
        wider.feature_names_ = wider.vectorizer_.get_feature_names_out()
        wider.idf_ = np.append(self.idf_, rarity(np.zeros(len(unseen)), self.n_texts_))
        return wider

    @property
    def learns_from_labels(self) -> bool:
        """No: it learns the words of labelled texts, whatever their labels."""
        return False

    def _transform(self, counts: Csr) -> Csr:
        return unit_rows(weigh_words(counts, self.idf_))
