"""From text to vectors and back: tokenizer, padding, lookup, positions, a gradient, a trained table."""
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import (
    Embedding,
    EmbeddingLayer,
    LearnedPositionalEmbedding,
    PositionalEncoding,
    create_sinusoidal_embeddings,
)
from tinytorch.core.optimizers import Adam
from tinytorch.core.tensor import Tensor, cross_entropy
from tinytorch.core.tokenization import CharTokenizer

parametrize = pytest.mark.parametrize
TEXTS = ["dog bites man", "hi", "", "man bites dog!"]  # 15, 4, 2 and 16 ids with markers
PAD, UNK, BOS, EOS = 0, 1, 2, 3


@pytest.fixture
def batch():
    tokenizer = CharTokenizer()
    ids = [tokenizer.encode(text, add_special_tokens=True) for text in TEXTS]
    return tokenizer, tokenizer.pad_sequences(ids, max_length=20), [len(row) for row in ids]


# ------------------------------------------------------------------------------------------------- values
def test_ids_of_a_batch(batch):
    tokenizer, ids, lengths = batch
    assert ids.shape == (4, 20)
    assert lengths == [15, 4, 2, 16]
    for row, length, text in zip(ids.tolist(), lengths, TEXTS, strict=True):
        assert row[0] == BOS
        assert row[length - 1] == EOS
        assert row[length:] == [PAD] * (20 - length)
        assert tokenizer.decode(row, skip_special_tokens=True) == text


def test_padding_is_zero_after_the_lookup_and_a_position_after_the_sum(batch):
    tokenizer, ids, lengths = batch
    table = Embedding(tokenizer.vocab_size, 128, padding_idx=PAD)
    positions = PositionalEncoding(128, 64)
    rows = table(ids)
    out = positions(rows)
    assert rows.shape == out.shape == (4, 20, 128)
    assert out.dtype == np.float32
    pe = create_sinusoidal_embeddings(20, 128).data
    for item, length in enumerate(lengths):
        assert not rows.data[item, length:].any()
        assert rows.data[item, :length].any(axis=1).all()
        assert_array_equal(out.data[item, length:], pe[length:])
        assert_allclose(out.data[item, :length] - pe[:length], rows.data[item, :length], atol=2e-7)
    assert_array_equal(rows.data[0, 0], rows.data[1, 0])  # the same marker, the same row
    assert not np.array_equal(out.data[0, 1], out.data[3, 13])  # d at positions 1 and 13


@parametrize("way", ["learned", "sinusoidal", None], ids=str)
def test_one_layer_does_the_same(batch, way):
    tokenizer, ids, lengths = batch
    layer = EmbeddingLayer(tokenizer.vocab_size, 128, 20, way, padding_idx=PAD)
    out = layer(ids)
    assert out.shape == (4, 20, 128)
    added = {"learned": lambda: layer.pos_encoding.position_embedding.weight.data,
             "sinusoidal": lambda: create_sinusoidal_embeddings(20, 128).data,
             None: lambda: np.zeros((20, 128))}[way]()
    for item, length in enumerate(lengths):
        assert_array_equal(out.data[item, length:], added[length:])


def test_the_way_back(batch):
    """Positions' gradient is summed over the batch, the table's over repeated ids, padding left out."""
    tokenizer, ids, lengths = batch
    for sparse in (False, True):
        table = Embedding(tokenizer.vocab_size, 6, padding_idx=PAD, sparse=sparse)
        positions = LearnedPositionalEmbedding(32, 6)
        positions(table(ids)).sum().backward()
        counts = np.bincount(ids.ravel(), minlength=tokenizer.vocab_size).astype(float)
        counts[PAD] = 0
        assert_array_equal(np.asarray(table.weight.grad)[:, 0], counts)
        assert_array_equal(np.asarray(positions.position_embedding.weight.grad)[:, 0], [4] * 20 + [0] * 12)


def test_left_padding_moves_the_positions(batch):
    tokenizer, _, lengths = batch
    ids = tokenizer.pad_sequences([tokenizer.encode(text, True) for text in TEXTS], 20, padding="left")
    out = EmbeddingLayer(tokenizer.vocab_size, 8, 20, "sinusoidal", padding_idx=PAD)(ids)
    pe = create_sinusoidal_embeddings(20, 8).data
    for item, length in enumerate(lengths):
        assert_array_equal(out.data[item, :20 - length], pe[:20 - length])


