"""SGD, Adam, SparseAdam: the numbers of a step, what moves and what stays, and what is refused."""
import copy
import doctest
import math
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import tinytorch.core.optimizers as optimizers
from tinytorch.core.optimizers import SGD, Adam, SparseAdam
from tinytorch.core.tensor import Layer, RowSparse, Tensor

ALL = [SGD, Adam, SparseAdam]
DENSE = [SGD, Adam]


def weight(values, dtype=np.float32):
    return Tensor(np.array(values, dtype), requires_grad=True, dtype=dtype)


def rows_of(table, rows, values):
    """A row-sparse gradient for the table."""
    values = np.asarray(values, table.dtype)
    return RowSparse(np.asarray(rows, np.int64), values, table.shape)


def give(table, rows, values, sparse):
    """Set the gradient, row-sparse or as an array."""
    grad = rows_of(table, rows, values)
    table.grad = grad if sparse else Tensor(grad.to_dense())


# Values ----------------------------------------------------------------------------------------------

def test_sgd_by_hand():
    w = weight([[1, 2], [3, 4], [5, 6]])
    w.grad = Tensor([[1.0, 0.0], [0.0, -2.0], [4.0, 4.0]])
    SGD([w], lr=0.5).step()
    assert w.data.tolist() == [[0.5, 2], [3, 5], [3, 4]]


def test_sgd_momentum_by_hand():
    """b is 2, then 0.5 * 2 + 2 = 3, then 0.5 * 3 + 2 = 3.5; the place 10 - 0.25 * b each time."""
    w = weight([10])
    optimizer, places = SGD([w], lr=0.25, momentum=0.5), []
    for _ in range(3):
        w.grad = Tensor([2.0])
        optimizer.step()
        places.append(w.item())
    assert places == [9.5, 8.75, 7.875]


def test_weight_decay_by_hand():
    w = weight([4, -8])
    w.grad = Tensor([1.0, 0.0])
    SGD([w], lr=0.5, weight_decay=0.25).step()
    assert w.data.tolist() == [3, -7]  # 4 - 0.5 (1 + 1), -8 - 0.5 (0 - 2)


@pytest.mark.parametrize("size", [1e4, 1.0, 1e-3])
def test_adams_first_step_is_lr_long(size):
    w = weight([5, 5, 5])
    w.grad = Tensor([size, -size, 0.0])
    Adam([w], lr=0.125).step()
    assert_allclose(w.data, [4.875, 5.125, 5], rtol=2e-6)


@pytest.mark.parametrize("make, sparse, expected", [
    pytest.param(Adam, False, [0, -0.167006, -0.0744136], id="B19-dense-adam-moves-row-1-again"),
    pytest.param(SparseAdam, True, [0, -0.1, -0.0744136], id="B19-sparse-adam-leaves-row-1"),
])
def test_a_row_that_is_not_in_the_batch(make, sparse, expected):
    table = weight(np.zeros((3, 1)))
    optimizer = make([table], lr=0.1)
    for row in (1, 2):
        give(table, [row], [[1]], sparse)
        optimizer.step()
    assert_allclose(table.data.ravel(), expected, atol=1e-6)
    assert table.data[0, 0] == 0


@pytest.mark.parametrize("make", [SGD, SparseAdam])
@pytest.mark.parametrize("rows, values", [
    ([3, 0], [[1, 2], [4, 4]]), ([2], [[5, -5]]), ([1, 1, 1], [[1, 1], [2, 2], [3, 3]]),
    ([], np.zeros((0, 2))),
], ids=["two", "one", "a-row-three-times", "none"])
def test_row_sparse_is_the_dense_step_on_these_rows(make, rows, values):
    start = np.arange(8.0).reshape(4, 2)
    sparse, dense = weight(start), weight(start)
    one = make([sparse], lr=0.5)
    other = (SGD if make is SGD else Adam)([dense], lr=0.5)
    give(sparse, rows, values, True)
    give(dense, rows, values, False)
    one.step()
    other.step()
    assert_allclose(sparse.data, dense.data, rtol=1e-6)
    untouched = np.setdiff1d(np.arange(4), rows)
    assert_array_equal(sparse.data[untouched], start[untouched])


