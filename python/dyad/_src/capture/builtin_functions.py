"""Python's built-in functions on captured values. Those not listed are called as they are, on known values."""

import ast
import builtins
import operator

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import CaptureError, rejection
from dyad._src.capture.forms import Built, Leaves, form_of
from dyad._src.capture.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.raising import evaluated
from dyad._src.capture.super_object import Super
from dyad._src.capture.values import (
    MISSING,
    Deferred,
    OneOf,
    RuntimeRange,
    depends_on_run,
    is_leaf,
    is_symbolic_tensor,
    kind_of_number,
    torn_of,
)

BUILTINS: dict = {}
_ADD = ast.Add()


def _builtin(function):
    def register(handler):
        BUILTINS[function] = handler
        return handler

    return register


def _splitting(handler):
    """The handler applied to the alternative that its first argument is when the graph runs."""

    def split(interpreter, args, kwargs):
        if args and isinstance(args[0], OneOf):
            return interpreter.split(args[0], lambda chosen: split(interpreter, (chosen, *args[1:]), kwargs))
        return handler(interpreter, args, kwargs)

    return split


def _plain(interpreter, function, args, kwargs):
    """Python's own function on known values."""
    if depends_on_run((args, kwargs)):
        raise rejection(
            interpreter.place,
            f"{function.__name__}: it is called with a value that is known only when the graph runs",
            "It is not captured; call it outside of the compiled function.",
            kind=interpreter.host_error,
        )
    result = interpreter.native(function, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, (list, dict, set)) else result


# ---- numbers


def _conversion(kind, method):
    @_builtin(kind)
    @_splitting
    def convert(interpreter, args, kwargs):
        if len(args) == 1 and not kwargs:
            value = args[0]
            if is_symbolic_tensor(value):
                value = interpreter.item_of(value, kind)
            if isinstance(value, GraphNumber):
                return (
                    value if value.kind is kind else interpreter.native(_core.number_op, kind.__name__, value)
                )
            own = interpreter.user_method(value, method)
            if own is not None:
                return interpreter.call(own, (), {})
        return _plain(interpreter, kind, args, kwargs)

    return convert


_conversion(int, "__int__")
_conversion(float, "__float__")


@_builtin(bool)
def _bool(interpreter, args, kwargs):
    if len(args) == 1 and not kwargs:
        return interpreter.truth(args[0])
    return _plain(interpreter, bool, args, kwargs)


@_builtin(abs)
@_splitting
def _abs(interpreter, args, kwargs):
    if len(args) == 1:
        method = interpreter.user_method(args[0], "__abs__")
        if method is not None:
            return interpreter.call(method, (), {})
    return interpreter.native(abs, *args, **kwargs)


@_builtin(round)
@_splitting
def _round(interpreter, args, kwargs):
    return interpreter.native(round, *args, **kwargs)


@_builtin(pow)
@_splitting
def _pow(interpreter, args, kwargs):
    if len(args) == 2 and isinstance(args[1], OneOf):
        return interpreter.split(args[1], lambda chosen: _pow(interpreter, (args[0], chosen), kwargs))
    return interpreter.native(pow, *args, **kwargs)


@_builtin(divmod)
@_splitting
def _divmod(interpreter, args, kwargs):
    if len(args) == 2 and any(is_leaf(value) for value in args):
        return args[0] // args[1], args[0] % args[1]
    return _plain(interpreter, divmod, args, kwargs)


def _extreme(function, better):
    @_builtin(function)
    def extreme(interpreter, args, kwargs):
        known = set(kwargs) <= {"key", "default"}
        values = (
            interpreter.items_of(args[0])
            if len(args) == 1 and known and not _is_number(args[0])
            else list(args)
        )
        key = kwargs.get("key")
        if (
            not known
            or not values
            or not (depends_on_run(values) or isinstance(key, (ClosureFunction, Bound)))
        ):
            if key is not None and callable(key):
                kwargs = {**kwargs, "key": Interpreted(interpreter, key)}
            given = args if len(args) != 1 or not known or _is_number(args[0]) else (values,)
            return interpreter.native(function, *given, **kwargs)
        best, best_key = MISSING, MISSING
        for value in values:
            value_key = value if key is None else interpreter.call(key, (value,), {})
            if best is MISSING:
                best, best_key = value, value_key
                continue
            first = (best, best_key)
            taken = interpreter.truth(interpreter.native(better, value_key, best_key))
            best, best_key = interpreter.branch(
                taken, lambda pair=(value, value_key): pair, lambda pair=first: pair
            )
        return best

    return extreme


