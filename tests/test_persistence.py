"""Saving and loading: the same bytes, the same answers, and never half a model."""

import hashlib
import json
import mmap
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import classinet.persistence.store as store
from classinet import ClassiNet
from classinet._sparse import canonical_csr
from classinet.datasets import made_up_sentences
from classinet.edges import Angle, HeldOut, PairSample, Population, Similarity
from classinet.edits import Edits
from classinet.exceptions import InputError, LeftBehindWarning, ParameterError, StorageError
from classinet.expansion import AllNeighbors, Expansion, Global, Independent, LocalPath, MutualNeighbors, Spectral
from classinet.labels import PosteriorLabels, QuantileLabels
from classinet.neighbors import PLEB, ExactNeighbors, FaissNeighbors, LSHNeighbors, VectorNeighbors
from classinet.persistence import describe, load, prune, save, save_edits
from classinet.persistence.codec import CLASSES, decode, encode
from classinet.persistence.predictors import PARTS, predictor_arrays, restore_predictor
from classinet.persistence.tensors import TensorFile, csr_arrays, write_tensors
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.predictors import (
    Embedding,
    Factorised,
    Indicator,
    Logistic,
    NaiveBayes,
    Perceptron,
    Predictor,
    Ridge,
    Sampling,
    SklearnPredictor,
)
from classinet.predictors.base import Setup
from classinet.text import TextVectorizer, Tokenizer
from classinet.vertices import AllFeatures, BestByLabels, Landmarks, Listed, MinDocumentFrequency, MostFrequent

TEXTS = ["storm and snow over the oven", "goal goal penalty", "a recipe"]
LABELLED = ["rain and wind", "bread in the oven", "a late goal"]
CONFIG = Path("config.json")


@pytest.fixture(scope="module")
def sentences():
    return made_up_sentences()


@pytest.fixture(scope="module")
def net(sentences):
    return TextNet(model=ClassiNet(vertices=20, edges=Similarity(outside=True)), examples=2).fit(sentences)


@pytest.fixture(scope="module")
def classifier(net):
    return ClassiNetClassifier(net).fit(LABELLED, ["weather", "kitchen", "football"])


def files_of(path, version="v0001"):
    return {file.name: file.read_bytes() for file in (path / version).iterdir()}


# ------------------------------------------------------------------------------------------------- round trips


def test_a_net_comes_back_whole(net, tmp_path):
    loaded = load(save(net, tmp_path / "net"))
    ours, theirs = net.net_, loaded.net_
    for part in ("data", "indices", "indptr"):
        for name in ("weights", "first_hop"):
            one, other = (getattr(getattr(graph, name), part) for graph in (ours.graph, theirs.graph))
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        assert np.array_equal(getattr(ours.neighbors, part), getattr(theirs.neighbors, part))
    assert np.array_equal(ours.graph.association, theirs.graph.association)
    assert np.array_equal(ours.graph.counts, theirs.graph.counts)
    assert np.array_equal(ours.columns, theirs.columns)
    assert np.array_equal(ours.frequency, theirs.frequency)
    assert list(ours.feature_names) == list(theirs.feature_names)
    for name in ("bits", "present", "thresholds", "auc", "f1", "n_rows"):
        assert np.array_equal(getattr(ours.labels, name), getattr(theirs.labels, name), equal_nan=name == "auc")
    assert dict(ours.left_out) == dict(theirs.left_out)
    assert ours.recipe == theirs.recipe
    assert loaded.examples_ == net.examples_ != {}
    assert (loaded.n_texts_, loaded.fingerprint_) == (net.n_texts_, net.fingerprint_)
    assert repr(loaded) == repr(net)
    assert loaded.vectorizer_.vocabulary_ == net.vectorizer_.vocabulary_
    assert (loaded.transform(TEXTS) != net.transform(TEXTS)).nnz == 0


