"""`classinet bench`: the paper's comparisons, learning curves, speed and growth, from stored figures to reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classinet.cli import inputs, output
from classinet.cli.guard import Stopped
from classinet.cli.progress import reporting

if TYPE_CHECKING:
    from classinet.bench.reporting import Report
    from classinet.bench.runner import Bench, Prepared

Folder = Annotated[
    Path,
    typer.Option("--folder", metavar="DIR", help="Where cells, nets and features are kept; a run goes on from them."),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Where the report is written; by default in the folder.")
]
Sets = Annotated[str | None, typer.Option("--sets", metavar="NAMES", help="Only these data sets, as tr,subj.")]
Methods = Annotated[str | None, typer.Option("--methods", metavar="NAMES", help="Only these methods, as none,global.")]
Unlabeled = Annotated[
    str | None,
    typer.Option(
        "--unlabeled",
        metavar="NAMES",
        help="Only this unlabeled text: own, imdb, imdb-all, reddit; or own text beside others, as imdb+own.",
    ),
]
Neural = Annotated[
    bool, typer.Option("--neural/--no-neural", help="With the neural rivals, which take an hour by themselves.")
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick", help="A small slice of text that every machine holds, in minutes; neural rivals only if named."
    ),
]
Plan = Annotated[bool, typer.Option("--plan", help="Say what is missing and what it will cost, and stop.")]
OnlyReport = Annotated[bool, typer.Option("--only-report", help="Write the report from what is stored, and stop.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Processes beside each other.")]


def paper(
    folder: Folder = Path("classinet-bench"),
    out: Out = None,
    sets: Sets = None,
    methods: Methods = None,
    unlabeled: Unlabeled = None,
    neural: Neural = True,
    quick: Quick = False,
    plan: Plan = False,
    only_report: OnlyReport = False,
    jobs: Jobs = 2,
) -> None:
    """Reproduce the paper: both its tables with every system it compares, its figures and analyses, and a report.

    Data sets are found through CLASSINET_DATA. What is computed is kept, one file a cell, so that an interrupted run
    goes on where it stopped; the report is made from these files alone.
    """
    _study("paper", folder, out, sets, methods, unlabeled, neural, quick, plan, only_report, jobs)


def few_labels(
    folder: Folder = Path("classinet-bench"),
    out: Out = None,
    sets: Sets = None,
    methods: Methods = None,
    unlabeled: Unlabeled = None,
    neural: Neural = True,
    quick: Quick = False,
    plan: Plan = False,
    only_report: OnlyReport = False,
    jobs: Jobs = 2,
) -> None:
    """Show where expansion pays: every method with 10 to all labels, ten draws each, on ten data sets.

    The unlabeled text is the set's own training texts with labels hidden, or text from elsewhere. The whole takes
    hours and can be run in parts (--sets, --methods, --unlabeled); what is computed is kept.
    """
    _study("few-labels", folder, out, sets, methods, unlabeled, neural, quick, plan, only_report, jobs)


Measurements = Annotated[
    Path, typer.Option("--folder", metavar="DIR", help="Where figures are kept; a run goes on from them.")
]
QuickFigures = Annotated[
    bool, typer.Option("--quick", help="A few made-up sentences, to see that all parts work; the figures say nothing.")
]
Again = Annotated[bool, typer.Option("--again", help="Measure anew what is stored.", show_default=False)]


def speed(
    folder: Measurements = Path("classinet-bench"),
    out: Out = None,
    quick: QuickFigures = False,
    again: Again = False,
    threads: inputs.Threads = None,
    json: inputs.Json = False,
) -> None:
    """Time building beside gensim, fastText and SVD, expanding beside tf-idf and MiniLM, and a first answer.

    Reads the sentences of IMDB and the texts of SUBJ, found through CLASSINET_DATA. Everything is measured in a process
    of its own, on a machine that should have nothing else to do. Rivals that are not installed are left out.
    """
    from classinet.bench import speed as study
    from classinet.bench.corpora import CORPUS_TITLES

    folder, used = _place(folder, quick), _threads(threads)
    with _kept(folder), reporting() as progress:
        progress("read texts", 0, 1)
        material = study.quick_material() if quick else study.full_material()
        found, left_out, failures = study.run(material, folder, progress, threads=used, again=again)
    for line in left_out:
        output.note(f"left out: {line}")
    text = f"{len(material.corpus.texts):,} texts, {CORPUS_TITLES.get(material.corpus.key, material.corpus.key)}"
    _tell_figures(study.report(found, left_out, failures, used, text), out or folder / "report-speed", failures, json)


def scale(
    folder: Measurements = Path("classinet-bench"),
    out: Out = None,
    recipes: Annotated[
        str | None, typer.Option("--recipes", metavar="NAMES", help="Only these recipes: default,paper.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="SIZES", help="Numbers of features; otherwise 1000,5000,20000,100000,489000."
        ),
    ] = None,
    texts: Annotated[
        str | None, typer.Option("--texts", metavar="SIZES", help="Numbers of texts; otherwise 50000,250000,all.")
    ] = None,
    quick: QuickFigures = False,
    again: Again = False,
    threads: inputs.Threads = None,
    json: inputs.Json = False,
) -> None:
    """Measure how time and memory of a build grow with features and texts, and whether neighbours are still found.

    Reads the sentences of all IMDB reviews, found through CLASSINET_DATA. Every size is a build in a directory, in a
    process of its own. Features grow with all texts; texts grow with 20,000 features, or else the middle number given.
    The largest sizes take hours and can be run in parts; what is measured is kept.
    """
    from dataclasses import replace

    from classinet.bench import scale as study
    from classinet.bench import scale_points as builds
    from classinet.bench.corpora import CORPORA

    given: dict[str, tuple[object, ...] | None] = {
        "recipes": _names(recipes), "features": _sizes("--features", features), "texts": _sizes("--texts", texts),
    }  # fmt: skip
    chosen = {name: value for name, value in given.items() if value is not None}
    sizes = replace(builds.QUICK if quick else builds.Sizes(), **chosen)  # type: ignore[arg-type]
    folder, used = _place(folder, quick), _threads(threads)
    corpus = builds.quick_corpus if quick else CORPORA["imdb-all"]
    with _kept(folder), reporting() as progress:
        points, failures = builds.run(sizes, folder, progress, corpus=corpus, threads=used, again=again)
    _tell_figures(study.report(points, failures, used), out or folder / "report-scale", failures, json)


COMMANDS = (paper, few_labels, speed, scale)


def _sizes(option: str, given: str | None) -> tuple[int | None, ...] | None:
    """Read "1000,5000", for texts also "all"."""
    names = _names(given)
    if names is None:
        return None
    if not names or not all(name.isdecimal() or (name == "all" and option == "--texts") for name in names):
        raise typer.BadParameter(f"{given!r} is no list of sizes such as 1000,5000", param_hint=option)
    return tuple(None if name == "all" else int(name) for name in names)


def _place(folder: Path, quick: bool) -> Path:
    return Path("classinet-bench-quick") if quick and folder == Path("classinet-bench") else folder


def _threads(given: int | None) -> int:
    from classinet.engine.threads import resolve_n_jobs

    return resolve_n_jobs(given or -1)


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(f"stopped; what is done is kept in {folder}, and the same command goes on from there") from None


def _tell_figures(report: Report, out: Path, failures: list[str], json: bool) -> None:
    for remark in report.write(out):
        output.note(remark)
    if json:
        output.as_json(report.json)
    else:
        print(report.terminal())
    output.say(f"written to {out}")
    if failures:
        raise Stopped(f"{len(failures)} parts failed, the rest is done: " + "; ".join(failures))


def _study(
    study: str, folder: Path, out: Path | None, sets: str | None, methods: str | None, unlabeled: str | None,
    neural: bool, quick: bool, plan: bool, only_report: bool, jobs: int,
) -> None:  # fmt: skip
    from classinet.bench.runner import Choice
    from classinet.bench.study import analyse, bench_of, report

    folder = _place(folder, quick)
    bench = bench_of(folder, quick=quick)
    choice = Choice(
        study, _names(sets), _names(methods), _names(unlabeled), neural and (not quick or methods is not None)
    )
    with reporting() as progress:
        prepared = bench.prepare(choice, progress)
    _tell(prepared, jobs)
    if plan:
        return
    failures: list[str] = []
    if not only_report:
        try:
            failures = _compute(bench, prepared, jobs)
            if study == "paper" and sets is None and methods is None and unlabeled is None:
                with reporting() as progress:
                    analyse(bench, prepared, progress, quick=quick)
        except KeyboardInterrupt:
            raise Stopped(
                f"stopped; what is done is kept in {folder}, and the same command goes on from there"
            ) from None
    page = report(bench, prepared, out or folder / f"report-{study}", quick=quick)
    print(page)
    if failures:
        raise Stopped(f"{len(failures)} parts failed, the rest is done: " + "; ".join(failures))


def _compute(bench: Bench, prepared: Prepared, jobs: int) -> list[str]:
    with reporting() as progress:
        return bench.compute(prepared, jobs, jobs, progress)


def _tell(prepared: Prepared, jobs: int) -> None:
    for line in prepared.left_out:
        output.note(f"left out: {line}")
    output.say(
        f"{output.many(prepared.total, 'cell')} in all, {prepared.missing:,} to compute"
        + (f", in about {output.time_of(prepared.seconds(jobs))}" if prepared.units else "")
    )
    by_method: dict[str, float] = {}
    for unit in prepared.units:
        name = unit.method or f"net, recipe {unit.recipe}"
        by_method[name] = by_method.get(name, 0.0) + unit.seconds
    for name, seconds in sorted(by_method.items(), key=lambda item: -item[1])[:12]:
        output.say(f"  {name}: about {output.time_of(seconds)}")


def _names(given: str | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(name.strip() for name in given.split(",") if name.strip())
