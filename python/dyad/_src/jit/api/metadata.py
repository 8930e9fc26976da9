"""Gives a compiled callable the face of what it was made from."""

import functools
import inspect


def dress(compiled, compiler, function, signature):
    """Name, documentation and signature of `function`, and the mark of a jitted callable."""
    functools.update_wrapper(compiled, function)
    compiled.__signature__ = signature
    compiled.__wrapped_by_jit__ = True
    compiled.__jit_compiler__ = compiler
    return compiled


def is_jitted(target):
    """Returns whether `target` is what `jit` returned."""
    return getattr(target, "__wrapped_by_jit__", False) is True


def signature_with_receiver(method):
    """The signature of a bound method with a first parameter for what it is bound to."""
    signature = inspect.signature(method)
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(parameters=[receiver, *signature.parameters.values()])
