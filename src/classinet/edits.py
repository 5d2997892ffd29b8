"""Edits of a net: what a person banned or pinned, as a log that reads like a diff and can be undone.

Enter: bans of features, bans of edges and edges pinned to a weight, one after the other, or the lines of a
file. Leave: one frozen value and its lines, one JSON object each:

    {"ban": "the"}
    {"ban": ["cat", "dog"], "was": 0.41}
    {"pin": ["cat", "pet"], "weight": 0.9, "was": 0.2}

Of several edits of one edge the last one counts. A banned feature has no edges, whatever is pinned before or
after: so only edits of the same edge depend on their order. `was` is a note for the reader, the weight before
all edits; two edits are equal whatever they note.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self

import numpy as np

from classinet.exceptions import InputError, ParameterError

_KEYS = {"ban": {"ban", "was"}, "pin": {"pin", "weight", "was"}}


@dataclass(frozen=True)
class Edit:
    """One edit; make it with `ban_vertex`, `ban_edge` or `pin_edge`.

    Attributes
    ----------
    source : the banned feature, or where the edge starts.
    target : where the edge ends; None for a ban of a feature.
    weight : what the edge is pinned to, in [0, 1]; None for a ban.
    was : the weight of the edge before all edits, if known; not compared.

    Examples
    --------
    >>> print(Edit.pin_edge("cat", "pet", 0.9))
    pin cat → pet to 0.9
    """

    source: str
    target: str | None = None
    weight: float | None = None
    was: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _check_name(self.source)
        if self.target is None:
            if self.weight is not None or self.was is not None:
                raise InputError(f"a ban of the feature {self.source!r} has no weight; name the target of the edge too")
            return
        _check_name(self.target)
        if self.source == self.target:
            raise InputError(f"no edge leads from {self.source!r} to itself; name two different features")
        for name in ("weight", "was"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _probability(name, value))

    @classmethod
    def ban_vertex(cls, name: str) -> Self:
        """Return the ban of a feature: nothing leads to it, nothing follows from it.

        >>> Edit.ban_vertex("the").to_line()
        '{"ban": "the"}'
        """
        return cls(name)

    @classmethod
    def ban_edge(cls, source: str, target: str) -> Self:
        """Return the ban of one edge.

        >>> Edit.ban_edge("cat", "dog").to_line()
        '{"ban": ["cat", "dog"]}'
        """
        return cls(source, target)

    @classmethod
    def pin_edge(cls, source: str, target: str, weight: float) -> Self:
        """Return an edge with a weight of one's own; where there was no edge, there is one now.

        >>> Edit.pin_edge("cat", "pet", 0.9).to_line()
        '{"pin": ["cat", "pet"], "weight": 0.9}'
        """
        return cls(source, target, _probability("weight", weight))

    def __str__(self) -> str:
        if self.target is None:
            return f"ban {self.source}"
        verb, end = ("ban", "") if self.weight is None else ("pin", f" to {self.weight:g}")
        note = "" if self.was is None else f" (was {self.was:g})"
        return f"{verb} {self.source} → {self.target}{end}{note}"

    def to_line(self) -> str:
        """Return the edit as one line of JSON.

        >>> Edit.ban_edge("café", "thé").to_line()
        '{"ban": ["café", "thé"]}'
        """
        value: dict[str, Any] = {
            "ban" if self.weight is None else "pin": self.source if self.target is None else [self.source, self.target]
        }
        if self.weight is not None:
            value["weight"] = self.weight
        if self.was is not None:
            value["was"] = self.was
        line = json.dumps(value, ensure_ascii=False)
        # Separators of lines and halves of surrogate pairs would not survive a file of UTF-8 lines.
        return line if line.isprintable() else json.dumps(value)

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Return the edit that a line describes; anything else than the three forms is refused.

        >>> Edit.from_line('{"ban": ["cat", "dog"], "was": 0.41}')
        Edit(source='cat', target='dog', weight=None, was=0.41)
        """
        value = _parsed(line)
        verbs = [verb for verb in _KEYS if verb in value]
        if len(verbs) != 1:
            raise InputError(f'an edit says "ban" or "pin", and not both; got {line.strip()[:200]!r}')
        verb = verbs[0]
        unknown = sorted(set(value) - _KEYS[verb])
        if unknown:
            raise InputError(f'"{verb}" does not go with the key {unknown[0]!r}; known are {sorted(_KEYS[verb])}')
        what = value[verb]
        ends = [what] if isinstance(what, str) and verb == "ban" else what
        if not isinstance(ends, list) or len(ends) != (1 if ends is not what else 2):
            form = "a name or [source, target]" if verb == "ban" else "[source, target]"
            raise InputError(f'"{verb}" must hold {form}, got {what!r}')
        for name in ends:
            _check_name(name)  # a null must not pass for a missing target
        # An explicit null is no number; only a missing key means that there is none.
        for key in {"weight", "was"} & set(value):
            _probability(key, value[key])
        if verb == "pin" and "weight" not in value:
            raise InputError('"pin" needs a "weight" in [0, 1]')
        return cls(*ends, **{key: value[key] for key in ("weight", "was") if key in value})


