"""Parts of the recurrent rivals, in torch: encoder, decoder, and a softmax over many words that samples some.

This module imports torch; it is reached from inside `fit` and `transform` only, where torch has been asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from classinet._typing import Flags, Integers, Progress, Singles
from classinet.baselines.neural._sequences import END, N_MARKS, PAD, Block, Sequences, of_one_length

Cell = Literal["gru", "lstm"]

# The words against which the right one is weighed in a step. A vocabulary of no more words is weighed whole.
N_SAMPLED = 512
# Rare words are drawn more often than they occur, as in word2vec; the loss corrects for the odds.
SAMPLING_POWER = 0.75
LONGEST_GRADIENT = 5.0


class SampledSoftmax(nn.Module):
    """Predict a word from a state: a softmax over all words, learnt by telling the right word from a sample of them.

    Every score is lowered by the logarithm of the odds with which its word is drawn (the ranking form of
    noise-contrastive estimation, Ma and Collins 2018): the scores learnt are those of the whole softmax, though the
    loss is not its cross-entropy.
    """

    def __init__(self, size: int, counts: Integers, rng: np.random.Generator) -> None:
        super().__init__()
        self.weight = nn.Embedding(len(counts), size)
        self.bias = nn.Embedding(len(counts), 1)
        nn.init.normal_(self.weight.weight, std=size**-0.5)
        nn.init.zeros_(self.bias.weight)
        odds = np.maximum(counts, 1) ** SAMPLING_POWER
        odds /= odds.sum()
        self._cumulated = np.cumsum(odds)
        self._log_odds = torch.from_numpy(np.log(odds).astype(np.float32))
        self._rng = rng

    def scores(self, states: Tensor) -> Tensor:
        """Return the score of every word for each state."""
        return states @ self.weight.weight.T + self.bias.weight.T

    def loss(self, states: Tensor, targets: Tensor, owners: Tensor | None = None) -> Tensor:
        """Return the mean loss of target words; target i is predicted from state `owners[i]`, or from state i."""
        if len(self._cumulated) <= N_SAMPLED:
            scores = self.scores(states)
            return F.cross_entropy(scores if owners is None else scores[owners], targets)
        drawn = torch.from_numpy(np.searchsorted(self._cumulated, self._rng.random(N_SAMPLED) * self._cumulated[-1]))
        # A draw of the right word stays among the rivals: without it the frequent words would come out too likely.
        others = (states @ self.weight(drawn).T + (self.bias(drawn).squeeze(1) - self._log_odds[drawn])).logsumexp(1)
        if owners is not None:
            states, others = states[owners], others[owners]
        right = (states * self.weight(targets)).sum(1) + self.bias(targets).squeeze(1) - self._log_odds[targets]
        return F.softplus(others - right).mean()


class BagToBag(nn.Module):
    """FastSent: the sum of a text's word vectors predicts words beside it; words have other vectors as targets."""

    def __init__(self, counts: Integers, size: int, rng: np.random.Generator) -> None:
        super().__init__()
        self.sources = nn.Embedding(len(counts), size)
        nn.init.normal_(self.sources.weight, std=0.1)
        self.softmax = SampledSoftmax(size, counts, rng)

    def loss(self, texts: tuple[Integers, Integers], targets: tuple[Integers, Integers]) -> Tensor:
        """Return the mean loss of target words; each word comes with the position of its text, or of its predictor."""
        codes, owners = map(torch.from_numpy, texts)
        words, predicted_by = map(torch.from_numpy, targets)
        starts = torch.searchsorted(owners, torch.arange(int(owners[-1]) + 1))
        sums = F.embedding_bag(codes, self.sources.weight, starts, mode="sum")
        return self.softmax.loss(sums, words, predicted_by)


class Encoder(nn.Module):
    """Read a text word by word; its vector is the state after the last word."""

    def __init__(self, cell: Cell, vectors: Singles, size: int) -> None:
        super().__init__()
        self.embedding = embedding_of(vectors, trained=False)
        self.recurrence = _recurrence(cell, vectors.shape[1], size)

    def forward(self, codes: Tensor, lengths: Tensor) -> Tensor:
        """Return one vector a text. What stands after its last word cannot reach the state taken here."""
        states: Tensor = self.recurrence(self.embedding(codes))[0]
        return states[torch.arange(len(lengths)), lengths - 1]

    def read(self, texts: Block) -> Tensor:
        """Return one vector a text of a block."""
        vectors: Tensor = self(torch.from_numpy(texts.codes), torch.from_numpy(texts.lengths))
        return vectors


