"""Modified Bessel functions of the second kind against those of SciPy, and what follows from them."""

import numpy as np
import pytest

from dyad import Tensor, grad, jit, ops

special = pytest.importorskip("scipy.special")
X = np.array([1e-20, 1e-8, 1e-3, 0.1, 1.0, 2.0, 10.0, 100.0, 600.0])
NAMES = pytest.mark.parametrize("name", ["k0", "k0e", "k1", "k1e"])


@NAMES
@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_values(name, form):
    function = getattr(ops, f"bessel_{name}")
    np.testing.assert_allclose(form(lambda x: function(x))(Tensor(X)), getattr(special, name)(X), rtol=1e-11)
    narrow = X.astype(np.float32)
    np.testing.assert_allclose(function(Tensor(narrow)), getattr(special, name)(narrow), rtol=1e-6)
    np.testing.assert_array_equal(getattr(ops, f"BesselK{name[1:]}")()(Tensor(X)), function(Tensor(X)))


@NAMES
def test_edges(name):
    assert getattr(ops, f"bessel_{name}")(Tensor([0.0])).tolist() == [np.inf]
    assert np.isnan(getattr(ops, f"bessel_{name}")(Tensor([-1.0])).item())
    with pytest.raises(TypeError, match="need a float dtype"):
        getattr(ops, f"bessel_{name}")(Tensor([1]))


def test_the_derivative_of_order_0_is_minus_order_1():
    x = X[2:7]
    np.testing.assert_allclose(grad(lambda x: ops.bessel_k0(x).sum())(Tensor(x)), -special.k1(x), rtol=1e-10)
    np.testing.assert_allclose(
        grad(lambda x: ops.bessel_k1(x).sum())(Tensor(x)), -special.k0(x) - special.k1(x) / x, rtol=1e-10
    )
