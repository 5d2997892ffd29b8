"""Neural rivals on made-up corpora whose structure is known: neighbours, order and n-grams that alone tell apart."""

import subprocess
import sys
from copy import copy
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from classinet.baselines.neural import CNN, SDAE, FastSent, SkipThought, _networks, _steady
from classinet.baselines.neural._sequences import (
    PAD,
    UNKNOWN,
    Block,
    Vocabulary,
    batches_by_length,
    followed,
    training_batches,
)
from classinet.baselines.neural._steady import steady
from classinet.baselines.neural.cnn import _a_tenth
from classinet.baselines.neural.sdae import damaged
from classinet.exceptions import Cancelled, InputError, MissingExtraError, ParameterError

TINY = {"size": 16, "word_size": 8, "steps": 6, "batch_size": 8}
ENCODERS = {
    "FastSent": FastSent(size=8, steps=6, batch_size=8),
    "SDAE": SDAE(**TINY),
    "SkipThought": SkipThought(**TINY),
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Tiny batches gain nothing from a second thread, and on a busy machine each would wait for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_steady, "N_THREADS", 1)
        yield


def paired_topics(seed=0, n_documents=60):
    """Documents of two sentences: the first holds a word of one of two groups, the second tells which group.

    Within a sentence the words of both groups keep the same company, so that only the neighbour tells them apart.
    """
    rng = np.random.default_rng(seed)
    texts, documents = [], []
    for document in range(n_documents):
        group, tells = ("g", "warm sunny bright") if document % 2 else ("h", "cold rainy dark")
        fillers = rng.choice(["the", "day", "was", "so", "very"], 2, replace=False)
        texts += [f"{fillers[0]} {group}{document // 2 % 5} {fillers[1]}", tells]
        documents += [document] * 2
    return texts, documents


def fitted(rival):
    texts, documents = paired_topics(n_documents=20)
    return rival.fit(texts, documents=documents) if rival.documents else rival.fit(texts)


def group_margin(rival):
    """How much nearer (cosine) words of one group are to each other than to those of the other group."""
    vectors = rival.transform([f"the {group}{i} day" for group in "gh" for i in range(5)]).astype(float)
    vectors -= vectors.mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    same = np.kron(np.eye(2), np.ones((5, 5))).astype(bool)
    return cosines[same & ~np.eye(10, dtype=bool)].mean() - cosines[~same].mean()


# 1. Sequences and batches.


