"""Bijector: a mapping with an inverse, and the logarithms of its slopes."""

from dyad._core import float32
from dyad._src.base.lazy_import import load
from dyad.nn.cell import Cell
from dyad.nn.probability.parameters import as_parameter, common_dtype, common_shape, require_tensor

__all__ = ["Bijector"]


class Bijector(Cell):
    """An invertible mapping of numbers, also for the samples of a distribution.

    A subclass passes its parameters as `param["param_dict"]` and defines `_forward`, `_inverse`,
    `_forward_log_jacobian` and `_inverse_log_jacobian`; one of the last two is enough. Called with a Distribution, a
    bijector returns the TransformedDistribution; called with a name, it calls the function of that name.
    """

    def __init__(
        self, is_constant_jacobian: bool = False, is_injective: bool = True, name=None, dtype=None, param=None
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        name = owner if name is None else name
        for what, value, kind in (
            ("name", name, str),
            ("is_constant_jacobian", is_constant_jacobian, bool),
            ("is_injective", is_injective, bool),
        ):
            if not isinstance(value, kind):
                raise TypeError(
                    f"{owner}: {what} is {value!r} of type {type(value).__name__}; need a {kind.__name__}"
                )
        self._name = name
        self._dtype = dtype
        self._is_constant_jacobian = is_constant_jacobian
        self._is_injective = is_injective
        self._described = {key: value for key, value in (param or {}).items() if key != "self"}
        given = self._described.get("param_dict", {})
        for key, value in given.items():
            as_parameter(owner, key, value, float32)
        self.parameter_type = common_dtype(owner, given, dtype or float32)
        held = {key: as_parameter(owner, key, value, self.parameter_type) for key, value in given.items()}
        self._batch_shape = common_shape(owner, held) if held else None
        self._is_scalar_batch = all(isinstance(value, (int, float)) for value in given.values())
        self.default_parameters: list = []
        self.parameter_names: list = []

    @property
    def name(self):
        """The name it was given."""
        return self._name

    @property
    def dtype(self):
        """The dtype of its parameters, if it was given."""
        return self._dtype

    @property
    def parameters(self) -> dict:
        """Constructor arguments by name."""
        return self._described

    @property
    def is_constant_jacobian(self) -> bool:
        """True if the derivative is constant."""
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        """True if the mapping is injective."""
        return self._is_injective

    @property
    def is_scalar_batch(self) -> bool:
        """True if every parameter was given as a number."""
        return self._is_scalar_batch

    @property
    def batch_shape(self):
        """The shape of the parameters together."""
        return self._batch_shape

    def _add_parameter(self, value, name):
        """Notes a parameter; the Tensor that is held."""
        held = as_parameter(type(self).__name__, name, value, self.parameter_type)
        self.default_parameters.append(held)
        self.parameter_names.append(name)
        return held

    def _check_value(self, value, name):
        return require_tensor(self.name, name, value)

    def _check_value_dtype(self, value):
        """The value; a TypeError unless it is a Tensor of floats, and of the dtype that the bijector was given."""
        require_tensor(self.name, "value", value)
        if not value.is_floating_point() or (self._dtype is not None and value.dtype != self._dtype):
            raise TypeError(f"{self.name}: value is {value.dtype}; need {self._dtype or 'a dtype of floats'}")
        return value

    def cast_param_by_value(self, value, para):
        """A parameter in the dtype of `value`."""
        return para.astype(value.dtype)

    def _apply(self, function, value, args, kwargs):
        require_tensor(self.name, "value", value)
        if not hasattr(self, function):
            raise NotImplementedError(f"{self.name}: {function[1:]} is not defined for {type(self).__name__}")
        return getattr(self, function)(value, *args, **kwargs)

    def forward(self, value, *args, **kwargs):
        """The mapping."""
        return self._apply("_forward", value, args, kwargs)

    def inverse(self, value, *args, **kwargs):
        """The number that is mapped to `value`."""
        return self._apply("_inverse", value, args, kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the slope at `value`."""
        if not hasattr(self, "_forward_log_jacobian") and hasattr(self, "_inverse_log_jacobian"):
            return -self._inverse_log_jacobian(self.forward(value, *args, **kwargs), *args, **kwargs)
        return self._apply("_forward_log_jacobian", value, args, kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the slope of the inverse at `value`."""
        if not hasattr(self, "_inverse_log_jacobian") and hasattr(self, "_forward_log_jacobian"):
            return -self._forward_log_jacobian(self.inverse(value, *args, **kwargs), *args, **kwargs)
        return self._apply("_inverse_log_jacobian", value, args, kwargs)

    def __call__(self, *args, **kwargs):
        distributions = load("dyad.nn.probability.distribution")
        if args and isinstance(args[0], distributions.Distribution):
            return distributions.TransformedDistribution(self, *args, **kwargs)
        return super().__call__(*args, **kwargs)

    def construct(self, name, *args, **kwargs):
        """Calls the function of that name."""
        return getattr(self, name)(*args, **kwargs)
