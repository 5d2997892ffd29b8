"""Predictors that are trained one by one on sampled rows (§3.2): which rows, and the linear form most of them have.

Positives are the rows that hold the vertex, negatives twice as many random rows that do not, both only among rows
that are longer than the average. The sample of a vertex is keyed by the seed and its name.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from classinet import _kernels
from classinet._sparse import ROW_BLOCK, column_counts, from_arrays, inverted, row_slice, take_rows, times_dense
from classinet._typing import Csr, Flags, Floats, Integers, Keys, Singles
from classinet._validation import check_number
from classinet.engine import ThreadEngine, even_batches, fixed_batches
from classinet.predictors.base import Predictor, Problem

BATCH_VERTICES, BATCH_POSITIVES = 512, 16_384  # of one batch of training at the most, unless one vertex has more
PROJECTION = 256


class Sampling(BaseEstimator):  # type: ignore[misc]
    """Which rows and features train a predictor; the defaults are the paper's.

    Parameters
    ----------
    negative_ratio : negatives drawn per positive.
    max_positives : at most so many positives per vertex; None takes all of them.
    longer_than_average : use only rows with more features than the average row (all rows where none is longer).
    min_cooccurrence : a feature takes part in a predictor if it occurs in at least so many of its positives.
    min_positives : a vertex with fewer usable positives is left out.

    >>> Sampling(max_positives=5000)
    Sampling(max_positives=5000)
    """

    def __init__(
        self,
        negative_ratio: float = 2.0,
        max_positives: int | None = None,
        longer_than_average: bool = True,
        min_cooccurrence: int = 1,
        min_positives: int = 5,
    ) -> None:
        self.negative_ratio = negative_ratio
        self.max_positives = max_positives
        self.longer_than_average = longer_than_average
        self.min_cooccurrence = min_cooccurrence
        self.min_positives = min_positives

    def check(self) -> None:
        """Refuse values that cannot work."""
        check_number("negative_ratio", self.negative_ratio, low=0, open_low=True)
        check_number("min_cooccurrence", self.min_cooccurrence, low=0, whole=True)
        check_number("min_positives", self.min_positives, low=1, whole=True)
        if self.max_positives is not None:
            check_number("max_positives", self.max_positives, low=self.min_positives, whole=True)

    def eligible(self, contexts: Csr) -> Flags:
        """Return which rows may be trained on."""
        lengths = np.diff(contexts.indptr)
        longer: Flags = lengths > lengths.mean()
        return longer if self.longer_than_average and longer.any() else np.ones(len(lengths), dtype=np.bool_)


@dataclass(frozen=True)
class Sample:
    """A problem with its inverted index: what a training kernel needs to draw rows for any vertex."""

    problem: Problem
    sampling: Sampling

    @cached_property
    def postings(self) -> Csr:
        """Rows of each vertex, in canonical order."""
        return inverted(self.problem.targets, self.problem.engine, "rows of vertices")

    @cached_property
    def eligible(self) -> Flags:
        """Which rows may be trained on."""
        return self.sampling.eligible(self.problem.contexts)

    @cached_property
    def eligible_rows(self) -> Integers:
        """The rows that may be trained on."""
        return np.flatnonzero(self.eligible)

    @cached_property
    def keys(self) -> Keys:
        """The random stream of each vertex."""
        keys = np.empty_like(self.problem.vertex_keys)
        _kernels.hashing.mix_all(self.problem.vertex_keys, np.uint64(self.problem.seed), keys)
        return keys

    @property
    def max_positives(self) -> int:
        """The cap as a plain number."""
        return self.sampling.max_positives or int(np.iinfo(np.int64).max)

    def kernel_arguments(self) -> tuple[Any, ...]:
        """The `sample` of a training kernel: everything it needs to draw the rows of any vertex."""
        contexts, forbidden = self.problem.contexts, self.problem.forbidden
        return (
            self.postings.indptr, self.postings.indices, self.eligible, self.eligible_rows,
            contexts.indptr, contexts.indices, contexts.data, forbidden.indptr, forbidden.indices,
            self.keys, float(self.sampling.negative_ratio), self.max_positives, int(self.sampling.min_cooccurrence),
            int(contexts.shape[1]),
        )  # fmt: skip

    def batches(self) -> list[tuple[int, int]]:
        """Return (start, stop) of vertices to train together: as many as take about as long as any other batch."""
        positives = np.minimum(np.diff(self.postings.indptr), self.max_positives)
        return even_batches(positives.tolist(), BATCH_POSITIVES, BATCH_VERTICES)

    def rows(self, vertex: int) -> tuple[Integers, int]:
        """Return the training rows of one vertex, positives first, and the number of positives."""
        posting = self.postings.indices[self.postings.indptr[vertex] : self.postings.indptr[vertex + 1]]
        stamp = np.full(self.problem.contexts.shape[0], -1, dtype=np.int64)
        rows, n_positive = _kernels.sampling.draw_rows(
            posting, self.eligible, self.eligible_rows, stamp, np.int64(0),
            self.keys[vertex], float(self.sampling.negative_ratio), self.max_positives,
        )  # fmt: skip
        return rows, int(n_positive)

    def local(self, vertex: int) -> tuple[Csr, Integers, Flags]:
        """Return one vertex's training matrix, the features its columns stand for, and its labels."""
        rows, n_positive = self.rows(vertex)
        contexts, forbidden = self.problem.contexts, self.problem.forbidden
        banned = forbidden.indices[forbidden.indptr[vertex] : forbidden.indptr[vertex + 1]]
        starts, ids, values, features = _kernels.sampling.localise(
            rows, n_positive, contexts.indptr, contexts.indices, contexts.data, banned,
            self.sampling.min_cooccurrence, np.zeros(contexts.shape[1], dtype=np.int32),
        )  # fmt: skip
        matrix = from_arrays(values, ids, starts, (len(rows), len(features)))
        matrix.has_sorted_indices = matrix.has_canonical_format = False
        return matrix, features.astype(np.int64), np.arange(len(rows)) < n_positive


