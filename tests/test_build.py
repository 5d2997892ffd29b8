"""Builds that are interrupted, resumed, damaged and misused: the same bytes, or a clear error."""

import json
import logging
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB

import build_helpers
from build_helpers import build, hash_of_net, made_up_texts
from classinet import ClassiNet
from classinet._sparse import canonical_csr, row_slice, take_rows
from classinet.build import JournalEngine, build_directory, corpus, discard, estimate, forecast, journal, stream_corpus
from classinet.build.codec import ArrayFiles, NotStorableError, is_intact, read_value, write_value
from classinet.build.stages import build_net
from classinet.edges import Similarity
from classinet.engine import ThreadEngine
from classinet.exceptions import InputError, ParameterError, StorageError
from classinet.labels import Votes
from classinet.neighbors import LSHNeighbors
from classinet.neighbors.base import Shortlist
from classinet.pipeline import TextNet
from classinet.predictors import Factorised, NaiveBayes, Perceptron, Ridge, SklearnPredictor
from classinet.text import TextVectorizer


@pytest.fixture(autouse=True)
def many_files(monkeypatch):
    """Blocks and groups so small that a short build leaves many files."""
    monkeypatch.setattr(corpus, "BLOCK_TEXTS", 150)
    monkeypatch.setattr(journal, "GROUP_SECONDS", 0.0)


@pytest.fixture(scope="module")
def whole():
    """The net of a build that nothing interrupted."""
    return hash_of_net(build().net)


def same(a, b):
    """Whether two values have the same types and the same bytes."""
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if sparse.issparse(a):
        return a.shape == b.shape and same([a.data, a.indices, a.indptr], [b.data, b.indices, b.indptr])
    if isinstance(a, (Shortlist, Votes)):
        return type(a) is type(b) and same(list(vars(a).values()), list(vars(b).values()))
    return type(a) is type(b) and (a == b or (a != a and b != b))


# ---------------------------------------------------------------------------------------------- files


dtypes = st.sampled_from(["?", "u1", "i1", "u2", "i4", "i8", "u8", "f4", "f8"])
arrays = st.builds(
    lambda dtype, shape, seed: np.random.default_rng(seed).integers(0, 2, shape).astype(dtype),
    dtypes,
    st.lists(st.integers(0, 4), max_size=3),
    st.integers(0, 99),
)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), arrays,
    st.builds(lambda n: canonical_csr(sparse.random(4, 5, 0.5, random_state=n), np.float32), st.integers(0, 99)),
    st.builds(lambda n: Shortlist(np.ones((n, 2)), np.zeros((n, 2), dtype=np.int32)), st.integers(0, 3)),
)  # fmt: skip
values = st.recursive(leaves, lambda v: st.lists(v, max_size=3) | st.lists(v, max_size=3).map(tuple), max_leaves=8)


@settings(max_examples=60, deadline=None)
@given(value=values)
def test_values_come_back_as_they_were_mapped_or_not(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("values")
    path = write_value(folder / "v", value)
    assert is_intact(path)
    for mapped in (False, True):
        assert same(read_value(path, mapped=mapped), value)


def test_files_are_safetensors_and_arrays_in_them_are_aligned(tmp_path):
    path = write_value(tmp_path / "v", [np.ones(3, dtype=bool), np.arange(5.0), np.arange(3, dtype=np.int32)])
    assert sorted(array.nbytes for array in load_file(path).values()) == [3, 12, 40]
    for array in read_value(path, mapped=True):
        assert array.flags.aligned
        assert array.flags.writeable
        array[:] = 0
    assert is_intact(path)  # a map is written in memory only


@pytest.mark.parametrize("value", [{1, 2}, object(), np.array(["a"], dtype=object), 1j, [BernoulliNB()]])
def test_what_would_need_pickle_is_refused(tmp_path, value):
    with pytest.raises(NotStorableError, match="pickle"):
        write_value(tmp_path / "v", value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b"", lambda b: b[:40] + bytes([b[40] ^ 1]) + b[41:]])
def test_damage_is_noticed(tmp_path, damage):
    path = write_value(tmp_path / "v", (1, np.arange(10)))
    path.write_bytes(damage(path.read_bytes()))
    assert not is_intact(path)
    files = ArrayFiles(tmp_path / "arrays")
    assert files.read() is None
    batches = [(np.arange(9), np.ones((9, 2))), (np.arange(2), np.ones((2, 2)))]
    files.write(lambda done: iter(batches[done:]))
    found = files.read()
    assert same([np.concatenate((np.arange(9), np.arange(2))), np.ones((11, 2))], list(found))
    (tmp_path / "arrays" / "0.safetensors").write_bytes(damage((tmp_path / "arrays" / "0.safetensors").read_bytes()))
    assert files.read() is None