@pytest.mark.parametrize(
    "labels",
    [["weather", "kitchen", "football"], [3, -1, 2], [True, False, True], [0.5, 1e-3, 0.5],
     [["a"], ["b", "a"], []], np.array([[1, 0], [0, 1], [1, 1]])],
    ids=["strings", "numbers", "bools", "floats", "tags", "indicator"],
)  # fmt: skip
def test_a_classifier_predicts_the_same_bytes(net, tmp_path, labels):
    model = ClassiNetClassifier(net, Global(hops=2), C=2.0, weight=0.5, n_jobs=1).fit(LABELLED, labels)
    loaded = load(save(model, tmp_path / "model"))
    assert repr(loaded.predict(TEXTS)) == repr(model.predict(TEXTS))
    assert loaded.predict_proba(TEXTS).tobytes() == model.predict_proba(TEXTS).tobytes()
    assert repr(loaded.predict_without_expansion(TEXTS)) == repr(model.predict_without_expansion(TEXTS))
    assert loaded.explain(TEXTS[0]).label == model.explain(TEXTS[0]).label
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.settings_ == model.settings_
    assert list(loaded.extra_features_) == list(model.extra_features_)
    assert {"in", "late", "a late"} <= set(loaded.extra_features_)
    assert repr(clone(loaded).expansion) == repr(model.expansion)


def test_saving_what_was_loaded_gives_the_same_bytes(classifier, tmp_path):
    weights = {"weather": 2.0, "kitchen": 1.0}
    for i, model in enumerate((classifier.text_net_, clone(classifier).set_params(class_weight=weights))):
        fitted = model if hasattr(model, "net_") else model.fit(LABELLED, ["weather", "kitchen", "football"])
        first = save(fitted, tmp_path / f"first{i}")
        second = save(load(first), tmp_path / f"second{i}")
        assert files_of(first) == files_of(second)
        assert (first / "CURRENT").read_bytes() == (second / "CURRENT").read_bytes() == b"v0001\n"


def word_vectors(sentences):
    rng = np.random.default_rng(0)
    return {word: rng.normal(size=5).tolist() for word in sorted({word for t in sentences for word in t.split()})[:-2]}


@pytest.mark.parametrize("kind", sorted(PARTS, key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__)
def test_every_kind_of_predictor_scores_the_same_bytes(kind, sentences, tmp_path):
    predictor = kind(word_vectors(sentences)) if kind is Embedding else kind()
    if kind is Factorised:
        predictor = Factorised(rank=3, passes=2)
    net = TextNet(model=ClassiNet(predictor=predictor)).fit(sentences)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if kind is Embedding else "error", LeftBehindWarning)
        loaded = load(save(net, tmp_path / "net"))
    ours, theirs = net.net_.predictor, loaded.net_.predictor
    X = net.vectorizer_.transform(TEXTS)
    n = ours.n_vertices_
    assert type(theirs) is kind
    assert theirs.n_vertices_ == n > 0
    assert (
        theirs.scores(theirs.prepare_contexts(X), 0, n).tobytes()
        == ours.scores(ours.prepare_contexts(X), 0, n).tobytes()
    )
    for name, value in ours.report().items():
        assert np.array_equal(theirs.report()[name], value)
    if hasattr(ours, "vectors"):
        assert theirs.vectors().tobytes() == ours.vectors().tobytes()
    assert theirs.left_out_ == ours.left_out_
    # Whatever a fit leaves is in the table, or needed by training alone.
    assert set(vars(ours)) - set(vars(theirs)) <= {"_grid"}


def test_the_table_knows_every_kind_but_the_arbitrary_one():
    import classinet.predictors as kinds

    named = {getattr(kinds, name) for name in kinds.__all__}
    concrete = {kind for kind in named if isinstance(kind, type) and issubclass(kind, Predictor)} - {Predictor}
    assert concrete - set(PARTS) == {SklearnPredictor}


