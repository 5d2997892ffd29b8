"""`classinet demo`: real text on any machine, from unlabeled sentences to an explained answer and a saved model.

Enter: nothing but the Python packages that are installed anyway; their docstrings are the corpus. Leave: a report of
what was measured, a picture of the graph and a model to load. The sentences the net is built from hold none of the
texts that are classified.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from classinet import persistence, plotting
from classinet._typing import Flags, Integers, Progress
from classinet.datasets import Docstrings, load_docstrings
from classinet.explain import Explanation
from classinet.model import ClassiNet
from classinet.pipeline import ClassiNetClassifier, TextNet

LABELS_PER_CLASS = 10
DRAWS = 5
EXAMPLES = 5
WORDS = ("eigenvalue", "cluster", "socket")


@dataclass(frozen=True)
class DemoReport:
    """What the demo saw.

    Attributes
    ----------
    n_sentences, n_texts, n_classes : sizes of the unlabeled corpus and of the task.
    net : the net in words.
    build_seconds, seconds : time to build the net, and in all.
    with_expansion, without_expansion : accuracy of each draw of labels, on all texts that were not drawn.
    turned_right, turned_wrong : how many texts of the first draw only the one or only the other got right.
    neighbors : strongest neighbours of a few words.
    explanation : the shortest text that expansion turned right, or else the shortest text, explained.
    model, picture : where they were written.
    """

    n_sentences: int
    n_texts: int
    n_classes: int
    net: str
    build_seconds: float
    seconds: float
    with_expansion: tuple[float, ...]
    without_expansion: tuple[float, ...]
    turned_right: int
    turned_wrong: int
    neighbors: dict[str, tuple[tuple[str, float], ...]]
    explanation: Explanation
    model: str
    picture: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "explanation": self.explanation.to_dict()}

    def __str__(self) -> str:
        difference = np.subtract(self.with_expansion, self.without_expansion)
        near = [
            f"  {word:>10} → " + ", ".join(f"{name} {weight:.2f}" for name, weight in edges)
            for word, edges in self.neighbors.items()
        ]
        told = self.explanation
        return "\n".join(
            [
                f"unlabeled: {self.n_sentences:,} docstring sentences of numpy, scipy, scikit-learn and Python",
                f"net: {self.net}, built in {self.build_seconds:.0f} s",
                f"task: {self.n_texts:,} one-line summaries, {self.n_classes} sub-packages to tell apart; "
                f"{LABELS_PER_CLASS} labels a class, {len(self.with_expansion)} draws",
                f"  accuracy without expansion  {_summary(self.without_expansion)}",
                f"  accuracy with expansion     {_summary(self.with_expansion)}",
                f"  difference                  {_summary(difference, sign='+')} points",
                f"  in the first draw, expansion turned {self.turned_right:,} texts from wrong to right and "
                f"{self.turned_wrong:,} from right to wrong",
                "neighbours:",
                *near,
                f'the shortest of the former: "{told.text}" is {told.label}; without expansion {told.label_without}',
                *("  " + line for line in told.table(top=8).splitlines()),
                f"model: {self.model}",
                f"picture: {self.picture}",
                f"{self.seconds:.0f} s in all",
            ]
        )


def run(
    folder: str | PathLike[str], *, progress: Progress | None = None, threads: int | None = -1, seed: int = 0
) -> DemoReport:
    """Run the demo; `folder` receives the picture and the model."""
    started = time.perf_counter()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)

    data = load_docstrings()
    building = time.perf_counter()
    net = TextNet(model=ClassiNet(n_jobs=threads, random_state=seed)).fit(data.sentences, progress=progress)
    build_seconds = time.perf_counter() - building

    draws = []
    for number in range(DRAWS):
        if progress is not None:
            progress("draws of labels", number, DRAWS)
        draws.append(_draw(net, data, np.random.default_rng([seed, number]), threads))
    if progress is not None:
        progress("draws of labels", DRAWS, DRAWS)
    first = draws[0]

    model = persistence.save(first.classifier, target / "model", replace=True)
    picture = target / "graph.png"
    plotting.save(plotting.plot_graph(net.net_.graph, around=WORDS[0]), picture)
    return DemoReport(
        n_sentences=len(data.sentences),
        n_texts=len(data.texts),
        n_classes=len(set(data.labels)),
        net=f"{net.net_.n_vertices:,} vertices, {net.net_.graph.n_edges:,} edges",
        build_seconds=build_seconds,
        seconds=time.perf_counter() - started,
        with_expansion=tuple(float(draw.right.mean()) for draw in draws),
        without_expansion=tuple(float(draw.right_without.mean()) for draw in draws),
        turned_right=int((first.right & ~first.right_without).sum()),
        turned_wrong=int((first.right_without & ~first.right).sum()),
        neighbors={word: tuple((e.target, e.weight) for e in net.neighbors(word, top=5)) for word in WORDS},
        explanation=first.classifier.explain(first.telling_text()),
        model=str(model),
        picture=str(picture),
    )


def build_model(
    path: str | PathLike[str], *, progress: Progress | None = None, threads: int | None = -1, seed: int = 0
) -> Path:
    """Build the demo's net with example texts, train on its first draw of labels, save the model; return its path."""
    data = load_docstrings()
    model = ClassiNet(n_jobs=threads, random_state=seed)
    net = TextNet(model=model, examples=EXAMPLES).fit(data.sentences, progress=progress)
    draw = _draw(net, data, np.random.default_rng([seed, 0]), threads)
    return persistence.save(draw.classifier, path)


@dataclass(frozen=True, eq=False)
class _Draw:
    """A classifier from a few labels, and which of the other texts it gets right, with expansion and without."""

    classifier: ClassiNetClassifier
    texts: list[str]
    right: Flags
    right_without: Flags

    def telling_text(self) -> str:
        """The shortest text that expansion turned right, or else the shortest of all."""
        turned = np.flatnonzero(self.right & ~self.right_without)
        return min((self.texts[i] for i in turned) if len(turned) else self.texts, key=len)


def _draw(net: TextNet, data: Docstrings, rng: np.random.Generator, threads: int | None) -> _Draw:
    """Train on a few labels a class and judge all other texts."""
    labels = np.array(data.labels)
    drawn = np.concatenate([_drawn(np.flatnonzero(labels == name), rng) for name in sorted(set(data.labels))])
    others = np.setdiff1d(np.arange(len(labels)), drawn)
    clf = ClassiNetClassifier(net, n_jobs=threads).fit([data.texts[i] for i in drawn], labels[drawn])
    texts = [data.texts[i] for i in others]
    right, right_without = (
        np.asarray(predict(texts) == labels[others]) for predict in (clf.predict, clf.predict_without_expansion)
    )
    return _Draw(clf, texts, right, right_without)


def _drawn(members: Integers, rng: np.random.Generator) -> Integers:
    return rng.permutation(members)[:LABELS_PER_CLASS]


def _summary(scores: Any, sign: str = "") -> str:
    values = 100 * np.asarray(scores)
    return (
        f"{values.mean():{sign}.1f} ± {values.std(ddof=1):.1f} ({values.min():{sign}.1f} to {values.max():{sign}.1f})"
    )
