"""Labels as the user has them → one 0/1 column an output, and the names of the outputs.

Enter: one label a text (any one type that sorts), a collection of tags a text, or a 0/1 matrix, as an array, a data
frame or lists. Leave: `Targets`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classinet._typing import Flags, Floats, Integers
from classinet._validation import is_missing
from classinet.exceptions import InputError, ParameterError

# Up to so many texts, classes count alike. Of few texts each is more like itself than like any to come, so a classifier
# draws its border close to those of a small class, and calls almost all others by the largest: with 10 to 1,000 labels
# of spam, reviews, questions and German tweets, macro-F1 changed by -0.1 to +20 points and accuracy by -0.6 to +4
# (benchmarks/class_weights.py). With thousands of labels accuracy stayed as it was.
FEW_TEXTS = 1000


@dataclass(frozen=True, eq=False)
class Targets:
    """Checked labels.

    Attributes
    ----------
    classes : name of each output, sorted.
    member : bool (texts × outputs): which labels each text has.
    form : "classes", "tags" or "indicator", as in `Head`.
    """

    classes: NDArray[Any]
    member: Flags
    form: str

    @classmethod
    def of_codes(cls, codes: Integers, n_classes: int) -> Targets:
        """Labels given as the position of each text's class.

        >>> Targets.of_codes(np.array([2, 0]), 3).member.astype(int).tolist()
        [[0, 0, 1], [1, 0, 0]]
        """
        return cls(np.arange(n_classes), codes[:, None] == np.arange(n_classes), "classes")

    @property
    def codes(self) -> Integers:
        """Position of each text's class; only where every text has one."""
        return np.asarray(self.member.argmax(axis=1), dtype=np.int64)

    def take(self, rows: Integers) -> Targets:
        """The labels of some texts; classes stay."""
        return Targets(self.classes, self.member[rows], self.form)

    def with_each_class(self) -> Targets:
        """The labels followed by every class once: those of texts, and of one more text a class.

        >>> Targets.of_codes(np.array([1]), 2).with_each_class().member.astype(int).tolist()
        [[0, 1], [1, 0], [0, 1]]
        """
        every = np.eye(len(self.classes), dtype=np.bool_)
        return Targets(self.classes, np.vstack([self.member, every]), self.form)

    def row_weights(self, class_weight: Any, sample_weight: Any) -> Floats:
        """Return one weight a text and output: the text's own times that of its class (or of having the tag or not)."""
        n, outputs = self.member.shape
        own = checked_weights(sample_weight, n)
        class_weight = self.resolved(class_weight, own)
        if class_weight is None:
            return np.repeat(own[:, None], outputs, axis=1)
        counts = own @ self.member
        if self.form == "classes":
            per_class = self._class_weights(class_weight, counts)
            return np.repeat((own * per_class[self.codes])[:, None], outputs, axis=1)
        if isinstance(class_weight, str):
            self._class_weights(class_weight, counts)
            with_tag, without = (_evened(side, own.sum(), 2) for side in (counts, own.sum() - counts))
            return np.asarray(own[:, None] * np.where(self.member, with_tag, without))
        return np.asarray(own[:, None] * np.where(self.member, self._class_weights(class_weight, counts), 1.0))

    def resolved(self, class_weight: Any, own: Floats) -> Any:
        """Return what "auto" means for texts of these weights, and what is given otherwise.

        >>> Targets.of_codes(np.array([1, 0]), 2).resolved("auto", np.ones(2))
        'balanced'
        """
        if not isinstance(class_weight, str) or class_weight != "auto":
            return class_weight
        return "balanced" if self.form == "classes" and np.count_nonzero(own) <= FEW_TEXTS else None

    def _class_weights(self, class_weight: Any, counts: Floats) -> Floats:
        if isinstance(class_weight, str) and class_weight == "balanced":
            return _evened(counts, counts.sum(), int(np.count_nonzero(counts)))
        if not isinstance(class_weight, dict):
            raise ParameterError(f'class_weight must be "auto", "balanced", a dict or None; got {class_weight!r}')
        known = self.classes.tolist()
        unknown = [label for label in class_weight if label not in known]
        if unknown:
            raise ParameterError(f"class_weight names {unknown[0]!r}, which is no class; classes are {_some(known)}")
        weights = np.array([float(class_weight.get(label, 1.0)) for label in known])
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ParameterError(f"class_weight must hold finite numbers ≥ 0, not all of them 0; got {class_weight!r}")
        return weights


def as_targets(y: Any, n_texts: int) -> Targets:
    """Check labels and find out what form they have.

    >>> as_targets(["b", "a", "b"], 3).classes.tolist()
    ['a', 'b']
    >>> as_targets([["x"], [], ["x", "y"]], 3).member.astype(int).tolist()
    [[1, 0], [0, 0], [1, 1]]
    >>> as_targets(["a", "a"], 2)
    Traceback (most recent call last):
    ...
    classinet.exceptions.InputError: all 2 texts have the label 'a'; a classifier needs at least 2 classes
    """
    form, values = _read(y)
    as_read: dict[str, Callable[[Any], Targets]] = {"indicator": _indicator, "tags": _tags, "classes": _labels}
    targets = as_read[form](values)
    if len(targets.member) != n_texts:
        raise InputError(f"{n_texts} texts and {len(targets.member)} labels; give one for each text")
    if not n_texts:
        raise InputError("no texts are given; a classifier needs labelled texts of at least 2 classes")
    if form == "classes" and len(targets.classes) < 2:
        raise InputError(
            f"all {n_texts} texts have the label {targets.classes.tolist()[0]!r}; a classifier needs at least 2 classes"
        )
    return targets


