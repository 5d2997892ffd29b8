"""The graph of features: an immutable value with names, and everything that can be asked of it."""

from classinet.graph.answers import Edge, Path
from classinet.graph.feature_graph import FeatureGraph
from classinet.graph.surroundings import Neighborhood, neighborhood

__all__ = ["Edge", "FeatureGraph", "Neighborhood", "Path", "neighborhood"]
