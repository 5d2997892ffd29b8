"""What the rivals that turn a text into one dense vector, or learn from labelled texts, have in common.

Enter: texts, labels, a tokenizer, a seed. Leave: the same, checked; lists of tokens that share their strings; the
number of passes over a corpus; and a base class for vectors that stand for a text.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._typing import Integers, Singles
from classinet._validation import check_choice, check_number
from classinet.baselines.base import Baseline, Use
from classinet.exceptions import InputError
from classinet.text import TextVectorizer
from classinet.text.vectorizer import strings

Tokenize = Callable[[str], list[str]]

EXTRA = "classinets[baselines]"
LARGEST_SEED = 2**32 - 1

TOKENS_TO_READ = 25_000_000
FEWEST_PASSES, MOST_PASSES = 5, 50


class TextVectors(Baseline):
    """Base of rivals that give one dense vector a text; a kind implements `_learn(texts)` and `_vectors(texts)`.

    The vector stands for the text, as in the paper, unless an instance is made with `use="append"`.
    """

    use: Use = "alone"  # a parameter here, for the paper's way is not the strongest

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn from unlabeled texts."""
        check_choice("use", self.use, ("alone", "append"))
        self._learn(X)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return one row of float32 a text; a text without a known word is a row of zeros."""
        check_is_fitted(self)
        return self._vectors(X)

    @abstractmethod
    def _learn(self, texts: Iterable[str]) -> None:
        """Learn from unlabeled texts."""

    @abstractmethod
    def _vectors(self, texts: Iterable[str]) -> Singles:
        """Return the vectors of texts."""


def tokenize_with(tokenizer: Tokenize | None) -> Tokenize:
    """Return the function from a text to its tokens, the tokenizer checked; None is the library's own.

    >>> tokenize_with(None)("A good film!")
    ['a', 'good', 'film']
    """
    return TextVectorizer(tokenizer).compiled()


def token_lists(texts: Iterable[str], tokenizer: Tokenize | None) -> list[list[str]]:
    """Return the tokens of every text; equal tokens are one string, which spares most of a large corpus's memory.

    >>> one, other = token_lists(["a fine day", "fine"], None)
    >>> one[1] is other[0]
    True
    """
    tokenize = tokenize_with(tokenizer)
    known: dict[str, str] = {}
    return [[known.setdefault(token, token) for token in tokenize(text)] for text in strings(texts)]


def passes_over(n_tokens: int) -> int:
    """Return how often to read a corpus: until 25 million tokens have passed, 5 times at least, 50 at most.

    The usual five passes are meant for corpora of billions of words; a few thousand short texts need more.

    >>> passes_over(5_500_000), passes_over(1_000_000), passes_over(40_000)
    (5, 25, 50)
    """
    return int(np.clip(round(TOKENS_TO_READ / max(n_tokens, 1)), FEWEST_PASSES, MOST_PASSES))


def check_training(size: int, window: int, min_count: int, epochs: int | None, seed: int) -> None:
    """Refuse parameters of a word2vec-like training that cannot work."""
    for name, value in (("size", size), ("window", window), ("min_count", min_count)):
        check_number(name, value, low=1, whole=True)
    if epochs is not None:
        check_number("epochs", epochs, low=1, whole=True)
    check_number("seed", seed, low=0, high=LARGEST_SEED, whole=True)


class Labelled(NamedTuple):
    """Texts, the distinct labels in order, and for each text the position of its label among them."""

    texts: list[str]
    classes: NDArray[Any]
    codes: Integers


def labelled(texts: Iterable[str], labels: Sequence[Any]) -> Labelled:
    """Return texts and labels, checked: as many labels as texts, and two different ones at least.

    >>> labelled(["dull", "fine", "good"], ["neg", "pos", "pos"]).codes
    array([0, 1, 1])
    """
    texts = list(strings(texts))
    if len(texts) != len(labels):
        raise InputError(f"{len(texts)} texts and {len(labels)} labels; give one label for each text")
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    if len(classes) < 2:
        found = f"all are {classes[0].item()!r}" if len(classes) else "there is none"
        raise InputError(f"labels must hold two classes or more, but {found}")
    return Labelled(texts, classes, codes.astype(np.int64))
