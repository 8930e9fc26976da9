"""Distribution: what every distribution offers, each function from those that the class defines."""

from dyad import ops
from dyad._core import float32
from dyad._src.base.argument_checks import require_int
from dyad.nn.cell import Cell
from dyad.nn.probability.parameters import as_parameter, common_dtype, common_shape, require_tensor

__all__ = ["Distribution"]


class Distribution(Cell):
    """A probability distribution, or a batch of them.

    A subclass passes its parameters as `param["param_dict"]` and defines some of `_prob`, `_log_prob`, `_cdf`,
    `_log_cdf`, `_survival_function`, `_log_survival`, `_mean`, `_mode`, `_sd`, `_var`, `_entropy`, `_kl_loss`,
    `_cross_entropy` and `_sample`; functions that follow from these are available too. The functions accept the
    distribution's parameters after their own arguments; omitted ones default to those of the constructor. `construct`
    calls a function by its name.
    """

    def __init__(self, seed: int | None, dtype, name: str, param) -> None:
        super().__init__()
        owner = type(self).__name__
        if not isinstance(name, str):
            raise TypeError(f"{owner}: name is {name!r} of type {type(name).__name__}; need a str")
        self._name = name
        self._seed = 0 if seed is None else require_int(owner, "seed", seed, 0)
        self._dtype = dtype
        self._described = {key: value for key, value in param.items() if key != "self" and key[:1] != "_"}
        given = param.get("param_dict", {})
        self.parameter_type = common_dtype(owner, given, dtype or float32)
        self._is_scalar_batch = all(
            value is None or isinstance(value, (int, float)) for value in given.values()
        )
        held = {key: as_parameter(owner, key, value, self.parameter_type) for key, value in given.items()}
        self._batch_shape = common_shape(owner, held) if held else None
        self.default_parameters: list = []
        self.parameter_names: list = []

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def seed(self):
        """The seed of samples; 0 for that of the process."""
        return self._seed

    @property
    def parameters(self) -> dict:
        """Constructor arguments by name."""
        return self._described

    @property
    def is_scalar_batch(self) -> bool:
        """True if every parameter was given as a number."""
        return self._is_scalar_batch

    @property
    def batch_shape(self):
        """The shape of the parameters together; None if one is given with each call."""
        return self._batch_shape

    @property
    def broadcast_shape(self):
        """The same as `batch_shape`."""
        return self._batch_shape

    def _add_parameter(self, value, name):
        """Records a parameter, in the order in which functions accept them; returns the stored Tensor."""
        held = as_parameter(type(self).__name__, name, value, self.parameter_type)
        self.default_parameters.append(held)
        self.parameter_names.append(name)
        return held

    def _check_param_type(self, *args):
        """The parameters of a call, broadcast to one shape; omitted ones default to those of the constructor."""
        found = []
        for position, name in enumerate(self.parameter_names):
            value = args[position] if position < len(args) else None
            if value is None:
                value = self.default_parameters[position]
            if value is None:
                raise TypeError(
                    f"{self.name}: {name} was not given when the distribution was made; need it in the call"
                )
            found.append(require_tensor(self.name, name, value).astype(self.parameter_type))
        if len(found) == 1:
            return found[0]
        total = found[0]
        for value in found[1:]:
            total = total + value
        return tuple(ops.broadcast_to(value, total.shape) for value in found)

    def _check_value(self, value, name):
        return require_tensor(self.name, name, value)

    def _undefined(self, function):
        return NotImplementedError(f"{self.name}: {function} is not defined for {type(self).__name__}")

    def prob(self, value, *args, **kwargs):
        """The density at `value`, or its probability where the distribution is discrete."""
        if hasattr(self, "_prob"):
            return self._prob(value, *args, **kwargs)
        if hasattr(self, "_log_prob"):
            return ops.exp(self._log_prob(value, *args, **kwargs))
        raise self._undefined("prob")

    def log_prob(self, value, *args, **kwargs):
        """The logarithm of `prob`."""
        if hasattr(self, "_log_prob"):
            return self._log_prob(value, *args, **kwargs)
        if hasattr(self, "_prob"):
            return ops.log(self._prob(value, *args, **kwargs))
        raise self._undefined("log_prob")

    def cdf(self, value, *args, **kwargs):
        """The probability of at most `value`."""
        if hasattr(self, "_cdf"):
            return self._cdf(value, *args, **kwargs)
        if hasattr(self, "_log_cdf"):
            return ops.exp(self._log_cdf(value, *args, **kwargs))
        if hasattr(self, "_survival_function"):
            return 1.0 - self._survival_function(value, *args, **kwargs)
        if hasattr(self, "_log_survival"):
            return -ops.expm1(self._log_survival(value, *args, **kwargs))
        raise self._undefined("cdf")

    def log_cdf(self, value, *args, **kwargs):
        """The logarithm of `cdf`."""
        if hasattr(self, "_log_cdf"):
            return self._log_cdf(value, *args, **kwargs)
        return ops.log(self.cdf(value, *args, **kwargs))

    def survival_function(self, value, *args, **kwargs):
        """The probability of more than `value`."""
        if hasattr(self, "_survival_function"):
            return self._survival_function(value, *args, **kwargs)
        if hasattr(self, "_log_survival"):
            return ops.exp(self._log_survival(value, *args, **kwargs))
        return 1.0 - self.cdf(value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """The logarithm of `survival_function`."""
        if hasattr(self, "_log_survival"):
            return self._log_survival(value, *args, **kwargs)
        return ops.log(self.survival_function(value, *args, **kwargs))

    def mean(self, *args, **kwargs):
        """The mean."""
        return self._defined("_mean")(*args, **kwargs)

    def mode(self, *args, **kwargs):
        """The value with the highest `prob`."""
        return self._defined("_mode")(*args, **kwargs)

    def sd(self, *args, **kwargs):
        """The standard deviation."""
        if hasattr(self, "_sd"):
            return self._sd(*args, **kwargs)
        return ops.sqrt(self._defined("_var", "sd")(*args, **kwargs))

    def var(self, *args, **kwargs):
        """The variance."""
        if hasattr(self, "_var"):
            return self._var(*args, **kwargs)
        return ops.square(self._defined("_sd", "var")(*args, **kwargs))

    def entropy(self, *args, **kwargs):
        """The entropy, in nats."""
        return self._defined("_entropy")(*args, **kwargs)

    def kl_loss(self, dist, *args, **kwargs):
        """KL(self || b) for b of the kind called `dist`, whose parameters come first."""
        return self._defined("_kl_loss")(dist, *args, **kwargs)

    def cross_entropy(self, dist, *args, **kwargs):
        """The entropy and KL(self || b) together."""
        return self._defined("_cross_entropy")(dist, *args, **kwargs)

    def sample(self, *args, **kwargs):
        """Samples: `shape`, a tuple, comes first; the parameters' shape is added to it."""
        return self._defined("_sample")(*args, **kwargs)

    def get_dist_args(self, *args, **kwargs):
        """The parameters of a call as a tuple."""
        return self._defined("_get_dist_args")(*args, **kwargs)

    def get_dist_type(self):
        """The name of the distribution type."""
        return self._defined("_get_dist_type")()

    def _defined(self, method, asked=None):
        if not hasattr(self, method):
            raise self._undefined(asked or method[1:])
        return getattr(self, method)

    def construct(self, name, *args, **kwargs):
        """Calls the function of that name."""
        return getattr(self, name)(*args, **kwargs)
