"""Train on labelled rows and judge test rows: the same classifier, tuned the same way, for every method.

Enter: a text's own rows, a method's block, which rows are labelled and which are judged. Leave: predicted classes and
what was chosen: on the labelled rows alone, where these are enough, and fixed otherwise (`classinet.pipeline.tuning`).
A rival with a classifier of its own chooses among its `grid` by the same folds under the same condition; features that
hang on labels are made anew for every fold, of its training labels.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from classinet._sparse import take_rows
from classinet._typing import Csr, Integers
from classinet.baselines.base import Baseline
from classinet.merging import append
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline.border import texts_to_ask
from classinet.pipeline.fitting import fit_blocks
from classinet.pipeline.held_out import inner_folds
from classinet.pipeline.names import with_names
from classinet.pipeline.representation import no_rows, weigh_blocks
from classinet.pipeline.targets import Targets
from classinet.pipeline.tuning import FIXED_WEIGHT, MAX_TEXTS, Settings, Tuner, too_few

Blocks = tuple[Csr, Csr | None]
NOTHING = np.empty(0, dtype=np.int64)


def judge_blocks(
    own: Csr, block: Csr | None, codes: Integers, n_classes: int, training: Integers, tested: Integers,
    settings: dict[str, Any] | None = None, *, full: float = FIXED_WEIGHT, counted: bool = True,
    names: Integers = NOTHING, adapted: Callable[[Integers], Blocks] | None = None,
) -> tuple[Integers, dict[str, Any]]:  # fmt: skip
    """Train a linear classifier on [own | weight × block] and judge the tested rows.

    Parameters
    ----------
    own : rows of length 1: the text itself, or what stands for it.
    block : what a method adds to it, or None.
    codes, n_classes : class of every text, and how many there are.
    training, tested : rows to train on and to judge.
    settings : what was chosen before, to be used again; None chooses.
    full : the full weight of the block; see `full_weight`.
    counted : whether `own` are features that a text has or has not, as words are, and not vectors.
    names : rows of the names of the classes, which are read if they tell classes apart; none by default.
    adapted : for features that hang on labels: returns `own` and `block` as the labels of the given rows make them.
    """
    targets = Targets.of_codes(codes[training], n_classes)
    asked = texts_to_ask(targets, "auto", np.ones(len(training)))
    train = _both(own, block, training)
    if settings is None:
        inner = None if adapted is None else lambda rows: _both(*adapted(training[rows]), training)
        weights = targets.row_weights("auto", None)
        tuner = Tuner(*train, targets, weights, seed=0, full=full, counted=counted, adapted=inner)
        settings = tuner.choose("auto", 0.0 if block is None else "auto").to_dict()
    rows, added, targets, weights, _ = with_names(*_both(own, block, np.append(training, names)), targets, "auto", None)
    head = fit_blocks(rows, added, targets, weights, Settings(**settings), asked)
    judged = append(*weigh_blocks(*_both(own, block, tested), settings["weight"]))
    return np.asarray(head.logits(judged).argmax(axis=1), dtype=np.int64), settings


def judge_by_classifier(
    net: TextNet, texts: Sequence[str], codes: Integers, training: Integers, tested: Integers,
    settings: dict[str, Any] | None = None,
) -> tuple[Integers, dict[str, Any]]:  # fmt: skip
    """Let a `ClassiNetClassifier` over the net learn from the labelled texts and judge the others; names are hidden."""
    chosen = {} if settings is None else {name: settings[name] for name in ("C", "weight")}
    clf = ClassiNetClassifier(net, class_names=False, **chosen).fit([texts[row] for row in training], codes[training])
    said = np.asarray(clf.predict([texts[row] for row in tested]), dtype=np.int64)
    return said, {**(settings or {}), **clf.settings_, "how": (settings or clf.settings_)["how"]}


def judge_by_itself(
    rival: Baseline, texts: Sequence[str], codes: Integers, n_classes: int, training: Integers, tested: Integers,
    settings: dict[str, Any] | None = None,
) -> tuple[Integers, dict[str, Any]]:  # fmt: skip
    """Let a fitted rival that has its own classifier learn from the labelled texts and judge the others."""
    if settings is None:
        settings = _choose(rival, texts, Targets.of_codes(codes[training], n_classes), training)
    chosen = {name: settings[name] for name in rival.grid}
    return _learn_and_judge(rival, chosen, texts, codes, training, tested), settings


def _both(own: Csr, block: Csr | None, rows: Integers) -> tuple[Csr, Csr]:
    return take_rows(own, rows), no_rows(len(rows), 0) if block is None else take_rows(block, rows)


def _choose(rival: Baseline, texts: Sequence[str], targets: Targets, rows: Integers) -> dict[str, Any]:
    default = {name: values[0] for name, values in rival.grid.items()}
    if not rival.grid:
        return {"how": "given"}
    if too_few(targets):
        return {**default, "how": "fixed"}
    # A rate that suits a part of many texts need not suit the whole: many are all asked, but once.
    folds = inner_folds(targets, seed=0)[: 1 if len(rows) > MAX_TEXTS else None]
    own, codes = [texts[row] for row in rows], targets.codes
    asked = sum(len(held_out) for _, held_out in folds)
    scores: dict[str, float] = {}
    best, best_right = default, -1
    for values in product(*rival.grid.values()):
        tried = dict(zip(rival.grid, values, strict=True))
        right = sum(
            int((_learn_and_judge(rival, tried, own, codes, train, held_out) == codes[held_out]).sum())
            for train, held_out in folds
        )
        scores[", ".join(f"{name}={value}" for name, value in tried.items())] = right / asked
        if right > best_right:
            best, best_right = tried, right
    return {**best, "how": "cross-validation", "accuracies": scores}


def _learn_and_judge(
    rival: Baseline, chosen: dict[str, Any], texts: Sequence[str], codes: Integers, training: Integers,
    tested: Integers,
) -> Integers:  # fmt: skip
    learnt = copy.copy(rival).set_params(**chosen).adapt([texts[row] for row in training], codes[training].tolist())
    return np.asarray(learnt.predict([texts[row] for row in tested]), dtype=np.int64)