def reference_adam(w, grads, lr, b1, b2, eps, decay):
    """Algorithm 1 of the paper, in float64."""
    m = v = 0
    for t, g in enumerate(grads, 1):
        g = g + decay * w
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g ** 2
        w = w - lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + eps)
    return w


@given(st.lists(st.lists(st.floats(-4, 4), min_size=3, max_size=3), min_size=1, max_size=6),
       st.just(0.0) | st.floats(0.01, 0.99), st.just(0.0) | st.floats(0.01, 0.999), st.sampled_from([0, 0.1]))
def test_adam_is_algorithm_1(grads, b1, b2, decay):
    w = weight([1, -2, 3], np.float64)
    optimizer = Adam([w], lr=0.1, betas=(b1, b2), eps=1e-4, weight_decay=decay)
    for g in grads:
        w.grad = Tensor(g, dtype=np.float64)
        optimizer.step()
    expected = reference_adam(np.array([1.0, -2, 3]), np.array(grads), 0.1, b1, b2, 1e-4, decay)
    assert_allclose(w.data, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("make, sparse", [(Adam, False), (SparseAdam, True)])
@pytest.mark.parametrize("betas", [(0.0, 0.0), (0.0, 0.75), (0.5, 0.0), (0.9, 0.999)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_small_gradient_after_a_large_one(make, sparse, betas, dtype):
    """The averages forget at once where a beta is 0: what is left of 1e4 must not hide 1e-5."""
    grads = [1e4, 1e-5, -1e-5]
    table = weight([[1.0]], dtype)
    optimizer = make([table], lr=1e-3, betas=betas, eps=0)
    for g in grads:
        give(table, [0], [[g]], sparse)
        optimizer.step()
    assert_allclose(table.data.item(), reference_adam(1.0, grads, 1e-3, *betas, 0, 0), rtol=1e-5)


@pytest.mark.parametrize("make, sparse", [(Adam, False), (SparseAdam, True)])
@pytest.mark.parametrize("size", [1e-4, 1.0, 300.0, 6e4])
def test_float16_gradients_whose_square_no_float16_holds(make, sparse, size):
    table = weight([[4.0]], np.float16)
    give(table, [0], [[size]], sparse)
    make([table], lr=0.5).step()
    assert_allclose(table.data.item(), 3.5, rtol=1e-3)


def test_sparse_adam_with_all_rows_is_adam_but_for_eps():
    rng = np.random.default_rng(3)
    start, all_grads = rng.normal(size=(5, 2)), rng.normal(size=(4, 5, 2))
    a, b = weight(start, np.float64), weight(start, np.float64)
    dense, sparse = Adam([a], lr=0.1, eps=0), SparseAdam([b], lr=0.1, eps=0)
    for grad in all_grads:
        a.grad = Tensor(grad, dtype=np.float64)
        b.grad = rows_of(b, [4, 2, 0, 1, 3], grad[[4, 2, 0, 1, 3]])
        dense.step()
        sparse.step()
    assert_allclose(a.data, b.data, rtol=1e-12)


def test_sparse_adam_counts_steps_for_the_whole_table():
    """Row 1 comes first in step 3: its step is lr sqrt(1 - b2^3) / (1 - b1^3) * 0.5 g / sqrt(0.25 g^2)."""
    table = weight(np.zeros((3, 2)), np.float64)
    optimizer = SparseAdam([table], lr=0.1, betas=(0.5, 0.75), eps=0)
    for row in (0, 0, 1):
        give(table, [row], [[1, -3]], True)
        optimizer.step()
    expected = 0.1 * math.sqrt(1 - 0.75 ** 3) / (1 - 0.5 ** 3) * 0.5 / math.sqrt(0.25)
    assert_allclose(table.data[1], [-expected, expected], rtol=1e-12)


def test_eps_of_sparse_adam_is_added_before_the_correction():
    table = weight(np.zeros((2, 1)), np.float64)
    give(table, [1], [[2]], True)
    SparseAdam([table], lr=0.1, betas=(0.5, 0.75), eps=3).step()
    assert_allclose(table.data[1], -0.1 * math.sqrt(0.25) / 0.5 * 1 / (math.sqrt(0.25 * 4) + 3), rtol=1e-12)


@pytest.mark.parametrize("make", ALL)
def test_descends(make):
    """Every optimizer finds the rows of a target table."""
    target = np.random.default_rng(1).normal(size=(6, 3))
    table = weight(np.zeros((6, 3)))
    optimizer = make([table], lr=0.4 if make is SGD else 0.05)
    for step in range(400):
        rows = np.array([step % 6, (step + 2) % 6])
        give(table, rows, table.data[rows] - target[rows], make is not Adam)
        optimizer.step()
    assert np.abs(table.data - target).max() < 0.05


# Types, places, ties ---------------------------------------------------------------------------------

@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_the_type_stays_and_the_array_too(make, dtype):
    table = weight(np.ones((4, 3)), dtype)
    array, optimizer = table.data, make([table], lr=np.float64(0.5))
    for _ in range(2):
        give(table, [2], [[1, 2, 3]], make is SparseAdam)
        optimizer.step()
    assert table.data is array and array.dtype == dtype
    assert np.isfinite(array).all() and (array[2] < 1).all() and (array[0] == 1).all()


@pytest.mark.parametrize("make", DENSE)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (2, 3, 4)])
def test_every_shape(make, shape):
    w = Tensor(np.ones(shape), requires_grad=True)
    w.grad = Tensor(np.ones(shape))
    make([w], lr=0.25).step()
    assert w.shape == shape
    assert_allclose(w.data, np.full(shape, 0.75), rtol=1e-6)


def test_a_table_without_rows_or_columns():
    for shape in [(0, 3), (4, 0)]:
        for make in (SGD, SparseAdam):
            table = weight(np.zeros(shape))
            give(table, [], np.zeros((0, shape[1])), True)
            make([table], lr=0.1).step()
            assert table.shape == shape


@pytest.mark.parametrize("make", ALL)
def test_no_gradient_no_move(make):
    still, moves = weight(np.ones((3, 2))), weight(np.ones((3, 2)))
    give(moves, [1], [[1, 1]], make is SparseAdam)
    make([still, moves], lr=0.5).step()
    assert (still.data == 1).all() and (moves.data[1] < 1).all()


@pytest.mark.parametrize("make", DENSE)
def test_a_skipped_step_does_not_count(make):
    """A parameter whose first gradient comes late starts from its own step 1."""
    late, early = weight([1]), weight([1])
    optimizer = make([late, early], lr=0.25)
    for _ in range(3):
        early.grad = Tensor([1.0])
        optimizer.step()
    late.grad = Tensor([1.0])
    optimizer.step()
    assert_allclose(late.data, [0.75], rtol=1e-6)


@pytest.mark.parametrize("make", ALL)
def test_a_parameter_listed_twice_is_stepped_once(make):
    once, twice, other = (weight(np.ones((3, 2))) for _ in range(3))
    for w in (once, twice, other):
        give(w, [1], [[1, -1]], make is SparseAdam)
    make([once, other], lr=0.25).step()
    optimizer = make([twice, other, twice], lr=0.25)
    assert len(optimizer.params) == 2
    optimizer.step()
    assert_array_equal(once.data, twice.data)


@pytest.mark.parametrize("make", ALL)
def test_zero_grad_forgets(make):
    a, b = weight(np.ones((3, 2))), weight(np.ones((3, 2)))
    for w in (a, b):
        give(w, [1], [[1, 1]], make is SparseAdam)
    make([a, b], lr=0.1).zero_grad()
    assert a.grad is None and b.grad is None


@pytest.mark.parametrize("make", ALL)
def test_lr_may_change_between_steps(make):
    w = weight(np.ones((2, 2)))
    optimizer = make([w], lr=0.5)
    give(w, [0], [[1, 1]], make is SparseAdam)
    optimizer.lr = 0.25
    optimizer.step()
    assert_allclose(w.data[0], 0.75, rtol=1e-6)


@pytest.mark.parametrize("make", ALL)
def test_lr_zero_moves_nothing(make):
    w = weight(np.ones((2, 2)))
    give(w, [0], [[1, 1]], make is SparseAdam)
    make([w], lr=0).step()
    assert (w.data == 1).all()


@pytest.mark.parametrize("make", ALL)
def test_the_gradient_is_only_read(make):
    w = weight(np.ones((3, 2)))
    optimizer = make([w], lr=0.1, **({"momentum": 0.9, "weight_decay": 0.1} if make is SGD else {}))
    for _ in range(2):
        give(w, [1, 2], [[1, 2], [3, 4]], make is SparseAdam)
        optimizer.step()
        assert_array_equal(np.asarray(w.grad), [[0, 0], [1, 2], [3, 4]])


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
                         ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_where_the_first_was(make, duplicate):
    w = weight(np.ones((3, 2)))
    optimizer = make([w], lr=0.1, **({"momentum": 0.9} if make is SGD else {}))

    def step(w, optimizer):
        give(w, [1], [[1, 2]], make is SparseAdam)
        optimizer.step()

    step(w, optimizer)
    w2, optimizer2 = duplicate((w, optimizer))
    step(w, optimizer)
    assert not np.array_equal(w.data, w2.data)
    step(w2, optimizer2)
    assert_array_equal(w.data, w2.data)


# Cost ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("make", [SGD, SparseAdam])
def test_a_row_sparse_step_allocates_nothing_of_the_tables_size(make):
    table = Tensor(np.zeros((200_000, 16)), requires_grad=True, dtype=np.float32)  # 12.8 MB
    table.grad = rows_of(table, [5, 199_999, 77], np.ones((3, 16))).coalesce()
    optimizer = make([table], lr=0.1)
    optimizer.step()  # SparseAdam makes its averages here, once
    tracemalloc.start()
    try:
        optimizer.step()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000


@pytest.mark.parametrize("make", ALL)
def test_no_averages_before_the_first_step(make):
    table = weight(np.zeros((200_000, 16)))
    tracemalloc.start()
    try:
        optimizer = make([table], lr=0.1)
        optimizer.step()  # no gradient: nothing to remember
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000


# Refused ---------------------------------------------------------------------------------------------

class Small(Layer):
    def __init__(self):
        self.weight = weight([1])


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("params, error, message", [
    ([], ValueError, "empty"),
    ((w for w in ()), ValueError, "empty.*generator"),
    (weight([1]), TypeError, r"one Tensor; pass \[tensor\]"),
    ([weight([1]), np.ones(2)], TypeError, r"params\[1\] is ndarray"),
    ([1.0], TypeError, r"params\[0\] is float"),
    ("w", TypeError, r"params\[0\] is str"),
    ({"w": weight([1])}, TypeError, r"params\[0\] is str"),
    ([[weight([1])]], TypeError, r"params\[0\] is list"),
    ({weight([1])}, TypeError, "got set"),
    (None, TypeError, "got NoneType"),
    (3, TypeError, "got int"),
    (Small(), TypeError, r"got Small; pass its .parameters"),
    ([weight([1]) * 2], ValueError, r"params\[0\] is the result of <Mul>"),
], ids=lambda value: type(value).__name__ if not isinstance(value, (str, type)) else None)
def test_params_refused(make, params, error, message):
    with pytest.raises(error, match=message):
        make(params, lr=0.1)


@pytest.mark.parametrize("make", ALL)
def test_params_accepted(make):
    w = weight([[1]])
    for params in ([w], (w,), iter([w]), (x for x in [w]), Small().parameters, Small().parameters()):
        assert len(make(params, lr=0.1).params) == 1


NUMBERS = [(-0.1, ValueError), (math.nan, ValueError), (math.inf, ValueError), ("0.1", TypeError),
           (None, TypeError), (True, TypeError), (np.array([0.1]), TypeError), (0.1j, TypeError),
           (Tensor([0.1]), TypeError)]


@pytest.mark.parametrize("make, name", [
    (SGD, "lr"), (SGD, "momentum"), (SGD, "weight_decay"), (Adam, "lr"), (Adam, "eps"),
    (Adam, "weight_decay"), (SparseAdam, "lr"), (SparseAdam, "eps")])
@pytest.mark.parametrize("value, error", NUMBERS, ids=[repr(value) for value, _ in NUMBERS])
def test_numbers_refused(make, name, value, error):
    with pytest.raises(error, match=name):
        make([weight([1])], **{"lr": 0.1, name: value})


@pytest.mark.parametrize("make", [Adam, SparseAdam])
@pytest.mark.parametrize("betas, error, message", [
    ((1.0, 0.999), ValueError, r"betas\[0\] is 1.0.*\[0, 1\)"), ((0.9, 1.0), ValueError, r"betas\[1\]"),
    ((-0.1, 0.9), ValueError, r"betas\[0\]"), ((0.9, math.nan), ValueError, r"betas\[1\]"),
    ((0.9, "x"), TypeError, r"betas\[1\]"), (0.9, TypeError, "pair"), ((0.9,), TypeError, "pair"),
    ((0.9, 0.9, 0.9), TypeError, "pair"), (None, TypeError, "pair")], ids=str)
def test_betas_refused(make, betas, error, message):
    with pytest.raises(error, match=message):
        make([weight([1])], betas=betas)


@pytest.mark.parametrize("make", [Adam, SparseAdam])
def test_edges_of_the_numbers(make):
    make([weight([1])], lr=0, betas=[0, 0], eps=0)
    make([weight([1])], lr=np.float32(0.1), betas=(np.float64(0.5), 0.5), eps=1)


@pytest.mark.parametrize("make, sparse, names", [
    pytest.param(lambda p: Adam(p), True, "SparseAdam", id="B19-adam-names-sparse-adam"),
    pytest.param(lambda p: SparseAdam(p), False, "use Adam", id="sparse-adam-names-adam"),
    pytest.param(lambda p: SGD(p, 0.1, momentum=0.9), True, "plain SGD, or SparseAdam", id="sgd-momentum"),
    pytest.param(lambda p: SGD(p, 0.1, weight_decay=0.1), True, "plain SGD, or SparseAdam", id="sgd-decay"),
])
def test_the_wrong_kind_of_gradient_is_refused_before_anything_moves(make, sparse, names):
    good, bad = weight(np.ones((3, 2))), weight(np.ones((4, 2)))
    give(good, [1], [[1, 1]], not sparse)
    give(bad, [1], [[1, 1]], sparse)
    optimizer = make([good, bad])
    with pytest.raises(TypeError, match=names) as caught:
        optimizer.step()
    assert "params[1]" in str(caught.value)
    assert (good.data == 1).all() and (bad.data == 1).all()


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("shape", [(1, 2), (2, 3)])
def test_a_gradient_of_another_shape_is_refused(make, shape):
    w = weight(np.ones((3, 2)))
    w.grad = RowSparse([0], np.ones((1, shape[1])), shape) if make is SparseAdam else Tensor(np.ones(shape))
    with pytest.raises(ValueError, match=r"\(3, 2\).*" + str(shape).replace("(", r"\(").replace(")", r"\)")):
        make([w], lr=0.1).step()
    assert (w.data == 1).all()


@pytest.mark.parametrize("make, text", [
    (SGD, "SGD(1 params, lr=0.1, momentum=0, weight_decay=0)"),
    (Adam, "Adam(1 params, lr=0.1, betas=(0.9, 0.999), eps=1e-08, weight_decay=0)"),
    (SparseAdam, "SparseAdam(1 params, lr=0.1, betas=(0.9, 0.999), eps=1e-08)")])
def test_repr(make, text):
    assert repr(make([weight([1])], lr=0.1)) == text


def test_the_examples_in_the_docstrings_are_true():
    result = doctest.testmod(optimizers)
    assert result.attempted >= 12 and not result.failed


@pytest.mark.parametrize("Optimizer", [SGD, Adam], ids=lambda cls: cls.__name__)
def test_a_gradient_put_there_by_hand_may_be_a_list(Optimizer):
    by_list, by_array = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    by_list.grad, by_array.grad = [0.5, -1.0], np.array([0.5, -1.0])
    Optimizer([by_list, by_array], lr=0.1).step()
    assert by_list.data.tolist() == by_array.data.tolist() != [1, 2]
    by_list.grad = [1.0]
    with pytest.raises(ValueError, match="its gradient another"):
        Optimizer([by_list], lr=0.1).step()
