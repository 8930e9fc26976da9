"""`host_only`: functions that control the process or a network from outside.

A graph is a computation; a call of such a function inside one would act once, while compiling, and never again. So
the compiler rejects it by name.
"""

from dyad import _core

JIT_IGNORE = "_jit_ignored"  # the attribute of functions that are left to Python


def host_only(function):
    """Marks the function; calling it in the dynamic graph is not affected."""
    function._not_in_graph = True
    return function


def building(function):
    """Marks a `host_only` function that a graph may call while it makes a Cell, as a method of that Cell or for it."""
    function._builds_cell = True
    return host_only(function)


def captured_graph():
    """The graph that this thread captures by reading a program; None otherwise, also where a running one is traced."""
    graph = _core.current_graph()
    return graph if getattr(graph, "is_captured", False) else None


def in_graph(program):
    """Marks a function that a captured program calls as `program`, which has the same parameters."""

    def mark(function):
        function._in_graph = program
        return function

    return mark
