"""The demo as it reads on the screen: six parts, each one heading and the values it computed."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tinytorch import data
from tinytorch.core.tokenization import MARKERS, PAD, UNK, CharTokenizer
from tinytorch.core.vectors import WordVectors
from tinytorch.core.word2vec import sentences_of
from tinytorch.tito import bigram, pictures, skipgram
from tinytorch.tito.embed import shortest
from tinytorch.tito.terminal import reference

SEED = 11
MOST_CHARACTERS = 300  # a table has V x V entries; rarer characters become <UNK>
LINES = ("To be, or not to be", "Who's there?")
NEIGHBOURS_OF = ("river", "piano", "monday", "seven")
ANALOGIES = (("man", "king", "woman"), ("france", "paris", "italy"), ("walk", "walking", "swim"))  # a, b, c

embeddings = reference("embeddings")


def tell(name: str, text: str, folder: Path, steps: int = bigram.STEPS) -> None:
    """Print the whole story and leave its pictures in the folder."""
    screen = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    rng = np.random.default_rng(SEED)
    tokenizer = CharTokenizer(frequent(text))
    worked_example(screen)
    batch_of_text(screen, tokenizer, text, rng)
    losses, marks = bigram_model(screen, tokenizer, name, text, steps, rng)
    glove = word_vectors(screen)
    trained = trained_words(screen, text, glove)
    draw(screen, losses, marks, {f"{name}, trained here": trained, "GloVe": glove}, folder)


def heading(screen: Console, text: str) -> None:
    screen.print(text, style="bold cyan")


def show_table(screen: Console, columns: tuple, rows: list[tuple], right: int = 0) -> None:
    """A table below its heading; its last `right` columns stand to the right."""
    shown = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for i, column in enumerate(columns):
        shown.add_column(column, justify="right" if i >= len(columns) - right else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*row)
    screen.print(Padding(shown, (0, 0, 0, 3), expand=False))


def worked_example(screen: Console) -> None:
    tok, pos, ids = [[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2]
    heading(screen, "1. A token id picks a row of a table; its position adds a row of another")
    screen.print(f"   tok = {tok}   pos = {pos}   ids = {ids}")
    for i, (id, row) in enumerate(zip(ids, embeddings.embed(tok, pos, ids), strict=True)):
        screen.print(f"   tok[{id}] + pos[{i}] = {tok[id]} + {pos[i]} = {' '.join(map(shortest, row))}")
    screen.print("   The same id twice, yet two different rows: that is what positions are for.\n")


def batch_of_text(screen: Console, tokenizer, text: str, rng: np.random.Generator) -> None:
    lines = two_lines(text)
    ids = tokenizer.pad_sequences([tokenizer.encode(line) for line in lines])  # (B, T)
    tokens = embeddings.Embedding(tokenizer.vocab_size, 3, padding_idx=PAD, rng=rng)
    positions = embeddings.PositionalEncoding(3, 32)
    rows = tokens(ids)  # (B, T, D)
    sums = positions(rows)  # (B, T, D)
    heading(screen, "2. A batch of text becomes one array of vectors")
    screen.print(f"   {lines[0]!r} and {lines[1]!r}")
    screen.print(f"   characters to ids {ids.shape}, ids to rows {rows.shape}, plus positions {sums.shape}")
    show_table(screen, ("line", "t", "token", "id", "row of the table", "position t", "sum"), [
        (str(b), str(t), visible(tokenizer.idx_to_char[int(ids[b, t])]), str(ids[b, t]),
         vector(rows.data[b, t]), vector(positions.pe.data[t]), vector(sums.data[b, t]))
        for b, t in worth_showing(ids)])
    screen.print("   One character has one row wherever it stands; padding has a row of zeros.\n")


def bigram_model(screen: Console, tokenizer, name: str, text: str, steps: int, rng: np.random.Generator):
    ids = np.array(tokenizer.encode(text))  # (N,)
    size = tokenizer.vocab_size
    layer = embeddings.Embedding(size, size, init_type="gpt2", rng=rng)
    pairs = bigram.pair_counts(ids, size)
    before = bigram.exact_loss(layer.weight.data, pairs)
    heading(screen, "3. Train a table: row x holds the logits of the character after x")
    screen.print(f"   {name}: {pairs.sum():,} pairs of characters")
    screen.print(f"   Embedding({size}, {size}): {size - len(MARKERS)} characters and {len(MARKERS)} markers"
                 f"{unknown(ids)}")
    losses, seconds = with_bar(screen, bigram.training(layer, ids, steps, rng), steps)
    after = bigram.exact_loss(layer.weight.data, pairs)
    unigram, best = bigram.entropy(pairs.sum(axis=0)), bigram.entropy(pairs)
    show_table(screen, ("loss over the whole text", "nats a character"), [
        (f"know nothing: log {size}", f"{np.log(size):.4f}"),
        ("the table before training", f"{before:.4f}"),
        ("know how frequent each character is (unigram)", f"{unigram:.4f}"),
        ("the table after training", f"{after:.4f}"),
        ("count all pairs (bigram): no table can do better", f"{best:.4f}")], right=1)
    if best > 0:
        screen.print(f"   The trained table is {100 * (after / best - 1):.3f} % above counting.")
    screen.print(f"   {steps:,} steps of {bigram.BATCH:,} pairs through cross_entropy, backward, Adam: "
                 f"{seconds:.1f} s\n")
    probable_pairs(screen, tokenizer, layer.weight.data, pairs)
    return losses, {"know nothing": float(np.log(size)), "unigram": unigram, "bigram": best}


def probable_pairs(screen: Console, tokenizer, weight: np.ndarray, pairs: np.ndarray) -> None:
    """What the table says of a few characters, beside the counted share of the same pair."""
    followed = [x for x in map(tokenizer.char_to_idx.get, "qt.\n") if x is not None and pairs[x].sum()]
    show_table(screen, ("after", "most probable next (the share that counting gives)"), [
        (visible(tokenizer.idx_to_char[x]), "   ".join(
            f"{visible(tokenizer.idx_to_char[y])} {chance:.3f} ({pairs[x, y] / pairs[x].sum():.3f})"
            for y, chance in bigram.successors(weight, x, 3) if chance >= 0.001))
        for x in followed or [int(pairs.sum(axis=1).argmax())]])
    screen.print()


def word_vectors(screen: Console) -> WordVectors:
    words, vectors = data.glove()
    layer = embeddings.Embedding.from_pretrained(vectors)
    glove = WordVectors(words, layer.weight.data)
    heading(screen, f"4. A ready-made table: GloVe, {len(glove):,} words, {vectors.shape[1]} numbers each")
    show_table(screen, ("word", "nearest by cosine"),
               [(word, ranked(found)) for word, found in zip(NEIGHBOURS_OF, glove.neighbours(NEIGHBOURS_OF, 4))])
    screen.print()
    found = [(glove.analogy(a, b, c, 2), glove.most_similar(c, topn=1)) for a, b, c in ANALOGIES]
    show_table(screen, ("analogy", "nearest of the other words", "nearest to the last word"), [
        (f"{b} - {a} + {c}", ranked(answers), ranked(alone))
        for (a, b, c), (answers, alone) in zip(ANALOGIES, found, strict=True)])
    same = sum(answers[0][0] == alone[0][0] for answers, alone in found)
    screen.print(f"   In {same} of {len(found)} the last word alone finds it: there the arithmetic "
                 "adds nothing.\n")
    return glove


def trained_words(screen: Console, text: str, glove: WordVectors) -> WordVectors | None:
    """Skip-gram on the text; None where it can't give vectors."""
    heading(screen, "5. Train such a table: words with the same neighbours get similar rows")
    sentences, start = sentences_of(text), time.perf_counter()
    with bar(screen, skipgram.EPOCHS * sum(map(len, sentences))) as show:
        vectors = skipgram.train(sentences, lambda report: show(report.words, report.loss))
    if isinstance(vectors, str):
        screen.print(f"   {vectors}\n")
        return None
    asked = skipgram.worth_asking(vectors)
    show_table(screen, ("word", "nearest here", "nearest in GloVe"), [
        (word, names(found), names(glove.most_similar(word, topn=3)) if word in glove else "not in the table")
        for word, found in zip(asked, vectors.neighbours(asked, 3))])
    screen.print(f"   {len(vectors):,} words, {vectors.table.shape[1]} numbers each, from noise in "
                 f"{skipgram.EPOCHS} passes of skip-gram: {time.perf_counter() - start:.1f} s\n")
    return vectors