def test_edits_lie_beside_the_unedited_net(net, tmp_path):
    plain = save(net, tmp_path / "plain")
    edited = TextNet(**net.get_params(deep=False))
    edited.__dict__.update(vars(net))
    source, target, other = net.net_.graph.names[[3, 7, 11]]
    edited.ban(source, target).pin("snow", other, 0.75)
    path = save(edited, tmp_path / "edited")
    assert files_of(path) == files_of(plain)
    lines = (path / "v0001.edits.jsonl").read_text().splitlines()
    assert [json.loads(line)["was"] for line in lines] == [
        net.net_.weight(source, target),
        net.net_.weight("snow", other),
    ]
    loaded = load(path)
    assert loaded.net_.weight(source, target) == 0.0
    assert loaded.net_.weight("snow", other) == 0.75
    assert (loaded.transform(TEXTS) != edited.transform(TEXTS)).nnz == 0
    assert (loaded.undo(2).transform(TEXTS) != net.transform(TEXTS)).nnz == 0

    save_edits(path, Edits().ban("oven"))
    assert load(path).edits == describe(path).edits == Edits().ban("oven")
    with pytest.raises(InputError, match="no such word"):
        save_edits(path, Edits().ban("no such word"))
    assert load(path).edits == Edits().ban("oven")
    save_edits(path, Edits())
    assert not (path / "v0001.edits.jsonl").exists()
    assert files_of(path) == files_of(plain)


def test_arrays_are_mapped_and_read_only(net, tmp_path):
    loaded = load(save(net, tmp_path / "net"))
    for array in (loaded.net_.graph.weights.data, loaded.net_.graph.weights.indices, loaded.net_.labels.bits,
                  loaded.net_.predictor.context_vectors_, loaded.net_.graph.counts):  # fmt: skip
        assert not array.flags.writeable
        assert type(array) is np.ndarray
        base = array
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base, mmap.mmap)


def test_loading_does_not_import_numba(net, tmp_path):
    path = save(net, tmp_path / "net")
    code = f"import sys; from classinet.persistence import load; load({str(path)!r}); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_odd_names_survive(tmp_path):
    names = ["\ud800", "a\nb", 'quo"te', "\u2028", "é😀", "\x00", " ", "|"]
    texts = [f"{a}~{b}" for a in names for b in names if a != b] * 5
    net = TextNet(TextVectorizer(min_df=2, tokenizer=None), ClassiNet(predictor=Indicator())).fit(
        ["a b", "b c", "a c"] * 9
    )
    net.vectorizer_ = net.vectorizer_.with_vocabulary(names[:3])
    object.__setattr__(net.net_, "feature_names", np.array(names[:3], dtype=object))
    net.net_ = type(net.net_)(
        graph=type(net.net_.graph)(np.array(names[:3], dtype=object)[net.net_.columns], net.net_.graph.weights),
        columns=net.net_.columns, feature_names=net.net_.feature_names, frequency=net.net_.frequency,
        left_out={texts[0]: "\ud801"},
    )  # fmt: skip
    net.examples_ = {names[0]: names}
    loaded = load(save(net, tmp_path / "net"))
    assert list(loaded.net_.feature_names) == names[:3]
    assert dict(loaded.net_.left_out) == {texts[0]: "\ud801"}
    assert loaded.examples_ == net.examples_
    assert loaded.net_.predictor is loaded.net_.labels is loaded.net_.neighbors is loaded.net_.graph.counts is None


# ------------------------------------------------------------------------------------------------ left behind


class OwnPredictor(Indicator):
    pass


class OwnExpansion(Expansion):
    def _expand(self, X, net):
        return Global()._expand(X, net)

    def _paths(self, *arguments):
        return Global()._paths(*arguments)


def own_tokenizer(text):
    return text.split()


def test_arbitrary_predictors_stay_behind(sentences, tmp_path):
    predictor = SklearnPredictor(DecisionTreeClassifier(max_depth=2))
    net = TextNet(model=ClassiNet(vertices=5, predictor=predictor)).fit(sentences)
    with pytest.warns(LeftBehindWarning, match="SklearnPredictor"):
        path = save(net, tmp_path / "net")
    loaded = load(path)
    assert loaded.net_.predictor is None
    assert loaded.model.predictor is None
    assert (loaded.transform(TEXTS) != net.transform(TEXTS)).nnz == 0
    assert loaded.net_.labels.bits.tobytes() == net.net_.labels.bits.tobytes()
    info = describe(path)
    assert info.predictor is None
    assert len(info.left_behind) == 2
    assert "SklearnPredictor" in (path / "v0001" / "README.md").read_text()
    own = TextNet(model=ClassiNet(vertices=5, predictor=OwnPredictor())).fit(sentences)
    with pytest.warns(LeftBehindWarning, match="OwnPredictor"):
        save(own, tmp_path / "own")


