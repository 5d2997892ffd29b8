"""W₊ = U Σ Vᵀ, features of a text x: x V. Structural correspondence learning (Blitzer, McDonald and Pereira 2006).

Enter: texts or counts. Leaves: a dense block, texts × a few dimensions. A linear predictor is learnt for every pivot
from all other features; their weights W (pivots × features) show which features predict the same pivots, and the
leading right singular vectors of W are the directions in which features correspond.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from classinet._keys import name_keys, row_keys, shuffled
from classinet._sparse import from_arrays, presence, take_columns, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet._validation import check_number
from classinet.baselines.base import BagBaseline
from classinet.engine import ThreadEngine, fixed_batches
from classinet.exceptions import InputError, ParameterError
from classinet.overlaps import overlapping_names
from classinet.predictors import Logistic, Sampling, Setup
from classinet.predictors.sampled import SparseLinearPredictor
from classinet.text import TextVectorizer
from classinet.vertices import BestByLabels, as_rule

PIVOT_BLOCK = 1024  # pivots whose weights are in memory with both signs
NEGLIGIBLE = 1e-6  # singular values below this share of the largest are rounding


class SCL(BagBaseline):
    """Project texts on the directions in which features predict the same pivots.

    Only positive weights enter the decomposition, an allowance of the original method. The negatives of a pivot are
    random texts, so a negative weight says less about the pivot than about texts in general: on film reviews a fifth
    of the weights is negative, and the features that carry them are seven times as frequent as the others (medians).

    Parameters
    ----------
    vertices : the pivots, as in `ClassiNet`: None (as many landmarks as a net has by default), a number of most
        frequent ones, a list of names or columns (such as those of a net that this rival is compared with), or a rule.
    n_components : dimensions of the projection; fewer where the weights have a lower rank.
    predictor : the kind of linear predictor; None is logistic regression on at most 1,000 texts that hold the pivot,
        of the strength (0.1) that cross-validation most often chooses for a pivot of film reviews.
    vectorizer : how texts become counts; None: words that occur in two texts.
    n_jobs : threads; None is one, -1 all cores. The result is the same bytes for any number.
    random_state : seed of the choice of negatives.

    Attributes
    ----------
    projection_ : features × dimensions, orthonormal columns, each with its largest entry positive.
    singular_values_ : of the weight matrix, descending.
    pivots_ : columns of the features for which a predictor was learnt.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet.datasets import made_up_sentences
    >>> rival = SCL(n_components=4).fit(made_up_sentences(300))
    >>> storm, rain, bread = rival.transform(["storm", "rain", "bread"])
    >>> bool(storm @ rain > 5 * storm @ bread)
    True
    """

    def __init__(
        self,
        vertices: Any = None,
        n_components: int = 50,
        predictor: SparseLinearPredictor | None = None,
        vectorizer: TextVectorizer | None = None,
        n_jobs: int | None = -1,
        random_state: int = 0,
    ) -> None:
        self.vertices = vertices
        self.n_components = n_components
        self.predictor = predictor
        self.vectorizer = vectorizer
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return scl0, scl1, … for the dimensions."""
        check_is_fitted(self)
        return np.array([f"scl{i}" for i in range(self.projection_.shape[1])], dtype=object)

    def _fit(self, counts: Csr) -> None:
        check_number("n_components", self.n_components, low=1, whole=True)
        check_number("random_state", self.random_state, low=0, whole=True)
        rule = as_rule(self.vertices)
        if isinstance(rule, BestByLabels):
            raise ParameterError("SCL sees no labels in fit: give the vertices that BestByLabels chose as a list")
        pivots = rule.choose(counts, self.feature_names_)
        weights, self.pivots_ = self._weights(counts, pivots)
        self.singular_values_, self.projection_ = leading_directions(weights, self.n_components)

    def _weights(self, counts: Csr, pivots: Integers) -> tuple[Csr, Integers]:
        """Positive weights (pivots × features) of the predictors that could be learnt, and the columns of their pivots.

        Pivots are trained block by block on the same rows: weights of both signs are in memory for one block only.
        """
        predictor = self._predictor()
        rows = shuffled(row_keys(counts, name_keys(self.feature_names_)), self.random_state)
        ordered = take_rows(counts, rows)
        contexts = predictor.seen(ordered)
        overlaps = overlapping_names(list(self.feature_names_), pivots)
        blocks, learnt, reasons = [], [], {}
        with ThreadEngine(self.n_jobs) as engine:
            for start, stop in fixed_batches(len(pivots), PIVOT_BLOCK):
                columns = pivots[start:stop]
                setup = Setup(columns, self.feature_names_, self.random_state, engine, ordered=True)
                forbidden = None if overlaps is None else take_rows(overlaps, np.arange(start, stop))
                predictor.fit(contexts, presence(take_columns(ordered, columns)), forbidden, setup=setup)
                blocks.append(_positive(predictor.coef_))
                learnt.append(columns[predictor.vertices_])
                reasons.update(predictor.left_out_)
        if not sum(map(len, learnt)):
            reason = f"; the first was left out because: {next(iter(reasons.values()))}" if reasons else ""
            raise InputError(f"none of {len(pivots)} pivots could be learnt{reason}")
        return _stacked(blocks), np.concatenate(learnt)

    def _predictor(self) -> SparseLinearPredictor:
        if self.predictor is None:
            return Logistic(strength=0.1, sampling=Sampling(max_positives=1000))
        if not isinstance(self.predictor, SparseLinearPredictor):
            raise ParameterError(
                f"predictor must have sparse weights (Logistic, Perceptron or NaiveBayes), got {self.predictor!r}"
            )
        fresh: SparseLinearPredictor = clone(self.predictor)
        return fresh

    def _transform(self, counts: Csr) -> Floats:
        return np.asarray(counts @ self.projection_)


