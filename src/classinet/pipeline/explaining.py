"""Take a text apart: its features, what the net adds and by which path, and what each weighs in the decision.

Enter: a text and the parts of a fitted classifier, or of a net alone. Leave: an `Explanation`, or an `ExpandedText`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classinet._typing import Csr, Floats
from classinet.explain import PREDICTED, TEXT, ExpandedText, Explanation, Feature, Term
from classinet.merging import append
from classinet.pipeline.head import Head
from classinet.pipeline.representation import Representation, weigh_blocks


def expand_text(text: str, representation: Representation, top: int | None) -> ExpandedText:
    """Return a text with the `top` largest features that the net adds to it."""
    own = representation.text_rows(representation.counts([text]))
    expanded = representation.expansion_rows(own)
    return _expanded(text, representation, own, expanded, top)


def explain_text(text: str, representation: Representation, head: Head, plain_head: Head) -> Explanation:
    """Explain the decision of a classifier on one text."""
    own = representation.text_rows(representation.counts([text]))
    seen, expanded = weigh_blocks(own, representation.expansion_rows(own), representation.weight)
    logits = head.logits(append(seen, expanded))
    told = _expanded(text, representation, seen, expanded, None)
    label = head.labels_of(logits)[0]
    return Explanation(
        expanded=told,
        classes=tuple(head.classes.tolist()),
        label=_plain(label),
        label_without=_plain(plain_head.predict(own)[0]),
        logits=tuple(logits[0].tolist()),
        probabilities=tuple(head.probabilities_of(logits)[0].tolist()),
        terms=_terms(told.features, _columns(seen, expanded), head, logits[0]),
    )


def _expanded(text: str, representation: Representation, own: Csr, expanded: Csr, top: int | None) -> ExpandedText:
    names, net = representation.column_names(), representation.net
    present = [Feature(str(names[c]), TEXT, float(v)) for c, v in zip(own.indices, own.data, strict=True)]
    order = _largest_first(expanded)[:top]
    vertices = expanded.indices[order].astype(np.int64)
    paths = representation.expansion.paths(representation.known_to_net(own), net, vertices)
    predicted = [
        Feature(str(net.graph.names[vertex]), PREDICTED, float(value), path.names, float(path.share))
        for vertex, value, path in zip(vertices, expanded.data[order], paths, strict=True)
    ]
    return ExpandedText(text, _unknown(text, representation), (*present, *predicted))


def _unknown(text: str, representation: Representation) -> tuple[str, ...]:
    vectorizer = representation.vectorizer
    return tuple(sorted({f for f in vectorizer.features(text) if f not in vectorizer.vocabulary_}))


def _largest_first(expanded: Csr) -> Any:
    return np.argsort(-expanded.data, kind="stable")


def _columns(own: Csr, expanded: Csr) -> Any:
    """Columns of the head, in the order in which `_expanded` lists the features."""
    return np.concatenate([own.indices, own.shape[1] + expanded.indices[_largest_first(expanded)]])


def _terms(features: tuple[Feature, ...], columns: Any, head: Head, logits: Floats) -> tuple[Term, ...]:
    values = np.array([feature.value for feature in features])
    contributions = head.coef[:, columns] * values
    # What speaks for or against the label comes first; of tags, what moves any of them most.
    matters = np.abs(contributions).max(axis=0) if head.multilabel else np.abs(contributions[int(logits.argmax())])
    order = np.argsort(-matters, kind="stable")
    terms = [Term(features[i], tuple(contributions[:, i].tolist())) for i in order]
    return (*terms, Term(None, tuple(head.intercept.tolist())))


def _plain(label: Any) -> Any:
    """A label as Python has it: a tuple of tags, a row of an indicator as a tuple of numbers, or one class."""
    if isinstance(label, np.ndarray):
        return tuple(label.tolist())
    return label.item() if isinstance(label, np.generic) else label
