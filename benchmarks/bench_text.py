"""How fast texts become counts, as ratios against scikit-learn's CountVectorizer in the same run.

Enter: the reviews of `imdb/train.tsv.gz`, found through CLASSINET_DATA. Leaves: a table on standard output. Rivals take
turns and the best of several rounds counts, so that a busy moment does not decide.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer

from classinet.text import TextVectorizer, Tokenizer, read_records, split_sentences

N_TEXTS = 100_000
ROUNDS = 5
ONE_TEXT = ["the film was not as good as everybody said beforehand"]


def duel(ours: Callable[[], object], theirs: Callable[[], object], times: int = 1) -> tuple[float, float]:
    """Seconds for one call of each, the best of all rounds."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for who, call in enumerate((ours, theirs)):
            began = time.perf_counter()
            for _ in range(times):
                call()
            best[who] = min(best[who], (time.perf_counter() - began) / times)
    return best[0], best[1]


def row(name: str, seconds: tuple[float, float], target: str) -> None:
    ours, theirs = seconds
    print(f"{name:<34}{ours * 1e6:>14,.0f} µs{theirs * 1e6:>14,.0f} µs{ours / theirs:>8.2f}   {target}")


def main() -> None:
    data = Path(os.environ.get("CLASSINET_DATA", "data"))
    began = time.perf_counter()
    reviews = [record.text for record in read_records(data / "imdb" / "train.tsv.gz")]
    print(f"read {len(reviews):,} reviews in {time.perf_counter() - began:.2f} s")
    began = time.perf_counter()
    sentences = [sentence for review in reviews for sentence in split_sentences(review)]
    print(f"split into {len(sentences):,} sentences in {time.perf_counter() - began:.2f} s")

    texts = sentences[:N_TEXTS]
    accented = [f"{text} naïve" for text in texts]
    tokenize, analyze = Tokenizer().compiled(), CountVectorizer().build_analyzer()
    tokenize(accented[0])  # the pattern beyond ASCII is built once
    ours, theirs = TextVectorizer().fit(texts), CountVectorizer().fit(texts)
    print(f"\n{'':<34}{'classinet':>17}{'scikit-learn':>17}{'ratio':>8}   target")
    n = f"{len(texts):,} texts"
    row(f"tokens, {n}", duel(lambda: list(map(tokenize, texts)), lambda: list(map(analyze, texts))), "≤ 1.5")
    row(
        f"tokens, {n} beyond ASCII",
        duel(lambda: list(map(tokenize, accented)), lambda: list(map(analyze, accented))),
        "",
    )
    row(f"transform, {n}", duel(lambda: ours.transform(texts), lambda: theirs.transform(texts)), "≤ 1.3")
    row(f"fit_transform, {n}", duel(lambda: ours.fit_transform(texts), lambda: theirs.fit_transform(texts)), "")
    one = duel(lambda: ours.transform(ONE_TEXT), lambda: theirs.transform(ONE_TEXT), 2000)
    row("transform, one text of ten words", one, "≤ 60 µs")


if __name__ == "__main__":
    main()
