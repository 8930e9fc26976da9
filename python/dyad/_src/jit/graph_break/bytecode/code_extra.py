"""Introspection of a function whose bytecode is captured: its state, its graphs, its breaks."""

import types
import weakref

from dyad._core import CompiledFunction
from dyad._src.base.abstract_cell import AbstractCell

# The attribute of a function that keeps its compiled form alive as long as the function.
_COMPILED = "__compiled_from_bytecode__"

# id of a code object -> the callable that was compiled of it last, which keeps the code alive.
_compiled_of: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def remember_compiled(compiled, function):
    """Lets `get_code_extra` find what is compiled of a function."""
    _compiled_of[id(function.__code__)] = compiled
    if compiled.__wrapped__ is function:
        setattr(function, _COMPILED, compiled)


def compiled_before(function, options):
    """Returns the compiled form of this function with the same options, or None: its graphs are shared."""
    known = vars(function).get(_COMPILED)
    return known if known is not None and known.__jit_compiler__.options == options else None


def find_compiled(target):
    """The compiled form of a function, a method, a Cell, a code object or what `jit` made of one; None without one."""
    if issubclass(target if isinstance(target, type) else type(target), AbstractCell):
        target = target.construct
    target = getattr(target, "__func__", target)
    while target is not None:
        if isinstance(target, CompiledFunction) and hasattr(target.__jit_compiler__, "uses"):
            return target
        code = target if isinstance(target, types.CodeType) else getattr(target, "__code__", None)
        found = _compiled_of.get(id(code))
        if found is not None and found.__jit_compiler__.code is code:
            return found
        target = getattr(target, "__wrapped__", None)
    return None


def get_code_extra(fn):
    """Describes a function, method, Cell or code object; None if its bytecode was never to be captured.

    `stat` is NEVER_COMPILE (Python runs it), GRAPH_CANDIDATE (not called yet), GRAPH_BUILDING, GRAPH_CAPTURED (to be
    run later) or GRAPH_CALLABLE. `compile_count_` counts compilations, `break_count_` is 1 if a graph ends in the
    function, and `breaks_` says why and where: (reason, "file:line"). `code`, if there is some, tells of what was used
    last: `phase_` is the name of its graph, empty without one; `compiled_code_` the code that runs, `guard_` the guards
    in words, `call_count_` how often it was called.
    """
    compiled = find_compiled(fn)
    if compiled is None:
        return None
    compiler = compiled.__jit_compiler__
    told = {
        "stat": _state(compiled, compiler),
        "compile_count_": _compile_count(compiler),
        "break_count_": 1 if compiler.breaks else 0,
        "breaks_": [(reason, f"{file}:{line}") for reason, file, line in compiler.breaks],
    }
    code = _code(compiled, compiler)
    if code is not None:
        told["code"] = code
    return told


def _state(compiled, compiler):
    if compiler.is_compiling:
        return "GRAPH_BUILDING"
    if compiler.given_up:
        return "NEVER_COMPILE"
    if compiled.entries or compiler.split is not None:
        return "GRAPH_CALLABLE"
    if compiler.waiting:
        return "GRAPH_CALLABLE" if compiler.uses.of(compiled, compiler.waiting[-1]) else "GRAPH_CAPTURED"
    return "GRAPH_CANDIDATE"


def _compile_count(compiler):
    own = compiler.report.compilations[-1].number if compiler.report.compilations else 0
    first = next(iter(_graph_pieces(compiler)), None)
    if first is not None:
        own += len(first.compiled.__jit_compiler__.report.compilations)
    return own


def _graph_pieces(compiler):
    """The parts of a split function that are graphs, in order."""
    pieces = compiler.split.pieces() if hasattr(compiler.split, "pieces") else ()
    return [piece for piece in pieces if piece.is_graph and piece.graphs]


def _code(compiled, compiler):
    """Describes the code that was used last."""
    entries = compiled.entries or compiler.waiting[::-1]
    if entries:
        entry = entries[0]
        number = getattr(compiler.report.compilation_of(entry), "number", 1)
        return {
            "phase_": f"{compiler.report.name}.{number}" if entry.program is not None else "",
            "compiled_code_": compiler.code,
            "guard_": entry.tree.describe(),
            "call_count_": compiler.uses.of(compiled, entry),
        }
    if compiler.split is None or compiler.given_up:
        return None
    pieces = _graph_pieces(compiler)
    runnable = compiler.split.runnable() if hasattr(compiler.split, "runnable") else compiler.function
    first = pieces[0].compiled.entries if pieces else ()
    return {
        "phase_": f"{compiler.report.name}.1" if pieces else "",
        "compiled_code_": runnable.__code__,
        "guard_": first[0].tree.describe() if first else [],
        "call_count_": max(pieces[0].calls if pieces else 0, compiled.misses),
    }
