"""Further functions of `dyad.numpy` against NumPy itself."""

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Tensor

A = np.array([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]], np.float32)
B = np.array([[2.0, 0.5, -1.0], [1.0, -3.0, 2.0]], np.float32)
C = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
G = np.array([[1.0, np.nan, 3.0], [np.nan, 4.0, -1.0]], np.float32)
N = np.array([[3, 1, 2], [0, 1, 2]], np.int32)
V = np.array([4, 1, 3, 1], np.int32)
S = np.array([1.0, 2.0, 4.0], np.float32)


def same(result, expected):
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for part, wanted in zip(result, expected, strict=True):
            same(part, wanted)
        return
    expected = np.asarray(expected)
    values = result.asnumpy() if isinstance(result, Tensor) else np.asarray(result)
    assert values.shape == expected.shape
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


# Functions that NumPy keeps, or has come to keep, under another name.
OTHER_HOMES = {
    "matrix_power": np.linalg.matrix_power,
    "multi_dot": np.linalg.multi_dot,
    "trapz": getattr(np, "trapezoid", None),
    "in1d": lambda a, b: np.isin(a.reshape(-1), b),
}


def both(name, *args, **kwargs):
    """The function's result here and in NumPy, which gets the same arrays."""
    function = OTHER_HOMES.get(name) or getattr(np, name)

    def as_tensors(value):
        if isinstance(value, np.ndarray):
            return Tensor(value)
        return type(value)(map(as_tensors, value)) if isinstance(value, (list, tuple)) else value

    same(getattr(mnp, name)(*map(as_tensors, args), **kwargs), function(*args, **kwargs))


CASES = [
    ("append", (A, B)), ("append", (A, B, 0)), ("argwhere", (A > 0,)), ("atleast_3d", (S,)), ("atleast_3d", (A,)),
    ("atleast_3d", (A, C)), ("bartlett", (6,)), ("blackman", (6,)), ("hamming", (6,)), ("hanning", (6,)),
    ("bincount", (V,)), ("bincount", (V, None, 7)), ("bincount", (V, np.float32([1, 2, 3, 4]))),
    ("choose", (N[1], [A[0], B[0], A[1]])), ("column_stack", ((S, A.T),)), ("convolve", (S, A[0])),
    ("convolve", (S, V)), ("convolve", (V, S, "same")), ("convolve", (S, V, "valid")),
    ("convolve", (V, np.float32([1, 2]), "same")), ("correlate", (V, S)), ("correlate", (V, S, "full")),
    ("correlate", (S, V, "full")), ("correlate", (V, np.float32([1, 2]), "same")), ("correlate", (S, V, "same")),
    ("corrcoef", (A,)), ("corrcoef", (A, B)), ("cov", (A,)), ("cov", (A, B)), ("cov", (S,)), ("cross", (A, B)),
    ("diag_indices", (3,)), ("diagflat", (S, 1)),
    ("diagonal", (C, 1, 1, 2)), ("diff", (A,)), ("diff", (A, 2)), ("dsplit", (C, 2)), ("hsplit", (A, [1])),
    ("vsplit", (A, 2)), ("ediff1d", (A,)), ("ediff1d", (A, 9.0, 1.0)), ("geomspace", (1, 256, 9)),
    ("geomspace", (1.0, 81.0, 4, False)), ("gradient", (S,)), ("gradient", (C,)), ("gradient", (A, 2.0)),
    ("histogram", (A, 4)), ("histogram", (A, 3, (-1.0, 2.0))), ("histogram_bin_edges", (A, 4)),
    ("in1d", (N, V)), ("indices", ((2, 3),)), ("interp", (np.float32([0.5, 2.5, 9]), S, A[0])),
    ("interp", (np.float32([0.5, 2.5, 9]), S, A[0], -1.0, 7.0)), ("intersect1d", (N, V)),
    ("isneginf", (np.float32([-np.inf, 1]),)), ("isposinf", (np.float32([np.inf, 1]),)),
    ("ix_", (np.array([0, 2]), np.array([True, False, True]))), ("kron", (A, B)), ("matrix_power", (A[:, :2], 3)),
    ("multi_dot", ((A, B.T, A),)), ("nancumsum", (G,)), ("nancumsum", (G, 1)), ("nanmax", (G, 0)), ("nanmin", (G, 1)),
    ("nanmean", (G,)), ("nanstd", (G,)), ("nansum", (G, 1)), ("nanvar", (G, 0)), ("polyadd", (S, A[0, :2])),
    ("polysub", (S[:1], A[0])), ("polymul", (S, A[0])), ("polyder", (A[0],)), ("polyder", (A[0], 2)),
    ("polyint", (A[0],)), ("polyint", (A[0], 2)), ("polyval", (S, A)), ("rollaxis", (C, 2)), ("rollaxis", (C, 0, 2)),
    ("searchsorted", (S, A)), ("searchsorted", (S, S, "right")), ("select", ([A > 1, A < 0], [A, B], 9.0)),
    ("setdiff1d", (N, V)), ("size", (A,)), ("size", (A, 1)), ("trapz", (A,)), ("trapz", (A, S)),
    ("trapz", (A, None, 2.0)),
    ("tril_indices", (3,)), ("tril_indices", (3, 1, 4)), ("triu_indices", (3, -1)), ("tril_indices_from", (A,)),
    ("triu_indices_from", (A,)), ("unravel_index", (V, (2, 3))), ("unravel_index", (V, (2, 3), "F")),
    ("unwrap", (np.float32([0, 3, 6.5, 0.2, -4]),)), ("vander", (S,)), ("vander", (S, 2, True)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), CASES)
def test_as_numpy(name, args):
    both(name, *args)