# ---------------------------------------------------------------------------------------------- journal


def test_a_journal_computes_nothing_twice(tmp_path):
    computed = []

    def square(n):
        computed.append(n)
        return n * n, np.full(3, n)

    plain = ThreadEngine().map_batches(square, range(20), stage="squares")
    for n_threads in (1, 2, 3):
        computed.clear()
        with ThreadEngine(n_threads) as inner:
            found = JournalEngine(inner, tmp_path).map_batches(square, range(20), stage="squares")
        assert same(plain, found)
        assert sorted(computed) == (list(range(20)) if n_threads == 1 else [])


@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_ctrl_c_loses_no_finished_batch(tmp_path, monkeypatch, seconds):
    monkeypatch.setattr(journal, "GROUP_SECONDS", seconds)
    computed = []

    def work(n, stop_at):
        if n == stop_at:
            raise KeyboardInterrupt
        computed.append(n)
        return n

    for stop_at in (4, 9):
        with pytest.raises(KeyboardInterrupt):
            JournalEngine(ThreadEngine(), tmp_path).map_batches(lambda n: work(n, stop_at), range(12), stage="work")  # noqa: B023
    journalled = JournalEngine(ThreadEngine(), tmp_path)
    assert journalled.map_batches(lambda n: work(n, -1), range(12), stage="work") == list(range(12))
    assert computed == list(range(12))


@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_long_results_go_on_where_they_were(tmp_path, monkeypatch, seconds):
    monkeypatch.setattr(journal, "GROUP_SECONDS", seconds)
    computed = []

    def work(n, stop_at):
        if n == stop_at:
            raise KeyboardInterrupt
        computed.append(n)
        return np.arange(n), np.full((n, 2), n, dtype=np.float32)

    def join(stop_at):
        engine = JournalEngine(ThreadEngine(), tmp_path)
        return engine.concatenate(lambda n: work(n, stop_at), range(12), stage="long")

    for stop_at in (4, 9):
        with pytest.raises(KeyboardInterrupt):
            join(stop_at)
    (note,) = tmp_path.rglob("begun.json")
    with (note.parent / "0.safetensors").open("ab") as file:
        file.write(b"of a batch that was never finished")
    wanted = ThreadEngine().concatenate(lambda n: work(n, -1), range(12), stage="long")
    computed.clear()
    assert same(list(join(-1)), list(wanted))
    assert computed == [9, 10, 11]
    assert not note.exists()


