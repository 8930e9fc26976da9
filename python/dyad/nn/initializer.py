"""The initialisers: ways to fill a new weight. All draw from the stream that `set_seed` starts."""

import math

from dyad._core import Tensor as Tensor  # packages import it from here
from dyad._src.base import lazy_numpy as numpy
from dyad._src.tensor.initialization import (
    GAIN_NAMES,
    Initializer,
    fan,
    fan_in_and_out,
    gain,
    initializer,
    register_alias,
)
from dyad._src.tensor.initialization import _by_alias as _INITIALIZER_ALIAS  # noqa: F401 - packages look names up in it
from dyad._src.tensor.random import initializer_stream

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]


def _require_number(owner, name, value, low=None, high=None):
    if isinstance(value, bool) or not isinstance(value, (int, float, numpy.number)):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a number")
    if (low is not None and value < low) or (high is not None and value > high):
        accepted = f"at least {low}" if high is None else f"a number from {low} to {high}"
        raise ValueError(f"{owner}: {name} is {value}; need {accepted}")


def _require_choice(owner, name, value, accepted):
    if value not in accepted:
        raise ValueError(f"{owner}: {name} is {value!r}; need one of {', '.join(accepted)}")


def _draws_for(arr, method):
    """One draw per element, made in the array itself where NumPy can write there."""
    in_place = arr.dtype == numpy.float32 and arr.flags.c_contiguous
    return method(arr.shape, numpy.float32, arr if in_place else None)


def _fill_uniform(arr, bound):
    draws = _draws_for(arr, initializer_stream().random)
    numpy.multiply(draws, 2 * bound, out=draws)
    numpy.subtract(draws, bound, out=arr)


def _fill_normal(arr, sigma, mean=0.0):
    draws = _draws_for(arr, initializer_stream().standard_normal)
    numpy.multiply(draws, sigma, out=draws)
    numpy.add(draws, mean, out=arr)


class Zero(Initializer, aliases=("zeros",)):
    """All zeros."""

    _is_fixed = True

    def _initialize(self, arr):
        arr[...] = 0


class One(Initializer, aliases=("ones",)):
    """All ones."""

    _is_fixed = True

    def _initialize(self, arr):
        arr[...] = 1


class Constant(Initializer):
    """Every element `value`, a number or an array that broadcasts to the shape."""

    _is_fixed = True

    def __init__(self, value):
        super().__init__(value=value)
        if isinstance(value, str):
            raise TypeError(f"Constant: value is {value!r} of type str; need a number or an array")
        self.value = value

    def _initialize(self, arr):
        arr[...] = self.value


class Normal(Initializer):
    """Normal distribution with standard deviation `sigma` around `mean`."""

    def __init__(self, sigma=0.01, mean=0.0):
        super().__init__(sigma=sigma, mean=mean)
        _require_number("Normal", "sigma", sigma, low=0)
        _require_number("Normal", "mean", mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr):
        _fill_normal(arr, self.sigma, self.mean)


class Uniform(Initializer):
    """Uniform distribution on [-scale, scale]."""

    def __init__(self, scale=0.07):
        super().__init__(scale=scale)
        _require_number("Uniform", "scale", scale)
        self.scale = scale

    def _initialize(self, arr):
        _fill_uniform(arr, self.scale)


class TruncatedNormal(Initializer):
    """Normal distribution around `mean`, of standard deviation `sigma`, cut to `a` ... `b` standard deviations."""

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        _require_number("TruncatedNormal", "sigma", sigma, low=0)
        _require_number("TruncatedNormal", "mean", mean)
        _require_number("TruncatedNormal", "a", a)
        _require_number("TruncatedNormal", "b", b)
        if not a < b:
            raise ValueError(f"TruncatedNormal: a is {a} and b is {b}; need a < b")
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr):
        _fill_truncated_normal(arr, self.sigma, self.mean, self.a, self.b)


def _fill_truncated_normal(arr, sigma, mean, low, high):
    """Draws again, for as many elements as still fall outside."""
    stream = initializer_stream()
    values = arr.reshape(-1) if arr.flags.c_contiguous else numpy.empty(arr.size, numpy.float32)
    open_count = 0
    while open_count < values.size:
        wanted = values.size - open_count
        draws = _truncated_candidates(stream, wanted, low, high)[:wanted]
        values[open_count : open_count + draws.size] = draws
        open_count += draws.size
    arr[...] = values.reshape(arr.shape) * sigma + mean