def leading_directions(weights: Csr, n_components: int) -> tuple[Floats, Floats]:
    """Return the largest singular values of a sparse matrix and their right singular vectors, one a column.

    Vectors are unique but for their sign: the entry that is largest in size is made positive. Values that are zero but
    for rounding are left out, because their vectors would be arbitrary. BLAS is held to one thread and the iteration
    starts from a fixed vector, so the result is the same bytes every time.

    Parameters
    ----------
    weights : any × features.
    n_components : how many at most.

    Examples
    --------
    >>> from classinet._sparse import canonical_csr
    >>> values, directions = leading_directions(canonical_csr(np.array([[0, 0, -3.0], [1, 0, 0]])), 2)
    >>> values, directions
    (array([3., 1.]), array([[0., 1.], [0., 0.], [1., 0.]]))
    """
    n_rows, n_columns = weights.shape
    matrix = sparse.csr_array((weights.data.astype(np.float64), weights.indices, weights.indptr), shape=weights.shape)
    smaller = min(n_rows, n_columns)
    with threadpool_limits(1):
        if 2 * n_components >= smaller:  # few singular values are left out: the iteration would not gain anything
            _, values, vectors = np.linalg.svd(matrix.toarray(), full_matrices=False)
        else:
            start = np.random.default_rng(0).standard_normal(smaller)
            _, values, vectors = svds(matrix, k=n_components, v0=start)
    order = np.argsort(-values, kind="stable")[:n_components]
    values, directions = values[order], np.ascontiguousarray(vectors[order].T)
    real = values > NEGLIGIBLE * values.max(initial=0.0)
    if not real.any():
        raise InputError("no feature predicts any pivot: the weights are all zero or negative; give more texts")
    values, directions = values[real], directions[:, real]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(len(values))])
    return values, directions * signs + 0.0  # no negative zeros


def _positive(weights: Csr) -> Csr:
    """The weights above zero, each row's features ascending."""
    kept = weights.data > 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[weights.indptr]
    return from_arrays(weights.data[kept], weights.indices[kept], indptr, weights.shape)


def _stacked(blocks: list[Csr]) -> Csr:
    """The rows of all blocks, one below the other."""
    lengths = np.concatenate([np.diff(block.indptr) for block in blocks])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    data = np.concatenate([block.data for block in blocks])
    indices = np.concatenate([block.indices for block in blocks])
    return from_arrays(data, indices, indptr, (len(lengths), blocks[0].shape[1]))
