"""`classinet train`: a net and labelled texts → a model."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.cli.progress import reporting

if TYPE_CHECKING:
    from classinet.expansion import Expansion
    from classinet.pipeline import ClassiNetClassifier


class Rule(StrEnum):
    """Ways to expand a text."""

    GLOBAL = "global"
    SPECTRAL = "spectral"
    INDEPENDENT = "independent"
    ALL_NEIGHBORS = "all-neighbors"
    MUTUAL_NEIGHBORS = "mutual-neighbors"
    LOCAL_PATH = "local-path"


class ClassWeight(StrEnum):
    """How much classes count."""

    AUTO = "auto"
    BALANCED = "balanced"
    NONE = "none"


def auto_or_number(name: str, value: str) -> float | str:
    """Read "auto" or a number.

    >>> auto_or_number("C", "auto"), auto_or_number("C", "0.5")
    ('auto', 0.5)
    """
    try:
        return value if value == "auto" else float(value)
    except ValueError:
        raise typer.BadParameter(f'{value!r} is neither "auto" nor a number', param_hint=f"--{name}") from None


def train(
    net: inputs.Net,
    labelled: inputs.Labelled,
    to: Annotated[Path, typer.Option("--output", "-o", help="Folder of the new model.", show_default=False)],
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    label: inputs.LabelColumn = None,
    separator: inputs.Separator = None,
    encoding: inputs.Encoding = "utf-8",
    C: Annotated[
        str,
        typer.Option(
            "--C",
            metavar="auto|NUMBER",
            help="How freely the classifier follows the labels; auto: by cross-validation, 30 where labels are few.",
        ),
    ] = "auto",
    weight: Annotated[
        str,
        typer.Option(
            "--weight",
            metavar="auto|NUMBER",
            help="Weight of the expansion, 0 for none; auto: 1, or less where texts are few or that is surely better.",
        ),
    ] = "auto",
    class_weight: Annotated[
        ClassWeight,
        typer.Option(
            "--class-weight",
            help="balanced lets rare classes weigh as much as frequent ones; auto does so up to 1,000 texts, and "
            "shifts the border between uneven classes up to 500.",
        ),
    ] = ClassWeight.AUTO,
    names: Annotated[
        bool,
        typer.Option(
            "--names/--no-names",
            help="Read names of classes as texts of them: up to 50 texts a class, and if names tell classes apart.",
        ),
    ] = True,
    unlabeled: Annotated[
        bool,
        typer.Option(
            "--unlabeled/--no-unlabeled",
            help="Learn from texts that the net kept as well: up to 500 labelled texts, and as far as they are of a "
            "kind.",
        ),
    ] = True,
    expansion: Annotated[Rule, typer.Option("--expansion", help="How texts are expanded.")] = Rule.GLOBAL,
    hops: Annotated[
        int | None,
        typer.Option(
            "--hops",
            help="Steps through the net (global; otherwise 1).",
            min=1,
            max=inputs.MOST_HOPS,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    damping: Annotated[
        float | None,
        typer.Option("--damping", help="Factor of every step, up to 1 (global; otherwise 0.85).", show_default=False),
    ] = None,
    seed: inputs.Seed = 0,
    threads: inputs.Threads = None,
    replace: inputs.Replace = False,
    json: inputs.Json = False,
) -> None:
    """Train a classifier on a net and labelled texts.

    Tables have the columns label, text unless their header, or --label and --text, say otherwise. Prints what was
    chosen and why.
    """
    strength, share = auto_or_number("C", C), auto_or_number("weight", weight)
    rule = chosen_expansion(expansion, hops, damping)
    inputs.check_free(to, replace=replace)
    from classinet.persistence import save
    from classinet.pipeline import ClassiNetClassifier

    with reporting() as progress:
        progress("load the net", 0, 1)
        text_net = inputs.load_net(net)
        progress("load the net", 1, 1)
        texts, labels = inputs.read_labelled(
            labelled, format=format, text=text, label=label, separator=separator, encoding=encoding
        )
        progress(f"train on {len(texts):,} texts", 0, 1)
        model = ClassiNetClassifier(
            text_net,
            rule,
            C=strength,
            weight=share,
            n_jobs=threads or -1,
            random_state=seed,
            class_weight=None if class_weight is ClassWeight.NONE else class_weight.value,
            class_names=names,
            unlabeled=unlabeled,
        ).fit(texts, labels)
        progress(f"train on {len(texts):,} texts", 1, 1)
        model.set_params(n_jobs=None)  # how many threads there were is no property of the model
        save(model, to, replace=replace)
    summary = _summary(model, texts, labels, to)
    if json:
        output.as_json(summary)
    else:
        _tell(summary, strength, share)


def chosen_expansion(rule: Rule, hops: int | None, damping: float | None) -> Expansion:
    """Return the expansion that the options ask for.

    >>> chosen_expansion(Rule.GLOBAL, 2, None)
    Global(hops=2)
    """
    given = {name: value for name, value in (("hops", hops), ("damping", damping)) if value is not None}
    if given and rule is not Rule.GLOBAL:
        raise typer.BadParameter(f"only the global expansion has {' and '.join(given)}", param_hint="--expansion")
    from classinet.expansion import METHODS

    chosen: Expansion = METHODS[rule](**given)
    return chosen


def _summary(model: ClassiNetClassifier, texts: list[str], labels: list[Any], to: Path) -> dict[str, Any]:
    counts = Counter(tag for label in labels for tag in (label if isinstance(label, tuple) else (label,)))
    # What the net knows: the classifier also knows the other words of these texts.
    vocabulary = model.text_net_.vectorizer_
    known = vocabulary.vocabulary_
    shares = []
    for text in texts:
        features = set(vocabulary.words_of(text))
        shares.append(sum(feature in known for feature in features) / len(features) if features else 0.0)
    return {
        "model": str(to),
        "texts": len(texts),
        "classes": dict(sorted(counts.items())),
        "settings": model.settings_,
        "expansion": repr(model.expansion),
        "coverage": sum(shares) / len(shares),
        "texts_without_known_word": shares.count(0.0),
    }


def chosen_settings(settings: dict[str, Any], strength: float | str, share: float | str) -> str:
    """Say C and the weight, and of each how it came about: what was asked for is "auto" or a number.

    >>> losses = {"C=10, weight=0": 0.5, "C=10, weight=0.25": 0.4}
    >>> chosen_settings({"C": 30, "weight": 0.25, "leeway": False, "losses": losses}, "auto", "auto")
    'C 30 (fixed: labels are too few to choose by cross-validation), weight of the expansion 0.25 (by cross-validation
    over 2 choices)'
    """
    tried = [dict(part.split("=") for part in key.split(", ")[:2]) for key in settings["losses"]]
    told = []
    for name, noun, asked in (("C", "C", strength), ("weight", "weight of the expansion", share)):
        choices = {each[name] for each in tried}
        how = "as given"
        if asked == "auto" and len(choices) > 1:
            how = f"by cross-validation over {len(choices)} choices"
        elif asked == "auto":
            how = "fixed: labels are too few to choose by cross-validation"
        told.append((f"{noun} {settings[name]:g}", how))
    if settings["leeway"]:
        told.append(("leeway for features that tell classes apart", "by cross-validation over 2 choices"))
    # A reason that holds for what follows as well is said once.
    following = [how for _, how in told[1:]] + [None]
    return ", ".join(
        what if how == then else f"{what} ({how})" for (what, how), then in zip(told, following, strict=True)
    )


def _told_of_unlabeled(share: float) -> str:
    return "not learnt from" if share == 0 else f"learnt from, {share:.2g} times as much as from labelled ones"


def _tell(summary: dict[str, Any], strength: float | str, share: float | str) -> None:
    settings = summary["settings"]
    coverage = f"{summary['coverage']:.1%}".replace("%", " %") + " of a text's features are known to the net"
    if summary["texts_without_known_word"]:
        coverage += f"; texts without a word it knows: {summary['texts_without_known_word']:,}"
    output.facts(
        {
            "model": summary["model"],
            "texts": summary["texts"],
            "classes": output.listed((f"{name} {count:,}" for name, count in summary["classes"].items()), most=40),
            "expansion": summary["expansion"],
            "settings": chosen_settings(settings, strength, share),
            "names of classes": "read as texts" if settings["class_names"] else "not read",
            "border": "shifted, since classes are uneven" if settings["border_shifted"] else "as fitted",
            "unlabeled texts": _told_of_unlabeled(settings["unlabeled"]),
            "coverage": coverage,
        }
    )
    if settings["weight"] == 0:
        output.note("on these labels the expansion did not help, so the model goes without it")
