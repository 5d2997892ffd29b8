"""ClassiNet's own expansions under the contract of the rivals: Independent, LocalPath, AllNeighbors, …, Global."""

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


class Expanded(Baseline):
    """Predict features over a net; the block holds what the net adds to each text.

    Parameters
    ----------
    net : a fitted `TextNet`, which is used as it is; an unfitted one, which `fit` builds; None for a default one.
    expansion : how texts are expanded; None is `Global()`.
    n_jobs : threads for expanding many texts; None is one, -1 all cores.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> rival = Expanded().fit(made_up_sentences())
    >>> added = rival.transform(["storm clouds ahead"])
    >>> rival.net_.net_.graph.names[added.indices[added.data.argmax()]]
    'thunder'
    """

    def __init__(
        self, net: TextNet | None = None, expansion: Expansion | None = None, n_jobs: int | None = None
    ) -> None:
        self.net = net
        self.expansion = expansion
        self.n_jobs = n_jobs

    def __sklearn_clone__(self) -> Self:
        return clone_around(self, "net", fitted=hasattr(self.net, "net_"))

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Build the net from unlabeled texts, unless a fitted one was given."""
        net = TextNet() if self.net is None else self.net
        self.net_ = net if hasattr(net, "net_") else clone(net).fit(X)
        return self

    def transform(self, X: Iterable[str]) -> Csr:
        """Return what the net adds to each text: texts × vertices."""
        net: Any = self.net_
        expansion = Global() if self.expansion is None else self.expansion
        way = Representation(net.vectorizer_, net.net_, net.n_texts_, expansion, n_jobs=self.n_jobs)
        return way.expansion_rows(way.text_rows(way.counts(X)))
