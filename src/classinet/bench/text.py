"""The text's own features for all methods alike: counted once for a task, finished for every draw of labels.

Enter: a corpus and a task. Leave: rows for every text. What a draw may know are the words of the corpus and the words,
and pieces, of its labelled texts; all others are left out, as `NoExpansion` and `ClassiNetClassifier` would. Tokens are
counted once, so a draw costs little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classinet._sparse import canonical_csr, column_counts, take_columns, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet.baselines.no_expansion import NoExpansion
from classinet.merging import append
from classinet.pipeline.pieces import Pieces, least_texts, run_frequencies
from classinet.pipeline.representation import own_rows, rarity, weigh_words
from classinet.text import TextVectorizer


@dataclass(frozen=True, eq=False)
class OwnFeatures:
    """The words of a task's texts and, where they are asked for, the pieces.

    Attributes
    ----------
    values : texts × features: (1 + log count) × rarity.
    n_known : so many of the first words are the corpus's.
    n_words : so many of the first features are words.
    n_phrases : so many follow that are phrases; all others are runs. None without pieces.
    """

    values: Csr
    n_known: int
    n_words: int
    n_phrases: int | None = None

    @classmethod
    def of(cls, texts: list[str], corpus: NoExpansion, *, pieces: bool = False) -> OwnFeatures:
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
        words, n_known = take_columns(weighed, used), int((used < len(known)).sum())
        if not pieces:
            return cls(words, n_known, len(used))
        tokenize = vectorizer.compiled_steps()[0]
        tokens = [tokenize(text) for text in texts]
        found = Pieces.of(tokens, least=1)
        frequency = run_frequencies(found.runs, known, corpus.holding_.astype(np.float64))
        runs = rarity(np.minimum(frequency, corpus.n_texts_), corpus.n_texts_)
        weighed = weigh_words(found.count(tokens), np.concatenate([np.ones(len(found.phrases)), runs]))
        return cls(append(words, weighed), n_known, len(used), len(found.phrases))

    def rows(self, labelled: Integers) -> Csr:
        """Return all texts as a classifier may see them that is trained on some of them."""
        holding = column_counts(take_rows(self.values, labelled))
        met = holding >= 1
        met[self.n_words :] = holding[self.n_words :] >= least_texts(len(labelled))
        met[: self.n_known] = True
        kept = np.flatnonzero(met)
        n_words = int(met[: self.n_words].sum())
        n_phrases = None if self.n_phrases is None else int(met[self.n_words : self.n_words + self.n_phrases].sum())
        return own_rows(take_columns(self.values, kept), n_words, n_phrases)
