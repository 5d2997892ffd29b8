"""Pieces of texts against plain code: what they are, how they are weighed, and that decisions are told by them."""

from collections import Counter
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classinet._sparse import canonical_csr
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.text import OwnFeatures
from classinet.datasets import made_up_sentences
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import AllNeighbors, Global, Independent, Spectral
from classinet.graph.selection import row_of_entries
from classinet.model import ClassiNet
from classinet.persistence import load, save
from classinet.pipeline import ClassiNetClassifier, TextNet, pieces
from classinet.pipeline.pieces import Pieces, phrases_of, runs_of_word
from classinet.pipeline.representation import Representation
from classinet.text import TextVectorizer
from classinet.text.pieces import is_piece, is_run, letters_of, pieces_of
from classinet.vertices import AllFeatures, BestByLabels, Landmarks, Listed, MinDocumentFrequency, MostFrequent

SENTENCES = made_up_sentences()
LABELLED = ["the rain and the wind", "a wet wind", "bread in the hot oven", "a late goal", "xyzzy goals"]
LABELS = ["weather", "weather", "kitchen", "football", "football"]
OTHERS = ["windy and raining", "goalless", "the oven", "rain the rain", "", "zzz"]


@pytest.fixture(scope="module")
def net():
    return TextNet().fit(SENTENCES)


@pytest.fixture(scope="module")
def net_of_words():
    return TextNet(TextVectorizer(min_df=2)).fit(SENTENCES)


@pytest.fixture(params=["net", "net_of_words"])
def any_net(request):
    """Nets that count pieces and nets that do not: what they leave out, the classifier counts."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def clf(net):
    return ClassiNetClassifier(net).fit(LABELLED, LABELS)


def plain_row(text, net, labelled):
    """Name → value of a text's own features, by the definition alone."""
    in_net = net.vectorizer_.pieces

    def features(text):
        words = text.split()
        return words + ([p for p in phrases(text) if "⊣" not in p] if in_net else [])

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

    holding, n = Counter(f for s in SENTENCES for f in set(features(s))), len(SENTENCES)
    known = set(net.net_.feature_names) | {f for t in labelled for f in features(t)}
    in_texts = {f: holding[f] for f in net.net_.feature_names}
    held_run = Counter()
    for word in {w for s in SENTENCES for w in s.split() if w in in_texts}:
        for run in set(runs(word)):
            held_run[run] += in_texts[word]
    known_phrases = {p for t in labelled for p in phrases(t)}
    known_runs = {r for t in labelled for w in t.split() for r in runs(w)}
    found = Counter(f for f in features(text) if f in known)
    beside = Counter(p for p in phrases(text) if p in known_phrases and not in_net)
    blocks = (
        (sqrt(0.98) if in_net else 0.7,
         {f: (1 + log(c)) * rarity(in_texts.get(f, 0)) for f, c in found.items()}),
        (0.7, {p: 1 + log(c) for p, c in beside.items()}),
        (1.0, {r: (1 + log(c)) * rarity(held_run[r])
               for r, c in Counter(r for w in text.split() for r in runs(w) if r in known_runs).items()}),
    )  # fmt: skip
    row = {}
    for kind, (length, block) in enumerate(blocks):
        norm = sqrt(sum(v * v for v in block.values()))
        row |= {(kind, name): length * value / norm for name, value in block.items()}
    whole = sqrt(sum(v * v for v in row.values()))
    return {name: value / whole for name, value in row.items()}


def way_of(net):
    unknown = {f for text in LABELLED for f in net.vectorizer_.features(text)} - set(net.net_.feature_names)
    unknown = {f for f in unknown if not is_run(f)}
    return Representation.of(net.vectorizer_, net.net_, net.n_texts_, unknown, Global()).with_pieces_of(LABELLED)


def test_rows_are_those_of_plain_code(any_net):
    net, way = any_net, way_of(any_net)
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


