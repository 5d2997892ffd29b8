"""What the default gains with more and more unlabeled text: ten labels a class, nets of 500 texts to all there are.

    CLASSINET_DATA=… python benchmarks/corpus_size.py [--sets subj,trec] [--draws 10] [--json FILE]

As in `ablation.py` a part of the training texts is judged and test splits are not touched. The labelled texts and those
that are judged are the same for every size, so the rows of a set differ by the net alone.
"""

from __future__ import annotations

import warnings

import numpy as np

from ablation import SKEWED, Trial, keep, parser_of
from classinet import TextNet
from classinet.bench.plan import draw_rows
from classinet.exceptions import UnknownTextWarning

SIZES = (500, 1000, 2000, 4000, 8000)


def main() -> None:
    """Measure and print."""
    asked = parser_of(__doc__, draws=10).parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {key: measured(Trial(key, asked.draws)) for key in asked.sets.split(",")}
    print("| texts | " + " | ".join(key + (" (F)" if key in SKEWED else "") for key in found) + " |")
    print("|---|" + "---:|" * len(found))
    for size in ("no expansion", *map(str, SIZES), "all"):
        print(f"| {size} | " + " | ".join(f"{of[size]:.1f}" if size in of else "–" for of in found.values()) + " |")
    keep(asked, scores=found)


def measured(trial: Trial) -> dict[str, float]:
    """Score nets of every size on one set; without expansion, words and their rarity are those of all texts."""
    draws = [draw_rows(trial.codes, "10-a-class", draw) for draw in range(trial.draws)]
    sizes = [size for size in SIZES if size < len(trial.texts)]
    # Texts are in random order, so the first ones are a sample.
    nets = {str(size): TextNet().fit(trial.texts[:size]) for size in sizes} | {"all": trial.net("default")}
    scores = {"no expansion": float(np.mean([trial.score(nets["all"], {"weight": 0.0}, rows) for rows in draws]))}
    for size, net in nets.items():
        scores[size] = float(np.mean([trial.score(net, {}, rows) for rows in draws]))
        print(f"{trial.key:16} {size:>6} {scores[size]:5.1f}", flush=True)
    return scores


if __name__ == "__main__":
    main()
