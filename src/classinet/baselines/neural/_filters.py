"""The network of the CNN rival in torch, and how it is trained: filters, the strongest answer of each, a softmax.

This module imports torch; it is reached from inside `adapt` and `predict` only, where torch has been asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from classinet._typing import Flags, Integers, Progress, Singles
from classinet.baselines.neural._networks import embedding_of
from classinet.baselines.neural._sequences import Block, Sequences, batches_by_length, training_batches

WINDOWS = (3, 4, 5)
DROPOUT = 0.5
LONGEST_WEIGHTS = 3.0
RATE = 1e-3

# A pass over few texts is over before anything is learnt; a round has at least so many mini-batches.
FEWEST_BATCHES = 20
PATIENCE = 2
TEXTS_AT_ONCE = 256


class Examples(NamedTuple):
    """Labelled texts: word numbers, and the number of each text's class."""

    texts: Sequences
    classes: Integers


class Filters(nn.Module):
    """Filters over windows of words, the strongest answer of each, dropout, and one score a class."""

    def __init__(self, vectors: Singles, n_filters: int, n_classes: int) -> None:
        super().__init__()
        self.embedding = embedding_of(vectors, trained=True)
        self.filters = nn.ModuleList(nn.Conv1d(vectors.shape[1], n_filters, window) for window in WINDOWS)
        self.output = nn.Linear(len(WINDOWS) * n_filters, n_classes)

    def forward(self, codes: Tensor, lengths: Tensor) -> Tensor:
        """Return the scores, texts × classes. A window begins with a word, and may reach past the text's end."""
        padded = self.embedding(F.pad(codes, (0, max(WINDOWS)))).transpose(1, 2)
        strongest = []
        for window in self.filters:
            answers = F.relu(window(padded))
            begins_inside = torch.arange(answers.shape[2]) < lengths[:, None, None]
            strongest.append((answers * begins_inside).amax(2))
        scores: Tensor = self.output(F.dropout(torch.cat(strongest, dim=1), DROPOUT, self.training))
        return scores

    def score(self, texts: Block) -> Tensor:
        """Return the scores of a block of texts."""
        scores: Tensor = self(torch.from_numpy(texts.codes), torch.from_numpy(texts.lengths))
        return scores

    def scores(self, texts: Sequences, rows: Integers) -> Singles:
        """Return the scores of some texts, in their order."""
        self.eval()
        found = np.empty((len(texts.lengths), self.output.out_features), dtype=np.float32)
        with torch.inference_mode():
            for some in batches_by_length(rows, texts.lengths, TEXTS_AT_ONCE):
                found[some] = self.score(texts.block(some)).numpy()
        return found[rows]

    def with_words(self, vectors: Singles) -> Filters:
        """Append words that were not met in training, with the vectors they had."""
        met = self.embedding.weight.detach().numpy()
        self.embedding = embedding_of(np.concatenate([met, vectors]), trained=False)
        return self


def train_filters(
    network: Filters,
    examples: Examples,
    held_out: Flags,
    max_rounds: int,
    batch_size: int,
    rng: np.random.Generator,
    stage: str,
    progress: Progress | None,
) -> int:
    """Train on the texts that are not held out; return the round after which those held out were labelled best.

    Without held-out texts all rounds are done. The network is left as the last round made it.
    """
    texts, classes = examples
    rows = np.flatnonzero(~held_out)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, fused=True)
    batches = training_batches(rows, texts.lengths, batch_size, rng)
    n_batches = max(-(-len(rows) // batch_size), FEWEST_BATCHES)
    best, best_round = (-1, -np.inf), max_rounds
    for done in range(1, max_rounds + 1):
        network.train()
        for _ in range(n_batches):
            some = next(batches)
            loss = F.cross_entropy(network.score(texts.block(some)), torch.from_numpy(classes[some]))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            with torch.no_grad():
                weights = network.output.weight
                weights.copy_(torch.renorm(weights, p=2, dim=0, maxnorm=LONGEST_WEIGHTS))
        if progress is not None:
            progress(stage, done, max_rounds)
        if held_out.any():
            now = _quality(network, examples, np.flatnonzero(held_out))
            if now > best:
                best, best_round = now, done
            elif done - best_round >= PATIENCE:
                break
    return best_round


def _quality(network: Filters, examples: Examples, rows: Integers) -> tuple[int, float]:
    """Return how many texts are labelled rightly, then how surely; pairs compare in this order."""
    scores = network.scores(examples.texts, rows)
    classes = examples.classes[rows]
    surprise = F.cross_entropy(torch.from_numpy(scores), torch.from_numpy(classes)).item()
    return int((scores.argmax(1) == classes).sum()), -surprise
