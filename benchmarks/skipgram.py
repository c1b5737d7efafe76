"""Skip-gram beside gensim: words a second, and what the vectors are worth.

    python benchmarks/skipgram.py            # three seeds, some minutes
    python benchmarks/skipgram.py --quick    # two seeds

gensim is optional (python -m pip install -e ".[bench]"). Without it the comparisons with gensim are left
out, and the report says so. Everything runs on Shakespeare's plays: D 50, window 5, 5 negatives, lr 0.05 to 1e-4.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: both sides get one computing thread

import argparse
import platform
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from tinytorch import data
from tinytorch.core.vectors import WordVectors, read_questions, unit_rows
from tinytorch.core.word2vec import SkipGram, count_words, encode, pairs_of, reach, sentences_of

PAIRS = [pair.split("-") for pair in ("husband-wife england-france brutus-cassius night-morning wine-drink "
                                      "hate-love father-mother she-he").split()]
SETTINGS = dict(window=5, negative=5, sample=1e-3, min_count=5, epochs=5)
WIDTH, RATE, LEAST_RATE = 50, 0.05, 1e-4
FUNCTION_WORDS = 150  # the most frequent words, which are mostly function words, are not asked for neighbours
ASKED, AMONG, NEAREST = 500, 3000, 10


def train_ours(sentences, seed: int) -> tuple[WordVectors, float, float]:
    """Vectors, wall seconds and CPU seconds, counting the vocabulary included."""
    wall, cpu = perf_counter(), process_time()
    vectors = SkipGram(WIDTH, lr=RATE, seed=seed, **SETTINGS).fit(sentences)
    return vectors, perf_counter() - wall, process_time() - cpu


def train_gensim(sentences, seed: int) -> tuple[WordVectors, float, float]:
    """The same of gensim, with one worker; it has a thread of its own that hands out the text."""
    from gensim.models import Word2Vec

    wall, cpu = perf_counter(), process_time()
    model = Word2Vec(
        sentences,
        vector_size=WIDTH,
        alpha=RATE,
        min_alpha=LEAST_RATE,
        sg=1,
        workers=1,
        seed=seed,
        **SETTINGS,
    )
    wall, cpu = perf_counter() - wall, process_time() - cpu
    words, _ = count_words(sentences, SETTINGS["min_count"])
    return WordVectors(words, np.array([model.wv[word] for word in words])), wall, cpu


def ppmi_svd(sentences) -> WordVectors:
    """Positive pointwise mutual information of pairs, its 50 widest axes (Levy and Goldberg 2014)."""
    words, _ = count_words(sentences, SETTINGS["min_count"])
    ids, sentence = encode(sentences, words)
    rng, size = np.random.default_rng(0), len(words)
    seen = np.zeros(size * size, np.float32)
    for start in range(0, len(ids), 100_000):
        part = ids[start:start + 100_000]
        centre, other = pairs_of(*reach(sentence[start:start + 100_000], SETTINGS["window"], rng))
        cells, counts = np.unique(part[centre] * size + part[other], return_counts=True)
        seen[cells] += counts
    seen = seen.reshape(size, size)
    share = seen.sum(axis=1) / seen.sum()
    with np.errstate(divide="ignore"):
        ppmi = np.maximum(np.log(seen / seen.sum() / share[:, None] / share), 0)
    axes = rng.normal(size=(size, WIDTH + 10)).astype(np.float32)
    for _ in range(4):  # the widest axes by repeated multiplication (Halko, Martinsson, Tropp 2011)
        axes = np.linalg.qr(ppmi.T @ (ppmi @ axes))[0]
    left, width, _ = np.linalg.svd(ppmi @ axes, full_matrices=False)
    return WordVectors(words, left[:, :WIDTH] * np.sqrt(width[:WIDTH]))


def pair_ranks(vectors: WordVectors) -> list[int]:
    """For each pair the rank of one word for the other, the larger of both ways; ties count against."""
    if not np.isfinite(vectors.table).all() or not (np.abs(vectors.table).max(axis=1) > 0).all():
        raise ValueError("a table with rows that are zero or not finite")
    found = []
    for pair in PAIRS:
        ranks = []
        for one, other in (pair, pair[::-1]):
            cosines = vectors.unit @ vectors.unit[vectors.row[one]]
            cosines[vectors.row[one]] = -np.inf
            ranks.append(int((cosines >= cosines[vectors.row[other]]).sum()))
        found.append(max(ranks))
    return found


def lists_of(vectors: WordVectors) -> np.ndarray:
    """The ten nearest, among the 3000 most frequent, of 500 frequent words: rows (500, 10)."""
    asked = np.arange(FUNCTION_WORDS, FUNCTION_WORDS + ASKED)
    return vectors.nearest(vectors.unit[asked], NEAREST, restrict=AMONG, exclude=asked[:, None])[0]


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """The share that lists of neighbours have in common, 0 to 1."""
    return float(
        np.mean([len(set(x) & set(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]) / NEAREST
    )


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def speed(runs, words: int) -> None:
    """What the trainings took. They were run in turns, so that a busy machine hurts both."""
    for number, (ours, theirs) in enumerate(runs):
        print(f"  round {number + 1}: ours {ours[1]:.1f} s wall, {ours[2]:.1f} s CPU; "
              f"gensim {theirs[1]:.1f} s wall, {theirs[2]:.1f} s CPU")
    for name, side in (("ours", 0), ("gensim", 1)):
        wall, cpu = (median(run[side][clock] for run in runs) for clock in (1, 2))
        print(f"{name:<6} {words / wall:>9,.0f} words/s by wall, {words / cpu:>9,.0f} by CPU time")
    wall, cpu = (median(theirs[clock] / ours[clock] for ours, theirs in runs) for clock in (1, 2))
    print(f"ours / gensim, median of {len(runs)} rounds: {wall:.2f} by wall "
          f"(aim: 2, {'reached' if wall >= 2 else 'NOT reached'}), {cpu:.2f} by CPU time")
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def quality(sentences, ours, theirs) -> None:
    """The eight pairs and the lists of neighbours of trained tables, and of two baselines."""
    print("ranks of", " ".join("-".join(pair) for pair in PAIRS), "(aim for ours: all at most 10)")
    worst = {}

    def show(name, vectors):
        found = pair_ranks(vectors)
        worst[name] = max(found)
        print(f"  {name:<14} {' '.join(f'{rank:>5}' for rank in found)}   worst {max(found)}", flush=True)
        return lists_of(vectors)

    ours = [show(f"ours, seed {seed}", vectors) for seed, vectors in enumerate(ours)]
    theirs = [show(f"gensim, seed {seed + 1}", vectors) for seed, vectors in enumerate(theirs)]
    words, _ = count_words(sentences, SETTINGS["min_count"])
    show("random", WordVectors(words, np.random.default_rng(0).normal(size=(len(words), WIDTH))))
    svd = show("PPMI + SVD", ppmi_svd(sentences))
    most = max(rank for name, rank in worst.items() if name.startswith("ours"))
    least = min(worst["random"], worst["PPMI + SVD"])
    print(f"worst rank of ours over seeds {most}, of the better baseline {least} "
          f"(aim: at most 10 and below it, {'reached' if most <= 10 and most < least else 'NOT reached'})")
    mine = np.mean([overlap(*two) for two in combinations(ours, 2)])
    print(f"lists of ten in common, ours over seeds: {mine:.3f}")
    if theirs:
        own = np.mean([overlap(*two) for two in combinations(theirs, 2)])
        across = np.mean([overlap(*two) for two in product(ours, theirs)])
        other = np.mean([overlap(svd, lists) for lists in theirs])
        verdict = "reached" if across >= 0.8 * own else "NOT reached"
        print(f"in common with gensim's: gensim over seeds {own:.3f}, ours {across:.3f}, "
              f"PPMI + SVD {other:.3f}")
        print(f"ours / gensim's own over seeds: {across / own:.2f} (aim: 0.80, {verdict})")


def analogies() -> None:
    """word2vec's own questions on the shipped GloVe cut; the file comes with gensim."""
    path = (
        Path(find_spec("gensim").submodule_search_locations[0]) / "test" / "test_data" / "questions-words.txt"
    )
    glove = WordVectors.load()
    for name, score in glove.accuracy(read_questions(path.read_text(encoding="utf-8"))).items():
        print(f"  {name:<28} {score.asked:>5} asked: {score.accuracy:6.1%} right, "
              f"{score.baseline:6.1%} without arithmetic")


