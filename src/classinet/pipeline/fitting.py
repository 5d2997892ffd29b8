"""Labelled rows and what was chosen for them → a classifier: the same for the library and for every rival it meets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from classinet._typing import Csr, Floats
from classinet.merging import append
from classinet.pipeline.border import NOBODY, border_shift
from classinet.pipeline.head import Head
from classinet.pipeline.leeway import leeway, with_leeway
from classinet.pipeline.linear import fit_head
from classinet.pipeline.representation import weigh_blocks
from classinet.pipeline.targets import Targets
from classinet.pipeline.tuning import Settings


def fit_blocks(
    own: Csr, added: Csr, targets: Targets, weights: Floats, settings: Settings, asked: Floats = NOBODY
) -> Head:  # fmt: skip
    """Fit a classifier on [own | weight × added].

    Parameters
    ----------
    own, added : rows of the text itself, and of what stands beside it.
    targets, weights : the labels, and one weight a text and output.
    settings : C, weight and whether the own features get leeway.
    asked : as how many each text counts, if texts are to judge each other to find the border; see `texts_to_ask`.
    """
    free = leeway(own, targets, weights) if settings.leeway else np.ones(own.shape[1])
    joined = append(*weigh_blocks(with_leeway(own, free), added, settings.weight))
    head = fit_head(joined, targets, settings.C, weights)
    shift = border_shift(joined, targets, settings.C, weights, asked) if len(asked) else 0.0
    coef = head.coef * np.append(free, np.ones(added.shape[1]))
    return replace(head, coef=coef, intercept=head.intercept + shift)
