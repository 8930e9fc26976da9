"""Calls an operator through each of its faces with the arguments of a case."""

import math
from functools import partial

from arrays import Array, dtype_object
from promotion import ALL, APART

from dyad import Tensor, _core, ops


def materialise(value):
    """Arrays become tensors; everything else is as Python callers would write it."""
    if isinstance(value, Array):
        return value.tensor()
    if isinstance(value, list | tuple):
        return type(value)(materialise(item) for item in value)
    return value


def default_of(param: dict):
    """A parameter's default as a Python value; None where it has none."""
    if param["default"] is None:
        return None
    return eval(param["default"], {"inf": math.inf, **{name: dtype_object(name) for name in ALL}})


def refused_by_the_rules(case, error) -> bool:
    """Wide unsigned integers do not mix with numbers; a sample that walks all integers need not leave them out."""
    apart = any(array.dtype in APART for array in case.arrays())
    return apart and isinstance(error, TypeError) and "does not mix with the number" in str(error)


def canonical(op: dict, arguments: dict):
    """The call under the operator's own signature."""
    return _core.named_op(op["name"])(**arguments)


def faces(op: dict, arguments: dict):
    """(name, callable, arguments that it stands for) of each face that can express the case.

    A face may have defaults of its own, so what it stands for is not always what the case says.
    """
    for face in op["functions"]:
        call = _bound(face, arguments)
        if call:
            find = partial(getattr, ops, face["name"])
            yield f"ops.{face['name']}", _apply(find, call), _meant(arguments, face)
    first = op["params"][0]["name"] if op["params"] else None
    if isinstance(arguments.get(first), Tensor):
        rest = {name: value for name, value in arguments.items() if name != first}
        for face in op["methods"]:
            call = _bound(face, rest)
            if call:
                find = partial(getattr, arguments[first], face["name"])
                yield f"Tensor.{face['name']}", _apply(find, call), _meant(arguments, face)
    for primitive in op["primitives"]:
        yield from _primitive(primitive, arguments)


def has_faces(op: dict) -> bool:
    """True if it can be called as a function, method or Primitive and returns its result."""
    named = op["functions"] or op["methods"] or op["primitives"]
    return bool(named) and op["writes"] < 0 and not op["updates"]


def _primitive(primitive, arguments):
    own = {param["target"] for param in primitive["init"]["params"]}
    init = _bound(primitive["init"], {name: value for name, value in arguments.items() if name in own})
    call = _bound(primitive["call"], {name: value for name, value in arguments.items() if name not in own})
    if init and call:

        def find():
            return getattr(ops, primitive["name"])(*init[0], **init[1])

        yield (
            f"ops.{primitive['name']}()",
            _apply(find, call),
            _meant(arguments, primitive["init"], primitive["call"]),
        )


def _meant(arguments, *shown):
    defaults = {
        p["target"]: default_of(p) for face in shown for p in face["params"] if p["default"] is not None
    }
    return {**defaults, **arguments}


def _apply(find, call):
    return lambda: find()(*call[0], **call[1])


def _bound(face, arguments):
    """Positional and keyword arguments of a face, or None if it has no place for one of the arguments."""
    params = {param["target"]: param for param in face["params"]}
    if any(name not in params for name in arguments):
        return None
    if any(
        p["default"] is None and not p["optional"] and p["target"] not in arguments for p in face["params"]
    ):
        return None
    positional, keywords, in_order = [], {}, True
    for param in face["params"]:
        if param["target"] not in arguments:
            in_order = False
            continue
        value = arguments[param["target"]]
        if param["gathers"]:
            if not in_order:
                return None
            positional += list(value) if isinstance(value, list | tuple) and value else [value]
            in_order = False  # what takes the rest leaves nothing to give by place
        elif in_order and not param["keyword_only"]:
            positional.append(value)
        else:
            keywords[param["name"]] = value
    return positional, keywords
