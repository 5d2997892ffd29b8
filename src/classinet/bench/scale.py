"""How time and memory of a build grow with features and with texts, and whether neighbours are still found.

Enter: what was measured of each size. Leave: exponents beside what was aimed at, tables, a picture and JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from classinet import plotting
from classinet.bench.costs import cost_model, largest_from_others
from classinet.bench.growth import Growth, Target, growth
from classinet.bench.measuring import Measured, in_words, machine, when
from classinet.bench.reporting import Report, figure
from classinet.bench.scale_points import ALPHA, Point
from classinet.bench.tables import MISSING, Table, plain_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What nobody measured here, and on how many workers: told from the laws of what was.
LARGER, WORKERS = (10_000_000, 1_000_000), (2, 16, 64, 256)
REACH = 20.0  # a law is not trusted beyond so many times the largest size that was built
IN_TEXTS, IN_FEATURES, RECALL = Target(1.15), Target(1.0), Target(0.9, below=False)


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
            "up to 10,000 features vertices and serves the others through a first hop; the paper's takes every feature "
            "for a candidate and leaves out those with too few texts.",
        ),
        tables=(
            _growth_table(found, recalls),
            _points_table(points, notes),
            *_stage_tables(points),
            *_cost_tables(points, threads),
        ),
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
                _mb(m.anonymous_bytes), _mb(has["build_bytes"]), _mb(has["net_bytes"]), _mb(has["disk_bytes"]),
                MISSING if has["recall"] is None else f"{has['recall']:.3f}", f"{has['expanded_a_second']:,}",
            ]
        )  # fmt: skip
    header = [
        "recipe", "features", "texts", "vertices", "edges", "left out", "seconds", "CPU seconds", "resident MB",
        "anonymous MB", "build MB", "net MB", "together MB", "recall@10", "expanded a second",
    ]  # fmt: skip
    expanded = "Expanded a second: texts to words and what those imply, on one thread; texts of the corpus itself."
    return plain_table("points", "Builds", header, rows, [expanded, *notes])


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


def _cost_tables(points: Mapping[Point, Measured], threads: int) -> Iterator[Table]:
    texts, features = LARGER
    rows, checks = [], []
    for recipe in dict.fromkeys(point.recipe for point in points):
        builds = [measured for point, measured in points.items() if point.recipe == recipe]
        model = cost_model(builds, threads)
        most = (max(build.notes[axis] for build in builds) for axis in ("texts", "features"))
        if model is None or any(size > REACH * built for size, built in zip(LARGER, most, strict=True)):
            continue
        for workers in WORKERS:
            cost = model.cost(texts, features, workers)
            gigabytes = f"{cost.memory_bytes / 1e9:,.1f}", f"{cost.disk_bytes / 1e9:,.1f}"
            rows.append([recipe, str(workers), f"{cost.hours:,.1f}", f"{cost.alone_hours:,.1f}", *gigabytes])
        factor = largest_from_others(builds, threads)
        if factor is not None:
            checks.append(
                f"{recipe}: fitted to all builds but the largest, the laws give {factor:.2f} times its seconds."
            )
    if rows:
        yield plain_table(
            "costs",
            f"What {texts:,} texts with {features:,} features would cost",
            ["recipe", "workers", "hours", "of these in one process", "memory GB", "disk GB"],
            rows,
            [
                "Not measured: each stage is taken further by its own law c · texts^a · features^b. Workers have one "
                "core; stages in batches are divided by their number, others take what they take here.",
                "Memory: of the one process that holds most, as if it did everything.",
                *checks,
            ],
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
