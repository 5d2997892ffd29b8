"""Answers about texts: labels, expansions, explanations.

Enter: a loaded model, texts, and a deadline. Leave: plain values, one entry a text. Texts are taken in slices, and the
time is looked at between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from classinet.edits import Edits
from classinet.exceptions import InputError, ParameterError
from classinet.expansion import METHODS, Expansion, Global, Independent, LocalPath
from classinet.pipeline import ClassiNetClassifier
from classinet.pipeline.explaining import expand_text
from classinet.server.deadlines import Deadline
from classinet.server.holder import Loaded
from classinet.server.problems import Problem

NO_EDITS = Edits()
PREDICTED_AT_ONCE = 100
# LocalPath searches the graph from every word of a text, and a search cannot be interrupted.
MOST_SEARCHES = 50


def predict(
    loaded: Loaded, texts: Sequence[str], deadline: Deadline, *, edits: Edits = NO_EDITS, probabilities: bool = False
) -> dict[str, Any]:
    """Return the label of each text, with and without expansion, and how much of the text is known.

    Parameters
    ----------
    loaded : the model.
    texts : what to judge.
    deadline : when to stop.
    edits : edits of the net, after the model's own.
    probabilities : also return the probability of every class, the most probable first.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import ClassiNetClassifier, TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> clf = ClassiNetClassifier(net).fit(["rain and wind", "a late goal"], ["weather", "football"])
    >>> loaded = Loaded.of(clf, "v0001")
    >>> predict(loaded, ["thunder"], Deadline(10))["predictions"][0]["label"]
    'weather'
    """
    classifier = _classifier(edited(loaded, edits))
    classes = classifier.classes_.tolist()
    answers: list[dict[str, Any]] = []
    for part in deadline.slices(texts, PREDICTED_AT_ONCE):
        told = classifier.judge(part)
        labels, without = _plain(told.labels), _plain(told.labels_without)
        for i, coverage in enumerate(told.coverage.tolist()):
            answer = {"label": labels[i], "label_without_expansion": without[i], "coverage": coverage}
            if probabilities:
                answer["probabilities"] = _ranked(classes, told.probabilities[i])
            answers.append(answer)
    return {"predictions": answers}


def expand(
    loaded: Loaded,
    texts: Sequence[str],
    deadline: Deadline,
    *,
    top: int = 20,
    method: str | None = None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    edits: Edits = NO_EDITS,
) -> dict[str, Any]:
    """Return what the net adds to each text, and by which path.

    Parameters
    ----------
    loaded : the model.
    texts : what to expand.
    deadline : when to stop.
    top : how many predicted features to return of each text.
    method : a key of `classinet.expansion.METHODS`, or None for the expansion that the model was trained with.
    parameters : parameters of the expansion that differ from its own.
    edits : edits of the net, after the model's own.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> told = expand(loaded, ["thunder"], Deadline(10), top=1, method="global", parameters={"hops": 2})
    >>> told["expansions"][0]["features"][-1]["path"]
    ('⊢ thunder', 'snow')
    """
    expansion = chosen_expansion(loaded, method, parameters)
    representation = edited(loaded, edits).text_net.representation(expansion)
    told = []
    for part in deadline.slices(texts, 1):
        if isinstance(expansion, LocalPath):
            _refuse_many_searches(part[0], loaded)
        told.append(expand_text(part[0], representation, top).to_dict())
    return {"expansions": told, "expansion": described(expansion)}


def explain(
    loaded: Loaded, texts: Sequence[str], deadline: Deadline, *, top: int = 40, edits: Edits = NO_EDITS
) -> dict[str, Any]:
    """Say why each text gets its label, by the `top` features that matter most.

    Parameters
    ----------
    loaded : the model.
    texts : what to explain.
    deadline : when to stop.
    top : terms beyond these are added up.
    edits : edits of the net, after the model's own.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import ClassiNetClassifier, TextNet
    >>> net = TextNet().fit(made_up_sentences())
    >>> clf = ClassiNetClassifier(net).fit(["rain and wind", "a late goal"], ["weather", "football"])
    >>> loaded = Loaded.of(clf, "v0001")
    >>> explain(loaded, ["thunder"], Deadline(10))["explanations"][0]["terms"][0]["kind"]
    'predicted'
    """
    classifier = _classifier(edited(loaded, edits))
    return {"explanations": [classifier.explain(part[0]).to_dict(top) for part in deadline.slices(texts, 1)]}


def edited(loaded: Loaded, edits: Edits) -> Loaded:
    """Return the model with a request's edits; names are read as words of a text are."""
    text_net, items = loaded.text_net, []
    graph, features = text_net.net_.unedited.graph, text_net.vectorizer_.vocabulary_
    for number, edit in enumerate(edits):
        try:
            target = None if edit.target is None else text_net.as_feature(edit.target)
            item = replace(edit, source=text_net.as_feature(edit.source), target=target)
            graph.edited(Edits((item,)), features)  # only finds the places: costs next to nothing
        except (InputError, ParameterError) as error:
            raise _refused(f"edits[{number}]", str(error)) from error
        items.append(item)
    return loaded.edited(Edits(tuple(items)))


