# exercise: profiler
# misconception: A token that occurs twice is one token.
# caught by: tokens_are_counted_for_each_pair
# try: r = EmbeddingProfiler(2).measure_lookup_performance(Embedding(1, 4), [2], [3], verbose=False)
# try: r['batch_2_seq_3']['total_tokens']
# wrong: 1
# right: 6

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
        table = getattr(layer, "token_embedding", layer)
        vocab_size = _size("the layer's vocab_size", getattr(table, "vocab_size", None), 1)
        results = {}
        for batch, seq in progress(_pairs(batch_size=batch_sizes, seq_length=seq_lengths)):
            ids = np.random.randint(0, vocab_size, (batch, seq))
            tokens = len(np.unique(ids))
            output = layer(ids)
            ms, spread = timed(lambda ids=ids: layer(ids), self.repeats)
            mb_in, mb_out = ids.nbytes / 2**20, output.data.nbytes / 2**20
            results[f"batch_{batch}_seq_{seq}"] = {
                "batch_size": batch, "seq_length": seq, "total_tokens": tokens,
                "lookup_time_ms": ms, "lookup_time_iqr_ms": spread,
                "tokens_per_second": 1000 * tokens / ms, "time_per_token_us": 1000 * ms / tokens,
                "input_memory_mb": mb_in, "output_memory_mb": mb_out,
                "memory_bandwidth_mb_s": 1000 * (mb_in + mb_out) / ms}
        return self._keep("measure_lookup_performance", results, verbose)

    def analyze_memory_scaling(self, vocab_sizes, embedding_dims, *, verbose=True, progress=iter) -> dict:
        """'vocab_{v}_dim_{d}' -> the float32 table's memory, and the time to look up 1024 random ids.

        Memory is computed. A table of more than 128 MB is timed on its first 128 MB.
        """
        results = {}
        for size, width in progress(_pairs(vocab_size=vocab_sizes, embedding_dim=embedding_dims)):
            rows = min(size, self.TIMED_AT_MOST_MB * 2**18 // width)
            if not rows:
                raise ValueError(f"embedding_dim {width}: one row is over {self.TIMED_AT_MOST_MB} MB")
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
        results = {}
        makers = {"sinusoidal": lambda: PositionalEncoding(embedding_dim, seq_length),
                  "learned": lambda: LearnedPositionalEmbedding(seq_length, embedding_dim)}
        for name in progress(list(makers)):
            layer, again = makers[name](), makers[name]()
            x = np.zeros((seq_length, embedding_dim), np.float32)
            ms, spread = timed(lambda layer=layer: layer(x), self.repeats)
            rows = layer(x).data                                    # x is zero: these are the position rows
            results[name] = {
                "computation_time_ms": ms, "computation_time_iqr_ms": spread,
                "memory_usage_mb": rows.nbytes / 2**20, "parameters": sum(p.size for p in layer.parameters),
                "deterministic": bool((rows == again(x).data).all()), "extrapolation": name == "sinusoidal"}
        return self._keep("compare_positional_encodings", results, verbose)

    def _keep(self, method, results, verbose):
        """Keep the results; print them as a table, a line a quantity, four names side by side."""
        self.results[method], names = results, list(results)
        for block in (names[i:i + 4] for i in range(0, len(names) * bool(verbose), 4)):
            print(f"{'':24}" + "".join(f" {name:>21}" for name in block))
            for key in results[block[0]]:
                texts = [str(v) if isinstance(v, bool) else f"{v:,}" if isinstance(v, int)
                         else f"{v:,.0f}" if v >= 100 else f"{v:.3g}"
                         for v in (results[name][key] for name in block)]
                print(f"{key:24}" + "".join(f"{text:>22}" for text in texts))
        return results

    def __repr__(self):
        return f"EmbeddingProfiler(repeats={self.repeats})"


def _pairs(**lists):
    """All pairs of two lists of sizes: TypeError or ValueError for what is no integer of at least 1."""
    return list(itertools.product(*([_size(name, v, 1) for v in values] for name, values in lists.items())))
