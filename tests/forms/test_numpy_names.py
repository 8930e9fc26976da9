"""Functions of `dyad.numpy` against NumPy: grids, intervals, roots and integers, in both forms."""

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Tensor

X = np.array([[-8.0, -1.5, 0.0], [2.5, 3.0, 27.0]], np.float32)


@pytest.fixture(params=["dynamic", "static"])
def form(request):
    """Calls a function as it is, or compiled."""
    return (lambda function: function) if request.param == "dynamic" else dyad.jit


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["cbrt", "fabs"])
def test_a_unary_function_agrees_with_numpy_and_returns_floats(form, name):
    close(form(getattr(mnp, name))(Tensor(X)), getattr(np, name)(X))
    assert getattr(mnp, name)(Tensor([8, -8])).dtype == dyad.float32


def test_divmod_agrees_with_numpy(form):
    for found, expected in zip(form(mnp.divmod)(Tensor(X), 2.0), np.divmod(X, np.float32(2)), strict=True):
        close(found, expected)


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_of_whole_numbers(form, name):
    first, second = np.arange(-12, 12).reshape(2, 3, 4), np.arange(24).reshape(2, 3, 4)
    expected = getattr(np, name)(first, second)
    for dtype in ("int32", "int64", "float32", "float64"):
        found = form(getattr(mnp, name))(Tensor(first.astype(dtype)), Tensor(second.astype(dtype)))
        assert str(found.asnumpy().dtype) == dtype
        close(found, expected)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[0.0, 2.5, 3.0, 10.0], [10.0, 3.0, 2.5, 0.0], [1.0]])
def test_digitize_agrees_with_numpy(form, bins, right):
    found = form(lambda x: mnp.digitize(x, mnp.array(bins), right))(Tensor(X))
    close(found, np.digitize(X, bins, right))
    with pytest.raises(ValueError, match="need 1 dimension"):
        mnp.digitize(Tensor(X), [[1.0]])


def test_array_equiv(form):
    equiv = form(mnp.array_equiv)
    assert bool(equiv(Tensor([1, 2]), Tensor([[1, 2], [1, 2]])))
    assert not bool(equiv(Tensor([1, 2]), Tensor([[1, 2], [1, 3]])))
    assert not bool(equiv(Tensor([1, 2]), Tensor([1, 2, 3])))


def test_grids_of_slices(form):
    close(form(lambda x: mnp.mgrid[0:3, 1:9:2] + x)(Tensor(0)), np.mgrid[0:3, 1:9:2])
    for found, expected in zip(mnp.ogrid[0:3, 0:1:5j], np.ogrid[0:3, 0:1:5j], strict=True):
        close(found, expected)
    close(mnp.mgrid[-1:1:0.5], np.mgrid[-1:1:0.5])
    assert mnp.mgrid[0:3].dtype == dyad.int32
    with pytest.raises(TypeError, match="need slices"):
        mnp.mgrid[3]


def test_methods_of_tensors_search_too(form):
    sequence, values = np.array([5.0, 1.0, 3.0], np.float32), np.array([[2.0, 3.0]], np.float32)
    order = sequence.argsort()
    found = form(lambda s, v: s.searchsorted(v, "right", Tensor(order)))(Tensor(sequence), Tensor(values))
    assert found.dtype == dyad.int32
    close(found, sequence.searchsorted(values, "right", order))


def test_dtype_aliases_and_dtype_arguments_set_the_result_dtype():
    assert mnp.int_ == dyad.int32 and mnp.float_ == dyad.float32
    assert mnp.asfarray([1, 2], dyad.int32).dtype == dyad.float32
    assert mnp.asfarray([1, 2], dyad.float16).dtype == dyad.float16
    assert mnp.cov(Tensor(X), dtype=dyad.float64).dtype == dyad.float64


def test_what_is_refused():
    with pytest.raises(ValueError, match="unequal length"):
        mnp.empty_like([[1, 2, 3], [4, 5]])
    with pytest.raises(TypeError, match="assume_unique is 1"):
        mnp.setdiff1d(Tensor([1]), Tensor([2]), assume_unique=1)
    with pytest.raises(TypeError, match="assume_unique is 1"):
        mnp.intersect1d(Tensor([1]), Tensor([2]), assume_unique=1)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("width", [(0, 2), (3, 1), (7, 11), (25, 4)])
def test_odd_reflections(form, mode, width):
    values = np.array([0.5, 3.0, -1.0, 2.0], np.float32)
    found = form(lambda x: mnp.pad(x, width, mode, reflect_type="odd"))(Tensor(values))
    # Of a straight line, an odd reflection is the line itself.
    line = mnp.pad(Tensor(np.arange(4.0, dtype=np.float32)), width, "reflect", reflect_type="odd")
    close(line, np.arange(-width[0], 4 + width[1]))
    if max(width) < 4:
        close(found, np.pad(values, width, mode, reflect_type="odd"))
    assert found.shape == (4 + sum(width),)


def test_numbers_take_32_bits_beside_truth_values():
    flags = Tensor([True, False])
    assert mnp.subtract(flags, 1).dtype == dyad.int32 and mnp.add(flags, 1.5).dtype == dyad.float32


def test_results_keep_32_bits():
    assert mnp.cumprod(Tensor([2, 3], dyad.int32)).dtype == dyad.int32
    assert mnp.diag_indices(3)[0].dtype == dyad.int32
    close(mnp.round(Tensor([1.26]), 1), [1.3])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: mnp.expand_dims(x, 9), ValueError, "axis is 9; need -3 to 2"),
        (lambda x: mnp.expand_dims(x, (0, 0)), ValueError, "need each position once"),
        (lambda x: mnp.transpose(x[None], (0, 1)), ValueError, "each of the 3 dimensions"),
        (lambda x: mnp.split(x, 0), ValueError, "need 1 part or more"),
        (lambda x: mnp.split(x, 2, axis=5), ValueError, "axis is 5"),
        (lambda x: mnp.hsplit(x, 2), ValueError, "need a multiple of 2"),
        (lambda x: mnp.rollaxis(x, 4), ValueError, "axis is 4"),
        (lambda x: mnp.average(x, weights=[1.0]), TypeError, "weights has shape"),
        (lambda x: mnp.average(x, axis=1, weights=[1.0]), ValueError, "1 weights are given; need 3"),
        (lambda x: mnp.pad(x, 1, "reflect", reflect_type="both"), ValueError, "reflect_type is 'both'"),
    ],
)
def test_wrong_axes_and_weights(call, error, text):
    with pytest.raises(error, match=text):
        call(Tensor(X))
