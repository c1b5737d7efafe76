# exercise: profiler
# how: a loop of its own, and the median from a sorted list

#| export
class EmbeddingProfiler:
    """Measures layers: time as median and spread of `repeats` calls, memory in MB of 2**20 bytes.

    `results`: what each method returned last, by the method's name. Every method prints a table unless
    `verbose=False`; `progress` wraps the list of what is measured, as a progress bar does.
    """

    TIMED_AT_MOST_MB = 128

    def __init__(self, repeats: int = 30):
        self.repeats, self.results = _size("repeats", repeats, 1), {}

    def measure_lookup_performance(self, layer, batch_sizes, seq_lengths, *,
                                   verbose=True, progress=iter) -> dict:
        """Lookups of random ids: 'batch_{b}_seq_{s}' -> counts, times, memory and bandwidth."""
        vocab_size, results = getattr(layer, "token_embedding", layer).vocab_size, {}
        for batch, seq in progress([(b, s) for b in batch_sizes for s in seq_lengths]):
            ids = np.random.randint(0, vocab_size, (batch, seq))
            for _ in range(3):
                output = layer(ids)
            times = []
            for _ in range(self.repeats):
                start = time.perf_counter()
                layer(ids)
                times.append((time.perf_counter() - start) * 1e3)
            times.sort()
            middle = len(times) // 2
            ms = times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) / 2
            spread = times[(3 * len(times)) // 4] - times[len(times) // 4]
            tokens = ids.size
            results["batch_%d_seq_%d" % (batch, seq)] = dict(
                batch_size=batch, seq_length=seq, total_tokens=tokens,
                lookup_time_ms=ms, lookup_time_iqr_ms=spread,
                tokens_per_second=tokens / (ms / 1e3), time_per_token_us=ms * 1e3 / tokens,
                input_memory_mb=ids.nbytes / 1024 / 1024, output_memory_mb=output.data.nbytes / 1024 / 1024,
                memory_bandwidth_mb_s=(ids.nbytes + output.data.nbytes) / 1024 / 1024 / (ms / 1e3))
        return self._keep("measure_lookup_performance", results, verbose)

    def analyze_memory_scaling(self, vocab_sizes, embedding_dims, *, verbose=True, progress=iter) -> dict:
        """'vocab_{v}_dim_{d}' -> the float32 table's memory, and the time to look up 1024 random ids.

        Memory is computed. A table of more than 128 MB is timed on its first 128 MB.
        """
        results = {}
        for size, width in progress([(v, d) for v in vocab_sizes for d in embedding_dims]):
            rows = min(size, self.TIMED_AT_MOST_MB * 2**18 // width)
            layer, fresh = Embedding(0, width), iter(np.random.randint(0, rows, (self.repeats + 3, 1024)))
            layer.weight = Tensor._of(np.ones((rows, width), np.float32))
            ms, spread = timed(lambda layer=layer, fresh=fresh: layer(next(fresh)), self.repeats)
            results[f"vocab_{size}_dim_{width}"] = {
                "vocab_size": size, "embedding_dim": width, "total_parameters": size * width,
                "memory_mb": size * width * 4 / 2**20, "lookup_time_ms": ms, "lookup_time_iqr_ms": spread}
        if verbose:
            print(f"1024 random ids; tables over {self.TIMED_AT_MOST_MB} MB are timed on their first "
                  f"{self.TIMED_AT_MOST_MB} MB")
        return self._keep("analyze_memory_scaling", results, verbose)

    def compare_positional_encodings(self, seq_length: int = 100, embedding_dim: int = 256, *,
                                     verbose=True, progress=iter) -> dict:
        """'sinusoidal' and 'learned': time to add the positions to one (T, D) text, and memory.

        `deterministic`: two new layers hold the same rows. `extrapolation`: there are rows past the table.
        """
        x, results = np.zeros((seq_length, embedding_dim), np.float32), {}
        makers = {"sinusoidal": lambda: PositionalEncoding(embedding_dim, seq_length),
                  "learned": lambda: LearnedPositionalEmbedding(seq_length, embedding_dim)}
        for name in progress(list(makers)):
            layer, again = makers[name](), makers[name]()
            ms, spread = timed(lambda layer=layer: layer(x), self.repeats)
            rows = layer(x).data
            results[name] = {
                "computation_time_ms": ms, "computation_time_iqr_ms": spread,
                "memory_usage_mb": rows.nbytes / 2**20, "parameters": sum(p.size for p in layer.parameters),
                "deterministic": bool((rows == again(x).data).all()), "extrapolation": name == "sinusoidal"}
        return self._keep("compare_positional_encodings", results, verbose)

    def _keep(self, method, results, verbose):
        self.results[method] = results
        if verbose:
            _print_table(results)
        return results

    def __repr__(self):
        return f"EmbeddingProfiler(repeats={self.repeats})"


def _print_table(rows):
    """Print {name: {column: value}}, a line a column, four names side by side."""
    names = list(rows)
    for block in (names[i:i + 4] for i in range(0, len(names), 4)):
        print(f"{'':24}" + "".join(f"{name:>22}" for name in block))
        for column in rows[block[0]]:
            values = [rows[name][column] for name in block]
            texts = [str(v) if isinstance(v, bool) else f"{v:,}" if isinstance(v, int)
                     else f"{v:,.0f}" if v >= 100 else f"{v:.3g}" for v in values]
            print(f"{column:24}" + "".join(f"{text:>22}" for text in texts))
