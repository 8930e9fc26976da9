"""Location-scale distributions."""

import math
from typing import ClassVar

from dyad import ops
from dyad._core import float32
from dyad.nn.probability.distribution.parametric import Parametric, of_parameters, of_value, require_positive

__all__ = ["Cauchy", "Gumbel", "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "StudentT"]

_EULER = 0.5772156649015329


class _MeanAndDeviation(Parametric):
    """Base class with the parameters `mean` and `sd`."""

    _printed: ClassVar[dict[str, str]] = {"sd": "standard deviation"}

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name=None):
        super().__init__(seed, dtype, type(self).__name__ if name is None else name, mean=mean, sd=sd)
        require_positive(self.name, "sd", self.default_parameters[1])


class _LocationAndScale(Parametric):
    """Base class with the parameters `loc` and `scale`."""

    def __init__(self, loc=None, scale=None, seed=None, dtype=float32, name=None):
        super().__init__(seed, dtype, type(self).__name__ if name is None else name, loc=loc, scale=scale)
        require_positive(self.name, "scale", self.default_parameters[1])

    @property
    def loc(self):
        """Location of the distribution."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """Scale of the distribution."""
        return self.default_parameters[1]


def _normal_log_density(x, mean, sd):
    return -0.5 * ops.square((x - mean) / sd) - ops.log(sd) - 0.5 * math.log(2 * math.pi)


def _normal_cdf(x, mean, sd):
    return 0.5 * (1.0 + ops.erf((x - mean) / (sd * math.sqrt(2))))


def _normal_divergence(own, other):
    (mean, sd), (other_mean, other_sd) = own, other
    ratio = ops.square(sd / other_sd)
    return 0.5 * (ops.square((mean - other_mean) / other_sd) + ratio - 1.0 - ops.log(ratio))


class Normal(_MeanAndDeviation):
    """The normal distribution."""

    @of_value
    def _log_prob(self, value, mean, sd):
        return _normal_log_density(value, mean, sd)

    @of_value
    def _cdf(self, value, mean, sd):
        return _normal_cdf(value, mean, sd)

    @of_parameters
    def _mean(self, mean, sd):
        return mean

    @of_parameters
    def _mode(self, mean, sd):
        return mean

    @of_parameters
    def _sd(self, mean, sd):
        return sd

    @of_parameters
    def _entropy(self, mean, sd):
        return ops.log(sd) + 0.5 * math.log(2 * math.pi * math.e)

    def _divergence(self, own, other):
        return _normal_divergence(own, other)

    def _draw(self, shape, mean, sd):
        return mean + sd * ops.standard_normal(shape, seed=self.seed or None)


class LogNormal(_LocationAndScale):
    """Log-normal distribution; `loc` and `scale` are mean and standard deviation of the logarithm."""

    @of_value
    def _log_prob(self, value, loc, scale):
        logarithm = ops.log(value)
        return _normal_log_density(logarithm, loc, scale) - logarithm

    @of_value
    def _cdf(self, value, loc, scale):
        return _normal_cdf(ops.log(value), loc, scale)

    @of_parameters
    def _mean(self, loc, scale):
        return ops.exp(loc + 0.5 * ops.square(scale))

    @of_parameters
    def _mode(self, loc, scale):
        return ops.exp(loc - ops.square(scale))

    @of_parameters
    def _var(self, loc, scale):
        return ops.expm1(ops.square(scale)) * ops.exp(2.0 * loc + ops.square(scale))

    @of_parameters
    def _entropy(self, loc, scale):
        return loc + ops.log(scale) + 0.5 * math.log(2 * math.pi * math.e)

    def _divergence(self, own, other):
        return _normal_divergence(own, other)

    def _draw(self, shape, loc, scale):
        return ops.exp(loc + scale * ops.standard_normal(shape, seed=self.seed or None))


class Logistic(_LocationAndScale):
    """The logistic distribution."""

    _printed: ClassVar[dict[str, str]] = {"loc": "location"}

    @of_value
    def _log_prob(self, value, loc, scale):
        z = (value - loc) / scale
        return ops.logsigmoid(z) + ops.logsigmoid(-z) - ops.log(scale)

    @of_value
    def _cdf(self, value, loc, scale):
        return ops.sigmoid((value - loc) / scale)

    @of_value
    def _log_cdf(self, value, loc, scale):
        return ops.logsigmoid((value - loc) / scale)

    @of_value
    def _survival_function(self, value, loc, scale):
        return ops.sigmoid((loc - value) / scale)

    @of_value
    def _log_survival(self, value, loc, scale):
        return ops.logsigmoid((loc - value) / scale)

    @of_parameters
    def _mean(self, loc, scale):
        return loc

    @of_parameters
    def _mode(self, loc, scale):
        return loc

    @of_parameters
    def _sd(self, loc, scale):
        return scale * (math.pi / math.sqrt(3))

    @of_parameters
    def _entropy(self, loc, scale):
        return ops.log(scale) + 2.0

    def _draw(self, shape, loc, scale):
        u = self._uniform(shape)
        return loc + scale * (ops.log(u) - ops.log1p(-u))


class Cauchy(_LocationAndScale):
    """Cauchy distribution, whose mean and variance are undefined."""

    _printed: ClassVar[dict[str, str]] = {"loc": "location"}

    @of_value
    def _log_prob(self, value, loc, scale):
        return -ops.log1p(ops.square((value - loc) / scale)) - ops.log(scale) - math.log(math.pi)

    @of_value
    def _cdf(self, value, loc, scale):
        return ops.atan((value - loc) / scale) / math.pi + 0.5

    @of_parameters
    def _mode(self, loc, scale):
        return loc

    @of_parameters
    def _entropy(self, loc, scale):
        return ops.log(scale) + math.log(4 * math.pi)

    def _mean(self, *args, **kwargs):
        raise ValueError(f"{self.name}: a Cauchy distribution has no mean; mode() says where it lies")

    def _sd(self, *args, **kwargs):
        raise ValueError(
            f"{self.name}: a Cauchy distribution has no standard deviation; scale says how wide it is"
        )

    def _var(self, *args, **kwargs):
        raise ValueError(f"{self.name}: a Cauchy distribution has no variance; scale says how wide it is")

    def _divergence(self, own, other):
        (loc, scale), (other_loc, other_scale) = own, other
        spread = ops.square(scale + other_scale) + ops.square(loc - other_loc)
        return ops.log(spread) - math.log(4) - ops.log(scale) - ops.log(other_scale)

    def _draw(self, shape, loc, scale):
        return loc + scale * ops.tan(math.pi * (self._uniform(shape) - 0.5))


class Gumbel(_LocationAndScale):
    """The Gumbel distribution of greatest values."""

    @of_value
    def _log_prob(self, value, loc, scale):
        z = (value - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    @of_value
    def _log_cdf(self, value, loc, scale):
        return -ops.exp((loc - value) / scale)

    @of_parameters
    def _mean(self, loc, scale):
        return loc + _EULER * scale

    @of_parameters
    def _mode(self, loc, scale):
        return loc

    @of_parameters
    def _sd(self, loc, scale):
        return scale * (math.pi / math.sqrt(6))

    @of_parameters
    def _entropy(self, loc, scale):
        return ops.log(scale) + (1.0 + _EULER)

    def _divergence(self, own, other):
        (loc, scale), (other_loc, other_scale) = own, other
        ratio, shift = scale / other_scale, (other_loc - loc) / other_scale
        return (
            _EULER * (ratio - 1.0) - ops.log(ratio) - shift + ops.exp(shift + ops.lgamma(ratio + 1.0)) - 1.0
        )

    def _draw(self, shape, loc, scale):
        return loc - scale * ops.log(-ops.log(self._uniform(shape)))


class HalfNormal(_MeanAndDeviation):
    """The upper half of a normal distribution: its density twice from `mean` on, 0 below."""

    @of_value
    def _log_prob(self, value, mean, sd):
        inside = _normal_log_density(value, mean, sd) + math.log(2)
        return ops.where(value >= mean, inside, -math.inf)


class Laplace(_MeanAndDeviation):
    """Falls off exponentially on both sides of `mean`, at the rate 1 / `sd`."""

    @of_value
    def _log_prob(self, value, mean, sd):
        return -ops.abs(value - mean) / sd - ops.log(2.0 * sd)


class StudentT(Parametric):
    """Student's distribution of `df` degrees of freedom, moved by `mean` and widened by `sd`."""

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=float32, name="StudentT"):
        super().__init__(seed, dtype, name, df=df, mean=mean, sd=sd)
        require_positive(self.name, "df", self.default_parameters[0])
        require_positive(self.name, "sd", self.default_parameters[2])

    @of_value
    def _log_prob(self, value, df, mean, sd):
        z = (value - mean) / sd
        scale = ops.log(sd) + 0.5 * ops.log(df) + 0.5 * math.log(math.pi)
        scale = scale + ops.lgamma(0.5 * df) - ops.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * ops.log1p(ops.square(z) / df) - scale
