"""The stages of a fit, each on what the one before left: rows → predictors → label vectors → neighbours → edges → net.

Enter: texts × features, where the features to be predicted occur, and the strategies. Leaves: an immutable `Net`.
Nothing here knows where batches run or where finished ones are kept: that is the engine's business. Rows are brought
into canonical order once, block by block, so with a journal the training matrices live in files and not in memory.
"""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from classinet._keys import name_keys, row_keys, shuffled
from classinet._sparse import ROW_BLOCK, column_counts, presence, row_slice, stacked, take_columns, take_rows
from classinet._typing import Csr, Flags, Integers, Keys, MatrixLike, Singles
from classinet._validation import check_matrix
from classinet.edges import EdgeWeights
from classinet.engine import Engine, fixed_batches
from classinet.exceptions import EmptyNetWarning
from classinet.first_hop import first_hop
from classinet.graph import FeatureGraph
from classinet.labels import LabelRule, LabelVectors
from classinet.neighbors import NeighborSearch
from classinet.net import Net
from classinet.overlaps import overlapping_names
from classinet.predictors import Predictor, Setup
from classinet.vertices import VertexRule

logger = logging.getLogger("classinet")


@dataclass(frozen=True)
class Recipe:
    """The strategies of one fit, all resolved, and the name of their combination."""

    vertices: VertexRule
    predictor: Predictor
    labels: LabelRule
    neighbors: NeighborSearch
    edges: EdgeWeights
    name: str = "custom"


def build_net(
    recipe: Recipe,
    X: Csr,
    targets: Csr,
    forbidden: MatrixLike | None,
    names: NDArray[np.object_],
    y: Any,
    seed: int,
    engine: Engine,
    leading: Flags | None = None,
) -> Net:
    """Build a net from canonical matrices.

    Parameters
    ----------
    recipe : the strategies.
    X, targets : texts × features, checked; the same object where a text's own features are to be predicted.
    forbidden : features × features, stored where one must not predict the other; None: what overlapping names say.
    names : of the features.
    y : labels of the texts, for a vertex rule that looks at them.
    seed : seed of every random choice.
    engine : where batches run.
    leading : which features only lead to vertices: they become none, and no predictor looks at them. None: there are
        none.

    >>> from classinet._sparse import canonical_csr
    >>> from classinet.engine import ThreadEngine
    >>> from classinet.model import ClassiNet
    >>> X = canonical_csr(np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]] * 20))
    >>> names = np.array(["storm", "rain", "wind", "goal", "team", "ball"], dtype=object)
    >>> net = build_net(ClassiNet().recipe(), X, X, None, names, None, 0, ThreadEngine())
    >>> sorted(edge.target for edge in net.graph.successors("storm", top=2))
    ['rain', 'wind']
    """
    # 1. Vertices, and what must not predict them.
    columns = recipe.vertices.choose(X, names, y, None if leading is None else ~leading)
    masks = (
        overlapping_names(list(names), columns)
        if forbidden is None
        else take_rows(check_matrix(forbidden, "forbidden"), columns)
    )

    if leading is not None:
        leading = leading & ~np.isin(np.arange(len(names)), columns)  # what is asked for by name is looked at

    # 2. Which rows are held out, and the rows of training in canonical order.
    predictor = clone(recipe.predictor)
    contexts, wanted, unseen, missed = parted(recipe, predictor, X, targets, columns, names, seed, engine)

    # 3. Predictors.
    further = predictor.shown(unseen), presence(missed)
    setup = Setup(columns, names, seed, engine, ordered=True, unseen=further, leading=leading)
    predictor.fit(contexts, wanted, masks, setup=setup)
    del contexts, wanted, further, setup
    left_out = {str(names[columns[i]]): reason for i, reason in predictor.left_out_.items()}
    columns, missed = columns[predictor.vertices_], take_columns(missed, predictor.vertices_)
    if not len(columns):
        warnings.warn(
            f"no vertex could be learnt; {_why(left_out)}. Nothing will be expanded",
            EmptyNetWarning,
            stacklevel=3,
        )
    logger.info("%d predictors learnt, %d candidates left out", len(columns), len(left_out))

    # 4. Label vectors, neighbours, edges.
    labels = recipe.labels.vote(predictor, unseen, missed, engine)
    near, graph = connected(recipe, predictor, labels, columns, names, unseen, seed, engine)
    if len(columns) and not graph.n_edges and (graph.first_hop is None or not graph.first_hop.nnz):
        warnings.warn(
            f"no edge leads from any of the {len(columns):,} vertices to another, as where words never meet. "
            "Nothing will be expanded",
            EmptyNetWarning,
            stacklevel=3,
        )
    return Net(
        graph=graph, columns=columns, feature_names=names, frequency=column_counts(X) / X.shape[0],
        predictor=predictor, labels=labels, neighbors=near, left_out=left_out, recipe=recipe.name,
    )  # fmt: skip