def draw(screen: Console, losses: list[float], marks: dict[str, float], tables: dict, folder: Path) -> None:
    """The pictures; the map only where every table has its words."""
    heading(screen, "6. Pictures")
    sinusoid = embeddings.create_sinusoidal_embeddings(128, 128)
    screen.print(f"   {pictures.draw_sinusoid(sinusoid.data, folder / 'sinusoid.png')}")
    screen.print(f"   {pictures.draw_loss(losses, marks, folder / 'bigram-loss.png')}")
    if None in tables.values():
        return
    missing = [word for vectors in tables.values() for word in skipgram.missing_on_map(vectors)]
    if missing:
        screen.print(f"   no map of words, for some are not in the text: {', '.join(missing[:3])} ...")
    else:
        screen.print(f"   {pictures.draw_words(tables, folder / 'words.png')}")


@contextmanager
def bar(screen: Console, total: int):
    """A bar on a terminal, nothing in a file: `with bar(screen, 100) as show: show(1, loss)`."""
    columns = (TextColumn("   training"), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[loss]}"), TimeElapsedColumn())
    with Progress(*columns, console=screen, disable=not screen.is_terminal) as progress:
        task = progress.add_task("", total=total, loss="")
        yield lambda done, loss: progress.update(task, completed=done, loss=f"loss {loss:.3f}")
        progress.update(task, completed=total)  # rare words are in the total and not in a report


def with_bar(screen: Console, training, steps: int) -> tuple[list[float], float]:
    """All losses of a training run, shown while it runs, and its seconds."""
    losses, start = [], time.perf_counter()
    with bar(screen, steps) as show:
        for loss in training:
            losses.append(loss)
            show(len(losses), loss)
    return losses, time.perf_counter() - start


def unknown(ids: np.ndarray) -> str:
    rare = int((ids == UNK).sum())
    return f"; {rare:,} rarer characters are read as <UNK>" if rare else ""


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
    padding = np.flatnonzero(ids[1] == PAD)[:1].tolist()
    return [(0, t) for t in places] + [(1, t) for t in padding]


def vector(row: np.ndarray) -> str:
    return " ".join(f"{value:5.2f}" for value in row)


def visible(token: str) -> str:
    """A character as the screen can show it: space and line end by name."""
    named = {" ": "space", "\n": "newline"}
    return named.get(token, token if token.isprintable() else ascii(token)[1:-1])


def ranked(found: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {cosine:.2f}" for word, cosine in found)


def names(found: list[tuple[str, float]]) -> str:
    return ", ".join(word for word, _ in found)
