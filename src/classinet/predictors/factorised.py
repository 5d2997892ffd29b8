"""z_i(x) = u_i · mean of v_j (j in x, not forbidden) + b_i: all predictors trained jointly with a shared low rank.

Independent predictors starve where a vertex has few positives. Here all of them share the context vectors v, found in
closed form from co-occurrence, and each learns only u_i and b_i, by logistic regression with drawn negatives. The rank
of v and the number of passes over the texts are chosen by how well held-out words of held-out texts are predicted:
no labels are needed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from classinet import _kernels
from classinet._keys import name_keys
from classinet._sparse import column_counts, take_rows
from classinet._typing import Csr, Floats, MatrixLike, Singles
from classinet._validation import check_number
from classinet.predictors.base import VERTEX_BATCH, Predictor, Problem
from classinet.predictors.cooccurrence import positive_pmi, truncated_svd
from classinet.predictors.sampled import sigmoid

logger = logging.getLogger("classinet")

RANKS = (24, 48, 96)
RANK_TOLERANCE = 0.025  # nats per word: of ranks that predict about as well, the smallest gives the cleaner neighbours
MAX_PASSES = 20
PASS_GAIN = 0.01
DRAW_POWER = 0.75
SHARDS = 4  # a fixed number: it is part of the order of updates, and so of the result
VALIDATION_TEXTS = 1000
VALIDATION_WORDS = 2000


class Factors(NamedTuple):
    """The parameters: context vectors (features × rank), target vectors (vertices × rank) and biases."""

    contexts: Singles
    targets: Singles
    bias: Singles


class Factorised(Predictor):
    """Joint low-rank logistic predictors.

    Parameters
    ----------
    rank : length of the vectors, or "auto" to choose among 24, 48 and 96 by held-out word prediction.
    passes : passes over the texts, or "auto" to go on while held-out word prediction gains.
    negatives : vertices drawn per text as candidates that it does not hold. Their expected number is taken out of the
        scores, so that `predict_proba` is the share of texts of that content that hold the vertex.
    learning_rate : step of the ascent before AdaGrad scales it.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 1, 1]] * 25)
    >>> predictor = Factorised(rank=2, passes=5).fit(X, X)
    >>> posterior = predictor.predict_proba([[1, 0, 0, 0], [0, 0, 0, 1]])
    >>> bool(posterior[0, 1] > posterior[1, 1])
    True
    """

    def __init__(
        self,
        rank: int | Literal["auto"] = "auto",
        passes: int | Literal["auto"] = "auto",
        negatives: int = 64,
        learning_rate: float = 0.05,
    ) -> None:
        self.rank = rank
        self.passes = passes
        self.negatives = negatives
        self.learning_rate = learning_rate

    def _fit(self, problem: Problem) -> None:
        if self.rank != "auto":
            check_number("rank", self.rank, low=1, whole=True)
        if self.passes != "auto":
            check_number("passes", self.passes, low=0, whole=True)
        check_number("negatives", self.negatives, low=1, whole=True)
        check_number("learning_rate", self.learning_rate, low=0, open_low=True)
        self.positives_ = column_counts(problem.targets)
        self.rank_losses_: dict[int, float] = {}
        self.pass_losses_: list[float] = []
        if problem.n_vertices == 0:
            self.rank_, self.passes_ = 0, 0
            self.context_vectors_ = np.zeros((problem.contexts.shape[1], 8), dtype=np.float32)
            self.target_vectors_ = np.zeros((0, 8), dtype=np.float32)
            self.intercept_ = np.zeros(0, dtype=np.float32)
            return
        n_held = min(VALIDATION_TEXTS, problem.contexts.shape[0] // 10) if "auto" in (self.rank, self.passes) else 0
        training = _rows(problem, n_held, problem.contexts.shape[0])
        judge = _Judge(_rows(problem, 0, n_held))

        # 1. Context vectors in closed form, and the rank by held-out words.
        asked = RANKS if self.rank == "auto" else (self.rank,)
        ranks = sorted({min(rank, training.n_vertices, training.contexts.shape[1]) for rank in asked})
        pmi = positive_pmi(training.contexts, training.targets, training.forbidden)
        targets, contexts = truncated_svd(pmi, ranks[-1], name_keys(problem.names), problem.engine)
        del pmi
        start = Factors(contexts, targets, _log_odds(training))
        self.rank_ = ranks[-1]
        if len(ranks) > 1 and judge.n_words:
            self.rank_losses_ = {rank: judge.loss(_truncate(start, rank)) for rank in ranks}
            good_enough = min(self.rank_losses_.values()) + RANK_TOLERANCE
            self.rank_ = next(rank for rank, loss in self.rank_losses_.items() if loss <= good_enough)
        factors = _truncate(start, self.rank_)

        # 2. Target vectors and biases by passes over the texts, as long as held-out words gain.
        factors, self.passes_, self.pass_losses_ = self._ascend(training, factors, judge)
        self.context_vectors_, self.target_vectors_, self.intercept_ = factors
        logger.info("factorised predictors: rank %d, %d passes", self.rank_, self.passes_)

    def _ascend(self, training: Problem, factors: Factors, judge: _Judge) -> tuple[Factors, int, list[float]]:
        draws = column_counts(training.targets).astype(np.float64) ** DRAW_POWER
        chance, alias = np.empty(len(draws)), np.empty(len(draws), dtype=np.int64)
        _kernels.factorised.alias_table(draws, chance, alias)
        offsets = np.log(np.maximum(self.negatives * draws / max(draws.sum(), 1e-300), 1e-300))
        energy = np.full(len(draws), 1e-3)
        contexts, texts, forbidden = training.contexts, training.targets, training.forbidden
        losses = [judge.loss(factors)] if judge.n_words else []
        automatic = self.passes == "auto"
        best, best_pass = factors, 0
        for number in range(1, (MAX_PASSES if self.passes == "auto" else self.passes) + 1):
            current = Factors(factors.contexts, factors.targets.copy(), factors.bias.copy())
            key = np.uint64((training.seed * 1_000_003 + number) % 2**63)

            def train(shard: int, current: Factors = current, key: np.uint64 = key) -> None:
                _kernels.factorised.train_shard(
                    shard, SHARDS, contexts.indptr, contexts.indices, texts.indptr, texts.indices,
                    forbidden.indptr, forbidden.indices, chance, alias, offsets, self.negatives, key,
                    float(self.learning_rate), *current, energy,
                )  # fmt: skip

            training.engine.map_batches(train, range(SHARDS), stage=f"predictors, pass {number}")
            factors = current
            if automatic and losses:
                losses.append(judge.loss(factors))
                if losses[-1] > losses[best_pass] - PASS_GAIN:
                    break
            best, best_pass = factors, number
        return best, best_pass, losses

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Log-odds of vertices start..stop, one row a vertex."""
        return _scores(
            Factors(self.context_vectors_, self.target_vectors_, self.intercept_),
            self.forbidden_,
            contexts,
            start,
            stop,
        )

    def predict_proba(self, contexts: MatrixLike) -> Floats:
        """Return the posterior of each vertex, corrected for the drawing of negatives (texts × vertices)."""
        return sigmoid(self.decision_function(contexts))

    def vectors(self) -> Singles:
        """Return each vertex's context vector, zeros where it is no context: what it says about the others."""
        vectors = self.context_vectors_[self.columns_]
        vectors[self.columns_ < 0] = 0.0
        return vectors

    def feature_vectors(self) -> Singles:
        """Return the context vectors of all features, vertices or not."""
        return self.context_vectors_

    def report(self) -> Mapping[str, NDArray[Any]]:
        """Return positives, and the rank that all predictors share."""
        return {**super().report(), "rank": np.full(self.n_vertices_, self.rank_)}


