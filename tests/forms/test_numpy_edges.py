"""Arguments of `dyad.numpy` that NumPy programs use: mixed types, empty sizes, padding in every mode."""

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Tensor, jit, nn

X = np.random.default_rng(5).random((2, 3, 4)).astype(np.float32)
WIDTHS = ((1, 3), (5, 2), (3, 0))


def compiled(function):
    return lambda *args: dyad.jit(function)(*args)


@pytest.mark.parametrize("form", [lambda function: function, compiled], ids=["dynamic", "static"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"constant_values": ((3, 4), (5, 6), (7, 8))},
        {"constant_values": (1, 2)},
        {"mode": "edge"},
        {"mode": "linear_ramp", "end_values": ((0, 10), (9, 1), (-10, 99))},
        {"mode": "maximum"},
        {"mode": "mean", "stat_length": ((1, 2), (2, 10), (3, 4))},
        {"mode": "median", "stat_length": 2},
        {"mode": "minimum", "stat_length": (1, 2)},
        {"mode": "reflect"},
        {"mode": "symmetric"},
        {"mode": "wrap"},
    ],
)
def test_pad_agrees_with_numpy_in_every_mode(form, settings):
    result = form(lambda x: mnp.pad(x, WIDTHS, **settings))(Tensor(X))
    np.testing.assert_allclose(result, np.pad(X, WIDTHS, **settings), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("width", [2, (1, 2), ((1, 2),)])
@pytest.mark.parametrize("mode", ["constant", "mean", "wrap"])
def test_pad_integers_by_short_widths(width, mode):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    result = mnp.pad(Tensor(x), width, mode)
    assert result.dtype == dyad.int32
    np.testing.assert_array_equal(result, np.pad(x, width, mode))
    np.testing.assert_array_equal(mnp.pad(Tensor(x), Tensor(width), mode), np.pad(x, width, mode))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mnp.pad(Tensor(X), -1), ValueError, "pad: pad_width is -1"),
        (lambda: mnp.pad(Tensor(X), ((1, 1), (1, 1))), ValueError, "for each of 3 axes"),
        (lambda: mnp.pad(Tensor(X), 1, "round"), ValueError, "mode is 'round'; need one of constant, empty"),
        (lambda: mnp.rand(2, dtype="int32"), ValueError, "rand: dtype is Int32"),
        (lambda: mnp.randn(dtype=dyad.int32), ValueError, "randn: dtype is Int32"),
        (lambda: mnp.randint(3, dtype=dyad.float32), ValueError, "randint: dtype is Float32"),
        (lambda: mnp.randint(1.2), TypeError, "randint: maxval is 1"),
        (lambda: mnp.randint(2, 1), ValueError, "randint: high is 1"),
        (lambda: mnp.amax(mnp.ones(2), initial=[1.0]), TypeError, "amax: initial is"),
        (lambda: mnp.array([mnp.ones(2), [1]]), ValueError, "need one shape"),
    ],
)
def test_wrong_arguments_are_rejected(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_lists_may_hold_tensors():
    mixed = [(mnp.ones(3), mnp.zeros(3)), [[1, 2, 3], (4, 5, 6)]]
    expected = [[[1, 1, 1], [0, 0, 0]], [[1, 2, 3], [4, 5, 6]]]
    result = mnp.array(mixed)
    assert result.dtype == dyad.float32
    np.testing.assert_array_equal(result, expected)
    assert mnp.zeros_like(mixed).shape == (2, 2, 3)
    np.testing.assert_array_equal(dyad.jit(lambda x: mnp.array([x, (1, 2)]))(mnp.ones(2)), [[1, 1], [1, 2]])


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("size", [-3, 0, 1, 6])
def test_windows_of_any_size(name, size):
    result = getattr(mnp, name)(size)
    np.testing.assert_allclose(result, getattr(np, name)(size), atol=1e-6)


def test_running_sums_of_bools():
    flags = Tensor([True, False, True])
    assert mnp.cumsum(flags).dtype == dyad.int32
    np.testing.assert_array_equal(mnp.cumsum(flags), [1, 1, 2])
    as_bools = mnp.cumsum(Tensor([0, 2, 3]), dtype=dyad.bool_)
    assert as_bools.dtype == dyad.bool_
    np.testing.assert_array_equal(as_bools, [False, True, True])


def test_no_differences_are_the_array_itself():
    np.testing.assert_array_equal(mnp.diff(Tensor([1, 4]), 0, append=3.0), [1, 4])


def test_histograms_by_given_edges():
    rows = np.random.default_rng(6).integers(-10, 10, (20, 3))
    edges = np.arange(24).reshape(3, 8) - 10
    counts, along = mnp.histogramdd(Tensor(rows.astype(np.float32)), bins=Tensor(edges))
    expected = np.histogramdd(rows, bins=list(edges))
    np.testing.assert_array_equal(counts, expected[0])
    np.testing.assert_array_equal(np.stack([edge.asnumpy() for edge in along]), edges)
    assert mnp.histogram(Tensor([1.0, 2.0]), bins=[2])[0].shape == (0,)


@pytest.mark.parametrize("unsigned", ["uint16", "uint32", "uint64"])
@pytest.mark.parametrize("signed", ["int8", "int16", "int32", "int64"])
def test_promotion_of_signed_and_unsigned(unsigned, signed):
    expected = np.promote_types(unsigned, signed)
    assert mnp.promote_types(unsigned, signed) == dyad.common.dtype.pytype_to_dtype(expected)


def test_whole_floats_count_diagonals():
    for result, expected in zip(mnp.triu_indices(3.0, 1.0, 4.0), np.triu_indices(3, 1, 4), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_the_text_of_an_array_is_that_of_its_values_in_a_graph_too():
    texts = dyad.jit(lambda x: mnp.array_str(x * 2))
    assert texts(Tensor([1, 2])) == "[2 4]" and texts(Tensor([3, 4])) == "[6 8]"


def test_running_sums_and_polynomials_of_bytes_do_not_wrap():
    given = Tensor([200, 100, 3], dyad.uint8)
    for running in (mnp.cumsum, mnp.nancumsum):
        assert running(given).dtype == dyad.int32
        np.testing.assert_array_equal(running(given), [200, 300, 303])
    np.testing.assert_array_equal(mnp.polyval([1, 2, 3], given), [40403, 10203, 18])


def test_a_sum_has_the_dtype_asked_for():
    assert mnp.sum(Tensor([1.5, 2.0]), dtype=dyad.int32).dtype == dyad.int32


def test_a_number_slides_as_a_sequence_of_one():
    np.testing.assert_array_equal(mnp.convolve(Tensor([1, 2]), 3), [3, 6])


def test_vectors_that_have_no_cross_product():
    with pytest.raises(ValueError, match="need at least 1 dimension"):
        mnp.cross([1, 2, 3], 2)
    with pytest.raises(ValueError, match="need 2 or 3"):
        mnp.cross([1, 2, 3], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="need 1 or 2"):
        mnp.diag(2.0)


@pytest.mark.parametrize("form", [lambda function: function, compiled], ids=["dynamic", "static"])
@pytest.mark.parametrize("function", [mnp.gcd, mnp.lcm])
def test_float_divisors_that_are_not_integers_are_rejected(form, function):
    found = form(function)(Tensor([6.0, -4.0]), Tensor([4, 2]))
    np.testing.assert_array_equal(found, getattr(np, function.__name__)([6, -4], [4, 2]))
    for odd in (1.5, float("nan"), 1e30):
        with pytest.raises(
            ValueError, match=f"{function.__name__}: x2 holds a float that is no whole number"
        ):
            form(function)(Tensor([6, 4]), Tensor([2.0, odd]))


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "mean",
        "var",
        "std",
        "amax",
        "amin",
        "ptp",
        "count_nonzero",
        "sometrue",
        "nansum",
        "nanmax",
        "nanmean",
    ],
)
def test_any_number_says_that_dimensions_are_kept(form, name):
    function = getattr(mnp, name)
    x = dyad.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    for keepdims, shape in ((-1, (2, 1)), (2, (2, 1)), (0, (2,)), (True, (2, 1))):
        assert form(lambda x, keepdims=keepdims: function(x, axis=1, keepdims=keepdims))(x).shape == shape


def test_sizes_that_are_open_in_a_graph_pass_the_checks_of_settings():
    def grown(x):
        n = x.shape[0]
        return mnp.eye(n).sum() + mnp.full((n, 2), 1.5).sum() + mnp.tile(x, (2, 1)).sum()

    class Net(nn.Cell):
        def construct(self, x):
            return grown(x)

    net = Net()
    net.set_inputs(Tensor(shape=(None, 3), dtype=dyad.float32))
    for rows in (2, 4):
        x = Tensor(np.ones((rows, 3), np.float32))
        assert jit(net)(x).asnumpy() == grown(x).asnumpy()


def test_weights_of_a_histogram_have_the_shape_of_the_array():
    values = np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 1.0]], np.float32)
    weights = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    counts, _ = mnp.histogram(Tensor(values), bins=3, weights=Tensor(weights))
    assert counts.asnumpy().tolist() == np.histogram(values, bins=3, weights=weights)[0].tolist()
