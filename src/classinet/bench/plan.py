"""Which cells a study has, which are missing, and what they will cost.

Enter: a study, data sets and methods. Leave: units of work. A unit is one method on one corpus: the method is fitted
once, then judged on every data set that goes with the corpus. Nets that several methods share are units before them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn import config_context

from classinet._typing import Integers
from classinet.baselines.base import Baseline
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.cells import CellKey, CellStore
from classinet.bench.corpora import ANY
from classinet.bench.methods import Method
from classinet.bench.recipes import described
from classinet.bench.tasks import Labelled, Task
from classinet.bench.work import name_of
from classinet.pipeline.border import MOST_TEXTS, texts_to_ask
from classinet.pipeline.targets import FEW_TEXTS, Targets, place_in_class
from classinet.pipeline.tuning import FIXED_WEIGHT, MAX_TEXTS, full_weight, too_few

PROTOCOL = 2  # raised when cells computed before mean something else
# How a classifier of many labels is tuned: other words compute those cells, and the analyses, anew.
FINELY = "tuned finely"
WORDS_FINELY = f"leeway of words, {FINELY}"
# How classes of unequal size count where labels are few.
ALIKE = "classes count alike"
# Where the border between uneven classes is put where labels are few.
BORDER = "said as often as true"
# What the default does beside that.
UNLABELED = "up to half of the unlabeled texts join"
# How much weight is tried for what a method adds to words.
UP_TO_1 = "weight up to 1"
SURELY_BETTER = f"{UP_TO_1}, less where surely better"
BY_CORPUS = "weight by size of the corpus"
# How a method is tuned whose features hang on labels.
BY_INNER_LABELS = "features of a fold by its training labels"
A_CLASS = "-a-class"
PER_CLASS = (*(f"{count}{A_CLASS}" for count in (5, 10, 20, 50, 100)), "all")
# Ten a class as well, so that all data sets have one label count in common.
TOTALS = (f"10{A_CLASS}", "10", "20", "50", "100", "200", "500", "1000", "all")
DRAWS = 10
# Slow rivals get so many draws, at these label counts; any method gets as many where labels × classes are over LARGE.
SLOW_DRAWS = 3
LARGE = 150_000
SLOW_LABELS = {True: (f"10{A_CLASS}", f"50{A_CLASS}"), False: ("200", "1000")}


@dataclass(frozen=True)
class Unit:
    """Work for one process.

    Attributes
    ----------
    corpus : name under which the unlabeled text is kept.
    method : key of the method; None for a unit that only builds a net.
    recipe : net that is needed, or built.
    cells : what to compute, with their definitions.
    tasks : name under which each task of the cells is kept.
    seconds : what it will take, roughly.
    """

    corpus: str
    method: str | None
    recipe: str | None
    cells: tuple[tuple[CellKey, str], ...]
    tasks: tuple[tuple[str, str], ...]
    seconds: float


@dataclass(frozen=True)
class Kept:
    """A corpus as it is kept: under which name, how many texts, and whether it is known which follows which."""

    name: str
    n_texts: int
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Loaded:
    """A task that was read and checked: its definition, its texts, and the names under which all is kept.

    Attributes
    ----------
    task, data : the definition and what it loaded.
    kept : name of the kept task.
    corpora : the unlabeled text that goes with it, as "own" or "imdb", for each split of the study; "any" for methods
        that use none.
    """

    task: Task
    data: Labelled
    kept: str
    corpora: Mapping[str, Sequence[Kept]]

    def unlabeled(self, key: CellKey) -> Kept:
        """Return the unlabeled text of a cell."""
        return self.corpora[key.corpus][key.split]


def paper_keys(loaded: Loaded, method: Method, corpora: Sequence[str]) -> Iterator[CellKey]:
    """Yield the cells of one task and method in the reproduction of the paper's tables: all labels, every fold."""
    for corpus in corpora:
        for split in range(loaded.data.n_splits):
            yield CellKey("paper", loaded.task.key, corpus, method.key, "all", split)


