"""Logistic regression in the span of the texts: min_W Σ loss(W a_i) + |W|² / 2C.

Enter: labelled rows of features, far more features than rows. Leave: coefficients. The solution is a combination of
the rows, so it is enough to know their inner products: with A Aᵀ = L Lᵀ (Cholesky) the rows of L have the same inner
products and as many columns as there are texts. One decomposition serves every fold and every strength, and the inner
products of [T, w·E] are those of T plus w² times those of E, so that every weight w costs one sum.
"""

from __future__ import annotations

import warnings
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

MAX_ITERATIONS = 5000
TOLERANCE = 1e-5
# What is added to the squared lengths, so that equal texts, or empty ones, leave no pivot of zero.
JITTER = 1e-10
# From this share of stored values on, dense algebra is quicker.
FULL = 0.05
# A fit looks at all its rows some hundred times, for every class, forth and back.
LOOKS = 120
# What that costs, in operations of the dense algebra that a fit in the span consists of, as measured: of a stored value
# forth and back, of one in full rows, of a coefficient (L-BFGS keeps twenty copies of them), of a product of large
# dense matrices.
VALUE, FULL_VALUE, COEFFICIENT, PRODUCT = 34.0, 4.0, 1700.0, 0.4
MOST_IN_SPAN = 6000  # texts: three matrices of their number squared are in memory


@dataclass(frozen=True, eq=False)
class Span:
    """Texts in coordinates of their own span.

    Attributes
    ----------
    coordinates : texts × texts, lower triangular; the same inner products as the rows of features.
    """

    coordinates: Floats

    def combination(self, coef: Floats) -> Floats:
        """Return texts × outputs: of which texts the coefficients (outputs × texts) are the combination."""
        return np.asarray(linalg.solve_triangular(self.coordinates, coef.T, trans="T", lower=True))


def inner_products(rows: Csr) -> Floats:
    """Return rows @ rowsᵀ as a dense matrix; columns that many rows have, as of expansions, are multiplied as full.

    >>> from classinet._sparse import canonical_csr
    >>> inner_products(canonical_csr(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])))
    array([[5., 2.],
           [2., 2.]])
    """
    counts = column_counts(rows)
    common, rare = np.flatnonzero(counts >= FULL * rows.shape[0]), (counts > 0) & (counts < FULL * rows.shape[0])
    full = like_input(take_columns(rows, common), None).toarray()
    with threadpool_limits(1, "blas"):
        products = np.asarray(full @ full.T)
    plain: Any = like_input(take_columns(rows, np.flatnonzero(rare)), None)
    return np.asarray(products + (plain @ plain.T).toarray())


def joined_products(text: Floats, expansion: Floats, weight: float) -> Floats:
    """Return the inner products of rows of text and weighed expansion, together of length 1."""
    return np.asarray((text + weight**2 * expansion) / (1 + weight**2))


def span(products: Floats) -> Span:
    """Find coordinates with the given inner products.

    >>> import numpy as np
    >>> A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [1.0, 3.0, 2.0]])
    >>> found = span(A @ A.T)
    >>> bool(np.allclose(found.coordinates @ found.coordinates.T, A @ A.T))
    True
    >>> coef = np.array([[0.5, -1.0, 2.0]])
    >>> bool(np.allclose(found.coordinates @ coef.T, A @ (A.T @ found.combination(coef))))
    True
    """
    largest = max(float(products.diagonal().max()), np.finfo(np.float64).tiny)
    with threadpool_limits(1, "blas"):  # one thread: the same bytes wherever it runs
        raised = products + JITTER * largest * np.eye(len(products))
        return Span(np.asarray(linalg.cholesky(raised, lower=True)))


def fit_linear(rows: Any, targets: Targets, C: float, weights: Floats, tol: float = TOLERANCE) -> tuple[Floats, Floats]:
    """Return coefficients (outputs × columns) and intercepts; `weights` are texts × outputs."""
    solve = partial(_solve, C=C, tol=tol)
    with threadpool_limits(1, "blas"):
        if targets.form == "classes":
            return _fit_classes(solve, rows, targets.codes, len(targets.classes), weights[:, 0])
        outputs = [_fit_tag(solve, rows, targets.member[:, j], weights[:, j]) for j in range(len(targets.classes))]
    return np.vstack([coef for coef, _ in outputs]), np.array([intercept for _, intercept in outputs])


def fit_head(rows: Csr, targets: Targets, C: float, weights: Floats) -> Head:
    """Fit a classifier in the span of the texts or on the features that occur, whichever is less work."""
    coef = np.zeros((len(targets.classes), rows.shape[1]))
    if span_is_quicker(rows, len(targets.classes)):
        own = span(inner_products(rows))
        inner, intercept = fit_linear(own.coordinates, targets, C, weights)
        coef = np.asarray((rows.T @ own.combination(inner)).T)
    else:
        used, values = used_columns(rows)
        coef[:, used], intercept = fit_linear(values, targets, C, weights)
    return Head(coef, intercept, targets.classes, targets.form)


def used_columns(rows: Csr) -> tuple[Integers, Any]:
    """Return which columns hold anything, and these alone: in full where most values are stored, as those of vectors.

    >>> from classinet._sparse import canonical_csr
    >>> used_columns(canonical_csr(np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 0.0]])))
    (array([1, 2]), array([[1., 2.],
           [3., 0.]]))
    """
    used = np.flatnonzero(column_counts(rows))
    kept = like_input(take_columns(rows, used), None)
    return used, kept.toarray() if _mostly_stored(rows, len(used)) else kept


def _mostly_stored(rows: Csr, n_used: int) -> bool:
    return VALUE * rows.nnz > FULL_VALUE * rows.shape[0] * n_used


def span_is_quicker(rows: Csr, n_classes: int, looks: int = LOOKS, fits: int = 1) -> bool:
    """Compare the work in a span (products, decomposition, smaller rows) with that on stored values.

    `looks` are those of one fit; several fits with other weights of a part of the columns share the products.

    >>> from classinet._sparse import canonical_csr
    >>> span_is_quicker(canonical_csr(np.eye(50, 2000)), n_classes=3)
    True
    """
    n, outputs = rows.shape[0], 1 if n_classes == 2 else n_classes
    counts = column_counts(rows)
    n_used, n_common = int((counts > 0).sum()), int((counts >= FULL * n).sum())
    in_span = n**2 * (2 * PRODUCT * n_common + fits * (PRODUCT * n / 3 + FULL_VALUE * looks * max(outputs, 3)))
    values = FULL_VALUE * n * n_used if _mostly_stored(rows, n_used) else VALUE * rows.nnz
    on_values = fits * looks * outputs * (values + COEFFICIENT * n_used)
    return n <= MOST_IN_SPAN and in_span < on_values


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
    with warnings.catch_warnings():
        # One text a class is few, but no regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        return LogisticRegression(C=C, tol=tol, max_iter=MAX_ITERATIONS).fit(rows, y, sample_weight=weights)
