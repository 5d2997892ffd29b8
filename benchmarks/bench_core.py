"""`make bench`: how fast the core is, as ratios against rivals in the same run.

Enter: the sentences of `imdb/train.tsv.gz` and SUBJ, found through CLASSINET_DATA. Leave: a table on standard output
and a JSON file with versions, seconds and ratios. Every heavy measurement runs in a process of its own, so that peak
memory is that measurement's alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import subprocess
import sys
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np

N_VERTICES = 20_000


def sentences(data: Path) -> list[str]:
    out: list[str] = []
    with gzip.open(data / "imdb" / "train.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            review = line.rstrip("\n").split("\t", 1)[1].replace("<br />", " ")
            out += [part for part in re.split(r"(?<=[.!?])\s+", review) if part.strip()]
    return out


def corpus(data: Path):
    """Sentences as counts of the most frequent words; vectorising is not part of what is timed."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(max_features=N_VERTICES)
    return vectorizer.fit_transform(sentences(data)), vectorizer.get_feature_names_out()


def warm_up() -> None:
    """Load the compiled kernels from the cache before the clock starts, as a second run of a user's program would."""
    from scipy import sparse

    tiny = sparse.random(60, 12, 0.4, format="csr", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NETS:
            make_net(name).fit(tiny).transform(tiny)


def make_net(name: str):
    from classinet import ClassiNet
    from classinet.labels import QuantileLabels
    from classinet.neighbors import ExactNeighbors
    from classinet.predictors import Logistic, Ridge

    return {
        "paper recipe": lambda: ClassiNet.paper(N_VERTICES),
        "paper recipe, fixed strength": lambda: ClassiNet.paper(N_VERTICES, predictor=Logistic(strength=0.1)),
        "default recipe": lambda: ClassiNet(),
        "ridge": lambda: ClassiNet(
            N_VERTICES, predictor=Ridge(), labels=QuantileLabels(max_rows=8192), neighbors=ExactNeighbors(k=10)
        ),
    }[name]()


NETS = ("default recipe", "paper recipe, fixed strength", "paper recipe", "ridge")


def build(data: Path, name: str) -> dict:
    X, names = corpus(data)
    warm_up()
    stages: dict[str, float] = {}
    last = [time.perf_counter()]

    def progress(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        key = stage.split(",")[0]
        stages[key] = stages.get(key, 0.0) + now - last[0]
        last[0] = now

    start = last[0] = time.perf_counter()
    model = make_net(name).fit(X, feature_names=names, progress=progress)
    seconds = time.perf_counter() - start
    net = model.net_
    return {
        "seconds": seconds,
        "stages": {k: round(v, 2) for k, v in stages.items()},
        "vertices": net.n_vertices,
        "rank, passes": (getattr(net.predictor, "rank_", None), getattr(net.predictor, "passes_", None)),
        "edges": net.graph.n_edges,
        "left_out": len(net.left_out),
        "mean_auc": float(np.nanmean(net.labels.auc)),
    }


def cbow(data: Path) -> dict:
    from gensim.models import Word2Vec
    from sklearn.feature_extraction.text import CountVectorizer

    analyze = CountVectorizer().build_analyzer()
    tokens = [analyze(text) for text in sentences(data)]
    start = time.perf_counter()
    Word2Vec(tokens, vector_size=300, epochs=5, workers=2, sg=0, min_count=1, max_final_vocab=N_VERTICES, seed=0)
    return {"seconds": time.perf_counter() - start}


def liblinear(data: Path) -> dict:
    """One thread each, the same rows and strength, held-out AUC on rows that trained neither.

    liblinear penalises the intercept; a large `intercept_scaling` takes that back. Without it the weights carry the
    base rate, scores follow the length of a text, and the AUC falls.
    """
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    from classinet import _kernels
    from classinet._sparse import canonical_csr, take_rows
    from classinet.predictors import Logistic, Setup
    from classinet.predictors.sampled import Sample, Sampling

    X, names = corpus(data)
    warm_up()
    matrix = canonical_csr(X)
    held, training = X[:20_000] > 0, take_rows(matrix, np.arange(20_000, X.shape[0]))
    sample = Sample(Logistic()._prepare(training, training, None, Setup(names=names.astype(object))), Sampling())
    seconds, aucs = [], []
    for vertex in np.random.default_rng(0).choice(N_VERTICES, 300, replace=False):
        M, features, y = sample.local(vertex)
        truth = held[:, vertex].toarray().ravel()
        if y.sum() < 5 or not truth.any():
            continue
        rows = sparse.csr_matrix(
            (M.data.astype(np.float64), M.indices.copy(), M.indptr.astype(np.int32)), shape=M.shape
        )
        rows.sort_indices()
        W = np.zeros((len(features) + 1, 1))
        rival = LogisticRegression(C=0.1, solver="liblinear", intercept_scaling=100.0)

        def ours(M=M, y=y, W=W) -> None:
            W[:] = 0.0
            folds, lanes = np.zeros(len(y), dtype=np.int32), np.full(1, -1, dtype=np.int32)
            _kernels.logistic.solve(M.indptr, M.indices, M.data, int(y.sum()), folds, np.array([0.1]), lanes, 5e-4, W)

        def theirs(rows=rows, y=y, rival=rival) -> None:
            rival.fit(rows, y)

        seconds.append((best_of(ours, 2), best_of(theirs, 2)))
        text = (held[:, features]).astype(float)
        aucs.append([roc_auc_score(truth, text @ w) for w in (W[:-1, 0], rival.coef_[0])])
    spent = np.array(seconds)
    return {
        "predictors": len(spent),
        "ms, ours": 1e3 * spent[:, 0].mean(),
        "ms, liblinear": 1e3 * spent[:, 1].mean(),
        "median ratio": float(np.median(spent[:, 1] / spent[:, 0])),
        "ratio of sums": float(spent[:, 1].sum() / spent[:, 0].sum()),
        "auc": float(np.mean(aucs, axis=0)[0]),
        "rival_auc": float(np.mean(aucs, axis=0)[1]),
    }


def expand(data: Path) -> dict:
    from sklearn.feature_extraction.text import TfidfVectorizer

    from classinet import ClassiNet, Expander
    from classinet.expansion import Global
    from classinet.neighbors import VectorNeighbors

    X, names = corpus(data)
    lines = (data / "subj" / "all.tsv").read_text(encoding="utf-8").splitlines()
    texts = [line.split("\t", 1)[1] for line in lines]
    vectorizer = TfidfVectorizer(vocabulary={name: i for i, name in enumerate(names)}).fit(texts)
    wide = ClassiNet().fit(X, feature_names=names)
    narrow = ClassiNet(N_VERTICES, neighbors=VectorNeighbors(k=10)).fit(X, feature_names=names)
    Y = vectorizer.transform(texts)
    settings = {
        "k=10, two hops": Expander(narrow, Global(hops=2)).fit(Y),
        "default": Expander(wide).fit(Y),
    }
    out = {"tfidf": best_of(lambda: vectorizer.transform(texts))}
    for name, expander in settings.items():
        expander.transform(Y[:100])
        out[name] = best_of(lambda expander=expander: expander.transform(Y))
    return out


def imports(data: Path) -> dict:
    def seconds(module: str) -> float:
        return best_of(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True), repeats=7)

    seconds("sklearn")
    return {"sklearn": seconds("sklearn"), "classinet": seconds("classinet.model, classinet.pipeline")}


def best_of(action, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


TASKS = {
    "cbow": cbow,
    "liblinear": liblinear,
    "expand": expand,
    "imports": imports,
    **{name: (lambda data, name=name: build(data, name)) for name in NETS},
}


def run(task: str, data: Path) -> dict:
    """Run one measurement in a fresh process; return what it printed."""
    done = subprocess.run(
        [sys.executable, __file__, "--task", task, "--data", str(data)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def rows(results: dict) -> list[tuple[str, float, float, bool]]:
    """(what, ratio, target, whether below is good)."""
    base = results["cbow"]["seconds"]
    limits = {"paper recipe": 5, "paper recipe, fixed strength": 2, "default recipe": 2, "ridge": 3}
    table = [(f"{name} / gensim CBOW", results[name]["seconds"] / base, limit, True) for name, limit in limits.items()]
    pair = results["liblinear"]
    table.append(("liblinear / our logistic, median predictor", pair["median ratio"], 5, False))
    table.append(("liblinear / our logistic, sum over predictors", pair["ratio of sums"], 5, False))
    table.append(("held-out AUC: ours − liblinear", pair["auc"] - pair["rival_auc"], -0.005, False))
    spent = results["expand"]
    table.append(("expand SUBJ, k=10 two hops / tf-idf", spent["k=10, two hops"] / spent["tfidf"], 3, True))
    table.append(("expand SUBJ, default / tf-idf", spent["default"] / spent["tfidf"], 6, True))
    table.append(
        (
            "import classinet / import sklearn",
            results["imports"]["classinet"] / results["imports"]["sklearn"],
            1.3,
            True,
        )
    )
    peak = max(results[name]["peak_gb"] for name in NETS)
    table.append(("peak memory of a build, GB", peak, 4, True))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLASSINET_DATA"))
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/core.json"))
    parser.add_argument("--only", nargs="*", choices=list(TASKS), help="measure only these and print them")
    parser.add_argument("--task", choices=list(TASKS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.data is None or not (arguments.data / "imdb" / "train.tsv.gz").exists():
        parser.error("set CLASSINET_DATA (or --data) to the folder that holds imdb/train.tsv.gz and subj/all.tsv")
    if arguments.task:
        result = TASKS[arguments.task](arguments.data)
        from classinet.bench.memory import resident_peak

        result["peak_gb"] = resident_peak() / 1e9
        print(json.dumps(result))
        return
    results = {}
    for task in arguments.only or TASKS:
        results[task] = run(task, arguments.data)
        print(f"{task}: {json.dumps(results[task])}", file=sys.stderr, flush=True)
    if arguments.only:
        return
    import numba
    import scipy
    import sklearn

    import classinet

    table = rows(results)
    print(f"{'what':<48}{'measured':>10}{'target':>10}")
    for what, value, target, below in table:
        met = value <= target if below else value >= target
        print(
            f"{what:<48}{value:>10.3f}{('≤' if below else '≥') + format(target, 'g'):>10}  {'met' if met else 'MISSED'}"
        )
    versions = {m.__name__: m.__version__ for m in (classinet, np, scipy, sklearn, numba)}
    record = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "versions": versions,
        "results": results,
        "table": [{"what": w, "measured": v, "target": t, "below_is_good": b} for w, v, t, b in table],
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