def test_what_predicting_needs_cannot_stay_behind(net, sentences, tmp_path):
    model = ClassiNetClassifier(net, OwnExpansion()).fit(LABELLED, [1, 2, 3])
    with pytest.raises(StorageError, match=r"expansion is OwnExpansion\(\), which cannot be stored"):
        save(model, tmp_path / "model")
    own = TextNet(TextVectorizer(own_tokenizer)).fit(sentences)
    with pytest.raises(StorageError, match=r"vectorizer_\.tokenizer is <function own_tokenizer"):
        save(own, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------- the folder itself


def test_replacing_keeps_the_old_version_until_pruned(net, classifier, tmp_path):
    path = save(net, tmp_path / "model")
    with pytest.raises(StorageError, match=r"holds a model already; pass replace=True"):
        save(classifier, path)
    first = files_of(path)
    for _ in range(3):
        save(classifier, path, replace=True)
    info = describe(path)
    assert (info.kind, info.version) == ("classifier", "v0004")
    assert info.versions == ("v0001", "v0002", "v0003", "v0004")
    assert info.classes == ("football", "kitchen", "weather")
    assert files_of(path) == first
    (path / "CURRENT").write_text("v0003\n")  # as if the last save had been interrupted
    (path / f".v0005.{'0' * 32}.tmp").mkdir()
    assert prune(path, keep=2) == ["v0001", "v0004"]
    assert prune(path) == ["v0002"]
    assert sorted(file.name for file in path.iterdir()) == ["CURRENT", "v0003"]
    assert load(path).predict(TEXTS).tolist() == classifier.predict(TEXTS).tolist()
    with pytest.raises(ParameterError, match="keep"):
        prune(path, keep=0)


def test_what_is_no_model_is_never_touched(net, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("notes", "file", "link"):
        with pytest.raises(StorageError, match="exists and is no ClassiNet model, so it is not touched"):
            save(net, tmp_path / name)
        for refuse in (lambda path: save(net, path, replace=True), prune, load, describe,
                       lambda path: save_edits(path, Edits())):  # fmt: skip
            with pytest.raises(StorageError, match=name):
                refuse(tmp_path / name)
    assert (tmp_path / "notes" / "diary.txt").read_text() == (tmp_path / "file").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["file", "link", "notes"]
    with pytest.raises(StorageError, match="there is no such folder; create it first"):
        save(net, tmp_path / "deep" / "net")
    for odd in (TextNet(), ClassiNetClassifier(), ClassiNet(), None):
        with pytest.raises(ParameterError, match=r"not fitted|can be saved"):
            save(odd, tmp_path / "net")


class Crash(Exception):
    pass


class Steps:
    """Count the calls that touch the disk, and crash at one of them, before or after it is done."""

    def __init__(self, monkeypatch, crash_at=None, after=False):
        self.count = 0
        names = [(os, "replace"), (Path, "mkdir"), (Path, "unlink")]
        # After a flush nothing looks different from before it.
        names += [] if after else [(os, "fsync"), (store, "_flush_folder")]
        for module, name in names:
            monkeypatch.setattr(module, name, self._counted(getattr(module, name), crash_at, after))

    def _counted(self, function, crash_at, after):
        def call(*arguments, **more):
            self.count += 1
            number = self.count
            if number == crash_at and not after:
                raise Crash
            result = function(*arguments, **more)
            if number == crash_at:
                raise Crash
            return result

        return call


@pytest.mark.parametrize(("existing", "after"), [(True, False), (True, True), (False, False)])
def test_a_crash_at_any_moment_leaves_a_whole_model(tmp_path, monkeypatch, existing, after):
    small = TextNet(model=ClassiNet(vertices=4, predictor=Indicator())).fit(["a b", "b c", "a c", "c d", "d a"] * 9)
    edited = TextNet(**small.get_params(deep=False))
    edited.__dict__.update(vars(small))
    edited.ban("a")
    old, new = small.transform(["a b"]).toarray(), edited.transform(["a b"]).toarray()
    assert not np.array_equal(old, new)
    model, path = tmp_path / "model", tmp_path / "copy"
    if existing:
        save(small, model)
    with monkeypatch.context() as patch:
        steps = Steps(patch, after=after)
        save(edited, shutil.copytree(model, path) if existing else path, replace=existing)
    shutil.rmtree(path)
    assert steps.count > 12
    for at in range(1, steps.count + 1):
        if existing:
            shutil.copytree(model, path)
        with monkeypatch.context() as patch:
            Steps(patch, at, after)
            with pytest.raises(Crash):
                save(edited, path, replace=existing)
        assert path.exists() or not existing
        if path.exists():
            found = load(path).transform(["a b"]).toarray()
            assert np.array_equal(found, old) or np.array_equal(found, new)
            if at % 5 == 0 or at == steps.count:
                save(edited, path, replace=True)
                assert np.array_equal(load(path).transform(["a b"]).toarray(), new)
                prune(path)
                assert len(describe(path).versions) == 1
            shutil.rmtree(path)
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


def test_the_system_s_own_errors_are_translated(net, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        StorageError, match=r"cannot be written \(.*No space left on device\); check permissions and free"
    ):
        save(net, tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


def test_one_writer_at_a_time(net, tmp_path):
    path = save(net, tmp_path / "net")
    with store._writing(path), pytest.raises(StorageError, match="another process is writing this model"):
        save(net, path, replace=True)
    save(net, path, replace=True)


def test_a_reader_follows_the_pointer_when_a_version_goes(net, tmp_path, monkeypatch):
    path = save(net, tmp_path / "net")
    real = store.check_files

    def replaced_meanwhile(folder, *arguments, **more):
        if folder.name == "v0001":
            monkeypatch.setattr("classinet.persistence.folder.check_files", real)
            save(net, path, replace=True)
            prune(path)
        return real(folder, *arguments, **more)

    monkeypatch.setattr("classinet.persistence.folder.check_files", replaced_meanwhile)
    assert load(path).n_texts_ == net.n_texts_
    assert describe(path).version == "v0002"


# ------------------------------------------------------------------------------------------------------ codec

STRATEGIES = [
    Tokenizer(numbers="mask", lemmas=None), TextVectorizer(Tokenizer(), ngram_range=(1, 3), min_df=0.5),
    ClassiNet.paper(vertices=np.array(["a", "b"], dtype=object)), AllFeatures(), Landmarks(9, 2, 3), MostFrequent(7),
    MinDocumentFrequency(3), Listed(["a", "b"]), BestByLabels(5, "chi2"), Logistic((0.1, 1.0), sampling=Sampling(3.0)),
    NaiveBayes(np.float32(0.5)), Perceptron(np.int64(3)), Ridge(np.inf), Indicator(), Factorised(rank=5),
    Embedding(Path("vectors.txt")), Sampling(max_positives=None), PosteriorLabels(10), QuantileLabels(0.2), PLEB(3),
    ExactNeighbors(4, "lift"), FaissNeighbors(9), LSHNeighbors(bits=None), VectorNeighbors(2), PairSample(9),
    HeldOut(True), Population(3), Similarity("clip"), Angle(), AllNeighbors(2), Global("auto", None),
    Independent("posterior"), LocalPath(), MutualNeighbors(3, "association"), Spectral(8, 50),
    TextNet(TextVectorizer(), context=2),
]  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: type(strategy).__name__)
def test_every_strategy_round_trips(strategy):
    stored = json.loads(json.dumps(encode(strategy, "it")))
    found = decode(stored, CONFIG)
    assert type(found) is type(strategy)
    assert encode(found, "it") == stored
    expected = repr(strategy).replace("np.float32(0.5)", "0.5").replace("np.int64(3)", "3")
    if not isinstance(strategy, (ClassiNet, Embedding)):  # arrays and paths come back as lists and strings
        assert repr(found) == expected


def test_the_strategies_tested_are_all_there_are():
    assert {type(strategy).__name__ for strategy in STRATEGIES} == set(CLASSES)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_any_value_of_a_parameter_round_trips(value):
    found = decode(json.loads(json.dumps(encode(value, "it"), allow_nan=False)), CONFIG)
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"class": "os.system", "parameters": {}}, "none of this library's"),
        ({"class": ["Global"], "parameters": {}}, "none of this library's"),
        ({"class": "Global", "parameters": {"exec": 1}}, "a parameter 'exec', which it does not have"),
        ({"class": "Global", "parameters": {"hops": "many"}}, "as its parameter 'hops' str 'many'"),
        ({"class": "Listed", "parameters": {}}, "does not give Listed its parameter 'features'"),
        ({"class": "Global", "parameters": []}, "as parameters"),
        ({"class": "Global"}, "which is no parameter"),
        ({"dict": [[1]]}, "a key and a value"),
        ({"dict": [[[], 1]]}, "as a key"),
        ({"float": "1"}, "which is no parameter"),
    ],
)
def test_what_is_no_strategy_is_refused(stored, message):
    with pytest.raises(StorageError, match=message) as caught:
        decode(stored, CONFIG)
    assert "config.json" in str(caught.value)


