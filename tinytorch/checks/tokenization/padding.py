"""padding: texts of different lengths in one array."""
from ..compare import refused, same
from ..handles import call, given, new, numbers
from ..registry import behaviour

IDS = [[7, 8, 9], [5], []]


@behaviour("padding", points=1)
def short_texts_are_filled_with_zeros(m, rng):
    """The longest text says how long the rows are; the others are filled with <PAD>, on the right.

    [[5, 6], [7]] becomes [[5, 6], [7, 0]].
    """
    tokenizer = new(m, "CharTokenizer")
    given(m, f"pad_sequences({IDS})")
    same(numbers(call(tokenizer, "pad_sequences", IDS)), [[7, 8, 9], [5, 0, 0], [0, 0, 0]])


@behaviour("padding", points=1)
def either_side_is_filled_or_cut(m, rng):
    """padding says which side is filled, truncation which side loses ids.

    [[5, 6, 7]] with max_length 2: [[5, 6]], and [[6, 7]] with truncation 'left'.
    """
    tokenizer = new(m, "CharTokenizer")
    for padding, truncation, right in (("left", "right", [[7, 8], [0, 5], [0, 0]]),
                                       ("right", "left", [[8, 9], [5, 0], [0, 0]])):
        given(m, f"pad_sequences({IDS}, 2, padding={padding!r}, truncation={truncation!r})")
        same(numbers(call(tokenizer, "pad_sequences", IDS, 2, padding=padding, truncation=truncation)), right)


@behaviour("padding", points=1)
def the_mask_comes_from_the_lengths(m, rng):
    """1 for an id, 0 for filling. An id 0 in the text is an id.

    [[5, 0], [7]]: [[1, 1], [1, 0]].
    """
    tokenizer = new(m, "CharTokenizer")
    given(m, "attention_mask([[5, 0, 0], [7]])")
    same(numbers(call(tokenizer, "attention_mask", [[5, 0, 0], [7]])), [[1, 1, 1], [1, 0, 0]])


@behaviour("padding", points=1)
def a_negative_length_is_refused(m, rng):
    """Python reads a negative length as "count from the end". Here it is a mistake.

    max_length=-1 raises a ValueError.
    """
    given(m, f"pad_sequences({IDS}, -1)")
    refused(new(m, "CharTokenizer"), "pad_sequences", IDS, -1)
