"""`make soak`: arbitrary corpora through arbitrary combinations of strategies, for as long as it is given.

CLASSINET_SOAK_SECONDS (default 300) bounds the run; each failure prints the seed that repeats it.
"""

import os
import time
import warnings

import numpy as np
import pytest
from scipy import sparse

from classinet import ClassiNet, Expander
from classinet.edges import Angle, HeldOut, PairSample, Population, Similarity
from classinet.exceptions import DivergenceWarning, EmptyNetWarning
from classinet.expansion import AllNeighbors, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.labels import PosteriorLabels, QuantileLabels
from classinet.neighbors import PLEB, ExactNeighbors, LSHNeighbors, VectorNeighbors
from classinet.predictors import Factorised, Indicator, Logistic, NaiveBayes, Perceptron, Ridge, Sampling


def random_model(rng):
    def pick(*options):
        return options[rng.integers(len(options))]

    sampling = Sampling(
        negative_ratio=float(rng.uniform(0.5, 3)),
        max_positives=pick(None, 5, 20),
        longer_than_average=bool(rng.integers(2)),
        min_cooccurrence=int(rng.integers(3)),
        min_positives=int(rng.integers(1, 6)),
    )
    predictor = pick(
        Factorised(),
        Factorised(rank=3, passes=2),
        Logistic(sampling=sampling),
        Logistic(strength=1.0, sampling=sampling),
        Perceptron(sampling=sampling),
        NaiveBayes(sampling=sampling),
        Ridge(float(rng.uniform(0.1, 50))),
        Indicator(),
    )
    association = pick("correlation", "jaccard", "lift", "conditional", "hamming")
    k = int(rng.integers(1, 12))
    searches = [ExactNeighbors(k, association), PLEB(k, association), LSHNeighbors(k, association)]
    if hasattr(predictor, "vectors"):
        searches.append(VectorNeighbors(k))
    outside = bool(rng.integers(2))
    return ClassiNet(
        vertices=pick(None, int(rng.integers(1, 20))),
        predictor=predictor,
        labels=pick(PosteriorLabels(), QuantileLabels(rate=float(rng.uniform(0.05, 0.6)))),
        neighbors=pick(*searches),
        edges=pick(
            PairSample(outside=outside),
            HeldOut(outside),
            Population(outside=outside),
            Similarity(outside=outside),
            Angle(outside),
        ),
        n_jobs=int(rng.integers(1, 4)),
        random_state=int(rng.integers(1000)),
    )


def random_texts(rng):
    shape = int(rng.integers(2, 120)), int(rng.integers(1, 40))
    X = sparse.random(*shape, float(rng.uniform(0.02, 0.6)), format="csr", random_state=int(rng.integers(2**31)))
    X.data = np.ceil(X.data * rng.integers(1, 5))
    return sparse.csr_array(X)


def check_laws(seed):
    rng = np.random.default_rng(seed)
    X, model = random_texts(rng), random_model(rng)
    names = [f"w{i % 7} w{i}" if i % 3 == 0 else f"w{i}" for i in range(X.shape[1])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyNetWarning)
        warnings.simplefilter("ignore", DivergenceWarning)
        net = model.fit(X, feature_names=names).net_
        again = model.set_params(n_jobs=1).fit(X[rng.permutation(X.shape[0])], feature_names=names).net_
        assert net.graph.weights.data.tobytes() == again.graph.weights.data.tobytes()
        assert ((net.graph.weights.data > 0) & (net.graph.weights.data <= 1)).all()
        outs = {}
        for name, expansion in {
            "independent": Independent(),
            "path": LocalPath(),
            "all": AllNeighbors(3),
            "mutual": MutualNeighbors(3),
            "spectral": Spectral(8),
            "global": Global(hops=int(rng.integers(1, 4))),
            "endless": Global(damping="auto", hops=None, normalize=None),
        }.items():
            expander = Expander(model, expansion).fit(X)
            out = expander.transform(X)
            assert (out[:, : X.shape[1]] != X).nnz == 0
            assert np.isfinite(out.data).all()
            assert (np.diff(out.indptr)[np.diff(X.indptr) == 0] == 0).all()
            outs[name] = out[:, X.shape[1] :].toarray() > 0
        assert not (outs["independent"] & ~outs["path"]).any()
        assert not (outs["mutual"] & ~outs["all"]).any()


def test_a_few_arbitrary_builds():
    for seed in range(12):
        check_laws(seed)


@pytest.mark.soak
def test_many_arbitrary_builds(record):
    end = time.monotonic() + float(os.environ.get("CLASSINET_SOAK_SECONDS", "300"))
    seed = 1_000
    while time.monotonic() < end:
        try:
            check_laws(seed)
        except BaseException as error:
            error.add_note(f"repeat with check_laws({seed})")
            raise
        seed += 1
    record(arbitrary_builds_that_kept_the_laws=seed - 1_000, seeds=[1_000, seed - 1])