@dataclass(frozen=True)
class Edits:
    """A log of edits, oldest first; every change is a new value.

    Examples
    --------
    >>> edits = Edits().ban("the").pin("cat", "pet", 0.9)
    >>> edits.to_lines()
    ['{"ban": "the"}', '{"pin": ["cat", "pet"], "weight": 0.9}']
    >>> edits.undo() == Edits().ban("the")
    True
    """

    items: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        for item in self.items:
            if not isinstance(item, Edit):
                raise InputError(f"edits must be Edit objects, got {item!r}")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Edit]:
        return iter(self.items)

    def ban(self, source: str, target: str | None = None) -> Edits:
        """Return the log with a feature, or the edge from one to another, banned.

        >>> print(*Edits().ban("the").ban("cat", "dog"), sep="; ")
        ban the; ban cat → dog
        """
        return Edits((*self.items, Edit.ban_vertex(source) if target is None else Edit.ban_edge(source, target)))

    def pin(self, source: str, target: str, weight: float) -> Edits:
        """Return the log with an edge pinned to a weight in [0, 1].

        >>> print(*Edits().pin("cat", "pet", 1))
        pin cat → pet to 1
        """
        return Edits((*self.items, Edit.pin_edge(source, target, weight)))

    def undo(self, count: int = 1) -> Edits:
        """Return the log without its last edits.

        >>> Edits().ban("the").ban("a").undo(2)
        Edits(items=())
        """
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= len(self.items):
            raise ParameterError(f"count must be a whole number from 0 to the {len(self.items)} edits, got {count!r}")
        return Edits(self.items[: len(self.items) - count])

    def repeats(self) -> bool:
        """Return whether the last edit was the last word on its feature or edge already: to undo it changes nothing.

        >>> Edits().ban("the").ban("a").ban("the").repeats(), Edits().ban("a", "b").pin("a", "b", 0.5).repeats()
        (True, False)
        """
        *former, last = self.items or (None,)
        same = (e for e in reversed(former) if last and (e.source, e.target) == (last.source, last.target))
        return last is not None and next(same, None) == last

    def banned(self) -> tuple[str, ...]:
        """Return the banned features, each once.

        >>> Edits().ban("the").ban("cat", "dog").ban("the").banned()
        ('the',)
        """
        return tuple(dict.fromkeys(edit.source for edit in self.items if edit.target is None))

    def edges(self) -> dict[tuple[str, str], float]:
        """Return what each edited edge weighs in the end, 0 where it is banned.

        >>> Edits().pin("cat", "pet", 0.9).ban("cat", "dog").pin("cat", "pet", 0.5).edges()
        {('cat', 'pet'): 0.5, ('cat', 'dog'): 0.0}
        """
        return {
            (edit.source, edit.target): 0.0 if edit.weight is None else edit.weight
            for edit in self.items
            if edit.target is not None
        }

    def to_lines(self) -> list[str]:
        """Return one line of JSON per edit, without line ends.

        >>> Edits().ban("cat", "dog").to_lines()
        ['{"ban": ["cat", "dog"]}']
        """
        return [edit.to_line() for edit in self.items]

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Edits:
        """Return the edits that lines of JSON describe; blank lines are skipped.

        >>> Edits.from_lines(['{"ban": "the"}', '{"pin": ["cat", "pet"], "weight": 2}'])
        Traceback (most recent call last):
        ...
        classinet.exceptions.InputError: line 2 of the edits: weight must be a number in [0, 1], got 2
        """
        items = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                items.append(Edit.from_line(line))
            except InputError as error:
                raise InputError(f"line {number} of the edits: {error}") from None
        return cls(tuple(items))


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise InputError(f"an edit names features by strings that are not empty, got {name!r}")


def _probability(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or not 0 <= value <= 1:
        raise InputError(f"{what} must be a number in [0, 1], got {str(value)[:40]}")
    return abs(float(value))  # no negative zero


def _parsed(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"an edit is one JSON object, and this is none ({error}): {line.strip()[:200]!r}") from None
    if not isinstance(value, dict):
        raise InputError(f"an edit is one JSON object, got {line.strip()[:200]!r}")
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise InputError(f"{text} is no weight; use a number in [0, 1]")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise InputError(f"an edit names each key once, got {[key for key, _ in pairs]}")
    return value
