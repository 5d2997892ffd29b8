"""`ClassiNet`: unlabeled texts in, a net out; predictors → labels → neighbours → edges → graph.

The estimator holds the strategies and follows scikit-learn; what a fit leaves behind is one immutable `Net`. Two
recipes have names: `ClassiNet.paper()` is the published method, `ClassiNet()` the one we recommend.
"""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from classinet._keys import name_keys, row_keys, shuffled
from classinet._sparse import column_counts, take_columns, take_rows
from classinet._typing import Csr, MatrixLike, Progress, Singles
from classinet._validation import check_matrix, check_same_rows, given
from classinet.edges import EdgeWeights, PairSample, Similarity
from classinet.engine import Engine, ThreadEngine
from classinet.exceptions import EmptyNetWarning, InputError, ParameterError
from classinet.expansion import Expansion, Global
from classinet.first_hop import first_hop
from classinet.graph import FeatureGraph
from classinet.labels import LabelRule, PosteriorLabels, QuantileLabels
from classinet.merging import expand_rows, like_input, merge, merged_names
from classinet.neighbors import (
    PLEB,
    ExactNeighbors,
    NeighborSearch,
    VectorNeighbors,
    recall,
    sample_vertices,
)
from classinet.net import Net
from classinet.overlaps import overlapping_names
from classinet.predictors import Factorised, Logistic, Predictor, Setup
from classinet.vertices import VertexRule, as_rule

logger = logging.getLogger("classinet")


