"""Texts added to a net, and nets made one: counts add up, and what comes out is what a net of all texts would be."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from classinet import ClassiNetClassifier, TextNet, load, save
from classinet.build import merge_nets
from classinet.cli.app import app
from classinet.datasets import made_up_sentences
from classinet.edits import Edits
from classinet.exceptions import InputError, ParameterError, StorageError
from classinet.graph import FeatureGraph
from classinet.labels import LabelVectors
from classinet.model import ClassiNet
from classinet.net import Net
from classinet.text import TextVectorizer
from classinet.vertices import BestByLabels

TEXTS = made_up_sentences(3000)
FORMER, FURTHER = TEXTS[:2000], TEXTS[2000:]
HAIL = ["hail and thunder", "hail and rain", "snow and hail", "storm with hail"] * 10


@pytest.fixture(scope="module")
def net():
    return TextNet(updatable=True).fit(FORMER)


@pytest.fixture(scope="module")
def updated(net):
    return net.updated(FURTHER)


@pytest.fixture(scope="module")
def rebuilt():
    return TextNet(updatable=True).fit(TEXTS)


def tables(net):
    """Counts by name: texts that hold each feature, and evidence of each counted pair."""
    counts = net.net_.counts
    names = [str(name) for name in counts.names]
    holding = dict(zip(names, counts.holding.tolist(), strict=True))
    met = {
        (names[row], names[column]): value
        for row, line in zip(counts.rows, counts.met.toarray(), strict=True)
        for column, value in enumerate(line.tolist())
        if value
    }
    return holding, met


def overlap(one, other, k=10):
    """Mean share of the k nearest of each vertex in one net that are so in the other."""
    shares = []
    for name in other.graph.names:
        wanted = {edge.target for edge in other.graph.successors(name, k)}
        found = {edge.target for edge in one.graph.successors(name, k)} if name in one.graph else set()
        shares.append(len(wanted & found) / max(1, len(wanted)))
    return float(np.mean(shares))


# ------------------------------------------------------------------------------------------------------- update


def test_features_vertices_and_counts_are_those_of_all_texts(updated, rebuilt):
    assert updated.n_texts_ == len(TEXTS)
    assert list(updated.net_.feature_names) == list(rebuilt.net_.feature_names)
    assert list(updated.net_.graph.names) == list(rebuilt.net_.graph.names)
    np.testing.assert_allclose(updated.net_.frequency, rebuilt.net_.frequency)
    assert tables(updated)[0] == tables(rebuilt)[0]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5), min_size=8, max_size=30),
    st.integers(3, 5),
)
@pytest.mark.filterwarnings("ignore::classinet.exceptions.EmptyNetWarning")
def test_evidence_adds_up(texts, border):
    texts = [" ".join(words) for words in texts]
    vectorizer = TextVectorizer(min_df=1)
    first = TextNet(vectorizer, updatable=True).fit(texts[:border])
    part, whole = first.updated(texts[border:]), TextNet(vectorizer, updatable=True).fit(texts)
    (holding, met), (wanted_holding, wanted_met) = tables(part), tables(whole)
    assert holding == wanted_holding
    # Whole is the company of words that were rows before, or that did not occur before.
    before = first.net_.counts
    rows = {str(before.names[row]) for row in before.rows} | (holding.keys() - tables(first)[0].keys())
    compared = {pair for pair in wanted_met if pair[0] in rows and any(pair[0] == row for row, _ in met)}
    for pair in compared:
        assert met[pair] == pytest.approx(wanted_met[pair], rel=1e-5)
    assert list(part.net_.feature_names) == list(whole.net_.feature_names)


def test_evidence_is_what_a_slow_count_says():
    texts = ["a b c", "a b", "c d", "a d d"]
    _, met = tables(TextNet(TextVectorizer(min_df=1), updatable=True).fit(texts))
    wanted = {}
    for text in texts:
        words = set(text.split())
        for i in words:
            for j in words:
                wanted[i, j] = wanted.get((i, j), 0) + 1 / max(len(words) - 1, 1)
    assert met == pytest.approx(wanted)


def test_neighbours_are_those_of_a_net_of_all_texts(net, updated, rebuilt):
    assert overlap(updated.net_, rebuilt.net_) >= 0.9
    assert overlap(updated.net_, rebuilt.net_) > overlap(net.net_, rebuilt.net_)


def test_a_new_word_joins_with_its_company(net):
    more = net.updated(HAIL)
    assert "hail" not in net.net_.graph
    near = {edge.target for edge in more.neighbors("hail", top=6)}
    assert near & {"thunder", "rain", "snow", "storm"}
    texts, labels = ["rain and wind", "bread in the oven", "a late goal"], ["weather", "kitchen", "football"]
    assert ClassiNetClassifier(more, pieces=False).fit(texts, labels).predict(["hail"]) == ["weather"]


def test_words_too_rare_before_are_counted_when_they_come_again():
    once = [*FORMER, "a squall and rain"]
    net = TextNet(updatable=True).fit(once)
    assert "squall" not in net.net_.feature_names
    more = net.updated(["squall and storm", "wind"])
    assert more.net_.frequency[list(more.net_.feature_names).index("squall")] * more.n_texts_ == pytest.approx(2)


def test_predictors_of_words_that_do_not_occur_keep_what_they_learnt(net):
    more = net.updated(HAIL)
    texts = FORMER[:200]
    before = net.net_.predictor.decision_function(net.vectorizer_.transform(texts))
    after = more.net_.predictor.decision_function(more.vectorizer_.transform(texts))
    place = {name: i for i, name in enumerate(more.net_.graph.names)}
    met = {word for text in HAIL for word in text.split()}
    for i, name in enumerate(net.net_.graph.names):
        if name not in met:
            assert np.corrcoef(before[:, i], after[:, place[name]])[0, 1] > 0.98, name


def test_predictors_are_as_good_as_those_of_all_texts(updated, rebuilt):
    assert np.nanmean(updated.net_.labels.auc) > np.nanmean(rebuilt.net_.labels.auc) - 0.02


def test_the_former_net_stays_as_it_was(net, updated):
    assert net.n_texts_ == len(FORMER)
    assert updated.net_ is not net.net_
    np.testing.assert_array_equal(net.neighbors("storm"), TextNet(updatable=True).fit(FORMER).neighbors("storm"))


def test_few_texts_may_be_added_one_after_the_other(net):
    one_by_one = net
    for text in FURTHER[:3]:
        one_by_one = one_by_one.updated([text, text])
    assert one_by_one.n_texts_ == net.n_texts_ + 6
    assert overlap(one_by_one.net_, net.net_) > 0.8


def test_votes_are_put_after_the_former_ones(net, updated):
    assert updated.net_.labels.n_rows > net.net_.labels.n_rows
    (edge,) = updated.net_.graph.successors("storm", top=1)
    assert sum(edge.counts) == updated.net_.labels.n_rows


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 130), st.integers(1, 130), st.integers(0, 2**32 - 1))
def test_joined_votes_are_the_votes_one_after_the_other(n_before, n_now, seed):
    rng = np.random.default_rng(seed)
    before, now = rng.random((2, n_before)) < 0.3, rng.random((4, n_now)) < 0.3
    here, there = (LabelVectors.from_votes(votes, present=votes) for votes in (now, before))
    joined = here.after(there, np.array([3, 1]))
    unpacked = np.unpackbits(joined.bits.view(np.uint8), axis=1, bitorder="little")[:, : n_before + n_now]
    wanted = np.zeros((4, n_before + n_now), dtype=bool)
    wanted[[3, 1], :n_before], wanted[:, n_before:] = before, now
    np.testing.assert_array_equal(unpacked.astype(bool), wanted)
    assert joined.n_rows == n_before + n_now


def test_an_update_goes_on_where_it_was(net, updated, tmp_path):
    def stopping():
        yield from FURTHER[:10]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        net.updated(stopping(), directory=tmp_path / "work")
    again = net.updated(FURTHER, directory=tmp_path / "work", resume=True)
    save(again, tmp_path / "again"), save(updated, tmp_path / "updated")
    for file in sorted((tmp_path / "updated" / "v0001").glob("*.safetensors")):
        assert file.read_bytes() == (tmp_path / "again" / "v0001" / file.name).read_bytes(), file.name


def test_a_stored_net_is_updated_like_the_one_in_memory(net, updated, tmp_path):
    save(net, tmp_path / "net")
    more = load(tmp_path / "net").updated(FURTHER)
    np.testing.assert_array_equal(more.net_.graph.weights.data, updated.net_.graph.weights.data)
    assert more.fingerprint_ == updated.fingerprint_


def test_sentences_context_and_characters_are_updated_alike():
    documents = [". ".join(TEXTS[i : i + 3]) for i in range(0, 600, 3)]
    net = TextNet(split="sentences", context=1, updatable=True).fit(documents[:150])
    assert net.updated(documents[150:]).n_texts_ == 600
    letters = TextNet(TextVectorizer(analyzer="char_wb", ngram_range=(2, 3)), updatable=True).fit(TEXTS[:200])
    assert letters.updated(TEXTS[200:300]).net_.n_vertices > 0


def test_examples_are_kept_and_added():
    net = TextNet(examples=2, updatable=True).fit(FORMER[:300])
    more = net.updated(HAIL)
    assert more.examples_["hail"] == HAIL[:2]
    assert more.examples_["storm"][: len(net.examples_["storm"])] == net.examples_["storm"]


def test_nets_that_cannot_be_updated_say_why(net):
    with pytest.raises(InputError, match="did not keep the counts"):
        TextNet().fit(FORMER[:200]).updated(FURTHER)
    with pytest.raises(ParameterError, match="would need all former texts"):
        TextNet(model=ClassiNet.paper(vertices=20), updatable=True).fit(FORMER[:200])
    with pytest.raises(ParameterError, match="looks at more than counts"):
        TextNet(model=ClassiNet(vertices=BestByLabels(20)), updatable=True).fit(FORMER[:200], ["a", "b"] * 100)
    edited = load_copy(net)
    edited.ban("storm")
    with pytest.raises(InputError, match="is edited"):
        edited.updated(FURTHER)
    with pytest.raises(InputError, match="no texts"):
        net.updated([])
    with pytest.raises(InputError, match="at least 2 are needed"):
        net.updated(["a storm"])


def test_texts_of_which_nothing_is_known_change_nothing_but_their_number(net):
    more = net.updated(["", "", ""])
    assert more.n_texts_ == net.n_texts_ + 3
    assert list(more.net_.graph.names) == list(net.net_.graph.names)
    assert overlap(more.net_, net.net_) > 0.95


def load_copy(net):
    other = TextNet(updatable=True)
    other.__dict__.update(net.__dict__)
    return other


# -------------------------------------------------------------------------------------------------------- merge


def graph_net(names, weights, frequency, columns=None, first_hop=None):
    names = np.array(names, dtype=object)
    columns = np.arange(len(weights)) if columns is None else np.array(columns)
    graph = FeatureGraph(names[columns], np.array(weights, dtype=float), first_hop=first_hop)
    return Net(graph=graph, columns=columns, feature_names=names, frequency=np.array(frequency))


def test_weights_are_means_over_the_nets_that_know_both_ends():
    here = graph_net(["a", "b", "c"], [[0, 0.8, 0], [0, 0, 0.4], [0, 0, 0]], [0.5, 0.5, 0.1])
    there = graph_net(["b", "c", "d"], [[0, 0, 0.6], [0.2, 0, 0], [0, 0, 0]], [0.1, 0.2, 0.3])
    merged = merge_nets([here, there], [300, 100])
    wanted = {
        ("a", "b"): 0.8,  # the second does not know a
        ("b", "c"): 0.4 * 300 / 400,  # both know both
        ("b", "d"): 0.6,
        ("c", "b"): 0.2 * 100 / 400,
    }
    found = {(e.source, e.target): e.weight for name in merged.graph.names for e in merged.graph.successors(name)}
    assert found == pytest.approx(wanted)
    np.testing.assert_allclose(merged.frequency, [150 / 400, 160 / 400, 50 / 400, 30 / 400])


def test_counts_of_edges_add_up_and_rare_words_keep_their_first_hop(net, updated):
    other = TextNet(updatable=True).fit(FURTHER)
    merged = net.merged(other)
    assert merged.n_texts_ == len(TEXTS)
    assert set(merged.net_.feature_names) == set(net.net_.feature_names) | set(other.net_.feature_names)
    (edge,) = [e for e in merged.neighbors("storm", top=None) if e.target == "thunder"]
    parts = [e for n in (net, other) for e in n.neighbors("storm", top=None) if e.target == "thunder"]
    assert np.array_equal(edge.counts, np.sum([e.counts for e in parts], axis=0))
    assert merged.net_.predictor is None
    assert merged.net_.labels is None
    assert tables(merged)[0] == tables(updated)[0]


def test_merged_nets_classify_and_can_be_updated(net):
    merged = net.merged(TextNet(updatable=True).fit(FURTHER))
    texts, labels = ["rain and wind", "bread in the oven", "a late goal"], ["weather", "kitchen", "football"]
    clf = ClassiNetClassifier(merged, pieces=False).fit(texts, labels)
    assert clf.predict(["thunder", "dough", "keeper"]).tolist() == labels
    more = merged.updated(HAIL)
    assert "hail" in more.net_.graph
    assert more.net_.predictor is not None


def test_the_order_of_nets_does_not_matter(net):
    other = TextNet(updatable=True).fit(FURTHER)
    one, two = net.merged(other).net_, other.merged(net).net_
    assert list(one.feature_names) == list(two.feature_names)
    np.testing.assert_allclose(one.graph.weights.toarray(), two.graph.weights.toarray())


def test_nets_that_cannot_be_merged_say_why(net):
    with pytest.raises(InputError, match="in different ways"):
        net.merged(TextNet(TextVectorizer(ngram_range=(1, 2))).fit(FURTHER))
    with pytest.raises(InputError, match="at least two"):
        merge_nets([net.net_], [5])
    edited = dataclasses.replace(net.net_).edited(Edits().ban("storm"))
    with pytest.raises(InputError, match="edited"):
        merge_nets([net.net_, edited], [5, 5])


# -------------------------------------------------------------------------------------------------- command line


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_nets_are_updated_and_merged_from_the_command_line(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(FORMER[:500]))
    (tmp_path / "b.txt").write_text("\n".join(HAIL))
    net, other = tmp_path / "net", tmp_path / "other"
    assert run("build", tmp_path / "a.txt", "-o", net, "--updatable").exit_code == 0
    assert run("build", tmp_path / "b.txt", "-o", other).exit_code == 0
    assert run("merge", net, other, "-o", tmp_path / "both", "--json").exit_code == 0
    assert load(tmp_path / "both").n_texts_ == 540
    found = run("update", net, tmp_path / "b.txt", "--json")
    assert found.exit_code == 0
    assert '"texts": 540' in found.stdout
    assert (net / "v0002").is_dir()
    assert load(net).n_texts_ == 540
    assert not (tmp_path / "net.update").exists()
    refused = run("update", other, tmp_path / "a.txt")
    assert refused.exit_code == 1
    assert "--updatable" in str(refused.output)
    assert not (tmp_path / "other.update").exists()


def test_a_model_is_not_replaced_by_a_net(tmp_path, net):
    save(ClassiNetClassifier(net).fit(["rain", "goal"], ["a", "b"]), tmp_path / "model")
    (tmp_path / "b.txt").write_text("\n".join(HAIL))
    refused = run("update", tmp_path / "model", tmp_path / "b.txt")
    assert refused.exit_code == 1
    assert "is a model" in str(refused.output)
    assert isinstance(load(tmp_path / "model"), ClassiNetClassifier)


@pytest.mark.parametrize("damage", ["rows", "holding", "names"])
def test_damaged_counts_are_refused(tmp_path, net, damage):
    counts = net.net_.counts
    broken = {
        "rows": dataclasses.replace(counts, rows=counts.rows[::-1].copy()),
        "holding": dataclasses.replace(counts, holding=-counts.holding),
        "names": dataclasses.replace(counts, names=np.array([f"{name}!" for name in counts.names], dtype=object)),
    }[damage]
    other = load_copy(net)
    other.net_ = dataclasses.replace(net.net_, counts=broken)
    with pytest.raises(StorageError, match="could not be loaded again"):
        save(other, tmp_path / "net")
