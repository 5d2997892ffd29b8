"""Texts stream into one matrix: each is read once, and none is held.

Enter: any iterable of texts. Leaves: texts × features as canonical CSR. In a first pass, blocks of texts become counts
over provisional features, numbered as they appear; when the last text is in, the vocabulary is chosen and a second pass
rewrites the blocks over its columns. The engine decides where blocks and matrix are kept: in memory, or, with a
journal, in files that are mapped, so that a corpus may be larger than memory and an interrupted pass continues. Files
are read by the workers of a distributed engine instead (`partitions`).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classinet._sparse import from_arrays, presence, row_slice, stacked
from classinet._typing import Csr, Integers, Keys, Progress
from classinet._validation import check_choice, check_number
from classinet.build.counting import counted, digest
from classinet.build.partitions import read_partitions
from classinet.engine import Engine, ThreadEngine, fixed_batches
from classinet.exceptions import InputError, ParameterError
from classinet.text import TextFiles, TextVectorizer, split_sentences
from classinet.text.vectorizer import strings

BLOCK_TEXTS = 20_000
BLOCK_CHARACTERS = 8_000_000
DOUBLE_AFTER = 64  # blocks: then they grow, so that even a huge corpus is a few hundred (mapped) files
CONTEXT_ROWS = 8_192


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts as a matrix.

    Attributes
    ----------
    matrix : texts (or sentences) × features: float32 counts.
    targets : the same shape: where a feature counts as occurring with a text; None: where it occurs in the text.
    names : of the features.
    n_texts : number of rows.
    fingerprint : SHA-256, in hexadecimal, of the hashes of all texts in their order.
    """

    matrix: Csr
    targets: Csr | None
    names: NDArray[np.object_]
    n_texts: int
    fingerprint: str


@dataclass(frozen=True, eq=False)
class _Block:
    """Some texts as counts over provisional features, and the document of each row."""

    counts: Csr
    documents: Integers


