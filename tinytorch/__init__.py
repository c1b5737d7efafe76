"""TinyTorch's embeddings, on numpy alone. Import what you need: `from tinytorch.core.embeddings import Embedding`.

Nothing is imported here: a student's own export may stand in front of this package.
"""
