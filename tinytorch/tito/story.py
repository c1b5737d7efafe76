"""The demo as it reads on the screen: five parts, each one heading and the values it computed."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tinytorch import data
from tinytorch.core.tokenization import CharTokenizer
from tinytorch.tito import bigram, pictures
from tinytorch.tito.embed import shortest
from tinytorch.tito.terminal import reference
from tinytorch.tito.words import Words

SEED = 11
MOST_CHARACTERS = 500  # a table has V x V entries; rarer characters become <UNK>
LINES = ("To be, or not to be", "Who's there?")
NEIGHBOURS_OF = ("river", "piano", "monday", "seven")
ANALOGIES = (("king", "man", "woman"), ("paris", "france", "italy"), ("walking", "walk", "swim"))

embeddings = reference("embeddings")


def tell(name: str, text: str, folder: Path, steps: int = bigram.STEPS) -> None:
    """Print the whole story and leave two pictures in the folder."""
    screen = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    rng = np.random.default_rng(SEED)
    tokenizer = CharTokenizer(frequent(text))
    worked_example(screen)
    batch_of_text(screen, tokenizer, text, rng)
    losses, marks = bigram_model(screen, tokenizer, name, text, steps, rng)
    word_vectors(screen)
    draw(screen, losses, marks, folder)


def heading(screen: Console, text: str) -> None:
    screen.print(text, style="bold cyan")


def table(*columns: str, numbers: int = 0) -> Table:
    """A table whose last `numbers` columns stand to the right."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        made.add_column(column, justify="right" if i >= len(columns) - numbers else "left", no_wrap=True)
    return made


