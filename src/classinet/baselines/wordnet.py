"""X S, where S is 1 for a feature and each word of its synsets: synonyms from a thesaurus, all equally relevant (§6.1).

Enter: texts or counts. Leaves: texts × lemmas, for each lemma the sum of the values of the features that bring it.
Nothing is learnt from the texts but which features there are.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from classinet._sparse import canonical_csr, from_arrays
from classinet._typing import Csr
from classinet.baselines.base import BagBaseline
from classinet.baselines.wndb import WordNetFiles, read_wndb
from classinet.text import TextVectorizer


class WordNet(BagBaseline):
    """Expand every feature by all words of all WordNet synsets it is in.

    A feature is looked up as it is and by its base forms, as WordNet's own tools do: first in the lists of irregular
    forms ("geese" → "goose"), else by its ending ("films" → "film"). All parts of speech and all senses count, because
    nothing tells which one is meant; that is this rival's weakness. Synsets list the word itself, so it is among its
    own synonyms: "film" and "movie" bring the same words, and texts that hold the one or the other come to meet.

    The columns are all lemmas that some feature of the fitted vocabulary brings, whether or not the corpus holds
    them: two texts may meet in a synonym that neither spells out. Lemmas of several words ("motion picture") are
    columns only where the vocabulary holds that n-gram.

    Parameters
    ----------
    folder : where WordNet's index.*, data.* and *.exc files are; None: what the environment variable
        CLASSINET_WORDNET names, else /usr/share/wordnet.
    vectorizer : how texts become counts; None: words that occur in two texts.

    Attributes
    ----------
    synonyms_ : features × lemmas, 1 where a feature brings a lemma.
    lemmas_ : the columns of `transform`, by name.

    Examples
    --------
    A thesaurus of one synset, written by hand:

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> for part in ("noun", "verb", "adj", "adv"):
    ...     for name in (f"data.{part}", f"index.{part}", f"{part}.exc"):
    ...         (folder / name).touch()
    >>> _ = (folder / "data.noun").write_text("00000007 10 n 02 film 0 movie 0 000 | what is shown")
    >>> _ = (folder / "index.noun").write_text("film n 1 0 1 0 00000007")
    >>> rival = WordNet(folder).fit(["two films", "films"])
    >>> rival.get_feature_names_out(), rival.transform(["films, films!", "none"]).toarray()
    (array(['film', 'movie'], dtype=object), array([[2., 2.], [0., 0.]]))
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, vectorizer: TextVectorizer | None = None) -> None:
        self.folder = folder
        self.vectorizer = vectorizer

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the lemmas in the order of the columns."""
        check_is_fitted(self)
        return self.lemmas_

    def _fit(self, counts: Csr) -> None:
        brought = _synonyms(read_wndb(self.folder), self.feature_names_)
        self.lemmas_ = np.array(sorted({lemma for lemmas in brought for lemma in lemmas}), dtype=object)
        place = {lemma: column for column, lemma in enumerate(self.lemmas_)}
        columns = [sorted(place[lemma] for lemma in lemmas) for lemmas in brought]
        indptr = np.concatenate(([0], np.cumsum([len(row) for row in columns], dtype=np.int64)))
        indices = np.array([column for row in columns for column in row], dtype=np.int32)
        self.synonyms_ = from_arrays(np.ones(len(indices)), indices, indptr, (len(brought), len(place)))

    def _transform(self, counts: Csr) -> Csr:
        return canonical_csr(counts @ self.synonyms_)


def _synonyms(thesaurus: WordNetFiles, features: NDArray[np.object_]) -> list[list[str]]:
    """For each feature the lemmas it brings; those of several words only where they are features themselves."""
    lowered = [str(feature).lower() for feature in features]
    known = set(lowered)
    brought = []
    for form in lowered:
        lemmas = [lemma.replace("_", " ") for lemma in thesaurus.synonyms(form.replace(" ", "_"))]
        brought.append([lemma for lemma in lemmas if " " not in lemma or lemma in known])
    return brought
