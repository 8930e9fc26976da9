"""Calls of code that is not captured: only what is known to compute from known values alone."""

import sys
import types

from dyad._core import Tensor
from dyad._src.base.break_reasons import ARGUMENT, CONDITION, FUNCTION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.attributes import PLAIN_TYPES, is_user_class
from dyad._src.capture.semantics.attributes.object_state import (
    BUFFERS,
    has_unseen_state,
    is_array_type,
    layout_of,
)
from dyad._src.capture.semantics.calls import libraries
from dyad._src.capture.semantics.calls.frameworks import (
    is_captured,
    is_framework_module,
    is_impure,
    module_of,
)
from dyad._src.capture.semantics.calls.functions import Interpreted
from dyad._src.capture.semantics.calls.log_calls import is_log_call, log_when_run
from dyad._src.capture.semantics.calls.purity import is_pure, keeps_arguments
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.memory.heap import is_container
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import depends_on_run, is_unread

CONTAINERS = (list, tuple, dict, set, frozenset)
_REFERENCES = (
    4  # to a new object in `remember_made`: its name there, its caller's, and two of calls under way
)


class NativeCalls(Part):
    """Decides which functions outside of the program may run now: pure ones, on values that are known."""

    # ---- objects whose state is not modelled

    def require_seen(self, value):
        """Refuses what holds state that is neither guarded nor journalled, unless the program made it."""
        cls = type(value)
        if is_unread(value):
            return
        if cls is AttributeView:
            raise self.interpreter.rejection(
                UNKNOWN, "__dict__: the attributes of an object from outside are used as a dict", NEEDS_PYTHON
            )
        if cls in CONTAINERS:
            for member in (*value.keys(), *value.values()) if cls is dict else value:
                if type(member) not in PLAIN_TYPES or type(member) in CONTAINERS:
                    self.require_seen(member)
            return
        if has_unseen_state(cls) and not self.external.is_own(value):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{cls.__name__}: what this object from outside of the graph holds may change from call to call and "
                "is not guarded",
                "Read it outside of the compiled function and pass what is needed as an argument.",
            )

    def remember_made(self, value):
        """Remembers what a call outside of the program made: it belongs to the program from now on."""
        if is_container(value):
            return self.heap.note_birth(value)
        cls = type(value)
        if cls in PLAIN_TYPES:
            return value
        is_array = is_array_type(cls) and getattr(value, "base", None) is None  # a view has memory of another
        # What the call was given, or found somewhere, is not its own: more than the names on the way here hold it.
        if (has_unseen_state(cls) or cls in BUFFERS or is_array) and sys.getrefcount(value) <= _REFERENCES:
            self.heap.note_birth(value)
            self.external.note_own(value)
        return value

    def require_new(self, value, what):
        """Refuses a change of an object that is not journalled, except on the only path there is."""
        is_memory = type(value) in BUFFERS or is_array_type(type(value))
        if is_memory and self.interpreter.lax:
            # Other arrays may look at the same memory: Python runs what writes to it.
            raise self.interpreter.rejection(
                UNKNOWN, f"{what}: the memory of a {type(value).__name__} is written", NEEDS_PYTHON
            )
        if self.external.is_own(value) and self.heap.is_new(value):
            return
        where = (
            "under a condition that is known only when the graph runs" if self.external.is_own(value) else ""
        )
        raise self.interpreter.rejection(
            CONDITION if where else UNKNOWN,
            f"{what}: {type(value).__name__} {where or 'from outside of the graph'} is changed, which a static graph "
            "cannot do",
            "Use a list, dict or Tensor, or change it outside of the compiled function.",
        )

    # ---- calling

    def call_native(self, function, args, kwargs):
        """Code of Python itself or of a library: it may be called now if all it is given is known."""
        args, kwargs = self.external.look_at_all(args, kwargs)
        if is_log_call(function, kwargs):
            return log_when_run(self.interpreter, function, args)
        if is_impure(function):
            raise self.impure(function)
        owner = getattr(function, "__self__", None)
        if depends_on_run((args, kwargs)) or depends_on_run(owner):
            raise self.interpreter.rejection(
                ARGUMENT,
                f"{name_of(function)}: it is called with a value that is known only when the graph runs, and it is no "
                "operator of a graph",
                NEEDS_PYTHON,
                error=self.interpreter.host.host_error,
            )
        args = [self.taken(value) for value in args]
        kwargs = {name: self.taken(value) for name, value in kwargs.items()}
        self._require_pure(function, owner, args, kwargs)
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.require_seen(owner)
        result = self.interpreter.host.native(
            function, *[self.as_callback(value) for value in args], **kwargs
        )
        held = getattr(result, "__dict__", None)
        if type(held) is dict and depends_on_run(held):
            self.heap.note_namespace(held)
            self.external.note_own(result)  # it holds values of this graph, so it was made just now
        return self.remember_made(result)

    def call_cached(self, function, args, kwargs):
        """A function with an lru_cache: what it keeps is kept for the dynamic graph too, and it is asked natively.

        The guard is the number of results that the cache did not have, which changes when it is cleared as well.
        """
        if self.interpreter.lax:
            raise self.interpreter.rejection(
                UNKNOWN, f"{name_of(function)}: an lru_cache counts how often it is asked", NEEDS_PYTHON
            )
        given = (args, kwargs)
        if depends_on_run(given) or self.heap.depth or not _is_constant(given):
            raise self.interpreter.rejection(
                CONDITION,
                f"{name_of(function)}: an lru_cache is asked with arguments or under a condition that are known only "
                "when the graph runs",
                "Call the function without its cache, or outside of the compiled function.",
            )
        result = self.interpreter.host.guarded(function, *args, **kwargs)
        if isinstance(result, Tensor):
            result = self.external.adopt_fixed(result)  # the same object until the cache is cleared
        elif not _is_constant(result):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{name_of(function)}: an lru_cache gives back a {type(result).__name__}, which may change",
                "Call the function outside of the compiled function and pass what it gives as an argument.",
            )
        self.external.tree.check_call(self.external.node_of(function), _misses, _misses(function))
        return result

    def _require_pure(self, function, owner, args, kwargs):
        if libraries.chosen(module_of(function)) is False:
            return  # the environment says that the package is left to Python
        if not keeps_arguments(function):
            for value in (*args, *kwargs.values()):
                self.require_no_object(function, value)
        if is_container(owner):
            self.heap.touch(owner)
            return
        if is_pure(function, args, kwargs):
            return
        cls = type(owner)
        if self.external.is_own(owner) and (has_unseen_state(cls) or cls in BUFFERS or is_array_type(cls)):
            self.require_new(owner, name_of(function))
            return
        raise self.interpreter.rejection(
            FUNCTION,
            f"{name_of(function)}: what it reads and changes is not known, so it cannot be done once while compiling",
            "Call it outside of the compiled function.",
        )

    def require_no_object(self, function, value):
        """Code that is not captured would call the methods of an object of the program by itself."""
        cls = type(value)
        if cls in CONTAINERS:
            for member in (*value.keys(), *value.values()) if cls is dict else value:
                self.require_no_object(function, member)
        elif cls not in PLAIN_TYPES and is_user_class(cls) and not self._is_mere_value(cls):
            raise self.interpreter.rejection(
                ARGUMENT,
                f"{name_of(function)}: it is given an object of class {cls.__name__}, whose methods it may call",
                "Give it the values that it needs.",
            )

    def _is_mere_value(self, cls):
        """Returns whether the class adds no methods to one of Python's values: an enumeration, a named tuple."""
        if (
            is_framework_module(module_of(cls))
            or self.interpreter.cells.is_cell_class(cls)
            or issubclass(cls, (BaseException, Tensor))
        ):
            return True
        return layout_of(cls) in (tuple, int, str, float) or hasattr(cls, "__members__")

    def impure(self, function):
        """The rejection of a function that may give another value at each call."""
        return self.interpreter.rejection(
            FUNCTION,
            f"{name_of(function)}: each call may give another value, so it cannot be done once while compiling",
            "Call it outside of the compiled function and pass what it gives as an argument.",
        )

    def taken(self, value):
        """An argument as code that is not captured takes it: an iterator with all its elements computed."""
        return (
            self.remember_made(iter(self.interpreter.iteration.items_of(value)))
            if isinstance(value, ModelIterator)
            else value
        )

    def as_callback(self, value):
        """A function of the program, for code of the framework that calls it."""
        if isinstance(value, types.FunctionType) and is_captured(value):
            return Interpreted(self.interpreter, value)
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            return Interpreted(self.interpreter, value) if is_captured(value.__func__) else value
        return value


def _misses(function):
    return function.cache_info().misses


def _is_constant(value):
    if type(value) in (tuple, frozenset):
        return all(map(_is_constant, value))
    if type(value) is dict:
        return all(map(_is_constant, value.values()))
    return type(value) in (bool, int, float, complex, str, bytes, type(None), range)


def name_of(function):
    """The name of a function in an error message."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return f"{module}.{name}" if module and module != "builtins" else name
