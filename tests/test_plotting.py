"""Pictures: what is drawn, where it stands, and that text covers no text."""

import io
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("matplotlib")
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.path import Path

from classinet.exceptions import InputError, MissingExtraError, ParameterError
from classinet.graph import FeatureGraph
from classinet.plotting import (
    expansion_ratios,
    plot_damping,
    plot_expansion_ratio,
    plot_graph,
    plot_learning_curve,
    plot_out_degree,
    plot_predictor_quality,
    save,
)
from classinet.plotting._lettering import lettering
from classinet.plotting.extract import extract
from classinet.plotting.layout import blocked, crossings, place
from classinet.plotting.quality import running_median


def graph_of(edges, names=None):
    """A graph of {(source, target): weight}; names in the order in which they first occur."""
    names = list(dict.fromkeys(name for pair in edges for name in pair)) if names is None else names
    W = np.zeros((len(names), len(names)))
    for (source, target), weight in edges.items():
        W[names.index(source), names.index(target)] = weight
    return FeatureGraph(names, W)


def both_ways(pairs, back=1.0):
    return {edge: w for (a, b), weight in pairs.items() for edge, w in (((a, b), weight), ((b, a), back * weight))}


def random_graph(n, edges_per_vertex, seed, asymmetric=True):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) < edges_per_vertex / n, 1) * rng.uniform(0.2, 1, (n, n))
    W[np.arange(n - 1), np.arange(1, n)] = rng.uniform(0.2, 1, n - 1)
    return FeatureGraph([f"word{i:03d}" for i in range(n)], W + W.T * (0.8 if asymmetric else 1.0))


def drawn(ax, kind):
    artists = [*ax.texts, *ax.patches]
    return {artist.get_gid(): artist for artist in artists if (artist.get_gid() or "").startswith(f"{kind}-")}


def names_drawn(ax):
    return [text.get_text() for text in drawn(ax, "vertex").values()]


def extents(ax):
    """Rendered boxes of all texts, those of names with their borders."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    return {
        text.get_gid(): (text.get_bbox_patch() if text.get_gid().startswith("vertex") else text).get_window_extent(
            renderer
        )
        for text in ax.texts
    }


def overlapping(ax):
    boxes = list(extents(ax).items())
    return [(a, b) for i, (a, one) in enumerate(boxes) for b, other in boxes[i + 1 :] if one.overlaps(other)]


def curve_of(arrow):
    """Control points of an arrow's shaft, which come before those of its heads."""
    return arrow.get_path().vertices[:3]


def png(ax):
    buffer = io.BytesIO()
    ax.figure.savefig(buffer, format="png")
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------------ which vertices


CHAIN = both_ways({("a", "b"): 0.9, ("b", "c"): 0.8, ("c", "d"): 0.7, ("a", "e"): 0.3})


def test_the_part_around_a_word_grows_hop_by_hop_and_by_strength():
    graph = graph_of(CHAIN)
    assert extract(graph, "a", k=4, size=30).names.tolist() == ["a", "b", "e", "c", "d"]
    assert extract(graph, "a", k=4, size=3).names.tolist() == ["a", "b", "e"]
    assert extract(graph, "d", k=4, size=1).names.tolist() == ["d"]


def test_only_mutual_edges_lead_on():
    graph = graph_of({**CHAIN, ("a", "z"): 1.0})
    assert "z" not in extract(graph, "a", k=4, size=30).names
    # With k = 1 a's only successor is b and b's is a; c's is b, who does not answer.
    assert set(extract(graph_of(CHAIN), "a", k=1, size=30).names) == {"a", "b"}


def test_the_strongest_part_is_the_heaviest_component_from_its_heaviest_vertex():
    light = both_ways({("p", "q"): 0.95})
    heavy = both_ways({("x", "y"): 0.6, ("y", "z"): 0.6})
    assert extract(graph_of({**light, **heavy}), None, k=4, size=30).names.tolist() == ["y", "x", "z"]


def test_the_part_is_connected_also_where_weights_are_one():
    ring = both_ways({(str(i), str((i + 7) % 20)): 1.0 for i in range(20)})
    ax = plot_graph(graph_of(ring), "0", size=9)
    joined, reached = [gid.split("-")[1:] for gid in drawn(ax, "edge")], {"0"}
    for _ in range(9):
        reached |= {end for pair in joined if reached & set(pair) for end in pair}
    assert reached == {str(i) for i in range(9)}


# ------------------------------------------------------------------------------------------------------------- drawing


