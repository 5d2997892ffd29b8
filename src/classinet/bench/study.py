"""A whole study, as the command line runs it: what is missing is computed, then analyses, then the report.

Enter: a benchmark and what to run. Leave: cells, analyses and a report, each file whole. What was done before is
found again, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from classinet import plotting
from classinet._files import whole_file
from classinet._typing import Progress
from classinet.bench.analyses import ANALYSES, Analysis
from classinet.bench.cells import Planned
from classinet.bench.comparisons import FEW_LABELS, PAPER
from classinet.bench.corpora import CORPUS_TITLES
from classinet.bench.materials import materials, review_sentences
from classinet.bench.overlap import overlap_results
from classinet.bench.plan import PROTOCOL, WORDS_FINELY, Loaded
from classinet.bench.quick import quick_corpus, quick_task, quick_tasks
from classinet.bench.recipes import RECIPES, described
from classinet.bench.report import AnalysisResult, Labels, MethodLabel, TaskLabel, write_report
from classinet.bench.runner import Bench, Prepared
from classinet.bench.work import name_of
from classinet.exceptions import InputError

Sentences = tuple[list[str], list[str]]
# The task whose texts the analyses judge, and that whose features they count.
ANALYSED, QUICK_ANALYSED = ("tr", "subj"), ("two", "three")


def bench_of(folder: str | Path, *, quick: bool = False) -> Bench:
    """Return the benchmark in a folder: the whole, or one on a small slice of text that every machine holds."""
    if not quick:
        return Bench(Path(folder))
    return Bench(Path(folder), tasks=quick_tasks(), corpora={"docstrings": quick_corpus})


def analyse(bench: Bench, prepared: Prepared, progress: Progress, *, quick: bool = False) -> None:
    """Compute the analyses of the paper's figures that are missing."""
    judged, counted, corpus = _analysed(prepared, quick)
    definition = _definition(judged, counted, corpus)
    todo = [one for one in ANALYSES if _stored(bench, one, definition) is None]
    if not todo:
        return
    labelled = _quick_sentences() if quick else review_sentences()
    given = materials(bench.work, corpus, labelled, counted.data, judged.data, progress)
    for done, analysis in enumerate(todo):
        progress("analyses", done, len(todo))
        values = analysis.compute(given)
        path = _path(bench, analysis)
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            json.dump({"protocol": PROTOCOL, "definition": definition, "values": values}, file, ensure_ascii=False)
    progress("analyses", len(todo), len(todo))


def report(bench: Bench, prepared: Prepared, out: str | Path, *, quick: bool = False) -> Path:
    """Write the report of a study from what is stored and was computed as planned; return the path of its page."""
    study = prepared.choice.study
    out = Path(out)
    store = Planned(bench.store.folder, prepared.planned)
    found = overlap_results(store, prepared.tasks, labels(bench)) if study == FEW_LABELS else []
    if study == PAPER and not _not_analysed(prepared, quick):
        definition = _definition(*_analysed(prepared, quick))
        stored = ((one, _stored(bench, one, definition)) for one in ANALYSES)
        found = [_result(one, values, out) for one, values in stored if values is not None]
    return write_report(store, study, labels(bench), found, out, planned=prepared.planned)


def _analysed(prepared: Prepared, quick: bool) -> tuple[Loaded, Loaded, str]:
    """What the analyses are of: the task that is judged, the one that is counted, and the name of the kept corpus."""
    if reason := _not_analysed(prepared, quick):
        raise InputError(reason)
    loaded = {one.task.key: one for one in prepared.tasks}
    judged, counted = (loaded[key] for key in (QUICK_ANALYSED if quick else ANALYSED))
    return judged, counted, judged.corpora[judged.task.external][0].name


def _not_analysed(prepared: Prepared, quick: bool) -> str:
    """Why there can be no analyses; nothing if they can be."""
    loaded = {one.task.key: one for one in prepared.tasks}
    wanted = QUICK_ANALYSED if quick else ANALYSED
    if missing := sorted(set(wanted) - set(loaded)):
        return f"the analyses need the data sets {' and '.join(wanted)}; {missing[0]} was left out"
    judged = loaded[wanted[0]]
    if judged.task.external not in judged.corpora:
        # All reviews hold those of the test, whose sentences are judged.
        return f"the analyses need the unlabeled text {judged.task.external}; it was left out"
    return ""


def _definition(judged: Loaded, counted: Loaded, corpus: str) -> str:
    """A hash of all that decides what the analyses find."""
    return name_of(PROTOCOL, WORDS_FINELY, corpus, judged.kept, counted.kept, *map(described, RECIPES))


def labels(bench: Bench) -> Labels:
    """Return the names of methods, data sets and unlabeled text, in the order of the tables."""
    return Labels(
        {key: MethodLabel(method.title, method.group) for key, method in bench.methods.items()},
        {key: TaskLabel(task.title, task.metric) for key, task in bench.tasks.items()},
        CORPUS_TITLES,
    )


def _quick_sentences() -> Sentences:
    data = quick_task(2)
    return data.texts, [data.classes[code] for code in data.codes]


def _path(bench: Bench, analysis: Analysis) -> Path:
    return bench.folder / "analyses" / f"{analysis.name}.json"


def _stored(bench: Bench, analysis: Analysis, definition: str) -> Any:
    """What an analysis found, if it was computed as defined; else None."""
    path = _path(bench, analysis)
    if not path.is_file():
        return None
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return stored["values"] if stored.get("definition") == definition else None
    except (ValueError, AttributeError, KeyError) as error:
        raise InputError(f"{path} is no analysis ({error}); remove it, and it is computed anew") from error


def _result(analysis: Analysis, values: Any, out: Path) -> AnalysisResult:
    figure = None
    if analysis.draw is not None:
        figure = out / "figures" / f"{analysis.name}.svg"
        figure.parent.mkdir(parents=True, exist_ok=True)
        plotting.save(analysis.draw(values, None), figure)
    header, rows = analysis.table(values)
    return AnalysisResult(analysis.name, analysis.title, analysis.finding(values), header, rows, figure)
