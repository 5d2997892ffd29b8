"""FastSent: the sum of a sentence's word vectors, learnt to predict the words of its neighbours (Hill et al. 2016).

Enter: unlabeled texts, and which document each is from. Leaves: one dense row a text, the sum of its words' vectors.
Skip-thought without word order: it learns in one or two minutes, and a text's vector needs no network. With
`autoencode=True` the sentence also predicts its own words (the original's FastSent+AE), which makes texts without
neighbours usable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._typing import Flags, Integers, Progress
from classinet._validation import check_choice, check_number
from classinet.baselines._vectors import LARGEST_SEED, Tokenize, token_lists
from classinet.baselines.base import Baseline
from classinet.baselines.cbow import frequent_words
from classinet.baselines.neural._sequences import N_MARKS, Sequences, Vocabulary, followed
from classinet.baselines.neural._steady import steady
from classinet.exceptions import InputError
from classinet.text import TextVectorizer

if TYPE_CHECKING:
    from torch import Tensor

RATE = 2e-3


class FastSent(Baseline):
    """Sum word vectors that were learnt to predict the words of the sentences before and after.

    Parameters
    ----------
    size : int, default 100
        Dimensions of a word's vector, and of a text's.
    n_words : int, default 20000
        The most frequent words, of those that occur twice, get a vector; the rest add nothing.
    autoencode : bool, default False
        Whether a text also predicts its own words; needed where texts have no neighbours.
    steps : int, default 5000
        Mini-batches to learn from.
    batch_size : int, default 128
        Texts in a mini-batch.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of everything random.

    Attributes
    ----------
    words_ : list of str
        Words that have a vector, by falling frequency.
    vectors_ : ndarray of float32, words × size
        Their vectors.
    losses_ : ndarray of float32, steps
        The loss at each step.

    Examples
    --------
    >>> texts = ["a good film", "a good cast", "a bad film", "a bad cast"]
    >>> rival = FastSent(size=8, steps=5).fit(texts, documents=[0, 0, 1, 1])
    >>> rival.transform(["a film", "nothing known here"]).shape
    (2, 8)
    """

    use = "alone"
    documents = True

    def __init__(
        self,
        size: int = 100,
        n_words: int = 20_000,
        autoencode: bool = False,
        steps: int = 5000,
        batch_size: int = 128,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
    ) -> None:
        self.size = size
        self.n_words = n_words
        self.autoencode = autoencode
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
        documents : sequence of int, one a text, optional
            The document of each text; without it every text is a document of its own.
        progress : called as progress(stage, done, total) after every step.
        """
        self._check_parameters()
        with steady(self.seed):
            from classinet.baselines.neural import _networks

            lists = token_lists(X, self.tokenizer)
            words = list(frequent_words(lists, min_count=2))[: self.n_words]
            known = set(words)
            texts = Vocabulary(words).sequences([[t for t in tokens if t in known] for tokens in lists])
            has_after = followed(documents, texts.lengths)
            sources = self._sources(texts, has_after)

            rng = np.random.default_rng(self.seed)
            counts = np.bincount(texts.codes, minlength=len(words) + N_MARKS)
            network = _networks.BagToBag(counts, self.size, rng)

            def losses() -> Iterator[Tensor]:
                while True:
                    order = rng.permutation(sources)
                    for at in range(0, len(order), self.batch_size):
                        rows = order[at : at + self.batch_size]
                        yield network.loss(texts.flat(rows), _targets(texts, rows, has_after, self.autoencode))

            met = _networks.train(network, losses(), self.steps, RATE, "FastSent", progress)
        self.words_, self.losses_ = words, met
        self.vectors_ = network.sources.weight.detach().numpy()[N_MARKS:].copy()
        self.vectorizer_ = TextVectorizer(self.tokenizer).with_vocabulary(words)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return one row of float32 a text; a text without a known word is a row of zeros."""
        check_is_fitted(self)
        counts = self.vectorizer_.transform(X).astype(np.float32)
        return np.asarray(counts @ self.vectors_, dtype=np.float32)

    def _check_parameters(self) -> None:
        for name in ("size", "n_words", "steps", "batch_size"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_choice("autoencode", self.autoencode, (False, True))
        check_number("seed", self.seed, low=0, high=LARGEST_SEED, whole=True)

    def _sources(self, texts: Sequences, has_after: Flags) -> Integers:
        """Return the texts that have words to predict."""
        if self.autoencode:
            return np.flatnonzero(texts.lengths)
        if not has_after.any():
            raise InputError(
                "no document has two texts in a row, so there are no neighbours to predict; give documents= with the "
                "document of each text, or use FastSent(autoencode=True) for texts that stand alone"
            )
        return np.flatnonzero(has_after | np.append(False, has_after[:-1]))


def _targets(texts: Sequences, rows: Integers, has_after: Flags, autoencode: bool) -> tuple[Integers, Integers]:
    """Return the words to predict, and for each the position in `rows` of the text that predicts it."""
    positions = np.arange(len(rows))
    after = positions[has_after[rows]]
    before = positions[(rows > 0) & has_after[rows - 1]]
    parts = [(after, 1), (before, -1), *([(positions, 0)] if autoencode else [])]
    found = [(texts.flat(rows[chosen] + step), chosen) for chosen, step in parts]
    codes = np.concatenate([codes for (codes, _), _ in found])
    owners = np.concatenate([chosen[owner] for (_, owner), chosen in found])
    return codes, owners
