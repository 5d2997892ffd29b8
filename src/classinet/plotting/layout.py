"""Where the vertices go: distances between vertices in, positions in points out.

The idea: first the plane in which distances on paper come closest to distances in the graph (stress majorisation, from
several fixed starts, the one with the fewest crossings being kept); then the smallest shifts after which no box covers
another, every arrow is long enough to be seen, and no arrow runs through a box that it does not belong to.
"""

from __future__ import annotations

import numpy as np

from classinet._typing import Floats, Integers

STARTS, VERTICES_IN_ALL = 12, 600  # a large picture tries fewer starts
FINISHED = 4  # the drafts with the fewest crossings are finished, and the best of them is kept
STEPS = 300
SETTLED = 1e-4
ROUNDS = 360
MARGIN = 7.0  # points left free around a box


def place(distances: Floats, pairs: Integers, boxes: Floats, gap: float, aspect: float) -> Floats:
    """Return one position per vertex, in points around the origin.

    Parameters
    ----------
    distances : (n, n) wanted distances between the middles of boxes, in points.
    pairs : (m, 2) vertices joined by a line.
    boxes : (n, 2) half width and half height of what is drawn at each vertex.
    gap : length in points that is to be seen of each line.
    aspect : wanted width of the whole over its height.

    Examples
    --------
    >>> distances = np.array([[0.0, 80.0], [80.0, 0.0]])
    >>> np.abs(place(distances, np.array([[0, 1]]), np.full((2, 2), 8.0), 30.0, 1.5)).round()
    array([[40.,  0.],
           [40.,  0.]])
    """
    n = len(distances)
    if n == 1:
        return np.zeros((1, 2))
    drafts = [_level(_majorise(start, distances), aspect) for start in _starts(distances)]
    drafts.sort(key=lambda draft: crossings(draft, pairs))
    fewest, chosen = np.inf, drafts[0]
    for draft in drafts[:FINISHED]:
        positions = _separate(draft, pairs, boxes, gap)
        faults = crossings(positions, pairs) + 3 * blocked(positions, pairs, boxes)
        if faults < fewest:
            fewest, chosen = faults, positions
        if not fewest:
            break
    centred: Floats = chosen - (chosen.min(axis=0) + chosen.max(axis=0)) / 2
    return centred


# ------------------------------------------------------------------------------------------------------------- stress


