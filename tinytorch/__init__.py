"""Learn, teach and measure embeddings: a small teaching library on numpy alone

Modules:

- `tinytorch.checks.bank`: The bank of wrong solutions: the full text of an exercise cell, under a few lines on what is wrong with it.
- `tinytorch.checks.embeddings.profiler`: profiler: `EmbeddingProfiler.measure_lookup_performance` times lookups and counts tokens and bytes."""
