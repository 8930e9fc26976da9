"""Functions of attributes and of the names that a frame or an object holds."""

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, FUNCTION, UNKNOWN
from dyad._src.capture.semantics.attributes.attributes import Super
from dyad._src.capture.semantics.builtins.registry import builtin, refused
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.values import MISSING, Deferred


def _register(function, *counts):
    """Registers a meaning for calls with a name as second argument; of other calls Python says what is wrong."""

    def register(meaning):
        @builtin(function)
        def call(interpreter, args, kwargs):
            if len(args) > 1 and isinstance(args[1], Deferred):
                raise interpreter.rejection(
                    CONDITION,
                    f"{function.__name__}: the name of the attribute is known only when the graph runs",
                    "Decide between attributes with an if statement.",
                )
            if len(args) not in counts or not isinstance(args[1], str):
                return interpreter.host.native(function, *args, **kwargs)
            return meaning(interpreter, *args)

        return call

    return register


def _found(interpreter, owner, name):
    """Returns an attribute; MISSING if there is none."""
    return interpreter.host.catching(
        AttributeError, lambda: interpreter.attributes.read_attribute(owner, name)
    )


@_register(getattr, 2, 3)
def _getattr(interpreter, owner, name, *default):
    if not default:
        return interpreter.attributes.read_attribute(owner, name)
    value = _found(interpreter, owner, name)
    return default[0] if value is MISSING else value


@_register(hasattr, 2)
def _hasattr(interpreter, owner, name):
    if isinstance(owner, Tensor):
        return interpreter.attributes.tensor_has(owner, name)
    if isinstance(owner, (ModelIterator, GraphNumber)):
        return hasattr(owner.kind, name)
    return _found(interpreter, owner, name) is not MISSING


@_register(setattr, 3)
def _setattr(interpreter, owner, name, value):
    return interpreter.attribute_writes.write_attribute(owner, name, value)


@_register(delattr, 2)
def _delattr(interpreter, owner, name):
    return interpreter.attribute_writes.delete_attribute(owner, name)


@builtin(super)
def _super(interpreter, args, kwargs):
    frame = interpreter.frame.function_frame()
    if args:
        return interpreter.host.guarded(Super, *args)
    first = next(iter(frame.locals), None)
    outer = frame
    while outer.owner_class is None and outer.enclosing is not None:
        outer = outer.enclosing
    if outer.owner_class is None or first is None:
        interpreter.throwing.throw(RuntimeError("super(): no arguments"))
    return interpreter.host.guarded(Super, outer.owner_class, outer.locals[next(iter(outer.locals))])


@builtin(locals)
def _locals(interpreter, args, kwargs):
    return interpreter.heap.note_birth(dict(interpreter.frame.function_frame().locals))


@builtin(vars)
def _vars(interpreter, args, kwargs):
    if not args:
        return _locals(interpreter, args, kwargs)
    held = getattr(interpreter.external.original_of(args[0]), "__dict__", None)
    if len(args) != 1 or type(held) is not dict:
        return interpreter.host.native(vars, *args)
    return interpreter.attributes.read_attribute(args[0], "__dict__")


@builtin(dir)
def _dir(interpreter, args, kwargs):
    if not args:
        return interpreter.heap.note_birth(sorted(_locals(interpreter, args, kwargs)))
    method = interpreter.attributes.user_method(args[0], "__dir__")
    if method is not None:
        return interpreter.calls.call(sorted, (interpreter.calls.call(method, (), {}),), {})
    raise interpreter.rejection(
        UNKNOWN,
        "dir: the names of an object are not a value of a static graph",
        "Ask for the names that are needed with hasattr.",
    )


refused(
    globals,
    UNKNOWN,
    "globals: the names of a module are not a value of a static graph",
    "Read the names that are needed.",
)
refused(
    id,
    UNKNOWN,
    "id: the identity of an object as a number changes from call to call and is not a value of a static graph",
    "Compare objects with the operator is.",
)


for _function in (eval, exec, compile, open, input, breakpoint, __import__):
    refused(
        _function,
        FUNCTION,
        f"{_function.__name__}: it needs the Python interpreter when the graph runs",
        "Call it outside of the compiled function.",
    )