def parted(
    recipe: Recipe, predictor: Predictor, X: Csr, targets: Csr, columns: Integers, names: NDArray[np.object_],
    seed: int, engine: Engine,
) -> tuple[Csr, Csr, Csr, Csr]:  # fmt: skip
    """Return contexts and targets to train on, in canonical order, and contexts and targets that are held out."""
    held_out, training = _split(X, targets, names, columns, recipe.labels.held_out_rows(X.shape[0], len(columns)), seed)
    contexts, wanted = _training_rows(predictor, X, targets, columns, training, engine)
    return contexts, wanted, take_rows(X, held_out), take_columns(take_rows(targets, held_out), columns)


def connected(
    recipe: Recipe, predictor: Predictor, labels: LabelVectors, columns: Integers, names: NDArray[np.object_],
    held_out: Csr, seed: int, engine: Engine,
) -> tuple[Csr, FeatureGraph]:  # fmt: skip
    """Return the shortlist of neighbours and the graph: edges, and those of features that are no vertices."""
    vectors = predictor_vectors(predictor)
    near = recipe.neighbors.search(labels, vectors, engine, seed)
    weights, association, counts = recipe.edges.weigh(near, labels, engine)
    entry = None
    if recipe.edges.outside and len(columns) < len(names):
        all_vectors = predictor.feature_vectors() if hasattr(predictor, "feature_vectors") else None
        entry = first_hop(
            weights, columns, held_out, recipe.neighbors, recipe.edges, labels, vectors, all_vectors,
            predictor.forbidden_, engine,
        )  # fmt: skip
    graph = FeatureGraph(names[columns], weights, association=association, counts=counts, first_hop=entry)
    logger.info("%d edges", graph.n_edges)
    return near, graph


def predictor_vectors(predictor: Predictor | None) -> Singles | None:
    """Return the vectors of a kind of predictor that has them."""
    return predictor.vectors() if predictor is not None and hasattr(predictor, "vectors") else None


def _split(
    X: Csr, targets: Csr, names: NDArray[np.object_], columns: Integers, n_held: int, seed: int
) -> tuple[Integers, Integers]:
    """Return the held-out rows, and the others in the order in which predictors are trained on them."""
    keys = row_keys(X, name_keys(names))
    # Rows with the same context may have different targets: both must count, or their order would be that of the input.
    held_keys = keys if targets is X else keys + np.uint64(2) * row_keys(targets, name_keys(names))
    order = shuffled(held_keys, seed)
    held_out, training = order[:n_held].copy(), order[n_held:]
    keys += np.uint64(2) * _vertex_keys(targets, columns, name_keys(names[columns]))
    return held_out, training[shuffled(keys[training], seed)]


def _vertex_keys(targets: Csr, columns: Integers, vertex_keys: Keys) -> Keys:
    """Hash which vertices each row holds."""
    keys = np.empty(targets.shape[0], dtype=np.uint64)
    for start, stop in fixed_batches(len(keys), ROW_BLOCK):
        keys[start:stop] = row_keys(take_columns(row_slice(targets, start, stop), columns), vertex_keys)
    return keys


def _training_rows(
    predictor: Predictor, X: Csr, targets: Csr, columns: Integers, rows: Integers, engine: Engine
) -> tuple[Csr, Csr]:
    """Contexts as the predictor sees them and which vertices occur, row after row in the given order."""
    borders = fixed_batches(len(rows), ROW_BLOCK)

    def shown(border: tuple[int, int]) -> Csr:
        return predictor.shown(take_rows(X, rows[slice(*border)]))

    def occurring(border: tuple[int, int]) -> Csr:
        return presence(take_columns(take_rows(targets, rows[slice(*border)]), columns))

    contexts = stacked(shown, borders, X.shape[1], engine, "texts in order")
    if targets is X and predictor.binary and len(columns) == X.shape[1]:
        return contexts, contexts
    return contexts, stacked(occurring, borders, len(columns), engine, "vertices in order")


def _why(left_out: dict[str, str]) -> str:
    if not left_out:
        return "no feature occurs"
    reasons = list(left_out.values())
    common = max(set(reasons), key=lambda reason: (reasons.count(reason), reason))
    return f"{len(reasons)} candidates were left out, most often because: {common}"