def test_what_leads_to_words_is_weighed_by_plain_code(any_net):
    net, way = any_net, way_of(any_net)
    names, n = net.net_.feature_names.tolist(), len(SENTENCES)
    held = dict(zip(names, np.rint(net.net_.frequency * n), strict=True))
    for text in LABELLED + OTHERS:
        counted = Counter(f for f in net.vectorizer_.features(text) if f in held)
        oracle = {f: (0.5 if "…" in f else 1.0) * (1 + log(c)) * (1 + log((1 + n) / (1 + held[f])))
                  for f, c in counted.items()}  # fmt: skip
        whole = sqrt(sum(v * v for v in oracle.values()))
        row = way.leading_rows(way.counts([text]))
        found = {names[c]: v for c, v in zip(row.indices, row.data, strict=True)}
        assert found == {f: pytest.approx(v / whole, rel=1e-9) for f, v in oracle.items()}


def test_the_benchmark_sees_the_same_rows(net):
    words = NoExpansion(TextVectorizer(min_df=2, pieces=True)).fit(SENTENCES)
    texts = LABELLED + OTHERS
    rows = OwnFeatures.of(texts, words).rows(np.arange(len(LABELLED))).toarray()
    way = way_of(net)
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
    assert {term.kind for term in told.terms if term.contributions[0]} == {"letters", "predicted", "intercept"}


def test_a_word_that_nobody_has_seen_leads_to_words_by_its_letters(net):
    told = net.expand("thunderings")
    assert told.coverage == 0.0
    assert {feature.path[0] for feature in told.predicted} <= set(letters_of("thunderings"))
    assert "storm" in {feature.name for feature in told.predicted}
    assert {feature.kind for feature in told.features} == {"predicted"}
    assert net.expand("xyzzy").features == ()


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


def test_without_pieces_there_are_the_features_of_the_net_alone(net, net_of_words):
    assert "letters" not in {
        term.kind for term in ClassiNetClassifier(net, pieces=False).fit(LABELLED, LABELS).explain("rain").terms
    }
    net = net_of_words
    clf = ClassiNetClassifier(net, pieces=False).fit(LABELLED, LABELS)
    assert clf.pieces_ is None
    assert {term.kind for term in clf.explain("rain").terms} == {"text", "predicted", "intercept"}
    with pytest.raises(ParameterError, match="pieces must be one of True, False"):
        ClassiNetClassifier(net, pieces="yes").fit(LABELLED, LABELS)


def test_any_vectorizer_has_pieces():
    for vectorizer in (TextVectorizer(ngram_range=(1, 2), min_df=2), TextVectorizer(analyzer="char_wb", min_df=2)):
        clf = ClassiNetClassifier(TextNet(vectorizer).fit(SENTENCES[:300])).fit(LABELLED, LABELS)
        assert "⊢ a" in clf.pieces_.phrases
        assert clf.judge(LABELLED).labels.tolist() == clf.predict(LABELLED).tolist() == LABELS


# ----------------------------------------------------------------------------------------------- pieces in a net


@given(st.lists(st.text("abcdefg", min_size=1, max_size=7), max_size=6))
def test_no_piece_looks_like_a_word(tokens):
    found = pieces_of(tokens)
    assert all(map(is_piece, found))
    assert not any(map(is_piece, tokens))
    words = ["⊢", *tokens]
    plain = [f"{a} {b}" for a, b in pairwise(words)] + [" ".join(words[: k + 1]) for k in (2, 3) if len(tokens) >= k]
    assert found == plain + [run for token in tokens for run in letters_of(token)]
    assert pieces_of(tokens, "stems") == plain + [token[:4] + "…" for token in tokens if len(token) > 4]


@given(st.text("abcdefg", min_size=4, max_size=12))
def test_the_runs_of_a_word_spell_it(word):
    first, *inside, last = letters_of(word)
    assert first == word[:3] + "…"
    assert last == "…" + word[-3:]
    assert word == inside[0].strip("…") + "".join(run.strip("…")[-1] for run in inside[1:])
    assert all(map(is_run, letters_of(word)))


