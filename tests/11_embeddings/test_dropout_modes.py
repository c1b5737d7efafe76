"""Dropout where it belongs: on the sum, while training, reached by train() and eval() through every layer."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import EmbeddingLayer, PositionalEncoding, dropout
from tinytorch.core.tensor import Tensor

parametrize = pytest.mark.parametrize


def test_values_by_hand():
    """Kept numbers are divided by 1 - p; which ones are kept, numpy's global state says."""
    np.random.seed(3)
    kept = np.random.random((2, 3)) >= 0.25
    np.random.seed(3)
    out = dropout(Tensor([[3.0, 6.0, 9.0], [12.0, 15.0, 18.0]]), 0.25)
    assert_allclose(out.data, np.array([[4, 8, 12], [16, 20, 24]]) * kept, rtol=1e-6)


def test_the_gradient_goes_where_the_number_went():
    x = Tensor(np.ones((4, 50)), requires_grad=True)
    out = dropout(x, 0.5)
    out.sum().backward()
    assert_array_equal(x.grad.data, out.data)
    assert set(np.unique(out.data)) == {0.0, 2.0}


@parametrize("options", [{"p": 0.5, "training": False}, {"p": 0.0}], ids=str)
def test_off_is_the_very_input(options):
    x = Tensor([1.0, 2.0])
    assert dropout(x, **options) is x


def test_the_mean_stays():
    out = dropout(Tensor(np.ones(200_000)), 0.3)
    assert out.data.mean() == pytest.approx(1, abs=0.01)
    assert (out.data == 0).mean() == pytest.approx(0.3, abs=0.01)


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_the_type_stays(dtype):
    assert dropout(Tensor([1.0, 2.0], dtype=dtype), 0.5).dtype == dtype
    assert PositionalEncoding(2, 4, dropout=0.5)(np.ones((3, 2), dtype)).dtype == dtype


def test_on_the_sum():
    """A dropped number is 0, its position included."""
    layer = PositionalEncoding(4, 8, dropout=0.5)
    out, plain = layer(np.ones((8, 4))).data, 1 + layer.pe.data.astype(np.float64)
    kept = out != 0
    assert 0 < kept.sum() < out.size
    assert_allclose(out[kept], 2 * plain[kept])


def test_modes_switch_back_and_forth():
    layer, x = PositionalEncoding(4, 8, dropout=0.9), np.ones((8, 4), np.float32)
    assert layer.training
    assert (layer(x).data == 0).any()
    assert layer.eval() is layer
    assert_array_equal(layer(x).data, x + layer.pe.data)
    assert layer.train() is layer
    assert (layer(x).data == 0).any()


def test_modes_reach_the_layer_inside():
    layer = EmbeddingLayer(5, 4, max_seq_len=8, pos_encoding="sinusoidal")
    layer.pos_encoding = PositionalEncoding(4, 8, dropout=0.9)
    layer.eval()
    assert not layer.pos_encoding.training
    first = layer([1, 2, 3]).data
    assert_array_equal(first, layer([1, 2, 3]).data)
    layer.train()
    assert layer.pos_encoding.training
    assert not np.array_equal(layer([1, 2, 3]).data, layer([1, 2, 3]).data)


def test_the_mode_is_not_saved():
    layer = PositionalEncoding(4, 8, dropout=0.5).eval()
    assert layer.state_dict() == {}
    assert "dropout=0.5" in repr(layer)
