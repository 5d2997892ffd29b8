"""Import what an extra provides, or say which extra to install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from classinet.exceptions import MissingExtraError


def optional_import(module: str, install: str) -> ModuleType:
    """Return `module`, or explain that `pip install <install>` provides it.

    >>> optional_import("math", "classinets[cli]").sqrt(4)
    2.0
    >>> optional_import("not_a_module", "classinets[plot]")
    Traceback (most recent call last):
    ...
    classinet.exceptions.MissingExtraError: not_a_module is not installed; run: pip install "classinets[plot]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise  # the module is there but broken: its own message says more than ours
        raise MissingExtraError(f'{module} is not installed; run: pip install "{install}"') from error