def test_words_and_pieces_are_chosen_apart(monkeypatch):
    monkeypatch.setattr("classinet.text.vectorizer.MOST_PIECES", 3)
    texts = ["red fox", "red hen", "red fox again", "blue fox"]
    counted = Counter(f for text in texts for f in {*text.split(), *pieces_of(text.split())})
    assert (counted["red"], counted["red fox"], counted["⊢ red"]) == (3, 2, 3)
    every = TextVectorizer(pieces=True).fit(texts).vocabulary_
    assert sorted(every) == list(every) == ["again", "blue", "fox", "hen", "red", "red fox", "⊢ red", "⊢ red fox"]
    assert list(TextVectorizer(pieces=True, max_features=1).fit(texts).vocabulary_) == ["fox", "⊢ red"]
    assert list(TextVectorizer(pieces=True, min_df=3).fit(texts).vocabulary_) == ["fox", "red", "⊢ red"]


@pytest.mark.parametrize("others", [{"ngram_range": (1, 2)}, {"analyzer": "char"}])
def test_pieces_need_words_one_by_one(others):
    with pytest.raises(ParameterError, match="pieces=True needs words one by one"):
        TextVectorizer(pieces=True, **others).fit(["a b"])
    with pytest.raises(ParameterError, match="pieces must be one of True, False"):
        TextVectorizer(pieces="all").fit(["a b"])


def test_vertices_are_words_and_pieces_lead_to_them(net):
    names = net.net_.feature_names
    assert not any(map(is_piece, net.net_.graph.names))
    assert sum(map(is_piece, names)) > len(names) / 2
    assert net.net_.graph.first_hop.shape == (len(names), net.net_.n_vertices)
    for piece in ("storm and", "⊢ storm", "sto…", "…torm…"):
        assert net.as_feature(piece) == piece
        assert {edge.source for edge in net.neighbors(piece, top=3)} == {piece}
    told = net.expand("storm and thunder")
    assert {feature.path[0] for feature in told.predicted} & set(pieces_of(["storm", "and", "thunder"]))
    assert told.coverage == 1.0


def test_no_piece_leads_to_a_word_that_it_holds(net):
    first_hop, words = net.net_.graph.first_hop, net.net_.graph.names
    for row, column in zip(row_of_entries(first_hop), first_hop.indices, strict=True):
        name, word = str(net.net_.feature_names[row]), words[column]
        assert word not in name.split(" ")
        assert name not in letters_of(word)


def test_what_is_banned_of_a_word_is_banned_of_its_pieces(net):
    clf = ClassiNetClassifier(net).fit(["a wet wind", "a late goal"], ["weather", "football"])
    for expansion in (Global(), Global(hops=2), Spectral(), Independent(), AllNeighbors()):
        clf = ClassiNetClassifier(net, expansion=expansion).fit(["a wet wind", "a late goal"], ["weather", "football"])
        clf.ban("thunder")
        assert clf.explain("thunder").expanded.predicted == ()
        clf.undo()
        assert clf.explain("thunder").expanded.predicted != ()
    clf = ClassiNetClassifier(net).fit(["a wet wind", "a late goal"], ["weather", "football"])
    target = clf.explain("thunder").expanded.predicted[0].name
    clf.ban("thunder", target)
    assert target not in {feature.name for feature in clf.explain("thunder").expanded.predicted}
    clf.pin("⊢ thunder", target, 0.5)  # an edit that names a piece holds for it
    told = {feature.name: feature for feature in clf.explain("thunder").expanded.predicted}
    assert told[target].path == ("⊢ thunder", target)


def test_the_papers_recipe_counts_words_alone():
    net = TextNet(model=ClassiNet.paper(vertices=10)).fit(SENTENCES[:200])
    assert not net.vectorizer_.pieces
    assert not any(map(is_piece, net.net_.feature_names))


