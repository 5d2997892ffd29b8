"""A graph written and read back by other libraries."""

from __future__ import annotations

import builtins
import csv
import os
import stat

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classinet.exceptions import MissingExtraError
from classinet.graph import FeatureGraph, export

NAMES = [
    "cat",
    'a "quoted" & <tagged> name',
    "tab\there",
    "line\nfeed\rreturn",
    "bell\x07",
    "lone\ud800",
    "größe 猫",
    "",
]
COUNTS = ("m11", "m10", "m01", "m00")


def graph_of(names, full=True, seed=0):
    n = len(names)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0, 1, (n, n)) * (rng.random((n, n)) < 0.6)
    np.fill_diagonal(weights, 0)
    stored = np.count_nonzero(weights)
    if not full:
        return FeatureGraph(names, weights)
    return FeatureGraph(names, weights, association=rng.normal(size=stored), counts=rng.integers(0, 2**40, (stored, 4)))


@pytest.fixture(params=[True, False], ids=["full", "bare"])
def graph(request):
    return graph_of(NAMES, request.param)


def readable(name):
    """What may be read back: U+FFFD stands for what XML cannot hold."""
    return name.replace("\x07", "\ufffd").replace("\ud800", "\ufffd")


def edges_of(graph):
    table = {name: column.tolist() for name, column in graph.edge_table().items()}
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    return {(readable(row.pop("source")), readable(row.pop("target"))): row for row in rows}


def test_edge_table(graph):
    table = graph.edge_table()
    wanted = ["source", "target", "weight"]
    if graph.counts is not None:
        wanted += ["association", *COUNTS]
        np.testing.assert_array_equal(np.column_stack([table[name] for name in COUNTS]), graph.counts)
    assert list(table) == wanted
    assert {len(column) for column in table.values()} == {graph.n_edges}
    dense = graph.weights.toarray()
    for source, target, weight in zip(table["source"], table["target"], table["weight"], strict=True):
        assert dense[graph.index(source), graph.index(target)] == weight


def test_to_scipy_is_a_copy(graph):
    matrix = graph.to_scipy()
    np.testing.assert_array_equal(matrix.toarray(), graph.weights.toarray())
    before = graph.weights.data[0]
    assert matrix.indices.dtype == matrix.indptr.dtype
    assert matrix.tocoo().nnz == graph.n_edges
    matrix.data[0] = -1
    assert graph.weights.data[0] == before


def test_to_networkx(graph):
    other = graph.to_networkx()
    assert list(other.nodes) == NAMES
    found = {(readable(a), readable(b)): data for a, b, data in other.edges(data=True)}
    assert found == edges_of(graph)


def test_networkx_missing_names_the_command(graph, monkeypatch):
    def refuse(module):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr("classinet._optional.import_module", refuse)
    with pytest.raises(MissingExtraError, match="pip install"):
        graph.to_networkx()


def read_by_label(other):
    labels = {node: data["label"] for node, data in other.nodes(data=True)}
    edges = {(labels[a], labels[b]): data for a, b, data in other.edges(data=True)}
    return list(labels.values()), edges


def test_graphml_is_read_back(graph, tmp_path):
    path = tmp_path / "graph.graphml"
    graph.write_graphml(path)
    labels, edges = read_by_label(nx.read_graphml(path))
    # networkx reads an empty <data> as None.
    assert [label or "" for label in labels] == [readable(name) for name in NAMES]
    assert {tuple(end or "" for end in ends): data for ends, data in edges.items()} == edges_of(graph)


def test_gexf_is_read_back(graph, tmp_path):
    path = tmp_path / "graph.gexf"
    graph.write_gexf(str(path))
    labels, edges = read_by_label(nx.read_gexf(path))
    assert labels == [readable(name) for name in NAMES]
    for data in edges.values():
        data.pop("id")
    assert edges == edges_of(graph)


def test_csv_is_read_back(graph, tmp_path):
    path = tmp_path / "graph.csv"
    graph.write_csv(path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = edges_of(graph)
    assert len(rows) == len(wanted)
    for row in rows:
        ends = readable(row.pop("source")), readable(row.pop("target"))
        assert {name: float(value) for name, value in row.items()} == wanted[ends]


@given(st.lists(st.text(max_size=6), min_size=1, max_size=6, unique=True), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_any_names_make_readable_files(tmp_path_factory, names, seed):
    folder = tmp_path_factory.mktemp("any")
    graph = graph_of(names, seed=seed)
    graph.write_gexf(folder / "g.gexf")
    graph.write_graphml(folder / "g.graphml")
    labels, _ = read_by_label(nx.read_gexf(folder / "g.gexf"))
    for name, label in zip(names, labels, strict=True):
        assert len(name) == len(label)
        assert all(a in (b, "\ufffd") for a, b in zip(label, name, strict=True))
    labels, edges = read_by_label(nx.read_graphml(folder / "g.graphml"))
    assert [len(label or "") for label in labels] == [len(name) for name in names]
    assert sum(1 for _ in edges) <= graph.n_edges


@pytest.mark.parametrize("kind", ["graphml", "gexf", "csv"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(kind, tmp_path, monkeypatch):
    graph = graph_of(NAMES)
    path = tmp_path / f"graph.{kind}"
    path.write_text("old")

    def broken(*arguments):
        yield (0, 1, 0.5, 0.5, 1, 1, 1, 1)
        raise RuntimeError("disk on fire")

    monkeypatch.setattr(export, "_edge_rows", broken)
    with pytest.raises(RuntimeError, match="disk on fire"):
        getattr(graph, f"write_{kind}")(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_a_written_file_is_as_readable_as_any_other(tmp_path):
    graph_of(["a", "b"]).write_csv(tmp_path / "g.csv")
    with builtins.open(tmp_path / "plain", "w"):
        pass
    assert stat.S_IMODE((tmp_path / "g.csv").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["g.csv", "plain"]
