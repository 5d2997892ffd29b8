"""`make test-system`: what needs the network or a system package."""

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


def test_a_fresh_clone_in_a_fresh_environment_runs_the_demo_with_core_dependencies_alone(tmp_path):
    run("git", "clone", "--quiet", ROOT, tmp_path / "clone")
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", tmp_path / "clone")
    assert "EXP=" in run(python, "-m", "classinet.demo", cwd=tmp_path)
    installed = run(python, "-m", "pip", "list", "--format=freeze").lower()
    assert "pandas" not in installed
    assert "gensim" not in installed


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_exported_graphs_are_well_formed_to_an_independent_parser(tmp_path, kind):
    names = ["<a & b>", 'quo"te', "control\x01", "emoji 😀", "right-to-left שלום"]
    weights = np.triu(np.full((5, 5), 0.5), 1)
    path = tmp_path / f"graph.{kind}"
    getattr(FeatureGraph(names, weights), f"write_{kind}")(path)
    run("xmllint", "--noout", path)