@given(st.lists(st.lists(st.sampled_from("abcx"), max_size=6), min_size=1, max_size=8), st.data())
def test_numbers_blocks_and_flat_texts_hold_the_same_words(lists, data):
    vocabulary = Vocabulary(["a", "b", "c"])
    texts = vocabulary.sequences(lists, max_words=4)
    rows = np.array(data.draw(st.lists(st.integers(0, len(lists) - 1), min_size=1, max_size=5)))
    names = {UNKNOWN: "x"} | dict(enumerate("abc", start=len(vocabulary) - 3))
    expected = [lists[row][:4] for row in rows]
    block = texts.block(rows)
    assert [[names[c] for c in codes if c != PAD] for codes in block.codes] == expected
    assert block.lengths.tolist() == list(map(len, expected))
    codes, owners = texts.flat(rows)
    assert [[names[c] for c in codes[owners == at]] for at in range(len(rows))] == expected


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 7), st.integers(0, 9))
def test_every_pass_of_training_holds_every_row_once(lengths, batch_size, seed):
    lengths = np.array(lengths)
    rows = np.flatnonzero(lengths > 1)
    if len(rows):
        n_batches = -(-len(rows) // batch_size)
        batches = training_batches(rows, lengths, batch_size, np.random.default_rng(seed))
        for _ in range(2):
            assert sorted(np.concatenate(list(islice(batches, n_batches)))) == rows.tolist()


def test_batches_hold_texts_of_like_length():
    lengths = np.random.default_rng(0).integers(1, 30, 400)
    batches = list(islice(training_batches(np.arange(400), lengths, 20, np.random.default_rng(1)), 20))
    assert np.mean([np.ptp(lengths[rows]) for rows in batches]) < 3
    assert [len(rows) for rows in batches_by_length(np.arange(400), lengths, 150)] == [150, 150, 100]


def test_neighbours_end_with_the_document():
    assert followed([4, 4, 4, 9, 9], np.array([1, 1, 1, 0, 1])).tolist() == [True, True, False, False, False]
    assert not followed(None, np.array([1, 1])).any()
    with pytest.raises(InputError, match="document 1 goes on at text 3, after texts of another"):
        followed([1, 1, 2, 1], np.ones(4, dtype=int))
    with pytest.raises(InputError, match="one whole number for each of the 2 texts"):
        followed([1, 1, 1], np.ones(2, dtype=int))
    with pytest.raises(InputError, match="array of float64"):
        followed([0.5, 1.5], np.ones(2, dtype=int))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_damage_drops_and_moves_words_but_adds_none(lengths, seed):
    lengths = np.array(lengths)
    inside = np.arange(lengths.max()) < lengths[:, None]
    codes = np.where(inside, 3 + np.arange(inside.size).reshape(inside.shape), PAD)
    result = damaged(Block(codes, lengths), np.random.default_rng(seed))
    for before, after, n in zip(codes, result.codes, result.lengths, strict=True):
        assert n >= 1
        assert not after[n:].any()
        assert len(set(after[:n])) == n
        assert set(after[:n]) <= set(before)
        places = [before.tolist().index(code) for code in after[:n]]
        assert all(later > earlier - 2 for i, earlier in enumerate(places) for later in places[i + 1 :])


def test_damage_is_as_frequent_as_stated():
    codes = np.tile(np.arange(3, 23), (3000, 1))
    result = damaged(Block(codes, np.full(3000, 20)), np.random.default_rng(0))
    assert abs(result.lengths.mean() / 20 - 0.9) < 0.01
    kept_whole = result.codes[result.lengths == 20]
    assert abs(np.mean(np.diff(kept_whole, axis=1) < 0) - 0.1 / 2) < 0.01


# 2. Softmax over a sample.


@pytest.mark.parametrize("drawn_as", [(400, 200, 100, 100, 100, 100), (1, 1, 1, 1, 1, 1), (1, 2, 4, 8, 16, 32)])
def test_at_the_true_odds_a_sampled_softmax_stands_still(monkeypatch, drawn_as):
    """The mean slope over many samples is zero at the true odds, however words are drawn, and not zero beside them."""
    monkeypatch.setattr(_networks, "N_SAMPLED", 4)
    odds = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
    targets = torch.from_numpy(np.repeat(np.arange(6), (odds * 10).round().astype(int)))

    def slope(shift):
        softmax = _networks.SampledSoftmax(1, np.array(drawn_as), np.random.default_rng(0))
        softmax.weight.weight.data.zero_()
        softmax.bias.weight.data[:, 0] = torch.from_numpy(np.log(odds) + shift)
        for _ in range(800):
            softmax.loss(torch.ones(10, 1), targets).backward()
        return softmax.bias.weight.grad[:, 0].numpy() / 800

    assert np.abs(slope(0)).max() < 0.02
    assert slope([1, 0, 0, 0, 0, 0])[0] > 0.03


def test_targets_of_one_state_count_as_if_the_state_were_repeated(monkeypatch):
    monkeypatch.setattr(_networks, "N_SAMPLED", 8)
    targets, owners = torch.tensor([1, 5, 9]), torch.tensor([0, 0, 1])

    def loss(states, owners):
        torch.manual_seed(0)
        softmax = _networks.SampledSoftmax(4, np.ones(20), np.random.default_rng(3))
        return softmax.loss(states, targets, owners).item()

    states = torch.arange(8.0).reshape(2, 4)
    assert loss(states, owners) == pytest.approx(loss(states[owners], None), rel=1e-6)


# 3. What the encoders learn.


@pytest.mark.parametrize("n_sampled", [10, 1000], ids=["sampled", "whole"])
def test_neighbours_alone_bring_words_of_a_group_together_in_fastsent(monkeypatch, n_sampled):
    monkeypatch.setattr(_networks, "N_SAMPLED", n_sampled)
    texts, documents = paired_topics()
    rival = FastSent(size=8, steps=300, batch_size=32)
    assert group_margin(rival.fit(texts, documents=documents)) > 1
    alone = FastSent(size=8, steps=300, batch_size=32, autoencode=True)
    assert group_margin(alone.fit(texts)) < 0.3  # the same texts, each a document of its own


def test_neighbours_bring_texts_together_in_skip_thought():
    texts, documents = paired_topics()
    rival = SkipThought(size=32, word_size=32, steps=250, batch_size=32).fit(texts, documents=documents)
    assert group_margin(rival) > 1
    assert rival.losses_[-20:].mean() < rival.losses_[:20].mean() / 2


def test_sdae_restores_the_texts_it_has_learnt_by_heart():
    texts = [
        "the cat sat on a mat",
        "a dog ran in the park",
        "on a mat sat the cat",
        "birds sing",
        "birds and cat sing",
    ]
    rival = SDAE(size=32, word_size=16, steps=500, batch_size=5).fit(texts * 2)
    assert rival.losses_[-20:].mean() < rival.losses_[:20].mean() / 4
    assert rival.restore([*texts, "", "unheard of"]) == [*texts, "", ""]


@pytest.mark.parametrize("name", ["SDAE", "SkipThought"])
def test_order_matters_to_a_recurrent_encoder_and_not_to_a_sum(name):
    texts = ["the day was very", "very was day the"]
    one, other = fitted(ENCODERS[name]).transform(texts)
    assert np.abs(one - other).max() > 1e-3
    one, other = fitted(ENCODERS["FastSent"]).transform(texts)
    np.testing.assert_allclose(one, other, atol=1e-6)


# 4. The contract all encoders keep.


@pytest.mark.parametrize("rival", ENCODERS.values(), ids=ENCODERS)
def test_two_fits_give_the_same_bytes_whatever_torch_was_set_to(rival, monkeypatch):
    monkeypatch.setattr(_steady, "N_THREADS", 2)
    texts, _ = paired_topics(n_documents=20)
    rival = clone(rival).set_params(steps=2)
    first = fitted(rival).transform(texts)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        torch.rand(3)
        state = torch.get_rng_state()
        second = fitted(rival).transform(texts)
        assert torch.get_num_threads() == 1
        assert not torch.are_deterministic_algorithms_enabled()
        assert torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_num_threads(threads)
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("rival", ENCODERS.values(), ids=ENCODERS)
def test_another_seed_gives_other_vectors(rival):
    texts, _ = paired_topics(n_documents=20)
    one, other = (fitted(clone(rival).set_params(seed=seed)).transform(texts) for seed in (0, 1))
    assert np.abs(one - other).max() > 1e-3


@pytest.mark.parametrize("rival", ENCODERS.values(), ids=ENCODERS)
def test_a_vector_does_not_depend_on_the_texts_beside_it(rival):
    fitted(rival)
    texts = ["the g1 day", "", "warm", "unheard of", "so very very very cold and h2 rainy the day was", "g4"] * 30
    vectors = rival.transform(texts)
    order = np.random.default_rng(0).permutation(len(texts))
    np.testing.assert_allclose(rival.transform([texts[i] for i in order]), vectors[order], atol=1e-5)
    np.testing.assert_allclose(np.concatenate([rival.transform([text]) for text in texts[:6]]), vectors[:6], atol=1e-5)
    assert vectors.dtype == np.float32
    assert not vectors[[1, 3]].any()
    assert vectors[[0, 2, 4, 5]].any(axis=1).all()
    assert rival.transform([]).shape == (0, rival.size)


@pytest.mark.parametrize("kind", [SDAE, SkipThought])
def test_long_texts_are_cut(kind):
    rival = fitted(kind(**TINY, max_words=12))
    words = ["the", "day", "was", "warm"] * 75
    long, cut = rival.transform([" ".join(words), " ".join(words[:12])])
    np.testing.assert_allclose(long, cut, atol=1e-6)


@pytest.mark.parametrize("rival", ENCODERS.values(), ids=ENCODERS)
def test_progress_hears_of_every_step_and_may_stop_the_fit(rival):
    texts, documents = paired_topics(n_documents=20)
    extra = {"documents": documents} if rival.documents else {}
    heard = []
    rival.fit(texts, progress=lambda stage, done, total: heard.append((done, total)), **extra)
    assert heard == [(step, 6) for step in range(1, 7)]

    def stop(stage, done, total):
        raise Cancelled("enough")

    fresh = clone(rival)
    with pytest.raises(Cancelled):
        fresh.fit(texts, progress=stop, **extra)
    assert not [name for name in vars(fresh) if name.endswith("_")]
    assert not torch.are_deterministic_algorithms_enabled()


def test_texts_without_neighbours_are_refused_with_the_remedy():
    texts, _ = paired_topics(n_documents=4)
    with pytest.raises(InputError, match=r"FastSent\(autoencode=True\)"):
        FastSent(steps=1).fit(texts)
    with pytest.raises(InputError, match="take SDAE for texts that stand alone"):
        SkipThought(**TINY).fit(texts, documents=range(len(texts)))


@pytest.mark.parametrize(
    ("rival", "name"),
    [
        (FastSent(steps=0), "steps"),
        (FastSent(autoencode="yes"), "autoencode"),
        (SDAE(size=0), "size"),
        (SkipThought(max_words=2.5), "max_words"),
        (SDAE(seed=-1), "seed"),
        (CNN(n_filters=0), "n_filters"),
    ],
)
def test_a_parameter_that_cannot_work_is_named(rival, name):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        rival.fit(["a b", "a b"])


def test_missing_torch_is_explained(monkeypatch):
    taught = CNN(word_size=4).fit(["a b", "a b"])
    monkeypatch.setitem(sys.modules, "torch", None)
    for rival in (FastSent(), SDAE(), SkipThought()):
        with pytest.raises(MissingExtraError, match=r'torch is not installed; run: pip install "classinets\[neural\]"'):
            fitted(rival)
    with pytest.raises(MissingExtraError, match=r"classinets\[neural\]"):
        taught.adapt(["a", "b"], [0, 1])


def test_importing_the_rivals_imports_no_torch():
    code = "import sys; from classinet.baselines.neural import CNN; print(CNN.use, 'torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout == "predict False\n"


# 5. CNN.


def order_task(seed, n_pairs):
    """Pairs of texts with the same words, in which only the order of two neighbours tells the label."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n_pairs):
        fillers = list(rng.choice([f"f{i}" for i in range(12)], rng.integers(2, 8)))
        at = rng.integers(len(fillers) + 1)
        for pair, label in ((["not", "good"], "neg"), (["good", "not"], "pos")):
            texts.append(" ".join([*fillers[:at], *pair, *fillers[at:]]))
            labels.append(label)
    return texts, labels


@pytest.fixture(scope="module")
def corpus():
    return CNN(word_size=32, n_filters=16, max_rounds=8).fit(order_task(9, 40)[0])


@pytest.fixture(scope="module")
def taught(corpus):
    return corpus.adapt(*order_task(0, 150))


def test_a_cnn_sees_the_order_of_words(taught):
    texts, labels = order_task(1, 100)
    assert np.mean(taught.predict(texts) == np.array(labels)) > 0.95
    assert taught.classes_.tolist() == ["neg", "pos"]
    assert 1 <= taught.n_rounds_ <= 8


def test_adapt_leaves_the_rival_as_it_was_and_repeats_itself(corpus, taught):
    again = corpus.adapt(*order_task(0, 150))
    for name, values in taught.network_.state_dict().items():
        assert torch.equal(values, again.network_.state_dict()[name]), name
    with pytest.raises(InputError, match=r"has seen no labels; call adapt"):
        corpus.predict(["good"])
    with pytest.raises(InputError, match=r"has seen no labels"):
        copy(taught).fit(order_task(9, 5)[0]).predict(["good"])
    with pytest.raises(InputError, match="classifies by itself; call predict"):
        taught.transform(["good"])


def test_labels_do_not_depend_on_the_texts_beside_a_text(taught):
    texts = [*order_task(2, 5)[0], "", "unheard of", "good", "f1 " * 300]
    sequences = taught.vocabulary_.sequences([text.split() for text in texts], taught.max_words)
    together = taught.network_.scores(sequences, np.arange(len(texts)))
    apart = [taught.network_.scores(sequences, np.array([i]))[0] for i in range(len(texts))]
    np.testing.assert_allclose(together, apart, atol=1e-5)
    assert taught.predict(texts).shape == (len(texts),)
    assert taught.predict([]).shape == (0,)


def test_words_that_the_corpus_lacks_are_learnt_from_labelled_texts(corpus):
    rng = np.random.default_rng(0)
    new = {"new1": 1, "new2": 2, "new3": 3}
    texts = [f"f{rng.integers(12)} {word} f{rng.integers(12)}" for word in new for _ in range(30)]
    labels = [label for label in new.values() for _ in range(30)]
    taught = corpus.adapt(texts, labels)
    assert taught.predict(list(new)).tolist() == [1, 2, 3]
    assert len(taught.vocabulary_.words) == len(set(taught.vocabulary_.words)) == len({*corpus.words_, *new})


def test_words_that_no_labelled_text_holds_keep_their_vector(corpus):
    taught = corpus.adapt(["f1 good", "f2 not"] * 3, [1, 0] * 3)
    scale = (
        taught.network_.embedding.weight[-1].numpy()
        / corpus.vectors_[corpus.words_.index(taught.vocabulary_.words[-1])]
    )
    np.testing.assert_allclose(scale, scale[0], rtol=1e-5)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60).map(lambda codes: np.unique(codes, return_inverse=True)[1]))
def test_a_tenth_of_each_class_is_held_out_and_never_all_of_it(codes):
    held_out = _a_tenth(codes, np.random.default_rng(0))
    for code in range(codes.max() + 1):
        n, n_out = np.sum(codes == code), np.sum(held_out & (codes == code))
        assert n_out == (0 if n == 1 else max(round(n / 10), 1))


def test_one_text_a_class_is_enough(corpus):
    heard = []
    taught = corpus.adapt(["f1 good", "f2 not"], ["a", "b"], progress=lambda *said: heard.append(said))
    assert heard == [(stage, n, 8) for stage in ("choosing the number of rounds", "training") for n in range(1, 9)]
    assert taught.n_rounds_ == 8  # nothing could be held out
    assert taught.predict(["f1 good", "f2 not"]).tolist() == ["a", "b"]


def test_labels_are_checked_before_training(corpus):
    with pytest.raises(InputError, match="2 texts and 1 labels"):
        corpus.adapt(["a", "b"], [1])
    with pytest.raises(InputError, match="two classes or more"):
        corpus.adapt(["a", "b"], [1, 1])


def test_threads_are_fixed_inside_and_given_back(monkeypatch):
    monkeypatch.setattr(_steady, "N_THREADS", 2)
    before = torch.get_num_threads()
    with steady(3):
        assert torch.get_num_threads() == 2
        assert torch.are_deterministic_algorithms_enabled()
        first = torch.rand(4)
    assert torch.get_num_threads() == before
    with steady(3):
        assert torch.equal(torch.rand(4), first)
