"""x ↦ e(x): the contract of an expansion, a value per vertex for every text.

Enter: texts × features as canonical CSR, and a fitted net. Leaves: texts × vertices as canonical CSR. An
expansion has parameters but no state: the same object serves any net, and `clone` and grid search work on
it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from sklearn.base import BaseEstimator

from classinet._typing import Csr
from classinet.exceptions import InputError
from classinet.graph.selection import pick_columns

if TYPE_CHECKING:
    from classinet.net import Net


class Expansion(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all expansions.

    A kind implements `_expand`; what it gives a text depends on that text and the net alone.
    """

    def expand(self, X: Csr, net: Net) -> Csr:
        """Return the expansion (texts × vertices) of canonical float64 rows; an empty row stays empty."""
        check_width(X, net)
        return self._expand(X, net)

    @abstractmethod
    def _expand(self, X: Csr, net: Net) -> Csr:
        """Expand rows whose width fits the net."""


def check_width(X: Csr, net: Net) -> None:
    """Refuse texts over other features than the net's."""
    if X.shape[1] != net.n_features:
        raise InputError(f"X has {X.shape[1]} features, but the net was built on {net.n_features}")


def vertex_values(X: Csr, net: Net) -> Csr:
    """Return the values of the features that are vertices, as texts × vertices."""
    return pick_columns(X, net.columns)
