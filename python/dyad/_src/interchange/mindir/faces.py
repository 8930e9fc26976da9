"""Operators of a captured graph as Primitives of a file, by their faces in the operator table.

An operator is written as a Primitive if one of its faces has every argument that differs from its default, and the
Primitive has all of them as inputs in files.
"""

import functools

from dyad import _core
from dyad._src.interchange.mindir import dtypes
from dyad._src.interchange.mindir.primitive_kinds import ATTRIBUTE_PRIMITIVES, FUNCTION_PRIMITIVES
from dyad._src.interchange.mindir.writer import Written


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
        made = _step(emission, entry, face, given, result)
        if made is not None:
            return made
    return None


def _step(emission, entry, face, given, result):
    """The step of a face's Primitive, or None if it does not fit."""
    name, call, init = face["name"], face["call"]["params"], face["init"]["params"]
    dtype, shape = result
    if name in FUNCTION_PRIMITIVES:
        inputs = _inputs(emission, entry, [*call, *init], given, result, as_inputs=True)
        return None if inputs is None else emission.call(name, *inputs.values(), dtype=dtype, shape=shape)
    if name not in ATTRIBUTE_PRIMITIVES:
        return None
    found = _inputs(emission, entry, [*call, *init], given, result, as_inputs=False)
    if found is None or any(isinstance(found[param["name"]], Written) for param in init):
        return None
    settings = {param["name"]: found.pop(param["name"]) for param in init}
    return emission.with_attributes(name, [*found.values()], settings, dtype, shape)


def _inputs(emission, entry, reached, given, result, as_inputs):
    """{parameter: what a Primitive is given for it} or None if they do not reach all that is needed."""
    params = {param["name"]: (param, value) for param, value in zip(entry["params"], given, strict=True)}
    if any(param["gathers"] for param in reached):
        return None
    targets = {param["target"] for param in reached}
    if any(not _is_default(*params[name]) for name in params.keys() - targets):
        return None
    inputs = {}
    for param in reached:
        made = _input(emission, entry, param, params[param["target"]][1], given, result, as_inputs)
        if made is NotImplemented:
            return None
        inputs[param["name"]] = made
    return inputs


def _is_default(param, value):
    if isinstance(value, Written):
        return False
    default = param["default"]
    return default is not None and default.strip("'\"").lower() in (str(value).lower(), repr(value).lower())


def _input(emission, entry, param, value, given, result, as_inputs):
    kind = param["kind"]
    if kind in ("Operand", "Tensor") and value is not None:
        return _operand(emission, entry, value, given, result)
    if kind == "Tensors" and isinstance(value, list):
        dtype = result[0]
        return emission.tuple_of([emission.cast(member, dtype) for member in value])
    if kind == "str" and isinstance(value, str) and as_inputs:
        number = dtypes.word_number(param["name"], value)
        return NotImplemented if number is None else number
    if kind == "ints":
        return () if value is None and not param["optional"] else _ints(value)
    return value


def _ints(value):
    return value if value is None or isinstance(value, Written) else tuple(value)


def _operand(emission, entry, value, given, result):
    """A Tensor; elementwise operators get all of theirs with one dtype."""
    if not entry["elementwise"]:
        return value if isinstance(value, Written) else NotImplemented
    is_condition = isinstance(value, Written) and value.dtype == _core.bool_ and entry["name"] == "where"
    if is_condition:
        return value
    return emission.tensor(value, operand_dtype(given, result))


def operand_dtype(given, result):
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
