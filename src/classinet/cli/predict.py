"""`classinet predict`: texts → labels, a line in, a line out."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.cli.progress import counted, reporting

if TYPE_CHECKING:
    from classinet.pipeline import ClassiNetClassifier


def predict(
    model: inputs.Model,
    file: inputs.Texts = "-",
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    encoding: inputs.Encoding = "utf-8",
    proba: Annotated[
        bool,
        typer.Option(
            "--proba",
            help="Also print the probability of every class, below a line of column names.",
            show_default=False,
        ),
    ] = False,
    separator: Annotated[str, typer.Option("--separator", help="What to put between the tags of a text.")] = ",",
    batch: Annotated[
        int, typer.Option("--batch", help="How many texts to read before answering.", min=1, metavar="N")
    ] = 1000,
    threads: inputs.Threads = None,
    json: inputs.Json = False,
) -> None:
    """Predict the label of each text, one line for each.

    Prints label, probability, coverage and text, separated by tabs. Coverage is the share of a text's features that
    the model knows; where it is 0, the label rests on pieces of words, or on nothing. An empty line of a file of lines,
    or of a table of one column, is an empty text.
    """
    clf = inputs.load_model(model, threads)
    size = 1 if file == "-" and sys.stdin.isatty() else batch
    unknown = read = 0
    if proba and not json:
        output.row("label", "probability", "coverage", *clf.classes_.tolist(), "text")
    with reporting(beside_data=True) as progress:
        stream = inputs.read_texts([file], format=format, text=text, encoding=encoding, keep_empty=True)
        texts = counted(stream, "predict", progress)
        for part in inputs.batches(texts, size):
            for answer in _answers(clf, part):
                read += 1
                unknown += answer["coverage"] == 0
                _print(answer, clf, separator, proba=proba, json=json)
            sys.stdout.flush()
    if unknown:
        output.note(f"texts without a known word (coverage 0), whose label is a guess: {unknown:,} of {read:,}")


def _answers(clf: ClassiNetClassifier, texts: list[str]) -> list[dict[str, Any]]:
    from classinet.exceptions import UnknownTextWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTextWarning)  # counted below, over all batches
        probabilities = clf.predict_proba(texts)
    chosen = probabilities > 0.5 if clf.head_.multilabel else None
    classes = clf.classes_.tolist()
    answers = []
    for i, (text, coverage) in enumerate(zip(texts, clf.coverage(texts), strict=True)):
        found = [int(probabilities[i].argmax())] if chosen is None else chosen[i].nonzero()[0].tolist()
        answers.append(
            {
                "labels": [classes[at] for at in found],
                "probability": [float(probabilities[i, at]) for at in found],
                "coverage": float(coverage),
                "text": text,
                "probabilities": dict(zip(map(str, classes), probabilities[i].tolist(), strict=True)),
            }
        )
    return answers


def _print(answer: dict[str, Any], clf: ClassiNetClassifier, separator: str, *, proba: bool, json: bool) -> None:
    labels, probability = answer["labels"], answer["probability"]
    if json:
        one = {"label": labels[0], "probability": probability[0]} if not clf.head_.multilabel else {
            "labels": labels, "probability": probability}  # fmt: skip
        rest = {name: answer[name] for name in ("coverage", "text", *(("probabilities",) if proba else ()))}
        output.as_json({**one, **rest})
        return
    every = [f"{value:.4f}" for value in answer["probabilities"].values()] if proba else []
    output.row(
        separator.join(map(str, labels)),
        separator.join(f"{value:.4f}" for value in probability),
        f"{answer['coverage']:.2f}",
        *every,
        answer["text"],
    )
