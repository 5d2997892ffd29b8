"""Corpora whose right answers are known by construction."""

import json
import os
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

# Read when scipy is first imported; without it scikit-learn's suite skips its checks of array API input.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

# A busy machine is no bug: how long an example takes belongs in the benchmarks.
settings.register_profile("classinet", deadline=None)
settings.load_profile("classinet")


def pytest_configure(config):
    """Have kernels compiled once, those of each recipe by one process, before every worker compiles all of them."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    program = "from classinet.bench.scale_points import build_tiny; build_tiny({!r})"
    compiling = [subprocess.Popen([sys.executable, "-c", program.format(recipe)]) for recipe in ("default", "paper")]
    for process in compiling:
        process.wait()


TOPICS = {
    "film": ["film", "actor", "plot", "scene", "music", "camera"],
    "money": ["stocks", "bank", "market", "fell", "rose", "shares"],
    "sport": ["match", "goal", "team", "coach", "season", "league"],
}
FILLER = ["the", "a", "of", "and"]


def topic_corpus(n_texts: int = 600, seed: int = 0, words_per_text: int = 4):
    """Return (X, names, topic of each text): words of one topic and one or two fillers, drawn evenly."""
    rng = np.random.default_rng(seed)
    names = np.array([word for words in TOPICS.values() for word in words] + FILLER, dtype=object)
    topics = rng.integers(len(TOPICS), size=n_texts)
    X = sparse.lil_array((n_texts, len(names)))
    for row, topic in enumerate(topics):
        size = rng.integers(2, words_per_text + 1)
        for word in rng.choice(6, size, replace=False) + 6 * topic:
            X[row, word] = 1.0
        for word in rng.choice(len(FILLER), rng.integers(1, 3), replace=False) + 18:
            X[row, word] = 1.0
    return sparse.csr_array(X), names, topics


@pytest.fixture(scope="session")
def topics_corpus():
    return topic_corpus()


@pytest.fixture
def record(request):
    """Print what a soak test saw and keep it, dated, in the file that CLASSINET_SOAK_RESULTS names, if any."""

    def keep(**figures):
        figures = {
            **figures,
            "date": date.today().isoformat(),
            "versions": {name: version(name) for name in ("classinets", "numpy", "numba", "safetensors")},
        }
        print(f"\n{request.node.name}: {figures}")
        path = os.environ.get("CLASSINET_SOAK_RESULTS")
        if path:
            file = Path(path)
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            file.write_text(json.dumps({**known, request.node.name: figures}, indent=1) + "\n", encoding="utf-8")

    return keep
