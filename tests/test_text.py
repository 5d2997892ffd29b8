"""Tokens, counts and sentences: known answers, scikit-learn as the oracle, and laws over arbitrary Unicode."""

import copy
import gc
import re
import subprocess
import sys
import time

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from classinet.exceptions import InputError, MissingExtraError, ParameterError
from classinet.overlaps import overlapping_names
from classinet.text import TextVectorizer, Tokenizer, split_sentences
from classinet.text import tokenizer as tokenizer_module
from classinet.text.characters import MOST_MARKS, fold

SNIPPETS = re.findall(
    r"\S+",
    "Don't don’t it's 3.14 10:30 #BigDay @anna_b me@x.org http://a.b/#C www.d.e :-) :D <3 "
    "👍🏽 👨‍👩‍👧 🇩🇪 1️⃣ ❤️ ™ ½ sooooo "
    "well-known __init__ foo__bar हिन्दी می‌خواهم ＷＯＲＤ e\u0301 <url> <num> ' - _ # @ . , / : ; = * \u20e3 \u200d",
)
anything = st.text(max_size=40) | st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=3), max_size=8).map("".join)
ascii_text = st.text(st.characters(max_codepoint=127), max_size=60)


# Tokenizer: known answers


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n", []),
        ("I am a cat", ["i", "am", "a", "cat"]),
        ("don't don’t don´t donʼt don＇t", ["don't"] * 5),
        ("'quoted' dogs' rock-n-roll -- well-known-", ["quoted", "dogs", "rock-n-roll", "well-known"]),
        ("fit_transform foo__bar __init__ _x_ ___", ["fit_transform", "foo__bar", "init", "x"]),
        (
            "3.14 1,000 10:30 24/7 9:30am 1.5kg 2nd 80s. 7.",
            ["3.14", "1,000", "10:30", "24/7", "9:30am", "1.5kg", "2nd", "80s", "7"],
        ),
        ("½ m² ①", ["1/2", "m2", "1"]),
        ("#BigDay #1 #1st #_ ＃タグ C#", ["#bigday", "1", "#1st", "#タグ", "c"]),
        ("@Anna @_ ＠bob a@b", ["@anna", "@bob", "a", "@b"]),
        ("see http://a.b/c?d=#e, (HTTPS://X.Y) WWW.z.org.", ["see", "<url>", "<url>", "<url>"]),
        ("me.too+x@mail.example.org! <a@b.co>", ["<url>", "<url>"]),
        ('<a href="http://x.y">here</a>', ["a", "href", "<url>", "here", "a"]),
        ("<url> <num> <urn>", ["<url>", "<num>", "urn"]),
        (":) :-( ;D :))) =/ <3 :dog x:(a) 8)", [":)", ":-(", ";d", ":)", "=/", "<3", "dog", "x", "a", "8"]),
        ("👍👍🏽👨‍👩‍👧🇩🇪🇫🇷", ["👍", "👍🏽", "👨\u200d👩\u200d👧", "🇩🇪", "🇫🇷"]),
        ("1️⃣ #️⃣ *⃣", ["1⃣", "#⃣", "*⃣"]),
        ("🏴\U000e0067\U000e0062\U000e007f", ["🏴\U000e0067\U000e0062\U000e007f"]),
        ("I❤️you ❤ ㊗️🈚", ["i", "❤", "you", "❤", "㊗", "🈚"]),
        ("Foo™ Bar℠", ["foo", "bar"]),
        ("हिन्दी शब्द", ["हिन्दी", "शब्द"]),
        ("می‌خواهم", ["می\u200cخواهم"]),
        ("п'ять שלום مرحبا Ελλάδα", ["п'ять", "שלום", "مرحبا", "ελλάδα"]),
        ("cafe\u0301 ＷＯＲＤ 𝓯𝓪𝓷𝓬𝔂 ﬁn co\u00adop", ["café", "word", "fancy", "fin", "coop"]),
        ("\u0301\u0302 \u200d \ufe0f", []),
    ],
)
def test_default_tokens(text, tokens):
    assert Tokenizer()(text) == tokens


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        ({"lowercase": False}, "Big WWW.x.org #Day", ["Big", "<url>", "#Day"]),
        (
            {"contractions": "split"},
            "don't it’s I'm they've we'll he'd rock'n'roll n't",
            ["do", "n't", "it", "'s", "i", "'m", "they", "'ve", "we", "'ll", "he", "'d", "rock'n'roll", "n't"],
        ),
        ({"contractions": "split", "lowercase": False}, "DON'T", ["DO", "N'T"]),
        ({"hashtags": "word"}, "#ShortText #a_b", ["shorttext", "a_b"]),
        (
            {"hashtags": "split"},
            "#ShortText #NASARocks #a_b #covid19 #ÉcoleÉté #हिन्दी #️⃣ http://x.y/#AbC",
            ["short", "text", "nasa", "rocks", "a", "b", "covid19", "école", "été", "हिन्दी", "#⃣", "<url>"],
        ),
        ({"hashtags": "drop"}, "a #b c #️⃣", ["a", "c", "#⃣"]),
        ({"mentions": "mask"}, "hi @anna", ["hi", "@user"]),
        ({"mentions": "drop"}, "hi @anna a@b.co", ["hi", "<url>"]),
        ({"numbers": "mask"}, "4 3.14 24/7 2nd <num> ٣ #1 1️⃣", ["<num>"] * 3 + ["2nd"] + ["<num>"] * 3 + ["1⃣"]),
        ({"numbers": "drop"}, "4 cats, 2010-11 <num>", ["cats"]),
        ({"emoji": "drop"}, "hi 👍🏽 :-) 🇩🇪 1️⃣ #️⃣ <3 <url>", ["hi", "<url>"]),
        (
            {"elongations": "shorten"},
            "Cooool 哈哈哈哈 10000 www.aaa.org #sooo",
            ["cool", "哈哈", "10000", "<url>", "#soo"],
        ),
        ({"lemmas": "en"}, "Movies went #movies don't 4", ["movie", "go", "#movies", "don't", "4"]),
        ({"lemmas": "en", "contractions": "split"}, "doesn't", ["do", "n't"]),
        ({"lemmas": "de"}, "Häuser", ["haus"]),
    ],
)
def test_options(options, text, tokens):
    assert Tokenizer(**options)(text) == tokens


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("lowercase", "yes"),
        ("contractions", "cut"),
        ("hashtags", None),
        ("mentions", ["keep"]),
        ("numbers", "masked"),
        ("emoji", True),
        ("elongations", 2),
        ("lemmas", "xx"),
        ("lemmas", 3),
        ("lemmas", ["en"]),
    ],
)
def test_wrong_options_are_named(option, value):
    with pytest.raises(ParameterError, match=option):
        Tokenizer(**{option: value})("a")