def test_long_results_that_were_altered_are_computed_again(tmp_path):
    def join(stop_at):
        engine = JournalEngine(ThreadEngine(), tmp_path)
        return engine.concatenate(lambda n: (np.full(3, n // int(n != stop_at)),), range(5), stage="long")

    with pytest.raises(ZeroDivisionError):
        join(3)
    (file,) = tmp_path.rglob("0.safetensors")
    file.write_bytes(b"\1" + file.read_bytes()[1:])
    np.testing.assert_array_equal(join(-1)[0], np.repeat(np.arange(5), 3))


def test_damaged_files_are_computed_again(tmp_path, caplog):
    def run():
        engine = JournalEngine(ThreadEngine(), tmp_path)
        return (
            engine.map_batches(lambda n: np.arange(n), range(5), stage="some"),
            engine.checkpoint(lambda local: (1.5, np.arange(4)), stage="one value"),
            engine.concatenate(lambda n: (np.arange(n), np.ones(n)), range(5), stage="long"),
        )

    first = run()
    for path in sorted(tmp_path.rglob("*.*")):
        content = path.read_bytes()
        path.unlink()  # what was mapped stays as it was
        path.write_bytes(content[: len(content) // 2])
        with caplog.at_level(logging.WARNING, "classinet"):
            assert same(run(), first)
    assert "is damaged; what it held is computed again" in caplog.text


def test_another_sequence_of_stages_is_refused(tmp_path):
    JournalEngine(ThreadEngine(), tmp_path).map_batches(abs, [1, 2], stage="first")
    for stage, batches in (("second", [1, 2]), ("first", [1, 2, 3])):
        with pytest.raises(StorageError, match=r"its step 00000 was 'first-in-2', now it is .*same texts and settings"):
            JournalEngine(ThreadEngine(), tmp_path).map_batches(abs, batches, stage=stage)
    with pytest.raises(StorageError, match="now it is 'first'"):
        JournalEngine(ThreadEngine(), tmp_path).checkpoint(lambda local: 1, stage="first")


def test_results_that_cannot_be_stored_are_computed_again(tmp_path, caplog):
    for _ in range(2):
        engine = JournalEngine(ThreadEngine(), tmp_path)
        with caplog.at_level(logging.WARNING, "classinet"):
            assert engine.map_batches(lambda n: {n}, [1, 2], stage="sets") == [{1}, {2}]
            assert engine.checkpoint(lambda local: {3}, stage="a set") == {3}
    assert "is not kept and will be computed again" in caplog.text


def test_inside_a_checkpoint_batches_may_write_in_place_and_are_not_journalled(tmp_path):
    def compute(local):
        out = np.zeros(4)
        local.map_batches(lambda i: out.__setitem__(i, i), range(4), stage="in place")
        return out

    for _ in range(2):
        found = JournalEngine(ThreadEngine(), tmp_path).checkpoint(compute, stage="sum")
        np.testing.assert_array_equal(found, np.arange(4))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "model",
    [
        ClassiNet(vertices=12),
        ClassiNet.paper(),
        ClassiNet(predictor=Ridge(penalty=1.0)),
        ClassiNet(predictor=Perceptron(), neighbors=LSHNeighbors(k=4)),
        ClassiNet(predictor=NaiveBayes(binary=False)),
        ClassiNet(predictor=Factorised(rank=3, passes=2)),
        ClassiNet(predictor=SklearnPredictor(BernoulliNB()), vertices=10),
    ],
    ids=["default", "paper", "ridge", "perceptron", "naive Bayes", "fixed passes", "scikit-learn"],
)
def test_every_stage_gives_the_same_bytes_in_memory_journalled_and_read_back(tmp_path, model):
    texts = made_up_texts(300)
    vectorizer = TextVectorizer()
    counts = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    wanted = hash_of_graph(model.fit(counts, feature_names=names).net_)
    assert wanted == hash_of_graph(build(texts=texts, model=model).net)
    for resume, n_threads in ((False, 2), (True, 1)):
        built = build(tmp_path / "b", texts=texts, model=model, resume=resume, n_threads=n_threads)
        assert wanted == hash_of_graph(built.net)


def hash_of_graph(net):
    """What of a net can be compared even where predictors are arbitrary objects."""
    return [a.tobytes() for a in (net.graph.weights.data, net.graph.counts, net.labels.bits, net.labels.thresholds)]


# ---------------------------------------------------------------------------------------------- kill -9


def test_killed_builds_end_in_the_same_bytes(tmp_path, whole):
    place = tmp_path / "net.build"
    n_files = 0
    for kill_at, n_threads in ((4, 1), (9, 2)):
        command = [sys.executable, build_helpers.__file__, str(place), str(kill_at), str(n_threads)]
        assert subprocess.run(command, check=False).returncode == -9
        assert any(place.rglob(".*.tmp"))  # it died in the middle of a file
        n_before, n_files = n_files, len(list(place.rglob("*.*")))
        assert n_files > n_before
    built = build(place, resume=True, n_threads=2)
    assert hash_of_net(built.net) == whole
    assert not any((place / "steps").rglob(".*.tmp"))
    discard(place)
    assert not place.exists()
    assert hash_of_net(built.net) == whole  # what was mapped outlives its files


# ---------------------------------------------------------------------------------------------- corpus

words = st.text(st.sampled_from("abc É𝒳\n"), max_size=12)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(words, min_size=1, max_size=12), low=st.integers(1, 2))
def test_a_streamed_corpus_is_what_the_vectorizer_counts(tmp_path_factory, texts, low):
    vectorizer = TextVectorizer(min_df=low)
    try:
        wanted = vectorizer.fit_transform(texts)
    except InputError:
        with pytest.raises(InputError, match="no feature is left"):
            stream_corpus(texts, vectorizer)
        return
    folder = tmp_path_factory.mktemp("corpus")
    engines = [ThreadEngine(), JournalEngine(ThreadEngine(), folder), JournalEngine(ThreadEngine(2), folder)]
    corpora = [stream_corpus(iter(texts), TextVectorizer(min_df=low), engine) for engine in engines]
    for found in corpora:
        assert list(found.names) == list(vectorizer.get_feature_names_out())
        assert same(found.matrix, corpora[0].matrix)
        assert same(found.matrix, canonical_csr(wanted, np.float32))
        assert (found.n_texts, found.fingerprint) == (len(texts), corpora[0].fingerprint)


def test_blocks_do_not_show_in_the_matrix(monkeypatch):
    texts = made_up_texts(400)
    found = []
    for size, characters in ((1000, 10**9), (7, 10**9), (1000, 50), (1, 1)):
        monkeypatch.setattr(corpus, "BLOCK_TEXTS", size)
        monkeypatch.setattr(corpus, "BLOCK_CHARACTERS", characters)
        found.append(stream_corpus(texts, TextVectorizer()))
    assert all(same(found[0].matrix, other.matrix) for other in found)
    assert len({other.fingerprint for other in found}) == 1
    assert stream_corpus(texts[::-1], TextVectorizer()).fingerprint != found[0].fingerprint


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.text("abcd ", max_size=6)), min_size=1, max_size=20),
    context=st.sampled_from(["document", 1, 2, 50]),
    size=st.integers(1, 6),
)
def test_targets_hold_what_the_document_holds_nearby(rows, context, size):
    texts, ids = [text for _, text in rows], [document for document, _ in rows]
    if not "".join(texts).strip():
        return
    reach = len(rows) if context == "document" else context
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "CONTEXT_ROWS", size)
        patch.setattr(corpus, "BLOCK_TEXTS", size)
        found = stream_corpus(texts, TextVectorizer(), documents=iter(ids), context=context)
    for i in range(len(rows)):
        low = high = i
        while low > 0 and ids[low - 1] == ids[i] and i - low < reach:
            low -= 1
        while high + 1 < len(rows) and ids[high + 1] == ids[i] and high - i < reach:
            high += 1
        nearby = set(" ".join(texts[low : high + 1]).split())
        assert {found.names[j] for j in row_slice(found.targets, i, i + 1).indices} == nearby
    assert set(found.targets.data) <= {1.0}


