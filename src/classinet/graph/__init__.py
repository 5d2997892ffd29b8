"""The graph of features: an immutable value with names, and everything that can be asked of it."""

from classinet.graph.feature_graph import Edge, FeatureGraph, Path

__all__ = ["Edge", "FeatureGraph", "Path"]
