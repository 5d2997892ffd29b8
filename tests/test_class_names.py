"""Names of classes are read as texts where they tell classes apart, and have no say elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from classinet import load, save
from classinet._sparse import canonical_csr
from classinet.datasets import made_up_sentences
from classinet.exceptions import ParameterError
from classinet.model import ClassiNet
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline import names as naming
from classinet.pipeline.names import name_text, names_tell, names_to_read, with_names
from classinet.pipeline.representation import no_rows
from classinet.pipeline.targets import Targets

TEXTS = ["rain and cold", "snow", "wet cloud", "dough", "pepper and salt", "soup", "keeper", "the coach", "league"]
TOPICS = [0] * 3 + [1] * 3 + [2] * 3
TELLING = np.array(["storm_forecast", "BreadRecipe", "match.penalty"])


@pytest.fixture(scope="module")
def net():
    return TextNet(model=ClassiNet(n_jobs=1)).fit(made_up_sentences())


def fitted(net, names, texts=TEXTS, topics=TOPICS, **parameters):
    return ClassiNetClassifier(net, **parameters).fit(texts, np.asarray(names)[topics])


def same(a, b, texts=("storm", "oven", "a goal", "rain")):
    np.testing.assert_array_equal(a.predict_proba(texts), b.predict_proba(texts))


# ------------------------------------------------------------------------------------------------- which are read


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("gardening", "gardening"),
        ("Refund_not_showing_up", "Refund not showing up"),
        ("apple-pay / google pay", "apple pay google pay"),
        ("AskHistorians", "Ask Historians"),
        ("COVID19", "COVID19"),
        ("top10_films", "top10 films"),
        ("3", ""),
        ("1-2", ""),
        ("", ""),
    ],
)
def test_labels_are_written_as_people_would(label, text):
    assert name_text(label) == text


@given(st.text(max_size=30))
def test_no_letter_of_a_label_is_lost(label):
    kept = [letter for letter in label if letter.isalpha()]
    assert [letter for letter in name_text(label) if letter.isalpha()] == kept


def test_only_words_are_read_and_only_while_labels_are_few():
    assert names_to_read(TELLING, 150) == ["storm forecast", "Bread Recipe", "match penalty"]
    assert names_to_read(TELLING, 151) == []
    assert names_to_read(np.array([1, 2, 3]), 3) == []
    assert names_to_read(np.array([True, False]), 3) == []
    assert names_to_read(np.array(["weather", "1"]), 3) == []


# -------------------------------------------------------------------------------------------------- what they do


def test_a_name_counts_like_two_more_texts_of_its_class(net):
    names = np.array(["storm", "bread", "match"])
    alone = {"pieces": False, "unlabeled": False}
    clf = fitted(net, names, **alone)
    by_hand = fitted(net, names, [*TEXTS, *names, *names], [*TOPICS, *[0, 1, 2] * 2], class_names=False, **alone)
    assert clf.settings_["class_names"]
    asked = ["thunder", "oven", "a goal", "the referee and the wind"]
    for judge in ("predict_proba", "predict_proba_without_expansion"):
        np.testing.assert_allclose(getattr(clf, judge)(asked), getattr(by_hand, judge)(asked), atol=1e-4)


def test_names_make_surer_of_texts_that_are_like_them(net):
    with_them, without = fitted(net, TELLING), fitted(net, TELLING, class_names=False)
    asked, columns = ["storm", "recipe", "penalty"], [2, 0, 1]
    assert with_them.classes_.tolist() == ["BreadRecipe", "match.penalty", "storm_forecast"]
    assert with_them.predict(asked).tolist() == TELLING.tolist()
    sure, less = (clf.predict_proba(asked)[range(3), columns] for clf in (with_them, without))
    assert (sure > less).all()


@pytest.mark.parametrize(
    "names",
    [
        ["bread_recipe", "match", "storm"],  # each of another class
        ["xyzzy", "plugh", "frotz"],  # unknown to the net
        ["storm", "bread", "frotz"],  # one of them unknown
        ["0", "1", "2"],
        ["class_a", "class_b", "class_c"],
    ],
)
def test_names_that_do_not_tell_have_no_say(net, names):
    clf = fitted(net, names)
    assert not clf.settings_["class_names"]
    same(clf, fitted(net, names, class_names=False))


def test_too_few_texts_to_tell_by_chance_have_no_names_read(net):
    clf = ClassiNetClassifier(net).fit(["rain", "soup"], ["storm", "bread"])  # two right of two: one in four by chance
    assert not clf.settings_["class_names"]


def test_texts_of_weight_0_are_not_asked(net):
    names = np.array(["storm", "bread", "match"])
    # Two texts a class that the names judge right, and many that they judge wrong and that do not count.
    texts, topics = [*TEXTS, *["goal"] * 20], [*TOPICS, *[0] * 20]
    weights = [1.0] * len(TEXTS) + [0.0] * 20
    clf = ClassiNetClassifier(net).fit(texts, names[topics], sample_weight=weights)
    assert clf.settings_["class_names"]
    np.testing.assert_allclose(
        clf.predict_proba(["storm", "oven"]), fitted(net, names).predict_proba(["storm", "oven"])
    )


def test_weights_are_asked_like_repetitions(net):
    names = np.array(["storm", "bread"])
    texts, topics = ["rain", "soup", "cold"], np.array([0, 1, 0])
    weighed = ClassiNetClassifier(net).fit(texts, names[topics], sample_weight=[2, 3, 1])
    repeated = ClassiNetClassifier(net).fit(["rain", "rain", "soup", "soup", "soup", "cold"], names[[0, 0, 1, 1, 1, 0]])
    assert weighed.settings_["class_names"] is repeated.settings_["class_names"] is True
    np.testing.assert_allclose(weighed.predict_proba(["storm"]), repeated.predict_proba(["storm"]), atol=1e-4)


def test_one_text_a_class_of_many_classes_is_no_cause_for_alarm():
    # scikit-learn warns of more than 20 rows of as many classes; warnings are errors here.
    words = [f"{a}{b}a" for a in "bcdfg" for b in "aeiou"]
    texts = [f"{word} {word}n" for word in words] * 3
    net = TextNet(model=ClassiNet(n_jobs=1)).fit(texts)
    clf = ClassiNetClassifier(net).fit([f"{word}n" for word in words], words)
    assert clf.settings_["class_names"]
    assert clf.predict(words).tolist() == words


def test_tags_have_names_too(net):
    tags = [["storm"], ["bread"], ["storm", "bread"], ["bread"], ["storm"], []] * 2
    texts = ["rain", "soup", "rain and soup", "dough", "cold", "keeper"] * 2
    clf = ClassiNetClassifier(net).fit(texts, tags)
    assert clf.settings_["class_names"]
    assert clf.predict(["a storm", "bread"]) == [("storm",), ("bread",)]
    assert not ClassiNetClassifier(net, class_names=False).fit(texts, tags).settings_["class_names"]


def test_it_is_kept_with_the_model(net, tmp_path):
    clf = fitted(net, TELLING)
    loaded = load(save(clf, tmp_path / "model"))
    assert loaded.class_names is True
    assert loaded.settings_["class_names"] is True
    same(clf, loaded)


def test_what_is_neither_true_nor_false_is_refused(net):
    with pytest.raises(ParameterError, match="class_names"):
        fitted(net, TELLING, class_names="yes")


# ------------------------------------------------------------------------------------------------- when they tell


def planted(right, wrong):
    """Rows of two classes, then of their names: so many texts of the first class, right or not by their names."""
    texts = [[1.0, 0.0]] * right + [[0.0, 1.0]] * wrong
    others = [[0.0, 1.0]] * right + [[1.0, 0.0]] * wrong
    rows = canonical_csr(np.array([*texts, *others, [1.0, 0.0], [0.0, 1.0]]))
    n = right + wrong
    return rows, Targets.of_codes(np.repeat([0, 1], n), 2)


@given(st.integers(0, 30), st.integers(0, 30))
def test_names_tell_when_as_many_right_by_chance_is_unlikely(right, wrong):
    if right + wrong == 0:
        return
    rows, targets = planted(right, wrong)
    n = 2 * (right + wrong)
    unlikely = binom.sf(2 * right - 1, n, 0.5) < naming.SIGNIFICANCE
    assert names_tell(rows, no_rows(rows.shape[0], 0), targets, np.ones(n)) == unlikely


def test_saying_one_class_of_all_tells_nothing():
    # 18 of 20 are of the class that is always said: right in nine of ten, as by chance.
    rows = canonical_csr(np.array([[1.0, 0.0]] * 20 + [[1.0, 0.0], [0.0, 1.0]]))
    targets = Targets.of_codes(np.array([0] * 18 + [1] * 2), 2)
    assert not names_tell(rows, no_rows(22, 0), targets, np.ones(20))


def test_without_names_rows_are_those_of_the_texts():
    rows, targets = planted(10, 0)
    own, _, labels, weights, named = with_names(rows, no_rows(22, 0), targets, None, None)
    assert (own.shape[0], len(labels.member), weights.shape, named) == (22, 22, (22, 2), True)
    assert weights[-1, 0] == naming.NAME_WEIGHT
    own, _, labels, weights, named = with_names(*planted(5, 5)[:1], no_rows(22, 0), planted(5, 5)[1], None, None)
    assert (own.shape[0], len(labels.member), weights.shape, named) == (20, 20, (20, 2), False)


def test_names_do_not_make_few_texts_many(monkeypatch):
    monkeypatch.setattr("classinet.pipeline.targets.FEW_TEXTS", 12)
    codes = np.array([0] * 8 + [1] * 4)
    rows = canonical_csr(np.vstack([np.eye(2)[codes], np.eye(2)]))
    weights = with_names(rows, no_rows(14, 0), Targets.of_codes(codes, 2), "auto", None)[3][:, 0]
    first, second = weights[:8].sum() + weights[12], weights[8:12].sum() + weights[13]
    assert first == pytest.approx(second)  # classes count alike, as they do without names


def test_a_single_tag_has_no_name_to_tell_it_from_others(net):
    clf = ClassiNetClassifier(net).fit(["rain", "soup", "cold", "salt"], [["storm"], [], ["storm"], []])
    assert not clf.settings_["class_names"]
    assert clf.predict(["rain", "soup"]) == [("storm",), ()]


def test_names_alone_are_enough_to_begin_with(net):
    names = ["storm", "bread", "match"]
    clf = ClassiNetClassifier(net).fit(names, names)
    assert clf.predict(["thunder", "dough", "keeper"]).tolist() == names
