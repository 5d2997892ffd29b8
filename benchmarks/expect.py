"""Write the tables of docs/expect.md from the scores of the reports beside it, so that none is of a former default.

    python benchmarks/expect.py [--check]

A table stands between `<!-- table NAME -->` and `<!-- end -->`. With --check nothing is written, and the exit code is 1
where a table says something else than the scores, as a test asserts.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from classinet.bench.corpora import ANY
from classinet.bench.report.results import labels_title, percent, signed
from classinet.bench.scores import Score, ScoreKey, read_scores
from classinet.bench.tables import MISSING
from classinet.bench.tasks import all_tasks

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "expect.md"
FEW, PAPER, PACKAGES = (DOCS / "reproduction" / folder for folder in ("few-labels", ".", "packages"))
STUDIES = {PAPER: "paper"}  # of all others it is "few-labels"
MARKED = re.compile(r"(<!-- table ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Column:
    """A heading, and what stands below it: the mean over tasks with so many labels."""

    head: str
    tasks: tuple[str, ...]
    labels: str


@dataclass(frozen=True)
class Row:
    """A method that learnt from some unlabeled text, as a report tells it; less another method, where one is named."""

    title: str
    method: str
    corpus: str = "own"
    report: Path = FEW
    less: str | None = None
    task: str | None = None  # where columns are of no task


@dataclass(frozen=True)
class Layout:
    """The rows and columns of a table, and what is shown: by default what each task is judged by."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    measure: str | None = None


def by_task(labels: str, **titles: str) -> tuple[Column, ...]:
    """Return a column for each task."""
    return tuple(Column(title, (task,), labels) for task, title in titles.items())


def by_labels(tasks: tuple[str, ...], *labels: str) -> tuple[Column, ...]:
    """Return a column for each number of labels."""
    return tuple(Column(labels_title(count), tasks, count) for count in labels)


SEVEN = ("tr", "mr", "cr", "subj", "trec", "sms_spam", "germeval2018_de")
TOTALS = ("10", "20", "50", "100", "200", "500", "1000", "all")
A_CLASS = ("5-a-class", "10-a-class", "20-a-class", "50-a-class", "100-a-class", "all")
RIVALS = (
    Row("dense", "dense"), Row("CBOW", "cbow-tfidf"), Row("SCL", "scl"), Row("FTS", "fts"), Row("WordNet", "wordnet"),
    Row("Paragraph2Vec", "paragraph2vec"), Row("fastText", "fasttext"),
    Row("fastText, vectors of the same text", "fasttext-vectors"), Row("NB-weighted words and pairs", "nbsvm"),
    Row("MiniLM (pretrained elsewhere)", "minilm"),
)  # fmt: skip
NONE, PIECES, GLOBAL, DEFAULT = (
    Row("none", "none"), Row("pieces", "none-pieces"), Row("global", "global"), Row("**default**", "default"),
)  # fmt: skip
GAIN = Row("gain over none", "default", less="none")
OURS = (NONE, PIECES, GLOBAL, DEFAULT)
DESCRIBED = {"topics": "topics, English", "topics_de": "topics, German", "topics_es": "topics, Spanish",
             "topics_pl": "topics, Polish", "topics_ru": "topics, Russian", "topics_ja": "topics, Japanese",
             "games": "games"}  # fmt: skip
FILMS = {"tr": "TR", "mr": "MR", "cr": "CR", "subj": "SUBJ", "trec": "TREC"}


def over_imdb(report: Path) -> tuple[Row, ...]:
    """Return rows of methods that learnt from film reviews."""
    titles = {"none": "none", "none-pieces": "pieces", "global": "global", "default": "**default**", "dense": "dense",
              "cbow-tfidf": "CBOW", "minilm": "MiniLM"}  # fmt: skip
    return tuple(Row(title, method, "imdb", report) for method, title in titles.items())


