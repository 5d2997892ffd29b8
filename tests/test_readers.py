"""Files of texts: what is written is read, and what cannot be read says where and why."""

import codecs
import csv
import gzip
import io
import json
import random
import sys
import types

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from classinet.cli.inputs import read_texts
from classinet.exceptions import InputError, MissingExtraError, ParameterError
from classinet.text import Record, TextFiles, read_records
from classinet.text import streams as streams_module


def read(data, format="lines", **options):
    return list(read_records(io.BytesIO(data), format=format, **options))


def pairs(records):
    return [(record.text, record.labels) for record in records]


# Known answers, one format after the other


def test_lines():
    assert read(b"one\r\n\n  \ntwo \x0b\xc2\x85\xe2\x80\xa8 end\nthree") == [
        Record("one", (), 1),
        Record("two \x0b\x85\u2028 end", (), 4),
        Record("three", (), 5),
    ]
    assert read(b"") == []


def test_tsv_of_labels_and_texts_holds_quotes_as_they_are():
    expected = [Record('a "fine" film', ("pos",), 1), Record("", ("neg",), 2), Record("dull", (), 4)]
    assert read(b'pos\ta "fine" film\r\nneg\t\n\n\tdull\n', "tsv") == expected


def test_tsv_of_one_column_is_texts():
    assert read(b"one\ntwo\n", "tsv") == [Record("one", (), 1), Record("two", (), 2)]


def test_csv_quoting_and_line_numbers():
    data = b'pos,"a ""fine"", long\r\nfilm"\r\nneg,""\r\n\r\npos,"last"'
    assert read(data, "csv") == [
        Record('a "fine", long\r\nfilm', ("pos",), 1),
        Record("", ("neg",), 3),
        Record("last", ("pos",), 5),
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"text": "review", "label": "tags"}, ("good", ("food | drink",))),
        ({"text": "review", "label": "tags", "separator": "|"}, ("good", ("food", "drink"))),
        ({"text": "review"}, ("good", ())),
        ({"text": "review", "label": 0}, ("good", ("5",))),
        ({"text": 1, "label": "id"}, ("good", ("5",))),
    ],
)
def test_columns_by_name(options, expected):
    assert pairs(read(b"id,review,tags\n5,good,food | drink\n", "csv", **options)) == [expected]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"text": 2, "label": 0}, ("c", ("a",))),
        ({"text": 1}, ("b", ())),
    ],
)
def test_columns_by_number_mean_no_header(options, expected):
    assert pairs(read(b"a\tb\tc\n", "tsv", **options)) == [expected]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"text": 1, "label": 0}, [("good", ("pos",))]),
        ({"text": 1}, [("good", ("pos",))]),
        ({"label": 0}, [("good", ("pos",))]),
        ({"text": 0}, [("labels", ()), ("pos", ())]),
        ({"text": 1, "label": 1}, [(" Text", ("Text",)), ("good", ("good",))]),
    ],
)
def test_a_usual_header_is_seen_though_columns_are_numbered(options, expected):
    assert pairs(read(b"labels, Text\npos,good\n", "csv", **options)) == expected


def test_the_other_of_two_columns_is_the_text():
    assert pairs(read(b"a,b\n", "csv", label=1)) == [("a", ("b",))]
    assert pairs(read(b"a,b\n", "csv", label=0)) == [("b", ("a",))]


@pytest.mark.parametrize("header", [b"label,text", b"Labels,Text"])
def test_a_header_of_usual_names_is_recognised(header):
    assert read(header + b"\npos,good\n", "csv") == [Record("good", ("pos",), 2)]


def test_a_usual_header_may_come_in_any_order():
    assert pairs(read(b"text\tlabel\ngood\tpos\n", "tsv")) == [("good", ("pos",))]
    assert pairs(read(b"text\ngood\n", "tsv")) == [("good", ())]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"id,Text,label\n7,good,pos\n", ("good", ("pos",))),
        (b"labels,id, text\npos,7,good\n", ("good", ("pos",))),
        (b"text,stars\ngood,5\n", ("good", ())),
        (b"text,stars,day\ngood,5,Monday\n", ("good", ())),
    ],
)
def test_a_header_with_a_text_says_where_all_is(data, expected):
    for format, table in (("csv", data), ("tsv", data.replace(b",", b"\t"))):
        assert pairs(read(table, format)) == [expected]


