"""What it does to let classes count alike and to shift their border, where labels are drawn as texts come.

    CLASSINET_DATA=… python benchmarks/class_weights.py [--sets sms_spam,cr] [--draws 5] [--json FILE]

Macro-F1 and accuracy, in percent, with expansion and without, with `class_weight=None` (texts count alike), "balanced"
(classes do) and "auto" (they do, and up to 500 texts the border is shifted too). The unlabeled text is the set's own;
as in `ablation.py` a part of the training texts is set aside and judged, and test splits are not touched.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from ablation import DEFAULT, Trial, keep, parser_of, shown
from classinet import ClassiNetClassifier
from classinet.bench.plan import draw_rows
from classinet.exceptions import UnknownTextWarning

UNEVEN = "sms_spam,cr,trec,germeval2018_de"
LABELS = ("10", "20", "50", "100", "200", "500", "1000")
WAYS = {"texts alike": None, "classes alike": "balanced", "border shifted": "auto"}
# Macro-F1 with expansion, accuracy with it, and the same without.
Scores = tuple[float, float, float, float]


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.set_defaults(sets=UNEVEN)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {}
    print(f"| set, labels | {' → '.join(WAYS)}: macro-F1 | accuracy | macro-F1 without expansion | accuracy without |")
    print("|---|---:|---:|---:|---:|")
    for key in asked.sets.split(","):
        trial = Trial(key, asked.draws)
        for labels in LABELS:
            row = found[f"{key}, {labels}"] = {way: scores(trial, labels, given) for way, given in WAYS.items()}
            columns = (" → ".join(map(shown, column)) for column in zip(*row.values(), strict=True))
            print(f"| {key}, {labels} | {' | '.join(columns)} |", flush=True)
    keep(asked, **{"macro-F1, accuracy, both without expansion": found})


def scores(trial: Trial, labels: str, class_weight: str | None) -> Scores:
    """Return means over draws."""
    of_draws = []
    for draw in range(trial.draws):
        rows = draw_rows(trial.codes, labels, draw)
        clf = ClassiNetClassifier(trial.net(DEFAULT), class_weight=class_weight, n_jobs=-1)
        told = clf.fit([trial.texts[i] for i in rows], trial.codes[rows]).judge(trial.asked)
        of_draws.append([
            100 * float(score) for said in (told.labels, told.labels_without)
            for score in (f1_score(trial.truth, said, average="macro"), accuracy_score(trial.truth, said))
        ])  # fmt: skip
    with_f1, with_accuracy, f1, accuracy = np.mean(of_draws, axis=0).tolist()
    return with_f1, with_accuracy, f1, accuracy


if __name__ == "__main__":
    main()
