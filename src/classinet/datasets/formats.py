"""Read the files in which the data sets are published, and the one plain layout they are turned into.

Enter: official archives, or ``label<TAB>text`` files. Leave: rows, by split.

The plain layout: UTF-8, one text a line, ``label<TAB>text`` in ``SPLIT.tsv``, the text alone in ``SPLIT.txt`` when it
has no label; either may be gzipped. Archives are never unpacked: members are read by their exact names, into memory, up
to a limit, so that nothing in an archive can choose where a file is written or how large it grows.
"""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias

from classinet._files import whole_file
from classinet.datasets.errors import DatasetError

Row: TypeAlias = tuple[str, str]
Rows: TypeAlias = list[Row]
Converter: TypeAlias = Callable[[Sequence[Path]], dict[str, Rows]]

MAX_MEMBER = 64 << 20
MAX_TOTAL = 1 << 30
# What would break a line of the plain layout in two, or its label from its text.
_BREAKS = re.compile(r"[\t\r\n]+")
_LEAF = re.compile(r"\(\d ([^()]+)\)")
_REVIEW = re.compile(r"aclImdb/(train|test)/(pos|neg|unsup)/(\d+)_\d+\.txt")


def read_rows(path: Path) -> Rows:
    """Read a file of the plain layout.

    Parameters
    ----------
    path : pathlib.Path
        ``*.tsv`` (label, tab, text) or ``*.txt`` (text alone, the label is then empty), or either with ``.gz``.

    Returns
    -------
    list of (str, str)
        Label and text of each line that is not blank.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "all.tsv")
    ...     write_rows(path, [("pos", "a fine film"), ("neg", "a dull one")])
    ...     read_rows(path)
    [('pos', 'a fine film'), ('neg', 'a dull one')]
    """
    labelled = ".tsv" in path.suffixes
    with _damage_named(path):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            text = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise DatasetError(f"{path}, line {number}: not UTF-8 ({error.reason} at byte {error.start})") from error
        if not text.strip():
            continue
        label, tab, rest = text.partition("\t")
        if labelled and not tab:
            raise DatasetError(f"{path}, line {number}: expected label<TAB>text, found no tab in {text[:60]!r}")
        rows.append((label, rest) if labelled else ("", text))
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    r"""Write a file of the plain layout, whole or not at all; the same rows give the same bytes.

    Parameters
    ----------
    path : pathlib.Path
        As in `read_rows`.
    rows : iterable of (str, str)
        Label and text; tabs and line breaks become spaces.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rows(Path(folder, "unsup.txt"), [("", "no label here")])
    ...     Path(folder, "unsup.txt").read_bytes()
    b'no label here\n'
    """
    labelled = ".tsv" in path.suffixes
    lines = (f"{label}\t{_one_line(text)}\n" if labelled else f"{_one_line(text)}\n" for label, text in rows)
    content = "".join(lines).encode("utf-8")
    with whole_file(path, binary=True) as file:
        file.write(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def convert_treebank(files: Sequence[Path]) -> dict[str, Rows]:
    """Read ``trainDevTestTrees_PTB.zip``: whole sentences in lower case, the neutral ones left out.

    Parameters
    ----------
    files : sequence of pathlib.Path
        The archive.

    Returns
    -------
    dict
        Rows labelled ``pos`` or ``neg``, by split.

    Examples
    --------
    >>> sentence_of_tree("(3 (2 It) (4 (2 's) (4 fun)))")
    ('3', "It 's fun")
    """
    splits = {}
    for split in ("train", "dev", "test"):
        (content,) = _zip_members(files[0], [f"trees/{split}.txt"])
        trees = [sentence_of_tree(line) for line in _lines(content.decode("utf-8"))]
        names = {"0": "neg", "1": "neg", "3": "pos", "4": "pos"}
        splits[split] = [(names[grade], text.lower()) for grade, text in trees if grade in names]
    return splits


def sentence_of_tree(tree: str) -> Row:
    """Return the grade (``"0"`` to ``"4"``) and the sentence of a tree in Penn Treebank brackets.

    Parameters
    ----------
    tree : str
        One line.

    Returns
    -------
    (str, str)

    Examples
    --------
    >>> sentence_of_tree("(1 (2 Not) (1 (1 good) (2 .)))")
    ('1', 'Not good .')
    """
    leaves = _LEAF.findall(tree)
    if not re.match(r"\([0-4] ", tree) or not leaves:
        raise DatasetError(f"not a sentiment tree: {tree[:60]!r}")
    return tree[1], " ".join(leaves)


def convert_polarity(files: Sequence[Path]) -> dict[str, Rows]:
    """Read ``rt-polaritydata.tar.gz``: sentences of film reviews, positive ones first."""
    return _two_files(_tar_members, files[0], "rt-polaritydata/rt-polarity.{}", {"pos": "pos", "neg": "neg"})


def convert_subjectivity(files: Sequence[Path]) -> dict[str, Rows]:
    """Read ``rotten_imdb.tar.gz``: review quotes are subjective, plot sentences objective."""
    return _two_files(_tar_members, files[0], "{}.tok.gt9.5000", {"subjective": "quote", "objective": "plot"})


def convert_customer(files: Sequence[Path]) -> dict[str, Rows]:
    """Read the customer reviews of ``datasmall_NB_ACL12.zip``, positive ones first."""
    return _two_files(_zip_members, files[0], "data/customerr/custrev.{}", {"pos": "pos", "neg": "neg"})


def convert_questions(files: Sequence[Path]) -> dict[str, Rows]:
    """Read ``train_5500.label`` and ``TREC_10.label``; the label is the coarse class, the part before the colon."""
    splits = {}
    for split, path in zip(("train", "test"), files, strict=True):
        rows = []
        for number, line in enumerate(_lines(path.read_bytes().decode("latin-1")), start=1):
            fine, _, text = line.partition(" ")
            coarse, colon, _ = fine.partition(":")
            if not colon or not text:
                raise DatasetError(f"{path}, line {number}: expected CLASS:subclass question, found {line[:60]!r}")
            rows.append((coarse, text))
        splits[split] = rows
    return splits


def convert_reviews(files: Sequence[Path]) -> dict[str, Rows]:
    """Read ``aclImdb_v1.tar.gz``: one review a file, in the order of their numbers; HTML breaks become spaces."""
    found: dict[tuple[str, str, int], str] = {}
    total = 0
    with _damage_named(files[0]), tarfile.open(files[0], "r|gz") as archive:
        for member in archive:
            name = _REVIEW.fullmatch(member.name.removeprefix("./"))
            if name is None or not member.isfile():
                continue
            content = _limited(archive.extractfile(member), files[0], member.name)
            total += len(content)
            if total > MAX_TOTAL:
                raise DatasetError(f"{files[0]}: its reviews are larger than {MAX_TOTAL:,} bytes together")
            text = " ".join(content.decode("utf-8").replace("<br />", " ").split())
            found[name[1], name[2], int(name[3])] = text
    splits: dict[str, Rows] = {"train": [], "test": [], "unsup": []}
    for kind in ("pos", "neg", "unsup"):
        for split in ("train", "test"):
            numbers = sorted(number for a, b, number in found if (a, b) == (split, kind))
            label, place = ("", "unsup") if kind == "unsup" else (kind, split)
            splits[place] += [(label, found[split, kind, number]) for number in numbers]
    return splits


def _two_files(
    members: Callable[[Path, Sequence[str]], list[bytes]], archive: Path, pattern: str, names: dict[str, str]
) -> dict[str, Rows]:
    """Read an archive with one file of lines for each label."""
    contents = members(archive, [pattern.format(name) for name in names.values()])
    rows = []
    for label, content in zip(names, contents, strict=True):
        rows += [(label, line) for line in _lines(_western(content))]
    return {"all": rows}


def _western(content: bytes) -> str:
    """Decode bytes of undeclared encoding; their dashes and quotes show that they were written as Windows-1252."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


def _zip_members(path: Path, names: Sequence[str]) -> list[bytes]:
    with _damage_named(path), zipfile.ZipFile(path) as archive:
        present = set(archive.namelist())
        for name in names:
            if name not in present:
                raise DatasetError(f"{path} holds no {name}; is it the official archive?")
        contents = []
        for name in names:
            with archive.open(name) as member:
                contents.append(_limited(member, path, name))
        return contents


def _tar_members(path: Path, names: Sequence[str]) -> list[bytes]:
    found: dict[str, bytes] = {}
    with _damage_named(path), tarfile.open(path, "r|gz") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if name in names and member.isfile():
                found[name] = _limited(archive.extractfile(member), path, name)
    for name in names:
        if name not in found:
            raise DatasetError(f"{path} holds no {name}; is it the official archive?")
    return [found[name] for name in names]


def _limited(member: IO[bytes] | None, path: Path, name: str) -> bytes:
    """Read a member, but not one that claims or turns out to be absurdly large."""
    content = b"" if member is None else member.read(MAX_MEMBER + 1)
    if len(content) > MAX_MEMBER:
        raise DatasetError(f"{path}: {name} is larger than {MAX_MEMBER:,} bytes")
    return content


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn what the archive readers raise into one error that names the file."""
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} is damaged ({error}); remove it and get it again") from error
    except (OSError, RuntimeError) as error:  # zipfile raises the latter for a password or an unknown compression
        raise DatasetError(f"{path} cannot be read ({error})") from error