# ---------------------------------------------------------------------------------------------------- tensors


def test_safetensors_reads_ours_and_we_read_theirs(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "a": rng.random((3, 4)), "b": rng.random(5).astype(np.float32), "c": np.arange(7, dtype=np.int32),
        "d": np.array(3), "e": np.zeros((0, 8), dtype=np.uint64), "f": np.asfortranarray(rng.random((4, 3))),
    }  # fmt: skip
    write_tensors(tmp_path / "ours", arrays)
    theirs = safetensors.numpy.load_file(tmp_path / "ours")
    contiguous = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    assert (tmp_path / "ours").read_bytes() == safetensors.numpy.save(contiguous)
    safetensors.numpy.save_file(contiguous, tmp_path / "theirs", metadata={"made": "elsewhere"})
    with TensorFile(tmp_path / "ours") as one, TensorFile(tmp_path / "theirs") as other:
        for name, array in arrays.items():
            assert np.array_equal(theirs[name], array)
            assert np.array_equal(one.array(name, array.dtype, array.shape), array)
            assert np.array_equal(other.array(name, array.dtype, array.shape), array)


def test_arrays_that_are_not_aligned_are_copied(tmp_path):
    header = b'{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}} '
    header += b" " * (3 - len(header) % 8)
    (tmp_path / "odd").write_bytes(len(header).to_bytes(8, "little") + header + np.array([1.5, 2.5]).tobytes())
    with TensorFile(tmp_path / "odd") as tensors:
        found = tensors.array("a", np.float64, (2,))
    assert found.tolist() == [1.5, 2.5]
    assert found.flags.aligned
    assert not found.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m.indptr": [0, 2, 1, 3]}, "ends before it begins"),
        ({"m.indptr": [1, 2, 2, 3]}, "has rows from 1"),
        ({"m.indptr": [0, 2, 2, 4]}, "has rows from 0 to 4 over 3 entries"),
        ({"m.indices": [0, 4, 1]}, "a column that is none of 0 to 3"),
        ({"m.indices": [0, -1, 1]}, "a column that is none of 0 to 3"),
        ({"m.indices": [2, 0, 1]}, "columns are not in order"),
        ({"m.indices": [2, 2, 1]}, "columns are not in order"),
        ({"m.data": [1.0, np.nan, 1.0]}, "NaN or infinity"),
        ({"m.data": [1.0, 1.0]}, "has shape"),
        ({"more": [1.0]}, "'more' that does not belong there"),
    ],
)
def test_a_matrix_is_checked_before_anyone_sees_it(tmp_path, change, message):
    matrix = canonical_csr(np.array([[1.0, 0, 2.0, 0], [0, 0, 0, 0], [0, 3.0, 0, 0]]))
    arrays = csr_arrays("m", matrix)
    assert _read_matrix(tmp_path / "good", arrays).toarray().tolist() == matrix.toarray().tolist()
    for name, values in change.items():
        arrays[name] = np.array(values, dtype=arrays[name].dtype if name in arrays else float)
    with pytest.raises(StorageError, match=message):
        _read_matrix(tmp_path / "bad", arrays)


