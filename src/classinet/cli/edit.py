"""`classinet edit`: ban and pin what a net infers, and take that back."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.exceptions import InputError

if TYPE_CHECKING:
    from classinet.edits import Edits
    from classinet.pipeline import ClassiNetClassifier, TextNet


class Action(StrEnum):
    """What to do with the edits of a model."""

    BAN = "ban"
    PIN = "pin"
    UNDO = "undo"
    LIST = "list"
    CLEAR = "clear"


FORMS = {
    Action.BAN: "ban WORD, or ban A B",
    Action.PIN: "pin A B WEIGHT",
    Action.UNDO: "undo, or undo N",
    Action.LIST: "list",
    Action.CLEAR: "clear",
}


def edit(
    model: inputs.Net,
    action: Annotated[Action, typer.Argument(help="What to do.", metavar="ACTION", show_default=False)],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"Words, a weight from 0 to 1, or a number: {'; '.join(FORMS.values())}.",
            metavar="WORD",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", help="Show how this text is judged before and after the edit.", show_default=False),
    ] = None,
    json: inputs.Json = False,
) -> None:
    """Change what a net infers: ban a word or an edge, or pin an edge to a weight.

    "ban WORD" forbids every inference of and from a word, "ban A B" that of B from A, "pin A B WEIGHT" sets that
    edge to a weight from 0 to 1. Edits are kept as readable lines beside the model, and all other weights stay as they
    are. "undo" takes back the last edit, "undo N" the last N, "clear" all; "list" prints them.
    """
    from classinet.persistence import describe, save_edits

    ask = _asked(model, action, words or [])
    before = describe(model).edits
    if action is Action.UNDO and not len(before):
        raise InputError(f"{model}: has no edits to take back")
    after = ask(before)
    if action in (Action.BAN, Action.PIN) and after.repeats():
        output.note(f"the edit {after.items[-1]} is there already, and is not added again")
        after = before
    judged = [] if text is None else [_judged(model, text, edits) for edits in (before, after)]
    if action is not Action.LIST:
        save_edits(model, after)
        after = describe(model).edits
    _tell(before, after, judged, changed=action is not Action.LIST, json=json)


def _asked(model: Path, action: Action, words: list[str]) -> Any:
    """Return the function from the present edits to those that are wanted."""
    from classinet.edits import Edits

    match action, words:
        case Action.BAN, [_] | [_, _]:
            return lambda edits: edits.ban(*_features(model, words))
        case Action.PIN, [source, target, number]:
            weight = _number(number, float, "WEIGHT must be a number from 0 to 1")
            return lambda edits: edits.pin(*_features(model, [source, target]), weight)
        case Action.UNDO, []:
            return lambda edits: edits.undo()
        case Action.UNDO, [number]:
            count = _number(number, int, "N must be a whole number")
            return lambda edits: edits.undo(count)
        case Action.LIST, []:
            return lambda edits: edits
        case Action.CLEAR, []:
            return lambda edits: Edits()
    raise typer.BadParameter(f"write: {FORMS[action]}", param_hint=action.value)


def _features(model: Path, words: list[str]) -> list[str]:
    """Read words as those of texts are."""
    net = inputs.load_net(model)
    return [net.as_feature(word) for word in words]


def _number(text: str, kind: Any, message: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise typer.BadParameter(f"{message}, got {text!r}") from None


def _judged(path: Path, text: str, edits: Edits) -> str:
    """Say how the model judges a text under these edits; of a net alone, what it infers."""
    net, model = inputs.load_either(path)
    editable: TextNet | ClassiNetClassifier = net if model is None else model
    editable.edit(edits)
    if model is None:
        return ", ".join(f"{word.name} {word.value:.3f}" for word in net.expand(text).predicted) or "nothing"
    told = model.explain(text)
    return ", ".join(f"{name} {told.probabilities[told.classes.index(name)]:.3f}" for name in told.leading(3))


def _tell(before: Edits, after: Edits, judged: list[str], *, changed: bool, json: bool) -> None:
    if json:
        lines: dict[str, Any] = {"edits": [_plain(edit) for edit in after]}
        output.as_json({**lines, **dict(zip(("before", "after"), judged, strict=False))})
        return
    kept = sum(1 for a, b in zip(before, after, strict=False) if a == b)
    if changed:
        for edit in before.items[kept:]:
            output.row(f"- {edit}")
        for edit in after.items[kept:]:
            output.row(f"+ {edit}")
        output.say(f"{output.many(len(after), 'edit')} in force" if len(after) else "no edits in force")
    else:
        for edit in after:
            output.row(edit)
        if not len(after):
            output.note("no edits")
    for name, said in zip(("before", "after"), judged, strict=False):
        output.row(name, said)


def _plain(edit: Any) -> Any:
    import json

    return json.loads(edit.to_line())
