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
from classinet.bench.comparisons import FEW_LABELS, PAPER
from classinet.bench.corpora import CORPUS_TITLES
from classinet.bench.materials import materials, review_sentences
from classinet.bench.overlap import overlap_results
from classinet.bench.plan import PROTOCOL, WORDS_FINELY, keys_of
from classinet.bench.quick import quick_corpus, quick_task, quick_tasks
from classinet.bench.recipes import RECIPES, described
from classinet.bench.report import AnalysisResult, Labels, MethodLabel, TaskLabel, write_report
from classinet.bench.runner import Bench, Prepared
from classinet.bench.work import name_of
from classinet.exceptions import InputError

Sentences = tuple[list[str], list[str]]


def bench_of(folder: str | Path, *, quick: bool = False) -> Bench:
    """Return the benchmark in a folder: the whole, or one on a small slice of text that every machine holds."""
    if not quick:
        return Bench(Path(folder))
    return Bench(Path(folder), tasks=quick_tasks(), corpora={"docstrings": quick_corpus})


def analyse(bench: Bench, prepared: Prepared, progress: Progress, *, quick: bool = False) -> None:
    """Compute the analyses of the paper's figures that are missing."""
    loaded = {one.task.key: one for one in prepared.tasks}
    wanted = ("two", "three") if quick else ("tr", "subj")
    missing = sorted(set(wanted) - set(loaded))
    if missing:
        raise InputError(f"the analyses need the data sets {' and '.join(wanted)}; {missing[0]} was left out")
    judged, counted = (loaded[key] for key in wanted)
    corpus = judged.corpora[judged.task.external].name
    definition = name_of(PROTOCOL, WORDS_FINELY, corpus, judged.kept, counted.kept, *map(described, RECIPES))
    todo = [one for one in ANALYSES if _stored(bench, one).get("definition") != definition]
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


def report(bench: Bench, prepared: Prepared, out: str | Path) -> Path:
    """Write the report of a study from what is stored, and return the path of its page."""
    study = prepared.choice.study
    out = Path(out)
    keys = [key for one in prepared.tasks for method in prepared.methods for key in keys_of(study, one, method)]
    found = [_result(bench, one, out) for one in ANALYSES if study == PAPER and _stored(bench, one)]
    if study == FEW_LABELS:
        found += overlap_results(bench.store, prepared.tasks, labels(bench))
    return write_report(bench.store, study, labels(bench), found, out, planned=keys)


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


def _stored(bench: Bench, analysis: Analysis) -> dict[str, Any]:
    path = _path(bench, analysis)
    if not path.is_file():
        return {}
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return stored if stored.get("protocol") == PROTOCOL else {}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{path} is no analysis ({error}); remove it, and it is computed anew") from error


def _result(bench: Bench, analysis: Analysis, out: Path) -> AnalysisResult:
    values = _stored(bench, analysis)["values"]
    figure = None
    if analysis.draw is not None:
        figure = out / "figures" / f"{analysis.name}.svg"
        figure.parent.mkdir(parents=True, exist_ok=True)
        plotting.save(analysis.draw(values, None), figure)
    header, rows = analysis.table(values)
    return AnalysisResult(analysis.name, analysis.title, analysis.finding(values), header, rows, figure)
