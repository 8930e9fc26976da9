"""What `jit` makes of the object it is given."""

import functools
import inspect
import types
import warnings

from dyad._src.jit.call_compiler import make_compiled

_ALREADY = "jit: {} is already jitted; its own options hold and the outer ones are dropped"


def is_jitted(target):
    """Whether `target` is what `jit` returned."""
    return getattr(target, "__wrapped_by_jit__", False) is True


def wrap(target, options):
    """The compiled form of a function, method, Cell or Cell class; other callables stay as they are, with a warning."""
    from dyad.nn.cell import Cell

    if isinstance(target, (classmethod, staticmethod)):
        return type(target)(wrap(target.__func__, options))
    if inspect.isclass(target) and issubclass(target, Cell):
        return _wrap_cell_class(target, options)
    if isinstance(target, Cell):
        return _wrap_cell(target, options)
    if is_jitted(target):
        warnings.warn(_ALREADY.format(_name(target)), stacklevel=3)
        return target
    if isinstance(target, types.MethodType) and isinstance(target.__func__, types.FunctionType):
        return types.MethodType(_wrap_function(target.__func__, options), target.__self__)
    if isinstance(target, types.FunctionType):
        return _wrap_function(target, options)
    if not callable(target):
        raise TypeError(
            f"jit: function is {target!r} of type {type(target).__name__}; "
            "need a function, a method, a Cell or a Cell class"
        )
    warnings.warn(
        f"jit: {_name(target)} is a {type(target).__name__} and stays as it is; "
        "functions, methods, Cells and Cell classes are compiled",
        stacklevel=3,
    )
    return target


def _name(target):
    return getattr(target, "__qualname__", None) or repr(target)


def _wrap_function(function, options):
    if options.capture_mode == "bytecode":
        reason = _not_read_as_bytecode(function)
        if reason is not None:
            warnings.warn(f"jit: {function.__qualname__} {reason} and stays as it is", stacklevel=4)
            return function
    compiled, compiler = make_compiled(function, options)
    return dress(compiled, compiler, function, inspect.signature(function))


def _not_read_as_bytecode(function):
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "is a generator function"
    if inspect.iscoroutinefunction(function):
        return "is an async function"
    if (function.__module__ or "").partition(".")[0] == "dyad":
        return "belongs to the framework"
    return None


def dress(compiled, compiler, function, signature):
    """Give a compiled callable the name, documentation and signature of what it was made from."""
    functools.update_wrapper(compiled, function)
    compiled.__signature__ = signature
    compiled.__wrapped_by_jit__ = True
    compiled.__jit_compiler__ = compiler
    return compiled


def call_cell(cell, *args, **kwargs):
    """A Cell as a function: what is compiled when a Cell is called as a static graph."""
    return cell(*args, **kwargs)


def _wrap_cell(cell, options):
    from dyad._src.jit.cell_compiler import CellCompiler

    compiled, compiler = make_compiled(call_cell, options, CellCompiler)
    dress(compiled, compiler, type(cell).construct, _signature_with_receiver(cell.construct))
    compiled.__wrapped__ = cell
    return types.MethodType(compiled, cell)


def _signature_with_receiver(method):
    """The signature of a bound method with a first parameter for what it is bound to."""
    signature = inspect.signature(method)
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(parameters=[receiver, *signature.parameters.values()])


def _wrap_cell_class(cell_class, options):
    construct = cell_class.construct
    if is_jitted(construct):
        warnings.warn(_ALREADY.format(f"{cell_class.__qualname__}.construct"), stacklevel=3)
    else:
        cell_class.construct = _wrap_function(construct, options)
    return cell_class
