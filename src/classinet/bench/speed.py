"""How quick the library is beside others, in one run: building, expanding, and the first answer of a fresh process.

Enter: sentences, and short texts with labels. Leave: a table of ratios, a picture and JSON. Everything is measured from
texts on, in a process of its own; a rival whose package is missing is left out, and that is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn import config_context

from classinet import plotting
from classinet._files import whole_file
from classinet._typing import Progress
from classinet.bench.corpora import CORPORA, Corpus, separate
from classinet.bench.growth import Target
from classinet.bench.measuring import Measured, Measurement, in_words, machine, measure_all, when
from classinet.bench.reporting import Report, figure
from classinet.bench.speed_tasks import BUILDS, FIRST, READS, Files, warm_up
from classinet.bench.tables import MISSING, Table, plain_table
from classinet.bench.tasks import Labelled, all_tasks, labelled
from classinet.bench.work import name_of
from classinet.datasets import made_up_sentences
from classinet.datasets.made_up import TOPICS
from classinet.model import ClassiNet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROTOCOL = "1"
OURS = ("default", "paper", "expand-counted", "expand-texts")


@dataclass(frozen=True)
class Material:
    """What is measured on.

    Attributes
    ----------
    corpus : unlabeled sentences.
    texts : short texts with labels.
    n_features : so many of the most frequent words are features, of every method.
    size : dimensions of the rivals' vectors.
    """

    corpus: Corpus
    texts: Labelled
    n_features: int = 20_000
    size: int = 300


def full_material() -> Material:
    """Return the sentences of 25,000 film reviews and the 10,000 texts of SUBJ."""
    texts = all_tasks()["subj"].load()  # first, since it cannot be downloaded
    return Material(CORPORA["imdb"](), texts)


def quick_material() -> Material:
    """Return text that every machine holds, in a moment.

    >>> material = quick_material()
    >>> len(material.corpus.texts), len(material.texts.texts), material.texts.classes
    (600, 120, ('football', 'kitchen', 'weather'))
    """
    texts = made_up_sentences(120, seed=1)
    topic = {word: name for name, words in TOPICS.items() for word in words}
    labels = [next(topic[word] for word in text.split() if word in topic) for text in texts]
    return Material(separate("made-up", made_up_sentences(600)), labelled("made-up", texts, labels), 60, 8)


@dataclass(frozen=True)
class Ratio:
    """A row of the table: one task's time by another's, and what it should be at most."""

    what: str
    by: str
    target: Target | None = None


RATIOS = (
    Ratio("default", "cbow", Target(2)),
    Ratio("default", "fasttext"),
    Ratio("default", "svd"),
    Ratio("paper", "cbow", Target(5)),
    Ratio("paper", "fasttext"),
    Ratio("paper", "svd"),
    Ratio("expand-counted", "tfidf", Target(6)),
    Ratio("expand-texts", "tfidf"),
    Ratio("expand-texts", "minilm"),
)
FIRST_TARGET = Target(3.0)


# -------------------------------------------------------------------------------------------------------------- telling


def run(
    material: Material, folder: Path, progress: Progress, *, threads: int, again: bool = False
) -> tuple[dict[str, Measured], list[str], list[str]]:
    """Time what is not stored yet; return all figures, what was left out and why, and a line for each failure."""
    place = folder / "speed"
    place.mkdir(parents=True, exist_ok=True)
    texts = separate("texts", material.texts.texts)
    with config_context(print_changed_only=False):  # a changed default is another net
        recipes = repr((ClassiNet().recipe(), ClassiNet.paper().recipe()))
    decided = (PROTOCOL, recipes, material.corpus.fingerprint, texts.fingerprint, material.n_features, material.size)
    files = Files(
        corpus=str(_kept(place, material.corpus)), texts=str(_kept(place, texts)),
        net=str(place / f"net-{name_of(*decided)}"), n_features=material.n_features, size=material.size,
        threads=threads,
    )  # fmt: skip
    wanted, left_out = [], []
    for task in (*BUILDS, *READS, FIRST):
        reason = task.missing()
        if reason is not None:
            left_out.append(reason)
            continue
        arguments: dict[str, Any] = {"files": files}
        if task is FIRST:
            arguments["labels"] = [material.texts.classes[code] for code in material.texts.codes]
        used = 1 if task.one_thread else threads
        wanted.append(Measurement(task.name, task.title, task.function, used, arguments, decided))
    found, failures = measure_all(wanted, place, progress, again=again, first=warm_up)
    return found, left_out, failures


def _kept(place: Path, corpus: Corpus) -> Path:
    path = place / f"{corpus.key}-{corpus.fingerprint}.txt"
    if not path.is_file():
        with whole_file(path) as file:
            file.writelines(f"{text}\n" for text in corpus.texts)
    return path


def report(
    found: Mapping[str, Measured],
    left_out: Sequence[str] = (),
    failures: Sequence[str] = (),
    threads: int = 1,
    corpus: str = "",
) -> Report:
    """Return tables, JSON and the picture of what was measured."""
    place = machine()
    notes = [
        f"{in_words(place)} {threads} thread{'s' if threads > 1 else ''} to build, one to expand and encode.",
        when(found.values()),
        *(f"left out: {line}" for line in left_out),
        *(f"failed: {line}" for line in failures),
    ]
    ratios = [_ratio_json(ratio, found) for ratio in RATIOS if ratio.what in found and ratio.by in found]
    return Report(
        name="speed",
        title="How quick it is beside others",
        text=(
            f"Unlabeled text: {corpus}. Every time but that of counted texts runs from texts to the finished thing, "
            "words cut and counted, in a process of its own whose compiled kernels are loaded; builds once, reading "
            "texts the best of five (MiniLM once). All methods keep the same number of most frequent words, fastText "
            "those that occur five times, as it does by default.",
        ),
        tables=(_ratio_table(ratios, found.get(FIRST.name)), _seconds_table(found, notes)),
        json={
            "machine": place,
            "threads": threads,
            "corpus": corpus,
            "ratios": ratios,
            "first_call": None if FIRST.name not in found else _first_json(found[FIRST.name]),
            "measured": {name: asdict(measured) for name, measured in found.items()},
            "left_out": list(left_out),
            "failures": list(failures),
        },
        draw=(lambda: _draw(found)) if any(task.name in found for task in (*BUILDS, *READS)) else None,
    )


TITLES = {task.name: task.title for task in (*BUILDS, *READS, FIRST)}


def _ratio_json(ratio: Ratio, found: Mapping[str, Measured]) -> dict[str, Any]:
    measured = found[ratio.what].seconds / found[ratio.by].seconds
    return {
        "what": f"{TITLES[ratio.what]} / {TITLES[ratio.by]}",
        "measured": measured,
        "target": None if ratio.target is None else str(ratio.target),
        "verdict": MISSING if ratio.target is None else ratio.target.verdict(measured),
    }


def _first_json(measured: Measured) -> dict[str, Any]:
    return {
        "what": f"{FIRST.title}, seconds", "measured": measured.seconds, "target": str(FIRST_TARGET),
        "verdict": FIRST_TARGET.verdict(measured.seconds),
    }  # fmt: skip


def _ratio_table(ratios: Sequence[Mapping[str, Any]], first: Measured | None) -> Table:
    rows = [*ratios, *([] if first is None else [_first_json(first)])]
    return plain_table(
        "ratios",
        "Ratios of time",
        ["what", "measured", "target", ""],
        [[row["what"], f"{row['measured']:.3g}", row["target"] or MISSING, row["verdict"]] for row in rows],
    )


def _seconds_table(found: Mapping[str, Measured], notes: Sequence[str]) -> Table:
    rows = []
    for task in (*BUILDS, *READS, FIRST):
        if task.name not in found:
            continue
        m = found[task.name]
        rate = f"{m.notes['texts'] / m.seconds:,.0f}" if task in READS else MISSING
        memory = MISSING if m.anonymous_bytes is None else f"{m.anonymous_bytes / 1e6:,.0f}"
        if task is FIRST:  # of the process that waits
            memory, peak = MISSING, MISSING
        else:
            peak = f"{m.peak_bytes / 1e6:,.0f}"
        rows.append([task.title, f"{m.seconds:.3g}", f"{m.cpu_seconds:.3g}", rate, peak, memory])
    header = ["what", "seconds", "CPU seconds", "texts per second", "resident MB", "anonymous MB"]
    return plain_table("seconds", "Seconds and memory", header, rows, notes)


def _draw(found: Mapping[str, Measured]) -> Figure:
    """Draw seconds of builds and texts per second, each if there are any."""
    builds = {task.title: found[task.name].seconds for task in BUILDS if task.name in found}
    reads = {t.title: found[t.name].notes["texts"] / found[t.name].seconds for t in READS if t.name in found}
    panels = [(builds, "Seconds to build"), (reads, "Texts per second, one thread")]
    panels = [(values, title) for values, title in panels if values]
    drawing = figure(6.4, 0.6 + 0.9 * len(panels) + 0.3 * (len(builds) + len(reads)))
    grid = drawing.subplots(len(panels), 1, squeeze=False, height_ratios=[len(values) + 1 for values, _ in panels])
    for axes, (values, title) in zip(grid[:, 0], panels, strict=True):
        plotting.plot_dots(values, measure=title, ours=[TITLES[name] for name in OURS], ax=axes)
    return drawing
