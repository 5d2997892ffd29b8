"""SCL: structural correspondence learning with the net's vertices as pivots."""

from classinet.baselines.scl import SCL
from classinet.bench.methods.base import Method, without_nets
from classinet.vertices import Landmarks

# The rule is given, so that cells tell which vertices these were.
METHODS = (
    Method("scl", "SCL", "The paper's rivals", 61, without_nets(lambda: SCL(Landmarks())), fit_seconds=60, width=60),
)
