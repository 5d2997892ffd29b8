"""Analyses of the benchmark: what is computed on planted materials, and what is drawn and said from stored values."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from classinet import curves
from classinet.bench.analyses import (  # fmt: skip
    ANALYSES,
    Materials,
    damping,
    degree,
    extract,
    hops,
    neighbourhood,
    qualitative,
    quality,
    ratios,
)
from classinet.bench.analyses.base import all_pairs, paper_expansion
from classinet.bench.analyses.judging import alike, labelled_sentences, scored
from classinet.datasets import made_up_sentences
from classinet.datasets.made_up import TOPICS
from classinet.edges import pair_confusion
from classinet.evaluation import evaluate
from classinet.exceptions import InputError
from classinet.expansion import Global
from classinet.graph import FeatureGraph
from classinet.labels import LabelVectors
from classinet.model import ClassiNet
from classinet.net import Net
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline.representation import Representation
from classinet.plotting import plot_graph


def words_as_texts(topics, draws, seed):
    """Texts of two words of a topic: what is learnt of some words says nothing of others without a net."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(TOPICS[topic], 2, replace=False)) for _ in range(draws) for topic in topics]
    return texts, [topic for _ in range(draws) for topic in topics]


@pytest.fixture(scope="module")
def materials():
    corpus = made_up_sentences(900)
    paper = TextNet(model=ClassiNet.paper(30)).fit(corpus)
    train, test = words_as_texts(("weather", "kitchen"), 4, 1), words_as_texts(("weather", "kitchen"), 30, 2)
    return Materials(
        labelled=words_as_texts(("weather", "kitchen"), 12, 3),
        subj_texts=[*made_up_sentences(40, seed=5), "nothing known"],
        task=(*train, *test),
        net=TextNet().fit(corpus),
        paper_net=lambda n: paper,
    )


@pytest.fixture(scope="module")
def stored(materials):
    """What is read back from the files of all analyses."""
    return {a.name: json.loads(json.dumps(a.compute(materials), allow_nan=False)) for a in ANALYSES}


def planted_net(votes):
    """A net whose predictors fire where their words are."""
    votes = np.asarray(votes, dtype=bool)
    names = np.array([f"w{i}" for i in range(len(votes))], dtype=object)
    graph = FeatureGraph(names, np.zeros((len(names), len(names))))
    labels = LabelVectors.from_votes(votes, present=votes)
    return Net(
        graph=graph, columns=np.arange(len(names)), feature_names=names, frequency=votes.mean(axis=1), labels=labels
    )


def drawn(ax):
    """Draw for real, so that whatever drawing warns of fails the test."""
    figure = ax.get_figure(root=True)
    FigureCanvasAgg(figure).draw()
    return figure


# ------------------------------------------------------------------------------------------------------- all analyses


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.name)
def test_what_is_stored_is_enough_for_table_finding_and_picture(analysis, stored, caplog):
    values = stored[analysis.name]
    header, rows = analysis.table(values)
    assert rows or analysis.name == "graph_extract", "the made-up sentences hold none of the words of that figure"
    assert all(len(row) == len(header) and all(isinstance(cell, str) for cell in row) for row in rows)
    told = analysis.finding(values)
    assert told.startswith("The paper")
    assert "nan" not in told.split()
    if analysis.draw is not None:
        drawn(analysis.draw(values, None))
        given = Figure(figsize=(8, 4)).add_subplot()
        assert analysis.draw(values, given) is given
        drawn(given)
    assert not caplog.records


def test_names_are_those_of_files_and_all_different():
    names = [analysis.name for analysis in ANALYSES]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


@pytest.mark.parametrize("analysis", [hops.ANALYSIS, ratios.ANALYSIS, qualitative.ANALYSIS, neighbourhood.ANALYSIS])
def test_two_runs_give_the_same_values(analysis, materials, stored):
    assert json.loads(json.dumps(analysis.compute(materials))) == stored[analysis.name]


# ---------------------------------------------------------------------------------------------------------- all pairs


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 7), st.integers(1, 90))
def test_all_pairs_against_the_confusion_of_every_pair(seed, n, rows):
    votes = np.random.default_rng(seed).random((n, rows)) < 0.3
    net = planted_net(votes)
    weights = all_pairs(net).graph.weights.toarray()
    for i in range(n):
        for j in range(n):
            (both, only), _ = pair_confusion(net.labels, i, j)
            # A vertex that occurs nowhere has no sample to be weighed on; there is no edge then, as for i = j.
            wanted = 0.0 if i == j or both + only == 0 else both / (both + only)
            assert weights[i, j] == pytest.approx(wanted)


