"""Functions of `functools`, `os`, `operator`, `heapq`, `bisect`, `copy` and `dataclasses` on captured values."""

import bisect
import copy
import dataclasses
import functools
import heapq
import operator
import os
from typing import Any

from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.semantics.builtins.registry import builtin, model
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.operators.operator_table import BINARY, COMPARISONS, UNARY
from dyad._src.capture.semantics.values import MISSING

# ---- operator


def _register_operators():
    for function, op in BINARY.items():
        model(function, 2)(lambda interpreter, a, b, op=function: interpreter.operators.binary(op, a, b))
        model(op.in_place, 2)(
            lambda interpreter, a, b, op=function: interpreter.operators.augmented(op, a, b)
        )
    for function in (*COMPARISONS, operator.is_, operator.is_not):
        model(function, 2)(lambda interpreter, a, b, op=function: interpreter.operators.compare(op, a, b))
    for unary in (*UNARY, operator.not_):
        model(unary, 1)(lambda interpreter, a, op=unary: interpreter.operators.unary(op, a))
    model(operator.getitem, 2)(lambda interpreter, a, b: interpreter.subscripts.read_item(a, b))
    model(operator.setitem, 3)(lambda interpreter, a, b, c: interpreter.subscripts.write_item(a, b, c))
    model(operator.delitem, 2)(lambda interpreter, a, b: interpreter.subscripts.delete_item(a, b))
    model(operator.contains, 2)(lambda interpreter, a, b: interpreter.operators.contains(a, b))
    model(operator.truth, 1)(lambda interpreter, a: interpreter.operators.truth(a))
    model(operator.abs, 1)(lambda interpreter, a: interpreter.calls.call(abs, (a,), {}))
    model(operator.concat, 2)(lambda interpreter, a, b: interpreter.operators.binary(operator.add, a, b))


_register_operators()


def call_getter(interpreter, getter, args):
    """Calls `itemgetter`, `attrgetter` or `methodcaller`: what they are made of is told by how they are copied."""
    made, parts = getter.__reduce__()[:2]
    if isinstance(made, functools.partial):  # a methodcaller with keywords
        name, keywords = made.args[0], made.keywords
        return interpreter.calls.call(interpreter.attributes.read_attribute(args[0], name), parts, keywords)
    if made is operator.methodcaller:
        return interpreter.calls.call(interpreter.attributes.read_attribute(args[0], parts[0]), parts[1:], {})
    if made is operator.itemgetter:
        found = [interpreter.subscripts.read_item(args[0], key) for key in parts]
    else:
        found = [
            functools.reduce(interpreter.attributes.read_attribute, name.split("."), args[0])
            for name in parts
        ]
    return found[0] if len(found) == 1 else tuple(found)


# ---- functools


@builtin(functools.reduce)
def _reduce(interpreter, args, kwargs):
    if kwargs or len(args) not in (2, 3):
        return interpreter.host.native(functools.reduce, *args, **kwargs)
    iterator = interpreter.iteration.iterator_of(args[1])
    total = args[2] if len(args) == 3 else interpreter.iteration.advance(iterator)
    if total is MISSING:
        interpreter.throwing.throw(TypeError("reduce() of empty iterable with no initial value"))
    while (item := interpreter.iteration.advance(iterator)) is not MISSING:
        total = interpreter.calls.call(args[0], (total, item), {})
    return total


# ---- os


@builtin(os.getenv)
def _getenv(interpreter, args, kwargs):
    found = interpreter.environment.call("get", args, kwargs)
    if found is MISSING:
        raise interpreter.native_calls.impure(os.getenv)
    return found


# ---- heapq and bisect change the list that they are given


def _on_list(function):
    @builtin(function)
    def call(interpreter, args, kwargs):
        items = args[0] if args else None
        if isinstance(items, list):
            if (
                interpreter.operators.needs_capture(items)
                or interpreter.operators.needs_capture(args[1:])
                or kwargs.get("key")
            ):
                raise interpreter.rejection(
                    UNKNOWN,
                    f"{function.__name__}: the order depends on values of the graph or on methods of the program",
                    "Use numbers or texts, or sort a Tensor with ops.sort.",
                )
            interpreter.heap.touch(items)
        return interpreter.host.native(function, *args, **kwargs)


for _function in (heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop):
    _on_list(_function)
for _function in (bisect.insort, bisect.insort_left, bisect.insort_right):
    _on_list(_function)


# ---- copy


model(copy.copy, 1)(lambda interpreter, value: interpreter.copying.copied(value, deep=False))
model(copy.deepcopy, 1)(lambda interpreter, value: interpreter.copying.copied(value, deep=True))


# ---- functools.wraps


@builtin(functools.wraps)
def _wraps(interpreter, args, kwargs):
    if len(args) != 1 or kwargs:
        return interpreter.host.native(functools.wraps, *args, **kwargs)
    return functools.partial(functools.update_wrapper, wrapped=args[0])


@builtin(functools.update_wrapper)
def _update_wrapper(interpreter, args, kwargs):
    wrapper, wrapped = (*args, kwargs.get("wrapped"))[:2]
    if not isinstance(wrapper, ClosureFunction) or len(args) + len(kwargs) != 2:
        raise interpreter.rejection(
            UNKNOWN,
            "update_wrapper: only a function that is made inside the graph is changed",
            "Decorate the function outside of the compiled function.",
        )
    interpreter.heap.touch(wrapper.attributes)
    for name in functools.WRAPPER_ASSIGNMENTS:
        if name in ("__module__", "__name__", "__qualname__", "__doc__"):
            value = interpreter.host.catching(
                AttributeError, lambda name=name: interpreter.attributes.read_attribute(wrapped, name)
            )
            if value is not MISSING:
                wrapper.attributes[name] = value
    held = {}
    if isinstance(wrapped, ClosureFunction):
        held = {name: value for name, value in wrapped.attributes.items() if not name.startswith("__")}
    elif hasattr(wrapped, "__dict__"):
        held = interpreter.iteration.known_mapping(interpreter.attributes.read_attribute(wrapped, "__dict__"))
    wrapper.attributes.update(held)
    wrapper.attributes["__wrapped__"] = wrapped
    return wrapper


# ---- dataclasses


@builtin(dataclasses.fields)
def _fields(interpreter, args, kwargs):
    cls = args[0] if args and isinstance(args[0], type) else type(args[0]) if args else None
    return interpreter.host.guarded(dataclasses.fields, cls, **kwargs)


@builtin(dataclasses.replace)
def _replace(interpreter, args, kwargs):
    if len(args) != 1 or not dataclasses.is_dataclass(args[0]):
        return interpreter.host.native(dataclasses.replace, *args, **kwargs)
    given = dict(kwargs)
    cls: Any = type(args[0])
    for field in cls.__dataclass_fields__.values():
        if field._field_type.name != "_FIELD" or not field.init:
            if field.name in given or field._field_type.name == "_FIELD_INITVAR":
                raise interpreter.rejection(
                    UNKNOWN,
                    f"replace: field {field.name} is not set by the constructor alone",
                    "Make the object with its constructor.",
                )
            continue
        if field.name not in given:
            given[field.name] = interpreter.attributes.read_attribute(args[0], field.name)
    return interpreter.calls.call(type(args[0]), (), given)
