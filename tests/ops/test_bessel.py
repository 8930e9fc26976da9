"""Modified Bessel functions of the second kind against those of SciPy, and what follows from them."""

import numpy as np
import pytest

from dyad import Tensor, grad, jit, ops

special = pytest.importorskip("scipy.special")
X = np.array([1e-20, 1e-8, 1e-3, 0.1, 1.0, 2.0, 10.0, 100.0, 600.0])
NAMES = pytest.mark.parametrize("name", ["k0", "k0e", "k1", "k1e"])


@NAMES
@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_bessel_functions_agree_with_scipy(name, form):
    function = getattr(ops, f"bessel_{name}")
    np.testing.assert_allclose(form(lambda x: function(x))(Tensor(X)), getattr(special, name)(X), rtol=1e-11)
    narrow = X.astype(np.float32)
    np.testing.assert_allclose(function(Tensor(narrow)), getattr(special, name)(narrow), rtol=1e-6)
    np.testing.assert_array_equal(getattr(ops, f"BesselK{name[1:]}")()(Tensor(X)), function(Tensor(X)))


@NAMES
def test_bessel_functions_are_infinite_at_zero_and_nan_below(name):
    assert getattr(ops, f"bessel_{name}")(Tensor([0.0])).tolist() == [np.inf]
    assert np.isnan(getattr(ops, f"bessel_{name}")(Tensor([-1.0])).item())
    with pytest.raises(TypeError, match="need a float dtype"):
        getattr(ops, f"bessel_{name}")(Tensor([1]))


FAR = np.array([1e5, 1e12, 1e16, 4e17, 1e30, 1e100, 1e250, 1.7e308])


@NAMES
@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_far_numbers_and_infinity(name, form):
    function = getattr(ops, f"bessel_{name}")
    x = np.append(FAR, np.inf)
    np.testing.assert_allclose(form(lambda x: function(x))(Tensor(x)), getattr(special, name)(x), rtol=1e-11)
    narrow = np.array([1e10, 1e30, 3e38, np.inf], np.float32)
    np.testing.assert_allclose(function(Tensor(narrow)), getattr(special, name)(narrow), rtol=1e-6)


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_derivatives_at_far_numbers_and_infinity(form):
    """e^x K(x) of both orders is sqrt(pi / (2 x)) there, to all digits, and its slope the derivative of that."""
    x = np.append(FAR[3:6], np.inf)
    for function in (ops.bessel_k0e, ops.bessel_k1e):
        slope = form(grad(lambda x, function=function: function(x).sum()))(Tensor(x))
        np.testing.assert_allclose(slope, -np.sqrt(np.pi / 8) * x**-1.5, rtol=1e-10)
    for function in (ops.bessel_k0, ops.bessel_k1):
        slope = form(grad(lambda x, function=function: function(x).sum()))(Tensor(x))
        np.testing.assert_array_equal(slope, np.zeros(4))


def test_the_derivative_of_order_0_is_minus_order_1():
    x = X[2:7]
    np.testing.assert_allclose(grad(lambda x: ops.bessel_k0(x).sum())(Tensor(x)), -special.k1(x), rtol=1e-10)
    np.testing.assert_allclose(
        grad(lambda x: ops.bessel_k1(x).sum())(Tensor(x)), -special.k0(x) - special.k1(x) / x, rtol=1e-10
    )
