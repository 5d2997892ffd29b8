"""fastText: a text is the mean of the vectors of its words and pairs of words, learnt with the classifier on top.

Joulin et al. 2017; the vectors may start from what unlabeled texts teach (Bojanowski et al. 2017).
Enter: unlabeled texts, then labelled ones. Leave: labels.

The library reads files and separates words by spaces, so texts are tokenised here, labels are written by number, and
the files live in a temporary folder as long as a training lasts. One thread makes it deterministic.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._optional import optional_import
from classinet._validation import check_choice, check_number
from classinet.baselines._vectors import EXTRA, Tokenize, labelled, passes_over, tokenize_with
from classinet.baselines.base import Baseline, Use
from classinet.exceptions import InputError, ParameterError
from classinet.text.vectorizer import strings

LABEL, END = "__label__", "</s>"
LARGEST_SEED = 2**31 - 2  # a C int, to which the number of the thread is added
FEWEST_OCCURRENCES = 5
FREQUENT = 1e-3  # share of the words beyond which a word is skipped at times; fastText's 1e-4 suits large corpora
FEWEST_BUCKETS, MOST_BUCKETS = 1 << 12, 1 << 18


class FastText(Baseline):
    """Classify texts with fastText, with or without vectors learnt from the unlabeled texts.

    Parameters
    ----------
    pretrained : bool, default False
        Whether word vectors are learnt from the unlabeled texts first (by CBOW: four times quicker than skip-gram, and
        of words that occur five times); otherwise unlabeled texts teach it nothing.
    size : int, default 100
        Dimensions of a word's vector.
    epoch : int, default 25
        Passes over the labelled texts.
    lr : float, default 0.5
        Learning rate on the labelled texts.
    ngrams : int, default 2
        Longest run of words that has a vector of its own.
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `classinet.text.Tokenizer()`.
    seed : int, default 0
        Seed of the training on labelled texts; the one on unlabeled texts always begins alike.

    Attributes
    ----------
    classes_ : ndarray
        The labels, once adapted.
    model_ : fasttext.FastText._FastText
        The classifier, once adapted.

    Examples
    --------
    >>> rival = FastText(size=8).fit(["unlabeled texts"])
    >>> rival = rival.adapt(["a good film", "a bad film"] * 8, ["very good", "very bad"] * 8)
    >>> rival.predict(["good", "bad"]).tolist()
    ['very good', 'very bad']
    """

    use: Use = "predict"
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {"epoch": (25, 5), "lr": (0.5, 0.1)}

    def __init__(
        self,
        pretrained: bool = False,
        size: int = 100,
        epoch: int = 25,
        lr: float = 0.5,
        ngrams: int = 2,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
    ) -> None:
        self.pretrained = pretrained
        self.size = size
        self.epoch = epoch
        self.lr = lr
        self.ngrams = ngrams
        self.tokenizer = tokenizer
        self.seed = seed

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn word vectors from unlabeled texts, if `pretrained`; nothing but look whether they are texts, if not."""
        self._check()
        optional_import("fasttext", EXTRA)  # said now, not after hours of other work
        lines = self._lines(X)
        self.vectors_ = self._pretrain(lines) if self.pretrained else None
        return self

    def adapt(self, texts: Iterable[str], labels: Sequence[Any]) -> Self:
        """Return a copy that has learnt to classify from labelled texts."""
        check_is_fitted(self)
        self._check()
        known = labelled(texts, labels)
        lines = self._lines(known.texts)
        if not any(lines):
            raise InputError(f"no word was found in the {len(lines)} labelled texts")
        adapted = copy.copy(self)
        adapted.classes_ = known.classes
        # fastText learns from lines in the order they have: sorted by class, the last class would win.
        order = np.random.default_rng(self.seed).permutation(len(lines))
        adapted.model_ = self._train([f"{LABEL}{known.codes[row]} {lines[row]}" for row in order.tolist()])
        return adapted

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the label of each text; without a known word it is read from the vector of the line's end alone."""
        check_is_fitted(self)
        if not hasattr(self, "model_"):
            raise InputError("FastText learns its classes from labels; call adapt with labelled texts before predict")
        answers = self.model_.predict(self._lines(texts))[0]
        codes = np.array([int(answer[0].removeprefix(LABEL)) for answer in answers], dtype=np.int64)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def _check(self) -> None:
        check_choice("pretrained", self.pretrained, (True, False))
        for name in ("size", "epoch", "ngrams"):
            check_number(name, getattr(self, name), low=1, whole=True)
        check_number("lr", self.lr, low=0, open_low=True)
        check_number("seed", self.seed, low=0, high=LARGEST_SEED, whole=True)

    def _lines(self, texts: Iterable[str]) -> list[str]:
        """Return a line of words a text, free of words that mean a label or an end of line to fastText."""
        tokenize = tokenize_with(self.tokenizer)
        lines = []
        for text in strings(texts):
            words = " ".join(tokenize(text)).replace("\0", " ").split()
            lines.append(" ".join(word for word in words if word != END and not word.startswith(LABEL)))
        return lines

    def _pretrain(self, lines: list[str]) -> bytes:
        """Return word vectors as fastText reads them from a file: rendered once, for many trainings."""
        fasttext = optional_import("fasttext", EXTRA)
        words_read = sum(line.count(" ") + 1 for line in lines)
        with tempfile.TemporaryDirectory(prefix="classinet-") as folder:
            try:
                model = fasttext.train_unsupervised(
                    _written(folder, "unlabeled", lines), model="cbow", dim=self.size, minn=0, maxn=0,
                    minCount=FEWEST_OCCURRENCES, epoch=passes_over(words_read), t=FREQUENT, thread=1,
                    verbose=0,
                )  # fmt: skip
            except ValueError as error:
                raise InputError(
                    f"no word occurs {FEWEST_OCCURRENCES} times in the {len(lines)} unlabeled texts; give more texts, "
                    "or pretrained=False"
                ) from error
        rows = [f"{len(model.words)} {self.size}"]
        for word in model.words:
            rows.append(word + " " + " ".join([f"{x:.4f}" for x in model.get_word_vector(word).tolist()]))
        return ("\n".join(rows) + "\n").encode()

    def _train(self, lines: list[str]) -> Any:
        fasttext = optional_import("fasttext", EXTRA)
        with tempfile.TemporaryDirectory(prefix="classinet-") as folder:
            start = {}
            if self.vectors_ is not None:
                file = Path(folder, "vectors")
                file.write_bytes(self.vectors_)
                start["pretrainedVectors"] = str(file)
            try:
                return fasttext.train_supervised(
                    _written(folder, "labelled", lines), dim=self.size, epoch=self.epoch, lr=self.lr,
                    wordNgrams=self.ngrams, bucket=_buckets(lines, self.ngrams), thread=1, seed=self.seed, verbose=0,
                    **start,
                )  # fmt: skip
            except RuntimeError as error:
                raise ParameterError(f"fastText diverged with lr={self.lr}; lower it") from error


def _written(folder: str, name: str, lines: list[str]) -> str:
    file = Path(folder, name)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return str(file)


def _buckets(lines: list[str], ngrams: int) -> int:
    """Return room for runs of words, twice as many as there are, up to a bound.

    Filling fastText's two million takes seconds a fit; at the bound, with thousands of texts, some runs share a bucket.
    """
    runs = (ngrams - 1) * sum(line.count(" ") for line in lines)
    return min(max(1 << (2 * runs).bit_length(), FEWEST_BUCKETS), MOST_BUCKETS)
