"""`make test-system`: what needs the network or a system package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from classinet.graph import FeatureGraph

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.system


def run(*command, cwd=None):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A fresh clone, and the python of a fresh environment in which it is installed with core dependencies alone."""
    folder = tmp_path_factory.mktemp("fresh")
    run("git", "clone", "--quiet", ROOT, folder / "clone")
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", folder / "clone")
    return folder, python


def test_core_dependencies_are_enough_in_python_and_the_command_line_says_what_it_needs(fresh):
    folder, python = fresh
    installed = run(python, "-m", "pip", "list", "--format=freeze").lower()
    assert "typer" not in installed
    assert "matplotlib" not in installed
    code = (
        "import classinet; from classinet.datasets import made_up_sentences\n"
        "net = classinet.TextNet().fit(made_up_sentences(300))\n"
        "clf = classinet.ClassiNetClassifier(net).fit(['rain', 'bread'], ['weather', 'kitchen'])\n"
        "print(classinet.load(classinet.save(clf, 'model')).predict(['thunder'])[0])\n"
    )
    assert run(python, "-c", code, cwd=folder).strip() == "weather"
    refused = subprocess.run([python.parent / "classinet", "--help"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert 'pip install "classinets[cli]"' in refused.stderr


def test_the_demo_runs_from_nothing(fresh):
    folder, python = fresh
    run(python, "-m", "pip", "install", "--quiet", f"{folder / 'clone'}[all]")
    report = json.loads(run(python.parent / "classinet", "demo", "--json", cwd=folder))
    assert report["n_sentences"] > 50_000
    assert np.mean(report["with_expansion"]) > np.mean(report["without_expansion"])
    assert (folder / "classinet-demo" / "graph.png").stat().st_size > 10_000
    told = run(python.parent / "classinet", "explain", "classinet-demo/model", "Invert a matrix.", cwd=folder)
    assert "matrix" in told


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_exported_graphs_are_well_formed_to_an_independent_parser(tmp_path, kind):
    names = ["<a & b>", 'quo"te', "control\x01", "emoji 😀", "right-to-left שלום"]
    weights = np.triu(np.full((5, 5), 0.5), 1)
    path = tmp_path / f"graph.{kind}"
    getattr(FeatureGraph(names, weights), f"write_{kind}")(path)
    run("xmllint", "--noout", path)
