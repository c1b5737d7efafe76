"""tensor-values: what a Tensor holds and what its operations give."""
import numpy as np

from ..compare import expect, refused, same
from ..handles import call, given, items, keep, kinds, new, numbers
from ..registry import behaviour
from ..samples import whole


@behaviour("tensor-values", points=1)
def a_tensor_holds_a_copy(m, rng):
    """The numbers of a Tensor are its own: what happens to the array afterwards does not reach it.

    A = [[1, 2]]; x = Tensor(A); A[0] = 0: x still holds [[1, 2]].
    """
    numbers_in = whole(rng, 2, 3)
    kept = keep(m, numbers_in.copy())
    x = new(m, "Tensor", kept)
    call(kept, "fill", 0.0)
    given(m, "x = Tensor(A) of shape (2, 3), then A.fill(0)")
    same(numbers(x, "data"), numbers_in)


@behaviour("tensor-values", points=1)
def floats_become_float32_and_ids_stay_whole(m, rng):
    """float32 is enough for weights, and half the size. An id must not be rounded: 16,777,217 has to stay.

    Tensor([0.5]) is float32; Tensor([16777217]) still holds 16777217.
    """
    given(m, "Tensor([0.5])")
    kind = numbers(new(m, "Tensor", [0.5]), "data").dtype
    expect(kind == np.float32, str(kind), "float32")
    given(m, "Tensor([16777217])")
    ids = numbers(new(m, "Tensor", [2**24 + 1]), "data")
    expect(ids.dtype.kind == "i" and ids[0] == 2**24 + 1, f"{ids[0]} of type {ids.dtype}", "16777217, whole")


@behaviour("tensor-values", points=1)
def arithmetic_stretches_shapes_as_numpy_does(m, rng):
    """A row added to a table is added to each of its rows.

    (2, 3) and (3,) give (2, 3); (2, 1) and (3,) give (2, 3).
    """
    for left, right in (((2, 3), (3,)), ((2, 1), (3,)), ((4, 1, 3), (2, 3))):
        a, b = whole(rng, *left), whole(rng, *right)
        x, y = new(m, "Tensor", a), new(m, "Tensor", b)
        for name, value in (("__add__", a + b), ("__sub__", a - b), ("__mul__", a * b),
                            ("__truediv__", a / b)):
            given(m, f"x of shape {left}, y of shape {right}, x.{name}(y)")
            same(numbers(call(x, name, y), "data"), value)


@behaviour("tensor-values", points=1)
def a_matrix_product_goes_over_the_last_two_axes(m, rng):
    """(T, D) @ (D, V) is (T, V); axes in front are a batch.

    [[1, 2]] @ [[3], [4]] is [[11]].
    """
    for left, right in (((2, 3), (3, 4)), ((5, 2, 3), (3, 4))):
        a, b = whole(rng, *left), whole(rng, *right)
        given(m, f"shapes {left} @ {right}")
        same(numbers(call(new(m, "Tensor", a), "__matmul__", new(m, "Tensor", b)), "data"), a @ b)


@behaviour("tensor-values", points=1)
def sums_and_means_go_along_an_axis(m, rng):
    """axis names the axis that goes away; without one, all numbers are added.

    [[1, 2], [3, 4]]: sum() is 10, sum(axis=0) is [4, 6], mean(axis=1) is [1.5, 3.5].
    """
    a = whole(rng, 2, 3, 4)
    x = new(m, "Tensor", a)
    for axis in (None, 0, 1, -1):
        for name in ("sum", "mean", "max"):
            given(m, f"x of shape (2, 3, 4), x.{name}(axis={axis})")
            same(numbers(call(x, name, axis=axis), "data"), getattr(a, name)(axis=axis))


@behaviour("tensor-values", points=1)
def ids_are_read_exactly_or_refused(m, rng):
    """as_ids makes int64 of whole numbers. What is no whole number is refused, not rounded.

    as_ids([2.0]) is [2]; as_ids([0.5]) is a ValueError; as_ids([True]) a TypeError.
    """
    for ids in ([3, 0, 2], [[1.0], [2.0]], [2**40]):
        given(m, f"as_ids({ids})")
        got = numbers(call(m, "as_ids", ids))
        same(got, np.array(ids))
        expect(str(got.dtype) == "int64", str(got.dtype), "int64")
    given(m, "as_ids([0.5])")
    refused(m, "as_ids", [0.5])
    given(m, "TokenIdError.first([[0, 7]], 5)")
    error = call(m, "TokenIdError.first", np.array([[0, 7]]), 5)
    expect({"ValueError", "IndexError"} <= set(kinds(error)), str(kinds(error)), "ValueError and IndexError")
    text = str(getattr(numbers(items(error, "args")[0]), "text", ""))
    expect("7" in text and "5" in text, text, "a message with the id 7 and the size 5")
