"""How near a net that was given more texts comes to one that was built anew: by neighbours and by accuracy.

    CLASSINET_DATA=… python benchmarks/updating.py [--sets subj,reddit20,trec,sms_spam] [--draws 10]

Half of a set's training texts, labels hidden, make a net; the other half is added to it. A fifth of them, set aside
before, is judged with ten labels a class; test splits are not touched. Of each net: the share of the ten strongest
edges of the rebuilt one that it has too, over the words of both, and accuracy (macro-F1 on skewed sets, F), in percent.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from classinet import ClassiNetClassifier, TextNet
from classinet.bench.plan import draw_rows
from classinet.bench.tasks import all_tasks
from classinet.exceptions import UnknownTextWarning

NEAREST = 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sets", default="subj,reddit20,trec,sms_spam")
    parser.add_argument("--draws", type=int, default=10)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UnknownTextWarning)
    print(f"{'':16} {'overlap@10':>21} {'10 labels a class':>27}")
    print(f"{'':16} {'first half':>10} {'updated':>10} {'first half':>13} {'updated':>7} {'rebuilt':>7}")
    for key in asked.sets.split(","):
        former, updated, rebuilt, scores = measured(key, asked.draws)
        title = key + (" (F)" if is_skewed(key) else "")
        shown = f"{overlap(former, rebuilt):10.3f} {overlap(updated, rebuilt):10.3f}"
        print(f"{title:16} {shown} {scores[0]:13.1f} {scores[1]:7.1f} {scores[2]:7.1f}", flush=True)


def is_skewed(key: str) -> bool:
    """Whether a set is judged by macro-F1."""
    return all_tasks()[key].metric == "macro_f1"


def measured(key: str, draws: int) -> tuple[TextNet, TextNet, TextNet, list[float]]:
    """Return the net of half the texts, that after an update, the one built anew, and what each is worth."""
    data = all_tasks()[key].load()
    order = np.random.default_rng(1000).permutation(data.train(0))
    judged, training = order[: len(order) // 5], order[len(order) // 5 :]
    texts, codes = [data.texts[row] for row in training], data.codes[training]
    half = len(texts) // 2
    former = TextNet(updatable=True).fit(texts[:half])
    nets = former, former.updated(texts[half:]), TextNet().fit(texts)

    def score(net: TextNet, draw: int) -> float:
        labelled = draw_rows(codes, "10-a-class", draw)
        clf = ClassiNetClassifier(net, n_jobs=-1).fit([texts[i] for i in labelled], codes[labelled])
        said, truth = clf.predict([data.texts[row] for row in judged]), data.codes[judged]
        return 100 * float(f1_score(truth, said, average="macro") if is_skewed(key) else accuracy_score(truth, said))

    return *nets, [float(np.mean([score(net, draw) for draw in range(draws)])) for net in nets]


def overlap(net: TextNet, other: TextNet) -> float:
    """Return the share of the strongest edges in the other net that this one has among its strongest, too."""
    ours, theirs = net.net_.graph, other.net_.graph
    shares = []
    for name in theirs.names:
        if name in ours:
            nearest = {edge.target for edge in theirs.successors(name, NEAREST)}
            found = {edge.target for edge in ours.successors(name, NEAREST)}
            shares += [len(nearest & found) / len(nearest)] if nearest else []
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
