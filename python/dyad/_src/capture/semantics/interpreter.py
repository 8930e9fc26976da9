"""The abstract interpreter: gives a program its meaning on values that are known now or known when the graph runs.

Readers only decide what is evaluated next; this class reads the syntax tree of functions. Known values are computed by
Python itself. Operators of the framework are simply called: given a symbolic Tensor they add a node to the graph that
is active in this thread.
"""

import contextlib
import sys

from dyad import _core
from dyad._core import Tensor
from dyad._src.abstract_cell import AbstractCell
from dyad._src.autodiff import recording
from dyad._src.capture.errors import (
    KNOWN_SIZE,
    NEEDS_PYTHON,
    CaptureError,
    Dead,
    Rejected,
    Signal,
    SymbolicDimError,
    Thrown,
    rejection,
)
from dyad._src.capture.readers.ast.expressions import Expressions
from dyad._src.capture.readers.ast.patterns import Patterns
from dyad._src.capture.readers.ast.statements import Statements
from dyad._src.capture.semantics.aliases import Aliases
from dyad._src.capture.semantics.attribute_view import AttributeView
from dyad._src.capture.semantics.attribute_writes import AttributeWrites
from dyad._src.capture.semantics.attributes import PLAIN_TYPES, Attributes
from dyad._src.capture.semantics.calls import Calls
from dyad._src.capture.semantics.class_attributes import ClassAttributes
from dyad._src.capture.semantics.completion import Completions
from dyad._src.capture.semantics.control import Control
from dyad._src.capture.semantics.exceptions import RAISED_AT, Exceptions, state_of
from dyad._src.capture.semantics.frame import Names
from dyad._src.capture.semantics.heap import Heap, contents
from dyad._src.capture.semantics.identity import Identity
from dyad._src.capture.semantics.native_calls import CONTAINERS
from dyad._src.capture.semantics.operators import Operators
from dyad._src.capture.semantics.outside.world import World
from dyad._src.capture.semantics.raising import Raise, RaisedResults
from dyad._src.capture.semantics.recursion import Recursion
from dyad._src.capture.semantics.values import MISSING, Deferred, OneOf, depends_on_run, is_symbolic_tensor
from dyad._src.context import settings


