"""What a build on a cluster sends from worker to worker, and what it leaves in the shared directory.

    CLASSINET_DATA=… python benchmarks/network.py [--texts 100000,200000,400000] [--workers 4] [--features 20000]

The sentences of IMDB as eight files, words and pairs of words as features, worker processes on this machine.
Prints megabytes: sent between workers, written to the directory of the build, and of the net itself.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from classinet import ClassiNet, TextNet, save
from classinet.bench.corpora import CORPORA
from classinet.engine import DaskEngine
from classinet.text import TextFiles, TextVectorizer

FILES = 8
RECIPES = {"default": lambda features: ClassiNet(), "paper": lambda features: ClassiNet.paper(vertices=features)}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--texts", default="100000,200000,400000")
    options.add_argument("--workers", type=int, default=4)
    options.add_argument("--features", type=int, default=20_000)
    options.add_argument("--recipes", default="default,paper")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    texts = CORPORA["imdb-all"]().texts
    order = np.random.default_rng(0).permutation(len(texts))
    rows = []
    for recipe in given.recipes.split(","):
        for size in map(int, given.texts.split(",")):
            chosen = [texts[row] for row in order[:size]]
            rows.append({"recipe": recipe, "texts": size, **measured(recipe, chosen, given.workers, given.features)})
            print("  ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def measured(recipe: str, texts: list[str], workers: int, features: int) -> dict[str, Any]:
    """Build once on a fresh cluster and return what was sent and written, in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        parts = [place / f"part-{number}.txt" for number in range(FILES)]
        for number, part in enumerate(parts):
            part.write_text("\n".join(texts[number::FILES]) + "\n", encoding="utf-8")
        net = TextNet(TextVectorizer(ngram_range=(1, 2), max_features=features), RECIPES[recipe](features))
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            with DaskEngine(cluster.scheduler_address, directory=place / "shared") as engine:
                net.fit(TextFiles(parts), directory=place / "build", engine=engine)
            sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        save(net, place / "net")
        return {
            "vertices": net.net_.n_vertices,
            "sent_mb": round(sum(sent.values()) / 1e6, 1),
            "written_mb": round(_bytes(place / "build") / 1e6, 1),
            "net_mb": round(_bytes(place / "net") / 1e6, 1),
        }


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