def _read_matrix(path, arrays):
    write_tensors(path, arrays)
    with TensorFile(path) as tensors:
        return tensors.csr("m", (3, 4), np.float64)


def test_factorised_predictors_of_the_first_format_are_read(tmp_path):
    """They had one table of vectors for two purposes, and looked at all features."""
    X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 1, 1]] * 25)
    fitted = Factorised(rank=2).fit(X, X)
    arrays = predictor_arrays(fitted)
    del arrays["feature_vectors_"], arrays["leading_"]
    read = _restored(tmp_path, arrays, np.arange(4))
    np.testing.assert_array_equal(read.feature_vectors(), fitted.context_vectors_)
    np.testing.assert_array_equal(read.decision_function(X), fitted.decision_function(X))


def test_features_that_only_lead_are_checked_when_they_are_read(tmp_path):
    X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 1, 1]] * 25)
    setup = Setup(columns=np.arange(2), leading=np.array([False, False, True, True]))
    fitted = Factorised(rank=2).fit(X, X[:, :2], setup=setup)
    arrays = predictor_arrays(fitted)
    read = _restored(tmp_path, arrays, np.arange(2))
    assert read.leading_.tolist() == [2, 3]
    np.testing.assert_array_equal(read.decision_function(X), fitted.decision_function(X))
    for wrong, message in (
        ([3, 2], "in order"),
        ([2, 4], "in order"),
        ([-1, 3], "in order"),
        ([1, 2], "lists a vertex"),
    ):
        arrays["leading_"] = np.array(wrong)
        with pytest.raises(StorageError, match=message):
            _restored(tmp_path, arrays, np.arange(2))


