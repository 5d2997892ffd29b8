"""Label vectors: what every predictor says of every held-out text, packed to bits.

Enter: fitted predictors and held-out rows in their fixed random order. Leave: one bit a predictor and row,
where each vertex really occurs, and how well its predictor tells the two apart. A rule says above which score
a predictor fires: posterior 0.5, as in the paper, or each predictor's own quantile, which makes all fire
equally often.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from classinet import _kernels
from classinet._sparse import canonical_csr, transpose
from classinet._typing import Bits, Csr, Flags, Floats, Integers, Singles
from classinet._validation import check_number, check_same_rows
from classinet.engine import Engine, fixed_batches
from classinet.exceptions import InputError
from classinet.predictors.base import VERTEX_BATCH, Predictor

WORD = 64
MOST_VOTES = 1 << 33  # bits; where a vertex occurs takes as many again
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class LabelVectors:
    """Votes of n predictors on the same held-out rows; all arrays are read-only.

    Attributes
    ----------
    bits : uint64 (n, ceil(n_rows / 64)); bit r of word w says whether the predictor fires on row 64·w + r.
    present : the same shape; whether the vertex occurs in the row.
    n_rows : number of held-out rows.
    thresholds : float64 (n); a new text makes the predictor fire when its score is above.
    auc : float64 (n); area under the ROC curve of scores against presence, NaN where a class is empty.
    f1 : float64 (n); F1 of votes against presence, 0 where it is undefined.

    >>> labels = LabelVectors.from_votes([[1, 1, 0, 0], [1, 0, 1, 0]], present=[[1, 0, 0, 0], [0, 0, 1, 1]])
    >>> labels.confusion(0, 1)
    array([[1, 1],
           [1, 1]])
    >>> labels.popcounts(), labels.firing_rate()
    (array([2, 2]), array([0.5, 0.5]))
    """

    bits: Bits
    present: Bits
    n_rows: int
    thresholds: Floats
    auc: Floats
    f1: Floats

    def __post_init__(self) -> None:
        shape = (len(self.bits), n_words(self.n_rows))
        for name, dtype in (("bits", np.uint64), ("present", np.uint64), ("thresholds", np.float64),
                            ("auc", np.float64), ("f1", np.float64)):  # fmt: skip
            given = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            wanted = shape if dtype is np.uint64 else shape[:1]
            if given.shape != wanted:
                raise InputError(f"{name} has shape {given.shape}; {shape[0]} predictors need {wanted}")
            object.__setattr__(self, name, read_only(given))

    @classmethod
    def from_votes(cls, votes: Any, present: Any) -> Self:
        """Pack votes that are known already: two arrays (predictors × rows) of true and false."""
        fires, occurs = np.asarray(votes, dtype=bool), np.asarray(present, dtype=bool)
        if fires.ndim != 2 or fires.shape != occurs.shape:
            raise InputError(f"votes has shape {fires.shape} and present {occurs.shape}; both are predictors × rows")
        lists = canonical_csr(occurs.astype(np.float32), np.float32)
        scores = fires.astype(np.float32)
        batch = _count_votes(scores, np.sort(scores, axis=1), np.zeros(len(fires), dtype=np.float32), lists)
        return cls(batch.bits, _pack(lists), fires.shape[1], batch.thresholds, batch.auc, batch.f1)

    @property
    def n_vertices(self) -> int:
        """Number of predictors."""
        return len(self.bits)

    def popcounts(self) -> Integers:
        """On how many rows each predictor fires."""
        return popcounts(self.bits)

    def frequencies(self) -> Integers:
        """In how many rows each vertex occurs."""
        return popcounts(self.present)

    def firing_rate(self) -> Floats:
        """On what share of the rows each predictor fires."""
        return self.popcounts() / self.n_rows

    def confusion(self, i: int, j: int) -> Integers:
        """Confusion table [[M11, M10], [M01, M00]] of two predictors' votes over all held-out rows."""
        both = int(np.bitwise_count(self.bits[i] & self.bits[j]).sum())
        n_i, n_j = popcounts(self.bits[[i, j]])
        return np.array([[both, n_i - both], [n_j - both, self.n_rows - n_i - n_j + both]], dtype=np.int64)

    def after(self, former: LabelVectors, vertices: Integers) -> LabelVectors:
        """Return these votes after those of former predictors on former texts.

        Thresholds and quality are the means of both, by their numbers of texts, where both are known.

        Parameters
        ----------
        former : votes of some of the same vertices on other texts.
        vertices : which of these predictors each of the former ones is; all others did not vote then.

        >>> now = LabelVectors.from_votes([[1, 0], [0, 1]], present=[[1, 0], [0, 1]])
        >>> before = LabelVectors.from_votes([[1]], present=[[1]])
        >>> now.after(before, np.array([1])).popcounts()
        array([1, 2])
        """
        n_rows = former.n_rows + self.n_rows
        share = former.n_rows / n_rows

        def mean(before: Floats, now: Floats) -> Floats:
            joined = now.copy()
            both = share * before + (1.0 - share) * now[vertices]
            joined[vertices] = np.where(np.isnan(both), np.where(np.isnan(before), now[vertices], before), both)
            return joined

        bits, present = (
            _rows_after(one, former.n_rows, vertices, other, self.n_rows)
            for one, other in ((former.bits, self.bits), (former.present, self.present))
        )
        kept = (mean(getattr(former, name), getattr(self, name)) for name in ("thresholds", "auc", "f1"))
        return LabelVectors(bits, present, n_rows, *kept)

    def take(self, vertices: Integers) -> LabelVectors:
        """Return the votes of some predictors.

        >>> LabelVectors.from_votes([[1, 0], [1, 1]], present=[[1, 0], [0, 1]]).take(np.array([1])).popcounts()
        array([2])
        """
        return LabelVectors(
            self.bits[vertices], self.present[vertices], self.n_rows,
            self.thresholds[vertices], self.auc[vertices], self.f1[vertices],
        )  # fmt: skip

    def quality(self) -> dict[str, NDArray[Any]]:
        """One array entry per predictor: how often it fires and how well it predicts."""
        return {"firing_rate": self.firing_rate(), "auc": self.auc, "f1": self.f1}


