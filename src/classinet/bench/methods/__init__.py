"""The methods of the benchmark, one small file each: a file here that defines METHODS is found by itself."""

from classinet.bench._discovery import discover
from classinet.bench.methods.base import Method

__all__ = ["Method", "all_methods"]


def all_methods() -> dict[str, Method]:
    """Return every method by its key, in the order of the tables.

    >>> list(all_methods())[:2]
    ['none', 'none-pieces']
    """
    return discover(__name__, __path__, "METHODS", Method)
