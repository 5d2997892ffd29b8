"""Ban and pin, on anything that holds a net: a `TextNet` or a classifier.

Enter: names of features, read as words of a text are. Leave: the same object over the edited net; its predictions
follow at once. Every edit starts from the unedited net and can be undone; the net that others share is never changed.
"""

from __future__ import annotations

from typing import Self

from classinet.edits import Edits
from classinet.net import Net


class Editable:
    """Verbs for editing the net of a fitted object, which implements `as_feature`, `_fitted_net` and `_put_net`."""

    def as_feature(self, word: str) -> str:
        """Bring a word to the form in which texts are counted."""
        raise NotImplementedError

    def _fitted_net(self) -> Net:
        raise NotImplementedError

    def _put_net(self, net: Net) -> None:
        raise NotImplementedError

    @property
    def edits(self) -> Edits:
        """The edits in force, oldest first."""
        return self._fitted_net().edits

    def ban(self, source: str, target: str | None = None) -> Self:
        """Ban the edge source → target or, with one name, that vertex: nothing is expanded to it or from it."""
        return self.edit(self.edits.ban(self.as_feature(source), None if target is None else self.as_feature(target)))

    def pin(self, source: str, target: str, weight: float) -> Self:
        """Give the edge source → target a weight of your own; all other weights stay what they were."""
        return self.edit(self.edits.pin(self.as_feature(source), self.as_feature(target), weight))

    def undo(self, count: int = 1) -> Self:
        """Take back the last edits."""
        return self.edit(self.edits.undo(count))

    def edit(self, edits: Edits) -> Self:
        """Put these edits in force, instead of the present ones."""
        self._put_net(self._fitted_net().edited(edits))
        return self
