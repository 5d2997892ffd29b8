"""A fitted ClassiNet: an immutable value that the expansions read.

Enter: what the stages of a fit left behind. Leaves: one object that is shared, never copied and never refitted, so
that cross-validation and grid search over an expansion reuse it (`clone` returns the net itself).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from classinet._sparse import from_arrays, row_slice, take_rows
from classinet._typing import Csr, Floats, Integers
from classinet._validation import check_number
from classinet.edits import Edits
from classinet.exceptions import InputError
from classinet.graph import Edge, FeatureGraph
from classinet.graph.editing import entry
from classinet.graph.selection import read_only
from classinet.labels import LabelVectors, popcounts
from classinet.overlaps import Holders
from classinet.predictors.base import Predictor
from classinet.text.pieces import is_run


@dataclass(frozen=True)
class Vertex:
    """What a net knows of one vertex, or of a feature that is none and has no predictor.

    Attributes
    ----------
    name : its name.
    frequency : share of the unlabeled texts that hold it.
    fires : share of the held-out texts on which its predictor fires; None without a predictor or label vectors.
    degree_out, degree_in : number of edges that leave it and that lead to it.
    weights : features that matter most to its predictor and their weights (see `Predictor.feature_weights`), largest
        size first; None without a predictor.
    """

    name: str
    frequency: float
    fires: float | None
    degree_out: int
    degree_in: int
    weights: tuple[tuple[str, float], ...] | None


@dataclass(frozen=True, eq=False)
class Counts:
    """What a net that can be updated keeps of its texts, also of features that were too rare for it.

    Attributes
    ----------
    names : of all features that were counted.
    holding : number of texts that hold each.
    rows : columns of the features whose company was counted: vertices, and what may become one.
    met : rows × all features: how often each was met with each (`joint_counts`).
    """

    names: NDArray[np.object_]
    holding: Integers
    rows: Integers
    met: Csr


@dataclass(frozen=True, eq=False)
class Net:
    """The fitted net.

    Attributes
    ----------
    graph : the directed weighted graph of vertices.
    columns : the feature column of each vertex.
    feature_names : names of all features, in the order of the columns.
    frequency : share of the unlabeled texts that hold each feature: the empirical prior p(x_k).
    predictor : the fitted predictors, or None for a net that is only a graph.
    labels : their votes on held-out texts, or None.
    neighbors : what the search shortlisted (vertices × vertices, data = association), before edges of weight 0 fell
        away; or None.
    left_out : why each candidate vertex that was not learnt was left out.
    recipe : "paper", "default" or "custom".
    counts : what was counted in its texts, so that others can be added; None where that was not kept.
    edits : what a person banned and pinned; set by `edited`, which also edits the graph.
    """

    graph: FeatureGraph
    columns: Integers
    feature_names: NDArray[np.object_]
    frequency: Floats
    predictor: Predictor | None = None
    labels: LabelVectors | None = None
    neighbors: Csr | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    recipe: str = "custom"
    counts: Counts | None = None
    edits: Edits = field(default_factory=Edits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "left_out", MappingProxyType(dict(self.left_out)))
        if (len(self.edits) > 0) != (self.graph.unedited is not self.graph):
            raise InputError(
                "a net and its graph are edited together: make the unedited net and call its edited(edits)"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return partial(type(self), **{**values, "left_out": dict(self.left_out)}), ()

    def __sklearn_clone__(self) -> Self:
        return self

    def __repr__(self) -> str:
        edits = f", {len(self.edits)} edits" if len(self.edits) else ""
        return f"<Net: {self.n_vertices:,} vertices, {self.graph.n_edges:,} edges, recipe={self.recipe!r}{edits}>"

    @property
    def n_features(self) -> int:
        """Number of features a text is described by."""
        return len(self.feature_names)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.columns)

    def report(self) -> dict[str, NDArray[Any]]:
        """Return one array entry per vertex: its name, what training noted, and its quality on held-out texts."""
        columns: dict[str, NDArray[Any]] = {"name": self.graph.names}
        if self.predictor is not None:
            columns.update(self.predictor.report())
        if self.labels is not None:
            columns.update(self.labels.quality())
        return columns

    @cached_property
    def vertex_of_column(self) -> NDArray[np.int32]:
        """The vertex of each feature column, -1 for features that are no vertices."""
        if len(self.edits):
            return self.unedited.vertex_of_column
        vertices = np.full(self.n_features, -1, dtype=np.int32)
        vertices[self.columns] = np.arange(self.n_vertices, dtype=np.int32)
        return read_only(vertices)

    @cached_property
    def columns_ascend(self) -> bool:
        """Whether vertices stand in the order of their columns, so that sorted columns give sorted vertices."""
        return bool((np.diff(self.columns) > 0).all())

    # ----------------------------------------------------------------------------------------------- vertices

    def vertex(self, name: str, top: int = 20) -> Vertex:
        """Return what is known of a vertex, with the `top` features that matter most to its predictor.

        Of a feature that is no vertex, where the graph has edges for it, these and its frequency are known.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog"], dtype=object)
        >>> graph = FeatureGraph(names, np.array([[0, 0.8], [0, 0]]))
        >>> Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(2)).vertex("dog")
        Vertex(name='dog', frequency=1.0, fires=None, degree_out=0, degree_in=1, weights=None)
        """
        check_number("top", top, low=0, whole=True)
        if self._enters_by_first_hop(name):
            return Vertex(name, self.vertex_frequency(name), None, len(self.successors(name)), 0, None)
        i, W = self.graph.index(name), self.graph.weights
        labels, weights = self.labels, None
        if self.predictor is not None and self.predictor.n_vertices_ == self.n_vertices:
            own = self.predictor.feature_weights(i)
            strongest = np.argsort(-np.abs(own), kind="stable")[:top]
            weights = tuple((str(self.feature_names[c]), float(own[c])) for c in strongest if own[c] != 0)
        return Vertex(
            name=str(self.graph.names[i]),
            frequency=self.vertex_frequency(name),
            fires=None if labels is None else float(popcounts(labels.bits[[i]])[0] / labels.n_rows),
            degree_out=int(W.indptr[i + 1] - W.indptr[i]),
            degree_in=int(np.count_nonzero(W.indices == i)),
            weights=weights,
        )

    def vertex_frequency(self, name: str) -> float:
        """Return the share of the unlabeled texts that hold a vertex, or a feature that has edges.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog"], dtype=object)
        >>> graph = FeatureGraph(names, np.zeros((2, 2)))
        >>> net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.array([0.1, 0.3]))
        >>> net.vertex_frequency("dog")
        0.3
        """
        entering = self._enters_by_first_hop(name)
        return float(self.frequency[self._column[name] if entering else self.columns[self.graph.index(name)]])

    def beginning_with(self, prefix: str, top: int = 10) -> list[str]:
        """Return the names of features that have edges and begin with some letters, the most frequent first.

        Runs of letters of words, such as "sto…", are left out.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "car", "dog"], dtype=object)
        >>> graph = FeatureGraph(names, np.zeros((3, 3)))
        >>> net = Net(graph=graph, columns=np.arange(3), feature_names=names, frequency=np.array([0.1, 0.3, 0.2]))
        >>> net.beginning_with("ca"), net.beginning_with("", top=2)
        (['car', 'cat'], ['car', 'dog'])
        """
        check_number("top", top, low=0, whole=True)
        names, order = self._sorted_names
        start = bisect_left(names, prefix)
        stop = bisect_left(names, True, lo=start, key=lambda name: not name.startswith(prefix))
        found = order[start:stop]
        frequency = self.frequency[found]
        if len(found) > 4 * top:  # a short prefix has thousands of names, of which all but a few need no sorting
            least = np.partition(frequency, -top)[-top] if top else np.inf
            found, frequency = found[frequency >= least], frequency[frequency >= least]
        return [str(self.feature_names[i]) for i in found[np.argsort(-frequency, kind="stable")][:top]]

    @cached_property
    def _sorted_names(self) -> tuple[list[str], Integers]:
        if len(self.edits):
            return self.unedited._sorted_names
        usable = self.columns if self.graph.first_hop is None else range(self.n_features)
        whole = (column for column in usable if not is_run(str(self.feature_names[column])))
        order = np.array(sorted(whole, key=self.feature_names.__getitem__), dtype=np.int64)
        return [str(self.feature_names[i]) for i in order], read_only(order)

    # -------------------------------------------------------------------------------------------------- edits

    def edited(self, edits: Edits) -> Net:
        """Return the unedited net with edits in place of any it has; its `edits` note what each edge weighed before.

        Expansions of the net follow at once, and nothing else changes: weights that were not edited stay exactly what
        they were (see `FeatureGraph.edited`). A banned feature is never predicted, and nothing is expanded
        from it; a text that holds it keeps it. What is banned of a word is banned of the pieces of texts that hold it.

        Examples
        --------
        >>> import numpy as np
        >>> from classinet.edits import Edits
        >>> names = np.array(["cat", "dog"], dtype=object)
        >>> graph = FeatureGraph(names, np.array([[0, 0.8], [0.5, 0]]))
        >>> net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(2))
        >>> edited = net.edited(Edits().pin("cat", "dog", 0.1))
        >>> edited.edits.to_lines()
        ['{"pin": ["cat", "dog"], "weight": 0.1, "was": 0.8}']
        >>> edited.edited(edited.edits.undo()) is net
        True
        """
        origin = self.unedited
        if len(edits) == 0:
            return origin
        graph = origin.graph.edited(edits, origin._column, origin.pieces_holding)
        noted = Edits(
            tuple(
                edit if edit.target is None else replace(edit, was=origin.weight(edit.source, edit.target))
                for edit in edits
            )
        )
        net = replace(origin, graph=graph, edits=noted)
        net.__dict__["_origin"] = origin  # known already: the net itself rather than an equal one
        return net

    @property
    def unedited(self) -> Net:
        """The net before all edits: itself, where there are none."""
        # Not remembered by the net itself: that circle would keep its arrays until the collector comes by.
        return self if len(self.edits) == 0 else self._origin

    @cached_property
    def _origin(self) -> Net:
        return replace(self, graph=self.graph.unedited, edits=Edits())

    def weight(self, source: str, target: str) -> float:
        """Return the weight of the edge from a feature to a vertex, 0 where there is none.

        A feature that is no vertex has edges where the graph has a first hop.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog"], dtype=object)
        >>> graph = FeatureGraph(names, np.array([[0, 0.8], [0.5, 0]]))
        >>> Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(2)).weight("cat", "dog")
        0.8
        """
        graph = self.graph
        if self._enters_by_first_hop(source):
            assert graph.first_hop is not None
            return entry(graph.first_hop, self._column[source], graph.index(target))
        return entry(graph.weights, graph.index(source), graph.index(target))

    def successors(self, source: str, top: int | None = None) -> list[Edge]:
        """Return the edges that leave a feature, strongest first.

        A feature that is no vertex has edges where the graph has a first hop; of these only the weight is known.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog", "puppy"], dtype=object)
        >>> first_hop = np.array([[0, 0.8], [0.5, 0], [0.2, 0.9]])
        >>> graph = FeatureGraph(names[:2], first_hop[:2], first_hop=first_hop)
        >>> net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(3))
        >>> [(edge.target, edge.weight) for edge in net.successors("puppy")]
        [('dog', 0.9), ('cat', 0.2)]
        """
        graph = self.graph
        if not self._enters_by_first_hop(source):
            return graph.successors(source, top)
        if top is not None:
            check_number("top", top, low=0, whole=True)
        assert graph.first_hop is not None
        row = row_slice(graph.first_hop, self._column[source], self._column[source] + 1)
        order = np.argsort(-row.data, kind="stable")[:top]
        return [Edge(source, str(graph.names[row.indices[at]]), float(row.data[at])) for at in order]

    def predecessors(self, target: str, top: int | None = None) -> list[Edge]:
        """Return the edges that lead from vertices to a feature, strongest first: none, where it is no vertex.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog", "puppy"], dtype=object)
        >>> first_hop = np.array([[0, 0.8], [0.5, 0], [0.2, 0.9]])
        >>> graph = FeatureGraph(names[:2], first_hop[:2], first_hop=first_hop)
        >>> net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(3))
        >>> [(edge.source, edge.weight) for edge in net.predecessors("dog")], net.predecessors("puppy")
        ([('cat', 0.8)], [])
        """
        return [] if self._enters_by_first_hop(target) else self.graph.predecessors(target, top)

    def graph_from(self, *features: str) -> FeatureGraph:
        """Return the graph, with those of some features that are no vertices put into it; nothing leads to them.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog", "puppy"], dtype=object)
        >>> first_hop = np.array([[0, 0.8], [0.5, 0], [0, 0.9]])
        >>> graph = FeatureGraph(names[:2], first_hop[:2], first_hop=first_hop)
        >>> net = Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(3))
        >>> net.graph_from("puppy").most_probable_path("puppy", "cat").names
        ('puppy', 'dog', 'cat')
        """
        graph = self.graph
        outside = [name for name in dict.fromkeys(features) if self._enters_by_first_hop(name)]
        if not outside:
            return graph
        assert graph.first_hop is not None
        rows = take_rows(graph.first_hop, np.array([self._column[name] for name in outside], dtype=np.int64))
        W, n = graph.weights, len(graph.names) + len(outside)
        weights = from_arrays(
            np.concatenate([W.data, rows.data]), np.concatenate([W.indices, rows.indices]),
            np.concatenate([W.indptr, W.indptr[-1] + rows.indptr[1:]]), (n, n),
        )  # fmt: skip
        return FeatureGraph([*graph.names, *outside], weights)

    def _enters_by_first_hop(self, name: str) -> bool:
        """Whether this is no vertex, but a feature that has edges to vertices."""
        return self.graph.first_hop is not None and name not in self.graph and name in self._column

    @cached_property
    def banned_columns(self) -> Integers:
        """Columns of the banned features and of pieces of texts that hold one, in ascending order."""
        columns = [
            self.columns[self.graph.index(name)] if name in self.graph else self._column[name]
            for name in self.edits.banned()
        ]
        pieces = [column for name in self.edits.banned() for column in self.pieces_holding(name)]
        return read_only(np.unique(np.array([*columns, *pieces], dtype=np.int64)))

    def pieces_holding(self, word: str) -> list[int]:
        """Return the columns of a word's pieces that are no vertices: phrases it stands in, and its runs of letters.

        Examples
        --------
        >>> import numpy as np
        >>> names = np.array(["cat", "dog", "a cat", "dog ⊣"], dtype=object)
        >>> graph = FeatureGraph(names[:2], np.zeros((2, 2)))
        >>> Net(graph=graph, columns=np.arange(2), feature_names=names, frequency=np.ones(4)).pieces_holding("cat")
        [2]
        """
        holding = [column for column in self._holders.of(word) if self.vertex_of_column[column] < 0]
        return [column for column in holding if self.feature_names[column] != word]

    @cached_property
    def _holders(self) -> Holders:
        return self.unedited._holders if len(self.edits) else Holders([str(name) for name in self.feature_names])

    @cached_property
    def banned_vertices(self) -> Integers:
        """Positions of the banned vertices, in ascending order."""
        return read_only(np.flatnonzero(np.isin(self.columns, self.banned_columns)))

    @cached_property
    def _column(self) -> Mapping[str, int]:
        if len(self.edits):
            return self.unedited._column
        return {name: column for column, name in enumerate(self.feature_names)}
