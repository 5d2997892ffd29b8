"""Files become one matrix without passing through one process: a worker reads a file where it is.

Enter: files and an engine. Leaves: texts × features, the same bytes as when the files are streamed one after the other.
Every file is read twice, since no file knows the vocabulary: first features are counted, the counts of two files added
to those of two others and so on, and the vocabulary chosen; then each file becomes rows over its columns.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet._sparse import from_arrays
from classinet._typing import Csr, Integers, Keys
from classinet.build.counting import counted, digest, utf8
from classinet.engine import Engine
from classinet.exceptions import InputError
from classinet.text import TextFiles, TextVectorizer, split_sentences

# Names one after the other, the length of each, in how many rows each occurs; and the number of rows.
Tally = tuple[NDArray[np.uint8], Integers, Integers, int]


@dataclass(frozen=True, eq=False)
class Read:
    """Files as a matrix, its columns, the text that each row is from, and the hash of all texts."""

    matrix: Csr
    names: list[str]
    texts: Integers
    fingerprint: str


def read_partitions(files: TextFiles, vectorizer: TextVectorizer, split: str | None, engine: Engine) -> Read:
    r"""Read files on the workers of an engine.

    >>> import tempfile, pathlib
    >>> from classinet.engine import ThreadEngine
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "texts.txt"
    >>> _ = path.write_text("so it is\nit was\n")
    >>> found = read_partitions(TextFiles([path]), TextVectorizer(), None, ThreadEngine())
    >>> found.names, found.matrix.toarray().tolist()
    (['is', 'it', 'so', 'was'], [[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    >>> folder.cleanup()
    """
    numbers = range(len(files.paths))
    if not numbers:
        raise InputError("there are no files; a net is built from unlabeled texts")

    # 1. The vocabulary.
    def tally(number: int) -> Tally:
        in_rows: Counter[str] = Counter()
        n_rows = 0
        for _, rows in _documents(files, number, vectorizer, split):
            for features in rows:
                in_rows.update(set(features))
                n_rows += 1
        return _tally(in_rows, n_rows)

    def choose(local: Engine) -> tuple[list[str], int]:
        names, counts, n_rows = _names(total), total[2], total[3]
        if not n_rows:
            raise InputError("there are no texts; a net is built from unlabeled texts")
        kept = vectorizer.choose(names, counts, n_rows)
        if not len(kept):
            raise InputError(f"no feature is left of {n_rows} texts: none of {len(names)} passes {vectorizer!r}")
        return [names[i] for i in kept], n_rows

    total = engine.map_reduce(tally, _added, numbers, stage="vocabulary")
    names, n_rows = engine.checkpoint(choose, stage="choice of features")

    # 2. Rows over its columns.
    fitted = vectorizer.with_vocabulary(names)

    def rows_of(number: int) -> tuple[Any, ...]:
        return _rows(files, number, fitted, split)

    lengths, indices, data, per_text, hashes = engine.concatenate(rows_of, numbers, stage="matrix")
    if len(lengths) != n_rows:
        raise InputError("the files changed while they were read; begin again")
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    matrix = from_arrays(data, indices, indptr, (n_rows, len(names)))
    return Read(matrix, names, np.repeat(np.arange(len(per_text)), per_text), fingerprint_of(hashes))


def fingerprint_of(hashes: Keys) -> str:
    """Return the SHA-256, in hexadecimal, of the short hashes of texts in their order."""
    return sha256(np.ascontiguousarray(hashes, dtype="<u8").data).hexdigest()


def _documents(
    files: TextFiles, number: int, vectorizer: TextVectorizer, split: str | None
) -> Iterator[tuple[str, list[list[str]]]]:
    """The texts of one file, each with the features of its rows."""
    features = vectorizer.compiled()
    rows: Callable[[str], list[str]] = split_sentences if split else lambda text: [text]
    for text in files.read(number):
        yield text, [features(row) for row in rows(text)]


def _rows(files: TextFiles, number: int, vectorizer: TextVectorizer, split: str | None) -> tuple[Any, ...]:
    """One file over the columns of the vocabulary: row lengths, columns, counts, rows of each text, hashes."""
    column = vectorizer.vocabulary_
    ids, ends, per_text, hashes = array("q"), array("q", [0]), array("q"), bytearray()
    for text, rows in _documents(files, number, vectorizer, split):
        for features in rows:
            ids.extend(column[feature] for feature in features if feature in column)
            ends.append(len(ids))
        per_text.append(len(rows))
        hashes += digest(text)
    counts = counted(np.array(ids, dtype=np.int64), np.array(ends, dtype=np.int64), len(column))
    found = np.frombuffer(bytes(hashes), dtype="<u8").astype(np.uint64)
    return np.diff(counts.indptr), counts.indices, counts.data, np.array(per_text, dtype=np.int64), found


def _tally(in_rows: Counter[str], n_rows: int) -> Tally:
    encoded = [utf8(name) for name in in_rows]
    return (
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)),
        np.fromiter(in_rows.values(), dtype=np.int64, count=len(encoded)),
        n_rows,
    )


def _names(tally: Tally) -> list[str]:
    joined, ends = tally[0].tobytes(), np.cumsum(tally[1]).tolist()
    return [joined[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends], ends, strict=False)]


def _added(a: Tally, b: Tally) -> Tally:
    in_rows = Counter(dict(zip(_names(a), a[2].tolist(), strict=True)))
    in_rows.update(dict(zip(_names(b), b[2].tolist(), strict=True)))
    return _tally(in_rows, a[3] + b[3])
