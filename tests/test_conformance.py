"""scikit-learn's own suite on everything that is an estimator over matrices, and what its suite does not ask."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from classinet import ClassiNet, Expander
from classinet.edges import HeldOut
from classinet.exceptions import DivergenceWarning
from classinet.expansion import AllNeighbors, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.neighbors import ExactNeighbors
from classinet.predictors import Logistic, Sampling

# The suite's tiny matrices rarely hold a zero, so most of its fits learn nothing and say so.
pytestmark = pytest.mark.filterwarnings("ignore::classinet.exceptions.EmptyNetWarning")

SMALL_PAPER = ClassiNet.paper(predictor=Logistic(strength=1.0, sampling=Sampling(min_positives=1)), n_jobs=1)
ESTIMATORS = [
    ClassiNet(),
    SMALL_PAPER,
    Expander(),
    Expander(expansion=AllNeighbors(), merge="add"),
    Expander(merge="only"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_conformance(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_suite_asks_enough(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 45


WORDS = [
    "the film was awful and terrible", "awful acting and a terrible plot", "a terrible awful waste of time",
    "wonderful music and great actors", "great film with wonderful music", "the actors were great and wonderful",
    "stocks fell on monday", "stocks rose after the bank report", "the bank said stocks fell",
    "music and film", "monday report", "time and plot",
]  # fmt: skip
LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 0])


@pytest.fixture(scope="module")
def corpus():
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(WORDS * 12), vectorizer.get_feature_names_out()


@pytest.fixture(scope="module")
def model(corpus):
    return ClassiNet(n_jobs=1).fit(corpus[0], feature_names=corpus[1])


def test_a_fitted_net_survives_clone_and_an_unfitted_one_is_cloned(model):
    expander = Expander(model, expansion=Global(damping=0.5))
    copy = clone(expander)
    assert copy.net is model
    assert copy.expansion is not expander.expansion
    assert copy.expansion.damping == 0.5
    assert clone(Expander(model.net_)).net is model.net_
    unfitted = ClassiNet(vertices=5)
    assert clone(Expander(unfitted)).net is not unfitted
    assert clone(Expander(unfitted)).net.vertices == 5


def test_grid_search_tunes_the_expansion_without_refitting_the_net(model, corpus, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise AssertionError("the net was fitted again")

    monkeypatch.setattr(ClassiNet, "fit", refuse)
    pipeline = make_pipeline(
        TfidfVectorizer(vocabulary=dict(zip(corpus[1], range(len(corpus[1])), strict=True))),
        Expander(model, expansion=Global()),
        LogisticRegression(),
    )
    grid = {
        "expander__expansion__damping": [0.3, 0.85],
        "expander__weight": [0.5, 1.0],
        "expander__merge": ["append", "add"],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(WORDS * 2, np.tile(LABELS, 2))
    assert len(search.cv_results_["params"]) == 8
    assert search.best_estimator_[1].net_ is model.net_
    assert cross_val_score(pipeline, WORDS * 2, np.tile(LABELS, 2), cv=2).min() >= 0


def test_net_and_expander_work_in_pipeline_and_union(corpus):
    texts = WORDS * 12
    expanded = make_pipeline(CountVectorizer(), ClassiNet(n_jobs=1)).fit(texts)
    names = expanded.get_feature_names_out()
    assert names[0] == corpus[1][0]
    assert names[-1].startswith("EXP=")
    assert expanded.transform(texts).shape == (len(texts), len(names))
    union = make_pipeline(
        CountVectorizer(),
        FeatureUnion([("same", "passthrough"), ("implied", Expander(ClassiNet(n_jobs=1), merge="only"))]),
    ).fit(texts)
    appended = make_pipeline(CountVectorizer(), Expander(ClassiNet(n_jobs=1))).fit(texts)
    assert (union.transform(texts) != appended.transform(texts)).nnz == 0


def test_the_sparse_type_follows_the_input(model, corpus):
    X = corpus[0]
    assert isinstance(model.transform(X), sparse.csr_matrix)
    assert isinstance(model.transform(sparse.csr_array(X)), sparse.csr_array)
    assert isinstance(model.transform(X.toarray()), sparse.csr_matrix)
    assert model.transform(X).tocoo().shape == model.transform(X).shape
    assert (model.transform(X) != sparse.csr_matrix(model.transform(sparse.csc_array(X)))).nnz == 0


@pytest.mark.parametrize(
    "expansion",
    [Independent(), Independent("posterior"), LocalPath(), AllNeighbors(2), MutualNeighbors(2), Global(), Spectral(8)],
    ids=repr,
)
@pytest.mark.parametrize("merge", ["append", "add", "only"])
def test_every_expansion_in_every_merge(model, corpus, expansion, merge):
    X, names = corpus
    expander = Expander(model, expansion, merge=merge, weight=0.5, norm="l2", top=3).fit(X)
    out = expander.transform(X)
    assert out.shape[1] == len(expander.get_feature_names_out())
    if merge == "append":  # no original feature is lost
        assert (out[:, : len(names)] != X).nnz == 0
        lengths = [np.sqrt(block.multiply(block).sum(axis=1)) for block in (X, out[:, len(names) :])]
        filled = np.asarray(lengths[1]).ravel() > 0
        np.testing.assert_allclose(np.asarray(lengths[1])[filled], 0.5 * np.asarray(lengths[0])[filled])
        assert np.diff(out[:, len(names) :].tocsr().indptr).max() <= 3
    if merge == "add":
        assert ((out - X).toarray() >= 0).all()


def test_paper_recipe_end_to_end(topics_corpus):
    X, names, _ = topics_corpus
    model = ClassiNet.paper(n_jobs=2).fit(X, feature_names=names)
    film = set(names[:6])
    edges = sorted(model.net_.graph.successors("film"), key=lambda edge: -edge.association)
    assert {edge.target for edge in edges[:4]} <= film
    assert model.neighbor_recall(50) >= 0.9
    report = model.net_.report()
    assert {"name", "positives", "strength", "auc", "f1", "firing_rate"} <= set(report)
    assert len(report["auc"]) == model.net_.n_vertices
    assert report["auc"][:18].min() > 0.6
    with pytest.warns(DivergenceWarning):
        model.transform(X)


def test_recipes_know_their_names():
    assert ClassiNet.paper(vertices=700).recipe().name == "paper"
    assert ClassiNet(vertices=10).recipe().name == "default"
    assert ClassiNet(edges=HeldOut(), neighbors=ExactNeighbors()).recipe().name == "custom"
