"""`Expander`: a transformer that holds a fitted net, so that tuning an expansion never refits it.

Enter: texts × features. Leaves: the same with expansion features beside them, added into them, or alone.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from classinet._cloning import clone_around
from classinet._typing import Csr, MatrixLike
from classinet._validation import check_matrix, given
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import Expansion, Global
from classinet.merging import expand_rows, like_input, merge, merged_names, weigh
from classinet.model import ClassiNet, input_names
from classinet.net import Net


class Expander(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Expand texts over a net.

    A net that is fitted already is kept by `clone`: cross-validation and grid search over `expansion__damping` or
    `weight` reuse it and neither refit nor slice it.

    Parameters
    ----------
    net : a fitted `ClassiNet` or its `net_`; an unfitted `ClassiNet`, which is then fitted on the texts given to `fit`;
        None for an unfitted default one.
    expansion : how to expand; None is `Global()`.
    merge : "append" puts the expansion beside the original features, "add" adds it into them, "only" returns it alone
        (for a FeatureUnion).
    weight : factor on the expansion.
    norm : "l2" first brings each text's expansion to the length of the text itself, so that `weight` is the relative
        weight of the two; None leaves the values as they are.
    top : keep only the so many largest expansion features of each text; None keeps all.
    n_jobs : threads for `transform`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 1, 1]] * 25)
    >>> model = ClassiNet().fit(X, feature_names=["cat", "purrs", "and", "dog"])
    >>> expander = Expander(model, top=1).fit(X)
    >>> expander.transform([[1, 0, 0, 0]]).shape
    (1, 8)
    >>> expander.get_feature_names_out()[-1]
    'EXP=dog'
    """

    def __init__(
        self,
        net: Net | ClassiNet | None = None,
        expansion: Expansion | None = None,
        merge: str = "append",
        weight: float = 1.0,
        norm: str | None = None,
        top: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.net = net
        self.expansion = expansion
        self.merge = merge
        self.weight = weight
        self.norm = norm
        self.top = top
        self.n_jobs = n_jobs

    def __sklearn_clone__(self) -> Self:
        return clone_around(self, "net", fitted=isinstance(self.net, Net) or hasattr(self.net, "net_"))

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Check X against the net; only an unfitted net is fitted, on a copy."""
        matrix = check_matrix(X)
        net = self._resolve(X, y)
        if matrix.shape[1] != net.n_features:
            raise InputError(
                f"X has {matrix.shape[1]} features, but the net was built on {net.n_features}. Use the vectorizer that "
                "the net was built with; a Pipeline refits it unless it is wrapped in sklearn.frozen.FrozenEstimator"
            )
        if self.expansion is not None and not isinstance(self.expansion, Expansion):
            raise ParameterError(f"expansion must be an Expansion object, got {self.expansion!r}")
        weigh(_nothing(net), _nothing(net), self.weight, self.norm, self.top)
        merged_names(net.feature_names, net, self.merge)
        validate_data(self, given(X, matrix), reset=True, skip_check_array=True)
        self.net_ = net
        return self

    def transform(self, X: MatrixLike) -> Any:
        """Return the expanded texts as a sparse matrix."""
        check_is_fitted(self, "net_")
        matrix = check_matrix(X)
        validate_data(self, given(X, matrix), reset=False, skip_check_array=True)
        expansion = Global() if self.expansion is None else self.expansion
        E = weigh(expand_rows(matrix, self.net_, expansion, self.n_jobs), matrix, self.weight, self.norm, self.top)
        return like_input(merge(matrix, E, self.net_, self.merge), X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`; expansion features are called EXP=name."""
        check_is_fitted(self, "net_")
        return merged_names(input_names(self, input_features, self.net_), self.net_, self.merge)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _resolve(self, X: MatrixLike, y: Any) -> Net:
        if isinstance(self.net, Net):
            return self.net
        model = ClassiNet() if self.net is None else self.net
        if not isinstance(model, ClassiNet):
            raise ParameterError(f"net must be a ClassiNet, its net_, or None; got {self.net!r}")
        fitted = model if hasattr(model, "net_") else clone(model).fit(X, y)
        net: Net = fitted.net_
        return net


def _nothing(net: Net) -> Csr:
    from classinet._sparse import from_arrays

    return from_arrays(np.empty(0), np.empty(0), [0], (0, net.n_vertices))
