"""Model folders that somebody, or a disk, has tampered with: one clear error, or a model that still behaves.

The interesting folders are those whose checksums are right again after the change: whatever loads from them must not
end in anything but this library's own errors, let alone in a kernel that reads beyond its arrays.
"""

import hashlib
import json
import os
import shutil
import struct
import warnings

import numpy as np
import pytest

from classinet import ClassiNet
from classinet.datasets import made_up_sentences
from classinet.edges import HeldOut, Similarity
from classinet.edits import Edits
from classinet.exceptions import ClassiNetError, LeftBehindWarning, StorageError
from classinet.expansion import AllNeighbors, Global, Independent
from classinet.neighbors import ExactNeighbors
from classinet.persistence import describe, load, save
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.predictors import Embedding, Logistic, Ridge

TEXTS = ["storm and snow over the oven", "goal goal penalty", "nothing known 123", ""]
TRICKS = [
    "", "/", "..", "../../CURRENT", "/etc/passwd", "v0002/../v0001", "a\x00b", "C:\\x", "os.system", "__class__",
    "\ud800", "é" * 300, None, True, -1, 0, 2, 7, 2**31, 2**63, 10**400, -(2**63) - 1, 0.5, -0.0, 1e308, [], {}, [[[]]],
    {"class": "Popen", "parameters": {}}, {"class": "Global", "parameters": {"hops": -3}}, {"tuple": [1, "x"]},
    {"left_behind": "x"}, {"float": "nan"}, {"dict": [[[1], 2]]},
]  # fmt: skip
NUMBERS = {
    "f": [np.nan, np.inf, -np.inf, -1.0, 2.0, 1e-320, 1e30, 0.0, -0.0, 0.5],
    "i": [-1, 0, 1, 7, 38, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63)],
    "u": [0, 1, 2**63, 2**64 - 1],
}


def models():
    """Four kinds of model, small enough to load in milliseconds."""
    texts = made_up_sentences()
    labelled = ["rain and wind", "bread in the oven", "a late goal"]
    rng = np.random.default_rng(0)
    vectors = {word: rng.normal(size=5) for word in {word for text in texts for word in text.split()}}
    outside = ClassiNet(vertices=20, edges=Similarity(outside=True))
    linear = ClassiNet(predictor=Logistic(strength=1.0), neighbors=ExactNeighbors(5), edges=HeldOut())
    yield ClassiNetClassifier(TextNet(model=outside, examples=2).fit(texts)).fit(labelled, ["w", "k", "f"]).ban("storm")
    yield ClassiNetClassifier(TextNet(model=linear).fit(texts), Independent()).fit(labelled, [["a"], ["b"], ["a", "b"]])
    yield TextNet(model=ClassiNet(predictor=Ridge(1.0), vertices=15, expansion=AllNeighbors())).fit(texts)
    yield TextNet(model=ClassiNet(predictor=Embedding(vectors))).fit(texts)


def saved_models(folder):
    paths = []
    for i, model in enumerate(models()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftBehindWarning)
            paths.append(save(model, folder / f"model{i}"))
    return paths


def behaviour(model):
    """All that a user does with a model, as values that can be compared."""
    out = []
    texts = getattr(model, "text_net_", model)
    for expansion in (None, Independent(), Global(hops=2, normalize=None), AllNeighbors(2)):
        out.append(repr([texts.expand(text, top=5, expansion=expansion) for text in TEXTS]))
    out.append(texts.transform(TEXTS).toarray().tobytes())
    if isinstance(model, ClassiNetClassifier):
        out.append(repr(model.predict(TEXTS)))
        out.append(model.predict_proba(TEXTS).tobytes())
        out.append(repr(model.explain(TEXTS[0]).label))
    out.append(repr(texts.net_.report().keys()))
    return out


def quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


# ------------------------------------------------------------------------------------------------ how to tamper