def test_a_net_of_pieces_is_kept_and_goes_on(net, tmp_path):
    clf = ClassiNetClassifier(net).fit(LABELLED, LABELS)
    save(clf, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.text_net_.vectorizer_.pieces
    np.testing.assert_array_equal(loaded.predict_proba(LABELLED), clf.predict_proba(LABELLED))
    small = TextNet(updatable=True).fit(SENTENCES[:150])
    more = small.updated(SENTENCES[150:300])
    both = TextNet().fit(SENTENCES[:300])
    assert more.net_.feature_names.tolist() == both.net_.feature_names.tolist()
    assert more.net_.graph.names.tolist() == both.net_.graph.names.tolist()
    assert not any(is_piece(more.net_.counts.names[row]) for row in more.net_.counts.rows)


@pytest.mark.parametrize(
    "vectorizer",
    [TextVectorizer(), TextVectorizer(ngram_range=(1, 3)), TextVectorizer(ngram_range=(2, 2)),
     TextVectorizer(analyzer="char", ngram_range=(2, 3)), TextVectorizer(analyzer="char_wb", ngram_range=(3, 4)),
     TextVectorizer(pieces=True), TextVectorizer(pieces="stems")],
    ids=repr,
)  # fmt: skip
@given(text=st.text(alphabet="abcdefg 天气", max_size=60))
def test_parts_make_up_all_features(vectorizer, text):
    parts = vectorizer.compiled_parts()
    tokens = parts.tokenize(text)
    found = [*parts.of_order(tokens), *(feature for token in tokens for feature in parts.of_token(token))]
    assert Counter(found) == Counter(vectorizer.features(text))


def test_leading_features_are_checked():
    X = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]] * 10)
    net = ClassiNet().fit(X, leading=[False, True, False]).net_
    assert net.columns.tolist() == [0, 2]
    assert net.graph.first_hop.shape == (3, 2)
    assert net.graph.first_hop[[1]].nnz
    for wrong in ([True, False], [1, 0, 1], "yes"):
        with pytest.raises(InputError, match="leading must hold True or False for each of 3 features"):
            ClassiNet().fit(X, leading=wrong)
    with pytest.raises(InputError, match="leaves no feature"):
        ClassiNet().fit(X, leading=[True] * 3)
    none, nothing = (ClassiNet().fit(X, leading=leading).net_ for leading in ([False] * 3, None))
    np.testing.assert_array_equal(none.graph.weights.toarray(), nothing.graph.weights.toarray())


def test_a_piece_that_is_asked_for_as_a_vertex_is_looked_at():
    texts = ["how many cats", "how many dogs", "who has cats", "who has dogs"] * 10
    vectorizer = TextVectorizer(pieces=True)
    net = TextNet(vectorizer, ClassiNet(vertices=["how many", "cats", "who"])).fit(texts)
    assert "how many" in net.net_.graph
    looked_at = np.setdiff1d(np.arange(net.net_.n_features), net.net_.predictor.leading_)
    pieces = [str(name) for name in net.net_.feature_names[looked_at] if is_piece(str(name))]
    assert pieces == ["how many"]


def test_predictors_of_a_text_net_look_at_words_alone_and_pieces_lead_all_the_same():
    net = TextNet().fit(made_up_sentences())
    predictor, names = net.net_.predictor, net.net_.feature_names
    pieces = np.array([is_piece(str(name)) for name in names])
    np.testing.assert_array_equal(predictor.leading_, np.flatnonzero(pieces))
    assert not predictor.context_vectors_[pieces].any()
    assert predictor.context_vectors_[~pieces].any(axis=1).all()
    assert net.net_.graph.first_hop[np.flatnonzero(pieces)].nnz
    counts = net.vectorizer_.transform(["thunder and rain"])
    of_words = counts.copy()
    of_words.data[pieces[of_words.indices]] = 0
    np.testing.assert_array_equal(predictor.predict_proba(counts), predictor.predict_proba(of_words))


@pytest.mark.parametrize("rule", [Landmarks(), MostFrequent(3), AllFeatures(), MinDocumentFrequency(1)])
def test_rules_choose_among_candidates(rule):
    X, names = canonical_csr(np.ones((6, 4))), np.array(["a", "b", "c", "d"], dtype=object)
    allowed = np.array([True, False, True, False])
    assert rule.choose(X, names, None, allowed).tolist() == [0, 2]


def test_the_best_by_labels_are_candidates_and_listed_ones_need_not_be():
    X, names = canonical_csr(np.array([[1, 1, 0], [0, 0, 1]] * 4)), np.array(["a", "b", "c"], dtype=object)
    allowed = np.array([False, True, True])
    assert BestByLabels(1).choose(X, names, [0, 1] * 4, allowed).tolist() == [1]
    assert Listed(["a"]).choose(X, names, None, allowed).tolist() == [0]
