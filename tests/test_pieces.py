"""Pieces of texts against plain code: what they are, how they are weighed, and that decisions are told by them."""

from collections import Counter
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.text import OwnFeatures
from classinet.datasets import made_up_sentences
from classinet.exceptions import ParameterError
from classinet.expansion import Global
from classinet.pipeline import ClassiNetClassifier, TextNet, pieces
from classinet.pipeline.pieces import Pieces, phrases_of, runs_of_word
from classinet.pipeline.representation import Representation

SENTENCES = made_up_sentences()
LABELLED = ["the rain and the wind", "a wet wind", "bread in the hot oven", "a late goal", "xyzzy goals"]
LABELS = ["weather", "weather", "kitchen", "football", "football"]
EXTRA = ["xyzzy", "goals", "in", "hot", "late"]
OTHERS = ["windy and raining", "goalless", "the oven", "rain the rain", "", "zzz"]


@pytest.fixture(scope="module")
def net():
    return TextNet().fit(SENTENCES)


@pytest.fixture(scope="module")
def clf(net):
    return ClassiNetClassifier(net).fit(LABELLED, LABELS)


def plain_row(text, net, labelled):
    """Name → value of a text's own features, by the definition alone."""
    holding, n = Counter(word for s in SENTENCES for word in set(s.split())), len(SENTENCES)
    known = set(net.net_.feature_names) | {word for t in labelled for word in t.split()}

    def rarity(held):
        return 1 + log((1 + n) / (1 + min(held, n)))

    def phrases(text):
        words = text.split()
        padded = ["⊢", *words, "⊣"] if words else []
        first = [" ".join(["⊢", *words[:k]]) for k in (2, 3) if len(words) >= k]
        return [f"{a} {b}" for a, b in pairwise(padded)] + first

    def runs(word):
        padded = f" {word} "
        return [padded[i : i + k] for k in (3, 4, 5) for i in range(len(padded) - k + 1)] or [padded]

    net_words = {w: holding[w] for w in net.net_.feature_names}
    held_run = Counter()
    for word, held in net_words.items():
        for run in set(runs(word)):
            held_run[run] += held
    known_phrases = {p for t in labelled for p in phrases(t)}
    known_runs = {r for t in labelled for w in t.split() for r in runs(w)}
    words = Counter(w for w in text.split() if w in known)
    blocks = (
        (0.7, {w: (1 + log(c)) * rarity(net_words.get(w, 0)) for w, c in words.items()}),
        (0.7, {p: 1 + log(c) for p, c in Counter(p for p in phrases(text) if p in known_phrases).items()}),
        (1.0, {r: (1 + log(c)) * rarity(held_run[r])
               for r, c in Counter(r for w in text.split() for r in runs(w) if r in known_runs).items()}),
    )  # fmt: skip
    row = {}
    for kind, (length, block) in enumerate(blocks):
        norm = sqrt(sum(v * v for v in block.values()))
        row |= {(kind, name): length * value / norm for name, value in block.items()}
    whole = sqrt(sum(v * v for v in row.values()))
    return {name: value / whole for name, value in row.items()}


def test_rows_are_those_of_plain_code(net):
    way = Representation.of(net.vectorizer_, net.net_, net.n_texts_, EXTRA, Global())
    way = way.with_pieces_of(LABELLED)
    names = [(0, str(name)) for name in way.column_names()]
    names += [(1, name) for name in way.pieces.phrases] + [(2, name) for name in way.pieces.runs]
    assert len(names) == way.n_columns
    for text in LABELLED + OTHERS:
        row = way.text_rows(way.counts([text]))
        found = {names[c]: v for c, v in zip(row.indices, row.data, strict=True)}
        oracle = plain_row(text, net, LABELLED)
        assert found.keys() == oracle.keys()
        for name in oracle:
            assert found[name] == pytest.approx(oracle[name], rel=1e-9)


def test_the_benchmark_sees_the_same_rows(net):
    words = NoExpansion().fit(SENTENCES)
    texts = LABELLED + OTHERS
    rows = OwnFeatures.of(texts, words, pieces=True).rows(np.arange(len(LABELLED))).toarray()
    way = Representation.of(net.vectorizer_, net.net_, net.n_texts_, EXTRA, Global())
    way = way.with_pieces_of(LABELLED)
    oracle = way.text_rows(way.counts(texts)).toarray()
    np.testing.assert_allclose(rows @ rows.T, oracle @ oracle.T, atol=1e-9)


