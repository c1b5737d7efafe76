"""SkipGram: the loss and its gradients, two forms of one loss, the trained vectors, the refusals."""
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from helpers_gradcheck import check_gradients, steady
from hypothesis import given
from hypothesis import strategies as st

from tinytorch import data
from tinytorch.core import word2vec
from tinytorch.core.embeddings import Embedding
from tinytorch.core.tensor import Tensor
from tinytorch.core.vectors import WordVectors
from tinytorch.core.word2vec import SkipGram, log_sigmoid, pair_loss

PAIRS = [
    tuple(pair.split("-"))
    for pair in (
        "husband-wife england-france brutus-cassius night-morning wine-drink hate-love father-mother she-he"
    ).split()
]
SMALL = [["the", "cat", "sat"], ["the", "dog", "sat", "on", "the", "cat"], ["a", "dog"]] * 20


# Words and counts --------------------------------------------------------------------------------------

def test_words_come_by_count_and_then_by_spelling():
    words, counts = word2vec.count_words([["b", "a", "c"], ["c", "a", "b"], ["d", "c"]])
    assert words == ["c", "a", "b", "d"] and counts.tolist() == [3, 2, 2, 1]
    assert word2vec.count_words([["b", "a"], ["a"]], min_count=2)[0] == ["a"]


def test_a_text_and_its_sentences_give_the_same_words():
    text = "One two,\nthree.\n\nTwo 'three'"
    sentences = [["one", "two", "three"], ["two", "three"]]
    for blank in ("\n\n", "\r\n\r\n", "\n \t\n\n"):           # as editors and Windows write an empty line
        assert word2vec.sentences_of(text.replace("\n\n", blank)) == sentences
    assert word2vec.sentences_of(["one two, three.", "Two THREE"]) == sentences
    assert word2vec.sentences_of(iter(sentences)) == sentences


def test_encode_leaves_out_unknown_words_and_keeps_sentences_apart():
    ids, sentence = word2vec.encode([["b", "x", "a"], ["x"], ["a"]], ["a", "b"])
    assert ids.tolist() == [1, 0, 0] and sentence.tolist() == [0, 0, 2]


def test_keep_chance_is_the_formula_of_word2vec():
    counts = np.array([900, 99, 1])
    for i, share in enumerate((0.9, 0.099, 0.001)):
        ran = (np.sqrt(counts[i] / (1e-3 * 1000)) + 1) * (1e-3 * 1000) / counts[i]  # as written in word2vec.c
        assert word2vec.keep_chance(counts, 1e-3)[i] == pytest.approx(min(1, ran))
        assert word2vec.keep_chance(counts, 1e-3)[i] == pytest.approx(
            min(1, np.sqrt(1e-3 / share) + 1e-3 / share)
        )
    assert word2vec.keep_chance(counts, 0).tolist() == [1, 1, 1]


def test_the_negative_table_holds_words_in_proportion():
    counts = np.array([1000, 200, 30, 4])
    share = np.bincount(word2vec.negative_table(counts)) / word2vec.TABLE
    np.testing.assert_allclose(share, counts**0.75 / (counts**0.75).sum(), atol=2 / word2vec.TABLE)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 4), st.integers(0, 99))
@steady
def test_neighbours_stay_in_the_window_and_in_the_sentence(lengths, window, seed):
    sentence = np.repeat(np.arange(len(lengths)) * 2, lengths)      # numbers may have gaps
    left, right = word2vec.reach(sentence, window, np.random.default_rng(seed))
    centre, other = word2vec.pairs_of(left, right)
    assert (sentence[centre] == sentence[other]).all() and (centre != other).all()
    assert (np.abs(centre - other) <= window).all() and len(centre) == left.sum() + right.sum()
    if window == 1:
        assert len(centre) == sum(2 * (n - 1) for n in lengths)


# Draws -------------------------------------------------------------------------------------------------

def test_the_target_is_never_its_own_negative():
    rng = np.random.default_rng(0)
    assert (word2vec.draw_others(np.array([0.7, 0.3]), np.zeros(100, int), 5, rng) == 1).all()
    share = np.array([0.5, 0.3, 0.0, 0.2])
    drawn = word2vec.draw_others(share, np.full(4000, 1), 5, rng)
    np.testing.assert_allclose(
        np.bincount(drawn.ravel(), minlength=4) / drawn.size, [5 / 7, 0, 0, 2 / 7], atol=0.01
    )
    for share in ([1.0], [1.0, 0.0]):
        with pytest.raises(ValueError, match="two words"):
            word2vec.draw_others(np.array(share), np.array([0]), 5, rng)


