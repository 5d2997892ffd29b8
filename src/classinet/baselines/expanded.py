"""ClassiNet's own expansions under the contract of the rivals: Independent, LocalPath, AllNeighbors, …, Global."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from classinet._typing import Csr
from classinet.baselines.over_net import OverNet
from classinet.expansion import Expansion
from classinet.pipeline import TextNet


class Expanded(OverNet):
    """Predict features over a net; the block holds what the net adds to each text.

    Parameters
    ----------
    net : a fitted `TextNet`, which is used as it is; an unfitted one, which `fit` builds; None for a default one.
    expansion : how texts are expanded; None is `Global()`.
    by_rarity : weigh what the net adds by how rare it is, as the classifier does; the paper does not.
    n_jobs : threads for expanding many texts; None is one, -1 all cores.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> rival = Expanded().fit(made_up_sentences())
    >>> added = rival.transform(["storm clouds ahead"])
    >>> rival.net_.net_.graph.names[added.indices[added.data.argmax()]]
    'cold'
    """

    def __init__(
        self, net: TextNet | None = None, expansion: Expansion | None = None, by_rarity: bool = True,
        n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.net = net
        self.expansion = expansion
        self.by_rarity = by_rarity
        self.n_jobs = n_jobs

    def transform(self, X: Iterable[str]) -> Csr:
        """Return what the net adds to each text: texts × vertices."""
        way, counts = self._rows(X, self.expansion, by_rarity=self.by_rarity)
        return replace(way, n_jobs=self.n_jobs).expansion_rows(counts)
