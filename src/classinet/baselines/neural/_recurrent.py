"""What SDAE and Skip-thought share: texts become word numbers with CBOW vectors, an encoder turns them into vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._typing import Singles
from classinet._validation import check_number
from classinet.baselines._vectors import LARGEST_SEED, Tokenize, token_lists
from classinet.baselines.base import Baseline
from classinet.baselines.cbow import train_cbow
from classinet.baselines.neural._sequences import UNKNOWN, Sequences, Vocabulary, batches_by_length
from classinet.baselines.neural._steady import steady

if TYPE_CHECKING:
    from classinet.baselines.neural._networks import Encoder

TEXTS_AT_ONCE = 128


class Corpus(NamedTuple):
    """A corpus as a recurrent network reads it."""

    vocabulary: Vocabulary
    texts: Sequences
    vectors: Singles


class RecurrentBaseline(Baseline):
    """Base of rivals whose features are the last state of a recurrent encoder; a kind implements `_encoder`."""

    use = "alone"

    size: int
    word_size: int
    n_words: int
    max_words: int
    steps: int
    batch_size: int
    tokenizer: Tokenize | None
    seed: int

    vocabulary_: Vocabulary

    @property
    @abstractmethod
    def _encoder(self) -> Encoder:
        """The trained encoder."""

    def transform(self, X: Any) -> NDArray[Any]:
        """Return one row of float32 a text, of its first `max_words` words; zeros where no word is known."""
        check_is_fitted(self)
        with steady():
            from classinet.baselines.neural import _networks

            texts = self._known_texts(X)
            batches = batches_by_length(np.flatnonzero(texts.lengths), texts.lengths, TEXTS_AT_ONCE)
            return _networks.encode(self._encoder, texts, batches, self.size)

    def _known_texts(self, X: Iterable[str]) -> Sequences:
        """Return texts as numbers; a text of unknown words alone says as little as an empty one, and becomes empty."""
        texts = self.vocabulary_.sequences(token_lists(X, self.tokenizer), self.max_words)
        owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
        n_known = np.bincount(owners, weights=texts.codes != UNKNOWN, minlength=len(texts.lengths))
        kept = n_known > 0
        starts = np.concatenate([[0], np.cumsum(np.where(kept, texts.lengths, 0))])
        return Sequences(texts.codes[kept[owners]], starts)

    def _read(self, X: Iterable[str]) -> Corpus:
        for name in ("size", "word_size", "n_words", "max_words", "steps", "batch_size"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_number("seed", self.seed, low=0, high=LARGEST_SEED, whole=True)
        lists = token_lists(X, self.tokenizer)
        words, vectors = train_cbow(lists, self.word_size, self.seed)
        vocabulary = Vocabulary(words[: self.n_words])
        return Corpus(vocabulary, vocabulary.sequences(lists, self.max_words), vectors[: self.n_words])