def _is_number(value):
    return kind_of_number(value) is not None


_extreme(max, operator.gt)
_extreme(min, operator.lt)


@_builtin(sum)
def _sum(interpreter, args, kwargs):
    if not args:
        return interpreter.native(sum, *args, **kwargs)
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if isinstance(args[0], GraphNumber) or _is_number(args[0]):
        return interpreter.native(sum, 0)
    total = start
    for item in interpreter.items_of(args[0]):
        total = interpreter.binary(_ADD, total, item)
    return total


@_builtin(all)
def _all(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(all, *args, **kwargs)
    result = True
    for item in interpreter.items_of(args[0]):
        result = interpreter.both(result, interpreter.truth(item))
    return result


@_builtin(any)
def _any(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(any, *args, **kwargs)
    result = False
    for item in interpreter.items_of(args[0]):
        result = interpreter.either(result, interpreter.truth(item))
    return result


# ---- sequences


@_builtin(len)
def _len(interpreter, args, kwargs):
    if len(args) == 1 and not kwargs:
        return interpreter.length_of(args[0])
    return interpreter.native(len, *args, **kwargs)


@_builtin(range)
def _range(interpreter, args, kwargs):
    if not any(is_leaf(value) for value in args):
        return interpreter.native(range, *args, **kwargs)
    numbers = []
    for value in args:
        if isinstance(value, OneOf):
            value = interpreter.split(value, lambda chosen: chosen)
        numbers.append(interpreter.as_integer(value, "range") if is_leaf(value) else operator.index(value))
    if len(numbers) == 1:
        return RuntimeRange(0, numbers[0], 1)
    start, stop, step = (*numbers, 1)[:3]
    if step == 0 and not isinstance(step, GraphNumber):
        interpreter.throw(ValueError("range() arg 3 must not be zero"))
    return RuntimeRange(start, stop, step)


def _sequence(kind):
    @_builtin(kind)
    def make(interpreter, args, kwargs):
        if len(args) != 1 or kwargs:
            return interpreter.native(kind, *args, **kwargs)
        made = kind(interpreter.items_of(args[0]))
        return interpreter.heap.note_birth(made) if kind is list else made

    return make


_sequence(list)
_sequence(tuple)


def _of_known_members(kind):
    @_builtin(kind)
    def make(interpreter, args, kwargs):
        items = [interpreter.items_of(value) for value in args]
        interpreter.require_known([member for part in items for member in part], kind.__name__)
        return interpreter.heap.note_birth(interpreter.native(kind, *items, **kwargs))

    return make


_of_known_members(set)
_of_known_members(frozenset)


@_builtin(dict)
def _dict(interpreter, args, kwargs):
    made = {}
    if args:
        source = args[0]
        if isinstance(source, dict):
            made.update(source)
        else:
            for pair in interpreter.items_of(source):
                key, value = interpreter.items_of(pair)
                interpreter.require_key(key)
                made[key] = value
    made.update(kwargs)
    return interpreter.heap.note_birth(made)


@_builtin(zip)
def _zip(interpreter, args, kwargs):
    return interpreter.native(zip, *[interpreter.items_of(value) for value in args], **kwargs)


@_builtin(enumerate)
def _enumerate(interpreter, args, kwargs):
    if not args:
        return interpreter.native(enumerate, **kwargs)
    return interpreter.native(enumerate, interpreter.items_of(args[0]), *args[1:], **kwargs)


@_builtin(reversed)
def _reversed(interpreter, args, kwargs):
    if len(args) == 1 and interpreter.user_method(args[0], "__reversed__") is not None:
        return interpreter.call(interpreter.user_method(args[0], "__reversed__"), (), {})
    if len(args) == 1 and isinstance(args[0], Tensor):
        return iter(interpreter.items_of(args[0])[::-1])
    return interpreter.native(reversed, *args, **kwargs)


def _same(item):
    return item


def _always(item):
    return True


@_builtin(map)
def _map(interpreter, args, kwargs):
    if len(args) < 2:
        return interpreter.native(map, *args, **kwargs)
    columns = [interpreter.items_of(value) for value in args[1:]]
    return map(_same, [interpreter.call(args[0], row, {}) for row in zip(*columns, strict=False)])


@_builtin(filter)
def _filter(interpreter, args, kwargs):
    if len(args) != 2:
        return interpreter.native(filter, *args, **kwargs)
    kept = interpreter.heap.note_birth([])
    for item in interpreter.items_of(args[1]):
        truth = interpreter.truth(item if args[0] is None else interpreter.call(args[0], (item,), {}))
        interpreter.branch(truth, lambda item=item: interpreter.append(kept, item), lambda: None)
    return kept if depends_on_run(kept) and torn_of(kept) is not None else filter(_always, kept)


@_builtin(sorted)
def _sorted(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(sorted, *args, **kwargs)
    items = interpreter.items_of(args[0])
    key = kwargs.get("key")
    keys = [item if key is None else interpreter.call(key, (item,), {}) for item in items]
    reverse = bool(kwargs.get("reverse", False))
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except CaptureError:  # a comparison came down to a value of the graph
        raise rejection(
            interpreter.place,
            "sorted: the order depends on values that are known only when the graph runs",
            "Sort a Tensor with ops.sort.",
        ) from None
    except Exception as error:
        interpreter.throw(error)
    return interpreter.heap.note_birth([items[place] for place in order])


@_builtin(iter)
def _iter(interpreter, args, kwargs):
    if len(args) == 1:
        method = interpreter.user_method(args[0], "__iter__")
        if method is not None:
            return interpreter.call(method, (), {})
        if not hasattr(args[0], "__next__"):
            return iter(interpreter.items_of(args[0]))
    return interpreter.native(iter, *args, **kwargs)


@_builtin(next)
def _next(interpreter, args, kwargs):
    method = interpreter.user_method(args[0], "__next__") if args else None
    if method is None:
        if args:
            interpreter.require_inner_iterator(args[0])
        if interpreter.heap.depth:
            raise rejection(
                interpreter.place,
                "next: an iterator is advanced under a condition that is known only when the graph runs",
                "Advance it before the condition, or index a list.",
            )
        return interpreter.native(next, *args, **kwargs)
    if len(args) == 1:
        return interpreter.call(method, (), {})
    item = interpreter.catching(StopIteration, lambda: interpreter.call(method, (), {}))
    return args[1] if item is MISSING else item


# ---- types and attributes


@_builtin(isinstance)
@_splitting
def _isinstance(interpreter, args, kwargs):
    if len(args) == 2 and isinstance(args[0], GraphNumber):
        return interpreter.native(isinstance, args[0].kind(0), args[1])
    if len(args) == 2 and isinstance(args[0], Deferred):
        return interpreter.native(isinstance, "", args[1])
    if len(args) == 2 and isinstance(args[0], (ClosureFunction, Bound)):
        return interpreter.native(isinstance, _like_function, args[1])
    if len(args) == 2 and isinstance(args[0], RuntimeRange):
        return interpreter.native(isinstance, range(0), args[1])
    return interpreter.native(isinstance, *args, **kwargs)


def _like_function():
    pass


@_builtin(type)
@_splitting
def _type(interpreter, args, kwargs):
    if len(args) == 1:
        if isinstance(args[0], GraphNumber):
            return args[0].kind
        if isinstance(args[0], Deferred):
            return str
        if isinstance(args[0], ClosureFunction):
            return type(_like_function)
    return _plain(interpreter, type, args, kwargs) if len(args) != 1 else type(args[0])


@_builtin(callable)
@_splitting
def _callable(interpreter, args, kwargs):
    return interpreter.native(callable, *args, **kwargs)


def _require_known_name(what, interpreter, args):
    if len(args) > 1 and isinstance(args[1], Deferred):
        raise rejection(
            interpreter.place,
            f"{what}: the name of the attribute is known only when the graph runs",
            "Decide between attributes with an if statement.",
        )


@_builtin(getattr)
def _getattr(interpreter, args, kwargs):
    _require_known_name("getattr", interpreter, args)
    if len(args) not in (2, 3) or not isinstance(args[1], str):
        return interpreter.native(getattr, *args, **kwargs)
    if len(args) == 2:
        return interpreter.read_attribute(args[0], args[1])
    value = interpreter.catching(AttributeError, lambda: interpreter.read_attribute(args[0], args[1]))
    return args[2] if value is MISSING else value


@_builtin(hasattr)
def _hasattr(interpreter, args, kwargs):
    _require_known_name("hasattr", interpreter, args)
    if len(args) != 2 or not isinstance(args[1], str):
        return interpreter.native(hasattr, *args, **kwargs)
    if isinstance(args[0], Tensor):
        return hasattr(args[0], args[1])
    if isinstance(args[0], GraphNumber):
        return hasattr(args[0].kind, args[1])
    value = interpreter.catching(AttributeError, lambda: interpreter.read_attribute(args[0], args[1]))
    return value is not MISSING


@_builtin(setattr)
def _setattr(interpreter, args, kwargs):
    _require_known_name("setattr", interpreter, args)
    if len(args) != 3 or not isinstance(args[1], str):
        return interpreter.native(setattr, *args, **kwargs)
    return interpreter.write_attribute(*args)


@_builtin(delattr)
def _delattr(interpreter, args, kwargs):
    if len(args) != 2 or not isinstance(args[1], str):
        return interpreter.native(delattr, *args, **kwargs)
    return interpreter.delete_attribute(*args)


@_builtin(super)
def _super(interpreter, args, kwargs):
    frame = interpreter.frame.function_frame()
    if args:
        return Super(interpreter, *args)
    first = next(iter(frame.locals), None)
    outer = frame
    while outer.owner_class is None and outer.enclosing is not None:
        outer = outer.enclosing
    if outer.owner_class is None or first is None:
        interpreter.throw(RuntimeError("super(): no arguments"))
    return Super(interpreter, outer.owner_class, outer.locals[next(iter(outer.locals))])


@_builtin(id)
def _id(interpreter, args, kwargs):
    raise rejection(
        interpreter.place,
        "id: the identity of an object as a number changes from call to call and is not a value of a static graph",
        "Compare objects with the operator is.",
    )


# ---- texts


def _text(function):
    @_builtin(function)
    @_splitting
    def text(interpreter, args, kwargs):
        if len(args) == 1 and not kwargs:
            if isinstance(args[0], Deferred) and function is str:
                return args[0]
            method = interpreter.user_method(args[0], f"__{function.__name__}__")
            if method is None and function is str:
                method = interpreter.user_method(args[0], "__repr__")
            if method is not None and not interpreter.is_cell(args[0]):
                return interpreter.call(method, (), {})
            if depends_on_run(args[0]):
                return interpreter.deferred("text", function, args)
        return _plain(interpreter, function, args, kwargs)

    return text


_text(str)
_text(repr)


@_builtin(format)
@_splitting
def _format(interpreter, args, kwargs):
    if depends_on_run(args):
        return interpreter.deferred("text", format, args)
    return interpreter.native(format, *args, **kwargs)


@_builtin(print)
def _print(interpreter, args, kwargs):
    """Printing happens when the graph runs, in the order of the program."""
    texts = tuple(interpreter.printable(value) for value in args)
    value = (texts, dict(kwargs))
    form = form_of(value)
    leaves = Leaves()
    form.leaves(value, leaves)
    interpreter.graph.add_host("print", Print(form), list(leaves))


class Print:
    """Prints, when the graph runs, what `print` was given."""

    def __init__(self, form):
        self._form = form

    def __call__(self, *leaves):
        args, kwargs = evaluated(self._form.build(Built(leaves)))
        builtins.print(*args, **kwargs)


@_builtin(locals)
def _locals(interpreter, args, kwargs):
    return interpreter.heap.note_birth(dict(interpreter.frame.function_frame().locals))


@_builtin(globals)
def _globals(interpreter, args, kwargs):
    raise rejection(
        interpreter.place,
        "globals: the names of a module are not a value of a static graph",
        "Read the names that are needed.",
    )


@_builtin(vars)
def _vars(interpreter, args, kwargs):
    if not args:
        return _locals(interpreter, args, kwargs)
    held = getattr(interpreter.world.original_of(args[0]), "__dict__", None)
    if len(args) != 1 or type(held) is not dict:
        return interpreter.native(vars, *args)
    return interpreter.heap.note_birth({name: interpreter.read_attribute(args[0], name) for name in held})


@_builtin(dir)
def _dir(interpreter, args, kwargs):
    if not args:
        return interpreter.heap.note_birth(sorted(_locals(interpreter, args, kwargs)))
    return interpreter.call_native(dir, args, kwargs)


def _interpreter_only(function):
    @_builtin(function)
    def refuse(interpreter, args, kwargs):
        raise rejection(
            interpreter.place,
            f"{function.__name__}: it needs the Python interpreter when the graph runs",
            "Call it outside of the compiled function.",
        )

    return refuse


for _function in (eval, exec, compile, open, input, breakpoint, __import__):
    _interpreter_only(_function)
