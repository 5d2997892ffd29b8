"""Unlabeled text for the benchmark: sentences of film reviews, titles of posts, or a task's own texts.

Enter: the name of a corpus. Leave: texts, and which document each is from. Reviews are split into sentences; text
without known order (titles, a task's own texts) has one document a text.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from classinet._typing import Integers
from classinet.datasets import DatasetError, load
from classinet.datasets.registry import DATA_VARIABLE, cache_folder
from classinet.text import split_sentences

OWN = "own"
AND_OWN = "+own"  # text from elsewhere, as "imdb", and the task's own
ANY = "any"  # of methods that learn from no unlabeled text: they stand beside those of every corpus
REDDIT_FILE = "reddit_titles.txt.gz"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Unlabeled texts.

    Attributes
    ----------
    key : name, as "imdb", or "own-subj".
    texts : the texts, without line breaks.
    documents : number of the document each text is from; texts of one document follow each other.
    """

    key: str
    texts: list[str] = field(repr=False)
    documents: Integers = field(repr=False)

    @property
    def ordered(self) -> bool:
        """Whether it is known of some texts which follows which."""
        return len(np.unique(self.documents)) < len(self.documents)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of texts and documents."""
        digest = hashlib.sha256("\n".join(self.texts).encode())
        digest.update(np.ascontiguousarray(self.documents).tobytes())
        return digest.hexdigest()[:16]


def separate(key: str, texts: Iterable[str]) -> Corpus:
    r"""Return texts that have nothing to do with each other as a corpus.

    >>> separate("two", ["a\nb", "c"]).texts
    ['a b', 'c']
    """
    lines = [" ".join(text.split()) for text in texts]
    return Corpus(key, lines, np.arange(len(lines)))


def of_documents(key: str, documents: Iterable[str]) -> Corpus:
    """Return the sentences of documents as a corpus.

    >>> corpus = of_documents("two", ["One. Two.", "Three."])
    >>> corpus.texts, corpus.documents.tolist()
    (['One.', 'Two.', 'Three.'], [0, 0, 1])
    """
    texts: list[str] = []
    numbers: list[int] = []
    for number, document in enumerate(documents):
        sentences = [" ".join(sentence.split()) for sentence in split_sentences(document)]
        texts += sentences
        numbers += [number] * len(sentences)
    return Corpus(key, texts, np.array(numbers, dtype=np.int64))


def joined(key: str, first: Corpus, second: Corpus) -> Corpus:
    """Return the texts of two corpora as one.

    >>> both = joined("both", of_documents("one", ["One. Two."]), separate("two", ["Three", "Four"]))
    >>> both.texts, both.documents.tolist()
    (['One.', 'Two.', 'Three', 'Four'], [0, 0, 1, 2])
    """
    behind = 1 + int(first.documents.max(initial=-1))
    return Corpus(key, [*first.texts, *second.texts], np.concatenate([first.documents, behind + second.documents]))


def _imdb() -> Corpus:
    return of_documents("imdb", load("imdb", split="train").texts)


def _all_imdb() -> Corpus:
    parts = [load("imdb", split=split).texts for split in ("train", "test", "unsup")]
    return of_documents("imdb-all", [text for part in parts for text in part])


def _reddit() -> Corpus:
    given = os.environ.get(DATA_VARIABLE)
    places = ([Path(given).expanduser()] if given else []) + [cache_folder()]
    looked = [place / below / REDDIT_FILE for place in places for below in ("", "extra")]
    found = next((path for path in looked if path.is_file()), None)
    if found is None:
        raise DatasetError(
            f"the unlabeled titles were not found: looked for {', '.join(map(str, looked))}; put one title a line into "
            f"{REDDIT_FILE}, and set {DATA_VARIABLE} to its folder"
        )
    with gzip.open(found, "rt", encoding="utf-8") as lines:
        return separate("reddit", (line for line in lines if line.strip()))


CORPORA: dict[str, Callable[[], Corpus]] = {"imdb": _imdb, "imdb-all": _all_imdb, "reddit": _reddit}
CORPUS_TITLES = {
    "imdb": "sentences of 25,000 IMDB reviews",
    "imdb-all": "sentences of all 100,000 IMDB reviews",
    "reddit": "250,000 Reddit titles",
    OWN: "the set's own training texts, labels hidden",
    ANY: "none",
    "docstrings": "4,000 docstring sentences",
}
CORPUS_TITLES |= {f"{key}{AND_OWN}": f"{CORPUS_TITLES[key]}, and the set's own training texts" for key in CORPORA}
