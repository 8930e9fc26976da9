"""Calls: which functions are captured, which are simply called, and how Cells and classes behave."""

import ast
import dataclasses
import enum
import functools
import operator
import reprlib
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.function import Function
from dyad._src.autodiff.markers import HookBackward, InsertGradientOf
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.capture.errors import NEEDS_PYTHON, Thrown, rejection
from dyad._src.capture.readers.ast.scopes import scope_of_function
from dyad._src.capture.readers.ast.source import source_of
from dyad._src.capture.semantics.aliases import may_outlive_call
from dyad._src.capture.semantics.arguments import bind
from dyad._src.capture.semantics.attribute_view import VIEW_METHOD
from dyad._src.capture.semantics.attributes import class_entry, is_user_class
from dyad._src.capture.semantics.batching import Batching
from dyad._src.capture.semantics.builtins.table import BUILTINS
from dyad._src.capture.semantics.exceptions import ExceptionMethod, is_exception_setup
from dyad._src.capture.semantics.frame import Frame
from dyad._src.capture.semantics.frameworks import (
    is_captured,
    is_framework_module,
    module_of,
)
from dyad._src.capture.semantics.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.semantics.generator_managers import GeneratorManager, makes_manager
from dyad._src.capture.semantics.gradients import Gradients, is_autodiff
from dyad._src.capture.semantics.libraries import is_library_file
from dyad._src.capture.semantics.library_functions import call_getter
from dyad._src.capture.semantics.making import Making, has_source
from dyad._src.capture.semantics.methods import call_method
from dyad._src.capture.semantics.native_calls import NativeCalls, name_of
from dyad._src.capture.semantics.own_backward import OwnBackward
from dyad._src.capture.semantics.values import Deferred, OneOf, depends_on_run
from dyad._src.capture.semantics.written_methods import written_method
from dyad._src.host_only import JIT_IGNORE
from dyad._src.mutable import mutable
from dyad._src.precision import call_in_precision
from dyad._src.tensor import register_hook

_CACHED = type(functools.lru_cache(len))
# Where the wrapper stands that keeps the text of a dataclass from containing itself.
_GUARDS_OF_REPR = (dataclasses.__file__, reprlib.__file__)
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_METHOD_TYPES = (types.BuiltinMethodType, types.MethodWrapperType)
_UNBOUND_METHODS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)
_LISTED = (
    type,
    types.BuiltinFunctionType,
    types.FunctionType,
    types.WrapperDescriptorType,
)  # hashed by identity


@functools.lru_cache(maxsize=4096)
def _scope(node):
    return scope_of_function(node)


@functools.lru_cache(maxsize=4096)
def _yields(node):
    stack = list(node.body) if isinstance(node.body, list) else [node.body]
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)):
            stack.extend(ast.iter_child_nodes(part))
    return False


