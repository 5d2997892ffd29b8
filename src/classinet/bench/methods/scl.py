"""SCL: structural correspondence learning with the net's vertices as pivots."""

from classinet.baselines.scl import SCL
from classinet.bench.methods.base import Method, without_nets

METHODS = (Method("scl", "SCL", "The paper's rivals", 61, without_nets(SCL), fit_seconds=60, width=60),)
