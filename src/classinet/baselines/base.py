"""The contract of a rival: it learns from unlabeled texts, and turns texts into features or into labels.

Enter: unlabeled texts (or counts), then labelled ones where the rival needs labels. Leave: a block of features a text
for a linear classifier, or labels. Three steps, the same for all: `fit(unlabeled)`, `adapt(texts, labels)`, then
`transform(texts)` or, for a rival that brings its own classifier, `predict(texts)`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from classinet._sparse import canonical_csr
from classinet._typing import Csr, Floats
from classinet._validation import check_matrix
from classinet.exceptions import InputError
from classinet.text import TextVectorizer

Use = Literal["append", "alone", "predict"]


class Baseline(TransformerMixin, BaseEstimator, ABC, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """Base of all rivals.

    Attributes
    ----------
    use : what the rival's features are for: "append" (stand beside the tf-idf of the text), "alone" (stand for the
        text), or "predict" (the rival classifies by itself).
    grid : parameters that are chosen on the labelled texts, and the values to try, the default first; for rivals that
        classify by themselves, as the strength of regularisation is chosen for the others.
    documents : whether `fit` takes which document each text is from, because neighbouring texts matter.

    Examples
    --------
    A rival to whom a text is its length, and nothing is to be learnt:

    >>> class Length(Baseline):
    ...     def fit(self, X, y=None):
    ...         self.fitted_ = True
    ...         return self
    ...     def transform(self, X):
    ...         return np.array([[float(len(text))] for text in X])
    >>> Length().fit([]).adapt(["a"], ["short"]).transform(["a", "text"])
    array([[1.], [4.]])
    """

    use: Use = "append"
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {}
    documents: ClassVar[bool] = False

    @abstractmethod
    def fit(self, X: Any, y: object = None) -> Self:
        """Learn from unlabeled texts."""

    def adapt(self, texts: Iterable[str], labels: Sequence[Any]) -> Self:
        """Return a copy that has learnt from labelled texts as well; the rival itself where labels do not matter."""
        check_is_fitted(self)
        return self

    @property
    def learns_from_labels(self) -> bool:
        """Whether labelled texts change what the rival does."""
        return type(self).adapt is not Baseline.adapt

    def transform(self, X: Any) -> Csr | Floats:
        """Return the features of texts: texts × features, sparse (canonical CSR) or dense."""
        raise InputError(f"{type(self).__name__} classifies by itself; call predict")

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the label of each text."""
        raise InputError(f"{type(self).__name__} gives features, not labels; call transform")

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))


class BagBaseline(Baseline):
    """Base of rivals to which the order of words does not matter: they take texts, or counts (texts × features).

    A kind implements `_fit(counts)` and `_transform(counts)`; the names of the features are in `feature_names_`.
    Its constructor has a `vectorizer` parameter: how texts become counts, None for words that occur in two texts.
    A fit that fails leaves the rival as it was.

    Examples
    --------
    >>> class Shared(BagBaseline):
    ...     def __init__(self, vectorizer=None):
    ...         self.vectorizer = vectorizer
    ...     def _fit(self, counts):
    ...         self.total_ = counts.sum(axis=0)
    ...     def _transform(self, counts):
    ...         return counts @ self.total_[:, None]
    >>> rival = Shared().fit(["good film", "good", "a film"])
    >>> rival.feature_names_, rival.transform(["good, good film", "a book"])
    (array(['film', 'good'], dtype=object), array([[6.], [0.]]))
    >>> bool((rival.transform([[1, 2], [0, 0]]) == rival.transform(["good, good film", "a book"])).all())
    True
    """

    vectorizer: TextVectorizer | None

    def fit(self, X: Any, y: object = None, *, feature_names: Sequence[str] | None = None) -> Self:
        """Learn from unlabeled texts, or from their counts and the names of the columns.

        Parameters
        ----------
        X : texts, or a matrix (texts × features) of counts or weights ≥ 0.
        y : not looked at.
        feature_names : names of the columns of a matrix; None takes them from a data frame, else x0, x1, …
        """
        fitted = copy.copy(self)
        fitted.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        counts = fitted._read(X, feature_names)
        fitted.n_features_in_ = int(counts.shape[1])
        fitted._fit(counts)
        self.__dict__ = fitted.__dict__
        return self

    def _read(self, X: Any, feature_names: Sequence[str] | None) -> Csr:
        if _is_matrix(X):
            counts = check_matrix(X, "X")
            self.vectorizer_ = None
            given = getattr(X, "columns", None) if feature_names is None else feature_names
            self.feature_names_ = _names(given, counts.shape[1])
            return counts
        if feature_names is not None:
            raise InputError("feature_names names the columns of a matrix; texts are split into features here")
        self.vectorizer_ = TextVectorizer(min_df=2) if self.vectorizer is None else clone(self.vectorizer)
        counts = canonical_csr(self.vectorizer_.fit_transform(X))
        self.feature_names_ = self.vectorizer_.get_feature_names_out()
        return counts

    def transform(self, X: Any) -> Csr | Floats:
        """Return the features of texts, or of counts with the columns that `fit` was given."""
        return self._transform(self.counts(X))

    def counts(self, X: Any) -> Csr:
        """Return texts as counts of the features that `fit` met; counts are checked and passed on."""
        check_is_fitted(self)
        if not _is_matrix(X):
            if self.vectorizer_ is None:
                raise InputError(
                    f"this {type(self).__name__} was fitted on counts, not on texts; give counts (texts × features). "
                    "Reshape your data if it is a single row"
                )
            return canonical_csr(self.vectorizer_.transform(X))
        counts = check_matrix(X, "X")
        if counts.shape[1] != len(self.feature_names_):
            raise InputError(
                f"X has {counts.shape[1]} features, but {type(self).__name__} is expecting "
                f"{len(self.feature_names_)} features as input: those it was fitted on, in the same order"
            )
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        return tags

    @abstractmethod
    def _fit(self, counts: Csr) -> None:
        """Learn from counts of unlabeled texts."""

    @abstractmethod
    def _transform(self, counts: Csr) -> Csr | Floats:
        """Return the features of texts given as counts."""


def _is_matrix(X: Any) -> bool:
    if isinstance(X, (sparse.sparray, sparse.spmatrix)):
        return True
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and not isinstance(X[0], (str, bytes)) and np.ndim(X[0]) == 1
    return hasattr(X, "__array__") and np.asarray(X).ndim == 2


def _names(given: Sequence[str] | None, count: int) -> NDArray[np.object_]:
    names = [f"x{i}" for i in range(count)] if given is None else [str(name) for name in given]
    if len(names) != count:
        raise InputError(f"{len(names)} feature names for {count} columns; give one for each")
    if len(set(names)) != count:
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise InputError(f"feature_names holds {twice!r} more than once")
    return np.array(names, dtype=object)