def test_sentences_know_their_document():
    texts = ["The cat sat. It slept.", "A dog came. It barked. It left."]
    found = stream_corpus(texts, TextVectorizer(), split="sentences", context="document")
    assert found.n_texts == 5
    assert found.matrix.shape == found.targets.shape
    held = [{found.names[j] for j in row_slice(found.targets, i, i + 1).indices} for i in range(5)]
    assert held[0] == held[1] == {"the", "cat", "sat", "it", "slept"}
    assert held[2] == held[3] == held[4] == {"a", "dog", "came", "it", "barked", "left"}
    assert stream_corpus(texts, TextVectorizer(), split="sentences").targets is None


def test_context_trains_on_what_is_nearby():
    """Alone, no text holds two words; within a document, the words of a topic do."""
    texts, documents = [], []
    rng = np.random.default_rng(1)
    for number in range(300):
        for word in rng.permutation(build_helpers.WORDS[number % 3].split()):
            texts.append(str(word))
            documents.append(number)
    found = stream_corpus(texts, TextVectorizer(), documents=documents, context="document")
    net = ClassiNet().fit(found).net_
    assert {edge.target for edge in net.graph.successors("film", top=5)} == set(build_helpers.WORDS[0].split()[1:])


@pytest.mark.parametrize(
    ("texts", "arguments", "error", "message"),
    [
        ([], {}, InputError, "there are no texts"),
        ("one text", {}, InputError, "iterable of strings, got str"),
        (["a", None], {}, InputError, r"texts\[1\] is NoneType \(None\), not a string; drop"),
        (["a", "b"], {"documents": [1]}, InputError, "documents ends after 1 ids"),
        (["a"], {"documents": [1, 2]}, InputError, "more ids than there are texts"),
        (["a"], {"context": "document"}, ParameterError, "pass documents"),
        (["a"], {"context": 0, "split": "sentences"}, ParameterError, "context must be a whole number ≥ 1"),
        (["a"], {"split": "words"}, ParameterError, "split must be one of"),
    ],
)
def test_bad_corpora_are_refused(texts, arguments, error, message):
    with pytest.raises(error, match=message):
        stream_corpus(texts, TextVectorizer(), **arguments)


