"""Exceptions as objects of the captured program: what they hold, and how one that holds the same is made.

The program sees real exception objects. What it changes of one after it was made lies in the object's `__dict__`, where
the journal sees it: links to other exceptions and new `args` too, under names that Python itself never looks up there.
"""

import types
from typing import NamedTuple

from dyad._src.base.break_reasons import EXCEPTION, capture_error
from dyad._src.base.tagged_union import OneOf
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.object_state import per_class
from dyad._src.capture.semantics.control.traceback_lines import caught_from
from dyad._src.capture.semantics.memory.heap import is_container
from dyad._src.capture.semantics.part import Part

LINKS = ("__cause__", "__context__", "__suppress_context__")
STATE = ("args", *LINKS)
RAISED_AT = "__raised_at__"  # where the program raised it, as a RaisedAt
EXCEPTION_NAMES = frozenset((*STATE, "__traceback__", "add_note"))
_NOWHERE = -1  # an int like any other place, so that paths can join
_FIELDS = (types.MemberDescriptorType, types.GetSetDescriptorType)


class RaisedAt(NamedTuple):
    """The line that an exception was raised in.

    `calls` lead there from the captured function. Where it was handled, so many of them lie before the handler as
    `handled_in` says; else that is negative. `behind` are lines that it had already when it was raised there.
    """

    filename: str
    line: int
    column: int
    function: str
    by_operator: bool
    calls: tuple = ()
    handled_in: int = _NOWHERE
    behind: tuple = ()

    @property
    def lines(self):
        """(file, line, function) of all lines that a traceback has, outermost first."""
        return (*self.calls, (self.filename, self.line, self.function), *self.behind)

    @property
    def handled_lines(self):
        """The same from where it was handled on; nothing if it was not."""
        return () if self.handled_in < 0 else self.lines[self.handled_in :]


class CalledAt(NamedTuple):
    """A line that a call stands in."""

    filename: str
    line: int
    function: str


def _is_known(place):
    """Returns whether nothing in a place comes from the meeting of paths."""
    return (
        all(map(_is_known, place)) if isinstance(place, tuple) else isinstance(place, (str, int, type(None)))
    )


@per_class
def _fields_of(kind):
    """The names of what exceptions of Python's own classes hold beside `args`: errno, value, name and so on."""
    names = []
    for base in kind.__mro__:
        if base in (BaseException, object) or base.__module__ != "builtins":
            continue
        names += [name for name, entry in vars(base).items() if isinstance(entry, _FIELDS)]
    return tuple(name for name in names if not name.startswith("__") and name != "characters_written")


def state_of(error):
    """All that an exception holds, by name."""
    held = error.__dict__
    state = {name: held[name] if name in held else getattr(error, name) for name in STATE}
    for name in _fields_of(type(error)):
        value = getattr(error, name, None)
        if value is not None:
            state[name] = value
    state.update((name, value) for name, value in held.items() if name not in STATE)
    return state


def with_state(kind, state):
    """A new exception of that class that holds what `state_of` tells. No `__init__` runs again."""
    native = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    made = native.__new__(kind, *state["args"])
    made.args = state["args"]
    fields = _fields_of(kind)
    for name, value in state.items():
        if (
            name in ("__cause__", "__context__")
            and value is not None
            and not isinstance(value, BaseException)
        ):
            made.__dict__[name] = value  # one of several, while capturing
        elif name in fields:
            _set_field(made, name, value)
        elif name in ("__cause__", "__context__"):
            setattr(made, name, value)
        elif name not in STATE:
            made.__dict__[name] = value
    made.__suppress_context__ = state["__suppress_context__"]
    return made


def _set_field(error, name, value):
    if getattr(error, name, None) is not value:
        setattr(error, name, value)


class ExceptionMaker:
    """Makes exceptions of a class when the graph runs."""

    def __init__(self, kind, lines=()):
        self._kind = kind
        self._lines = lines  # of its traceback, if it was handled

    def __call__(self, state):
        made = with_state(self._kind, state)
        return caught_from(self._lines, made) if self._lines else made


class Traceback:
    """Stand-in for the traceback of an exception of the running graph: it exists, and cannot be read."""

    __slots__ = ()

    def __getattribute__(self, name):
        if name in ("__class__", "__bool__"):
            return object.__getattribute__(self, name)
        if name == "__dict__":
            raise AttributeError(name)
        raise capture_error(EXCEPTION, "traceback: it is known only when the graph runs")


TRACEBACK = Traceback()


class ExceptionMethod:
    """`add_note` of an exception that the program made."""

    def __init__(self, interpreter, error):
        self._interpreter = interpreter
        self._error = error

    def __call__(self, note):
        self._interpreter.exceptions.add_note(self._error, note)


def is_exception_setup(function):
    """Returns whether it is `__init__` of Python's own exceptions, which only keeps what it is given."""
    return (
        isinstance(function, types.MethodWrapperType)
        and function.__name__ == "__init__"
        and isinstance(function.__self__, BaseException)
    )


