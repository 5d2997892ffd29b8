"""Large arrays are shared between a build, its net and the net's versions; what is shared cannot change."""

import errno
import os

import numpy as np
import pytest
from safetensors.numpy import load_file

from build_helpers import hash_of_net, made_up_texts
from classinet import ClassiNet
from classinet._container import LONE_START
from classinet.build import discard
from classinet.build.codec import ArrayFiles
from classinet.exceptions import StorageError
from classinet.persistence import load, prune, save
from classinet.persistence.linking import file_of, write_lone
from classinet.persistence.tensors import write_tensors
from classinet.pipeline import TextNet
from classinet.predictors import NaiveBayes
from classinet.text import TextVectorizer

SHARED = ("predictor_columns.safetensors", "predictor_weights.safetensors")


def build(directory=None, **how):
    return TextNet(TextVectorizer(), ClassiNet(predictor=NaiveBayes())).fit(made_up_texts(), directory=directory, **how)


@pytest.fixture
def built(tmp_path):
    net = build(tmp_path / "net.build")
    save(net, tmp_path / "net")
    return net


def same(one, other):
    return hash_of_net(one.net_) == hash_of_net(other.net_)


def written(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_net_shares_its_weights_with_the_build_and_is_the_same_without(tmp_path, built):
    in_build = {path.stat().st_ino for path in (tmp_path / "net.build").rglob("*.safetensors")}
    for name in SHARED:
        assert (tmp_path / "net" / "v0001" / name).stat().st_ino in in_build
    save(build(), tmp_path / "copied")
    assert written(tmp_path / "net") == written(tmp_path / "copied")
    discard(tmp_path / "net.build")
    assert written(tmp_path / "net") == written(tmp_path / "copied")
    assert same(load(tmp_path / "net"), built)


def test_the_shared_files_are_ordinary_safetensors(tmp_path, built):
    columns, weights = (load_file(tmp_path / "net" / "v0001" / name)["array"] for name in SHARED)
    np.testing.assert_array_equal(columns, built.net_.predictor.coef_.indices)
    np.testing.assert_array_equal(weights, built.net_.predictor.coef_.data)


def test_versions_share_what_did_not_change(tmp_path, built):
    save(load(tmp_path / "net"), tmp_path / "net", replace=True)
    for name in SHARED:
        assert (tmp_path / "net" / "v0001" / name).samefile(tmp_path / "net" / "v0002" / name)
    prune(tmp_path / "net", keep=1)
    assert same(load(tmp_path / "net"), built)


def test_changed_weights_are_copied_and_change_no_file(tmp_path, built):
    before = written(tmp_path / "net.build")
    built.net_.predictor.coef_.data[0] += 1.0
    save(built, tmp_path / "changed")
    assert same(load(tmp_path / "changed"), built)
    assert not same(load(tmp_path / "net"), built)
    assert written(tmp_path / "net.build") == before


@pytest.mark.parametrize("reason", [errno.EXDEV, errno.EPERM, errno.EMLINK])
def test_where_links_are_impossible_the_bytes_are_the_same(tmp_path, built, monkeypatch, reason):
    def refuse(*_):
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(os, "link", refuse)
    save(built, tmp_path / "copied")
    assert written(tmp_path / "net") == written(tmp_path / "copied")
    assert (tmp_path / "copied" / "v0001" / SHARED[0]).stat().st_nlink == 1


def test_a_build_that_is_damaged_and_begun_again_leaves_the_net_alone(tmp_path, built):
    before = written(tmp_path / "net")
    for index in (tmp_path / "net.build").rglob("index.json"):
        index.unlink()
    again = build(tmp_path / "net.build", resume=True)
    assert written(tmp_path / "net") == before
    assert same(again, built)


def test_a_file_with_another_name_is_not_written_to_even_if_a_note_says_so(tmp_path):
    files = ArrayFiles(tmp_path / "arrays")
    batches = [(np.arange(9),), (np.arange(2),)]

    def cut(done):
        yield batches[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write(cut)
    os.link(tmp_path / "arrays" / "0.safetensors", tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere").read_bytes()
    begun_at = []
    files.write(lambda done: begun_at.append(done) or iter(batches[done:]))
    assert begun_at == [0]
    assert (tmp_path / "elsewhere").read_bytes() == before
    np.testing.assert_array_equal(files.read()[0], [*range(9), *range(2)])


def test_only_a_whole_array_at_its_place_is_linked(tmp_path):
    write_lone(tmp_path / "a", np.arange(6, dtype=np.int64))
    mapped = np.memmap(tmp_path / "a", np.int64, "r", LONE_START)
    assert file_of(np.asarray(mapped).reshape(2, 3)) == tmp_path / "a"
    assert file_of(np.arange(6)) is None
    whole_file = np.memmap(tmp_path / "a", np.int64, "r")
    for part in (
        whole_file,
        mapped[:3],
        mapped[1:],
        mapped[::-1],
        mapped[::2],
        mapped.reshape(2, 3),
        mapped.reshape(2, 3).T,
        mapped.copy(),
    ):
        write_lone(tmp_path / "part", part)
        assert not (tmp_path / "part").samefile(tmp_path / "a")
        np.testing.assert_array_equal(load_file(tmp_path / "part")["array"], part)
        (tmp_path / "part").unlink()
    write_lone(tmp_path / "empty", np.empty(0, np.float32))
    assert load_file(tmp_path / "empty")["array"].shape == (0,)


def test_a_file_that_is_gone_or_another_is_not_linked(tmp_path):
    write_lone(tmp_path / "a", np.arange(6))
    mapped = np.memmap(tmp_path / "a", np.int64, "r", LONE_START)
    (tmp_path / "a").unlink()
    write_lone(tmp_path / "b", mapped)
    np.testing.assert_array_equal(load_file(tmp_path / "b")["array"], np.arange(6))
    write_lone(tmp_path / "a", np.arange(1, 7))
    write_lone(tmp_path / "c", mapped)
    np.testing.assert_array_equal(load_file(tmp_path / "c")["array"], np.arange(6))


def test_weights_in_the_file_of_the_others_are_still_read_but_not_twice(tmp_path, built):
    """Up to format version 3 all arrays of a predictor lay in one file."""
    from classinet.persistence.nets import APART, PREDICTOR
    from classinet.persistence.predictors import predictor_arrays, restore_predictor
    from classinet.persistence.tensors import TensorFile

    write_tensors(tmp_path / PREDICTOR, predictor_arrays(built.net_.predictor))
    read = NaiveBayes()
    restore_predictor(read, TensorFile(tmp_path / PREDICTOR), built.net_.columns, built.net_.n_features, {})
    np.testing.assert_array_equal(read.coef_.toarray(), built.net_.predictor.coef_.toarray())
    apart = {name: tmp_path / "net" / "v0001" / file for name, file in APART.items()}
    with pytest.raises(StorageError, match=r"holds array 'coef_.*', and so does predictor_"):
        TensorFile(tmp_path / PREDICTOR, apart)
