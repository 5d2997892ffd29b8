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
from numpy.typing import NDArray

from ablation import DEFAULT, SKEWED, judged, keep, parser_of, scored, shown
from classinet import ClassiNetClassifier
from classinet._sparse import canonical_csr
from classinet._typing import Csr, Integers
from classinet.baselines.base import Baseline
from classinet.baselines.cbow import CBOW
from classinet.baselines.dense_average import DenseAverage
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
RIVALS: dict[str, Callable[[TextNet], Baseline]] = {
    "no expansion": lambda net: NoExpansion(),
    "dense average": DenseAverage,
    "CBOW": lambda net: CBOW(use="append"),
    "MiniLM": lambda net: MiniLM(),
}
METHODS = ("no expansion", DEFAULT, "dense average", "CBOW", "MiniLM")
WITHOUT, WITH, WRONG = "without", "with", "wrong"
# Judges the asked texts after learning from some rows: (rows, how names are read) → class of each asked text.
Judge = Callable[[Integers, str], Integers]


@dataclass(frozen=True, eq=False)
class Named:
    """Texts followed by the names of their classes, and which texts may be labelled and which are judged."""

    texts: list[str]
    codes: Integers
    classes: NDArray[np.object_]
    pool: Integers
    asked: Integers
    unlabeled: list[str]

    @property
    def names(self) -> Integers:
        """Rows of the names."""
        return np.arange(len(self.texts) - len(self.classes), len(self.texts))


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
            judge = by_classifier(data, net) if title == DEFAULT else by_blocks(data, RIVALS[title](net))
            for how, row in measured(key, data, judge, asked.draws).items():
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
    return Named(texts, codes, np.array(data.classes, dtype=object), pool, tested, unlabeled)


def measured(key: str, data: Named, judge: Judge, draws: int) -> dict[str, Row]:
    """Score a method at every number of labels, as means over draws: without names, with them, with wrong ones."""
    scores: dict[str, Row] = {how: [] for how in (WITHOUT, WITH, WRONG)}
    for labels in LABELS:
        many = len(draw_rows(data.codes[data.pool], labels, 0)) > MOST_LABELS
        drawn = [] if many else [data.pool[draw_rows(data.codes[data.pool], labels, draw)] for draw in range(draws)]
        for how, row in scores.items():
            values = [scored(key, data.codes[data.asked], judge(training, how)) for training in drawn]
            row.append(float(np.mean(values)) if values else None)
    return scores


def by_classifier(data: Named, net: TextNet) -> Judge:
    """Return how `ClassiNetClassifier` judges."""
    asked = [data.texts[row] for row in data.asked]

    def judge(training: Integers, how: str) -> Integers:
        called = np.roll(data.classes, 1) if how == WRONG else data.classes
        clf = ClassiNetClassifier(net, class_names=how != WITHOUT)
        clf.fit([data.texts[row] for row in training], called[data.codes[training]])
        place = {name: code for code, name in enumerate(called)}
        return np.array([place[name] for name in clf.predict(asked)], dtype=np.int64)

    return judge


def by_blocks(data: Named, rival: Baseline) -> Judge:
    """Return how a rival judges: its features beside tf-idf, or alone."""
    block = None if isinstance(rival, NoExpansion) else features(rival, data)
    alone = rival.use == "alone" and block is not None
    own = None if alone else OwnFeatures.of(data.texts, NoExpansion(TextVectorizer(min_df=2)).fit(data.unlabeled))
    read = {WITHOUT: data.names[:0], WITH: data.names, WRONG: np.roll(data.names, 1)}

    def judge(training: Integers, how: str) -> Integers:
        blocks = (block, None) if own is None else (own.rows(training), block)
        said, _ = judge_blocks(
            *blocks, data.codes, len(data.classes), training, data.asked, names=read[how], counted=own is not None
        )
        return said

    return judge


def features(rival: Baseline, data: Named) -> Csr:
    """Return a method's features of all texts and names."""
    return trimmed(unit_rows(canonical_csr(rival.fit(data.unlabeled).transform(data.texts))))


if __name__ == "__main__":
    main()