class Interpreter(
    Statements,
    Expressions,
    Operators,
    Attributes,
    ClassAttributes,
    AttributeWrites,
    Calls,
    Recursion,
    Control,
    Aliases,
    Identity,
    Patterns,
    Completions,
    Exceptions,
):
    def __init__(self, graph, options, exact_sites=frozenset()):
        self.graph = graph
        self.options = options
        self.strict = options.strict
        self.heap = Heap()
        self.world = World(graph, self.heap, options.templates)
        self.names = Names(self.world, self.heap)
        self.heap.before_change = self._require_own if self.strict else None
        self.frame = None
        self.waiting = []  # frames of generators whose `with` blocks are being captured
        self.depth = 0
        self.max_depth = settings.read("max_call_depth")
        self.handled = None  # the exception an `except` block works on
        self.recording = _core.state("recording")  # whether a gradient is being recorded around this call
        self.recording_was_off = recording.switch.is_off  # whether this call is inside `no_grad`
        self.knows_recording_switch = False  # whether that is guarded
        self.transforms = []  # transforms under way inside the graph: the depth of the heap at which each began
        self.activations = []  # calls being captured, outermost first
        self.returned_at = None  # the last return statement
        self._program_frames = 0  # calls of the program itself, not of the framework, being captured
        self._node = None
        self.loop_entries = []  # what the variables of the loops under way begin as
        self.start_aliases(exact_sites)
        self.effects = 0  # prints and exceptions that were captured so far
        self.checks = []  # (how many operators may raise, place of the last of them)
        self.work = 0  # statements captured on paths that depend on the run
        self.decisions = {}  # (loop, frame) -> whether it is a loop of the graph
        self.init_completions()

    # ---- places

    def at(self, node):
        """Notes which part of the program is worked on."""
        self._node = node
        frame = self.frame
        if frame is not None and (frame.is_program or not self._program_frames):
            self.graph.set_location(frame.source.filename, node.lineno, node.col_offset)

    @property
    def place(self):
        return self.frame.place(self._node) if self.frame is not None and self._node is not None else None

    @contextlib.contextmanager
    def in_frame(self, frame):
        caller, node = self.frame, self._node
        frame.caller = caller
        self.frame = frame
        self._program_frames += frame.is_program
        try:
            yield
        except Rejected as rejected:
            self._note_call(rejected, caller, node)
            raise
        except RecursionError:
            raise self.too_deep() from None
        except Thrown as thrown:
            if thrown.place is None and (frame.is_program or not self._program_frames):
                thrown.place = self.place
            raise
        finally:
            self._program_frames -= frame.is_program
            self.frame = caller
            if caller is not None and node is not None:
                self.at(node)

    def too_deep(self):
        return rejection(
            self.place,
            "the program nests branches, loops and calls too deeply to be captured",
            "Is there a recursion without an end? Use a loop, or move a part into a compiled function of its own.",
            kind=RecursionError,
        )

    def _note_call(self, rejected, caller, node):
        """A rejection names the calls that lead to it, as a traceback does."""
        if caller is None or node is None or not self._is_shown(caller):
            return
        calls = rejected.__dict__.setdefault("calls", [])
        place = caller.place(node)
        if len(calls) < 8 and all(place.text() != other.text() for other in calls):
            calls.append(place)

    def _is_shown(self, caller):
        """Whether a call is one that the user wrote: not a comprehension's own scope, not the framework's doing."""
        if self.frame.scope.is_comprehension:
            return False
        return caller.is_program or not caller.namespace["__name__"].startswith("dyad._src.")

    def _require_own(self, container):
        """At STRICT a graph leaves no changes behind in the containers of the program around it."""
        known = self.world.seen.get(id(container))
        if known is not None and known.seen is container and isinstance(container, (list, dict, set)):
            raise rejection(
                self.place,
                f"{type(container).__name__}: one from outside of the graph is changed, which needs the Python object "
                "when the graph runs",
                "Change a copy and return it, or use jit(fullgraph=False).",
                kind=TypeError,
            )

    # ---- calling out

    @property
    def host_error(self):
        """The class of the error for code that needs the interpreter at run time."""
        return ValueError if self.strict else CaptureError

    def native(self, function, *args, **kwargs):
        """Calls code that is not captured, on known values; what it raises is an exception of the program."""
        for value in args:
            if type(value) not in PLAIN_TYPES or type(value) in CONTAINERS:
                self.require_seen(value)
        return self.guarded(function, *args, **kwargs)

    def guarded(self, function, *args, **kwargs):
        """Calls a function; what it raises is an exception of the program."""
        try:
            result = function(*args, **kwargs)
            self.check_writes()
            if isinstance(result, Tensor):
                self.note_made(result, function, args, kwargs)
            return result
        except Signal:
            raise
        except RecursionError:
            raise self.too_deep() from None
        except SymbolicDimError as error:
            raise rejection(self.place, str(error), KNOWN_SIZE, kind=SymbolicDimError) from None
        except CaptureError as error:
            raise rejection(self.place, str(error), NEEDS_PYTHON, kind=self.host_error) from None
        except Exception as error:
            if self.world.has_symbolic_dims and depends_on_run((args, kwargs)):
                # Another size may do, and a message would speak of a size by the name that the graph has for it.
                raise rejection(self.place, str(error), KNOWN_SIZE, kind=SymbolicDimError) from None
            failure = error
        # Out of the `except`: what the program raises is not raised while handling something of ours.
        _forget_context(failure, sys.exception())
        return self.throw(failure, by_operator=True)

    def asked(self, function, *args, **kwargs):
        """Calls a part of capture that raises as Python does where the program would."""
        try:
            return function(*args, **kwargs)
        except (Signal, CaptureError):
            raise
        except Exception as error:
            failure = error
        failure.__context__ = failure.__cause__ = None
        failure.__suppress_context__ = False
        return self.throw(failure)

    def raise_in_graph(self, thrown):
        """Adds a node that raises what was thrown, with the place it comes from."""
        self.note_raised_at(thrown)
        with contextlib.suppress(Dead):
            self._emit_raise(thrown.error)

    def _emit_raise(self, error):
        if isinstance(error, OneOf):
            self.split(error, self._emit_raise)
        raised_at = state_of(error).get(RAISED_AT)
        if raised_at is not None:
            self.graph.set_location(raised_at.filename, raised_at.line, raised_at.column)
        self.effects += 1
        results = self.results_so_far()
        described = results.template(error)
        effects = [*results.effects(), *results.written_tensors()]
        self.graph.add_host("raise", Raise(described, effects, raised_at), results.leaves)
        raise Dead

    def results_so_far(self):
        return RaisedResults(self)

    def catching(self, kind, path):
        """What the path gives; MISSING if it raises an exception of that kind."""
        before, self.awaited = self.awaited, (*self.awaited, kind)
        try:
            return path()
        except Thrown as thrown:
            if isinstance(thrown.error, kind):
                return MISSING
            raise
        finally:
            self.awaited = before

    # ---- values

    def is_cell(self, value):
        return self.is_cell_class(type(value))

    def is_cell_class(self, cls):
        return issubclass(cls, AbstractCell)

    def is_object(self, value):
        """Whether the texts of a value are made by methods of the program."""
        return (
            self.user_method(value, "__str__") is not None or self.user_method(value, "__repr__") is not None
        )

    def known_mapping(self, value):
        if isinstance(value, AttributeView):
            return value.snapshot(self)
        if isinstance(value, dict) and self.user_method(value, "__iter__") is None:
            return contents(value)
        if isinstance(value, OneOf) or not hasattr(value, "keys"):
            self.throw(TypeError(f"{type(value).__name__!r} object is not a mapping"))
        return {
            key: self.read_item(value, key)
            for key in self.items_of(self.call(self.read_attribute(value, "keys"), (), {}))
        }

    def deferred(self, what, function, arguments):
        """A Python value that is computed when it is needed outside of the graph."""
        return Deferred(what, function, [self.snapshot(value) for value in arguments])

    def deferred_method(self, owner, name):
        def call(*args, **kwargs):
            return self.deferred("text", _call_method, [owner, name, args, kwargs])

        if not hasattr(str, name):
            self.throw(AttributeError(f"'str' object has no attribute {name!r}"))
        return _Callback(call)

    def snapshot(self, value):
        """The value as it is now: tensors that the program may still write are copied."""
        if is_symbolic_tensor(value):
            return self.native(_copy, value)
        if isinstance(value, Tensor):
            return value
        if type(value) in (list, tuple):
            return type(value)(self.snapshot(item) for item in value)
        if type(value) is dict:
            return {key: self.snapshot(item) for key, item in value.items()}
        return value

    def printable(self, value):
        """What `print` shows for a value: a Parameter shows itself, all others their values now."""
        if isinstance(value, Tensor) and type(value) is not Tensor:
            return self.world.original_of(value)
        method = self.user_method(value, "__str__") or self.user_method(value, "__repr__")
        if method is not None and not self.is_cell(value):
            return self.call(method, (), {})
        return value

    def format_value(self, value, conversion, spec):
        if isinstance(value, OneOf):
            return self.split(value, lambda chosen: self.format_value(chosen, conversion, spec))
        if conversion and self.is_object(value):
            value, conversion = self.call({"s": str, "r": repr, "a": ascii}[conversion], (value,), {}), ""
        method = self.user_method(value, "__format__")
        if method is not None and not conversion:
            return self.call(method, (spec,), {})
        if self.is_object(value):
            if spec:
                self.throw(
                    TypeError(f"unsupported format string passed to {type(value).__name__}.__format__")
                )
            return self.call(str, (value,), {})
        if not depends_on_run((value, spec)):
            self._require_no_object(format, value)
            return self.native(_format, value, conversion, spec)
        return self.deferred("text", _format, [value, conversion, spec])


def _forget_context(error, ours):
    """Takes what capture itself was handling out of the chain of an exception of the program."""
    while ours is not None and error is not None:
        if error.__context__ is ours:
            error.__context__ = None
        error = error.__context__


class _Callback:
    """A method of a value that exists only when the graph runs."""

    __module__ = "dyad._src.capture"

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _format(value, conversion, spec):
    converted = {"s": str, "r": repr, "a": ascii}.get(conversion)
    return format(value if converted is None else converted(value), spec)


def _call_method(owner, name, args, kwargs):
    return getattr(owner, name)(*args, **kwargs)


def _copy(tensor):
    return tensor.copy()