class SampledPredictor(Predictor):
    """Base of the kinds that learn each vertex on its own sample of rows."""

    sampling: Sampling | None

    @property
    def _sampling(self) -> Sampling:
        return Sampling() if self.sampling is None else self.sampling

    def _which_are_usable(self) -> str:
        return " (texts longer than average)" if self._sampling.longer_than_average else ""

    def _required_positives(self) -> int:
        return int(self._sampling.min_positives)

    def _usable_positives(self, problem: Problem) -> Integers:
        self._sampling.check()
        usable = self._sampling.eligible(problem.contexts)
        counts = np.zeros(problem.n_vertices, dtype=np.int64)
        for start, stop in fixed_batches(len(usable), ROW_BLOCK):  # never a copy of all rows
            counts += column_counts(
                take_rows(row_slice(problem.targets, start, stop), np.flatnonzero(usable[start:stop]))
            )
        return counts

    def _unlearnable(self, problem: Problem) -> dict[int, str]:
        reasons = super()._unlearnable(problem)
        n_usable = int(self._sampling.eligible(problem.contexts).sum())
        for i in np.flatnonzero(self._usable_positives(problem) == n_usable):
            reasons.setdefault(int(i), "occurs in every usable text, so there are no negatives")
        return reasons


class SparseLinearPredictor(SampledPredictor):
    """A sampled kind whose predictors are sparse weight vectors: `coef_` (vertices × features) and `intercept_`."""

    coef_: Csr
    intercept_: Singles

    def _fit(self, problem: Problem) -> None:
        if not problem.n_vertices:
            self.coef_ = from_arrays(np.empty(0, np.float32), [], [0], (0, problem.contexts.shape[1]))
            self.intercept_ = np.empty(0, dtype=np.float32)
            self._note([np.empty(0)] * 8)
            return
        engine = problem.engine
        sample = Sample(problem, self._sampling)
        arguments = engine.broadcast(sample.kernel_arguments())

        def train(batch: tuple[int, int]) -> tuple[Any, ...]:
            return self._train(batch[0], batch[1], arguments)

        lengths, features, weights, self.intercept_, *notes = engine.concatenate(
            train, sample.batches(), stage="predictors"
        )
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        self.coef_ = from_arrays(weights, features, indptr, (problem.n_vertices, problem.contexts.shape[1]))
        self._note(notes)

    @abstractmethod
    def _train(self, first: int, last: int, sample: tuple[Any, ...]) -> tuple[Any, ...]:
        """Train a batch; return (lengths, features, weights, intercepts, *notes), each an array."""

    @abstractmethod
    def _note(self, notes: list[Any]) -> None:
        """Store what training noted of each vertex."""

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Scores of vertices start..stop, one row a vertex."""
        out = np.empty((stop - start, contexts.shape[0]), dtype=np.float32)
        _kernels.scoring.sparse_linear(
            self.coef_.indptr[start : stop + 1], self.coef_.indices, self.coef_.data, self.intercept_[start:stop],
            contexts.indptr, contexts.indices, contexts.data, contexts.shape[1], out,
        )  # fmt: skip
        return out

    def vectors(self) -> Singles:
        """Return the weight vectors μ_i whose angles Theorem 1 speaks of, projected to a few hundred dimensions.

        The projection is random, keyed by feature numbers, and keeps cosines to about 1/√dimensions.
        """
        signs = np.empty((self.coef_.shape[1], PROJECTION), dtype=np.float32)
        _kernels.factorised.start_vectors(np.arange(len(signs), dtype=np.uint64), signs)
        return times_dense(self.coef_, signs, ThreadEngine())


def sigmoid(scores: Singles) -> Floats:
    """Turn log-odds into probabilities."""
    from scipy.special import expit

    return np.asarray(expit(scores.astype(np.float64)))