def test_a_data_frame_is_no_list_of_texts_and_an_arrow_column_is():
    pd, pa = (pytest.importorskip(name) for name in ("pandas", "pyarrow"))
    texts = made_up_texts(50)
    with pytest.raises(InputError, match="got DataFrame; pass one column"):
        stream_corpus(pd.DataFrame({"title text": texts, "body text": texts}), TextVectorizer())
    with pytest.raises(InputError, match=r"texts\[0\] is list .*pass one column"):
        stream_corpus([[text] for text in texts], TextVectorizer())
    assert stream_corpus(pa.array(texts), TextVectorizer()).n_texts == 50


def test_progress_counts_texts():
    told = []
    stream_corpus(made_up_texts(400), TextVectorizer(), progress=lambda *call: told.append(call))
    stream_corpus(iter(made_up_texts(200)), TextVectorizer(), progress=lambda *call: told.append(call))
    assert told == [("texts", 150, 400), ("texts", 300, 400), ("texts", 400, 400), ("texts", 150, 0), ("texts", 200, 0)]


# ---------------------------------------------------------------------------------------------- directories


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda texts: [*texts[:200], "something else", *texts[201:]], "text 201 "),
        (lambda texts: texts[:-1], "text 400 "),
        (lambda texts: [*texts, "one more"], "text 401 "),
    ],
)
def test_resuming_with_other_texts_is_refused_with_the_place(tmp_path, change, place):
    texts = made_up_texts(400)
    build(tmp_path / "b", texts=texts)
    with pytest.raises(InputError, match=f"not those that the build began with: {place}"):
        build(tmp_path / "b", texts=change(texts), resume=True)


def test_resuming_with_other_documents_is_refused(tmp_path):
    texts = made_up_texts(20)
    for ids, error in (([1] * 10 + [2] * 10, None), ([1] * 12 + [2] * 8, r"text 11 \(block 0\) or its document")):
        engine = JournalEngine(ThreadEngine(), tmp_path)
        with nullcontext() if error is None else pytest.raises(InputError, match=error):
            stream_corpus(texts, TextVectorizer(), engine, documents=ids, context="document")


def test_other_texts_are_refused_even_at_the_border_of_a_block(tmp_path):
    build(tmp_path / "b", texts=made_up_texts(300))
    for texts in (made_up_texts(450), made_up_texts(150)):
        with pytest.raises(StorageError, match="same texts and settings"):
            build(tmp_path / "b", texts=texts, resume=True)


def test_resuming_with_other_settings_names_them(tmp_path):
    build(tmp_path, texts=made_up_texts(200))
    with pytest.raises(StorageError, match=r"begun before; pass resume=True"):
        build(tmp_path, texts=made_up_texts(200))
    with pytest.raises(StorageError, match=r"other settings: model__vertices was None, now it is 3\."):
        build(tmp_path, texts=made_up_texts(200), model=ClassiNet(vertices=3), resume=True)
    record = json.loads((tmp_path / "build.json").read_text())
    (tmp_path / "build.json").write_text(json.dumps({**record, "numpy": "'1.0'"}))
    with pytest.raises(StorageError, match=r"numpy was '1\.0', now it is"):
        build(tmp_path, texts=made_up_texts(200), resume=True)
    (tmp_path / "build.json").write_text("{")
    with pytest.raises(StorageError, match=r"build\.json is damaged"):
        build(tmp_path, texts=made_up_texts(200), resume=True)


