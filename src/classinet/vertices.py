"""Which features become vertices (V ⊆ S, §3.1): one small rule each.

Enter: the unlabeled texts (and labels, for the one rule that looks at them). Leave: ascending feature columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator

from classinet._sparse import column_counts, presence
from classinet._typing import Csr, Flags, Floats, Integers
from classinet._validation import check_choice, check_number
from classinet.exceptions import InputError, ParameterError


class VertexRule(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the rules that pick vertices."""

    @abstractmethod
    def choose(self, X: Csr, names: NDArray[np.object_], y: Any = None, candidates: Flags | None = None) -> Integers:
        """Return the columns of the vertices, ascending.

        Parameters
        ----------
        X : texts × features; features that never occur are no candidates.
        names : of the features.
        y : labels of the texts, for a rule that looks at them.
        candidates : which features may be chosen; None is all.
        """


class CountRule(VertexRule):
    """Base of the rules that look only at how many texts hold each feature, so that counts may come from anywhere."""

    @abstractmethod
    def choose_by(self, counts: Integers) -> Integers:
        """Return the columns of the vertices, given in how many texts each feature occurs."""

    def choose(self, X: Csr, names: NDArray[np.object_], y: Any = None, candidates: Flags | None = None) -> Integers:
        """Return the columns of the vertices, ascending."""
        counts = column_counts(X)
        return self.choose_by(counts if candidates is None else np.where(candidates, counts, 0))


class AllFeatures(CountRule):
    """Every feature that occurs.

    >>> from classinet._sparse import canonical_csr
    >>> AllFeatures().choose(canonical_csr(np.array([[1, 0, 2]])), np.array(["a", "b", "c"], dtype=object))
    array([0, 2])
    """

    def choose_by(self, counts: Integers) -> Integers:
        """Return every column that is stored at least once."""
        return np.flatnonzero(counts > 0)


class MostFrequent(CountRule):
    """The n features that occur in most texts; between equals the lower column wins.

    >>> MostFrequent(1000)
    MostFrequent(n=1000)
    """

    def __init__(self, n: int = 20_000) -> None:
        self.n = n

    def choose_by(self, counts: Integers) -> Integers:
        """Return the columns that are stored in most rows."""
        check_number("n", self.n, low=1, whole=True)
        return _top(counts.astype(np.float64), counts > 0, self.n)


class Landmarks(CountRule):
    """Some thousand features that are known well, for all others to be described by.

    A text is judged by how near it comes to each vertex, so vertices that are rare themselves, or so many that each
    text reaches only a small part of them, add more noise than knowledge. Features that are no vertices are expanded
    as well where edges are given to them (`outside` of `classinet.edges`).

    Parameters
    ----------
    n : at most so many, those that occur in most texts.
    at_least : texts a vertex must occur in.
    fewest : where fewer features occur so often, so many of the most frequent are taken all the same.

    >>> Landmarks()
    Landmarks()
    """

    def __init__(self, n: int = 10_000, at_least: int = 5, fewest: int = 100) -> None:
        self.n = n
        self.at_least = at_least
        self.fewest = fewest

    def choose_by(self, counts: Integers) -> Integers:
        """Return the columns that are stored in most rows and in enough of them."""
        for name in ("n", "at_least", "fewest"):
            check_number(name, getattr(self, name), low=1, whole=True)
        often = int((counts >= self.at_least).sum())
        return _top(counts.astype(np.float64), counts > 0, min(self.n, max(often, self.fewest)))


class MinDocumentFrequency(CountRule):
    """Every feature that occurs in at least n texts.

    >>> MinDocumentFrequency(10)
    MinDocumentFrequency(n=10)
    """

    def __init__(self, n: int = 5) -> None:
        self.n = n

    def choose_by(self, counts: Integers) -> Integers:
        """Return the columns that are stored in at least n rows."""
        check_number("n", self.n, low=1, whole=True)
        return np.flatnonzero(counts >= self.n)


