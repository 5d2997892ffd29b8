"""How time and memory of a build grow with features and with texts, and whether neighbours are still found.

Enter: recipes, numbers of features and of texts. Leave: tables, a picture and JSON. Every point is a build in a
directory, as `classinet build` does it, in a process of its own. Two rows of points: features grow with all texts, and
texts grow with a middling number of features.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import config_context

from classinet import persistence, plotting
from classinet._files import whole_file
from classinet._typing import Progress
from classinet._validation import check_choice, check_number
from classinet.bench.corpora import CORPORA, Corpus, separate
from classinet.bench.growth import Growth, Target, growth
from classinet.bench.measuring import Clock, Measured, Measurement, in_words, machine, measure_all, when
from classinet.bench.reporting import Report, figure
from classinet.bench.tables import MISSING, Table, plain_table
from classinet.build.stages import predictor_vectors
from classinet.datasets import made_up_sentences
from classinet.engine import ThreadEngine, TimedEngine
from classinet.exceptions import ParameterError
from classinet.model import ClassiNet
from classinet.neighbors import recall, sample_vertices
from classinet.net import Net
from classinet.pipeline import TextNet
from classinet.text import TextFiles, TextVectorizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROTOCOL = "1"
RECIPES: dict[str, Callable[[int], ClassiNet]] = {
    "default": lambda n_features: ClassiNet(),
    "paper": lambda n_features: ClassiNet.paper(vertices=n_features),
}
MIDDLE = 20_000  # features with which texts grow, if it is one of the sizes
ALPHA, NEAREST = 200, 10  # vertices whose exact neighbours are looked for, and how many of each
IN_TEXTS, IN_FEATURES, RECALL = Target(1.15), Target(1.0), Target(0.9, below=False)


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


@dataclass(frozen=True)
class Law:
    """How something grows, and whether that is what was aimed at."""

    what: str
    recipe: str
    axis: str
    found: Growth | None
    target: Target | None

    @property
    def verdict(self) -> str:
        """Met, missed, or a dash where there is no target or no figure."""
        return (
            MISSING if self.target is None else self.target.verdict(None if self.found is None else self.found.exponent)
        )


# ------------------------------------------------------------------------------------------------------------ measuring


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
        _build_tiny(recipe)
    return {}


def _build_tiny(recipe: str) -> None:
    # In a directory like the others: kernels are compiled for mapped arrays apart.
    with tempfile.TemporaryDirectory() as folder:
        _build(made_up_sentences(200), Point(recipe, 30, 200), Path(folder), 1)


def build_point(clock: Clock, texts: str, point: Point, threads: int, work: str) -> dict[str, Any]:
    """Build a net in a directory and save it; runs in a process of its own."""
    _build_tiny(point.recipe)  # kernels are loaded before the clock begins
    place = Path(work)
    if place.exists():  # left by a run that was stopped; a build that goes on would look quicker than it is
        shutil.rmtree(place)
    place.mkdir(parents=True)
    with clock:
        net, stages = _build(islice(TextFiles([texts]), point.texts), point, place, threads)
    fitted: Net = net.net_
    notes = {
        "stages": {name: round(seconds, 3) for name, seconds in stages.items()},
        "features": fitted.n_features,
        "texts": net.n_texts_,
        "vertices": fitted.n_vertices,
        "edges": fitted.graph.n_edges,
        "left_out": len(fitted.left_out),
        "build_bytes": _size(place / "net.build"),
        "net_bytes": _size(place / "net"),
        "recall": _recall(fitted, RECIPES[point.recipe](point.features), threads),
    }
    shutil.rmtree(place)
    return notes


def _build(texts: Any, point: Point, place: Path, threads: int) -> tuple[TextNet, dict[str, float]]:
    """Return a net, and the seconds of each stage; what is between stages has a name of its own."""
    begun = time.perf_counter()
    net = TextNet(_vectorizer(point.features), RECIPES[point.recipe](point.features))
    with ThreadEngine(threads) as engine:
        timed = TimedEngine(engine)
        net.fit(texts, directory=place / "net.build", engine=timed)
    built = time.perf_counter()
    persistence.save(net, place / "net")
    ended = time.perf_counter()
    stages = {"texts": (timed.begun or built) - begun}
    for stage, seconds in timed.seconds.items():
        whole = stage.partition(", ")[0]
        stages[whole] = stages.get(whole, 0.0) + seconds
    stages["between"] = max(0.0, built - begun - sum(stages.values()))
    return net, {**stages, "save": ended - built}


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


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def quick_corpus() -> Corpus:
    """Return text that every machine holds, in a moment.

    >>> len(quick_corpus().texts)
    900
    """
    return separate("made-up", made_up_sentences(900))


# -------------------------------------------------------------------------------------------------------------- telling

MEASURES: dict[str, Callable[[Measured], float | None]] = {
    "time": lambda measured: measured.seconds,
    "memory": lambda measured: measured.peak_bytes if measured.anonymous_bytes is None else measured.anonymous_bytes,
    "memory beyond the libraries": lambda measured: (
        None
        if measured.anonymous_bytes is None or measured.before_bytes is None
        else measured.anonymous_bytes - measured.before_bytes
    ),
}
AXES = ("features", "texts")


def rows_of(points: Mapping[Point, Measured]) -> Iterator[tuple[str, str, list[tuple[float, Measured]]]]:
    """Yield (recipe, axis, points along it with their true size): features with all texts, and texts."""
    for recipe in dict.fromkeys(point.recipe for point in points):
        own = {point: measured for point, measured in points.items() if point.recipe == recipe}
        most = max(point.texts for point in own)
        grown = {point.features for point in own if point.texts < most}
        for axis in AXES:
            along = [
                (float(measured.notes[axis]), measured)
                for point, measured in own.items()
                if (point.texts == most if axis == "features" else point.features in grown)
            ]
            if along:
                yield recipe, axis, sorted(along, key=lambda pair: pair[0])


def laws(points: Mapping[Point, Measured]) -> list[Law]:
    """Return how time and memory grow with features and with texts, for each recipe."""
    found = []
    for recipe, axis, along in rows_of(points):
        for what, of in MEASURES.items():
            fitted = growth([size for size, _ in along], [of(measured) for _, measured in along])
            target = None if "beyond" in what else IN_TEXTS if axis == "texts" else IN_FEATURES
            if fitted is not None:
                found.append(Law(what, recipe, axis, fitted, target))
    return found


def report(points: Mapping[Point, Measured], failures: Sequence[str] = (), threads: int = 1) -> Report:
    """Return tables, JSON and the picture of what was measured."""
    found = laws(points)
    place = machine()
    notes = [
        f"{in_words(place)} {threads} thread{'s' if threads > 1 else ''}.",
        when(points.values()),
        *(f"failed: {line}" for line in failures),
    ]
    recalls = {recipe: _least_recall(points, recipe) for recipe in dict.fromkeys(point.recipe for point in points)}
    return Report(
        name="scale",
        title="How a build grows",
        text=(
            "Every point is a build in a directory, in a process of its own: texts are streamed from disk, features "
            "are words and pairs of words, the most frequent are kept, and the net is saved. The default recipe makes "
            "up to 4,000 features vertices and serves the others through a first hop; the paper's takes every feature "
            "for a candidate and leaves out those with too few texts.",
        ),
        tables=(_growth_table(found, recalls), _points_table(points, notes), *_stage_tables(points)),
        json={
            "machine": place,
            "threads": threads,
            "growth": [_law_json(law) for law in found],
            "recall": [
                {"recipe": recipe, "least": least, "target": str(RECALL), "verdict": RECALL.verdict(least)}
                for recipe, least in recalls.items()
            ],
            "points": [{**asdict(point), "measured": asdict(measured)} for point, measured in points.items()],
            "failures": list(failures),
        },
        draw=lambda: _draw(points),
    )


def _least_recall(points: Mapping[Point, Measured], recipe: str) -> float | None:
    known = [m.notes["recall"] for p, m in points.items() if p.recipe == recipe and m.notes["recall"] is not None]
    return min(known, default=None)


def _law_json(law: Law) -> dict[str, Any]:
    return {
        "what": law.what, "recipe": law.recipe, "axis": law.axis,
        **asdict(law.found or Growth(0, 0, 0)), "target": law.target and str(law.target), "verdict": law.verdict,
    }  # fmt: skip


def _growth_table(found: Sequence[Law], recalls: Mapping[str, float | None]) -> Table:
    rows = [
        [
            f"{law.recipe}: {law.what}, with {law.axis}",
            MISSING if law.found is None else f"{law.found.exponent:z.2f}",
            MISSING if law.found is None else f"{law.found.last:z.2f}",
            MISSING if law.found is None else str(law.found.n_points),
            MISSING if law.target is None else str(law.target),
            law.verdict,
        ]
        for law in found
    ]
    for recipe, least in recalls.items():
        shown = MISSING if least is None else f"{least:.3f}"
        rows.append([f"{recipe}: least recall@10", shown, MISSING, MISSING, str(RECALL), RECALL.verdict(least)])
    return plain_table(
        "growth",
        "Exponents, and recall of the neighbour search",
        ["what", "measured", "last two points", "points", "target", ""],
        rows,
        [
            "An exponent of 1 means that twice the size costs twice as much; fitted by least squares on logarithms.",
            "Memory is anonymous memory (no mapped files) at its highest, everything that Python and the libraries "
            "take included; beyond the libraries: less what the process had when the build began.",
            f"Recall@10: the share of the 10 nearest that was found, for {ALPHA} sampled vertices, against all others.",
        ],
    )


def _points_table(points: Mapping[Point, Measured], notes: Sequence[str]) -> Table:
    rows = []
    for point, m in points.items():
        has = m.notes
        rows.append(
            [
                point.recipe, f"{has['features']:,}", f"{has['texts']:,}", f"{has['vertices']:,}", f"{has['edges']:,}",
                f"{has['left_out']:,}", f"{m.seconds:,.1f}", f"{m.cpu_seconds:,.1f}", _mb(m.peak_bytes),
                _mb(m.anonymous_bytes), _mb(has["build_bytes"]), _mb(has["net_bytes"]),
                MISSING if has["recall"] is None else f"{has['recall']:.3f}",
            ]
        )  # fmt: skip
    header = [
        "recipe", "features", "texts", "vertices", "edges", "left out", "seconds", "CPU seconds", "resident MB",
        "anonymous MB", "build MB", "net MB", "recall@10",
    ]  # fmt: skip
    return plain_table("points", "Builds", header, rows, notes)


def _mb(count: int | None) -> str:
    return MISSING if count is None else f"{count / 1e6:,.0f}"


def _stage_tables(points: Mapping[Point, Measured]) -> Iterator[Table]:
    for recipe in dict.fromkeys(point.recipe for point in points):
        own = [measured.notes for point, measured in points.items() if point.recipe == recipe]
        named = dict.fromkeys(stage for notes in own for stage in notes["stages"])
        stages = sorted(named, key=("between", "save").__contains__)  # which come last
        rows = [
            [
                f"{notes['features']:,} × {notes['texts']:,}",
                *(f"{notes['stages'][s]:,.1f}" if s in notes["stages"] else MISSING for s in stages),
            ]
            for notes in own
        ]
        yield plain_table(
            f"stages-{recipe}", f"Seconds of each stage, {recipe} recipe", ["features × texts", *stages], rows
        )


AXIS_TITLES = {"features": "Number of features n", "texts": "Number of texts N"}
MEASURE_TITLES = {"time": ("Seconds", 1.0), "memory": ("Peak memory (MB)", 1e-6)}


def _draw(points: Mapping[Point, Measured]) -> Figure:
    """Draw time and memory, above each other, against features and texts, beside each other."""
    rows = list(rows_of(points))
    axes = [axis for axis in AXES if any(own == axis for _, own, _ in rows)]
    drawing = figure(0.4 + 4.0 * len(axes), 6.0)
    grid = drawing.subplots(2, len(axes), sharex="col", sharey="row", squeeze=False)
    for i, (what, (title, unit)) in enumerate(MEASURE_TITLES.items()):
        for j, axis in enumerate(axes):
            curves = {f"{recipe} recipe": _curve(along, what, unit) for recipe, own, along in rows if own == axis}
            plotting.plot_growth(curves, x=AXIS_TITLES[axis] if i else "", measure="" if j else title, ax=grid[i, j])
    return drawing


def _curve(
    along: Sequence[tuple[float, Measured]], what: str, unit: float
) -> tuple[list[float], list[float], float | None]:
    sizes = [size for size, _ in along]
    values = [unit * (MEASURES[what](measured) or np.nan) for _, measured in along]
    fitted = growth(sizes, values)
    return sizes, values, None if fitted is None else fitted.exponent
