"""Calls of Python functions that are captured where they are called."""

import dataclasses
import reprlib

from dyad._src.base.break_reasons import BYTECODE, CALLEE, CONDITION, UNKNOWN, YIELD
from dyad._src.capture.errors import Rejected, is_interruption
from dyad._src.capture.semantics.calls.arguments import bind
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.calls.written_methods import written_method
from dyad._src.capture.semantics.frame import Frame
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf

# Where the wrapper stands that keeps the text of a dataclass from containing itself.
_GUARDS_OF_REPR = (dataclasses.__file__, reprlib.__file__)


class FunctionCalls(Part):
    """Binds arguments, makes the frame, and lets the reader run the body in it."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.depth = 0  # calls under way

    def call_function(self, function, args, kwargs, on_yield=None):
        """Captures a Python function at this place of the graph; `on_yield` is called with what it yields."""
        if function.__code__.co_filename in _GUARDS_OF_REPR:
            return self._call_without_source(function, args, kwargs, TypeError(f"{function.__qualname__}"))
        if function.__code__.co_flags & 0x280:
            raise self._interrupted(function.__qualname__, function.__code__.co_flags & 0x80)
        try:
            code = self.interpreter.reader.code_of(function)
        except (OSError, TypeError) as error:
            if is_interruption(error):
                raise
            return self._call_without_source(function, args, kwargs, error)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        defaults, keyword_defaults = self._defaults(function)
        bound = self.interpreter.host.guarded(
            bind, code.parameters, function.__qualname__, args, kwargs, defaults, keyword_defaults
        )
        owner_class = None
        if "__class__" in cells:
            owner_class = cells["__class__"].cell_contents

        def frame():
            made = Frame(code.name, code.text, function.__globals__, code.scope, None, cells, owner_class)
            made.qualname = function.__qualname__
            made.on_yield = on_yield
            return made

        if on_yield is not None:
            return self.run_body(frame(), code, bound)
        if code.is_generator:
            return self._generator(function.__qualname__, code, frame(), bound)
        try:
            return self._run_frame(function.__code__, frame, code, bound)
        except Rejected as rejected:
            rejected.leaves(function.__code__, bound)
            raise

    def _generator(self, name, code, frame, bound):
        made = self.interpreter.reader.generator(code, frame, bound)
        if made is None:
            raise self._interrupted(name, coroutine=False)
        return made

    def _call_without_source(self, function, args, kwargs, error):
        """Methods that Python's library writes for a class are known by what they do."""
        owner = args[0] if args else None
        written = written_method(function, owner)
        if written is not None:
            return written(self.interpreter, args, kwargs)
        raise self.interpreter.rejection(UNKNOWN, str(error), error=type(error)) from None

    def _interrupted(self, name, coroutine):
        """Generators and coroutines stop in the middle and go on later; a graph runs from start to end."""
        if coroutine:
            what = f"Unsupported expression 'Await': {name} is a coroutine function"
            return self.interpreter.rejection(
                BYTECODE, what, "Take async off, or await it outside of the compiled function."
            )
        what = f"Unsupported expression 'Yield': {name} is a generator function"
        return self.interpreter.rejection(YIELD, what, "Return a list instead of yielding its elements.")

    def _defaults(self, function):
        defaults, keyword_defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
        if is_framework_module(module_of(function)):
            return defaults, keyword_defaults
        tree = self.external.tree
        node = self.external.node_of(function)
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            tree.check_identity(tree.attribute(node, part), getattr(function, part), weak=False)
        if defaults or keyword_defaults:
            defaults = tuple(self.external.adopt_fixed(value) for value in defaults)
            held = tree.attribute(node, "__kwdefaults__")
            keyword_defaults = {
                name: self.external.adopt(value, tree.item(held, name))
                for name, value in keyword_defaults.items()
            }
        return defaults, keyword_defaults

    def call_closure(self, function, args, kwargs, on_yield=None):
        """Captures a function that the program itself made, at this place of the graph."""
        code = function.code
        bound = self.interpreter.host.guarded(
            bind,
            code.parameters,
            function.__qualname__,
            args,
            kwargs,
            function.defaults,
            function.keyword_defaults,
        )
        outer = function.frame

        def frame():
            made = Frame(
                function.__name__, outer.text, outer.namespace, code.scope, outer, None, outer.owner_class
            )
            made.qualname = function.__qualname__
            made.on_yield = on_yield
            return made

        if code.is_generator and on_yield is None:
            return self._generator(function.__name__, code, frame(), bound)
        return self._run_frame((code.identity, id(outer)), frame, code, bound)

    def _run_frame(self, key, make_frame, code, bound):
        return self.interpreter.recursion.run_function(
            key, code, bound, lambda given: self.run_body(make_frame(), code, given)
        )

    def run_body(self, frame, code, bound):
        """Runs the code in the frame, whose names begin as `bound`; gives what the function returns."""
        if self.depth >= self.interpreter.max_depth:
            raise self.interpreter.rejection(
                CALLEE,
                f"Exceed function call depth limit {self.interpreter.max_depth}: {frame.name} is called too deeply",
                "Is there a recursion without an end? set_recursion_limit() raises the limit.",
                error=RecursionError,
            )
        deepest = self.interpreter.options.bytecode.max_inline_depth
        if 0 < deepest < self.depth:
            raise self.interpreter.rejection(
                CALLEE,
                f"{frame.name}: it is called too deeply to be captured where it stands, MAX_INLINE_DEPTH is {deepest}",
            )
        frame.locals.update(bound)
        self.heap.note_namespace(frame.locals)
        self.depth += 1
        with self.interpreter.in_frame(frame):
            try:
                return self._result(code.run(self.interpreter.reader))
            finally:
                self.depth -= 1
                if not code.keeps_names:
                    self.heap.note_left(frame.locals)
                if not frame.escapes:
                    self.heap.forget(frame.locals)

    def _result(self, leaving):
        if leaving is None:
            return None
        if isinstance(leaving, OneOf):
            values = {
                tag: None if alternative is None else alternative[0]
                for tag, alternative in leaving.alternatives.items()
            }
            if self.strict:
                raise self.interpreter.rejection(
                    CONDITION,
                    "Cannot join the return values of different branches: "
                    f"{self.interpreter.frame.name} returns a value on one path and ends without return on another",
                    "Return a value of one type on every path.",
                    error=TypeError,
                )
            return OneOf(leaving.tag, values)
        return leaving[0]
