"""The paper's numbers as data: accuracy in percent, as printed, of each method on each task.

Methods and tasks go by the keys that cells use. `elsewhere` marks models that did not learn from the corpus of the
others: the paper took Skip-thought, Paragraph2Vec and FastSent from earlier publications, which used many books, and
does not say what SDAE and CNN learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedTable:
    """One of the paper's two tables of accuracies.

    Attributes
    ----------
    name : for files and links.
    title : its subject.
    tasks : its columns.
    methods : its rows.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Published:
    """One printed accuracy.

    Attributes
    ----------
    printed : percent, with the digits the paper prints.
    star : whether the paper marks it as significantly better than the second best.
    elsewhere : whether the model learnt from another corpus than the paper's, or from one it does not name.
    """

    printed: str
    star: bool = False
    elsewhere: bool = False

    @property
    def accuracy(self) -> float:
        """As a share.

        >>> Published("78.30").accuracy
        0.7829999999999999
        """
        return float(self.printed) / 100


LOCAL = ("independent", "local-path", "all-neighbor", "mutual-neighbor")
TABLE_1 = PublishedTable(
    "binary",
    "Binary classification",
    ("tr", "mr", "cr", "subj"),
    ("none", *LOCAL, "wordnet", "scl", "fts", "cbow", "global"),
)
TABLE_2 = PublishedTable(
    "sentence-embeddings",
    "Sentence embeddings",
    ("mr", "cr", "subj", "trec"),
    ("skip-thought", "paragraph2vec", "fastsent", "sdae", "cnn", "global"),
)
TITLES = {
    "none": "No expansion",
    "independent": "Independent",
    "local-path": "Local path",
    "all-neighbor": "All neighbour",
    "mutual-neighbor": "Mutual neighbour",
    "wordnet": "WordNet",
    "scl": "SCL",
    "fts": "FTS",
    "cbow": "CBOW",
    "global": "Global",
    "skip-thought": "Skip-thought",
    "paragraph2vec": "Paragraph2Vec",
    "fastsent": "FastSent",
    "sdae": "SDAE",
    "cnn": "CNN",
}
_TASKS = ("tr", "mr", "cr", "subj", "trec")
_PRINTED = {
    "none": "76.31 73.35 81.54 88.95 -",
    "independent": "75.32 74.11 78.19 87.15 -",
    "local-path": "76.97 73.73 81.87 88.05 -",
    "all-neighbor": "77.36 72.93 82.55 88.75 -",
    "mutual-neighbor": "77.13 74.15 80.87 88.95 -",
    "wordnet": "76.58 66.09 79.86 77.95 -",
    "scl": "78.02 74.44 81.20 89.25 -",
    "fts": "76.47 66.83 62.41 50.15 -",
    "cbow": "77.52 73.31 79.87 88.88 -",
    "global": "78.30 81.20* 83.89* 89.70 88.3",
    "skip-thought": "- 76.5 80.1 93.6* 92.2",
    "paragraph2vec": "- 74.8 78.1 90.5 59.4",
    "fastsent": "- 70.8 78.4 88.7 76.8",
    "sdae": "- 74.6 78.0 90.8 77.6",
    "cnn": "- 76.1 79.8 89.6 83.4",
}
_ELSEWHERE = frozenset({"skip-thought", "paragraph2vec", "fastsent", "sdae", "cnn"})

PUBLISHED: dict[tuple[str, str], Published] = {
    (method, task): Published(value.rstrip("*"), value.endswith("*"), method in _ELSEWHERE)
    for method, row in _PRINTED.items()
    for task, value in zip(_TASKS, row.split(), strict=True)
    if value != "-"
}


def published(method: str, task: str) -> Published | None:
    """Return what the paper prints for a method on a task, or None.

    >>> published("global", "mr")
    Published(printed='81.20', star=True, elsewhere=False)
    >>> published("cnn", "tr") is None
    True
    """
    return PUBLISHED.get((method, task))
