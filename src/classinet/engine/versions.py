"""What the bytes of a result depend on beside texts and settings: the libraries, and the type of CPU."""

from __future__ import annotations

import platform
from importlib.metadata import version

LIBRARIES = ("classinets", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Return the version of each library, and the type of CPU.

    >>> sorted(versions())
    ['classinets', 'cpu', 'numba', 'numpy', 'scikit-learn', 'scipy']
    """
    return {name: version(name) for name in LIBRARIES} | {"cpu": platform.machine()}
