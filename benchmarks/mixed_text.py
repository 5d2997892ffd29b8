"""How many vertices a net needs where text from elsewhere stands beside a set's own.

    CLASSINET_DATA=… python benchmarks/mixed_text.py [--sets reddit20,mr] [--draws 5] [--json FILE]

Ten labels a class; nets of the set's own text alone, and with 250,000 Reddit titles or the sentences of 25,000 film
reviews beside it, of up to 4,000, 10,000 and 20,000 vertices. As in `ablation.py` a part of the training texts is set
aside and judged, and test splits are not touched.
"""

from __future__ import annotations

import warnings

import numpy as np

from ablation import SKEWED, Trial, keep, parser_of, shown
from classinet import ClassiNet, TextNet
from classinet.bench.corpora import CORPORA
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.exceptions import UnknownTextWarning
from classinet.vertices import Landmarks

VERTICES = (4000, 10_000, 20_000)


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, draws=5)
    parser.set_defaults(sets="reddit20,mr,cr,subj,trec")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    found = {}
    print("| text | " + " | ".join(f"up to {n:,} vertices" for n in VERTICES) + " |\n|---|" + "---:|" * len(VERTICES))
    for key in asked.sets.split(","):
        trial, external = Trial(key, asked.draws), all_tasks()[key].external
        name = key + (" (F)" if key in SKEWED else "")
        for text, beside in ((name, []), (f"{name} and {external}", CORPORA[external]().texts)):
            row = found[text] = [measured(trial, [*trial.texts, *beside], n) for n in VERTICES]
            print(f"| {text} | {' | '.join(map(shown, row))} |", flush=True)
    keep(asked, vertices=VERTICES, scores=found)


def measured(trial: Trial, texts: list[str], n: int) -> float:
    """Score a net of so many vertices, as a mean over draws."""
    net = TextNet(model=ClassiNet(vertices=Landmarks(n))).fit(texts)
    labelled = [draw_rows(trial.codes, "10-a-class", draw) for draw in range(trial.draws)]
    return float(np.mean([trial.score(net, {}, rows) for rows in labelled]))


if __name__ == "__main__":
    main()
