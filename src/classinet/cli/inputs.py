"""What the commands read: texts, labelled texts and saved models, and the options that describe them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from classinet.cli.output import say
from classinet.exceptions import InputError, StorageError

if TYPE_CHECKING:
    from classinet.pipeline import ClassiNetClassifier, TextNet
    from classinet.text import Record, TextFiles
    from classinet.text.readers import Format as Kind

T = TypeVar("T")

FORMATS = ("lines", "tsv", "csv", "jsonl", "parquet", "fasttext")
MOST_HOPS = 10_000  # of `Global`, which is not imported for the sake of one number

Net = Annotated[
    Path, typer.Argument(help="Folder of a net (build) or of a model (train).", metavar="NET", show_default=False)
]
Model = Annotated[Path, typer.Argument(help="Folder of a model (train).", metavar="MODEL", show_default=False)]
Labelled = Annotated[
    str,
    typer.Argument(
        help="File of labelled texts, or - for standard input: label, tab, text unless --format says otherwise.",
        metavar="LABELLED",
        show_default=False,
    ),
]
Texts = Annotated[str, typer.Argument(help="File of texts, or - for standard input.", metavar="FILE|-")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help=f"How files are written: {', '.join(FORMATS)}. Otherwise their names tell.", show_default=False
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text",
        help='Column of the texts: its name, or its number from 0. Otherwise that called "text".',
        show_default=False,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label",
        help='Column of the labels: its name, or its number from 0. Otherwise that called "label" or "labels".',
        show_default=False,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help="What stands between the tags of a text, where it may have several.", show_default=False
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the files.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", show_default=False)]
Seed = Annotated[
    # Folds are drawn by scikit-learn, whose seeds have 32 bits.
    int, typer.Option("--seed", help="Seed of every random choice.", min=0, max=2**32 - 1, metavar="N")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", help="Number of threads; otherwise all cores.", min=1, metavar="N", show_default=False),
]
Work = Annotated[
    Path | None,
    typer.Option(
        "--work",
        help="Directory for finished steps; otherwise beside the net. Removed after success.",
        show_default=False,
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue where an interrupted command was.", show_default=False)
]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Put a new version into the folder if a model is there.", show_default=False),
]


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut a stream into lists of at most so many.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch


def read_texts(
    sources: Iterable[str],
    *,
    format: str | None = None,
    text: str | None = None,
    encoding: str = "utf-8",
    keep_empty: bool = False,
) -> Iterator[str]:
    """Yield the texts of files, one file after the other."""
    from classinet.text import read_records

    for source in sources:
        greet(source)
        for record in read_records(
            source,
            format=checked_format(format),
            text=column(text),
            encoding=encoding,
            keep_empty=keep_empty,
            with_labels=False,
        ):
            yield record.text


def text_files(
    sources: Iterable[str], *, format: str | None = None, text: str | None = None, encoding: str = "utf-8"
) -> TextFiles:
    """Return the same texts as files that others can read as well; standard input is refused."""
    from classinet.text import TextFiles

    return TextFiles(sources, format=checked_format(format), text=column(text), encoding=encoding)


def read_labelled(
    source: str,
    *,
    format: str | None = None,
    text: str | None = None,
    label: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> tuple[list[str], list[Any]]:
    """Return the texts of a file and their labels: one a text, or tuples of tags where a text may have several."""
    from classinet.text import read_records
    from classinet.text.readers import format_of

    greet(source)
    # Lines, which standard input is otherwise, have no labels.
    kind = checked_format(format) or ("tsv" if source == "-" else format_of(source))
    records = list(
        read_records(
            source,
            format=kind,
            text=column(text),
            label=column(label),
            separator=separator,
            encoding=encoding,
        )
    )
    if not records:
        raise InputError(f"{source}: holds no texts")
    texts = [record.text for record in records]
    if separator is not None or any(len(record.labels) > 1 for record in records):
        return texts, [record.labels for record in records]
    for record in records:
        if not record.labels:
            remedy = _remedy(records, kind, named=text is not None or label is not None)
            raise InputError(f"{source}, line {record.line}: has no label; {remedy}")
    return texts, [record.labels[0] for record in records]


def _remedy(records: list[Record], kind: Kind, *, named: bool) -> str:
    """Say what to do about a text without a label; `named` says whether columns were."""
    from classinet.text.readers import COLUMNS_ARE_CUT

    if kind == "lines":
        return "files of lines have none: pass --format tsv, csv or fasttext if this one has"
    if kind == "fasttext":
        return "begin the line with __label__ and its name, or remove it"
    unlabelled = not any(record.labels for record in records)
    if kind in ("tsv", "csv") and unlabelled and not named and ";" in records[0].text:
        return f"the file has one column: {COLUMNS_ARE_CUT}"
    return "name the column with --label, or remove the line"


def load_net(path: Path) -> TextNet:
    """Load a net, or the net of a model."""
    net, _ = load_either(path)
    return net


def load_either(path: Path) -> tuple[TextNet, ClassiNetClassifier | None]:
    """Load a net, or a model and its net."""
    from classinet.persistence import load
    from classinet.pipeline import ClassiNetClassifier

    loaded = load(path)
    return (loaded.text_net_, loaded) if isinstance(loaded, ClassiNetClassifier) else (loaded, None)


def load_model(path: Path, threads: int | None = None) -> ClassiNetClassifier:
    """Load a model, which will predict on so many threads; a net without a classifier is refused."""
    _, model = load_either(path)
    if model is None:
        raise InputError(f"{path}: is a net, which knows no labels yet; run: classinet train {path} LABELLED -o MODEL")
    return model.on_threads(threads or -1)


def check_free(path: Path, *, replace: bool) -> None:
    """Refuse, before any work is done, a place where the result could not be saved."""
    from classinet.persistence import describe

    if not path.parent.is_dir():
        raise StorageError(f"{path.parent}: there is no such folder; create it first")
    if not os.path.lexists(path):
        return
    try:
        describe(path)
    except StorageError as error:
        raise StorageError(
            f"{path}: exists and is no ClassiNet model, so it is not touched; choose another path"
        ) from error
    if not replace:
        raise StorageError(f"{path}: holds a model already; pass --replace to put a new version beside it")


def as_known(labels: list[Any], model: ClassiNetClassifier) -> list[Any]:
    """Give labels of a file, which are strings, the type of the model's classes; strangers stay strings.

    A model of tags gets tuples of tags.
    """
    names = {str(label): label for label in model.classes_.tolist()}
    if not model.head_.multilabel:
        for label in labels:
            if isinstance(label, tuple) and len(label) != 1:
                many = "several labels" if label else "no label"
                raise InputError(f"the file gives a text {many} {label!r}, and this model knows one a text")
        single = [label[0] if isinstance(label, tuple) else label for label in labels]
        return [names.get(label, label) for label in single]
    tags = [label if isinstance(label, tuple) else (label,) for label in labels]
    return [tuple(names.get(tag, tag) for tag in each) for each in tags]


def checked_format(format: str | None) -> Kind | None:
    """Return a known format, or none; anything else is a wrong use of the command."""
    if format is not None and format not in FORMATS:
        raise typer.BadParameter(f"{format!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    return cast("Kind | None", format)


def column(name: str | None) -> str | int | None:
    """Read a column's number as a number.

    >>> column("1"), column("title"), column(None)
    (1, 'title', None)
    """
    return int(name) if name is not None and name.isdecimal() else name


def greet(source: str) -> None:
    """Tell a person who is waited for at the keyboard."""
    if source == "-" and sys.stdin.isatty():
        say("reading texts from the keyboard, one a line; end with Ctrl-D")