def worked_example(screen: Console) -> None:
    tok, pos, ids = [[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2]
    heading(screen, "1. A token id picks a row of a table; its position adds a row of another")
    screen.print(f"   tok = {tok}   pos = {pos}   ids = {ids}")
    for i, row in enumerate(embeddings.embed(tok, pos, ids)):
        screen.print(f"   tok[{ids[i]}] + pos[{i}] = {tok[ids[i]]} + {pos[i]} = {' '.join(map(shortest, row))}")
    screen.print("   The same id twice, yet two different rows: that is what positions are for.\n")


def batch_of_text(screen: Console, tokenizer, text: str, rng: np.random.Generator) -> None:
    lines = two_lines(text)
    ids = tokenizer.pad_sequences([tokenizer.encode(line) for line in lines])  # (B, T)
    tokens = embeddings.Embedding(tokenizer.vocab_size, 3, padding_idx=0, rng=rng)
    positions = embeddings.PositionalEncoding(3, 32)
    rows = tokens(ids)  # (B, T, D)
    sums = positions(rows)  # (B, T, D)
    heading(screen, f"2. A batch of text becomes one array of vectors")
    screen.print(f"   {lines[0]!r} and {lines[1]!r}")
    screen.print(f"   characters to ids {ids.shape}, ids to rows {rows.shape}, plus positions {sums.shape}")
    shown = table("line", "t", "token", "id", "row of the table", "position t", "sum", numbers=3)
    for b, t in worth_showing(ids):
        shown.add_row(str(b), str(t), visible(tokenizer.idx_to_char[int(ids[b, t])]), str(ids[b, t]),
                      vector(rows.data[b, t]), vector(positions.pe.data[t]), vector(sums.data[b, t]))
    screen.print(shown)
    screen.print("   One character has one row wherever it stands; padding has a row of zeros.\n")


def bigram_model(screen: Console, tokenizer, name: str, text: str, steps: int, rng: np.random.Generator):
    ids = np.array(tokenizer.encode(text))  # (N,)
    size = tokenizer.vocab_size
    layer = embeddings.Embedding(size, size, init_type="gpt2", rng=rng)
    pairs = bigram.pair_counts(ids, size)
    before = bigram.exact_loss(layer.weight.data, pairs)
    heading(screen, f"3. Train a table: row x holds the logits of the character after x")
    screen.print(f"   {name}: {pairs.sum():,} pairs of characters, Embedding({size}, {size}) "
                 f"({size - 4} characters and 4 markers)")
    losses, seconds = with_bar(screen, bigram.training(layer, ids, steps, rng), steps)
    after = bigram.exact_loss(layer.weight.data, pairs)
    unigram, best = bigram.entropy(pairs.sum(axis=0)), bigram.entropy(pairs)
    shown = table("Loss over the whole text", "nats a character", numbers=1)
    for label, value in ((f"know nothing: log {size}", np.log(size)), ("table before training", before),
                         ("know how frequent each character is (unigram)", unigram),
                         ("table after training", after), ("count all pairs (bigram, the best there is)", best)):
        shown.add_row(label, f"{value:.4f}")
    screen.print(shown)
    above = f", {100 * (after / best - 1):.3f} % above counting" if best > 0 else ""
    screen.print(f"   {steps:,} steps of {bigram.BATCH:,} pairs in {seconds:.1f} s{above}")
    most_frequent_pairs(screen, tokenizer, layer.weight.data, pairs)
    return losses, {"know nothing": float(np.log(size)), "unigram": unigram, "bigram": best}


def most_frequent_pairs(screen: Console, tokenizer, weight: np.ndarray, pairs: np.ndarray) -> None:
    """What the table says of a few characters, beside the counted share of the same pair."""
    wanted = [tokenizer.char_to_idx[c] for c in "qt.\n" if c in tokenizer.char_to_idx]
    wanted = [x for x in wanted if pairs[x].sum()] or [int(pairs.sum(axis=1).argmax())]
    shown = table("after", "the table's three most probable (counted share)")
    for x in wanted:
        shown.add_row(visible(tokenizer.idx_to_char[x]), "   ".join(
            f"{visible(tokenizer.idx_to_char[y])} {chance:.3f} ({pairs[x, y] / pairs[x].sum():.3f})"
            for y, chance in bigram.successors(weight, x, 3)))
    screen.print(shown)
    screen.print()


def word_vectors(screen: Console) -> None:
    words, vectors = data.glove()
    layer = embeddings.Embedding.from_pretrained(vectors)
    space = Words(words, layer.weight.data)
    heading(screen, f"4. A table that somebody else trained: GloVe, {len(words):,} words, 50 numbers each")
    shown = table("word", "nearest (cosine)")
    for word in NEIGHBOURS_OF:
        shown.add_row(word, ranked(space.nearest(word, 4)))
    screen.print(shown)
    shown = table("analogy", "nearest, the three words left out", "without arithmetic")
    for a, minus, plus in ANALOGIES:
        shown.add_row(f"{a} - {minus} + {plus}", ranked(space.analogy(a, minus, plus, 3)),
                      f"{plus}: {ranked(space.nearest(plus, 1))}")
    screen.print(shown)
    screen.print()


def draw(screen: Console, losses: list[float], marks: dict[str, float], folder: Path) -> None:
    heading(screen, "5. Two pictures")
    sinusoid = embeddings.create_sinusoidal_embeddings(128, 128)
    for path in (pictures.draw_sinusoid(sinusoid.data, folder / "sinusoid.png"),
                 pictures.draw_loss(losses, marks, folder / "bigram-loss.png")):
        screen.print(f"   {path}")


def with_bar(screen: Console, training, steps: int) -> tuple[list[float], float]:
    """All losses of a training run, shown while it runs, and its seconds."""
    losses, start = [], time.perf_counter()
    with Progress(TextColumn("   training"), BarColumn(), MofNCompleteColumn(), TextColumn("loss {task.fields[loss]:.3f}"),
                  TimeElapsedColumn(), console=screen, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=steps, loss=float("nan"))
        for loss in training:
            losses.append(loss)
            bar.update(task, advance=1, loss=loss)
    return losses, time.perf_counter() - start


def frequent(text: str) -> str:
    """The characters that get a row of their own."""
    if len(set(text)) <= MOST_CHARACTERS:
        return "".join(sorted(set(text)))
    return "".join(character for character, _ in Counter(text).most_common(MOST_CHARACTERS))


def two_lines(text: str) -> list[str]:
    """Two lines of different length: the ones we like where the text has them, else its own."""
    if all(line in text for line in LINES):
        return list(LINES)
    found = [line.strip()[:20] for line in text.splitlines() if line.strip()][:2] or [text[:20]]
    return [found[0], found[-1][:12]]


def worth_showing(ids: np.ndarray) -> list[tuple[int, int]]:
    """(line, position) of one token standing at two places of line 0, and of a padding token in line 1."""
    first = ids[0].tolist()
    repeated = [t for t, id in enumerate(first) if first.count(id) > 1]
    places = [t for t, id in enumerate(first) if repeated and id == first[repeated[0]]][:2] or [0]
    padding = np.flatnonzero(ids[1] == 0)[:1].tolist()
    return [(0, t) for t in places] + [(1, t) for t in padding]


def vector(row: np.ndarray) -> str:
    return " ".join(f"{value:5.2f}" for value in row)


def visible(token: str) -> str:
    """A character as the screen can show it: space and line end by name."""
    named = {" ": "space", "\n": "newline"}
    return named.get(token, token if token.isprintable() else ascii(token)[1:-1])


def ranked(found: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {cosine:.2f}" for word, cosine in found)
