"""The float32 polynomials against float64 references: within 2 units in the last place over the whole range."""

import numpy as np
import pytest
from scipy import special

import dyad
from dyad import Tensor, ops

LIMIT = 2.0
# sigmoid adds a sum and a division to the error of exp; gelu's tail a quotient of polynomials and two products
LIMIT_OF = {"sigmoid": 2.5, "gelu": 6.5}
EDGES = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-45,
    -1e-45,
    1.1754944e-38,
    3.4028235e38,
    -3.4028235e38,
    1.0,
    -1.0,
]


def spread(lo, hi, count=200_001):
    """Evenly spaced numbers, numbers of every magnitude within the range, and the edges."""
    rng = np.random.default_rng(3)
    every = rng.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        every = every[(every >= lo) & (every <= hi)]
    return np.concatenate([np.linspace(lo, hi, count, dtype=np.float32), every, np.float32(EDGES)])


def distance(result, reference):
    """Error in units in the last place of the float32 nearest to the reference."""
    with np.errstate(all="ignore"):
        nearest = reference.astype(np.float32)
        unit = np.maximum(np.spacing(np.abs(nearest)), np.float32(1e-45)).astype(np.float64)
        error = np.abs(result.astype(np.float64) - reference) / unit
    same = (result == nearest) | (np.isnan(result) & np.isnan(nearest))
    return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))


CASES = [
    ("exp", np.exp, -110, 95),
    ("exp2", np.exp2, -160, 135),
    ("expm1", np.expm1, -50, 95),
    ("log", np.log, 0, 3.4e38),
    ("log2", np.log2, 0, 3.4e38),
    ("log10", np.log10, 0, 3.4e38),
    ("log1p", np.log1p, -1, 3.4e38),
    ("tanh", np.tanh, -20, 20),
    ("sigmoid", special.expit, -110, 110),
    ("erf", special.erf, -6, 6),
    ("gelu", lambda x: np.where(np.abs(x) <= 12.9, x * special.ndtr(x), np.maximum(x, 0)), -20, 20),
    ("sin", np.sin, -1e6, 1e6),
    ("cos", np.cos, -1e6, 1e6),
    ("sin", np.sin, -10, 10),
    ("sin", np.sin, -3e38, 3e38),
    ("tan", np.tan, -1e6, 1e6),
    ("atan", np.arctan, -3e38, 3e38),
    ("atan", np.arctan, -4, 4),
]


def by_its_kernel(function, x):
    return function(x)


def among_others(function, x):
    """In a static graph between other elementwise operators, with which it is compiled into one loop."""

    def program(x, yes):
        return ops.where(yes, function(ops.where(yes, x, 0.5)), -x)

    return dyad.jit(program, jit_level="O1")(x, Tensor(np.ones(x.shape, np.bool_)))


@pytest.mark.parametrize("form", [by_its_kernel, among_others])
@pytest.mark.parametrize(("name", "reference", "lo", "hi"), CASES)
def test_within_two_units(name, reference, lo, hi, form):
    x = spread(lo, hi)
    result = form(getattr(ops, name), Tensor(x)).asnumpy()
    with np.errstate(all="ignore"):
        wanted = reference(x.astype(np.float64))
    worst = distance(result, wanted)
    at = int(np.argmax(worst))
    assert worst[at] <= LIMIT_OF.get(name, LIMIT), (
        f"{name}({x[at]!r}) is {result[at]!r}, not {wanted[at]!r}: {worst[at]:.2f} ulp"
    )


def test_power_within_two_units():
    rng = np.random.default_rng(4)
    base = np.abs(rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32))
    exponent = rng.uniform(-4, 4, base.size).astype(np.float32)
    grid = np.float32([*EDGES, 2.0, -2.0, 0.5, 3.0, -3.0, 2.5, 1e9])
    x = np.concatenate([base, np.repeat(grid, grid.size)])
    y = np.concatenate([exponent, np.tile(grid, grid.size)])
    result = ops.pow(Tensor(x), Tensor(y)).asnumpy()
    with np.errstate(all="ignore"):
        wanted = np.power(x.astype(np.float64), y.astype(np.float64))
    worst = distance(result, wanted)
    at = int(np.argmax(worst))
    assert worst[at] <= LIMIT, f"pow({x[at]!r}, {y[at]!r}) is {result[at]!r}, not {wanted[at]!r}"


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide"])
def test_remainders_are_exact(name):
    rng = np.random.default_rng(6)
    size = 100_000
    x, y = (
        np.concatenate(
            [
                rng.integers(0, 2**32, size, dtype=np.uint32).view(np.float32),
                rng.normal(0, scale, size).astype(np.float32),
                np.float32(EDGES),
            ]
        )
        for scale in (9, 1)
    )
    result = getattr(ops, name)(Tensor(x), Tensor(y)).asnumpy()
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
    assert np.array_equal(result, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("form", [by_its_kernel, among_others])
@pytest.mark.parametrize(
    "name", ["tanh", "expm1", "sinh", "asinh", "atanh", "sin", "tan", "asin", "atan", "log1p", "erf"]
)
def test_zero_keeps_its_sign(name, form, dtype):
    zeros = np.repeat(dtype([0.0, -0.0]), 40)
    result = form(getattr(ops, name), Tensor(zeros)).asnumpy()
    assert not result.any()
    assert np.array_equal(np.signbit(result), np.signbit(zeros))


def test_double_exponential():
    x = np.concatenate([np.linspace(-750, 715, 100_001), [0.0, np.inf, -np.inf, np.nan, 1e-300]])
    with np.errstate(all="ignore"):
        wanted = np.exp(x)
    result = ops.exp(Tensor(x)).asnumpy()
    assert np.allclose(result, wanted, rtol=6e-16, atol=1e-322, equal_nan=True)
