"""Context managers made of a generator function: `contextlib.contextmanager`.

The block of the `with` statement is worked on where the generator yields, so that `try`, `finally` and names around the
yield mean what they mean in Python.
"""

import contextlib


@contextlib.contextmanager
def _nothing():
    yield


_MAKER = _nothing.__code__  # type: ignore[attr-defined]


def generator_context(function):
    """The generator function that a context manager is made of; None if `function` makes no such thing."""
    if function.__code__ is not _MAKER:
        return None
    return getattr(function, "__wrapped__", None)


class GeneratorContext:
    """A call of such a function, which `with` enters."""

    def __init__(self, function, args, kwargs):
        self._function = function
        self._args = args
        self._kwargs = kwargs

    def around(self, interpreter, block):
        """Does `block` with what the generator yields; gives how the block is left."""
        outer, depth = interpreter.frame, interpreter.heap.depth
        entered, leaving = [], [None]

        def on_yield(value):
            if entered:
                interpreter.throw(RuntimeError("generator didn't stop"))
            entered.append(True)
            if interpreter.heap.depth != depth:
                raise interpreter.rejected_yield()
            with _inside(interpreter, outer):
                leaving[0] = block(value)

        interpreter.call_function(self._function, self._args, self._kwargs, on_yield=on_yield)
        if not entered:
            interpreter.throw(RuntimeError("generator didn't yield"))
        return leaving[0]


@contextlib.contextmanager
def _inside(interpreter, frame):
    """Works in a frame that is entered already, further out."""
    inner, caller = interpreter.frame, frame.caller
    with interpreter.in_frame(frame):
        try:
            yield
        finally:
            frame.caller = caller
    interpreter.frame = inner
