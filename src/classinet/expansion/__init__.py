"""Expansions: rules that give a text values for vertices it does not hold, one rule a file."""

from collections.abc import Mapping
from types import MappingProxyType

from classinet.expansion.base import Expansion
from classinet.expansion.global_ import Global
from classinet.expansion.independent import Independent
from classinet.expansion.local_path import LocalPath
from classinet.expansion.neighbors import AllNeighbors, MutualNeighbors
from classinet.expansion.paths import ExpansionPath
from classinet.expansion.spectral import Spectral
from classinet.expansion.top import keep_top

# By what commands and requests call them.
METHODS: Mapping[str, type[Expansion]] = MappingProxyType(
    {
        "global": Global,
        "spectral": Spectral,
        "all-neighbors": AllNeighbors,
        "mutual-neighbors": MutualNeighbors,
        "independent": Independent,
        "local-path": LocalPath,
    }
)

__all__ = [
    "METHODS",
    "AllNeighbors",
    "Expansion",
    "ExpansionPath",
    "Global",
    "Independent",
    "LocalPath",
    "MutualNeighbors",
    "Spectral",
    "keep_top",
]
