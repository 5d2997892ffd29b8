"""ClassiNet: predict the features a short text could have contained, and classify it with them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classinet.exceptions import Cancelled, ClassiNetError
    from classinet.expander import Expander
    from classinet.model import ClassiNet
    from classinet.net import Net
    from classinet.persistence import load, save
    from classinet.pipeline import ClassiNetClassifier, TextNet

__version__ = "0.1.0"

# Names are imported when they are first asked for, so that `classinet --help` need not wait for scikit-learn.
_HOMES = {
    "Cancelled": "exceptions",
    "ClassiNet": "model",
    "ClassiNetClassifier": "pipeline",
    "ClassiNetError": "exceptions",
    "Expander": "expander",
    "Net": "net",
    "TextNet": "pipeline",
    "load": "persistence",
    "save": "persistence",
}
__all__ = [
    "Cancelled",
    "ClassiNet",
    "ClassiNetClassifier",
    "ClassiNetError",
    "Expander",
    "Net",
    "TextNet",
    "__version__",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'classinet' has no attribute {name!r}")
    return getattr(import_module(f"classinet.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
