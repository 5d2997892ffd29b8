"""What rivals have in common that are made from a net: they take a fitted one as it is, or build one from texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import clone

from classinet._cloning import clone_around
from classinet._typing import Csr
from classinet.baselines.base import Baseline
from classinet.expansion import Expansion, Global
from classinet.pipeline import TextNet
from classinet.pipeline.representation import Representation


class OverNet(Baseline):
    """Base of the rivals that are made from a net; a fitted net is kept through `clone`."""

    net: TextNet | None

    def __sklearn_clone__(self) -> Self:
        return clone_around(self, "net", fitted=hasattr(self.net, "net_"))

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Build the net from unlabeled texts, unless a fitted one was given."""
        net = TextNet() if self.net is None else self.net
        self.net_ = net if hasattr(net, "net_") else clone(net).fit(X)
        return self

    def _rows(
        self, texts: Iterable[str], expansion: Expansion | None = None, *, by_rarity: bool = True
    ) -> tuple[Representation, Csr]:
        """Return how texts become rows over the net, and how often they hold its features."""
        net: Any = self.net_
        way = Representation(net.vectorizer_, net.net_, net.n_texts_, expansion or Global(), by_rarity=by_rarity)
        return way, way.counts(texts)
