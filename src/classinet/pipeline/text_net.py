"""`TextNet`: unlabeled texts in, a net out, built once and shared by any number of classifiers.

Enter: texts, or documents to be split into sentences. Leave: the vectorizer that reads texts as the net does, and the
net. What a fit does is in `classinet.build`, in memory or in a directory of finished batches that can be resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from classinet._sparse import canonical_csr, column_counts, take_columns
from classinet._typing import Csr, Progress
from classinet._validation import check_choice, check_number
from classinet.build import (
    Corpus,
    build_text,
    check_recipe,
    check_updatable,
    count_all,
    merge_nets,
    restricted,
    update_net,
)
from classinet.engine import Engine, ThreadEngine
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import Expansion, Global
from classinet.explain import ExpandedText
from classinet.graph import Edge, Path
from classinet.merging import append, expand_rows, like_input, merged_names
from classinet.model import ClassiNet, seed_of
from classinet.net import Net
from classinet.overlaps import overlapping_names
from classinet.pipeline.editing import Editable
from classinet.pipeline.examples import ExampleCollector
from classinet.pipeline.explaining import expand_text
from classinet.pipeline.representation import Representation
from classinet.pipeline.sample import draw_sample, joined_samples
from classinet.text import TextFiles, TextVectorizer


class TextNet(Editable, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn from unlabeled texts which words imply which.

    Parameters
    ----------
    vectorizer : how texts become features; None is words that occur in two texts or more and, where the model gives
        edges to features that are no vertices (the default does), pieces of texts: `TextVectorizer(min_df=2,
        pieces=True)`. Pieces, such as "how many", lead to words; no piece is a vertex.
    model : how the net is built; None is `ClassiNet()`.
    split : "sentences" takes every text for a document and learns from its sentences; None takes texts as they are.
    context : what counts as occurring with a text when predictors are trained: None, its own features; "document",
        also those of all texts of its document; a number, also those of so many neighbours on each side.
    examples : how many example texts to keep for each vertex. They are saved with the net, so keep none (0) where
        texts are private.
    updatable : keep how often words were met with each other, so that texts can be added later (`updated`).
    sample : how many texts to keep, as counts of their features: classifiers of few labels learn from them too. They
        are saved with the net, not with classifiers; keep none (0) where texts are private.

    Attributes
    ----------
    net_ : the fitted `Net`.
    vectorizer_ : the fitted vectorizer.
    n_texts_ : number of texts, or sentences, it was built from.
    fingerprint_ : a hash of these texts.
    examples_ : example texts of each vertex, or None.
    sample_ : some of the texts (texts × features of the net), or None.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> net = TextNet().fit(made_up_sentences())
    >>> net.neighbors("storm", top=1)[0].target
    'thunder'
    >>> [feature.name for feature in net.expand("storm clouds ahead", top=2).predicted]
    ['cold', 'sun']
    """

    def __init__(
        self,
        vectorizer: TextVectorizer | None = None,
        model: ClassiNet | None = None,
        split: str | None = None,
        context: str | int | None = None,
        examples: int = 0,
        updatable: bool = False,
        sample: int = 10_000,
    ) -> None:
        self.vectorizer = vectorizer
        self.model = model
        self.split = split
        self.context = context
        self.examples = examples
        self.updatable = updatable
        self.sample = sample

    def fit(
        self,
        texts: Iterable[str],
        y: Any = None,
        *,
        documents: Sequence[Any] | None = None,
        directory: str | PathLike[str] | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        engine: Engine | None = None,
    ) -> Self:
        """Build the net.

        Parameters
        ----------
        texts : unlabeled texts; any iterable, read once. `classinet.text.TextFiles` can be read by the workers of a
            cluster.
        y : labels, for a vertex rule that asks for them; otherwise ignored.
        documents : for `context`, an id of the document of each text; texts of one document follow each other.
        directory : where finished batches are kept, so that an interrupted build can be resumed and a corpus larger
            than memory streams from disk; None builds in memory.
        resume : continue what an interrupted build left in the directory.
        progress : called as progress(stage, done, total).
        engine : where batches run, such as a `DaskEngine`; None is threads on this machine.
        """
        check_number("examples", self.examples, low=0, whole=True)
        check_number("sample", self.sample, low=0, whole=True)
        if resume and directory is None:
            raise ParameterError("resume=True needs the directory in which the interrupted build kept its batches")
        for name, kind in (("model", ClassiNet), ("vectorizer", TextVectorizer)):
            given = getattr(self, name)
            if given is not None and not isinstance(given, kind):
                raise ParameterError(f"{name} must be a {kind.__name__} or None, got {given!r}")
        if self.examples and engine is not None and engine.distributed and isinstance(texts, TextFiles):
            raise ParameterError("examples need all texts in one process, and a cluster's workers read files; take 0")
        model = ClassiNet() if self.model is None else clone(self.model)
        vectorizer = default_vectorizer(model) if self.vectorizer is None else clone(self.vectorizer)
        collector = ExampleCollector(vectorizer, self.examples, self.split)
        check_choice("updatable", self.updatable, (True, False))
        if self.updatable:
            check_recipe(model.recipe())
        fit = _fitted_and_counted if self.updatable else _fitted
        with nullcontext(engine) if engine is not None else ThreadEngine(model.n_jobs, progress) as workers:
            built = build_text(
                collector.watch(texts) if self.examples else texts,
                vectorizer=_counting_all(vectorizer) if self.updatable else vectorizer,
                fit=lambda corpus, journal: fit(model, vectorizer, corpus, y, journal),
                settings={"model": clone(model).set_params(n_jobs=None), "labels": None if y is None else list(y)},
                directory=directory, resume=resume, split=self.split, context=self.context, documents=documents,
                engine=workers, progress=progress,
            )  # fmt: skip
        self.vectorizer_, self.net_ = vectorizer.with_vocabulary(list(built.net.feature_names)), built.net
        self.n_texts_, self.fingerprint_ = built.corpus.n_texts, built.corpus.fingerprint
        self.examples_ = collector.of(built.net.graph.names) if self.examples else None
        self.sample_ = _sample_of(built.corpus, built.net, self.sample)
        return self

    def updated(
        self,
        texts: Iterable[str],
        *,
        documents: Sequence[Any] | None = None,
        directory: str | PathLike[str] | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        engine: Engine | None = None,
    ) -> Self:
        """Return a net to which further texts were added; this one stays as it is.

        The net must have been built with `updatable=True`. Its former texts are not needed: their counts are added up
        with those of the further texts, new words join, and predictors of words that occur go on learning. Words and
        vertices are those that a net of all texts would have.

        Parameters
        ----------
        texts, documents, directory, resume, progress, engine : as for `fit`.

        Examples
        --------
        >>> from classinet.datasets import made_up_sentences
        >>> net = TextNet(updatable=True).fit(made_up_sentences())
        >>> more = net.updated(["hail and thunder", "hail and rain", "snow and hail"] * 10)
        >>> more.n_texts_ - net.n_texts_, "hail" in net.net_.graph, "hail" in more.net_.graph
        (30, False, True)
        """
        before = self._fitted_net()
        model = ClassiNet() if self.model is None else clone(self.model)
        check_updatable(before, model.recipe())
        assert before.counts is not None
        vectorizer = clone(self.vectorizer_)
        collector = ExampleCollector(vectorizer, self.examples, self.split)

        def fit(corpus: Corpus, journal: Engine) -> Net:
            return update_net(
                model.recipe(), vectorizer, before, self.n_texts_, corpus,
                lambda part: _forbidden(vectorizer, part), seed_of(model.random_state), journal,
            )  # fmt: skip

        with nullcontext(engine) if engine is not None else ThreadEngine(model.n_jobs, progress) as workers:
            built = build_text(
                collector.watch(texts) if self.examples else texts,
                vectorizer=_counting_all(vectorizer), fit=fit,
                settings={"model": clone(model).set_params(n_jobs=None), "before": self.fingerprint_},
                directory=directory, resume=resume, split=self.split, context=self.context, documents=documents,
                known=[str(name) for name in before.counts.names], engine=workers, progress=progress,
            )  # fmt: skip
        more: Self = clone(self)
        more.vectorizer_, more.net_ = vectorizer.with_vocabulary(list(built.net.feature_names)), built.net
        more.n_texts_ = self.n_texts_ + built.corpus.n_texts
        more.fingerprint_ = _fingerprint_of([self.fingerprint_, built.corpus.fingerprint])
        further = _sample_of(built.corpus, built.net, self.sample)
        more.sample_ = joined_samples(
            [(self.sample_, before.feature_names, self.n_texts_),
             (further, built.net.feature_names, built.corpus.n_texts)],
            built.net.feature_names, self.sample,
        )  # fmt: skip
        more.examples_ = None
        if self.examples:
            former, found = self.examples_ or {}, collector.of(built.net.graph.names)
            more.examples_ = {
                name: [*former.get(name, ()), *found.get(name, ())][: self.examples] for name in {**former, **found}
            }
        return more

    def merged(self, *others: TextNet) -> Self:
        """Return one net of this one and others: all their words, vertices and edges, their counts added up.

        For places that may share counts but not texts. The nets must cut texts into features alike. Predictors and
        examples stay behind; see `classinet.build.merge_nets` for what becomes of the weights.

        Examples
        --------
        >>> words = TextVectorizer()
        >>> here = TextNet(words).fit(["rain and storm", "storm and wind", "wind and rain"] * 10)
        >>> there = TextNet(words).fit(["rain and snow", "snow and hail", "rain and hail"] * 10)
        >>> both = here.merged(there)
        >>> both.n_texts_, sorted(edge.target for edge in both.neighbors("rain"))
        (60, ['hail', 'snow', 'storm', 'wind'])
        """
        nets: list[TextNet] = [self, *others]
        for net in nets:
            check_is_fitted(net, "net_")
            if _way_of_counting(net) != _way_of_counting(self):
                raise InputError(
                    "the nets cannot be merged, because they count texts in different ways: "
                    f"{_way_of_counting(self)} and {_way_of_counting(net)}"
                )
        joined = merge_nets([net.net_ for net in nets], [net.n_texts_ for net in nets])
        both: Self = clone(self)
        both.vectorizer_ = self.vectorizer_.with_vocabulary(list(joined.feature_names))
        both.net_ = joined
        both.n_texts_ = sum(net.n_texts_ for net in nets)
        both.fingerprint_ = _fingerprint_of([net.fingerprint_ for net in nets])
        both.examples_ = None
        samples = [(net.sample_, net.net_.feature_names, net.n_texts_) for net in nets]
        both.sample_ = joined_samples(samples, joined.feature_names, self.sample)
        return both

    def transform(self, texts: Iterable[str]) -> Any:
        """Return the features of texts followed by their expansion, as one sparse matrix."""
        counts = self._counts(texts)
        expansion = self._expansion(None)
        return like_input(append(counts, expand_rows(counts, self.net_, expansion)), None)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`."""
        check_is_fitted(self, "net_")
        return merged_names(self.net_.feature_names, self.net_, "append")

    def expand(self, text: str, *, top: int | None = 10, expansion: Expansion | None = None) -> ExpandedText:
        """Return a text with the `top` features the net adds to it and the paths that brought them."""
        return expand_text(text, self.representation(expansion), top)

    def representation(self, expansion: Expansion | None = None) -> Representation:
        """Return how texts become rows over this net: what `expand` uses, made once for many texts.

        >>> from classinet.datasets import made_up_sentences
        >>> representation = TextNet().fit(made_up_sentences()).representation()
        >>> representation.text_rows(representation.counts(["a storm"])).nnz  # a, storm, ⊢ a, a storm, ⊢ a storm
        5
        """
        check_is_fitted(self, "net_")
        return Representation(self.vectorizer_, self.net_, self.n_texts_, self._expansion(expansion))

    def expanded_sample(self, expansion: Expansion) -> Csr:
        """Return what the kept texts imply: texts × vertices, rows of length 1; remembered, for it is asked for again.

        >>> from classinet.datasets import made_up_sentences
        >>> net = TextNet(sample=5).fit(made_up_sentences())
        >>> net.expanded_sample(Global()).shape == (5, net.net_.n_vertices)
        True
        """
        net, wanted = self._fitted_net(), repr(expansion)
        if self.sample_ is None:
            raise InputError("the net kept no texts; build it with TextNet(sample=10_000)")
        kept: tuple[Net, str, Csr] | None = getattr(self, "_expanded", None)
        if kept is None or kept[0] is not net or kept[1] != wanted:
            way = self.representation(expansion)
            kept = net, wanted, way.expansion_rows(canonical_csr(self.sample_))
            self._expanded = kept
        return kept[2]

    def neighbors(self, word: str, top: int | None = 10, *, incoming: bool = False) -> list[Edge]:
        """Return the edges that leave a word, or that lead to it, strongest first; the word is read as a text is."""
        net = self._fitted_net()
        return (net.predecessors if incoming else net.successors)(self.as_feature(word), top)

    def path(self, source: str, target: str) -> Path | None:
        """Return the path from one word to another with the largest product of weights, or None where none leads."""
        source, target = self.as_feature(source), self.as_feature(target)
        return self._fitted_net().graph_from(source).most_probable_path(source, target)

    def as_feature(self, word: str) -> str:
        """Bring a word to the form in which texts are counted, such as lower case, if it is no feature as it is.

        >>> from classinet.datasets import made_up_sentences
        >>> TextNet().fit(made_up_sentences()).as_feature("Storm!")
        'storm'
        """
        if word in self._fitted_net().graph or word in self.vectorizer_.vocabulary_:
            return word
        words = self.vectorizer_.words_of(word)
        return words[0] if len(words) == 1 else word

    def _counts(self, texts: Iterable[str]) -> Csr:
        check_is_fitted(self, "net_")
        return canonical_csr(self.vectorizer_.transform(texts))

    def _expansion(self, passed: Expansion | None) -> Expansion:
        own = None if self.model is None else self.model.expansion
        return passed or own or Global()

    def _fitted_net(self) -> Net:
        check_is_fitted(self, "net_")
        net: Net = self.net_
        return net

    def _put_net(self, net: Net) -> None:
        self.net_ = net

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags


def default_vectorizer(model: ClassiNet) -> TextVectorizer:
    """Return how texts become features where nobody says: pieces are counted where the model gives them edges.

    >>> default_vectorizer(ClassiNet()), default_vectorizer(ClassiNet.paper())
    (TextVectorizer(min_df=2, pieces=True), TextVectorizer(min_df=2))
    """
    return TextVectorizer(min_df=2, pieces=model.recipe().edges.outside)


def _fitted(model: ClassiNet, vectorizer: TextVectorizer, corpus: Corpus, y: Any, engine: Engine) -> Net:
    pieces = ~vectorizer.words_among(corpus.names)
    net: Net = model.fit(corpus, y, forbidden=_forbidden(vectorizer, corpus), leading=pieces, engine=engine).net_
    return net


def _fitted_and_counted(model: ClassiNet, vectorizer: TextVectorizer, corpus: Corpus, y: Any, engine: Engine) -> Net:
    """Fit a net to the features that the vectorizer chooses of all, and keep what was counted of all."""
    kept = vectorizer.choose(list(corpus.names), column_counts(corpus.matrix), corpus.n_texts)
    net = _fitted(model, vectorizer, restricted(corpus, kept), y, engine)
    return replace(net, counts=count_all(corpus, vectorizer, kept, net, engine))


def _sample_of(corpus: Corpus, net: Net, size: int) -> Csr | None:
    """Return a sample of texts over the features of their net."""
    column = {str(name): place for place, name in enumerate(corpus.names)}
    kept = np.array([column[str(name)] for name in net.feature_names], dtype=np.int64)
    drawn = draw_sample(corpus.matrix, corpus.names, size)
    return None if drawn is None else take_columns(drawn, kept)


def _counting_all(vectorizer: TextVectorizer) -> TextVectorizer:
    """The same way of counting, with every feature kept."""
    every: TextVectorizer = clone(vectorizer).set_params(min_df=1, max_features=None)
    return every


def _forbidden(vectorizer: TextVectorizer, corpus: Corpus) -> Csr | None:
    """Which features overlap; None for words, whose names are looked at by the model itself."""
    if vectorizer.analyzer == "word":
        return None
    return overlapping_names(list(corpus.names), np.arange(len(corpus.names)), characters=True)


def _way_of_counting(net: TextNet) -> str:
    """How a net's texts become features, apart from which features are kept."""
    return repr(clone(net.vectorizer_).set_params(min_df=1, max_features=None))


def _fingerprint_of(fingerprints: Sequence[str]) -> str:
    return sha256(" ".join(fingerprints).encode()).hexdigest()
