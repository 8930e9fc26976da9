"""`dyad.numpy` against NumPy itself: same names, same arguments, same values."""

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Tensor

A = np.array([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]], np.float32)
B = np.array([[2.0, 0.5, -1.0], [1.0, -3.0, 2.0]], np.float32)
N = np.array([[3, 1, 2], [9, -4, 5]], np.int32)
V = np.array([4, 1, 3, 1], np.int32)


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


UNARY = {
    "abs": A, "absolute": A, "arccos": A / 5, "arccosh": A + 4, "arcsin": A / 5, "arcsinh": A, "arctan": A,
    "arctanh": A / 5, "ceil": A, "cos": A, "cosh": A, "deg2rad": A, "exp": A, "exp2": A, "expm1": A, "floor": A,
    "invert": N, "isfinite": A, "isinf": A, "isnan": A, "log": A + 4, "log10": A + 4, "log1p": A + 4, "log2": A + 4,
    "logical_not": A > 0, "negative": A, "rad2deg": A, "reciprocal": A, "rint": A, "sign": A, "sin": A, "sinh": A,
    "sqrt": A + 4, "square": A, "tan": A, "tanh": A, "trunc": A,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_a_unary_function_agrees_with_numpy(name):
    same(getattr(mnp, name)(Tensor(UNARY[name])), getattr(np, name)(UNARY[name]))


BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "power",
    "maximum",
    "minimum",
    "arctan2",
    "hypot",
    "logaddexp",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "floor_divide",
    "mod",
    "remainder",
    "fmod",
]


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_function_agrees_with_numpy_for_tensors_scalars_and_lists(name):
    x, y = np.abs(A) + 0.5, np.abs(B) + 0.5
    function, wanted = getattr(mnp, name), getattr(np, name)
    same(function(Tensor(x), Tensor(y)), wanted(x, y))
    same(function(Tensor(x), 2.5), wanted(x, np.float32(2.5)))
    same(function(2.5, Tensor(x)), wanted(np.float32(2.5), x))
    same(function([1.0, 2.0, 3.0], Tensor(x)), wanted(np.array([1, 2, 3], np.float32), x))


@pytest.mark.parametrize(
    "name", ["bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"]
)
def test_bits_and_logic(name):
    x, y = (N, V[:3]) if name.startswith("bitwise") else (N > 2, V[:3] > 1)
    same(getattr(mnp, name)(Tensor(x), Tensor(y)), getattr(np, name)(x, y))


CALLS = [
    ("sum", (A,), {}), ("sum", (A,), {"axis": 1, "keepdims": True}), ("mean", (A,), {"axis": 0}), ("mean", (N,), {}),
    ("std", (A,), {"ddof": 1}), ("var", (A,), {"axis": 1}), ("amax", (A,), {"axis": 0}), ("amin", (A,), {}),
    ("max", (N,), {"axis": 1, "keepdims": True}), ("min", (N,), {}), ("ptp", (A,), {"axis": 1}),
    ("argmax", (A,), {}), ("argmin", (A,), {"axis": 1}),
    ("average", (A,), {"axis": 1, "weights": np.float32([1, 2, 3])}),
    ("count_nonzero", (N > 2,), {"axis": 1}), ("cumsum", (A,), {}), ("cumsum", (A,), {"axis": 1}),
    ("cumprod", (A,), {"axis": 0}), ("matmul", (A, B.T.copy()), {}), ("dot", (A, B.T.copy()), {}),
    ("inner", (A, B), {}),
    ("outer", (V, V), {}), ("tensordot", (A, B), {"axes": 2}), ("tensordot", (A, B), {"axes": ((1,), (1,))}),
    ("trace", (N,), {}), ("unique", (V,), {}), ("unique", (V,), {"return_inverse": True}),
    ("reshape", (A, (3, 2)), {}), ("ravel", (A,), {}), ("transpose", (A,), {}), ("swapaxes", (A, 0, 1), {}),
    ("moveaxis", (A, 0, 1), {}), ("expand_dims", (A, 1), {}), ("expand_dims", (A, (0, 3)), {}),
    ("squeeze", (A[None],), {}), ("broadcast_to", (V, (2, 4)), {}), ("concatenate", ((A, B),), {"axis": 1}),
    ("concatenate", ((A, B),), {"axis": None}), ("stack", ((A, B),), {"axis": 1}), ("vstack", ((A, B),), {}),
    ("hstack", ((A, B),), {}), ("hstack", ((V, V),), {}), ("dstack", ((A, B),), {}), ("split", (V, 2), {}),
    ("split", (A, [1, 2]), {"axis": 1}), ("array_split", (V, 3), {}), ("flip", (A,), {}), ("flip", (A,), {"axis": 1}),
    ("fliplr", (A,), {}), ("flipud", (A,), {}), ("rot90", (A,), {}), ("roll", (A, 1), {}),
    ("roll", (A, 2), {"axis": 1}),
    ("tile", (A, 2), {}), ("tile", (V, (2, 2)), {}), ("repeat", (A, 2), {}), ("repeat", (A, 2), {"axis": 1}),
    ("take", (V, np.array([0, 2])), {}), ("take", (A, np.array([2, 0])), {"axis": 1}),
    ("take_along_axis", (A, np.array([[0], [2]])), {"axis": 1}), ("pad", (A, 1), {}),
    ("pad", (A, ((1, 0), (2, 1))), {"mode": "reflect" }), ("pad", (A, ((1, 1), (0, 1))), {"mode": "edge"}),
    ("tril", (A,), {}), ("triu", (A,), {"k": 1}), ("diag", (V,), {}), ("diag", (V,), {"k": -1}), ("diag", (A,), {}),
    ("clip", (A, -1, 2), {}), ("around", (A,), {}), ("isclose", (A, A + 1e-9), {}), ("where", (A > 0, A, B), {}),
    ("where", (A > 0,), {}), ("atleast_1d", (3.0,), {}), ("atleast_2d", (V,), {}), ("meshgrid", (V, V[:2]), {}),
    ("meshgrid", (V, V[:2]), {"indexing": "ij"}),
]  # fmt: skip


