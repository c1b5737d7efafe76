"""state_dict and load_state_dict of every layer, through a file as well: cases B12, B46, B67."""
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tinytorch.core.embeddings import (
    Embedding,
    EmbeddingLayer,
    LearnedPositionalEmbedding,
    PositionalEncoding,
)
from tinytorch.core.optimizers import SGD

parametrize = pytest.mark.parametrize
IDS = [[1, 2, 0], [3, 3, 4]]

LAYERS = {
    "table": (lambda: Embedding(5, 3), {"weight": (5, 3)}),
    "padded": (lambda: Embedding(5, 3, padding_idx=0), {"weight": (5, 3)}),
    "learned": (lambda: EmbeddingLayer(5, 3, max_seq_len=6),
                {"token_embedding.weight": (5, 3), "pos_encoding.position_embedding.weight": (6, 3)}),
    "sinusoidal": (lambda: EmbeddingLayer(5, 3, max_seq_len=6, pos_encoding="sinusoidal"),
                   {"token_embedding.weight": (5, 3)}),
    "none": (lambda: EmbeddingLayer(5, 3, pos_encoding=None), {"token_embedding.weight": (5, 3)}),
}
every_layer = parametrize("make, shapes", LAYERS.values(), ids=LAYERS)


@every_layer
def test_names_and_shapes(make, shapes):
    layer = make()
    state = layer.state_dict()
    assert {name: array.shape for name, array in state.items()} == shapes
    for array, parameter in zip(state.values(), layer.parameters):
        assert type(array) is np.ndarray
        assert not np.shares_memory(array, parameter.data)


@every_layer
def test_through_a_file(make, shapes, tmp_path):
    layer, other = make(), make()
    np.savez(tmp_path / "weights.npz", **layer.state_dict())
    assert not np.array_equal(layer(IDS).data, other(IDS).data)
    with np.load(tmp_path / "weights.npz") as state:
        other.load_state_dict(dict(state))
    assert_array_equal(layer(IDS).data, other(IDS).data)


@every_layer
def test_an_optimizer_made_before_still_trains_it(make, shapes):
    layer = make()
    optimizer = SGD(layer.parameters, lr=1.0)
    layer.load_state_dict({name: np.ones(shape) for name, shape in shapes.items()})
    layer([1, 2]).sum().backward()
    optimizer.step()
    table = getattr(layer, "token_embedding", layer).weight.data
    assert_array_equal(table, [[1] * 3, [0] * 3, [0] * 3, [1] * 3, [1] * 3])


def test_b12_the_padding_row_stays_as_saved():
    layer = Embedding(3, 2, padding_idx=0)
    layer.load_state_dict({"weight": np.ones((3, 2))})
    assert_array_equal(layer([0]).data, [[1, 1]])
    layer([0, 1]).sum().backward()
    assert_array_equal(layer.weight.grad.data, [[0, 0], [1, 1], [0, 0]])


def test_b46_a_sinusoid_is_neither_saved_nor_trained():
    layer = PositionalEncoding(4, 8)
    assert layer.state_dict() == {}
    assert list(layer.parameters) == []
    assert not layer.pe.requires_grad


def test_b46_weights_saved_with_8_positions_load_into_16():
    short = EmbeddingLayer(5, 4, max_seq_len=8, pos_encoding="sinusoidal")
    long = EmbeddingLayer(5, 4, max_seq_len=16, pos_encoding="sinusoidal")
    long.load_state_dict(short.state_dict())
    ids = [1, 4, 0, 2, 3, 3, 1, 0]
    assert_array_equal(long(ids).data, short(ids).data)
    assert long(ids + ids).shape == (16, 4)


def test_a_learned_table_of_another_length_is_refused():
    short, long = LearnedPositionalEmbedding(8, 4), LearnedPositionalEmbedding(16, 4)
    before = long.position_embedding.weight.data.copy()
    with pytest.raises(ValueError, match=r"position_embedding\.weight.*\(16, 4\).*\(8, 4\)"):
        long.load_state_dict(short.state_dict())
    assert_array_equal(long.position_embedding.weight.data, before)


def test_b67_another_shape_names_the_parameter_and_both_shapes():
    layer = EmbeddingLayer(5, 3, max_seq_len=6)
    before = layer.state_dict()
    bad = {name: array + 1 for name, array in before.items()}
    bad["pos_encoding.position_embedding.weight"] = np.ones((6, 2))
    with pytest.raises(ValueError, match=r"pos_encoding\.position_embedding\.weight.*\(6, 3\).*\(6, 2\)"):
        layer.load_state_dict(bad)
    for name, array in layer.state_dict().items():
        assert_array_equal(array, before[name])


@parametrize("change, named", [
    (lambda s: s.pop("token_embedding.weight"), "token_embedding.weight"),
    (lambda s: s.update(head=np.ones(2)), "head"),
    (lambda s: s.update({"pos_encoding.pe": np.ones((6, 3))}), "pos_encoding.pe"),
], ids=["missing", "unknown", "a sinusoid"])
def test_missing_and_unknown_names_load_nothing(change, named):
    layer = EmbeddingLayer(5, 3, max_seq_len=6)
    before = layer.state_dict()
    state = {name: array + 1 for name, array in before.items()}
    change(state)
    with pytest.raises(KeyError, match=named.replace(".", r"\.")):
        layer.load_state_dict(state)
    for name, array in layer.state_dict().items():
        assert_array_equal(array, before[name])
