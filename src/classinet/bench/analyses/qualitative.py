"""Texts that expansion turned from wrong to right, and from right to wrong (§6.4, table "example").

The paper shows four texts of the first kind, "randomly selected". Here the rule is fixed: of each kind those whose
true class gained, or lost, most probability; and the counts of both kinds stand beside them. Both classifiers were
tuned alike on the same labels, one with expansion and one without. Where tuning would leave the expansion out, so that
nothing could turn, its weight is 1. Only the texts shown are stored, shortened.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from classinet._typing import Floats, Integers
from classinet.bench.analyses.base import (
    DEFAULT,
    LARGE,
    PAPER,
    Analysis,
    Materials,
    Table,
    Values,
    as_start,
    growth_allowed,
    paper_expansion,
    percent,
)
from classinet.evaluation import compare
from classinet.exceptions import UnknownTextWarning
from classinet.expansion import Expansion, Global
from classinet.explain import PREDICTED, Explanation
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline.tuning import FIXED_WEIGHT

SHOWN = 2  # of each kind and net: four and four in all
FEATURES = 10
LONGEST = 120


def compute(materials: Materials) -> Values:
    """Train on the task's labels over both nets, and look at the test texts on which expansion changed the answer."""
    nets = (
        (DEFAULT, materials.net, Global()),
        (PAPER, materials.paper_net(LARGE), paper_expansion()),
    )
    recipes = {}
    for done, (name, net, expansion) in enumerate(nets, start=1):
        with growth_allowed(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownTextWarning)  # a guess counts as any other answer here
            recipes[name] = _turned(materials, net, expansion)
        materials.progress("turned texts", done, len(nets))
    return {"recipes": recipes}


def _turned(materials: Materials, net: TextNet, expansion: Expansion) -> dict[str, Any]:
    texts, labels, judged, truth = materials.task
    clf = ClassiNetClassifier(net, expansion, n_jobs=-1, random_state=materials.seed).fit(texts, labels)
    chosen = clf.settings_["weight"]
    if chosen == 0:
        clf = clone(clf).set_params(weight=FIXED_WEIGHT).fit(texts, labels)
    true = np.searchsorted(clf.classes_, truth)
    expanded, plain = clf.predict_proba(judged), clf.predict_proba_without_expansion(judged)
    right, right_without = (said.argmax(axis=1) == true for said in (expanded, plain))
    gain = (expanded - plain)[np.arange(len(true)), true]
    told = compare(right, right_without)
    return {
        "texts": len(judged),
        "accuracy": float(right.mean()),
        "accuracy_without": float(right_without.mean()),
        "turned_right": told.only_first,
        "turned_wrong": told.only_second,
        "p": told.p,
        "weight": clf.settings_["weight"],
        "chosen_weight": chosen,
        "examples": [
            _example(kind, clf.explain(judged[i]), truth[i], float(gain[i]))
            for kind, chosen in (
                ("turned right", _most(np.flatnonzero(right & ~right_without), gain)),
                ("turned wrong", _most(np.flatnonzero(right_without & ~right), -gain)),
            )
            for i in chosen
        ],
    }


def _most(places: Integers, gain: Floats) -> list[int]:
    """The places where most was gained; of equals the earlier text."""
    order: list[int] = places[np.argsort(-gain[places], kind="stable")][:SHOWN].tolist()
    return order


def _example(kind: str, told: Explanation, truth: str, gain: float) -> dict[str, Any]:
    """A text and the predicted features that spoke most for the label it got with expansion."""
    said = told.classes.index(told.label)
    # Against the mean of the classes, so that of two classes both halves of the logit count.
    weight = {
        term.name: term.contributions[said] - float(np.mean(term.contributions))
        for term in told.terms
        if term.kind == PREDICTED
    }
    speaking = sorted((name for name in weight if weight[name] > 0), key=lambda name: (-weight[name], name))
    return {
        "kind": kind, "text": _shortened(told.text), "truth": str(truth), "with": str(told.label),
        "without": str(told.label_without), "gain": round(gain, 3), "features": speaking[:FEATURES],
    }  # fmt: skip


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def table(values: Values) -> Table:
    """One row an example."""
    rows = [
        [name, own["kind"], own["text"], own["truth"], f"{own['gain']:+.2f}", ", ".join(own["features"])]
        for name, recipe in values["recipes"].items()
        for own in recipe["examples"]
    ]
    return ["net", "expansion", "text", "true class", "change of its probability", "predicted features"], rows


def finding(values: Values) -> str:
    """Give both counts for both nets."""
    sentences = [
        "The paper shows four texts that expansion turned right, and no count; those turned wrong are not mentioned."
    ]
    for name, own in values["recipes"].items():
        how = "though tuning would leave it out" if own["chosen_weight"] == 0 else "as tuned"
        sentences.append(
            f"{as_start(name)}: of {own['texts']:,} texts {own['turned_right']:,} turned right and "
            f"{own['turned_wrong']:,} wrong (weight of the expansion {own['weight']:g}, {how}; accuracy "
            f"{percent(own['accuracy_without'])} → {percent(own['accuracy'])} %, exact McNemar p = {own['p']:.2g})."
        )
    return " ".join(sentences)


ANALYSIS = Analysis("turned_texts", "Texts that expansion turned", compute, None, table, finding)
