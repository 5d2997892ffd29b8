"""CNN: filters over windows of word vectors, the strongest answer of each, and a softmax over classes (Kim 2014).

Enter: unlabeled texts, from which CBOW learns word vectors; then labelled texts. Leaves: the label of each text. The
word vectors are trained along (Kim's "non-static" form); words of labelled texts that the corpus lacks start at random,
and words that no labelled text holds keep their vector.

How many rounds to train is chosen on a tenth of the labelled texts, held out class by class; the network is then
trained anew on all of them for that many rounds. A round is one pass, or 20 mini-batches where a pass is shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._typing import Flags, Integers, Progress, Singles
from classinet._validation import check_number
from classinet.baselines._vectors import LARGEST_SEED, Tokenize, labelled, token_lists
from classinet.baselines.base import Baseline
from classinet.baselines.cbow import train_cbow
from classinet.baselines.neural._sequences import N_MARKS, Vocabulary, of_one_length
from classinet.baselines.neural._steady import steady
from classinet.exceptions import InputError

if TYPE_CHECKING:
    from classinet.baselines.neural._filters import Filters

HELD_OUT = 0.1
# Kim's scale of the random vectors, and near that of the published ones he used.
WORD_SCALE = 0.25


class Table(NamedTuple):
    """The words of a network: their numbers, and the vectors of those that are trained and of those that are not."""

    vocabulary: Vocabulary
    trained: Singles
    kept: Singles


class CNN(Baseline):
    """Classify texts by filters over windows of 3, 4 and 5 words.

    Parameters
    ----------
    word_size : int, default 100
        Dimensions of a word's vector.
    n_filters : int, default 100
        Filters for each of the three lengths of a window.
    max_rounds : int, default 8
        The most rounds to train; training stops earlier when two rounds have not bettered the held-out texts.
    max_words : int, default 60
        Longer texts are cut after so many words.
    batch_size : int, default 50
        Texts in a mini-batch.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of everything random.

    Attributes
    ----------
    words_, vectors_
        Words of the unlabeled texts, by falling frequency, and their CBOW vectors.
    classes_ : ndarray
        The labels, once `adapt` has seen them.
    n_rounds_ : int
        How many rounds the held-out texts asked for.

    Examples
    --------
    >>> rival = CNN(word_size=8, n_filters=4, max_rounds=1).fit(["a good film", "a bad film"] * 4)
    >>> taught = rival.adapt(["good", "bad", "so good", "so bad"], ["pos", "neg", "pos", "neg"])
    >>> taught.predict(["a good one", "a bad one"]).shape
    (2,)
    """

    use = "predict"

    def __init__(
        self,
        word_size: int = 100,
        n_filters: int = 100,
        max_rounds: int = 8,
        max_words: int = 60,
        batch_size: int = 50,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
    ) -> None:
        self.word_size = word_size
        self.n_filters = n_filters
        self.max_rounds = max_rounds
        self.max_words = max_words
        self.batch_size = batch_size
        self.tokenizer = tokenizer
        self.seed = seed

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn word vectors from unlabeled texts."""
        for name in ("word_size", "n_filters", "max_rounds", "max_words", "batch_size"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_number("seed", self.seed, low=0, high=LARGEST_SEED, whole=True)
        self.words_, self.vectors_ = train_cbow(token_lists(X, self.tokenizer), self.word_size, self.seed)
        self.__dict__.pop("network_", None)  # labels learnt with other word vectors are forgotten
        return self

    def adapt(self, texts: Iterable[str], labels: Sequence[Any], *, progress: Progress | None = None) -> Self:
        """Return a copy that has learnt to classify; `progress(stage, done, total)` hears of every round."""
        check_is_fitted(self)
        given, classes, codes = labelled(texts, labels)
        rng = np.random.default_rng(self.seed)
        lists = token_lists(given, self.tokenizer)
        vocabulary, trained, kept = self._table(lists, rng)
        held_out = _a_tenth(codes, rng)
        with steady(self.seed):
            from classinet.baselines.neural import _filters

            examples = _filters.Examples(vocabulary.sequences(lists, self.max_words), codes)

            def train(stage: str, apart: Flags, max_rounds: int) -> tuple[int, Filters]:
                network = _filters.Filters(trained, self.n_filters, len(classes))
                chosen = _filters.train_filters(
                    network, examples, apart, max_rounds, self.batch_size, rng, stage, progress
                )
                return chosen, network

            n_rounds, _ = train("choosing the number of rounds", held_out, self.max_rounds)
            _, network = train("training", np.zeros_like(held_out), n_rounds)
        taught = copy(self)
        taught.vocabulary_, taught.network_ = vocabulary, network.with_words(kept)
        taught.classes_, taught.n_rounds_ = classes, n_rounds
        return taught

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the label of each text; a word that was never met has a vector of zeros."""
        check_is_fitted(self)
        if not hasattr(self, "network_"):
            raise InputError("this CNN has seen no labels; call adapt(texts, labels), and predict with what it returns")
        sequences = self.vocabulary_.sequences(token_lists(texts, self.tokenizer), self.max_words)
        with steady():
            scores = self.network_.scores(sequences, np.arange(len(sequences.lengths)))
        labels: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def _table(self, token_lists: list[list[str]], rng: np.random.Generator) -> Table:
        """Number the words of the labelled texts, then the other words of the corpus, all vectors of one length."""
        row = {word: at for at, word in enumerate(self.words_)}
        scaled = of_one_length(self.vectors_) * np.float32(WORD_SCALE)
        met = sorted({token for tokens in token_lists for token in tokens})
        others = sorted(row.keys() - set(met), key=row.__getitem__)
        trained = (rng.standard_normal((N_MARKS + len(met), self.word_size)) * WORD_SCALE).astype(np.float32)
        trained[:N_MARKS] = 0
        known = [at for at, word in enumerate(met) if word in row]
        trained[N_MARKS:][known] = scaled[[row[met[at]] for at in known]]
        return Table(Vocabulary([*met, *others]), trained, scaled[[row[word] for word in others]])


def _a_tenth(codes: Integers, rng: np.random.Generator) -> Flags:
    """Choose a tenth of each class at random: one text at least, unless the class has no other."""
    chosen = np.zeros(len(codes), dtype=np.bool_)
    for code in range(int(codes.max()) + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) > 1:
            chosen[members[: max(round(len(members) * HELD_OUT), 1)]] = True
    return chosen
