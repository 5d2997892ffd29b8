"""Paragraph2Vec: a text has a vector that predicts its words (Le & Mikolov 2014).

Enter: unlabeled texts, each of which gets a vector while those of the words are learnt. Leaves: one dense row a text,
found by the same training with everything but that row held fixed.

A row depends on its text alone, not on the texts before it or on Python's hashes: it starts from zero, and the random
stream behind the sampling starts anew with every text.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Literal, get_args

import numpy as np
from threadpoolctl import threadpool_limits

from classinet._optional import optional_import
from classinet._typing import Singles
from classinet._validation import check_choice, check_number
from classinet.baselines._vectors import (
    EXTRA,
    TextVectors,
    Tokenize,
    check_training,
    passes_over,
    token_lists,
)
from classinet.baselines.base import Use
from classinet.baselines.cbow import frequent_words

Kind = Literal["dm", "dbow"]

WINDOW = 5
FIRST_RATE, LAST_RATE = 0.025, 0.0001


class Paragraph2Vec(TextVectors):
    """Find the vector that predicts a text's words best.

    Parameters
    ----------
    kind : {"dm", "dbow"}, default "dm"
        "dm" predicts each word from the vector and the words around, which the authors found to work best by itself;
        "dbow" from the vector alone, in two thirds of the time.
    size : int, default 300
        Dimensions of a text's vector.
    min_count : int, default 2
        How often a word must occur to be predicted.
    epochs : int, optional
        Passes over the texts; by default until about 25 million tokens have passed, 5 times at least and 50 at most.
    inference_epochs : int, default 20
        Passes over a text whose vector is asked for.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of everything random.
    use : {"alone", "append"}, default "alone"
        Whether the vector stands for the text, as in the paper, or beside its tf-idf.

    Attributes
    ----------
    model_ : gensim.models.Doc2Vec
        What was learnt about words; the vectors of the unlabeled texts are not kept.

    Examples
    --------
    >>> rival = Paragraph2Vec(size=8).fit(["a good film", "a bad film", "good and bad"] * 4)
    >>> rival.transform(["good film", "unknown words"]).any(axis=1)
    array([ True, False])
    """

    def __init__(
        self,
        kind: Kind = "dm",
        size: int = 300,
        min_count: int = 2,
        epochs: int | None = None,
        inference_epochs: int = 20,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
        use: Use = "alone",
    ) -> None:
        self.kind = kind
        self.size = size
        self.min_count = min_count
        self.epochs = epochs
        self.inference_epochs = inference_epochs
        self.tokenizer = tokenizer
        self.seed = seed
        self.use = use

    def _learn(self, texts: Iterable[str]) -> None:
        check_choice("kind", self.kind, get_args(Kind))
        check_training(self.size, WINDOW, self.min_count, self.epochs, self.seed)
        check_number("inference_epochs", self.inference_epochs, low=1, whole=True)
        doc2vec = _doc2vec()
        lists = token_lists(texts, self.tokenizer)
        frequent_words(lists, self.min_count)  # refuses texts that share no word
        documents = [doc2vec.TaggedDocument(tokens, [row]) for row, tokens in enumerate(lists)]
        n_tokens = sum(map(len, lists))
        model = doc2vec.Doc2Vec(
            dm=int(self.kind == "dm"), vector_size=self.size, window=WINDOW, min_count=self.min_count,
            alpha=FIRST_RATE, min_alpha=LAST_RATE, seed=self.seed, workers=1, sorted_vocab=0,
        )  # fmt: skip
        model.build_vocab(documents)
        with threadpool_limits(1):
            model.train(
                documents,
                total_examples=len(documents),
                total_words=n_tokens,
                epochs=passes_over(n_tokens) if self.epochs is None else self.epochs,
            )
        model.dv.vectors = model.dv.vectors[:0].copy()  # as large as all the rest where texts are many
        self.model_ = model

    def _vectors(self, texts: Iterable[str]) -> Singles:
        lists = token_lists(texts, self.tokenizer)
        rows = np.zeros((len(lists), self.size), dtype=np.float32)
        with threadpool_limits(1):
            for row, tokens in enumerate(lists):
                self._infer(tokens, rows[row : row + 1])
        return rows

    def _infer(self, tokens: list[str], row: Singles) -> None:
        """Write the vector of one text into a row of zeros; gensim's own inference starts from a hash of Python's."""
        doc2vec = _doc2vec()
        self.model_.random.seed(self.seed)
        unlocked = np.ones(1, dtype=np.float32)
        # Room to work in must be given: what gensim would allocate for itself is freed before it is used.
        room = {"work": np.zeros(self.size, dtype=np.float32)}
        train = doc2vec.train_document_dbow
        if self.kind == "dm":
            train, room["neu1"] = doc2vec.train_document_dm, np.zeros(self.size, dtype=np.float32)
        for rate in np.linspace(FIRST_RATE, LAST_RATE, self.inference_epochs):
            train(
                self.model_, tokens, [0], rate,
                learn_words=False, learn_hidden=False, doctag_vectors=row, doctags_lockf=unlocked, **room,
            )  # fmt: skip


def _doc2vec() -> ModuleType:
    module: ModuleType = optional_import("gensim", EXTRA).models.doc2vec
    return module
