"""The checks of Tensor and tokenizers notice what is broken there, and name it."""
from pathlib import Path

import numpy as np
import pytest

import tinytorch.core
from tinytorch.checks.modules import Live
from tinytorch.checks.registry import load
from tinytorch.checks.run import Run
from tinytorch.checks.server import load as load_code

CORE = Path(tinytorch.core.__file__).parent


def tensor_of(names, values):
    return names["Tensor"](values)


def sum_for_mean(names, x, targets):
    return names["cross_entropy_"](x, targets) * len(targets)


def no_shift(names, x):
    with np.errstate(all="ignore"):
        powers = np.exp(x.data)
        return tensor_of(names, powers / powers.sum(axis=-1, keepdims=True))


# lesson, the name that is broken, what stands there instead (it gets the names, then the arguments), the check
BROKEN = [
    ("tensor", "Tensor.__sub__", lambda names, a, b: a + b, "arithmetic_stretches_shapes_as_numpy_does"),
    ("tensor", "Tensor.__matmul__", lambda names, a, b: a * b, "a_matrix_product_goes_over_the_last_two_axes"),
    ("tensor", "Tensor.mean", lambda names, x, axis=None: x.sum(axis=axis), "sums_and_means_go_along_an_axis"),
    ("tensor", "as_ids", lambda names, ids, *_: np.asarray(ids).astype(np.int64),
     "ids_are_read_exactly_or_refused"),
    ("tensor", "as_ids", lambda names, ids, *_: np.asarray(ids, np.float32),
     "ids_are_read_exactly_or_refused"),
    ("tensor", "Tensor.backward", lambda names, x, up=None: None, "gradients_agree_with_differences"),
    ("tensor", "Tensor.tanh", lambda names, x: x / (1 + (-x).exp()), "gradients_agree_with_differences"),
    ("tensor", "Tensor.zero_grad", lambda names, x: None, "what_is_used_twice_gets_both_and_calls_add_up"),
    ("tensor", "softmax", no_shift, "softmax_gives_shares_also_for_large_numbers"),
    ("tensor", "cross_entropy", sum_for_mean, "cross_entropy_is_the_mean_in_nats"),
    ("tokenization", "CharTokenizer.vocab_size", 98, "the_plain_table_has_99_entries"),
    ("tokenization", "CharTokenizer.encode", lambda names, self, text, **_: [
        self.char_to_idx[c] for c in text if c in self.char_to_idx], "what_it_does_not_know_is_unk"),
    ("tokenization", "CharTokenizer.encode", lambda names, self, text, max_length=None, **options: (
        names["CharTokenizer.encode_"](self, text, **options)[:max_length]),
     "markers_count_in_the_length_and_are_kept"),
    ("tokenization", "CharTokenizer.decode", lambda names, self, ids, skip_special_tokens=False: "".join(
        self.idx_to_char.get(i, "") for i in ids if i > 3 or not skip_special_tokens),
     "decode_gives_the_text_back"),
    ("tokenization", "CharTokenizer.pad_sequences", lambda names, self, ids, *_, **__: (
        names["pad_sequences"](ids, padding="left")), "short_texts_are_filled_with_zeros"),
    ("tokenization", "CharTokenizer.attention_mask", lambda names, self, ids, *options, **more: (
        names["pad_sequences"](ids, *options, **more) != 0).astype(np.int64), "the_mask_comes_from_the_lengths"),
    ("tokenization", "BPETokenizer.encode", lambda names, self, text, **_: list(text.encode()),
     "the_most_frequent_pair_is_merged_first"),
    ("tokenization", "BPETokenizer.vocab_size", 1000, "training_may_run_out_of_pairs"),
    ("tokenization", "BPETokenizer.decode", lambda names, self, ids: (
        names["BPETokenizer.decode_"](self, ids).strip()), "every_text_comes_back"),
]


@pytest.mark.parametrize("number", range(len(BROKEN)), ids=lambda n: f"{BROKEN[n][1]}-{BROKEN[n][3]}")
def test_what_is_broken_is_noticed_and_named(number):
    lesson, path, instead, check = BROKEN[number]
    names = load_code(str(CORE / f"{lesson}.py"))
    owner, _, name = path.rpartition(".")
    old = getattr(names[owner], name) if owner else names[name]
    names[path + "_"] = old

    def broken(*arguments, **options):
        return instead(names, *arguments, **options)

    new = broken if callable(instead) else property(lambda self: instead)
    if owner:
        setattr(names[owner], name, new)
    else:
        names[name] = new
    run = Run(Live(names))
    failed = [result.behaviour.name for exercise in load(lesson)
              for result in run.outcome(exercise.id).results if not result.passed]
    assert check in failed


@pytest.mark.parametrize("lesson", ["tensor", "tokenization"])
def test_their_hints_are_one_paragraph_and_an_example(lesson):
    for exercise in load(lesson):
        for behaviour in exercise.behaviours:
            assert len(behaviour.hints) == 2
