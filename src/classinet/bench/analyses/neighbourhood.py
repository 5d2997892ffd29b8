"""How many of the exact k nearest a search finds, on α sampled vertices (§3.3, the check of the neighbourhood's size).

Two questions: does a search find the nearest by its own measure (`neighbors.recall`), and, as the paper asks it, are
these the vertices at the ends of the heaviest edges?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classinet._sparse import keep_entries
from classinet._typing import Csr, Integers
from classinet.bench.analyses.base import DEFAULT, LARGE, PAPER, Analysis, Materials, Table, Values, all_pairs, percent
from classinet.build.stages import predictor_vectors
from classinet.engine import ThreadEngine
from classinet.graph.selection import top_entries
from classinet.neighbors import PLEB, NeighborSearch, VectorNeighbors, recall, sample_vertices
from classinet.net import Net
from classinet.plotting._axes import chart_axes, label_axes
from classinet.plotting.curves import plot_learning_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZES = (1, 2, 5, 10, 20, 50, 100)
ALPHA = 200
PUBLISHED_K = 10


def compute(materials: Materials) -> Values:
    """Search once for the largest k; the nearest of a smaller one are among those found."""
    paper_net, net = materials.paper_net(LARGE).net_, materials.net.net_
    searches: tuple[tuple[str, Net, NeighborSearch], ...] = (
        (f"{PAPER}: PLEB", paper_net, PLEB(k=SIZES[-1])),
        (f"{DEFAULT}: PLEB", net, PLEB(k=SIZES[-1])),
        (f"{DEFAULT}: angle, as built", net, VectorNeighbors(k=SIZES[-1])),
        (f"{DEFAULT}: angle, by tables", net, VectorNeighbors(k=SIZES[-1], exact_below=0)),
    )
    curves = {}
    for done, (name, own, search) in enumerate(searches, start=1):
        sample = sample_vertices(own.n_vertices, ALPHA, materials.seed)
        vectors = predictor_vectors(own.predictor)
        with ThreadEngine(-1) as engine:
            found = search.search(own.labels, vectors, engine, materials.seed)
            shares = [recall(found, own.labels, vectors, search.association, k, sample, engine) for k in SIZES]
        curves[name] = {"vertices": own.n_vertices, "found": shares}
        if own is paper_net:
            heaviest = all_pairs(paper_net).graph.weights
            shares = [_overlap(found, heaviest, k, sample) for k in SIZES]
            curves[f"{PAPER}: PLEB, by edge weight"] = {"vertices": own.n_vertices, "found": shares}
        materials.progress("searches", done, len(searches))
    return {"alpha": ALPHA, "sizes": list(SIZES), "curves": curves}


def _overlap(found: Csr, weights: Csr, k: int, sample: Integers) -> float:
    """Share of the k heaviest edges of sampled vertices that lead to one of the k nearest found."""
    wanted, near = (keep_entries(matrix, top_entries(matrix, matrix.data, k)) for matrix in (weights, found))
    pairs = [
        (set(near.indices[slice(*near.indptr[i : i + 2])].tolist()), wanted.indices[slice(*wanted.indptr[i : i + 2])])
        for i in sample
    ]
    total = sum(len(heaviest) for _, heaviest in pairs)
    return sum(vertex in own for own, heaviest in pairs for vertex in heaviest.tolist()) / total if total else 1.0


def draw(values: Values, ax: Axes | None = None) -> Axes:
    """Draw the share that was found against k."""
    curves = {name: (own["found"],) * 3 for name, own in values["curves"].items()}
    ax = plot_learning_curve(values["sizes"], curves, measure="Share of the exact k nearest that was found", ax=ax)
    label_axes(chart_axes(ax), "k", ax.get_ylabel())
    ax.set_ylim(-0.02, 1.05)
    return ax


def table(values: Values) -> Table:
    """One row a search."""
    header = ["search", "vertices", *(f"k = {k}" for k in values["sizes"])]
    return header, [
        [name, f"{own['vertices']:,}", *map(percent, own["found"])] for name, own in values["curves"].items()
    ]


def finding(values: Values) -> str:
    """Say how each search does at the paper's k."""
    at = values["sizes"].index(PUBLISHED_K)
    told = "; ".join(
        f"{name} {percent(own['found'][at])} % at k = {PUBLISHED_K} and {percent(own['found'][-1])} % at "
        f"k = {values['sizes'][-1]}"
        for name, own in values["curves"].items()
    )
    return (
        f"The paper finds k = {PUBLISHED_K} an admissible trade-off between accuracy and speed, and gives no figures. "
        f"On {values['alpha']} sampled vertices: {told}."
    )


ANALYSIS = Analysis("neighbourhood", "Size of the neighbourhood", compute, draw, table, finding)
