"""The text's own features for all methods alike: counted once for a task, finished for every draw of labels.

Enter: a corpus and a task. Leave: rows for every text. What a draw may know are the features of the corpus and the
words, and pieces, of its labelled texts; all others are left out, as `NoExpansion` and `ClassiNetClassifier` would.
Tokens are counted once, so a draw costs little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classinet._sparse import canonical_csr, column_counts, take_columns, take_rows
from classinet._typing import Csr, Flags, Floats, Integers
from classinet.baselines.no_expansion import NoExpansion
from classinet.merging import append
from classinet.pipeline.pieces import Pieces, least_texts, run_frequencies
from classinet.pipeline.representation import FEATURES, own_rows, rarity, weigh_words


@dataclass(frozen=True, eq=False)
class OwnFeatures:
    """The words of a task's texts or, where the corpus was counted with pieces, these and runs of letters too.

    Attributes
    ----------
    values : texts × features: (1 + log count) × rarity.
    known, words : which features are the corpus's, and which are words.
    n_runs : so many of the last features are runs of letters; None without pieces.
    """

    values: Csr
    known: Flags
    words: Flags
    n_runs: int | None = None

    @classmethod
    def of(cls, texts: list[str], corpus: NoExpansion) -> OwnFeatures:
        """Count a task's texts; `corpus` was fitted on unlabeled text."""
        vectorizer = corpus.vectorizer_
        assert vectorizer is not None  # it was fitted on texts
        known = vectorizer.vocabulary_
        features_of = vectorizer.compiled()
        unseen = sorted({name for text in texts for name in features_of(text)} - known.keys())
        counts = canonical_csr(vectorizer.with_vocabulary([*known, *unseen]).transform(texts))
        idf: Floats = np.append(corpus.idf_, rarity(np.zeros(len(unseen)), corpus.n_texts_))
        weighed = weigh_words(counts, idf)
        # What no text of the task holds would only widen every matrix to come, and no text is judged by the net's runs.
        every = [*known, *unseen]
        used = np.flatnonzero((column_counts(weighed) > 0) & ~vectorizer.runs_among(every))
        own = used < len(known), vectorizer.words_among(every)[used]
        features = take_columns(weighed, used)
        if not vectorizer.pieces:
            return cls(features, *own)
        tokenize = vectorizer.compiled_steps()[0]
        tokens = [tokenize(text) for text in texts]
        found = Pieces.of(tokens, least=1, phrases=False)
        words = vectorizer.words_among(known)
        names = np.array(list(known), dtype=object)[words]
        frequency = run_frequencies(found.runs, names, corpus.holding_[words].astype(np.float64))
        weights = rarity(np.minimum(frequency, corpus.n_texts_), corpus.n_texts_)
        runs = weigh_words(found.count(tokens), weights)
        none = np.zeros(runs.shape[1], dtype=bool)
        return cls(append(features, runs), np.append(own[0], none), np.append(own[1], none), runs.shape[1])

    def rows(self, labelled: Integers) -> Csr:
        """Return all texts as a classifier may see them that is trained on some of them."""
        holding = column_counts(take_rows(self.values, labelled))
        met = self.known | (holding >= np.where(self.words, 1, least_texts(len(labelled))))
        own = take_columns(self.values, np.flatnonzero(met))
        if self.n_runs is None:
            return own_rows(own, own.shape[1])
        return own_rows(own, int(met[: len(met) - self.n_runs].sum()), 0, FEATURES)
