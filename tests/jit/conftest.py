import logging
import sys
import types
import weakref

import pytest
import stand_in

import dyad
from dyad import _core
from dyad._src import capture
from dyad._src.cell import graph
from dyad._src.jit.cache import call_compiler, compile_cache, report


@pytest.fixture
def compilations(monkeypatch):
    """The options of every compilation, in order; what is compiled runs as Python."""
    seen = []
    capturing = []

    def compile_call(compiled, function, args, kwargs, options):
        seen.append(options)
        return stand_in.entry(_as_captured(function), args, kwargs, options)

    def _as_captured(function):
        def run(*args, **kwargs):
            # Inside, Cells and jitted functions are parts of this graph.
            capturing.append(True)
            try:
                return function(*args, **kwargs)
            finally:
                capturing.pop()

        return run

    def trace_call(compiled, function, args, kwargs, options):
        return compile_call(compiled, function, args, kwargs, options), function(*args, **kwargs), ""

    core = types.SimpleNamespace(
        CompiledFunction=_core.CompiledFunction, current_graph=lambda: True if capturing else None
    )
    entry = types.SimpleNamespace(compile_call=compile_call, trace_call=trace_call)
    monkeypatch.setitem(sys.modules, "dyad._src.capture.entry", entry)
    monkeypatch.setattr(capture, "entry", entry, raising=False)
    for module in (call_compiler, graph):
        monkeypatch.setattr(module, "_core", core)
    monkeypatch.setattr(compile_cache, "every_compiled_function", weakref.WeakSet())
    monkeypatch.setattr(call_compiler, "every_compiled_function", compile_cache.every_compiled_function)
    monkeypatch.setattr(report, "_first_at", {})
    monkeypatch.setattr(compile_cache, "_kept", type(compile_cache._kept)())
    return seen


@pytest.fixture(autouse=True)
def restore_context():
    keys = ("mode", "jit_syntax_level", "jit_config", "precompile_only", "max_call_depth", "save_graphs")
    before = {key: dyad.get_context(key) for key in keys}
    yield
    dyad.set_context(**before)


@pytest.fixture
def logged():
    """Lines logged as warnings."""
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    handler = Kept(logging.WARNING)
    logging.getLogger("dyad").addHandler(handler)
    yield lines
    logging.getLogger("dyad").removeHandler(handler)
