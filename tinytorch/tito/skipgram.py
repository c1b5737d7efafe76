"""Word vectors trained on the demo's text, and which of its words to ask."""

from __future__ import annotations

from collections.abc import Callable

from tinytorch.core.vectors import MAP_WORDS, WordVectors
from tinytorch.core.word2vec import SkipGram

EPOCHS = 5
LEAST_WORDS = 50_000  # from fewer the neighbours are chance
ASKED = ("husband", "england", "brutus", "night")
FUNCTION_WORDS = 150  # so many of the most frequent words, such as "the" and "of", are not worth asking


def train(sentences: list[list[str]], progress: Callable) -> WordVectors | str:
    """The words' vectors, or in words why there are none."""
    count = sum(map(len, sentences))
    if count < LEAST_WORDS:
        return f"{count:,} words of text: with less than {LEAST_WORDS:,} neighbours are chance."
    try:
        return SkipGram(epochs=EPOCHS).fit(sentences, progress)
    except (ValueError, FloatingPointError) as error:  # one word over and over, for example
        return f"This text gives no vectors: {error}."


def worth_asking(vectors: WordVectors) -> list[str]:
    """The words we like where the table has them, else four of its own."""
    if all(word in vectors for word in ASKED):
        return list(ASKED)
    return vectors.words[FUNCTION_WORDS:][:4] or vectors.words[:4]


def missing_on_map(vectors: WordVectors) -> list[str]:
    return [word for group in MAP_WORDS.values() for word in group if word not in vectors]