def test_labels_are_found_by_their_usual_name_where_only_the_text_is_said():
    table = b"id,review,Label\n7,good,pos\n"
    assert pairs(read(table, "csv", text="review")) == [("good", ("pos",))]
    assert pairs(read(table, "csv", text="review", label="id")) == [("good", ("7",))]
    assert pairs(read(table, "csv", text="Label")) == [("pos", ())]
    assert pairs(read(parquet_bytes(body=["a"], label=["x"]), "parquet", text="body")) == [("a", ("x",))]


def test_spaces_around_names_of_columns_and_labels_do_not_matter():
    table = b"label, text\n pos , good\n  ,dull\n"
    for options in ({}, {"text": "text"}, {"text": "text", "label": "label"}, {"label": " label "}):
        assert pairs(read(table, "csv", **options)) == [(" good", ("pos",)), ("dull", ())]
    assert pairs(read(b'{"text": "a", "label": [" x ", " "]}', "jsonl")) == [("a", ("x",))]
    assert pairs(read(b"a, a\n1,2\n", "csv", text=" a", label="a")) == [("2", ("1",))]  # as written, if it is


def test_labels_that_are_not_wanted_are_no_trouble():
    for label in ("NaN", '{"b": 1}', '"x"'):
        data = b'{"text": "a", "label": %s}' % label.encode()
        assert pairs(read(data, "jsonl", with_labels=False)) == [("a", ())]
    assert pairs(read(b"__label__x a", "fasttext", with_labels=False)) == [("a", ())]
    assert pairs(read(b"x,a\n", "csv", with_labels=False)) == [("a", ())]
    data = parquet_bytes(text=["a"], label=[{"b": 1}])
    assert pairs(read(data, "parquet", with_labels=False)) == [("a", ())]


def test_commands_and_builds_that_need_no_labels_read_none(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "a", "label": {"b": 1}}\n{"body": "c", "label": NaN}\n', encoding="utf-8")
    assert list(TextFiles([path], text="body")) == ["a", "c"]
    assert list(read_texts([str(path)], text="body")) == ["a", "c"]


