"""Write a report: cells → scores.csv and comparisons.csv → everything else.

Enter: a store of cells, or a folder with the two CSV files; names; analyses. Leave: `scores.csv`, `comparisons.csv`,
`report.md`, `report.html`, `tables.tex` and `figures/`, each file whole or not at all, the same bytes for the same
cells. Tables are made from what the CSV files hold, so that a report can be made again without the cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from classinet._files import whole_file
from classinet.bench.cells import CellKey, CellStore
from classinet.bench.comparisons import FEW_LABELS, Paired, read_comparisons, summarise, write_comparisons
from classinet.bench.published import TABLE_1, TABLE_2
from classinet.bench.report import few_labels, paper, summary
from classinet.bench.report.claims import claims, claims_table
from classinet.bench.report.figures import learning_curves, save_figure
from classinet.bench.report.labels import AnalysisResult, Labels
from classinet.bench.report.page import Picture, Section, to_report_html, to_report_latex, to_report_markdown
from classinet.bench.report.results import Results
from classinet.bench.scores import Score, read_scores, write_scores
from classinet.bench.tables import Table, plain_table
from classinet.exceptions import InputError

SCORES, COMPARISONS = "scores.csv", "comparisons.csv"


def write_report(
    source: CellStore | str | PathLike[str],
    study: str,
    labels: Labels,
    analyses: Sequence[tuple[Any, ...]],
    out: str | PathLike[str],
    *,
    planned: Iterable[CellKey] = (),
) -> Path:
    """Write the report of a study into a folder, and return the path of its page.

    Parameters
    ----------
    source : the cells; or a folder that holds scores.csv and comparisons.csv of an earlier report.
    study : "paper" or "few-labels".
    labels : names of methods, tasks and corpora, in the order of the tables.
    analyses : what each analysis found, as `AnalysisResult` or its six values.
    out : the folder, made if it is not there.
    planned : cells of the whole study; the report says how many of them are missing.

    Examples
    --------
    >>> import tempfile
    >>> from classinet.bench.cells import Cell, Run
    >>> key = CellKey("paper", "subj", "imdb", "global")
    >>> cell = Cell(key, "d1", ("no", "yes"), (0, 1, 1), (Run(0, 9, (0, 1, 0), {}, 0.1),), 2.0, 99.0, {})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = CellStore(Path(folder) / "cells")
    ...     store.write(cell)
    ...     page = write_report(store, "paper", Labels({}, {}), [], Path(folder) / "out")
    ...     sorted(path.name for path in page.parent.iterdir())
    ['comparisons.csv', 'figures', 'report.html', 'report.md', 'scores.csv', 'tables.tex']
    """
    scores, comparisons = _load(source, study)
    if not scores:
        raise InputError(f"there are no scores of the study {study!r}; run: classinet bench {study}")
    out = Path(out)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    write_scores(out / SCORES, scores)
    write_comparisons(out / COMPARISONS, comparisons)
    results = Results(study, scores, comparisons, labels, planned)
    sections = [_overview(results)]
    sections += _few_labels(results, out / "figures") if study == FEW_LABELS else _paper(results)
    sections += [_analysis(AnalysisResult(*values), out / "figures") for values in analyses]
    title = TITLES.get(study, study)
    _write(out / "report.md", to_report_markdown(title, sections))
    _write(out / "tables.tex", to_report_latex(sections))
    _write(out / "report.html", to_report_html(title, sections))
    return out / "report.html"


TITLES = {
    "paper": "ClassiNet: the paper's comparisons, made again",
    FEW_LABELS: "ClassiNet: how much expansion helps with few labels",
}


def _load(source: CellStore | str | PathLike[str], study: str) -> tuple[list[Score], list[Paired]]:
    if isinstance(source, CellStore):
        return summarise(source.all(study))
    folder = Path(source)
    for name in (SCORES, COMPARISONS):
        if not (folder / name).is_file():
            raise InputError(f"there is no {name} in {folder}; write the report from cells first")
    scores, comparisons = read_scores(folder / SCORES), read_comparisons(folder / COMPARISONS)
    return [s for s in scores if s.key.study == study], [c for c in comparisons if c.study == study]


def _overview(results: Results) -> Section:
    text = [
        "All numbers are computed from stored predictions. Whatever is tuned for one method is tuned for all, on the "
        "training part alone. scores.csv and comparisons.csv beside this report hold every number in full."
    ]
    if results.missing:
        text.append(
            f"{results.missing:,} of the {results.planned:,} cells of this study are missing and appear as “–”; "
            f"classinet bench {results.study} computes them."
        )
    elif results.planned:
        text.append(f"All {results.planned:,} cells of this study are there.")
    judged = [
        [
            results.labels.task(task).title,
            f"{max(score.n for score in found):,}",
            f"{max(score.splits for score in found)}",
            f"{max(score.draws for score in found)}",
            f"{len({score.key.method for score in found})}",
            ", ".join(map(results.labels.corpus, results.corpora(task))),
        ]
        for task in results.tasks
        if (found := [score for score in results.scores if score.key.task == task])
    ]
    header = ["task", "texts judged", "folds", "most draws", "methods", "unlabeled text"]
    return Section("overview", "What was done", tuple(text), (plain_table("tasks", "Tasks", header, judged),))


def _paper(results: Results) -> list[Section]:
    sections = []
    several = len(results.corpora()) > 1
    for corpus in results.corpora():
        of = f" ({results.labels.corpus(corpus)})" if several else ""
        recipe = paper.recipe_table(results, corpus)
        judged = claims_table(claims(results, corpus), f"claims-{corpus}")
        classes = [table for task in results.tasks if (table := paper.class_table(results, corpus, task)) is not None]
        sections += [
            *(
                [
                    _of_tables(f"table-1-{corpus}", f"Table 1{of}", [paper.published_table(results, corpus, TABLE_1)]),
                    _of_tables(f"table-2-{corpus}", f"Table 2{of}", [paper.published_table(results, corpus, TABLE_2)]),
                    _of_tables(f"claims-{corpus}", f"What the paper says, and whether it held{of}", [judged]),
                ]
                if set(results.tasks) & {*TABLE_1.tasks, *TABLE_2.tasks}
                else []
            ),
            _of_tables(f"intervals-{corpus}", f"Intervals{of}", [paper.interval_table(results, corpus)]),
            *([_of_tables(f"recipe-{corpus}", f"The paper's recipe{of}", [recipe])] if recipe else []),
            _of_tables(
                f"classes-{corpus}", f"Macro-F1 and classes{of}", [paper.macro_f1_table(results, corpus), *classes]
            ),
            _of_tables(f"costs-{corpus}", f"Cost{of}", [paper.cost_table(results, corpus)]),
        ]
    return sections


def _few_labels(results: Results, figures: Path) -> list[Section]:
    highlight = summary.coloured(results)
    shared = summary.shared_table(results)
    over_all = [
        *([shared] if shared else []), *summary.mean_tables(results), summary.gains_table(results),
        summary.win_table(results), summary.rank_table(results),
    ]  # fmt: skip
    sections = [_of_tables("summary", "Over all tasks", over_all)]
    for task in results.tasks:
        for corpus in results.corpora(task):
            title = f"{results.labels.task(task).title}, unlabeled text: {results.labels.corpus(corpus)}"
            name = f"curves-{task}-{corpus}"
            ax = learning_curves(results, task, corpus, highlight)
            drawn = [] if ax is None else [Picture(name, f"Learning curves: {title}", save_figure(ax, figures, name))]
            gains = few_labels.gain_table(results, task, corpus)
            tables = [few_labels.score_table(results, task, corpus), *([gains] if gains else [])]
            sections.append(Section(f"{task}-{corpus}", title, (), (*drawn, *tables)))
    costs = [paper.cost_table(results, corpus) for corpus in results.corpora()]
    return [*sections, _of_tables("costs", "Cost", costs)]


def _analysis(found: AnalysisResult, figures: Path) -> Section:
    parts: list[Table | Picture] = []
    if found.figure is not None:
        parts.append(Picture(found.name, found.title, _copied(found.figure, figures, found.name)))
    if found.header:
        parts.append(plain_table(f"analysis-{found.name}", found.title, found.header, found.rows))
    return Section(f"analysis-{found.name}", found.title, (found.finding,), tuple(parts))


def _copied(source: Path, figures: Path, name: str) -> Path:
    """Put a figure among those of the report."""
    source = Path(source)
    if source.suffix not in (".svg", ".png"):
        raise InputError(f"the figure {source} must be an .svg or .png file")
    target = figures / f"{name}{source.suffix}"
    if not (target.exists() and target.samefile(source)):
        data = source.read_bytes()
        with whole_file(target, binary=True) as file:
            file.write(data)
    return target


def _of_tables(name: str, title: str, tables: Sequence[Table]) -> Section:
    return Section(name, title, (), tuple(tables))


def _write(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text)
