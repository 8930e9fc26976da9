"""Python's built-in functions on captured values."""

import ast
import builtins
import functools
import math
import operator

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import rejection
from dyad._src.capture.iterators import (
    Asked,
    Elements,
    Enumerated,
    Filtered,
    Mapped,
    ModelIterator,
    Zipped,
)
from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.attribute_view import AttributeView
from dyad._src.capture.semantics.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.semantics.heap import contents
from dyad._src.capture.semantics.raising import evaluated
from dyad._src.capture.semantics.special_methods import ordered_by
from dyad._src.capture.semantics.super_object import Super
from dyad._src.capture.semantics.values import (
    MISSING,
    Deferred,
    OneOf,
    RuntimeRange,
    depends_on_run,
    is_leaf,
    is_symbolic_tensor,
    kind_of_number,
)

BUILTINS: dict = {}
_ADD = ast.Add()


def builtin(function):
    def register(handler):
        BUILTINS[function] = handler
        return handler

    return register


def model(function, *counts):
    """Registers a model of a function that takes so many arguments by position; other calls say what is wrong."""

    def register(handler):
        @builtin(function)
        def call(interpreter, args, kwargs):
            if kwargs or len(args) not in counts:
                return interpreter.native(function, *args, **kwargs)
            return handler(interpreter, *args)

        return call

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
    for value in (*args, *kwargs.values()):
        interpreter._require_no_object(function, value)
    return interpreter.remember_made(interpreter.native(function, *args, **kwargs))


def _by_method(interpreter, value, *names):
    """What the first of these methods gives that the value's class defines; MISSING if it defines none."""
    for name in names:
        method = interpreter.user_method(value, name)
        if method is not None:
            return interpreter.call(method, (), {})
    return MISSING


# ---- numbers


def _conversion(kind, *methods):
    @builtin(kind)
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
            own = _by_method(interpreter, value, *methods)
            if own is not MISSING:
                return own
        return _plain(interpreter, kind, args, kwargs)

    return convert


_conversion(int, "__int__", "__index__", "__trunc__")
_conversion(float, "__float__", "__index__")


def _of_method(function, *methods):
    """A function of one argument that asks the class of its argument."""

    @builtin(function)
    @_splitting
    def call(interpreter, args, kwargs):
        own = _by_method(interpreter, args[0], *methods) if len(args) == 1 and not kwargs else MISSING
        return interpreter.call_native(function, args, kwargs) if own is MISSING else own


_of_method(complex, "__complex__", "__float__", "__index__")
_of_method(bytes, "__bytes__")
_of_method(math.floor, "__floor__")
_of_method(math.ceil, "__ceil__")
_of_method(math.trunc, "__trunc__")
_of_method(operator.index, "__index__")
_of_method(operator.length_hint, "__len__", "__length_hint__")


@builtin(hash)
def _hash(interpreter, args, kwargs):
    own = _by_method(interpreter, args[0], "__hash__") if len(args) == 1 else MISSING
    if own is not MISSING:
        return own
    for value in args:
        interpreter.require_plain_hash(value)
    return interpreter.call_native(hash, args, kwargs)


@builtin(bool)
def _bool(interpreter, args, kwargs):
    if len(args) == 1 and not kwargs:
        return interpreter.truth(args[0])
    return _plain(interpreter, bool, args, kwargs)


@builtin(abs)
@_splitting
def _abs(interpreter, args, kwargs):
    if len(args) == 1:
        method = interpreter.user_method(args[0], "__abs__")
        if method is not None:
            return interpreter.call(method, (), {})
    return interpreter.native(abs, *args, **kwargs)


@builtin(round)
@_splitting
def _round(interpreter, args, kwargs):
    method = interpreter.user_method(args[0], "__round__") if args else None
    if method is not None:
        return interpreter.call(method, args[1:], kwargs)
    return interpreter.native(round, *args, **kwargs)


@builtin(pow)
@_splitting
def _pow(interpreter, args, kwargs):
    if len(args) == 2 and isinstance(args[1], OneOf):
        return interpreter.split(args[1], lambda chosen: _pow(interpreter, (args[0], chosen), kwargs))
    if len(args) == 2 and not kwargs:
        return interpreter.binary(ast.Pow(), *args)
    if len(args) == 3 and interpreter.user_method(args[0], "__pow__") is not None:
        return interpreter.call(interpreter.user_method(args[0], "__pow__"), args[1:], kwargs)
    return interpreter.native(pow, *args, **kwargs)


