"""What it does to let classes count alike, where labels are drawn as texts come and classes are uneven.

    CLASSINET_DATA=… python benchmarks/class_weights.py [--sets sms_spam,cr] [--draws 5] [--json FILE]

Macro-F1 and accuracy, in percent, with `class_weight=None` and `"balanced"`. The unlabeled text is the set's own; as in
`ablation.py` a part of the training texts is set aside and judged, and test splits are not touched.
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


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.set_defaults(sets=UNEVEN)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {}
    print("| set, labels | macro-F1 | alike | accuracy | alike |\n|---|---:|---:|---:|---:|")
    for key in asked.sets.split(","):
        trial = Trial(key, asked.draws)
        for labels in LABELS:
            (f1, accuracy), (f1_alike, accuracy_alike) = (scores(trial, labels, how) for how in (None, "balanced"))
            row = found[f"{key}, {labels}"] = [f1, f1_alike, accuracy, accuracy_alike]
            print(f"| {key}, {labels} | {' | '.join(map(shown, row))} |", flush=True)
    keep(asked, **{"macro-F1, alike, accuracy, alike": found})


def scores(trial: Trial, labels: str, class_weight: str | None) -> tuple[float, float]:
    """Return macro-F1 and accuracy, as means over draws."""
    of_draws = []
    for draw in range(trial.draws):
        rows = draw_rows(trial.codes, labels, draw)
        clf = ClassiNetClassifier(trial.net(DEFAULT), class_weight=class_weight, n_jobs=-1)
        said = clf.fit([trial.texts[i] for i in rows], trial.codes[rows]).predict(trial.asked)
        of_draws.append((f1_score(trial.truth, said, average="macro"), accuracy_score(trial.truth, said)))
    f1, accuracy = 100 * np.mean(of_draws, axis=0)
    return float(f1), float(accuracy)


if __name__ == "__main__":
    main()
