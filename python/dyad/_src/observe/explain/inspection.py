"""Captures and compiles one call for inspection. Nothing is run and nothing is stored."""

import dataclasses
import time
from typing import Any

from dyad import _core
from dyad._src.jit.cache.cause import Cause, cause_of
from dyad._src.observe.explain.explanation import Explanation
from dyad._src.observe.explain.graph_view import GraphView
from dyad._src.observe.explain.split_view import SplitView
from dyad._src.observe.explain.target import find_target

TRACE_IS_RECORDED_BY_RUNNING = (
    'capture_mode="trace" records a graph by running the function; '
    "call it once with such arguments, then ask again"
)


@dataclasses.dataclass(frozen=True)
class Inspection:
    """The outcome of one call. If `error` is set, the call has no graph, and all following fields are None.

    `entry` is the existing cache entry for such a call; without one, `cause` is the reason why it would be compiled.
    """

    target: Any
    options: Any
    entry: Any
    cause: Cause | None
    error: Exception | None = None
    view: GraphView | None = None
    tree: Any = None
    program: Any = None
    report: dict | None = None
    capture_milliseconds: float | None = None

    @property
    def runs_in_python(self):
        """True if Python runs the call because it is not a single graph."""
        refused = self.error is not None and self.target.compiler.capture.refusal_of(self.error) is not None
        return refused and self.options.lax and not self.options.raises_at_breaks


def inspect_call(asked_by, callable_object, args, kwargs):
    """An Inspection of calling this object with these arguments. TypeError if jit does not accept it."""
    target = find_target(asked_by, callable_object)
    args = (*target.receivers, *args)
    entry = target.serving_entry(args, kwargs)
    options = target.options_for(entry, args, kwargs)
    cause = None if entry is not None else cause_of(target.compiled, args, kwargs)
    found = Inspection(target, options, entry, cause)
    if options.capture_mode == "trace":
        return _inspect_trace(found)
    try:
        target.compiler.require_compilable(args, kwargs)
        return _inspect_capture(found, args, kwargs)
    except Exception as error:
        # Any error is the answer that the user asked for.
        return dataclasses.replace(found, error=error)


def _inspect_capture(found, args, kwargs):
    from dyad._src.capture.entry import capture_call

    target = found.target
    start = time.perf_counter()
    captured = capture_call(target.compiled, target.compiler.function, args, kwargs, found.options)
    milliseconds = (time.perf_counter() - start) * 1e3
    text = captured.graph.text()
    program = captured.graph.compile(optimise=found.options.optimises)
    return _with_program(found, program, captured.tree, text, milliseconds)


def _inspect_trace(found):
    if found.entry is None:
        return dataclasses.replace(found, error=_core.CaptureError(TRACE_IS_RECORDED_BY_RUNNING))
    program = found.entry.program
    return _with_program(found, program, found.entry.tree, program.text(), None)


def _with_program(found, program, tree, text, milliseconds):
    name, function = found.target.report.name, found.target.compiler.function
    compiled = GraphView(name, program.text(), function=function)
    return dataclasses.replace(
        found,
        view=GraphView(name, text, compiled, function),
        tree=tree,
        program=program,
        report=program.report,
        capture_milliseconds=milliseconds,
    )


def ir(function):
    """A callable that captures a call of `function` and returns its graph, a GraphView, without running it.

    `function` is a function, a method, a Cell, or a result of `jit`. `str(dyad.ir(f)(x))` is the text of the graph;
    `.show()` writes an HTML page of it. Of a function that Python runs, with graphs for parts of it, all are listed
    after its first call. Errors are those of a call of the jitted function.
    """

    def capture(*args, **kwargs):
        found = inspect_call("ir", function, args, kwargs)
        if found.error is None:
            return found.view
        if not found.runs_in_python:
            raise found.error
        split = found.target.compiler.split
        pieces = split.pieces() if hasattr(split, "pieces") else []
        return SplitView(found.target.report.name, pieces, getattr(split, "source", None), found.error)

    return capture


def explain(function):
    """A callable that explains how a call of `function` becomes a static graph; it runs nothing.

    The Explanation it returns prints how the call is captured, its guards, the compilations so far with their causes,
    the nodes and the time of every stage, and the memory plan, or the reason why the call cannot be captured.
    """

    def describe(*args, **kwargs):
        return Explanation(inspect_call("explain", function, args, kwargs))

    return describe