def n_words(n_rows: int) -> int:
    """Number of 64-bit words that hold one bit a row.

    >>> n_words(64), n_words(65)
    (1, 2)
    """
    return -(-n_rows // WORD)


def read_only(array: NDArray[T]) -> NDArray[T]:
    """Return a view that cannot be written; a kernel compiles once when all packed bits come like this."""
    view = array.view()
    view.flags.writeable = False
    return view


def popcounts(bits: Bits) -> Integers:
    """Number of ones in every row of packed bits."""
    counts = np.empty(len(bits), dtype=np.int64)
    _kernels.bits.popcounts(read_only(np.ascontiguousarray(bits)), counts)
    return counts


def pack_columns(matrix: Csr) -> Bits:
    """Pack where each column of a sparse matrix (rows × columns) is stored: one row of bits a column.

    >>> from scipy import sparse
    >>> pack_columns(sparse.csr_array([[1.0, 0.0], [1.0, 2.0]]))
    array([[3],
           [2]], dtype=uint64)
    """
    return _pack(transpose(canonical_csr(matrix)))


def pack_flags(flags: Flags) -> Bits:
    """Pack a dense array (predictors × rows) of true and false.

    >>> pack_flags(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    return _pack(canonical_csr(np.asarray(flags, dtype=np.float32), np.float32))


class LabelRule(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the rules that say when a predictor fires.

    Parameters
    ----------
    max_rows : at most so many rows are held out.
    share : at most this share of the rows is held out.
    """

    max_rows: int
    share: float

    def held_out_rows(self, n_rows: int, n_vertices: int = 1) -> int:
        """How many of `n_rows` texts to keep from training: at least 1, and not all unless there is only one.

        Where vertices are hundreds of thousands, fewer, so that all votes fit in a gigabyte.

        >>> rule = PosteriorLabels(max_rows=100)
        >>> rule.held_out_rows(400), rule.held_out_rows(4000)
        (80, 100)
        >>> PosteriorLabels().held_out_rows(10**6, n_vertices=2**19)
        16384
        """
        check_number("max_rows", self.max_rows, low=1, whole=True)
        check_number("share", self.share, low=0, high=1, open_low=True)
        held_out = max(1, min(self.max_rows, round(self.share * n_rows), MOST_VOTES // max(1, n_vertices)))
        return max(1, min(held_out, n_rows - 1))

    def vote(self, predictor: Predictor, contexts: Csr, targets: Csr, engine: Engine) -> LabelVectors:
        """Ask every predictor about every held-out row.

        Parameters
        ----------
        predictor : fitted predictors.
        contexts : held-out rows × features, in their fixed random order.
        targets : the same rows × learnt vertices, in the order of `predictor.vertices_`; stored = the vertex
            occurs.
        engine : where batches of vertices run.
        """
        self._check()
        check_same_rows(contexts, targets)
        n, n_rows = predictor.n_vertices_, targets.shape[0]
        if targets.shape[1] != n:
            raise InputError(f"targets has {targets.shape[1]} columns; {n} predictors were learnt")
        prepared = engine.broadcast(predictor.prepare_contexts(contexts))
        lists = transpose(canonical_csr(targets, np.float32))

        def vote_batch(border: tuple[int, int]) -> Votes:
            scores = np.ascontiguousarray(predictor.scores(prepared, *border), dtype=np.float32)
            if np.isnan(scores).any():
                at = border[0] + int(np.argmax(np.isnan(scores).any(axis=1)))
                raise InputError(f"predictor {at} gave a score that is NaN; its training or its contexts are broken")
            return self._vote(scores, np.sort(scores, axis=1), lists[slice(*border)])

        batches = engine.map_batches(vote_batch, fixed_batches(n, VERTEX_BATCH), stage="labels")
        bits = np.empty((n, n_words(n_rows)), dtype=np.uint64)
        per_vertex = np.empty((3, n))
        for (start, stop), batch in zip(fixed_batches(n, VERTEX_BATCH), batches, strict=True):
            bits[start:stop] = batch.bits
            per_vertex[:, start:stop] = batch.thresholds, batch.auc, batch.f1
        return LabelVectors(bits, _pack(lists), n_rows, *per_vertex)

    @abstractmethod
    def _vote(self, scores: Singles, ordered: Singles, lists: Csr) -> Votes:
        """Turn a batch of scores (vertices × rows) into votes.

        `ordered` holds each vertex's scores from low to high; `lists` says in which rows each vertex occurs.
        """

    def _check(self) -> None:
        """Refuse parameters of the rule itself."""


class PosteriorLabels(LabelRule):
    """A predictor fires where its posterior exceeds 0.5, that is its score 0: the paper's label vectors.

    >>> PosteriorLabels(share=0.5).held_out_rows(10)
    5
    """

    def __init__(self, max_rows: int = 32768, share: float = 0.2) -> None:
        self.max_rows = max_rows
        self.share = share

    def _vote(self, scores: Singles, ordered: Singles, lists: Csr) -> Votes:
        return _count_votes(scores, ordered, np.zeros(len(scores), dtype=np.float32), lists)


class QuantileLabels(LabelRule):
    """Every predictor fires on the same number of rows: its round(rate · rows) highest scores, at least 1.

    Equal scores at the border fire in the rows' order until the number is reached. The threshold for new
    texts is the largest score that does not fire. Balanced label vectors make all associations rank alike.

    >>> QuantileLabels(rate=0.05).get_params()
    {'max_rows': 32768, 'rate': 0.05, 'share': 0.2}
    """

    def __init__(self, rate: float = 0.1, max_rows: int = 32768, share: float = 0.2) -> None:
        self.rate = rate
        self.max_rows = max_rows
        self.share = share

    def _check(self) -> None:
        check_number("rate", self.rate, low=0, high=1, open_low=True)

    def _vote(self, scores: Singles, ordered: Singles, lists: Csr) -> Votes:
        n_rows = scores.shape[1]
        quota = min(n_rows, max(1, round(self.rate * n_rows)))
        silent = n_rows - quota
        thresholds = ordered[:, silent - 1] if silent else np.full(len(scores), -np.inf, dtype=np.float32)
        return _count_votes(scores, ordered, np.ascontiguousarray(thresholds), lists, quota)


@dataclass(frozen=True, eq=False)
class Votes:
    """What some predictors say of all held-out rows."""

    bits: Bits
    thresholds: Floats
    auc: Floats
    f1: Floats


def _count_votes(scores: Singles, ordered: Singles, thresholds: Singles, lists: Csr, quota: int = 0) -> Votes:
    """Fire above the thresholds, and at them, in the order of the rows, until `quota` rows fire."""
    bits = np.zeros((len(scores), n_words(scores.shape[1])), dtype=np.uint64)
    auc, f1 = np.empty((2, len(scores)))
    indptr, rows = lists.indptr.astype(np.int64, copy=False), lists.indices.astype(np.int32, copy=False)
    _kernels.bits.vote(scores, ordered, thresholds, quota, indptr, rows, bits, auc, f1)
    return Votes(bits, thresholds.astype(np.float64), auc, f1)


def _rows_after(before: Bits, n_before: int, vertices: Integers, now: Bits, n_now: int) -> Bits:
    """Put the packed rows of `now` after those of `before`, whose vertices have these positions now."""
    joined = np.zeros((len(now), n_words(n_before + n_now)), dtype=np.uint64)
    joined[vertices, : before.shape[1]] = before
    word, shift = divmod(n_before, WORD)
    joined[:, word : word + now.shape[1]] |= now << np.uint64(shift)
    if shift:
        carried = now >> np.uint64(WORD - shift)
        room = joined.shape[1] - word - 1
        joined[:, word + 1 :] |= carried[:, :room]
    return joined


def _pack(lists: Csr) -> Bits:
    bits = np.zeros((lists.shape[0], n_words(lists.shape[1])), dtype=np.uint64)
    _kernels.bits.pack_lists(lists.indptr, lists.indices, bits)
    return bits
