"""Operators of a captured graph as Primitives of a file, by the faces that the operator table gives them.

An operator is written as a Primitive if one of its faces reaches every argument that differs from its default, and the
Primitive takes all of them as inputs in files.
"""

import functools

from dyad import _core
from dyad._src.mindir import dtypes
from dyad._src.mindir.function_primitives import FUNCTION_PRIMITIVES
from dyad._src.mindir.writer import Written


@functools.cache
def operator_table():
    """Operators by name."""
    return {entry["name"]: entry for entry in _core.op_table()}


def emit_face(emission, name, given, result):
    """The result as a step of a Primitive; None if the operator has none that fits."""
    entry = operator_table().get(name)
    if entry is None or entry["writes"] >= 0 or entry["updates"] or entry["results"] != 1:
        return None
    for face in entry["primitives"]:
        inputs = _inputs(emission, entry, face, given, result)
        if inputs is not None:
            return emission.call(face["name"], *inputs, dtype=result[0], shape=result[1])
    return None


def _inputs(emission, entry, face, given, result):
    """What a face's Primitive is given, or None if it does not fit."""
    if face["name"] not in FUNCTION_PRIMITIVES:
        return None
    params = {param["name"]: (param, value) for param, value in zip(entry["params"], given, strict=True)}
    reached = [*face["call"]["params"], *face["init"]["params"]]
    if any(param["gathers"] for param in reached):
        return None
    targets = {param["target"] for param in reached}
    if any(not _is_default(*params[name]) for name in params.keys() - targets):
        return None
    inputs = []
    for param in reached:
        made = _input(emission, entry, param, params[param["target"]][1], given, result)
        if made is NotImplemented:
            return None
        inputs.append(made)
    return inputs


def _is_default(param, value):
    if isinstance(value, Written):
        return False
    default = param["default"]
    return default is not None and default.strip("'\"").lower() in (str(value).lower(), repr(value).lower())


def _input(emission, entry, param, value, given, result):
    kind = param["kind"]
    if kind in ("Operand", "Tensor") and value is not None:
        return _operand(emission, entry, value, given, result)
    if kind == "Tensors" and isinstance(value, list):
        dtype = result[0]
        return emission.tuple_of([emission.cast(member, dtype) for member in value])
    if kind == "str" and isinstance(value, str):
        number = dtypes.word_number(param["name"], value)
        return NotImplemented if number is None else number
    if kind == "ints":
        return () if value is None and not param["optional"] else _ints(value)
    return value


def _ints(value):
    return value if value is None or isinstance(value, Written) else tuple(value)


def _operand(emission, entry, value, given, result):
    """A Tensor; elementwise operators get all of theirs with one element type."""
    if not entry["elementwise"]:
        return value if isinstance(value, Written) else NotImplemented
    is_condition = isinstance(value, Written) and value.dtype == _core.bool_ and entry["name"] == "where"
    if is_condition:
        return value
    return emission.tensor(value, _operand_dtype(given, result))


def _operand_dtype(given, result):
    """The type that an elementwise operator computes in."""
    tensors = [value.dtype for value in given if isinstance(value, Written) and value.is_tensor]
    numbers = [value for value in given if isinstance(value, (bool, int, float))]
    if result[0] != _core.bool_:
        return result[0]
    if not tensors:
        return _core.float32
    placeholders = [_core.Placeholder(dtype, ()) for dtype in tensors]
    common = placeholders[0]
    dtype = tensors[0]
    for other in [*placeholders[1:], *numbers]:
        dtype = _core.infer("add", [common, other])[0][0]
        common = _core.Placeholder(dtype, ())
    return dtype
