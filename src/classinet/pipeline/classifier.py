"""`ClassiNetClassifier`: texts and a few labels in, labels and reasons out.

Enter: a net and labelled texts. Leaves: a linear classifier over each text's own features and those the net infers.
The net is a part of the constructor: cross-validation and grid search share it and neither refit nor slice it.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from classinet._cloning import clone_around
from classinet._sparse import canonical_csr, row_slice
from classinet._typing import Csr, Floats
from classinet._validation import check_choice, check_number
from classinet.exceptions import InputError, ParameterError, UnknownTextWarning
from classinet.expansion import Expansion, Global
from classinet.explain import Explanation
from classinet.net import Net
from classinet.pipeline.border import texts_to_ask
from classinet.pipeline.editing import Editable
from classinet.pipeline.explaining import explain_text
from classinet.pipeline.fitting import fit_blocks
from classinet.pipeline.head import Head
from classinet.pipeline.judging import Judgements, judge_texts
from classinet.pipeline.names import names_to_read, with_names
from classinet.pipeline.pieces import Pieces, least_texts
from classinet.pipeline.representation import Representation, no_rows
from classinet.pipeline.targets import as_targets, checked_weights, label_sets
from classinet.pipeline.text_net import TextNet
from classinet.pipeline.tuning import MAX_WEIGHT, Tuner, full_weight
from classinet.pipeline.unlabeled import Unlabeled, may_learn, with_unlabeled
from classinet.text.vectorizer import strings


class ClassiNetClassifier(Editable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify short texts by their words and the words a net infers from them.

    Parameters
    ----------
    net : a fitted `TextNet`; an unfitted one, which is then fitted on the texts given to `fit`; None for a default one.
    expansion : how texts are expanded; None is `Global()`.
    C : inverse strength of regularisation, or "auto": by cross-validation, 30 where labels are too few for that. With
        more than a thousand labels, features that tell classes apart are regularised less if that judges better.
    weight : length of the expansion relative to the text's own features, 0 for no expansion; or "auto": 1, in nets of
        less than 2,000 texts less, and where there are labels enough as much less as cross-validation is sure of.
    pieces : whether runs of letters count beside the features of the net, and pairs of neighbouring words and the
        first words of a text where the net does not count them itself.
    class_weight : "balanced" lets all classes weigh alike, however many texts each has; None all texts; a dict gives
        weights to labels. "auto" is "balanced" up to 1,000 texts of one label each, where small classes would otherwise
        hardly ever be predicted, and None else; up to 500 texts of uneven classes it also shifts the border between
        them towards the larger, until each class is said about as often as it is true.
    class_names : whether the name of a class, where it is a word or several, is read as two more texts of it: with up
        to 50 texts a class on average, and only if the names alone judge the labelled texts better than by chance.
    unlabeled : whether unlabeled texts that the net kept (`TextNet(sample=...)`) are learnt from as well: up to 500
        labelled texts of one label each, and only as far as they are of the same kind.
    n_jobs : threads for expanding many texts; None is one, -1 all cores.
    random_state : seed of the folds.

    Attributes
    ----------
    classes_ : the classes, or tags, sorted.
    settings_ : the C and weight in use, whether features have leeway, whether names of classes were read, whether the
        border between classes was shifted, how much unlabeled texts count (0 not at all, 1 as much as labelled ones),
        and how all that was chosen.
    head_ : the linear classifier; `plain_head_` is one trained alike without expansion, to compare with.
    text_net_ : the net in use.
    extra_features_ : features of the labelled texts that the net does not know.
    pieces_ : the pieces of the labelled texts that are counted, or None.
    by_rarity_ : whether inferred words are weighed by how rare they are; not in classifiers that were stored before
        this was done.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> net = TextNet().fit(made_up_sentences())
    >>> labelled = ["rain and wind", "bread in the oven", "a late goal"]
    >>> clf = ClassiNetClassifier(net).fit(labelled, ["weather", "kitchen", "football"])
    >>> clf.predict(["thunder and snow", "onion soup"])
    array(['weather', 'kitchen'], dtype='<U8')
    >>> sorted(feature.name for feature in clf.explain("snow").expanded.predicted[:3])
    ['cloud', 'cold', 'thunder']
    """

    def __init__(
        self,
        net: TextNet | None = None,
        expansion: Expansion | None = None,
        C: float | str = "auto",
        weight: float | str = "auto",
        pieces: bool = True,
        class_weight: Any = "auto",
        class_names: bool = True,
        unlabeled: bool = True,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.net = net
        self.expansion = expansion
        self.C = C
        self.weight = weight
        self.pieces = pieces
        self.class_weight = class_weight
        self.class_names = class_names
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        return clone_around(self, "net", fitted=hasattr(self.net, "net_"))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a net that is fitted already would change what others share, and are refused."""
        inside = [name for name in params if name.startswith("net__")]
        if inside and hasattr(params.get("net", self.net), "net_"):
            raise ParameterError(
                f"{inside[0]} would change a net that is fitted already; pass net=TextNet(...) instead"
            )
        super().set_params(**params)
        return self

    # ---------------------------------------------------------------------------------------------------- fit

    def fit(self, texts: Iterable[str], y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled texts; edits made on this classifier are forgotten, those of its `TextNet` stay.

        Parameters
        ----------
        texts : the texts.
        y : one label a text; or a list of tags a text, or a 0/1 matrix (texts × tags), for labels that do not exclude
            each other.
        sample_weight : one weight a text.
        """
        texts = list(strings(texts))
        self._check_parameters()
        targets = as_targets(y, len(texts))
        weights = targets.row_weights(self.class_weight, sample_weight)
        counts = checked_weights(sample_weight, len(texts))
        text_net = self._resolve(texts)
        # A text of weight 0 is as if it had no label: rows of it would say nothing, and yet move where a solver stops.
        counting = np.flatnonzero(weights.any(axis=1))
        texts, targets = [texts[i] for i in counting], targets.take(counting)
        weights, counts = weights[counting], counts[counting]
        extra = _unknown_to(text_net, texts)
        expansion = Global() if self.expansion is None else self.expansion
        representation = Representation.of(
            text_net.vectorizer_, text_net.net_, text_net.n_texts_, extra, expansion,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        if self.pieces:
            representation = representation.with_pieces_of(texts)
        asked = texts_to_ask(targets, self.class_weight, counts)
        names = names_to_read(targets.classes, counts.sum()) if self.class_names else []
        learns = self.unlabeled and text_net.sample_ is not None and may_learn(targets, counts)
        counted = representation.counts([*texts, *names])
        own = representation.text_rows(counted)
        labelled = row_slice(own, 0, len(texts))
        if labelled.nnz == 0:
            raise InputError("no labelled text holds a single feature; texts may be empty, or the tokenizer drops all")
        expanded = representation.expansion_rows(counted)
        tuner = Tuner(
            labelled, row_slice(expanded, 0, len(texts)), targets, weights, self.random_state,
            full=full_weight(text_net.n_texts_),
        )  # fmt: skip
        settings = tuner.choose(self.C, self.weight)
        representation = representation.with_weight(settings.weight)
        # The classifier to compare with has the same freedom: its own C and leeway, chosen alike.
        plain = tuner.choose(self.C, 0.0, leeway="auto" in (self.C, self.weight))
        sizes = counts @ targets.member
        own, expanded, targets, weights, named = with_names(own, expanded, targets, self.class_weight, counts)

        self.head_, share = fit_blocks(own, expanded, targets, weights, settings, asked), 0.0
        if learns and settings.weight > 0:
            unlabeled = _unlabeled_rows(text_net, representation)
            self.head_, share = with_unlabeled(self.head_, own, expanded, targets, weights, settings, sizes, unlabeled)
        self.plain_head_ = fit_blocks(own, no_rows(own.shape[0], 0), targets, weights, plain, asked)
        self.settings_ = {
            **settings.to_dict(), "plain_C": plain.C, "plain_leeway": plain.leeway, "class_names": named,
            "border_shifted": len(asked) > 0, "unlabeled": share,
        }  # fmt: skip
        self.classes_ = targets.classes
        self.extra_features_ = extra
        self.pieces_ = representation.pieces
        self.by_rarity_ = representation.by_rarity
        self.text_net_ = text_net
        self._representation = representation
        return self

    def _check_parameters(self) -> None:
        for name, high, open_low in (("C", np.inf, True), ("weight", MAX_WEIGHT, False)):
            value = getattr(self, name)
            if isinstance(value, str):
                if value != "auto":
                    raise ParameterError(f'{name} must be "auto" or a number, got {value!r}')
            else:
                check_number(name, value, low=0.0, high=high, open_low=open_low)
        if self.expansion is not None and not isinstance(self.expansion, Expansion):
            raise ParameterError(f"expansion must be an Expansion object, got {self.expansion!r}")
        check_choice("pieces", self.pieces, (True, False))
        check_choice("class_names", self.class_names, (True, False))
        check_choice("unlabeled", self.unlabeled, (True, False))
        check_number("random_state", self.random_state, low=0, high=2**32 - 1, whole=True)

    def _resolve(self, texts: list[str]) -> TextNet:
        net = TextNet() if self.net is None else self.net
        if not isinstance(net, TextNet):
            raise ParameterError(f"net must be a TextNet or None, got {self.net!r}")
        return net if hasattr(net, "net_") else clone(net).fit(texts)

    @classmethod
    def assemble(
        cls, parameters: dict[str, Any], text_net: TextNet, extra_features: NDArray[Any], pieces: Pieces | None,
        heads: tuple[Head, Head], settings: dict[str, Any], *, by_rarity: bool,
    ) -> Self:  # fmt: skip
        """Put a fitted classifier together from its parts, as when it is loaded."""
        clf = cls(net=text_net, **parameters)
        clf.head_, clf.plain_head_ = heads
        clf.settings_ = settings
        clf.classes_ = clf.head_.classes
        clf.extra_features_ = extra_features
        clf.pieces_ = pieces
        clf.by_rarity_ = by_rarity
        clf.text_net_ = text_net
        clf._representation = Representation.of(
            text_net.vectorizer_, text_net.net_, text_net.n_texts_, extra_features,
            Global() if clf.expansion is None else clf.expansion, weight=settings["weight"],
            by_rarity=by_rarity, pieces=pieces, n_jobs=clf.n_jobs,
        )  # fmt: skip
        return clf

    # ------------------------------------------------------------------------------------------------ predict

    def predict(self, texts: Iterable[str]) -> Any:
        """Return the label of each text, or its tuple of tags, or a 0/1 matrix: in the form `fit` was given."""
        head, rows = self._judge(texts)
        return head.predict(rows)

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return texts × classes: the probability of each class, or of each tag by itself."""
        head, rows = self._judge(texts)
        return head.probabilities(rows)

    def decision_function(self, texts: Iterable[str]) -> Floats:
        """Return the logit of each class; of two classes that of the second against the first, as scikit-learn."""
        head, rows = self._judge(texts)
        logits = head.logits(rows)
        return logits[:, 1] - logits[:, 0] if head.form == "classes" and len(self.classes_) == 2 else logits

    def predict_without_expansion(self, texts: Iterable[str]) -> Any:
        """Return what the classifier says that was trained on the same labels without a net."""
        check_is_fitted(self, "head_")
        return self.plain_head_.predict(self._representation.text_rows(self._representation.counts(texts)))

    def predict_proba_without_expansion(self, texts: Iterable[str]) -> Floats:
        """Return what probabilities that classifier gives."""
        check_is_fitted(self, "head_")
        return self.plain_head_.probabilities(self._representation.text_rows(self._representation.counts(texts)))

    def coverage(self, texts: Iterable[str]) -> Floats:
        """Return for each text the share of its distinct features that are known."""
        check_is_fitted(self, "head_")
        return self._representation.coverage(self._representation.tokens(texts))

    def judge(self, texts: Iterable[str]) -> Judgements:
        """Return labels with and without expansion, probabilities and coverage of texts, reading each text once.

        Where several of these are wanted this is quicker than to ask for each, and texts of which nothing is known are
        told by their coverage rather than by a warning.

        >>> from classinet.datasets import made_up_sentences
        >>> net = TextNet().fit(made_up_sentences())
        >>> clf = ClassiNetClassifier(net).fit(["rain and wind", "a late goal"], ["weather", "football"])
        >>> told = clf.judge(["thunder", "xyzzy"])
        >>> told.labels[0], told.coverage.tolist()
        (np.str_('weather'), [1.0, 0.0])
        """
        check_is_fitted(self, "head_")
        return judge_texts(texts, self._representation, self.head_, self.plain_head_)

    def explain(self, text: str) -> Explanation:
        """Say why a text gets its label: a term for every feature it holds and every one that the net predicts."""
        check_is_fitted(self, "head_")
        return explain_text(text, self._representation, self.head_, self.plain_head_)

    def score(self, X: Iterable[str], y: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose label, or whose tags all, are right."""
        predicted, multilabel = self.predict(X), self.head_.multilabel
        said, true = (label_sets(labels, self.classes_, multilabel=multilabel) for labels in (predicted, y))
        if len(true) != len(said):
            raise InputError(f"{len(said)} texts and {len(true)} labels; give one for each text")
        right = [a == b for a, b in zip(said, true, strict=True)]
        return float(np.average(right, weights=checked_weights(sample_weight, len(right))))

    def _judge(self, texts: Iterable[str]) -> tuple[Head, Csr]:
        check_is_fitted(self, "head_")
        counts = self._representation.counts(texts)
        empty = np.flatnonzero(np.diff(counts.indptr) == 0)
        if len(empty):
            warnings.warn(
                f"{len(empty)} of {counts.shape[0]} texts hold no known word (the first is text {empty[0]}); their "
                "label is what is likely before reading them. coverage() tells how much of each text is known",
                UnknownTextWarning,
                stacklevel=3,
            )
        return self.head_, self._representation.rows_of(counts)

    def on_threads(self, n_jobs: int | None) -> Self:
        """Return this fitted classifier, its parts shared, expanding texts on another number of threads.

        >>> from classinet.datasets import made_up_sentences
        >>> net = TextNet().fit(made_up_sentences())
        >>> clf = ClassiNetClassifier(net, n_jobs=2).fit(["rain and wind", "a late goal"], ["weather", "football"])
        >>> clf.on_threads(None).n_jobs, clf.n_jobs
        (None, 2)
        """
        check_is_fitted(self, "head_")
        other = copy.copy(self)
        other.n_jobs = n_jobs
        other._representation = replace(self._representation, n_jobs=n_jobs)
        return other

    # --------------------------------------------------------------------------------------------------- edit

    def as_feature(self, word: str) -> str:
        """Bring a word to the form in which texts are counted, such as lower case, if it is no feature as it is."""
        check_is_fitted(self, "head_")
        return self.text_net_.as_feature(word)

    def _fitted_net(self) -> Net:
        check_is_fitted(self, "head_")
        net: Net = self.text_net_.net_
        return net

    def _put_net(self, net: Net) -> None:
        # The TextNet may serve other classifiers: this one goes on with a copy.
        self.text_net_ = copy.copy(self.text_net_)
        self.text_net_.net_ = net
        self._representation = self._representation.with_net(net)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _unlabeled_rows(text_net: TextNet, representation: Representation) -> Unlabeled:
    known = canonical_csr(text_net.sample_)
    own = representation.text_rows(representation.counts_of_known(known))
    return Unlabeled(own, text_net.expanded_sample(representation.expansion), known.shape[1])


def _unknown_to(text_net: TextNet, texts: list[str]) -> NDArray[np.object_]:
    """Return the features of texts that the net has not seen, sorted; phrases only where enough texts hold them.

    Runs of letters are not among them: those of labelled texts are counted apart (`classinet.pipeline.pieces`).
    """
    vectorizer = text_net.vectorizer_
    known, features_of = vectorizer.vocabulary_, vectorizer.compiled()
    holding = Counter(f for text in texts for f in set(features_of(text)) if f not in known)
    found = sorted(holding)
    names = [name for name, run in zip(found, vectorizer.runs_among(found), strict=True) if not run]
    words, least = vectorizer.words_among(names), least_texts(len(texts))
    return np.array([n for n, word in zip(names, words, strict=True) if word or holding[n] >= least], dtype=object)