# The loss ----------------------------------------------------------------------------------------------

def test_log_sigmoid_of_large_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Tensor([-1000.0, 0.0, 1000.0], requires_grad=True)
        out = log_sigmoid(x)
        out.sum().backward()
    assert out.data[0] == -1000 and out.data[2] == 0
    assert out.data[1] == pytest.approx(-np.log(2), rel=1e-6)
    np.testing.assert_allclose(x.grad.data, [1, 0.5, 0], atol=1e-7)


def test_gradients_of_the_loss_over_every_entry():
    rng = np.random.default_rng(1)
    check_gradients(log_sigmoid, rng.normal(size=(3, 4)) * 5)
    check_gradients(pair_loss, rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 5, 3)))


def test_one_pair_by_hand():
    rows = Tensor([[1.0, 0.0]]), Tensor([[2.0, 5.0]]), Tensor([[[-1.0, 3.0]]])
    assert pair_loss(*rows).item() == pytest.approx(np.log(1 + np.exp(-2)) + np.log(1 + np.exp(-1)), rel=1e-6)


def small_block(seed, k=5):
    """Random tables and a stretch of text, as explicit pairs and as a block whose negatives are all words."""
    rng = np.random.default_rng(seed)
    size, width, lane, window = rng.integers(2, 9), rng.integers(1, 4), 6, 2
    p = rng.dirichlet(np.ones(size))
    tables = rng.normal(size=(2, size, width))
    text, sentence = rng.integers(0, size, lane + 2 * window), np.sort(rng.integers(0, 3, lane + 2 * window))
    left, right = (x[window:-window] for x in word2vec.reach(sentence, window, rng))
    centre, other = word2vec.pairs_of(left, right)
    offset = np.arange(lane + 2 * window) - window - np.arange(lane)[:, None]
    near = (offset >= -left[:, None]) & (offset <= right[:, None]) & (offset != 0)
    weight = k * (near / (1 - p[text])).sum(axis=1)[:, None] * p
    rows = [tables[0][text[window:-window]][None], tables[1][text][None], tables[1][None]]
    return tables, p, text[window + centre], text[window + other], rows, (
        near[None], (k * p / (1 - p))[text][None, None], weight[None])


