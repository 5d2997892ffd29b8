"""Files of texts become records, one after the other, whatever the format.

Enter: a path, "-" for standard input, or an open binary file. Leave: `Record`s, read as they are asked for, so that a
file larger than memory is no trouble. Each format is one function from lines to records; what cannot be read stops with
file, line and remedy.

=========== =====================================================================================================
format      one record is
=========== =====================================================================================================
"lines"     a line; empty lines are passed over
"tsv"       a line of cells between tabs, nothing quoted
"csv"       a row of cells as in RFC 4180: quoted where needed, quotes doubled
"jsonl"     a line with a JSON object; several labels are a list
"parquet"   a row; several labels are a list (`pip install "classinets[parquet]"`)
"fasttext"  a line that begins with any number of `__label__x`
=========== =====================================================================================================
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, TypeAlias, cast, get_args

from classinet._optional import optional_import
from classinet._validation import check_choice
from classinet.exceptions import InputError, ParameterError
from classinet.text.streams import STDIN, Source, check_encoding, opened, read_lines, source_name

Format = Literal["lines", "tsv", "csv", "jsonl", "parquet", "fasttext"]
Column: TypeAlias = str | int | None

_BY_SUFFIX: dict[str, Format] = {
    ".txt": "lines",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_FASTTEXT_LABELS = re.compile(r"(?:\s*+__label__\S++)*+\s*+")
_PARQUET_ROWS = 4096
_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True)
class Record:
    """One text of a file, its labels (none, one or several), and its line, or row in Parquet, counted from 1."""

    text: str
    labels: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class _Fields:
    """Where texts and labels stand, as the caller said it."""

    name: str
    text: Column
    label: Column
    separator: str | None

    def error(self, line: int, problem: str) -> InputError:
        return InputError(f"{self.name}, line {line}: {problem}")

    def labels(self, value: object, line: int) -> tuple[str, ...]:
        """Labels of one cell: none if it is empty, several if it is a list or a separator is set."""
        if value is None or value == "":
            return ()
        if isinstance(value, list | tuple):
            return tuple(label for one in value for label in self.labels(one, line))
        if isinstance(value, dict):
            raise self.error(line, "a label is a string, a number or a list of them, not an object")
        if self.separator is None:
            return (str(value),)
        return tuple(label for part in str(value).split(self.separator) if (label := part.strip()))


def read_records(
    source: Source,
    *,
    format: Format | None = None,
    text: Column = None,
    label: Column = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    keep_empty: bool = False,
) -> Iterator[Record]:
    r"""Read texts, with their labels if there are any, one at a time.

    Parameters
    ----------
    source : path, "-" or open binary file
        Where to read; "-" is standard input. Gzip is unpacked whatever the name (Parquet has its own compression).
    format : {"lines", "tsv", "csv", "jsonl", "parquet", "fasttext"}, optional
        By default from the name of the file: .txt .tsv .csv .jsonl .ndjson .parquet, and the same with .gz; "lines" for
        standard input.
    text, label : str or int, optional
        Column (or JSON field) of the texts and of the labels: a name, which means that a table begins with a header, or
        a number counted from 0. A table in which neither is said has one column (the text) or two (label, text), and
        a header only if that names its columns "text" and "label". JSON and Parquet are searched for "text" and
        "label" or "labels". If only `text` is said, no labels are read.
    separator : str, optional
        What stands between several labels in one cell, such as "," or "|". By default a cell is one label.
    encoding : str, default "utf-8"
        Encoding of the file. A byte order mark is left out.
    keep_empty : bool, default False
        Whether an empty line of the format "lines" is an empty text, so that answers stay in step with the lines.

    Yields
    ------
    Record
        An empty text in a table is kept; an empty label cell means no label.

    Raises
    ------
    InputError
        The file cannot be read or is not what it should be; the message says where. Nothing is guessed or replaced.

    Examples
    --------
    >>> import io
    >>> for record in read_records(io.BytesIO(b"pos\ta fine film\nneg\tdull\n"), format="tsv"):
    ...     print(record)
    Record(text='a fine film', labels=('pos',), line=1)
    Record(text='dull', labels=('neg',), line=2)
    >>> file = io.BytesIO(b'stars,review,tags\n5,"good, cheap",food|drink\n')
    >>> next(read_records(file, format="csv", text="review", label="tags", separator="|"))
    Record(text='good, cheap', labels=('food', 'drink'), line=2)
    """
    kind = _format_of(source) if format is None else format
    check_choice("format", kind, get_args(Format))
    check_encoding(encoding)
    _check_columns(kind, text, label)
    if separator == "":
        raise ParameterError("separator must be None or a string that is not empty")
    fields = _Fields(source_name(source), text, label, separator)
    if kind == "parquet":
        return _read_parquet(source, fields)
    lines = read_lines(source, encoding)
    return _read_plain(lines, fields, keep_empty) if kind == "lines" else _READERS[kind](lines, fields)


def _format_of(source: Source) -> Format:
    if source == STDIN:
        return "lines"
    path = source if isinstance(source, str | os.PathLike) else getattr(source, "name", "")
    name = PurePath(path).name.lower() if isinstance(path, str | os.PathLike) else ""
    suffix = PurePath(name.removesuffix(".gz")).suffix
    if suffix not in _BY_SUFFIX:
        raise ParameterError(
            f"the format of {source_name(source)} cannot be told from its name ({' '.join(_BY_SUFFIX)}, also with "
            f".gz); pass format=, one of {', '.join(map(repr, get_args(Format)))}"
        )
    return _BY_SUFFIX[suffix]


def _check_columns(kind: Format, text: Column, label: Column) -> None:
    for name, column in (("text", text), ("label", label)):
        if column is None:
            continue
        if kind in ("lines", "fasttext"):
            raise ParameterError(f"{name}={column!r} names a column, but the format {kind!r} has none")
        if isinstance(column, bool) or not isinstance(column, str | int) or (isinstance(column, int) and column < 0):
            raise ParameterError(f"{name} must be the name of a column or its number counted from 0, got {column!r}")
        if kind == "jsonl" and isinstance(column, int):
            raise ParameterError(f"{name}={column} is a number, but JSON has named fields")


# One function a format.


def _read_plain(lines: Iterator[str], fields: _Fields, keep_empty: bool = False) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if keep_empty or line.strip():
            yield Record(line.removesuffix("\r"), (), number)


def _read_fasttext(lines: Iterator[str], fields: _Fields) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            # The pattern matches every line, if only with nothing.
            head = cast("re.Match[str]", _FASTTEXT_LABELS.match(line))[0]
            labels = tuple(label.removeprefix("__label__") for label in head.split())
            yield Record(line[len(head) :].removesuffix("\r"), labels, number)


def _read_jsonl(lines: Iterator[str], fields: _Fields) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise fields.error(number, f"not JSON: {error.msg} at column {error.colno}") from error
        except (ValueError, RecursionError) as error:
            raise fields.error(number, f"JSON that cannot be read: {error}") from error
        if not isinstance(value, dict):
            raise fields.error(number, f"a line must be a JSON object with a text, not {type(value).__name__}")
        text_field, label_field = _named_columns(list(value), fields, number, "fields")
        text = value[text_field]
        if not isinstance(text, str):
            raise fields.error(number, f"the field {text_field!r} must be a string, not {type(text).__name__}")
        if "\\u" in line and re.search("[\ud800-\udfff]", text):
            raise fields.error(number, "the text holds half a surrogate pair, which is no character")
        labels = fields.labels(value[label_field], number) if label_field is not None else ()
        yield Record(text, labels, number)


def _read_tsv(lines: Iterator[str], fields: _Fields) -> Iterator[Record]:
    rows = ((number, line.removesuffix("\r").split("\t")) for number, line in enumerate(lines, 1))
    return _from_table((row for row in rows if row[1] != [""]), fields)


def _read_csv(lines: Iterator[str], fields: _Fields) -> Iterator[Record]:
    # The module's limit for a cell guards programs that hold many rows; a long text is no mistake here.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    rows = csv.reader((f"{line}\n" for line in lines), strict=True)

    def numbered() -> Iterator[tuple[int, list[str]]]:
        while True:
            first_line = rows.line_num + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                raise fields.error(
                    first_line, f"{error}; in CSV a cell with commas, quotes or line breaks is quoted, quotes doubled"
                ) from error
            if row:
                yield first_line, row

    return _from_table(numbered(), fields)


def _from_table(rows: Iterator[tuple[int, list[str]]], fields: _Fields) -> Iterator[Record]:
    """Take texts and labels from rows of cells; the first row may be a header and sets the number of columns."""
    first = next(rows, None)
    if first is None:
        return
    number, cells = first
    has_header, text_column, label_column = _table_columns(cells, fields, number)

    def record(number: int, row: list[str]) -> Record:
        if len(row) != len(cells):
            raise fields.error(number, f"{len(row)} columns, where line {first[0]} has {len(cells)}")
        labels = () if label_column is None else fields.labels(row[label_column], number)
        return Record(row[text_column], labels, number)

    if not has_header:
        yield record(number, cells)
    for number, row in rows:
        yield record(number, row)


def _table_columns(cells: list[str], fields: _Fields, line: int) -> tuple[bool, int, int | None]:
    """Return whether the first row is a header, and the columns of texts and labels."""
    text, label = fields.text, fields.label
    if text is None and label is None:
        names = [cell.strip().lower() for cell in cells]
        if sorted(names) in (["text"], ["label", "text"], ["labels", "text"]):
            at = names.index("text")
            return True, at, (1 - at if len(names) == 2 else None)
        if len(cells) > 2:
            raise fields.error(line, f"{len(cells)} columns ({_listed(cells)}); say which holds the texts: text=...")
        return False, len(cells) - 1, (0 if len(cells) == 2 else None)
    if isinstance(text, str) or isinstance(label, str):
        text_name, label_name = _named_columns(cells, fields, line, "columns")
        return True, cells.index(text_name), (None if label_name is None else cells.index(label_name))
    if text is None:
        if len(cells) != 2:
            raise fields.error(line, f"{len(cells)} columns; say which holds the texts: text=...")
        text = 1 - label if label in (0, 1) else 0
    for column in (text, label):
        if isinstance(column, int) and column >= len(cells):
            raise fields.error(line, f"there is no column {column}, only 0 to {len(cells) - 1}")
    return False, text, label


def _read_parquet(source: Source, fields: _Fields) -> Iterator[Record]:
    parquet = optional_import("pyarrow.parquet", "classinets[parquet]")
    arrow = optional_import("pyarrow", "classinets[parquet]")
    if source == STDIN:
        raise InputError("Parquet is read from its end, so it cannot come from standard input; name the file")
    with opened(source) as file:
        try:
            table = parquet.ParquetFile(file)
            text, label = _named_columns(list(table.schema_arrow.names), fields, 0, "columns")
            columns = [text] if label is None else [text, label]
            number = 0
            for batch in table.iter_batches(_PARQUET_ROWS, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    value = row[text]
                    if not isinstance(value, str):
                        raise fields.error(number, f"the column {text!r} must be a string, not {type(value).__name__}")
                    yield Record(value, () if label is None else fields.labels(row[label], number), number)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"{fields.name} cannot be read as Parquet: {error}") from error


def _named_columns(names: list[str], fields: _Fields, line: int, what: str) -> tuple[str, str | None]:
    """Return the names of the text and the label column; those not said are looked for under their usual names."""

    def find(column: Column, usual: tuple[str, ...]) -> str | None:
        if column is None:
            return next((name for name in usual if name in names), None)
        if isinstance(column, int) and column < len(names):
            return names[column]
        if column in names:
            return column
        place = f"{fields.name}, line {line}" if line else fields.name
        raise InputError(f"{place}: no {what[:-1]} {column!r}; there are the {what} {_listed(names)}")

    text = find("text" if fields.text is None else fields.text, ())
    label = find(fields.label, ("label", "labels") if fields.text is None else ())
    return cast(str, text), label


def _listed(names: list[str]) -> str:
    shown = [repr(name if len(name) <= 30 else f"{name[:30]}…") for name in names[:20]]
    return ", ".join(shown) + (", …" if len(names) > 20 else "")


_READERS: dict[Format, Callable[[Iterator[str], _Fields], Iterator[Record]]] = {
    "lines": _read_plain,
    "tsv": _read_tsv,
    "csv": _read_csv,
    "jsonl": _read_jsonl,
    "fasttext": _read_fasttext,
}
