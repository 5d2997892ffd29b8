"""SDAE, the sequential denoising autoencoder: an LSTM restores a sentence from a damaged copy (Hill et al. 2016).

Enter: unlabeled texts. Leaves: one dense row a text, the state of the encoder after the last word. Words that are
dropped or change places make the encoder keep what the sentence says rather than its letters.

The vectors of the words come from CBOW on the same texts and stay as they are, as in the original's stronger variant.
What is smaller than in the original, so that two cores do in minutes what a GPU did in days: states of 300 rather than
2,400 dimensions, a decoder smaller than the encoder, a softmax over 512 sampled words, sentences of 30 words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self

import numpy as np

from classinet._typing import Progress
from classinet.baselines._vectors import Tokenize
from classinet.baselines.neural._recurrent import RecurrentBaseline
from classinet.baselines.neural._sequences import N_MARKS, PAD, Block, training_batches
from classinet.baselines.neural._steady import steady

if TYPE_CHECKING:
    from torch import Tensor

    from classinet.baselines.neural._networks import Encoder

DROPPED = 0.1
SWAPPED = 0.1
RATE = 2e-3


class SDAE(RecurrentBaseline):
    """Represent a text by what an LSTM needs to restore it from a copy with words dropped and swapped.

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
    steps : int, default 4000
        Mini-batches to learn from; about one pass over 257,000 sentences.
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
        The loss at each step; look at it to see whether more steps would help.

    Examples
    --------
    >>> rival = SDAE(size=16, word_size=8, steps=5).fit(["a good film", "a bad film", "good and bad"] * 4)
    >>> rival.transform(["good film", "nothing known here"]).shape
    (2, 16)
    """

    def __init__(
        self,
        size: int = 300,
        word_size: int = 100,
        n_words: int = 20_000,
        max_words: int = 30,
        steps: int = 4000,
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

    def fit(self, X: Iterable[str], y: object = None, *, progress: Progress | None = None) -> Self:
        """Learn from unlabeled texts; `progress(stage, done, total)` hears of every step."""
        with steady(self.seed):
            from classinet.baselines.neural import _networks

            vocabulary, texts, vectors = self._read(X)
            rng = np.random.default_rng(self.seed)
            counts = np.bincount(texts.codes, minlength=len(vocabulary))
            network = _networks.Autoencoder(_networks.word_table(vectors, rng), self.size, counts, rng)

            def losses() -> Iterator[Tensor]:
                lengths = texts.lengths
                for rows in training_batches(np.flatnonzero(lengths), lengths, self.batch_size, rng):
                    block = texts.block(rows)
                    yield network.loss(damaged(block, rng), block)

            met = _networks.train(network, losses(), self.steps, RATE, "SDAE", progress)
        self.vocabulary_, self.network_, self.losses_ = vocabulary, network.eval(), met
        return self

    def restore(self, texts: Iterable[str]) -> list[str]:
        """Return what the decoder writes from each text's vector, always the likeliest word; shows what it kept.

        >>> rival = SDAE(size=8, word_size=4, max_words=4, steps=1).fit(["to be or not to be"] * 2)
        >>> len(rival.restore(["to be", "or not"]))
        2
        """
        vectors = self.transform(texts)
        with steady():
            rows = self.network_.write(vectors, self.max_words)
        words = [""] * N_MARKS + list(self.vocabulary_.words)
        return [
            " ".join(words[code] for code in row) if vector.any() else ""
            for vector, row in zip(vectors, rows, strict=True)
        ]

    @property
    def _encoder(self) -> Encoder:
        encoder: Encoder = self.network_.encoder
        return encoder


def damaged(texts: Block, rng: np.random.Generator) -> Block:
    """Return texts in which a tenth of the pairs of words are swapped and a tenth of the words dropped, never all.

    >>> texts = Block(np.array([[3, 4, 5, 6], [7, 0, 0, 0]]), np.array([4, 1]))
    >>> damaged(texts, np.random.default_rng(163)).codes
    array([[4, 3, 6],
           [7, 0, 0]])
    """
    codes = texts.codes.copy()
    width = codes.shape[1]
    firsts = np.arange(rng.integers(2), width - 1, 2)  # pairs do not overlap; where they begin changes
    swapped = (rng.random((len(codes), len(firsts))) < SWAPPED) & (firsts + 1 < texts.lengths[:, None])
    rows, pairs = np.nonzero(swapped)
    left = firsts[pairs]
    codes[rows, left], codes[rows, left + 1] = codes[rows, left + 1], codes[rows, left]

    inside = np.arange(width) < texts.lengths[:, None]
    kept = inside & (rng.random(codes.shape) >= DROPPED)
    kept |= inside & ~kept.any(axis=1, keepdims=True)
    order = np.argsort(~kept, axis=1, kind="stable")
    lengths = kept.sum(axis=1)
    codes = np.take_along_axis(np.where(kept, codes, PAD), order, axis=1)
    return Block(codes[:, : lengths.max()], lengths)