def test_a_missing_lemmatizer_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
    tokenizer_module._lemmatizer.cache_clear()
    tokenizer_module._compiled.cache_clear()
    with pytest.raises(MissingExtraError, match=r"classinets\[lemma\]"):
        Tokenizer(lemmas="nl")("woorden")


def test_only_strings_are_texts():
    with pytest.raises(InputError, match="got NoneType"):
        Tokenizer()(None)


# Tokenizer: laws


@given(ascii_text)
@example("#1 a_1 @a_ <3 =) 1:2 a'b--c http://x")
def test_ascii_has_a_pattern_of_its_own_that_finds_the_same(text):
    assert tokenizer_module._ascii_pattern().findall(text) == tokenizer_module._pattern().findall(text)


@given(anything)
def test_tokens_hold_no_space_and_are_never_empty(text):
    for tokenizer in (Tokenizer(), Tokenizer(True, "split", "split", "mask", "mask", "keep", "shorten")):
        for token in tokenizer(text):
            assert token
            assert not re.search(r"\s", token)


@given(anything)
def test_tokens_of_tokens_are_the_same_tokens(text):
    tokens = Tokenizer()(text)
    assert Tokenizer()(" ".join(tokens)) == tokens


@given(anything)
def test_options_that_keep_everything_go_the_long_way_to_the_same_tokens(text):
    edit = tokenizer_module._editor(tokenizer_module.Options())
    tokens = Tokenizer()(text)
    assert edit(tokens) == tokens


