"""bpe-tokenizer: bytes, and pairs that become one id."""
from ..compare import expect, same
from ..handles import call, given, new, numbers
from ..registry import behaviour
from .char_tokenizer import reads

TEXT = "low lower lowest low"


def trained(m, size, text=TEXT, **options):
    tokenizer = new(m, "BPETokenizer", size, **options)
    call(tokenizer, "train", text)
    given(m, f"BPETokenizer({size}) trained on {text!r}")
    return tokenizer


@behaviour("bpe-tokenizer", points=1)
def without_merges_ids_are_bytes(m, rng):
    """Before it has learned anything, a text is its bytes in UTF-8.

    "é" is the two bytes 195, 169.
    """
    tokenizer = new(m, "BPETokenizer", 256)
    for text in ("abc", "é", "🙂"):
        given(m, f"BPETokenizer(256).encode({text!r})")
        same(numbers(call(tokenizer, "encode", text)), list(text.encode("utf-8")))


@behaviour("bpe-tokenizer", points=1)
def the_most_frequent_pair_is_merged_first(m, rng):
    """The pair that stands there most often becomes id 256. Of several, the smallest is taken.

    In "low low" the pairs l-o and o-w both occur twice; l-o is (108, 111), the smaller one.
    """
    tokenizer = trained(m, 258)
    same(numbers(tokenizer, "merges"), [[108, 111], [256, 119]])
    same(numbers(call(tokenizer, "encode", "low")), [257])


@behaviour("bpe-tokenizer", points=1)
def merges_apply_in_the_order_learned(m, rng):
    """Encoding a new text repeats the merges in their order, not the longest piece first.

    With l-o, then lo-w: "lowl" is [257, 108].
    """
    tokenizer = trained(m, 258)
    same(numbers(call(tokenizer, "encode", "lowlo")), [257, 256])


@behaviour("bpe-tokenizer", points=1)
def training_may_run_out_of_pairs(m, rng):
    """A short text has few pairs. vocab_size says what there is, not what was asked for.

    "aa" has a single pair: 257 ids, whatever was asked for.
    """
    tokenizer = trained(m, 1000, "aa")
    same(numbers(tokenizer, "vocab_size"), 257)


@behaviour("bpe-tokenizer", points=1)
def every_text_comes_back(m, rng):
    """decode(encode(text)) is the text, whatever it was trained on.

    Also for letters, signs and spaces that the training text did not have.
    """
    tokenizer = trained(m, 270)
    for text in (TEXT, "", " a line\n", "naïve 日本 🙂", "low <|end|> low"):
        given(m, f"decode(encode({text!r}))")
        reads(call(tokenizer, "decode", call(tokenizer, "encode", text)), text)


@behaviour("bpe-tokenizer", points=1)
def special_tokens_are_ordinary_text_unless_allowed(m, rng):
    """A text from outside may look like a special token. It becomes one only where you allow it.

    encode("<|end|>") is seven ids; with allowed_special=True it is one.
    """
    tokenizer = trained(m, 257, special_tokens=["<|end|>"])
    given(m, 'BPETokenizer(257, special_tokens=["<|end|>"]).encode("<|end|>")')
    same(numbers(call(tokenizer, "encode", "<|end|>")), list(b"<|end|>"))
    ids = numbers(call(tokenizer, "encode", "a<|end|>", allowed_special=True))
    expect(ids.tolist() == [97, 256], str(ids.tolist()), "[97, 256]")