TABLES = {
    "ten-a-class": Layout(
        by_task("10-a-class", reddit20="Reddit titles", sms_spam="spam (F)", banking77="banking77",
                germeval2018_de="German tweets (F)", subj="SUBJ", cr="CR (F)", trec="TREC", mr="MR", tr="TR",
                docstrings="docstrings"),
        (*OURS, GAIN, *RIVALS),
    ),
    "mean-of-seven": Layout(by_labels(SEVEN, *TOTALS), (*OURS, GAIN, *RIVALS)),
    "single-sets": Layout(
        by_labels((), *TOTALS),
        tuple(Row(f"{title}: {row.title}", row.method, task=task) for task, title in
              {**FILMS, "sms_spam": "spam", "germeval2018_de": "German tweets"}.items()
              for row in (NONE, DEFAULT, RIVALS[-1])),
    ),
    "titles-and-intents": Layout(
        by_labels((), *A_CLASS),
        tuple(Row(f"{title}: {row.title}", row.method, task=task) for task, title in
              {"reddit20": "Reddit titles", "banking77": "banking77", "docstrings": "docstrings"}.items()
              for row in (NONE, PIECES, DEFAULT, RIVALS[-1])),
    ),
    "much-text-200": Layout(by_task("200", **FILMS), over_imdb(FEW), "accuracy"),
    "much-text-all": Layout(by_task("all", **FILMS), over_imdb(PAPER), "accuracy"),
    "packages": Layout(
        by_labels((), *A_CLASS),
        tuple(Row(f"{title}: {row.title}", row.method, report=PACKAGES, task=task) for task, title in DESCRIBED.items()
              for row in (NONE, PIECES, DEFAULT, RIVALS[-1])),
        "accuracy",
    ),
    "packages-mean": Layout(
        by_labels(tuple(DESCRIBED), *A_CLASS[:4], "all"),
        tuple(Row(row.title, row.method, report=PACKAGES) for row in (NONE, PIECES, DEFAULT, RIVALS[-1])),
        "accuracy",
    ),
}  # fmt: skip


def main() -> None:
    """Write, or check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8")
    after = MARKED.sub(lambda found: found[1] + table(TABLES[found[2]]) + found[4], before)
    if not asked.check:
        PAGE.write_text(after, encoding="utf-8")
    elif before != after:
        sys.exit(f"tables of {PAGE.name} are not of the present scores; run: python benchmarks/expect.py")


def table(layout: Layout) -> str:
    """Return a table in Markdown."""
    lines = [f"| | {' | '.join(column.head for column in layout.columns)} |", "|---|" + "---:|" * len(layout.columns)]
    for row in layout.rows:
        entries = (entry(row, column, layout.measure) for column in layout.columns)
        lines.append(f"| {row.title} | {' | '.join(entries)} |")
    return "\n".join(lines) + "\n"


def entry(row: Row, column: Column, measure: str | None) -> str:
    """Return a mean over tasks in percent, or the difference of two."""
    of, less = (None if method is None else mean(row, method, column, measure) for method in (row.method, row.less))
    if of is None or (less is None and row.less is not None):
        return MISSING
    return percent(of) if less is None else signed(of - less)


def mean(row: Row, method: str, column: Column, measure: str | None) -> float | None:
    """Return the mean score over the tasks of a column, or of the row; None where one is missing."""
    tasks = column.tasks if row.task is None else (row.task,)
    found = [score(row.report, task, row.corpus, method, column.labels) for task in tasks]
    values = [one.measure(measure or all_tasks()[one.key.task].metric).mean for one in found if one is not None]
    return float(np.mean(values)) if len(values) == len(tasks) else None


def score(report: Path, task: str, corpus: str, method: str, labels: str) -> Score | None:
    """Return the score of a method that learnt from a corpus, or needs none."""
    study = STUDIES.get(report, "few-labels")
    keys = (ScoreKey(study, task, of, method, labels) for of in (corpus, ANY))
    return next((scores(report)[key] for key in keys if key in scores(report)), None)


@cache
def scores(report: Path) -> dict[ScoreKey, Score]:
    """Return the scores of a report."""
    return {one.key: one for one in read_scores(report / "scores.csv")}


if __name__ == "__main__":
    main()