def recompute(version):
    """Make the checksums right again."""
    files = {
        file.name: {"size": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        for file in version.iterdir()
        if file.name != "checksums.json" and file.is_file()
    }
    (version / "checksums.json").write_text(json.dumps({"files": files}), encoding="utf-8")


def some_file(version, rng, suffix=""):
    files = sorted(file for file in version.iterdir() if file.name.endswith(suffix))
    return files[rng.integers(len(files))]


def flip_bit(version, rng):
    file = some_file(version, rng)
    data = bytearray(file.read_bytes())
    if data:
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    file.write_bytes(bytes(data))


def truncate(version, rng):
    file = some_file(version, rng)
    data = file.read_bytes()
    file.write_bytes(data[: rng.integers(len(data) + 1)])


def extend(version, rng):
    file = some_file(version, rng)
    file.write_bytes(file.read_bytes() + rng.bytes(int(rng.integers(1, 20))))


def delete(version, rng):
    some_file(version, rng).unlink()


def swap(version, rng):
    one, other = some_file(version, rng), some_file(version, rng)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def add(version, rng):
    (version / ["more.json", "neighbors.safetensors", ".hidden", "x.pkl"][rng.integers(4)]).write_bytes(b"{}")


def header(version, rng):
    """An absurd entry in the header of a container, its own length right."""
    file = some_file(version, rng, ".safetensors")
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    entries = json.loads(data[8 : 8 + length])
    name = sorted(entries)[rng.integers(len(entries))]
    what = rng.integers(6)
    if what == 0:
        entries[name]["dtype"] = ["F64", "I64", "F16", "BOOL", "I32", "U64", "O", 3, None][rng.integers(9)]
    elif what == 1:
        wild = [[], [-1], [2**63], [2**32, 2**32], [0, 10**30], [1] * 40, [True], "x", None, [3.0]]
        entries[name]["shape"] = wild[rng.integers(len(wild))]
    elif what == 2:
        wild = [[0, 0], [-8, 0], [0, 2**63], [8, 0], [0, 8], [16, 32], ["a", "b"], None, [0]]
        entries[name]["data_offsets"] = wild[rng.integers(len(wild))]
    elif what == 3:
        entries["../" + name] = entries.pop(name)
    elif what == 4:
        other = sorted(entries)[rng.integers(len(entries))]
        entries[name], entries[other] = entries[other], entries[name]
    else:
        del entries[name]
    text = json.dumps(entries).encode()
    promised = [len(text), 2**63, len(data), 0][int(rng.choice(4, p=[0.85, 0.05, 0.05, 0.05]))]
    file.write_bytes(struct.pack("<Q", promised) + text + data[8 + length :])


def numbers(version, rng):
    """A few values of an array, replaced by what an index or a weight should never be."""
    file = some_file(version, rng, ".safetensors")
    data = bytearray(file.read_bytes())
    (length,) = struct.unpack("<Q", data[:8])
    entries = json.loads(data[8 : 8 + length])
    entry = entries[sorted(entries)[rng.integers(len(entries))]]
    dtype = np.dtype({"F": "f", "I": "i", "U": "u"}[entry["dtype"][0]] + str(int(entry["dtype"][1:]) // 8))
    start, stop = (8 + length + offset for offset in entry["data_offsets"])
    values = np.frombuffer(bytes(data[start:stop]), dtype=dtype).copy()
    for _ in range(int(rng.integers(1, 4))):
        if len(values):
            wild = NUMBERS[dtype.kind][rng.integers(len(NUMBERS[dtype.kind]))]
            with np.errstate(all="ignore"):
                values[rng.integers(len(values))] = np.array(wild).astype(dtype)
    data[start:stop] = values.tobytes()
    file.write_bytes(bytes(data))


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def configuration(version, rng):
    """A trick, or a gap, at one place of config.json or of the list of checksums."""
    file = version / ("config.json" if rng.random() < 0.9 else "checksums.json")
    config = json.loads(file.read_text(encoding="utf-8"))
    every = [place for place in places(config) if place]
    *inner, last = every[rng.integers(len(every))]
    holder = config
    for key in inner:
        holder = holder[key]
    what = rng.integers(6)
    if what == 0:
        del holder[last]
    elif what == 1 and isinstance(holder, dict):
        holder[TRICKS[rng.integers(12)]] = holder.pop(last)
    else:
        holder[last] = TRICKS[rng.integers(len(TRICKS))]
    file.write_text(json.dumps(config), encoding="utf-8")


def lines(version, rng):
    """A line dropped, doubled, moved or replaced."""
    file = some_file(version, rng, ".jsonl")
    content = file.read_bytes().split(b"\n")
    at = int(rng.integers(len(content)))
    what = rng.integers(4)
    if what == 0:
        del content[at]
    elif what == 1:
        content.insert(at, content[at])
    elif what == 2:
        content.reverse()
    else:
        content[at] = json.dumps(TRICKS[rng.integers(len(TRICKS))]).encode()
    file.write_bytes(b"\n".join(content))


DAMAGE = (flip_bit, truncate, extend, delete, swap, add)
FORGERY = (flip_bit, truncate, delete, swap, header, header, numbers, numbers, numbers, configuration, configuration,
           configuration, lines)  # fmt: skip


def attack(path, copy, expected, seed):
    """Tamper with a copy of a model; return what came of it: "refused", "same" or "other"."""
    rng = np.random.default_rng(seed)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(path, copy)
    version = copy / "v0001"
    forged = bool(rng.random() < 0.75)
    how = (FORGERY if forged else DAMAGE)[rng.integers(len(FORGERY if forged else DAMAGE))]
    how(version, rng)
    if forged and how is not configuration:
        recompute(version)
    elif forged and rng.random() < 0.9:
        kept = (version / "checksums.json").read_bytes()
        recompute(version)
        if rng.random() < 0.05:
            (version / "checksums.json").write_bytes(kept)
    try:
        model = quietly(load, copy)
    except StorageError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert str(copy) in message
        return "refused"
    try:
        found = quietly(behaviour, model)
    except ClassiNetError:
        assert forged, f"{how.__name__} went unnoticed"
        return "other"
    if found != expected:
        assert forged, f"{how.__name__} went unnoticed"
        return "other"
    return "same"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    paths = saved_models(tmp_path_factory.mktemp("models"))
    return [(path, quietly(behaviour, load(path))) for path in paths]


@pytest.mark.parametrize("start", range(0, 220, 55))
def test_a_tampered_folder_is_refused_or_harmless(saved, tmp_path, start):
    outcomes = []
    for seed in range(start, start + 55):
        path, expected = saved[seed % len(saved)]
        try:
            outcomes.append(attack(path, tmp_path / "copy", expected, seed))
        except BaseException as error:
            error.add_note(f"seed {seed}, {path.name}")
            raise
    assert outcomes.count("refused") > 25


# ------------------------------------------------------------------------------------------------ path tricks


@pytest.fixture
def copy(saved, tmp_path):
    return shutil.copytree(saved[0][0], tmp_path / "copy")


@pytest.mark.parametrize(
    "pointer",
    [b"", b"\n", b"v0001\n\n", b"../copy/v0001", b"/etc", b"v0001/", b"v1", b"v00001", b"v0001\x00", b"\xff" * 5,
     b"v0009", b"v" + b"1" * 100, "v٠٠٠١".encode(), b" v0001", b"v0000"],
)  # fmt: skip
def test_the_pointer_names_a_version_or_nothing(copy, pointer):
    (copy / "CURRENT").write_bytes(pointer)
    for read in (load, describe):
        with pytest.raises(StorageError, match="copy"):
            read(copy)


def test_links_and_pipes_are_not_followed(copy, tmp_path):
    version = copy / "v0001"
    features = version / "features.jsonl"
    features.rename(tmp_path / "elsewhere")
    features.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"features\.jsonl: is no regular file"):
        load(copy)
    features.unlink()
    os.mkfifo(features)
    with pytest.raises(StorageError, match=r"features\.jsonl: is no regular file"):
        load(copy)
    features.unlink()
    (tmp_path / "elsewhere").rename(features)
    load(copy)
    version.rename(tmp_path / "v0001")
    version.symlink_to(tmp_path / "v0001")
    with pytest.raises(StorageError, match="v0001: is no folder"):
        load(copy)


def test_a_file_outside_the_folder_is_never_listed(copy):
    checksums = copy / "v0001" / "checksums.json"
    content = json.loads(checksums.read_text())
    content["files"]["../../secret"] = {"size": 1, "sha256": "0"}
    checksums.write_text(json.dumps(content))
    with pytest.raises(StorageError, match="which is no file of a model"):
        load(copy)


def test_a_newer_format_says_so(copy):
    config = copy / "v0001" / "config.json"
    config.write_text(config.read_text().replace('"format_version": 7', '"format_version": 8'))
    (copy / "v0001" / "novelty.bin").write_bytes(b"")
    with pytest.raises(StorageError, match=r"format version 8, and this classinet reads up to 7; install a newer"):
        load(copy)


@pytest.mark.parametrize(
    ("text", "message"),
    [("[" * 100_000, "nested too deeply"), ("NaN", "NaN is no number"), ("[]", "where an object is expected"),
     ('{"a": 1, "a": 2}', "occurs twice"), ("{", "no valid JSON"), ("\ufeff{}", "no valid JSON"),
     ('{"format": "other"}', "not of the format"), ("9" * 5000, "no valid JSON")],
)  # fmt: skip
def test_odd_json_is_refused(copy, text, message):
    (copy / "v0001" / "config.json").write_text(text, encoding="utf-8")
    recompute(copy / "v0001")
    with pytest.raises(StorageError, match=message) as caught:
        load(copy)
    assert "config.json" in str(caught.value)


def test_broken_edits_name_their_line(copy):
    edits = copy / "v0001.edits.jsonl"
    good = edits.read_text()
    for line, message in (("{", "line 2"), ('{"ban": "no such word"}', "no such word"), ('{"exec": 1}', "line 2")):
        edits.write_text(good + line + "\n")
        with pytest.raises(StorageError, match=message) as caught:
            load(copy)
        assert "v0001.edits.jsonl" in str(caught.value)
        assert "remove the file" in str(caught.value)
    edits.write_bytes(b"\xff")
    with pytest.raises(StorageError, match="utf-8"):
        load(copy)
    edits.unlink()
    assert load(copy).edits == Edits()


def test_without_verification_structure_is_still_checked(copy):
    version = copy / "v0001"
    features = version / "features.jsonl"
    names = features.read_text()
    features.write_text(names.replace("storm", "mrots"))  # same size: only the hash can tell
    with pytest.raises(StorageError, match="contents have changed"):
        load(copy)
    (copy / "v0001.edits.jsonl").unlink()
    assert "mrots" in load(copy, verify=False).text_net_.net_.feature_names
    features.write_text(names + '"more"\n')
    with pytest.raises(StorageError, match="bytes, where"):
        load(copy, verify=False)
    features.write_text(names.replace('"snow"', '"wind"'))
    recompute(version)
    with pytest.raises(StorageError, match="more than once"):
        load(copy, verify=False)
