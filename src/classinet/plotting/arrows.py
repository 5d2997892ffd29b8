"""How arrows run and where their weights are written: positions of boxes in, curves and label places out.

An arrow is a quadratic curve from the border of one box to that of another. Two arrows between the same boxes bend to
different sides, each to the left of its own direction. Of a few bends the one that runs through no other box is taken;
of a few places along the curve the weight takes the one that covers nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classinet._typing import Flags, Floats

SAMPLES = 64
BENDS_APART = (1.0, 1.7, 2.6, 3.6)
BENDS_ALONE = (0.0, 1.0, -1.0, 2.0, -2.0, 3.2, -3.2)
PLACES = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8)
CLEARANCE = 1.5  # points between the border of a box and an arrow's end
LABEL_MARGIN = 1.0


@dataclass(frozen=True)
class Arrow:
    """An arrow to draw; `both_ways` has a head at either end, `apart` shares its boxes with one that runs back."""

    source: int
    target: int
    both_ways: bool
    apart: bool


@dataclass(frozen=True, eq=False)
class Routes:
    """Three control points per arrow, the middle of each weight, and how many weights still cover other text."""

    curves: Floats
    labels: Floats
    collisions: int


def route(positions: Floats, boxes: Floats, arrows: list[Arrow], label: Floats) -> Routes:
    """Return how the arrows run; `label` is half the width and height of a weight, which may be zero.

    >>> positions, boxes = np.array([[0.0, 0.0], [100.0, 0.0]]), np.full((2, 2), 8.0)
    >>> straight = route(positions, boxes, [Arrow(0, 1, both_ways=True, apart=False)], np.array([8.0, 4.0]))
    >>> straight.labels, straight.collisions
    (array([[50.,  0.]]), 0)
    """
    curves = np.array([_curve(positions, boxes, arrow) for arrow in arrows]).reshape(-1, 3, 2)
    labels, collisions = _write(curves, positions, boxes, label)
    return Routes(curves, labels, collisions)


def _curve(positions: Floats, boxes: Floats, arrow: Arrow) -> Floats:
    """Return the least bent curve that meets the fewest boxes of others, cut at the borders of its own."""
    start, stop = positions[arrow.source], positions[arrow.target]
    step = stop - start
    length = max(float(np.hypot(*step)), 1e-9)
    left = np.array([-step[1], step[0]]) / length
    others = np.ones(len(boxes), dtype=np.bool_)
    others[[arrow.source, arrow.target]] = False
    bulge = 6.0 + 0.05 * length
    best, fewest = None, np.inf
    for bend in BENDS_APART if arrow.apart else BENDS_ALONE:
        control = (start + stop) / 2 + 2 * bulge * bend * left
        curve = _cut(np.array([start, control, stop]), boxes[arrow.source], boxes[arrow.target])
        met = _inside(_points(curve), positions[others], boxes[others] + CLEARANCE).any(axis=0).sum()
        if met < fewest:
            best, fewest = curve, met
        if not fewest:
            break
    assert best is not None
    return best


def _cut(curve: Floats, source_box: Floats, target_box: Floats) -> Floats:
    """Return the part of a curve outside the boxes around its ends."""
    at = np.linspace(0.0, 1.0, 4 * SAMPLES + 1)
    points = _points(curve, at)
    ends, boxes = curve[[0, 2]], np.stack([source_box, target_box]) + CLEARANCE
    outside = ~_inside(points, ends, boxes).any(axis=1)
    if not outside.any():
        return curve
    first, last = at[outside][[0, -1]]
    # The control point of the part between two parameters is the curve's polar form at them.
    middle = (
        (1 - first) * (1 - last) * curve[0] + (first + last - 2 * first * last) * curve[1] + first * last * curve[2]
    )
    return np.array([_points(curve, np.array([first]))[0], middle, _points(curve, np.array([last]))[0]])


def _points(curve: Floats, at: Floats | None = None) -> Floats:
    at = np.linspace(0.0, 1.0, SAMPLES) if at is None else at
    basis = np.stack([(1 - at) ** 2, 2 * at * (1 - at), at**2], axis=1)
    points: Floats = basis @ curve
    return points


def _inside(points: Floats, middles: Floats, boxes: Floats) -> Flags:
    """Points × boxes: which lies in which."""
    within = np.abs(points[:, None] - middles[None]) < boxes[None]
    return within[..., 0] & within[..., 1]


def _write(curves: Floats, positions: Floats, boxes: Floats, label: Floats) -> tuple[Floats, int]:
    """Place the weights, those on short arrows first, where they cover no text and as few arrows as can be."""
    places = np.array(PLACES)
    candidates = (
        np.stack([_points(curve, places) for curve in curves]) if len(curves) else np.empty((0, len(places), 2))
    )
    labels = candidates[:, 0].copy()
    if not label.any():
        return labels, 0
    lines = np.concatenate([_points(curve) for curve in curves]) if len(curves) else np.empty((0, 2))
    written, collisions = np.zeros(len(curves), dtype=np.bool_), 0
    for arrow in np.argsort(np.hypot(*(curves[:, 2] - curves[:, 0]).T), kind="stable"):
        covered = _inside(candidates[arrow], positions, boxes + label + LABEL_MARGIN).sum(axis=1)
        covered += _inside(candidates[arrow], labels[written], 2 * label[None] + LABEL_MARGIN).sum(axis=1)
        foreign = np.delete(lines, np.s_[arrow * SAMPLES : (arrow + 1) * SAMPLES], axis=0)
        near = foreign[(np.abs(foreign - candidates[arrow, 0]) < np.ptp(candidates[arrow], axis=0) + label).all(axis=1)]
        touched = _inside(candidates[arrow], near, label[None]).sum(axis=1)
        chosen = int(np.argmin(1000.0 * covered + touched + 4 * np.abs(places - 0.5)))
        labels[arrow], written[arrow] = candidates[arrow, chosen], True
        collisions += int(covered[chosen] > 0)
    return labels, collisions