def _truncated_candidates(stream, wanted, low, high):
    if low < 0.5 and high > -0.5 and high - low > 0.5:
        draws = stream.standard_normal(wanted + wanted // 4 + 8, numpy.float32)
        return draws[(draws >= low) & (draws <= high)]
    # A narrow window or a tail holds few normal draws: propose uniformly and accept by density. Beyond 40 decay
    # lengths of the density nothing representable is left, so an unbounded tail is cut there.
    peak = min(max(low, 0.0), high)
    reach = 40.0 / max(abs(peak), 1.0)
    left, right = max(low, peak - reach), min(high, peak + reach)
    draws = stream.uniform(left, right, 4 * wanted + 64)
    accepted = stream.random(draws.size) <= numpy.exp((peak * peak - draws * draws) / 2)
    return draws[accepted]


class _Xavier(Initializer):
    """A scale by what goes into the weight and out of it, times `gain`."""

    _least_gain: int | None = None

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        _require_number(type(self).__name__, "gain", gain, low=self._least_gain)
        self.gain = gain

    def _scale(self, arr, numerator):
        return self.gain * math.sqrt(numerator / sum(fan_in_and_out(arr.shape)))


class XavierUniform(_Xavier, aliases=("xavier_uniform",)):
    """Uniform on +-gain * sqrt(6 / (fan_in + fan_out))."""

    def _initialize(self, arr):
        _fill_uniform(arr, self._scale(arr, 6.0))


class XavierNormal(_Xavier, aliases=("xavier_normal",)):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out))."""

    _least_gain = 0  # of a standard deviation

    def _initialize(self, arr):
        _fill_normal(arr, self._scale(arr, 2.0))


class _He(Initializer):
    """Shared by HeUniform and HeNormal: the standard deviation gain / sqrt(fan)."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        name = type(self).__name__
        _require_number(name, "negative_slope", negative_slope)
        _require_choice(name, "mode", mode, ("fan_in", "fan_out"))
        _require_choice(name, "nonlinearity", nonlinearity, GAIN_NAMES)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _standard_deviation(self, shape):
        return gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan(shape, self.mode))


class HeUniform(_He, aliases=("he_uniform",)):
    """Uniform with He's standard deviation, on +-sqrt(3) * gain / sqrt(fan).

    `mode` is "fan_in" or "fan_out"; `nonlinearity` names what follows and so the gain, for "leaky_relu" with
    `negative_slope`.
    """

    def _initialize(self, arr):
        _fill_uniform(arr, math.sqrt(3.0) * self._standard_deviation(arr.shape))


class HeNormal(_He, aliases=("he_normal",)):
    """Normal with standard deviation gain / sqrt(fan); the arguments are those of `HeUniform`."""

    def _initialize(self, arr):
        _fill_normal(arr, self._standard_deviation(arr.shape))


