"""No expansion."""

from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.methods.base import Method, without_nets

METHODS = (Method("none", "No expansion", "Baseline", 10, without_nets(NoExpansion), fit_seconds=3),)