def as_tensors(value):
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, (tuple, list)) and any(isinstance(v, np.ndarray) for v in value):
        return type(value)(map(as_tensors, value))
    return value


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), CALLS, ids=[f"{i}-{call[0]}" for i, call in enumerate(CALLS)]
)
def test_a_function_agrees_with_numpy(name, args, kwargs):
    expected = getattr(np, name)(*args, **kwargs)
    result = getattr(mnp, name)(*map(as_tensors, args), **{key: as_tensors(v) for key, v in kwargs.items()})
    same(result, expected)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: mnp.arange(5), np.arange(5)),
        (lambda: mnp.arange(1, 7, 2), np.arange(1, 7, 2)),
        (lambda: mnp.arange(0.0, 1.0, 0.25), np.arange(0.0, 1.0, 0.25)),
        (lambda: mnp.full((2, 3), 7), np.full((2, 3), 7)),
        (lambda: mnp.full_like(Tensor(A), 2), np.full_like(A, 2)),
        (lambda: mnp.ones((2, 2)), np.ones((2, 2))),
        (lambda: mnp.zeros(3), np.zeros(3)),
        (lambda: mnp.zeros_like(Tensor(A)), np.zeros_like(A)),
        (lambda: mnp.ones_like([1, 2]), np.ones(2)),
        (lambda: mnp.eye(3, 4, 1), np.eye(3, 4, 1)),
        (lambda: mnp.identity(2), np.identity(2)),
        (lambda: mnp.linspace(0, 1, 5), np.linspace(0, 1, 5)),
        (lambda: mnp.linspace(0, 1, 4, endpoint=False), np.linspace(0, 1, 4, endpoint=False)),
        (lambda: mnp.logspace(0, 2, 3), np.logspace(0, 2, 3)),
        (lambda: mnp.tri(3, 4, 1), np.tri(3, 4, 1)),
        (lambda: mnp.array([[1, 2]], ndmin=3), np.array([[1, 2]], ndmin=3)),
    ],
)
def test_a_creation_function_agrees_with_numpy(made, expected):
    same(made(), expected)


def test_even_steps_end_on_the_last_number():
    rng = np.random.default_rng(0)
    for start, stop in rng.uniform(-1000, 1000, (50, 2)):
        steps = mnp.linspace(start, stop, 37).asnumpy()
        assert steps[0] == np.float32(start) and steps[-1] == np.float32(stop)
    wide = mnp.linspace(0, 1, 4, dtype=dyad.float64).asnumpy()
    assert wide.tolist() == np.linspace(0, 1, 4).tolist()
    between = mnp.linspace(Tensor([0.0, 1.0]), Tensor([1.0, 3.0]), 3, axis=1)
    assert between.asnumpy().tolist() == [[0.0, 0.5, 1.0], [1.0, 2.0, 3.0]]
    values, step = mnp.linspace(0, 1, 5, retstep=True)
    assert values.dtype == step.dtype == dyad.float32 and step.item() == 0.25


def test_histograms_keep_every_element():
    rng = np.random.default_rng(1)
    for dtype in (np.float32, np.float64):
        for _ in range(20):
            a = rng.normal(size=57).astype(dtype) * 1000
            assert int(mnp.histogram(Tensor(a), bins=13)[0].sum().asnumpy()) == a.size


def test_python_numbers_become_32_bits():
    assert mnp.array([1, 2]).dtype == dyad.int32 and mnp.array([1.0]).dtype == dyad.float32
    assert mnp.arange(3).dtype == dyad.int32 and mnp.full((2,), 3).dtype == dyad.int32
    assert mnp.array(np.arange(3)).dtype == dyad.int64
    assert mnp.ones(2, "int32").dtype == mnp.ones(2, int).dtype == dyad.int32
    assert mnp.sqrt(4).dtype == dyad.float32
    assert mnp.add(Tensor(A), 1, dtype=mnp.float64).dtype == dyad.float64


def test_random_shapes():
    assert mnp.rand(2, 3).shape == mnp.randn(2, 3).shape == (2, 3)
    draws = mnp.randint(2, 5, (100,)).asnumpy()
    assert draws.dtype == np.int32 and draws.min() >= 2 and draws.max() < 5


def test_a_copy_is_a_copy():
    x = mnp.array([1, 2])
    y = mnp.array(x)
    y[0] = 9
    assert x.asnumpy().tolist() == [1, 2]
    assert mnp.asarray(x) is x


def test_missing_names_are_named():
    with pytest.raises(AttributeError, match=r"dyad\.numpy has no 'arrange'; nearest is dyad\.numpy\.arange"):
        _ = mnp.arrange
    with pytest.raises(ValueError, match="split: dimension 0 has size 4; need a multiple of 3"):
        mnp.split(Tensor(V), 3)