def _restored(tmp_path, arrays, columns):
    write_tensors(tmp_path / "predictor.safetensors", arrays)
    read = Factorised(rank=2)
    restore_predictor(read, TensorFile(tmp_path / "predictor.safetensors"), columns, 4, {})
    return read


def test_classifiers_of_earlier_formats_count_no_pieces_and_read_no_names():
    from classinet.persistence.models import _read_parameters

    nothing = {"pieces": False, "class_names": False, "unlabeled": False}
    assert _read_parameters({"parameters": {}}, Path("config.json")) == nothing
    for stored in ({"pieces": True}, {"class_names": True}):
        assert _read_parameters({"parameters": stored}, Path("config.json")) == nothing | stored


def test_nets_of_earlier_formats_read_texts_as_they_were_built(tmp_path):
    """Nets up to format 5 counted stems in place of runs of letters, and took clauses of Chinese for words."""
    texts = [*made_up_sentences()[:300], "今天天气 真好", "真好 今天天气"]
    vectorizer = TextVectorizer(Tokenizer(unspaced="keep"), min_df=2, pieces="stems")
    net = TextNet(vectorizer).fit(texts)
    assert {"thun…", "今天天气"} <= set(net.net_.feature_names)
    clf = ClassiNetClassifier(net).fit(["thunder and rain", "a late goal"], ["weather", "football"])
    save(clf, tmp_path / "model")
    config = tmp_path / "model" / "v0001" / "config.json"
    stored = json.loads(config.read_text(encoding="utf-8"))
    stored["format_version"] = 5
    for parameters in (
        stored["vectorizer"]["parameters"],
        stored["text_net"]["parameters"]["vectorizer"]["parameters"],
    ):
        parameters |= {"pieces": True, "tokenizer": None}
    rewrite(config, json.dumps(stored, ensure_ascii=False))
    read = load(tmp_path / "model")
    asked = ["thunders", "goals", "今天天气"]
    np.testing.assert_array_equal(read.predict_proba(asked), clf.predict_proba(asked))
    assert read.text_net_.vectorizer_.features("今天天气") == ["今天天气", "⊢ 今天天气"]
    save(read, tmp_path / "again")
    np.testing.assert_array_equal(load(tmp_path / "again").predict_proba(asked), clf.predict_proba(asked))


def rewrite(path, text):
    """Change a file of a stored model, and its checksum."""
    path.write_text(text, encoding="utf-8")
    sums = path.with_name("checksums.json")
    told = json.loads(sums.read_text())
    content = path.read_bytes()
    told["files"][path.name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    sums.write_text(json.dumps(told))