def test_each_edge_is_an_arrow_with_its_weight_and_equal_directions_share_one():
    graph = graph_of({("cat", "dog"): 0.8, ("dog", "cat"): 0.6, ("cat", "pet"): 0.501, ("pet", "cat"): 0.499})
    ax = plot_graph(graph, "cat")
    assert names_drawn(ax) == ["cat", "dog", "pet"]
    weights = {gid: text.get_text() for gid, text in drawn(ax, "weight").items()}
    assert weights == {"weight-0-1": "0.80", "weight-1-0": "0.60", "weight-0-2": "0.50"}
    styles = {gid: type(arrow.get_arrowstyle()).__name__ for gid, arrow in drawn(ax, "edge").items()}
    assert styles == {"edge-0-1": "CurveFilledB", "edge-1-0": "CurveFilledB", "edge-0-2": "CurveFilledAB"}


def test_two_directions_bend_to_different_sides():
    ax = plot_graph(graph_of({("a", "b"): 0.9, ("b", "a"): 0.4}))
    there, back = (curve_of(arrow) for arrow in drawn(ax, "edge").values())
    across = np.array([there[0][1] - there[2][1], there[2][0] - there[0][0]])
    middle = (there[0] + there[2] + back[0] + back[2]) / 4
    assert (there[1] - middle) @ across * ((back[1] - middle) @ across) < 0


def test_arrows_end_at_the_borders_of_their_own_boxes():
    graph = random_graph(12, 2, seed=3)
    ax = plot_graph(graph)
    boxes = extents(ax)
    for gid, arrow in drawn(ax, "edge").items():
        _, source, target = gid.split("-")
        start, _, stop = ax.transData.transform(curve_of(arrow))
        for point, vertex in ((start, source), (stop, target)):
            box = boxes[f"vertex-{vertex}"]
            pixels = ax.figure.dpi / 72
            assert not box.contains(*point)
            assert box.padded(5 * pixels).contains(*point)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n", "edges", "asymmetric"), [(8, 2, True), (25, 1.5, True), (30, 3, False), (36, 1, True)])
def test_no_text_covers_text(n, edges, asymmetric, seed):
    ax = plot_graph(random_graph(n, edges, seed, asymmetric), size=n)
    assert len(drawn(ax, "vertex")) > n / 2
    assert overlapping(ax) == []


