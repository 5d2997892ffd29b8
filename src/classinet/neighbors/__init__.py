"""Shortlists of near predictors, one kind of search a file; edges are weighed only between those."""

from classinet.neighbors.base import NeighborSearch
from classinet.neighbors.exact import ExactNeighbors, search_outside
from classinet.neighbors.faiss_index import FaissNeighbors
from classinet.neighbors.lsh import LSHNeighbors
from classinet.neighbors.pleb import PLEB
from classinet.neighbors.recall import recall, sample_vertices
from classinet.neighbors.vectors import VectorNeighbors

__all__ = [
    "PLEB",
    "ExactNeighbors",
    "FaissNeighbors",
    "LSHNeighbors",
    "NeighborSearch",
    "VectorNeighbors",
    "recall",
    "sample_vertices",
    "search_outside",
]
