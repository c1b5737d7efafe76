"""BPETokenizer: merges and their order, round trips, special tokens, files."""
import json
import lzma
import os
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytorch.core.tokenization as tokenization
import tinytorch.data
from tinytorch.core.tensor import Tensor, TokenIdError
from tinytorch.core.tokenization import BPETokenizer, split_words

FAMILY = "\U0001F468\u200D\U0001F469\u200D\U0001F467"
END = "<|end|>"


def slow_merges(text, limit):
    """The definition, counted anew before every merge: the oracle."""
    words = [list(word.encode("utf-8")) for word in split_words(text)]
    merges = []
    while len(merges) < limit:
        counts = Counter((word[i], word[i + 1]) for word in words for i in range(len(word) - 1))
        if not counts:
            break
        top = max(counts.values())
        pair = min(p for p in counts if counts[p] == top)
        words = [slow_merge(word, pair, 256 + len(merges)) for word in words]
        merges.append(pair)
    return merges


def slow_merge(ids, pair, new):
    done = []
    for i in ids:
        done.append(i)
        if tuple(done[-2:]) == pair:
            done[-2:] = [new]
    return done


def slow_encode(text, merges):
    ids = []
    for word in split_words(text):
        piece = list(word.encode("utf-8"))
        for k, pair in enumerate(merges):
            piece = slow_merge(piece, pair, 256 + k)
        ids += piece
    return ids


# Training --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text", [
    pytest.param("bbbaaaddddcccc", id="B112-first"), pytest.param("aaabbbccccdddd", id="B112-second")])
def test_the_smallest_pair_wins_a_tie(text):
    tokenizer = BPETokenizer(260).train(text)
    assert [bytes(pair) for pair in tokenizer.merges] == [b"cc", b"dd", b"aa", b"bb"]
    assert [tokenizer.decode([i]) for i in range(256, 260)] == ["cc", "dd", "aa", "bb"]


@pytest.mark.parametrize("text, merges, size", [
    pytest.param("ab", [(97, 98)], 257, id="B115-one-pair"),
    pytest.param("aaaa", [(97, 97), (256, 256)], 258, id="B115-a-run"),
    pytest.param("", [], 256, id="B107-empty"),
    pytest.param("a", [], 256, id="B107-one-letter"),
    pytest.param([], [], 256, id="B107-no-texts"),
    pytest.param(["", ""], [], 256, id="B107-empty-texts"),
    pytest.param("a b c", [(32, 98), (32, 99)], 258, id="a-space-belongs-to-its-word"),
    pytest.param(["a", "b"], [], 256, id="pairs-never-cross-texts"),
    pytest.param(["ab", "ba"], [(97, 98), (98, 97)], 258, id="two-texts"),
])
def test_training_stops_when_the_pairs_run_out(text, merges, size):
    tokenizer = BPETokenizer(261).train(text)
    assert tokenizer.merges == merges
    assert tokenizer.vocab_size == size


def test_by_hand():
    """at 3 times; then he and th twice each: (h, e) is the smaller pair; then t with he."""
    tokenizer = BPETokenizer(259).train("the cat sat on the mat")
    assert tokenizer.merges == [(97, 116), (104, 101), (116, 257)]
    assert tokenizer.encode("the hat") == [258, 32, 104, 256]


@pytest.mark.parametrize("limit", [256, 257, 300])
def test_training_stops_at_the_size(limit):
    tokenizer = BPETokenizer(limit).train("she sells sea shells by the sea shore; how many more merges can "
                                          "this sentence give before every word of it is one id?")
    assert tokenizer.vocab_size == limit
    assert len(tokenizer.merges) == limit - 256


def test_the_order_of_texts_does_not_matter_and_any_iterable_will_do():
    texts = ["the cat", "sat on", "the mat", "on the cat"]
    expected = BPETokenizer(270).train(texts).merges
    assert BPETokenizer(270).train(reversed(texts)).merges == expected
    assert BPETokenizer(270).train(text for text in texts).merges == expected
    assert BPETokenizer(270).train(tuple(texts)).merges == expected


def test_training_again_starts_anew():
    tokenizer = BPETokenizer(259).train("ab ab ab")
    tokenizer.encode("ab")
    assert tokenizer.train("xyz").merges == BPETokenizer(259).train("xyz").merges
    assert tokenizer.encode("ab") == [97, 98]


