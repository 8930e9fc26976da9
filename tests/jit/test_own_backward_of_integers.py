"""Functions and Cells with a backward of their own that are given integers: every form uses that backward."""

import pytest

import dyad
from dyad import Tensor, custom_vjp, grad, jit, nn, vjp


@custom_vjp
def function(x, y):
    return 2 * x + y


function.defbwd(lambda x, y, out, dout: (2 * dout, 2 * y))


class Layer(nn.Cell):
    def construct(self, x, y):
        return 2 * x + y

    def bprop(self, x, y, out, dout):
        return 2 * dout, 2 * y


FORMS = {
    "dynamic": lambda f: f,
    "ast": jit,
    "bytecode": lambda f: jit(f, capture_mode="bytecode"),
}


@pytest.mark.parametrize("owner", [function, Layer()], ids=["function", "Cell"])
@pytest.mark.parametrize("dtype", [dyad.int32, dyad.float32], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_differentiated_from_outside(form, dtype, owner):
    f = FORMS[form](lambda x, y: owner(x, y))
    x, y, seed = Tensor(1, dtype), Tensor(2, dtype), Tensor(1, dtype)
    assert [part.item() for part in grad(f, (0, 1))(x, y)] == [2, 4]
    assert [part.item() for part in vjp(f, x, y)[1](seed)] == [2, 4]
