"""Take a text apart: its features, what the net adds and by which path, and what each weighs in the decision.

Enter: a text and the parts of a fitted classifier, or of a net alone. Leave: an `Explanation`, or an `ExpandedText`.
Every number that the classifier sees belongs to exactly one feature, so that what features contribute adds up to the
decision. Runs of letters are told word by word: a run that two words share is divided between them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from classinet._typing import Csr, Floats, Integers
from classinet.explain import LETTERS, PHRASE, PREDICTED, TEXT, ExpandedText, Explanation, Feature, Term
from classinet.merging import append
from classinet.pipeline.head import Head
from classinet.pipeline.representation import Representation, weigh_blocks


class _Told(NamedTuple):
    """A feature, and how much of which columns of the classifier it is."""

    feature: Feature
    columns: Integers
    values: Floats


def expand_text(text: str, representation: Representation, top: int | None) -> ExpandedText:
    """Return a text with the `top` largest features that the net adds to it."""
    counts = representation.counts([text])
    own = representation.text_rows(counts)
    told = _features(text, representation, counts, own, representation.expansion_rows(counts), top)
    return _expanded(text, representation, told)


def explain_text(text: str, representation: Representation, head: Head, plain_head: Head) -> Explanation:
    """Explain the decision of a classifier on one text."""
    counts = representation.counts([text])
    own = representation.text_rows(counts)
    seen, expanded = weigh_blocks(own, representation.expansion_rows(counts), representation.weight)
    logits = head.logits(append(seen, expanded))
    told = _features(text, representation, counts, seen, expanded, None)
    label = head.labels_of(logits)[0]
    return Explanation(
        expanded=_expanded(text, representation, told),
        classes=tuple(head.classes.tolist()),
        label=_plain(label),
        label_without=_plain(plain_head.predict(own)[0]),
        logits=tuple(logits[0].tolist()),
        probabilities=tuple(head.probabilities_of(logits)[0].tolist()),
        terms=_terms(told, head, logits[0]),
    )


def _expanded(text: str, representation: Representation, told: list[_Told]) -> ExpandedText:
    vectorizer = representation.vectorizer
    unknown = tuple(sorted({f for f in vectorizer.words_of(text) if f not in vectorizer.vocabulary_}))
    return ExpandedText(text, unknown, tuple(one.feature for one in told))


def _features(
    text: str, representation: Representation, counts: Csr, own: Csr, expanded: Csr, top: int | None
) -> list[_Told]:  # fmt: skip
    """What the text holds, word by word and piece by piece, then what the net adds, the largest first."""
    return [
        *_words(representation, own),
        *_pieces(text, representation, own),
        *_predicted(representation, counts, expanded, top),
    ]


def _words(representation: Representation, own: Csr) -> list[_Told]:
    names = representation.column_names()
    held = [(c, v) for c, v in _entries(own) if c < representation.n_words]
    words = representation.vectorizer.words_among(names[[c for c, _ in held]])
    return [
        _single(str(names[c]), TEXT if word else PHRASE, c, v) for (c, v), word in zip(held, words, strict=True)
    ]  # fmt: skip


def _pieces(text: str, representation: Representation, own: Csr) -> list[_Told]:
    pieces = representation.pieces
    if pieces is None:
        return []
    n_words, n_phrases = representation.n_words, len(pieces.phrases)
    value = {column - n_words: v for column, v in _entries(own) if column >= n_words}
    told = [_single(pieces.phrases[c], PHRASE, n_words + c, v) for c, v in value.items() if c < n_phrases]
    by_word = {
        word: Counter({c: n * times for c, n in Counter(pieces.run_columns(word)).items()})
        for word, times in Counter(representation.tokens([text])[0]).items()
    }
    in_all = sum(by_word.values(), Counter())
    for word, held in by_word.items():
        if held:
            columns = np.array(list(held), dtype=np.int64)
            values = np.array([value[c] * n / in_all[c] for c, n in held.items()])
            told.append(_Told(Feature(word, LETTERS, float(np.linalg.norm(values))), n_words + columns, values))
    return told


def _predicted(representation: Representation, counts: Csr, expanded: Csr, top: int | None) -> list[_Told]:
    net, n_own = representation.net, counts.shape[1]
    order = np.argsort(-expanded.data, kind="stable")[:top]
    vertices = expanded.indices[order].astype(np.int64)
    paths = representation.expansion.paths(representation.leading_rows(counts), net, vertices)
    return [
        _single(
            str(net.graph.names[vertex]), PREDICTED, n_own + vertex, value, path.names, float(path.share)
        )
        for vertex, value, path in zip(vertices.tolist(), expanded.data[order].tolist(), paths, strict=True)
    ]  # fmt: skip


def _entries(row: Csr) -> Any:
    return zip(row.indices.tolist(), row.data.tolist(), strict=True)


def _single(name: str, kind: str, column: int, value: float, path: tuple[str, ...] = (), share: float = 1.0) -> _Told:
    return _Told(Feature(name, kind, value, path, share), np.array([column]), np.array([value]))


def _terms(told: list[_Told], head: Head, logits: Floats) -> tuple[Term, ...]:
    columns = np.concatenate([np.empty(0, dtype=np.int64), *(one.columns for one in told)])
    values = np.concatenate([np.empty(0), *(one.values for one in told)])
    starts = np.concatenate(([0], np.cumsum([len(one.columns) for one in told])))[:-1].astype(np.int64)
    contributions = head.coef[:, columns] * values
    if len(told):
        contributions = np.add.reduceat(contributions, starts, axis=1)
    # What speaks for or against the label comes first; of tags, what moves any of them most.
    matters = np.abs(contributions).max(axis=0) if head.multilabel else np.abs(contributions[int(logits.argmax())])
    order = np.argsort(-matters, kind="stable")
    terms = [Term(told[i].feature, tuple(contributions[:, i].tolist())) for i in order]
    return (*terms, Term(None, tuple(head.intercept.tolist())))


def _plain(label: Any) -> Any:
    """A label as Python has it: a tuple of tags, a row of an indicator as a tuple of numbers, or one class."""
    if isinstance(label, np.ndarray):
        return tuple(label.tolist())
    return label.item() if isinstance(label, np.generic) else label
