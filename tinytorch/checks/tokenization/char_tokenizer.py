"""char-tokenizer: a character, an id."""
from ..compare import expect, refused, same
from ..handles import call, given, new, numbers
from ..registry import behaviour


def text_of(handle):
    """A text on the code's side, as Python writes it (with quotes); of a short one, all of it."""
    return getattr(numbers(handle), "text", "no text")


def reads(handle, right):
    expect(text_of(handle) == repr(right), text_of(handle), repr(right))


@behaviour("char-tokenizer", points=1)
def the_plain_table_has_99_entries(m, rng):
    """Four markers, then the printable characters from the space to the tilde.

    The space has id 4, the tilde id 98.
    """
    tokenizer = new(m, "CharTokenizer")
    given(m, "CharTokenizer()")
    same(numbers(tokenizer, "vocab_size"), 99)
    same(numbers(call(tokenizer, "encode", " ~A")), [4, 98, 4 + ord("A") - 32])


@behaviour("char-tokenizer", points=1)
def a_text_of_its_own_is_sorted(m, rng):
    """The characters of a text get the ids from 4 on, in sorted order, each once.

    CharTokenizer("bab"): a is 4, b is 5; vocab_size is 6.
    """
    tokenizer = new(m, "CharTokenizer", "banana, nab")
    given(m, 'CharTokenizer("banana, nab").encode("ban")')
    same(numbers(tokenizer, "vocab_size"), 9)
    same(numbers(call(tokenizer, "encode", "ban")), [7, 6, 8])


@behaviour("char-tokenizer", points=1)
def what_it_does_not_know_is_unk(m, rng):
    """A character without an entry becomes <UNK>, id 1. It is not dropped: places must not move.

    CharTokenizer("ab").encode("axb") is [4, 1, 5].
    """
    tokenizer = new(m, "CharTokenizer", "ab")
    given(m, 'CharTokenizer("ab").encode("axb")')
    same(numbers(call(tokenizer, "encode", "axb")), [4, 1, 5])


@behaviour("char-tokenizer", points=1)
def markers_count_in_the_length_and_are_kept(m, rng):
    """add_special_tokens puts <BOS> 2 before and <EOS> 3 behind; max_length counts both and cuts neither.

    encode("abc", add_special_tokens=True, max_length=4) has two characters.
    """
    tokenizer = new(m, "CharTokenizer", "abc")
    given(m, 'encode("abc", add_special_tokens=True, max_length=4)')
    same(numbers(call(tokenizer, "encode", "abc", add_special_tokens=True, max_length=4)), [2, 4, 5, 3])
    given(m, 'encode("abc", add_special_tokens=True, max_length=1)')
    refused(tokenizer, "encode", "abc", add_special_tokens=True, max_length=1)


@behaviour("char-tokenizer", points=1)
def decode_gives_the_text_back(m, rng):
    """decode is the way back. An id that is not in the table is refused.

    decode([2, 4, 3]) is "<BOS>a<EOS>", and "a" with skip_special_tokens.
    """
    tokenizer = new(m, "CharTokenizer", "ab")
    given(m, "decode([2, 5, 4, 5, 3])")
    reads(call(tokenizer, "decode", [2, 5, 4, 5, 3]), "<BOS>bab<EOS>")
    reads(call(tokenizer, "decode", [2, 5, 4, 5, 3], skip_special_tokens=True), "bab")
    for ids in ([4, 6], [-1]):
        given(m, f"decode({ids}), ids 0 to 5")
        refused(tokenizer, "decode", ids)
