"""All that a classifier says of many texts, each text cut into tokens once.

Enter: texts and the parts of a fitted classifier. Leave: `Judgements`: labels with and without expansion, probabilities
and how much of each text is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from classinet._typing import Floats
from classinet.pipeline.head import Head
from classinet.pipeline.representation import Representation


@dataclass(frozen=True, eq=False)
class Judgements:
    """What a classifier says of some texts.

    Attributes
    ----------
    labels : the label, or the tags, of each text, in the form `predict` returns.
    labels_without : the same of the classifier that was trained on the same labels without expansion.
    probabilities : texts × classes.
    coverage : share of each text's distinct features that are known; 0 for a text without any.
    """

    labels: Any
    labels_without: Any
    probabilities: Floats
    coverage: Floats


def judge_texts(texts: Iterable[str], representation: Representation, head: Head, plain_head: Head) -> Judgements:
    """Judge texts by a classifier with expansion and by one without."""
    tokens = representation.tokens(texts)
    counts = representation.counts_of(tokens)
    own = representation.text_rows(counts)
    logits = head.logits(representation.joined(own, counts))
    return Judgements(
        labels=head.labels_of(logits),
        labels_without=plain_head.predict(own),
        probabilities=head.probabilities_of(logits),
        coverage=representation.coverage(tokens),
    )
