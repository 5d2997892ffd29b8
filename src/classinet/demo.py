"""`make demo`: build a small net from a few hundred made-up sentences and expand one text, in a few seconds.

Enter: nothing. Leave: on standard output, what the net learnt and what it adds to a text it has not seen.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from classinet import ClassiNet

TOPICS = {
    "weather": ["rain", "storm", "wind", "cloud", "sun", "snow", "cold", "wet", "forecast", "thunder"],
    "kitchen": ["soup", "bread", "oven", "pepper", "onion", "bake", "salt", "dough", "recipe", "butter"],
    "football": ["goal", "striker", "referee", "penalty", "match", "keeper", "league", "coach", "corner", "save"],
}
FRAMES = [
    "the {} and the {}",
    "a {} after the {} and {}",
    "{} then {} before the {}",
    "we saw {} {} {} and {}",
]
TEXT = "the storm and the cloud"


def sentences(count: int = 900, seed: int = 0) -> list[str]:
    """Return sentences that each speak of one topic."""
    rng = np.random.default_rng(seed)
    topics = list(TOPICS.values())
    return [
        FRAMES[rng.integers(len(FRAMES))].format(*rng.choice(topics[rng.integers(len(topics))], 4, replace=False))
        for _ in range(count)
    ]


def main() -> None:
    """Build, look, expand."""
    texts = sentences()
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    print(
        f"building a net from {len(texts)} sentences (the first run on a machine compiles for about a minute)",
        file=sys.stderr,
    )
    model = ClassiNet().fit(X, feature_names=names)
    net = model.net_
    print(f"{net!r}")
    print(f"mean held-out AUC of the predictors: {np.nanmean(net.report()['auc']):.3f}")
    for word in ("storm", "oven", "penalty"):
        near = sorted(net.graph.successors(word), key=lambda edge: -edge.weight)[:5]
        print(f"{word:>8} → " + ", ".join(f"{edge.target} {edge.weight:.2f}" for edge in near))
    row = model.transform(vectorizer.transform([TEXT]))[0, len(names) :].toarray().ravel()
    best = np.argsort(-row, kind="stable")[:6]
    columns = model.get_feature_names_out()[len(names) :]
    print(f'"{TEXT}" implies: ' + ", ".join(f"{columns[i]} {row[i]:.3f}" for i in best))


if __name__ == "__main__":
    main()