class Listed(VertexRule):
    """The features you name, by name or by column.

    >>> from classinet._sparse import canonical_csr
    >>> Listed(["c", "a"]).choose(canonical_csr(np.ones((1, 3))), np.array(["a", "b", "c"], dtype=object))
    array([0, 2])
    """

    def __init__(self, features: Sequence[str] | Sequence[int]) -> None:
        self.features = features

    def choose(self, X: Csr, names: NDArray[np.object_], y: Any = None, candidates: Flags | None = None) -> Integers:
        """Return the columns of the listed features, whether anyone else would choose them or not."""
        if isinstance(self.features, str) or not len(self.features):
            raise ParameterError(f"vertices must list at least one feature name or column, got {self.features!r}")
        place = {name: column for column, name in enumerate(names)}
        columns = [self._column(feature, place, X.shape[1]) for feature in self.features]
        if len(set(columns)) != len(columns):
            raise ParameterError("vertices lists a feature twice")
        counts = column_counts(X)
        absent = [self.features[k] for k, column in enumerate(columns) if counts[column] == 0]
        if absent:
            raise InputError(f"vertices lists features that occur in no text: {_some(absent)}")
        return np.sort(np.array(columns, dtype=np.int64))

    @staticmethod
    def _column(feature: str | int, place: dict[Any, int], n_columns: int) -> int:
        if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
            if not 0 <= feature < n_columns:
                raise InputError(f"vertices lists column {feature}, but X has columns 0 to {n_columns - 1}")
            return int(feature)
        if feature not in place:
            raise InputError(f"vertices lists {feature!r}, which is no feature name; pass feature_names to fit")
        return place[feature]


class BestByLabels(VertexRule):
    """The n features that tell the labels of the texts apart best; the only rule that looks at y.

    Parameters
    ----------
    n : how many.
    score : "llr", the log-likelihood ratio (2 × mutual information in counts), or "chi2"; both of the table of
        presence against label.

    >>> BestByLabels(700)
    BestByLabels(n=700)
    """

    def __init__(self, n: int = 1000, score: str = "llr") -> None:
        self.n = n
        self.score = score

    def choose(self, X: Csr, names: NDArray[np.object_], y: Any = None, candidates: Flags | None = None) -> Integers:
        """Return the columns whose presence depends most on the label."""
        check_number("n", self.n, low=1, whole=True)
        check_choice("score", self.score, ("llr", "chi2"))
        if y is None:
            raise ParameterError("BestByLabels chooses vertices against labels: pass y to fit")
        if len(y) != X.shape[0]:
            raise InputError(f"y has {len(y)} labels for {X.shape[0]} texts")
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(classes) < 2:
            raise InputError(f"y holds one class only, {classes[0]!r}; nothing tells features apart")
        occurring = column_counts(X) > 0
        allowed = occurring if candidates is None else occurring & candidates
        return _top(label_dependence(X, codes, len(classes), self.score), allowed, self.n)


def label_dependence(X: Csr, codes: Integers, n_classes: int, score: str) -> Floats:
    """Score each column by the table of presence × class: G = 2 Σ O log(O/E), or χ² = Σ (O − E)²/E."""
    n_rows = X.shape[0]
    sizes = np.bincount(codes, minlength=n_classes).astype(np.float64)
    rows = np.repeat(np.arange(n_rows), np.diff(X.indptr))
    seen = presence(X)
    held = np.zeros((n_classes, X.shape[1]))
    np.add.at(held, (codes[rows], seen.indices), 1.0)
    total = held.sum(axis=0)
    out = np.zeros(X.shape[1])
    for observed, share in ((held, total), (sizes[:, None] - held, n_rows - total)):
        expected = sizes[:, None] * share[None, :] / n_rows
        safe = np.where(expected > 0, expected, 1.0)
        terms = 2 * xlogy(observed, observed / safe) if score == "llr" else (observed - expected) ** 2 / safe
        out += terms.sum(axis=0)
    return out


def as_rule(vertices: Any) -> VertexRule:
    """Read the shorthands: None, a number of most frequent features, or a list of names or columns.

    >>> as_rule(None), as_rule(500), as_rule(["cat", "dog"])
    (Landmarks(), MostFrequent(n=500), Listed(features=['cat', 'dog']))
    """
    if isinstance(vertices, VertexRule):
        return vertices
    if vertices is None:
        return Landmarks()
    if isinstance(vertices, (int, np.integer)) and not isinstance(vertices, bool):
        return MostFrequent(int(vertices))
    if isinstance(vertices, (list, tuple, np.ndarray)):
        return Listed(list(vertices))
    raise ParameterError(
        "vertices must be None, a number, a list of feature names or columns, or one of Landmarks, AllFeatures, "
        f"MostFrequent, MinDocumentFrequency, Listed, BestByLabels; got {vertices!r}"
    )


def _top(scores: Floats, candidates: Any, n: int) -> Integers:
    columns = np.flatnonzero(candidates)
    best = columns[np.argsort(-scores[columns], kind="stable")[:n]]
    return np.sort(best)


def _some(items: list[Any], limit: int = 5) -> str:
    shown = ", ".join(repr(item) for item in items[:limit])
    return shown + (f" and {len(items) - limit} more" if len(items) > limit else "")
