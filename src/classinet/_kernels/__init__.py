"""Compiled kernels on raw arrays: the only place that knows numba.

Importing this package costs nothing. A kernel module, and numba with it, is loaded when it is first used, as
`_kernels.bits.pack(...)`, so that `import classinet` stays as light as `import sklearn`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    module = f"{__name__}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise AttributeError(f"there is no kernel module {name!r}") from None