def test_a_tree_has_no_arrow_through_a_name():
    tree = both_ways({(f"v{(i - 1) // 3}", f"v{i}"): 0.5 for i in range(1, 25)})
    ax = plot_graph(graph_of(tree), "v0", k=5)
    boxes = extents(ax)
    assert len(drawn(ax, "vertex")) == 25
    for gid, arrow in drawn(ax, "edge").items():
        ends = {f"vertex-{i}" for i in gid.split("-")[1:]}
        path = Path(ax.transData.transform(curve_of(arrow)), [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        crossed = {
            name for name, box in boxes.items() if name.startswith("vertex") and path.intersects_bbox(box, False)
        }
        assert crossed <= ends


def test_everything_lies_inside_the_figure():
    ax = plot_graph(random_graph(20, 2, seed=5))
    page = ax.figure.bbox
    for box in extents(ax).values():
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1


def test_given_axes_are_used_and_text_shrinks_to_fit():
    small, large = (Figure(figsize=size, dpi=300).add_subplot() for size in ((3.5, 3.0), (9.0, 7.0)))
    graph = random_graph(20, 2, seed=6)
    for ax in (small, large):
        assert plot_graph(graph, ax=ax) is ax
        assert overlapping(ax) == []
        inside = ax.get_window_extent()
        assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for box in extents(ax).values())
    assert small.texts[0].get_fontsize() < large.texts[0].get_fontsize()


def test_the_same_graph_is_the_same_picture(tmp_path):
    graph = random_graph(12, 2, seed=7)
    for name in ("one.png", "two.png", "one.pdf", "two.pdf"):
        save(plot_graph(graph), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def test_weights_can_be_left_out_and_the_middle_is_marked():
    graph = graph_of(CHAIN)
    ax = plot_graph(graph, "c", weights=False)
    assert not drawn(ax, "weight")
    assert len(drawn(ax, "edge")) == 4
    marked, *others = (text.get_bbox_patch().get_facecolor() for text in drawn(ax, "vertex").values())
    assert sum(marked[:3]) < 1.0 < min(sum(colour[:3]) for colour in others)
    assert len({text.get_bbox_patch().get_facecolor() for text in drawn(plot_graph(graph), "vertex").values()}) == 1


def test_stronger_arrows_are_thicker_and_darker():
    ax = plot_graph(graph_of(both_ways({("a", "b"): 0.9, ("a", "c"): 0.2})), "a")
    strong, weak = drawn(ax, "edge").values()
    assert strong.get_linewidth() > weak.get_linewidth()
    assert strong.get_edgecolor()[0] < weak.get_edgecolor()[0]


# --------------------------------------------------------------------------------------------------- borders of a graph


def test_graphs_with_nothing_to_draw():
    with pytest.raises(InputError, match="no vertices"):
        plot_graph(FeatureGraph([], np.zeros((0, 0))))
    lonely = FeatureGraph(["a", "b"], np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"each other's 4 strongest successors.*raise k, or name a vertex"):
        plot_graph(lonely)
    assert names_drawn(plot_graph(lonely, "b")) == ["b"]
    alone = plot_graph(FeatureGraph(["only"], np.zeros((1, 1))))
    assert names_drawn(alone) == ["only"]
    assert not drawn(alone, "edge")


def test_wrong_parameters_are_named():
    graph = graph_of(CHAIN, ["a", "b", "c", "d", "e"])
    for wrong in ({"k": 0}, {"k": 1.5}, {"size": 0}, {"size": 201}, {"size": "all"}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} must be a whole number"):
            plot_graph(graph, **wrong)
    with pytest.raises(InputError, match="'thunderr' is no vertex of this graph; did you mean 'thunder'"):
        plot_graph(FeatureGraph(["thunder", "rain"], np.zeros((2, 2))), "thunderr")


# -------------------------------------------------------------------------------------------------------------- letters


HOSTILE = [
    "שלום עולם", "مرحبا", "中文", "😀", "🧠", "new\nline", "$x_1^2$", "$", "a_b", "x" * 300, "", "\x00", "\ud800",
    "\u202eabc", "e\u0301", "👨‍👩‍👧", "ไทย", "&<>\"'", "\ue000", "\U0010ffff", "\t", "%", "\\frac{", "{", "ffi",
]  # fmt: skip


def test_any_name_can_be_drawn_in_any_kind_of_file(tmp_path):
    ring = {(name, HOSTILE[i - 1]): 0.5 for i, name in enumerate(HOSTILE)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot_graph(graph_of(both_ways(ring), HOSTILE), "中文", size=len(HOSTILE))
        for kind in ("png", "svg", "pdf"):
            save(ax, tmp_path / f"picture.{kind}")
        assert overlapping(ax) == []
    shown = names_drawn(ax)
    assert len(shown) == len(HOSTILE)
    assert {"$x_1^2$", "a_b", "new line", "שלום עולם", "x" * 23 + "…", "abc", "\\frac{"} <= set(shown)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=40), min_size=1, max_size=4, unique=True))
def test_lettering_is_short_one_line_and_never_blank(names):
    letters = lettering(names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in letters.texts:
            assert 0 < len(text) <= 24
            assert text.strip()
            assert len(text.splitlines()) == 1
            width, height = letters.measure(text, 9.0)
            assert width >= 0
            assert height > 0


def test_what_no_font_has_is_told_by_name_or_box(monkeypatch):
    monkeypatch.setattr(
        "classinet.plotting._lettering._held", lambda path, characters: {c for c in characters if c < "\x7f"}
    )
    assert lettering(["a中😀\ufe0f"]).texts == ("a□:grinning face:",)
    assert lettering(["a\u200db"]).texts == ("ab",)


# --------------------------------------------------------------------------------------------------------------- layout


def test_layout_keeps_the_distances_of_a_path():
    n = 5
    distances = 100.0 * np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    positions = place(distances, pairs, np.full((n, 2), 6.0), gap=40.0, aspect=1.5)
    found = np.hypot(*(positions[:, None] - positions[None]).transpose(2, 0, 1))
    np.testing.assert_allclose(found, distances, atol=1.0)


def test_layout_finds_the_drawing_without_crossings():
    # A cube is planar, though three of its faces look as if they crossed.
    corners = np.array([[i >> b & 1 for b in range(3)] for i in range(8)])
    hops = np.abs(corners[:, None] - corners[None]).sum(axis=2)
    pairs = np.argwhere(np.triu(hops == 1))
    boxes = np.full((8, 2), 8.0)
    positions = place(80.0 * hops, pairs, boxes, gap=30.0, aspect=1.0)
    assert blocked(positions, pairs, boxes) == 0
    flat = place(80.0 * hops[:4, :4], np.argwhere(np.triu(hops[:4, :4] == 1)), boxes[:4], gap=30.0, aspect=1.0)
    assert crossings(flat, np.argwhere(np.triu(hops[:4, :4] == 1))) == 0


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10_000))
def test_boxes_never_overlap(n, seed):
    rng = np.random.default_rng(seed)
    boxes = rng.uniform(3, 60, (n, 2))
    pairs = np.array([(rng.integers(i), i) for i in range(1, n)])
    hops = np.full((n, n), np.inf)
    np.fill_diagonal(hops, 0)
    for i, j in pairs:
        hops[i, j] = hops[j, i] = 1
    for middle in range(n):
        hops = np.minimum(hops, hops[:, [middle]] + hops[[middle]])
    positions = place(60.0 * hops, pairs, boxes, gap=20.0, aspect=1.4)
    apart = np.abs(positions[:, None] - positions[None]) - boxes[:, None] - boxes[None]
    assert (apart.max(axis=2)[~np.eye(n, dtype=bool)] > 0).all()