def test_an_unseen_form_of_a_word_is_judged_by_its_letters(net):
    clf = ClassiNetClassifier(net).fit(["a wet wind", "a late goal"], ["weather", "football"])
    unseen = ["goalless", "windy"]
    assert clf.predict(unseen).tolist() == ["football", "weather"]
    assert clf.coverage(unseen).tolist() == [0.0, 0.0]
    told = clf.explain("goalless")
    assert "no word is known (goalless): judged by its pieces alone" in str(told)
    assert told.expanded.unknown == ("goalless",)
    assert {term.kind for term in told.terms if term.contributions[0]} == {"letters", "intercept"}


def test_the_order_of_words_counts(net):
    clf = ClassiNetClassifier(net, weight=0).fit(["rain then goal", "goal then rain"], ["a", "b"])
    assert clf.predict(["rain then", "goal then"]).tolist() == ["a", "b"]


def test_letters_of_a_shared_run_are_divided(clf):
    """ "wind" twice and "windy" share runs: what each word is told to add sums to what the runs add."""
    told = clf.explain("wind windy wind rain")
    for c, logit in enumerate(told.logits):
        assert sum(term.contributions[c] for term in told.terms) == pytest.approx(logit, abs=1e-9)
    letters = {term.name: term for term in told.terms if term.kind == "letters"}
    assert letters.keys() == {"wind", "windy", "rain"}
    assert abs(letters["wind"].contributions[2]) > abs(letters["windy"].contributions[2])


def test_of_many_labelled_texts_pieces_of_one_alone_are_left_out(monkeypatch):
    texts = [["red", "fox"], ["red", "hen"]]
    assert "red fox" in Pieces.of(texts).phrases
    monkeypatch.setattr(pieces, "MANY_TEXTS", 2)
    assert Pieces.of(texts).phrases == ("⊢ red",)
    assert set(Pieces.of(texts).runs) == set(runs_of_word("red"))


def test_remembered_words_are_bounded(monkeypatch):
    monkeypatch.setattr(pieces, "REMEMBERED", 3)
    found = Pieces.of([["red", "fox"]])
    counts = [found.run_columns(word) for word in ["red", "a", "b", "c", "d", "red"]]
    assert counts[0] == counts[-1] != []
    assert len(found._remembered) <= 3


@given(st.lists(st.lists(st.text(min_size=1, max_size=6), max_size=5), max_size=5))
def test_counts_are_the_pieces_of_each_text(texts):
    found = Pieces.of(texts)
    names = [*found.phrases, *found.runs]
    n_phrases = len(found.phrases)
    for tokens, row in zip(texts, found.count(texts).toarray(), strict=True):
        phrases, runs = Counter(phrases_of(tokens)), Counter(r for t in tokens for r in runs_of_word(t))
        assert {names[c]: int(row[c]) for c in np.flatnonzero(row[:n_phrases])} == phrases
        assert {names[c]: int(row[c]) for c in n_phrases + np.flatnonzero(row[n_phrases:])} == runs


def test_without_pieces_there_are_words_alone(net):
    clf = ClassiNetClassifier(net, pieces=False).fit(LABELLED, LABELS)
    assert clf.pieces_ is None
    assert {term.kind for term in clf.explain("rain").terms} == {"text", "predicted", "intercept"}
    with pytest.raises(ParameterError, match="pieces must be one of True, False"):
        ClassiNetClassifier(net, pieces="yes").fit(LABELLED, LABELS)


def test_any_vectorizer_has_pieces():
    from classinet.text import TextVectorizer

    for vectorizer in (TextVectorizer(ngram_range=(1, 2), min_df=2), TextVectorizer(analyzer="char_wb", min_df=2)):
        clf = ClassiNetClassifier(TextNet(vectorizer).fit(SENTENCES[:300])).fit(LABELLED, LABELS)
        assert "⊢ a" in clf.pieces_.phrases
        assert clf.judge(LABELLED).labels.tolist() == clf.predict(LABELLED).tolist() == LABELS
