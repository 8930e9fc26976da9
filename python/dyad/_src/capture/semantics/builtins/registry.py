"""The table from a function to its meaning on captured values, and what the families of functions fill it with.

A meaning is called as `meaning(interpreter, args, kwargs)` and gives what the program sees as the result. A function
that is not in the table is called by Python itself where its arguments are known.
"""

from dyad._src.base.break_reasons import ARGUMENT
from dyad._src.capture.semantics.values import MISSING, OneOf, depends_on_run

BUILTINS: dict = {}  # function -> its meaning
UNDECIDED: set = (
    set()
)  # functions that ask what is known: their arguments are neither looked into nor decided


def builtin(function):
    """Registers the meaning of a function."""

    def register(meaning):
        BUILTINS[function] = meaning
        return meaning

    return register


def model(function, *counts):
    """Registers a meaning, called as `meaning(interpreter, *args)`, for so many arguments by position.

    Of other calls Python itself says what is wrong.
    """

    def register(meaning):
        @builtin(function)
        def call(interpreter, args, kwargs):
            if kwargs or len(args) not in counts:
                return interpreter.host.native(function, *args, **kwargs)
            return meaning(interpreter, *args)

        return call

    return register


def asking(function):
    """Registers the meaning of a question about one value, called as `meaning(interpreter, value)`."""
    UNDECIDED.add(function)
    return model(function, 1)


def refused(function, kind, message, hint):
    """Registers a function that no graph can hold: a call of it is rejected with these words."""

    @builtin(function)
    def refuse(interpreter, args, kwargs):
        raise interpreter.rejection(kind, message, hint)


def splitting(meaning):
    """The meaning applied to the alternative that its first argument is when the graph runs."""

    def split(interpreter, args, kwargs):
        if args and isinstance(args[0], OneOf):
            return interpreter.branches.split(
                args[0], lambda chosen: split(interpreter, (chosen, *args[1:]), kwargs)
            )
        return meaning(interpreter, args, kwargs)

    return split


def plain_call(interpreter, function, args, kwargs):
    """Python's own function on known values."""
    if depends_on_run((args, kwargs)):
        raise interpreter.rejection(
            ARGUMENT,
            f"{function.__name__}: it is called with a value that is known only when the graph runs",
            "It is not captured; call it outside of the compiled function.",
            error=interpreter.host.host_error,
        )
    for value in (*args, *kwargs.values()):
        interpreter.native_calls.require_no_object(function, value)
    return interpreter.native_calls.remember_made(interpreter.host.native(function, *args, **kwargs))


def by_method(interpreter, value, *names):
    """Calls the first of these methods that the value's class defines; MISSING if it defines none."""
    for name in names:
        method = interpreter.attributes.user_method(value, name)
        if method is not None:
            return interpreter.calls.call(method, (), {})
    return MISSING
