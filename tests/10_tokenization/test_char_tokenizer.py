"""CharTokenizer: the table, encode, decode, and the length that counts markers."""
import doctest
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytorch.core.tokenization as tokenization
from tinytorch.core.tensor import Tensor, TokenIdError
from tinytorch.core.tokenization import CharTokenizer

ASCII = "".join(map(chr, range(0x20, 0x7F)))


# The table -------------------------------------------------------------------------------------------

def test_default_table_is_four_markers_and_printable_ascii():
    tokenizer = CharTokenizer()
    assert tokenizer.vocab_size == 99
    assert [tokenizer.idx_to_char[i] for i in range(4)] == ["<PAD>", "<UNK>", "<BOS>", "<EOS>"]
    assert "".join(tokenizer.idx_to_char[i] for i in range(4, 99)) == ASCII
    assert tokenizer.char_to_idx[" "] == 4 and tokenizer.char_to_idx["~"] == 98


def test_table_of_a_text_is_its_sorted_characters():
    tokenizer = CharTokenizer("hello")
    assert tokenizer.char_to_idx == {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3,
                                     "e": 4, "h": 5, "l": 6, "o": 7}
    assert tokenizer.idx_to_char == {i: c for c, i in tokenizer.char_to_idx.items()}
    assert tokenizer.vocab_size == 8
    assert repr(tokenizer) == "CharTokenizer(vocab_size=8)"


def test_table_of_an_empty_text_is_the_markers():
    assert CharTokenizer("").vocab_size == 4
    assert CharTokenizer("").encode("a") == [1]


@pytest.mark.parametrize("text", ["hello world", "na\u00efve \u732b \U0001F408 \u0301"],
                         ids=["B105-ascii", "B105-wide"])
def test_ids_do_not_depend_on_the_hash_seed(text):
    code = f"from tinytorch.core.tokenization import CharTokenizer as C; print(C({text!a}).char_to_idx)"
    shown = {subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed,
                                                               "PYTHONIOENCODING": "utf-8"},
                            capture_output=True, check=True).stdout.decode("utf-8") for seed in ("0", "1")}
    assert len(shown) == 1
    characters = list(CharTokenizer(text).char_to_idx)[4:]
    assert characters == sorted(characters)


# Encode and decode -----------------------------------------------------------------------------------

@pytest.mark.parametrize("text, ids", [
    pytest.param("help", [5, 4, 6, 1], id="B104-one-unknown"),
    pytest.param("zzz", [1, 1, 1], id="B104-all-unknown"),
    pytest.param("\ud800h", [1, 5], id="B104-half-a-surrogate"),
    pytest.param("", [], id="B107-empty"),
    pytest.param("hello", [5, 4, 6, 6, 7], id="all-known"),
    pytest.param("<PAD>", [1, 1, 1, 1, 1], id="B109-marker-text-is-plain-text"),
])
def test_encode(text, ids):
    got = CharTokenizer("hello").encode(text)
    assert got == ids
    assert type(got) is list and all(type(i) is int for i in got)
    assert all(0 <= i < 8 for i in got)


@pytest.mark.parametrize("ids, text", [
    pytest.param([5, 4, 6, 1], "hel<UNK>", id="B104-unknown-is-shown"),
    pytest.param([], "", id="B107-empty"),
    pytest.param([2, 5, 3, 0, 0], "<BOS>h<EOS><PAD><PAD>", id="markers-by-name"),
])
def test_decode(ids, text):
    assert CharTokenizer("hello").decode(ids) == text


def test_decode_can_skip_markers():
    assert CharTokenizer("hello").decode([2, 5, 4, 1, 3, 0], skip_special_tokens=True) == "he"


@pytest.mark.parametrize("ids", [
    (5, 4), range(4, 6), np.array([5, 4], np.uint8), np.array([5, 4], ">i4"), Tensor([5, 4]),
    [np.int64(5), np.int32(4)], np.array([5.0, 4.0]), np.array([[5, 4]])[0, ::-1], np.int64(5), 4,
], ids=lambda ids: type(ids).__name__)
def test_decode_takes_every_kind_of_ids(ids):
    tokenizer = CharTokenizer("hello")
    assert tokenizer.decode(ids) == "".join(tokenizer.idx_to_char[int(i)] for i in np.ravel(np.asarray(ids)))


