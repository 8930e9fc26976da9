"""`Tensor.repeat` in both of its forms: of the whole tensor, and along the axis that MindSpore 1 programs name."""

import numpy as np
import pytest

import dyad
from dyad import Tensor


@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
def test_repeats_the_whole_or_along_an_axis(form):
    array = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    x = Tensor(array)
    np.testing.assert_array_equal(form(lambda x: x.repeat(2, 1))(x).asnumpy(), np.tile(array, (2, 1)))
    np.testing.assert_array_equal(
        form(lambda x: x.repeat(repeats=(2, 2)))(x).asnumpy(), np.tile(array, (2, 2))
    )
    for repeats, axis in ((2, 0), ([1, 2], 0), (3, 1), (2, None)):
        got = form(lambda x, repeats=repeats, axis=axis: x.repeat(repeats, axis=axis))(x)
        np.testing.assert_array_equal(got.asnumpy(), np.repeat(array, repeats, axis))
    gradient = dyad.grad(form(lambda x: (x.repeat(2, axis=0) ** 2).sum()))(x)
    np.testing.assert_allclose(gradient.asnumpy(), 4 * array)


def test_wrong_repeats():
    with pytest.raises(TypeError, match=r"repeat\(\) got multiple values for argument 'axis'"):
        Tensor([1.0]).repeat(2, 2, axis=0)
    with pytest.raises(TypeError, match=r"repeat\(\) got an unexpected keyword argument 'copies'"):
        Tensor([1.0]).repeat(2, copies=1)