def test_merges_is_a_copy():
    tokenizer = BPETokenizer(257).train("ab")
    tokenizer.merges.clear()
    assert tokenizer.merges == [(97, 98)]


@given(st.text("ab c'1.", max_size=60), st.integers(0, 12))
def test_the_quick_way_learns_what_the_definition_says(text, limit):
    assert BPETokenizer(256 + limit).train(text).merges == slow_merges(text, limit)


@settings(max_examples=30)
@given(st.text("abc ", max_size=80), st.text("abcd ", max_size=40))
def test_encoding_replays_the_merges_in_order(corpus, text):
    tokenizer = BPETokenizer(270).train(corpus)
    assert tokenizer.encode(text) == slow_encode(text, tokenizer.merges)


def test_on_real_text():
    plays = Path(tinytorch.data.__file__).parent / "shakespeare.txt.xz"
    with lzma.open(plays, "rt", encoding="utf-8") as file:
        text = file.read(60_000)
    tokenizer = BPETokenizer(400).train(text)
    assert tokenizer.vocab_size == 400
    assert tokenizer.merges[:10] == slow_merges(text, 10)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) < 0.65 * len(text)
    assert max(ids) < 400 and min(ids) >= 0


# Words -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, words", [
    ("dog bites man", ["dog", " bites", " man"]),
    ("a  b", ["a", " ", " b"]),
    ("a\n\nb", ["a", "\n\n", "b"]),
    ("a \n b", ["a", " \n", " b"]),
    ("end.  ", ["end", ".", "  "]),
    ("I pluck'd 12!?", ["I", " pluck'd", " 12", "!?"]),
    ("'tis so'", ["'", "tis", " so", "'"]),
    ("e\u0301a \u0939\u093f\u0928\u094d\u0926\u0940", ["e\u0301a", " \u0939\u093f\u0928\u094d\u0926\u0940"]),
    (FAMILY, [FAMILY]),
    ("snake_case", ["snake", "_", "case"]),
    ("x" * 300, ["x" * 256, "x" * 44]),
    (" " * 300 + "x", [" " * 256, " " * 43, " x"]),
    ("", []),
])
def test_words(text, words):
    assert split_words(text) == words


def test_every_character_falls_into_a_word():
    everything = "".join(chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    assert "".join(split_words(everything)) == everything
    assert "".join(split_words(" ".join(everything[:0x3100]))) == " ".join(everything[:0x3100])


@given(st.text())
def test_words_joined_are_the_text(text):
    assert "".join(split_words(text)) == text


# Round trips -----------------------------------------------------------------------------------------

TRAINED = BPETokenizer(400, [END, "<|end|><|end|>"])
TRAINED.train("to be or not to be, caf\u00e9 \u732b " * 3 + FAMILY + END)


@pytest.mark.parametrize("tokenizer", [BPETokenizer(), TRAINED], ids=["untrained", "trained"])
@given(text=st.text())
def test_a_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.lists(st.sampled_from(["to be", " ", "<|", "end", "|>", END, "e\u0301", FAMILY[:2], "\x00\r\n"])))
def test_a_text_with_special_tokens_comes_back(parts):
    text = "".join(parts)
    assert TRAINED.decode(TRAINED.encode(text, allowed_special=True)) == text
    assert TRAINED.decode(TRAINED.encode(text)) == text
    assert max(TRAINED.encode(text), default=0) < TRAINED.vocab_size - 2


@pytest.mark.parametrize("text", ["\u00e9", "e\u0301", FAMILY],
                         ids=["B110-composed", "B110-decomposed", "B110-family"])
def test_nothing_is_normalised(text):
    for tokenizer in (BPETokenizer(), TRAINED):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert BPETokenizer().encode("\u00e9") != BPETokenizer().encode("e\u0301")


def test_untrained_ids_are_the_bytes():
    assert BPETokenizer().encode("a\u00e9 \u732b") == list("a\u00e9 \u732b".encode())
    assert BPETokenizer().vocab_size == 256