class Exceptions(Part):
    """The part of the interpreter that makes exceptions and looks into them."""

    def make_exception(self, cls, args, kwargs):
        """Calls an exception class: `__init__` of the program's own classes is captured."""
        if issubclass(cls, BaseExceptionGroup):
            raise self.interpreter.rejection(
                EXCEPTION, f"{cls.__name__}: a group of exceptions is made", NEEDS_PYTHON
            )
        new, init = (
            self.interpreter.attributes.class_entry_of(cls, "__new__"),
            self.interpreter.attributes.class_entry_of(cls, "__init__"),
        )
        if isinstance(getattr(new, "__func__", new), types.FunctionType):
            made = self.interpreter.calls.call(getattr(new, "__func__", new), (cls, *args), kwargs)
        else:
            made = self.interpreter.host.native(cls.__new__, cls, *args, **kwargs)
        if not isinstance(made, cls):
            return made
        self.adopt_exception(made)
        if isinstance(init, types.FunctionType):
            self.interpreter.functions.call_function(init, (made, *args), kwargs)
        else:
            self.interpreter.host.native(cls.__init__, made, *args, **kwargs)
        return made

    def adopt_exception(self, error):
        """Notes that an exception is one that the program just made; one from outside stays what it is."""
        if self.is_own_exception(error) and not self.external.is_own(error):
            self.external.note_own(error)
            self.heap.note_birth(error)
            self.heap.note_namespace(error.__dict__)
        return error

    def note_built(self, made):
        """Notes what was built anew where paths meet."""
        if isinstance(made, BaseException):
            return self.adopt_exception(made)
        if not is_container(made) and type(getattr(made, "__dict__", None)) is dict:
            self.external.note_own(made)
            self.heap.note_namespace(made.__dict__)
        return self.heap.note_birth(made)

    def is_own_exception(self, error):
        """Returns whether the program made the exception, not its surroundings."""
        return not (self.external.is_outer_object(error) or id(error) in self.external.seen)

    def read_exception(self, error, name):
        """`args`, a link or a method of an exception."""
        if name == "add_note" and self.is_own_exception(error):
            return ExceptionMethod(self.interpreter, error)
        if name == "__traceback__":
            return TRACEBACK
        return state_of(error)[name]

    def write_exception(self, error, name, value):
        """Sets `args` or a link of an exception."""
        self.adopt_exception(error)
        if name == "args":
            value = tuple(self.interpreter.iteration.items_of(value))
        self.heap.touch(error.__dict__)
        error.__dict__[name] = value
        if name == "__cause__":
            error.__dict__["__suppress_context__"] = True

    def write_own_exception(self, error, name, value):
        """An attribute of an exception that the program made."""
        self.adopt_exception(error)
        self.heap.touch(error.__dict__)
        error.__dict__[name] = value

    def add_note(self, error, note):
        """`error.add_note(note)`."""
        if isinstance(note, (bool, int, float, type(None))):
            self.interpreter.throwing.throw(TypeError(f"note must be a str, not '{type(note).__name__}'"))
        self.adopt_exception(error)
        held = error.__dict__
        if "__notes__" not in held:
            self.heap.touch(held)
            held["__notes__"] = self.heap.note_birth([])
        self.heap.touch(held["__notes__"])
        held["__notes__"].append(note)

    def note_raised_at(self, thrown):
        """Remembers where an exception comes from, for when it leaves the graph."""
        error, place = thrown.error, thrown.place
        if place is None and self.interpreter.frame is not None and self.interpreter.frame.is_program:
            place = self.interpreter.place
        if not isinstance(error, BaseException) or place is None or not self.is_own_exception(error):
            return
        held = self.adopt_exception(error).__dict__
        if RAISED_AT not in held:
            self.heap.touch(held)
            held[RAISED_AT] = RaisedAt(
                place.filename,
                place.line,
                place.column,
                place.function,
                thrown.by_operator,
                tuple(self._calls_to(thrown.calls)),
            )

    def raised_at(self, error):
        """Where an exception was raised; None if that was not noted. It must not depend on the path."""
        found = vars(error).get(RAISED_AT)
        if not _is_known(found):
            raise self.interpreter.rejection(
                EXCEPTION, "raise: which line raises an exception depends on the path", NEEDS_PYTHON
            )
        return found

    def note_handled(self, error):
        """Remembers that an exception is handled here: its traceback begins with the function that does."""
        for one in error.alternatives.values() if isinstance(error, OneOf) else (error,):
            held = one.__dict__ if isinstance(one, BaseException) and self.is_own_exception(one) else {}
            if isinstance(held.get(RAISED_AT), RaisedAt):
                self.heap.touch(held)
                held[RAISED_AT] = held[RAISED_AT]._replace(handled_in=len(self._calls_to(())))

    def note_raised_anew(self, error):
        """Remembers that an exception that was handled is raised by `raise error`: its traceback goes on from there."""
        place, held = self.interpreter.place, vars(error) if self.is_own_exception(error) else {}
        before = self.raised_at(error) if held else None
        if before is not None and before.handled_in >= 0 and place is not None:
            self.heap.touch(held)
            calls = tuple(self._calls_to(()))
            here = place.filename, place.line, place.column, place.function
            held[RAISED_AT] = RaisedAt(*here, False, calls, behind=before.handled_lines)

    def _calls_to(self, left):
        """The calls that lead to where an exception was raised, outermost first; `left` are those it has left."""
        calls, frame = list(left), self.interpreter.frame
        while frame is not None:
            if frame.call_is_shown and not frame.scope.is_comprehension:
                calls.append(frame.caller.place(frame.called_at))
            frame = frame.caller
        return [CalledAt(call.filename, call.line, call.function) for call in reversed(calls)]

    def note_context(self, error):
        """Sets the context of an exception that is raised while another one is handled."""
        handled = self.interpreter.throwing.handled
        if handled is None or handled is error or not self.is_own_exception(error):
            return
        self.adopt_exception(error)
        self._cut_cycle(error, handled)
        self.heap.touch(error.__dict__)
        error.__dict__["__context__"] = handled

    def _cut_cycle(self, error, handled):
        """An exception that is raised again leaves the chain of those it is raised from."""
        link = handled
        while isinstance(link, BaseException):
            behind = state_of(link)["__context__"]
            if behind is error:
                self.write_exception(link, "__context__", None)
                return
            link = behind