class Calls(Gradients, OwnBackward, Batching, Making, NativeCalls):
    def call(self, function, args, kwargs):
        if isinstance(function, OneOf):
            return self.split(function, lambda chosen: self.call(chosen, args, kwargs))
        if isinstance(function, Interpreted):
            return self.call(function.__wrapped__, args, kwargs)
        if isinstance(function, _LISTED):
            special = BUILTINS.get(function)
            if special is not None:
                return self._call_builtin(function, special, args, kwargs)
        if isinstance(function, ClosureFunction):
            return self._call_closure(function, args, kwargs)
        if isinstance(function, Bound):
            return self._call_closure(function.__func__, (function.__self__, *args), kwargs)
        if isinstance(function, types.MethodType):
            return self._call_bound(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            return self._call_python(function, args, kwargs)
        if isinstance(function, ExceptionMethod) or is_exception_setup(function):
            return self.native(function, *args, **kwargs)
        if isinstance(function, _METHOD_TYPES) and not isinstance(function.__self__, types.ModuleType):
            return call_method(self, function, args, kwargs)
        if isinstance(function, _UNBOUND_METHODS):
            return self._call_unbound(function, args, kwargs)
        if isinstance(function, type):
            return self.make(function, args, kwargs)
        if isinstance(function, functools.partial):
            called, first, named = self.world.carried_by(function)
            return self.call(called, (*first, *args), {**named, **kwargs})
        if type(function) is _CACHED:
            return self.call_cached(function, args, kwargs)
        if isinstance(function, VIEW_METHOD):
            return function.call(self, args, kwargs)
        if isinstance(function, staticmethod):
            return self.call(function.__func__, args, kwargs)
        if isinstance(function, _GETTERS) and len(args) == 1 and not kwargs:
            return call_getter(self, function, args)
        if isinstance(function, _core.CompiledFunction):
            return self.call(function.__wrapped__, args, kwargs)
        if isinstance(function, VectorizedFunction):
            return self.call_batched(function, args, kwargs)
        if isinstance(function, TransformedFunction):
            return self.call_transformed(function, args, kwargs)
        return self._call_object(function, args, kwargs)

    def _call_builtin(self, function, special, args, kwargs):
        """Python's own functions look into what they are given: a choice is decided first."""
        if function is not print:
            for place, value in enumerate(args):
                if isinstance(value, OneOf):
                    return self.split(value, _Replaced(self.call, function, args, kwargs, place))
            torn = self._torn(*args)
            if torn is not None and function not in (id, isinstance):
                return self.opened(torn, lambda: special(self, args, kwargs))
        return special(self, args, kwargs)

    def _call_unbound(self, function, args, kwargs):
        """`list.append(items, 3)`: the method of the first argument."""
        if not args or isinstance(args[0], OneOf):
            if args:
                return self.split(args[0], lambda chosen: self.call(function, (chosen, *args[1:]), kwargs))
            return self.native(function, *args, **kwargs)  # says what is missing
        return self.call(self.guarded(function.__get__, args[0]), args[1:], kwargs)

    def _call_bound(self, method, args, kwargs):
        function = method.__func__
        owner = method.__self__
        if function is Function.apply.__func__:
            return self.apply_function_class(owner, args, kwargs)
        if _is_tuple_method(function, owner):
            return self.native(method, *args, **kwargs)  # a named tuple only moves its members
        if isinstance(function, _core.CompiledFunction):
            function = function.__wrapped__
        if isinstance(function, types.FunctionType) and is_captured(function):
            self._require_not_ignored(function, args, kwargs)
            return self.call_function(function, (method.__self__, *args), kwargs)
        if isinstance(
            function, (ClosureFunction, types.MethodType, type, functools.partial, TransformedFunction)
        ):
            return self.call(function, (method.__self__, *args), kwargs)
        if is_framework_module(module_of(function)):
            return self.call_framework(method, args, kwargs)
        if isinstance(function, types.FunctionType) and self._is_mixed_in(function, owner):
            return self.call_function(function, (owner, *args), kwargs)
        return self.call_native(method, args, kwargs)

    def _is_mixed_in(self, function, owner):
        """Whether a class of the program inherits this function from Python's library: it is read like its own."""
        cls = type(owner)
        return is_user_class(cls) and not issubclass(cls, (BaseException, enum.Enum)) and has_source(function)

    def _call_python(self, function, args, kwargs):
        if makes_manager(function):
            return GeneratorManager(function.__wrapped__, args, kwargs)
        if is_captured(function):
            self._require_not_ignored(function, args, kwargs)
            return self.call_function(function, args, kwargs)
        if is_framework_module(module_of(function)):
            return self.call_framework(function, args, kwargs)
        if (
            args and hasattr(function, "registry") and hasattr(function, "dispatch")
        ):  # functools.singledispatch
            kind = args[0].kind if isinstance(args[0], _core.GraphNumber) else type(args[0])
            return self.call(self.dispatched(function, kind), args, kwargs)
        return self.call_native(function, args, kwargs)

    def _require_not_ignored(self, function, args, kwargs):
        """A function under `jit_ignore` runs in Python; of known values a graph has its result without running it."""
        known = not depends_on_run((args, kwargs))
        if getattr(function, JIT_IGNORE, False) and (self.strict or not known):
            given = "" if known else "is called with a value that is known only when the graph runs, and it "
            raise rejection(
                self.place,
                f"{function.__qualname__}: it {given}is marked jit_ignore, so it needs Python when the graph runs",
                NEEDS_PYTHON,
                kind=self.host_error,
            )

    # ---- captured functions

    def call_function(self, function, args, kwargs, on_yield=None):
        """Captures a Python function at this place of the graph; `on_yield` is called with what it yields."""
        if function.__code__.co_filename in _GUARDS_OF_REPR:
            return self._call_without_source(function, args, kwargs, TypeError(f"{function.__qualname__}"))
        if function.__code__.co_flags & (0x2A0 if on_yield is None else 0x280):
            raise self._interrupted(function.__qualname__, function.__code__.co_flags & 0x80)
        try:
            source = source_of(function)
        except (OSError, TypeError) as error:
            return self._call_without_source(function, args, kwargs, error)
        node = source.node
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        defaults, keyword_defaults = self._defaults(function)
        bound = self.guarded(bind, node, function.__qualname__, args, kwargs, defaults, keyword_defaults)
        owner_class = None
        if "__class__" in cells:
            owner_class = cells["__class__"].cell_contents

        def frame():
            name = getattr(node, "name", "<lambda>")
            made = Frame(name, source, function.__globals__, _scope(node), None, cells, owner_class)
            made.qualname = function.__qualname__
            made.on_yield = on_yield
            return made

        if on_yield is not None:
            return self._run_body(frame(), node, bound)
        return self._run_frame(function.__code__, frame, node, bound)

    def _call_without_source(self, function, args, kwargs, error):
        """Methods that Python's library writes for a class are known by what they do."""
        owner = args[0] if args else None
        written = written_method(function, owner)
        if written is not None:
            return written(self, args, kwargs)
        raise rejection(self.place, str(error), kind=type(error)) from None

    def _interrupted(self, name, coroutine):
        """Generators and coroutines stop in the middle and go on later; a graph runs from start to end."""
        if coroutine:
            what = f"Unsupported expression 'Await': {name} is a coroutine function"
            return rejection(
                self.place, what, "Take async off, or await it outside of the compiled function."
            )
        what = f"Unsupported expression 'Yield': {name} is a generator function"
        return rejection(self.place, what, "Return a list instead of yielding its elements.")

    def _defaults(self, function):
        defaults, keyword_defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
        if is_framework_module(module_of(function)):
            return defaults, keyword_defaults
        tree = self.world.tree
        node = tree.object(function)
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            tree.check_same(tree.attribute(node, part), getattr(function, part), weak=False)
        if defaults or keyword_defaults:
            defaults = tuple(self.world.adopt_fixed(value) for value in defaults)
            keyword_defaults = {
                name: self.world.adopt_fixed(value) for name, value in keyword_defaults.items()
            }
        return defaults, keyword_defaults

    def _call_closure(self, function, args, kwargs, on_yield=None):
        node = function.node
        if _yields(node) and on_yield is None:
            raise self._interrupted(function.__name__, coroutine=False)
        bound = self.guarded(
            bind, node, function.__qualname__, args, kwargs, function.defaults, function.keyword_defaults
        )
        outer = function.frame

        def frame():
            made = Frame(
                function.__name__, outer.source, outer.namespace, _scope(node), outer, None, outer.owner_class
            )
            made.qualname = function.__qualname__
            made.on_yield = on_yield
            return made

        return self._run_frame((node, id(outer)), frame, node, bound)

    def _run_frame(self, key, make_frame, node, bound):
        return self.run_function(key, node, bound, lambda given: self._run_body(make_frame(), node, given))

    def _run_body(self, frame, node, bound):
        if self.depth >= self.max_depth:
            raise rejection(
                self.place,
                f"Exceed function call depth limit {self.max_depth}: {frame.name} is called too deeply",
                "Is there a recursion without an end? set_recursion_limit() raises the limit.",
                kind=RecursionError,
            )
        frame.locals.update(bound)
        self.heap.note_namespace(frame.locals)
        self.depth += 1
        with self.in_frame(frame):
            try:
                if isinstance(node, ast.Lambda):
                    return self.evaluate(node.body)
                return self._result(self.execute_block(node.body))
            finally:
                self.depth -= 1
                if not may_outlive_call(node):
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
                raise rejection(
                    self.place,
                    f"Cannot join the return values of different branches: {self.frame.name} returns a value on one "
                    "path and ends without return on another",
                    "Return a value of one type on every path.",
                    kind=TypeError,
                )
            return OneOf(leaving.tag, values)
        return leaving[0]

    # ---- Cells

    def call_cell(self, cell, args, kwargs):
        """What calling a Cell does: hooks, precision, construct."""
        if self.read_attribute(cell, "_plain_call"):
            try:
                return self.call(self.read_attribute(cell, "construct"), args, kwargs)
            except Thrown as thrown:
                if isinstance(thrown.error, TypeError):
                    self.native(cell._require_bindable, args, kwargs)
                raise
        args, kwargs = self.call(self.read_attribute(cell, "_run_forward_pre_hooks"), (args, kwargs), {})
        hooks = self.backward_hooks_of(cell)
        if hooks is not None:
            args = self.native(hooks.mark_inputs, args)
        dtype = self.read_attribute(cell, "_compute_dtype")
        output = call_in_precision(dtype, self.run_construct, (cell, args, kwargs), {})
        output = self.call(self.read_attribute(cell, "_run_forward_hooks"), (args, kwargs, output), {})
        return output if hooks is None else self.native(hooks.mark_output, output)

    def _call_object(self, function, args, kwargs):
        cls = type(function)
        if self.is_cell(function):
            call = class_entry(cls, "__call__")
            if is_framework_module(module_of(call)):
                return self.call_cell(function, args, kwargs)
        if isinstance(function, custom_vjp):
            return self.call_custom_vjp(function, args, kwargs)
        if isinstance(function, (HookBackward, InsertGradientOf)):
            return self.call_marker(function, args, kwargs)
        method = self.user_method(function, "__call__")
        if method is not None:
            forward = getattr(getattr(method, "__func__", None), "_forward", None)
            if forward is not None:
                return self.call_primitive_with_bprop(function, forward, args, kwargs)
            return self.call(method, args, kwargs)
        plain = getattr(class_entry(cls, "_call"), "__func__", None)  # a Primitive may be a program too
        if isinstance(plain, types.FunctionType) and is_captured(plain):
            return self.call_function(plain, args, kwargs)
        if not callable(function):
            return self.native(function, *args, **kwargs)  # says that it is not callable
        if is_framework_module(module_of(cls) or module_of(function)):
            return self.call_framework(function, args, kwargs)
        return self.call_native(function, args, kwargs)

    # ---- other code

    def call_framework(self, function, args, kwargs):
        """A function of the framework: it runs now, and the operators it calls become nodes."""
        for place, value in enumerate((*args, *kwargs.values())):
            if isinstance(value, OneOf):
                return self.split(value, _Replaced(self.call_framework, function, args, kwargs, place))
            if isinstance(value, Deferred):
                raise rejection(
                    self.place,
                    f"{name_of(function)}: it is given a {value.what} that is known only when the graph runs",
                    NEEDS_PYTHON,
                    kind=self.host_error,
                )
        args = [self.as_tensors(value) for value in args]
        if is_autodiff(function):
            result = self.call_autodiff(function, args, kwargs)
            return self.world.note_own(result) if isinstance(result, TransformedFunction) else result
        if getattr(function, "__func__", None) is register_hook:
            return self.register_hook(function, args, kwargs)
        args = [self._as_callback(self.taken(value)) for value in args]
        kwargs = {name: self._as_callback(self.taken(value)) for name, value in kwargs.items()}
        if _writes(function):
            target = function.__self__ if isinstance(function, types.MethodType) else next(iter(args), None)
            if isinstance(target, Tensor):
                self.world.note_written(target)
        program = getattr(function, "_in_graph", None)
        if program is not None:
            return self.call(program, (function.__self__, *args), kwargs)
        if getattr(function, "_not_in_graph", False):
            raise rejection(
                self.place,
                f"{getattr(function, '__name__', function)}: it cannot be called inside a static graph",
                "Call it outside of the compiled function.",
            )
        result = self.native(function, *args, **kwargs)
        if isinstance(result, (list, dict)):
            self.heap.note_birth(result)
        elif function is mutable and isinstance(result, _core.GraphNumber):
            self.world.marks.note(result)
        return result


def _is_tuple_method(function, owner):
    cls = owner if isinstance(owner, type) else type(owner)
    code = getattr(function, "__code__", None)
    return issubclass(cls, tuple) and code is not None and is_library_file(code.co_filename)


def _writes(function):
    """Whether a function of the framework changes a tensor it is given, told by its name."""
    name = getattr(function, "__name__", None) or getattr(function, "name", None) or type(function).__name__
    return isinstance(name, str) and (
        (name.endswith("_") and not name.endswith("__"))
        or name.lower().startswith(("assign", "scatter", "apply"))
    )


class _Replaced:
    """A call with one of its arguments replaced."""

    def __init__(self, call, function, args, kwargs, place):
        self._call = call
        self._function = function
        self._args = args
        self._kwargs = kwargs
        self._place = place

    def __call__(self, chosen):
        given = [*self._args, *self._kwargs.values()]
        given[self._place] = chosen
        count = len(self._args)
        return self._call(
            self._function, tuple(given[:count]), dict(zip(self._kwargs, given[count:], strict=True))
        )