@pytest.mark.parametrize("tokenizer", [BPETokenizer(), TRAINED], ids=["B107-untrained", "B107-trained"])
def test_empty(tokenizer):
    assert tokenizer.encode("") == [] and tokenizer.encode("", allowed_special=True) == []
    assert tokenizer.decode([]) == ""


def test_ids_are_python_ints_in_a_new_list():
    ids = TRAINED.encode("to be to")
    assert type(ids) is list and all(type(i) is int for i in ids)
    ids[0] = -1
    assert -1 not in TRAINED.encode("to be to")


def test_remembered_words_do_not_grow_for_ever():
    tokenizer = BPETokenizer(257).train("ab")
    tokenizer._known = dict.fromkeys(range(1 << 17))
    assert tokenizer.encode("ab ab") == [256, 32, 256]
    assert len(tokenizer._known) == 2


# decode ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ids", [
    (256, 97), np.array([256, 97], np.uint16), Tensor([256, 97]), [np.int64(256), 97], np.array([256., 97.]),
], ids=["tuple", "array", "tensor", "numpy-scalars", "whole-floats"])
def test_decode_takes_every_kind_of_ids(ids):
    assert BPETokenizer(257).train("xy").decode(ids) == "xya"


def test_decode_of_half_a_letter():
    assert BPETokenizer().decode([195]) == "\ufffd"
    assert BPETokenizer().decode([195, 169]) == "\u00e9"


@pytest.mark.parametrize("ids, error, message", [
    ([97, 256], TokenIdError, r"256.*\[0, 256\)"),
    ([-1], TokenIdError, r"-1.*\[0, 256\)"),
    ([2**64], TokenIdError, str(2**64)),
    ([97.5], ValueError, "97.5"),
    ([True], TypeError, "bool"),
    ("a", TypeError, "integers"),
    (None, TypeError, "integers"),
    ([[97], [98]], ValueError, r"\(2, 1\)"),
])
def test_decode_refuses(ids, error, message):
    with pytest.raises(error, match=message):
        BPETokenizer().decode(ids)


# Texts that are refused ------------------------------------------------------------------------------

@pytest.mark.parametrize("text", [None, 5, ["a"], b"a", np.array(["a"])], ids=lambda t: type(t).__name__)
def test_encode_refuses_what_is_no_text(text):
    with pytest.raises(TypeError, match="text is a str; got " + type(text).__name__):
        BPETokenizer().encode(text)


@pytest.mark.parametrize("texts", [None, 5, b"ab", ["ab", 5], ["ab", None], [b"ab"], [["ab"]]], ids=repr)
def test_train_refuses_what_is_no_text_and_learns_nothing(texts):
    tokenizer = BPETokenizer(257).train("xy")
    with pytest.raises(TypeError, match="str|iterable"):
        tokenizer.train(texts)
    assert tokenizer.merges == [(120, 121)]


@pytest.mark.parametrize("text, says", [
    ("ab\ud800c", r"U\+D800 at position 2"), ("\udfff", r"U\+DFFF at position 0"), ("\ud83d", r"U\+D83D"),
], ids=ascii)
def test_half_a_surrogate_pair_is_a_clear_error(text, says):
    tokenizer = BPETokenizer(257, [END])
    for function in (tokenizer.encode, tokenizer.train, lambda t: tokenizer.train(["ok", t]),
                     lambda t: tokenizer.encode(t, allowed_special=True),
                     lambda t: BPETokenizer(300, [t])):
        with pytest.raises(ValueError, match=says) as caught:
            function(text)
        assert "replace" in str(caught.value) and not isinstance(caught.value, UnicodeError)


# Special tokens --------------------------------------------------------------------------------------

def test_special_text_is_plain_text_unless_allowed():
    """B109: one id where it is allowed; bytes, and never the control id, where it is not."""
    tokenizer = BPETokenizer(300, [END])
    assert tokenizer.vocab_size == 257
    assert tokenizer.encode(f"a{END}b", allowed_special=True) == [97, 256, 98]
    plain = list(f"a{END}b".encode())
    assert tokenizer.encode(f"a{END}b") == plain
    assert tokenizer.encode(f"a{END}b", allowed_special=False) == plain
    assert tokenizer.decode([256]) == END
    assert BPETokenizer().encode(END, allowed_special=True) == list(END.encode())


