"""A task: a labelled data set as the benchmark uses it, checked before any work is done on it.

Enter: texts and labels, and which of them train and which test. Leave: `Labelled`. Where the paper cross-validates, the
fold of a text follows from the text alone: texts of a class are ordered by their SHA-256 and dealt out in turn, so the
same folds come out everywhere, and a text that occurs twice is never on both sides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from classinet._typing import Integers
from classinet.exceptions import InputError

TRAIN, UNUSED = -1, -2
N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Labelled:
    """Texts, their classes, and the part each plays.

    Attributes
    ----------
    texts : the texts.
    codes : position of each text's class in `classes`.
    classes : names of the classes, sorted.
    parts : the split that a text is tested in, TRAIN where it only trains, UNUSED where it does neither.
    unlabeled : text of the same kind without labels; None where the training texts themselves serve as such.
    """

    texts: list[str] = field(repr=False)
    codes: Integers
    classes: tuple[str, ...]
    parts: Integers
    unlabeled: list[str] | None = field(default=None, repr=False)

    @property
    def n_splits(self) -> int:
        """Number of pairs of training and test parts."""
        return int(self.parts.max()) + 1

    def test(self, split: int) -> Integers:
        """Rows that are tested in a split."""
        return np.flatnonzero(self.parts == split)

    def train(self, split: int) -> Integers:
        """Rows that train in a split."""
        return np.flatnonzero((self.parts != split) & (self.parts != UNUSED))

    def own_texts(self, split: int = 0) -> list[str]:
        """Return the task's own unlabeled text, none of which is tested in the split.

        A published split may hold the same text on both sides, though: ten of TREC's test questions also train.
        """
        if self.unlabeled is not None:
            return self.unlabeled
        return [self.texts[row] for row in self.train(split)]

    @property
    def fingerprint(self) -> str:
        """A hash of all of it."""
        digest = hashlib.sha256()
        for text, code, part in zip(self.texts, self.codes.tolist(), self.parts.tolist(), strict=True):
            digest.update(f"{self.classes[code]}\t{part}\t{text}\n".encode())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """A data set of the benchmark; a file in this folder that defines TASK adds one.

    Attributes
    ----------
    key : name in commands and files.
    title : name in tables.
    load : reads it.
    order : place in tables.
    external : the corpus of unlabeled text from elsewhere, "imdb" or "reddit".
    metric : "accuracy", or "macro_f1" for classes of very different size.
    per_class : whether labels are counted per class, because classes are many.
    in_paper : whether the paper reports it.
    """

    key: str
    title: str
    load: Callable[[], Labelled]
    order: int
    external: str
    metric: str = "accuracy"
    per_class: bool = False
    in_paper: bool = False


def labelled(
    name: str,
    texts: Sequence[str],
    labels: Sequence[str],
    parts: Sequence[int] | None = None,
    unlabeled: list[str] | None = None,
) -> Labelled:
    """Check texts and labels and put them together; without `parts` they are dealt out into folds.

    >>> texts = ["a cat", "cats", "a dog", "dogs", "the cat", "the fox"]
    >>> data = labelled("pets", texts[:5], list("ccddc"), [-1, -1, -1, -1, 0])
    >>> data.classes, data.train(0).tolist(), data.test(0).tolist()
    (('c', 'd'), [0, 1, 2, 3], [4])
    >>> labelled("pets", texts, list("ccddcf"), [-1, -1, -1, -1, 0, 0])
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: pets: no text to train on has the label 'f', which is tested
    """
    if len(texts) != len(labels):
        raise InputError(f"{name}: {len(texts)} texts and {len(labels)} labels; give one for each text")
    empty = [row for row, text in enumerate(texts) if not text.strip()]
    if empty:
        raise InputError(f"{name}: text {empty[0]} is empty ({len(empty)} in all); leave them out")
    classes, codes = np.unique(np.array(labels, dtype=object), return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"{name}: {len(classes)} classes; a task needs at least 2")
    roles = folds(texts, codes) if parts is None else np.asarray(parts, dtype=np.int64)
    data = Labelled(list(texts), codes, tuple(map(str, classes)), roles, unlabeled)
    for split in range(data.n_splits):
        _check_split(name, data, split)
    return data


def folds(texts: Sequence[str], codes: Integers) -> Integers:
    """Deal texts out into five folds, each with the mix of classes of the whole; equal texts go to the same fold.

    >>> folds([f"text {i % 10}" for i in range(20)], np.zeros(20, dtype=np.int64)).tolist()
    [3, 1, 2, 2, 3, 0, 0, 1, 4, 4, 3, 1, 2, 2, 3, 0, 0, 1, 4, 4]
    """
    fold: Integers = np.empty(len(texts), dtype=np.int64)
    dealt: dict[str, int] = {}
    for code in np.unique(codes):
        names = {texts[row] for row in np.flatnonzero(codes == code).tolist()}
        # A text that another class holds as well is in a fold already, and stays there.
        for turn, name in enumerate(sorted(names, key=lambda text: hashlib.sha256(text.encode()).digest())):
            dealt.setdefault(name, turn % N_FOLDS)
    for row, text in enumerate(texts):
        fold[row] = dealt[text]
    return fold


def _check_split(name: str, data: Labelled, split: int) -> None:
    trained = np.bincount(data.codes[data.train(split)], minlength=len(data.classes))
    tested = np.bincount(data.codes[data.test(split)], minlength=len(data.classes))
    if not tested.sum():
        raise InputError(f"{name}: no text is tested in split {split}")
    for code, label in enumerate(data.classes):
        if tested[code] and not trained[code]:
            raise InputError(f"{name}: no text to train on has the label {label!r}, which is tested")
        if trained[code] == 1:
            raise InputError(
                f"{name}: the class {label!r} has one text to train on; two are needed to tune anything: "
                "add texts to it or leave the class out"
            )