def search_times() -> None:
    rng = np.random.default_rng(0)
    for rows in (10_000, 400_000):
        table = unit_rows(rng.normal(size=(rows, WIDTH)).astype(np.float32))
        vectors = WordVectors(map(str, range(rows)), table)
        for queries in (1, 64):
            took = []
            for _ in range(9):
                start = perf_counter()
                vectors.nearest(table[:queries])
                took.append((perf_counter() - start) / queries * 1000)
            print(f"  {rows:>7,} rows, {queries:>2} queries at once: {median(took):.2f} ms a query")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two seeds instead of three")
    quick = parser.parse_args().quick
    sentences = sentences_of(data.shakespeare())
    with_gensim = find_spec("gensim") is not None
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}, "
          f"{os.cpu_count()} cores; {len(sentences):,} sentences, {sum(map(len, sentences)):,} words")
    seeds, words = (2 if quick else 3), SETTINGS["epochs"] * sum(map(len, sentences))
    heading(f"Words a second, {SETTINGS['epochs']} epochs, vocabulary included")
    if with_gensim:
        runs = [(train_ours(sentences, seed), train_gensim(sentences, seed + 1)) for seed in range(seeds)]
        speed(runs, words)
    else:
        runs = [(train_ours(sentences, seed), None) for seed in range(seeds)]
        print(f"ours {words / median(ours[1] for ours, _ in runs):,.0f} words/s by wall; "
              "gensim is not installed: no comparison")
    heading("Quality")
    quality(sentences, [ours[0] for ours, _ in runs], [theirs[0] for _, theirs in runs if theirs])
    heading("Analogies on the GloVe cut")
    if with_gensim:
        analogies()
    else:
        print("gensim is not installed: its file questions-words.txt is missing")
    heading("Brute-force search, 50 columns")
    search_times()


if __name__ == "__main__":
    main()
