"""A `Net` as files of one folder, and back.

Enter: a fitted net, or the folder of a version. Leave: its files, or a net over read-only arrays that lie in the mapped
files. Always the unedited net is stored; edits are kept beside the version and applied to what is loaded.

| file | holds |
|---|---|
| features.jsonl | the name of each feature |
| vertices.safetensors | the feature column of each vertex, the frequency of each feature |
| graph.safetensors | weights, and where the net has them: association, counts, first hop |
| neighbors.safetensors | the shortlist of the neighbour search |
| labels.safetensors | votes, presence, thresholds and quality of the predictors on held-out texts |
| predictor.safetensors | what the predictors learnt; predictor_left_out.jsonl says which candidates they did not |
| predictor_columns, predictor_weights .safetensors | the sparse weights of linear predictors, files of their own |
| counts.safetensors | what a net can be updated from; counted.jsonl has the names of the features that were counted |
| left_out.jsonl | why candidates are no vertices |
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classinet._typing import Csr, Floats, Integers
from classinet.exceptions import InputError, StorageError
from classinet.graph import FeatureGraph
from classinet.labels import WORD, LabelVectors, n_words
from classinet.net import Counts, Net
from classinet.persistence.codec import decode_as, encode
from classinet.persistence.linking import write_lone
from classinet.persistence.predictors import predictor_arrays, restore_predictor, storable
from classinet.persistence.reading import damaged, read_lines, write_lines
from classinet.persistence.store import CONFIG
from classinet.persistence.tensors import TensorFile, csr_arrays, write_tensors
from classinet.predictors import Predictor

FEATURES, LEFT_OUT, PREDICTOR_LEFT_OUT = "features.jsonl", "left_out.jsonl", "predictor_left_out.jsonl"
VERTICES, GRAPH, NEIGHBORS = "vertices.safetensors", "graph.safetensors", "neighbors.safetensors"
LABELS, PREDICTOR = "labels.safetensors", "predictor.safetensors"
# By far the largest arrays of a net; up to format version 3 they lay with the others.
APART = {"coef_.indices": "predictor_columns.safetensors", "coef_.data": "predictor_weights.safetensors"}
COUNTS, COUNTED = "counts.safetensors", "counted.jsonl"
NET_FILES = frozenset(
    {FEATURES, LEFT_OUT, PREDICTOR_LEFT_OUT, VERTICES, GRAPH, NEIGHBORS, LABELS, PREDICTOR, COUNTS, COUNTED}
    | set(APART.values()),
)
RECIPES = ("paper", "default", "custom")


def write_net(net: Net, folder: Path, left_behind: list[str]) -> dict[str, Any]:
    """Write the files of an unedited net; return its entry of the configuration."""
    graph, names = net.graph, net.feature_names
    if not np.array_equal(graph.names, names[net.columns]):
        raise StorageError("the net cannot be stored: the names of its graph are not those of its columns")
    write_lines(folder / FEATURES, map(str, names))
    write_lines(folder / LEFT_OUT, ([str(name), str(reason)] for name, reason in net.left_out.items()))
    write_tensors(folder / VERTICES, {"columns": _as(np.int64, net.columns), "frequency": _as(float, net.frequency)})
    arrays = csr_arrays("weights", graph.weights)
    if graph.association is not None:
        arrays["association"] = graph.association
    if graph.counts is not None:
        arrays["counts"] = graph.counts
    if graph.first_hop is not None:
        arrays |= csr_arrays("first_hop", graph.first_hop)
    write_tensors(folder / GRAPH, arrays)
    if net.neighbors is not None:
        write_tensors(folder / NEIGHBORS, csr_arrays("neighbors", net.neighbors))
    if net.labels is not None:
        write_tensors(folder / LABELS, _label_arrays(net.labels))
    if net.counts is not None:
        write_lines(folder / COUNTED, map(str, net.counts.names))
        arrays = {"holding": _as(np.int64, net.counts.holding), "rows": _as(np.int64, net.counts.rows)}
        write_tensors(folder / COUNTS, arrays | csr_arrays("met", net.counts.met))
    predictor = None if net.predictor is None else _write_predictor(net.predictor, net.columns, folder, left_behind)
    sizes = {"features": net.n_features, "vertices": net.n_vertices, "edges": graph.n_edges}
    return {"recipe": net.recipe, "sizes": sizes, "predictor": predictor}


def read_net(folder: Path, recipe: str, encoded_predictor: Any, files: dict[str, int]) -> Net:
    """Build an unedited net from its files.

    Parameters
    ----------
    folder : the version.
    recipe : name of the recipe.
    encoded_predictor : class and parameters of the predictor, or None.
    files : names of the files of the version.
    """
    if recipe not in RECIPES:
        raise damaged(folder / CONFIG, f"names a recipe {recipe!r}, none of {', '.join(RECIPES)}")
    names = read_names(folder / FEATURES)
    columns, frequency = _read_vertices(folder / VERTICES, len(names))
    n = len(columns)
    predictor = None
    if (encoded_predictor is not None) != (PREDICTOR in files):
        raise damaged(folder / CONFIG, f"and {PREDICTOR} do not belong together")
    if encoded_predictor is not None:
        apart = {name: folder / file for name, file in APART.items() if file in files}
        predictor = _read_predictor(folder, encoded_predictor, columns, len(names), apart)
    left_out = read_lines(folder / LEFT_OUT, _is_name_and_reason, "a name and a reason")
    return Net(
        graph=_read_graph(folder / GRAPH, names, columns),
        columns=columns,
        feature_names=names,
        frequency=frequency,
        predictor=predictor,
        labels=_read_labels(folder / LABELS, n) if LABELS in files else None,
        neighbors=_read_neighbors(folder / NEIGHBORS, n) if NEIGHBORS in files else None,
        left_out=dict(left_out),
        recipe=recipe,
        counts=_read_counts(folder, names) if COUNTS in files else None,
    )


def read_names(path: Path) -> NDArray[np.object_]:
    """Read names of features, all of them different."""
    lines = read_lines(path, _is_string, "a string")
    if len(set(lines)) != len(lines):
        raise damaged(path, "holds a name more than once")
    names = np.empty(len(lines), dtype=object)
    names[:] = lines
    return names


# ------------------------------------------------------------------------------------------- vertices and graph


def _read_vertices(path: Path, n_features: int) -> tuple[Integers, Floats]:
    with TensorFile(path) as tensors:
        columns = tensors.array("columns", np.int64, (None,))
        frequency = tensors.array("frequency", np.float64, (n_features,), finite=True)
    if len(columns) and not (columns.min() >= 0 and columns.max() < n_features):
        raise damaged(path, f"'columns' holds a column that is none of 0 to {n_features - 1}")
    if len(np.unique(columns)) != len(columns):
        raise damaged(path, "'columns' holds a column more than once")
    if not ((frequency >= 0) & (frequency <= 1)).all():
        raise damaged(path, "'frequency' holds a share outside [0, 1]")
    return columns, frequency


def _read_graph(path: Path, names: NDArray[np.object_], columns: Integers) -> FeatureGraph:
    n = len(columns)
    with TensorFile(path) as tensors:
        weights = tensors.csr("weights", (n, n), np.float64)
        association = counts = first_hop = None
        if "association" in tensors:
            association = tensors.array("association", np.float64, (weights.nnz,), finite=True)
        if "counts" in tensors:
            counts = tensors.array("counts", np.int64, (weights.nnz, 4))
        if "first_hop.indptr" in tensors:
            first_hop = tensors.csr("first_hop", (len(names), n), np.float64)
    if not weights.data.all():
        raise damaged(path, "holds an edge of weight 0")
    try:
        return FeatureGraph(names[columns], weights, association=association, counts=counts, first_hop=first_hop)
    except InputError as error:
        raise damaged(path, str(error)) from error


def _read_neighbors(path: Path, n: int) -> Csr:
    with TensorFile(path) as tensors:
        return tensors.csr("neighbors", (n, n), np.float64)


def _read_counts(folder: Path, features: NDArray[np.object_]) -> Counts:
    names, path = read_names(folder / COUNTED), folder / COUNTS
    if not set(features) <= set(names):
        raise damaged(folder / COUNTED, "does not name all features of the net")
    with TensorFile(path) as tensors:
        holding, rows = tensors.array("holding", np.int64, (len(names),)), tensors.array("rows", np.int64, (None,))
        met = tensors.csr("met", (len(rows), len(names)), np.float32)
    if (holding < 0).any() or (met.data < 0).any():
        raise damaged(path, "holds a negative count")
    if (rows < 0).any() or (rows >= len(names)).any() or (rows[1:] <= rows[:-1]).any():
        raise damaged(path, "'rows' does not list different features in order")
    return Counts(names, holding, rows, met)


# ------------------------------------------------------------------------------------------------------- labels


def _label_arrays(labels: LabelVectors) -> dict[str, NDArray[Any]]:
    return {
        "rows": np.array(labels.n_rows, dtype=np.int64),
        "bits": labels.bits,
        "present": labels.present,
        "thresholds": labels.thresholds,
        "auc": labels.auc,
        "f1": labels.f1,
    }


def _read_labels(path: Path, n: int) -> LabelVectors:
    with TensorFile(path) as tensors:
        rows = int(tensors.array("rows", np.int64, ()))
        if rows < 1:
            raise damaged(path, f"speaks of {rows} held-out texts")
        bits, present = (tensors.array(name, np.uint64, (n, n_words(rows))) for name in ("bits", "present"))
        thresholds, auc = (tensors.array(name, np.float64, (n,)) for name in ("thresholds", "auc"))
        f1 = tensors.array("f1", np.float64, (n,), finite=True)
    if np.isnan(thresholds).any():
        raise damaged(path, "'thresholds' holds a value that is no number")
    if rows % WORD:
        beyond = np.uint64(2**WORD - 2 ** (rows % WORD))
        if (bits[:, -1] & beyond).any() or (present[:, -1] & beyond).any():
            raise damaged(path, f"holds votes on more than its {rows} texts")
    return LabelVectors(bits, present, rows, thresholds, auc, f1)


# ---------------------------------------------------------------------------------------------------- predictor


def _write_predictor(predictor: Predictor, columns: Integers, folder: Path, left_behind: list[str]) -> Any:
    if not storable(predictor):
        left_behind.append(f"net_.predictor: {type(predictor).__name__}, which holds objects of other libraries")
        return None
    if not np.array_equal(predictor.columns_, columns):
        raise StorageError("the net cannot be stored: its predictors are not those of its vertices")
    arrays = predictor_arrays(predictor)
    for name in APART.keys() & arrays.keys():
        write_lone(folder / APART[name], arrays.pop(name))
    write_tensors(folder / PREDICTOR, arrays)
    write_lines(folder / PREDICTOR_LEFT_OUT, ([int(at), reason] for at, reason in predictor.left_out_.items()))
    return encode(predictor, "net_.predictor", left_behind)


def _read_predictor(
    folder: Path, encoded: Any, columns: Integers, n_features: int, apart: dict[str, Path]
) -> Predictor:
    predictor: Predictor = decode_as(Predictor, encoded, folder / CONFIG)
    if not storable(predictor):
        raise damaged(folder / CONFIG, f"names a predictor {type(predictor).__name__}, which is never stored")
    path = folder / PREDICTOR_LEFT_OUT
    left_out = dict(read_lines(path, _is_place_and_reason, "a number and a reason"))
    restore_predictor(predictor, TensorFile(folder / PREDICTOR, apart), columns, n_features, left_out)
    return predictor


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_name_and_reason(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(item, str) for item in value)


def _is_place_and_reason(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)


def _as(dtype: Any, array: Any) -> NDArray[Any]:
    return np.asarray(array, dtype=dtype)