@builtin(divmod)
@_splitting
def _divmod(interpreter, args, kwargs):
    if len(args) == 2 and not kwargs:
        done = interpreter.by_methods(*args, "__divmod__", "__rdivmod__", "divmod()")
        if done is not MISSING:
            return done
    if len(args) == 2 and any(is_leaf(value) for value in args):
        return args[0] // args[1], args[0] % args[1]
    return _plain(interpreter, divmod, args, kwargs)


def _extreme(function, better):
    @builtin(function)
    def extreme(interpreter, args, kwargs):
        known = set(kwargs) <= {"key", "default"}
        values = (
            interpreter.items_of(args[0])
            if len(args) == 1 and known and not _is_number(args[0])
            else list(args)
        )
        key = kwargs.get("key")
        if not known or not values or not (key is not None or interpreter.needs_capture(values)):
            given = args if len(args) != 1 or not known or _is_number(args[0]) else (values,)
            return interpreter.native(function, *given, **kwargs)
        best, best_key = MISSING, MISSING
        for value in values:
            value_key = value if key is None else interpreter.call(key, (value,), {})
            if best is MISSING:
                best, best_key = value, value_key
                continue
            first = (best, best_key)
            taken = interpreter.truth(interpreter.compare(better, value_key, best_key))
            best, best_key = interpreter.branch(
                taken, lambda pair=(value, value_key): pair, lambda pair=first: pair
            )
        return best

    return extreme


def _is_number(value):
    return kind_of_number(value) is not None


_extreme(max, ast.Gt())
_extreme(min, ast.Lt())


@builtin(sum)
def _sum(interpreter, args, kwargs):
    if not args:
        return interpreter.native(sum, *args, **kwargs)
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if isinstance(args[0], GraphNumber) or _is_number(args[0]):
        return interpreter.native(sum, 0)
    if isinstance(start, (str, bytes, bytearray)):
        return interpreter.native(sum, (), start)  # says that they are joined
    total = start
    for item in interpreter.each(args[0]):
        total = interpreter.binary(_ADD, total, item)
    return total


