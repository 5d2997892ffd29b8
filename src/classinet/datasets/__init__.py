"""Data sets: real text that every machine holds, and the sets of the paper's evaluation, found or downloaded."""

from classinet.datasets.docstrings import Docstrings, load_docstrings
from classinet.datasets.errors import DatasetError
from classinet.datasets.made_up import made_up_sentences
from classinet.datasets.registry import Dataset, cache_folder, load, names

__all__ = [
    "Dataset",
    "DatasetError",
    "Docstrings",
    "cache_folder",
    "load",
    "load_docstrings",
    "made_up_sentences",
    "names",
]
