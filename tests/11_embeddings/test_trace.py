"""trace: real shapes and values, a line a step, and a layer that is as it was."""
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tinytorch.core.embeddings import Embedding, EmbeddingLayer, PositionalEncoding, trace

parametrize = pytest.mark.parametrize


def lines(capsys, *args, **options):
    assert trace(*args, **options) is None
    return capsys.readouterr().out.splitlines()


def worked(scale=False):
    """The worked example: two rows for the text 2, 2."""
    layer = EmbeddingLayer(3, 2, max_seq_len=2, scale_embeddings=scale)
    layer.token_embedding.weight.data[:] = [[1, 0], [0, 2], [3, 1]]
    layer.pos_encoding.position_embedding.weight.data[:] = [[0.5, 0.5], [0, -1]]
    return layer


def test_the_worked_example(capsys):
    out = lines(capsys, worked(), [2, 2])
    assert [line[:23].strip() for line in out] == ["ids", "rows of the table", "rows of the positions", "sum"]
    assert [line[23:36].strip() for line in out] == ["(2,)", "(2, 2)", "(2, 2)", "(2, 2)"]
    assert out[0].endswith("[2 2]")
    assert out[1].endswith("[[3. 1.] [3. 1.]]")
    assert out[2].endswith("[[0.5 0.5] [0. -1. ]]")
    assert out[3].endswith("[[3.5 1.5] [3. 0. ]]")


def test_scaled_rows_are_a_step(capsys):
    out = lines(capsys, worked(scale=True), [2, 2])
    assert out[2].startswith("times sqrt(2)")
    assert out[2].endswith("[[4.24 1.41] [4.24 1.41]]")
    assert out[4].endswith("[[4.74 1.91] [4.24 0.41]]")


def test_backward(capsys):
    out = lines(capsys, worked(), [[2, 2], [0, 2]], backward=True)[-3:]
    assert out[0].startswith("gradient from above")
    assert out[1].split()[:4] == ["to", "token.weight", "(3,", "2)"]
    assert out[1].endswith("[[1. 1.] [0. 0.] [3. 3.]]")
    assert out[2].startswith("to position.weight")
    assert out[2].endswith("[[2. 2.] [2. 2.]]")


@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_the_layer_keeps_weights_and_gradients(capsys, sparse):
    layer = EmbeddingLayer(5, 3, max_seq_len=4, sparse=sparse, padding_idx=0)
    layer([1, 1, 2]).sum().backward()
    weights = [p.data.copy() for p in layer.parameters]
    grads = [p.grad for p in layer.parameters]
    values = [np.array(g) for g in grads]
    trace(layer, [3, 0, 3], backward=True)
    for parameter, weight, grad, value in zip(layer.parameters, weights, grads, values):
        assert parameter.grad is grad
        assert_array_equal(np.asarray(grad), value)
        assert_array_equal(parameter.data, weight)


def test_no_gradient_stays_no_gradient(capsys):
    layer = Embedding(3, 2)
    trace(layer, [1], backward=True)
    assert layer.weight.grad is None
    frozen = Embedding.from_pretrained([[1.0, 2.0]])
    assert lines(capsys, frozen, 0, backward=True)[-1] == "no gradient: the table is frozen"


def test_a_frozen_table_beside_learned_positions(capsys):
    layer = worked()
    layer.token_embedding = Embedding.from_pretrained([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    out = lines(capsys, layer, [2, 2], backward=True)
    assert [line[:23].strip() for line in out[4:]] == ["gradient from above", "to position.weight"]
    assert out[-1].endswith("[[1. 1.] [1. 1.]]")


@parametrize("ids", [2, [1, 2], [[1, 2], [0, 0]], np.zeros((2, 2, 2), int), []], ids=str)
def test_a_table_alone(capsys, ids):
    out = lines(capsys, Embedding(3, 2), ids)
    assert len(out) == 2
    assert str(np.asarray(ids).shape + (2,)) in out[1]


@parametrize("positions", ["learned", "sinusoidal", None])
def test_every_kind_of_positions(capsys, positions):
    out = lines(capsys, EmbeddingLayer(3, 2, max_seq_len=4, pos_encoding=positions), [1, 2], backward=True)
    assert len(out) == {"learned": 7, "sinusoidal": 6, None: 4}[positions]


def test_a_large_layer_stays_on_its_line(capsys):
    ids = np.arange(64 * 40).reshape(40, 64)
    out = lines(capsys, EmbeddingLayer(5000, 300, max_seq_len=64), ids, backward=True)
    assert len(out) == 7
    assert max(map(len, out)) < 110


def test_a_long_shape_keeps_its_space(capsys):
    assert "(10, 1000, 20) [[[" in lines(capsys, Embedding(3, 20), np.zeros((10, 1000), int))[1]


def test_a_layer_without_tokens():
    with pytest.raises(TypeError, match="the layer's vocab_size"):
        trace(PositionalEncoding(2, 3), [1, 2])


def test_errors_are_the_layers_own():
    with pytest.raises(ValueError, match="out of range"):
        trace(Embedding(3, 2), [3])
