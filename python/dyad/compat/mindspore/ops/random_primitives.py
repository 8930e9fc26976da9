"""Older Primitives that draw random numbers: faces of functions, with the seed in the constructor or as an argument."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int, require_number
from dyad._src.operators import functions, random_truncated_normal, where
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = [
    "Bernoulli",
    "Gamma",
    "Multinomial",
    "MultinomialWithReplacement",
    "NonDeterministicInts",
    "ParameterizedTruncatedNormal",
    "Poisson",
    "RandomGamma",
    "RandomPoisson",
    "RandomShuffle",
    "TruncatedNormal",
    "Uniform",
    "multinomial_with_replacement",
]

_bernoulli, _multinomial, _rand = (functions[name] for name in ("bernoulli", "multinomial", "rand"))
_erfinv, _log = functions["erfinv"], functions["log"]


def _one_seed(seed, offset):
    """One seed of two numbers; none where both are 0, or the first is negative."""
    return None if seed < 0 or (seed == 0 and offset == 0) else seed * 31 + offset


def _bits(x, p, *, seed=-1, offset=0):
    """1 with the probability `p` and 0 otherwise, in the shape and dtype of `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Bernoulli()(Tensor([5.0, 6.0]), Tensor(1.0)))
        [1. 1.]
    """
    return _bernoulli(x, p, _one_seed(seed, offset))


def _number(owner, name, value):
    value = value.reshape(-1).tolist() if isinstance(value, Tensor) else [value]
    if len(value) != 1:
        raise ValueError(f"{owner}: {name} is {value}; need one number")
    return require_int(owner, name, value[0])


def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """Classes drawn with the probabilities that the weights of a row of `x` have: (numsamples,) or (rows, numsamples).

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.multinomial_with_replacement(Tensor([0.0, 9.0]), 2, 5, 3, True))
        [1 1 1]
    """
    owner = "multinomial_with_replacement"
    if not isinstance(x, Tensor):
        raise TypeError(f"{owner}: x is of type {type(x).__name__}; need a Tensor")
    require_int(owner, "numsamples", numsamples, 1)
    require_bool(owner, "replacement", replacement)
    drawn = _one_seed(_number(owner, "seed", seed), _number(owner, "offset", offset))
    return _multinomial(x, numsamples, replacement, drawn).astype(_core.int64)


def _classes(x, seed, offset, *, numsamples, replacement=False):
    """As `multinomial_with_replacement`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.MultinomialWithReplacement(3, True)(Tensor([0.0, 9.0]), 2, 5))
        [1 1 1]
    """
    return multinomial_with_replacement(x, seed, offset, numsamples, replacement)


def _check_classes(name, settings):
    require_int(name, "numsamples", settings["numsamples"], 1)
    require_bool(name, "replacement", settings["replacement"])


def _any_integers(shape, *, dtype=_core.int64):
    """Integers of the whole range of a dtype.

    Example:
        >>> from dyad import ops
        >>> print(ops.NonDeterministicInts()((2, 3)).shape)
        (2, 3)
    """
    sizes = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)
    halves = [_rand(*sizes, dtype=_core.float64) * 2.0**32 for _ in range(2)]
    low, high = (half.astype(_core.int64) for half in halves)
    return (high * 2**32 + low).astype(dtype)


def _check_dtype(name, settings):
    accepted = (_core.int32, _core.int64, _core.uint32, _core.uint64)
    if settings["dtype"] not in accepted:
        raise TypeError(f"{name}: dtype is {settings['dtype']!r}; need int32, int64, uint32 or uint64")


def _between(shape, mean, stdevs, min, max, *, seed=0, seed2=0):
    """Numbers of normal distributions, between `min` and `max`; each of the four has one number or one per batch.

    Example:
        >>> from dyad import Tensor, ops
        >>> mean, spread, low, high = (Tensor([number]) for number in (0.0, 1.0, 2.0, 2.5))
        >>> x = ops.ParameterizedTruncatedNormal()((4, 5), mean, spread, low, high)
        >>> print(bool((x >= 2).all()), bool((x <= 2.5).all()))
        True True
    """
    sizes = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)
    per_batch = (-1, *[1] * (len(sizes) - 1))
    wide = [value.reshape(per_batch).astype(_core.float64) for value in (mean, stdevs, min, max)]
    mean64, spread, low, high = wide
    # Draws lie evenly between the shares of the distribution below both bounds; the upper tail is drawn as the lower.
    low, high = (low - mean64) / spread, (high - mean64) / spread
    mirrored = low > 0
    first, last = where(mirrored, -high, low), where(mirrored, -low, high)
    share = _rand(*sizes, dtype=_core.float64, seed=_one_seed(seed, seed2))
    below = _share_below(first)
    drawn = _with_share_below(below + share * (_share_below(last) - below))
    drawn = drawn.maximum(first).minimum(last)
    return (where(mirrored, -drawn, drawn) * spread + mean64).astype(mean.dtype)


def _share_below(x):
    """The share of the normal distribution below `x`."""
    return functions["erfc"](-x / 2.0**0.5) / 2


def _with_share_below(share):
    """The number that has this share of the normal distribution below it; far down by Newton's steps on logarithms."""
    middle = _erfinv(2 * share.maximum(1e-3) - 1) * 2.0**0.5
    target = _log(share.maximum(1e-300).minimum(1e-3))
    far = -((-2 * target) ** 0.5)
    for _ in range(6):
        below = _share_below(far)
        slope = functions["exp"](-far * far / 2) / (2 * math.pi) ** 0.5 / below
        far = far - (_log(below) - target) / slope
    return where(share > 1e-3, middle, far)


def _even(x, *, minval=0.0, maxval=1.0, seed=0, offset=0):
    """Numbers between `minval` and `maxval`, evenly spread, in the shape and dtype of `x`.

    Example:
        >>> from dyad import ops
        >>> x = ops.Uniform(2.0, 3.0)(ops.ones((4, 5)))
        >>> print(bool((x >= 2).all()), bool((x <= 3).all()))
        True True
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"Uniform: x is of type {type(x).__name__}; need a Tensor")
    if not x.dtype.is_floating_point:
        raise TypeError(f"Uniform: x is of {x.dtype}; need a float dtype")
    return _rand(*x.shape, dtype=x.dtype, seed=_one_seed(seed, offset)) * (maxval - minval) + minval


def _check_range(name, settings):
    for key in ("minval", "maxval"):
        require_number(name, key, settings[key])
    if settings["minval"] >= settings["maxval"]:
        raise ValueError(
            f"{name}: minval is {settings['minval']}; need less than maxval, {settings['maxval']}"
        )


def _check_seed_and_offset(name, settings):
    require_int(name, "seed", settings["seed"], -1)
    require_int(name, "offset", settings["offset"], 0)


def _check_seeds(name, settings):
    for key in ("seed", "seed2"):
        require_int(name, key, settings[key], 0)


def _with_seeds(name, function, summary, example):
    """A Primitive that draws what a function draws, from one seed of two numbers; both 0 is no seed."""

    def drawn(*args, seed=0, seed2=0):
        return function(*args, seed=_one_seed(seed, seed2))

    drawn.__doc__ = f"""{summary}

    Example:
        >>> from dyad import Tensor, ops
        >>> {example}
    """
    return primitive_with_settings(name, drawn, _check_seeds)


def _columns(x, num_samples, *, seed=0, seed2=0, dtype=_core.int32):
    """Column numbers of each row in proportion to the row's weights, a column any number of times.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Multinomial()(Tensor([0.0, 9.0]), 3))
        [1 1 1]
    """
    return _multinomial(x, num_samples, True, _one_seed(seed, seed2)).astype(dtype)


def _check_columns(name, settings):
    _check_seeds(name, settings)
    if settings["dtype"] not in (_core.int32, _core.int64):
        raise TypeError(f"{name}: dtype is {settings['dtype']!r}; need int32 or int64")


def _counts(shape, rate, *, seed=0, seed2=0, dtype=_core.int64):
    """Counts from Poisson distributions, in a dtype: the given shape of draws for each rate.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.RandomPoisson()((2, 3), Tensor([1.0, 5.0])).shape)
        (2, 3, 2)
    """
    return functions["random_poisson"](shape, rate, _one_seed(seed, seed2), dtype)


def _near_zero(shape, *, dtype=_core.float32, seed=0, seed2=0):
    """Numbers from the normal distribution of mean 0 and deviation 1 that lie within 2 of 0.

    Example:
        >>> from dyad import ops
        >>> print(bool((ops.TruncatedNormal()((4, 5)).abs() <= 2).all()))
        True
    """
    return random_truncated_normal(shape, dtype=dtype, seed=_one_seed(seed, seed2))


Bernoulli = primitive_with_settings("Bernoulli", _bits, _check_seed_and_offset)
Gamma = _with_seeds(
    "Gamma",
    functions["gamma"],
    "Numbers from gamma distributions with shape alpha and rate beta: the given shape of draws for each pair.",
    "ops.Gamma()((2,), Tensor([1.0]), Tensor([2.0])).shape\n        (2, 1)",
)
Multinomial = primitive_with_settings("Multinomial", _columns, _check_columns)
MultinomialWithReplacement = primitive_with_settings("MultinomialWithReplacement", _classes, _check_classes)
NonDeterministicInts = primitive_with_settings("NonDeterministicInts", _any_integers, _check_dtype)
ParameterizedTruncatedNormal = primitive_with_settings("ParameterizedTruncatedNormal", _between)
Poisson = _with_seeds(
    "Poisson",
    functions["poisson"],
    "int32 counts from Poisson distributions: the given shape of draws for each mean.",
    "ops.Poisson()((2,), Tensor([1.0])).shape\n        (2, 1)",
)
RandomGamma = _with_seeds(
    "RandomGamma",
    functions["random_gamma"],
    "Numbers from gamma distributions of rate 1: the given shape of draws for each alpha.",
    "ops.RandomGamma()((2,), Tensor([1.0])).shape\n        (2, 1)",
)
RandomPoisson = primitive_with_settings("RandomPoisson", _counts, _check_seeds)
RandomShuffle = _with_seeds(
    "RandomShuffle",
    functions["shuffle"],
    "The rows of the input in random order.",
    "ops.RandomShuffle()(Tensor([[1, 2]]))\n        Tensor(shape=[1, 2], dtype=Int64, value=\n        [[1, 2]])",
)
TruncatedNormal = primitive_with_settings("TruncatedNormal", _near_zero, _check_seeds)
Uniform = primitive_with_settings("Uniform", _even, _check_range)
