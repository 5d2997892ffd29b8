"""Add texts to a net without the texts it was built from, or make one net of two.

Enter: a net, and further texts over its features and new ones; or two nets. Leaves: a net. What an updatable net keeps
of its texts are counts, and counts add up: vectors are found anew from the counts of all texts, predictors of words
that occur in the further texts go on learning from them, and votes on held-out texts are put after the former ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from classinet._sparse import (
    canonical_csr,
    column_counts,
    entries_per_row,
    from_arrays,
    presence,
    take_columns,
    take_rows,
    transpose,
)
from classinet._typing import Csr, Flags, Floats, Integers
from classinet.build.corpus import Corpus
from classinet.build.stages import Recipe, connected, parted
from classinet.engine import Engine
from classinet.exceptions import InputError, ParameterError
from classinet.graph import FeatureGraph
from classinet.graph.selection import row_of_entries
from classinet.net import Counts, Net
from classinet.overlaps import overlapping_names
from classinet.predictors import Factorised, Setup
from classinet.predictors.cooccurrence import added, joint_counts
from classinet.predictors.factorised import Former
from classinet.text import TextVectorizer
from classinet.vertices import CountRule

# Features at least so frequent as the least frequent vertex, in parts of it, have their company counted.
RESERVE = 0.5


def check_updatable(net: Net, recipe: Recipe) -> None:
    """Refuse a net to which nothing can be added, and say why."""
    if net.counts is None:
        raise InputError(
            "the net did not keep the counts that updating it needs; build it with TextNet(updatable=True) "
            "(classinet build --updatable)"
        )
    if len(net.edits):
        raise InputError("the net is edited; undo its edits, update it, and make them again")
    check_recipe(recipe)


def check_recipe(recipe: Recipe) -> None:
    """Refuse a recipe whose nets could not be updated."""
    if not isinstance(recipe.predictor, Factorised):
        raise ParameterError(
            f"nets of {recipe.predictor!r} cannot be updated: each of these predictors would need all former texts to "
            "learn from; use Factorised()"
        )
    if not isinstance(recipe.vertices, CountRule):
        raise ParameterError(f"{recipe.vertices!r} looks at more than counts, so vertices cannot be chosen anew")


def count_all(corpus: Corpus, vectorizer: TextVectorizer, kept: Integers, net: Net, engine: Engine) -> Counts:
    """Return what a net can be updated from.

    Parameters
    ----------
    corpus : its texts, over all their features.
    vectorizer : knows which features are words, and may become vertices.
    kept : the columns that are features of the net.
    net : the net.
    engine : where batches run.
    """
    holding = column_counts(corpus.matrix)
    rows = _with_reserve(kept[net.columns], holding, vectorizer.words_among(corpus.names))
    return Counts(corpus.names, holding, rows, _met(corpus, kept, rows, engine))


def restricted(corpus: Corpus, kept: Integers) -> Corpus:
    """Return a corpus over some of its features."""
    matrix = take_columns(corpus.matrix, kept)
    targets = None if corpus.targets is None else take_columns(corpus.targets, kept)
    return replace(corpus, matrix=matrix, targets=targets, names=corpus.names[kept])


def update_net(
    recipe: Recipe, vectorizer: TextVectorizer, net: Net, n_texts: int, corpus: Corpus,
    overlaps: Callable[[Corpus], Csr | None], seed: int, engine: Engine,
) -> Net:  # fmt: skip
    """Return the net with further texts added to it: its features and vertices are those of all texts.

    Parameters
    ----------
    recipe, vectorizer : how the net was built, and which features it keeps.
    net : the net, with counts and not edited.
    n_texts : number of texts it was built from.
    corpus : further texts over all their features and all that were counted before.
    overlaps : which features of a corpus must not predict each other; None: what overlapping names say.
    seed : seed of every random choice.
    engine : where batches run.
    """
    check_updatable(net, recipe)
    assert net.counts is not None
    assert isinstance(recipe.vertices, CountRule)
    if corpus.n_texts < 2:
        raise InputError("one text is too few to add to a net: at least 2 are needed, to learn from and to hold out")
    former, n_all = net.counts, n_texts + corpus.n_texts
    place = {name: column for column, name in enumerate(corpus.names)}
    column_of = np.array([place[name] for name in former.names], dtype=np.int64)

    # 1. Counts of all texts, and the features and vertices they ask for.
    holding = column_counts(corpus.matrix)
    holding[column_of] += former.holding
    kept = vectorizer.choose(list(corpus.names), holding, n_all)
    part, words = restricted(corpus, kept), vectorizer.words_among(corpus.names)
    columns = recipe.vertices.choose_by(np.where(words, holding, 0)[kept])
    everywhere = holding[kept[columns]] == n_all
    left_out = {
        str(part.names[c]): "occurs in every text, so nothing says when it is missing" for c in columns[everywhere]
    }
    columns = columns[~everywhere]
    rows = _with_reserve(kept[columns], holding, words)
    known_rows = column_of[former.rows]
    known = _moved(former.met, known_rows, column_of, (len(place), len(place)))
    met = added(_rows_of(known, rows, known_rows, mirrored=corpus.targets is None), _met(corpus, kept, rows, engine))
    del known

    # 2. Predictors go on learning.
    predictor: Factorised = clone(recipe.predictor)
    X, targets = part.matrix, part.matrix if part.targets is None else part.targets
    contexts, wanted, unseen, missed = parted(recipe, predictor, X, targets, columns, part.names, seed, engine)
    staying, positions = _found(np.array([place[name] for name in net.graph.names]), kept[columns])
    before = None
    if isinstance(net.predictor, Factorised):
        was = np.array([place[name] for name in net.feature_names], dtype=np.int64)
        were = _shares(net.frequency[net.columns[staying]], n_texts)
        before = Former(net.predictor, *_found(was, kept), staying, positions, were)
    forbidden = overlaps(part)
    masks = overlapping_names(list(part.names), columns) if forbidden is None else take_rows(forbidden, columns)
    own = take_rows(met, np.searchsorted(rows, kept[columns]))
    shares = _shares(holding[kept[columns]] / n_all, n_all)
    setup = Setup(columns, part.names, seed, engine, ordered=True, leading=~words[kept])
    predictor.resume(before, take_columns(own, kept), shares, contexts, wanted, masks, setup=setup)

    # 3. Votes after the former ones, neighbours, edges.
    labels = recipe.labels.vote(predictor, unseen, missed, engine)
    if net.labels is not None:
        labels = labels.after(net.labels.take(staying), positions)
    near, graph = connected(recipe, predictor, labels, columns, part.names, unseen, seed, engine)
    return Net(
        graph=graph, columns=columns, feature_names=part.names, frequency=holding[kept] / n_all, predictor=predictor,
        labels=labels, neighbors=near, left_out=left_out, recipe=net.recipe,
        counts=Counts(corpus.names, holding, rows, met),
    )  # fmt: skip


def merge_nets(nets: Sequence[Net], n_texts: Sequence[int]) -> Net:
    """Return one net of several: all their features, vertices and edges, their counts added up.

    The weight of an edge is the mean of its weights in the nets that know both of its ends, by their numbers of texts;
    a net that knows both and has no edge between them counts with 0. Predictors and their votes belong to one net, and
    stay behind.

    Parameters
    ----------
    nets : at least two, none edited.
    n_texts : number of texts of each.

    Examples
    --------
    >>> names = np.array(["cat", "dog"], dtype=object)
    >>> here, there = (
    ...     Net(graph=FeatureGraph(names, np.array([[0, w], [0.5, 0]])), columns=np.arange(2), feature_names=names,
    ...         frequency=np.array([0.5, 0.1]))
    ...     for w in (0.8, 0.2)
    ... )
    >>> merge_nets([here, there], [300, 100]).graph.successors("cat")[0].weight
    0.65
    """
    if len(nets) < 2 or len(nets) != len(n_texts):
        raise InputError(f"merging takes at least two nets and their numbers of texts, got {len(nets)}, {len(n_texts)}")
    if any(len(net.edits) for net in nets):
        raise InputError("a net is edited; undo its edits before it is merged")
    names = np.array(sorted({str(name) for net in nets for name in net.feature_names}), dtype=object)
    place = {name: column for column, name in enumerate(names)}
    columns_of = [np.array([place[name] for name in net.feature_names], dtype=np.int64) for net in nets]
    columns = np.unique(np.concatenate([of[net.columns] for net, of in zip(nets, columns_of, strict=True)]))
    vertices_of = [np.searchsorted(columns, of[net.columns]) for net, of in zip(nets, columns_of, strict=True)]
    n_all, shape = sum(n_texts), (len(names), len(columns))

    holding = np.zeros(len(names))
    rows, known = [], np.zeros((len(nets), len(names)), dtype=bool)
    for i, (net, of, vertices) in enumerate(zip(nets, columns_of, vertices_of, strict=True)):
        holding[of] += net.frequency * n_texts[i]
        known[i, of] = True
        rows.append(_moved(_all_rows(net), of, vertices, shape))
    weights = _mean_weights(rows, known, columns, vertices_of, n_texts)
    own = take_rows(weights, columns)
    counts = _sum_of_counts(own, nets, vertices_of)
    outside = any(net.graph.first_hop is not None for net in nets)
    graph = FeatureGraph(names[columns], own, counts=counts, first_hop=weights if outside else None)
    return Net(graph=graph, columns=columns, feature_names=names, frequency=holding / n_all,
               counts=_joined_counts(nets))  # fmt: skip


def _met(corpus: Corpus, kept: Integers, vertices: Integers, engine: Engine) -> Csr:
    """How often vertices are met with all features, the length of a text being what it has of the kept ones."""
    seen = presence(corpus.matrix)
    targets = corpus.matrix if corpus.targets is None else corpus.targets
    lengths = entries_per_row(take_columns(seen, kept))
    return joint_counts(seen, presence(take_columns(targets, vertices)), engine, "counts for updates", lengths)


def _found(wanted: Integers, among: Integers) -> tuple[Integers, Integers]:
    """Which of the wanted are there, and where; `among` ascends."""
    there = np.flatnonzero(np.isin(wanted, among))
    return there, np.searchsorted(among, wanted[there])


def _shares(shares: Floats, n_texts: int) -> Floats:
    """Shares of texts, never quite 0 or 1."""
    return np.asarray((np.rint(shares * n_texts) + 0.5) / (n_texts + 1.0))


def _moved(matrix: Csr, rows: Integers, columns: Integers, shape: tuple[int, int]) -> Csr:
    """Give rows and columns their new numbers."""
    place = rows[row_of_entries(matrix)], columns[matrix.indices]
    return canonical_csr(sparse.csr_array((matrix.data, place), shape=shape), matrix.dtype.type)


def _with_reserve(vertices: Integers, holding: Integers, candidates: Flags) -> Integers:
    """Return the columns of vertices and of candidates that are nearly as frequent, ascending.

    Further texts may make these vertices too, and then their whole company has to be known: with a hundred new vertices
    among 4,000 whose company was known in part, a tenth of all neighbours were others.
    """
    least = RESERVE * holding[vertices].min(initial=np.iinfo(np.int64).max)
    return np.union1d(vertices, np.flatnonzero(candidates & (holding >= max(least, 2))))


def _rows_of(known: Csr, columns: Integers, former_columns: Integers, *, mirrored: bool) -> Csr:
    """Rows of some features from features × features, where only some have theirs.

    Where features that occur in a text are also what is predicted of it, who meets whom is the same from both ends: a
    new row gets what former rows were met with. What it met among other features is not known.
    """
    rows = take_rows(known, columns)
    new = np.setdiff1d(columns, former_columns)
    if not (mirrored and len(new)):
        return rows
    turned = take_rows(transpose(known), new)
    return added(rows, _moved(turned, np.searchsorted(columns, new), np.arange(known.shape[1]), rows.shape))


def _all_rows(net: Net) -> Csr:
    """Features × vertices: the edges of every feature that has some."""
    if net.graph.first_hop is not None:
        return net.graph.first_hop
    return _moved(net.graph.weights, net.columns, np.arange(net.n_vertices), (net.n_features, net.n_vertices))


def _mean_weights(
    rows: list[Csr], known: NDArray[np.bool_], columns: Integers, vertices_of: list[Integers], n_texts: Sequence[int]
) -> Csr:
    """The mean of each weight, by numbers of texts, over the nets that know the feature and the vertex."""
    total = rows[0] * float(n_texts[0])
    for part, n in zip(rows[1:], n_texts[1:], strict=True):
        total = total + part * float(n)
    total = canonical_csr(total)
    sources = row_of_entries(total)
    size = np.zeros(total.nnz)
    for i, vertices in enumerate(vertices_of):
        is_vertex = np.zeros(len(columns), dtype=bool)
        is_vertex[vertices] = True
        size += n_texts[i] * (known[i, sources] & is_vertex[total.indices])
    return from_arrays(np.minimum(total.data / size, 1.0), total.indices, total.indptr, total.shape)


def _sum_of_counts(own: Csr, nets: Sequence[Net], vertices_of: list[Integers]) -> Integers | None:
    """M11, M10, M01, M00 of every edge over the nets that have it; None where a net has no counts."""
    if any(net.graph.counts is None for net in nets):
        return None
    counts = np.zeros((own.nnz, 4), dtype=np.int64)
    n = own.shape[0]
    edges = row_of_entries(own) * n + own.indices
    for net, vertices in zip(nets, vertices_of, strict=True):
        W = net.graph.weights
        heads = vertices[row_of_entries(W)]
        # Every edge of a net is among all edges, and once.
        counts[np.searchsorted(edges, heads * n + vertices[W.indices])] += np.asarray(net.graph.counts)
    return counts


def _joined_counts(nets: Sequence[Net]) -> Counts | None:
    """Counts of all nets; None unless all have kept theirs."""
    kept = [net.counts for net in nets if net.counts is not None]
    if len(kept) < len(nets):
        return None
    names = np.array(sorted({str(name) for counts in kept for name in counts.names}), dtype=object)
    place = {name: column for column, name in enumerate(names)}
    columns_of = [np.array([place[name] for name in counts.names], dtype=np.int64) for counts in kept]
    rows = np.unique(np.concatenate([of[counts.rows] for of, counts in zip(columns_of, kept, strict=True)]))
    holding = np.zeros(len(names), dtype=np.int64)
    met: Csr = canonical_csr(sparse.csr_array((len(rows), len(names))), np.float32)
    for of, counts in zip(columns_of, kept, strict=True):
        holding[of] += counts.holding
        met = added(met, _moved(counts.met, np.searchsorted(rows, of[counts.rows]), of, met.shape))
    return Counts(names, holding, rows, met)