def test_special_ids_come_after_the_merges():
    tokenizer = BPETokenizer(259, [END, "<|user|>"])
    assert tokenizer.encode("<|user|>", allowed_special=True) == [257]
    tokenizer.train("abab")
    assert tokenizer.merges == [(97, 98)] and tokenizer.vocab_size == 259
    assert tokenizer.encode(f"ab{END}<|user|>", allowed_special=True) == [256, 257, 258]
    assert tokenizer.special_tokens == (END, "<|user|>")


@pytest.mark.parametrize("specials", [["<a>", "<a><b>"], ["<a><b>", "<a>"]],
                         ids=["short-first", "long-first"])
def test_the_longest_special_token_wins(specials):
    tokenizer = BPETokenizer(300, specials)
    long, short = 256 + specials.index("<a><b>"), 256 + specials.index("<a>")
    assert tokenizer.encode("<a><b><a>x", allowed_special=True) == [long, short, 120]


def test_special_tokens_are_text_and_no_pattern():
    tokenizer = BPETokenizer(300, [".*", "a|b", " ", "\u732b"])
    assert tokenizer.encode("x.*a|b \u732b", allowed_special=True) == [120, 256, 257, 258, 259]
    assert tokenizer.encode("ab", allowed_special=True) == [97, 98]


@pytest.mark.parametrize("specials, error, message", [
    ([END, END], ValueError, "listed twice"),
    (["a", "", "b"], ValueError, "empty"),
    (END, TypeError, "list of strings"),
    (b"<>", TypeError, "list of strings"),
    (None, TypeError, "list of strings"),
    (5, TypeError, "list of strings"),
    (["a", 5], TypeError, "str; got int"),
    ({"a", "b"}, TypeError, "a set has no order"),  # its order, and so the ids, would change between runs
    (frozenset("a"), TypeError, "a set has no order"),
    ([b"a"], TypeError, "str; got bytes"),
])
def test_special_tokens_refused(specials, error, message):
    with pytest.raises(error, match=message):
        BPETokenizer(1000, specials)


@pytest.mark.parametrize("allowed", ["all", {END}, [END], None, 1], ids=repr)
def test_allowed_special_is_true_or_false(allowed):
    """'all' and sets are another library's spelling; taking them for True would let the wrong tokens in."""
    with pytest.raises(TypeError, match="True or False"):
        BPETokenizer(300, [END]).encode(END, allowed_special=allowed)


@pytest.mark.parametrize("size, specials, error, message", [
    (255, [], ValueError, "255.*least is 256"),
    (0, [], ValueError, "least is 256"),
    (-1, [], ValueError, "-1"),
    (256, [END], ValueError, "least is 257.*1 special token$"),
    (257, ["a", "b"], ValueError, "least is 258.*2 special tokens"),
    (300.0, [], TypeError, "300.0"),
    ("300", [], TypeError, "'300'"),
    (True, [], TypeError, "True"),
    (None, [], TypeError, "None"),
])
def test_sizes_refused(size, specials, error, message):
    with pytest.raises(error, match=message):
        BPETokenizer(size, specials)


def test_a_numpy_size_is_a_size():
    assert BPETokenizer(np.int64(257)).train("abc").vocab_size == 257


# Files -----------------------------------------------------------------------------------------------

def same(a, b):
    text = f"to be, caf\u00e9{END}"
    return (a.merges == b.merges and a.vocab_size == b.vocab_size and a.special_tokens == b.special_tokens
            and a.encode(text, allowed_special=True) == b.encode(text, allowed_special=True))


ODD = BPETokenizer(300, ["\u732b", '"\\\n', "\0", "\r\n", "[a-z]+", "\u2028"]).train("ab")


@pytest.mark.parametrize("tokenizer", [BPETokenizer(), TRAINED, ODD],
                         ids=["untrained", "trained", "odd-specials"])
def test_saved_and_loaded(tokenizer, tmp_path):
    for path in (tmp_path / "one.json", str(tmp_path / "caf\u00e9 2.json"), os.fsencode(tmp_path / "3.json")):
        tokenizer.save(path)
        assert same(BPETokenizer.load(path), tokenizer)
        json.loads(Path(os.fsdecode(path)).read_text(encoding="utf-8"))
    assert same(pickle.loads(pickle.dumps(tokenizer)), tokenizer)