def chosen_expansion(loaded: Loaded, method: str | None, parameters: Mapping[str, Any]) -> Expansion:
    """Return the expansion that a request asks for; what it lacks or the net cannot do is refused."""
    expansion = trained_expansion(loaded) if method is None else METHODS[method]()
    if method is not None and method not in usable_methods(loaded):
        raise _refused("method", f"{method!r} asks the feature predictors, and this net was saved without them")
    known = expansion.get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise _refused(name, f"the method {method_name(expansion)!r} has no parameter {name!r}")
    return type(expansion)(**{**known, **parameters})


def trained_expansion(loaded: Loaded) -> Expansion:
    """Return the expansion that the model was trained with."""
    if loaded.classifier is not None:
        own: Expansion | None = loaded.classifier.expansion
        return Global() if own is None else own
    return loaded.text_net.representation().expansion


def usable_methods(loaded: Loaded) -> list[str]:
    """Return the methods that this net can serve: some ask predictors, which a net may lack."""
    net = loaded.text_net.net_
    predicts = net.predictor is not None and net.predictor.n_vertices_ == net.n_vertices
    return [name for name, kind in METHODS.items() if predicts or kind not in (Independent, LocalPath)]


def described(expansion: Expansion) -> dict[str, Any]:
    """Return the name and the parameters of an expansion."""
    return {"method": method_name(expansion), "parameters": expansion.get_params(deep=False)}


def method_name(expansion: Expansion) -> str:
    """Return the name of an expansion's method.

    >>> method_name(LocalPath())
    'local-path'
    """
    names = [name for name, kind in METHODS.items() if type(expansion) is kind]
    return names[0] if names else type(expansion).__name__


def _refuse_many_searches(text: str, loaded: Loaded) -> None:
    graph = loaded.text_net.net_.graph
    searches = sum(feature in graph for feature in set(loaded.text_net.vectorizer_.words_of(text)))
    if searches > MOST_SEARCHES:
        raise Problem(
            "too-large",
            f"a text has {searches} different words to search the graph from, and local-path takes at most "
            f"{MOST_SEARCHES}; send a shorter text or choose another method",
        )


def _classifier(loaded: Loaded) -> ClassiNetClassifier:
    if loaded.classifier is None:
        raise Problem(
            "no-classifier",
            "this net knows no labels yet; train a model on it with: classinet train NET LABELLED -o MODEL, and serve "
            "that",
        )
    return loaded.classifier


def _refused(where: str, what: str) -> Problem:
    return Problem("invalid", what, [(where, what)])


def _ranked(classes: list[Any], probabilities: Any) -> list[dict[str, Any]]:
    order = np.argsort(-probabilities, kind="stable")
    return [{"label": classes[c], "probability": float(probabilities[c])} for c in order]


def _plain(labels: Any) -> list[Any]:
    """Labels as JSON has them: one value a text, or a list of tags."""
    if isinstance(labels, np.ndarray):
        plain: list[Any] = labels.tolist()
        return plain
    return [list(tags) for tags in labels]
