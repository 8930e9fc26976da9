"""Bytecode capture without a decorator, as the reference offers it to its own front end."""

import types

from dyad._src.jit.api.jit import jit
from dyad._src.jit.options.bytecode_switch import switch_off, switch_on


def jit_mode_pi_enable():
    """Switch bytecode capture on for the whole process, as it is from the beginning; True."""
    switch_on()
    return True


def jit_mode_pi_disable():
    """Switch bytecode capture off: Python runs what was jitted in this mode, until it is on again; True.

    To decorate a function in this mode, and to enter a `PIJitCaptureContext`, switches it on.
    """
    switch_off()
    return True


def function_id(fn):
    """The id of the function behind a method, of the type's own entry behind a method of a built-in type."""
    if isinstance(fn, (types.BuiltinMethodType, types.MethodWrapperType)):
        owner = fn.__self__
        if owner is not None and not isinstance(owner, (types.ModuleType, type)):
            return id(getattr(type(owner), fn.__name__))
    return id(getattr(fn, "__func__", fn))


def jit_mode_pi_compile(fn, jit_config=None, input_signature=None):
    """Make a compiled form of `fn`, which `get_code_extra` finds; whether there is one. Calls of `fn` do not use it."""
    made = jit(fn, capture_mode="bytecode", jit_config=jit_config, input_signature=input_signature)
    return made is not fn
