"""No expansion: of words alone, and with pieces of texts beside them."""

from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.methods.base import Method, without_nets

_make = without_nets(NoExpansion)

METHODS = (
    Method("none", "No expansion", "Baseline", 10, _make, fit_seconds=3),
    Method("none-pieces", "No expansion, with pieces", "Baseline", 11, _make, fit_seconds=3, pieces=True, width=120),
)
