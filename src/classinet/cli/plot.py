"""`classinet plot`: pictures of a net, and of a model on labelled texts."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.cli.progress import reporting

if TYPE_CHECKING:
    from classinet.pipeline import ClassiNetClassifier, TextNet

SUFFIXES = (".png", ".svg", ".pdf")
DAMPED_HOPS = 3


class Picture(StrEnum):
    """Pictures to choose from."""

    GRAPH = "graph"
    OUT_DEGREE = "out-degree"
    QUALITY = "quality"
    EXPANSION_RATIO = "expansion-ratio"
    DAMPING = "damping"
    LEARNING_CURVE = "learning-curve"


OF_TEXTS = (Picture.EXPANSION_RATIO, Picture.DAMPING, Picture.LEARNING_CURVE)


def plot(
    net: inputs.Net,
    to: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help=f"The picture to write; its name ends in {', '.join(SUFFIXES)}.", show_default=False
        ),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|-",
            show_default=False,
            help="Texts for expansion-ratio; labelled texts for damping and learning-curve.",
        ),
    ] = None,
    what: Annotated[Picture, typer.Option("--what", help="What to draw.")] = Picture.GRAPH,
    word: Annotated[
        str | None,
        typer.Option("--word", help="graph: the word in the middle; otherwise the strongest part.", show_default=False),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", help="graph: join words that are among each other's k nearest.", min=1, metavar="N")
    ] = 4,
    size: Annotated[
        int, typer.Option("--size", help="graph: how many words to draw, at most.", min=1, metavar="N")
    ] = 30,
    hops: Annotated[
        int | None,
        typer.Option(
            "--hops",
            help=f"damping: steps through the net; otherwise the model's, or {DAMPED_HOPS} for a model "
            "of 1, where damping changes nothing.",
            min=2,
            max=inputs.MOST_HOPS,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    label: inputs.LabelColumn = None,
    encoding: inputs.Encoding = "utf-8",
    seed: inputs.Seed = 0,
    json: inputs.Json = False,
) -> None:
    """Draw a picture of a net or a model.

    graph: words and the weights between them. out-degree: how many edges leave a word. quality: how well each predictor
    ranks held-out texts. expansion-ratio: how much larger the texts of FILE become. damping: accuracy on the labelled
    texts of FILE against the damping factor, by cross-validation. learning-curve: accuracy with and without expansion
    against the number of labels, over draws from FILE.
    """
    if to.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"{to.name!r} ends in none of {', '.join(SUFFIXES)}", param_hint="--output")
    if (file is None) == (what in OF_TEXTS):
        raise typer.BadParameter(f"{what.value} {'needs' if file is None else 'takes no'} FILE", param_hint="FILE")
    text_net, model = inputs.load_either(net)
    if what in (Picture.DAMPING, Picture.LEARNING_CURVE):
        assert file is not None
        texts, labels = inputs.read_labelled(file, format=format, text=text, label=label, encoding=encoding)
        drawn, numbers = _curve(what, text_net, model, texts, labels, hops, seed)
    elif what is Picture.EXPANSION_RATIO:
        assert file is not None
        drawn, numbers = _ratios(
            text_net, model, list(inputs.read_texts([file], format=format, text=text, encoding=encoding))
        )
    else:
        drawn, numbers = _of_net(what, text_net, word, k, size), {}
    from classinet.plotting import save

    save(drawn, to)
    if json:
        output.as_json({"file": str(to), **numbers})
    else:
        output.say(f"wrote {to}")


def _of_net(what: Picture, text_net: TextNet, word: str | None, k: int, size: int) -> Any:
    from classinet import plotting

    if what is Picture.GRAPH:
        middle = None if word is None else text_net.as_feature(word)
        return plotting.plot_graph(text_net.net_.graph, middle, k=k, size=size)
    if what is Picture.OUT_DEGREE:
        return plotting.plot_out_degree(text_net.net_.graph)
    return plotting.plot_predictor_quality(text_net.net_)


def _ratios(text_net: TextNet, model: ClassiNetClassifier | None, texts: list[str]) -> tuple[Any, dict[str, Any]]:
    from classinet._sparse import canonical_csr
    from classinet.expansion import Global
    from classinet.merging import expand_rows
    from classinet.plotting import expansion_ratios, plot_expansion_ratio

    counts = canonical_csr(text_net.vectorizer_.transform(texts))
    rule = (None if model is None else model.expansion) or Global()
    with reporting() as progress:
        progress(f"expand {len(texts):,} texts", 0, 1)
        expanded = expand_rows(counts, text_net.net_, rule, -1)
        progress(f"expand {len(texts):,} texts", 1, 1)
    ratios = expansion_ratios(counts, expanded, text_net.net_.columns)
    known = ratios[ratios == ratios]  # NaN: a text without a known word
    return plot_expansion_ratio(ratios), {"texts": len(known), "mean": float(known.mean()) if len(known) else None}


def _curve(
    what: Picture,
    text_net: TextNet,
    model: ClassiNetClassifier | None,
    texts: list[str],
    labels: list[str],
    hops: int | None,
    seed: int,
) -> tuple[Any, dict[str, Any]]:
    from classinet.curves import sample

    chosen = sample(texts, labels, seed=seed)
    if len(chosen[0]) < len(texts):
        output.say(f"{len(chosen[0]):,} of {len(texts):,} texts are enough for this picture")
    draw = _learning_curve if what is Picture.LEARNING_CURVE else _damping
    return draw(text_net, model, *chosen, hops, seed)


def _learning_curve(
    text_net: TextNet, model: ClassiNetClassifier | None, texts: list[str], labels: list[str], _: int | None, seed: int
) -> tuple[Any, dict[str, Any]]:
    from sklearn.base import clone

    from classinet.curves import learning_curve
    from classinet.pipeline import ClassiNetClassifier
    from classinet.plotting import plot_learning_curve

    clf = ClassiNetClassifier(text_net, random_state=seed) if model is None else clone(model)
    clf.set_params(net=text_net, n_jobs=-1)
    with reporting() as progress:
        curves = learning_curve(clf, texts, labels, seed=seed, progress=progress)
    bands = {name: (curve.mean, curve.low, curve.high) for name, curve in curves.items()}
    drawn = plot_learning_curve(next(iter(curves.values())).at, bands)
    return drawn, {name: asdict(curve) for name, curve in curves.items()}


def _damping(
    text_net: TextNet,
    model: ClassiNetClassifier | None,
    texts: list[str],
    labels: list[str],
    hops: int | None,
    seed: int,
) -> tuple[Any, dict[str, Any]]:
    from classinet.curves import damping_curve
    from classinet.expansion import Global
    from classinet.pipeline.tuning import FIXED_C, FIXED_WEIGHT
    from classinet.plotting import plot_damping

    settings = {} if model is None else model.settings_
    C, weight = settings.get("C", FIXED_C), settings.get("weight") or FIXED_WEIGHT
    own = None if model is None else model.expansion
    expansion = own if isinstance(own, Global) else Global()
    if hops is not None or expansion.hops == 1:
        expansion = Global(hops=hops or DAMPED_HOPS, normalize=expansion.normalize, prior=expansion.prior)
    output.say(f"C {C:g}, weight of the expansion {weight:g}, {expansion.hops or 'endless'} hops")
    with reporting() as progress:
        curve = damping_curve(text_net, texts, labels, expansion, C=C, weight=weight, seed=seed, progress=progress)
    return plot_damping(curve.at, curve.mean, interval=(curve.low, curve.high)), asdict(curve)
