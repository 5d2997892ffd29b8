"""Time to judge one text with a model that was saved and loaded, beside scikit-learn's tf-idf + logistic regression.

Set CLASSINET_DATA to the folder of data sets; the net is built from 76,000 titles by the default recipe.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import sys
import tempfile
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import classinet
from classinet.exceptions import UnknownTextWarning
from classinet.text import read_records

RESULTS = Path(__file__).parent / "results" / "predict.json"
UNLABELED, LABELLED, JUDGED = 60_000, 400, 2_000
TARGETS = {"p50_ms": 1.0, "p99_ms": 5.0}


def milliseconds(predict, texts):
    predict(texts[:1])  # compilation is not part of a prediction
    times = []
    for text in texts:
        start = time.perf_counter()
        predict([text])
        times.append(1e3 * (time.perf_counter() - start))
    return {"p50_ms": float(np.percentile(times, 50)), "p99_ms": float(np.percentile(times, 99))}


def main() -> None:
    folder = os.environ.get("CLASSINET_DATA")
    if not folder:
        sys.exit("set CLASSINET_DATA to the folder of data sets (extra/reddit20 and extra/reddit_titles.txt.gz)")
    warnings.simplefilter("ignore", UnknownTextWarning)  # some titles hold no known word; they are judged all the same
    records = list(read_records(Path(folder) / "extra" / "reddit20" / "train.tsv"))
    with gzip.open(Path(folder) / "extra" / "reddit_titles.txt.gz", "rt", encoding="utf-8") as file:
        titles = [line.rstrip("\n") for _, line in zip(range(UNLABELED), file, strict=False)]
    net = classinet.TextNet().fit([record.text for record in records] + titles)
    order = np.random.default_rng(0).permutation(len(records))
    drawn = [records[i] for i in order[:LABELLED]]
    texts, labels = [record.text for record in drawn], [record.labels[0] for record in drawn]
    judged = [records[i].text for i in order[LABELLED : LABELLED + JUDGED]]
    clf = classinet.ClassiNetClassifier(net).fit(texts, labels)
    with tempfile.TemporaryDirectory() as place:
        path = classinet.save(clf, Path(place) / "model")
        start = time.perf_counter()
        loaded = classinet.load(path)
        load_seconds = time.perf_counter() - start
        ours = milliseconds(loaded.predict, judged)
    rival = milliseconds(make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels).predict, judged)
    result = {
        "vertices": net.net_.n_vertices,
        "edges": net.net_.graph.n_edges,
        "load_seconds": load_seconds,
        "classinet": ours,
        "tf-idf + logistic regression": rival,
        "targets": TARGETS,
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: version(name) for name in ("classinets", "numpy", "scipy", "scikit-learn", "numba")},
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{net.net_!r}, loaded in {load_seconds:.2f} s; one text at a time, {JUDGED:,} texts")
    for name in ("classinet", "tf-idf + logistic regression"):
        print(f"{name:>30}: p50 {result[name]['p50_ms']:.2f} ms, p99 {result[name]['p99_ms']:.2f} ms")
    for name, target in TARGETS.items():
        print(f"{name} ≤ {target:g}: {'met' if ours[name] <= target else 'missed'}")


if __name__ == "__main__":
    main()
