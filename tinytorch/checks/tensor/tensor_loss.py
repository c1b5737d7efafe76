"""tensor-loss: softmax and cross_entropy."""
import numpy as np

from ..compare import same
from ..handles import call, given, new, numbers
from ..registry import behaviour
from ..samples import whole


def shares(x):
    """Softmax of the last axis, written out."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@behaviour("tensor-loss", points=1)
def softmax_gives_shares_also_for_large_numbers(m, rng):
    """Shares are positive and add up to 1. Only differences count, so 1000 must not overflow.

    softmax([1000, 1000]) is [0.5, 0.5].
    """
    for x in (whole(rng, 2, 3) / 4, np.array([[1000.0, 1000, 0]]), np.array([[-2000.0, -2001]])):
        given(m, f"softmax({x.tolist()})")
        same(numbers(call(m, "softmax", new(m, "Tensor", x)), "data"), shares(x))


@behaviour("tensor-loss", points=1)
def cross_entropy_is_the_mean_in_nats(m, rng):
    """The loss of one row is minus the log of the share of its target; the loss is the mean over the rows.

    Logits [0, 0], target 1: log 2 = 0.693147.
    """
    x, targets = whole(rng, 3, 5) / 4, rng.integers(0, 5, 3)
    given(m, f"cross_entropy(logits of shape (3, 5), {targets.tolist()})")
    right = -np.log(shares(x)[np.arange(3), targets]).mean()
    same(numbers(call(m, "cross_entropy", new(m, "Tensor", x), targets), "data"), right)


@behaviour("tensor-loss", points=1)
def its_gradient_is_share_minus_target(m, rng):
    """For each row: the shares, with 1 taken off at the target, divided by the number of rows.

    Logits [0, 0], target 1: the gradient is [0.5, -0.5].
    """
    x, targets = whole(rng, 3, 5) / 4, rng.integers(0, 5, 3)
    held = new(m, "Tensor", x, requires_grad=True)
    call(call(m, "cross_entropy", held, targets), "backward")
    right = shares(x)
    right[np.arange(3), targets] -= 1
    given(m, f"cross_entropy(logits of shape (3, 5), {targets.tolist()}).backward(), logits.grad")
    same(numbers(held, "grad"), right / 3)
