"""Numbers of a captured graph in a file.

A number that comes from a Tensor, or that enters a branch or a loop, stays a Tensor there: files have numbers that
follow from shapes, but hardly any that follow from data.
"""

from dyad import _core

# Operator of the graph -> (Primitive on numbers, Primitive on Tensors).
_BINARY = {
    "number_add": ("ScalarAdd", "Add"),
    "number_sub": ("ScalarSub", "Sub"),
    "number_mul": ("ScalarMul", "Mul"),
    "number_truediv": ("ScalarDiv", "Div"),
    "number_floordiv": ("ScalarFloorDiv", "FloorDiv"),
    "number_mod": ("ScalarMod", "FloorMod"),
    "number_pow": ("ScalarPow", "Pow"),
    "number_lt": ("ScalarLt", "Less"),
    "number_le": ("ScalarLe", "LessEqual"),
    "number_gt": ("ScalarGt", "Greater"),
    "number_ge": ("ScalarGe", "GreaterEqual"),
    "number_eq": ("ScalarEq", "Equal"),
    "number_ne": (None, "NotEqual"),
    "number_min": ("ScalarMin", "Minimum"),
    "number_max": ("ScalarMax", "Maximum"),
}
_CONVERSIONS = {"number_bool": _core.bool_, "number_int": _core.int64, "number_float": _core.float64}


def emit_number(emission, operation, result):
    """The result of an operator on numbers; None if it is none of these."""
    name, dtype = operation.name, result[0]
    given = [emission.argument(argument) for argument in operation.arguments]
    if name == "number_of":
        return given[0] if given[0].shape == () else emission.reshape(given[0], ())
    if name == "tensor_of":
        return emission.tensor(given[0], given[1])
    if name == "dim":
        return emission.size(given[0][0] if isinstance(given[0], list) else given[0])
    if name in _CONVERSIONS:
        return _converted(emission, emission.input(given[0]), _CONVERSIONS[name])
    if name in _BINARY:
        return _binary(emission, name, [emission.input(value) for value in given], dtype)
    if name == "number_neg":
        return _binary(emission, "number_sub", [emission.input(0), emission.input(given[0])], dtype)
    if name == "number_not":
        value = _converted(emission, emission.input(given[0]), _core.bool_)
        return emission.call("LogicalNot", emission.tensor(value, _core.bool_), dtype=_core.bool_, shape=())
    return given[0] if name == "number_pos" else None


def _converted(emission, value, dtype):
    if value.is_tensor:
        return emission.cast(value, dtype)
    if value.dtype == dtype:
        return value
    if value.known:
        kind = {_core.bool_: bool, _core.int64: int}.get(dtype, float)
        return emission.writer.constant(kind(value.known[0]))
    return (
        emission.call("ScalarBool", value, dtype=dtype)
        if dtype == _core.bool_
        else emission.tensor(value, dtype)
    )


def _binary(emission, name, given, dtype):
    on_numbers, on_tensors = _BINARY[name]
    if on_numbers is not None and not any(value.is_tensor for value in given):
        return emission.call(on_numbers, *given, dtype=dtype)
    common = dtype if dtype != _core.bool_ else _common(given)
    return emission.call(
        on_tensors, *[emission.tensor(value, common) for value in given], dtype=dtype, shape=()
    )


def _common(given):
    kinds = {value.dtype for value in given}
    if any(kind.is_floating_point for kind in kinds):
        return _core.float64
    return _core.bool_ if kinds == {_core.bool_} else _core.int64
