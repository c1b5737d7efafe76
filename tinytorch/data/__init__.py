"""Texts and tables that the package ships; found by Path(__file__).parent.

`shakespeare.txt.xz`: the plays of Shakespeare as plain text, in the public domain.
`glove-6b-50d-10k.npz`: the 10,000 most frequent plain words of GloVe 6B with their 50 numbers, under the
Public Domain Dedication and License 1.0 (https://nlp.stanford.edu/projects/glove/).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def shakespeare() -> str:
    """The 38 plays in one string of 4,987,284 characters."""
    import lzma  # a Python built without liblzma can still read the vectors

    with lzma.open(HERE / "shakespeare.txt.xz", "rt", encoding="utf-8") as file:
        return file.read()


def glove() -> tuple[list[str], np.ndarray]:
    """Words, most frequent first, and their vectors: float16 (10000, 50), row i for word i."""
    with np.load(HERE / "glove-6b-50d-10k.npz") as file:
        return str(file["words"]).split("\n"), file["vectors"]
