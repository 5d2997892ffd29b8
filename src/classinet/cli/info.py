"""`classinet info`: what lies in a folder: a net, a model, or a build that was not finished."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classinet.cli import inputs, output
from classinet.exceptions import StorageError

if TYPE_CHECKING:
    from classinet.persistence import ModelInfo


def info(
    path: Annotated[
        Path,
        typer.Argument(help="Folder of a net, a model, or an unfinished build.", metavar="PATH", show_default=False),
    ],
    json: inputs.Json = False,
) -> None:
    """Say what a folder holds: a net, a model, or an unfinished build."""
    from classinet.build.orchestrator import SETTINGS
    from classinet.persistence import describe

    found = _of_build(path) if (path / SETTINGS).is_file() else _of_model(describe(path))
    if json:
        output.as_json(found)
        return
    shown = {name.replace("_", " "): value for name, value in found.items() if value not in ([], None)}
    for name, value in shown.items():
        if isinstance(value, list):
            shown[name] = output.listed(value, most=40)
        elif isinstance(value, dict):
            shown[name] = ", ".join(f"{key} {each}" for key, each in value.items())
    output.facts({**shown, "size": output.size_of(found["size"])})


def _of_model(told: ModelInfo) -> dict[str, Any]:
    return {
        "path": str(told.path),
        "kind": told.kind,
        "version": told.version,
        "versions": list(told.versions),
        "recipe": told.recipe,
        "texts": told.texts,
        "features": told.features,
        "vertices": told.vertices,
        "edges": told.edges,
        "predictor": told.predictor,
        "classes": list(told.classes),
        "edits": [str(edit) for edit in told.edits],
        "left_behind": list(told.left_behind),
        "fingerprint": told.fingerprint,
        "libraries": dict(told.libraries),
        "size": told.size,
    }


def _of_build(path: Path) -> dict[str, Any]:
    from classinet.build.orchestrator import SETTINGS, STEPS

    try:
        settings = dict(json_format.loads((path / SETTINGS).read_text(encoding="utf-8")))
    except ValueError:
        raise StorageError(f"{path / SETTINGS}: is damaged; remove {path} and build anew") from None
    steps = sorted(step.name for step in (path / STEPS).iterdir()) if (path / STEPS).is_dir() else []
    return {
        "path": str(path),
        "kind": "unfinished build; run the same build command with --resume to continue",
        "steps": steps,
        "settings": {str(name): str(value) for name, value in settings.items()},
        "size": sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
    }
