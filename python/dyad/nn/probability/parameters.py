"""Parameters of distributions and bijectors, and their common dtype."""

from dyad import ops
from dyad._core import Tensor, float16, float32, float64
from dyad._src.base import lazy_numpy as np
from dyad._src.tensor.parameter import Parameter

__all__ = ["as_parameter", "common_dtype", "common_shape", "require_all", "require_tensor"]


def require_tensor(owner, name, value: Tensor) -> Tensor:
    """`value`; a TypeError if it is not a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a Tensor")
    return value


def as_parameter(owner, name, value, dtype):
    """Returns a Parameter unchanged and anything else as a Tensor of that dtype; None stays None."""
    if value is None or isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, (Tensor, np.ndarray, list, int, float)):
        raise TypeError(
            f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a number, a list, an array or a Tensor"
        )
    return Tensor(value, dtype)


def common_dtype(owner, values, dtype):
    """The dtype to compute in: that of the arrays and Tensors given, float32 for integers and float64."""
    found = None
    for name, value in values.items():
        own = Tensor(value).dtype if isinstance(value, np.ndarray) else getattr(value, "dtype", None)
        if own is not None and found is not None and own != found:
            raise TypeError(f"{owner}: {name} is {own} and another parameter {found}; need one dtype for all")
        found = own or found
    chosen = found or dtype
    return chosen if chosen in (float16, float32) or (found is None and chosen == float64) else float32


def common_shape(owner, values) -> tuple | None:
    """The shape that all parameters broadcast to; None if one of them is not known yet."""
    if any(value is None for value in values.values()):
        return None
    shapes = [tuple(value.shape) for value in values.values()]
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise ValueError(
            f"{owner}: {', '.join(values)} have shapes {', '.join(map(str, shapes))}; need shapes that broadcast"
        ) from None


def require_all(owner, name, value, holds, what) -> None:
    """A ValueError unless every static entry satisfies `holds`; `what` names the condition. A Parameter without data
    is skipped.
    """
    if value is None or (isinstance(value, Parameter) and value.has_init):
        return
    if not bool(ops.all(holds(value))):
        raise ValueError(f"{owner}: {name} is {value.asnumpy().tolist()}; need {what}")
