"""Skip-thought: a sentence is what a GRU needs to write the sentences before and after it (Kiros et al. 2015).

Enter: unlabeled texts, and which document each is from. Leaves: one dense row a text, the state of the encoder after
the last word. Two decoders see the sentence's vector at every step and write its neighbours.

What is smaller than in the original, so that two cores do in minutes what a GPU did in two weeks: states of 300 rather
than 2,400 dimensions, decoders smaller than the encoder, a softmax over 512 sampled words, sentences of 30 words. The
vectors of the words come from CBOW on the same texts and stay as they are; in so few steps they could not be learnt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from classinet._typing import Integers, Progress
from classinet.baselines._vectors import Tokenize
from classinet.baselines.neural._recurrent import RecurrentBaseline
from classinet.baselines.neural._sequences import followed, training_batches
from classinet.baselines.neural._steady import steady
from classinet.exceptions import InputError

if TYPE_CHECKING:
    from torch import Tensor

    from classinet.baselines.neural._networks import Encoder

RATE = 2e-3


class SkipThought(RecurrentBaseline):
    """Represent a text by what a GRU needs to write its neighbours in the document.

    Parameters
    ----------
    size : int, default 300
        Dimensions of a text's vector.
    word_size : int, default 100
        Dimensions of a word's vector.
    n_words : int, default 20000
        The most frequent words keep their own vector; the rest share one.
    max_words : int, default 30
        Longer texts are cut after so many words.
    steps : int, default 3500
        Mini-batches to learn from; not quite one pass over 257,000 sentences.
    batch_size : int, default 64
        Texts in a mini-batch.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of everything random.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The words that have a vector.
    losses_ : ndarray of float32, steps
        The loss at each step: the mean over words of the sentences before, plus the same for those after.

    Notes
    -----
    Not for texts without neighbours, such as titles or questions: `fit` refuses them. Take `SDAE` there.

    Examples
    --------
    >>> texts = ["a good film", "a fine cast", "go and see it", "a bad film", "a bad cast", "see it not"]
    >>> rival = SkipThought(size=16, word_size=8, steps=5).fit(texts, documents=[0, 0, 0, 1, 1, 1])
    >>> rival.transform(["a film", "nothing known here"]).shape
    (2, 16)
    """

    documents = True

    def __init__(
        self,
        size: int = 300,
        word_size: int = 100,
        n_words: int = 20_000,
        max_words: int = 30,
        steps: int = 3500,
        batch_size: int = 64,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
    ) -> None:
        self.size = size
        self.word_size = word_size
        self.n_words = n_words
        self.max_words = max_words
        self.steps = steps
        self.batch_size = batch_size
        self.tokenizer = tokenizer
        self.seed = seed

    def fit(
        self,
        X: Iterable[str],
        y: object = None,
        *,
        documents: Sequence[int] | Integers | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from unlabeled texts.

        Parameters
        ----------
        X : iterable of str
            Sentences; those of one document one after another, in their order.
        y : ignored
        documents : sequence of int, one a text
            The document of each text.
        progress : called as progress(stage, done, total) after every step.
        """
        with steady(self.seed):
            from classinet.baselines.neural import _networks

            vocabulary, texts, vectors = self._read(X)
            lengths = texts.lengths
            has_after = followed(documents, lengths)
            has_before = np.concatenate([[False], has_after[:-1]])
            sources = np.flatnonzero(has_before | has_after)
            if not len(sources):
                raise InputError(
                    "no document has two texts in a row, so there is no neighbour to write; give documents= with the "
                    "document of each text, or take SDAE for texts that stand alone"
                )
            rng = np.random.default_rng(self.seed)
            counts = np.bincount(texts.codes, minlength=len(vocabulary))
            network = _networks.Neighbours(_networks.word_table(vectors, rng), self.size, counts, rng)

            def losses() -> Iterator[Tensor]:
                for rows in training_batches(sources, lengths, self.batch_size, rng):
                    yield network.loss(texts, rows, has_before, has_after)

            met = _networks.train(network, losses(), self.steps, RATE, "Skip-thought", progress)
        self.vocabulary_, self.network_, self.losses_ = vocabulary, network.eval(), met
        return self

    @property
    def _encoder(self) -> Encoder:
        encoder: Encoder = self.network_.encoder
        return encoder