@pytest.mark.parametrize("seed", range(20))
def test_the_blocked_loss_is_the_expected_loss_of_explicit_pairs(seed):
    tables, p, centres, others, rows, rest = small_block(seed)
    expected = 0.0
    for c, o in zip(centres, others):
        scores = tables[1] @ tables[0][c]
        expected += np.log1p(np.exp(-scores[o]))
        expected += sum(5 * p[n] / (1 - p[o]) * np.log1p(np.exp(scores[n])) for n in range(len(p)) if n != o)
    assert word2vec.block_loss(*rows, *rest) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_gradients_of_the_blocked_loss_over_every_entry(seed):
    *_, rows, rest = small_block(seed)
    for which, slopes in enumerate(word2vec.block_gradients(*rows, *rest)):
        for entry in np.ndindex(slopes.shape):
            up, down = [a.copy() for a in rows], [a.copy() for a in rows]
            up[which][entry] += 1e-5
            down[which][entry] -= 1e-5
            right = (word2vec.block_loss(*up, *rest) - word2vec.block_loss(*down, *rest)) / 2e-5
            assert slopes[entry] == pytest.approx(right, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("size, window", [(90, 1), (90, 5), (90, 20), (48, 5)])
def test_the_batches_hold_the_pairs_of_the_text(size, window):
    """Every pair once, in the right rows, and the weights of the draws; the last batch is not full."""
    rng = np.random.default_rng(3)
    ids, sentence = rng.integers(0, size, 700), np.sort(rng.integers(0, 60, 700))
    table = word2vec.negative_table(np.bincount(ids, minlength=size))
    share = np.bincount(table, minlength=size) / word2vec.TABLE
    left, right = word2vec.reach(sentence, window, np.random.default_rng(9))
    centre, other = word2vec.pairs_of(left, right)
    found, weight = [], 0.0
    for batch in word2vec.batches(ids, sentence, share, table, window, 5, np.random.default_rng(9)):
        block, row, column = np.nonzero(batch.near)
        here = batch.place + block * batch.near.shape[1] + row      # the same draws: the same pairs
        found += list(zip(here.tolist(), (batch.blocks[block, column] - size).tolist()))
        assert (batch.centres[block, row] == ids[here]).all()
        centres, contexts = np.split(batch.rows, [batch.centres.size])
        assert (centres == batch.centres.ravel()).all() and set(contexts) >= set(batch.blocks.ravel())
        assert (contexts[-batch.negatives.size:] == batch.negatives.ravel()).all() and contexts.min() >= size
        shape = *batch.weight.shape[:-1], batch.negatives.shape[1]
        weight += float(np.broadcast_to(batch.weight, shape).sum())
    assert sorted(found) == sorted(zip(centre.tolist(), ids[other].tolist()))
    assert weight == pytest.approx((5 / (1 - share[ids[other]])).sum(), rel=1e-4)


@given(st.lists(st.lists(st.integers(0, 9), min_size=12, max_size=12), min_size=1, max_size=4))
@steady
def test_merging_is_a_sum_by_id(ids):
    ids = np.array(ids)
    upstream = np.random.default_rng(0).normal(size=(12, 2))
    for batch, order, sizes in zip(ids, *word2vec.merge_plan(ids)):
        sums = word2vec.merge(upstream, order, sizes)
        rows = batch[order[:len(sums)]]
        assert sorted(rows.tolist()) == np.unique(batch).tolist()
        for row, total in zip(rows, sums):
            np.testing.assert_allclose(total, upstream[batch == row].sum(axis=0))


def test_places_that_blocks_share_are_added():
    blocks = np.random.default_rng(0).normal(size=(3, 7, 2))
    right = np.zeros((15, 2))
    for b in range(3):
        right[4 * b:4 * b + 7] += blocks[b]
    np.testing.assert_allclose(word2vec.by_place(blocks, 4), right)


def test_no_row_moves_by_more_than_the_limit():
    table = np.zeros((4, 2), np.float32)
    word2vec.descend(table, np.array([2, 0]), np.float32([[3e15, 4e15], [0.24, 0.32]]), rate=1.0)
    np.testing.assert_allclose(table, [[-0.24, -0.32], [0, 0], [-0.3, -0.4], [0, 0]], rtol=1e-6)


def test_a_blocked_step_descends_like_explicit_pairs():
    """One small step from one start. Of 8 words none is drawn: the blocked step is the expected one."""
    rng = np.random.default_rng(0)
    ids, sentence, share = rng.integers(0, 8, 256), np.repeat(np.arange(16), 16), np.full(8, 1 / 8)
    start = rng.normal(size=(2, 8, 3)).astype(np.float32)
    rate, draws = 1e-4, 150
    model = SkipGram(embedding_dim=3)
    model.tables = start.reshape(16, 3).copy()
    table = word2vec.negative_table(np.full(8, 32))
    model._step(
        next(word2vec.batches(ids, sentence, share, table, 2, 5, np.random.default_rng(1))), rate, False
    )
    blocked = (model.tables.reshape(2, 8, 3) - start) / rate
    left, right = word2vec.reach(sentence, 2, np.random.default_rng(1))     # the same windows
    centre, other = word2vec.pairs_of(left, right)
    explicit = np.zeros_like(start)
    for _ in range(draws):
        layers = [Embedding.from_pretrained(t, freeze=False, sparse=True) for t in start]
        word2vec.pair_step(
            *layers, ids[centre], ids[other], word2vec.draw_others(share, ids[other], 5, rng), rate
        )
        explicit += np.array([layer.weight.data for layer in layers]) - start
    explicit /= draws * rate
    assert np.abs(explicit).max() > 50
    np.testing.assert_allclose(blocked, explicit, atol=0.02 * np.abs(explicit).max())


# Training ----------------------------------------------------------------------------------------------

def worst_rank(vectors, a, b):
    """The rank of each word among the other's neighbours, the larger of the two; ties count against it."""
    unit = vectors.unit.astype(np.float64)
    worst = 0
    for one, other in ((a, b), (b, a)):
        scores = unit @ unit[vectors.row[one]]
        scores[vectors.row[one]] = -np.inf
        worst = max(worst, int((scores >= scores[vectors.row[other]]).sum()))
    return worst


def assert_meaning(vectors):
    """What a trained table of the plays must show, and what no table of noise or zeros can."""
    assert np.isfinite(vectors.table).all(), "numbers that are not finite"
    assert (np.abs(vectors.table).max(axis=1) > 0).all(), "rows of zeros"
    ranks = {f"{a}-{b}": worst_rank(vectors, a, b) for a, b in PAIRS}
    assert max(ranks.values()) <= 10, f"ranks of the pairs, at most 10: {ranks}"


@pytest.fixture(scope="module")
def sentences():
    return word2vec.sentences_of(data.shakespeare())


@pytest.fixture(scope="module")
def trained(sentences):
    reports = []
    model = SkipGram()
    return model, model.fit(sentences, progress=reports.append), reports


def test_the_eight_pairs_are_near_each_other_both_ways(trained):
    assert_meaning(trained[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
def test_the_eight_pairs_with_other_seeds(sentences, seed):
    assert_meaning(SkipGram(seed=seed).fit(sentences))


def test_tables_without_meaning_fail_the_same_test(trained):
    words, shape = trained[1].words, trained[1].table.shape
    noise = np.random.default_rng(0).normal(size=shape)
    for table in (noise, np.zeros(shape), np.ones(shape), noise[:1].repeat(len(words), axis=0)):
        with pytest.raises(AssertionError):
            assert_meaning(WordVectors(words, table))


def test_the_loss_falls_as_it_goes(trained):
    model, vectors, reports = trained
    losses = [report.loss for report in reports]
    assert losses == model.losses and 18 <= len(losses) <= 21
    assert losses[0] < 6 * np.log(2) and np.mean(losses[-4:]) < 0.8 * losses[0]
    assert [report.epoch for report in reports] == sorted(report.epoch for report in reports)
    assert reports[-1].epoch == 5 and reports[-1].words == pytest.approx(5 * 880_000, rel=0.05)
    assert reports[-1].words_per_second > 0 and "words/s" in str(reports[-1])
    assert len(vectors) == len(vectors.table) and vectors.words[:2] == ["the", "and"]


def test_the_same_seed_gives_the_same_vectors():
    one, two = (SkipGram(8, min_count=1, epochs=3, seed=7).fit(SMALL) for _ in range(2))
    other = SkipGram(8, min_count=1, epochs=3, seed=8).fit(SMALL)
    assert one.words == two.words == other.words
    np.testing.assert_array_equal(one.table, two.table)
    assert (one.table != other.table).all()


def test_the_same_seed_in_two_processes():
    code = ("import hashlib; from tinytorch.core.word2vec import SkipGram; from tinytorch import data;"
            "v = SkipGram(50, epochs=1).fit(data.shakespeare()[:80_000]);"
            "print(hashlib.sha256(v.table.tobytes() + ' '.join(v.words).encode()).hexdigest())")
    prints = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                             env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "01"}
    assert len(prints) == 1 and len(prints.pop()) == 65


@pytest.mark.parametrize("lr", [30.0, 1e6, 1e30])
def test_a_huge_learning_rate_says_so_or_stays_finite(lr):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for corpus, options in ((SMALL, dict(min_count=1, epochs=50)), (data.shakespeare()[:40_000], {})):
            try:
                vectors = SkipGram(8, lr=lr, **options).fit(corpus)
            except FloatingPointError as error:
                assert "diverged in epoch" in str(error) and f"{lr:g}" in str(error)
            else:
                assert np.isfinite(vectors.table).all()


@pytest.mark.parametrize("batches", [2, 11, 21, 40])
def test_the_last_steps_are_looked_at(batches):
    """A loss is measured now and then; whatever the number of batches, the last report is at the end."""
    reports = []
    text = [[f"w{i % 70}" for i in range(batches * word2vec.BATCH)]]
    SkipGram(4, min_count=1, sample=0, epochs=1).fit(text, reports.append)
    assert reports[-1].words == batches * word2vec.BATCH


def test_what_counts_as_diverged():
    fine, broken = np.zeros((2, 2)), np.array([[1.0, np.nan]])
    word2vec.check_loss(word2vec.Report(1, 1, 1.0, 8.0, fine), 5, 0.1)
    for loss, table in ((8.4, fine), (np.nan, fine), (np.inf, fine), (3.0, broken)):
        with pytest.raises(FloatingPointError, match="diverged in epoch 2.*below 0.1"):
            word2vec.check_loss(word2vec.Report(2, 1, 1.0, loss, table), 5, 0.1)


@pytest.mark.parametrize(
    "sentences, min_count", [([], 1), ([[], []], 1), ([["a", "b"]], 2), ("", 1), ("12 !", 1)]
)
def test_nothing_to_train_on(sentences, min_count):
    with pytest.raises(ValueError, match="empty vocabulary"):
        SkipGram(4, min_count=min_count).fit(sentences)


@pytest.mark.parametrize("text, part", [
    (b"to be or not", "decode"), ([b"to be", b"or"], "116"), ([[1, 2], [2]], "got 1"),
    ([["a", None]], "None"), ([["a", 1], [2, "b"]], "got 1"), (None, "NoneType"), ([1, 2], "int")])
def test_what_is_no_text(text, part):
    with pytest.raises(TypeError, match=part):
        SkipGram(4, min_count=1).fit(text)


def test_sentences_may_come_from_generators():
    lists = [["a", "b", "a"], ["b", "c"]] * 9
    plain = SkipGram(4, min_count=1, sample=0).fit(lists)
    for text in ((one for one in lists), ((word for word in one) for one in lists), map(" ".join, lists)):
        lazy = SkipGram(4, min_count=1, sample=0).fit(text)
        assert lazy.words == plain.words
        np.testing.assert_array_equal(lazy.table, plain.table)


def test_a_single_word_has_no_negatives():
    with pytest.raises(ValueError, match="one word, 'a'"):
        SkipGram(4, min_count=1).fit([["a", "a", "a"]])


def test_sentences_of_one_word_leave_the_start_vectors():
    vectors = SkipGram(4, min_count=1, epochs=9).fit([["a"], ["b"], ["a"]])
    start = SkipGram(4, min_count=1, epochs=0).fit([["a"], ["b"], ["a"]])
    np.testing.assert_array_equal(vectors.table, start.table)
    assert np.abs(vectors.table).max() <= 0.5 / 4 and (vectors.table != 0).all()


@pytest.mark.parametrize("sentences", [[["a", "b"]], [["a", "b"] * 600, ["b"]], [["a"] * 500 + ["b"]]])
def test_two_words_are_enough(sentences):
    vectors = SkipGram(3, min_count=1, sample=0).fit(sentences)
    assert sorted(vectors.words) == ["a", "b"] and np.isfinite(vectors.table).all()


@pytest.mark.parametrize("options", [dict(window=1), dict(window=40), dict(window=64), dict(negative=1),
                                     dict(embedding_dim=1), dict(sample=0), dict(sample=1e-9)])
def test_other_settings_train(options):
    vectors = SkipGram(**{"embedding_dim": 5, "min_count": 1, "epochs": 2, **options}).fit(SMALL)
    assert len(vectors) == 6 and np.isfinite(vectors.table).all() and (vectors.table != 0).any(axis=1).all()


@pytest.mark.parametrize("options, kind", [
    (dict(embedding_dim=0), ValueError), (dict(window=0), ValueError), (dict(window=65), ValueError),
    (dict(negative=0), ValueError), (dict(epochs=-1), ValueError), (dict(lr=0), ValueError),
    (dict(lr=float("nan")), ValueError), (dict(sample=-1), ValueError), (dict(window=2.5), TypeError),
    (dict(embedding_dim="50"), TypeError), (dict(seed=None), TypeError), (dict(seed=-1), ValueError),
    (dict(min_count=-1), ValueError), (dict(sample=float("inf")), ValueError),
    (dict(lr="0.1"), TypeError), (dict(sample=None), TypeError)])
def test_settings_that_make_no_sense(options, kind):
    with pytest.raises(kind, match=next(iter(options))):
        SkipGram(**options)


def test_settings_show_in_the_repr():
    assert repr(SkipGram(8, seed=3)) == (
        "SkipGram(embedding_dim=8, window=5, negative=5, epochs=5, lr=0.05, seed=3)")
