"""Strategies as JSON: a class by its name and its parameters, from one list of classes.

Enter: an estimator, or any value that a parameter can have. Leaves: plain JSON, and back. Loading calls only classes
that are listed here, with parameters that they have; no name in a file is ever looked up anywhere else. What is not
JSON itself is tagged: {"class": …, "parameters": {…}}, {"tuple": […]}, {"dict": [[key, value], …]}, {"float": "inf"}.
Arrays and paths come back as lists and strings. A value that is none of these is left behind, or refused where a loaded
model could not predict without it.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from classinet import edges, expansion, labels, neighbors, predictors, vertices
from classinet.exceptions import StorageError
from classinet.model import ClassiNet
from classinet.persistence.reading import damaged, kind_of
from classinet.pipeline import TextNet
from classinet.text import TextVectorizer, Tokenizer

CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Tokenizer, TextVectorizer, TextNet, ClassiNet,
        vertices.Landmarks, vertices.AllFeatures, vertices.MostFrequent, vertices.MinDocumentFrequency, vertices.Listed,
        vertices.BestByLabels,
        predictors.Embedding, predictors.Factorised, predictors.Indicator, predictors.Logistic, predictors.NaiveBayes,
        predictors.Perceptron, predictors.Ridge, predictors.Sampling,
        labels.PosteriorLabels, labels.QuantileLabels,
        neighbors.PLEB, neighbors.ExactNeighbors, neighbors.FaissNeighbors, neighbors.LSHNeighbors,
        neighbors.VectorNeighbors,
        edges.PairSample, edges.HeldOut, edges.Population, edges.Similarity, edges.Angle,
        expansion.AllNeighbors, expansion.Global, expansion.Independent, expansion.LocalPath,
        expansion.MutualNeighbors, expansion.Spectral,
    )
}  # fmt: skip
MAX_DEPTH = 24
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class _Unknown(Exception):
    """A value that JSON cannot hold."""


def encode(value: Any, where: str, left_behind: list[str] | None = None) -> Any:
    """Return a value as JSON.

    Parameters
    ----------
    value : an estimator, or a value of a parameter.
    where : what to call it in messages.
    left_behind : takes a line for everything that cannot be stored, which then comes back as None. Without it, nothing
        may stay behind.

    >>> from classinet.expansion import Global
    >>> encode(Global(hops=None), "expansion")["parameters"]["hops"] is None
    True
    >>> missing = []
    >>> encode({"analyzer": str.split}, "parameters", missing), missing
    ({'dict': [['analyzer', {'left_behind': "<method 'split' of 'str' objects>"}]]},
     ["parameters['analyzer']: <method 'split' of 'str' objects>"])
    """
    try:
        return _encode(value, where, left_behind)
    except _Unknown:
        shown = _shown(value)
        if left_behind is None:
            raise StorageError(
                f"{where} is {shown}, which cannot be stored without executing code on loading; use one of this "
                "library's own classes there"
            ) from None
        left_behind.append(f"{where}: {shown}")
        return {"left_behind": shown}


def _encode(value: Any, where: str, left_behind: list[str] | None) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if type(value) in (int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if type(value) in (list, tuple):
        items = [encode(item, f"{where}[{i}]", left_behind) for i, item in enumerate(value)]
        return {"tuple": items} if type(value) is tuple else items
    if type(value) is dict:
        return {"dict": [[_encode(key, where, None), encode(item, f"{where}[{key!r}]", left_behind)]
                         for key, item in value.items()]}  # fmt: skip
    name = type(value).__name__
    if CLASSES.get(name) is not type(value):
        raise _Unknown
    parameters = {key: encode(item, f"{where}.{key}", left_behind)
                  for key, item in sorted(value.get_params(deep=False).items())}  # fmt: skip
    return {"class": name, "parameters": parameters}


def decode(value: Any, path: Path, depth: int = 0) -> Any:
    """Return the value that `encode` was given; `path` is the file that messages name.

    >>> decode({"tuple": [1, {"float": "inf"}]}, Path("config.json"))
    (1, inf)
    >>> decode({"class": "Popen", "parameters": {"args": "ls"}}, Path("config.json"))
    Traceback (most recent call last):
    ...
    classinet.exceptions.StorageError: config.json: names a class 'Popen' that is none of this library's; ...
    """
    if depth > MAX_DEPTH:
        raise damaged(path, "its parameters are nested too deeply")
    if isinstance(value, list):
        return [decode(item, path, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    tags = set(value)
    if tags == {"class", "parameters"}:
        return _construct(value["class"], value["parameters"], path, depth)
    if tags == {"tuple"} and isinstance(value["tuple"], list):
        return tuple(decode(value["tuple"], path, depth))
    if tags == {"dict"} and isinstance(value["dict"], list):
        return _dict(value["dict"], path, depth)
    if tags == {"float"} and value["float"] in ("nan", "inf", "-inf"):
        return NOT_FINITE[value["float"]]
    if tags == {"left_behind"}:
        return None
    raise damaged(path, f"holds {kind_of(value)}, which is no parameter")


def decode_as(kind: type[Any], value: Any, path: Path) -> Any:
    """Decode what must be an object of a kind."""
    found = decode(value, path)
    if not isinstance(found, kind):
        raise damaged(path, f"holds {kind_of(value)}, where a {kind.__name__} is expected")
    return found


def _construct(name: Any, parameters: Any, path: Path, depth: int) -> Any:
    if not isinstance(name, str) or name not in CLASSES:
        raise damaged(path, f"names a class {name!r} that is none of this library's")
    if not isinstance(parameters, dict):
        raise damaged(path, f"gives {name} {kind_of(parameters)} as parameters")
    hints, required = _parameters(name)
    for key in sorted(required - set(parameters)):
        raise damaged(path, f"does not give {name} its parameter {key!r}")
    decoded = {}
    for key, item in parameters.items():
        if key not in hints:
            raise damaged(path, f"gives {name} a parameter {key!r}, which it does not have")
        decoded[key] = decode(item, path, depth + 1)
        stayed_behind = isinstance(item, dict) and set(item) == {"left_behind"}
        if not (stayed_behind or _fits(decoded[key], hints[key])):
            raise damaged(path, f"gives {name} as its parameter {key!r} {kind_of(decoded[key])}")
    return CLASSES[name](**decoded)


@cache
def _parameters(name: str) -> tuple[dict[str, Any], frozenset[str]]:
    """The annotation of each parameter of a class, and the names of those without a default."""
    kind = CLASSES[name]
    signature = inspect.signature(kind).parameters
    hints = get_type_hints(kind.__init__) if signature else {}
    required = frozenset(n for n, p in signature.items() if p.default is inspect.Parameter.empty)
    return {parameter: hints.get(parameter, Any) for parameter in signature}, required


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type; what is inside a sequence is left to the class itself."""
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin in (tuple, list, Sequence):
        return isinstance(value, (list, tuple))
    if origin is Callable:
        return callable(value)
    if hint in (int, float):
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    return value is None if hint in (None, NoneType) else isinstance(value, hint)


def _dict(pairs: list[Any], path: Path, depth: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise damaged(path, f"holds {kind_of(pair)}, where a key and a value are expected")
        key = decode(pair[0], path, depth + 1)
        if not isinstance(key, (str, int, float, bool, type(None))):
            raise damaged(path, f"holds {kind_of(pair[0])} as a key")
        found[key] = decode(pair[1], path, depth + 1)
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"
