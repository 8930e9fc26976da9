"""`dyad.ir` and `dyad.explain`: what a call becomes as a static graph, without running it."""

from dyad._src.observe.explain.explanation import Explanation
from dyad._src.observe.explain.inspection import inspect_call
from dyad._src.observe.explain.split_view import SplitView


def ir(function):
    """A callable that captures a call of `function` and returns its graph, a GraphView, without running it.

    `function` is a function, a method, a Cell, or what `jit` returned. `str(dyad.ir(f)(x))` is the text of the graph;
    `.show()` writes an HTML page of it. Of a function that Python runs, with graphs for parts of it, all are listed
    once it was called. What is refused raises as a call of the jitted function would.
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
    """A callable that tells how a call of `function` becomes a static graph; it runs nothing.

    The Explanation it returns prints how the call is captured, its guards, the compilations so far with what changed,
    the nodes and the time of every stage, and the memory plan. If the call cannot be captured it says why.
    """

    def describe(*args, **kwargs):
        return Explanation(inspect_call("explain", function, args, kwargs))

    return describe