def few_label_keys(loaded: Loaded, method: Method, corpora: Sequence[str]) -> Iterator[CellKey]:
    """Yield the cells of one task and method with growing numbers of labels: one split, several draws each."""
    train = loaded.data.train(0)
    for labels in PER_CLASS if loaded.task.per_class else TOTALS:
        if method.few and labels not in SLOW_LABELS[loaded.task.per_class]:
            continue
        if labels != "all" and len(draw_rows(loaded.data.codes[train], labels, 0)) >= 0.9 * len(train):
            continue  # as good as all
        for corpus in corpora:
            yield CellKey("few-labels", loaded.task.key, corpus, method.key, labels)


KEYS = {"paper": paper_keys, "few-labels": few_label_keys}


def keys_of(study: str, loaded: Loaded, method: Method) -> Iterator[CellKey]:
    """Yield the cells of one task and method in a study, for all unlabeled text that suits the method."""
    suited = [name for name, kept in loaded.corpora.items() if _suits(method, name, kept[0])]
    return KEYS[study](loaded, method, suited)


def _suits(method: Method, corpus: str, kept: Kept) -> bool:
    if corpus == ANY or not method.unlabeled:
        return corpus == ANY and not method.unlabeled
    return (kept.ordered or not method.ordered) and (not method.only or corpus in method.only)


def draws_of(key: CellKey, method: Method, data: Labelled) -> int:
    """Return how many draws a cell has: one where there is nothing to draw, few where they would take hours."""
    if key.labels == "all":
        return 1
    large = _n_labels(key, data) * len(data.classes) > LARGE
    return SLOW_DRAWS if method.few or large else DRAWS


def draw_rows(codes: Integers, labels: str, draw: int) -> Integers:
    """Return which of the training texts are labelled in a draw.

    So many a class are as many of every class, or all of a class that has fewer. So many in all have the mix of classes
    of the whole, with one text of every class at least.

    >>> draw_rows(np.array([0, 0, 0, 0, 0, 0, 1, 1]), "4", draw=0).tolist()
    [2, 3, 4, 6]
    >>> draw_rows(np.array([0, 0, 0, 0, 0, 0, 1]), "2-a-class", draw=0).tolist()
    [2, 4, 6]
    """
    if labels == "all":
        return np.arange(len(codes))
    order = np.random.default_rng(draw).permutation(len(codes))
    shuffled = codes[order]
    place = place_in_class(shuffled)
    if labels.endswith(A_CLASS):
        return np.sort(order[place < int(labels.removesuffix(A_CLASS))])
    share = place / np.bincount(codes)[shuffled]
    return np.sort(order[np.argsort(share, kind="stable")[: int(labels)]])


def definition(key: CellKey, method: Method, loaded: Loaded) -> str:
    """Return a hash of all that decides what a cell holds."""
    rival = method.make(lambda recipe: None)  # type: ignore[arg-type, return-value]
    with config_context(print_changed_only=False):  # a changed default is another method
        parameters = sorted((name, repr(value)) for name, value in rival.get_params().items())
    recipe = None if method.recipe is None else described(method.recipe)
    texts = loaded.kept, loaded.unlabeled(key).name
    more = ["phrases of the corpus, runs of labelled texts"] if method.pieces else []
    if rival.use != "predict" and _n_labels(key, loaded.data) > MAX_TEXTS:
        more.append(WORDS_FINELY if holds_words(rival) else FINELY)
    if rival.use == "append" and _is_tuned(key, loaded.data):
        more.append(SURELY_BETTER if _n_labels(key, loaded.data) <= MAX_TEXTS else UP_TO_1)
    if rival.use == "append" and full_weight(loaded.unlabeled(key).n_texts) < FIXED_WEIGHT:
        more.append(BY_CORPUS)
    if rival.use != "predict" and _is_few_and_uneven(key, loaded.data):
        more.append(ALIKE)
    if rival.use != "predict" and _has_border_shifted(key, loaded.data):
        more.append(BORDER)
    if method.itself and _n_labels(key, loaded.data) <= MOST_TEXTS:
        more.append(UNLABELED)
    if rival.use != "predict" and rival.learns_from_labels and _is_tuned(key, loaded.data):
        more.append(BY_INNER_LABELS)
    return name_of(PROTOCOL, key, parameters, rival.grid, recipe, texts, draws_of(key, method, loaded.data), *more)


