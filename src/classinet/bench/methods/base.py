"""A method of the benchmark: how to make the rival, and what the harness must know to plan for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from classinet.baselines.base import Baseline

if TYPE_CHECKING:
    from classinet.pipeline import TextNet

RECIPE = "The paper's recipe"  # methods of this group have a table of their own, away from the paper's two
Nets = Callable[[str], "TextNet"]


@dataclass(frozen=True)
class Method:
    """A method; a file in this folder that defines METHODS, a tuple of one or several, adds them.

    Attributes
    ----------
    key : name in commands and files.
    title : name in tables.
    group : heading in tables.
    order : place in tables.
    make : makes the rival, not yet fitted; it may ask for nets of the corpus by recipe.
    recipe : the net it asks for, which is built before; None if none.
    studies : where it takes part.
    neural : whether it is trained by gradient descent on many passes: takes minutes, and both cores.
    few : whether with few labels it gets three draws at two label counts only, because it is slow.
    pieces : whether pieces of texts stand beside their words, as they do in the classifier by default.
    itself : whether `ClassiNetClassifier` judges by itself where labels are few, as it does for a user: then it also
        learns from unlabeled texts that the net kept. With more labels it does just what is done for every method.
    unlabeled : whether it learns from unlabeled text.
    ordered : whether it learns from which text follows which.
    only : corpora it is fitted on; empty is all. For what takes many minutes to fit.
    width : features of a text, roughly; for the plan.
    needs : modules that an extra provides, and the extra.
    fit_seconds : what fitting costs on 100,000 sentences, roughly; for the plan.
    text_seconds : what 1,000 texts cost, to transform or to learn from, roughly; for the plan.
    """

    key: str
    title: str
    group: str
    order: int
    make: Callable[[Nets], Baseline]
    recipe: str | None = None
    studies: tuple[str, ...] = ("paper", "few-labels")
    neural: bool = False
    few: bool = False
    pieces: bool = False
    itself: bool = False
    unlabeled: bool = True
    ordered: bool = False
    only: tuple[str, ...] = ()
    width: int = 12
    needs: tuple[tuple[str, str], ...] = ()
    fit_seconds: float = 1.0
    text_seconds: float = 0.1

    def missing(self) -> str | None:
        """Say what to install for it, or None if all is there.

        >>> Method("x", "X", "g", 1, lambda nets: None, needs=(("no_such_module", "neural"),)).missing()
        'X needs no_such_module; run: pip install "classinets[neural]"'
        """
        for module, extra in self.needs:
            if find_spec(module) is None:
                return f'{self.title} needs {module}; run: pip install "classinets[{extra}]"'
        return None


def without_nets(make: Callable[[], Any]) -> Callable[[Nets], Baseline]:
    """Return a maker for a rival that needs no net."""
    return lambda nets: make()