@pytest.mark.parametrize("ids, error, message", [
    ([4, 8], TokenIdError, r"\b8\b.*\[0, 8\)"),
    ([-1], TokenIdError, r"-1.*\[0, 8\)"),
    ([2**70], TokenIdError, str(2**70)),
    ([1.5], ValueError, "1.5"),
    ([np.nan], ValueError, "nan"),
    ([True, False], TypeError, "integer"),
    (np.array([True]), TypeError, "bool"),
    ("hel", TypeError, "integer"),
    (["5"], TypeError, "integer"),
    (None, TypeError, "integer"),
    ({5}, TypeError, "integer"),
    ([[4, 5], [6, 7]], ValueError, r"\(2, 2\)"),
    ([[4, 5], [6]], ValueError, "length"),
])
def test_decode_refuses(ids, error, message):
    with pytest.raises(error, match=message):
        CharTokenizer("hello").decode(ids)


@pytest.mark.parametrize("text", [None, 5, ["hello"], b"hello", np.array(["a"])],
                         ids=lambda text: type(text).__name__)
def test_text_must_be_a_str(text):
    with pytest.raises(TypeError, match="text is a str; got " + type(text).__name__):
        CharTokenizer().encode(text)
    if text is not None:  # CharTokenizer(None) is CharTokenizer()
        with pytest.raises(TypeError, match="text is a str"):
            CharTokenizer(text)


FAMILY = "\U0001F468\u200D\U0001F469\u200D\U0001F467"


@pytest.mark.parametrize("text", ["\u00e9", "e\u0301", FAMILY, "a\r\n\tb\x00"],
                         ids=["B110-composed", "B110-decomposed", "B110-family", "controls"])
def test_nothing_is_normalised(text):
    tokenizer = CharTokenizer(text)
    assert len(tokenizer.encode(text)) == len(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text())
def test_a_text_comes_back(text):
    tokenizer = CharTokenizer(text)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) == len(text) and all(4 <= i < tokenizer.vocab_size for i in ids)
    with_markers = tokenizer.encode(text, add_special_tokens=True)
    assert with_markers == [2, *ids, 3]
    assert tokenizer.decode(with_markers, skip_special_tokens=True) == text


@given(st.text(), st.text())
def test_ids_always_name_a_row(known, text):
    tokenizer = CharTokenizer(known)
    assert all(0 <= i < tokenizer.vocab_size for i in tokenizer.encode(text, add_special_tokens=True))


# The length ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("content, length, ids", [
    pytest.param("0123456789", 8, [2, 20, 21, 22, 23, 24, 25, 3], id="B45-ten-are-cut-to-six"),
    pytest.param("0123456", 8, [2, 20, 21, 22, 23, 24, 25, 3], id="B45-seven-are-cut"),
    pytest.param("012345", 8, [2, 20, 21, 22, 23, 24, 25, 3], id="B45-six-stay"),
    pytest.param("01", 8, [2, 20, 21, 3], id="B45-short"),
    pytest.param("01", 2, [2, 3], id="B45-markers-only"),
    pytest.param("", 2, [2, 3], id="B45-empty"),
])
def test_max_length_counts_the_markers(content, length, ids):
    assert CharTokenizer().encode(content, add_special_tokens=True, max_length=length) == ids


@pytest.mark.parametrize("length, count", [(0, 0), (1, 1), (5, 5), (9, 5), (np.int32(3), 3)])
def test_max_length_without_markers(length, count):
    assert CharTokenizer().encode("abcde", max_length=length) == CharTokenizer().encode("abcde")[:count]


@pytest.mark.parametrize("markers, length, error, message", [
    (False, -1, ValueError, "-1.*least is 0"),
    (True, 1, ValueError, "1.*least is 2.*markers"),
    (True, 0, ValueError, "least is 2"),
    (True, -5, ValueError, "-5"),
    (False, 2.0, TypeError, "2.0"),
    (False, True, TypeError, "True"),
    (False, "5", TypeError, "'5'"),
])
def test_max_length_refuses(markers, length, error, message):
    with pytest.raises(error, match=message):
        CharTokenizer().encode("abc", add_special_tokens=markers, max_length=length)


def test_the_examples_in_the_docstrings_are_true():
    result = doctest.testmod(tokenization)
    assert result.attempted >= 10 and not result.failed