@given(anything)
def test_lower_case_changes_case_alone(text):
    assert len(Tokenizer()(text)) == len(Tokenizer()(text.lower()))


@given(anything)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_marks_without_end_are_cut():
    assert len(fold("a" + "\u0315\u0300" * 500)) <= MOST_MARKS + 1
    assert fold("a" + "\u0315" * MOST_MARKS) == "a" + "\u0315" * MOST_MARKS


LONG = [
    "a",
    ".",
    "#",
    "@",
    "_",
    "'",
    "👍",
    "\u0301",
    "\u0315\u0300",
    "a@",
    "a.",
    "1:",
    "#_",
    "👍\u200d",
    "www.",
    "http://",
]


@pytest.mark.parametrize("unit", LONG, ids=ascii)
def test_a_text_of_a_megabyte_takes_linear_time(unit):
    text = unit * (1_000_000 // len(unit.encode()))
    tokenize = Tokenizer(contractions="split", hashtags="split", elongations="shorten")
    tokenize("é")  # the pattern is built once
    began = time.process_time()
    tokenize(text)
    split_sentences(text)
    assert time.process_time() - began < 4


def test_params_clone_and_copy():
    tokenizer = Tokenizer(numbers="mask")
    assert clone(tokenizer).get_params() == tokenizer.get_params()
    assert copy.deepcopy(tokenizer)("7 up") == ["<num>", "up"]
    assert tokenizer.set_params(numbers="drop")("7 up") == ["up"]


# TextVectorizer


def same_matrix(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == np.float64
    assert ours.indices.dtype == theirs.indices.dtype
    assert ours.indptr.dtype == theirs.indptr.dtype
    assert ours.has_canonical_format
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", "B", "é", "👍", "d-e"]), max_size=6).map(" ".join), max_size=6)
)
@example(["", "a a"])
def test_counts_are_those_of_scikit_learn(texts):
    vectorizer = TextVectorizer(ngram_range=(1, 2))
    oracle = CountVectorizer(analyzer=vectorizer.features)
    if not any(texts):
        with pytest.raises(InputError, match="no token was found"):
            vectorizer.fit(texts)
        return
    expected = oracle.fit_transform(texts)
    same_matrix(vectorizer.fit_transform(texts), expected)
    assert list(vectorizer.get_feature_names_out()) == list(oracle.get_feature_names_out())
    same_matrix(clone(vectorizer).fit(texts).transform(texts), expected)
    same_matrix(vectorizer.transform(["a x", "", "b"]), oracle.transform(["a x", "", "b"]))


@given(st.lists(anything, min_size=1, max_size=6), st.sampled_from([1, 2, 0.5, 1.0]))
def test_min_df_is_that_of_scikit_learn(texts, min_df):
    vectorizer = TextVectorizer(min_df=min_df)
    oracle = CountVectorizer(analyzer=vectorizer.features, min_df=min_df)
    try:
        expected = oracle.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError, match="no feature is left"):
            vectorizer.fit_transform(texts)
    else:
        same_matrix(vectorizer.fit_transform(texts), expected)
        assert vectorizer.vocabulary_ == oracle.vocabulary_


@pytest.mark.parametrize("bounds", [(1, 1), (1, 3), (2, 3), (3, 6), (5, 5)])
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@given(words=st.lists(st.text("abé", min_size=1, max_size=5), max_size=5))
def test_ngrams_are_those_of_scikit_learn(analyzer, bounds, words):
    text = " ".join(words)
    oracle = CountVectorizer(analyzer=analyzer, ngram_range=bounds, token_pattern=r"\S+").build_analyzer()
    assert TextVectorizer(analyzer=analyzer, ngram_range=bounds).features(text) == oracle(text)


