"""Why a text was judged as it was, as a value that a terminal, a page or a program can show.

Enter: what the classifier saw. Leave: `Explanation`: one term a feature and the intercept, which add up to the logit
of every class, and for each predicted feature the path through the graph that brought it. `ExpandedText` is the part
that needs no classifier.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from classinet.exceptions import InputError

TEXT, PHRASE, LETTERS, PREDICTED, INTERCEPT = "text", "phrase", "letters", "predicted", "intercept"
ARROW = " → "


@dataclass(frozen=True)
class Feature:
    """A feature of an expanded text.

    Attributes
    ----------
    name : the feature.
    kind : "text" for a word that the text holds, "phrase" for a piece of it (words in a row, its beginning),
        "letters" for the runs of letters of one of its words together, "predicted" where the net added it.
    value : how much of it the classifier sees.
    path : for a predicted feature the names from a word or piece of the text to it; empty for what the text holds.
    share : how much of the value this path alone brought; the rest came by other paths.
    """

    name: str
    kind: str
    value: float
    path: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True)
class ExpandedText:
    """A text, what of it is known, and what the net adds.

    Attributes
    ----------
    text : the text.
    unknown : features of the text that neither the net nor the labelled texts have seen.
    features : features of the text, then predicted ones, the largest value first.
    """

    text: str
    unknown: tuple[str, ...]
    features: tuple[Feature, ...]

    @property
    def coverage(self) -> float:
        """Share of the text's distinct features that are known; 0 for a text without any."""
        known = sum(feature.kind == TEXT for feature in self.features)
        return known / (known + len(self.unknown)) if known else 0.0

    @property
    def predicted(self) -> tuple[Feature, ...]:
        """What the net added."""
        return tuple(feature for feature in self.features if feature.kind == PREDICTED)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "coverage": self.coverage}

    def to_json(self) -> str:
        """Return one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __str__(self) -> str:
        rows = [
            (f.name, f.kind, f"{f.value:.3f}", ARROW.join(f.path), f"{f.share:.0%}" if f.path else "")
            for f in self.features
        ]
        table = _table(("feature", "kind", "value", "path", "share"), rows)
        return "\n".join([f'"{self.text}"', *_unknown_lines(self), table])


@dataclass(frozen=True)
class Term:
    """One summand of the logits: coefficient × value, a number for each class.

    `feature` is None for the intercept.
    """

    feature: Feature | None
    contributions: tuple[float, ...]

    @property
    def name(self) -> str:
        """What to call it in a table."""
        return INTERCEPT if self.feature is None else self.feature.name

    @property
    def kind(self) -> str:
        """Whether it is of the text, predicted, or the intercept."""
        return INTERCEPT if self.feature is None else self.feature.kind


@dataclass(frozen=True)
class Explanation:
    """Why a text was judged as it was.

    Attributes
    ----------
    expanded : the text with what the net added to it.
    classes : names of the classes, or tags.
    label : what was predicted: a class, or a tuple of tags.
    label_without : what the classifier that was trained on the same labels without expansion predicts.
    logits, probabilities : one number for each class.
    terms : what the logits are sums of: features, those first that matter most for what was predicted, and last the
        intercept.

    Examples
    --------
    >>> feature = Feature("storm", "text", 0.5)
    >>> terms = (Term(feature, (-1.0, 1.0)), Term(None, (0.25, -0.25)))
    >>> told = Explanation(ExpandedText("storm", (), (feature,)), ("food", "weather"), "weather", "weather",
    ...                    (-0.75, 0.75), (0.18, 0.82), terms)
    >>> print(told.table(classes=["weather"]))
    feature    kind       value  path  weather
    storm      text       0.500         +1.000
    intercept  intercept                -0.250
    sum                                 +0.750
    """

    expanded: ExpandedText
    classes: tuple[Any, ...]
    label: Any
    label_without: Any
    logits: tuple[float, ...]
    probabilities: tuple[float, ...]
    terms: tuple[Term, ...]

    @property
    def text(self) -> str:
        """The text."""
        return self.expanded.text

    @property
    def coverage(self) -> float:
        """Share of the text's features that are known."""
        return self.expanded.coverage

    def leading(self, count: int = 2) -> list[Any]:
        """Return the most probable classes, the most probable first."""
        order = sorted(range(len(self.classes)), key=lambda c: (-self.logits[c], c))
        return [self.classes[c] for c in order[:count]]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain values; terms beyond the `top` ones that matter most are added up as "others"."""
        *features, intercept = self.terms
        rest = features[top:] if top is not None else []
        others = {
            "name": "others",
            "kind": "others",
            "count": len(rest),
            "contributions": [sum(term.contributions[c] for term in rest) for c in range(len(self.classes))],
        }
        return {
            "text": self.text,
            "label": _plain(self.label),
            "label_without_expansion": _plain(self.label_without),
            "coverage": self.coverage,
            "unknown": list(self.expanded.unknown),
            "classes": _plain(self.classes),
            "logits": list(self.logits),
            "probabilities": list(self.probabilities),
            "terms": [
                {
                    **({"name": INTERCEPT, "kind": INTERCEPT} if t.feature is None else asdict(t.feature)),
                    "contributions": list(t.contributions),
                }
                for t in [*features[:top], intercept]
            ]
            + ([others] if rest else []),
        }

    def to_json(self) -> str:
        """Return one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def table(self, classes: Sequence[Any] | None = None, top: int | None = None) -> str:
        """Return the terms as a table for a terminal; terms beyond `top` are added up in one line."""
        header, rows = self._rows(classes, top)
        return _table(header, rows, right=(2, *range(4, len(header))))

    def __str__(self) -> str:
        probable = "  ".join(f"{c} {self.probabilities[self.classes.index(c)]:.3f}" for c in self.leading(3))
        lines = [f'"{self.text}"', f"label: {_words(self.label)}   ({probable})"]
        lines.append(f"without expansion: {_words(self.label_without)}")
        return "\n".join([*lines, *_unknown_lines(self.expanded), self.table(top=20)])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self, top: int | None = 40) -> str:
        """Return the table as HTML, as a notebook shows it."""
        header, rows = self._rows(None, top)
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        unknown = "".join(f"<p>{escape(line)}</p>" for line in _unknown_lines(self.expanded))
        return (
            f"<div><p>{escape(self.text)}</p><p><b>{escape(_words(self.label))}</b> "
            f"(without expansion: {escape(_words(self.label_without))})</p>{unknown}"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _rows(self, classes: Sequence[Any] | None, top: int | None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        shown = list(self.leading() if classes is None else classes)
        for name in shown:
            if name not in self.classes:
                raise InputError(f"{name!r} is none of the classes {', '.join(map(repr, self.classes))}")
        at = [self.classes.index(name) for name in shown]

        def line(name: str, kind: str, value: str, path: str, numbers: Sequence[float]) -> tuple[str, ...]:
            return (name, kind, value, path, *(f"{number:+.3f}" for number in numbers))

        *features, intercept = self.terms
        shown_features = features[:top]
        rest = features[len(shown_features) :]
        rows = []
        for term in [*shown_features, intercept]:
            f = term.feature
            kind, value, path = (INTERCEPT, "", ()) if f is None else (f.kind, f"{f.value:.3f}", f.path)
            rows.append(line(term.name, kind, value, ARROW.join(path), [term.contributions[c] for c in at]))
        if rest:
            sums = [sum(term.contributions[c] for term in rest) for c in at]
            rows.insert(-1, line(f"{len(rest)} others", "", "", "", sums))
        rows.append(line("sum", "", "", "", [self.logits[c] for c in at]))
        return ("feature", "kind", "value", "path", *map(str, shown)), rows


def _unknown_lines(expanded: ExpandedText) -> list[str]:
    unknown = expanded.unknown
    if not unknown:
        return []
    listed = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
    if expanded.coverage > 0:
        return [f"not known: {listed} (coverage {expanded.coverage:.0%})"]
    how = "judged by its pieces alone" if expanded.features else "the label is what is likely before reading the text"
    return [f"no word is known ({listed}): {how}"]


def _words(label: Any) -> str:
    return (", ".join(map(str, label)) or "no tag") if isinstance(label, tuple) else str(label)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = (2,)) -> str:
    """Align columns with spaces; `right` lists the columns of numbers."""
    cells = [tuple(_one_line(cell) for cell in row) for row in (header, *rows)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    lines = []
    for row in cells:
        padded = [
            cell.rjust(w) if c in right else cell.ljust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _one_line(cell: str) -> str:
    """Show control characters rather than obey them: a feature may hold anything a text may."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in cell)