@pytest.mark.parametrize("format", ["tsv", "csv"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_empty_lines_of_one_column_may_be_texts(format, end):
    def lines(*texts, keep_empty=True):
        found = read(end.join(texts) + end, format, keep_empty=keep_empty)
        return [(record.text, record.line) for record in found]

    assert lines(b"", b"", b"a", b"", b"b", b"") == [("", 1), ("", 2), ("a", 3), ("", 4), ("b", 5), ("", 6)]
    assert lines(b"", b"text", b"", b"b") == [("", 3), ("b", 4)]
    assert lines(b"", b"") == [("", 1), ("", 2)]
    assert lines(b"", b"a", b"", b"b", keep_empty=False) == [("a", 2), ("b", 4)]
    assert lines(b"", keep_empty=False) == []
    two = b"x\ty" if format == "tsv" else b"x,y"
    assert lines(b"", two, b"", two) == [("y", 2), ("y", 4)]


def test_jsonl():
    lines = [
        {"text": "a\nb", "label": "x"},
        {"text": "", "labels": ["x", "y"]},
        {"text": "c", "label": 3, "more": {}},
        {"text": "d", "label": None},
        {"text": "e"},
        {"text": "\U0001f44d", "label": []},
    ]
    data = "\r\n\r\n".join(map(json.dumps, lines)).encode()
    assert pairs(read(data, "jsonl")) == [
        ("a\nb", ("x",)),
        ("", ("x", "y")),
        ("c", ("3",)),
        ("d", ()),
        ("e", ()),
        ("\U0001f44d", ()),
    ]
    assert read(data, "jsonl")[1].line == 3
    row = b'{"body": "b", "tags": "x,y", "label": "no"}'
    assert pairs(read(row, "jsonl", text="body", label="tags", separator=",")) == [("b", ("x", "y"))]
    assert pairs(read(row, "jsonl", text="body")) == [("b", ("no",))]
    assert pairs(read(row, "jsonl", text="label")) == [("no", ())]  # a text is not its own label


def test_fasttext():
    data = b"__label__a __label__b good film \n\nno label __label__c\n__label__d\r\n__label__ x\n"
    assert read(data, "fasttext") == [
        Record("good film ", ("a", "b"), 1),
        Record("no label __label__c", (), 3),
        Record("", ("d",), 4),
        Record("__label__ x", (), 5),
    ]


def parquet_bytes(**columns):
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file, row_group_size=2)
    return file.getvalue()


def test_parquet():
    data = parquet_bytes(labels=[["x"], ["y", "z"], None], text=["a", "", "c"])
    assert read(data, "parquet") == [Record("a", ("x",), 1), Record("", ("y", "z"), 2), Record("c", (), 3)]
    data = parquet_bytes(
        n=[1, 2], body=pyarrow.array(["a", "b"]).dictionary_encode(), other=pyarrow.array(["c", "d"], "large_string")
    )
    assert pairs(read(data, "parquet", text="body", label=0)) == [("a", ("1",)), ("b", ("2",))]
    assert pairs(read(data, "parquet", text="other")) == [("c", ()), ("d", ())]


# Where it is read from


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"good\n"),
        ("a.tsv", b"pos\tgood\n"),
        ("a.CSV", b"pos,good\n"),
        ("a.jsonl", b'{"text": "good"}'),
        ("a.ndjson", b'{"text": "good"}'),
        ("a.parquet", parquet_bytes(text=["good"])),
    ],
)
def test_the_name_tells_the_format(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert [record.text for record in read_records(path)] == ["good"]
    with path.open("rb") as file:
        assert [record.text for record in read_records(file)] == ["good"]
        assert not file.closed
    if "parquet" not in name:
        for packed in (tmp_path / f"{name}.gz", path):  # by its first bytes, whatever the name
            packed.write_bytes(gzip.compress(data, mtime=0))
            assert [record.text for record in read_records(str(packed))] == ["good"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_lines(monkeypatch, pack):
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(pack(b"one\ntwo\n"))))
    assert [record.text for record in read_records("-")] == ["one", "two"]


def test_gzip_files_that_follow_each_other_and_padding():
    assert [r.text for r in read(gzip.compress(b"one\n", mtime=0) + gzip.compress(b"two\n") + b"\0" * 9)] == [
        "one",
        "two",
    ]


def test_reading_is_streaming():
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return b"again\n" * 100

    records = read_records(Endless(), format="lines")
    assert [next(records).line for _ in range(1000)][-1] == 1000


def test_a_line_longer_than_all_buffers():
    text = "word " * 1_000_000
    assert read(b"x," + text.encode() + b"\n", "csv")[0].text == text
    assert read(text.encode())[0].text == text


class Trickle(io.RawIOBase):
    """Gives a few bytes at a time, as a slow pipe may."""

    def __init__(self, data, sizes):
        self.data, self.sizes = data, sizes

    def read(self, size=-1):
        count = min(self.sizes.randint(1, 5), size)
        head, self.data = self.data[:count], self.data[count:]
        return head


@given(st.text(st.characters(exclude_characters="\0\ufeff", codec="utf-8")), st.randoms(use_true_random=False))
def test_the_size_of_the_pieces_read_changes_nothing(text, sizes):
    for encoding in ("utf-8", "utf-16"):
        for pack in (bytes, gzip.compress):
            data = pack(text.encode(encoding))
            slowly = read_records(Trickle(data, sizes), format="lines", encoding=encoding)
            assert list(slowly) == read(data, encoding=encoding)


# Encodings


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("utf-8", "é\n".encode("utf-8-sig")),
        ("utf8", "é".encode("utf-8-sig")),
        ("latin-1", "é\n".encode("latin-1")),
        ("utf-16", "é\r\n".encode("utf-16")),
        ("utf-16-le", "\ufeffé\n".encode("utf-16-le")),
        ("utf-16-be", "é\n".encode("utf-16-be")),
        ("utf-32", "é\n".encode("utf-32")),
    ],
)
def test_encodings(encoding, data):
    assert [record.text for record in read(data, encoding=encoding)] == ["é"]


