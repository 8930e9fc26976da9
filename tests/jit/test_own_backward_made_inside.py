"""A function with a backward of its own that the compiled program itself makes."""

import pytest

from dyad import Tensor, custom_vjp, grad, jit


def made(scale):
    @custom_vjp
    def function(x, y=1.0, *, shift=0.0):
        return 2 * x + y + shift

    def backward(x, y, shift, out, dout):
        return scale * dout, scale * y, None

    function.defbwd(backward)
    return function


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "ast"])
def test_differentiated_inside_and_outside(form):
    def f(x, y):
        return made(5.0)(x, y, shift=1.0)

    x, y = Tensor(1.0), Tensor(2.0)
    assert form(f)(x, y).item() == 5.0
    assert [part.item() for part in grad(form(f), (0, 1))(x, y)] == [5.0, 10.0]
    assert [part.item() for part in form(lambda x, y: grad(f, (0, 1))(x, y))(x, y)] == [5.0, 10.0]
