"""z_i(x) = u_i · mean of v_j (j in x, not forbidden) + b_i: all predictors trained jointly with a shared low rank.

Independent predictors starve where a vertex has few positives. Here all of them share the context vectors v, found in
closed form from co-occurrence, and each learns only u_i and b_i, by logistic regression with drawn negatives. The rank
of v and the number of passes over the texts are chosen by how well held-out words of held-out texts are predicted:
no labels are needed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from classinet import _kernels
from classinet._decomposition import truncated_svd
from classinet._keys import name_keys
from classinet._sparse import column_counts, row_slice
from classinet._typing import Csr, Floats, Integers, Keys, MatrixLike, Singles
from classinet._validation import check_number
from classinet.engine import Engine, fixed_batches
from classinet.predictors.base import VERTEX_BATCH, Predictor, Problem, Setup
from classinet.predictors.cooccurrence import joint_counts, positive_pmi
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
FIRST_ENERGY = 1e-3  # of AdaGrad, before a predictor has learnt anything
# Up to this share of the texts may be missing from the vectors by which features are compared. Of a small corpus more
# is held out, and vectors of all texts then gain a point of accuracy; of a large one they cost a second decomposition.
MISSING = 0.05
# From so many features a vertex on, what vertices tell of each other is decomposed first, for it is most of what all
# features tell of them: the same vectors in little more than half the time.
TELLING = 2


class Factors(NamedTuple):
    """The parameters: context vectors (features × rank), target vectors (vertices × rank) and biases."""

    contexts: Singles
    targets: Singles
    bias: Singles


@dataclass(frozen=True, eq=False)
class Former:
    """Predictors that were learnt from former texts, where there are now more features and vertices.

    Attributes
    ----------
    predictor : the predictors.
    features, columns : which of the features that they knew are features still, and their present columns.
    staying : which of their vertices are vertices still.
    positions : the present position of each of these.
    shares : share of the former texts that held each of these.
    """

    predictor: Factorised
    features: Integers
    columns: Integers
    staying: Integers
    positions: Integers
    shares: Floats


class Factorised(Predictor):
    """Joint low-rank logistic predictors.

    Parameters
    ----------
    rank : length of the vectors, or "auto" to choose among 24, 48 and 96 by held-out word prediction. Vectors are
        compared with each direction at its weight, so directions that are too many do little harm.
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
        rank: int | Literal["auto"] = 96,
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
            self.feature_vectors_ = self.context_vectors_
            self.target_vectors_ = np.zeros((0, 8), dtype=np.float32)
            self.intercept_ = np.zeros(0, dtype=np.float32)
            self.energy_ = np.zeros(0)
            return
        n_held = min(VALIDATION_TEXTS, problem.contexts.shape[0] // 10) if "auto" in (self.rank, self.passes) else 0
        training = _rows(problem, n_held, problem.contexts.shape[0])
        judge = _Judge(_rows(problem, 0, n_held))

        # 1. Context vectors in closed form, and the rank by held-out words.
        asked = RANKS if self.rank == "auto" else (self.rank,)
        ranks = sorted({min(rank, training.n_vertices, training.contexts.shape[1]) for rank in asked})
        engine, keys = problem.engine, name_keys(problem.names)
        targets, contexts = _decomposed(training, ranks[-1], keys)
        start = Factors(contexts, targets, _log_odds(_smoothed_shares(training)))
        self.rank_ = ranks[-1]
        if len(ranks) > 1 and judge.n_words:
            losses = engine.checkpoint(
                lambda local: [judge.loss(_truncate(start, rank), local) for rank in ranks], stage="rank"
            )
            self.rank_losses_ = dict(zip(ranks, losses, strict=True))
            good_enough = min(self.rank_losses_.values()) + RANK_TOLERANCE
            self.rank_ = next(rank for rank, loss in self.rank_losses_.items() if loss <= good_enough)
        factors = _truncate(start, self.rank_)

        # 2. Target vectors and biases by passes over the texts, as long as held-out words gain.
        most = MAX_PASSES if self.passes == "auto" else self.passes
        self._ascend(training, factors, np.full(training.n_vertices, FIRST_ENERGY), judge, most)

        # 3. Vectors by which features are compared: those of the predictors, or better ones where many texts were
        # held out, or where features lead that predictors do not look at. No predictor sees these, so what predictors
        # are worth is still judged on texts they do not know.
        n_texts = problem.contexts.shape[0] + (0 if problem.unseen is None else problem.unseen[0].shape[0])
        known = self.context_vectors_
        if len(self.leading_) or training.contexts.shape[0] < (1 - MISSING) * n_texts:
            known = _of_all_texts(problem, self.rank_, keys)
        self.feature_vectors_ = _compared(known)
        logger.info("factorised predictors: rank %d, %d passes", self.rank_, self.passes_)

    def resume(
        self, former: Former | None, met: Csr, shares: Floats, contexts: Csr, targets: Csr, forbidden: Csr | None, *,
        setup: Setup,
    ) -> Self:  # fmt: skip
        """Go on learning from further texts, with vectors of all that was counted in former texts and these.

        Vertices that do not occur in the further texts keep what they had learnt, seen from the new vectors.

        Parameters
        ----------
        former : the predictors so far; None where there are none, and all begin with the vectors alone.
        met : vertices × features, from `joint_counts` of all texts; its memory is used.
        shares : share of all texts that hold each vertex.
        contexts, targets, forbidden : the further texts, as `fit` takes them.
        setup : as `fit` takes it; the rows are in canonical order.
        """
        problem = self._prepare(contexts, targets, forbidden, setup)
        rank = min(RANKS[-1] if self.rank == "auto" else self.rank, *met.shape)
        surplus = positive_pmi(met, problem.forbidden)
        found_targets, found_contexts = truncated_svd(
            surplus, rank, name_keys(problem.names), problem.engine, _own_columns(problem)
        )
        looked_at = found_contexts.copy()
        looked_at[self.leading_] = 0.0
        factors = Factors(looked_at, found_targets, _log_odds(shares))
        energy = np.full(problem.n_vertices, FIRST_ENERGY)
        if former is not None:
            _carry_over(former, factors, energy)
        n_held = min(VALIDATION_TEXTS, problem.contexts.shape[0] // 10)
        training, judge = _rows(problem, n_held, problem.contexts.shape[0]), _Judge(_rows(problem, 0, n_held))
        self.rank_, self.rank_losses_ = rank, {}
        most = self.passes if self.passes != "auto" else MAX_PASSES if judge.n_words else 0
        self._ascend(training, factors, energy, judge, most)
        self.feature_vectors_ = _compared(found_contexts)
        self.positives_ = column_counts(problem.targets)
        if former is not None:
            self.positives_[former.positions] += former.predictor.positives_[former.staying]
        self.vertices_, self.left_out_ = np.arange(problem.n_vertices), {}
        self.columns_, self.forbidden_ = problem.columns, problem.forbidden
        self.n_features_in_ = int(met.shape[1])
        return self

    def _ascend(self, training: Problem, factors: Factors, energy: Floats, judge: _Judge, most: int) -> None:
        """Pass over the texts at most so often; where that is "auto", as long as held-out words gain."""
        draws = column_counts(training.targets).astype(np.float64) ** DRAW_POWER
        chance, alias = np.empty(len(draws)), np.empty(len(draws), dtype=np.int64)
        _kernels.factorised.alias_table(draws, chance, alias)
        offsets = np.log(np.maximum(self.negatives * draws / max(draws.sum(), 1e-300), 1e-300))
        contexts, texts, forbidden = training.contexts, training.targets, training.forbidden
        automatic = self.passes == "auto" and judge.n_words > 0

        def one_pass(
            local: Engine, number: int, before: Factors, energy: Floats
        ) -> tuple[Singles, Singles, Floats, float]:
            """The target vectors, biases, energies and held-out loss after one more pass."""
            after = Factors(before.contexts, before.targets.copy(), before.bias.copy())
            energy, key = energy.copy(), np.uint64((training.seed * 1_000_003 + number) % 2**63)

            def train(shard: int) -> None:
                _kernels.factorised.train_shard(
                    shard, SHARDS, contexts.indptr, contexts.indices, texts.indptr, texts.indices,
                    forbidden.indptr, forbidden.indices, chance, alias, offsets, self.negatives, key,
                    float(self.learning_rate), *after, energy,
                )  # fmt: skip

            local.map_batches(train, range(SHARDS), stage=f"predictors, pass {number}")
            return after.targets, after.bias, energy, judge.loss(after, local) if automatic else np.nan

        engine = training.engine
        losses = [engine.checkpoint(partial(judge.loss, factors), stage="held-out words")] if judge.n_words else []
        best, best_pass = (factors, energy), 0
        for number in range(1, most + 1):
            step = partial(one_pass, number=number, before=factors, energy=energy)
            targets, bias, energy, loss = engine.checkpoint(step, stage=f"predictors, pass {number}")
            factors = Factors(factors.contexts, targets, bias)
            if automatic:
                losses.append(loss)
                if losses[-1] > losses[best_pass] - PASS_GAIN:
                    break
            best, best_pass = (factors, energy), number
        (self.context_vectors_, self.target_vectors_, self.intercept_), self.energy_ = best
        self.passes_, self.pass_losses_ = best_pass, losses

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
        """Return each vertex's vector, zeros where it is no context: what it says about the others."""
        vectors = self.feature_vectors()[self.columns_]
        vectors[self.columns_ < 0] = 0.0
        return vectors

    def feature_vectors(self) -> Singles:
        """Return the vectors by which all features are compared, vertices or not."""
        return self.feature_vectors_

    def report(self) -> Mapping[str, NDArray[Any]]:
        """Return positives, and the rank that all predictors share."""
        return {**super().report(), "rank": np.full(self.n_vertices_, self.rank_)}


class _Judge:
    """How well the words of held-out texts are predicted, each from the rest of its text."""

    def __init__(self, held_out: Problem) -> None:
        self.forbidden = held_out.forbidden
        counts = np.cumsum(np.diff(held_out.targets.indptr))
        n_texts = min(int(np.searchsorted(counts, VALIDATION_WORDS)) + 1, len(counts))
        self.texts = row_slice(held_out.contexts, 0, n_texts)
        self.words = row_slice(held_out.targets, 0, n_texts)
        self.n_words = self.words.nnz

    def loss(self, factors: Factors, engine: Engine) -> float:
        """Mean of −log p(word | rest of its text), p normalised over all vertices."""

        def score(border: tuple[int, int]) -> Singles:
            return _scores(factors, self.forbidden, self.texts, *border)

        borders = fixed_batches(len(factors.bias), VERTEX_BATCH)
        out = np.concatenate(engine.map_batches(score, borders, stage="held-out words"))
        total = logsumexp(out.astype(np.float64), axis=0)
        texts = np.repeat(np.arange(self.words.shape[0]), np.diff(self.words.indptr))
        return float(np.mean(total[texts] - out[self.words.indices, texts]))


def _rows(problem: Problem, start: int, stop: int) -> Problem:
    return problem.on(row_slice(problem.contexts, start, stop), row_slice(problem.targets, start, stop))


def _decomposed(problem: Problem, rank: int, keys: Keys) -> tuple[Singles, Singles]:
    """Vectors of the vertices and of the contexts, whose products approximate PMI."""
    joint = joint_counts(problem.contexts, problem.targets, problem.engine, "context vectors, counts")
    return _factors(problem, joint, rank, keys, "context vectors")


def _of_all_texts(problem: Problem, rank: int, keys: Keys) -> Singles:
    """Vectors of all features, of texts also that predictors will be judged on, and of what predictors ignore."""
    stage = "vectors of all texts"
    joint = joint_counts(problem.shown, problem.targets, problem.engine, f"{stage}, counts", further=problem.unseen)
    return _factors(problem, joint, rank, keys, stage)[1]


def _factors(problem: Problem, joint: Csr, rank: int, keys: Keys, stage: str) -> tuple[Singles, Singles]:
    forbidden, telling = problem.forbidden, _own_columns(problem)

    def decompose(local: Engine) -> tuple[Singles, Singles]:
        return truncated_svd(positive_pmi(joint, forbidden), rank, keys, local, telling)

    return problem.engine.checkpoint(decompose, stage=stage)


def _own_columns(problem: Problem) -> Integers | None:
    """The columns of the vertices where most features are none, such as the pieces of texts; None where all are few."""
    own = np.unique(problem.columns[problem.columns >= 0])
    return own if TELLING * len(own) <= problem.contexts.shape[1] and len(own) == problem.n_vertices else None


def _compared(contexts: Singles) -> Singles:
    """Weigh the directions of context vectors for comparing features with each other.

    A context vector times a target vector is PMI, so each carries the root of every direction's singular value s.
    Between rows of the matrix itself a direction would weigh s. What many words share then drowns what tells topics
    apart, and at the root of s the noise of rare words counts too much; s^0.75 lies between.
    """
    roots = np.linalg.norm(contexts, axis=0)  # of the singular values, since the directions are orthonormal
    weighed: Singles = contexts * np.sqrt(roots)
    return weighed


def _smoothed_shares(training: Problem) -> Floats:
    """Share of the texts that hold each vertex, never quite 0 or 1."""
    return np.asarray((column_counts(training.targets) + 0.5) / (training.targets.shape[0] + 1.0))


def _log_odds(shares: Floats) -> Singles:
    """The bias of a vertex about whose context nothing is known: its frequency as log-odds."""
    return np.log(shares / (1.0 - shares)).astype(np.float32)


def _carry_over(former: Former, factors: Factors, energy: Floats) -> None:
    """Give former vertices what they had learnt: their target vectors, seen from the new context vectors.

    With A that brings new context vectors to the former ones as nearly as it can, u · v_former ≈ u · A v = (Aᵀ u) · v.
    """
    known, at = former.predictor, former.staying
    before = known.context_vectors_[former.features]
    turn = np.linalg.lstsq(factors.contexts[former.columns].astype(np.float64), before.astype(np.float64))[0]
    factors.targets[former.positions] = known.target_vectors_[at] @ turn.T
    factors.bias[former.positions] += known.intercept_[at] - _log_odds(former.shares)
    energy[former.positions] = known.energy_[at]


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
