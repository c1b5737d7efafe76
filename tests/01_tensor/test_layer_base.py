"""Layer: parameters, state, training mode, copies."""
import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tinytorch.core.tensor import Layer, Tensor

parametrize = pytest.mark.parametrize


class Inner(Layer):
    constants = ("table",)

    def __init__(self, size):
        self.table = Tensor(np.full(size, 7.0))  # computed, not learned
        self.weight = Tensor(np.arange(size), requires_grad=True, dtype=np.float32)
        self.note = "not a parameter"

    def forward(self, x, factor=1.0):
        return x * self.weight * factor


class Outer(Layer):
    def __init__(self):
        self.bias = Tensor([1.0, 2.0], requires_grad=True)
        self.first = Inner(3)
        self.second = Inner(4)
        self.tied = self.first
        self.head = self.second.weight


def test_call_is_forward():
    assert Inner(3)(Tensor([1.0, 1.0, 1.0]), factor=2.0).data.tolist() == [0, 2, 4]


def test_parameters_in_order_and_once():
    layer = Outer()
    right = [layer.bias, layer.first.weight, layer.second.weight]
    assert len(layer.parameters) == 3
    assert all(a is b for a, b in zip(layer.parameters, right, strict=True))
    assert all(a is b for a, b in zip(layer.parameters(), right, strict=True))
    assert isinstance(layer.parameters, list)
    assert isinstance(layer.parameters(), list)


def test_no_parameters():
    class Empty(Layer):
        def forward(self, x):
            return x

    assert list(Empty().parameters) == list(Empty().parameters()) == []
    assert Empty().state_dict() == {}


def test_state_dict_is_a_copy():
    layer = Outer()
    state = layer.state_dict()
    assert {"bias", "first.weight", "second.weight"} <= set(state)
    assert not any(name.endswith("table") for name in state)
    state["bias"][:] = 99
    assert layer.bias.data.tolist() == [1, 2]


def test_load_state_dict():
    layer, other = Outer(), Outer()
    layer.bias.data[:] = [8, 9]
    layer.first.weight.data[:] = 5
    other.load_state_dict(layer.state_dict())
    assert other.bias.data.tolist() == [8, 9]
    assert other.first.weight.data.tolist() == [5, 5, 5]
    assert other.tied is other.first
    layer.bias.data[:] = 0
    assert other.bias.data.tolist() == [8, 9]
    assert other.bias.requires_grad


def test_a_missing_or_unknown_name_loads_nothing():
    layer = Outer()
    state = {name: value + 50 for name, value in layer.state_dict().items()}
    missing = dict(state)
    del missing["second.weight"]
    with pytest.raises(KeyError, match=r"second\.weight"):
        layer.load_state_dict(missing)
    with pytest.raises(KeyError, match="stranger"):
        layer.load_state_dict({**state, "stranger": np.zeros(2)})
    assert layer.bias.data.tolist() == [1, 2]


def test_a_wrong_shape_loads_nothing():
    layer = Outer()
    state = {name: value + 50 for name, value in layer.state_dict().items()}
    state["second.weight"] = np.zeros(5)
    with pytest.raises(ValueError) as error:
        layer.load_state_dict(state)
    for part in ("second.weight", "(4,)", "(5,)"):
        assert part in str(error.value)
    assert layer.bias.data.tolist() == [1, 2]
    assert layer.first.weight.data.tolist() == [0, 1, 2]


@parametrize("state", [None, 3, "bias", [("bias", [1.0, 2.0])], Inner(2)],
             ids=["None", "int", "str", "pairs", "a layer"])
def test_only_a_dict_is_loaded(state):
    with pytest.raises(TypeError, match="state is a dict"):
        Outer().load_state_dict(state)


def test_loading_casts_to_the_layers_type_and_takes_tensors():
    layer = Inner(3)
    layer.load_state_dict({"weight": np.array([1.5, 2.5, 3.5], dtype=np.float64)})
    assert layer.weight.dtype == np.float32
    layer.load_state_dict({"weight": Tensor([4.0, 5.0, 6.0])})
    assert layer.weight.data.tolist() == [4, 5, 6]


def test_loading_writes_where_others_look():
    """An optimizer and a tied layer hold the same Tensor: it has to stay that one."""
    layer = Outer()
    before = layer.bias
    layer.load_state_dict({name: value + 1 for name, value in layer.state_dict().items()})
    assert layer.bias is before
    assert before.data.tolist() == [2, 3]


def test_training_mode_reaches_inner_layers():
    layer = Outer()
    assert layer.training
    assert layer.first.training
    layer.eval()
    assert not layer.training
    assert not layer.first.training
    assert not layer.second.training
    layer.train()
    assert layer.training
    assert layer.second.training


def test_modes_are_each_layers_own():
    one, two = Inner(3), Inner(3)
    one.eval()
    assert two.training
    assert Inner(3).training


@parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
             ids=["deepcopy", "pickle"])
def test_copies_keep_ties(again):
    layer = Outer()
    twin = again(layer)
    assert twin.tied is twin.first
    assert twin.head is twin.second.weight
    assert len(twin.parameters) == 3
    twin.head.data[:] = 99
    assert_array_equal(layer.second.weight.data, [0, 1, 2, 3])
    assert_array_equal(twin.second.weight.data, [99] * 4)


def test_repr_names_the_class():
    assert "Inner" in repr(Inner(3))
    assert "Outer" in repr(Outer())