def holds_words(rival: Baseline) -> bool:
    """Whether the words of a text are among what the classifier is given of it.

    >>> holds_words(NoExpansion())
    True
    """
    return isinstance(rival, NoExpansion) or rival.use == "append"


def _n_labels(key: CellKey, data: Labelled) -> int:
    return len(_first_labels(key, data))


def _is_few_and_uneven(key: CellKey, data: Labelled) -> bool:
    labels = _first_labels(key, data)
    return len(labels) <= FEW_TEXTS and len(set(np.bincount(labels).tolist())) > 1


def _has_border_shifted(key: CellKey, data: Labelled) -> bool:
    labels = _first_labels(key, data)
    targets = Targets.of_codes(labels, len(data.classes))
    return len(texts_to_ask(targets, "auto", np.ones(len(labels)))) > 0


def _is_tuned(key: CellKey, data: Labelled) -> bool:
    return not too_few(Targets.of_codes(_first_labels(key, data), len(data.classes)))


def _first_labels(key: CellKey, data: Labelled) -> Integers:
    """The labels of the first draw, on which settings are chosen."""
    codes = data.codes[data.train(key.split)]
    return codes[draw_rows(codes, key.labels, 0)]


def planned_cells(study: str, tasks: Iterable[Loaded], methods: Sequence[Method]) -> dict[CellKey, str]:
    """Return all cells of a study, and how each is computed."""
    return {
        key: definition(key, method, loaded)
        for loaded in tasks
        for method in methods
        for key in keys_of(study, loaded, method)
    }


def units(
    planned: Mapping[CellKey, str], tasks: Iterable[Loaded], methods: Sequence[Method], store: CellStore
) -> list[Unit]:
    """Return the work that is missing, nets first."""
    loaded = {one.task.key: one for one in tasks}
    missing: dict[tuple[Kept, str], list[tuple[CellKey, str]]] = defaultdict(list)
    for key, how in planned.items():
        if not store.has(key, how):
            missing[loaded[key.task].unlabeled(key), key.method].append((key, how))
    by_key = {method.key: method for method in methods}
    work = [_unit(kept, by_key[name], cells, loaded) for (kept, name), cells in missing.items()]
    sizes = {kept.name: kept.n_texts for kept, _ in missing}
    nets = sorted({(unit.corpus, unit.recipe) for unit in work if unit.recipe is not None})
    return [Unit(name, None, recipe, (), (), net_seconds(recipe, sizes[name])) for name, recipe in nets] + work


def _unit(kept: Kept, method: Method, cells: list[tuple[CellKey, str]], tasks: Mapping[str, Loaded]) -> Unit:
    names = sorted({key.task for key, _ in cells})
    texts = sum(len(tasks[name].data.texts) for name in names)
    seconds = method.fit_seconds * kept.n_texts / 1e5 + method.text_seconds * texts / 1e3
    seconds += sum(cell_seconds(key, method, tasks[key.task].data) for key, _ in cells)
    return Unit(
        kept.name, method.key, method.recipe, tuple(cells), tuple((name, tasks[name].kept) for name in names), seconds
    )


def net_seconds(recipe: str, n_texts: int) -> float:
    """Guess how long a net takes to build on two cores."""
    return (12 if recipe == "default" else 25) * n_texts / 1e5 + 5


def cell_seconds(key: CellKey, method: Method, data: Labelled) -> float:
    """Guess how long the draws of a cell take: one choice of strength and weight, then a fit for each draw."""
    n, classes = _n_labels(key, data), len(data.classes)
    tuned = n >= 200 and n >= 20 * classes
    size, outputs = min(n, 1000) / 1000, 1 if classes == 2 else classes
    choosing = size**2 * (1.0 + 0.3 * outputs) if tuned else 0.0
    fitting = 0.1 + 1.1e-7 * outputs * n * min(method.width, n / 6) + 2e-9 * n * min(n, 4000) * (method.width > 500)
    fitting += (1.5 + 0.05 * outputs) * (method.itself and n <= MOST_TEXTS)
    return choosing + draws_of(key, method, data) * fitting
