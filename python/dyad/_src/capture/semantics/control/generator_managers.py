"""Context managers made of generators: `with` runs its block where the generator yields.

What stands before `yield` is entering, what stands behind it is leaving; an exception of the block is raised at the
`yield`. So the generator is captured like a function that is called, and its `yield` like the call of the block.
"""

import contextlib

from dyad._src.base.break_reasons import UNKNOWN, YIELD, capture_error
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.part import Part

_MAKER = contextlib.contextmanager(lambda: iter(())).__code__


def makes_manager(function):
    """Returns whether a function is what `contextmanager` made of a generator function."""
    return function.__code__ is _MAKER


class GeneratorManager:
    """A context manager that is not entered yet: a generator function with its arguments."""

    def __init__(self, function, args, kwargs):
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __call__(self, *args, **kwargs):
        raise capture_error(
            UNKNOWN, "contextmanager: a context manager is used as a decorator inside a static graph"
        )

    def __getattr__(self, name):
        raise capture_error(
            UNKNOWN, f"contextmanager: {name} of a context manager is used without a with statement"
        )


class GeneratorManagers(Part):
    """Runs `with` blocks of managers that `contextlib.contextmanager` makes."""

    def with_generator(self, manager, position, block):
        """`block(value)` at the place where the generator of the manager yields."""
        outer = self.interpreter.frame
        state = self.heap.note_namespace({"yielded": False, "way": None})

        def on_yield(value):
            if state["yielded"] is not False:
                raise self._not_once("more than one time")
            self._note(state, "yielded", True)
            with self.resumed(outer):
                completion = self.interpreter.try_blocks.checked_completion(
                    "with", position, lambda: block(value)
                )
            self._note(state, "way", self.interpreter.completions.resume(completion))

        if isinstance(manager.function, ClosureFunction):
            self.interpreter.functions.call_closure(manager.function, manager.args, manager.kwargs, on_yield)
        else:
            self.interpreter.functions.call_function(manager.function, manager.args, manager.kwargs, on_yield)
        if state["yielded"] is False:
            self.interpreter.throwing.throw(RuntimeError("generator didn't yield"))
        if state["yielded"] is not True:
            raise self._not_once("on some paths only")
        return state["way"]

    def _note(self, state, name, value):
        self.heap.touch(state)
        state[name] = value

    def _not_once(self, how):
        return self.interpreter.rejection(
            YIELD,
            f"yield: the generator of a context manager yields {how}",
            "Let it yield exactly once, whatever path it takes.",
        )

    @contextlib.contextmanager
    def resumed(self, frame):
        """Inside: code of a frame that waits for the one that is worked on."""
        waiting, position = self.interpreter.frame, self.interpreter.position
        self.interpreter.frame = frame
        self.interpreter.waiting.append(waiting)
        try:
            yield
        finally:
            self.interpreter.waiting.pop()
            self.interpreter.frame = waiting
            self.interpreter.at(position)