# ----------------------------------------------------------------------------------------------------------- histograms


def heights(ax):
    return [int(bar.get_height()) for bar in ax.patches]


def star(n):
    W = np.zeros((n, n))
    W[0, 1:] = 0.5
    return FeatureGraph([str(i) for i in range(n)], W)


def test_out_degrees_are_counted_whole_and_weighted():
    graph = graph_of({("a", "b"): 0.5, ("a", "c"): 0.25, ("b", "c"): 1.0})
    ax = plot_out_degree(graph)
    assert heights(ax) == [1, 1, 1]
    assert [bar.get_x() for bar in ax.patches] == [-0.5, 0.5, 1.5]
    assert ax.texts[0].get_text() == "mean 1.00"
    weighted = plot_out_degree(graph, weighted=True)
    assert sum(heights(weighted)) == 3
    assert weighted.texts[0].get_text() == "mean 0.58"
    assert (ax.get_xlabel(), weighted.get_xlabel()) == (
        "Out-degree (number of edges)", "Out-degree (sum of edge weights)",
    )  # fmt: skip


def test_wide_degrees_get_logarithmic_axes_that_lose_no_vertex():
    n = 300
    W = np.tril(np.full((n, n), 0.5), -1)
    graph = FeatureGraph([str(i) for i in range(n)], W)
    for weighted in (False, True):
        ax = plot_out_degree(graph, weighted=weighted)
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
        assert sum(heights(ax)) == n - 1
        assert ax.get_xlabel().endswith("(1 vertex without edges not shown)")
    assert plot_out_degree(graph, log=False).get_xscale() == "linear"
    assert sum(heights(plot_out_degree(graph, log=False))) == n
    assert heights(plot_out_degree(star(5), log=True)) == [1]


def test_degrees_of_graphs_without_edges():
    assert heights(plot_out_degree(FeatureGraph(["a", "b"], np.zeros((2, 2))))) == [2]
    assert heights(plot_out_degree(FeatureGraph(["a", "b"], np.zeros((2, 2))), weighted=True)) == [2]
    with pytest.raises(InputError, match="use log=False"):
        plot_out_degree(FeatureGraph(["a"], np.zeros((1, 1))), log=True)
    with pytest.raises(InputError, match="no vertices"):
        plot_out_degree(FeatureGraph([], np.zeros((0, 0))))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 999))
def test_expansion_ratios_against_sets(n_texts, n_features, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n_texts, n_features)) < 0.4
    n_vertices = int(rng.integers(1, n_features + 1))
    columns = rng.choice(n_features, n_vertices, replace=False)
    E = (rng.random((n_texts, n_vertices)) < 0.5) * 0.3
    apart, together = expansion_ratios(X.astype(float), E), expansion_ratios(X.astype(float), E, columns)
    for row in range(n_texts):
        before, added = set(np.flatnonzero(X[row])), set(columns[np.flatnonzero(E[row])])
        if before:
            assert apart[row] == (len(before) + len(added)) / len(before)
            assert together[row] == len(before | added) / len(before)
        else:
            assert np.isnan(apart[row])
            assert np.isnan(together[row])


