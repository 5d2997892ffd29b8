"""A `TextNet` or a `ClassiNetClassifier` as files of one folder, and back.

Enter: a fitted model, or the folder of a version. Leave: the files of a version, or the model. Beside the files of the
net (see `nets`) there are config.json, which says what the model is and how it was made; for a classifier
head.safetensors and extra_features.jsonl, and phrases.jsonl and runs.jsonl where it counts pieces of texts;
examples.jsonl where the net was built with examples; for a net sample.safetensors, texts that it kept as counts, which
classifiers, once they are trained, do without; README.md for people.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray

from classinet import __version__
from classinet._files import whole_file
from classinet._typing import Csr
from classinet.exceptions import ClassiNetError, MissingExtraError, ParameterError, StorageError
from classinet.expansion import Expansion
from classinet.expansion.global_ import MAX_HOPS
from classinet.net import Net
from classinet.persistence.card import model_card
from classinet.persistence.codec import decode, decode_as, encode
from classinet.persistence.nets import NET_FILES, read_names, read_net, write_net
from classinet.persistence.reading import damaged, field, kind_of, read_lines, write_lines, write_object
from classinet.persistence.store import CONFIG, FORMAT, FORMAT_VERSION, read_config
from classinet.persistence.tensors import TensorFile, csr_arrays, write_tensors
from classinet.pipeline import ClassiNetClassifier, TextNet
from classinet.pipeline.head import FORMS, Head
from classinet.pipeline.pieces import Pieces
from classinet.pipeline.tuning import MAX_WEIGHT
from classinet.text import TextVectorizer, Tokenizer
from classinet.text.pieces import STEMS

Model: TypeAlias = TextNet | ClassiNetClassifier

TEXT_NET, CLASSIFIER = "text-net", "classifier"
HEAD, EXTRA, EXAMPLES, CARD = "head.safetensors", "extra_features.jsonl", "examples.jsonl", "README.md"
PHRASES, RUNS, SAMPLE = "phrases.jsonl", "runs.jsonl", "sample.safetensors"
FILES = NET_FILES | {CONFIG, HEAD, EXTRA, PHRASES, RUNS, EXAMPLES, SAMPLE, CARD}
CLASS_DTYPES = re.compile(r"<U[0-9]{1,5}|bool|u?int(8|16|32|64)|float(16|32|64)", re.ASCII)
CLASS_BYTES = 1 << 30
MAX_TEXTS = 1 << 53
READS_AS_NOW = 6  # the first format version whose nets read texts as those of today do
MAX_STEPS = MAX_HOPS  # what can be trained can be loaded


def text_net_of(model: Any) -> TextNet:
    """Return the fitted `TextNet` of a model, or say what is wrong with it."""
    text_net = getattr(model, "text_net_", None) if isinstance(model, ClassiNetClassifier) else model
    if isinstance(text_net, TextNet) and hasattr(text_net, "net_"):
        return text_net
    if isinstance(model, (TextNet, ClassiNetClassifier)):
        raise ParameterError(f"this {type(model).__name__} is not fitted; call fit before saving it")
    raise ParameterError(f"only a fitted TextNet or ClassiNetClassifier can be saved, got {model!r}")


# ------------------------------------------------------------------------------------------------------ writing


def write_model(model: Model, folder: Path, left_behind: list[str]) -> None:
    """Write all files of a version but its checksums; `left_behind` takes a line for everything that is not stored."""
    text_net = text_net_of(model)
    net: Net = text_net.net_.unedited
    if list(text_net.vectorizer_.get_feature_names_out()) != list(net.feature_names):
        raise StorageError("the model cannot be stored: its vectorizer does not count the features of its net")
    stored_net = write_net(net, folder, left_behind)
    if text_net.examples_ is not None:
        write_lines(folder / EXAMPLES, ([name, list(texts)] for name, texts in text_net.examples_.items()))
    sample = text_net.sample_ if isinstance(model, TextNet) else None
    if sample is not None:
        write_tensors(folder / SAMPLE, csr_arrays("sample", sample))
    config = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": CLASSIFIER if isinstance(model, ClassiNetClassifier) else TEXT_NET,
        "libraries": library_versions(),
        "texts": int(text_net.n_texts_),
        "fingerprint": text_net.fingerprint_,
        "sample": 0 if sample is None else sample.shape[0],
        **stored_net,
        "vectorizer": encode(text_net.vectorizer_, "vectorizer_"),
        "text_net": encode(text_net, type(text_net).__name__, left_behind),
        "classifier": _write_classifier(model, folder, left_behind) if isinstance(model, ClassiNetClassifier) else None,
        "left_behind": left_behind,
    }
    write_object(folder / CONFIG, config)
    with whole_file(folder / CARD) as file:
        file.write(model_card(config))
    # What a save leaves must load: better to learn it now than when the model is needed.
    try:
        read_model(folder, {file.name: file.stat().st_size for file in folder.iterdir()})
    except StorageError as error:
        raise StorageError(f"the model cannot be stored, because it could not be loaded again: {error}") from error


def library_versions() -> dict[str, str]:
    """Return the versions that the numbers of a model depend on."""
    return {
        "classinets": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
    }


def _write_classifier(model: ClassiNetClassifier, folder: Path, left_behind: list[str]) -> dict[str, Any]:
    head, plain = model.head_, model.plain_head_
    write_lines(folder / EXTRA, map(str, model.extra_features_))
    arrays = {"coef": head.coef, "intercept": head.intercept,
              "plain_coef": plain.coef, "plain_intercept": plain.intercept}  # fmt: skip
    if model.pieces_ is not None:
        write_lines(folder / PHRASES, model.pieces_.phrases)
        write_lines(folder / RUNS, model.pieces_.runs)
        arrays["run_rarity"] = model.pieces_.rarity
    write_tensors(folder / HEAD, arrays)
    own = {name: value for name, value in model.get_params(deep=False).items() if name not in ("net", "expansion")}
    return {
        # Without its expansion a loaded classifier could not predict, so that may not stay behind.
        "expansion": encode(model.expansion, "expansion"),
        "parameters": {name: encode(value, name, left_behind) for name, value in sorted(own.items())},
        "settings": encode(model.settings_, "settings_"),
        "form": head.form,
        "by_rarity": model.by_rarity_,
        "classes": {"dtype": _class_dtype(head.classes), "values": head.classes.tolist()},
    }


def _class_dtype(classes: NDArray[Any]) -> str:
    name = classes.dtype.str if classes.dtype.kind == "U" else classes.dtype.name
    if not CLASS_DTYPES.fullmatch(name):
        raise StorageError(f"labels of type {name} cannot be stored; use strings, numbers or bools as labels")
    return name


# ------------------------------------------------------------------------------------------------------ reading


def read_model(folder: Path, files: dict[str, int]) -> Model:
    """Build the unedited model from the files of a version, whose names and sizes are known to be right."""
    path = folder / CONFIG
    config = read_config(folder)
    try:
        text_net = _read_text_net(folder, config, files)
        if field(config, "kind", str, path) == TEXT_NET:
            return text_net
        if config["kind"] != CLASSIFIER:
            raise damaged(path, f"is of the kind {config['kind']!r}, neither {TEXT_NET!r} nor {CLASSIFIER!r}")
        return _read_classifier(folder, field(config, "classifier", dict, path), text_net, files)
    except (StorageError, MissingExtraError):
        raise
    except ClassiNetError as error:
        raise damaged(folder, str(error)) from error


def _read_text_net(folder: Path, config: dict[str, Any], files: dict[str, int]) -> TextNet:
    path = folder / CONFIG
    net = read_net(folder, field(config, "recipe", str, path), config.get("predictor"), files)
    found = {"features": net.n_features, "vertices": net.n_vertices, "edges": net.graph.n_edges}
    if field(config, "sizes", dict, path) != found:
        raise damaged(path, f"speaks of {kind_of(config['sizes'])}, and the files hold {found}")
    text_net: TextNet = decode_as(TextNet, config.get("text_net"), path)
    vectorizer: TextVectorizer = decode_as(TextVectorizer, config.get("vectorizer"), path)
    if field(config, "format_version", int, path) < READS_AS_NOW:
        vectorizer = _as_before(vectorizer)
    _refuse_endless(path, "ngram_range", *vectorizer.ngram_range)
    if text_net.model is not None:
        _refuse_endless(path, "hops", getattr(text_net.model.expansion, "hops", None))
    text_net.net_ = net
    text_net.vectorizer_ = vectorizer.with_vocabulary(list(net.feature_names))
    text_net.n_texts_ = _whole(config, "texts", 1, MAX_TEXTS, path)
    text_net.fingerprint_ = field(config, "fingerprint", str, path)
    text_net.examples_ = _read_examples(folder / EXAMPLES) if EXAMPLES in files else None
    text_net.sample_ = _read_sample(folder / SAMPLE, net.n_features) if SAMPLE in files else None
    return text_net


def _as_before(vectorizer: TextVectorizer) -> TextVectorizer:
    """Let texts be read as when a former net was built: with stems, and with clauses of Chinese for words."""
    tokenizer = Tokenizer() if vectorizer.tokenizer is None else vectorizer.tokenizer
    if isinstance(tokenizer, Tokenizer):
        tokenizer = tokenizer.set_params(unspaced="keep")
    changed: TextVectorizer = vectorizer.set_params(tokenizer=tokenizer, pieces=STEMS if vectorizer.pieces else False)
    return changed


def _read_sample(path: Path, n_features: int) -> Csr:
    with TensorFile(path) as tensors:
        sample = tensors.csr("sample", (None, n_features), np.float32)
    if not (sample.data > 0).all():
        raise damaged(path, "holds a count that is not above 0")
    return sample


def _read_examples(path: Path) -> dict[str, list[str]]:
    return dict(read_lines(path, _is_name_and_texts, "a feature and its texts"))


def _read_classifier(
    folder: Path, config: dict[str, Any], text_net: TextNet, files: dict[str, int]
) -> ClassiNetClassifier:
    path = folder / CONFIG
    extra = read_names(folder / EXTRA)
    phrases, runs = (tuple(read_names(folder / name)) if RUNS in files else () for name in (PHRASES, RUNS))
    form = field(config, "form", str, path)
    if form not in FORMS:
        raise damaged(path, f"gives the labels the form {form!r}, none of {', '.join(FORMS)}")
    classes = _read_classes(field(config, "classes", dict, path), path)
    if form == "classes" and len(classes) < 2:
        raise damaged(path, f"names {len(classes)} classes, where at least 2 are expected")
    n_own = text_net.net_.n_features + len(extra) + len(phrases) + len(runs)
    shape = (len(classes), n_own + text_net.net_.n_vertices)
    with TensorFile(folder / HEAD) as tensors:
        coef, plain_coef = (tensors.array(name, np.float64, (len(classes), width), finite=True)
                            for name, width in (("coef", shape[1]), ("plain_coef", n_own)))  # fmt: skip
        intercept, plain_intercept = (tensors.array(name, np.float64, (len(classes),), finite=True)
                                      for name in ("intercept", "plain_intercept"))  # fmt: skip
        pieces = None
        if RUNS in files:
            pieces = Pieces(phrases, runs, tensors.array("run_rarity", np.float64, (len(runs),), finite=True))
    heads = Head(coef, intercept, classes, form), Head(plain_coef, plain_intercept, classes, form)
    settings = _checked_settings(decode(field(config, "settings", dict, path), path), path)
    # Up to format version 2 inferred words were not weighed by rarity.
    by_rarity = field(config, "by_rarity", bool, path) if "by_rarity" in config else False
    parameters = _read_parameters(config, path)
    return ClassiNetClassifier.assemble(parameters, text_net, extra, pieces, heads, settings, by_rarity=by_rarity)


def _read_parameters(config: dict[str, Any], path: Path) -> dict[str, Any]:
    stored = field(config, "parameters", dict, path)
    known = set(ClassiNetClassifier().get_params(deep=False)) - {"net", "expansion"}
    for name in stored:
        if name not in known:
            raise damaged(path, f"gives the classifier a parameter {name!r}, which it does not have")
    # Classifiers of format version 1 knew no pieces, those of version 4 at first neither names nor unlabeled texts.
    former = {"pieces": False, "class_names": False, "unlabeled": False}
    parameters = former | {name: decode(value, path) for name, value in stored.items()}
    n_jobs = parameters.get("n_jobs")
    if n_jobs is not None and (type(n_jobs) is not int or n_jobs == 0):
        raise damaged(path, f"gives n_jobs {kind_of(n_jobs)}, where a number other than 0 is expected")
    if config.get("expansion") is not None:
        parameters["expansion"] = decode_as(Expansion, config["expansion"], path)
        _refuse_endless(path, "hops", getattr(parameters["expansion"], "hops", None))
    return parameters


def _checked_settings(settings: Any, path: Path) -> dict[str, Any]:
    if not isinstance(settings, dict) or not all(isinstance(key, str) for key in settings):
        raise damaged(path, f"'settings' is {kind_of(settings)}")
    weight = settings.get("weight")
    if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 <= weight <= MAX_WEIGHT:
        raise damaged(path, f"gives the expansion a weight of {kind_of(weight)}")
    return settings


def _read_classes(stored: dict[str, Any], path: Path) -> NDArray[Any]:
    dtype, values = field(stored, "dtype", str, path), field(stored, "values", list, path)
    if not CLASS_DTYPES.fullmatch(dtype):
        raise damaged(path, f"gives labels the type {dtype!r}")
    kind = np.dtype(dtype)
    expected: tuple[type, ...] = {"U": (str,), "b": (bool,), "f": (float, int)}.get(kind.kind, (int,))
    if not values or not all(type(value) in expected for value in values):
        raise damaged(path, f"its labels are not all of the type {dtype!r}")
    if len(set(values)) != len(values):
        raise damaged(path, "names a label more than once")
    if kind.itemsize * len(values) > CLASS_BYTES:
        raise damaged(path, f"asks for {kind.itemsize * len(values):,} bytes of labels")
    try:
        with np.errstate(over="ignore"):
            classes = np.array(values, dtype=kind)
    except OverflowError:
        raise damaged(path, f"has a label that is no {dtype}") from None
    if classes.tolist() != values:
        raise damaged(path, f"has a label that does not fit into {dtype}")
    return classes


def _refuse_endless(path: Path, name: str, *values: Any) -> None:
    """Refuse numbers that would keep a prediction busy for ever."""
    for value in values:
        if isinstance(value, int) and value > MAX_STEPS:
            raise damaged(path, f"gives {name} the number {value}, where at most {MAX_STEPS:,} is sensible")


def _whole(values: dict[str, Any], name: str, low: int, high: int, path: Path) -> int:
    value = field(values, name, int, path)
    if not low <= value <= high:
        raise damaged(path, f"entry {name!r} is {value}, where a number from {low} to {high} is expected")
    return value


def _is_name_and_texts(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], list)
        and all(isinstance(text, str) for text in value[1])
    )
