"""What each part of the default recipe is worth: each left out alone, with few labels and with all.

    CLASSINET_DATA=… python benchmarks/ablation.py [--sets subj,trec] [--draws 5] [--few] [--json FILE]

The unlabeled text is the set's own. A quarter of the training part, at most 1,500 texts, is set aside and judged; test
splits are not touched, because the recipe was chosen by such numbers. Prints macro-F1 on skewed sets (marked F) and
accuracy on the others, in percent. With --few, all labels are left out: they take most of the time.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from classinet import ClassiNet, ClassiNetClassifier, TextNet
from classinet._typing import Integers
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import Task, all_tasks
from classinet.bench.worker import made
from classinet.edges import Similarity
from classinet.exceptions import UnknownTextWarning
from classinet.expansion import Spectral
from classinet.neighbors import VectorNeighbors
from classinet.pipeline import leeway, text_net
from classinet.predictors import Factorised
from classinet.text import TextVectorizer

SETS = "sms_spam,cr,trec,germeval2018_de,subj,reddit20"
# With all labels, sets of more training texts would take hours for all variants.
MOST_TRAINED = 8000
SKEWED = {"sms_spam", "cr", "germeval2018_de"}
MOST_JUDGED = 1500

# Constants of the library that are other ones meanwhile: where, name, value.
Changes = tuple[tuple[Any, str, Any], ...]
WORDS = (text_net, "default_vectorizer", lambda model: TextVectorizer(min_df=2))
STEMS = (text_net, "default_vectorizer", lambda model: TextVectorizer(min_df=2, pieces="stems"))
Scores = tuple[float, float | None]  # with few labels, and with all
DEFAULT = "default"
NETS: dict[str, tuple[Callable[[], ClassiNet], Changes]] = {
    DEFAULT: (ClassiNet, ()),
    "net of words alone": (ClassiNet, (WORDS,)),
    "stems in place of runs": (ClassiNet, (STEMS,)),
    "20,000 vertices": (lambda: ClassiNet(vertices=20_000), ()),
    "no first hop": (lambda: ClassiNet(edges=Similarity()), ()),
    "50 neighbours": (lambda: ClassiNet(neighbors=VectorNeighbors(k=50)), ()),
    "rank 24": (lambda: ClassiNet(predictor=Factorised(rank=24)), ()),
}
# Of each variant that is more than another net: its net, the classifier's parameters, and what changes for it.
CLASSIFIERS: dict[str, tuple[str, dict[str, Any], Changes]] = {
    "no expansion": (DEFAULT, {"weight": 0.0}, ()),
    "no expansion, words alone": ("net of words alone", {"weight": 0.0, "pieces": False}, ()),
    "no runs of letters": (DEFAULT, {"pieces": False}, ()),
    "net of words, no phrases or letters": ("net of words alone", {"pieces": False}, ()),
    "no unlabeled texts": (DEFAULT, {"unlabeled": False}, ()),
    "no leeway": (DEFAULT, {}, ((leeway, "POWER", 0.0),)),
    "spectral expansion": (DEFAULT, {"expansion": Spectral()}, ()),
    "weight 1, C 30, no leeway": (DEFAULT, {"weight": 1.0, "C": 30.0}, ()),
}
VARIANTS = {**{name: (name, {}, ()) for name in NETS}, **CLASSIFIERS}


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.add_argument("--only", help='only these variants, as "default; rank 24"')
    parser.add_argument("--few", action="store_true", help="with few labels alone")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    most = 0 if asked.few else MOST_TRAINED
    variants = list(VARIANTS) if asked.only is None else asked.only.split("; ")
    for name in variants:
        if name not in VARIANTS:
            parser.error(f"there is no variant {name!r}; there are {'; '.join(VARIANTS)}")
    found: dict[str, dict[str, Scores]] = {name: {} for name in variants}
    for key in asked.sets.split(","):
        trial = Trial(key, asked.draws)
        for name in variants:
            found[name][key] = trial.measured(name, most)
            print(f"{key:16} {name:36} {'  '.join(map(shown, found[name][key]))}", flush=True)
    print(table(found))
    keep(asked, **{"few, all": found})


def parser_of(about: str | None, draws: int) -> argparse.ArgumentParser:
    """Return a parser of which sets, how many draws, and where to write."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n", 1)[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--draws", type=int, default=draws)
    parser.add_argument("--json", type=Path)
    return parser


def keep(asked: argparse.Namespace, **values: Any) -> None:
    """Write what was found where --json says, with when, with what and on how many draws it was found."""
    if asked.json is not None:
        told = {"made": made(), "draws": asked.draws, **values}
        asked.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def judged(training: Integers) -> tuple[Integers, Integers]:
    """Set a part of the training texts aside to be judged; return it and the others."""
    order = np.random.default_rng(1000).permutation(training)
    n_judged = min(MOST_JUDGED, len(order) // 4)
    return order[:n_judged], order[n_judged:]


def scored(key: str, truth: Integers, said: Any) -> float:
    """Return macro-F1 of a skewed set and accuracy of another, in percent."""
    if key in SKEWED:
        return 100 * float(f1_score(truth, said, average="macro"))
    return 100 * float(accuracy_score(truth, said))


class Trial:
    """One data set, a part of its training texts set aside, and the nets that were built of the others."""

    def __init__(
        self, key: str, draws: int, *, test: bool = False, tasks: Mapping[str, Task] | None = None
    ) -> None:  # fmt: skip
        self.key, self.draws = key, draws
        data = (all_tasks() if tasks is None else tasks)[key].load()
        asked, training = (data.test(0), data.train(0)) if test else judged(data.train(0))
        self.classes = np.array(data.classes)
        self.texts, self.codes = [data.texts[row] for row in training], data.codes[training]
        self.asked, self.truth = [data.texts[row] for row in asked], data.codes[asked]
        self.nets: dict[str, TextNet] = {}

    def measured(self, variant: str, most: int) -> Scores:
        """Score a variant with ten labels a class, as a mean over draws, and with all labels; None if above `most`."""
        name, parameters, changes = VARIANTS[variant]
        net = self.net(name)
        with changed(NETS[name][1] + changes):  # texts are read as the net was built
            few = [self.score(net, parameters, draw_rows(self.codes, "10-a-class", draw)) for draw in range(self.draws)]
            every = np.arange(len(self.texts))
            whole = self.score(net, parameters, every) if len(every) <= most else None
        return float(np.mean(few)), whole

    def net(self, name: str) -> TextNet:
        """Build a net, once."""
        if name not in self.nets:
            model, changes = NETS[name]
            with changed(changes):
                self.nets[name] = TextNet(model=model()).fit(self.texts)
        return self.nets[name]

    def score(self, net: TextNet, parameters: dict[str, Any], labelled: Any) -> float:
        """Train on some labels and judge what was set aside."""
        clf = ClassiNetClassifier(net, n_jobs=-1, **parameters)
        said = clf.fit([self.texts[i] for i in labelled], self.codes[labelled]).predict(self.asked)
        return scored(self.key, self.truth, said)


@contextmanager
def changed(changes: Changes) -> Iterator[None]:
    """Let constants be other ones meanwhile."""
    with ExitStack() as stack:
        for module, name, value in changes:
            stack.enter_context(patch.object(module, name, value))
        yield


def shown(score: float | None) -> str:
    """Return a score, or a dash."""
    return "–" if score is None else f"{score:.1f}"


def table(found: dict[str, dict[str, Scores]]) -> str:
    """Return a Markdown table for few labels and one for all, where these were used."""
    sets = list(next(iter(found.values())))
    lines = []
    for which, title in enumerate(("10 labels a class", "all labels")):
        if all(row[key][which] is None for row in found.values() for key in sets):
            continue
        heads = [key + (" (F)" if key in SKEWED else "") for key in sets]
        lines += [f"| {title} | {' | '.join(heads)} | mean |", "|---|" + "---:|" * (len(sets) + 1)]
        for name, row in found.items():
            values = [row[key][which] for key in sets]
            there = [value for value in values if value is not None]
            mean = float(np.mean(there)) if there else None
            lines.append(f"| {name} | {' | '.join(map(shown, [*values, mean]))} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
