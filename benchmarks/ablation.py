"""What each part of the default recipe is worth: each left out alone, with few labels and with all.

    CLASSINET_DATA=… python benchmarks/ablation.py [--sets subj,trec] [--draws 5] [--json FILE]

The unlabeled text is the set's own. A quarter of the training part, at most 1,500 texts, is set aside and judged; test
splits are not touched, because the recipe was chosen by such numbers. Prints macro-F1 on skewed sets (marked F) and
accuracy on the others, in percent.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from classinet import ClassiNet, ClassiNetClassifier, TextNet
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.bench.worker import made
from classinet.edges import Similarity
from classinet.exceptions import UnknownTextWarning
from classinet.expansion import Spectral
from classinet.neighbors import VectorNeighbors
from classinet.pipeline import text_net
from classinet.predictors import Factorised, factorised
from classinet.text import TextVectorizer, pieces

SETS = "sms_spam,cr,trec,germeval2018_de,subj,reddit20"
# With all labels, sets of more training texts would take hours for all variants.
MOST_TRAINED = 8000
SKEWED = {"sms_spam", "cr", "germeval2018_de"}
MOST_JUDGED = 1500

# Of each variant: the net, the classifier's parameters, and constants of the library to change meanwhile.
Variant = tuple[Callable[[], ClassiNet], dict[str, Any], tuple[tuple[Any, str, Any], ...]]
WORDS = (text_net, "default_vectorizer", lambda model: TextVectorizer(min_df=2))
VARIANTS: dict[str, Variant] = {
    "default": (ClassiNet, {}, ()),
    "no expansion": (ClassiNet, {"weight": 0.0}, ()),
    "no expansion, words alone": (ClassiNet, {"weight": 0.0, "pieces": False}, (WORDS,)),
    "net of words alone": (ClassiNet, {}, (WORDS,)),
    "net without stems": (ClassiNet, {}, ((pieces, "STEM", 1000),)),
    "no runs of letters": (ClassiNet, {"pieces": False}, ()),
    "net of words, no phrases or letters": (ClassiNet, {"pieces": False}, (WORDS,)),
    "spectral expansion": (ClassiNet, {"expansion": Spectral()}, ()),
    "20,000 vertices": (lambda: ClassiNet(vertices=20_000), {}, ()),
    "no first hop": (lambda: ClassiNet(edges=Similarity()), {}, ()),
    "50 neighbours": (lambda: ClassiNet(neighbors=VectorNeighbors(k=50)), {}, ()),
    "rank 24": (lambda: ClassiNet(predictor=Factorised(rank=24)), {}, ()),
    "vectors of training texts": (ClassiNet, {}, ((factorised, "MISSING", 1.0),)),
    "weight 1, C 30": (ClassiNet, {"weight": 1.0, "C": 30.0}, ()),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in VARIANTS}
    for key in asked.sets.split(","):
        for name, variant in VARIANTS.items():
            found[name][key] = measured(key, variant, asked.draws)
            print(f"{key:16} {name:28} {found[name][key][0]:5.1f} {found[name][key][1]:5.1f}", flush=True)
    print(table(found))
    if asked.json is not None:
        values = {"made": made(), "draws": asked.draws, "few, all": found}
        asked.json.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measured(key: str, variant: Variant, draws: int) -> tuple[float, float]:
    """Score a variant with ten labels a class, as a mean over draws, and with all labels."""
    model, parameters, changes = variant
    data = all_tasks()[key].load()
    order = np.random.default_rng(1000).permutation(data.train(0))
    n_judged = min(MOST_JUDGED, len(order) // 4)
    judged, training = order[:n_judged], order[n_judged:]
    texts = [data.texts[row] for row in training]
    with ExitStack() as changed:
        for module, name, value in changes:
            changed.enter_context(patch.object(module, name, value))
        net = TextNet(model=model()).fit(texts)

        def score(labelled: Any) -> float:
            clf = ClassiNetClassifier(net, n_jobs=-1, **parameters)
            clf.fit([texts[i] for i in labelled], data.codes[training][labelled])
            said, truth = clf.predict([data.texts[row] for row in judged]), data.codes[judged]
            skewed = key in SKEWED
            return 100 * float(f1_score(truth, said, average="macro") if skewed else accuracy_score(truth, said))

        few = [score(draw_rows(data.codes[training], "10-a-class", draw)) for draw in range(draws)]
        everything = score(np.arange(len(training))) if len(training) <= MOST_TRAINED else float("nan")
        return float(np.mean(few)), everything


def table(found: dict[str, dict[str, tuple[float, float]]]) -> str:
    """Return two Markdown tables: few labels, all labels."""
    sets = list(next(iter(found.values())))
    lines = []
    for which, title in enumerate(("10 labels a class", "all labels")):
        heads = [key + (" (F)" if key in SKEWED else "") for key in sets]
        lines += [f"| {title} | {' | '.join(heads)} | mean |", "|---|" + "---:|" * (len(sets) + 1)]
        for name, row in found.items():
            values = [row[key][which] for key in sets]
            shown = [*values, float(np.mean([v for v in values if not np.isnan(v)] or [np.nan]))]
            lines.append(f"| {name} | {' | '.join('–' if np.isnan(v) else f'{v:.1f}' for v in shown)} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
