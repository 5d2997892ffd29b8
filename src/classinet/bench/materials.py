"""What the analyses are computed from: the nets of the benchmark, and texts.

Enter: a benchmark whose nets are built. Leave: `Materials`.
"""

from __future__ import annotations

import numpy as np

from classinet._typing import Progress
from classinet.bench.analyses import Materials
from classinet.bench.tasks import Labelled
from classinet.bench.work import Work
from classinet.datasets import load
from classinet.text import split_sentences

N_A_CLASS = 1000
MIN_WORDS = 3


def review_sentences(seed: int = 0) -> tuple[list[str], list[str]]:
    """Return 1,000 sentences of positive and 1,000 of negative IMDB test reviews, each labelled as its review.

    One sentence a review, reviews and sentences drawn by chance; the nets have seen the training reviews alone.
    """
    data = load("imdb", split="test")
    rng = np.random.default_rng(seed)
    texts: list[str] = []
    labels: list[str] = []
    for row in rng.permutation(len(data.texts)):
        label = data.labels[row]
        if labels.count(label) == N_A_CLASS:
            continue
        sentences = [s for s in split_sentences(data.texts[row]) if len(s.split()) >= MIN_WORDS]
        if sentences:
            texts.append(" ".join(sentences[rng.integers(len(sentences))].split()))
            labels.append(label)
        if len(texts) == 2 * N_A_CLASS:
            break
    return texts, labels


def materials(
    work: Work,
    corpus: str,
    sentences: tuple[list[str], list[str]],
    subj: Labelled,
    judged: Labelled,
    progress: Progress,
) -> Materials:
    """Put together what the analyses need, over the nets of a kept corpus."""
    training, tested = judged.train(0), judged.test(0)
    return Materials(
        labelled=sentences,
        subj_texts=subj.texts,
        task=(
            [judged.texts[row] for row in training],
            [judged.classes[judged.codes[row]] for row in training],
            [judged.texts[row] for row in tested],
            [judged.classes[judged.codes[row]] for row in tested],
        ),
        net=work.net(corpus, "default")[0],
        paper_net=lambda vertices: work.net(corpus, f"paper-{vertices}")[0],
        progress=progress,
    )
