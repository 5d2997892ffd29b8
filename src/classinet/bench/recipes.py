"""The nets that methods ask for, by name."""

from __future__ import annotations

from collections.abc import Callable

from sklearn import config_context

from classinet.model import ClassiNet
from classinet.pipeline.text_net import default_vectorizer

RECIPES: dict[str, Callable[[], ClassiNet]] = {
    "default": ClassiNet,
    "paper-1000": lambda: ClassiNet.paper(vertices=1000),
    "paper-700": lambda: ClassiNet.paper(vertices=700),
}


def described(recipe: str) -> str:
    """Return all that decides how the net is built, defaults included: a changed default is another net.

    What a net counts in texts follows from its recipe, and is told where it is more than words.

    >>> "Factorised(" in described("default")
    True
    """
    model = RECIPES[recipe]()
    with config_context(print_changed_only=False):
        return repr(model.recipe()) + (" with pieces and runs" if default_vectorizer(model).pieces else "")
