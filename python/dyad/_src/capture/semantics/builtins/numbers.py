"""Functions of numbers: conversions, and those that ask the class of their argument."""

import math
import operator

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.semantics.builtins.registry import builtin, by_method, plain_call, splitting
from dyad._src.capture.semantics.values import MISSING, OneOf, is_leaf, is_symbolic_tensor

# What converts a value -> the methods of its class that are asked for, in order.
_CONVERSIONS = {int: ("__int__", "__index__", "__trunc__"), float: ("__float__", "__index__")}

# A function of one argument -> the methods of the argument's class that are asked for, in order.
_ASKED_METHODS = {
    complex: ("__complex__", "__float__", "__index__"),
    bytes: ("__bytes__",),
    math.floor: ("__floor__",),
    math.ceil: ("__ceil__",),
    math.trunc: ("__trunc__",),
    operator.index: ("__index__",),
    operator.length_hint: ("__len__", "__length_hint__"),
}


def _register_conversion(kind, methods):
    @builtin(kind)
    @splitting
    def convert(interpreter, args, kwargs):
        if len(args) == 1 and not kwargs:
            value = args[0]
            if is_symbolic_tensor(value):
                value = interpreter.subscripts.item_of(value, kind)
            if isinstance(value, GraphNumber):
                if value.kind is kind:
                    return _unmarked(interpreter, value)
                return interpreter.host.native(_core.number_op, kind.__name__, value)
            own = by_method(interpreter, value, *methods)
            if own is not MISSING:
                return own
        return plain_call(interpreter, kind, args, kwargs)


def _unmarked(interpreter, number):
    """The number itself, or one like it where it is marked: a conversion leaves the mark behind."""
    if interpreter.external.marks.class_of(number) is None:
        return number
    return interpreter.host.native(operator.mul, number, 1)


def _register_asking(function, methods):
    @builtin(function)
    @splitting
    def call(interpreter, args, kwargs):
        own = by_method(interpreter, args[0], *methods) if len(args) == 1 and not kwargs else MISSING
        return interpreter.native_calls.call_native(function, args, kwargs) if own is MISSING else own


for _kind, _methods in _CONVERSIONS.items():
    _register_conversion(_kind, _methods)
for _function, _methods in _ASKED_METHODS.items():
    _register_asking(_function, _methods)


@builtin(hash)
def _hash(interpreter, args, kwargs):
    own = by_method(interpreter, args[0], "__hash__") if len(args) == 1 else MISSING
    if own is not MISSING:
        return own
    for value in args:
        interpreter.subscripts.require_plain_hash(value)
    return interpreter.native_calls.call_native(hash, args, kwargs)


@builtin(bool)
def _bool(interpreter, args, kwargs):
    if len(args) == 1 and not kwargs:
        truth = interpreter.operators.truth(args[0])
        marked = truth is args[0] and interpreter.external.marks.class_of(truth) is not None
        return interpreter.operators.negated(interpreter.operators.negated(truth)) if marked else truth
    return plain_call(interpreter, bool, args, kwargs)


@builtin(abs)
@splitting
def _abs(interpreter, args, kwargs):
    own = by_method(interpreter, args[0], "__abs__") if len(args) == 1 else MISSING
    return interpreter.host.native(abs, *args, **kwargs) if own is MISSING else own


@builtin(round)
@splitting
def _round(interpreter, args, kwargs):
    method = interpreter.attributes.user_method(args[0], "__round__") if args else None
    if method is not None:
        return interpreter.calls.call(method, args[1:], kwargs)
    return interpreter.host.native(round, *args, **kwargs)


@builtin(pow)
@splitting
def _pow(interpreter, args, kwargs):
    if len(args) == 2 and isinstance(args[1], OneOf):
        return interpreter.branches.split(
            args[1], lambda chosen: _pow(interpreter, (args[0], chosen), kwargs)
        )
    if len(args) == 2 and not kwargs:
        return interpreter.operators.binary(operator.pow, *args)
    if len(args) == 3 and interpreter.attributes.user_method(args[0], "__pow__") is not None:
        return interpreter.calls.call(
            interpreter.attributes.user_method(args[0], "__pow__"), args[1:], kwargs
        )
    return interpreter.host.native(pow, *args, **kwargs)


@builtin(divmod)
@splitting
def _divmod(interpreter, args, kwargs):
    if len(args) == 2 and not kwargs:
        done = interpreter.special_methods.by_methods(*args, "__divmod__", "__rdivmod__", "divmod()")
        if done is not MISSING:
            return done
    if len(args) == 2 and any(is_leaf(value) for value in args):
        return args[0] // args[1], args[0] % args[1]
    return plain_call(interpreter, divmod, args, kwargs)


@builtin(Tensor.tolist)
@splitting
def _tolist(interpreter, args, kwargs):
    if len(args) != 1 or kwargs or not is_symbolic_tensor(args[0]):
        return interpreter.calls.call_framework(Tensor.tolist, args, kwargs)
    listed = None if interpreter.strict else interpreter.subscripts.list_of(args[0])
    if listed is None:
        raise interpreter.attributes.needs_data("tolist")
    return listed