def label_sets(y: Any, classes: NDArray[Any], *, multilabel: bool) -> list[frozenset[Any]]:
    """Return the labels of each text as a set, whatever form they have; a form that is not the classifier's is refused.

    >>> label_sets([[0, 1], [1, 1]], np.array(["a", "b"]), multilabel=True) == [{"b"}, {"a", "b"}]
    True
    """
    form, values = _read(y)
    if form == "indicator" and multilabel:
        if values.shape[1] != len(classes):
            raise InputError(f"labels have {values.shape[1]} columns, and this classifier {len(classes)} tags")
        return [frozenset(classes[np.flatnonzero(row)].tolist()) for row in _indicator(values).member]
    if (form != "classes") != multilabel:
        needed = "tags, so give a list for each text" if multilabel else "one label a text, so give one for each"
        shown = repr(values[0]) if form != "indicator" else "a row of a matrix"
        raise InputError(f"labels[0] is {shown}; this classifier gives {needed}")
    for index, value in enumerate(values):
        if any(map(is_missing, value)) if multilabel else is_missing(value):
            raise InputError(f"labels[{index}] is {value!r}; leave out texts whose label is not known")
    return [frozenset(map(_plain, value)) if multilabel else frozenset([_plain(value)]) for value in values]


def place_in_class(codes: Integers) -> Integers:
    """Return how many texts of the same class stand before each text.

    >>> place_in_class(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    by_class = np.argsort(codes, kind="stable")
    grouped = codes[by_class]
    place = np.empty(len(codes), dtype=np.int64)
    place[by_class] = np.arange(len(codes)) - np.searchsorted(grouped, grouped)
    return place


def _read(y: Any) -> tuple[str, Any]:
    """Return which form labels have, and the labels: a list, or a matrix of 0 and 1."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None: give one label, or tags, for each text")
    if isinstance(y, str | bytes | Mapping):
        raise InputError(f"labels must be a list of one label, or of tags, for each text; got {type(y).__name__}")
    if isinstance(y, (sparse.sparray, sparse.spmatrix)):
        y = y.toarray()  # type: ignore[union-attr]
    if hasattr(y, "to_pylist"):  # pyarrow iterates over boxes
        y = y.to_pylist()
    if getattr(y, "ndim", 1) == 2 or hasattr(y, "columns"):  # a data frame iterates over the names of its columns
        y = np.asarray(y)
        if y.shape[1] != 1:
            return "indicator", y
        y = y.ravel()
    values = list(np.asarray(y) if hasattr(y, "dtype") and not _holds_tags(y) else y)
    if _is_matrix(values):
        return "indicator", np.array([np.asarray(row) for row in values])
    return ("tags" if values and _is_tags(values[0]) else "classes"), values


def _is_matrix(values: list[Any]) -> bool:
    """Whether lists are rows of 0 and 1, as scikit-learn reads them, and not tags: all as long, with nothing else."""
    if not values or not all(isinstance(row, list | np.ndarray) for row in values):
        return False
    width = len(values[0])
    return width > 1 and all(
        len(row) == width and all(isinstance(one, int | float | np.number | np.bool_) and one in (0, 1) for one in row)
        for row in values
    )


def _labels(values: Sequence[Any]) -> Targets:
    for i, value in enumerate(values):
        if _is_tags(value) or is_missing(value) or (isinstance(value, float | np.floating) and not np.isfinite(value)):
            raise InputError(f"label {i} is {value!r}; every text needs one label (give lists everywhere for tags)")
    try:
        classes, codes = np.unique(np.asarray(values), return_inverse=True)
    except TypeError as error:
        raise InputError(f"labels must be of one type: {error}") from error
    if len({isinstance(value, (str, np.str_)) for value in values}) > 1:
        raise InputError("labels must be of one type; some are strings and some are not")
    if classes.dtype == object:
        classes = np.array(classes.tolist())
    return Targets(classes, codes[:, None] == np.arange(len(classes)), "classes")


def _tags(values: Sequence[Any]) -> Targets:
    for i, tags in enumerate(values):
        if not _is_tags(tags):
            raise InputError(f"tags {i} are {tags!r}; give a list of tags for every text, [] where there are none")
        if any(map(is_missing, tags)):
            raise InputError(f"tags {i} are {tags!r}; leave out tags that are missing")
    try:
        names = sorted({tag for tags in values for tag in tags})
    except TypeError as error:
        raise InputError(f"tags must be of one type: {error}") from error
    if not names:
        raise InputError("no text has a tag; a classifier needs at least one tag that occurs")
    position = {name: i for i, name in enumerate(names)}
    member = np.zeros((len(values), len(names)), dtype=np.bool_)
    for i, tags in enumerate(values):
        member[i, [position[tag] for tag in tags]] = True
    return Targets(np.array(names), member, "tags")


def _indicator(y: NDArray[Any]) -> Targets:
    if not np.isin(y, (0, 1)).all():
        raise InputError("a matrix of labels must hold 0 and 1 only, one column a tag")
    return Targets(np.arange(y.shape[1]), y.astype(np.bool_), "indicator")


def _is_tags(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, np.ndarray))


def _holds_tags(y: Any) -> bool:
    return y.dtype == object and len(y) > 0 and _is_tags(y[0] if not hasattr(y, "iloc") else y.iloc[0])


def _evened(counts: Floats, total: float, n_parts: int) -> Floats:
    """Weights with which parts of these sizes count alike, and all together as much as before; 1 for a part of none."""
    return np.divide(total, n_parts * counts, out=np.ones_like(counts), where=counts > 0)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def checked_weights(sample_weight: Any, n: int) -> Floats:
    """Return one weight a text; None is 1 for each."""
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise InputError(f"sample_weight has shape {weights.shape}; {n} texts need ({n},)")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError("sample_weight must hold finite numbers ≥ 0, not all of them 0")
    return weights


def _some(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "")