def _starts(distances: Floats) -> list[Floats]:
    """Classical scaling, then fixed random clouds of the same width."""
    n = len(distances)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    scaling = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    # The sign of an eigenvector is arbitrary: the largest entry of each is made positive.
    scaling *= np.sign(scaling[np.abs(scaling).argmax(axis=0), [0, 1]] + 1e-300)
    rng = np.random.default_rng(0)
    clouds = rng.normal(scale=distances.std(), size=(min(STARTS, VERTICES_IN_ALL // n) - 1, n, 2))
    # Vertices that scaling puts on one line, or on one spot, could never leave it.
    return [scaling + 1e-3 * clouds[0], *clouds]


def _majorise(positions: Floats, distances: Floats) -> Floats:
    """Lower Σ (|p_i - p_j| - d_ij)² / d_ij² step by step until it settles; every step solves a linear system."""
    n = len(positions)
    importance = 1.0 / np.where(distances > 0, distances, np.inf) ** 2
    laplacian = np.diag(importance.sum(axis=1)) - importance
    inverse = np.linalg.inv(laplacian + 1.0 / n) - 1.0 / n
    before = np.inf
    for _ in range(STEPS):
        apart = _apart(positions)
        stress = float((importance * (apart - distances) ** 2).sum()) / 2
        if before - stress <= SETTLED * stress:
            break
        before = stress
        pull = importance * np.divide(distances, apart, out=np.zeros_like(apart), where=apart > 0)
        positions = inverse @ (pull.sum(axis=1)[:, None] * positions - pull @ positions)
    return positions


def _apart(positions: Floats) -> Floats:
    step = positions[:, None] - positions[None]
    return np.hypot(step[..., 0], step[..., 1])


def _level(positions: Floats, aspect: float) -> Floats:
    """Turn the longest direction to the page's longer side, and widen or heighten towards the wanted shape."""
    centred = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1] if aspect >= 1 else axes
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    turned: Floats = centred @ axes
    width, height = np.ptp(turned, axis=0)
    if min(width, height) > 0:
        turned *= np.clip([aspect * height / width, width / (aspect * height)], 1.0, 1.5)
    return turned


# --------------------------------------------------------------------------------------------------------- separation


def _separate(positions: Floats, pairs: Integers, boxes: Floats, gap: float) -> Floats:
    """Shift vertices until boxes, lines and the gaps between joined boxes are clear, or the rounds are over."""
    positions = positions.copy()
    for turn in range(ROUNDS):
        shift = _part_boxes(positions, boxes) + _lengthen_lines(positions, pairs, boxes, gap)
        # Some graphs cannot be drawn without a line through a box; boxes must come apart all the same.
        if turn < ROUNDS * 3 // 4:
            shift += _clear_lines(positions, pairs, boxes)
        if np.abs(shift).max() < 0.01:
            break
        positions += 0.7 * shift
        if turn % 60 == 59:
            positions *= 1.05
    return positions


def _part_boxes(positions: Floats, boxes: Floats) -> Floats:
    step = positions[:, None] - positions[None]
    lack = boxes[:, None] + boxes[None] + MARGIN - np.abs(step)
    overlapping = (lack > 0).all(axis=2) & ~np.eye(len(boxes), dtype=np.bool_)
    side = np.where(step == 0, np.sign(np.subtract.outer(np.arange(len(boxes)), np.arange(len(boxes))))[..., None], 0)
    side = side + np.sign(step)
    along_x = overlapping & (lack[..., 0] < lack[..., 1])
    chosen = np.stack([along_x, overlapping & ~along_x], axis=2)
    shift: Floats = (np.where(chosen, lack, 0.0) * side).sum(axis=1) / 2
    return shift


def _lengthen_lines(positions: Floats, pairs: Integers, boxes: Floats, gap: float) -> Floats:
    start, stop = pairs.T
    step = positions[stop] - positions[start]
    length = np.maximum(np.hypot(*step.T), 1e-9)
    unit = step / length[:, None]
    lack = np.maximum(gap + _reach(boxes[start], unit) + _reach(boxes[stop], unit) - length, 0.0)
    shift = np.zeros_like(positions)
    np.add.at(shift, start, -unit * lack[:, None] / 2)
    np.add.at(shift, stop, unit * lack[:, None] / 2)
    return shift


def _reach(boxes: Floats, unit: Floats) -> Floats:
    """Distance from the middle of a box to its border in a direction."""
    reach: Floats = (boxes / np.maximum(np.abs(unit), 1e-9)).min(axis=1)
    return reach


def _clear_lines(positions: Floats, pairs: Integers, boxes: Floats) -> Floats:
    offset, lack, normal = _encroached(positions, pairs, boxes, MARGIN)
    side = np.where(offset < 0, -1.0, 1.0)
    push = (np.maximum(lack, 0.0) * side)[..., None] * normal[:, None, :]
    shift: Floats = push.sum(axis=0) / 2
    for ends in pairs.T:
        np.add.at(shift, ends, -push.sum(axis=1) / 4)
    return shift


def _encroached(positions: Floats, pairs: Integers, boxes: Floats, margin: float) -> tuple[Floats, Floats, Floats]:
    """Per line and box: signed distance, how much too small it is (≤ 0: clear), and the line's normal."""
    start, stop = pairs.T
    step = positions[stop] - positions[start]
    length = np.maximum(np.hypot(*step.T), 1e-9)
    unit = step / length[:, None]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    towards = positions[None] - positions[start][:, None]
    offset = np.einsum("lvx,lx->lv", towards, normal)
    along = np.einsum("lvx,lx->lv", towards, unit)
    lack = np.abs(normal) @ boxes.T + margin - np.abs(offset)
    beside = (along > 0) & (along < length[:, None])
    lines = np.arange(len(pairs))
    beside[lines, start] = beside[lines, stop] = False
    return offset, np.where(beside, lack, 0.0), normal


# ------------------------------------------------------------------------------------------------------------- judging


def crossings(positions: Floats, pairs: Integers) -> int:
    """Return how many pairs of straight lines cross, ends in common not counted.

    >>> square = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> crossings(square, np.array([[0, 1], [2, 3]]))
    1
    """
    start, stop = positions[pairs].transpose(1, 0, 2)

    def sides(points: Floats) -> Floats:
        step, towards = stop - start, points[None] - start[:, None]
        side: Floats = np.sign(step[:, None, 0] * towards[..., 1] - step[:, None, 1] * towards[..., 0])
        return side

    parted = sides(start) * sides(stop) < 0
    shared = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    return int((parted & parted.T & ~shared).sum()) // 2


def blocked(positions: Floats, pairs: Integers, boxes: Floats) -> int:
    """Return how many times a straight line runs through the box of a vertex that it does not join.

    >>> row = np.array([[0.0, 0.0], [50.0, 0.0], [100.0, 0.0]])
    >>> blocked(row, np.array([[0, 2]]), np.full((3, 2), 5.0))
    1
    """
    return int((_encroached(positions, pairs, boxes, 0.0)[1] > 0).sum())
