"""Files of texts become records, one after the other, whatever the format.

Enter: a path, "-" for standard input, or an open binary file. Leave: `Record`s, read as they are asked for, so that a
file larger than memory is no trouble. Each format is one function from lines to records; what cannot be read stops with
file, line and remedy.

=========== =====================================================================================================
format      one record is
=========== =====================================================================================================
"lines"     a line; empty lines are passed over, unless they are to be kept
"tsv"       a line of cells between tabs, nothing quoted
"csv"       a row of cells as in RFC 4180: quoted where needed, quotes doubled
"jsonl"     a line with a JSON object; several labels are a list
"parquet"   a row; several labels are a list (`pip install "classinets[parquet]"`)
"fasttext"  a line that begins with any number of `__label__x`
=========== =====================================================================================================
"""

from __future__ import annotations

import csv
import errno
import json
import math
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
COLUMNS_ARE_CUT = "columns are separated by commas in CSV and by tabs in TSV, not by semicolons"
_USUAL_TEXT, _USUAL_LABELS = "text", ("label", "labels")
# Two of these in the first line are hardly a label and its text.
_HEADER_WORDS = frozenset(
    (
        "body", "category", "class", "comment", "content", "description", "document", "id", "intent", "message", "name",
        "question", "review", "sentence", "sentiment", "subject", "tag", "tags", "target", "title", "topic", "tweet",
    )
)  # fmt: skip


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
    with_labels: bool = True

    def error(self, line: int, problem: str) -> InputError:
        return InputError(f"{self.name}, line {line}: {problem}")

    def labels(self, value: object, line: int) -> tuple[str, ...]:
        """Labels of one cell: none if it is empty, several if it is a list or a separator is set."""
        if value is None or not self.with_labels:
            return ()
        if isinstance(value, list | tuple):
            return tuple(label for one in value for label in self.labels(one, line))
        if isinstance(value, dict):
            raise self.error(line, "a label is a string, a number or a list of them, not an object")
        if isinstance(value, float) and math.isnan(value):
            raise self.error(line, "the label is NaN, which is no class; write null where a text has none")
        parts = [str(value)] if self.separator is None else str(value).split(self.separator)
        return tuple(label for part in parts if (label := part.strip()))


