"""Answers about the net and the model themselves.

Enter: a loaded model and names of features. Leave: plain values. A name is read as a word of a text is; an unknown one
is the problem "unknown-feature", with near names where there are some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from classinet import __version__
from classinet.exceptions import InputError
from classinet.graph import neighborhood
from classinet.server.answers.judging import described, trained_expansion, usable_methods
from classinet.server.holder import Loaded
from classinet.server.problems import Problem
from classinet.server.settings import Limits


def features_by_prefix(loaded: Loaded, prefix: str, limit: int = 10) -> dict[str, Any]:
    """Return features that begin with some letters, as they are or as texts are read, the most frequent first.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> [each["name"] for each in features_by_prefix(loaded, "Sto")["features"][:3]]
    ['storm', 'storm and', 'storm after']
    """
    net = loaded.text_net.net_
    found = net.beginning_with(prefix, limit)
    if not found:
        read = loaded.text_net.vectorizer_.words_of(prefix)
        found = net.beginning_with(max(read, key=len), limit) if read else []
    return {"features": [{"name": name, "frequency": net.vertex_frequency(name)} for name in found]}


def about_feature(loaded: Loaded, feature: str) -> dict[str, Any]:
    """Return what is known of a vertex, or of another feature that has edges.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> about_feature(loaded, "Storm")["feature"]["degree_out"]
    37
    """
    text_net = loaded.text_net
    with _known():
        vertex = text_net.net_.vertex(text_net.as_feature(feature))
    examples = text_net.examples_
    weights = vertex.weights
    return {
        "feature": {
            "name": vertex.name,
            "frequency": vertex.frequency,
            "fires": vertex.fires,
            "degree_out": vertex.degree_out,
            "degree_in": vertex.degree_in,
            "predictor": None if weights is None else [{"name": name, "weight": weight} for name, weight in weights],
            "examples": None if examples is None else examples.get(vertex.name, []),
        }
    }


def neighbors_of(loaded: Loaded, feature: str, top: int = 20, *, incoming: bool = False) -> dict[str, Any]:
    """Return the edges that leave a vertex, or that lead to it, strongest first.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> neighbors_of(loaded, "storm", top=1)["neighbors"][0]["target"]
    'thunder'
    """
    with _known():
        edges = loaded.text_net.neighbors(feature, top, incoming=incoming)
    return {"feature": loaded.text_net.as_feature(feature), "neighbors": [asdict(edge) for edge in edges]}


def path_between(loaded: Loaded, source: str, target: str) -> dict[str, Any]:
    """Return the most probable path from one vertex to another, or None where none leads.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> path_between(loaded, "rain", "goal")["path"]["names"]
    ['rain', 'and', 'goal']
    """
    with _known():
        path = loaded.text_net.path(source, target)
    if path is None:
        return {"path": None}
    weights = [loaded.text_net.net_.weight(a, b) for a, b in pairwise(path.names)]
    return {"path": {"names": list(path.names), "weights": weights, "probability": path.probability}}


def part_of_graph(
    loaded: Loaded, around: Sequence[str], *, hops: int = 1, top: int = 10, most: int = 100, mutual: bool = False
) -> dict[str, Any]:
    """Return the part of the graph around some vertices (see `classinet.graph.neighborhood`).

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> [node["name"] for node in part_of_graph(loaded, ["storm"], top=2)["nodes"]]
    ['storm', 'thunder', 'cloud']
    """
    net = loaded.text_net.net_
    with _known():
        starts = [loaded.text_net.as_feature(word) for word in around]
        part = neighborhood(net.graph_from(*starts), starts, hops, top, most, mutual)
    return {
        "nodes": [
            {"name": name, "frequency": net.vertex_frequency(name), "distance": distance}
            for name, distance in part.distances.items()
        ],
        "edges": [{"source": edge.source, "target": edge.target, "weight": edge.weight} for edge in part.edges],
        "complete": part.complete,
    }


def about_model(loaded: Loaded, path: Path, limits: Limits) -> dict[str, Any]:
    """Return what the model is and what may be asked of it.

    Examples
    --------
    >>> from classinet.datasets import made_up_sentences
    >>> from classinet.pipeline import TextNet
    >>> loaded = Loaded.of(TextNet().fit(made_up_sentences()), "v0001")
    >>> about_model(loaded, Path("model"), Limits())["kind"]
    'net'
    """
    text_net, classifier = loaded.text_net, loaded.classifier
    net = text_net.net_
    return {
        "name": path.name,
        "kind": "net" if classifier is None else "classifier",
        "classes": None if classifier is None else classifier.classes_.tolist(),
        "multilabel": classifier is not None and classifier.head_.multilabel,
        "n_vertices": net.n_vertices,
        "n_edges": net.graph.n_edges,
        "n_texts": int(text_net.n_texts_),
        "expansion": described(trained_expansion(loaded)),
        "settings": None if classifier is None else classifier.settings_,
        "edits": len(net.edits),
        "has_examples": text_net.examples_ is not None,
        "has_predictors": net.predictor is not None,
        "methods": usable_methods(loaded),
        "library": __version__,
        "limits": asdict(limits),
    }


@contextmanager
def _known() -> Iterator[None]:
    """Turn a name that is no vertex into a problem."""
    try:
        yield
    except InputError as error:
        raise Problem("unknown-feature", str(error)) from error
