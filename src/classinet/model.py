"""`ClassiNet`: unlabeled texts in, a net out; predictors → labels → neighbours → edges → graph.

The estimator holds the strategies and follows scikit-learn; what a fit leaves behind is one immutable `Net`. Two
recipes have names: `ClassiNet.paper()` is the published method, `ClassiNet()` the one we recommend.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from classinet._typing import Csr, Flags, MatrixLike, Progress
from classinet._validation import check_matrix, check_same_rows, given
from classinet.build import Corpus, Recipe, build_net
from classinet.build.stages import predictor_vectors
from classinet.edges import EdgeWeights, PairSample, Similarity
from classinet.engine import Engine, ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import Expansion, Global
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
from classinet.predictors import Factorised, Logistic, Predictor
from classinet.vertices import as_rule


class ClassiNet(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn from unlabeled texts which features imply which, and expand texts with what they imply.

    Parameters
    ----------
    vertices : which features become vertices: None (up to 10,000 frequent ones, `Landmarks()`), a number of most
        frequent ones, a list of names or columns, or a rule from `classinet.vertices`.
    predictor : the kind of feature predictor; None is `Factorised()`.
    labels : when a predictor fires, and on how many held-out texts it is asked; None is `QuantileLabels()`.
    neighbors : how near predictors are found; None is the 200 nearest by angle, or by correlation of label vectors
        for a predictor that has no vectors.
    edges : how edges are weighed; None is `Similarity()`, with edges for the features that are no vertices where the
        predictor has vectors for them.
    expansion : how `transform` expands; None is `Global()`: one hop, damping 0.85, row-normalised.
    n_jobs : threads; None is one, -1 all cores. The result is the same bytes for any number.
    random_state : seed of every random choice.

    Attributes
    ----------
    net_ : the fitted `Net`: graph, predictors, label vectors, what was left out and why.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from classinet.datasets import made_up_sentences
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(made_up_sentences())
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
        X: MatrixLike | Corpus,
        y: Any = None,
        *,
        targets: MatrixLike | None = None,
        forbidden: MatrixLike | None = None,
        leading: Any = None,
        feature_names: Any = None,
        progress: Progress | None = None,
        engine: Engine | None = None,
    ) -> Self:
        """Build the net.

        Parameters
        ----------
        X : unlabeled texts × features, non-negative; sparse is best. Or a `Corpus`, which knows its targets and names
            and is read where it is, in memory or on disk.
        y : labels; looked at only by a vertex rule that needs them (`BestByLabels`).
        targets : texts × features, where the features to be predicted occur; None is X itself.
        forbidden : features × features, stored where one must not predict the other. None: features whose names contain
            each other as runs of tokens, such as "york" and "new york".
        leading : one truth value a feature: which only lead to vertices, such as pieces of texts. They become none, so
            nothing leads to them, and no predictor looks at them. None: there are none.
        feature_names : names of the features; None takes them from a data frame, else x0, x1, …
        progress : called as progress(stage, done, total) from this thread. Whatever it raises stops the fit and leaves
            the estimator as it was; `classinet.Cancelled` is there for that.
        engine : where batches run, such as a `JournalEngine` that keeps what is finished; None: `n_jobs` threads, which
            tell `progress`.
        """
        matrix, wanted, names = (
            self._check_corpus(X) if isinstance(X, Corpus) else self._check(X, targets, feature_names)
        )
        flags = None if leading is None else _checked_leading(leading, len(names))
        seed = seed_of(self.random_state)
        with nullcontext(engine) if engine is not None else ThreadEngine(self.n_jobs, progress) as workers:
            net = build_net(self.recipe(), matrix, wanted, forbidden, names, y, seed, workers, flags)
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
        search = self.recipe().neighbors
        assert net.neighbors is not None  # a fit always leaves its shortlist
        sample = sample_vertices(net.n_vertices, alpha, seed_of(self.random_state))
        vectors = predictor_vectors(net.predictor)
        with ThreadEngine(self.n_jobs) as engine:
            return recall(net.neighbors, net.labels, vectors, search.association, search.k, sample, engine)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    # ------------------------------------------------------------------------------------------ checks

    def _check(
        self, X: MatrixLike, targets: MatrixLike | None, feature_names: Any
    ) -> tuple[Csr, Csr, NDArray[np.object_]]:
        matrix = self._check_input(X)
        names = self._check_names(feature_names, matrix.shape[1])
        wanted = matrix if targets is None else check_matrix(targets, "targets")
        check_same_rows(matrix, wanted)
        if wanted.shape[1] != matrix.shape[1]:
            raise InputError(
                f"targets has {wanted.shape[1]} columns and X {matrix.shape[1]}; they name the same features"
            )
        return matrix, wanted, names

    def _check_corpus(self, corpus: Corpus) -> tuple[Csr, Csr, NDArray[np.object_]]:
        """A corpus was checked when it was made; checking its matrix again would copy it into memory."""
        _refuse_one(corpus.n_texts)
        validate_data(self, corpus.matrix, reset=True, skip_check_array=True)
        return corpus.matrix, corpus.matrix if corpus.targets is None else corpus.targets, corpus.names

    def _check_input(self, X: MatrixLike) -> Csr:
        matrix = check_matrix(X)
        _refuse_one(matrix.shape[0])
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

    def recipe(self) -> Recipe:
        """Return the strategies with what was left to us resolved, and the name of their combination.

        >>> ClassiNet().recipe().name, ClassiNet.paper().recipe().neighbors
        ('default', PLEB())
        """
        stages = self._stages()
        for name, value, kind in zip(
            ("predictor", "labels", "neighbors", "edges"), stages,
            (Predictor, LabelRule, NeighborSearch, EdgeWeights), strict=True,
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise ParameterError(f"{name} must be a {kind.__name__} object, got {value!r}")
        known = {repr(ClassiNet.paper()._stages()): "paper", repr(ClassiNet()._stages()): "default"}
        predictor, labels, neighbors, edges = stages
        name = known.get(repr(stages), "custom")
        return Recipe(as_rule(self.vertices), predictor, labels, neighbors, edges, name)

    def _stages(self) -> tuple[Any, ...]:
        """What is done, apart from which vertices it is done for."""
        predictor = Factorised() if self.predictor is None else self.predictor
        default_search = VectorNeighbors() if hasattr(predictor, "vectors") else ExactNeighbors(k=200)
        return (
            predictor,
            QuantileLabels() if self.labels is None else self.labels,
            default_search if self.neighbors is None else self.neighbors,
            Similarity(outside=hasattr(predictor, "feature_vectors")) if self.edges is None else self.edges,
        )


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


def _checked_leading(leading: Any, n_features: int) -> Flags:
    flags = np.asarray(leading)
    if flags.dtype != np.bool_ or flags.shape != (n_features,):
        raise InputError(
            f"leading must hold True or False for each of {n_features} features, got {flags.dtype} of shape "
            f"{flags.shape}"
        )
    if flags.all():
        raise InputError("leading leaves no feature that may become a vertex")
    return flags


def _refuse_one(n_texts: int) -> None:
    if n_texts < 2:
        raise InputError("X has n_samples=1 text; a net needs at least 2 to learn from one and hold out the other")


def seed_of(random_state: Any) -> int:
    """Return the seed that a `random_state` stands for; a generator is asked for one.

    >>> seed_of(7)
    7
    """
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ParameterError(f"random_state must be ≥ 0, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))
