"""as_ids and TokenIdError: what counts as an id, and what is said about the rest."""
import decimal
import fractions

import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from tinytorch.core.tensor import Tensor, TokenIdError, as_ids

parametrize = pytest.mark.parametrize

pytestmark = pytest.mark.filterwarnings("error")  # a valid id is no reason for a warning

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


# -------------------------------------------------------------------------------------------------- values
@parametrize("ids", [
    [[1, 0, 4], [2, 2, 3]], ((1, 0, 4), (2, 2, 3)), [(1, 0, 4), [2, 2, 3]], [np.array([1, 0, 4]), [2, 2, 3]],
    Tensor([[1, 0, 4], [2, 2, 3]]), Tensor([[1.0, 0.0, 4.0], [2.0, 2.0, 3.0]]),
    [Tensor([1, 0, 4]), Tensor([2, 2, 3])], [[np.int64(1), np.uint8(0), 4], [2, 2, np.int16(3)]],
    [[1.0, 0, 4], [2, 2, 3.0]], [[1.0, -0.0, 4.0], [2.0, 2.0, 3.0]]],
    ids=["lists", "tuples", "mixed", "arrays in a list", "Tensor", "float Tensor", "Tensors in a list",
         "numpy scalars", "floats among ints", "minus 0.0"])
def test_nested_ids(ids):
    out = as_ids(ids)
    assert type(out) is np.ndarray
    assert out.dtype == np.int64
    assert_array_equal(out, [[1, 0, 4], [2, 2, 3]])


@parametrize("dtype", INTEGERS + [np.float16, np.float32, np.float64, np.longdouble, ">i2", ">i8", ">u4",
                                              ">f4", ">f8"], ids=lambda d: np.dtype(d).str)
@parametrize("layout", [
    lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x[::-1][::-1],
    lambda x: x.T.copy().T, lambda x: x.copy().view(np.ndarray)],
    ids=["C", "Fortran", "every other", "twice reversed", "transposed", "view"])
def test_types_and_layouts(dtype, layout):
    x = layout(np.array([[1, 0, 4], [2, 2, 3]]).astype(dtype))
    x.flags.writeable = False
    out = as_ids(x)
    assert out.dtype == np.int64
    assert out.flags.c_contiguous
    assert out.dtype.isnative
    assert_array_equal(out, [[1, 0, 4], [2, 2, 3]])


@parametrize("ids, shape", [
    (2, ()), (np.array(2), ()), (np.int8(2), ()), (2.0, ()), (Tensor(2), ()), ((1, 2), (2,)),
    (range(2), (2,)),
    ([], (0,)), ((), (0,)), ([[]], (1, 0)), ([[], []], (2, 0)), (range(0), (0,)),
    (np.zeros((0, 3), int), (0, 3)), (np.zeros((2, 0)), (2, 0)), (Tensor(np.zeros((4, 0))), (4, 0)),
    (np.zeros((1, 2, 3, 4), np.uint8), (1, 2, 3, 4)), (np.broadcast_to(np.int64(3), (2, 5)), (2, 5))],
    ids=lambda x: str(x).replace("\n", "")[:30])
def test_shapes(ids, shape):
    out = as_ids(ids)
    assert out.shape == shape
    assert out.dtype == np.int64


def test_large_ids_stay_exact():
    for big in (16_777_217, 2**53 + 1, 2**63 - 1, -2**63):
        assert as_ids([big]).tolist() == [big]
        assert as_ids(big).item() == big
    assert as_ids(np.array([2**63 - 1], np.uint64)).tolist() == [2**63 - 1]


def test_the_argument_is_not_changed():
    x = np.array([1.0, 2.0])
    as_ids(x)
    assert x.dtype == np.float64


# --------------------------------------------------------------------------------------------------- errors
@parametrize("ids", [
    True, np.True_, [True, False], np.array([True, False]), np.array(True), [[True], [False]],
    Tensor([True, False]),
    "1", ["1"], ["1", "2"], b"1", [b"1"], np.array(["1"]), None, [None], [1, None], {1, 2}, {1: 2}, [{1}],
    object(), np.array([1, None], dtype=object), np.array([True, 2], dtype=object),
    np.array(["1", 1], dtype=object), (i for i in range(3)), 1j, [1 + 0j],
    np.array([1], "m8[s]"), np.array([1], "M8[s]"), np.timedelta64(1, "s"),
    [decimal.Decimal(1)], [fractions.Fraction(1)], fractions.Fraction(1, 2), slice(2), Ellipsis, int,
    np.array([(1, 2)], dtype=[("a", int), ("b", int)]), {1: 0}.keys(), [[1, 2], "ab"], [1, [2]]],
    ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}")
