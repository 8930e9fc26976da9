"""Values of the captured program that Python itself has no type for.

All other values are ordinary Python objects. What is known only when the graph runs are leaves among them: symbolic
Tensors and GraphNumbers, and the kinds below.
"""

import gc
from collections import OrderedDict, deque
from collections.abc import KeysView, ValuesView

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.base.tagged_union import ContentsChoice, OneOf
from dyad._src.capture.semantics.control.exceptions import state_of
from dyad._src.capture.semantics.memory.heap import layout
from dyad._src.capture.semantics.stand_ins import AddingMethod, Unread

NUMBER_KINDS = (bool, int, float)


class _Unbound:
    """Value of a name that has not been assigned on some path."""

    def __repr__(self):
        return "<unbound>"


UNBOUND = _Unbound()
MISSING = object()


class Leaving:
    """The exit of an iteration: `break` or `continue`."""

    def __init__(self, word):
        self._word = word

    def __repr__(self):
        return self._word


BREAK = Leaving("break")
CONTINUE = Leaving("continue")


class Returned(tuple):
    """The exit of a function: the value that it returns."""


def returned(value):
    return Returned((value,))


class Raised(tuple):
    """The exit of a block by an exception: the exception, or a choice of several."""


class Origin:
    """Which of the tensors from outside a symbolic tensor is: a number, known or not, and those it may be.

    Computing with it does not ask; giving it back does, so that the caller gets the tensor it gave.
    """

    __slots__ = ("candidates", "which")

    def __init__(self, which, candidates):
        self.which = which
        self.candidates = candidates


NOWHERE = Origin(-1, frozenset())


def origin_of(tensor):
    return tensor.__dict__.get("_origin", NOWHERE)


def set_origin(tensor, origin):
    tensor.__dict__["_origin"] = origin


CONTENTS_CHOICE_KEY = ContentsChoice(None)
VIEWS = frozenset(
    type(getattr(kind(), name)()) for kind in (dict, OrderedDict) for name in ("keys", "values", "items")
)


def container_of(value):
    """The dict that a view shows; anything else is itself."""
    return gc.get_referents(value)[0] if type(value) in VIEWS else value  # `mapping` is a proxy of it


def view_method(view):
    """The name of the method of a dict that gives such a view."""
    names = {KeysView: "keys", ValuesView: "values"}
    return next((names[kind] for kind in names if isinstance(view, kind)), "items")


def contents_choice_of(container):
    """The `ContentsChoice` of a container whose contents are one of several, or of a view of one; None for all others.

    Methods that a class of the program has in place of Python's own are not called.
    """
    container = container_of(container)
    if isinstance(container, dict):
        return dict.get(container, CONTENTS_CHOICE_KEY) if dict.__len__(container) == 1 else None
    if not isinstance(container, list) or list.__len__(container) != 1:
        return None
    only = list.__getitem__(container, 0)
    return only if type(only) is ContentsChoice else None


class Deferred:
    """The result of a Python function on values that are known when the graph runs: a text, for example.

    It may be printed, raised, stored and returned; nothing in the graph can depend on it.
    """

    __slots__ = ("arguments", "function", "what")

    def __init__(self, what, function, arguments):
        self.what = what
        self.function = function
        self.arguments = tuple(arguments)

    def __repr__(self):
        return f"<{self.what} of values known when the graph runs>"


class RuntimeRange:
    """`range` with a bound that is known when the graph runs."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start, stop, step):
        self.start = start
        self.stop = stop
        self.step = step


def is_unread(value):
    """Returns whether the value represents a container that has not been read, or a method of one."""
    return type(value) is Unread or type(value) is AddingMethod


def is_symbolic_tensor(value):
    return not is_unread(value) and isinstance(value, Tensor) and _core.is_symbolic(value)


def is_leaf(value):
    """Returns whether the value itself is known only when the graph runs."""
    if is_unread(value):
        return False
    return isinstance(
        value, (GraphNumber, OneOf, ContentsChoice, Deferred, RuntimeRange)
    ) or is_symbolic_tensor(value)


def depends_on_run(value, seen=None):
    """Returns whether anything inside the value is known only when the graph runs."""
    if is_unread(value):
        return False
    if is_leaf(value):
        return True
    if isinstance(value, (str, bytes, int, float, type(None))):
        return False
    if isinstance(value, (list, tuple, set, frozenset, dict, deque)):
        seen = set() if seen is None else seen
        if id(value) in seen:
            return False
        seen.add(id(value))
        members = value if type(value) in (list, tuple) else layout(value).__iter__(value)
        if isinstance(value, dict):
            members = (*members, *layout(value).values(value))
        return any(depends_on_run(member, seen) for member in members)
    if isinstance(value, slice):
        return any(depends_on_run(part) for part in (value.start, value.stop, value.step))
    if isinstance(value, BaseException):
        return depends_on_run(state_of(value), seen)
    return False


def same_constant(a, b):
    """Returns whether two known values cannot be told apart by a program."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if isinstance(a, (bool, int, str, bytes, complex)):
        return a == b
    if isinstance(a, slice):
        return all(same_constant(getattr(a, part), getattr(b, part)) for part in ("start", "stop", "step"))
    if isinstance(a, range):
        return a == b
    return False


def kind_of_number(value):
    """bool, int or float for a number, known or not; None for anything else."""
    if isinstance(value, GraphNumber):
        return value.kind
    for kind in NUMBER_KINDS:
        if type(value) is kind:
            return kind
    return None