def stream_corpus(
    texts: Iterable[str],
    vectorizer: TextVectorizer,
    engine: Engine | None = None,
    *,
    split: str | None = None,
    context: str | int | None = None,
    documents: Iterable[Any] | None = None,
    known: Sequence[str] = (),
    progress: Progress | None = None,
) -> Corpus:
    """Turn texts into a matrix over the vocabulary that the vectorizer chooses.

    Parameters
    ----------
    texts : read once, in order. `TextFiles` are read by the workers of a distributed engine; anything else, and what
        is added to known features, passes through this process.
    vectorizer : says what the features of a text are, and which of them to keep.
    engine : where blocks and matrices are kept; None: in memory.
    split : "sentences" makes every text a document and its sentences the rows; None takes texts as they are.
    context : what counts as occurring with a row: None, its own features; "document", those of all rows of its
        document; a number, those of so many rows of its document on each side.
    documents : an id for every text: equal ids in a row mean the same document. None: every text is its own.
    known : features that have a column whatever the vectorizer chooses, also where no text holds them.
    progress : called as progress("texts", done, total), total 0 where it is not known.

    >>> corpus = stream_corpus(["so it is", "it was"], TextVectorizer())
    >>> list(corpus.names), corpus.matrix.toarray().tolist()
    (['is', 'it', 'so', 'was'], [[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    >>> nearby = stream_corpus(["it is", "so"], TextVectorizer(), context="document", documents=[7, 7])
    >>> nearby.targets.toarray().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    check_choice("split", split, (None, "sentences"))
    if context is not None and context != "document":
        check_number("context", context, low=1, whole=True)
    if context is not None and split is None and documents is None:
        raise ParameterError(f"context={context!r} needs to know documents: pass documents=..., or split='sentences'")
    engine = ThreadEngine() if engine is None else engine
    if engine.distributed and isinstance(texts, TextFiles) and not known:
        if documents is not None:
            raise ParameterError("files that workers read are documents themselves; leave documents=... out")
        read = read_partitions(texts, vectorizer, split, engine)
        targets = None if context is None else _with_context(read.matrix, read.texts, context, engine)
        return Corpus(read.matrix, targets, np.array(read.names, dtype=object), len(read.texts), read.fingerprint)

    # 1. Blocks of texts over provisional features.
    total = len(texts) if isinstance(texts, Sized) else 0
    reader = _Reader(vectorizer, split, told_apart=documents is not None)
    blocks: list[_Block] = []
    fingerprint, done = sha256(), 0
    for pieces in _blocks(texts, documents):
        block, hashes = reader.read(pieces, len(blocks), done, engine)
        blocks.append(block)
        fingerprint.update(hashes)
        done += len(pieces)
        if progress is not None:
            progress("texts", done, max(total, done) if total else 0)
    if not done:
        raise InputError("there are no texts; a net is built from unlabeled texts")

    # 2. The vocabulary, and every block over its columns.
    chosen_anyway = [reader.place[name] for name in known]
    names = list(reader.place)
    counts = np.zeros(len(names), dtype=np.int64)
    for block in blocks:
        counts[: block.counts.shape[1]] += np.bincount(block.counts.indices, minlength=block.counts.shape[1])
    n_rows = sum(block.counts.shape[0] for block in blocks)
    kept = vectorizer.choose(names, counts, n_rows)
    if known:
        kept = np.array(sorted({*kept.tolist(), *chosen_anyway}, key=names.__getitem__), dtype=np.int64)
    if not len(kept):
        raise InputError(f"no feature is left of {n_rows} texts: none of {len(names)} passes {vectorizer!r}")
    column_of = np.full(len(names), -1, dtype=np.int32)
    column_of[kept] = np.arange(len(kept), dtype=np.int32)

    def rewritten(number: int) -> Csr:
        return _rename_columns(blocks[number].counts, column_of, len(kept))

    matrix = stacked(rewritten, range(len(blocks)), len(kept), engine, "matrix")
    targets = None
    if context is not None:
        rows_of = np.concatenate([block.documents for block in blocks])
        targets = _with_context(matrix, rows_of, context, engine)
    return Corpus(matrix, targets, np.array([names[i] for i in kept], dtype=object), n_rows, fingerprint.hexdigest())


class _Reader:
    """Turns blocks of texts into counts; a feature not met before gets the next number."""

    def __init__(self, vectorizer: TextVectorizer, split: str | None, told_apart: bool) -> None:
        self.told_apart = told_apart
        self.place: defaultdict[str, int] = defaultdict()
        self.place.default_factory = self.place.__len__
        self.parts = vectorizer.compiled_parts()
        self.places_of = _Places(self.place, self.parts.of_token)
        self.rows: Callable[[str], list[str]] = split_sentences if split else lambda text: [text]

    def read(self, pieces: list[tuple[str, int]], number: int, before: int, engine: Engine) -> tuple[_Block, bytes]:
        """Return a block and the hashes of its texts; a block that the engine remembers must be of the same texts."""
        digests = b"".join(digest(text, document if self.told_apart else 0) for text, document in pieces)
        hashes = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
        counts, new_features, rows_of, known = engine.keep(
            lambda: self._count(pieces, hashes), stage=f"texts, block {number}"
        )
        if not np.array_equal(known, hashes):
            n_equal = min(len(hashes), len(known))
            differs = np.flatnonzero(known[:n_equal] != hashes[:n_equal])
            at = before + (int(differs[0]) if len(differs) else n_equal) + 1
            raise InputError(
                f"the texts are not those that the build began with: text {at:,} (block {number}) or its document "
                "differs. Resume with the same texts in the same order, or remove the directory"
            )
        for feature in new_features:
            self.place[feature]  # already there if the block was counted just now
        return _Block(counts, rows_of), digests

    def _count(self, pieces: list[tuple[str, int]], hashes: Keys) -> tuple[Any, ...]:
        n_known, place, places_of = len(self.place), self.place.__getitem__, self.places_of.__getitem__
        ids, ends, documents = array("q"), array("q", [0]), array("q")
        for text, document in pieces:
            for row in self.rows(text):
                tokens = self.parts.tokenize(row)
                ids.extend(chain.from_iterable(map(places_of, tokens)))
                ids.extend(map(place, self.parts.of_order(tokens)))
                ends.append(len(ids))
                documents.append(document)
        counts = counted(np.array(ids, dtype=np.int64), np.array(ends, dtype=np.int64), len(self.place))
        new = list(islice(self.place, n_known, None))
        return counts, new, np.array(documents, dtype=np.int64), hashes


class _Places(dict[str, list[int]]):
    """The numbers of the features that a token has in any text, looked up once for every token."""

    def __init__(self, place: Mapping[str, int], of_token: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self.place, self.of_token = place, of_token

    def __missing__(self, token: str) -> list[int]:
        found = self[token] = [self.place[feature] for feature in self.of_token(token)]
        return found


def _blocks(texts: Iterable[str], documents: Iterable[Any] | None) -> Iterator[list[tuple[str, int]]]:
    """Cut a stream into blocks of (text, number of its document); borders depend on the texts alone."""
    block: list[tuple[str, int]] = []
    size, n_blocks, number, previous = 0, 0, -1, object()
    ids = iter(documents) if documents is not None else None
    missing = object()
    for index, text in enumerate(strings(texts)):
        document = index if ids is None else next(ids, missing)
        if document is missing:
            raise InputError(f"documents ends after {index:,} ids, but there are more texts; give every text one")
        if document != previous:
            number, previous = number + 1, document
        block.append((text, number))
        size += len(text)
        factor = 2 ** (n_blocks // DOUBLE_AFTER)
        if len(block) == factor * BLOCK_TEXTS or size >= factor * BLOCK_CHARACTERS:
            yield block
            block, size, n_blocks = [], 0, n_blocks + 1
    if ids is not None and next(ids, missing) is not missing:
        raise InputError("documents has more ids than there are texts; give every text one")
    if block:
        yield block


def _rename_columns(counts: Csr, column_of: NDArray[np.int32], n_columns: int) -> Csr:
    """Give every stored value its new column, drop what has none, and sort the rows."""
    columns = column_of[counts.indices]
    stays = np.flatnonzero(columns >= 0)
    rows = np.repeat(np.arange(counts.shape[0], dtype=np.int64), np.diff(counts.indptr))[stays]
    order = np.argsort(rows * n_columns + columns[stays], kind="stable")
    indptr = np.searchsorted(rows, np.arange(counts.shape[0] + 1))
    return from_arrays(counts.data[stays[order]], columns[stays[order]], indptr, (counts.shape[0], n_columns))


def _with_context(matrix: Csr, documents: Integers, context: str | int, engine: Engine) -> Csr:
    """Which features occur in the rows around each row, itself included, within its document."""
    rows = np.arange(len(documents))
    first, last = np.searchsorted(documents, documents, "left"), np.searchsorted(documents, documents, "right")
    if context != "document":
        first, last = np.maximum(first, rows - int(context)), np.minimum(last, rows + int(context) + 1)

    def joined(border: tuple[int, int]) -> Csr:
        start, stop = first[border[0]], last[border[1] - 1]
        widths = (last - first)[slice(*border)]
        indptr = np.concatenate(([0], np.cumsum(widths)))
        around = np.repeat(first[slice(*border)] - start - indptr[:-1], widths) + np.arange(indptr[-1])
        windows = from_arrays(np.ones(len(around), np.float32), around, indptr, (len(widths), stop - start))
        found = sparse.csr_array(windows @ presence(row_slice(matrix, start, stop)))
        found.sort_indices()
        return presence(found)

    return stacked(joined, fixed_batches(len(rows), CONTEXT_ROWS), matrix.shape[1], engine, "targets")
