"""All exercises solved another way than the package does: loops, lists, one-hot rows, float64, other names.

Every check must pass on it. The wrong solutions are in tests/wrong_solutions.
"""
import math
import time

import numpy as np

from tinytorch.core.tensor import Function, Tensor


# warmup
def embed(table, places, words):
    rows = []
    for place in range(len(words)):
        word = words[place]
        if word < 0 or word > len(table) - 1:
            raise IndexError(f"no row {word}")
        if place >= len(places):
            raise IndexError("too many ids")
        row = []
        for column in range(len(table[word])):
            row.append(table[word][column] + places[place][column])
        rows.append(row)
    return rows


# embedding-init
class Embedding:
    def __init__(self, vocab_size, embedding_dim, padding_idx=None, init_type="uniform", rng=None):
        rng = np.random if rng is None else rng
        shape = (vocab_size, embedding_dim)
        scale = {"uniform": embedding_dim ** -0.5, "normal": embedding_dim ** -0.5,
                 "xavier": (6 / sum(shape)) ** 0.5, "gpt2": 0.02}
        if init_type not in scale:
            raise ValueError("no such name")
        if init_type in ("uniform", "xavier"):
            table = (rng.random(shape) * 2 - 1) * scale[init_type]
        else:
            table = rng.standard_normal(shape) * scale[init_type]
        if padding_idx is not None:
            table[padding_idx, :] = 0.0
        self.weight = Tensor(table, requires_grad=True, dtype=np.float64)

    # embedding-forward
    def forward(self, ids):
        words = np.asarray(ids.data if isinstance(ids, Tensor) else ids)
        rows, width = self.weight.shape
        for word in words.ravel().tolist():
            if not -1 < word < rows:
                raise IndexError(f"id {word} has no row")
        one_hot = np.zeros((words.size, rows))
        for place, word in enumerate(words.ravel().tolist()):
            one_hot[place, word] = 1
        return TakeRows.apply(self.weight, hot=one_hot, words=words)

    def parameters(self):
        return [self.weight]


class TakeRows(Function):
    def forward(self, table, hot, words):
        self.words, self.rows = words, len(table)
        return (hot @ table).reshape(*words.shape, table.shape[1])

    def backward(self, up):
        return embedding_grad(self.words, up, self.rows)


# embedding-backward
def embedding_grad(words, arriving, rows, padding=None):
    width = arriving.shape[-1]
    total = np.zeros((rows, width))
    for word, line in zip(words.reshape(-1), arriving.reshape(-1, width)):
        if padding is None or word != padding:
            total[word] = total[word] + line
    return total


# sinusoid
def create_sinusoidal_embeddings(length, width):
    table = np.zeros((width, length))
    for column in range(width):
        turn = math.exp(-math.log(10000.0) * (column - column % 2) / width)
        angle = turn * np.linspace(0, length - 1, length)
        table[column] = np.cos(angle) if column % 2 else np.sin(angle)
    return Tensor(table.T, dtype=np.float64)


# positions-forward
class PositionalEncoding:
    def __init__(self, embedding_dim, max_seq_length=5000):
        self.pe = create_sinusoidal_embeddings(max_seq_length, embedding_dim)
        self.parameters = []

    def forward(self, x, start_pos=0):
        *batch, length, width = x.shape
        if len(batch) > 1 or width != self.pe.shape[1]:
            raise ValueError(f"no such shape: {x.shape}")
        places = np.arange(length) + start_pos
        if length and places.max() >= len(self.pe):
            raise ValueError("too long")
        shift = np.broadcast_to(np.take(self.pe.data, places, axis=0), x.shape)
        return Tensor(shift) + x


# learned-positions
class LearnedPositionalEmbedding:
    def __init__(self, max_seq_length, embedding_dim, rng=None):
        self.position_embedding = Embedding(max_seq_length, embedding_dim, init_type="normal", rng=rng)

    def forward(self, x, start_pos=0):
        if x.ndim not in (2, 3):
            raise ValueError("(T, D) or (B, T, D)")
        length = x.shape[-2]
        if x.shape[-1] != self.position_embedding.weight.shape[1]:
            raise ValueError("another width")
        places = [start_pos + i for i in range(length)]
        return x + self.position_embedding.forward(places)

    def parameters(self):
        return self.position_embedding.parameters()


# layer
class EmbeddingLayer:
    def __init__(self, vocab_size, embedding_dim, max_seq_len=512, pos_encoding="learned",
                 scale_embeddings=False):
        self.token_embedding = Embedding(vocab_size, embedding_dim)
        self.scale = math.sqrt(embedding_dim) if scale_embeddings else 1
        self.pos_encoding = None
        if pos_encoding == "learned":
            self.pos_encoding = LearnedPositionalEmbedding(max_seq_len, embedding_dim)
        elif pos_encoding == "sinusoidal":
            self.pos_encoding = PositionalEncoding(embedding_dim, max_seq_len)

    def forward(self, ids, start_pos=0):
        out = self.token_embedding.forward(ids) * self.scale
        return out if self.pos_encoding is None else self.pos_encoding.forward(out, start_pos)


# profiler
class EmbeddingProfiler:
    def __init__(self, repeats=30):
        self.repeats, self.results = repeats, {}

    def measure_lookup_performance(self, layer, batch_sizes, seq_lengths, verbose=True):
        for texts in batch_sizes:
            for tokens in seq_lengths:
                words = np.random.randint(0, layer.vocab_size, (texts, tokens))
                times = []
                for _ in range(self.repeats + 2):
                    begin = time.perf_counter()
                    rows = layer.forward(words).data
                    times.append(time.perf_counter() - begin)
                times = sorted(times[2:])
                middle = times[len(times) // 2]
                moved = [words.nbytes / 1024 ** 2, rows.nbytes / 1024 ** 2]
                entry = {"batch_size": texts, "seq_length": tokens, "total_tokens": words.size}
                entry["lookup_time_ms"] = middle * 1e3
                entry["lookup_time_iqr_ms"] = 1e3 * (times[len(times) * 3 // 4] - times[len(times) // 4])
                entry["tokens_per_second"] = words.size / middle
                entry["time_per_token_us"] = middle * 1e6 / words.size
                entry["input_memory_mb"], entry["output_memory_mb"] = moved
                entry["memory_bandwidth_mb_s"] = sum(moved) / middle
                self.results[f"batch_{texts}_seq_{tokens}"] = entry
        return self.results
