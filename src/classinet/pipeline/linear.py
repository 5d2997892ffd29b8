"""Logistic regression in the span of the texts: min_W Σ loss(W a_i) + |W|² / 2C.

Enter: labelled rows of features, far more features than rows. Leave: coefficients. The solution is a combination of
the rows, so it is enough to know their inner products: with A Aᵀ = U Λ Uᵀ the rows U √Λ have the same inner products
and at most as many columns as there are texts. One decomposition serves every fold and every strength, and the inner
products of [T, w·E] are those of T plus w² times those of E, so that every weight w costs one sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from classinet._sparse import column_counts, take_columns
from classinet._typing import Csr, Floats, Integers
from classinet.merging import like_input
from classinet.pipeline.head import Head
from classinet.pipeline.targets import Targets

# Up to so many texts the span is cheaper than the features themselves.
MAX_SPAN = 2000
MAX_ITERATIONS = 5000
TOLERANCE = 1e-4
SMALLEST_SHARE = 1e-12
# From this share of stored values on, dense algebra is quicker.
FULL = 0.05


@dataclass(frozen=True, eq=False)
class Span:
    """Texts in coordinates of their own span.

    Attributes
    ----------
    coordinates : texts × rank; the same inner products as the rows of features.
    back : texts × rank; rowsᵀ @ back @ β are the coefficients that belong to β.
    """

    coordinates: Floats
    back: Floats


def inner_products(rows: Csr) -> Floats:
    """Return rows @ rowsᵀ as a dense matrix; expansions of several hops are nearly full, and multiplied as such.

    >>> from classinet._sparse import canonical_csr
    >>> inner_products(canonical_csr(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])))
    array([[5., 2.],
           [2., 2.]])
    """
    used = np.flatnonzero(column_counts(rows))
    plain: Any = like_input(take_columns(rows, used), None)
    if plain.nnz < FULL * plain.shape[0] * plain.shape[1]:
        return np.asarray((plain @ plain.T).toarray())
    full = plain.toarray()
    with threadpool_limits(1, "blas"):
        return np.asarray(full @ full.T)


def joined_products(text: Floats, expansion: Floats, weight: float) -> Floats:
    """Return the inner products of rows of text and weighed expansion, together of length 1."""
    return np.asarray((text + weight**2 * expansion) / (1 + weight**2))


def span(products: Floats) -> Span:
    """Find coordinates with the given inner products, and the way back to features.

    >>> import numpy as np
    >>> A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [1.0, 3.0, 1.0]])
    >>> found = span(A @ A.T)
    >>> found.coordinates.shape
    (3, 2)
    >>> bool(np.allclose(found.coordinates @ found.coordinates.T, A @ A.T))
    True
    """
    with threadpool_limits(1, "blas"):  # one thread: the same bytes wherever it runs
        values, vectors = linalg.eigh(products)
    kept = values > SMALLEST_SHARE * max(float(values[-1]), 0.0) if len(values) else np.zeros(0, dtype=np.bool_)
    roots = np.sqrt(values[kept])
    return Span(vectors[:, kept] * roots, vectors[:, kept] / roots)


def fit_linear(rows: Any, targets: Targets, C: float, weights: Floats, tol: float = TOLERANCE) -> tuple[Floats, Floats]:
    """Return coefficients (outputs × columns) and intercepts; `weights` are texts × outputs."""
    solve = partial(_solve, C=C, tol=tol)
    with threadpool_limits(1, "blas"):
        if targets.form == "classes":
            return _fit_classes(solve, rows, targets.codes, len(targets.classes), weights[:, 0])
        outputs = [_fit_tag(solve, rows, targets.member[:, j], weights[:, j]) for j in range(len(targets.classes))]
    return np.vstack([coef for coef, _ in outputs]), np.array([intercept for _, intercept in outputs])


def fit_head(rows: Csr, targets: Targets, C: float, weights: Floats) -> Head:
    """Fit a classifier in the span of the texts or, where they are many, on the columns that occur."""
    coef = np.zeros((len(targets.classes), rows.shape[1]))
    if rows.shape[0] <= MAX_SPAN:
        own = span(inner_products(rows))
        inner, intercept = fit_linear(own.coordinates, targets, C, weights)
        coef = np.asarray((rows.T @ (own.back @ inner.T)).T)
    else:
        used = np.flatnonzero(column_counts(rows))
        coef[:, used], intercept = fit_linear(like_input(take_columns(rows, used), None), targets, C, weights)
    return Head(coef, intercept, targets.classes, targets.form)


def _fit_classes(
    solve: Callable[..., Any], rows: Any, codes: Integers, n_classes: int, weights: Floats
) -> tuple[Floats, Floats]:
    coef, intercept = np.zeros((n_classes, rows.shape[1])), np.full(n_classes, -np.inf)
    present = np.unique(codes)
    if len(present) == 1:  # a fold of cross-validation may hold one class alone
        intercept[present] = 0.0
    else:
        solved = solve(rows, codes, weights)
        if len(present) == 2:  # scikit-learn gives the second class's logit alone
            coef[present] = np.vstack([-solved.coef_[0], solved.coef_[0]]) / 2
            intercept[present] = np.array([-solved.intercept_[0], solved.intercept_[0]]) / 2
        else:
            coef[present], intercept[present] = solved.coef_, solved.intercept_
    return coef, intercept


def _fit_tag(solve: Callable[..., Any], rows: Any, member: NDArray[np.bool_], weights: Floats) -> tuple[Floats, float]:
    having = int(member.sum())
    if having in (0, len(member)):
        # Nothing tells texts with the tag from texts without: the smoothed share is all there is.
        return np.zeros(rows.shape[1]), float(np.log((having + 0.5) / (len(member) - having + 0.5)))
    solved = solve(rows, member, weights)
    return solved.coef_[0], float(solved.intercept_[0])


def _solve(rows: Any, y: NDArray[Any], weights: Floats, *, C: float, tol: float) -> Any:
    return LogisticRegression(C=C, tol=tol, max_iter=MAX_ITERATIONS).fit(rows, y, sample_weight=weights)
