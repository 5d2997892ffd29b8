"""A clone that keeps a fitted part, so that cross-validation and grid search reuse it instead of refitting it."""

from __future__ import annotations

from typing import Any, TypeVar

from sklearn.base import clone

E = TypeVar("E")


def clone_around(estimator: E, part: str, *, fitted: bool) -> E:
    """Clone an estimator; its parameter `part` is kept as it is where it is fitted, and cloned like all others if not.

    >>> from sklearn.feature_selection import SelectFromModel
    >>> from sklearn.linear_model import LogisticRegression
    >>> selector = SelectFromModel(LogisticRegression())
    >>> clone_around(selector, "estimator", fitted=True).estimator is selector.estimator
    True
    >>> clone_around(selector, "estimator", fitted=False).estimator is selector.estimator
    False
    """
    parameters: dict[str, Any] = estimator.get_params(deep=False)  # type: ignore[attr-defined]
    kept = {part: parameters.pop(part)} if fitted else {}
    return type(estimator)(**kept, **{name: clone(value, safe=False) for name, value in parameters.items()})