def test_what_is_no_id(ids):
    with pytest.raises((TypeError, ValueError)) as error:
        as_ids(ids)
    assert len(str(error.value)) > 20  # a sentence that says what to do
    assert not isinstance(error.value, TokenIdError)


@parametrize("ids", [True, [True, False], "1", ["1"], None, {1, 2}, object()],
             ids=lambda x: type(x).__name__)
def test_a_wrong_kind_is_a_type_error(ids):
    with pytest.raises(TypeError):
        as_ids(ids)


def test_a_masked_array_with_masked_entries():
    """What lies under a mask is no id; without masked entries it is an array like any other."""
    with pytest.raises((TypeError, ValueError)):
        as_ids(np.ma.array([1, 2], mask=[False, True]))
    out = as_ids(np.ma.array([1, 2]))
    assert type(out) is np.ndarray
    assert out.tolist() == [1, 2]


def test_an_object_array_of_small_integers_is_not_called_out_of_range():
    """Rows or a TypeError are both fine; "1 is out of range" is not."""
    try:
        out = as_ids(np.array([1, 0], dtype=object))
    except TypeError:
        return
    assert out.tolist() == [1, 0]


@parametrize("ids", [1.5, [1.9], [-0.5], [0.0, 1e-9], [np.nan], [np.inf, 1.0], [-np.inf], np.float16(0.5),
                     np.array([1.5], ">f4"), Tensor([0.0, 2.5]), [[1, 2], [3, 4.5]], [1, np.nan],
                     np.array([2**51 + 0.5])], ids=str)
def test_fractions_and_nan(ids):
    with pytest.raises(ValueError) as error:
        as_ids(ids)
    assert not isinstance(error.value, TokenIdError)


@parametrize("ids", [[[1], [1, 2]], [[1, 2], 3], [[[1]], [[1, 2]]], [np.array([1]), np.array([1, 2])]],
             ids=str)
def test_ragged(ids):
    with pytest.raises(ValueError, match="length|pad"):
        as_ids(ids)


@parametrize("ids, first", [
    (2**63, 2**63), ([2**64 - 1], 2**64 - 1), (np.array([1, 2**63], np.uint64), 2**63), ([2**70], 2**70),
    ([1, -2**70], -2**70), ([[1, 2], [10**30, 3]], 10**30), (1e30, int(1e30)), ([1.0, -1e30], int(-1e30)),
    (np.array([2.0**63]), 2**63), (Tensor(np.array([2**64 - 1], np.uint64)), 2**64 - 1),
    ([2**63, -1], None), ([0, 2**64 - 1], None)], ids=str)
def test_whole_numbers_beyond_int64(ids, first):
    with pytest.raises(TokenIdError, match="out of range") as error:
        as_ids(ids)
    assert first is None or str(first) in str(error.value)


def test_the_error_is_a_value_error_and_an_index_error():
    assert issubclass(TokenIdError, ValueError)
    assert issubclass(TokenIdError, IndexError)


@parametrize("ids, bad, at", [
    (np.array([0, -1, 9]), -1, "1"), (np.array([4, 5, -1]), 5, "1"),
    (np.array([[0, 2], [1, -3]]), -3, "1, 1"),
    (np.asfortranarray([[0, 5], [-1, 2]]), 5, "0, 1"), (np.array([[[0], [0]], [[7], [0]]]), 7, "1, 0, 0"),
    (np.array([0, 2**63], np.uint64), 2**63, "1"), (np.array(-1), -1, "")], ids=str)
def test_the_first_offender_is_named(ids, bad, at):
    error = TokenIdError.first(ids, 5)
    assert isinstance(error, TokenIdError)
    for part in ("out of range", f" {bad} ", at, "[0, 5)"):
        assert part in str(error)


def test_the_error_of_an_empty_table():
    assert "[0, 0)" in str(TokenIdError.first(np.array([0]), 0))


# ------------------------------------------------------------------------------------------------ any input
@given(hnp.arrays(st.sampled_from(INTEGERS), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
@steady
def test_any_integer_array(x):
    if x.dtype == np.uint64 and x.size and x.max() >= 2**63:
        with pytest.raises(TokenIdError):
            as_ids(x)
    else:
        out = as_ids(x)
        assert out.shape == x.shape
        assert out.astype(object).tolist() == x.astype(object).tolist()


@given(hnp.arrays(st.sampled_from([np.float16, np.float32, np.float64]), hnp.array_shapes(max_dims=2)))
@steady
def test_any_float_array(x):
    values = [float(v) for v in x.flat]
    if all(np.isfinite(v) and v.is_integer() and -2.0**63 <= v < 2.0**63 for v in values):
        assert as_ids(x).ravel().tolist() == [int(v) for v in values]
    else:
        with pytest.raises(ValueError):
            as_ids(x)