def test_expansion_ratios_refuse_what_does_not_fit():
    with pytest.raises(InputError, match="X has 1 rows and E 2"):
        expansion_ratios([[1.0]], [[1.0], [1.0]])
    for columns in ([0, 1], [5], [-1]):
        with pytest.raises(InputError, match="one of the 1 columns of X"):
            expansion_ratios([[1.0]], [[1.0]], columns)


def test_ratio_histogram_counts_every_known_text():
    rng = np.random.default_rng(0)
    ax = plot_expansion_ratio(np.append(rng.normal(27, 2, 1000), np.nan))
    assert sum(heights(ax)) == 1000
    assert ax.get_xlabel().endswith("(1 text without features not shown)")
    assert heights(plot_expansion_ratio([2.0] * 50)) == [50]
    for wrong, message in (
        ([], "empty"),
        ([np.nan], "NaN alone"),
        ([[1.0]], "flat"),
        ([np.inf], "infinity at place 0"),
    ):
        with pytest.raises(InputError, match=message):
            plot_expansion_ratio(wrong)


# --------------------------------------------------------------------------------------------------------------- curves


def test_damping_is_sorted_and_its_peak_named():
    ax = plot_damping(
        [0.9, 0.1, 0.85, 0.5], [0.7, 0.6, 0.8, np.nan], interval=([0.6, 0.5, 0.7, 0.1], [0.8, 0.7, 0.9, 0.2])
    )
    assert ax.lines[0].get_xdata().tolist() == [0.1, 0.5, 0.85, 0.9]
    assert ax.texts[0].get_text() == "best at 0.85"
    assert len(ax.collections) == 1
    assert ax.get_title() == ""
    assert plot_damping([0.5], [0.7], measure="Macro-$F_1$").get_ylabel() == "Macro-$F_1$"
    assert len(plot_damping([0.1, 0.2], [0.5, 0.5]).texts) == 0, "a flat curve has no best place"


def test_damping_refuses_what_does_not_fit():
    for arguments, message in (
        (([0.1, 0.2], [0.5]), "scores has 1 entries where 2 are needed"),
        (([0.1, np.nan], [0.5, 0.5]), "dampings must be numbers; place 1 holds nan"),
        (([0.1], [np.nan]), "scores holds NaN alone"),
        (([], []), "dampings is empty"),
        ((["x"], [1]), "dampings must be a sequence of numbers"),
    ):
        with pytest.raises(InputError, match=message):
            plot_damping(*arguments)
    with pytest.raises(InputError, match=r"interval has low 0.9 above high 0.8 at place 0"):
        plot_damping([0.1], [0.5], interval=([0.9], [0.8]))


