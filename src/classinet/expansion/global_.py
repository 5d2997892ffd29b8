"""e(x) = Σ_{t=1..q} γ^t (p ∘ x) W^t: propagation over the whole graph (§4.2).

Enter: texts and a net. Leaves: for every vertex the damped probability of all walks that lead to it from the
text, in q hops or in any number of them. A bound on what pruning costs comes from γ times the largest row
sum of W: a unit of mass that is not propagated could have become at most Σ_s (γ max_i Σ_j w_ij)^s in the
hops that were left.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from classinet._sparse import from_arrays
from classinet._typing import Csr, Floats, Integers
from classinet._validation import check_choice, check_number
from classinet.exceptions import DivergenceError, DivergenceWarning
from classinet.expansion.base import Expansion, entering, unbanned
from classinet.expansion.paths import ExpansionPath, named_paths, strongest_walks
from classinet.expansion.propagate import TOLERANCE, Walk, propagate

if TYPE_CHECKING:
    from classinet.graph import FeatureGraph
    from classinet.net import Net

# |λmax| is known to about 1e-12; closer to 1 than this, γ |λmax| is not told from 1.
MARGIN = 1e-9
# More hops than these to halve the mass of a unit vector mean a sum that no one would wait for.
MAX_HALVING = 20_000
# More hops than these would keep a prediction busy for ever.
MAX_HOPS = 10_000


class Global(Expansion):
    """Add what the text leads to over the whole graph.

    With plain weights the sum grows with every hop where damping × |λmax| exceeds 1 (a `DivergenceWarning`;
    an endless sum is then refused). Row-normalised weights are a random walk, which never grows; weights that a
    person pinned may change that. An endless sum touches every vertex that can be reached at all: on large graphs
    prefer two or three hops.

    Parameters
    ----------
    damping : γ in (0, 1], applied at every hop, or "auto" for 1 / (1 + |λmax|), which always converges.
    hops : number q of hops, up to 10,000, or None for the endless sum.
    prior : "uniform" takes x as it is, "empirical" multiplies each feature by its share of the unlabeled
        texts.
    normalize : "row" divides each vertex's weights by their sum, None takes the weights as they are.
    prune : an entry below this share of the text's input mass Σ|p ∘ x| is kept but not propagated further.

    Examples
    --------
    >>> import numpy as np
    >>> from classinet._sparse import canonical_csr
    >>> from classinet.graph import FeatureGraph
    >>> from classinet.net import Net
    >>> names = np.array(["google", "bing", "microsoft"], dtype=object)
    >>> graph = FeatureGraph(names, np.array([[0, 0.8, 0], [0.5, 0, 0.5], [0, 0.6, 0]]))
    >>> net = Net(graph=graph, columns=np.arange(3), feature_names=names, frequency=np.ones(3))
    >>> text = canonical_csr(np.array([[1.0, 0.0, 0.0]]))
    >>> Global(damping=0.5, hops=2, normalize=None).expand(text, net).toarray()
    array([[0.1, 0.4, 0.1]])
    """

    def __init__(
        self,
        damping: float | str = 0.85,
        hops: int | None = 1,
        prior: str = "uniform",
        normalize: str | None = "row",
        prune: float = 0.0,
    ) -> None:
        self.damping = damping
        self.hops = hops
        self.prior = prior
        self.normalize = normalize
        self.prune = prune

    def expand_with_bound(self, X: Csr, net: Net) -> tuple[Csr, Floats]:
        """Return the expansion and, for each text, a proven bound on its L1 distance to the exact sum.

        Without pruning the bound of a finite sum is 0. With pruning, an endless sum has a finite bound only
        where damping × the largest row sum is below 1.
        """
        return propagate(*self._prepared(unbanned(X, net), net))

    def _expand(self, X: Csr, net: Net) -> Csr:
        return propagate(*self._prepared(X, net))[0]

    def _prepared(self, X: Csr, net: Net) -> tuple[Csr, Csr, Csr, Walk]:
        """Return the input mass, the weights of the first and of later hops, and how to walk."""
        self._check_parameters()
        graph = net.graph.row_normalized() if self.normalize == "row" else net.graph
        start, first = entering(X, net, graph)
        if self.prior == "empirical":
            frequency = net.frequency if graph.first_hop is not None else net.frequency[net.columns]
            start = from_arrays(start.data * frequency[start.indices], start.indices, start.indptr, start.shape)
        return start, first, graph.weights, self._walk(graph)

    def _paths(self, x: Csr, net: Net, wanted: Integers, totals: Floats) -> list[ExpansionPath]:
        names = net.graph.names
        start_names = names if net.graph.unedited.first_hop is None else net.feature_names
        return named_paths(strongest_walks(*self._prepared(x, net), wanted), names, start_names, totals)

    def _check_parameters(self) -> None:
        if isinstance(self.damping, str):
            check_choice("damping", self.damping, ("auto",))
        else:
            check_number("damping", self.damping, low=0, high=1, open_low=True)
        if self.hops is not None:
            check_number("hops", self.hops, low=1, high=MAX_HOPS, whole=True)
        check_choice("prior", self.prior, ("uniform", "empirical"))
        check_choice("normalize", self.normalize, ("row", None))
        check_number("prune", self.prune, low=0, high=1)

    def _walk(self, graph: FeatureGraph) -> Walk:
        damping = 1 / (1 + graph.spectral_radius()) if self.damping == "auto" else float(self.damping)
        if self.hops is None:
            _refuse_divergence(graph, damping)
            growth = damping * graph.max_row_sum()
            future, halving = _future(graph.weights, damping)
            hops = 2 + halving * int(np.ceil(np.log2(future.max(initial=1.0) / TOLERANCE)) + 1)
            series = np.full(hops + 1, growth / (1 - growth) if growth < 1 else np.inf)
            return Walk(damping, hops, self.prune, series, future)
        if self.hops > 1:
            _warn_of_divergence(graph, damping)
        if self.prune == 0:
            return Walk(damping, self.hops)
        growth = damping * graph.max_row_sum()
        with np.errstate(over="ignore"):
            series = np.concatenate(([0.0], np.cumsum(growth ** np.arange(1.0, self.hops + 1))))
        return Walk(damping, self.hops, self.prune, series)


def _refuse_divergence(graph: FeatureGraph, damping: float) -> None:
    if damping * graph.max_row_sum() < 1 - MARGIN:
        return
    radius = graph.spectral_radius()
    if damping * radius >= 1 - MARGIN:
        raise DivergenceError(
            f"hops=None with damping {damping:.6g} and |λmax| = {radius:.6g}: the endless sum does not "
            f"converge. Use a damping below {1 / radius:.6g}, "
            f'damping="auto" (here {1 / (1 + radius):.6g}) or a number of hops'
        )


def _warn_of_divergence(graph: FeatureGraph, damping: float) -> None:
    if damping * graph.max_row_sum() <= 1 + MARGIN:
        return
    radius = graph.spectral_radius()
    if damping * radius > 1 + MARGIN:
        warnings.warn(
            f"damping {damping:.6g} × |λmax| {radius:.6g} exceeds 1: each hop adds more than the one before. "
            f'Use a damping below {1 / radius:.6g}, damping="auto" or normalize="row"',
            DivergenceWarning,
            stacklevel=6,
        )


def _future(weights: Csr, damping: float) -> tuple[Floats, int]:
    """Bound all that a unit of mass at each vertex still becomes; also return in how many hops mass halves.

    With d_t = (γW)^t 1 and y_t = d_0 + … + d_t, the exact answer is y_∞ - 1. Once max d_{t+1} ≤ 1/2, the
    vector u = 2 y_t satisfies u ≥ 1 + γW u, hence u ≥ y_∞: a bound within a factor of about two, after few
    products.
    """
    d = np.ones(weights.shape[0])
    y = np.zeros(weights.shape[0])
    for halving in range(1, MAX_HALVING + 1):
        y += d
        d = damping * (weights @ d)
        if d.max(initial=0.0) <= 0.5:
            return 2 * y - 1, halving
    raise DivergenceError(
        f"hops=None with damping {damping:.6g} converges too slowly: after {MAX_HALVING} hops more than half "
        'of the mass can still be under way. Use a smaller damping, damping="auto" or a number of hops'
    )
