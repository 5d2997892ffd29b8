"""How long a build will take and how much it will need, from a short build of its first texts.

Enter: the texts and the recipe. Leaves: seconds and bytes. The first texts are built in earnest, every stage timed on
this machine; each stage is then scaled by what it grows with: texts, vertices, held-out texts, pairs of words. How
vocabulary and pairs grow is read from the first half of those texts against all of them (a power law).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from classinet._sparse import presence, row_slice, take_columns, transpose
from classinet._typing import Csr
from classinet.build.corpus import Corpus, stream_corpus
from classinet.build.stages import Recipe, build_net
from classinet.engine import Engine, ThreadEngine, TimedEngine
from classinet.exceptions import EmptyNetWarning
from classinet.text import TextVectorizer
from classinet.text.vectorizer import MOST_PIECES
from classinet.vertices import Landmarks, MostFrequent

SAMPLE = 8_000
WARM_UP = 300  # texts built first, so that compilation is not taken for work
LIBRARIES = 170_000_000  # bytes that Python and the libraries take before anything is built
PER_FEATURE = 200  # bytes of a feature in the dictionaries
SAFETY = 1.2  # on memory: allocators keep more than they are asked for


@dataclass(frozen=True)
class Estimate:
    """What a build is expected to take.

    Attributes
    ----------
    seconds : from the first text to the net.
    peak_bytes : memory that is neither shared nor a mapped file, at its highest.
    disk_bytes : size of the build's directory when it is finished, and of the net beside it.
    n_texts, n_features, n_vertices : what will be built.
    assumptions : what the figures rest on, in words.
    """

    seconds: float
    peak_bytes: int
    disk_bytes: int
    n_texts: int
    n_features: int
    n_vertices: int
    assumptions: tuple[str, ...]


def estimate(
    texts: Iterable[str],
    *,
    vectorizer: TextVectorizer,
    recipe: Recipe,
    split: str | None = None,
    n_jobs: int | None = -1,
    sample: int = SAMPLE,
) -> Estimate:
    """Estimate time, memory and disk of a build with a directory; all texts are read, to count them.

    Parameters
    ----------
    texts : as for the build.
    vectorizer, split : as for the build.
    recipe : the strategies, as `ClassiNet.recipe()` gives them.
    n_jobs : threads of the build.
    sample : how many of the first texts are built to measure; more take longer and tell more.

    >>> from classinet.model import ClassiNet
    >>> texts = ["rain and storm", "storm and thunder", "a goal for the team", "the team and a coach"] * 50
    >>> found = estimate(texts, vectorizer=TextVectorizer(), recipe=ClassiNet().recipe())
    >>> found.n_texts, found.n_vertices, found.seconds > 0
    (200, 10, True)
    """
    stream = iter(texts)
    first = list(islice(stream, sample))
    begun = time.perf_counter()
    n_more = sum(1 for _ in stream)
    reading = time.perf_counter() - begun
    growth = (len(first) + n_more) / max(len(first), 1)

    with ThreadEngine(n_jobs) as engine, warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyNetWarning)
        _timed_build(first[:WARM_UP], vectorizer, recipe, split, engine)
        half, _ = _timed_corpus(first[: max(2, len(first) // 2)], vectorizer, split)
        corpus, watch = _timed_build(first, vectorizer, recipe, split, engine)
    here, there = _measure(corpus, vectorizer, recipe), _measure(half, vectorizer, recipe)
    full = _grown(here, there, growth, vectorizer, recipe)
    seconds = reading + sum(_factor(stage, here, full) * spent for stage, spent in watch.seconds.items())
    return Estimate(
        seconds=float(seconds),
        peak_bytes=int(SAFETY * _peak(full, recipe, engine.n_threads)),
        disk_bytes=int(_disk(full, recipe)),
        n_texts=int(full["texts"]),
        n_features=int(full["features"]),
        n_vertices=int(full["vertices"]),
        assumptions=(
            f"a build of the first {len(first):,} texts took {sum(watch.seconds.values()):.1f} s on {engine.n_threads} "
            "threads of this machine",
            f"the vocabulary grows from {here['features']:,.0f} to {full['features']:,.0f} features",
            "training needs as many passes as it needed there; nothing else keeps the machine busy",
        ),
    )


def _timed_corpus(texts: list[str], vectorizer: TextVectorizer, split: str | None) -> tuple[Corpus, float]:
    begun = time.perf_counter()
    corpus = stream_corpus(texts, vectorizer, split=split)
    return corpus, time.perf_counter() - begun


def _timed_build(
    texts: list[str], vectorizer: TextVectorizer, recipe: Recipe, split: str | None, engine: Engine
) -> tuple[Corpus, TimedEngine]:
    corpus, reading = _timed_corpus(texts, vectorizer, split)
    watch = TimedEngine(engine)
    begun = time.perf_counter()
    if corpus.n_texts > 1:
        pieces = ~vectorizer.words_among(corpus.names)
        build_net(recipe, corpus.matrix, corpus.matrix, None, corpus.names, None, 0, watch, pieces)
    between = time.perf_counter() - begun - sum(watch.seconds.values())
    watch.seconds.update({"texts": reading, "preparation": max(0.0, between)})
    return corpus, watch


def _measure(corpus: Corpus, vectorizer: TextVectorizer, recipe: Recipe) -> dict[str, float]:
    """What the cost of a stage may depend on."""
    words = vectorizer.words_among(corpus.names)
    columns = recipe.vertices.choose(corpus.matrix, corpus.names, None, words)
    seen = presence(row_slice(corpus.matrix, 0, min(corpus.n_texts, SAMPLE)))
    return {
        "texts": corpus.n_texts,
        "features": len(corpus.names),
        "words": int(words.sum()),
        "pieces": int((~words).sum()),
        "vertices": len(columns),
        "values": corpus.matrix.nnz,
        "held out": recipe.labels.held_out_rows(max(2, corpus.n_texts), len(columns)),
        "pairs": _pairs(take_columns(seen, columns), seen),
    }


def _pairs(targets: Csr, contexts: Csr) -> int:
    """In how many pairs of a vertex and a feature the two meet."""
    return int((transpose(targets) @ contexts).nnz)


def _grown(
    here: dict[str, float], half: dict[str, float], growth: float, vectorizer: TextVectorizer, recipe: Recipe
) -> dict[str, float]:
    """The same of the whole corpus."""

    def power_law(name: str) -> float:
        if growth <= 1:
            return here[name]
        doublings = np.log2(here["texts"] / half["texts"])
        slope = np.log2(max(here[name], 1) / max(half[name], 1)) / max(doublings, 1e-9)
        # Growth slows down: what doubles with the first texts does not go on doubling.
        return float(here[name] * growth ** np.clip(0.85 * slope, 0.0, 1.0))

    most = np.inf if vectorizer.max_features is None else vectorizer.max_features
    words, pieces = min(power_law("words"), most), min(power_law("pieces"), most, MOST_PIECES)
    features = words + pieces
    vertices = here["vertices"] * words / max(here["words"], 1)
    limit = recipe.vertices.n if isinstance(recipe.vertices, MostFrequent | Landmarks) else here["vertices"]
    vertices = min(vertices, words, limit or words)
    texts = here["texts"] * growth
    pairs = min(power_law("pairs"), vertices * features)
    return {
        "texts": texts, "features": features, "words": words, "pieces": pieces, "vertices": vertices, "pairs": pairs,
        "values": here["values"] * growth,
        "held out": recipe.labels.held_out_rows(max(2, int(texts)), int(vertices)),
    }  # fmt: skip


def _factor(stage: str, here: dict[str, float], full: dict[str, float]) -> float:
    """How many times longer a stage takes on the whole corpus."""
    ratio = {name: full[name] / max(here[name], 1) for name in here}
    if stage == "ridge":
        return max(ratio["texts"], ratio["vertices"] ** 3)
    if stage == "context vectors":
        return max(ratio["pairs"], ratio["features"])
    if stage in ("rank", "held-out words"):
        return ratio["vertices"]
    if stage.startswith("neighbors, round"):  # every pair of vertices is met
        return ratio["vertices"] ** 2
    if stage in ("labels", "edges", "neighbors", "hash tables"):
        return ratio["vertices"] * ratio["held out"]
    return ratio["texts"]


def _peak(full: dict[str, float], recipe: Recipe, n_threads: int) -> float:
    """Bytes of the largest things that are in memory together."""
    k = min(recipe.neighbors.k, full["vertices"])
    vectors = 100 * 4 * (2 * full["features"] + 3 * full["vertices"])
    fitting = 40 * full["pairs"] + vectors + 40 * full["texts"]
    voting = 2 * full["vertices"] * full["held out"] / 8 + n_threads * 3 * 256 * 4 * full["held out"]
    weighing = 140 * full["vertices"] * k + 2 * full["vertices"] * full["held out"] / 8 + 60 * _outside(full, recipe)
    if type(recipe.predictor).__name__ == "Ridge":
        fitting += 12 * full["vertices"] ** 2
    return LIBRARIES + PER_FEATURE * full["features"] + max(fitting, voting + vectors, weighing + vectors)


def _disk(full: dict[str, float], recipe: Recipe) -> float:
    """Bytes of all that a build keeps in its directory, and of the net that is written beside it."""
    k = min(recipe.neighbors.k, full["vertices"])
    rows = 4 * (8 * full["values"] + 8 * full["texts"])
    if type(recipe.predictor).__name__ == "Factorised":
        # What is met is counted for the predictors and for the vectors of all texts, which are kept in both places.
        rows += 2 * 8 * full["pairs"] + 4 * 400 * full["features"]
    return (
        rows
        + 200 * full["vertices"] * k
        + 24 * _outside(full, recipe)
        + full["vertices"] * (4 * full["held out"] / 8 + 10 * 400)
    )


def _outside(full: dict[str, float], recipe: Recipe) -> float:
    """How many edges lead from features that are no vertices."""
    if not recipe.edges.outside:
        return 0.0
    return (full["features"] - full["vertices"]) * min(recipe.neighbors.k, full["vertices"])