@pytest.mark.parametrize("chunk", [4, 7, 1 << 18])
def test_wrong_bytes_are_named_with_their_place(monkeypatch, chunk):
    monkeypatch.setattr(streams_module, "_CHUNK", chunk)
    data = "good\nnaïve\n".encode() + b"caf\xe9 au lait\n"
    at = data.index(b"\xe9")
    with pytest.raises(InputError) as caught:
        read(data)
    message = str(caught.value)
    assert f"line 3, byte {at}: e9" in message
    assert "not utf-8" in message
    assert 'encoding="latin-1"' in message


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "utf-16", "cp1252", "shift_jis"]))
def test_bytes_are_read_right_or_refused(data, encoding):
    try:
        expected = data.decode(encoding)
    except UnicodeError:
        with pytest.raises(InputError):
            read(data, encoding=encoding)
        return
    unmarked = (
        encoding == "utf-16" and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and len(data) > 1
    )
    if "\0" in expected or unmarked:
        with pytest.raises(InputError, match=r"NUL|BOM|gzip"):
            read(data, encoding=encoding)
    elif not data.startswith(b"\x1f\x8b"):
        lines = expected.removeprefix("\ufeff").split("\n")
        found = [record.text for record in read(data, encoding=encoding)]
        assert found == [line.removesuffix("\r") for line in lines if line.strip()]


@pytest.mark.parametrize("cut", [1, 2])
def test_a_character_cut_off_at_the_end(cut):
    with pytest.raises(InputError, match=r"line 2, byte 2: e2.*unexpected end of data"):
        read("a\n€".encode()[:-cut])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (codecs.BOM_UTF16_LE + "a".encode("utf-16-le"), 'mark of utf-16, .* pass encoding="utf-16"'),
        (codecs.BOM_UTF16_BE + "a".encode("utf-16-be"), 'pass encoding="utf-16"'),
        ("a".encode("utf-32"), 'pass encoding="utf-32"'),
        ("one\ntwo".encode("utf-16-le"), 'line 1 holds a NUL character, .*"utf-16-le"'),
        (b"one\ntwo\0", "line 2 holds a NUL"),
        (gzip.compress(b"one\n" * 999, mtime=0)[:-12], "the open file is cut off"),
        (gzip.compress(b"one\n", mtime=0)[:5], "cut off"),
        (gzip.compress(b"one\n", mtime=0)[:-6] + b"abcdef", "damaged"),
        (gzip.compress(b"one\n", mtime=0) + b"not gzip", "damaged"),
    ],
)
def test_damaged_files(data, message):
    with pytest.raises(InputError, match=message):
        read(data)


def test_utf16_without_its_mark():
    with pytest.raises(InputError, match="not utf-16"):
        read("ab\n".encode("utf-16-be"), encoding="utf-16")


# Tables and fields that are wrong


