"""What `bench scale` builds: nets of growing numbers of features and of texts, each in a process of its own.

Enter: recipes and sizes. Leave: seconds of every stage, memory, bytes, and how many of the nearest were found. Every
point is a build in a directory, as `classinet build` does it. Two rows of points: features grow with all texts, and
texts grow with a middling number of features.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import config_context

from classinet import persistence
from classinet._files import whole_file
from classinet._typing import Progress
from classinet._validation import check_choice, check_number
from classinet.bench.corpora import CORPORA, Corpus, separate
from classinet.bench.measuring import Clock, Measured, Measurement, measure_all
from classinet.build.stages import predictor_vectors
from classinet.datasets import made_up_sentences
from classinet.engine import ThreadEngine, TimedEngine
from classinet.exceptions import DivergenceWarning, ParameterError
from classinet.model import ClassiNet
from classinet.neighbors import recall, sample_vertices
from classinet.net import Net
from classinet.pipeline import TextNet
from classinet.text import TextFiles, TextVectorizer

PROTOCOL = "3"
RECIPES: dict[str, Callable[[int], ClassiNet]] = {
    "default": lambda n_features: ClassiNet(),
    "paper": lambda n_features: ClassiNet.paper(vertices=n_features),
}
MIDDLE = 20_000  # features with which texts grow, if it is one of the sizes
READING = "texts"  # the stage in which texts are read and counted: in one thread here, file by file on a cluster
ALPHA, NEAREST = 200, 10  # vertices whose exact neighbours are looked for, and how many of each
EXPANDED = 2_000  # texts whose expansion is timed


@dataclass(frozen=True)
class Sizes:
    """What to build, in which sizes; None as a number of texts means all there are.

    >>> [(p.recipe, p.features, p.texts) for p in Sizes(("default",), (100, 200, 400), (1000, 4000)).points(4000)]
    [('default', 100, 4000), ('default', 200, 1000), ('default', 200, 4000), ('default', 400, 4000)]
    """

    recipes: tuple[str, ...] = ("default", "paper")
    features: tuple[int, ...] = (1_000, 5_000, 20_000, 100_000, 489_000)
    texts: tuple[int | None, ...] = (50_000, 250_000, None)

    def __post_init__(self) -> None:
        for name, values in (("recipes", self.recipes), ("features", self.features), ("texts", self.texts)):
            if not values:
                raise ParameterError(f"{name} is empty, so there is nothing to build")
        for recipe in self.recipes:
            check_choice("recipe", recipe, tuple(RECIPES))
        for name, numbers in (("features", self.features), ("texts", self.texts)):
            for number in numbers:
                if number is not None:
                    check_number(name, number, low=2, whole=True)

    @property
    def middle(self) -> int:
        """The number of features with which texts grow."""
        return MIDDLE if MIDDLE in self.features else sorted(self.features)[len(self.features) // 2]

    def points(self, available: int) -> list[Point]:
        """Return what to build where so many texts are available, the small ones first, each once."""
        counts = sorted({min(available, available if n is None else n) for n in self.texts})
        pairs = {(n, counts[-1]) for n in self.features} | {(self.middle, n) for n in counts}
        return [Point(recipe, *pair) for recipe in dict.fromkeys(self.recipes) for pair in sorted(pairs)]


QUICK = Sizes(features=(20, 40), texts=(300, 900))


@dataclass(frozen=True)
class Point:
    """One build: a recipe, the number of features, the number of texts."""

    recipe: str
    features: int
    texts: int

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.recipe}-{self.features}-{self.texts}"

    @property
    def title(self) -> str:
        """What is said while it is built."""
        return f"{self.recipe} recipe with {self.features:,} features of {self.texts:,} texts"


def run(
    sizes: Sizes,
    folder: Path,
    progress: Progress,
    *,
    corpus: Callable[[], Corpus] = CORPORA["imdb-all"],
    threads: int,
    again: bool = False,
) -> tuple[dict[Point, Measured], list[str]]:
    """Build what is not stored yet; return the figures of every point, and a line for each that failed."""
    place = folder / "scale"
    texts, available, fingerprint = _texts(place, corpus, progress)
    points = sizes.points(available)
    wanted = [
        Measurement(
            point.name, point.title, build_point, threads,
            {"texts": str(texts), "point": point, "threads": threads, "work": str(place / "work")},
            (PROTOCOL, fingerprint, described(point), point.texts),
        )
        for point in points
    ]  # fmt: skip
    found, failures = measure_all(wanted, place, progress, again=again, first=warm_up)
    return {point: found[point.name] for point in points if point.name in found}, failures


def _texts(place: Path, corpus: Callable[[], Corpus], progress: Progress) -> tuple[Path, int, str]:
    """Write the texts of a corpus to a file, one a line, and return it, their number and their fingerprint.

    They are shuffled, so that the first n are a sample of all; a corpus is often sorted by what it is about.
    """
    progress("read texts", 0, 1)
    read = corpus()
    order = np.random.default_rng(0).permutation(len(read.texts))
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{read.key}-{read.fingerprint}.txt"
    if not path.is_file():
        with whole_file(path) as file:
            file.writelines(f"{read.texts[row]}\n" for row in order)
    progress("read texts", 1, 1)
    return path, len(read.texts), read.fingerprint


def described(point: Point) -> str:
    """Return all that decides how a net is built, defaults included: a changed default is another net.

    >>> "Factorised(" in described(Point("default", 1000, 5000))
    True
    """
    with config_context(print_changed_only=False):
        return repr((RECIPES[point.recipe](point.features).recipe(), _vectorizer(point.features)))


def _vectorizer(n_features: int) -> TextVectorizer:
    return TextVectorizer(ngram_range=(1, 2), max_features=n_features)


def warm_up(clock: Clock) -> dict[str, Any]:
    """Compile kernels where a machine has none, so that no measurement does; runs in a process of its own."""
    for recipe in RECIPES:
        build_tiny(recipe)
    return {}


def build_tiny(recipe: str) -> None:
    """Build a net of a few made-up sentences, so that the kernels of a recipe are compiled and loaded.

    In a directory like the others: kernels are compiled for mapped arrays apart.

    >>> build_tiny("default")
    """
    with tempfile.TemporaryDirectory() as folder:
        _build(made_up_sentences(200), Point(recipe, 30, 200), Path(folder), 1)


def build_point(clock: Clock, texts: str, point: Point, threads: int, work: str) -> dict[str, Any]:
    """Build a net in a directory and save it; runs in a process of its own."""
    build_tiny(point.recipe)  # kernels are loaded before the clock begins
    place = Path(work)
    if place.exists():  # left by a run that was stopped; a build that goes on would look quicker than it is
        shutil.rmtree(place)
    place.mkdir(parents=True)
    with clock:
        net, stages, alone = _build(islice(TextFiles([texts]), point.texts), point, place, threads)
    fitted: Net = net.net_
    notes = {
        "stages": {name: round(seconds, 3) for name, seconds in stages.items()},
        "alone": alone,
        "features": fitted.n_features,
        "texts": net.n_texts_,
        "vertices": fitted.n_vertices,
        "edges": fitted.graph.n_edges,
        "left_out": len(fitted.left_out),
        "build_bytes": _size(place / "net.build"),
        "net_bytes": _size(place / "net"),
        "disk_bytes": _size(place),
        "recall": _recall(fitted, RECIPES[point.recipe](point.features), threads),
        "expanded_a_second": round(_expanded_a_second(net, list(islice(TextFiles([texts]), EXPANDED)))),
    }
    shutil.rmtree(place)
    return notes


def _build(texts: Any, point: Point, place: Path, threads: int) -> tuple[TextNet, dict[str, float], list[str]]:
    """Return a net, the seconds of each stage, and the stages that no second machine would share.

    What is between stages has a name of its own.
    """
    begun = time.perf_counter()
    net = TextNet(_vectorizer(point.features), RECIPES[point.recipe](point.features))
    with ThreadEngine(threads) as engine:
        timed = TimedEngine(engine)
        net.fit(texts, directory=place / "net.build", engine=timed)
    built = time.perf_counter()
    persistence.save(net, place / "net")
    ended = time.perf_counter()
    stages = {READING: (timed.begun or built) - begun}
    for stage, seconds in timed.seconds.items():
        stages[_whole(stage)] = stages.get(_whole(stage), 0.0) + seconds
    stages["between"] = max(0.0, built - begun - sum(stages.values()))
    stages["save"] = ended - built
    return net, stages, sorted({_whole(stage) for stage in timed.alone} | {"between", "save"})


def _whole(stage: str) -> str:
    """Return the stage that a pass or a block belongs to."""
    return stage.partition(", ")[0]


def _recall(net: Net, model: ClassiNet, threads: int) -> float | None:
    """Which share of the ten exactly nearest of some vertices was found."""
    if not net.n_vertices or net.neighbors is None:
        return None
    search = model.recipe().neighbors
    sample = sample_vertices(net.n_vertices, ALPHA)
    vectors = predictor_vectors(net.predictor)
    with ThreadEngine(threads) as engine:
        k = min(NEAREST, search.k)
        return round(recall(net.neighbors, net.labels, vectors, search.association, k, sample, engine), 4)


def _expanded_a_second(net: TextNet, texts: list[str]) -> float:
    """Return how many texts one thread turns into their words and what those imply in a second."""
    with warnings.catch_warnings():  # the paper's weights may add up to more than 1, which is told of every net
        warnings.simplefilter("ignore", DivergenceWarning)
        net.transform(texts[:10])
        clock = Clock()
        clock.best_of(lambda: net.transform(texts), repeats=3)
    return len(texts) / clock.seconds


def _size(folder: Path) -> int:
    """Return the bytes of all files, each counted once: a net shares the largest with its build."""
    found = (path.stat() for path in folder.rglob("*") if path.is_file())
    return sum({(file.st_dev, file.st_ino): file.st_size for file in found}.values())


def quick_corpus() -> Corpus:
    """Return text that every machine holds, in a moment.

    >>> len(quick_corpus().texts)
    900
    """
    return separate("made-up", made_up_sentences(900))
