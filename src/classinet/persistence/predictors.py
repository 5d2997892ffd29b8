"""What each kind of predictor needs to score again: one table.

Enter: fitted predictors. Leave: named arrays, and back. The table says for every kind which attributes a fit leaves,
and how each is stored; a file can neither add an attribute nor leave one out. Kinds that are not in the table hold
objects of other people's classes, and stay behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Integers
from classinet.persistence.reading import damaged
from classinet.persistence.tensors import TensorFile, csr_arrays
from classinet.predictors import (
    Embedding,
    Factorised,
    Indicator,
    Logistic,
    NaiveBayes,
    Perceptron,
    Predictor,
    Ridge,
)
from classinet.predictors.base import NONE

LANES = 8  # kernels read vectors eight numbers at a time
Sizes: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Dense:
    """An array. Lengths: "n" vertices, "d" features, "w" one width in all arrays of a file, "*" any length."""

    dtype: type[np.generic]
    shape: tuple[str, ...]
    finite: bool = True

    def arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        """Return what to store."""
        return {name: np.asarray(value, dtype=self.dtype)}

    def value(self, name: str, tensors: TensorFile, sizes: Sizes) -> Any:
        """Return what was stored."""
        wanted = tuple(sizes.get(length) for length in self.shape)
        found = tensors.array(name, self.dtype, wanted, finite=self.finite)
        if "w" in self.shape and "w" not in sizes:
            sizes["w"] = found.shape[self.shape.index("w")]
            if sizes["w"] % LANES or not sizes["w"]:
                raise damaged(tensors.path, f"array {name!r} has vectors of {sizes['w']} numbers, no multiple of 8")
        return found


@dataclass(frozen=True)
class Sparse:
    """A canonical sparse matrix of float32, vertices × features."""

    def arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        """Return what to store."""
        return csr_arrays(name, value)

    def value(self, name: str, tensors: TensorFile, sizes: Sizes) -> Any:
        """Return what was stored."""
        return tensors.csr(name, (sizes["n"], sizes["d"]), np.float32)


@dataclass(frozen=True)
class Number:
    """A whole number ≥ 0."""

    def arrays(self, name: str, value: int) -> dict[str, NDArray[Any]]:
        """Return what to store."""
        return {name: np.array(value, dtype=np.int64)}

    def value(self, name: str, tensors: TensorFile, sizes: Sizes) -> int:
        """Return what was stored."""
        found = int(tensors.array(name, np.int64, ()))
        if found < 0:
            raise damaged(tensors.path, f"{name!r} is {found}, where a number ≥ 0 is expected")
        return found


@dataclass(frozen=True)
class Losses:
    """A list of numbers, or a mapping from whole numbers to numbers."""

    keyed: bool = False

    def arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        """Return what to store."""
        if not self.keyed:
            return {name: np.array(value, dtype=np.float64)}
        keys, losses = np.array(list(value), dtype=np.int64), np.array(list(value.values()), dtype=np.float64)
        return {f"{name}.keys": keys, name: losses}

    def value(self, name: str, tensors: TensorFile, sizes: Sizes) -> Any:
        """Return what was stored."""
        losses = tensors.array(name, np.float64, (None,)).tolist()
        if not self.keyed:
            return losses
        return dict(zip(tensors.array(f"{name}.keys", np.int64, (len(losses),)).tolist(), losses, strict=True))


Part: TypeAlias = Dense | Sparse | Number | Losses

COMMON: dict[str, Part] = {
    "vertices_": Dense(np.int64, ("n",)),
    "positives_": Dense(np.int64, ("n",)),
    "leading_": Dense(np.int64, ("*",)),
    "forbidden_": Sparse(),
}
LINEAR: dict[str, Part] = {"coef_": Sparse(), "intercept_": Dense(np.float32, ("n",))}
PARTS: dict[type[Predictor], dict[str, Part]] = {
    Embedding: {"feature_vectors_": Dense(np.float32, ("d", "w"))},
    Factorised: {
        "context_vectors_": Dense(np.float32, ("d", "w")),
        "feature_vectors_": Dense(np.float32, ("d", "w")),
        "target_vectors_": Dense(np.float32, ("n", "w")),
        "intercept_": Dense(np.float32, ("n",)),
        "energy_": Dense(np.float64, ("n",)),
        "rank_": Number(),
        "passes_": Number(),
        "rank_losses_": Losses(keyed=True),
        "pass_losses_": Losses(),
    },
    Indicator: {},
    Logistic: {
        **LINEAR,
        "strength_": Dense(np.float64, ("n",)),
        "cv_loss_": Dense(np.float64, ("n",), finite=False),
    },
    NaiveBayes: LINEAR,
    Perceptron: {**LINEAR, "mistakes_": Dense(np.int64, ("n",))},
    Ridge: {"coef_": Dense(np.float32, ("n", "n")), "intercept_": Dense(np.float32, ("n",))},
}


def storable(predictor: object) -> bool:
    """Whether everything a predictor needs is in the table.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from classinet.predictors import SklearnPredictor
    >>> storable(Ridge()), storable(SklearnPredictor(DecisionTreeClassifier()))
    (True, False)
    """
    return type(predictor) in PARTS


def predictor_arrays(predictor: Predictor) -> dict[str, NDArray[Any]]:
    """Return the arrays of a fitted predictor."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, part in (COMMON | PARTS[type(predictor)]).items():
        arrays |= part.arrays(name, getattr(predictor, name))
    return arrays


def restore_predictor(
    predictor: Predictor, stored: TensorFile, columns: Integers, n_features: int, left_out: dict[int, str]
) -> None:
    """Give a predictor that was only constructed what its fit had left.

    Parameters
    ----------
    predictor : of a kind in the table, with its parameters.
    stored : its arrays.
    columns : the feature column of each vertex.
    n_features : number of features of a text.
    left_out : why each candidate that was not learnt was left out.
    """
    sizes: Sizes = {"n": len(columns), "d": n_features}
    path = stored.path
    with stored as tensors:
        # In format version 1 factorised predictors had one table of vectors for both purposes, up to 2 no energy; up to
        # 6 predictors looked at all features.
        one_table = isinstance(predictor, Factorised) and "feature_vectors_" not in tensors
        parts = COMMON | PARTS[type(predictor)]
        if "energy_" in parts and "energy_" not in tensors:
            del parts["energy_"]
        if "leading_" not in tensors:
            del parts["leading_"]
            predictor.leading_ = NONE
        for name, part in parts.items():
            found = "context_vectors_" if one_table and name == "feature_vectors_" else name
            setattr(predictor, name, part.value(found, tensors, sizes))
    learnt: Integers = predictor.vertices_
    if (learnt < 0).any() or (learnt[1:] <= learnt[:-1]).any() or not left_out.keys().isdisjoint(learnt.tolist()):
        raise damaged(path, "'vertices_' does not list different candidates in order")
    leading = predictor.leading_
    if (leading[1:] <= leading[:-1]).any() or (len(leading) and not 0 <= leading[0] <= leading[-1] < n_features):
        raise damaged(path, "'leading_' does not list different features in order")
    if np.isin(columns, leading).any():
        raise damaged(path, "'leading_' lists a vertex")
    if (predictor.positives_ < 0).any():
        raise damaged(path, "'positives_' holds a negative number")
    if isinstance(predictor, Embedding) and not predictor.feature_vectors_[columns].any(axis=1).all():
        raise damaged(path, "'feature_vectors_' has no vector for one of the vertices")
    predictor.columns_ = columns
    predictor.left_out_ = left_out
    predictor.n_features_in_ = n_features