# -------------------------------------------------------------------------------------------------- edges
@parametrize("content, kept", [(5, 5), (6, 6), (7, 6), (10, 6)], ids=lambda n: f"B45: {n}")
def test_the_limit_counts_the_markers(content, kept):
    tokenizer = CharTokenizer()
    ids = tokenizer.encode("abcdefghij"[:content], add_special_tokens=True, max_length=8)
    assert len(ids) == kept + 2
    assert ids[0] == BOS
    assert ids[-1] == EOS
    assert tokenizer.decode(ids, skip_special_tokens=True) == "abcdefghij"[:kept]
    assert EmbeddingLayer(tokenizer.vocab_size, 4, 8)(ids).shape == (kept + 2, 4)


def test_ids_are_always_inside_the_table():
    """Whatever the text, every id of the tokenizer has a row."""
    tokenizer = CharTokenizer()
    table = Embedding(tokenizer.vocab_size, 3)
    text = "".join(map(chr, range(32, 127))) + "\u00e9\u4e2d\U0001f600\n\t\0"
    ids = tokenizer.encode(text, add_special_tokens=True)
    assert table(ids).shape == (len(text) + 2, 3)
    assert ids.count(UNK) == 6
    assert table(list(range(tokenizer.vocab_size))).shape == (99, 3)


def test_too_long_a_text_and_the_remedy():
    tokenizer = CharTokenizer()
    layer = EmbeddingLayer(tokenizer.vocab_size, 4, max_seq_len=8)
    ids = tokenizer.encode("man bites dog")
    with pytest.raises(ValueError, match="last 8"):
        layer(ids)
    assert layer(ids[-8:]).shape == (8, 4)


def test_an_empty_batch():
    tokenizer = CharTokenizer()
    layer = EmbeddingLayer(tokenizer.vocab_size, 4, 8)
    assert layer(tokenizer.encode("")).shape == (0, 4)
    assert layer(tokenizer.pad_sequences([[], []])).shape == (2, 0, 4)


# ----------------------------------------------------------------------------------------------- training
@parametrize("start", ["zeros", "normal"])
def test_a_bigram_table_finds_the_counts(start):
    """Rows of Embedding(V, V) as logits: the loss goes to the bigram entropy that counting gives."""
    text = "the cat sat on the mat. the rat ate the cat. " * 20
    tokenizer = CharTokenizer(text)
    ids = np.array(tokenizer.encode(text))
    before, after, size = ids[:-1], ids[1:], tokenizer.vocab_size
    counts = np.zeros((size, size))
    np.add.at(counts, (before, after), 1)
    rows = counts.sum(axis=1, keepdims=True)
    seen = counts > 0
    entropy = -(counts[seen] * np.log((counts / np.maximum(rows, 1))[seen])).sum() / counts.sum()

    layer = Embedding(size, size, init_type="normal", rng=np.random.default_rng(0))
    if start == "zeros":
        layer.weight.data[...] = 0
        assert cross_entropy(layer(before), after).item() == pytest.approx(math.log(size), rel=1e-5)
    optimizer = Adam(layer.parameters(), lr=0.2)
    for _ in range(150):
        loss = cross_entropy(layer(before), after)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert entropy < loss.item() < entropy * 1.01
    unseen = (rows[:, 0] == 0).nonzero()[0]
    assert unseen.size  # the markers: their rows keep their start values
    assert_array_equal(layer.weight.grad.data[unseen], np.zeros((unseen.size, size)))


def test_order_shows_only_with_positions():
    """A pooled sentence is the same bag of letters; with positions it is not."""
    tokenizer = CharTokenizer()
    one, two = (tokenizer.encode(text) for text in ("dog bites man", "man bites dog"))
    weight = Tensor(np.random.default_rng(1).normal(size=(6, 6)))
    for way, same in ((None, True), ("sinusoidal", False), ("learned", False)):
        layer = EmbeddingLayer(tokenizer.vocab_size, 6, 16, way)
        a, b = ((layer(ids) @ weight).tanh().sum(axis=0).data for ids in (one, two))
        assert np.allclose(a, b, atol=1e-5) == same
