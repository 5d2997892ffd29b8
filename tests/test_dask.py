"""Builds on a real cluster of processes: the same bytes as on threads, whatever happens to workers and client."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import classinet
from build_helpers import made_up_texts
from classinet import ClassiNet, TextNet
from classinet._sparse import canonical_csr, row_slice
from classinet.build import JournalEngine, stream_corpus
from classinet.build.codec import read_value, write_value
from classinet.cli.app import app
from classinet.engine import DaskEngine, ThreadEngine, dask
from classinet.engine.references import Use, pack, unpack
from classinet.exceptions import ClusterError, InputError, MissingExtraError, ParameterError, StorageError
from classinet.predictors import base, sampled
from classinet.text import TextFiles, TextVectorizer

distributed = pytest.importorskip("distributed")

MODELS = {"default": ClassiNet(), "paper": ClassiNet.paper(vertices=40)}


@contextmanager
def local_cluster(n_workers, **scheduler):
    with distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0", **scheduler}, memory_limit=0, silence_logs=50,
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2) as cluster:
        yield cluster


@pytest.fixture
def engine(cluster, tmp_path):
    with DaskEngine(cluster.scheduler_address, directory=tmp_path / "shared") as engine:
        yield engine
    assert not (tmp_path / "shared").exists()


@pytest.fixture(autouse=True)
def many_batches(monkeypatch):
    """Batches so small that even a short build has many."""
    monkeypatch.setattr(sampled, "BATCH_VERTICES", 4)
    monkeypatch.setattr(base, "ROW_BLOCK", 100)


def as_lines(folder, texts, n_files=5):
    paths = [folder / f"{number}.txt" for number in range(n_files)]
    for path, part in zip(paths, np.array_split(np.array(texts, dtype=object), n_files), strict=True):
        path.write_text("".join(f"{text}\n" for text in part))
    return TextFiles(paths)


def as_parquet(folder, texts, n_files=3):
    paths = [folder / f"{number}.parquet" for number in range(n_files)]
    for path, part in zip(paths, np.array_split(np.array(texts, dtype=object), n_files), strict=True):
        pq.write_table(pa.table({"number": np.arange(len(part)), "body": list(part)}), path)
    return TextFiles(paths, text="body")


def bytes_of(folder):
    """Every file of a saved net."""
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """What threads make of the same texts, saved."""
    saved = {}
    for name, model in MODELS.items():
        folder = tmp_path_factory.mktemp(name) / "net"
        classinet.save(TextNet(model=model).fit(made_up_texts(400)), folder)
        saved[name] = bytes_of(folder)
    return saved


def build(folder, engine, texts, model, *, resume=False):
    net = TextNet(model=model).fit(texts, directory=folder / "net.build", resume=resume, engine=engine)
    classinet.save(net, folder / "net")
    return bytes_of(folder / "net")


# ---------------------------------------------------------------------------------------------- the contract


def test_the_contract_of_an_engine(engine):
    told = []
    engine.progress = lambda *call: told.append(call)
    numbers = np.arange(100_000)
    found = engine.map_batches(lambda n: numbers[n:] * 2, range(20), stage="long")
    assert all(np.array_equal(result, numbers[n:] * 2) and result.flags.writeable for n, result in enumerate(found))
    assert told == [("long", n, 20) for n in range(1, 21)]
    tree = [
        some.map_reduce(str, lambda a, b: f"({a}{b})", range(45), stage="tree") for some in (engine, ThreadEngine())
    ]
    assert tree[0] == tree[1]
    assert told[20:] == [("tree", n, 45) for n in range(1, 46)]
    (joined,) = engine.concatenate(lambda n: (np.full(n, n),), range(5), stage="join")
    assert joined.tolist() == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    assert engine.map_batches(abs, [], stage="nothing") == []
    with pytest.raises(ParameterError, match="at least one"):
        engine.map_reduce(abs, max, [], stage="nothing")


def test_what_is_computed_in_one_piece_is_computed_elsewhere_and_mapped(engine):
    numbers = np.zeros(100_000)

    def compute(local):
        local.map_batches(lambda n: numbers.__setitem__(n, n), range(10), stage="in place")
        return os.getpid(), numbers

    pid, found = engine.checkpoint(compute, stage="sum")
    assert pid != os.getpid()
    assert found[:10].tolist() == list(range(10))
    assert not numbers.any()
    assert isinstance(found.base, np.memmap)
    assert engine.keep(os.getpid, stage="here") == os.getpid()


def test_errors_come_back_and_nothing_stays(engine, tmp_path):
    def fail(n):
        if n == 3:
            raise InputError("the fourth is bad")
        return n

    for call in (
        lambda: engine.map_batches(fail, range(50), stage="some"),
        lambda: engine.map_reduce(fail, max, range(50), stage="some"),
        lambda: engine.checkpoint(lambda local: fail(3), stage="some"),
    ):
        with pytest.raises(InputError, match="the fourth is bad"):
            call()
    assert engine.map_batches(fail, range(3), stage="some") == [0, 1, 2]
    assert [path.name for path in (tmp_path / "shared").glob("*/*")] == ["values"]


def test_a_value_that_many_stages_read_is_left_once(engine, tmp_path):
    value = engine.broadcast((np.arange(100_000), np.arange(3), "small"))
    assert isinstance(value[0].base, np.memmap)
    for _ in range(2):
        assert engine.map_batches(lambda n: int(value[0][n]), [5], stage="look") == [5]
    assert len(list((tmp_path / "shared").rglob("*.array"))) == 1


# ---------------------------------------------------------------------------------------------- references


def test_an_array_of_a_mapped_file_travels_as_its_place_there(tmp_path):
    matrix = canonical_csr(np.random.default_rng(0).random((500, 500)), np.float32)
    stored = read_value(write_value(tmp_path / "m", (matrix, np.arange(99_999))), mapped=True)
    part = row_slice(stored[0], 100, 400)
    folder = tmp_path / "left"
    folder.mkdir()
    assert len(pack(stored[1][7:], folder, Use.INPUT)) < 500
    packed = pack((part, stored[1][7:]), folder, Use.INPUT)
    assert len(packed) < 6_000  # all but the small array of row ends is a reference
    assert not list(folder.iterdir())
    found, numbers = unpack(packed)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray()[100:400])
    assert (found.indices.dtype, found.indptr.dtype, found.has_sorted_indices) == (np.int32, np.int64, True)
    assert numbers[0] == 7


def test_arrays_come_back_as_they_were(tmp_path):
    table = np.arange(60_000.0).reshape(200, 300)
    frozen = table.copy()
    frozen.flags.writeable = False
    given = [table, np.asfortranarray(table), table[:, ::2], frozen, table[:2], np.array(["a"], dtype=object)]
    for use in Use:
        for before, after in zip(given, unpack(pack(given, tmp_path, use)), strict=True):
            assert type(after) is np.ndarray
            np.testing.assert_array_equal(after, before)
            assert after.dtype == before.dtype
            assert after.flags.writeable == before.flags.writeable
            assert after.flags.f_contiguous == before.flags.f_contiguous
    held = unpack(pack((table, table.copy()), tmp_path, Use.INPUT))
    held[0][:] = 0
    assert held[1][0, 1] == 1  # a map is written in memory only, and by its owner only


def test_an_engine_travels_as_one_thread(tmp_path):
    engine = JournalEngine(ThreadEngine(2, progress=lambda *call: None), tmp_path)
    there = unpack(pack(lambda: engine, tmp_path, Use.INPUT))()
    assert type(there) is ThreadEngine
    assert there.n_threads == 1


# ---------------------------------------------------------------------------------------------- the same bytes


@pytest.mark.parametrize(("recipe", "write"), [("default", as_lines), ("paper", as_parquet)])
def test_a_build_of_files_gives_the_bytes_of_threads(tmp_path, engine, wanted, recipe, write):
    assert build(tmp_path, engine, write(tmp_path, made_up_texts(400)), MODELS[recipe]) == wanted[recipe]


def test_texts_that_are_no_files_pass_through_the_client(tmp_path, engine, wanted):
    net = TextNet(model=MODELS["default"]).fit(iter(made_up_texts(400)), engine=engine)
    classinet.save(net, tmp_path / "net")
    assert bytes_of(tmp_path / "net") == wanted["default"]


@pytest.mark.parametrize(("split", "context"), [(None, None), ("sentences", "document"), ("sentences", 1)])
def test_a_corpus_of_files_is_the_streamed_one(tmp_path, engine, split, context):
    texts = ["The cat sat. It slept. So did I.", "A dog came. It barked.", "", "It left", "Élan! The cat 𝒳.", "the end"]
    files = as_lines(tmp_path, texts, 4)
    (tmp_path / "empty.txt").touch()
    files = TextFiles([*files.paths[:2], tmp_path / "empty.txt", *files.paths[2:]])
    vectorizer = TextVectorizer(min_df=2, ngram_range=(1, 2))
    found, streamed = (
        stream_corpus(files, vectorizer, some, split=split, context=context) for some in (engine, ThreadEngine())
    )
    assert list(found.names) == list(streamed.names)
    assert (found.n_texts, found.fingerprint) == (streamed.n_texts, streamed.fingerprint)
    for name in ("matrix", "targets"):
        ours, theirs = getattr(found, name), getattr(streamed, name)
        assert (ours is None) == (theirs is None)
        for part in ("data", "indices", "indptr") if ours is not None else ():
            assert getattr(ours, part).dtype == getattr(theirs, part).dtype
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))


def test_what_cannot_be_read_apart_is_refused(tmp_path, engine):
    files = as_lines(tmp_path, ["a b", "b c"], 2)
    with pytest.raises(ParameterError, match="leave documents="):
        stream_corpus(files, TextVectorizer(), engine, documents=[1, 2])
    with pytest.raises(ParameterError, match="examples need all texts in one process"):
        TextNet(examples=1).fit(files, engine=engine)
    with pytest.raises(InputError, match="standard input is no file"):
        TextFiles(["-"])
    with pytest.raises(InputError, match="there are no files"):
        stream_corpus(TextFiles([]), TextVectorizer(), engine)
    with pytest.raises(InputError, match="no feature is left of 2 texts: none of 3 passes"):
        stream_corpus(files, TextVectorizer(min_df=3), engine)
    (tmp_path / "0.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"0\.txt, line 1, byte 0: ff is not utf-8"):
        stream_corpus(files, TextVectorizer(), engine)


# ---------------------------------------------------------------------------------------------- what goes wrong


def test_killed_workers_do_not_show_in_the_result(tmp_path, cluster, engine, wanted):
    killed = []

    def kill_one(stage, done, total):
        if stage in ("vocabulary", "predictors") and stage not in [before for before, _ in killed]:
            assert done < total  # in the middle of the stage
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            killed.append((stage, pid))

    engine.progress = kill_one
    assert build(tmp_path, engine, as_lines(tmp_path, made_up_texts(400), 20), MODELS["paper"]) == wanted["paper"]
    assert [stage for stage, _ in killed] == ["vocabulary", "predictors"]


def test_an_interrupted_build_is_resumed(tmp_path, cluster, wanted):
    files, told = as_lines(tmp_path, made_up_texts(400)), []

    def stop(stage, done, total):
        if stage == "labels":
            raise KeyboardInterrupt

    def connect(progress):
        return DaskEngine(cluster.scheduler_address, directory=tmp_path / "net.build" / "shared", progress=progress)

    with pytest.raises(KeyboardInterrupt), connect(stop) as engine:
        build(tmp_path, engine, files, MODELS["default"])
    with connect(lambda stage, *_: told.append(stage)) as engine:
        assert build(tmp_path, engine, files, MODELS["default"], resume=True) == wanted["default"]
    assert told[0] == "labels"
    os.utime(files.paths[2], ns=(0, 0))
    with connect(None) as engine, pytest.raises(StorageError, match="files was '5 files of"):
        build(tmp_path, engine, files, MODELS["default"], resume=True)
    with pytest.raises(StorageError, match=r"files was '5 files of .* now it is not given"):
        build(tmp_path, ThreadEngine(), files, MODELS["default"], resume=True)


def test_a_scheduler_that_is_not_there_is_named(tmp_path):
    begun = time.monotonic()
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9 .*firewall"):
        DaskEngine("tcp://127.0.0.1:9", directory=tmp_path / "shared", timeout=0.5).map_batches(abs, [1], stage="one")
    with pytest.raises(ClusterError, match="no Dask scheduler answers at nonsense"):
        DaskEngine("nonsense://127.0.0.1", directory=tmp_path / "shared", timeout=0.5).__enter__()
    assert time.monotonic() - begun < 10
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_goes_away_is_told(tmp_path):
    with local_cluster(1) as own:
        engine = DaskEngine(
            own.scheduler_address, directory=tmp_path / "shared", timeout=0.5, progress=lambda *_: own.close()
        )
        with pytest.raises(ClusterError, match="connection to the scheduler was lost"), engine:
            engine.map_batches(lambda n: time.sleep(0.01), range(50), stage="naps")


def test_a_batch_that_ends_every_worker_stops_the_build(tmp_path):
    with (
        local_cluster(1, allowed_failures=0) as own,
        DaskEngine(own.scheduler_address, directory=tmp_path) as engine,
        pytest.raises(ClusterError, match=r"stage 'deadly' ended several workers .* memory"),
    ):
        engine.map_batches(lambda n: os.kill(os.getpid(), signal.SIGKILL), [1], stage="deadly")


def test_a_cluster_without_workers_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(dask, "WORKERS_TIMEOUT", 0.2)
    with (
        local_cluster(0) as empty,
        pytest.raises(ClusterError, match=r"has no workers after .* dask worker tcp://127"),
        DaskEngine(empty.scheduler_address, directory=tmp_path),
    ):
        pass


def test_other_versions_are_refused(tmp_path, cluster, monkeypatch):
    ours = dask.versions()
    with pytest.raises(ClusterError, match=r"has numpy .* instead of 1\.0; the same bytes need"):
        dask._unpacked(dask._Sent("nowhere", tuple({**ours, "numpy": "1.0"}.items())))
    monkeypatch.setattr(dask, "versions", lambda: {**ours, "classinets": "99.0"})
    with (
        pytest.raises(ClusterError, match=r"worker tcp://.* has classinets .* instead of 99\.0"),
        DaskEngine(cluster.scheduler_address, directory=tmp_path),
    ):
        pass


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (({}, False, ""), r"worker tcp://.* does not see .*storage that all machines share"),
        (({}, True, "no module"), r"worker tcp://.* cannot import classinet \(no module\)"),
        (({"numba": "missing"}, True, "no numba"), r"worker tcp://.* has numba missing instead of"),
    ],
)
def test_workers_that_cannot_work_are_refused(tmp_path, cluster, monkeypatch, answer, message):
    theirs, *rest = answer
    answer = ({**dask.versions(), **theirs}, *rest)
    monkeypatch.setattr(dask, "_greeting", lambda *_: lambda: answer)
    with pytest.raises(ClusterError, match=message), DaskEngine(cluster.scheduler_address, directory=tmp_path / "new"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_worker_that_does_not_see_a_file_says_so():
    with pytest.raises(ClusterError, match=r"a worker on .* does not see nowhere"):
        dask._unpacked(dask._Sent("nowhere", tuple(dask.versions().items())))


def test_parameters_that_cannot_work_are_refused():
    with pytest.raises(ParameterError, match=r"needs directory=\.\.\."):
        DaskEngine("tcp://127.0.0.1:9")
    with pytest.raises(ParameterError, match="has its own workers"):
        DaskEngine("tcp://127.0.0.1:9", directory="x", n_workers=2)


def test_a_missing_extra_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r'distributed is not installed; run: pip install "classinets\[dask\]"'):
        DaskEngine(n_workers=1).map_batches(abs, [1], stage="one")


# ---------------------------------------------------------------------------------------------- the command


def test_the_command_builds_on_a_cluster(tmp_path, cluster):
    files = as_lines(tmp_path, made_up_texts(400)).paths
    for name, options in (("a", []), ("b", ["--engine", "dask", "--scheduler", cluster.scheduler_address])):
        done = CliRunner().invoke(app, ["build", *files, "-o", str(tmp_path / name), *options])
        assert done.exit_code == 0, done.output
        assert not (tmp_path / f"{name}.build").exists()
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_ctrl_c_stops_the_command_and_its_own_cluster(tmp_path):
    """As a terminal sends it: to the command and all its processes."""
    files = as_lines(tmp_path, made_up_texts(400)).paths
    options = [sys.executable, "-m", "classinet", "build", *files, "-o", str(tmp_path / "net"), "--engine", "dask"]
    with subprocess.Popen(
        [*options, "--threads", "1"], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as command:  # fmt: skip
        for line in command.stderr:
            if line == "matrix\n":
                os.killpg(command.pid, signal.SIGINT)
                break
        rest = command.stderr.read()
    assert command.returncode == 1
    assert rest.splitlines()[-1].endswith("run the same command with --resume to continue")
    assert "Traceback" not in rest
    assert (tmp_path / "net.build" / "steps").is_dir()
    assert not (tmp_path / "net.build" / "shared").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "add --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", "--threads", "2"], "has its own workers"),
        (["--engine", "dask", "--estimate"], "threads of this machine"),
        (["--engine", "dask", "--examples", "2"], "all texts in one process"),
    ],
)
def test_options_that_do_not_go_together_are_refused(tmp_path, options, message):
    done = CliRunner().invoke(app, ["build", "texts.txt", "-o", str(tmp_path / "net"), *options])
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())


def test_the_command_says_in_one_line_what_is_wrong(tmp_path, cluster):
    (tmp_path / "texts.txt").write_text("one text\n")
    options = ["build", "-", "-o", str(tmp_path / "net"), "--engine", "dask", "--scheduler", cluster.scheduler_address]
    done = CliRunner().invoke(app, options)
    assert (done.exit_code, "standard input is no file" in done.output) == (1, True)
    options[1] = str(tmp_path / "none.txt")
    done = CliRunner().invoke(app, options)
    assert (done.exit_code, "none.txt cannot be read" in done.output) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["texts.txt"]