class ClassiNet(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn from unlabeled texts which features imply which, and expand texts with what they imply.

    Parameters
    ----------
    vertices : which features become vertices: None (the 20,000 most frequent), a number of most frequent ones, a list
        of names or columns, or a rule from `classinet.vertices`.
    predictor : the kind of feature predictor; None is `Factorised()`.
    labels : when a predictor fires, and on how many held-out texts it is asked; None is `QuantileLabels()`.
    neighbors : how near predictors are found; None is the 100 nearest by angle, or by correlation of label vectors
        for a predictor that has no vectors.
    edges : how edges are weighed; None is `Similarity()`.
    expansion : how `transform` expands; None is `Global()`: one hop, damping 0.85, row-normalised.
    n_jobs : threads; None is one, -1 all cores. The result is the same bytes for any number.
    random_state : seed of every random choice.

    Attributes
    ----------
    net_ : the fitted `Net`: graph, predictors, label vectors, what was left out and why.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from classinet.demo import sentences
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(sentences())
    >>> model = ClassiNet().fit(X, feature_names=vectorizer.get_feature_names_out())
    >>> model.net_.graph.successors("storm", top=1)[0].target
    'thunder'
    >>> model.transform(vectorizer.transform(["a storm"])).shape == (1, X.shape[1] + model.net_.n_vertices)
    True
    """

    def __init__(
        self,
        vertices: Any = None,
        predictor: Predictor | None = None,
        labels: LabelRule | None = None,
        neighbors: NeighborSearch | None = None,
        edges: EdgeWeights | None = None,
        expansion: Expansion | None = None,
        n_jobs: int | None = -1,
        random_state: Any = 0,
    ) -> None:
        self.vertices = vertices
        self.predictor = predictor
        self.labels = labels
        self.neighbors = neighbors
        self.edges = edges
        self.expansion = expansion
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(cls, vertices: Any = None, **parameters: Any) -> Self:
        """Return the published recipe; other parameters of the constructor may be given.

        Logistic predictors with strengths by 5-fold cross-validation, label vectors at posterior 0.5, the 10 nearest
        by random permutations and sorting, weights M11 / (M11 + M10) on D_(i,j), damping 0.85. The paper names no
        number of hops; we fix 3. Its weights are not normalised, so the sum can grow with every hop: you are warned.

        >>> ClassiNet.paper(vertices=700).neighbors
        PLEB()
        """
        recipe = {
            "predictor": Logistic(folds=5), "labels": PosteriorLabels(), "neighbors": PLEB(k=10), "edges": PairSample(),
            "expansion": Global(damping=0.85, hops=3, normalize=None),
        }  # fmt: skip
        return cls(vertices=vertices, **{**recipe, **parameters})

    def fit(
        self,
        X: MatrixLike,
        y: Any = None,
        *,
        targets: MatrixLike | None = None,
        forbidden: MatrixLike | None = None,
        feature_names: Any = None,
        progress: Progress | None = None,
    ) -> Self:
        """Build the net.

        Parameters
        ----------
        X : unlabeled texts × features, non-negative; sparse is best.
        y : labels; looked at only by a vertex rule that needs them (`BestByLabels`).
        targets : texts × features, where the features to be predicted occur; None is X itself.
        forbidden : features × features, stored where one must not predict the other. None: features whose names contain
            each other as runs of tokens, such as "york" and "new york".
        feature_names : names of the features; None takes them from a data frame, else x0, x1, …
        progress : called as progress(stage, done, total) from this thread. Whatever it raises stops the fit and leaves
            the estimator as it was; `classinet.Cancelled` is there for that.
        """
        matrix = self._check_input(X)
        names = self._check_names(feature_names, matrix.shape[1])
        wanted = matrix if targets is None else check_matrix(targets, "targets")
        check_same_rows(matrix, wanted)
        if wanted.shape[1] != matrix.shape[1]:
            raise InputError(
                f"targets has {wanted.shape[1]} columns and X {matrix.shape[1]}; they name the same features"
            )
        seed = _seed(self.random_state)
        with ThreadEngine(self.n_jobs, progress) as engine:
            net = _build(self._recipe(), matrix, wanted, forbidden, names, y, seed, engine)
        self.net_ = net
        return self

    def transform(self, X: MatrixLike) -> Any:
        """Return the features of X followed by their expansion, as one sparse matrix."""
        check_is_fitted(self, "net_")
        matrix = check_matrix(X)
        validate_data(self, given(X, matrix), reset=False, skip_check_array=True)
        expansion = Global() if self.expansion is None else self.expansion
        return like_input(merge(matrix, expand_rows(matrix, self.net_, expansion, self.n_jobs), self.net_, "append"), X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`: original features, then EXP=… for each vertex."""
        check_is_fitted(self, "net_")
        return merged_names(input_names(self, input_features, self.net_), self.net_, "append")

    def neighbor_recall(self, alpha: int = 200) -> float:
        """Return the share of the exact nearest neighbours that was found, over `alpha` sampled vertices (§3.3)."""
        check_is_fitted(self, "net_")
        net: Net = self.net_
        search = self._recipe().neighbors
        assert net.neighbors is not None  # a fit always leaves its shortlist
        sample = sample_vertices(net.n_vertices, alpha, _seed(self.random_state))
        with ThreadEngine(self.n_jobs) as engine:
            return recall(
                net.neighbors, net.labels, _vectors(net.predictor), search.association, search.k, sample, engine
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    # ------------------------------------------------------------------------------------------ checks

    def _check_input(self, X: MatrixLike) -> Csr:
        matrix = check_matrix(X)
        if matrix.shape[0] < 2:
            raise InputError("X has n_samples=1 text; a net needs at least 2 to learn from one and hold out the other")
        validate_data(self, given(X, matrix), reset=True, skip_check_array=True)
        return matrix

    def _check_names(self, passed: Any, n_features: int) -> NDArray[np.object_]:
        if passed is None:
            passed = getattr(self, "feature_names_in_", None)
        if passed is None:
            return np.array([f"x{i}" for i in range(n_features)], dtype=object)
        names = np.array([str(name) for name in passed], dtype=object)
        if len(names) != n_features:
            raise InputError(f"feature_names has {len(names)} names for {n_features} features")
        if len(set(names)) != len(names):
            unique, counts = np.unique(names, return_counts=True)
            raise InputError(f"feature_names holds {unique[counts > 1][0]!r} more than once")
        return names

    def _recipe(self) -> Recipe:
        """Resolve what was left to us, and check the kinds of what was given."""
        predictor = Factorised() if self.predictor is None else self.predictor
        default_search = VectorNeighbors() if hasattr(predictor, "vectors") else ExactNeighbors(k=100)
        recipe = Recipe(
            as_rule(self.vertices),
            predictor,
            QuantileLabels() if self.labels is None else self.labels,
            default_search if self.neighbors is None else self.neighbors,
            Similarity() if self.edges is None else self.edges,
        )
        for name, value, kind in (
            ("predictor", recipe.predictor, Predictor), ("labels", recipe.labels, LabelRule),
            ("neighbors", recipe.neighbors, NeighborSearch), ("edges", recipe.edges, EdgeWeights),
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise ParameterError(f"{name} must be a {kind.__name__} object, got {value!r}")
        return recipe


@dataclass(frozen=True)
class Recipe:
    """The strategies of one fit, all resolved."""

    vertices: VertexRule
    predictor: Predictor
    labels: LabelRule
    neighbors: NeighborSearch
    edges: EdgeWeights

    @property
    def name(self) -> str:
        """Which named recipe this is, whatever its vertices."""
        for name, model in (("paper", ClassiNet.paper()), ("default", ClassiNet())):
            if repr(self.stages) == repr(model._recipe().stages):
                return name
        return "custom"

    @property
    def stages(self) -> tuple[Any, ...]:
        """What is done, apart from which vertices it is done for."""
        return self.predictor, self.labels, self.neighbors, self.edges


def _build(
    recipe: Recipe,
    X: Csr,
    targets: Csr,
    forbidden: MatrixLike | None,
    names: NDArray[np.object_],
    y: Any,
    seed: int,
    engine: Engine,
) -> Net:
    """Run the stages of a fit, each on what the one before left."""
    # 1. Vertices, and what must not predict them.
    columns = recipe.vertices.choose(X, names, y)
    masks = (
        overlapping_names(list(names), columns)
        if forbidden is None
        else take_rows(check_matrix(forbidden, "forbidden"), columns)
    )

    # 2. Rows in canonical order; the first ones are held out.
    order = shuffled(row_keys(X, name_keys(names)), seed)
    n_held = recipe.labels.held_out_rows(X.shape[0])
    held_out, training = order[:n_held], order[n_held:]
    training_targets = take_columns(take_rows(targets, training), columns)

    # 3. Predictors.
    predictor = clone(recipe.predictor).fit(
        take_rows(X, training), training_targets, masks, setup=Setup(columns, names, seed, engine)
    )
    left_out = {str(names[columns[i]]): reason for i, reason in predictor.left_out_.items()}
    columns = columns[predictor.vertices_]
    if not len(columns):
        warnings.warn(
            f"no vertex could be learnt; {_why(left_out)}. Nothing will be expanded",
            EmptyNetWarning,
            stacklevel=3,
        )
    logger.info("%d predictors learnt, %d candidates left out", len(columns), len(left_out))

    # 4. Label vectors, neighbours, edges.
    contexts = take_rows(X, held_out)
    labels = recipe.labels.vote(predictor, contexts, take_columns(take_rows(targets, held_out), columns), engine)
    vectors = _vectors(predictor)
    near = recipe.neighbors.search(labels, vectors, engine, seed)
    weights, association, counts = recipe.edges.weigh(near, labels, engine)
    entry = None
    if recipe.edges.outside:
        all_vectors = predictor.feature_vectors() if hasattr(predictor, "feature_vectors") else None
        entry = first_hop(
            weights, columns, contexts, recipe.neighbors, recipe.edges, labels, vectors, all_vectors, engine
        )
    graph = FeatureGraph(names[columns], weights, association=association, counts=counts, first_hop=entry)
    logger.info("%d edges", graph.n_edges)
    return Net(
        graph=graph, columns=columns, feature_names=names, frequency=column_counts(X) / X.shape[0],
        predictor=predictor, labels=labels, neighbors=near, left_out=left_out, recipe=recipe.name,
    )  # fmt: skip


def input_names(estimator: Any, passed: Any, net: Net) -> NDArray[np.object_]:
    """Return the names of the input columns: as given (checked as scikit-learn does), else those of the net."""
    if passed is None:
        return net.feature_names
    names = np.asarray(passed, dtype=object)
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is not None and not np.array_equal(fitted, names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(names) != net.n_features:
        raise ValueError(
            f"input_features should have length equal to number of features ({net.n_features}), got {len(names)}"
        )
    return names


def _vectors(predictor: Predictor | None) -> Singles | None:
    return predictor.vectors() if predictor is not None and hasattr(predictor, "vectors") else None


def _seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ParameterError(f"random_state must be ≥ 0, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def _why(left_out: dict[str, str]) -> str:
    if not left_out:
        return "no feature occurs"
    reasons = list(left_out.values())
    common = max(set(reasons), key=lambda reason: (reasons.count(reason), reason))
    return f"{len(reasons)} candidates were left out, most often because: {common}"
