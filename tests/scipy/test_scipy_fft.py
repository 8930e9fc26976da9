"""Cosine transforms against SciPy."""

import numpy
import pytest
import scipy.fft

import dyad
from dyad import Tensor
from dyad.scipy import fft

SIGNAL = numpy.random.default_rng(3).normal(size=(3, 5))


@pytest.mark.parametrize("name", ["dct", "idct"])
@pytest.mark.parametrize("axis, n", [(-1, None), (0, None), (1, 3), (-1, 9)])
def test_one_axis(name, axis, n):
    expected = getattr(scipy.fft, name)(SIGNAL, n=n, axis=axis, norm="ortho")
    for function in (getattr(fft, name), dyad.jit(getattr(fft, name))):
        found = function(Tensor(SIGNAL), n=n, axis=axis)
        numpy.testing.assert_allclose(found.asnumpy(), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["dctn", "idctn"])
@pytest.mark.parametrize(
    "options", [{}, {"s": (4, 7)}, {"s": (4,)}, {"axes": (0,)}, {"s": (2,), "axes": (1,)}]
)
def test_many_axes(name, options):
    expected = getattr(scipy.fft, name)(SIGNAL, norm="ortho", **options)
    numpy.testing.assert_allclose(
        getattr(fft, name)(Tensor(SIGNAL), **options).asnumpy(), expected, atol=1e-12
    )


def test_complex_signals_are_those_of_their_parts():
    signal = SIGNAL + 1j * SIGNAL[::-1]
    numpy.testing.assert_allclose(
        fft.dct(Tensor(signal)).asnumpy(), scipy.fft.dct(signal, norm="ortho"), atol=1e-12
    )


def test_element_types():
    assert fft.dct(Tensor([1, 2, 3])).dtype == dyad.float32
    assert fft.dct(Tensor(numpy.float16([1, 2, 3]))).dtype == dyad.float32


def test_the_gradient_of_a_transform_is_its_inverse():
    weights = Tensor(SIGNAL[::-1].copy())
    found = dyad.grad(lambda x: (fft.dct(x) * weights).sum())(Tensor(SIGNAL))
    numpy.testing.assert_allclose(found.asnumpy(), fft.idct(weights).asnumpy(), atol=1e-12)


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"type": 1}, ValueError, "type is 1"),
        ({"norm": "forward"}, ValueError, "norm is 'forward'"),
        ({"n": 0}, ValueError, "n is 0"),
        ({"axis": 2}, ValueError, "axis is 2"),
        ({"axis": 1.0}, TypeError, "axis is 1.0"),
    ],
)
def test_what_is_refused(options, error, text):
    with pytest.raises(error, match=text):
        fft.dct(Tensor(SIGNAL), **options)
