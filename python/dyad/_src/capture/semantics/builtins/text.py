"""Functions that make texts, and `print`, whose texts are made when the graph runs."""

import builtins

from dyad._src.base.break_reasons import FUNCTION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.builtins.registry import builtin, plain_call, splitting
from dyad._src.capture.semantics.control.raising import evaluated
from dyad._src.capture.semantics.values import Deferred, depends_on_run
from dyad._src.tensor.summary_values import note


def _register_text(function, *methods):
    @builtin(function)
    @splitting
    def text(interpreter, args, kwargs):
        if len(args) == 1 and not kwargs:
            if isinstance(args[0], Deferred) and function is str:
                return args[0]
            found = (interpreter.attributes.user_method(args[0], name) for name in methods)
            method = next((method for method in found if method is not None), None)
            if method is not None and not interpreter.cells.is_cell(args[0]):
                return interpreter.calls.call(method, (), {})
            if depends_on_run(args[0]):
                return interpreter.texts.deferred("text", function, args)
        return plain_call(interpreter, function, args, kwargs)


_register_text(str, "__str__", "__repr__")
_register_text(repr, "__repr__")


@builtin(format)
@splitting
def _format(interpreter, args, kwargs):
    if len(args) in (1, 2) and not kwargs and interpreter.texts.is_object(args[0]):
        return interpreter.texts.format_value(args[0], "", args[1] if len(args) == 2 else "")
    if depends_on_run(args):
        return interpreter.texts.deferred("text", format, args)
    return plain_call(interpreter, format, args, kwargs)


@builtin(print)
def _print(interpreter, args, kwargs):
    """Printing happens when the graph runs, in the order of the program."""
    if kwargs and interpreter.options.capture_mode == "bytecode":
        raise interpreter.rejection(
            FUNCTION, f"print: it is given {', '.join(kwargs)}, so Python runs it", NEEDS_PYTHON
        )
    if interpreter.lax and kwargs.get("file") is not None:
        raise interpreter.rejection(
            UNKNOWN, "print: a file is given, which may be another one in each call", NEEDS_PYTHON
        )
    call_when_run(interpreter, "print", _print_now, map(interpreter.texts.printable, args), kwargs)


def _print_now(*args, **kwargs):
    """Whatever `print` is when the graph runs."""
    builtins.print(*args, **kwargs)


def call_when_run(interpreter, what, function, args, kwargs):
    """Notes a call whose result the program does not look at; `what` names it in the graph."""
    interpreter.effects += 1
    value = (tuple(args), dict(kwargs))
    aval = abstraction_of(value)
    leaves = Leaves()
    aval.flatten(value, leaves)
    interpreter.graph.add_host(what, _Call(function, aval), list(leaves))


class _Call:
    """Calls the function with the arguments as they are when the graph runs."""

    def __init__(self, function, aval):
        self._function, self._aval = function, aval

    def __call__(self, *leaves):
        args, kwargs = evaluated(self._aval.unflatten(LeafReader(leaves)))
        self._function(*args, **kwargs)


@builtin(note)
def _note(interpreter, args, kwargs):
    call_when_run(interpreter, "summary", note, args, kwargs)
