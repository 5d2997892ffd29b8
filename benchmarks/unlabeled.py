"""What it is worth to learn from unlabeled texts as well, of the same kind and of another.

    CLASSINET_DATA=… python benchmarks/unlabeled.py [--sets cr,trec] [--labels 10-a-class,50] [--text own] [--names]
        [--texts 1000] [--test] [--draws 10] [--json FILE]

The default is judged without unlabeled texts, with them, and with them whatever their kind. --text is "own", the set's
own; "beside", other text beside it; or "other", that alone (Reddit titles or film reviews). With --texts there are only
so many own texts, labelled ones among them, and others in every draw. With --names, names of classes are read. As in
`ablation.py` a part of the training texts is set aside and judged; with --test the test split.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ablation import SKEWED, Changes, Trial, changed, keep, parser_of, scored
from classinet import ClassiNetClassifier, TextNet
from classinet._typing import Integers
from classinet.bench.corpora import CORPORA
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.exceptions import UnknownTextWarning
from classinet.pipeline import unlabeled

VARIANTS: dict[str, tuple[bool, Changes]] = {
    "without": (False, ()),
    "with": (True, ()),
    "of any kind": (True, ((unlabeled, "ALIKE", 2.0), (unlabeled, "APART", 3.0))),
}


class Part(NamedTuple):
    """Texts of which some are labelled, their classes, and a net."""

    net: TextNet
    texts: list[str]
    codes: Integers


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=10)
    parser.add_argument("--labels", default="10-a-class")
    parser.add_argument("--text", choices=("own", "beside", "other"), default="own")
    parser.add_argument("--texts", type=int)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--test", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {}
    print(f"| set, labels | {' | '.join(VARIANTS)} | how much they count |\n|---|" + "---:|" * (len(VARIANTS) + 1))
    for key in asked.sets.split(","):
        trial = Trial(key, asked.draws, test=asked.test)
        parts = parts_of(trial, asked.text, asked.texts)
        for labels in asked.labels.split(","):
            scores = {name: measured(trial, parts, labels, name, names=asked.names) for name in VARIANTS}
            share = scores["with"][1]
            found[f"{key} {labels}"] = {name: score for name, (score, _) in scores.items()} | {"share": share}
            told = " | ".join(f"{score:.1f}" for score, _ in scores.values())
            print(f"| {key + (' (F)' if key in SKEWED else '')}, {labels} | {told} | {share:.2f} |", flush=True)
    keep(asked, text=asked.text, texts=asked.texts, names=asked.names, test=asked.test, scores=found)


def parts_of(trial: Trial, text: str, n_texts: int | None) -> list[Part]:
    """Return for each draw the texts of which some are labelled, and the net of them, of other text, or of both."""
    other = [] if text == "own" else CORPORA[all_tasks()[trial.key].external]().texts
    if n_texts is None:
        net = trial.net("default") if text == "own" else net_of(trial.texts, other, text)
        return [Part(net, trial.texts, trial.codes)] * trial.draws
    parts = []
    for draw in range(trial.draws):
        rows = np.random.default_rng(draw).permutation(len(trial.texts))[:n_texts]
        texts = [trial.texts[row] for row in rows]
        parts.append(Part(net_of(texts, other, text), texts, trial.codes[rows]))
    return parts


def net_of(own: list[str], other: list[str], text: str) -> TextNet:
    """Build a net."""
    return TextNet().fit(other if text == "other" else [*own, *other])


def measured(trial: Trial, parts: list[Part], labels: str, variant: str, *, names: bool) -> tuple[float, float]:
    """Score a variant, and tell as how much unlabeled texts counted: means over draws."""
    used, changes = VARIANTS[variant]
    scores, shares = [], []
    for draw, part in enumerate(parts):
        rows = draw_rows(part.codes, labels, draw)
        with changed(changes):
            clf = ClassiNetClassifier(part.net, class_names=names, unlabeled=used, n_jobs=-1)
            clf.fit([part.texts[i] for i in rows], trial.classes[part.codes[rows]])
        said = np.searchsorted(trial.classes, clf.predict(trial.asked))
        scores.append(scored(trial.key, trial.truth, said))
        shares.append(clf.settings_["unlabeled"])
    return float(np.mean(scores)), float(np.mean(shares))


if __name__ == "__main__":
    main()
