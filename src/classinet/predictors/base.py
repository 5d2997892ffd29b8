"""The contract of a family of feature predictors, and the problem it is given.

Enter: contexts (texts × features) and targets (texts × vertices) over the same rows, and what is forbidden. Leaves:
for every learnable vertex a score of any text, above 0 where the vertex is predicted to occur. A kind of predictor
implements `_fit` and `scores`; checks, canonical order of rows and the refusal of what cannot be learnt live here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from classinet._keys import name_keys, row_keys, shuffled
from classinet._sparse import (
    ROW_BLOCK,
    canonical_csr,
    column_counts,
    from_arrays,
    keep_entries,
    presence,
    row_slice,
    stacked,
    take_columns,
    take_rows,
)
from classinet._typing import Csr, Flags, Integers, Keys, MatrixLike, Singles
from classinet._validation import check_matrix, check_number, check_same_rows
from classinet.engine import Engine, ThreadEngine, fixed_batches
from classinet.exceptions import InputError, ParameterError

VERTEX_BATCH = 256
NONE: Integers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Setup:
    """What a fit needs beside its matrices.

    Attributes
    ----------
    columns : the context column of each target, -1 where a target is no context feature. None: target i is column i.
    names : names of the context columns; they key the random streams. None: x0, x1, …
    seed : seed of every random stream.
    engine : where batches run.
    ordered : the matrices are what `shown` and `presence` return, rows in canonical order: they are used as they are.
    unseen : contexts and targets of further texts, in the same form, on which the predictors will be judged. They may
        not be trained on them, but vectors by which features are compared with each other may count them.
    leading : one truth value a context column: features that only lead to vertices, such as pieces of texts. No
        predictor looks at them, but they are compared with the others. None: there are none.
    """

    columns: Integers | None = None
    names: NDArray[np.object_] | None = None
    seed: int = 0
    engine: Engine = field(default_factory=ThreadEngine)
    ordered: bool = False
    unseen: tuple[Csr, Csr] | None = None
    leading: Flags | None = None


@dataclass(frozen=True)
class Problem:
    """A checked fit: canonical matrices with rows in canonical order, and one row of forbidden columns per target.

    `contexts` are what predictors look at, `shown` are they with the features that only lead; `unseen` has these too.
    """

    contexts: Csr
    shown: Csr
    targets: Csr
    forbidden: Csr
    columns: Integers
    names: NDArray[np.object_]
    vertex_keys: Keys
    seed: int
    engine: Engine
    unseen: tuple[Csr, Csr] | None = None

    @property
    def n_vertices(self) -> int:
        """Number of targets."""
        return int(self.targets.shape[1])

    def on(self, contexts: Csr, targets: Csr) -> Problem:
        """The same problem on other rows."""
        return replace(self, contexts=contexts, targets=targets)

    def keep(self, vertices: Integers) -> Problem:
        """Restrict the problem to some of its targets."""
        if len(vertices) == self.n_vertices:
            return self

        def rows(border: tuple[int, int]) -> Csr:
            return take_columns(row_slice(self.targets, *border), vertices)

        borders = fixed_batches(self.targets.shape[0], ROW_BLOCK)
        return replace(
            self,
            unseen=None if self.unseen is None else (self.unseen[0], take_columns(self.unseen[1], vertices)),
            targets=stacked(rows, borders, len(vertices), self.engine, "learnable vertices"),
            forbidden=take_rows(self.forbidden, vertices),
            columns=self.columns[vertices],
            vertex_keys=self.vertex_keys[vertices],
        )


class Predictor(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all kinds of feature predictors.

    After `fit`, `vertices_` lists the targets that were learnt and `left_out_` says why the others were not; columns
    of everything returned follow `vertices_`.
    """

    binary: bool = True
    positives_: Integers
    leading_: Integers = NONE

    def fit(
        self,
        contexts: MatrixLike,
        targets: MatrixLike,
        forbidden: MatrixLike | None = None,
        *,
        setup: Setup | None = None,
    ) -> Self:
        """Learn one predictor for every column of `targets` from the rows of `contexts`.

        Parameters
        ----------
        contexts : sparse matrix (texts × features) from which a target is predicted.
        targets : sparse matrix (texts × vertices); a stored value says that the vertex occurs. Often `contexts` itself.
        forbidden : sparse matrix (vertices × features), or None. Beside its own column, what a vertex must not be
            predicted from: features that contain it or are contained in it.
        setup : columns and names of the targets, seed and engine.
        """
        problem = self._prepare(contexts, targets, forbidden, setup or Setup())
        reasons = self._unlearnable(problem)
        kept = np.array([i for i in range(problem.n_vertices) if i not in reasons], dtype=np.int64)
        problem = problem.keep(kept)
        self._fit(problem)
        self.vertices_ = kept
        self.left_out_: dict[int, str] = dict(reasons)
        self.columns_ = problem.columns
        self.forbidden_ = problem.forbidden
        self.n_features_in_ = int(problem.contexts.shape[1])
        return self

    @property
    def n_vertices_(self) -> int:
        """Number of learnt predictors."""
        return len(self.vertices_)

    @abstractmethod
    def _fit(self, problem: Problem) -> None:
        """Learn; every target of the problem is learnable."""

    @abstractmethod
    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Scores of vertices start..stop for prepared contexts, one row a vertex. The unit of work of the engine."""

    def prepare_contexts(self, contexts: MatrixLike) -> Csr:
        """Check contexts and bring them into the form `scores` takes."""
        check_is_fitted(self, "vertices_")
        matrix = check_matrix(contexts, "contexts")
        if matrix.shape[1] != self.n_features_in_:
            raise InputError(
                f"contexts has {matrix.shape[1]} features, but the predictors were fitted on {self.n_features_in_}"
            )
        return self.seen(matrix)

    def seen(self, contexts: Csr) -> Csr:
        """Return what a fitted predictor sees of contexts: what it is shown, but for features that only lead."""
        shown = self.shown(contexts)
        if not len(self.leading_):
            return shown
        looked_at = np.ones(contexts.shape[1], dtype=bool)
        looked_at[self.leading_] = False
        return keep_entries(shown, looked_at[shown.indices])

    def shown(self, contexts: Csr) -> Csr:
        """Return contexts in the form that a predictor is given: presence, unless it was told to look at values."""
        if self.binary:
            return presence(contexts)
        return from_arrays(contexts.data.astype(np.float32), contexts.indices, contexts.indptr, contexts.shape)

    def decision_function(self, contexts: MatrixLike) -> Singles:
        """Return scores (texts × vertices); above 0 means that the vertex is predicted to occur."""
        prepared = self.prepare_contexts(contexts)
        out = np.empty((prepared.shape[0], self.n_vertices_), dtype=np.float32)
        for start, stop in fixed_batches(self.n_vertices_, VERTEX_BATCH):
            out[:, start:stop] = self.scores(prepared, start, stop).T
        return out

    def predict(self, contexts: MatrixLike) -> Flags:
        """Return which vertices are predicted to occur in each text."""
        return np.greater(self.decision_function(contexts), 0)

    def feature_weights(self, vertex: int) -> Singles:
        """Return for each feature by how much a text that holds it alone scores above an empty text.

        Of a linear predictor these are its coefficients; of any other, what it makes of single features.

        Parameters
        ----------
        vertex : position of the predictor among the learnt ones.

        Examples
        --------
        >>> from classinet.predictors import Ridge
        >>> X = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]] * 5)
        >>> predictor = Ridge(penalty=1.0).fit(X, X)
        >>> bool(np.allclose(predictor.feature_weights(1), predictor.coef_[:, 1]))
        True
        """
        check_is_fitted(self, "vertices_")
        check_number("vertex", vertex, low=0, high=self.n_vertices_ - 1, whole=True)
        d = self.n_features_in_
        # One text a feature, and last the empty one.
        indptr = np.minimum(np.arange(d + 2), d)
        alone = self.seen(from_arrays(np.ones(d), np.arange(d), indptr, (d + 1, d)))
        scores = self.scores(alone, vertex, vertex + 1)[0]
        return np.asarray(scores[:-1] - scores[-1], dtype=np.float32)

    def report(self) -> Mapping[str, NDArray[Any]]:
        """Return what training noted of each predictor, one array entry per learnt vertex."""
        check_is_fitted(self, "vertices_")
        return {"positives": self.positives_}

    # ------------------------------------------------------------------------------------------ for the kinds

    def _which_are_usable(self) -> str:
        """What a text must have to be trained on, in words."""
        return ""

    def _required_positives(self) -> int:
        """How many usable positives a target needs."""
        return 1

    def _usable_positives(self, problem: Problem) -> Integers:
        """In how many rows that may be trained on each target occurs."""
        return column_counts(problem.targets)

    def _unlearnable(self, problem: Problem) -> dict[int, str]:
        """Say of each target that cannot be learnt why."""
        positives, required = self._usable_positives(problem), self._required_positives()
        n_rows = problem.targets.shape[0]
        reasons: dict[int, str] = {}
        for i in np.flatnonzero(positives < required):
            reasons[int(i)] = f"{positives[i]} usable positives{self._which_are_usable()}, {required} needed"
        for i in np.flatnonzero(column_counts(problem.targets) == n_rows):
            reasons.setdefault(int(i), "occurs in every text, so nothing says when it is missing")
        return reasons

    def _prepare(
        self, contexts: MatrixLike, targets: MatrixLike, forbidden: MatrixLike | None, setup: Setup
    ) -> Problem:
        if not setup.ordered:
            contexts = check_matrix(contexts, "contexts")
            targets = check_matrix(targets, "targets", min_features=0)
        check_same_rows(contexts, targets)
        n_features, n_targets = contexts.shape[1], targets.shape[1]
        names = setup.names
        if names is None:
            names = np.array([f"x{i}" for i in range(n_features)], dtype=object)
        columns = setup.columns
        if columns is None:
            if n_targets != n_features:
                raise ParameterError(
                    f"targets has {n_targets} columns and contexts {n_features}: pass setup=Setup(columns=...) to say "
                    "which feature each target is"
                )
            columns = np.arange(n_targets)
        columns = np.asarray(columns, dtype=np.int64)
        self.leading_ = NONE if setup.leading is None else np.flatnonzero(setup.leading)
        own_names = [names[c] if c >= 0 else f"target {i}" for i, c in enumerate(columns)]
        vertex_keys = name_keys(own_names)
        if not setup.ordered:
            # Both matrices count: rows with the same context may have different targets. (A sum that cannot cancel.)
            keys = row_keys(contexts, name_keys(names)) + np.uint64(2) * row_keys(targets, vertex_keys)
            order = shuffled(keys, setup.seed)
            contexts, targets = self.shown(take_rows(contexts, order)), presence(take_rows(targets, order))
        return Problem(
            contexts=self._looked_at(contexts, setup.engine),
            shown=contexts,
            targets=targets,
            forbidden=_with_own_column(forbidden, columns, (n_targets, n_features)),
            columns=columns,
            names=names,
            vertex_keys=vertex_keys,
            seed=setup.seed,
            engine=setup.engine,
            unseen=setup.unseen,
        )

    def _looked_at(self, contexts: Csr, engine: Engine) -> Csr:
        """The contexts without the features that only lead, block by block."""
        if not len(self.leading_):
            return contexts

        def rows(border: tuple[int, int]) -> Csr:
            return self.seen(row_slice(contexts, *border))

        return stacked(
            rows, fixed_batches(contexts.shape[0], ROW_BLOCK), contexts.shape[1], engine, "what is looked at"
        )


def _with_own_column(forbidden: MatrixLike | None, columns: Integers, shape: tuple[int, int]) -> Csr:
    """Add to each vertex's forbidden features the vertex itself."""
    has_column = np.flatnonzero(columns >= 0)
    indptr = np.concatenate(([0], np.cumsum(columns >= 0)))
    own = from_arrays(np.ones(len(has_column), dtype=np.float32), columns[has_column], indptr, shape)
    if forbidden is None:
        return own
    if forbidden.shape != shape:
        raise InputError(f"forbidden has shape {forbidden.shape}; vertices × features is {shape}")
    return presence(canonical_csr(own + canonical_csr(forbidden, np.float32), np.float32))
