"""pad_sequences and attention_mask: the rectangle, both sides, and a mask that comes from lengths."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tinytorch.core.tensor import Tensor
from tinytorch.core.tokenization import CharTokenizer, attention_mask, pad_sequences

CHARS = CharTokenizer()


@pytest.mark.parametrize("sequences, options, batch, mask", [
    pytest.param([[5, 6], [7]], {}, [[5, 6, 0], [7, 0, 0]], [[1, 1, 0], [1, 0, 0]], id="B116-right"),
    pytest.param([[5, 6], [7]], {"padding": "left"}, [[0, 5, 6], [0, 0, 7]], [[0, 1, 1], [0, 0, 1]],
                 id="B116-left"),
    pytest.param([[5, 0], [0]], {}, [[5, 0, 0], [0, 0, 0]], [[1, 1, 0], [1, 0, 0]], id="B116-a-real-0"),
    pytest.param([[0, 6], [0]], {"padding": "left"}, [[0, 0, 6], [0, 0, 0]], [[0, 1, 1], [0, 0, 1]],
                 id="B116-a-real-0-left"),
    pytest.param([[5, 3], [3]], {}, [[5, 3, 0], [3, 0, 0]], [[1, 1, 0], [1, 0, 0]], id="B116-eos-counts"),
    pytest.param([[4, 5, 6, 7], [8]], {}, [[4, 5, 6], [8, 0, 0]], [[1, 1, 1], [1, 0, 0]], id="cut-right"),
    pytest.param([[4, 5, 6, 7], [8]], {"truncation": "left"}, [[5, 6, 7], [8, 0, 0]], [[1, 1, 1], [1, 0, 0]],
                 id="cut-left"),
    pytest.param([[4, 5, 6, 7], [8]], {"truncation": "left", "padding": "left"}, [[5, 6, 7], [0, 0, 8]],
                 [[1, 1, 1], [0, 0, 1]], id="cut-left-fill-left"),
    pytest.param([[], [9]], {}, [[0, 0, 0], [9, 0, 0]], [[0, 0, 0], [1, 0, 0]], id="an-empty-row"),
])
def test_width_three(sequences, options, batch, mask):
    for pad, attend in ((CHARS.pad_sequences, CHARS.attention_mask), (pad_sequences, attention_mask)):
        got_batch, got_mask = pad(sequences, 3, **options), attend(sequences, 3, **options)
        assert_array_equal(got_batch, batch, strict=True)
        assert_array_equal(got_mask, mask, strict=True)


@pytest.mark.parametrize("sequences, length, shape", [
    ([[5, 6], [7]], None, (2, 2)),
    ([], None, (0, 0)),
    ([], 4, (0, 4)),
    ([[], []], None, (2, 0)),
    ([[5, 6], [7]], 0, (2, 0)),
    ([[5, 6]], 1, (1, 1)),
])
def test_shapes(sequences, length, shape):
    for function in (CHARS.pad_sequences, CHARS.attention_mask):
        got = function(sequences, length)
        assert got.shape == shape and got.dtype == np.int64


def test_the_whole_pipeline_of_four_texts():
    ids = [CHARS.encode(text, add_special_tokens=True) for text in ("a", "bc", "a longer text by far", "")]
    batch, mask = CHARS.pad_sequences(ids, 20), CHARS.attention_mask(ids, 20)
    assert batch.shape == mask.shape == (4, 20)
    assert mask.sum(axis=1).tolist() == [3, 4, 20, 2]
    back = [CHARS.decode(row, skip_special_tokens=True) for row in batch]
    assert back == ["a", "bc", "a longer text by fa", ""]


@pytest.mark.parametrize("sequences", [
    ((5, 6), (7,)), [np.array([5, 6], np.uint8), np.array([7])], [Tensor([5, 6]), [7]], [range(5, 7), [7]],
    iter([[5, 6], [7]]), [[5.0, 6.0], [7]],
], ids=["tuples", "arrays", "tensors", "ranges", "an-iterator", "whole-floats"])
def test_every_kind_of_sequence(sequences):
    assert pad_sequences(sequences).tolist() == [[5, 6], [7, 0]]


def test_a_rectangle_may_be_an_array_or_a_tensor():
    for table in (np.array([[5, 6, 7], [8, 9, 4]]), Tensor([[5, 6, 7], [8, 9, 4]])):
        assert pad_sequences(table, 4).tolist() == [[5, 6, 7, 0], [8, 9, 4, 0]]
        assert attention_mask(table, 4).tolist() == [[1, 1, 1, 0]] * 2


@pytest.mark.parametrize("pad_id", [999, np.uint16(999), 999.0, np.array(999)], ids=repr)
def test_another_id_can_fill(pad_id):
    assert pad_sequences([[5, 6], [7]], 3, pad_id=pad_id).tolist() == [[5, 6, 999], [7, 999, 999]]


@pytest.mark.parametrize("pad_id, error", [
    (1.5, ValueError), (2**63, ValueError), ([1, 2], ValueError),
    (True, TypeError), (None, TypeError), ("9", TypeError),
], ids=repr)
def test_no_other_number_can_fill(pad_id, error):
    with pytest.raises(error):
        pad_sequences([[5, 6], [7]], 3, pad_id=pad_id)


def test_the_input_stays_as_it_was():
    rows = [[5, 6, 7], [8]]
    array = np.array([5, 6, 7])
    out = pad_sequences([array], 3)
    out[0, 0] = -1
    pad_sequences(rows, 2, truncation="left")
    assert rows == [[5, 6, 7], [8]] and array.tolist() == [5, 6, 7]


@pytest.mark.parametrize("arguments, error, message", [
    ({"padding": "middle"}, ValueError, "padding is 'right' or 'left'; got 'middle'"),
    ({"truncation": "Left"}, ValueError, "truncation is 'right' or 'left'; got 'Left'"),
    ({"padding": None}, ValueError, "padding"),
    ({"truncation": 1}, ValueError, "truncation"),
    ({"max_length": -1}, ValueError, "max_length is -1"),
    ({"max_length": 2.0}, TypeError, "max_length"),
    ({"max_length": True}, TypeError, "max_length"),
    ({"sequences": [5, 6]}, ValueError, r"pass one sequence as \[ids\]"),
    ({"sequences": np.array([5, 6])}, ValueError, r"pass one sequence as \[ids\]"),
    ({"sequences": [[[5], [6]]]}, ValueError, r"\(2, 1\)"),
    ({"sequences": 5}, TypeError, "list of id lists; got int"),
    ({"sequences": None}, TypeError, "list of id lists"),
    ({"sequences": {(5, 6), (7,)}}, TypeError, "list of id lists; got set"),
    ({"sequences": ["ab"]}, TypeError, "integers"),
    ({"sequences": [[5, None]]}, TypeError, "integers"),
    ({"sequences": [[5.5]]}, ValueError, "5.5"),
    ({"sequences": [[True]]}, TypeError, "bool"),
])
def test_refused(arguments, error, message):
    for function in (CHARS.pad_sequences, CHARS.attention_mask):
        with pytest.raises(error, match=message):
            function(**{"sequences": [[5, 6], [7]], **arguments})


@given(st.lists(st.lists(st.integers(0, 9), max_size=7), max_size=6), st.none() | st.integers(0, 9),
       st.sampled_from(["right", "left"]), st.sampled_from(["right", "left"]))
def test_the_mask_marks_exactly_the_ids(sequences, length, padding, truncation):
    batch = pad_sequences(sequences, length, padding, truncation, pad_id=-7)
    mask = attention_mask(sequences, length, padding, truncation)
    width = max(map(len, sequences), default=0) if length is None else length
    assert batch.shape == mask.shape == (len(sequences), width)
    assert_array_equal(mask, batch != -7)
    for ids, row in zip(sequences, batch, strict=True):
        keep = ids[:width] if truncation == "right" else ids[max(len(ids) - width, 0):]
        fill = [-7] * (width - len(keep))
        assert row.tolist() == (keep + fill if padding == "right" else fill + keep)
