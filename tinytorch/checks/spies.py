"""Helpers that a check puts on the code's side. They note what is done to them."""
from __future__ import annotations

import time

import numpy as np


class SlowLayer:
    """A layer around another one whose every call takes a known time.

    The first call takes `first` seconds, the later ones take `pattern` in turn. What it noted: `seconds`
    of each call, `shapes` of the ids (a row a call), and of the latest call how many different ids there
    were, and the bytes of ids and output.
    """

    def __init__(self, layer, vocab_size, first, pattern):
        self.layer, self.vocab_size, self.embedding_dim = layer, vocab_size, None
        self.first, self.pattern = first, pattern
        self.seconds, self.shapes = [], []
        self.different_ids = self.input_bytes = self.output_bytes = 0

    def forward(self, ids):
        start, number = time.perf_counter(), len(self.seconds)
        wait = self.pattern[(number - 1) % len(self.pattern)] if number else self.first
        out = self.layer.forward(ids)
        ids = np.asarray(ids)
        self.shapes.append([*ids.shape, -1, -1][:2])
        self.different_ids = np.unique(ids).size
        self.input_bytes, self.output_bytes = ids.nbytes, np.asarray(out.data).nbytes
        while time.perf_counter() - start < wait:           # not sleep(): Windows rounds up to 16 ms
            pass
        self.seconds.append(time.perf_counter() - start)
        return out

    __call__ = forward


def generator(seed):
    """A numpy Generator, which could not travel."""
    return np.random.default_rng(seed)