def test_character_ngrams_see_what_the_tokenizer_lets_through():
    vectorizer = TextVectorizer(Tokenizer(numbers="drop"), analyzer="char", ngram_range=(2, 2))
    assert vectorizer.features("AB, 12 c!") == ["ab", "b ", " c"]


def test_max_features_are_in_most_texts_and_ties_go_by_name():
    texts = ["b a", "b c c c c", "a c", "d"]
    vectorizer = TextVectorizer(max_features=2)
    assert vectorizer.fit_transform(texts).toarray().tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]
    assert list(vectorizer.vocabulary_) == ["a", "b"]
    assert vectorizer.choose(["c", "b", "a"], np.array([2, 2, 2]), 4).tolist() == [2, 1]
    assert TextVectorizer(min_df=3).choose(["c"], np.array([2]), 4).tolist() == []


def test_with_vocabulary_keeps_the_order_given_and_the_original_unfitted():
    vectorizer = TextVectorizer(ngram_range=(1, 2))
    fitted = vectorizer.with_vocabulary(("b", "a b", "a"))
    assert fitted.transform(["a b"]).toarray().tolist() == [[1, 1, 1]]
    assert list(fitted.get_feature_names_out()) == ["b", "a b", "a"]
    assert not hasattr(vectorizer, "vocabulary_")
    with pytest.raises(InputError, match="'a' twice"):
        vectorizer.with_vocabulary(["a", "b", "a"])
    with pytest.raises(InputError, match=r"names\[1\] is int"):
        vectorizer.with_vocabulary(["a", 1])


COLLECTIONS = [
    list,
    tuple,
    iter,
    np.array,
    lambda texts: np.array(texts, dtype=object),
    pandas.Series,
    lambda texts: pandas.Series(texts, dtype="category"),
    polars.Series,
    pyarrow.array,
    lambda texts: pyarrow.chunked_array([texts]),
]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_any_collection_of_strings(collection):
    texts = ["a b", "b"]
    assert TextVectorizer().fit_transform(collection(texts)).toarray().tolist() == [[1, 1], [0, 1]]
    assert TextVectorizer().fit(collection(texts)).transform(collection(texts)).toarray().tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "got str; put a single text in a list"),
        (b"a text", "got bytes"),
        (7, "got int"),
        (np.array("a"), "got ndarray"),
        ({"a": 1}, "got dict; pass one column"),
        (pandas.DataFrame({"text": ["a"]}), "got DataFrame; pass one column"),
        (["a", None], r"texts\[1\] is NoneType \(None\), not a string; drop missing texts"),
        (["a", "b", float("nan")], r"texts\[2\] is float \(nan\), not a string; drop missing texts"),
        (pandas.Series(["a", None], dtype="string"), r"texts\[1\] is NAType"),
        (["a", 5], r"texts\[1\] is int \(5\), not a string; convert"),
        ([b"a"], r"texts\[0\] is bytes"),
        (np.array([["a"]]), r"texts\[0\] is ndarray"),
        (["", "?!"], "no feature is left of 2 texts: no token was found"),
        ([], "no feature is left of 0 texts"),
    ],
)
def test_what_is_not_texts_is_refused(texts, message):
    for method in ("fit", "fit_transform"):
        with pytest.raises(InputError, match=message):
            getattr(TextVectorizer(), method)(texts)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"analyzer": "words"}, "analyzer must be one of"),
        ({"ngram_range": (2, 1)}, "ngram_range must be"),
        ({"ngram_range": (0, 1)}, "ngram_range must be"),
        ({"ngram_range": 2}, "ngram_range must be"),
        ({"min_df": 0}, "min_df must be a whole number"),
        ({"min_df": 1.5}, "min_df as a share"),
        ({"max_features": 0}, "max_features must be"),
        ({"tokenizer": "word"}, "tokenizer must be"),
        ({"tokenizer": Tokenizer(numbers="x")}, "numbers must be"),
    ],
)
def test_wrong_parameters_are_named(params, message):
    with pytest.raises(ParameterError, match=message):
        TextVectorizer(**params).fit(["a"])