@pytest.mark.parametrize(
    ("format", "data", "options", "message"),
    [
        ("tsv", b"a\tb\nc\n", {}, "line 2: 1 columns, where line 1 has 2"),
        ("tsv", b"a\tb\tc\n", {}, r"line 1: 3 columns \('a', 'b', 'c'\); say which"),
        (
            "csv",
            b"id,label,body\n",
            {},
            "line 1: the columns are 'id', 'label', 'body', and none is called 'text'",
        ),
        (
            "csv",
            b"review, Labels\n",
            {},
            "none is called 'text'; name the one with the texts, text=..., or number",
        ),
        ("csv", b"Sentiment,Review\n", {}, "line 1: 'Sentiment', 'Review' reads like a header; name the columns"),
        ("csv", b"a;b\nc;d,e\n", {}, "line 2: 2 columns, where line 1 has 1; columns are separated by commas"),
        ("csv", b'a,"b\nc"\nd\n', {}, "line 3: 1 columns, where line 1 has 2"),
        ("csv", b'a,b\nc,"d\ne\n', {}, "line 2: unexpected end of data"),
        ("csv", b'a,"b"c\n', {}, "line 1: .*quotes doubled"),
        ("csv", b"id,body\n1,x\n", {"text": "text"}, "line 1: no column 'text'; there are the columns 'id', 'body'"),
        ("csv", b"id,text\n1,x\n", {"label": "tag"}, "no column 'tag'"),
        ("csv", b"a,b\n", {"text": 2}, "there is no column 2, only 0 to 1"),
        ("csv", b"a,b,c\n", {"label": 2}, "3 columns; say which holds the texts"),
        ("jsonl", b'{"text": "a"}\n{"text": "b"\n', {}, "line 2: not JSON: .* at column"),
        ("jsonl", b"[1]\n", {}, "line 1: a line must be a JSON object with a text, not list"),
        ("jsonl", b'{"body": "a"}\n', {}, "line 1: no field 'text'; there are the fields 'body'"),
        ("jsonl", b'{"text": 5}\n', {}, "'text' must be a string, not int"),
        ("jsonl", b'{"text": "a"}\n', {"label": "y"}, "no field 'y'"),
        ("jsonl", b'{"text": "a", "label": {"b": 1}}\n', {}, "not an object"),
        ("jsonl", b'{"text": "a"}\n{"text": "a", "label": NaN}\n', {}, "line 2: the label is NaN.*write null"),
        ("jsonl", b'{"text": "a", "label": ["b", NaN]}\n', {}, "line 1: the label is NaN"),
        ("parquet", parquet_bytes(text=["a"], label=[float("nan")]), {}, "the label is NaN"),
        ("jsonl", b'{"text": "\\ud800"}\n', {}, "half a surrogate pair"),
        ("jsonl", b"[" * 100_000, {}, "line 1: JSON that cannot be read"),
        ("jsonl", b"9" * 5000, {}, "line 1: JSON that cannot be read"),
        ("parquet", b"not parquet", {}, "cannot be read as Parquet"),
        ("parquet", parquet_bytes(text=["a"])[:-9], {}, "cannot be read as Parquet"),
        ("parquet", parquet_bytes(body=["a"]), {}, "no column 'text'; there are the columns 'body'"),
        ("parquet", parquet_bytes(text=["a", None]), {}, "line 2: the column 'text' must be a string, not NoneType"),
        ("parquet", parquet_bytes(text=[1]), {}, "must be a string, not int"),
    ],
)
def test_wrong_tables(format, data, options, message):
    with pytest.raises(InputError, match=message):
        read(data, format, **options)


def test_what_reads_like_a_header_is_data_if_its_columns_are_numbered():
    assert pairs(read(b"class,question\n", "csv", text=1, label=0)) == [("question", ("class",))]
    assert pairs(read(b"label,of a parcel\n", "csv", text=1, label=0)) == [("of a parcel", ("label",))]
    assert pairs(read(b"question,what is it\n", "csv")) == [("what is it", ("question",))]


def test_records_before_a_fault_are_given():
    records = read_records(io.BytesIO(b"a\tb\nc\n"), format="tsv")
    assert next(records).text == "b"
    with pytest.raises(InputError, match="line 2"):
        next(records)


def test_sources_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt cannot be read: No such file"):
        next(read_records(tmp_path / "none.txt"))
    for name in ("none", "none.tvs"):  # a wrong name, before the format is asked for
        with pytest.raises(InputError, match=rf"{name} cannot be read: No such file"):
            read_records(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read: Is a directory; name one of the files"):
        next(read_records(tmp_path, format="lines"))
    with pytest.raises(InputError, match="null"):
        next(read_records("a\0b", format="lines"))
    with pytest.raises(InputError, match="binary mode, got StringIO"):
        next(read_records(io.StringIO("a"), format="lines"))
    with pytest.raises(InputError, match="got list"):
        next(read_records(["a"], format="lines"))
    with pytest.raises(InputError, match="cannot come from standard input"):
        next(read_records("-", format="parquet"))


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (__file__, {}, r"format of .*\.py cannot be told .* pass format="),
        (io.BytesIO(), {}, "format of the open file"),
        ("a.txt", {"format": "xml"}, "format must be one of 'lines'"),
        ("a.txt", {"encoding": "utf-9"}, "encoding 'utf-9' is not known"),
        ("a.txt", {"encoding": "hex"}, "encoding 'hex' is not known"),
        ("a.txt", {"text": "t"}, "the format 'lines' has none"),
        ("a.csv", {"text": -1}, "text must be the name of a column or its number"),
        ("a.csv", {"label": True}, "label must be the name"),
        ("a.csv", {"label": 1.5}, "label must be the name"),
        ("a.jsonl", {"label": 0}, "JSON has named fields"),
        ("a.csv", {"separator": ""}, "separator must be"),
    ],
)
def test_wrong_parameters_are_told_before_reading(source, options, message):
    with pytest.raises(ParameterError, match=message):
        read_records(source, **options)