def test_learning_curves_differ_in_more_than_colour():
    counts, methods = [1000, 10, 100], ["none", "_hidden", "$x$", "中文", *(f"method {i}" for i in range(16))]
    ax = plot_learning_curve(counts, {m: ([0.9, 0.5, 0.7], [0.8, 0.4, 0.6], [1, 0.6, 0.8]) for m in methods})
    assert ax.get_xscale() == "log"
    assert len(ax.collections) == len(methods)
    assert all(line.get_xdata().tolist() == [10, 100, 1000] for line in ax.lines)
    assert all(line.get_ydata().tolist() == [0.5, 0.7, 0.9] for line in ax.lines)
    assert len({(line.get_marker(), line._dash_pattern[1] and tuple(line._dash_pattern[1])) for line in ax.lines}) == 20
    assert [text.get_text() for text in ax.get_legend().get_texts()][:3] == ["none", "_hidden", "$x$"]
    png(ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["10", "100", "1,000"]


def test_learning_curve_refuses_what_does_not_fit():
    fine = ([0.5], [0.4], [0.6])
    for counts, curves, message in (
        ([0], {"a": fine}, "label_counts must be numbers above 0; place 0 holds 0.0"),
        ([10], {}, "curves holds no method"),
        ([10], {"a": ([0.5], [0.4])}, r"curves\['a'\] must be \(mean, low, high\)"),
        ([10, 20], {"a": fine}, r"curves\['a'\] has 1 entries where 2 are needed"),
        ([10], {"a": ([0.5], [0.7], [0.6])}, r"curves\['a'\] has low 0.7 above high 0.6"),
    ):
        with pytest.raises(InputError, match=message):
            plot_learning_curve(counts, curves)


# -------------------------------------------------------------------------------------------------------------- quality


def net_of(auc, frequency):
    auc, frequency = np.asarray(auc, dtype=float), np.asarray(frequency, dtype=float)
    return SimpleNamespace(report=lambda: {"auc": auc}, frequency=frequency, columns=np.arange(len(auc)))


def test_quality_shows_each_known_predictor_and_counts_the_rest():
    ax = plot_predictor_quality(net_of([0.9, np.nan, 0.7, 0.8], [0.1, 0.2, 0.001, 0.0]))
    assert ax.collections[0].get_offsets().tolist() == [[0.1, 0.9], [0.001, 0.7]]
    assert ax.get_xlabel().endswith("(2 predictors without AUC not shown)")
    assert ax.get_xscale() == "log"


def test_quality_of_many_predictors_is_drawn_in_cells():
    rng = np.random.default_rng(0)
    frequency = np.exp(rng.normal(-7, 1, 5000)).clip(max=1)
    ax = plot_predictor_quality(net_of(rng.uniform(0.4, 1, 5000), frequency))
    assert int(np.rint(ax.collections[0].get_array()).sum()) == 5000
    png(ax)


@pytest.mark.parametrize("n", [1, 30, 4000])
def test_quality_of_equal_predictors(n):
    ax = plot_predictor_quality(net_of(np.full(n, 0.75), np.full(n, 0.01)))
    assert set(ax.lines[1].get_ydata()) == {0.75}
    png(ax)


def test_quality_needs_held_out_votes():
    with pytest.raises(InputError, match="no predictor of this net has an AUC"):
        plot_predictor_quality(net_of([np.nan], [0.5]))
    without = SimpleNamespace(report=lambda: {"name": np.array(["a"])}, frequency=np.ones(1), columns=np.arange(1))
    with pytest.raises(InputError, match="no votes on held-out texts"):
        plot_predictor_quality(without)


def test_running_median_lies_on_a_line_that_rises():
    x = np.random.default_rng(0).permutation(1000).astype(float) + 1
    middle, median = running_median(x, 2 * x)
    np.testing.assert_allclose(median, 2 * middle)
    assert (np.diff(middle) > 0).all()


# ------------------------------------------------------------------------------------------------------------- manners


def test_save_writes_the_kind_of_the_suffix_whole(tmp_path):
    ax = plot_damping([0.1, 0.5], [0.5, 0.6])
    starts = {"a.png": b"\x89PNG", "b.SVG": b"<?xml", "c.pdf": b"%PDF"}
    for name, start in starts.items():
        save(ax if name != "a.png" else ax.figure, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert {file.name for file in tmp_path.iterdir()} == set(starts)
    for name in ("d.bmp", "no suffix"):
        with pytest.raises(ParameterError, match=r"a picture is a \.png, \.svg or \.pdf file"):
            save(ax, tmp_path / name)


def test_a_failed_save_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "picture.png"
    path.write_bytes(b"before")
    ax = plot_damping([0.1, 0.5], [0.5, 0.6])

    def fail(file, **options):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(ax.figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        save(ax, path)
    assert path.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["picture.png"]


def test_save_finds_the_figure_of_a_part_of_a_figure(tmp_path):
    figure = Figure()
    part = figure.subfigures(1, 2)[0]
    save(plot_damping([0.1], [0.5], ax=part.add_subplot()), tmp_path / "part.png")
    save(part, tmp_path / "same.png")
    assert (tmp_path / "part.png").read_bytes() == (tmp_path / "same.png").read_bytes()


def test_settings_stay_as_they_were():
    before = dict(matplotlib.rcParams)
    graph = random_graph(6, 2, seed=0)
    curve = ([0.5, 0.6], [0.4, 0.5], [0.6, 0.7])
    figure = Figure(figsize=(8, 8))
    given = figure.subplots(2, 2).ravel()
    plot_graph(graph)
    assert plot_out_degree(graph, ax=given[0]) is given[0]
    assert plot_expansion_ratio([1.0, 2.0], ax=given[1]) is given[1]
    assert plot_learning_curve([10, 20], {"a": curve}, ax=given[2]) is given[2]
    assert plot_predictor_quality(net_of([0.7, 0.8], [0.1, 0.2]), ax=given[3]) is given[3]
    assert all(ax.get_title() == "" and ax.get_xlabel() and ax.get_ylabel() for ax in given)
    assert dict(matplotlib.rcParams) == before


def test_matplotlib_is_imported_late_and_pyplot_never():
    code = (
        "import sys, classinet.plotting as p\n"
        "assert 'matplotlib' not in sys.modules\n"
        "p.plot_damping([0.1], [0.5]).figure.canvas.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r'pip install "classinets\[plot\]"'):
        plot_damping([0.1], [0.5])
