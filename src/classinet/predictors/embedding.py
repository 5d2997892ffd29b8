"""cos(v_i, mean of v_j over j in x) − threshold: given word vectors as predictors (end of §4.2).

Enter: vectors by name, from a mapping, a gensim object or a text file, of which only the names of the
features are read. Leaves: a predictor of every vertex that has a vector. Nothing is learnt from the texts.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from classinet import _kernels
from classinet._sparse import column_counts
from classinet._typing import Csr, Flags, Singles
from classinet._validation import check_number
from classinet.exceptions import InputError, ParameterError
from classinet.predictors.base import Predictor, Problem

LANES = 8


class Embedding(Predictor):
    """Predict a vertex where its vector points the same way as the mean vector of the text.

    A feature without a vector counts as absent, a vertex without one is left out, and a text of which nothing
    is left scores −threshold. Cosines between words of one corpus crowd into a narrow band of their own, so
    the threshold has to be chosen for the vectors; labels by quantile do not depend on it.

    Parameters
    ----------
    source : the vectors: a mapping from name to vector, a gensim `KeyedVectors`, or the path of a text file,
        word2vec's (a first line with count and length) or GloVe's (without it), packed if it ends in `.gz`.
    threshold : cosine from which on a vertex is predicted.

    >>> import numpy as np
    >>> from classinet.predictors.base import Setup
    >>> names = np.array(["cat", "dog", "tax"], dtype=object)
    >>> X = np.array([[1, 1, 0], [0, 0, 1]])
    >>> given = {"cat": [1.0, 0.0], "dog": [0.6, 0.8], "tax": [-1.0, 0.0]}
    >>> Embedding(given).fit(X, X, setup=Setup(names=names)).decision_function([[1, 0, 0]]).round(2)
    array([[-0.5,  0.1, -1.5]], dtype=float32)
    """

    def __init__(self, source: Any, threshold: float = 0.5) -> None:
        self.source = source
        self.threshold = threshold

    def _unlearnable(self, problem: Problem) -> dict[int, str]:
        # What can be predicted is what the source knows, so it is read here; `_fit` takes the table over.
        check_number("threshold", self.threshold, low=-1, high=1)
        self._table = read_vectors(self.source, [str(name) for name in problem.names])
        known: Flags = np.any(self._table != 0, axis=1)
        reasons: dict[int, str] = {}
        for i, column in enumerate(problem.columns):
            if column < 0:
                reasons[i] = "no feature of the contexts, so there is no name to look up"
            elif not known[column]:
                reasons[i] = "no vector of that name in the source"
        return reasons

    def _fit(self, problem: Problem) -> None:
        self.feature_vectors_: Singles = self.__dict__.pop("_table")
        self.positives_ = column_counts(problem.targets)

    def scores(self, contexts: Csr, start: int, stop: int) -> Singles:
        """Cosine − threshold of vertices start..stop, one row a vertex."""
        vectors = self.feature_vectors_[self.columns_[start:stop]].astype(np.float64)
        units = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        out = np.empty((stop - start, contexts.shape[0]), dtype=np.float32)
        _kernels.embedding.cosines(
            contexts.indptr, contexts.indices, self.forbidden_.indptr[start : stop + 1],
            self.forbidden_.indices, self.feature_vectors_, units, out,
        )  # fmt: skip
        out -= np.float32(self.threshold)
        return out

    def vectors(self) -> Singles:
        """Return the given vector of each learnt vertex, padded with zeros to a multiple of eight."""
        return self.feature_vectors_[self.columns_]

    def feature_vectors(self) -> Singles:
        """Return the given vectors of all features, zeros where there is none."""
        return self.feature_vectors_


def read_vectors(source: Any, names: list[str]) -> Singles:
    """Return a table with one row a name, zeros where the source does not know it.

    >>> read_vectors({"cat": [1, 2]}, ["dog", "cat"])[:, :3]
    array([[0., 0., 0.],
           [1., 2., 0.]], dtype=float32)
    """
    rows = {name: row for row, name in enumerate(names)}
    table: Singles | None = None
    length = 0
    for where, name, vector in _found(source, rows):
        if table is None:
            length = len(vector)
            table = np.zeros((len(names), -(-length // LANES) * LANES), dtype=np.float32)
        if len(vector) != length:
            raise InputError(f"{where}: a vector of {len(vector)} numbers, where the first has {length}")
        if not np.isfinite(vector).all():
            raise InputError(f"{where}: a number that is not finite")
        table[rows[name], :length] = vector
    if table is None:
        origin = f"{source}" if isinstance(source, str | os.PathLike) else "source"
        raise InputError(
            f"{origin} has no vector for any of the {len(names)} features, the first being {names[0]!r}; "
            "use vectors whose names are spelt like the features"
        )
    return table


def _found(source: Any, wanted: Mapping[str, int]) -> Iterator[tuple[str, str, Singles]]:
    """Yield (place, name, vector) of every wanted name that the source has."""
    if isinstance(source, str | os.PathLike):
        yield from _from_file(Path(source), wanted)
    elif hasattr(source, "key_to_index") and hasattr(source, "vectors"):
        for name in wanted:
            if name in source.key_to_index:
                yield _place(name), name, _as_vector(source.vectors[source.key_to_index[name]], name)
    elif isinstance(source, Mapping):
        for name in wanted:
            if name in source:
                yield _place(name), name, _as_vector(source[name], name)
    else:
        raise ParameterError(
            "source must be a mapping from name to vector, a gensim KeyedVectors or the path of a text file, "
            f"got {type(source).__name__}"
        )


def _place(name: str) -> str:
    return f"source, vector of {name!r}"


def _as_vector(value: Any, name: str) -> Singles:
    try:
        vector = np.asarray(value, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{_place(name)}: not a list of numbers") from error
    if vector.ndim != 1 or not len(vector):
        raise InputError(f"{_place(name)}: shape {vector.shape}, where a list of at least one number should be")
    return vector


# ------------------------------------------------------------------------------------------ text files


def _from_file(path: Path, wanted: Mapping[str, int]) -> Iterator[tuple[str, str, Singles]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
            yield from _from_lines(path, lines, wanted)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _from_lines(path: Path, lines: Iterable[bytes], wanted: Mapping[str, int]) -> Iterator[tuple[str, str, Singles]]:
    """Walk over the lines of a file; only those whose name is wanted are taken apart."""
    remaining = set(wanted)
    lines = iter(lines)
    first = next(lines, b"").rstrip(b" \r\n")
    if not first:
        raise InputError(f"{path}, line 1: empty, where a first vector or a header should be")
    promised, length = _header(first)
    if promised is None:
        length, numbered = first.count(b" "), enumerate(chain([first], lines), start=1)
    else:
        numbered = enumerate(lines, start=2)
    n_vectors = 0
    for number, line in numbered:
        where = f"{path}, line {number}"
        name, fields = _split(line.rstrip(b" \r\n"), length, where)
        n_vectors += 1
        if name in remaining:
            remaining.discard(name)
            yield where, name, _numbers(fields, where)
            if not remaining:
                return
    if promised is not None and n_vectors < promised:
        raise InputError(f"{path}, line 1: promises {promised} vectors, but the file ends after {n_vectors}")


def _header(first: bytes) -> tuple[int | None, int]:
    """Return (count, length) of a word2vec header; count None if the line is a vector already."""
    parts = first.split(b" ")
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return int(parts[0]), int(parts[1])
    return None, 0


def _split(line: bytes, length: int, where: str) -> tuple[str, bytes]:
    """Return the name and the numbers of a line; a name may hold spaces, but no surplus numbers."""
    extra = line.count(b" ") - length
    name, _, fields = line.partition(b" ")
    if extra > 0 and not _is_number(fields.split(b" ", 1)[0]):
        parts = line.rsplit(b" ", length)
        name, fields = parts[0], b" ".join(parts[1:])
    elif extra != 0 or length == 0:
        found, expected = line.count(b" "), length or "at least one"
        raise InputError(f"{where}: {found} numbers after the name, where {expected} should be")
    try:
        return name.decode("utf-8"), fields
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: a name that is not UTF-8; convert the file to UTF-8") from error


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers(fields: bytes, where: str) -> Singles:
    try:
        return np.array(fields.split(b" ")).astype(np.float32)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error
