"""Numbers of a captured graph, which are tensors of no dimensions in an ONNX file."""

from dyad import _core
from dyad._src.interchange.onnx import lowerings_elementwise

_BINARY = {
    "number_add": "add", "number_sub": "sub", "number_mul": "mul", "number_truediv": "div",
    "number_floordiv": "floor_divide", "number_mod": "remainder", "number_pow": "power", "number_lt": "less",
    "number_le": "less_equal", "number_gt": "greater", "number_ge": "greater_equal", "number_eq": "equal",
    "number_ne": "not_equal", "number_min": "minimum", "number_max": "maximum",
}  # fmt: skip
_CONVERSIONS = {"number_bool": _core.bool_, "number_int": _core.int64, "number_float": _core.float64}


def emit_number(e, name, given, dtype):
    """The result of an operator on numbers; None if it is none of these."""
    if name == "number_of":
        return e.reshape(given[0], ())
    if name == "tensor_of":
        return e.tensor(given[0], given[1])
    if name == "dim":
        size = given[0][0] if isinstance(given[0], list) else given[0]
        return e.reshape(e.size(size), ())
    if name in _CONVERSIONS:
        return e.tensor(given[0], _CONVERSIONS[name])
    if name in _BINARY:
        common = dtype if dtype != _core.bool_ else _common(given)
        operands = [e.tensor(value, common) for value in given]
        return lowerings_elementwise.LOWERINGS[_BINARY[name]](e, [(dtype, ())], *operands)
    if name == "number_neg":
        return e.unary("Neg", e.tensor(given[0], dtype))
    if name == "number_not":
        return e.unary("Not", e.tensor(given[0], _core.bool_))
    return e.tensor(given[0], dtype) if name == "number_pos" else None


def _common(given):
    kinds = [getattr(value, "dtype", None) or _core.Tensor(value).dtype for value in given]
    if any(kind.is_floating_point for kind in kinds):
        return _core.float64
    return _core.int64
