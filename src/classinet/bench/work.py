"""What the benchmark keeps between runs beside its cells: texts as read, nets, and the features of every method.

Enter: things that are slow to make. Leave: files in `WORK`, each whole or not there, named by a hash of what they were
made from, so that nothing stale is ever read. All of it may be deleted; it is then made again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from classinet import persistence
from classinet._files import whole_file
from classinet._sparse import canonical_csr, from_arrays
from classinet._typing import Csr
from classinet.baselines.no_expansion import NoExpansion
from classinet.bench.corpora import Corpus
from classinet.bench.recipes import RECIPES, described
from classinet.bench.tasks import Labelled
from classinet.pipeline import TextNet
from classinet.text import TextVectorizer


def name_of(*parts: object) -> str:
    """Return a short name for a combination of values.

    >>> name_of("a", 1) == name_of("a", 1) != name_of("a", 2)
    True
    """
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()[:16]


class Work:
    """A folder of such files."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    # ------------------------------------------------------------------------------------------------- texts

    def keep_corpus(self, corpus: Corpus) -> str:
        """Keep a corpus and return the name under which it can be read."""
        name = f"{corpus.key}-{corpus.fingerprint}"
        if not (self.folder / "corpora" / f"{name}.npy").exists():
            with self._file("corpora", f"{name}.txt") as file:
                file.write("\n".join(corpus.texts))
            with self._file("corpora", f"{name}.npy", binary=True) as file:
                np.save(file, corpus.documents)
        return name

    def corpus(self, name: str) -> Corpus:
        """Read a corpus back."""
        folder = self.folder / "corpora"
        texts = (folder / f"{name}.txt").read_text(encoding="utf-8").split("\n")
        return Corpus(name.rpartition("-")[0], texts, np.load(folder / f"{name}.npy"))

    def keep_task(self, key: str, data: Labelled) -> str:
        """Keep a task and return the name under which it can be read."""
        name = f"{key}-{data.fingerprint}"
        if not (self.folder / "tasks" / f"{name}.json").exists():
            values = {"texts": data.texts, "codes": data.codes.tolist(), "classes": data.classes,
                      "parts": data.parts.tolist()}  # fmt: skip
            with self._file("tasks", f"{name}.json") as file:
                json.dump(values, file, ensure_ascii=False)
        return name

    def task(self, name: str) -> Labelled:
        """Read a task back, without its unlabeled texts: those are a corpus."""
        values = json.loads((self.folder / "tasks" / f"{name}.json").read_text(encoding="utf-8"))
        return Labelled(values["texts"], np.array(values["codes"]), tuple(values["classes"]), np.array(values["parts"]))

    # -------------------------------------------------------------------------------------------------- nets

    def net(self, corpus_name: str, recipe: str) -> tuple[TextNet, float]:
        """Return the net of a kept corpus, built if it is not there, and the seconds that building it took."""
        path = self.folder / "nets" / f"{corpus_name}-{recipe}-{name_of(described(recipe), TextNet().sample)}"
        clock = path.with_suffix(".json")
        if not clock.exists():
            if path.exists():  # an interrupted build
                shutil.rmtree(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            texts = self.corpus(corpus_name).texts
            begun = time.perf_counter()
            net = TextNet(model=RECIPES[recipe]()).fit(texts)
            seconds = time.perf_counter() - begun
            persistence.save(net, path)
            with whole_file(clock) as file:
                json.dump({"seconds": seconds}, file)
            return net, seconds
        loaded = persistence.load(path)
        assert isinstance(loaded, TextNet)
        return loaded, float(json.loads(clock.read_text(encoding="utf-8"))["seconds"])

    # ------------------------------------------------------------------------------------------------ blocks

    def keep_block(self, name: str, features: Any, seconds: float) -> None:
        """Keep the features of a task's texts, sparse or dense, and what they cost."""
        arrays = {"dense": features}
        if not isinstance(features, np.ndarray):
            rows = canonical_csr(features)
            arrays = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}
        with self._file("blocks", f"{name}.npz", binary=True) as file:
            np.savez(file, seconds=np.array(seconds), **arrays)

    def block(self, name: str) -> tuple[Csr, float] | None:
        """Return the features of a task's texts as sparse rows, and the seconds they took, if they are there."""
        path = self.folder / "blocks" / f"{name}.npz"
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as kept:
            seconds = float(kept["seconds"])
            if "dense" in kept:
                return canonical_csr(kept["dense"]), seconds
            shape = (int(kept["shape"][0]), int(kept["shape"][1]))
            return from_arrays(kept["data"], kept["indices"], kept["indptr"], shape), seconds

    # ------------------------------------------------------------------------------------------------- words

    def words(self, corpus_name: str, *, pieces: bool = False) -> NoExpansion:
        """Return the words of a kept corpus, and the pieces of its texts, and how rare they are."""
        name = f"{corpus_name}-pieces-and-runs.npz" if pieces else f"{corpus_name}.npz"
        path, vectorizer = self.folder / "words" / name, TextVectorizer(min_df=2, pieces=pieces)
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                return NoExpansion.known(kept["names"].tolist(), kept["holding"], int(kept["n_texts"]), vectorizer)
        fitted = NoExpansion(vectorizer).fit(self.corpus(corpus_name).texts)
        with self._file("words", name, binary=True) as file:
            np.savez(
                file, names=np.array(fitted.feature_names_.tolist()), holding=fitted.holding_,
                n_texts=np.array(fitted.n_texts_),
            )  # fmt: skip
        return fitted

    def _file(self, folder: str, name: str, *, binary: bool = False) -> Any:
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        return whole_file(self.folder / folder / name, binary=binary)