def test_all_pairs_needs_votes():
    net = replace(planted_net([[True, False]]), labels=None)
    with pytest.raises(InputError, match="holds no votes on held-out texts"):
        all_pairs(net)


# ------------------------------------------------------------------------------------------------- judging expansions


def test_cross_validation_is_that_of_a_classifier_on_the_rows_themselves(materials):
    texts, labels = materials.labelled
    net, expansions = materials.net, [None, Global(), Global(hops=2)]
    right = curves.cross_validated(
        net, texts, labels, expansions, C=10.0, weight=0.5, seed=3, progress=materials.progress
    )
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(texts, labels))
    truth = np.array(labels)
    for expansion, said in zip(expansions, right, strict=True):
        weight = 0.0 if expansion is None else 0.5
        representation = Representation.of(
            net.vectorizer_, net.net_, net.n_texts_, (), expansion or Global(), weight=weight
        )
        rows = representation.rows_of(representation.counts(texts)).toarray()
        for training, held_out in folds:
            clf = LogisticRegression(C=10.0, tol=1e-8).fit(rows[training], truth[training])
            # Without expansion some texts hold no known feature of the other folds: a coin's toss, left out.
            sure = np.abs(clf.decision_function(rows[held_out])) > 1e-3
            assert (said[held_out] == (clf.predict(rows[held_out]) == truth[held_out]))[sure].all()


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12))
def test_coordinates_keep_inner_products_also_of_equal_and_empty_rows(seed, n, width):
    rows = np.random.default_rng(seed).integers(-2, 3, (n, width)).astype(float)
    rows[n // 2] = 0.0
    rows[-1] = rows[0]
    rows[0, 0] = 1.0
    found = curves._coordinates(rows @ rows.T)
    assert found @ found.T == pytest.approx(rows @ rows.T, abs=1e-9)
    assert found.shape[1] == np.linalg.matrix_rank(rows)


def test_sentences_are_drawn_evenly_by_the_seed(materials):
    uneven = [f"t{i}" for i in range(50)], ["neg"] * 35 + ["pos"] * 15
    given = replace(materials, labelled=uneven)
    texts, labels = labelled_sentences(given)
    assert labels.count("neg") == labels.count("pos") == 15
    assert all(uneven[1][int(text[1:])] == label for text, label in zip(texts, labels, strict=True))
    assert labelled_sentences(given) == (texts, labels)
    assert labelled_sentences(replace(given, seed=1))[0] != texts
    many = [str(i) for i in range(2500)], ["neg", "pos"] * 1250
    assert len(labelled_sentences(replace(materials, labelled=many))[0]) == 2000


def test_scores_name_the_best_and_who_is_like_it():
    right = np.zeros((3, 40), dtype=bool)
    right[0, :30], right[1, :29], right[2, :10] = True, True, True
    scores = scored(right)
    assert scores["accuracy"] == [0.75, 0.725, 0.25]
    assert scores["best"] == 0
    assert scores["p"][:2] == [1.0, 1.0]
    assert alike(scores) == [1]
    assert all(
        low < score < high for low, score, high in zip(scores["low"], scores["accuracy"], scores["high"], strict=True)
    )


def test_the_curve_of_damping_meets_the_study_of_hops(stored):
    assert stored["damping"]["texts"] == 24
    # The curve and the study of hops meet where both have damping 0.85 and three hops.
    paper = next(own for name, own in stored["damping"]["recipes"].items() if name.startswith("paper"))
    at = stored["damping"]["dampings"].index(0.85)
    assert paper["accuracy"][at] == stored["hops"]["accuracy"][stored["hops"]["hops"].index(3)]
    assert paper["without"] == stored["hops"]["without"]


def test_damping_says_whether_the_published_peak_stands_out(stored):
    values = json.loads(json.dumps(stored["damping"]))
    name, own = next(iter(values["recipes"].items()))
    values["recipes"] = {name: own}
    at = values["dampings"].index(0.85)
    own["best"], own["p"] = at, [0.001] * len(own["p"])
    assert "best at γ = 0.85" in damping.finding(values)
    assert "0 of the 19 other dampings cannot be told" in damping.finding(values)
    own["best"] = 0
    assert "0.85 is told from it (p = 0.001)" in damping.finding(values)
    own["p"] = [0.03] * len(own["p"])  # of 19, one would be as low by chance
    assert "19 of the 19 other dampings cannot be told from it" in damping.finding(values)
    assert "0.85 is among these" in damping.finding(values)


# ------------------------------------------------------------------------------------------------- degrees and ratios


def test_degrees_are_sums_over_all_pairs():
    votes = [[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]
    text_net = SimpleNamespace(net_=planted_net(votes))
    values = degree.compute(SimpleNamespace(paper_net=lambda n: text_net))
    weights = all_pairs(text_net.net_).graph.weights.toarray()
    assert values["out_degree"] == [1, 1, 0]
    assert values["weighted_out_degree"] == weights.sum(axis=1).round(2).tolist()
    assert values["nets"][0]["pairs"] == 6
    assert values["nets"][0]["edges"] == 2
    assert values["nets"][0]["firing_rate"] == pytest.approx(6 / 12)
    assert "489,300" not in degree.finding(values)
    values["nets"][0]["pairs"] = 700 * 699
    assert "exactly the 489,300 edges" in degree.finding(values)


def test_ratios_against_sets(materials, stored):
    text_net = materials.paper_net(700)
    net, features_of = all_pairs(text_net.net_), text_net.vectorizer_.compiled()
    vertices, mutual = set(net.graph.names), net.graph.mutual_knn(4)
    for name, graph, n_hops in (
        ("all neighbour", mutual, 1),
        ("all neighbour, 10 neighbours", text_net.net_.graph.mutual_knn(4), 1),
        ("global", net.graph, paper_expansion().hops),
    ):
        wanted = []
        for text in materials.subj_texts:
            words = {word for word in features_of(text) if word in text_net.vectorizer_.vocabulary_}
            added = {target for word in words & vertices for target in _within(graph, word, n_hops)}
            wanted.append(round(len(words | added) / len(words), 2) if words else None)
        assert stored["expansion_ratio"]["methods"][name]["ratios"] == wanted
    assert wanted[-1] is None, "a text without a known word has no ratio"


def _within(graph, word, hops):
    reached, ring = set(), {word}
    for _ in range(hops):
        ring = {edge.target for name in ring for edge in graph.successors(name)}
        reached |= ring
    return reached


# ------------------------------------------------------------------------------------------------------------ extract

WORDS = ["awful", "horrible", "boring", "good", "bad", "film"]


def paper_like_graph():
    """The paper's figure: awful between horrible and boring, good beside bad, and film, to which no edge leads back."""
    weights = np.zeros((6, 6))
    for i, j in ((0, 1), (0, 2), (3, 4)):
        weights[i, j], weights[j, i] = 0.8, 0.7
    weights[:5, 5] = 0.1
    return FeatureGraph(WORDS, weights)


def test_extract_answers_what_the_paper_says_of_its_figure():
    cut = extract._cut(paper_like_graph())
    assert cut["awful_horrible"] is True
    assert cut["good_bad"] is True
    assert cut["horrible_boring"] is False
    assert cut["between"] == ["awful"]
    assert cut["mutual_edges"] == len(cut["edges"]) == 6
    assert ["awful", "horrible", 0.8] in cut["edges"]
    assert ["horrible", "awful", 0.7] in cut["edges"]
    assert "dull" in cut["missing"]
    values = {"k": 4, "words": list(extract.WORDS), "graphs": {"planted": cut}}
    told = extract.finding(values)
    assert "awful–horrible joined, good–bad joined, horrible–boring not joined, two-hop paths through awful" in told
    ax = extract.draw(values, None)
    assert {text.get_text() for text in ax.texts} == {*WORDS[:5], "0.80", "0.70"}
    drawn(ax)


def test_extract_says_which_words_could_not_be_asked():
    cut = extract._cut(FeatureGraph(["good", "fine"], np.array([[0, 0.5], [0.5, 0]])))
    assert cut["good_bad"] is None
    assert cut["between"] == []
    told = extract.finding({"graphs": {"small": cut}})
    assert "bad, terrible" in told
    assert "good–bad not asked" in told


@pytest.mark.parametrize("joined", [True, False])
def test_parts_that_no_path_joins_are_drawn_side_by_side(joined):
    weights = np.zeros((6, 6))
    if joined:
        weights[0, 1] = weights[1, 0] = weights[2, 3] = weights[3, 2] = 0.5
    ax = plot_graph(FeatureGraph(list("abcdef"), weights), ["a", "c", "e"])
    figure = drawn(ax)
    shown = [text for text in ax.texts if text.get_gid().startswith("vertex")]
    assert [text.get_text() for text in shown] == (["a", "c", "e", "b", "d"] if joined else ["a", "c", "e"])
    boxes = [text.get_bbox_patch().get_window_extent(figure.canvas.get_renderer()) for text in shown]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert [text.get_color() for text in shown[:3]] == ["white"] * 3
    assert {text.get_color() for text in shown[3:]} <= {"black"}


# -------------------------------------------------------------------------------------------------------- qualitative


def test_turned_texts_are_counted_and_chosen_by_the_rule(materials, stored):
    texts, labels, judged, truth = materials.task
    clf = ClassiNetClassifier(materials.net, Global(), random_state=0).fit(texts, labels)
    told = evaluate(clf, judged, truth)
    own = stored["turned_texts"]["recipes"]["default recipe"]
    assert own["turned_right"] == told.expansion.only_first > 0
    assert own["turned_wrong"] == told.expansion.only_second
    assert own["accuracy"] == told.accuracy
    assert own["p"] == told.expansion.p
    said, plain = clf.predict(judged), clf.predict_without_expansion(judged)
    turned = [i for i in range(len(judged)) if said[i] == truth[i] != plain[i]]
    right = [example for example in own["examples"] if example["kind"] == "turned right"]
    assert len(right) == min(2, len(turned))
    assert right[0]["gain"] >= right[-1]["gain"] > 0
    for example in right:
        assert example["text"] in {judged[i] for i in turned}
        assert example["with"] == example["truth"] != example["without"]
        topic = set(TOPICS[example["truth"]])
        assert len(topic & set(example["features"])) > len(example["features"]) / 2, (
            "what speaks for it is of its topic"
        )


def test_long_texts_are_shortened():
    assert qualitative._shortened("a" * 120) == "a" * 120
    assert qualitative._shortened("word " * 40) == ("word " * 40)[:119].rstrip() + "…"


# -------------------------------------------------------------------------------------- neighbourhoods and predictors


def test_exact_searches_find_all_and_shares_are_shares(stored):
    found = {name: own["found"] for name, own in stored["neighbourhood"]["curves"].items()}
    assert found["default recipe: angle, as built"] == [1.0] * len(neighbourhood.SIZES)
    assert all(0 <= share <= 1 for shares in found.values() for share in shares)


def test_overlap_counts_the_heaviest_edges_that_were_found():
    weights = FeatureGraph(list("abc"), np.array([[0, 0.9, 0.5], [0.2, 0, 0.4], [0, 0, 0]])).weights
    found = FeatureGraph(list("abc"), np.array([[0, 0.1, 0.8], [0, 0, 0.7], [0.3, 0, 0]])).weights
    everyone = np.arange(3)
    assert neighbourhood._overlap(weights, weights, 1, everyone) == 1.0
    assert neighbourhood._overlap(found, weights, 1, everyone) == 1 / 2  # a: c rather than b; b: c
    assert neighbourhood._overlap(found, weights, 2, everyone) == 3 / 4  # b's edge to a was not found
    assert neighbourhood._overlap(found, weights, 1, everyone[2:]) == 1.0  # nothing to find


def test_bands_hold_every_predictor_with_an_auc(stored):
    for own in stored["predictor_quality"]["recipes"].values():
        assert sum(band["predictors"] for band in own["bands"]) == own["predictors"] - own["without_auc"]
        assert len(own["share"]) == len(own["auc"]) == own["predictors"]


def test_bands_and_shared_words_of_known_predictors():
    bands = quality._bands(np.array([0.0005, 0.0005, 1.0, 0.05]), np.array([0.4, 0.8, 0.9, math.nan]))
    assert [(band["low"], band["predictors"]) for band in bands] == [(0.0001, 2), (0.1, 1)]
    assert bands[0]["worse_than_chance"] == 0.5
    assert bands[0]["quartiles"][1] == pytest.approx(0.6)
    shared = quality._shared(np.array([[0.9, 0.8], [0.7, 0.6], [0.5, 0.55]]))
    assert shared == {"words": 3, "default": 0.7, "paper": 0.6, "default_ahead": pytest.approx(2 / 3)}
    assert quality._shared(np.empty((0, 2))) == {"words": 0}
