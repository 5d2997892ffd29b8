"""`classinet bench`: the paper's comparisons, and learning curves, computed from stored cells and told as reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classinet.cli import output
from classinet.cli.guard import Stopped
from classinet.cli.progress import reporting

if TYPE_CHECKING:
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
    typer.Option("--unlabeled", metavar="NAMES", help="Only this unlabeled text: own, imdb, imdb-all, reddit."),
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


COMMANDS = (paper, few_labels)


def _study(
    study: str, folder: Path, out: Path | None, sets: str | None, methods: str | None, unlabeled: str | None,
    neural: bool, quick: bool, plan: bool, only_report: bool, jobs: int,
) -> None:  # fmt: skip
    from classinet.bench.runner import Choice
    from classinet.bench.study import analyse, bench_of, report

    if quick and folder == Path("classinet-bench"):
        folder = Path("classinet-bench-quick")
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
            if study == "paper" and sets is None and methods is None:
                with reporting() as progress:
                    analyse(bench, prepared, progress, quick=quick)
        except KeyboardInterrupt:
            raise Stopped(
                f"stopped; what is done is kept in {folder}, and the same command goes on from there"
            ) from None
    page = report(bench, prepared, out or folder / f"report-{study}")
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
