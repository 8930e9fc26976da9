"""Checks of parameters and values for distributions of other packages, under MindSpore's names."""

from dyad import ops
from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import a_value
from dyad.nn.probability.parameters import as_parameter, common_dtype, require_all, require_tensor

__all__ = [
    "CheckTensor",
    "CheckTuple",
    "cast_to_tensor",
    "check_distribution_name",
    "check_greater",
    "check_greater_equal_zero",
    "check_greater_zero",
    "check_prob",
    "check_sum_equal_one",
    "set_param_type",
]

_OWNER = "Distribution"
_NEAR_ONE = 1e-6


def check_greater_zero(value: Tensor, name) -> None:
    """ValueError unless all elements are above 0."""
    require_all(_OWNER, name, require_tensor(_OWNER, name, value), lambda x: x > 0, "numbers above 0")


def check_greater_equal_zero(value: Tensor, name) -> None:
    """ValueError unless no element is below 0."""
    require_all(_OWNER, name, require_tensor(_OWNER, name, value), lambda x: x >= 0, "numbers of at least 0")


def check_greater(a, b, name_a, name_b) -> None:
    """ValueError unless each element of `b` is above that of `a`."""
    for name, value in ((name_a, a), (name_b, b)):
        require_tensor(_OWNER, name, value)
    require_all(_OWNER, name_b, b, lambda x: x > a, f"numbers above those of {name_a}")


def check_prob(p: Tensor) -> None:
    """ValueError unless all elements are between 0 and 1, which are excluded."""
    between = "numbers between 0 and 1"
    require_all(_OWNER, "p", require_tensor(_OWNER, "p", p), lambda x: (x > 0) & (x < 1), between)


def check_sum_equal_one(probs: Tensor) -> None:
    """ValueError unless the elements along the last axis sum to 1."""
    require_all(
        _OWNER,
        "probs",
        require_tensor(_OWNER, "probs", probs),
        lambda x: ops.abs(x.sum(-1) - 1) < _NEAR_ONE,
        "numbers that sum to 1 along the last axis",
    )


def cast_to_tensor(t, hint_type=float32):
    """A Parameter as it is, anything else as a Tensor of that dtype; None is a ValueError."""
    if t is None:
        raise ValueError("cast_to_tensor: t is None; need a number, a list, an array or a Tensor")
    return as_parameter("cast_to_tensor", "t", t, hint_type)


def set_param_type(args, hint_type):
    """The dtype to compute in with these parameters, by name; TypeError if their dtypes differ."""
    return common_dtype("set_param_type", args, hint_type)


def check_distribution_name(name, expected_name) -> None:
    """ValueError unless the names are the same."""
    if name != expected_name:
        raise ValueError(f"{_OWNER}: the distribution is {name!r}; need {expected_name!r}")


class _OfKind(ops.Primitive):
    """Called with a value and its name: the value, if it is of the kind."""

    _kind: type

    def __call__(self, x, name):
        """The value, or TypeError."""
        if not isinstance(x, self._kind):
            raise TypeError(f"{self.name}: {name} is {a_value(x)}; need a {self._kind.__name__}")
        return x


class CheckTensor(_OfKind):
    """Accepts Tensors."""

    _kind = Tensor


class CheckTuple(_OfKind):
    """Accepts tuples."""

    _kind = tuple