def test_missing_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"classinets\[parquet\]"):
        read(b"", "parquet")


# What is written is read

texts = st.text(max_size=20)
labels = st.text(min_size=1, max_size=8).map(str.strip).filter(bool)  # spaces around a label are left out
rows = st.lists(st.tuples(texts, labels), max_size=6)


def without(characters):
    """Rows whose cells hold none of these characters."""
    cell = st.text(st.characters(exclude_characters=characters, codec="utf-8"), max_size=20)
    return st.lists(st.tuples(cell, cell.map(str.strip).filter(bool)), max_size=6)


@given(without("\0"), st.sampled_from([(csv.QUOTE_MINIMAL, "\r\n"), (csv.QUOTE_ALL, "\n")]))
def test_csv_round_trip(written, style):
    file = io.StringIO()
    writer = csv.writer(file, quoting=style[0], lineterminator=style[1])
    writer.writerow(["label", "text"])
    writer.writerows((label, text) for text, label in written)
    found = read(file.getvalue().encode(), "csv", text="text", label="label")
    assert pairs(found) == [(text, (label,)) for text, label in written]


@given(rows, st.booleans())
def test_jsonl_round_trip(written, escaped):
    lines = (json.dumps({"text": text, "label": [label, label]}, ensure_ascii=escaped) for text, label in written)
    found = read("\n".join(lines).encode(), "jsonl")
    assert pairs(found) == [(text, (label, label)) for text, label in written]


@given(rows)
def test_parquet_round_trip(written):
    data = parquet_bytes(
        text=pyarrow.array([text for text, _ in written], "string"),
        label=pyarrow.array([label for _, label in written], "string"),
    )
    assert pairs(read(data, "parquet")) == [(text, (label,)) for text, label in written]


@given(without("\0\t\n\r\ufeff"))
def test_tsv_round_trip(written):
    data = "".join(f"{label}\t{text}\n" for text, label in written).encode()
    assert pairs(read(data, "tsv", text=1, label=0)) == [(text, (label,)) for text, label in written]


@given(without("\0\n\r\ufeff"))
def test_lines_round_trip(written):
    data = "".join(f"{text}\n" for text, _ in written).encode()
    assert [record.text for record in read(data)] == [text for text, _ in written if text.strip()]


@given(st.lists(st.tuples(st.text("ab #", max_size=8), st.lists(st.text("xyé", min_size=1), max_size=3)), max_size=5))
def test_fasttext_round_trip(written):
    lines = [" ".join([*(f"__label__{label}" for label in labels), text]) for text, labels in written]
    found = read("\n".join(lines).encode(), "fasttext")
    expected = [(text.lstrip(), tuple(labels)) for text, labels in written if labels or text.strip()]
    assert pairs(found) == expected


def test_mutated_files_are_read_or_refused():
    originals = [
        ("csv", b'label,text\npos,"a ""b"", c"\nneg,d\n'),
        ("jsonl", b'{"text": "a", "label": ["b"]}\n{"text": "c"}\n'),
        ("parquet", parquet_bytes(text=["a", "b"], label=["c", "d"])),
        ("tsv", gzip.compress(b"pos\tgood\nneg\tbad\n", mtime=0)),
    ]
    rng = random.Random(0)
    for format, data in originals:
        refused = 0
        for _ in range(200):
            mutated = bytearray(data)
            mutated[rng.randrange(len(data))] = rng.randrange(256)
            try:
                read(bytes(mutated), format)
            except InputError:
                refused += 1
        assert refused > 20
