"""CBOW: a text is the sum of the vectors of its words, learnt from the words around them (Mikolov et al. 2013).

Enter: unlabeled texts. Leaves: one dense row a text. `train_cbow` gives the word vectors themselves, for rivals that
start from them.

The same texts give the same bytes: one worker reads them in their order, and words are numbered by falling frequency,
equals by name, so that neither Python's hashes nor the sort of a library decide which start vector a word gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from classinet._optional import optional_import
from classinet._typing import Singles
from classinet.baselines._vectors import (
    EXTRA,
    TextVectors,
    Tokenize,
    check_training,
    passes_over,
    token_lists,
)
from classinet.baselines.base import Use
from classinet.exceptions import InputError
from classinet.text import TextVectorizer


class WordVectors(NamedTuple):
    """Words by falling frequency, and one row of float32 for each."""

    words: list[str]
    vectors: Singles


class CBOW(TextVectors):
    """Sum the CBOW vectors of a text's words; words that were not learnt add nothing.

    Parameters
    ----------
    size : int, default 300
        Dimensions of a word's vector, and of a text's.
    window : int, default 5
        How many words to each side predict the word between them.
    min_count : int, default 2
        How often a word must occur to get a vector.
    epochs : int, optional
        Passes over the texts; by default until about 25 million tokens have passed, 5 times at least and 50 at most.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of everything random.
    use : {"alone", "append"}, default "alone"
        Whether the vector stands for the text, as in the paper, or beside its tf-idf.

    Attributes
    ----------
    words_ : list of str
        Words that have a vector, by falling frequency.
    vectors_ : ndarray of float32, words × size
        Their vectors.

    Examples
    --------
    >>> rival = CBOW(size=8).fit(["a good film", "a bad film", "good and bad"] * 4)
    >>> rival.transform(["good film", "unknown words"]).shape
    (2, 8)
    """

    def __init__(
        self,
        size: int = 300,
        window: int = 5,
        min_count: int = 2,
        epochs: int | None = None,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
        use: Use = "alone",
    ) -> None:
        self.size = size
        self.window = window
        self.min_count = min_count
        self.epochs = epochs
        self.tokenizer = tokenizer
        self.seed = seed
        self.use = use

    def _learn(self, texts: Iterable[str]) -> None:
        self.words_, self.vectors_ = train_cbow(
            token_lists(texts, self.tokenizer),
            self.size,
            self.seed,
            window=self.window,
            min_count=self.min_count,
            epochs=self.epochs,
        )
        self.vectorizer_ = TextVectorizer(self.tokenizer).with_vocabulary(self.words_)

    def _vectors(self, texts: Iterable[str]) -> Singles:
        counts = self.vectorizer_.transform(texts).astype(np.float32)
        return np.asarray(counts @ self.vectors_, dtype=np.float32)


def train_cbow(
    token_lists: Sequence[Sequence[str]],
    size: int = 300,
    seed: int = 0,
    *,
    window: int = 5,
    min_count: int = 2,
    epochs: int | None = None,
) -> WordVectors:
    """Learn word vectors from tokenised texts, by CBOW with negative sampling.

    Parameters
    ----------
    token_lists : sequence of sequences of str
        The tokens of each text; read several times.
    size, seed, window, min_count, epochs
        As in `CBOW`.

    Returns
    -------
    WordVectors
        `words`, by falling frequency (equals by name), and `vectors`, words × size; unpacks as a pair.

    Examples
    --------
    >>> words, vectors = train_cbow([["so", "it", "is"], ["it", "is", "it"]], size=4)
    >>> words, vectors.shape
    (['it', 'is'], (2, 4))
    """
    check_training(size, window, min_count, epochs, seed)
    gensim = optional_import("gensim", EXTRA)
    counts = frequent_words(token_lists, min_count)
    n_tokens = sum(map(len, token_lists))
    model = gensim.models.Word2Vec(
        sg=0, vector_size=size, window=window, min_count=1, seed=seed, workers=1, sorted_vocab=0,
    )  # fmt: skip
    model.build_vocab_from_freq(counts, corpus_count=len(token_lists))
    with threadpool_limits(1):
        model.train(
            token_lists,
            total_examples=len(token_lists),
            total_words=n_tokens,
            epochs=passes_over(n_tokens) if epochs is None else epochs,
        )
    return WordVectors(list(counts), model.wv.vectors)


def frequent_words(token_lists: Sequence[Sequence[str]], min_count: int) -> dict[str, int]:
    """Return how often each word occurs that occurs `min_count` times, by falling frequency, equals by name.

    >>> frequent_words([["to", "be"], ["or", "not", "to", "be"]], min_count=2)
    {'be': 2, 'to': 2}
    """
    counts = Counter(chain.from_iterable(token_lists))
    kept = sorted(((word, n) for word, n in counts.items() if n >= min_count), key=lambda pair: (-pair[1], pair[0]))
    if not kept:
        raise InputError(
            f"none of the {len(counts)} words in {len(token_lists)} texts occurs {min_count} times; give more texts or "
            "lower min_count"
        )
    return dict(kept)