def test_histograms_over_several_axes():
    x, y = A.reshape(-1), B.reshape(-1)
    same(mnp.histogram2d(Tensor(x), Tensor(y), 3), np.histogram2d(x, y, 3))
    same(mnp.histogram(Tensor(x), 4, density=True), np.histogram(x, 4, density=True))
    same(mnp.histogram(Tensor(x), 4, weights=Tensor(y)), np.histogram(x, 4, weights=y))
    rows = np.stack((x, y, x), 1)
    counts, edges = mnp.histogramdd(Tensor(rows), (2, 3, 2))
    wanted, wanted_edges = np.histogramdd(rows, (2, 3, 2))
    same(counts, wanted)
    same(edges, wanted_edges)


def test_functions_applied_along_axes():
    same(mnp.apply_along_axis(lambda line: line.sum(), 1, Tensor(A)), A.sum(1))
    same(
        mnp.apply_along_axis(lambda line: line * 2, 0, Tensor(C)),
        np.apply_along_axis(lambda line: line * 2, 0, C),
    )
    same(mnp.apply_over_axes(mnp.sum, Tensor(C), (0, 2)), np.apply_over_axes(np.sum, C, (0, 2)))
    same(
        mnp.piecewise(Tensor(A), [Tensor(A < 0), Tensor(A > 1)], [lambda x: -x, 2.0, 5.0]),
        np.piecewise(A, [A < 0, A > 1], [lambda x: -x, 2.0, 5.0]),
    )


def test_cross_products_of_vectors_in_the_plane():
    flat = A[:, :2]
    same(mnp.cross(Tensor(flat), Tensor(B[:, :2])), flat[:, 0] * B[:, 1] - flat[:, 1] * B[:, 0])
    same(mnp.cross(Tensor(flat), Tensor(B)), np.cross(np.pad(flat, ((0, 0), (0, 1))), B))


def test_places_and_types():
    coordinates = (Tensor([0, 1, 5]), Tensor([2, 0, -1]))
    same(mnp.ravel_multi_index(coordinates, (2, 3)), np.ravel_multi_index(([0, 1, 1], [2, 0, 0]), (2, 3)))
    same(
        mnp.ravel_multi_index(coordinates, (2, 3), "wrap"),
        np.ravel_multi_index(([0, 1, 1], [2, 0, 2]), (2, 3)),
    )
    same(mnp.intersect1d(Tensor(V), Tensor([1, 3]), return_indices=True), ([1, 3], [1, 2], [0, 1]))
    assert bool(mnp.array_equal(A, A)) and not bool(mnp.array_equal(A, B)) and not bool(mnp.array_equal(A, S))
    assert bool(mnp.array_equal(G, G, equal_nan=True)) and not bool(mnp.array_equal(G, G))
    assert bool(mnp.sometrue(A)) and mnp.sometrue(Tensor(A), 1).shape == (2,)
    assert mnp.promote_types(dyad.int32, dyad.float32) == dyad.float32
    assert mnp.result_type(Tensor(A), dyad.float64, 1) == dyad.float64
    assert mnp.array_str(Tensor([1, 2])) == "[1 2]"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mnp.convolve(S, A), ValueError, "convolve: the shapes are"),
        (lambda: mnp.correlate(S, S, "up"), ValueError, "correlate: mode is 'up'"),
        (lambda: mnp.select([A > 0], [A, B]), ValueError, "select: 1 conditions meet 2 choices"),
        (lambda: mnp.unravel_index([9], (2, 3)), ValueError, "unravel_index: an index lies outside"),
        (lambda: mnp.gradient([1.0]), ValueError, "gradient: axis 0 has 1 elements"),
        (lambda: mnp.hsplit(A, 2), ValueError, "need a multiple of 2"),
        (lambda: mnp.multi_dot([A]), ValueError, "multi_dot: 1 arrays are given"),
        (lambda: mnp.polyder(S, -1), ValueError, "polyder: m is -1"),
        (lambda: mnp.ix_(A), ValueError, "ix_: argument 0 has shape"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("shape", "places", "axis"),
    [
        ((3, 4), [[0, 1, 2]], 1),
        ((1, 4), [[0], [3]], -1),
        ((2, 3), [[1, 0, 1]], 0),
        ((2, 1, 3), [[[2]], [[0]]], 2),
    ],
)
def test_taking_along_an_axis_broadcasts_the_others(shape, places, axis):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    places = np.array(places)
    taken = mnp.take_along_axis(Tensor(values), Tensor(places), axis)
    assert taken.asnumpy().tolist() == np.take_along_axis(values, places, axis).tolist()


def test_taking_along_an_axis_needs_as_many_dimensions():
    with pytest.raises(ValueError, match="need the same number of dimensions"):
        mnp.take_along_axis(mnp.ones((2, 3)), mnp.zeros((2,), mnp.int32), 0)


SIGNAL = np.array([[1.0, -2.0, 3.0, 0.5], [2.0, 4.0, -1.0, 0.0]], np.float32)


@pytest.mark.parametrize("name", [name for name in mnp.fft.__all__ if hasattr(np.fft, name)])
def test_fourier_transforms_are_those_of_numpy(name):
    if name.endswith("freq"):
        got, wanted = getattr(mnp.fft, name)(5, 0.5), getattr(np.fft, name)(5, 0.5)
    elif name.endswith("shift"):
        got, wanted = getattr(mnp.fft, name)(SIGNAL.tolist(), axes=1), getattr(np.fft, name)(SIGNAL, axes=1)
    else:
        axes = {} if name.endswith("n") else {"axes": (0, 1)} if name.endswith("2") else {"axis": 0}
        got = getattr(mnp.fft, name)(Tensor(SIGNAL), **axes, norm="ortho")
        wanted = getattr(np.fft, name)(SIGNAL, **axes, norm="ortho")
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-5, atol=1e-5)
