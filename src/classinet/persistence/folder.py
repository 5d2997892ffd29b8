"""Save, load, describe, prune: what a user does with the folder of a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from os.path import lexists
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from classinet.edits import Edits
from classinet.exceptions import InputError, LeftBehindWarning, StorageError
from classinet.persistence.models import FILES, Model, read_model, text_net_of, write_model
from classinet.persistence.reading import JSON_LIMIT, damaged, field, read_bytes
from classinet.persistence.store import (
    CONFIG,
    add_version,
    check_files,
    edits_path,
    find_model,
    read_config,
    remove_versions,
    swap_edits,
    versions,
)

T = TypeVar("T")
AnyPath = str | PathLike[str]


@dataclass(frozen=True)
class ModelInfo:
    """What a saved model is, read without building it.

    Attributes
    ----------
    path : its folder.
    kind : "text-net" or "classifier".
    version : the version that `load` reads; `versions` are all that lie in the folder.
    recipe : "paper", "default" or "custom".
    features, vertices, edges : sizes of the unedited net.
    texts : number of texts the net was built from; `fingerprint` is their hash.
    predictor : kind of the stored predictors, or None.
    classes : the labels of a classifier, else none.
    size : bytes of the version on disk.
    left_behind : what could not be stored.
    edits : the user's edits.
    libraries : versions of the libraries it was made with.
    """

    path: Path
    kind: str
    version: str
    versions: tuple[str, ...]
    recipe: str
    features: int
    vertices: int
    edges: int
    texts: int
    fingerprint: str
    predictor: str | None
    classes: tuple[Any, ...]
    size: int
    left_behind: tuple[str, ...]
    edits: Edits
    libraries: Mapping[str, str]


def save(model: Model, path: AnyPath, *, replace: bool = False) -> Path:
    """Save a fitted `TextNet` or `ClassiNetClassifier` in a folder; return its path.

    Parameters
    ----------
    model : what to save.
    path : the folder. It is made; what is there and is no ClassiNet model is never touched.
    replace : put a new version into the folder of a model and make it the current one. Versions before it stay until
        `prune`.

    Warns
    -----
    LeftBehindWarning : a part was made by code that is not this library's. It is not saved, and None when loaded.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(net, f"{folder}/net")
    ...     loaded = load(path)
    ...     sorted(file.name for file in path.iterdir())
    ['CURRENT', 'v0001']
    >>> loaded.neighbors("storm", top=3) == net.neighbors("storm", top=3)
    True
    """
    text_net = text_net_of(model)
    left_behind: list[str] = []
    lines = text_net.net_.edits.to_lines()
    add_version(Path(path), lambda folder: write_model(model, folder, left_behind), lines, replace=replace)
    if left_behind:
        warnings.warn(
            f"not saved, because loading it would mean to execute code: {'; '.join(left_behind)}",
            LeftBehindWarning,
            stacklevel=2,
        )
    return Path(path)


def load(path: AnyPath, *, verify: bool = True) -> Model:
    """Load the current version of a saved model.

    Its arrays are read-only views of the mapped files, shared by all processes that load the model. Whatever is wrong
    with the folder ends in one `StorageError` that names the file.

    Parameters
    ----------
    path : folder of the model.
    verify : compare the contents of the files with their checksums. Without it only that is skipped: for processes
        whose parent has compared them. Structure is always checked.

    Examples
    --------
    >>> load("no/such/model")
    Traceback (most recent call last):
    ...
    classinet.exceptions.StorageError: no/such/model: there is no such folder; check the path
    """
    return _reading(Path(path), lambda version: _load(Path(path), version, verify=verify))


def save_edits(path: AnyPath, edits: Edits) -> None:
    """Put these edits beside the current version of a saved model, in one step and instead of any that are there.

    Edits that the net does not fit are refused with `InputError`, and nothing changes.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(net, f"{folder}/net")
    ...     save_edits(path, Edits().ban("storm", "thunder"))
    ...     load(path).net_.weight("storm", "thunder")
    0.0
    """

    def checked(version: str) -> list[str]:
        return text_net_of(_load_unedited(Path(path), version, verify=False)).net_.edited(edits).edits.to_lines()

    swap_edits(Path(path), checked)


def prune(path: AnyPath, keep: int = 1) -> list[str]:
    """Remove old versions of a saved model; return their names.

    The current version stays, and of those before it the newest `keep` - 1. What an interrupted save left goes too.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(net, f"{folder}/net")
    ...     path = save(net, path, replace=True)
    ...     prune(path)
    ['v0001']
    """
    return remove_versions(Path(path), keep)


def describe(path: AnyPath) -> ModelInfo:
    """Say what a saved model is; names and sizes of its files are checked, their contents are not.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     info = describe(save(net, f"{folder}/net"))
    >>> info.kind, info.version, info.recipe, info.vertices == net.net_.n_vertices
    ('text-net', 'v0001', 'default', True)
    """
    return _reading(Path(path), lambda version: _describe(Path(path), version))


def _reading(path: Path, read: Callable[[str], T]) -> T:
    """Read the current version; read again where another process moved the pointer and removed it meanwhile."""
    while True:
        version = find_model(path)
        try:
            return read(version)
        except StorageError:
            if find_model(path) == version:
                raise


def _load_unedited(path: Path, version: str, *, verify: bool) -> Model:
    folder = path / version
    read_config(folder)  # first: a newer format may have other files
    return read_model(folder, check_files(folder, FILES, hashes=verify))


def _load(path: Path, version: str, *, verify: bool) -> Model:
    model = _load_unedited(path, version, verify=verify)
    edits = _read_edits(path, version)
    if len(edits):
        try:
            model.edit(edits)
        except InputError as error:
            raise _bad_edits(edits_path(path, version), error) from error
    return model


def _read_edits(path: Path, version: str) -> Edits:
    file = edits_path(path, version)
    if not lexists(file):
        return Edits()
    try:
        return Edits.from_lines(read_bytes(file, JSON_LIMIT).decode("utf-8").split("\n"))
    except (InputError, UnicodeDecodeError) as error:
        raise _bad_edits(file, error) from error


def _bad_edits(file: Path, error: Exception) -> StorageError:
    return StorageError(f"{file}: {error}; correct that line, or remove the file to load the model without edits")


def _describe(path: Path, version: str) -> ModelInfo:
    folder = path / version
    file = folder / CONFIG
    config = read_config(folder)
    files = check_files(folder, FILES, hashes=False)
    sizes, classifier, predictor = (config.get(name) for name in ("sizes", "classifier", "predictor"))
    if not isinstance(sizes, dict):
        raise damaged(file, "has no entry 'sizes'")
    classes: list[Any] = []
    if classifier is not None:
        stored = field(field(config, "classifier", dict, file), "classes", dict, file)
        classes = field(stored, "values", list, file)
    return ModelInfo(
        path=path,
        kind=field(config, "kind", str, file),
        version=version,
        versions=tuple(versions(path)),
        recipe=field(config, "recipe", str, file),
        features=field(sizes, "features", int, file),
        vertices=field(sizes, "vertices", int, file),
        edges=field(sizes, "edges", int, file),
        texts=field(config, "texts", int, file),
        fingerprint=field(config, "fingerprint", str, file),
        predictor=None if predictor is None else field(field(config, "predictor", dict, file), "class", str, file),
        classes=tuple(classes),
        size=sum(files.values()),
        left_behind=tuple(map(str, field(config, "left_behind", list, file))),
        edits=_read_edits(path, version),
        libraries=MappingProxyType({str(k): str(v) for k, v in field(config, "libraries", dict, file).items()}),
    )
