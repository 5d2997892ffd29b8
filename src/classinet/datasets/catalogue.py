"""What is known of each data set: its splits, where it is published, and how its files become rows.

The checksums are those that the `datasets` library of Hugging Face recorded (``dataset_infos.json`` of ``imdb``,
``sst``, ``trec`` and ``rotten_tomatoes``; the last for the copy that is our second address of ``mr``, and asked of the
first as well). For ``cr`` and ``subj`` we found no published checksum; they are not downloaded, but their archives are
converted when the user has put them in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from classinet.datasets import formats
from classinet.datasets.download import Remote


@dataclass(frozen=True)
class Entry:
    """One data set.

    Attributes
    ----------
    description : str
        One line on what it holds.
    source : str
        Who made it, and where it is published.
    rows : mapping of str to int
        The number of texts of each labelled split, in order.
    unlabeled : mapping of str to int
        The same for splits without labels.
    folds : int or None
        Cross-validation folds of the paper's protocol; None where the split is given.
    files : tuple of Remote
        The published files; empty if they cannot be converted.
    convert : callable or None
        Turns those files into rows by split.
    compressed : bool
        Whether converted files are gzipped.

    Examples
    --------
    >>> CATALOGUE["mr"].folds
    5
    """

    description: str
    source: str
    rows: Mapping[str, int]
    unlabeled: Mapping[str, int] = field(default_factory=dict)
    folds: int | None = None
    files: tuple[Remote, ...] = ()
    convert: formats.Converter | None = None
    compressed: bool = False


CATALOGUE: dict[str, Entry] = {
    "tr": Entry(
        description="sentences of film reviews, positive or negative (the treebank's binary task)",
        source="Socher et al. 2013, Stanford Sentiment Treebank, https://nlp.stanford.edu/sentiment/",
        rows={"train": 6920, "dev": 872, "test": 1821},
        files=(
            Remote(
                "trainDevTestTrees_PTB.zip",
                ("https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",),
                "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
                789_539,
            ),
        ),
        convert=formats.convert_treebank,
    ),
    "mr": Entry(
        description="sentences of film reviews, positive or negative",
        source="Pang and Lee 2005, https://www.cs.cornell.edu/people/pabo/movie-review-data/",
        rows={"all": 10662},
        folds=5,
        files=(
            Remote(
                "rt-polaritydata.tar.gz",
                (
                    "https://www.cs.cornell.edu/people/pabo/movie-review-data/rt-polaritydata.tar.gz",
                    "https://storage.googleapis.com/seldon-datasets/sentence_polarity_v1/rt-polaritydata.tar.gz",
                ),
                "a05befe52aafda71d458d188a1c54506a998b1308613ba76bbda2e5029409ce9",
                487_770,
            ),
        ),
        convert=formats.convert_polarity,
    ),
    "cr": Entry(
        description="sentences of customer reviews of electronics, positive or negative",
        source="Hu and Liu 2004, as tokenised for Wang and Manning 2012",
        rows={"all": 3771},
        folds=5,
        files=(
            Remote(
                "datasmall_NB_ACL12.zip",
                ("https://dl.fbaipublicfiles.com/senteval/senteval_data/datasmall_NB_ACL12.zip",),
            ),
        ),
        convert=formats.convert_customer,
    ),
    "subj": Entry(
        description="sentences on films: a critic's opinion (subjective) or a part of the plot (objective)",
        source="Pang and Lee 2004, https://www.cs.cornell.edu/people/pabo/movie-review-data/",
        rows={"all": 10000},
        folds=5,
        files=(
            Remote(
                "rotten_imdb.tar.gz",
                ("https://www.cs.cornell.edu/people/pabo/movie-review-data/rotten_imdb.tar.gz",),
            ),
        ),
        convert=formats.convert_subjectivity,
    ),
    "trec": Entry(
        description="questions by the type of their answer (six types)",
        source="Li and Roth 2002, https://cogcomp.seas.upenn.edu/Data/QA/QC/",
        rows={"train": 5452, "test": 500},
        files=(
            Remote(
                "train_5500.label",
                ("https://cogcomp.seas.upenn.edu/Data/QA/QC/train_5500.label",),
                "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
                335_858,
            ),
            Remote(
                "TREC_10.label",
                ("https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label",),
                "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
                23_354,
            ),
        ),
        convert=formats.convert_questions,
    ),
    "imdb": Entry(
        description="whole film reviews, positive or negative, and as many without label",
        source="Maas et al. 2011, https://ai.stanford.edu/~amaas/data/sentiment/",
        rows={"train": 25000, "test": 25000},
        unlabeled={"unsup": 50000},
        files=(
            Remote(
                "aclImdb_v1.tar.gz",
                ("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
                "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
                84_125_825,
            ),
        ),
        convert=formats.convert_reviews,
        compressed=True,
    ),
    "reddit20": Entry(
        description="titles of posts by topic (20 topics)",
        source="umbrae/reddit-top-2.5-million, PDDL; own 80/20 split",
        rows={"train": 15957, "test": 3990},
    ),
    "banking77": Entry(
        description="questions to a bank by intent (77 intents)",
        source="Casanueva et al. 2020, PolyAI task-specific-datasets, CC-BY-4.0",
        rows={"train": 10003, "test": 3080},
    ),
    "sms_spam": Entry(
        description="text messages, spam or not",
        source="SMS Spam Collection, de-duplicated; own split",
        rows={"train": 4105, "test": 1026},
    ),
    "germeval2018_de": Entry(
        description="German tweets, offensive or other",
        source="GermEval 2018, CC-BY-4.0",
        rows={"train": 5009, "test": 3532},
    ),
}