class _Judge:
    """How well the words of held-out texts are predicted, each from the rest of its text."""

    def __init__(self, held_out: Problem) -> None:
        self.problem = held_out
        counts = np.cumsum(np.diff(held_out.targets.indptr))
        n_texts = int(np.searchsorted(counts, VALIDATION_WORDS)) + 1
        self.texts = take_rows(held_out.contexts, np.arange(min(n_texts, len(counts))))
        self.words = take_rows(held_out.targets, np.arange(min(n_texts, len(counts))))
        self.n_words = self.words.nnz

    def loss(self, factors: Factors) -> float:
        """Mean of −log p(word | rest of its text), p normalised over all vertices."""
        n_vertices = len(factors.bias)
        out = np.empty((n_vertices, self.texts.shape[0]), dtype=np.float32)

        def score(batch: int) -> None:
            start, stop = batch * VERTEX_BATCH, min(n_vertices, (batch + 1) * VERTEX_BATCH)
            out[start:stop] = _scores(factors, self.problem.forbidden, self.texts, start, stop)

        self.problem.engine.map_batches(score, range(-(-n_vertices // VERTEX_BATCH)), stage="held-out words")
        total = logsumexp(out.astype(np.float64), axis=0)
        texts = np.repeat(np.arange(self.words.shape[0]), np.diff(self.words.indptr))
        return float(np.mean(total[texts] - out[self.words.indices, texts]))


def _rows(problem: Problem, start: int, stop: int) -> Problem:
    rows = np.arange(start, stop)
    return problem.on(take_rows(problem.contexts, rows), take_rows(problem.targets, rows))


def _log_odds(training: Problem) -> Singles:
    """The bias of a vertex about whose context nothing is known: its frequency as log-odds."""
    share = (column_counts(training.targets) + 0.5) / (training.targets.shape[0] + 1.0)
    return np.log(share / (1.0 - share)).astype(np.float32)


def _truncate(factors: Factors, rank: int) -> Factors:
    width = -(-rank // 8) * 8
    contexts, targets = factors.contexts[:, :width].copy(), factors.targets[:, :width].copy()
    contexts[:, rank:] = targets[:, rank:] = 0.0
    return Factors(contexts, targets, factors.bias.copy())


def _scores(factors: Factors, forbidden: Csr, contexts: Csr, start: int, stop: int) -> Singles:
    out = np.empty((stop - start, contexts.shape[0]), dtype=np.float32)
    _kernels.factorised.scores(
        contexts.indptr, contexts.indices, forbidden.indptr[start : stop + 1], forbidden.indices,
        factors.contexts, factors.targets[start:stop], factors.bias[start:stop], out,
    )  # fmt: skip
    return out
