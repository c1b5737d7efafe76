"""tensor-backward: gradients."""
import numpy as np

from ..compare import expect, refused, same
from ..handles import call, error_of, given, new, numbers, put
from ..registry import behaviour
from ..samples import summed_by_id, whole

STEP = 1e-6  # for central differences in float64


def slopes(value, x):
    """The gradient of a number `value(x)` by central differences, entry by entry."""
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[at] += STEP
        below[at] -= STEP
        found[at] = (value(above) - value(below)) / (2 * STEP)
    return found


def leaf(m, values):
    return new(m, "Tensor", values, requires_grad=True, dtype="float64")


@behaviour("tensor-backward", points=2)
def gradients_agree_with_differences(m, rng):
    """Move one entry a little and see how the result moves: that is its gradient. backward() gives the same.

    y = x * x at x = 3: (3.001 * 3.001 - 2.999 * 2.999) / 0.002 is 6.
    """
    x = rng.uniform(0.5, 2.0, (3, 4))
    up = rng.uniform(0.5, 2.0, (3, 4))
    for name, function in (("exp", np.exp), ("log", np.log), ("tanh", np.tanh), ("sqrt", np.sqrt),
                           ("relu", lambda x: np.maximum(x, 0))):
        held = leaf(m, x)
        call(call(held, name), "backward", up)
        given(m, f"y = x.{name}() of shape (3, 4), y.backward(g), x.grad")
        same(numbers(held, "grad"), slopes(lambda x, f=function: (f(x) * up).sum(), x), close=1e-6)


@behaviour("tensor-backward", points=1)
def a_stretched_operand_gets_the_sum(m, rng):
    """A row that was added to each row of a table gets the gradients of all of them, added.

    x (2, 3) + b (3,), backward with ones: b.grad is [2, 2, 2].
    """
    for shape in ((3,), (1, 3), (2, 1), ()):
        x, b, up = leaf(m, whole(rng, 2, 3)), leaf(m, whole(rng, *shape) if shape else 2.0), whole(rng, 2, 3)
        call(call(x, "__add__", b), "backward", up)
        right = np.zeros(shape)
        for at in np.ndindex(2, 3):
            own = zip(at[2 - len(shape):], shape, strict=True)
            right[tuple(0 if size == 1 else i for i, size in own)] += up[at]
        given(m, f"x (2, 3) + b {shape}, backward(g), b.grad")
        same(numbers(b, "grad"), right)


@behaviour("tensor-backward", points=1)
def rows_taken_by_ids_send_their_gradients_back(m, rng):
    """x[ids] takes rows; a row taken twice gets two gradients, added.

    x[[1, 1]], backward with [[1], [10]]: row 1 of x.grad is [11].
    """
    ids, up, x = np.array([2, 0, 2, 4]), whole(rng, 4, 3), leaf(m, whole(rng, 5, 3))
    call(call(x, "__getitem__", ids), "backward", up)
    given(m, f"x of shape (5, 3), x[{ids.tolist()}], backward(g), x.grad")
    same(numbers(x, "grad"), summed_by_id(ids, up, 5))


@behaviour("tensor-backward", points=1)
def both_sides_of_a_product_get_theirs(m, rng):
    """For y = a @ b: a gets g @ b transposed, b gets a transposed @ g.

    a = [[2]], b = [[3]], g = [[1]]: a.grad is [[3]], b.grad is [[2]].
    """
    a, b, up = whole(rng, 2, 3), whole(rng, 3, 4), whole(rng, 2, 4)
    x, y = leaf(m, a), leaf(m, b)
    call(call(x, "__matmul__", y), "backward", up)
    given(m, "(2, 3) @ (3, 4), backward(g)")
    same(numbers(x, "grad"), up @ b.T)
    same(numbers(y, "grad"), a.T @ up)


@behaviour("tensor-backward", points=1)
def what_is_used_twice_gets_both_and_calls_add_up(m, rng):
    """A value that is used at two places gets both gradients. So does one that backward() reaches twice.

    y = x + x, y.backward(1): x.grad is 2. Once more: 4. After zero_grad() there is none.
    """
    x, up, right = leaf(m, whole(rng, 3)), whole(rng, 3), 0
    for turn in (1, 2):
        call(call(x, "__add__", x), "backward", up)
        right = right + 2 * up
        given(m, f"y = x + x, y.backward(g), {turn} times; x.grad")
        same(numbers(x, "grad"), right)
    call(x, "zero_grad")
    given(m, "x.zero_grad(), x.grad")
    expect(getattr(numbers(x, "grad"), "text", "") == "None", "a gradient is still there", "None")
    y = leaf(m, [1.0])
    z = y
    for _ in range(30):
        z = call(z, "__add__", z)
    call(z, "backward")
    given(m, "y = y + y, 30 times, backward()")
    same(numbers(y, "grad"), [2.0**30])


@behaviour("tensor-backward", points=1)
def a_wrong_gradient_is_refused(m, rng):
    """Without an argument backward() starts from 1, which is right for a single number only.

    y of shape (2, 3): y.backward() is an error, and so is a gradient of shape (3, 2).
    """
    y = call(leaf(m, whole(rng, 2, 3)), "exp")
    given(m, "y of shape (2, 3), y.backward() without a gradient")
    expect(error_of(y, "backward") is not None, "no error", "an error: of which number is this the gradient?")
    given(m, "y of shape (2, 3), y.backward(g) with g of shape (3, 2)")
    refused(y, "backward", np.ones((3, 2)))
    x = leaf(m, whole(rng, 2))
    put(x, "data", np.array([4.0, 9.0]))
    call(call(x, "sqrt"), "backward", np.ones(2))
    given(m, "x = [4, 9], x.sqrt().backward([1, 1]), x.grad")
    same(numbers(x, "grad"), [1 / 4, 1 / 6])
