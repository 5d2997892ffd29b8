"""Find definitions: every file of a folder may define one, and is a part of the benchmark by being there."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol, TypeVar


class Defined(Protocol):
    """What a file defines: it has a key and a place."""

    @property
    def key(self) -> str:
        """Name in commands and files."""

    @property
    def order(self) -> int:
        """Place in tables."""


T = TypeVar("T", bound=Defined)


def discover(package: str, path: Iterable[str], name: str, kind: type[T]) -> dict[str, T]:
    """Return what the modules of a package define under a name (one, or a tuple of several), by key, in order."""
    found: list[T] = []
    for module in pkgutil.iter_modules(list(path)):
        defined: Any = getattr(import_module(f"{package}.{module.name}"), name, ())
        found += [defined] if isinstance(defined, kind) else list(defined)
    keys = [one.key for one in found]
    assert len(set(keys)) == len(keys), f"two files of {package} define the same key"
    return {one.key: one for one in sorted(found, key=lambda one: one.order)}
