"""Rivals that take bags of words: WordNet, SCL and frequent term sets, against oracles and on planted texts."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import fpgrowth
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from classinet._sparse import canonical_csr
from classinet.baselines import frequent_terms
from classinet.baselines import scl as scl_module
from classinet.baselines.frequent_terms import FrequentTermSets, frequent_sets
from classinet.baselines.scl import SCL, leading_directions
from classinet.baselines.wndb import read_wndb
from classinet.baselines.wordnet import WordNet
from classinet.exceptions import InputError, ParameterError
from classinet.predictors import Factorised, Logistic, Sampling
from classinet.text import TextVectorizer
from classinet.vertices import BestByLabels
from conftest import TOPICS, topic_corpus

SYNSETS = {
    "noun": [
        ["film", "movie", "motion_picture"], ["film", "plastic_film"], ["goose"], ["glass"], ["man"],
        ["box", "loge"], ["lady", "ma'am"], ["New_York", "Big_Apple"],
        [f"word{i}" for i in range(17)],
    ],
    "verb": [["film", "shoot", "take"], ["saw"], ["see", "spot"], ["make"]],
    "adj": [["good(a)", "full"], ["abounding", "galore(ip)"], ["nice"], ["wide(p)"]],
    "adv": [["well", "good"]],
}  # fmt: skip
EXCEPTIONS = {"noun": ["geese goose"], "verb": ["saw see", "shot shoot"], "adj": ["better good"], "adv": ["best well"]}
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
LICENCE = "  1 This is a licence.  \n  2 It begins every line with two spaces.  \n"


def write_wndb(folder):
    """Write the files as WordNet does: offsets in bytes, counts of words in hexadecimal, pointers, a gloss."""
    for part, synsets in SYNSETS.items():
        data, senses = LICENCE, {}
        for words in synsets:
            offset = len(data.encode())
            members = " ".join(f"{word} 0" for word in words)
            data += (
                f"{offset:08d} 04 {LETTERS[part]} {len(words):02x} {members} 001 @ 00000001 n 0000 | a gloss; 3 (a)  \n"
            )
            for word in words:
                senses.setdefault(word.split("(")[0].lower(), []).append(offset)
        index = LICENCE + "".join(
            f"{lemma} {LETTERS[part]} {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  \n"
            for lemma, found in sorted(senses.items())
        )
        (folder / f"data.{part}").write_text(data, encoding="utf-8")
        (folder / f"index.{part}").write_text(index, encoding="utf-8")
        (folder / f"{part}.exc").write_text("".join(f"{line}\n" for line in EXCEPTIONS[part]), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory):
    return write_wndb(tmp_path_factory.mktemp("wordnet"))


# ------------------------------------------------------------------------------------------ WordNet's files


@pytest.mark.parametrize(
    ("form", "lemmas"),
    [
        ("films", {"film"}), ("filming", {"film"}), ("filmed", {"film"}), ("film", {"film"}),
        ("geese", {"goose"}), ("gooses", {"goose"}),  # an irregular form; a regular one that nobody uses
        ("saw", {"saw", "see"}),  # a lemma, and an irregular form of another
        ("boxes", {"box"}), ("ladies", {"lady"}), ("men", {"man"}), ("making", {"make"}), ("takes", {"take"}),
        ("nicer", {"nice"}), ("nicest", {"nice"}), ("wider", {"wide"}), ("fuller", {"full"}),
        ("better", {"good"}), ("best", {"well"}), ("good", {"good"}),
        ("glass", {"glass"}), ("glasss", set()), ("as", set()), ("unknown", set()), ("", set()),
    ],
)  # fmt: skip
def test_base_forms_are_found_by_lists_and_endings(wordnet_folder, form, lemmas):
    assert set(read_wndb(wordnet_folder).base_forms(form)) == lemmas


def test_synonyms_are_all_words_of_all_synsets_of_all_parts_of_speech(wordnet_folder):
    thesaurus = read_wndb(wordnet_folder)
    assert thesaurus.synonyms("films") == ["film", "movie", "motion_picture", "plastic_film", "shoot", "take"]
    assert thesaurus.synonyms("galore") == ["abounding", "galore"]
    assert set(thesaurus.synonyms("good")) == {"good", "full", "well"}
    assert thesaurus.synonyms("big_apple") == ["new_york", "big_apple"]
    assert thesaurus.synonyms("word3") == [f"word{i}" for i in range(17)]  # seventeen words are 11 in hexadecimal
    assert thesaurus.synonyms("unknown") == []


def test_converted_line_ends_do_no_harm(wordnet_folder, tmp_path):
    for file in wordnet_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes().replace(b"  \n", b"\r\n").replace(b"\n", b"\r\n"))
    assert read_wndb(tmp_path) == read_wndb(wordnet_folder)


def test_where_the_files_are(wordnet_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CLASSINET_WORDNET", str(wordnet_folder))
    assert "film" in WordNet().fit([[1]], feature_names=["movie"]).lemmas_
    monkeypatch.setenv("CLASSINET_WORDNET", str(tmp_path))
    assert "film" in WordNet(wordnet_folder).fit([[1]], feature_names=["movie"]).lemmas_
    with pytest.raises(InputError, match=r"no WordNet files in .*wordnet-base, or set CLASSINET_WORDNET"):
        WordNet().fit([[1]])
    write_wndb(tmp_path)
    (tmp_path / "index.verb").unlink()
    with pytest.raises(InputError, match=r"\(index.verb is missing\)"):
        WordNet().fit([[1]])


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data.noun", "n 03 film", "n 04 film", r"data\.noun, line 3: 4 words were announced"),
        ("data.noun", "n 03 film", "n 00 film", r"data\.noun, line 3: 0 words were announced"),
        ("data.verb", "v 01 make", "v zz make", r"data\.verb, line 6: invalid literal.*'zz'"),
        ("data.verb", "01 make 0 001 @ 00000001 n 0000 | a gloss; 3 (a)  \n", "01 ma", "line 6: 1 words were"),
        ("data.adv", "04 r 02", "04 02", r"data\.adv, line 3"),
        ("data.adj", "abounding", "abo\udcff", r"data\.adj, line 4: 'utf-8' codec can't decode"),
        ("index.noun", "goose n 1 2 @ ~ 1 0", "goose n 1 2 @ 1 0", r"index\.noun, line \d+: 2 pointers and 1 synsets"),
        ("index.noun", "goose n 1", "goose n x", "invalid literal"),
        ("index.adv", "well r", "well", r"index\.adv, line 4"),
        ("index.adv", LICENCE, LICENCE + "alone\n", r"index\.adv, line 3: 1 fields where at least 4"),
        ("noun.exc", "geese goose", "geese", r"noun\.exc, line 1: 1 fields where at least 2"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_with_file_and_line(tmp_path, file, old, new, message):
    write_wndb(tmp_path)
    path = tmp_path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message):
        read_wndb(tmp_path)


def test_an_index_that_names_a_synset_that_is_not_there_is_refused(tmp_path):
    write_wndb(tmp_path)
    path = tmp_path / "index.adv"
    path.write_text(LICENCE + "well r 1 0 1 0 00999999\n")
    with pytest.raises(InputError, match=r"index\.adv, line 3: synset 00999999 is not in data\.adv"):
        read_wndb(tmp_path)


@pytest.mark.system
def test_the_real_files_are_read():
    thesaurus = read_wndb()
    assert sum(len(part.senses) for part in thesaurus.parts.values()) > 140_000
    assert {"movie", "picture", "shoot"} <= set(thesaurus.synonyms("films"))
    assert thesaurus.base_forms("geese") == ["goose"]
    everything = [word for part in thesaurus.parts.values() for words in part.words.values() for word in words]
    assert not any("(" in word for word in everything)
    for part in thesaurus.parts.values():  # every word of a synset can be looked up
        assert all(word in part.senses for words in part.words.values() for word in words)


# ------------------------------------------------------------------------------------------ the WordNet rival


def test_texts_meet_in_synonyms_whose_values_are_sums(wordnet_folder):
    rival = WordNet(wordnet_folder).fit(["films saw", "movie saw"] * 2)
    assert list(rival.lemmas_) == ["film", "movie", "saw", "see", "shoot", "spot", "take"]
    rows = rival.transform(["two films, films, a movie", "?"]).toarray()
    named = [dict(zip(rival.lemmas_, row, strict=True)) for row in rows]
    assert named[0] == {"film": 3, "movie": 3, "saw": 0, "see": 0, "shoot": 2, "spot": 0, "take": 2}
    assert not any(named[1].values())
    first, second = rival.transform(["films", "movie"]).toarray()
    assert first @ second == 2  # texts without a word in common share "film" and "movie"


def test_lemmas_of_several_words_count_where_the_vocabulary_holds_them(wordnet_folder):
    texts = ["the motion picture", "Big Apple movie"]
    rival = WordNet(wordnet_folder, TextVectorizer(ngram_range=(1, 2))).fit(texts)
    assert list(rival.lemmas_) == ["big apple", "film", "motion picture", "movie"]
    shown = dict(zip(rival.lemmas_, rival.transform(["Big Apple movie"]).toarray()[0], strict=True))
    assert shown == {"big apple": 1, "film": 1, "motion picture": 1, "movie": 1}
    assert "motion picture" not in WordNet(wordnet_folder, TextVectorizer()).fit(texts).lemmas_


def test_features_that_wordnet_does_not_know_bring_nothing(wordnet_folder):
    rival = WordNet(wordnet_folder).fit(sparse.eye_array(2).tocsr())
    assert rival.transform(np.ones((3, 2))).shape == (3, 0)
    mixed = WordNet(wordnet_folder).fit([[1, 2]], feature_names=["Goose", "qwerty"])
    assert mixed.transform([[2.5, 1.0]]).toarray().tolist() == [[2.5]]


# ------------------------------------------------------------------------------------------ SCL


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 40), st.integers(1, 8))
def test_leading_directions_are_those_of_the_dense_decomposition(seed, n_rows, n_columns, n_components):
    rng = np.random.default_rng(seed)
    dense = rng.random((n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.5)
    dense[0, 0] = 3.0
    values, directions = leading_directions(canonical_csr(dense), n_components)
    _, expected, vectors = np.linalg.svd(dense, full_matrices=False)
    kept = expected[:n_components][expected[:n_components] > 1e-6 * expected[0]]
    np.testing.assert_allclose(values, kept, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(directions.T @ directions, np.eye(len(values)), atol=1e-6)
    apart = np.abs(expected[:, None] - expected) > 1e-3
    for i in range(len(kept)):
        if apart[i].sum() == len(expected) - 1:  # only then is the vector the one of its value
            assert abs(directions[:, i] @ vectors[i]) > 1 - 1e-4
    assert (directions[np.abs(directions).argmax(axis=0), np.arange(len(values))] > 0).all()


def test_the_iteration_is_the_same_every_time():
    weights = canonical_csr(sparse.random_array((120, 90), density=0.1, rng=np.random.default_rng(1)))
    (values, first), (_, second) = leading_directions(weights, 5), leading_directions(weights, 5)
    assert first.tobytes() == second.tobytes()
    np.testing.assert_allclose(values, np.linalg.svd(weights.toarray())[1][:5])


ALL_ROWS = Sampling(negative_ratio=1e6, longer_than_average=False, min_cooccurrence=0)


def test_the_projection_is_that_of_positive_weights_of_logistic_regressions():
    X, names, _ = topic_corpus(n_texts=120, seed=3)
    pivots = ["film", "bank", "goal", "the"]
    rival = SCL(pivots, n_components=3, predictor=Logistic(0.5, sampling=ALL_ROWS, tol=1e-6), n_jobs=1)
    block = rival.fit(X, feature_names=names).transform(X)
    dense, weights = (X.toarray() > 0).astype(float), []
    for pivot in sorted(list(names).index(name) for name in pivots):
        others = dense.copy()
        others[:, pivot] = 0
        weights.append(LogisticRegression(C=0.5, tol=1e-8, max_iter=1000).fit(others, dense[:, pivot]).coef_[0])
    _, values, vectors = np.linalg.svd(np.maximum(weights, 0), full_matrices=False)
    np.testing.assert_allclose(rival.singular_values_, values[:3], rtol=1e-3)
    assert block.shape == (120, 3)
    np.testing.assert_allclose(np.abs(block), np.abs(X @ vectors[:3].T), atol=5e-3)


def test_words_that_never_meet_correspond_if_they_predict_the_same_pivots():
    rng = np.random.default_rng(0)
    twins = [("film", "movie"), ("bank", "lender"), ("match", "game")]
    texts = []
    for _ in range(600):
        topic = rng.integers(3)
        context = rng.choice(list(TOPICS.values())[topic][1:], 3, replace=False)
        context = [word for word in context if word not in ("bank", "match")] + ["the"]
        texts.append(" ".join([twins[topic][rng.integers(2)], *context]))
    rival = SCL(n_components=6).fit(texts)
    places = rival.transform([word for pair in twins for word in pair])
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    near = places @ places.T
    for i, j in combinations(range(6), 2):
        assert (near[i, j] > 0.9) if i // 2 == j // 2 else (near[i, j] < 0.5), (i, j)


def test_the_same_bytes_for_any_threads_blocks_and_order_of_rows(topics_corpus, monkeypatch):
    X, names, _ = topics_corpus
    one = SCL(n_components=5, n_jobs=1).fit(X, feature_names=names).projection_
    monkeypatch.setattr(scl_module, "PIVOT_BLOCK", 4)
    assert SCL(n_components=5, n_jobs=2).fit(X, feature_names=names).projection_.tobytes() == one.tobytes()
    turned = sparse.csr_array(X.toarray()[::-1])
    assert SCL(n_components=5).fit(turned, feature_names=names).projection_.tobytes() == one.tobytes()
    other = SCL(n_components=5, random_state=7, predictor=Logistic(0.1, sampling=Sampling(max_positives=20)))
    assert other.fit(X, feature_names=names).projection_.tobytes() != one.tobytes()


def test_features_that_contain_a_pivot_do_not_predict_it():
    rng = np.random.default_rng(0)
    texts = [f"new york {rng.choice(['bus', 'taxi', 'ferry'])} {rng.choice(['a', 'b'])}" for _ in range(60)]
    texts += [f"old town {rng.choice(['tram', 'horse', 'cart'])} {rng.choice(['a', 'b'])}" for _ in range(60)]
    vectorizer = TextVectorizer(ngram_range=(1, 2), min_df=2)
    rival = SCL(["new york"], 1, Logistic(1.0, sampling=ALL_ROWS), vectorizer).fit(texts)
    weight = dict(zip(rival.feature_names_, rival.projection_[:, 0], strict=True))
    assert weight["new"] == weight["york"] == weight["new york"] == 0
    assert weight["bus"] > 0


def test_what_scl_refuses(topics_corpus):
    X, names, _ = topics_corpus
    for rival, error, message in [
        (SCL(n_components=0), ParameterError, "n_components must be a whole number ≥ 1, got 0"),
        (SCL(random_state=-1), ParameterError, "random_state must be a whole number ≥ 0"),
        (SCL(predictor=Factorised()), ParameterError, "predictor must have sparse weights"),
        (SCL(BestByLabels(5)), ParameterError, "give the vertices that BestByLabels chose as a list"),
        (SCL(["film", "no such"]), InputError, "'no such', which is no feature name"),
    ]:
        with pytest.raises(error, match=message):
            rival.fit(X, feature_names=names)
    with pytest.raises(InputError, match=r"none of 3 pivots could be learnt; the first .*: occurs in every text"):
        SCL(predictor=Logistic(1.0, sampling=Sampling(min_positives=1))).fit(np.ones((9, 3)))
    with pytest.raises(InputError, match="no feature predicts any pivot"):
        leading_directions(canonical_csr(np.zeros((3, 4))), 2)


# ------------------------------------------------------------------------------------------ frequent term sets

MATRICES = st.integers(0, 2**31).map(np.random.default_rng).map(
    lambda rng: (rng.random((rng.integers(1, 40), rng.integers(1, 9))) < rng.random()) * 2.0
)  # fmt: skip


@settings(max_examples=60)
@given(MATRICES, st.integers(1, 8), st.integers(1, 4), st.booleans())
def test_frequent_sets_are_those_of_fpgrowth(dense, least, max_size, small_blocks):
    least = min(least, len(dense))
    with pytest.MonkeyPatch.context() as patch:
        if small_blocks:
            for name, value in [("TERM_BLOCK", 2), ("SET_BLOCK", 3), ("ROW_BLOCK", 7)]:
                patch.setattr(frequent_terms, name, value)
        found = frequent_sets(dense, least, max_size)
    oracle = fpgrowth(pd.DataFrame(dense > 0), min_support=(least - 0.5) / len(dense), max_len=max_size)
    expected = {
        tuple(sorted(s)): round(share * len(dense))
        for s, share in zip(oracle["itemsets"], oracle["support"], strict=True)
    }
    ours = {}
    for size, (members, support) in enumerate(zip(found.members, found.support, strict=True), start=1):
        assert members.shape == (len(support), size)
        assert members.tolist() == sorted(members.tolist())
        ours.update({tuple(m): s for m, s in zip(members.tolist(), support.tolist(), strict=True)})
    assert ours == expected
    assert len(found.members) == max_size


def test_support_as_a_share_is_a_number_of_texts():
    dense = np.zeros((30, 2))
    dense[:3] = 1
    assert frequent_sets(dense, 0.1).support[1].tolist() == [3]  # 0.1 × 30 is a little more than 3 in floating point
    assert not len(frequent_sets(dense, 0.11).members[1])
    assert frequent_sets(dense, 1e-9).support[0].tolist() == [3, 3]


def related_oracle(dense, rival, labelled, labels):
    """The relation by its definition: (a, b) where a brings b."""
    held = dense > 0
    classes = {}
    for a in range(dense.shape[1]):
        own = [label for row, label in zip(labelled, labels, strict=True) if row[a]]
        counts = sorted(((own.count(label), label) for label in set(own)), reverse=True)
        enough = len(own) >= 2 and counts[0][0] >= rival.min_orientation * len(own)
        if enough and (len(counts) == 1 or counts[0][0] > counts[1][0]):
            classes[a] = counts[0][1]
    return {
        (a, b)
        for a in range(dense.shape[1])
        for b in range(dense.shape[1])
        if a != b
        and (together := (held[:, a] & held[:, b]).sum()) >= rival.min_support
        and together / held[:, a].sum() >= rival.min_confidence
        and (not len(labels) or (a in classes and classes[a] == classes.get(b)))
    }


@settings(max_examples=60)
@given(MATRICES, st.integers(1, 5), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**31))
def test_what_a_text_brings_is_what_the_definition_says(dense, least, confidence, orientation, seed):
    rng = np.random.default_rng(seed)
    rival = FrequentTermSets(least, confidence, orientation).fit(dense)
    labels = [*"ab", *rng.choice(list("abc"), 10)]
    labelled = (rng.random((12, dense.shape[1])) < 0.4) * 1.0
    texts = (rng.random((6, dense.shape[1])) < 0.5) * 1.0
    for model, known in [(rival, ([], [])), (rival.adapt(labelled, labels), (labelled, labels))]:
        relation = related_oracle(dense, rival, *known)
        expected = [
            [float(any((a, b) in relation for a in np.flatnonzero(row))) for b in range(len(row))] for row in texts
        ]
        np.testing.assert_array_equal(model.transform(texts).toarray(), expected)


def test_planted_sets_are_found_and_classes_keep_them_apart():
    texts = ["rain storm umbrella", "goal team", "rain goal"] * 5 + ["cloud moon"] * 5
    rival = FrequentTermSets(min_support=5, min_confidence=0.3).fit(texts)
    brought = lambda model, text: set(model.feature_names_[model.transform([text]).indices])  # noqa: E731
    assert brought(rival, "Rain!") == {"storm", "umbrella", "goal"}
    assert brought(rival, "team rain") == {"storm", "umbrella", "goal"}
    adapted = rival.adapt(["rain storm", "rain storm", "goal team", "goal", "team moon"], [*"wwsss"])
    assert brought(adapted, "rain") == {"storm"}  # umbrella was never seen with a label, goal is of another class
    assert brought(adapted, "goal") == {"team"}
    assert brought(adapted, "cloud") == set()  # moon was seen once
    assert dict(zip(adapted.feature_names_, adapted.orientation_, strict=True)) == {
        "cloud": None, "goal": "s", "moon": None, "rain": "w", "storm": "w", "team": "s", "umbrella": None,
    }  # fmt: skip
    assert brought(rival, "rain") == {"storm", "umbrella", "goal"}  # the rival itself has not changed
    again = adapted.adapt(["rain storm", "rain storm", "goal team", "goal", "team moon"], [*"wwsss"])
    assert (again.related_ != adapted.related_).nnz == 0
    assert not hasattr(adapted.fit(texts), "orientation_")


def test_confidence_has_a_direction():
    rival = FrequentTermSets(2, 0.5).fit([[1, 1], [1, 1], [1, 0], [1, 0], [1, 0]], feature_names=["the", "end"])
    assert rival.transform([[1, 0], [0, 1]]).toarray().tolist() == [[0, 0], [1, 0]]
    assert rival.cooccurring_.toarray().tolist() == [[0, 0], [1, 0]]


def test_only_the_most_frequent_terms_are_looked_at():
    dense = np.array([[1, 1, 1]] * 3 + [[0, 1, 1]])
    assert FrequentTermSets(1, 0.0, max_terms=2).fit(dense).cooccurring_.toarray().tolist() == [
        [0, 0, 0], [0, 0, 1], [0, 1, 0]
    ]  # fmt: skip


def test_what_frequent_term_sets_refuse():
    dense = np.ones((4, 3))
    for parameters, message in [
        ({"min_support": 0}, "min_support must be a whole number ≥ 1, got 0"),
        ({"min_support": 1.5}, "min_support as a share of the texts must be a number > 0 and ≤ 1"),
        ({"min_confidence": 2}, "min_confidence must be"),
        ({"min_orientation": -1}, "min_orientation must be"),
        ({"max_terms": 0}, "max_terms must be"),
    ]:
        with pytest.raises(ParameterError, match=message):
            FrequentTermSets(**parameters).fit(dense)
    with pytest.raises(ParameterError, match="max_size must be"):
        frequent_sets(dense, 1, 0)
    rival = FrequentTermSets().fit(dense)
    for labels, message in [
        ([1, 2], "2 labels for 4 texts"),
        ([1, 2, None, 1], "the label of row 2 is missing"),
        ([1.0, float("nan"), 2.0, 1.0], "the label of row 1 is missing"),
        (["a"] * 4, "labels holds one class only, .*'a'"),
    ]:
        with pytest.raises(InputError, match=message):
            rival.adapt(dense, labels)


# ------------------------------------------------------------------------------------------ what all have in common

CORPUS = ["the film was good", "a good movie, the film", "geese saw the box", "geese saw a box", "films and boxes"] * 6
UNSEEN = ["a movie in a box", "", "nothing known", "the the films"]


@pytest.fixture(params=["wordnet", "scl", "fts"])
def rival(request, wordnet_folder):
    return {
        "wordnet": WordNet(wordnet_folder),
        "scl": SCL(n_components=3, predictor=Logistic(1.0, sampling=Sampling(longer_than_average=False))),
        "fts": FrequentTermSets(min_support=3),
    }[request.param]


def dense(block):
    return block.toarray() if sparse.issparse(block) else block


def test_texts_and_their_counts_give_the_same(rival):
    vectorizer = TextVectorizer(min_df=2)
    counts = vectorizer.fit_transform(CORPUS)
    names = vectorizer.get_feature_names_out()
    by_text = clone(rival).fit(text for text in CORPUS)
    block = dense(by_text.transform(UNSEEN))
    assert block.any()
    assert not block[1:3].any()
    assert block.shape[1] == len(by_text.get_feature_names_out())
    frame = pd.DataFrame(counts.toarray(), columns=names)
    for X, given_names in [(counts, names), (counts.tocsc(), names), (counts.toarray(), names), (frame, None)]:
        by_count = clone(rival).fit(X, feature_names=given_names)
        assert list(by_count.feature_names_) == list(names)
        np.testing.assert_array_equal(dense(by_count.transform(vectorizer.transform(UNSEEN))), block)
    np.testing.assert_array_equal(dense(by_text.transform(vectorizer.transform(UNSEEN))), block)
    assert dense(by_text.transform(UNSEEN)).tobytes() == dense(clone(rival).fit(CORPUS).transform(UNSEEN)).tobytes()


def test_labels_given_by_text_or_by_count_are_the_same(rival):
    rival.fit(CORPUS)
    labels = ["f", "f", "g", "g", "f"] * 6
    by_text, by_count = rival.adapt(CORPUS, labels), rival.adapt(rival.counts(CORPUS), labels)
    np.testing.assert_array_equal(dense(by_text.transform(UNSEEN)), dense(by_count.transform(UNSEEN)))


def test_wrong_input_is_refused_in_words(rival):
    with pytest.raises(NotFittedError):
        rival.transform(UNSEEN)
    with pytest.raises(NotFittedError):
        rival.adapt(UNSEEN, [1, 2, 1, 2])
    for X, names, message in [
        (np.ones((2, 3)), ["a", "b"], "2 feature names for 3 columns"),
        (np.ones((2, 3)), ["a", "b", "a"], "feature_names holds 'a' more than once"),
        (["a text"], ["a"], "feature_names names the columns of a matrix"),
        ("a text", None, "put a single text in a list"),
        ([1, 2], None, "not a string"),
        ([], None, "no feature is left of 0 texts"),
        ([[1.0, -1.0]], None, "Negative values in data: X holds -1.0 in row 0, column 1"),
    ]:
        with pytest.raises(InputError, match=message):
            rival.fit(X, feature_names=names)
        assert not hasattr(rival, "feature_names_"), "a failed fit leaves nothing behind"
    rival.fit(CORPUS)
    with pytest.raises(InputError, match=r"X has 2 features, but \w+ is expecting \d+ features"):
        rival.transform(np.ones((1, 2)))
    with pytest.raises(InputError, match="gives features, not labels; call transform"):
        rival.predict(UNSEEN)
    counted = clone(rival).fit(rival.counts(CORPUS), feature_names=rival.feature_names_)
    with pytest.raises(InputError, match="was fitted on counts, not on texts"):
        counted.transform(UNSEEN)


def test_a_fit_that_fails_leaves_the_fit_before_it(rival):
    before = dense(rival.fit(CORPUS).transform(UNSEEN))
    with pytest.raises(InputError):
        rival.fit([])
    np.testing.assert_array_equal(dense(rival.transform(UNSEEN)), before)


def test_a_rival_is_cloned_by_its_parameters(rival):
    rival.fit(CORPUS)
    copy = clone(rival)
    assert repr(copy.get_params()) == repr(rival.get_params())
    assert not hasattr(copy, "feature_names_")
    assert rival.use == "append"


class _Hidden:
    """The suite calls every method it finds; these rivals have `predict` only to say that they do not predict."""

    def __get__(self, instance, owner):
        raise AttributeError("predict")


class Sets(FrequentTermSets):
    predict = _Hidden()


@parametrize_with_checks([Sets(), Sets(min_support=1, min_confidence=0.0)])
def test_scikit_learn_conformance(estimator, check):
    check(estimator)


def test_the_suite_asks_enough():
    assert len(list(estimator_checks_generator(Sets()))) >= 45
