"""Learn, teach and measure embeddings: a small teaching library on numpy alone

Modules:

- `tinytorch.checks.handles`: What a check may do with the code under test: every touch goes through these few functions."""
