"""Load a data set by name: from the user's folder, else from the cache, else from where it is published.

Enter: a name. Leave: texts, labels and the split of each text, or an error that says what was looked for, where, and
how to get it.

The idea: every set has one plain layout (see `formats`), ``FOLDER/NAME/SPLIT.tsv``. A folder that holds the wanted
splits is read and nothing else happens. Otherwise the published files are taken from where the user put them, or
downloaded and checked, converted into the cache, and the cache is read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from classinet._typing import Progress
from classinet._validation import check_choice
from classinet.datasets.catalogue import CATALOGUE, Entry
from classinet.datasets.download import Patience, Remote, download, sha256_of
from classinet.datasets.errors import DatasetError
from classinet.datasets.formats import read_rows, write_rows

DATA_VARIABLE = "CLASSINET_DATA"
CACHE_VARIABLE = "CLASSINET_CACHE"
PATIENCE = Patience()


@dataclass(frozen=True)
class Dataset:
    """Texts with their labels.

    Attributes
    ----------
    name : str
        As given to `load`.
    texts : list of str
        The texts, split after split.
    labels : list of str
        The label of each text; empty strings in a split without labels.
    splits : list of str
        The split of each text, such as ``"train"``; ``"all"`` where none is given.
    folds : int or None
        Cross-validation folds of the paper's protocol; None where the split is given.
    description : str
        One line on what it holds.
    source : str
        Who made it, and where it is published.
    """

    name: str
    texts: list[str] = field(repr=False)
    labels: list[str] = field(repr=False)
    splits: list[str] = field(repr=False)
    folds: int | None
    description: str
    source: str

    def part(self, split: str) -> Dataset:
        """Return the texts of one split alone.

        Parameters
        ----------
        split : str
            One of those in `splits`.

        Returns
        -------
        Dataset

        Examples
        --------
        >>> data = Dataset("two", ["a", "b"], ["x", "y"], ["train", "test"], None, "", "")
        >>> data.part("test").texts
        ['b']
        """
        check_choice("split", split, tuple(dict.fromkeys(self.splits)))
        kept = [number for number, own in enumerate(self.splits) if own == split]
        return replace(
            self,
            texts=[self.texts[number] for number in kept],
            labels=[self.labels[number] for number in kept],
            splits=[split] * len(kept),
        )


def names() -> list[str]:
    """Return the names that `load` knows.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from classinet import datasets
    >>> datasets.names()[:6]
    ['tr', 'mr', 'cr', 'subj', 'trec', 'imdb']
    """
    return list(CATALOGUE)


def cache_folder() -> Path:
    """Return where downloaded data sets are kept: ``CLASSINET_CACHE``, else the platform's place for caches.

    Returns
    -------
    pathlib.Path
        It need not exist.

    Examples
    --------
    >>> import os
    >>> from classinet.datasets import cache_folder
    >>> before = os.environ.get("CLASSINET_CACHE")
    >>> os.environ["CLASSINET_CACHE"] = "my-cache"
    >>> cache_folder().name
    'my-cache'
    >>> _ = os.environ.pop("CLASSINET_CACHE") if before is None else os.environ.update(CLASSINET_CACHE=before)
    """
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "classinet"


def load(
    name: str,
    *,
    split: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Dataset:
    r"""Load a data set, fetching it if need be.

    Parameters
    ----------
    name : str
        One of `names()`.
    split : str, optional
        One split alone; by default all that are labelled. A split without labels (``"unsup"`` of ``imdb``) is asked for
        by name.
    folder : path, optional
        The folder that holds ``NAME/SPLIT.tsv``; by default what the environment variable ``CLASSINET_DATA`` says.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` while a file is downloaded.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        It is nowhere and cannot be fetched; the message says where it was looked for and how to get it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classinet import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     own = pathlib.Path(folder, "mr")
    ...     own.mkdir()
    ...     _ = own.joinpath("all.tsv").write_text("pos\ta fine film\nneg\ta dull one\n")
    ...     data = datasets.load("mr", folder=folder)
    >>> data.texts, data.labels
    (['a fine film', 'a dull one'], ['pos', 'neg'])
    """
    check_choice("name", name, tuple(CATALOGUE))
    entry = CATALOGUE[name]
    if split is not None:
        check_choice("split", split, (*entry.rows, *entry.unlabeled))
    wanted = [split] if split is not None else list(entry.rows)
    given = folder if folder is not None else os.environ.get(DATA_VARIABLE)
    cache = cache_folder()
    places = [Path(given).expanduser(), cache] if given else [cache]
    files = _find(name, wanted, places)
    if files is None:
        _convert(name, entry, places, progress)
        files = _find(name, wanted, [cache])
    if files is None:
        raise DatasetError(f"{cache / name} should hold {', '.join(wanted)} now, but another process removed them")
    rows = [(own, label, text) for own, path in zip(wanted, files, strict=True) for label, text in read_rows(path)]
    return Dataset(
        name=name,
        texts=[text for _, _, text in rows],
        labels=[label for _, label, _ in rows],
        splits=[own for own, _, _ in rows],
        folds=entry.folds,
        description=entry.description,
        source=entry.source,
    )


def _find(name: str, wanted: Sequence[str], places: Sequence[Path]) -> list[Path] | None:
    """Return the files of the wanted splits from the first place that holds them all."""
    for folder in _folders(name, places):
        found = [_split_file(folder, split) for split in wanted]
        files = [path for path in found if path is not None]
        if len(files) == len(wanted):
            return files
    return None


def _folders(name: str, places: Sequence[Path]) -> list[Path]:
    return [place / below / name for place in places for below in ("", "extra")]


def _split_file(folder: Path, split: str) -> Path | None:
    candidates = [folder / f"{split}{ending}" for ending in (".tsv", ".tsv.gz", ".txt", ".txt.gz")]
    return next((path for path in candidates if path.is_file()), None)


def _convert(name: str, entry: Entry, places: Sequence[Path], progress: Progress | None) -> None:
    """Turn the published files into the plain layout, in the cache (the last of the places)."""
    if entry.convert is None:
        raise DatasetError(_explanation(name, entry, places))
    target = places[-1] / name
    obtained = [_obtain(remote, name, entry, places, progress) for remote in entry.files]
    splits = entry.convert(obtained)
    for split, expected in {**entry.rows, **entry.unlabeled}.items():
        if len(splits[split]) != expected:
            raise DatasetError(
                f"{', '.join(map(str, obtained))}: {len(splits[split]):,} texts in {split} where {expected:,} are "
                "expected; is this the official file?"
            )
    try:
        target.mkdir(parents=True, exist_ok=True)
        for split, rows in splits.items():
            ending = (".txt" if split in entry.unlabeled else ".tsv") + (".gz" if entry.compressed else "")
            write_rows(target / f"{split}{ending}", rows)
    except OSError as error:
        raise DatasetError(
            f"cannot write into {target}: {error.strerror}; make room or set {CACHE_VARIABLE} to another folder"
        ) from error


def _obtain(remote: Remote, name: str, entry: Entry, places: Sequence[Path], progress: Progress | None) -> Path:
    """Return a published file: where the user put it, else downloaded."""
    for folder in _folders(name, places):
        path = folder / remote.name
        if path.is_file():
            if remote.sha256 is not None and (found := sha256_of(path)) != remote.sha256:
                raise DatasetError(
                    f"{path} is not the published file: sha256 {found}, expected {remote.sha256}; "
                    "remove it and get it again"
                )
            return path
    if remote.sha256 is None:
        raise DatasetError(_explanation(name, entry, places))
    try:
        return download(remote, places[-1] / name, progress=progress, patience=PATIENCE)
    except DatasetError as error:
        raise DatasetError(f"{error}\n{_explanation(name, entry, places)}") from error


def _explanation(name: str, entry: Entry, places: Sequence[Path]) -> str:
    """Say what was looked for, where, and how to get it."""
    splits = ", ".join(f"{split}.tsv" for split in entry.rows)
    looked = ", ".join(str(folder) for folder in _folders(name, places))
    lines = [f"the data set {name!r} ({entry.source}) was not found: looked for {splits} in {looked}."]
    if entry.files:
        get = " and ".join(f"{remote.name} from {remote.addresses[0]}" for remote in entry.files)
        lines.append(f"Get {get} by hand, put it into {places[-1] / name} as it is, and load again;")
    else:
        lines.append("It has no address to download it from:")
    lines.append(
        f"or write label<TAB>text lines (UTF-8) as {name}/{splits} into a folder and set {DATA_VARIABLE} to it."
    )
    return "\n".join(lines)