class Decoder(nn.Module):
    """Write a text word by word, each word from those before it and from a vector that is seen at every step."""

    def __init__(self, cell: Cell, embedding: nn.Embedding, encoded_size: int) -> None:
        super().__init__()
        self.size = size = max(encoded_size * 2 // 3, 1)  # the encoder is what will be used: it gets the most room
        self.embedding = embedding
        self.condition = nn.Linear(encoded_size, embedding.embedding_dim)
        self.start = nn.Linear(encoded_size, size)
        self.recurrence = _recurrence(cell, embedding.embedding_dim, size)

    def forward(self, encoded: Tensor, previous: Tensor) -> Tensor:
        """Return the states (texts × steps × size) from which the words after `previous` are predicted."""
        start: Tensor = torch.tanh(self.start(encoded))[None]
        state = (start, torch.zeros_like(start)) if isinstance(self.recurrence, nn.LSTM) else start
        states: Tensor = self.recurrence(self.embedding(previous) + self.condition(encoded)[:, None], state)[0]
        return states

    def loss(self, encoded: Tensor, texts: Block, softmax: SampledSoftmax) -> Tensor:
        """Return the mean loss of the words of `texts` and of their ends, given the right words before each."""
        codes = torch.from_numpy(texts.codes)
        end = torch.full((len(codes), 1), END)
        states = self(encoded, torch.cat([end, codes], dim=1))
        here = torch.arange(states.shape[1]) <= torch.from_numpy(texts.lengths)[:, None]
        targets = torch.cat([codes, end], dim=1)
        targets[torch.arange(len(codes)), torch.from_numpy(texts.lengths)] = END
        return softmax.loss(states[here], targets[here])


class Autoencoder(nn.Module):
    """SDAE: an LSTM reads a damaged text, another restores it."""

    def __init__(self, vectors: Singles, size: int, counts: Integers, rng: np.random.Generator) -> None:
        super().__init__()
        self.encoder = Encoder("lstm", vectors, size)
        self.decoder = Decoder("lstm", self.encoder.embedding, size)
        self.softmax = SampledSoftmax(self.decoder.size, counts, rng)

    def loss(self, source: Block, target: Block) -> Tensor:
        """Return the mean loss of the words of `target`, restored from `source`."""
        return self.decoder.loss(self.encoder.read(source), target, self.softmax)

    def write(self, vectors: Singles, max_words: int) -> list[list[int]]:
        """Return the words that the decoder writes from each vector until it ends the text, the likeliest each time."""
        encoded = torch.from_numpy(vectors)
        written = torch.full((len(encoded), 1), END)
        with torch.inference_mode():
            for _ in range(max_words):
                scores = self.softmax.scores(self.decoder(encoded, written)[:, -1])
                written = torch.cat([written, scores.argmax(1, keepdim=True)], dim=1)
                if (written[:, 1:] == END).any(dim=1).all():
                    break
        rows = written[:, 1:].tolist()
        return [row[: row.index(END)] if END in row else row for row in rows]


class Neighbours(nn.Module):
    """Skip-thought: a GRU reads a sentence, two more write the sentences before and after it."""

    def __init__(self, vectors: Singles, size: int, counts: Integers, rng: np.random.Generator) -> None:
        super().__init__()
        self.encoder = Encoder("gru", vectors, size)
        self.before = Decoder("gru", self.encoder.embedding, size)
        self.after = Decoder("gru", self.encoder.embedding, size)
        self.softmax = SampledSoftmax(self.before.size, counts, rng)

    def loss(self, texts: Sequences, rows: Integers, has_before: Flags, has_after: Flags) -> Tensor:
        """Return the loss of the sentences beside `rows`: a mean for those before, and one for those after, added."""
        encoded = self.encoder.read(texts.block(rows))
        loss = torch.zeros(())
        for decoder, has, step in ((self.before, has_before, -1), (self.after, has_after, 1)):
            chosen = np.flatnonzero(has[rows])
            if len(chosen):
                loss = loss + decoder.loss(encoded[chosen], texts.block(rows[chosen] + step), self.softmax)
        return loss


def embedding_of(vectors: Singles, *, trained: bool) -> nn.Embedding:
    """Return a table of given vectors."""
    n_words, size = vectors.shape
    embedding = nn.Embedding(n_words, size, padding_idx=PAD)
    embedding.weight.data.copy_(torch.from_numpy(vectors))
    return embedding.requires_grad_(trained)


def word_table(vectors: Singles, rng: np.random.Generator) -> Singles:
    """Return the vectors of marks and words: zeros for padding, at random for the other marks."""
    marks = rng.standard_normal((N_MARKS, vectors.shape[1]))
    marks[PAD] = 0
    return np.concatenate([marks, of_one_length(vectors)]).astype(np.float32)


def train(
    network: nn.Module, losses: Iterator[Tensor], steps: int, rate: float, stage: str, progress: Progress | None
) -> Singles:
    """Take one step of Adam down each loss, at a rate that falls evenly to nothing; return the losses met."""
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=rate, fused=True)
    met = np.empty(steps, dtype=np.float32)
    for step in range(steps):
        loss = next(losses)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, LONGEST_GRADIENT)
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        optimizer.step()
        met[step] = loss.item()
        if progress is not None:
            progress(stage, step + 1, steps)
    return met


def encode(encoder: Encoder, texts: Sequences, batches: Iterator[Integers], size: int) -> Singles:
    """Return the vector of each text in `batches`, and zeros for the others."""
    vectors = np.zeros((len(texts.lengths), size), dtype=np.float32)
    with torch.inference_mode():
        for rows in batches:
            vectors[rows] = encoder.read(texts.block(rows)).numpy()
    return vectors


def _recurrence(cell: Cell, n_inputs: int, size: int) -> nn.GRU | nn.LSTM:
    kind = nn.GRU if cell == "gru" else nn.LSTM
    recurrence = kind(n_inputs, size, batch_first=True)
    for name, weights in recurrence.named_parameters():
        if name.startswith("weight_hh"):
            for gate in torch.split(weights.data, size):
                nn.init.orthogonal_(gate)
    return recurrence