def test_a_loaded_tokenizer_trains_to_the_same_size(tmp_path):
    BPETokenizer(258, [END]).train("").save(tmp_path / "t")
    assert BPETokenizer.load(tmp_path / "t").train("abc").vocab_size == 258


def test_the_file_is_utf8(tmp_path):
    BPETokenizer(300, ["\u732b"]).save(tmp_path / "t")
    assert "\u732b".encode() in (tmp_path / "t").read_bytes()


@pytest.mark.parametrize("where", [(json, "dump"), (os, "replace")], ids=["while-writing", "while-renaming"])
def test_a_crash_leaves_the_old_file_and_nothing_else(where, tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    TRAINED.save(path)

    def crash(*_, **__):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(*where, crash)
        with pytest.raises(OSError, match="disk full"):
            BPETokenizer().save(path)
    assert [f.name for f in tmp_path.iterdir()] == ["t.json"]
    assert same(BPETokenizer.load(path), TRAINED)


@pytest.mark.skipif(os.name == "nt", reason="Windows asks for a right to make symbolic links")
def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    BPETokenizer().save(real)
    link.symlink_to(real)
    TRAINED.save(link)
    assert link.is_symlink() and same(BPETokenizer.load(real), TRAINED)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        BPETokenizer.load(tmp_path / "none.json")


GOOD = {"format": "tinytorch BPE 1", "vocab_size": 300, "merges": [[97, 98], [256, 256]],
        "special_tokens": ["<e>"]}


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "t").write_text(json.dumps(GOOD), encoding="utf-8")
    tokenizer = BPETokenizer.load(tmp_path / "t")
    assert tokenizer.encode("ababab<e>", allowed_special=True) == [257, 256, 258]


@pytest.mark.parametrize("change", [
    {"format": "tinytorch BPE 2"}, {"format": None}, {"vocab_size": 258}, {"vocab_size": 100},
    {"vocab_size": 300.0}, {"vocab_size": True}, {"vocab_size": None},
    {"merges": [[97, 256]]}, {"merges": [[-1, 97]]},
    {"merges": [[97, 98], [97, 98]]}, {"merges": [[97, 98, 99]]}, {"merges": [[97]]}, {"merges": [97]},
    {"merges": ["ab"]}, {"merges": [[97.0, 98.0]]}, {"merges": [[True, 98]]}, {"merges": None}, {"merges": 5},
    {"merges": [[97, 97]] + [[255 + k, 255 + k] for k in range(1, 40)]}, {"special_tokens": "<e>"},
    {"special_tokens": ["<e>", "<e>"]}, {"special_tokens": [""]}, {"special_tokens": [5]},
    {"special_tokens": ["\ud800"]}, {"special_tokens": None},
], ids=lambda change: json.dumps(change)[:40])
def test_a_file_with_wrong_content_is_refused(change, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({**GOOD, **change}), encoding="utf-8")
    with pytest.raises(ValueError, match="t.json is not a whole file of BPETokenizer.save: ."):
        BPETokenizer.load(path)


@pytest.mark.parametrize("content", [
    b"", b"\xff\xfe\x00", b"\x00" * 50, b"[]", b"5", b"null", b"{}", b'"x"', b"NaN", b"[" * 100_000,
    json.dumps(GOOD).encode("utf-16"),
    *(json.dumps({key: GOOD[key] for key in GOOD if key != gone}).encode() for gone in GOOD),
], ids=lambda content: repr(content[:30]))
def test_a_file_of_another_kind_is_refused(content, tmp_path):
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="t.json is not a whole file of BPETokenizer.save: ."):
        BPETokenizer.load(path)


def test_a_file_cut_anywhere_is_refused(tmp_path):
    whole = json.dumps(GOOD).encode()
    path = tmp_path / "t.json"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="not a whole file"):
            BPETokenizer.load(path)


def test_repr():
    assert repr(BPETokenizer(300, [END]).train("ab")) == (
        "BPETokenizer(vocab_size=258, merges=1, special_tokens=['<|end|>'])")


def test_the_module_says_what_it_offers():
    assert {"CharTokenizer", "BPETokenizer", "pad_sequences", "attention_mask"} <= set(tokenization.__all__)