def read_records(
    source: Source,
    *,
    format: Format | None = None,
    text: Column = None,
    label: Column = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    keep_empty: bool = False,
    with_labels: bool = True,
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
        a number counted from 0, which means that it does not, unless the columns so numbered are headed "text" and
        "label" or "labels". Spaces around names do not matter.

        Where neither is said, a first line with a cell "text" is the header of a table, of any number of columns; the
        labels are in the column "label" or "labels", if there is one. A table without such a header has one column
        (the text) or two (label, text). What reads like another header is refused: name its columns, or number them
        if it is none. JSON and Parquet are searched for "text" and "label" or "labels".

        If only `text` is said, labels are looked for under their usual names as well.
    separator : str, optional
        What stands between several labels in one cell, such as "," or "|". By default a cell is one label. Spaces
        around a label are left out.
    encoding : str, default "utf-8"
        Encoding of the file. A byte order mark is left out.
    keep_empty : bool, default False
        Whether an empty line is an empty text, so that answers stay in step with the lines: in the format "lines" and
        in tables of one column, below the header if there is one. Tables of several columns, JSON and fastText's
        format pass over empty lines.
    with_labels : bool, default True
        Whether to read labels. If not, there are none, and what is wrong with them is no trouble.

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
    kind = format_of(source) if format is None else format
    check_choice("format", kind, get_args(Format))
    check_encoding(encoding)
    _check_columns(kind, text, label)
    if separator == "":
        raise ParameterError("separator must be None or a string that is not empty")
    fields = _Fields(source_name(source), text, label, separator, with_labels)
    if kind == "parquet":
        return _read_parquet(source, fields)
    lines = read_lines(source, encoding)
    if kind in _IN_STEP:
        return _IN_STEP[kind](lines, fields, keep_empty)
    return _READERS[kind](lines, fields)


def format_of(source: Source) -> Format:
    """Tell the format of a source from its name; standard input is lines.

    >>> format_of("folder/reviews.csv.gz"), format_of("-")
    ('csv', 'lines')
    """
    if source == STDIN:
        return "lines"
    path = source if isinstance(source, str | os.PathLike) else getattr(source, "name", "")
    name = PurePath(path).name.lower() if isinstance(path, str | os.PathLike) else ""
    suffix = PurePath(name.removesuffix(".gz")).suffix
    if suffix not in _BY_SUFFIX:
        if isinstance(source, str | os.PathLike) and not os.path.exists(source):
            raise InputError(f"{source_name(source)} cannot be read: {os.strerror(errno.ENOENT)}")
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


def _read_plain(lines: Iterator[str], fields: _Fields, keep_empty: bool) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if keep_empty or line.strip():
            yield Record(line.removesuffix("\r"), (), number)


def _read_fasttext(lines: Iterator[str], fields: _Fields) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            # The pattern matches every line, if only with nothing.
            head = cast("re.Match[str]", _FASTTEXT_LABELS.match(line))[0]
            labels = tuple(label.removeprefix("__label__") for label in head.split())
            yield Record(line[len(head) :].removesuffix("\r"), labels if fields.with_labels else (), number)


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


def _read_tsv(lines: Iterator[str], fields: _Fields, keep_empty: bool) -> Iterator[Record]:
    cut = (line.removesuffix("\r").split("\t") for line in lines)
    return _from_table(((number, [] if row == [""] else row) for number, row in enumerate(cut, 1)), fields, keep_empty)


def _read_csv(lines: Iterator[str], fields: _Fields, keep_empty: bool) -> Iterator[Record]:
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
            yield first_line, row

    return _from_table(numbered(), fields, keep_empty)


def _from_table(rows: Iterator[tuple[int, list[str]]], fields: _Fields, keep_empty: bool) -> Iterator[Record]:
    """Take texts and labels from rows of cells, none in an empty line.

    The first row that is not empty may be a header and sets the number of columns.
    """
    empty: list[int] = []  # lines before the first row, which says whether they are texts
    first, cells = 0, list[str]()
    for first, cells in rows:
        if cells:
            break
        empty.append(first)
    has_header, text_column, label_column = _table_columns(cells, fields, first) if cells else (False, 0, None)
    in_step = keep_empty and len(cells) <= 1
    if in_step and not has_header:
        yield from (Record("", (), number) for number in empty)
    if not cells:
        return

    def record(number: int, row: list[str]) -> Record:
        if len(row) != len(cells):
            hint = f"; {COLUMNS_ARE_CUT}" if len(cells) == 1 and ";" in cells[0] else ""
            raise fields.error(number, f"{len(row)} columns, where line {first} has {len(cells)}{hint}")
        labels = () if label_column is None else fields.labels(row[label_column], number)
        return Record(row[text_column], labels, number)

    if not has_header:
        yield record(first, cells)
    for number, row in rows:
        if row:
            yield record(number, row)
        elif in_step:
            yield Record("", (), number)


def _table_columns(cells: list[str], fields: _Fields, line: int) -> tuple[bool, int, int | None]:
    """Return whether the first row is a header, and the columns of texts and labels."""
    text, label = fields.text, fields.label
    names = [cell.strip().lower() for cell in cells]
    usual_label = next((names.index(name) for name in _USUAL_LABELS if name in names), None)
    if text is None and label is None:
        if _USUAL_TEXT in names:
            return True, names.index(_USUAL_TEXT), usual_label
        _refuse_other_headers(cells, names, fields, line)
        return False, len(cells) - 1, (0 if len(cells) == 2 else None)
    if isinstance(text, str) or isinstance(label, str):
        at = _place_of(_USUAL_TEXT if text is None else text, cells, fields, line, "columns")
        if label is not None:
            return True, at, _place_of(label, cells, fields, line, "columns")
        return True, at, (None if usual_label == at else usual_label)
    if text is None:
        if len(cells) != 2:
            raise fields.error(line, f"{len(cells)} columns; say which holds the texts: text=...")
        text = 1 - label if label in (0, 1) else 0
    for column in (text, label):
        if isinstance(column, int) and column >= len(cells):
            raise fields.error(line, f"there is no column {column}, only 0 to {len(cells) - 1}")
    if names[text] != _USUAL_TEXT:
        return False, text, label
    return (True, text, usual_label) if label is None else (names[label] in _USUAL_LABELS, text, label)


def _refuse_other_headers(cells: list[str], names: list[str], fields: _Fields, line: int) -> None:
    """Refuse a first row in which nothing is headed "text", where that leaves open which column holds the texts."""
    if any(name in _USUAL_LABELS for name in names):
        raise fields.error(
            line,
            f"the columns are {_listed(cells)}, and none is called 'text'; name the one with the texts, text=..., or "
            "number it from 0 if this line is no header",
        )
    if len(cells) > 2:
        raise fields.error(line, f"{len(cells)} columns ({_listed(cells)}); say which holds the texts: text=...")
    if len(cells) == 2 and _HEADER_WORDS.issuperset(names):
        raise fields.error(
            line,
            f"{_listed(cells)} reads like a header; name the columns of texts and labels, text=... and label=..., or "
            "number them from 0 if this line is none",
        )


def _read_parquet(source: Source, fields: _Fields) -> Iterator[Record]:
    parquet = optional_import("pyarrow.parquet", "classinets[parquet]")
    arrow = optional_import("pyarrow", "classinets[parquet]")
    if source == STDIN:
        raise InputError("Parquet is read from its end, so it cannot come from standard input; name the file")
    with opened(source) as file:
        try:
            table = parquet.ParquetFile(file)
            text, label = _named_columns(list(table.schema_arrow.names), fields, 0, "columns")
            label = label if fields.with_labels else None
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
    text = names[_place_of(_USUAL_TEXT if fields.text is None else fields.text, names, fields, line, what)]
    if fields.label is not None:
        return text, names[_place_of(fields.label, names, fields, line, what)]
    return text, next((name for name in _USUAL_LABELS if name in names and name != text), None)


def _place_of(column: str | int, names: list[str], fields: _Fields, line: int, what: str) -> int:
    """Return where a column stands among the names; only a name that is not there as it is may differ in spaces."""
    if isinstance(column, int) and column < len(names):
        return column
    if column in names:
        return names.index(column)
    bare = [name.strip() for name in names]
    if isinstance(column, str) and column.strip() in bare:
        return bare.index(column.strip())
    place = f"{fields.name}, line {line}" if line else fields.name
    raise InputError(f"{place}: no {what[:-1]} {column!r}; there are the {what} {_listed(names)}")


def _listed(names: list[str]) -> str:
    shown = [repr(name if len(name) <= 30 else f"{name[:30]}…") for name in names[:20]]
    return ", ".join(shown) + (", …" if len(names) > 20 else "")


_READERS: dict[Format, Callable[[Iterator[str], _Fields], Iterator[Record]]] = {
    "jsonl": _read_jsonl,
    "fasttext": _read_fasttext,
}
# Formats in which an empty line may be an empty text.
_IN_STEP: dict[Format, Callable[[Iterator[str], _Fields, bool], Iterator[Record]]] = {
    "lines": _read_plain,
    "tsv": _read_tsv,
    "csv": _read_csv,
}