def test_what_is_no_build_is_never_touched(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    for resume in (False, True):
        with pytest.raises(StorageError, match="something other than a build"):
            build(tmp_path, resume=resume)
    with pytest.raises(StorageError, match="something other than a build"):
        build(tmp_path / "thesis.tex")
    with pytest.raises(StorageError, match="nothing was removed"):
        discard(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_discarding_leaves_what_others_put_there(tmp_path):
    build(tmp_path, texts=made_up_texts(200))
    (tmp_path / "notes.txt").write_text("mine")
    discard(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_build_that_died_at_once_can_be_begun_again(tmp_path):
    (tmp_path / "lock").touch()
    (tmp_path / ".build.json.0123.tmp").write_text("{")
    with build_directory(tmp_path, {}, resume=False) as steps:
        assert not steps.exists()


def test_two_processes_cannot_build_in_one_directory(tmp_path):
    with build_directory(tmp_path, {}, resume=False):
        code = (
            "import sys\nfrom classinet.build import build_directory\n"
            "build_directory(sys.argv[1], {}, resume=True).__enter__()"
        )
        second = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
        assert "another process is building in" in second.stderr
    with build_directory(tmp_path, {}, resume=True):
        pass


def test_settings_too_long_to_show_are_still_told_apart(tmp_path):
    vertices = [f"rare{i}" for i in range(90)]
    with build_directory(tmp_path, {"model": ClassiNet(vertices=vertices)}, resume=False):
        pass
    with build_directory(tmp_path, {"model": ClassiNet(vertices=list(vertices))}, resume=True):
        pass
    vertices[80] = "film"
    with (
        pytest.raises(StorageError, match="model__vertices was"),
        build_directory(tmp_path, {"model": ClassiNet(vertices=vertices)}, resume=True),
    ):
        pass


# ---------------------------------------------------------------------------------------------- estimate


@pytest.mark.parametrize("recipe", [ClassiNet().recipe(), ClassiNet(vertices=7, predictor=Ridge()).recipe()])
def test_an_estimate_knows_what_will_be_built_and_grows_with_it(recipe):
    texts = made_up_texts(1200)
    exact = estimate(iter(texts), vectorizer=TextVectorizer(), recipe=recipe, n_jobs=1)
    built = stream_corpus(texts, TextVectorizer())
    assert (exact.n_texts, exact.n_features) == built.matrix.shape
    assert exact.n_vertices == len(recipe.vertices.choose(built.matrix, built.names))
    assert "first 1,200 texts" in exact.assumptions[0]
    larger = estimate(iter(texts * 40), vectorizer=TextVectorizer(), recipe=recipe, n_jobs=1, sample=1200)
    assert larger.n_texts == 48_000
    assert larger.n_vertices <= larger.n_features <= 3 * exact.n_features
    assert larger.peak_bytes > exact.peak_bytes > 10**8
    assert larger.disk_bytes > exact.disk_bytes > 0
    assert larger.seconds > 3 * exact.seconds  # 40 times the texts, measured on a machine that is busy with other tests


def test_an_estimate_counts_edges_of_what_is_no_vertex():
    def bytes_of(model):
        found = estimate(made_up_texts(300), vectorizer=TextVectorizer(), recipe=model.recipe(), n_jobs=1)
        return found.peak_bytes, found.disk_bytes

    with_them, without = bytes_of(ClassiNet(vertices=20)), bytes_of(ClassiNet(vertices=20, edges=Similarity()))
    assert all(more >= less for more, less in zip(with_them, without, strict=True))
    assert with_them[1] > without[1]


def test_an_estimate_builds_what_the_net_would_be(monkeypatch):
    """Also of pieces, of which none becomes a vertex."""
    nets = []

    def watched(*arguments):
        nets.append(build_net(*arguments))
        return nets[-1]

    monkeypatch.setattr(forecast, "build_net", watched)
    texts = made_up_texts(1200)
    vectorizer = TextVectorizer(min_df=2, pieces=True)
    found = estimate(iter(texts), vectorizer=vectorizer, recipe=ClassiNet().recipe(), n_jobs=1)
    net = TextNet(vectorizer).fit(texts).net_
    assert hash_of_net(nets[-1]) == hash_of_net(net)
    assert (found.n_features, found.n_vertices) == (net.n_features, net.n_vertices)


# ---------------------------------------------------------------------------------------------- rows


def test_rows_with_equal_contexts_and_other_targets_do_not_depend_on_their_order():
    rng = np.random.default_rng(3)
    contexts = canonical_csr(rng.integers(0, 2, (6, 8))[rng.integers(0, 6, 200)])
    targets = canonical_csr((rng.random((200, 8)) < 0.4).astype(float))
    shuffled = rng.permutation(200)
    nets = [
        ClassiNet(random_state=4).fit(take_rows(contexts, rows), targets=take_rows(targets, rows)).net_
        for rows in (np.arange(200), shuffled)
    ]
    assert hash_of_net(nets[0]) == hash_of_net(nets[1])


def test_a_run_never_holds_more_than_a_few_results():
    begun = Counter()
    with ThreadEngine(2) as engine:
        for number, _ in enumerate(engine.run(lambda n: begun.update([n]), range(200), stage="count")):
            assert len(begun) <= number + 1 + 2 * 8 + 2
    assert begun == Counter(range(200))