class VarianceScaling(Initializer):
    """Variance scale / fan, in one of three distributions.

    `mode` is "fan_in", "fan_out" or "fan_avg", `distribution` "uniform", "truncated_normal" (cut at two standard
    deviations) or "untruncated_normal". A scale that is not positive raises ValueError.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        _require_number("VarianceScaling", "scale", scale)
        if scale <= 0:
            raise ValueError(f"VarianceScaling: scale is {scale}; need a positive number")
        _require_choice("VarianceScaling", "mode", mode, ("fan_in", "fan_out", "fan_avg"))
        accepted = ("uniform", "truncated_normal", "untruncated_normal")
        _require_choice("VarianceScaling", "distribution", distribution, accepted)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr):
        variance = self.scale / max(1.0, fan(arr.shape, self.mode))
        if self.distribution == "uniform":
            _fill_uniform(arr, math.sqrt(3.0 * variance))
        elif self.distribution == "untruncated_normal":
            _fill_normal(arr, math.sqrt(variance))
        else:
            # A normal cut at two standard deviations has this much less spread.
            spread = 0.87962566103423978
            _fill_truncated_normal(arr, math.sqrt(variance) / spread, 0.0, -2.0, 2.0)


class Identity(Initializer):
    """Ones on the main diagonal of a matrix."""

    _is_fixed = True

    def _initialize(self, arr):
        if arr.ndim != 2:
            raise ValueError(f"Identity: the shape is {arr.shape}; need 2 dimensions")
        arr[...] = numpy.eye(*arr.shape)


class Dirac(Initializer):
    """A convolution weight that copies its input channels, as far as there are outputs, in each of `groups`."""

    _is_fixed = True

    def __init__(self, groups=1):
        super().__init__(groups=groups)
        if isinstance(groups, bool) or not isinstance(groups, int):
            raise TypeError(f"Dirac: groups is {groups!r}; need an int")
        if groups < 1:
            raise ValueError(f"Dirac: groups is {groups}; need a positive int")
        self.groups = groups

    def _initialize(self, arr):
        if arr.ndim not in (3, 4, 5):
            raise ValueError(f"Dirac: the shape is {arr.shape}; need 3, 4 or 5 dimensions")
        if arr.shape[0] % self.groups:
            raise ValueError(f"Dirac: {arr.shape[0]} outputs do not split into {self.groups} groups evenly")
        arr[...] = 0
        centre = tuple(size // 2 for size in arr.shape[2:])
        per_group = arr.shape[0] // self.groups
        for group in range(self.groups):
            for channel in range(min(per_group, arr.shape[1])):
                arr[(group * per_group + channel, channel, *centre)] = 1


class Orthogonal(Initializer):
    """A matrix with orthonormal rows (or columns, whichever are fewer), times `gain`."""

    def __init__(self, gain=1.0):
        super().__init__(gain=gain)
        _require_number("Orthogonal", "gain", gain)
        self.gain = gain

    def _initialize(self, arr):
        if arr.ndim < 2:
            raise ValueError(f"Orthogonal: the shape is {arr.shape}; need at least 2 dimensions")
        rows = arr.shape[0]
        columns = arr.size // rows
        draws = initializer_stream().standard_normal((max(rows, columns), min(rows, columns)), numpy.float32)
        basis, triangle = numpy.linalg.qr(draws)
        # Signs taken from the triangle make every orthogonal matrix equally likely.
        basis *= numpy.sign(numpy.diagonal(triangle))
        arr[...] = self.gain * (basis if rows >= columns else basis.T).reshape(arr.shape)


class Sparse(Initializer):
    """A matrix whose columns have the fraction `sparsity` of zeros, the rest normal with deviation `sigma`."""

    def __init__(self, sparsity, sigma=0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)
        _require_number("Sparse", "sparsity", sparsity, low=0, high=1)
        _require_number("Sparse", "sigma", sigma, low=0)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr):
        if arr.ndim != 2:
            raise ValueError(f"Sparse: the shape is {arr.shape}; need 2 dimensions")
        _fill_normal(arr, self.sigma)
        zeros = math.ceil(self.sparsity * arr.shape[0])
        order = initializer_stream().random(arr.shape).argsort(axis=0)
        numpy.put_along_axis(arr, order[:zeros], 0, axis=0)


# Parts with which packages write initializers of their own.


def _register(*aliases):
    """A decorator that lets an Initializer be named by these, and by its own name in lower case."""

    def register(cls):
        register_alias(cls, cls.__name__.lower(), *aliases)
        return cls

    return register


def _assignment(arr, num):
    """Writes a number or an array of the same shape into an array, which it returns."""
    arr[...] = numpy.reshape(num, arr.shape) if numpy.ndim(num) else num
    return arr


def _calculate_fan_in_and_fan_out(shape):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel)."""
    return fan_in_and_out(tuple(shape))


def _calculate_in_and_out(arr):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel), which is given itself."""
    return fan_in_and_out(arr.shape)


def _calculate_correct_fan(shape, mode):
    """Inputs or outputs per unit, as the mode, 'fan_in' or 'fan_out', says."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"_calculate_correct_fan: mode is {mode!r}; need 'fan_in' or 'fan_out'")
    return fan(tuple(shape), mode.lower())


def _calculate_gain(nonlinearity, param=None):
    """The factor that keeps the variance of activations through the nonlinearity; a slope of None is 0.01."""
    return gain(nonlinearity, 0.01 if param is None else param)


def _init_random_normal(mean, sigma, shape):
    """An array of normal draws."""
    return initializer_stream().normal(mean, sigma, shape).astype(numpy.float32)


def _init_random_uniform(a, b, shape):
    """An array of draws that are uniform between two numbers."""
    return initializer_stream().uniform(a, b, shape).astype(numpy.float32)
