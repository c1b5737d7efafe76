"""A bigram model whose logits are the rows of an Embedding, and the figures that counting alone gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinytorch.core.optimizers import Adam
from tinytorch.core.tensor import cross_entropy

STEPS = 2000
BATCH = 2048
LEARNING_RATE = 0.1


def training(table, ids: np.ndarray, steps: int, rng: np.random.Generator) -> Iterator[float]:
    """Train `table`, an Embedding(V, V), to predict each id's successor; yields every step's loss in nats.

    Row x of the table holds the logits of what follows x. Batches are positions drawn at random, and the
    learning rate falls linearly: both matter for the last tenth of a per cent.
    """
    optimizer = Adam(table.parameters, lr=LEARNING_RATE)
    for step in range(steps):
        at = rng.integers(0, len(ids) - 1, BATCH)  # (B,)
        loss = cross_entropy(table(ids[at]), ids[at + 1])  # logits (B, V), targets (B,)
        optimizer.zero_grad()
        loss.backward()
        optimizer.lr = LEARNING_RATE * (1 - 0.98 * step / steps)
        optimizer.step()
        yield loss.item()


def pair_counts(ids: np.ndarray, size: int) -> np.ndarray:
    """How often id y follows id x: (V, V), from ids (N,)."""
    return np.bincount(ids[:-1] * size + ids[1:], minlength=size * size).reshape(size, size)


def entropy(counts: np.ndarray) -> float:
    """Nats an event, for events as frequent as `counts` (V,) says, or (V, V) where the row is known."""
    totals = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    seen = counts > 0
    return float((counts[seen] * np.log(totals[seen] / counts[seen])).sum() / counts.sum())


def exact_loss(weight: np.ndarray, pairs: np.ndarray) -> float:
    """The table's mean loss over all pairs of the text, from the counts: the sum that batches only sample."""
    logits = weight.astype(np.float64)
    top = logits.max(axis=1)
    log_sums = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))  # (V,)
    return float((pairs.sum(axis=1) @ log_sums - (pairs * logits).sum()) / pairs.sum())


def successors(weight: np.ndarray, id: int, k: int) -> list[tuple[int, float]]:
    """The k ids that the table finds most probable after `id`, with their probabilities."""
    chance = np.exp(weight[id] - weight[id].max())
    chance /= chance.sum()
    return [(int(y), float(chance[y])) for y in np.argsort(-chance, kind="stable")[:k]]
