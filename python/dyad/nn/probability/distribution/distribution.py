"""What distributions have in common."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.argument_checks import a_value, require_int
from dyad.nn.cell import Cell

__all__ = ["Distribution"]

_QUESTIONS = (
    "prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival", "mean", "mode", "sd", "var", "entropy",
    "kl_loss", "cross_entropy", "sample", "get_dist_args", "get_dist_type",
)  # fmt: skip


class Distribution(Cell):
    """The base of distributions.

    A subclass defines what it has of `_prob` or `_log_prob`, `_cdf`, `_mean`, `_mode`, `_sd` or `_var`, `_entropy`,
    `_kl_loss` and `_sample`; the others follow from these. Each public method takes, after its own arguments, the
    parameters of the distribution where other ones than those of the constructor are meant. One that the distribution
    does not have raises NotImplementedError. Called, a distribution takes the name of a method first.

    `param` has, under 'param_dict', the parameters by name, each a number, an array, a Tensor or None.
    """

    def __init__(self, seed, dtype, name, param):
        super().__init__()
        self._seed = 0 if seed is None else require_int(name, "seed", seed, low=0)
        self._dtype, self._name = dtype, name
        given = param.get("param_dict", {})
        self.parameter_names = tuple(given)
        self.default_parameters = tuple(_as_parameter(name, label, value) for label, value in given.items())

    @property
    def name(self):
        """The name that was given."""
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def seed(self):
        """The seed of samples; 0 takes the global one."""
        return self._seed

    @property
    def parameters(self):
        """The parameters by name."""
        return dict(zip(self.parameter_names, self.default_parameters, strict=True))

    @property
    def broadcast_shape(self):
        """The shape of all parameters together; None where one is not given."""
        if any(value is None for value in self.default_parameters):
            return None
        shape = ()
        for value in self.default_parameters:
            shape = _wider(shape, value.shape)
        return shape

    batch_shape = broadcast_shape

    @property
    def is_scalar_batch(self):
        """Whether every parameter is one number."""
        return self.broadcast_shape == ()

    def _parameters_or(self, *given):
        """The given parameters, as float tensors, with those of the constructor for what is not given or None."""
        found = []
        for index, name in enumerate(self.parameter_names):
            value = given[index] if index < len(given) else None
            value = self.default_parameters[index] if value is None else value
            if value is None:
                raise TypeError(f"{self._name}: {name} is not given; need it here or in the constructor")
            found.append(_as_parameter(self._name, name, value))
        return found[0] if len(found) == 1 else tuple(found)

    def _value(self, value, name="value"):
        """A Tensor as float, for a density to be taken of."""
        if not isinstance(value, Tensor):
            raise TypeError(f"{self._name}: {name} is {a_value(value)}; need a Tensor")
        return value if value.is_floating_point() else value.astype(_core.float32)

    def _has(self, name):
        return getattr(type(self), name) is not getattr(Distribution, name)

    def _missing(self, name):
        return NotImplementedError(f"{self._name}: {type(self).__name__} has no {name}")

    # What a subclass defines.

    def _prob(self, value, *args, **kwargs):
        if not self._has("_log_prob"):
            raise self._missing("prob")
        return ops.exp(self._log_prob(value, *args, **kwargs))

    def _log_prob(self, value, *args, **kwargs):
        if not self._has("_prob"):
            raise self._missing("log_prob")
        return ops.log(self._prob(value, *args, **kwargs))

    def _cdf(self, value, *args, **kwargs):
        raise self._missing("cdf")

    def _survival_function(self, value, *args, **kwargs):
        return 1.0 - self._cdf(value, *args, **kwargs)

    def _mean(self, *args, **kwargs):
        raise self._missing("mean")

    def _mode(self, *args, **kwargs):
        raise self._missing("mode")

    def _sd(self, *args, **kwargs):
        if not self._has("_var"):
            raise self._missing("sd")
        return ops.sqrt(self._var(*args, **kwargs))

    def _var(self, *args, **kwargs):
        if not self._has("_sd"):
            raise self._missing("var")
        return ops.square(self._sd(*args, **kwargs))

    def _entropy(self, *args, **kwargs):
        raise self._missing("entropy")

    def _kl_loss(self, dist, *args, **kwargs):
        raise self._missing("kl_loss")

    def _cross_entropy(self, dist, *args, **kwargs):
        own = args[len(self.parameter_names) :]
        return self._entropy(*own) + self._kl_loss(dist, *args, **kwargs)

    def _sample(self, shape=(), *args, **kwargs):
        raise self._missing("sample")

    # What programs call.

    def prob(self, value, *args, **kwargs):
        """The density, or probability, of a value."""
        return self._prob(value, *args, **kwargs)

    def log_prob(self, value, *args, **kwargs):
        """The logarithm of the density, or probability, of a value."""
        return self._log_prob(value, *args, **kwargs)

    def cdf(self, value, *args, **kwargs):
        """The probability of a value or a smaller one."""
        return self._cdf(value, *args, **kwargs)

    def log_cdf(self, value, *args, **kwargs):
        """The logarithm of the probability of a value or a smaller one."""
        return ops.log(self._cdf(value, *args, **kwargs))

    def survival_function(self, value, *args, **kwargs):
        """The probability of a larger value."""
        return self._survival_function(value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """The logarithm of the probability of a larger value."""
        return ops.log(self._survival_function(value, *args, **kwargs))

    def mean(self, *args, **kwargs):
        """The mean."""
        return self._mean(*args, **kwargs)

    def mode(self, *args, **kwargs):
        """The most likely value."""
        return self._mode(*args, **kwargs)

    def sd(self, *args, **kwargs):
        """The standard deviation."""
        return self._sd(*args, **kwargs)

    def var(self, *args, **kwargs):
        """The variance."""
        return self._var(*args, **kwargs)

    def entropy(self, *args, **kwargs):
        """The entropy, in units of e."""
        return self._entropy(*args, **kwargs)

    def kl_loss(self, dist, *args, **kwargs):
        """The divergence from another distribution: its kind, its parameters, then those of this one if others."""
        return self._kl_loss(dist, *args, **kwargs)

    def cross_entropy(self, dist, *args, **kwargs):
        """The cross entropy with another distribution; arguments as of `kl_loss`."""
        return self._cross_entropy(dist, *args, **kwargs)

    def sample(self, *args, **kwargs):
        """Draws: of the shape that is given, in front of that of the parameters."""
        return self._sample(*args, **kwargs)

    def get_dist_args(self, *args, **kwargs):
        """The parameters, as a tuple."""
        found = self._parameters_or(*args, **kwargs)
        return found if isinstance(found, tuple) else (found,)

    def get_dist_type(self):
        """The kind of distribution, as `kl_loss` takes it."""
        return type(self).__name__

    def construct(self, name, *args, **kwargs):
        """What the method of that name gives."""
        if name not in _QUESTIONS:
            raise NotImplementedError(
                f"{self._name}: there is no {name!r}; need one of {', '.join(_QUESTIONS)}"
            )
        return getattr(self, name)(*args, **kwargs)

    def _pair(self, dist, args, kind=None):
        """The parameters of the other distribution, as floats, and those of this one, for `kl_loss`."""
        kind = kind or type(self).__name__
        if dist != kind:
            raise ValueError(f"{self._name}: dist is {dist!r}; need {kind!r}")
        count = len(self.parameter_names)
        if len(args) < count:
            raise TypeError(f"{self._name}: {len(args)} parameters of the other distribution; need {count}")
        other = tuple(
            self._value(value, name) for name, value in zip(self.parameter_names, args, strict=False)
        )
        own = self._parameters_or(*args[count:])
        return other, own if isinstance(own, tuple) else (own,)

    def _drawn_shape(self, shape, *parameters):
        """The shape of a sample: the given one, then that of the parameters together."""
        if not isinstance(shape, tuple):
            raise TypeError(f"{self._name}: shape is {shape!r} of type {type(shape).__name__}; need a tuple")
        wide = ()
        for value in parameters:
            wide = _wider(wide, value.shape)
        return shape + wide

    def _uniform(self, shape):
        """Draws between 0 and 1, neither of them."""
        return ops.clamp(ops.rand(*shape, seed=self._seed or None), 1e-7, 1 - 1e-7)

    def _delivered(self, sample):
        return sample.astype(self._dtype)


def _wider(first, second):
    """The shape to which two are broadcast."""
    long, short = (first, second) if len(first) >= len(second) else (second, first)
    padded = (1,) * (len(long) - len(short)) + tuple(short)
    for a, b in zip(long, padded, strict=True):
        if a != b and 1 not in (a, b):
            raise ValueError(f"the shapes {first} and {second} of parameters cannot be broadcast together")
    return tuple(max(a, b) for a, b in zip(long, padded, strict=True))


def _as_parameter(owner, name, value):
    if value is None:
        return None
    if isinstance(value, str):
        raise TypeError(f"{owner}: {name} is {value!r}; need a number, an array or a Tensor")
    if not isinstance(value, Tensor):
        return Tensor(value, _core.float32)
    return value if value.is_floating_point() else value.astype(_core.float32)
