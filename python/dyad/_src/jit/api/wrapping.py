"""Wraps functions, methods and Cells as compiled callables."""

import inspect
import types

from dyad._src.autodiff.transformed import TransformedFunction, called
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.error_owner import warn_user
from dyad._src.jit.api.cell_compiler import compiled_cell
from dyad._src.jit.api.metadata import dress, is_jitted
from dyad._src.jit.cache import compile_cache
from dyad._src.jit.cache.call_compiler import CallCompiler, make_compiled
from dyad._src.jit.cache.report import CompileReport, location_of
from dyad._src.jit.dynamic_shapes.templates import require_signature
from dyad._src.jit.graph_break.bytecode.calls import BytecodeCompiler
from dyad._src.jit.graph_break.bytecode.code_extra import compiled_before, remember_compiled

_ALREADY = "jit: {} is already jitted; its own options hold and the outer ones are dropped"


def wrap(target, options, input_signature=None):
    """The compiled form of a function, method, Cell or Cell class; other callables stay as they are, with a warning."""
    if isinstance(target, (classmethod, staticmethod)):
        return type(target)(wrap(target.__func__, options, input_signature))
    if inspect.isclass(target) and issubclass(target, AbstractCell):
        return _wrap_cell_class(target, options, input_signature)
    if isinstance(target, AbstractCell):
        signature = inspect.signature(target.construct)
        templates = require_signature(type(target).__name__, input_signature, signature)
        return types.MethodType(compiled_cell(target, options, templates), target)
    if is_jitted(target):
        warn_user(_ALREADY.format(_name(target)))
        return target
    if isinstance(target, types.MethodType) and isinstance(target.__func__, types.FunctionType):
        return types.MethodType(_wrap_function(target.__func__, options, input_signature), target.__self__)
    if isinstance(target, types.FunctionType):
        return _wrap_function(target, options, input_signature)
    if isinstance(target, TransformedFunction):
        return _wrap_transformed(target, options, input_signature)
    if getattr(type(target), "is_in_graph", False):
        return target
    if not callable(target):
        raise TypeError(
            f"jit: function is {target!r} of type {type(target).__name__}; "
            "need a function, a method, a Cell or a Cell class"
        )
    warn_user(
        f"jit: {_name(target)}, of type {type(target).__name__}, stays as it is; "
        "functions, methods, Cells and Cell classes are compiled"
    )
    return target


def _name(target):
    return getattr(target, "__qualname__", None) or repr(target)


def _wrap_function(function, options, input_signature):
    if options.capture_mode == "bytecode":
        reason = _not_read_as_bytecode(function)
        if reason is not None:
            warn_user(f"jit: {function.__qualname__} {reason} and stays as it is")
            return function
    key = compile_cache.kept_key(function, options)
    if key is not None:
        kept = compile_cache.find_kept(key, function)
        if kept is not None:
            return kept
    reads_bytecode = options.capture_mode == "bytecode"
    if reads_bytecode and key is None and input_signature is None:
        known = compiled_before(function, options)
        if known is not None:
            return known
    signature = inspect.signature(function)
    templates = require_signature(function.__qualname__, input_signature, signature)
    compiled, compiler = make_compiled(function, options, templates, _compiler_kind(options))
    dress(compiled, compiler, function, signature)
    if reads_bytecode:
        remember_compiled(compiled, function)
    if key is not None:
        compile_cache.keep(key, compiled)
    return compiled


def _compiler_kind(options):
    return BytecodeCompiler if options.capture_mode == "bytecode" else CallCompiler


def _wrap_transformed(target, options, input_signature):
    """The gradient function of a program, or another transform of it, is compiled as one graph."""
    function = called(target)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have none
        signature = inspect.signature(function, follow_wrapped=False)
    templates = require_signature(function.__qualname__, input_signature, signature)
    if options.capture_mode == "trace":
        options = options.replace(capture_mode="ast")
    compiled, compiler = make_compiled(function, options, templates, _compiler_kind(options))
    compiler.report = CompileReport(function.__qualname__, location_of(target.__wrapped__), hints=False)
    dress(compiled, compiler, function, signature)
    return compiled


def _not_read_as_bytecode(function):
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "is a generator function"
    if inspect.iscoroutinefunction(function):
        return "is an async function"
    if (function.__module__ or "").partition(".")[0] == "dyad":
        return "belongs to the framework"
    return None


def _wrap_cell_class(cell_class, options, input_signature):
    construct = cell_class.construct
    if is_jitted(construct):
        warn_user(_ALREADY.format(f"{cell_class.__qualname__}.construct"))
    else:
        cell_class.construct = _wrap_function(construct, options, input_signature)
    return cell_class
