"""What it is worth to read the names of classes as texts, for every method alike, and what misleading names cost.

    CLASSINET_DATA=… python benchmarks/class_names.py [--sets reddit20,subj] [--methods default,MiniLM] [--beside]
        [--draws 10] [--test] [--json FILE]

Every method is judged without names, with them, and with wrong ones (each class has the name of another). The unlabeled
text is the set's own; with --beside, text from elsewhere stands beside it (Reddit titles or film reviews). As in
`ablation.py` a part of the training texts is set aside and judged; with --test it is the test split instead, which was
not looked at when the rule was chosen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ablation import DEFAULT, SKEWED, judged, keep, parser_of, scored, shown
from classinet._sparse import canonical_csr
from classinet._typing import Csr, Integers
from classinet.baselines.base import Baseline
from classinet.baselines.cbow import CBOW
from classinet.baselines.dense_average import DenseAverage
from classinet.baselines.expanded import Expanded
from classinet.baselines.minilm import MiniLM
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.corpora import CORPORA
from classinet.bench.judging import judge_blocks
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.bench.text import OwnFeatures
from classinet.bench.worker import trimmed
from classinet.exceptions import UnknownTextWarning
from classinet.pipeline import TextNet
from classinet.pipeline.names import name_text
from classinet.pipeline.representation import unit_rows
from classinet.text import TextVectorizer

NAMED = "reddit20,banking77,docstrings,subj,sms_spam,trec"
LABELS = ("1-a-class", "2-a-class", "5-a-class", "10-a-class", "20-a-class", "50-a-class")
MOST_LABELS = 1000  # more take minutes to tune
Row = list[float | None]
METHODS: dict[str, Callable[[TextNet], Baseline]] = {
    "no expansion": lambda net: NoExpansion(),
    DEFAULT: Expanded,
    "dense average": DenseAverage,
    "CBOW": lambda net: CBOW(use="append"),
    "MiniLM": lambda net: MiniLM(),
}
WITHOUT, WITH, WRONG = "without", "with", "wrong"


@dataclass(frozen=True, eq=False)
class Named:
    """Texts followed by the names of their classes, and which texts may be labelled and which are judged."""

    texts: list[str]
    codes: Integers
    n_classes: int
    pool: Integers
    asked: Integers
    unlabeled: list[str]

    @property
    def names(self) -> Integers:
        """Rows of the names."""
        return np.arange(len(self.texts) - self.n_classes, len(self.texts))


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=10)
    parser.set_defaults(sets=NAMED)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--beside", action="store_true", help="with text from elsewhere")
    parser.add_argument("--test", action="store_true", help="judge the test split")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found: dict[str, dict[str, Row]] = {}
    for key in asked.sets.split(","):
        data = loaded(key, test=asked.test, beside=asked.beside)
        net = TextNet().fit(data.unlabeled)
        print(f"\n| {key}{' (F)' * (key in SKEWED)} | {' | '.join(LABELS)} |\n|---|{'---:|' * len(LABELS)}")
        for title in asked.methods.split(","):
            for how, row in measured(key, data, METHODS[title](net), asked.draws, pieces=title == DEFAULT).items():
                found.setdefault(f"{title}, {how}", {})[key] = row
                print(f"| {title}, {how} | {' | '.join(map(shown, row))} |", flush=True)
    keep(asked, labels=LABELS, test=asked.test, beside=asked.beside, scores=found)


def loaded(key: str, *, test: bool, beside: bool) -> Named:
    """Read a set."""
    task = all_tasks()[key]
    data = task.load()
    pool, tested = data.train(0), data.test(0)
    if not test:
        tested, pool = judged(pool)
    unlabeled = data.own_texts() if test or data.unlabeled is not None else [data.texts[row] for row in pool]
    if beside:
        unlabeled = [*unlabeled, *CORPORA[task.external]().texts]
    texts, codes = [*data.texts, *map(name_text, data.classes)], np.append(data.codes, np.arange(len(data.classes)))
    return Named(texts, codes, len(data.classes), pool, tested, unlabeled)


def measured(key: str, data: Named, rival: Baseline, draws: int, *, pieces: bool) -> dict[str, Row]:
    """Score a method at every number of labels, as means over draws: without names, with them, with wrong ones."""
    block = None if isinstance(rival, NoExpansion) else features(rival, data)
    alone = rival.use == "alone" and block is not None
    words = None if alone else NoExpansion(TextVectorizer(min_df=2, pieces=pieces)).fit(data.unlabeled)
    own = None if words is None else OwnFeatures.of(data.texts, words)
    read = {WITHOUT: data.names[:0], WITH: data.names, WRONG: np.roll(data.names, 1)}
    scores: dict[str, Row] = {how: [] for how in read}
    for labels in LABELS:
        of_draws: dict[str, list[float]] = {how: [] for how in read}
        many = len(draw_rows(data.codes[data.pool], labels, 0)) > MOST_LABELS
        for draw in range(0 if many else draws):
            training = data.pool[draw_rows(data.codes[data.pool], labels, draw)]
            blocks = (block, None) if own is None else (own.rows(training), block)
            for how, names in read.items():
                said, _ = judge_blocks(
                    *blocks, data.codes, data.n_classes, training, data.asked, names=names, counted=own is not None
                )
                of_draws[how].append(scored(key, data.codes[data.asked], said))
        for how, values in of_draws.items():
            scores[how].append(float(np.mean(values)) if values else None)
    return scores


def features(rival: Baseline, data: Named) -> Csr:
    """Return a method's features of all texts and names."""
    return trimmed(unit_rows(canonical_csr(rival.fit(data.unlabeled).transform(data.texts))))


if __name__ == "__main__":
    main()
