"""The text's own features for all methods alike: tf-idf, counted once for a task, finished for every draw of labels.

Enter: a corpus and a task. Leave: rows for every text. What a draw may know are the words of the corpus and those of
its labelled texts; all others are left out, as `NoExpansion` would. Tokens are counted once, so a draw costs little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classinet._sparse import canonical_csr, column_counts, take_columns, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet.baselines.no_expansion import NoExpansion
from classinet.pipeline.representation import rarity, unit_rows, weigh_words
from classinet.text import TextVectorizer


@dataclass(frozen=True, eq=False)
class OwnWords:
    """The words of a task's texts.

    Attributes
    ----------
    values : texts × words: (1 + log count) × rarity.
    n_known : so many of the first words are the corpus's.
    """

    values: Csr
    n_known: int

    @classmethod
    def of(cls, texts: list[str], corpus: NoExpansion) -> OwnWords:
        """Count a task's texts; `corpus` was fitted on unlabeled text."""
        vectorizer = corpus.vectorizer_
        assert vectorizer is not None  # it was fitted on texts
        known = vectorizer.vocabulary_
        everything = TextVectorizer().fit(texts)
        unseen = [name for name in everything.vocabulary_ if name not in known]
        counts = canonical_csr(vectorizer.with_vocabulary([*known, *unseen]).transform(texts))
        idf: Floats = np.append(corpus.idf_, rarity(np.zeros(len(unseen)), corpus.n_texts_))
        weighed = weigh_words(counts, idf)
        # Words of the corpus that no text of the task holds would only widen every matrix to come.
        used = np.flatnonzero(column_counts(weighed))
        return cls(take_columns(weighed, used), int((used < len(known)).sum()))

    def rows(self, labelled: Integers) -> Csr:
        """Return all texts as a classifier may see them that is trained on some of them."""
        met = column_counts(take_rows(self.values, labelled)) > 0
        met[: self.n_known] = True
        return unit_rows(take_columns(self.values, np.flatnonzero(met)))
