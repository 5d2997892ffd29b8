"""What bounds few labels over film reviews: how well sentiment is judged by one who has read the labels of all reviews.

    CLASSINET_DATA=… python benchmarks/review_labels.py

Expansion learns from the sentences of 25,000 reviews without their labels. Here a linear classifier learns from the
labels, of whole reviews or of every sentence of them, and judges the sentences of TR, MR and CR (the first fold's test
part), of which it has no label. Prints accuracy in percent.
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from ablation import shown
from classinet.bench.tasks import all_tasks
from classinet.datasets import load
from classinet.text import split_sentences

JUDGED = ("tr", "mr", "cr")
STRENGTHS = (0.1, 1.0, 10.0)


def main() -> None:
    """Measure and print."""
    reviews = load("imdb", split="train")
    sentences = [(sentence, label) for text, label in zip(reviews.texts, reviews.labels, strict=True)
                 for sentence in split_sentences(text)]  # fmt: skip
    tasks = [all_tasks()[key].load() for key in JUDGED]
    print(f"| learnt from, features, C | {' | '.join(map(str.upper, JUDGED))} |\n|---|{'---:|' * len(JUDGED)}")
    for what, texts, labels in (
        ("25,000 reviews", reviews.texts, reviews.labels),
        (f"their {len(sentences):,} sentences", *zip(*sentences, strict=True)),
    ):
        for longest, features in ((1, "words"), (2, "words and pairs")):
            vectorizer = TfidfVectorizer(ngram_range=(1, longest), min_df=2, sublinear_tf=True, token_pattern=r"\w+")
            rows = vectorizer.fit_transform(texts)
            for strength in STRENGTHS:
                classifier = LogisticRegression(C=strength, max_iter=1000).fit(rows, labels)
                right = []
                for data in tasks:
                    asked = data.test(0)
                    said = classifier.predict(vectorizer.transform([data.texts[row] for row in asked]))
                    right.append(100 * float(np.mean(said == np.array(data.classes)[data.codes[asked]])))
                print(f"| {what}, {features}, {strength:g} | {' | '.join(map(shown, right))} |", flush=True)


if __name__ == "__main__":
    main()
