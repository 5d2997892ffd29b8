"""e_i(x) = h_i(x): every vertex whose own predictor fires (§4.1.1).

Enter: texts and a net with predictors. Leaves: 1 where h_i(x) = 1, or the posterior there. Scores are
computed for a block of texts and a batch of vertices at a time, so memory is what fires and no dense texts ×
vertices matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classinet._sparse import from_arrays, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet._validation import check_choice
from classinet.engine import fixed_batches
from classinet.exceptions import InputError, ParameterError
from classinet.expansion.base import Expansion
from classinet.expansion.paths import ExpansionPath, own_paths
from classinet.predictors.base import VERTEX_BATCH, Predictor

if TYPE_CHECKING:
    from classinet.net import Net

ROW_BLOCK = 2048
# Posteriors come for all vertices at once: so many values, and rows accordingly, at a time.
POSTERIOR_BLOCK = 4_000_000


class Independent(Expansion):
    """Add every vertex that its predictor finds in the text.

    A vertex fires where its score exceeds the net's threshold for it (0 for a net without label vectors),
    whether or not the text holds it already. A text without any feature gives a predictor nothing to go by
    and stays empty.

    Parameters
    ----------
    values : "label" gives 1 to every vertex that fires, "posterior" the probability its predictor assigns.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> from classinet.predictors.logistic import Logistic
    >>> names = np.array(["good", "fun", "dull", "slow"], dtype=object)
    >>> unlabeled = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]] * 10)
    >>> net = Net(
    ...     graph=FeatureGraph(names, np.zeros((4, 4))),
    ...     columns=np.arange(4),
    ...     feature_names=names,
    ...     frequency=unlabeled.mean(axis=0),
    ...     predictor=Logistic(strength=1.0).fit(unlabeled, unlabeled),
    ... )
    >>> Independent().expand(canonical_csr(np.array([[1.0, 0.0, 0.0, 0.0]])), net).toarray()
    array([[0., 1., 0., 0.]])
    """

    def __init__(self, values: str = "label") -> None:
        self.values = values

    def _expand(self, X: Csr, net: Net) -> Csr:
        check_choice("values", self.values, ("label", "posterior"))
        predictor = _predictor(net, self.values)
        filled = np.flatnonzero(np.diff(X.indptr))
        texts = take_rows(X, filled)
        size = ROW_BLOCK
        if self.values == "posterior":
            size = max(1, min(size, POSTERIOR_BLOCK // max(1, net.n_vertices)))
        lengths = np.zeros(X.shape[0], dtype=np.int64)
        indices: list[NDArray[Any]] = [np.zeros(0, dtype=np.int64)]
        values: list[NDArray[Any]] = [np.zeros(0)]
        for start, stop in fixed_batches(len(filled), size):
            block = take_rows(texts, np.arange(start, stop))
            rows, vertices = _fired(block, net, predictor)
            lengths[filled[start:stop]] = np.bincount(rows, minlength=stop - start)
            indices.append(vertices)
            values.append(self._values(block, predictor, rows, vertices))
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        return from_arrays(np.concatenate(values), np.concatenate(indices), indptr, (X.shape[0], net.n_vertices))

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        return own_paths(net.graph.names[wanted], totals)

    def _values(self, block: Csr, predictor: Any, rows: Integers, vertices: Integers) -> Floats:
        if self.values == "label":
            return np.ones(len(rows))
        # A posterior that rounds to zero would be a stored zero; the vertex did fire.
        posterior: Floats = predictor.predict_proba(block)[rows, vertices].astype(np.float64)
        return np.maximum(posterior, np.finfo(np.float64).tiny)


def _predictor(net: Net, values: str) -> Predictor:
    if net.predictor is None:
        raise ParameterError("this expansion asks the feature predictors, and the net has none: it is only a graph")
    if net.predictor.n_vertices_ != net.n_vertices:
        raise InputError(f"the net has {net.n_vertices} vertices, but {net.predictor.n_vertices_} predictors")
    if values == "posterior" and not hasattr(net.predictor, "predict_proba"):
        kind = type(net.predictor).__name__
        raise ParameterError(
            'values="posterior" needs predictors with probabilities, such as Logistic, Factorised or '
            f'NaiveBayes; {kind} has none: use values="label"'
        )
    return net.predictor


def _fired(block: Csr, net: Net, predictor: Predictor) -> tuple[Integers, Integers]:
    """Return (row, vertex) of all that fires, ordered by row and then vertex."""
    prepared = predictor.prepare_contexts(block)
    thresholds = np.zeros(net.n_vertices) if net.labels is None else net.labels.thresholds
    rows, vertices = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start, stop in fixed_batches(net.n_vertices, VERTEX_BATCH):
        fires = predictor.scores(prepared, start, stop) > thresholds[start:stop, None]
        row, vertex = np.nonzero(fires.T)
        rows.append(row)
        vertices.append(vertex + start)
    row, vertex = np.concatenate(rows), np.concatenate(vertices)
    order = np.argsort(row, kind="stable")
    return row[order], vertex[order]
