"""`vmap` of functions with branches, loops and recursion."""

import numpy as np
import pytest

from dyad import Tensor, grad, jit, ops, vmap
from dyad._core import CaptureError


def stack(fn, *stacks):
    return np.stack([np.asarray(fn(*slices).asnumpy()) for slices in zip(*stacks, strict=True)])


def check(fn, *stacks, in_axes=0):
    found = vmap(fn, in_axes)(*stacks)
    np.testing.assert_allclose(found.asnumpy(), stack(fn, *stacks), rtol=1e-5, atol=1e-6)


X = Tensor(np.array([[1.0, 2.0], [-3.0, 1.0], [0.5, 0.25]], np.float32))


def test_a_branch_that_slices_take_or_not():
    def f(x):
        y = x
        if x.sum() > 0:
            y = x * 2
        return y - 1

    check(f, X)


def test_a_branch_that_all_slices_take():
    flag = Tensor(np.array([1.0], np.float32))

    def f(x):
        if flag.sum() > 0:
            return x * 2
        return x - 1

    check(f, X)


def test_numbers_that_differ():
    def f(x):
        n = int(x.sum())
        if n > 1 and n % 2 == 1:
            return x * n + n // 2 - n / 4 + max(n, 2)
        return x * (-n) + float(n) - min(n, 0) + (n == 0)

    check(f, X)


def test_a_loop_with_one_number_of_turns():
    steps = Tensor(np.array(4, np.int32))

    def f(x):
        i = 0
        total = ops.zeros(2)
        while i < steps:
            total = total + x * i
            i = i + 1
        return total

    check(f, X)


def test_a_loop_that_ends_when_a_slice_is_done():
    def f(x):
        while x.sum() < 10:
            x = x.abs() * 2
        return x

    check(f, X)


def test_a_counted_loop_with_a_break():
    def f(x):
        count = 0
        for i in range(6):
            if x.sum() > 20:
                break
            x = x.abs() * 2
            count = count + i
        return x * count

    check(f, X)


def test_a_loop_inside_a_branch_inside_a_loop():
    def f(x):
        for _ in range(3):
            if x[0] > 0:
                while x.sum() < 4:
                    x = x + 1
            else:
                x = x.abs() + 0.5
        return x

    check(f, X)


def test_recursion_of_one_depth():
    @jit
    def program(x, n):
        def power(y, k):
            if k < 1:
                return y * 0 + 1
            return y * power(y, k - 1)

        return vmap(lambda part: power(part, n))(x)

    found = program(X, Tensor(np.array(3, np.int32)))
    np.testing.assert_allclose(found.asnumpy(), X.asnumpy() ** 3, rtol=1e-5)


def test_an_exception_that_all_slices_meet():
    @jit
    def program(x, n):
        def f(part):
            if n > 3:
                raise ValueError("too many")
            return part * n

        return vmap(f)(x)

    np.testing.assert_allclose(program(X, Tensor(np.array(2))).asnumpy(), X.asnumpy() * 2)
    with pytest.raises(ValueError, match="too many"):
        program(X, Tensor(np.array(4)))


def test_a_number_on_one_path_and_a_tensor_on_the_other():
    def positive(x):
        total = 0.0
        for value in x:
            if value < 0:
                continue
            total = total + value
        return total

    check(positive, X)

    def either(x):
        if x[0] > 0:
            return [x.sum(), 1]
        return [2, 3.5]

    found = vmap(either)(X)
    np.testing.assert_allclose(found[0].asnumpy(), [3.0, 2.0, 0.75])
    np.testing.assert_allclose(found[1].asnumpy(), [1.0, 3.5, 1.0])


def bent(x):
    for _ in range(3):
        x = x * 1.5 if x.sum() > 0 else -x * 0.5
    return (x * x).sum()


def grown(x):
    while x.sum() ** 2 < 50:
        x = x * 1.5
    return (x * x).sum()


@pytest.mark.parametrize("fn", [bent, grown])
def test_gradients_of_all_slices(fn):
    wanted = stack(grad(fn), X)
    for gradient in (grad(lambda x: vmap(fn)(x).sum()), jit(grad(lambda x: vmap(fn)(x).sum()))):
        np.testing.assert_allclose(gradient(X).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_gradients_of_every_slice_of_a_branch():
    check(grad(bent), X)


def test_gradients_of_every_slice_of_a_loop():
    steps = Tensor(np.array(4, np.int32))

    def repeated(x):
        i = 0
        while i < steps:
            x = x * x.sum() * 0.3 + i
            i = i + 1
        return (x * x).sum()

    check(grad(repeated), X)


def test_gradients_of_every_slice_of_a_loop_that_ends_when_the_slice_is_done():
    check(grad(grown), X)

    def bulging(x):
        while (x * x).sum() < 50:
            x = ops.sin(x) + x * 2
        return (x * x).sum()

    with pytest.raises(CaptureError, match=r"vmap: the gradient of a loop that ends after another number"):
        vmap(grad(bulging))(X)
    wanted = stack(grad(bulging), X)
    found = jit(grad(lambda x: vmap(bulging)(x).sum()))(X)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-3, atol=1e-3)
