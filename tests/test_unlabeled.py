"""Unlabeled texts that join labelled ones: which do, how much they count, where the border goes, what is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classinet
from classinet import ClassiNetClassifier, TextNet
from classinet._sparse import canonical_csr, take_rows
from classinet.bench.judging import judge_by_classifier
from classinet.datasets import made_up_sentences
from classinet.exceptions import InputError, ParameterError, StorageError
from classinet.expansion import Global
from classinet.persistence.tensors import csr_arrays, write_tensors
from classinet.pipeline import unlabeled
from classinet.pipeline.border import MOST_TEXTS
from classinet.pipeline.linear import fit_head
from classinet.pipeline.representation import no_rows
from classinet.pipeline.sample import draw_sample, joined_samples
from classinet.pipeline.targets import Targets
from classinet.pipeline.tuning import Settings
from classinet.pipeline.unlabeled import (
    ALIKE,
    ENOUGH,
    MOST_JOINING,
    Unlabeled,
    may_learn,
    surest,
    told_apart,
    with_unlabeled,
)

TEXTS = ["rain and wind", "a cold storm", "snow", "bread in the oven", "onion soup", "salt", "a late goal",
         "the referee", "the keeper"]  # fmt: skip
LABELS = ["weather"] * 3 + ["kitchen"] * 3 + ["football"] * 3


@pytest.fixture(scope="module")
def net():
    return TextNet().fit(made_up_sentences())


# ------------------------------------------------------------------------------------------------------- sample


@given(st.integers(0, 2**32 - 1), st.integers(0, 30))
@settings(max_examples=30, deadline=None)
def test_a_sample_follows_from_what_texts_hold(seed, size):
    rng = np.random.default_rng(seed)
    rows = canonical_csr(rng.poisson(0.5, (20, 6)).astype(float))
    names = list("abcdef")
    drawn = draw_sample(rows, names, size)
    again = draw_sample(take_rows(rows, rng.permutation(20)), names, size)
    if size == 0:
        assert drawn is None
        assert again is None
        return
    holding = int((rows.sum(axis=1) > 0).sum())
    assert drawn.shape == (min(size, holding), 6)
    assert (drawn.sum(axis=1) > 0).all()
    assert sorted(drawn.toarray().tolist()) == sorted(again.toarray().tolist())


def test_samples_join_by_name_and_one_that_is_missing_leaves_none():
    here, there = canonical_csr(np.array([[1.0, 2.0]] * 4)), canonical_csr(np.array([[3.0, 4.0]] * 4))
    both = joined_samples([(here, ["b", "a"], 10), (there, ["gone", "c"], 10)], ["a", "b", "c"], 4)
    assert both.toarray().tolist() == [[2, 1, 0]] * 2 + [[0, 0, 4]] * 2
    assert joined_samples([(here, ["a", "b"], 10), (None, ["c"], 10)], ["a", "b", "c"], 4) is None


def test_a_net_keeps_texts_as_counts_of_its_features(net):
    sentences = list(made_up_sentences())
    counts = net.vectorizer_.transform(sentences).toarray()
    assert net.sample_.shape == ((counts.sum(axis=1) > 0).sum(), net.net_.n_features)
    assert sorted(net.sample_.toarray().tolist()) == sorted(counts[counts.sum(axis=1) > 0].tolist())
    few = TextNet(sample=7).fit(sentences)
    assert few.sample_.shape[0] == 7
    assert np.array_equal(few.sample_.toarray(), net.sample_.toarray()[:7])
    assert TextNet(sample=0).fit(sentences).sample_ is None
    with pytest.raises(ParameterError, match="sample"):
        TextNet(sample=-1).fit(sentences)


def test_updated_and_merged_nets_keep_texts_of_all_their_texts():
    sentences = list(made_up_sentences())
    half = len(sentences) // 2
    before = TextNet(updatable=True, sample=40).fit(sentences[:half])
    after = before.updated(sentences[half:])
    assert after.sample_.shape == (40, after.net_.n_features)
    assert TextNet(updatable=True, sample=0).fit(sentences[:half]).updated(sentences[half:]).sample_ is None
    both = before.merged(TextNet(updatable=True, sample=40).fit(sentences[half:]))
    assert both.sample_.shape == (40, both.net_.n_features)
    word = both.net_.feature_names.tolist().index("rain")
    assert both.sample_.toarray()[:, word].any()


def test_kept_texts_are_rows_like_texts(net):
    """Where a net knows all of a text, its counts tell as much as the text."""
    known = [text for text in made_up_sentences() if net.representation().coverage([text.split()])[0] == 1.0][:20]
    way = net.representation().with_pieces_of(TEXTS)
    from_counts = way.counts_of_known(canonical_csr(net.vectorizer_.transform(known)))
    assert np.array_equal(from_counts.toarray(), way.counts(known).toarray())


def test_what_kept_texts_imply_is_remembered_for_the_net_and_the_expansion(net):
    other = TextNet(sample=20).fit(made_up_sentences())
    once = other.expanded_sample(Global())
    assert other.expanded_sample(Global()) is once
    assert other.expanded_sample(Global(hops=2)) is not once
    assert np.allclose(np.sqrt((once.toarray() ** 2).sum(axis=1)), 1.0)
    other.ban("rain", "storm")
    assert other.expanded_sample(Global()) is not once
    with pytest.raises(InputError, match="kept no texts"):
        TextNet(sample=0).fit(made_up_sentences()).expanded_sample(Global())


# -------------------------------------------------------------------------------------------------- which, how much


def plainly_told_apart(labelled, weights, unlabeled, other_weights):
    """The same, text by text."""

    def likeness(text, side, shares, left_out):
        kept = [i for i in range(len(side)) if left_out is None or not np.array_equal(side[i], side[left_out])]
        whole = sum(shares[i] for i in kept)
        return sum(shares[i] * float(side[i] @ text) for i in kept) / max(whole, 1e-300)

    here = [
        likeness(x, labelled, weights, i) - likeness(x, unlabeled, other_weights, None) for i, x in enumerate(labelled)
    ]
    there = [
        likeness(x, labelled, weights, None) - likeness(x, unlabeled, other_weights, i) for i, x in enumerate(unlabeled)
    ]
    total = sum(
        v * w * ((a > b + 1e-12) + 0.5 * (abs(a - b) <= 1e-12))
        for a, v in zip(here, weights, strict=True)
        for b, w in zip(there, other_weights, strict=True)
    )
    return total / (sum(weights) * sum(other_weights))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_telling_apart_matches_its_definition(seed):
    rng = np.random.default_rng(seed)
    labelled, unlabeled = rng.random((4, 5)), rng.random((7, 5))
    weights, others = rng.random(4) + 0.1, rng.random(7) + 0.1
    found = told_apart(canonical_csr(labelled), weights, canonical_csr(unlabeled), others)
    assert found == pytest.approx(plainly_told_apart(labelled, weights, unlabeled, others), abs=1e-9)


def test_texts_of_one_kind_cannot_be_told_apart_and_others_can():
    rng = np.random.default_rng(0)
    here, there = (rng.poisson(0.3, (300, 40)) * (np.arange(40) % 2 == side) + 1e-3 for side in (0, 1))
    same = told_apart(canonical_csr(here[:60]), np.ones(60), canonical_csr(here[60:]), np.ones(240))
    other = told_apart(canonical_csr(here[:60]), np.ones(60), canonical_csr(there), np.ones(300))
    assert 0.2 < same < ALIKE  # below a half: no text helps to tell itself
    assert other > 0.95


def test_the_surest_of_each_class_join():
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(50, 3))
    chosen, codes, _ = surest(logits, 12)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    for code in range(3):
        said = [i for i in range(50) if logits[i].argmax() == code]
        best = sorted(said, key=lambda i: -chances[i, code])[: min(4, len(said) // 2)]
        assert sorted(chosen[codes == code].tolist()) == sorted(best)


def joined_by(head, own, targets, rows, sizes):
    """What `with_unlabeled` makes of a head and rows without an expansion."""
    kept = Unlabeled(rows, no_rows(rows.shape[0], 0), rows.shape[1])
    weights, added = targets.row_weights("balanced", None), no_rows(own.shape[0], 0)
    return with_unlabeled(head, own, added, targets, weights, Settings(30.0, 0.0), np.asarray(sizes, float), kept)


def planted(seed=0):
    """Twelve labelled texts, 400 unlabeled and 400 to judge, of eight of the forty words of their topic and three
    of the other's; and a classifier of the labelled ones.
    """
    rng = np.random.default_rng(seed)

    def texts(n):
        codes, rows = np.arange(n) % 2, np.zeros((n, 80))
        for row, code in zip(rows, codes, strict=True):
            row[40 * code + rng.choice(40, 8, replace=False)] = row[40 - 40 * code + rng.choice(40, 3)] = 1.0
        return canonical_csr(rows / np.linalg.norm(rows, axis=1, keepdims=True)), codes

    (own, codes), (unlabeled, _), (asked, truth) = texts(12), texts(400), texts(400)
    targets = Targets.of_codes(codes, 2)
    weights = targets.row_weights("balanced", None)
    head = fit_head(own, targets, 30.0, weights)
    found, share = joined_by(head, own, targets, unlabeled, [6, 6])
    assert share > 0
    return head, found, unlabeled, asked, truth


@pytest.mark.parametrize("seed", range(5))
def test_words_of_no_labelled_text_are_learnt_from_unlabeled_ones(seed):
    head, found, _, asked, truth = planted(seed)
    before, after = ((each.logits(asked).argmax(axis=1) == truth).mean() for each in (head, found))
    assert after > before + 0.04


@pytest.mark.parametrize("seed", range(5))
def test_each_class_is_said_as_often_as_before(seed):
    head, found, unlabeled, *_ = planted(seed)
    logits = head.logits(unlabeled)
    staying = np.setdiff1d(np.arange(unlabeled.shape[0]), surest(logits, MOST_JOINING)[0])
    assert len(staying) >= unlabeled.shape[0] / 2
    after = np.bincount(found.logits(unlabeled)[staying].argmax(axis=1), minlength=2)
    assert abs(np.bincount(logits[staying].argmax(axis=1), minlength=2) - after).max() <= 0.02 * len(staying)


@pytest.mark.parametrize("seed", range(5))
def test_unlabeled_texts_count_for_less_where_labelled_ones_are_no_fewer(seed, monkeypatch):
    """The more labelled texts a class has, the less the classifier moves away from what these say."""
    monkeypatch.setattr(unlabeled, "told_apart", lambda *rows: ALIKE)
    _, _, texts, *_ = planted(seed)
    own, others, codes = (canonical_csr(texts[:12]), canonical_csr(texts[12:]), np.arange(12) % 2)
    targets = Targets.of_codes(codes, 2)
    head = fit_head(own, targets, 30.0, targets.row_weights("balanced", None))
    said = np.bincount(head.logits(others).argmax(axis=1), minlength=2)
    sizes = (6, 388, 38_800)
    heads, shares = zip(*(joined_by(head, own, targets, others, [n, n]) for n in sizes), strict=True)
    assert shares == pytest.approx([1.0, *(np.mean(said / (ENOUGH * n)) for n in sizes[1:])])
    moved = [abs(each.coef - head.coef).max() for each in heads]
    assert moved[0] > 2 * moved[1] > 20 * moved[2] > 0


def test_few_texts_and_texts_of_another_kind_change_nothing():
    targets = Targets.of_codes(np.arange(8) % 2, 2)
    weights = targets.row_weights("balanced", None)
    own = canonical_csr(np.eye(50)[np.arange(8) % 4])
    head = fit_head(own, targets, 30.0, weights)
    foreign = np.eye(50)[40 + np.arange(300) % 10]
    alike = np.eye(50)[np.arange(50) % 5]
    for rows in (foreign, alike):
        found, share = joined_by(head, own, targets, canonical_csr(rows), [4, 4])
        assert found is head
        assert share == 0.0


def test_a_few_that_look_labelled_do_not_make_the_others_so(monkeypatch):
    """All that is said to be of the other classes are three texts of each; 400 more are of another kind."""
    rng = np.random.default_rng(0)

    def texts(n, first):
        rows = np.zeros((n, 80))
        for row in rows:
            row[first + rng.choice(20, 8, replace=False)] = 1.0 / np.sqrt(8)
        return rows

    own = canonical_csr(np.vstack([texts(10, 0), texts(10, 20), texts(10, 40)]))
    foreign = texts(400, 60)
    foreign[:, :20] = 0.02  # what decides of them, for the first class
    rows = canonical_csr(np.vstack([foreign, texts(3, 20), texts(3, 40)]))
    targets = Targets.of_codes(np.arange(30) // 10, 3)
    weights = targets.row_weights("balanced", None)
    head = fit_head(own, targets, 30.0, weights)
    assert np.bincount(head.logits(rows).argmax(axis=1)).tolist() == [400, 3, 3]
    chances = []
    monkeypatch.setattr(unlabeled, "told_apart", lambda *rows: chances.append(told_apart(*rows)) or chances[-1])
    for rarest in (0.1, 0.0):
        monkeypatch.setattr(unlabeled, "RAREST", rarest)
        assert joined_by(head, own, targets, rows, [10, 10, 10]) == (head, 0.0)
    assert chances[0] > chances[1] + 0.02


# --------------------------------------------------------------------------------------------------- classifier


def test_a_classifier_learns_from_what_its_net_kept_and_says_so(net):
    clf = ClassiNetClassifier(net).fit(TEXTS, LABELS)
    alone = ClassiNetClassifier(net, unlabeled=False).fit(TEXTS, LABELS)
    assert clf.settings_["unlabeled"] == 1.0
    assert alone.settings_["unlabeled"] == 0.0
    assert not np.allclose(clf.head_.coef, alone.head_.coef)
    assert np.array_equal(clf.plain_head_.coef, alone.plain_head_.coef)
    without = ClassiNetClassifier(TextNet(sample=0).fit(made_up_sentences())).fit(TEXTS, LABELS)
    assert np.array_equal(without.head_.coef, alone.head_.coef)
    asked = ["thunder and rain", "butter", "a goal"]
    assert clf.predict(asked).tolist() == ["weather", "kitchen", "football"]
    explained = clf.explain("thunder and rain")
    assert explained.label == "weather"


def test_only_few_labels_that_exclude_each_other_and_an_expansion_let_it(net):
    few, many = (Targets.of_codes(np.arange(n) % 2, 2) for n in (MOST_TEXTS, MOST_TEXTS + 1))
    assert may_learn(few, np.ones(MOST_TEXTS))
    assert not may_learn(many, np.ones(MOST_TEXTS + 1))
    assert may_learn(many, np.append(np.ones(MOST_TEXTS), 0.0))  # a text of weight 0 is none
    assert ClassiNetClassifier(net, weight=0.0).fit(TEXTS, LABELS).settings_["unlabeled"] == 0.0
    assert ClassiNetClassifier(net).fit(TEXTS, [[label] for label in LABELS]).settings_["unlabeled"] == 0.0
    with pytest.raises(ParameterError, match="unlabeled"):
        ClassiNetClassifier(net, unlabeled="yes").fit(TEXTS, LABELS)


def test_the_order_of_the_unlabeled_texts_does_not_matter(net):
    shuffled = TextNet().fit(list(np.random.default_rng(0).permutation(list(made_up_sentences()))))
    one, other = (ClassiNetClassifier(each).fit(TEXTS, LABELS) for each in (net, shuffled))
    assert np.array_equal(one.head_.coef, other.head_.coef)


def test_the_benchmark_judges_as_the_classifier_does(net):
    codes = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1])
    texts = [*TEXTS, "thunder", "butter"]
    said, chosen = judge_by_classifier(net, texts, codes, np.arange(9), np.array([9, 10]))
    clf = ClassiNetClassifier(net, class_names=False).fit(TEXTS, codes[:9])
    assert said.tolist() == clf.predict(texts[9:]).tolist()
    assert chosen["unlabeled"] == clf.settings_["unlabeled"] == 1.0
    again, later = judge_by_classifier(net, texts, codes, np.arange(9), np.array([9, 10]), chosen)
    assert again.tolist() == said.tolist()
    assert later["how"] == chosen["how"]


# -------------------------------------------------------------------------------------------------- persistence


def test_nets_are_saved_with_what_they_kept_and_classifiers_without(net, tmp_path):
    classinet.save(net, tmp_path / "net")
    loaded = classinet.load(tmp_path / "net")
    assert np.array_equal(loaded.sample_.toarray(), net.sample_.toarray())
    assert "sample.safetensors" in (tmp_path / "net" / "v0001" / "README.md").read_text(encoding="utf-8")
    clf = ClassiNetClassifier(net).fit(TEXTS, LABELS)
    same = ClassiNetClassifier(loaded).fit(TEXTS, LABELS)
    assert np.array_equal(clf.head_.coef, same.head_.coef)
    classinet.save(clf, tmp_path / "model")
    assert not (tmp_path / "model" / "v0001" / "sample.safetensors").exists()
    back = classinet.load(tmp_path / "model")
    assert back.text_net_.sample_ is None
    assert back.settings_["unlabeled"] == 1.0
    assert np.array_equal(back.head_.coef, clf.head_.coef)


@pytest.mark.parametrize("fault", ["count", "rows", "width"])
def test_a_damaged_sample_is_refused(net, tmp_path, fault):
    from classinet.persistence.models import _read_sample

    arrays = csr_arrays("sample", canonical_csr(np.eye(3), np.float32))
    if fault == "count":
        arrays["sample.data"] = np.array([1, -1, 1], dtype=np.float32)
    elif fault == "rows":
        arrays["sample.indptr"] = np.empty(0, dtype=np.int64)
    write_tensors(tmp_path / "sample.safetensors", arrays)
    with pytest.raises(StorageError, match=r"sample\.safetensors"):
        _read_sample(tmp_path / "sample.safetensors", 2 if fault == "width" else 3)
