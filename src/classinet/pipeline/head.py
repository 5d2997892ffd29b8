"""The linear classifier on top: plain arrays that predict, and can be saved, without the solver that made them.

Enter: rows of features. Leave: logits, probabilities, labels. Classes that exclude each other share a softmax; of two
classes each takes half the logit, with opposite signs, so that every class has coefficients of its own to look at.
Tags, of which a text may have any number, have a sigmoid each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from classinet._typing import Csr, Floats
from classinet._validation import check_choice
from classinet.exceptions import InputError

FORMS = ("classes", "tags", "indicator")


@dataclass(frozen=True, eq=False)
class Head:
    """Linear classifier.

    Attributes
    ----------
    coef : float64 (outputs × columns).
    intercept : float64 (outputs).
    classes : name of each output.
    form : "classes" (one label a text), "tags" (a tuple of labels a text) or "indicator" (a 0/1 matrix): what `predict`
        returns, as the labels were given.

    >>> from classinet._sparse import canonical_csr
    >>> head = Head(np.array([[-1.0, 1.0], [1.0, -1.0]]), np.zeros(2), np.array(["no", "yes"]))
    >>> rows = canonical_csr(np.array([[2.0, 0.0], [0.0, 3.0]]))
    >>> head.predict(rows)
    array(['yes', 'no'], dtype='<U3')
    >>> head.probabilities(rows).round(2)
    array([[0.02, 0.98],
           [1.  , 0.  ]])
    """

    coef: Floats
    intercept: Floats
    classes: NDArray[Any]
    form: str = "classes"

    def __post_init__(self) -> None:
        check_choice("form", self.form, FORMS)
        if self.coef.ndim != 2 or self.intercept.shape != self.coef.shape[:1] or len(self.classes) != len(self.coef):
            raise InputError(
                f"a head of {len(self.classes)} classes has coefficients of shape {self.coef.shape} and intercepts of "
                f"shape {self.intercept.shape}"
            )
        if not (np.isfinite(self.coef).all() and np.isfinite(self.intercept).all()):
            raise InputError("the coefficients of a head must be finite numbers")

    @property
    def multilabel(self) -> bool:
        """Whether a text may have several labels."""
        return self.form != "classes"

    @cached_property
    def _by_column(self) -> Floats:
        # One row a feature: the few features of a short text are then read from few places.
        return np.ascontiguousarray(self.coef.T)

    def logits(self, rows: Csr) -> Floats:
        """Return rows @ coef.T + intercept, each sum taken in the order of the row's features."""
        if rows.shape[1] != self.coef.shape[1]:
            raise InputError(f"rows have {rows.shape[1]} columns, the head {self.coef.shape[1]}")
        return np.asarray(rows @ self._by_column) + self.intercept

    def probabilities(self, rows: Csr) -> Floats:
        """Return the probability of each class, or of each tag."""
        return self.probabilities_of(self.logits(rows))

    def probabilities_of(self, logits: Floats) -> Floats:
        """Turn logits into probabilities."""
        return np.asarray(expit(logits) if self.multilabel else softmax(logits, axis=1))

    def predict(self, rows: Csr) -> Any:
        """Return the labels, in the form in which they were given."""
        return self.labels_of(self.logits(rows))

    def labels_of(self, logits: Floats) -> Any:
        """Turn logits into labels: the largest for classes, all above 0 for tags."""
        if self.form == "classes":
            return self.classes[logits.argmax(axis=1)]
        chosen = logits > 0
        if self.form == "indicator":
            return chosen.astype(np.int64)
        return [tuple(self.classes[row].tolist()) for row in chosen]
