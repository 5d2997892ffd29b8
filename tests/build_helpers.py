"""A small build for tests to interrupt; as a program: python build_helpers.py DIRECTORY KILL_AT THREADS."""

import hashlib
import os
import signal
import sys
from contextlib import contextmanager

import numpy as np

from classinet import ClassiNet
from classinet.build import build_text, codec, corpus, journal
from classinet.engine import ThreadEngine
from classinet.text import TextVectorizer

WORDS = [
    "film actor plot scene music camera",
    "stocks bank market fell rose shares",
    "match goal team coach season cup",
]


def made_up_texts(count=900, n_rare=97):
    """Texts of one topic each, with a few fillers and a rare word."""
    rng = np.random.default_rng(0)
    texts = []
    for number in range(count):
        words = rng.choice(WORDS[rng.integers(3)].split(), rng.integers(2, 5), replace=False)
        texts.append(" ".join([*words, *rng.choice(["the", "a", "of", "and"], 2), f"rare{number % n_rare}"]))
    return texts


def small_files():
    """Make blocks and groups so small that even a short build leaves many files."""
    corpus.BLOCK_TEXTS = 150
    journal.GROUP_SECONDS = 0.0


def build(directory=None, *, texts=None, resume=False, n_threads=1, model=None):
    model = ClassiNet() if model is None else model
    with ThreadEngine(n_threads) as engine:
        return build_text(
            made_up_texts() if texts is None else texts,
            vectorizer=TextVectorizer(),
            fit=lambda corpus, engine: model.fit(corpus, engine=engine).net_,
            settings={"model": model},
            directory=directory,
            resume=resume,
            engine=engine,
        )


def hash_of_net(net):
    """Hash every array that a net is made of."""
    digest = hashlib.sha256()

    def take(value):
        if isinstance(value, np.ndarray) and value.dtype != object:
            digest.update(f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
        elif isinstance(value, (list, tuple)):
            for item in value:
                take(item)
        elif hasattr(value, "indptr"):
            take([value.indptr, value.indices, value.data])
        elif isinstance(value, dict):
            take(list(value.values()))
        else:
            digest.update(repr(value).encode())

    graph, labels = net.graph, net.labels
    fitted = {name: value for name, value in sorted(vars(net.predictor).items()) if name.endswith("_")}
    take([graph.weights, graph.association, graph.counts, list(graph.names), net.columns, net.frequency, net.neighbors])
    take([labels.bits, labels.present, labels.thresholds, labels.auc, labels.f1, dict(net.left_out), fitted])
    return digest.hexdigest()


@contextmanager
def death_while_writing(file_number):
    """Kill this process, as kill -9 does, in the middle of a file."""
    whole_file, written = codec.whole_file, [0]

    @contextmanager
    def deadly(path, *, binary=False):
        with whole_file(path, binary=binary) as file:
            written[0] += 1
            if written[0] == file_number:
                file.write(b"half a file" if binary else "half a file")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            yield file

    codec.whole_file = deadly
    yield
    codec.whole_file = whole_file


if __name__ == "__main__":
    small_files()
    with death_while_writing(int(sys.argv[2])):
        build(sys.argv[1], resume=True, n_threads=int(sys.argv[3]))
