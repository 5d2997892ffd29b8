"""FTS: frequent term sets."""

from classinet.baselines.frequent_terms import FrequentTermSets
from classinet.bench.methods.base import Method, without_nets

METHODS = (Method("fts", "FTS", "The paper's rivals", 62, without_nets(FrequentTermSets), fit_seconds=5, width=100),)