@builtin(all)
def _all(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(all, *args, **kwargs)
    return _decided(interpreter, args[0], False)


@builtin(any)
def _any(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(any, *args, **kwargs)
    return _decided(interpreter, args[0], True)


def _decided(interpreter, iterable, decisive):
    """Whether an element has the truth that decides; what comes behind that element is not looked at."""
    if type(iterable) in (list, tuple) and all(_is_mere_truth(item) for item in iterable):
        combine = interpreter.either if decisive else interpreter.both
        result = not decisive
        for item in iterable:
            result = combine(result, interpreter.truth(item))
        return result
    iterator = interpreter.iterator_of(iterable)

    def rest():
        while (item := interpreter.advance(iterator)) is not MISSING:
            truth = interpreter.truth(item)
            if isinstance(truth, bool):
                if truth is decisive:
                    return stopped()
                continue
            if decisive:
                return interpreter.branch(truth, stopped, rest)
            return interpreter.branch(truth, rest, stopped)
        interpreter.abandon(iterator)
        return not decisive

    def stopped():
        interpreter.abandon(iterator)
        return decisive

    return rest()


def _is_mere_truth(item):
    """Whether the truth of an element is known, or a number of the graph: asking for it can neither fail nor act."""
    if is_symbolic_tensor(item):
        return all(size == 1 for size in item.shape)
    return isinstance(item, (bool, int, float, str, GraphNumber, type(None)))


# ---- sequences


@builtin(len)
def _len(interpreter, args, kwargs):
    if len(args) == 1 and not kwargs:
        return interpreter.length_of(args[0])
    return interpreter.native(len, *args, **kwargs)


@builtin(range)
def _range(interpreter, args, kwargs):
    if not any(is_leaf(value) for value in args):
        return interpreter.native(range, *[interpreter.index_of(value) for value in args], **kwargs)
    numbers = []
    for value in args:
        if isinstance(value, OneOf):
            value = interpreter.split(value, lambda chosen: chosen)
        numbers.append(
            interpreter.as_integer(value, "range") if is_leaf(value) else interpreter.index_of(value)
        )
    if len(numbers) == 1:
        return RuntimeRange(0, numbers[0], 1)
    start, stop, step = (*numbers, 1)[:3]
    if step == 0 and not isinstance(step, GraphNumber):
        interpreter.throw(ValueError("range() arg 3 must not be zero"))
    return RuntimeRange(start, stop, step)


def _sequence(kind):
    @builtin(kind)
    def make(interpreter, args, kwargs):
        if len(args) != 1 or kwargs:
            made = interpreter.native(kind, *args, **kwargs)
        elif any(interpreter.user_method(args[0], name) is not None for name in ("__iter__", "__len__")):
            iterator = interpreter.iterator_of(args[0])
            _by_method(interpreter, args[0], "__len__", "__length_hint__")  # Python asks for room first
            made = kind(interpreter.items_of(iterator))
        elif kind is list and isinstance(args[0], ModelIterator):
            return interpreter.collected(args[0])  # how many there are may be known only when the graph runs
        else:
            made = kind(interpreter.items_of(args[0]))
        return interpreter.heap.note_birth(made) if kind is list else made

    return make


_sequence(list)
_sequence(tuple)


def _of_known_members(kind):
    @builtin(kind)
    def make(interpreter, args, kwargs):
        items = [interpreter.items_of(value) for value in args]
        interpreter.require_known([member for part in items for member in part], kind.__name__)
        return interpreter.heap.note_birth(interpreter.native(kind, *items, **kwargs))

    return make


_of_known_members(set)
_of_known_members(frozenset)


@builtin(dict)
def _dict(interpreter, args, kwargs):
    made = {}
    if args:
        source = args[0]
        if isinstance(source, dict) and interpreter.user_method(source, "__iter__") is None:
            made.update(contents(source))
        elif hasattr(source, "keys") or isinstance(source, AttributeView):
            made.update(interpreter.known_mapping(source))
        else:
            for pair in interpreter.items_of(source):
                key, value = interpreter.items_of(pair)
                interpreter.require_key(key)
                made[key] = value
    made.update(kwargs)
    return interpreter.heap.note_birth(made)


@builtin(zip)
def _zip(interpreter, args, kwargs):
    if set(kwargs) - {"strict"}:
        return interpreter.native(zip, *args, **kwargs)
    sources = [interpreter.iterator_of(value) for value in args]
    return Zipped(interpreter, sources, interpreter.truth(kwargs.get("strict", False)))


@builtin(enumerate)
def _enumerate(interpreter, args, kwargs):
    if not 1 <= len(args) <= 2 or set(kwargs) - {"start"}:
        return interpreter.native(enumerate, *args, **kwargs)
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    return Enumerated(interpreter, interpreter.iterator_of(args[0]), interpreter.index_of(start))


@builtin(reversed)
def _reversed(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native(reversed, *args, **kwargs)
    value = args[0]
    method = interpreter.user_method(value, "__reversed__")
    if method is not None:
        return interpreter.call(method, (), {})
    if type(value) in (list, tuple, str, range, bytes) or isinstance(value, (list, tuple)):
        return Elements(interpreter, value, reversed, backwards=True)
    if isinstance(value, Tensor):
        return Elements(interpreter, interpreter.items_of(value)[::-1], reversed)
    if interpreter.user_method(value, "__getitem__") is not None:
        places = range(interpreter.length_of(value))
        return Mapped(
            interpreter,
            Interpreted(interpreter, functools.partial(interpreter.read_item, value)),
            [Elements(interpreter, places, reversed, backwards=True)],
        )
    items = list(interpreter.native(reversed, value))
    return Elements(interpreter, items, reversed)


@builtin(map)
def _map(interpreter, args, kwargs):
    if len(args) < 2 or kwargs:
        return interpreter.native(map, *args, **kwargs)
    return Mapped(interpreter, args[0], [interpreter.iterator_of(value) for value in args[1:]])


@builtin(filter)
def _filter(interpreter, args, kwargs):
    if len(args) != 2 or kwargs:
        return interpreter.native(filter, *args, **kwargs)
    return Filtered(interpreter, filter, args[0], interpreter.iterator_of(args[1]))


@builtin(sorted)
def _sorted(interpreter, args, kwargs):
    if len(args) != 1 or set(kwargs) - {"key", "reverse"}:
        return interpreter.native(sorted, *args, **kwargs)
    items = interpreter.items_of(args[0])
    key = kwargs.get("key")
    keys = [item if key is None else interpreter.call(key, (item,), {}) for item in items]
    reverse = interpreter.truth(kwargs.get("reverse", False))
    if interpreter.needs_capture(keys):
        keys = list(map(ordered_by(interpreter), keys))
    order = interpreter.native(sorted, range(len(items)), key=keys.__getitem__, reverse=reverse)
    return interpreter.heap.note_birth([items[place] for place in order])


@builtin(iter)
def _iter(interpreter, args, kwargs):
    if len(args) == 2:
        return Asked(interpreter, *args)
    return interpreter.iterator_of(args[0]) if len(args) == 1 else interpreter.native(iter, *args, **kwargs)


@builtin(next)
def _next(interpreter, args, kwargs):
    if not 1 <= len(args) <= 2 or kwargs:
        return interpreter.native(next, *args, **kwargs)
    interpreter.require_inner_iterator(args[0])
    method = interpreter.user_method(args[0], "__next__")
    if len(args) == 1 and method is not None:
        return interpreter.call(method, (), {})
    if method is None and not isinstance(args[0], ModelIterator) and hasattr(args[0], "__next__"):
        interpreter.require_new(args[0], "next")
        return interpreter.native(next, *args)
    item = interpreter.advance(args[0])
    if item is not MISSING:
        return item
    return args[1] if len(args) == 2 else interpreter.throw(StopIteration())


# ---- types and attributes


@builtin(isinstance)
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
    if len(args) == 2 and isinstance(args[0], ModelIterator):
        return _is_subclass(interpreter, args[0].kind, args[1])
    own = _asked_class(interpreter, args, "__instancecheck__")
    return interpreter.guarded(isinstance, *args, **kwargs) if own is MISSING else own


def _is_subclass(interpreter, cls, wanted):
    return interpreter.guarded(issubclass, cls, wanted)


def _asked_class(interpreter, args, name):
    """What a metaclass of the program says about an object or class; MISSING if none has a say."""
    if len(args) != 2:
        return MISSING
    if isinstance(args[1], tuple):
        if not any(isinstance(cls, type) and interpreter.user_method(cls, name) for cls in args[1]):
            return MISSING
        function = isinstance if name == "__instancecheck__" else issubclass
        return _decided(
            interpreter,
            Mapped(interpreter, functools.partial(function, args[0]), [Elements(interpreter, args[1])]),
            True,
        )
    method = interpreter.user_method(args[1], name) if isinstance(args[1], type) else None
    if method is None or type(args[0]) is args[1]:
        return MISSING
    return interpreter.truth(interpreter.call(method, (args[0],), {}))


@builtin(issubclass)
def _issubclass(interpreter, args, kwargs):
    own = _asked_class(interpreter, args, "__subclasscheck__")
    return interpreter.guarded(issubclass, *args, **kwargs) if own is MISSING else own


def _like_function():
    pass


@builtin(type)
@_splitting
def _type(interpreter, args, kwargs):
    if len(args) == 1:
        if isinstance(args[0], GraphNumber):
            return args[0].kind
        if isinstance(args[0], Deferred):
            return str
        if isinstance(args[0], (ClosureFunction, ModelIterator)):
            return type(_like_function) if isinstance(args[0], ClosureFunction) else args[0].kind
        if isinstance(args[0], AttributeView):
            return dict
        return type(args[0])
    return interpreter.call_native(type, args, kwargs)


@builtin(callable)
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


@builtin(getattr)
def _getattr(interpreter, args, kwargs):
    _require_known_name("getattr", interpreter, args)
    if len(args) not in (2, 3) or not isinstance(args[1], str):
        return interpreter.native(getattr, *args, **kwargs)
    if len(args) == 2:
        return interpreter.read_attribute(args[0], args[1])
    value = interpreter.catching(AttributeError, lambda: interpreter.read_attribute(args[0], args[1]))
    return args[2] if value is MISSING else value


@builtin(hasattr)
def _hasattr(interpreter, args, kwargs):
    _require_known_name("hasattr", interpreter, args)
    if len(args) != 2 or not isinstance(args[1], str):
        return interpreter.native(hasattr, *args, **kwargs)
    if isinstance(args[0], Tensor):
        return hasattr(args[0], args[1])
    if isinstance(args[0], ModelIterator):
        return hasattr(args[0].kind, args[1])
    if isinstance(args[0], GraphNumber):
        return hasattr(args[0].kind, args[1])
    value = interpreter.catching(AttributeError, lambda: interpreter.read_attribute(args[0], args[1]))
    return value is not MISSING


@builtin(setattr)
def _setattr(interpreter, args, kwargs):
    _require_known_name("setattr", interpreter, args)
    if len(args) != 3 or not isinstance(args[1], str):
        return interpreter.native(setattr, *args, **kwargs)
    return interpreter.write_attribute(*args)


@builtin(delattr)
def _delattr(interpreter, args, kwargs):
    if len(args) != 2 or not isinstance(args[1], str):
        return interpreter.native(delattr, *args, **kwargs)
    return interpreter.delete_attribute(*args)


@builtin(super)
def _super(interpreter, args, kwargs):
    frame = interpreter.frame.function_frame()
    if args:
        return interpreter.guarded(Super, *args)
    first = next(iter(frame.locals), None)
    outer = frame
    while outer.owner_class is None and outer.enclosing is not None:
        outer = outer.enclosing
    if outer.owner_class is None or first is None:
        interpreter.throw(RuntimeError("super(): no arguments"))
    return interpreter.guarded(Super, outer.owner_class, outer.locals[next(iter(outer.locals))])


@builtin(id)
def _id(interpreter, args, kwargs):
    raise rejection(
        interpreter.place,
        "id: the identity of an object as a number changes from call to call and is not a value of a static graph",
        "Compare objects with the operator is.",
    )


# ---- texts


def _text(function):
    @builtin(function)
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


@builtin(format)
@_splitting
def _format(interpreter, args, kwargs):
    if len(args) in (1, 2) and not kwargs and interpreter.is_object(args[0]):
        return interpreter.format_value(args[0], "", args[1] if len(args) == 2 else "")
    if depends_on_run(args):
        return interpreter.deferred("text", format, args)
    return _plain(interpreter, format, args, kwargs)


@builtin(print)
def _print(interpreter, args, kwargs):
    """Printing happens when the graph runs, in the order of the program."""
    interpreter.effects += 1
    texts = tuple(interpreter.printable(value) for value in args)
    value = (texts, dict(kwargs))
    aval = abstraction_of(value)
    leaves = Leaves()
    aval.flatten(value, leaves)
    interpreter.graph.add_host("print", Print(aval), list(leaves))


class Print:
    """Prints, when the graph runs, what `print` was given."""

    def __init__(self, aval):
        self._aval = aval

    def __call__(self, *leaves):
        args, kwargs = evaluated(self._aval.unflatten(LeafReader(leaves)))
        builtins.print(*args, **kwargs)


@builtin(locals)
def _locals(interpreter, args, kwargs):
    return interpreter.heap.note_birth(dict(interpreter.frame.function_frame().locals))


@builtin(globals)
def _globals(interpreter, args, kwargs):
    raise rejection(
        interpreter.place,
        "globals: the names of a module are not a value of a static graph",
        "Read the names that are needed.",
    )


@builtin(vars)
def _vars(interpreter, args, kwargs):
    if not args:
        return _locals(interpreter, args, kwargs)
    held = getattr(interpreter.world.original_of(args[0]), "__dict__", None)
    if len(args) != 1 or type(held) is not dict:
        return interpreter.native(vars, *args)
    return interpreter.read_attribute(args[0], "__dict__")


@builtin(dir)
def _dir(interpreter, args, kwargs):
    if not args:
        return interpreter.heap.note_birth(sorted(_locals(interpreter, args, kwargs)))
    method = interpreter.user_method(args[0], "__dir__")
    if method is not None:
        return interpreter.call(sorted, (interpreter.call(method, (), {}),), {})
    raise rejection(
        interpreter.place,
        "dir: the names of an object are not a value of a static graph",
        "Ask for the names that are needed with hasattr.",
    )


def _interpreter_only(function):
    @builtin(function)
    def refuse(interpreter, args, kwargs):
        raise rejection(
            interpreter.place,
            f"{function.__name__}: it needs the Python interpreter when the graph runs",
            "Call it outside of the compiled function.",
        )

    return refuse


for _function in (eval, exec, compile, open, input, breakpoint, __import__):
    _interpreter_only(_function)
