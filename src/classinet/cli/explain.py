"""`classinet explain`: why a text gets its label."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classinet.cli import inputs, output

if TYPE_CHECKING:
    from classinet.explain import Explanation


def explain(
    model: inputs.Model,
    text: Annotated[str, typer.Argument(help="The text, in quotes.", metavar="TEXT", show_default=False)],
    top: Annotated[
        int, typer.Option("--top", help="How many features to list; the others are added up.", min=1, metavar="N")
    ] = 20,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write the table to this HTML file.", show_default=False)
    ] = None,
    json: inputs.Json = False,
) -> None:
    """Explain the label of a text.

    Lists the features of the text, those that the net inferred and the path that brought each, and what each
    contributes to the decision; the contributions add up to the last line.
    """
    told = inputs.load_model(model).explain(text)
    if html is not None:
        _write_page(told, html, top)
    if json:
        output.as_json(told.to_dict(top))
    else:
        _tell(told, top)


def _tell(told: Explanation, top: int) -> None:
    probable = (f"{name} {told.probabilities[told.classes.index(name)]:.3f}" for name in told.leading(3))
    label, without = (
        (", ".join(map(str, said)) or "no tag") if isinstance(said, tuple) else str(said)
        for said in (told.label, told.label_without)
    )
    output.facts(
        {
            "text": told.text,
            "label": f"{label} ({', '.join(probable)})",
            "without expansion": without,
            "coverage": f"{told.coverage:.0%}".replace("%", " %")
            + (f", not known: {output.listed(told.expanded.unknown)}" if told.expanded.unknown else ""),
        }
    )
    print("\n" + told.table(top=top))


def _write_page(told: Explanation, path: Path, top: int) -> None:
    from classinet._files import whole_file

    with whole_file(path) as file:
        file.write(
            '<!doctype html>\n<html><head><meta charset="utf-8">'
            f"<title>{escape(told.text)}</title></head><body>{told.to_html(top)}</body></html>\n"
        )
    output.say(f"wrote {path}")
