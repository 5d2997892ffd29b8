"""A fitted ClassiNet: an immutable value that the expansions read.

Enter: what the stages of a fit left behind. Leaves: one object that is shared, never copied and never refitted, so
that cross-validation and grid search over an expansion reuse it (`clone` returns the net itself).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Csr, Floats, Integers
from classinet.graph import FeatureGraph
from classinet.labels import LabelVectors
from classinet.predictors.base import Predictor


@dataclass(frozen=True, eq=False)
class Net:
    """The fitted net.

    Attributes
    ----------
    graph : the directed weighted graph of vertices.
    columns : the feature column of each vertex.
    feature_names : names of all features, in the order of the columns.
    frequency : share of the unlabeled texts that hold each feature: the empirical prior p(x_k).
    predictor : the fitted predictors, or None for a net that is only a graph.
    labels : their votes on held-out texts, or None.
    neighbors : what the search shortlisted (vertices × vertices, data = association), before edges of weight 0 fell
        away; or None.
    left_out : why each candidate vertex that was not learnt was left out.
    recipe : "paper", "default" or "custom".
    """

    graph: FeatureGraph
    columns: Integers
    feature_names: NDArray[np.object_]
    frequency: Floats
    predictor: Predictor | None = None
    labels: LabelVectors | None = None
    neighbors: Csr | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    recipe: str = "custom"

    def __post_init__(self) -> None:
        object.__setattr__(self, "left_out", MappingProxyType(dict(self.left_out)))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return partial(type(self), **{**values, "left_out": dict(self.left_out)}), ()

    def __sklearn_clone__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<Net: {self.n_vertices:,} vertices, {self.graph.n_edges:,} edges, recipe={self.recipe!r}>"

    @property
    def n_features(self) -> int:
        """Number of features a text is described by."""
        return len(self.feature_names)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.columns)

    def report(self) -> dict[str, NDArray[Any]]:
        """Return one array entry per vertex: its name, what training noted, and its quality on held-out texts."""
        columns: dict[str, NDArray[Any]] = {"name": self.graph.names}
        if self.predictor is not None:
            columns.update(self.predictor.report())
        if self.labels is not None:
            columns.update(self.labels.quality())
        return columns
