"""The exercises, and the checks that belong to each: a check is a function with `@behaviour` above it."""
from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np


@dataclass(frozen=True)
class Behaviour:
    """One check: something that a right solution does."""

    group: str
    points: int
    function: object

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    @property
    def hints(self) -> list[str]:
        """The paragraphs of the docstring: the hint, further hints, a worked example."""
        text = inspect.cleandoc(self.function.__doc__)
        return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]

    def seed(self, secret) -> int:
        """The same number for the same secret and check, another one for each check."""
        digest = hashlib.sha256(f"{secret}/{self.group}/{self.name}".encode()).digest()
        return int.from_bytes(digest[:4], "little")

    def run(self, m, secret) -> None:
        """Run it on the module under test; an exception says what was not right."""
        self.function(m, np.random.default_rng(self.seed(secret)))


@dataclass(frozen=True)
class Exercise:
    """What the student writes under one heading: `tests` is its name in the code.

    `cell` is the grade id of the cell to write in, where it is not the exercise's own.
    """

    id: str
    points: int
    tests: str
    needs: tuple[str, ...] = ()
    cell: str = ""
    behaviours: list[Behaviour] = field(default_factory=list)

    @property
    def solution_cell(self) -> str:
        return self.cell or f"{self.id}-solution"


LESSONS = {
    "embeddings": (
        Exercise("warmup", 6, "embed"),
        Exercise("embedding-init", 8, "Embedding.__init__", cell="embedding-table-solution"),
        Exercise("embedding-forward", 12, "Embedding.forward", ("embedding-init",),
                 "embedding-table-solution"),
        Exercise("embedding-backward", 12, "embedding_grad", ("embedding-init", "embedding-forward")),
        Exercise("sinusoid", 10, "create_sinusoidal_embeddings"),
        Exercise("positions-forward", 6, "PositionalEncoding.forward"),
        Exercise("learned-positions", 6, "LearnedPositionalEmbedding.forward",
                 ("embedding-init", "embedding-forward", "embedding-backward")),
        Exercise("layer", 6, "EmbeddingLayer.forward",
                 ("embedding-init", "embedding-forward", "embedding-backward",
                  "positions-forward", "learned-positions")),
        Exercise("profiler", 4, "EmbeddingProfiler.measure_lookup_performance",
                 ("embedding-init", "embedding-forward")),
    ),
    # Not exercises: what the lesson stands on. A point a check, on the installed package.
    "tensor": (
        Exercise("tensor-values", 6, "Tensor"),
        Exercise("tensor-backward", 7, "Tensor.backward", ("tensor-values",)),
        Exercise("tensor-loss", 3, "cross_entropy", ("tensor-values",)),
    ),
    "tokenization": (
        Exercise("char-tokenizer", 5, "CharTokenizer"),
        Exercise("padding", 4, "CharTokenizer.pad_sequences", ("char-tokenizer",)),
        Exercise("bpe-tokenizer", 6, "BPETokenizer"),
    ),
}
EXERCISES = {exercise.id: exercise for lesson in LESSONS.values() for exercise in lesson}


def behaviour(group: str, points: int):
    """Put the function below among the checks of an exercise."""
    def add(function):
        EXERCISES[group].behaviours.append(Behaviour(group, points, function))
        return function
    return add


def load(lesson: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson, in its order, with their checks: a file an exercise."""
    if lesson not in LESSONS:
        raise ValueError(f"no checks for {lesson!r}; there are: {', '.join(LESSONS)}")
    for exercise in LESSONS[lesson]:
        import_module(f"{__package__}.{lesson}.{exercise.id.replace('-', '_')}")
    return LESSONS[lesson]


def find(exercise_id: str) -> Exercise:
    """The exercise of this id, with its checks."""
    for lesson, exercises in LESSONS.items():
        if any(exercise.id == exercise_id for exercise in exercises):
            load(lesson)
            return EXERCISES[exercise_id]
    raise ValueError(f"no exercise {exercise_id!r}; there are: {', '.join(EXERCISES)}")
