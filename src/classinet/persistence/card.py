"""The model card: what a folder holds, for whoever finds it.

Enter: the configuration of a version. Leaves: Markdown.
"""

from __future__ import annotations

from typing import Any

KINDS = {"text-net": "text net", "classifier": "text classifier over a net"}


def model_card(config: dict[str, Any]) -> str:
    """Describe a version to people.

    >>> config = {"kind": "text-net", "texts": 900, "recipe": "default", "fingerprint": "ab12", "predictor": None,
    ...           "sizes": {"features": 30, "vertices": 20, "edges": 100}, "classifier": None, "left_behind": [],
    ...           "libraries": {"classinets": "0.1.0"}}
    >>> print(model_card(config).splitlines()[0])
    # ClassiNet: text net
    """
    sizes, classifier, predictor = config["sizes"], config["classifier"], config["predictor"]
    rows = [
        ("built from", f"{config['texts']:,} texts (fingerprint {config['fingerprint']})"),
        ("features", f"{sizes['features']:,}"),
        ("vertices", f"{sizes['vertices']:,}"),
        ("edges", f"{sizes['edges']:,}"),
        ("recipe", config["recipe"]),
        ("predictor", "not stored" if predictor is None else predictor["class"]),
        ("made with", ", ".join(f"{name} {version}" for name, version in config["libraries"].items())),
    ]
    if config.get("sample"):
        rows.insert(1, ("texts kept", f"{config['sample']:,}, as counts of their features (sample.safetensors)"))
    if classifier is not None:
        labels = classifier["classes"]["values"]
        shown = ", ".join(map(str, labels[:20])) + (", …" if len(labels) > 20 else "")
        rows.insert(0, ("labels", f"{len(labels)}: {shown}"))
    table = "\n".join(f"| {name} | {_cell(value)} |" for name, value in rows)
    behind = "".join(f"- {_cell(line)}\n" for line in config["left_behind"])
    return (
        f"# ClassiNet: {KINDS[config['kind']]}\n\n"
        f"| | |\n|---|---|\n{table}\n\n"
        + (f"Not stored, because it could not be loaded without executing code:\n\n{behind}\n" if behind else "")
        + "Load it with the folder that holds this version:\n\n"
        "```python\nfrom classinet.persistence import load\n\nmodel = load(FOLDER)\n```\n\n"
        "The files are JSON and safetensors; loading executes nothing that is stored in them. config.json says how the "
        "model was made.\n"
        "Do not edit files here: their checksums are verified. To change edges, use `classinet edit`.\n"
    )


def _cell(text: str) -> str:
    """Text that stays within one line of a table, whatever it holds."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain.encode("utf-8", "replace").decode().replace("|", "\\|")
