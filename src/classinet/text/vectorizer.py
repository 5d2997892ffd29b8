"""Texts become rows of counts, one column a feature: words, word n-grams or character n-grams.

Enter: strings. Leaves: `csr_matrix` of float64 counts with int32 indices, columns sorted by name, as scikit-learn's
CountVectorizer would give for the same tokens. A row is written as one index per occurrence and repetitions are added
up for all rows at once, in compiled code; so one text is quick and many are too.
"""

from __future__ import annotations

import copy
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from classinet._typing import Integers
from classinet._validation import check_choice, check_number, is_missing
from classinet.exceptions import InputError, ParameterError
from classinet.text.pieces import STEMS, PieceKind, is_piece, is_run, leading_phrases, parts_of, pieces_of
from classinet.text.tokenizer import Tokenizer

Analyzer = Literal["word", "char", "char_wb"]
Counts: TypeAlias = "sparse.csr_matrix[Any]"
Tokenize: TypeAlias = Callable[[str], list[str]]

# Of pieces at most so many are kept, those that most texts hold: each costs a row of the first hop, known well or not.
MOST_PIECES = 50_000

_LARGEST_INT32 = np.iinfo(np.int32).max


class Parts(NamedTuple):
    """The features of a text: those of each of its tokens, and those of their order.

    Attributes
    ----------
    tokenize : from a text to its tokens.
    of_token : from a token to the features that it has in any text.
    of_order : from all tokens to the other features.
    """

    tokenize: Tokenize
    of_token: Callable[[str], Sequence[str]]
    of_order: Callable[[list[str]], list[str]]


class TextVectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """Count the features of texts.

    Parameters
    ----------
    tokenizer : Tokenizer or callable, optional
        How a text becomes a list of tokens; by default `Tokenizer()`. Its options can be searched as
        `tokenizer__numbers` where an instance is given.
    analyzer : {"word", "char", "char_wb"}, default "word"
        What an n-gram is made of: tokens ("word"), or the characters of the tokens joined by one space ("char").
        "char_wb" never crosses the border of a token; a space stands for each border, and a token too short for an
        n-gram counts once, as a whole.
    ngram_range : (int, int), default (1, 1)
        Shortest and longest n-gram.
    min_df : int or float, default 1
        Least number of texts (int), or least share of them (float in (0, 1]), that a feature occurs in.
    max_features : int, optional
        Keep only so many features, those that most texts hold; of equals, the first by name.
    pieces : bool or "stems", default False
        Also count pieces of the text: pairs of neighbouring words, beginnings, and runs of letters
        (`classinet.text.pieces`). "stems" counts beginnings of long words in place of runs, as former nets did.
        `max_features` holds for words and for pieces apart, of which at most 50,000 are kept. Words only have pieces
        where they are counted one by one.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each feature.

    Examples
    --------
    >>> vectorizer = TextVectorizer(ngram_range=(1, 2)).fit(["a good film", "a good, good day"])
    >>> list(vectorizer.get_feature_names_out())
    ['a', 'a good', 'day', 'film', 'good', 'good day', 'good film', 'good good']
    >>> vectorizer.transform(["Good day!"]).toarray()
    array([[0., 0., 1., 0., 1., 1., 0., 0.]])
    """

    def __init__(
        self,
        tokenizer: Tokenize | None = None,
        analyzer: Analyzer = "word",
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float = 1,
        max_features: int | None = None,
        pieces: PieceKind = False,
    ) -> None:
        self.tokenizer = tokenizer
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_features = max_features
        self.pieces = pieces

    def features(self, text: str) -> list[str]:
        """Return all features of a text in order, with repetitions, known or not.

        >>> TextVectorizer(ngram_range=(1, 2)).features("Good, good day")
        ['good', 'good', 'day', 'good good', 'good day']
        >>> TextVectorizer(analyzer="char_wb", ngram_range=(2, 2)).features("ab c")
        [' a', 'ab', 'b ', ' c', 'c ']
        """
        return self.compiled()(next(strings([text])))

    def words_of(self, text: str) -> list[str]:
        """Return the features of a text that are no pieces, as `features` does.

        >>> TextVectorizer(pieces=True).words_of("Good day!")
        ['good', 'day']
        """
        return self.compiled_words()(next(strings([text])))

    def choose(self, names: Sequence[str], document_counts: Integers, n_texts: int) -> Integers:
        """Return the indices of the features to keep by `min_df` and `max_features`, in the order of their names.

        Parameters
        ----------
        names : sequence of str
            Features, in any order.
        document_counts : array of int
            In how many texts each occurs.
        n_texts : int
            Number of texts counted.

        Examples
        --------
        >>> TextVectorizer(min_df=2).choose(["to", "be", "or"], np.array([2, 5, 1]), n_texts=5)
        array([1, 0])
        >>> TextVectorizer(max_features=1).choose(["to", "be", "or"], np.array([2, 2, 1]), n_texts=5)
        array([1])
        """
        self._check_parameters()
        least = self.min_df if isinstance(self.min_df, int | np.integer) else self.min_df * n_texts
        counts = np.asarray(document_counts)
        often, words = counts >= least, self.words_among(names)
        most_pieces = MOST_PIECES if self.max_features is None else min(MOST_PIECES, self.max_features)
        kept = _most_frequent(names, counts, often & words, self.max_features)
        kept += _most_frequent(names, counts, often & ~words, most_pieces)
        kept.sort(key=names.__getitem__)
        return np.array(kept, dtype=np.int64)

    def words_among(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Tell which features are words, or whatever is counted in their place, and which are pieces of texts.

        >>> TextVectorizer(pieces=True).words_among(["how", "how many", "many…"])
        array([ True, False, False])
        >>> TextVectorizer(ngram_range=(1, 2)).words_among(["how", "how many"])
        array([ True,  True])
        """
        return np.array([not (self.pieces and is_piece(name)) for name in names], dtype=bool)

    def runs_among(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Tell which features are runs of letters.

        >>> TextVectorizer(pieces=True).runs_among(["fund", "the fund", "…fund…"])
        array([False, False,  True])
        """
        return np.array([self.pieces is True and is_run(name) for name in names], dtype=bool)

    def with_vocabulary(self, names: Sequence[str]) -> Self:
        """Return a fitted copy whose columns are exactly these features, in this order.

        >>> TextVectorizer().with_vocabulary(["day", "a"]).transform(["A day, a night"]).toarray()
        array([[1., 2.]])
        """
        self._check_parameters()
        vocabulary: dict[str, int] = {}
        for name in strings(names, "names"):
            if vocabulary.setdefault(name, len(vocabulary)) != len(vocabulary) - 1:
                raise InputError(f"names holds {name!r} twice; a feature has one column")
        fitted = copy.copy(self)
        fitted.vocabulary_ = vocabulary
        return fitted

    def fit(self, texts: Iterable[str], y: object = None) -> Self:
        """Learn which features to count; `texts` may be a generator, and only the features are kept in memory.

        >>> TextVectorizer(min_df=2).fit(["one fish", "two fish"]).vocabulary_
        {'fish': 0}
        """
        analyze = self.compiled()
        in_texts: Counter[str] = Counter()
        n_texts = 0
        for text in strings(texts):
            in_texts.update(set(analyze(text)))
            n_texts += 1
        names = list(in_texts)
        counts = np.fromiter(in_texts.values(), dtype=np.int64, count=len(names))
        kept = self._choose_some(names, counts, n_texts)
        self.vocabulary_ = {names[i]: column for column, i in enumerate(kept)}
        return self

    def fit_transform(self, texts: Iterable[str], y: object = None) -> Counts:
        """Learn which features to count and count them, reading each text once.

        >>> TextVectorizer().fit_transform(["one fish", "fish fish"]).toarray()
        array([[1., 1.],
               [2., 0.]])
        """
        place: defaultdict[str, int] = defaultdict()
        place.default_factory = place.__len__  # a feature not seen before gets the next column
        analyze = self.compiled()
        everything = count_columns(([place[f] for f in analyze(text)] for text in strings(texts)), lambda: len(place))
        names = list(place)
        in_texts = np.bincount(everything.indices, minlength=len(names))
        kept = self._choose_some(names, in_texts, everything.shape[0])
        self.vocabulary_ = {names[i]: column for column, i in enumerate(kept)}
        return _take_columns(everything, kept)

    def transform(self, texts: Iterable[str]) -> Counts:
        """Count the known features of texts; others are passed over.

        >>> TextVectorizer().with_vocabulary(["fish"]).transform(["one fish", "two"]).toarray()
        array([[1.],
               [0.]])
        """
        analyze = self.compiled()
        return self.count(analyze(text) for text in strings(texts))

    def count(self, features: Iterable[list[str]]) -> Counts:
        """Count the known ones of features that `compiled` or `features` found in texts, one list a text.

        >>> TextVectorizer().with_vocabulary(["fish"]).count([["one", "fish"], ["two"]]).toarray()
        array([[1.],
               [0.]])
        """
        column = self._known()
        return count_columns(([column[f] for f in found if f in column] for found in features), lambda: len(column))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the features in the order of the columns.

        >>> TextVectorizer().with_vocabulary(["b", "a"]).get_feature_names_out()
        array(['b', 'a'], dtype=object)
        """
        return np.array(list(self._known()), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags

    def _known(self) -> dict[str, int]:
        try:
            known: dict[str, int] = self.vocabulary_
        except AttributeError:
            raise NotFittedError(
                "this TextVectorizer has no vocabulary yet; call fit with texts, or with_vocabulary with names"
            ) from None
        return known

    def _choose_some(self, names: Sequence[str], counts: Integers, n_texts: int) -> Integers:
        kept = self.choose(names, counts, n_texts)
        if not len(kept):
            why = f"none of {len(names)} features passes min_df={self.min_df!r}" if names else "no token was found"
            raise InputError(f"no feature is left of {n_texts} texts: {why}")
        return kept

    def compiled(self) -> Callable[[str], list[str]]:
        """Return the function from a text to its features, the parameters checked once: for loops over many texts.

        >>> features = TextVectorizer(ngram_range=(1, 2)).compiled()
        >>> features("so it is")
        ['so', 'it', 'is', 'so it', 'it is']
        """
        tokenize, assemble = self.compiled_steps()
        return tokenize if assemble is None else lambda text: assemble(tokenize(text))

    def compiled_words(self) -> Callable[[str], list[str]]:
        """Return the function from a text to its features, pieces left out: what `words_of` does, for many texts."""
        return self.compiled_steps()[0] if self.pieces else self.compiled()

    def compiled_steps(self) -> tuple[Tokenize, Callable[[list[str]], list[str]] | None]:
        """Return the two steps of `compiled`: from a text to its tokens, and from these to features.

        The second is None where tokens are the features.

        >>> tokenize, assemble = TextVectorizer(ngram_range=(1, 2)).compiled_steps()
        >>> assemble(tokenize("so it is"))
        ['so', 'it', 'is', 'so it', 'it is']
        """
        low, high = self._check_parameters()
        tokenizer = Tokenizer() if self.tokenizer is None else self.tokenizer
        tokenize = tokenizer.compiled() if isinstance(tokenizer, Tokenizer) else tokenizer
        if self.analyzer == "char":
            return tokenize, lambda tokens: runs_of(" ".join(tokens), low, high)
        if self.analyzer == "char_wb":
            return tokenize, lambda tokens: [gram for token in tokens for gram in runs_within(token, low, high)]
        if self.pieces:
            kind = self.pieces
            return tokenize, lambda tokens: tokens + pieces_of(tokens, kind)
        if high == 1:
            return tokenize, None
        return tokenize, lambda tokens: _word_ngrams(tokens, low, high)

    def compiled_parts(self) -> Parts:
        """Return `compiled` in parts, for corpora: what a token brings along need be found only once for all texts.

        >>> parts = TextVectorizer(pieces=True).compiled_parts()
        >>> parts.of_token("funds"), parts.of_order(["two", "funds"])
        (('funds', 'fun…', '…fund…', '…unds…', '…nds'), ['⊢ two', 'two funds', '⊢ two funds'])
        """
        low, high = self._check_parameters()
        tokenize, assemble = self.compiled_steps()
        if self.analyzer == "char_wb":
            return Parts(tokenize, lambda token: runs_within(token, low, high), _nothing)
        if self.pieces:
            kind = self.pieces
            return Parts(tokenize, lambda token: (token, *parts_of(token, kind)), leading_phrases)
        if assemble is None:
            return Parts(tokenize, lambda token: (token,), _nothing)
        return Parts(tokenize, _nothing, assemble)

    def _check_parameters(self) -> tuple[int, int]:
        check_choice("analyzer", self.analyzer, get_args(Analyzer))
        check_choice("pieces", self.pieces, (True, False, STEMS))
        if not (self.tokenizer is None or callable(self.tokenizer)):
            raise ParameterError(f"tokenizer must be None, a Tokenizer or a function, got {self.tokenizer!r}")
        if self.max_features is not None:
            check_number("max_features", self.max_features, low=1, whole=True)
        if isinstance(self.min_df, float | np.floating):
            check_number("min_df as a share of the texts", self.min_df, low=0, high=1, open_low=True)
        else:
            check_number("min_df", self.min_df, low=1, whole=True)
        bounds: Any = self.ngram_range
        match bounds:
            case (int(low), int(high)) if 1 <= low <= high:
                if self.pieces and (self.analyzer != "word" or high > 1):
                    raise ParameterError(
                        f"pieces=True needs words one by one, got analyzer={self.analyzer!r} with "
                        f"ngram_range={bounds!r}; leave one of them out"
                    )
                return low, high
        raise ParameterError(f"ngram_range must be two whole numbers 1 ≤ low ≤ high, got {bounds!r}")


def strings(texts: Iterable[str], name: str = "texts") -> Iterator[str]:
    """Yield the elements of a collection of strings; anything else is refused with its place."""
    if isinstance(texts, str | bytes | Mapping) or hasattr(texts, "columns"):
        remedy = "put a single text in a list" if isinstance(texts, str | bytes) else "pass one column of strings"
        raise InputError(f"{name} must be a list or another iterable of strings, got {type(texts).__name__}; {remedy}")
    values = texts.to_pylist() if hasattr(texts, "to_pylist") else texts  # pyarrow iterates over boxes
    try:
        elements = iter(values)
    except TypeError:
        raise InputError(f"{name} must be an iterable of strings, got {type(texts).__name__}") from None
    for index, element in enumerate(elements):
        if not isinstance(element, str):
            raise InputError(f"{name}[{index}] is {_described(element)}, not a string; {_remedy(element)}")
        yield element


def _remedy(element: object) -> str:
    if is_missing(element):
        return "drop missing texts or write them as ''"
    return "pass one column of strings" if isinstance(element, np.ndarray | list | tuple) else "convert it with str()"


def _described(element: object) -> str:
    return f"{type(element).__name__} ({str(element)[:40]})"


def _most_frequent(
    names: Sequence[str], counts: Integers, candidates: NDArray[np.bool_], most: int | None
) -> list[int]:
    """Return the candidates that most texts hold, at most so many; of equals, the first by name."""
    kept = [int(i) for i in np.flatnonzero(candidates)]
    if most is not None and len(kept) > most:
        kept.sort(key=lambda i: (-counts[i], names[i]))
        del kept[most:]
    return kept


def _word_ngrams(tokens: list[str], low: int, high: int) -> list[str]:
    found = tokens if low == 1 else []
    for n in range(max(low, 2), min(high, len(tokens)) + 1):
        found = found + [" ".join(gram) for gram in zip(*(tokens[start:] for start in range(n)), strict=False)]
    return found


def _nothing(_: object) -> list[str]:
    return []


def runs_of(text: str, low: int, high: int) -> list[str]:
    """Return the runs of `low` to `high` characters, shortest first."""
    return [text[start : start + n] for n in range(low, high + 1) for start in range(len(text) - n + 1)]


def runs_within(token: str, low: int, high: int) -> list[str]:
    """Return the runs of a token, a space for each border; as in scikit-learn, a short token is a run itself.

    >>> runs_within("cat", 4, 5)
    [' cat', 'cat ', ' cat ']
    """
    padded = f" {token} "
    return runs_of(padded, low, high) if len(padded) > low else [padded]


def count_columns(rows: Iterable[list[int]], n_columns: Callable[[], int]) -> Counts:
    """Turn rows of columns, one for each occurrence, into counts; the width is asked for when all rows are read."""
    columns, ends = array("i"), [0]
    for row in rows:
        columns.extend(row)
        ends.append(len(columns))
    kind = np.int32 if len(columns) <= _LARGEST_INT32 else np.int64
    counts: Counts = sparse.csr_matrix(
        (np.ones(len(columns)), np.array(columns, dtype=kind), np.array(ends, dtype=kind)),
        shape=(len(ends) - 1, n_columns()),
    )
    counts.sum_duplicates()
    return counts


def _take_columns(counts: Counts, kept: Integers) -> Counts:
    """Keep these columns in this order."""
    column_of = np.full(counts.shape[1], -1, dtype=counts.indices.dtype)
    column_of[kept] = np.arange(len(kept))
    columns = column_of[counts.indices]
    stays = columns >= 0
    before = np.concatenate(([0], np.cumsum(stays)))
    taken: Counts = sparse.csr_matrix(
        (counts.data[stays], columns[stays], before[counts.indptr].astype(counts.indptr.dtype)),
        shape=(counts.shape[0], len(kept)),
    )
    taken.sort_indices()
    return taken
