"""How much should what is inferred weigh? Fixed weights beside what is chosen, by size of the corpus and by labels.

    CLASSINET_DATA=… python benchmarks/expansion_weight.py [--sets cr,trec] [--labels 10-a-class,50-a-class]
        [--texts 500] [--available FILE] [--translations DIR] [--draws 5] [--json FILE]

The unlabeled text is the set's own; with --texts only so many of them, labelled ones among them, and others in every
draw. As in `ablation.py` a part of the training texts is set aside and judged. With --available (and --translations)
sets of `packages.py` can be asked for beside the others.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ablation import SKEWED, Trial, keep, parser_of, scored
from classinet import ClassiNetClassifier
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.exceptions import UnknownTextWarning
from packages import tasks_of
from unlabeled import Part, parts_of

VARIANTS: dict[str, dict[str, Any]] = {
    "none": {"weight": 0.0}, "0.25": {"weight": 0.25}, "0.5": {"weight": 0.5}, "0.7": {"weight": 0.7},
    "1": {"weight": 1.0}, "chosen": {},
}  # fmt: skip
NEARLY_ALL = 0.8  # with as many labelled there is little that is not


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.add_argument("--labels", default="10-a-class,20-a-class,50-a-class")
    parser.add_argument("--texts", type=int)
    parser.add_argument("--available", type=Path)
    parser.add_argument("--translations", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    tasks = all_tasks()
    if asked.available is not None:
        tasks = {**tasks, **tasks_of(asked.available, asked.translations)}
    found = {}
    print(f"| set, labels | {' | '.join(VARIANTS)} | weight chosen |\n|---|" + "---:|" * (len(VARIANTS) + 1))
    for key in asked.sets.split(","):
        trial = Trial(key, asked.draws, tasks=tasks)
        parts = parts_of(trial, "own", asked.texts)
        for labels in asked.labels.split(","):
            if len(draw_rows(parts[0].codes, labels, 0)) > NEARLY_ALL * len(parts[0].texts):
                continue
            scores = {name: measured(trial, parts, labels, name) for name in VARIANTS}
            weight = scores["chosen"][1]
            found[f"{key} {labels}"] = {name: score for name, (score, _) in scores.items()} | {"weight": weight}
            told = " | ".join(f"{score:.1f}" for score, _ in scores.values())
            print(f"| {key + (' (F)' if key in SKEWED else '')}, {labels} | {told} | {weight:.2f} |", flush=True)
    rows = np.array([[scores[name] for name in VARIANTS] for scores in found.values()])
    print(f"| mean | {' | '.join(f'{mean:.2f}' for mean in rows.mean(axis=0))} | |")
    keep(asked, texts=asked.texts, scores=found)


def measured(trial: Trial, parts: list[Part], labels: str, variant: str) -> tuple[float, float]:
    """Score a variant, and tell the weight that was used: means over draws."""
    scores, weights = [], []
    for draw, part in enumerate(parts):
        rows = draw_rows(part.codes, labels, draw)
        clf = ClassiNetClassifier(part.net, class_names=False, n_jobs=-1, **VARIANTS[variant])
        clf.fit([part.texts[i] for i in rows], part.codes[rows])
        scores.append(scored(trial.key, trial.truth, clf.predict(trial.asked)))
        weights.append(clf.settings_["weight"])
    return float(np.mean(scores)), float(np.mean(weights))


if __name__ == "__main__":
    main()
