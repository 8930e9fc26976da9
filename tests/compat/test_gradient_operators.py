"""Gradients under the names of operators give what differentiating the operator gives, in both forms."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import auto_generate, gradient_operators

X = Tensor(np.array([-1.5, 0.25, 0.75, 2.0, 7.0], np.float32))
POSITIVE = Tensor(np.array([0.25, 0.5, 1.0, 2.0, 9.0], np.float32))
DY = Tensor(np.array([1.0, -2.0, 3.0, 0.5, 4.0], np.float32))

OF_INPUTS = {
    "AbsGrad": (lambda x, dy: (x, dy), ops.abs),
    "AtanGrad": (lambda x, dy: (x, dy), ops.atan),
    "GeLUGrad": (lambda x, dy: (dy, x, x), lambda x: ops.gelu(x, "tanh")),
    "HShrinkGrad": (lambda x, dy: (dy, x), ops.hardshrink),
    "HSigmoidGrad": (lambda x, dy: (dy, x), ops.hardsigmoid),
    "HSwishGrad": (lambda x, dy: (dy, x), ops.hardswish),
    "ReLU6Grad": (lambda x, dy: (dy, x), ops.relu6),
    "ReluGrad": (lambda x, dy: (dy, x), ops.relu),
    "SiLUGrad": (lambda x, dy: (dy, x), ops.silu),
    "SoftShrinkGrad": (lambda x, dy: (dy, x), ops.softshrink),
}
OF_RESULTS = {"ReciprocalGrad": ops.reciprocal, "RsqrtGrad": ops.rsqrt, "SqrtGrad": ops.sqrt}


def _same(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("name", OF_INPUTS)
def test_from_the_input(name, form):
    arrange, operator = OF_INPUTS[name]
    _, product = dyad.vjp(operator, X)
    _same(form(lambda x, dy: getattr(auto_generate, name)()(*arrange(x, dy)))(X, DY), product(DY)[0])


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("name", OF_RESULTS)
def test_from_the_result(name, form):
    operator = OF_RESULTS[name]
    _, product = dyad.vjp(operator, POSITIVE)
    _same(form(lambda y, dy: getattr(auto_generate, name)()(y, dy))(operator(POSITIVE), DY), product(DY)[0])


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_of_two_inputs(form):
    other = Tensor(np.array([1.0, -1.0, 0.75, 3.0, 2.0], np.float32))
    first, second = form(lambda *args: auto_generate.MaximumGrad()(*args))(X, other, DY)
    larger = X.asnumpy() > other.asnumpy()
    apart = X.asnumpy() != other.asnumpy()
    np.testing.assert_array_equal(first.asnumpy()[apart], np.where(larger, DY.asnumpy(), 0)[apart])
    np.testing.assert_array_equal((first + second).asnumpy(), DY.asnumpy())
    zero, _, along = form(lambda *args: auto_generate.MinimumGradGrad()(*args))(X, other, DY, DY * 2)
    assert not zero.asnumpy().any()
    np.testing.assert_array_equal(
        along.asnumpy()[apart], np.where(larger, DY.asnumpy() * 2, DY.asnumpy())[apart]
    )


def test_settings_and_functions():
    assert auto_generate.HShrinkGrad(5.0)(DY, X).asnumpy().tolist() == [0, 0, 0, 0, 4]
    _same(auto_generate.hswish_grad(DY, X), auto_generate.HSwishGrad()(DY, X))
    assert set(OF_INPUTS) <= set(gradient_operators.__all__)
    with pytest.raises(TypeError, match=r"ReLU6Grad: 1 arguments were given; need 2 \(dy, x\)"):
        auto_generate.ReLU6Grad()(DY)
    with pytest.raises(TypeError, match="HShrinkGrad: the constructor is given"):
        auto_generate.HShrinkGrad(beta=3)