def test_use_before_fit():
    for use in (lambda v: v.transform(["a"]), lambda v: v.get_feature_names_out()):
        with pytest.raises(NotFittedError, match="call fit"):
            use(TextVectorizer())


def test_no_texts_are_no_rows():
    assert TextVectorizer().with_vocabulary(["a"]).transform([]).shape == (0, 1)


def test_any_function_can_be_the_tokenizer():
    assert TextVectorizer(tokenizer=str.split).fit(["A b,"]).vocabulary_ == {"A": 0, "b,": 1}


def test_clone_pipeline_and_search():
    texts = ["good film 1", "bad film 2", "good day 3", "bad day 4"] * 3
    model = make_pipeline(TextVectorizer(Tokenizer()), LogisticRegression())
    grid = {
        "textvectorizer__ngram_range": [(1, 1), (1, 2)],
        "textvectorizer__tokenizer__numbers": ["keep", "drop"],
    }
    search = GridSearchCV(clone(model), grid, cv=2, error_score="raise").fit(texts, [1, 0] * 6)
    assert search.best_score_ == 1
    assert len(search.cv_results_["params"]) == 4
    assert search.predict(["a good one"]).tolist() == [1]
    assert TextVectorizer().__sklearn_tags__().input_tags.string


def test_word_ngrams_overlap_by_their_names():
    names = list(TextVectorizer(ngram_range=(1, 2)).fit(["new york"]).vocabulary_)
    assert overlapping_names(names, np.arange(3)).toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_fitting_keeps_no_texts():
    class Text(str):
        pass

    vectorizer = TextVectorizer().fit(Text(f"a b{i}") for i in range(20))
    gc.collect()
    assert vectorizer.vocabulary_.keys() == {"a", *(f"b{i}" for i in range(20))}
    assert not [thing for thing in gc.get_objects() if type(thing) is Text]


# Sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Mr. Smith met Dr. No vs. the U.S. Army in St. Louis.", "They left."],
        ["It costs $3.50 at 5 p.m. tomorrow.", "Cheap!", "Isn't it?!", "yes"],
        ["He left the U.S.", "The war ended."],
        ["J. K. Rowling wrote it.", "So did I.", "He left."],
        ["See Fig. 3 and eq. 4, e.g. that one.", "No.", "I won't.", "No. 5 is best."],
        ['She said "Go away!"', 'Then "Really?" he asked.', "(Yes.)", "Well... maybe.", "Well…", "Fine."],
        ["1. First item.", "2. Second item."],
        ["See https://a.b/c.d?e for numpy.array.", "It works."],
        ["a . . . .", "Then b, etc.", "The end"],
        ["bad film.", "i hated it."],
        ["क्या हाल है।", "ठीक है।"],
        ["هل هذا جيد؟", "نعم."],
    ],
)
def test_sentences(sentences):
    assert split_sentences(" ".join(sentences)) == sentences
    assert split_sentences("\n".join(sentences)) == sentences


def test_borders_without_a_space():
    assert split_sentences("今日は。「元気？」はい！") == ["今日は。", "「元気？」", "はい！"]
    assert split_sentences("One<br />two<BR>three<br/>\r\n \r\nfour\n\nfive") == ["One", "two", "three", "four", "five"]
    assert split_sentences("one\ntwo") == ["one\ntwo"]
    assert split_sentences(" \n\n <br />") == []


pieces = st.lists(
    st.sampled_from(
        ["Mr.", "U.S.", "etc.", "...", "…", "!", "?", "。", '"', ")", "1.", "<br />", "\n\n", " ", "A", "b"]
    )
    | st.text(max_size=3)
).map("".join)


@given(pieces)
def test_sentences_hold_every_character_once(text):
    sentences = split_sentences(text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)
    kept = re.sub(r"(?i)<br\s*/?>", "", text)
    assert "".join("".join(sentences).split()) == "".join(kept.split())


def test_importing_text_is_light():
    code = "import classinet.text, sys; print({'numba', 'pyarrow.parquet', 'simplemma'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
