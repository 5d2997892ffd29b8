"""`classinet build`: unlabeled texts → a net.

Finished steps are kept in a directory beside the net, so that an interrupted build continues where it was. Batches run
on threads of this machine or on a Dask cluster, with the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.cli.guard import Stopped
from classinet.cli.progress import Report, counted, reporting

if TYPE_CHECKING:
    from classinet.engine import DaskEngine, ThreadEngine
    from classinet.model import ClassiNet
    from classinet.text import TextVectorizer, Tokenizer


class Analyzer(StrEnum):
    """What features are made of."""

    WORD = "word"
    CHAR = "char"
    CHAR_WB = "char_wb"


class EngineName(StrEnum):
    """Where batches run."""

    THREADS = "threads"
    DASK = "dask"


class RecipeName(StrEnum):
    """Recipes that have a name."""

    DEFAULT = "default"
    PAPER = "paper"


def ngram_range(value: str) -> tuple[int, int]:
    """Read "2" or "1-3".

    >>> ngram_range("2"), ngram_range("1-3")
    ((2, 2), (1, 3))
    """
    found = re.fullmatch(r"([1-9]\d?)(?:-([1-9]\d?))?", value, re.ASCII)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if low > high:
        raise typer.BadParameter(f"{value!r} is no length such as 1, and no range such as 1-2", param_hint="--ngrams")
    return low, high


def count_or_share(value: str) -> float:
    """Read a number of texts, or a share of them below 1.

    >>> count_or_share("2"), count_or_share("0.01")
    (2, 0.01)
    """
    try:
        return int(value) if value.isdecimal() else float(value)
    except ValueError:
        raise typer.BadParameter(
            f"{value!r} is neither a number of texts nor a share such as 0.01", param_hint="--min-df"
        ) from None


def tokenizer_of(options: list[str]) -> Tokenizer:
    """Read options of the tokenizer, and try them.

    >>> tokenizer_of(["numbers=mask", "lowercase=no"])
    Tokenizer(lowercase=False, numbers='mask')
    """
    from classinet.exceptions import ParameterError
    from classinet.text import Tokenizer

    chosen: dict[str, Any] = {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in Tokenizer().get_params():
            known = ", ".join(sorted(Tokenizer().get_params()))
            raise typer.BadParameter(f"{option!r} is no OPTION=VALUE with one of: {known}", param_hint="--tokens")
        chosen[name] = {"yes": True, "no": False}.get(value, value) if name == "lowercase" else value
    tokenizer = Tokenizer(**chosen)
    try:
        tokenizer("")
    except ParameterError as error:
        raise typer.BadParameter(str(error), param_hint="--tokens") from None
    return tokenizer


def context_of(value: str) -> str | int:
    """Read "document" or a number of sentences.

    >>> context_of("document"), context_of("2")
    ('document', 2)
    """
    if value != "document" and not value.isdecimal():
        raise typer.BadParameter(f'{value!r} is neither "document" nor a number of sentences', param_hint="--context")
    return int(value) if value.isdecimal() else value


def build(
    corpus: Annotated[
        list[str],
        typer.Argument(help="Files of unlabeled texts, or - for standard input.", metavar="CORPUS", show_default=False),
    ],
    to: Annotated[Path, typer.Option("--output", "-o", help="Folder of the new net.", show_default=False)],
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    encoding: inputs.Encoding = "utf-8",
    split: Annotated[
        str | None,
        typer.Option(
            "--split", metavar="sentences", help="Learn from the sentences of every text.", show_default=False
        ),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(
            "--context",
            metavar="document|N",
            show_default=False,
            help="With --split: words also count as occurring with a sentence that occur in its document, or in "
            "so many sentences on each side.",
        ),
    ] = None,
    ngrams: Annotated[
        str | None,
        typer.Option(
            "--ngrams",
            metavar="N|N-N",
            show_default=False,
            help="Lengths of features, such as 1-2; otherwise 1 word, or 2-4 characters.",
        ),
    ] = None,
    analyzer: Annotated[
        Analyzer,
        typer.Option(
            "--analyzer",
            help="Features of words, of characters, or of characters within words; characters "
            "are for languages that do not separate words.",
        ),
    ] = Analyzer.WORD,
    pieces: Annotated[
        bool | None,
        typer.Option(
            "--pieces/--no-pieces",
            help="Also count pairs of words, beginnings and runs of letters, which lead to words; otherwise where the "
            "default recipe counts words one by one.",
            show_default=False,
        ),
    ] = None,
    min_df: Annotated[
        str,
        typer.Option(
            "--min-df", metavar="N|SHARE", help="How many texts, or which share of them, a feature must occur in."
        ),
    ] = "2",
    max_features: Annotated[
        int | None,
        typer.Option(
            "--max-features",
            help="Keep so many features, the most frequent; as many words as pieces.",
            min=1,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    vertices: Annotated[
        int | None,
        typer.Option(
            "--vertices",
            help="How many features get a predictor, the most frequent; otherwise up to 10,000 frequent ones.",
            min=1,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    recipe: Annotated[
        RecipeName, typer.Option("--recipe", help="How the net is made: as we recommend, or as the paper does.")
    ] = RecipeName.DEFAULT,
    tokens: Annotated[
        list[str] | None,
        typer.Option(
            "--tokens",
            metavar="OPTION=VALUE",
            help="How texts are cut into tokens, such as mentions=mask, numbers=drop, hashtags=word, "
            "elongations=shorten, contractions=split, emoji=drop or lemmas=en; may be given several times.",
            show_default=False,
        ),
    ] = None,
    examples: Annotated[
        int,
        typer.Option(
            "--examples",
            help="Keep so many example texts of each word in the net, for all who have it to read.",
            min=0,
            metavar="N",
        ),
    ] = 0,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            help="Keep so many texts in the net, as counts of their words, for classifiers of few labels to learn "
            "from; 0 where texts are private.",
            min=0,
            metavar="N",
        ),
    ] = 10_000,
    updatable: Annotated[
        bool,
        typer.Option(
            "--updatable",
            help="Keep how often words were met with each other, so that texts can be added later (update).",
            show_default=False,
        ),
    ] = False,
    work: inputs.Work = None,
    resume: inputs.Resume = False,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only tell how much time and memory the build would take.", show_default=False),
    ] = False,
    seed: inputs.Seed = 0,
    engine: Annotated[
        EngineName,
        typer.Option(
            "--engine",
            help="Run on threads, or on a Dask cluster, whose workers read the files where they are.",
        ),
    ] = EngineName.THREADS,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            show_default=False,
            help="With --engine dask: the cluster's scheduler, such as tcp://10.0.0.5:8786; otherwise --threads worker "
            "processes on this machine.",
        ),
    ] = None,
    threads: inputs.Threads = None,
    replace: inputs.Replace = False,
    json: inputs.Json = False,
) -> None:
    """Build a net from unlabeled texts.

    The net tells which words imply which. It needs no labels, is built once, and serves any number of classifiers. An
    interrupted build continues with --resume.
    """
    if split not in (None, "sentences"):
        raise typer.BadParameter(f"{split!r} is not sentences", param_hint="--split")
    if context is not None and split is None:
        raise typer.BadParameter("only sentences have a context; add --split sentences", param_hint="--context")
    inputs.checked_format(format)
    _check_engine(engine, scheduler, threads, estimate=estimate, examples=examples)
    from classinet.pipeline import TextNet

    model = _model(recipe, vertices, seed)
    pieces = _counts_pieces(model, analyzer, ngrams) if pieces is None else pieces
    vectorizer = _vectorizer(analyzer, ngrams, count_or_share(min_df), max_features, tokens or [], pieces=pieces)
    net = TextNet(
        vectorizer,
        model,
        split=split,
        context=None if context is None else context_of(context),
        examples=examples,
        updatable=updatable,
        sample=sample,
    )
    reading: dict[str, Any] = {"format": format, "text": text, "encoding": encoding}
    if estimate:
        _estimate(vectorizer, model, split, inputs.read_texts(corpus, **reading), threads, json=json)
        return
    inputs.check_free(to, replace=replace)
    work = work or to.with_name(to.name + ".build")
    workers = Workers(engine, scheduler, threads)
    with kept_in(work, workers) as run:
        net.fit(workers.texts(corpus, reading), directory=work, resume=resume, **run)
    from classinet.build import discard
    from classinet.persistence import save

    save(net, to, replace=replace)
    discard(work)
    output.net_facts(net, to, json=json)


def _vectorizer(
    analyzer: Analyzer, ngrams: str | None, min_df: float, max_features: int | None, tokens: list[str], *, pieces: bool
) -> TextVectorizer:
    from classinet.text import TextVectorizer

    return TextVectorizer(
        tokenizer=tokenizer_of(tokens) if tokens else None,
        analyzer=analyzer.value,
        ngram_range=ngram_range(ngrams or ("1" if analyzer is Analyzer.WORD else "2-4")),
        min_df=min_df,
        max_features=max_features,
        pieces=pieces,
    )


def _counts_pieces(model: ClassiNet, analyzer: Analyzer, ngrams: str | None) -> bool:
    """Whether pieces are counted where nobody says: as `TextNet` does, where words are counted one by one."""
    from classinet.pipeline.text_net import default_vectorizer

    one_by_one = analyzer is Analyzer.WORD and ngram_range(ngrams or "1") == (1, 1)
    return one_by_one and bool(default_vectorizer(model).pieces)


def _model(recipe: RecipeName, vertices: int | None, seed: int) -> ClassiNet:
    from classinet.model import ClassiNet

    make = ClassiNet.paper if recipe is RecipeName.PAPER else ClassiNet
    return make(vertices=vertices, random_state=seed)


@dataclass(frozen=True)
class Workers:
    """Where the batches of a build run."""

    engine: EngineName
    scheduler: str | None
    threads: int | None

    def open(self, work: Path, progress: Report) -> ThreadEngine | DaskEngine:
        """Return the engine, to be entered."""
        from classinet.build import shared_folder
        from classinet.engine import DaskEngine, ThreadEngine

        if self.engine is EngineName.THREADS:
            return ThreadEngine(self.threads or -1, progress)
        return DaskEngine(
            self.scheduler, n_workers=self.threads, directory=shared_folder(work), progress=progress
        )  # fmt: skip

    def texts(self, corpus: list[str], reading: dict[str, Any]) -> Iterable[str]:
        """Return the texts, or for a cluster the files that its workers will read."""
        return (inputs.read_texts if self.engine is EngineName.THREADS else inputs.text_files)(corpus, **reading)


def _check_engine(
    engine: EngineName, scheduler: str | None, threads: int | None, *, estimate: bool, examples: int
) -> None:
    if engine is EngineName.THREADS:
        if scheduler is not None:
            raise typer.BadParameter("is for a cluster; add --engine dask", param_hint="--scheduler")
        return
    if scheduler is not None and threads is not None:
        raise typer.BadParameter("the cluster at --scheduler has its own workers", param_hint="--threads")
    if estimate:
        raise typer.BadParameter("measures threads of this machine; leave --engine out", param_hint="--estimate")
    if examples:
        raise typer.BadParameter(
            "needs all texts in one process, and a cluster's workers read files", param_hint="--examples"
        )


@contextmanager
def kept_in(work: Path, workers: Workers) -> Iterator[dict[str, Any]]:
    """Yield where batches run and whom to tell; say what became of finished steps if the command does not end well."""
    from classinet.build import discard, is_build
    from classinet.exceptions import InputError, ParameterError

    begun = work.exists()
    try:
        with reporting() as progress, workers.open(work, progress) as engine:
            yield {"progress": progress, "engine": engine}
    except KeyboardInterrupt:
        raise Stopped(
            f"stopped; what is finished is in {work}: run the same command with --resume to continue"
        ) from None
    except (InputError, ParameterError):
        # Of no use to a build of other texts or with other options, and in its way.
        if not begun and is_build(work):
            discard(work)
        raise
    finally:
        if not begun:
            with suppress(OSError):  # made for a cluster's workers before anything was begun in it
                work.rmdir()


def _estimate(
    vectorizer: TextVectorizer,
    model: ClassiNet,
    split: str | None,
    texts: Iterable[str],
    threads: int | None,
    *,
    json: bool,
) -> None:
    from classinet.build import estimate

    with reporting() as progress:
        found = estimate(
            counted(texts, "texts", progress),
            vectorizer=vectorizer,
            recipe=model.recipe(),
            split=split,
            n_jobs=threads or -1,
        )
    if json:
        output.as_json(asdict(found))
        return
    output.facts(
        {
            "time": output.time_of(found.seconds),
            "memory": output.size_of(found.peak_bytes),
            "disk": f"{output.size_of(found.disk_bytes)} while building",
            "texts": found.n_texts,
            "features": found.n_features,
            "vertices": found.n_vertices,
        }
    )
    for assumption in found.assumptions:
        output.note(assumption)
