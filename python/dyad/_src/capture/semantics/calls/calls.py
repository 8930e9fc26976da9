"""Calls: which functions are captured, which are simply called, and how Cells and classes behave."""

import enum
import functools
import operator
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.function import Function
from dyad._src.autodiff.markers import HookBackward, InsertGradientOf
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.base.break_reasons import ARGUMENT, CONDITION, FUNCTION, UNKNOWN
from dyad._src.base.host_only import JIT_IGNORE
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.attribute_view import VIEW_METHOD
from dyad._src.capture.semantics.attributes.attributes import class_entry, is_user_class
from dyad._src.capture.semantics.builtins.library_functions import call_getter
from dyad._src.capture.semantics.builtins.table import BUILTINS, UNDECIDED
from dyad._src.capture.semantics.calls.frameworks import (
    is_captured,
    is_framework_module,
    module_of,
)
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.semantics.calls.libraries import is_library_file
from dyad._src.capture.semantics.calls.methods import call_method
from dyad._src.capture.semantics.calls.native_calls import name_of
from dyad._src.capture.semantics.control.exceptions import ExceptionMethod, is_exception_setup
from dyad._src.capture.semantics.control.generator_managers import GeneratorManager, makes_manager
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.stand_ins import AddingMethod, NeedsLook
from dyad._src.capture.semantics.transforms.gradients import is_autodiff
from dyad._src.capture.semantics.values import (
    MISSING,
    ContentsChoice,
    Deferred,
    OneOf,
    depends_on_run,
    is_unread,
)
from dyad._src.tensor.tensor import TensorHook, register_hook

_CACHED = type(functools.lru_cache(len))
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

# What asks a container for its length, or for its class, and for nothing else.
_LENGTHS = (len, bool)
_TYPES = (isinstance, type)


class Calls(Part):
    """Decides what calling a value does: capture its body, apply a rule of `builtins`, or run it now."""

    def call(self, function, args, kwargs):
        """`function(*args, **kwargs)`."""
        if type(function) is AddingMethod:
            return self._add_by(function, args, kwargs)
        if isinstance(function, OneOf):
            return self.interpreter.branches.split(function, lambda chosen: self.call(chosen, args, kwargs))
        if isinstance(function, Interpreted):
            return self.call(function.__wrapped__, args, kwargs)
        if isinstance(function, _LISTED):
            special = BUILTINS.get(function)
            if special is not None:
                return self._call_builtin(function, special, args, kwargs)
        if isinstance(function, ClosureFunction):
            return self.interpreter.functions.call_closure(function, args, kwargs)
        if isinstance(function, Bound):
            return self.interpreter.functions.call_closure(
                function.__func__, (function.__self__, *args), kwargs
            )
        if isinstance(function, types.MethodType):
            return self._call_bound(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            return self._call_python(function, args, kwargs)
        if isinstance(function, ExceptionMethod) or is_exception_setup(function):
            return self.interpreter.host.native(function, *args, **kwargs)
        if isinstance(function, _METHOD_TYPES) and not isinstance(function.__self__, types.ModuleType):
            return call_method(self.interpreter, function, args, kwargs)
        if isinstance(function, _UNBOUND_METHODS):
            return self._call_unbound(function, args, kwargs)
        if isinstance(function, type):
            return self.interpreter.object_creation.make(function, args, kwargs)
        if isinstance(function, functools.partial):
            called, first, named = self.external.carried_by(function)
            return self.call(called, (*first, *args), {**named, **kwargs})
        if type(function) is _CACHED:
            return self.interpreter.native_calls.call_cached(function, args, kwargs)
        if isinstance(function, VIEW_METHOD):
            return function.call(self.interpreter, args, kwargs)
        if isinstance(function, staticmethod):
            return self.call(function.__func__, args, kwargs)
        if isinstance(function, _GETTERS) and len(args) == 1 and not kwargs:
            return call_getter(self.interpreter, function, args)
        if isinstance(function, _core.CompiledFunction):
            return self.call(function.__wrapped__, args, kwargs)
        if isinstance(function, VectorizedFunction):
            return self.interpreter.batching.call_batched(function, args, kwargs)
        if isinstance(function, TransformedFunction):
            return self.interpreter.gradients.call_transformed(function, args, kwargs)
        return self._call_object(function, args, kwargs)

    def _add_by(self, method, args, kwargs):
        """Adds to a container that nobody has looked into."""
        if kwargs or len(args) != 1:
            raise NeedsLook(method)
        several = self.external.lazy_containers.adds_several(method)
        values = self.interpreter.iteration.items_of(args[0]) if several else list(args)
        if self.external.lazy_containers.adds_members(method):
            for value in values:
                self.interpreter.subscripts.require_key(value)
        self.external.lazy_containers.add_by(method, values)

    def merge_keywords(self, function, kwargs, further):
        """Adds the entries of a mapping to the keyword arguments of a call, as `**further` does."""
        for name, value in self.interpreter.iteration.known_mapping(further).items():
            if name in kwargs:
                self.interpreter.throwing.throw(
                    TypeError(f"{_called(function)}() got multiple values for keyword argument {name!r}")
                )
            kwargs[name] = value

    def _call_builtin(self, function, special, args, kwargs):
        """Python's own functions look into what they are given: a choice is decided first."""
        if function in UNDECIDED or (function in _LENGTHS and len(args) == 1 and is_unread(args[0])):
            return special(self.interpreter, args, kwargs)
        if function in _TYPES and args and is_unread(args[0]):
            args = (self.external.original_of(args[0]), *args[1:])
        args, kwargs = self.external.look_at_all(args, kwargs)
        if function is not print:
            for place, value in enumerate(args):
                if isinstance(value, OneOf):
                    return self.interpreter.branches.split(
                        value, _Replaced(self.call, function, args, kwargs, place)
                    )
            undecided = self.interpreter.operators.undecided_among(*args)
            if undecided is not None and function not in (id, isinstance):
                return self.interpreter.branches.with_decided_contents(
                    undecided, lambda: self._call_builtin(function, special, args, kwargs)
                )
        return special(self.interpreter, args, kwargs)

    def _call_unbound(self, function, args, kwargs):
        """`list.append(items, 3)`: the method of the first argument."""
        if not args or isinstance(args[0], OneOf):
            if args:
                return self.interpreter.branches.split(
                    args[0], lambda chosen: self.call(function, (chosen, *args[1:]), kwargs)
                )
            return self.interpreter.host.native(function, *args, **kwargs)  # says what is missing
        return self.call(self.interpreter.host.guarded(function.__get__, args[0]), args[1:], kwargs)

    def _call_bound(self, method, args, kwargs):
        function = method.__func__
        owner = method.__self__
        if function is vars(Function)["apply"].__func__:
            return self.interpreter.own_backward.apply_function_class(owner, args, kwargs)
        if self.interpreter.environment.holds(owner):
            read = self.interpreter.environment.call(function.__name__, args, kwargs)
            if read is not MISSING:
                return read
        if _is_tuple_method(function, owner):
            return self.interpreter.host.native(
                method, *args, **kwargs
            )  # a named tuple only moves its members
        if isinstance(function, _core.CompiledFunction):
            function = function.__wrapped__
        if isinstance(function, types.FunctionType) and function in BUILTINS:
            return self.call(function, (owner, *args), kwargs)
        if isinstance(function, types.FunctionType) and self.interpreter.cells.initializes(
            function, (owner,)
        ):
            return self.interpreter.cells.initialize(function, (owner, *args), kwargs)
        known = self.interpreter.cells.call_own_method(function, (owner, *args), kwargs)
        if known is not MISSING:
            return known
        if isinstance(function, types.FunctionType) and self._keys.evaluates(function):
            return self._evaluate(method, args, kwargs)
        if isinstance(function, types.FunctionType) and self._is_read(function):
            self._require_not_ignored(function, args, kwargs)
            return self.interpreter.functions.call_function(function, (method.__self__, *args), kwargs)
        if isinstance(
            function, (ClosureFunction, types.MethodType, type, functools.partial, TransformedFunction)
        ):
            return self.call(function, (method.__self__, *args), kwargs)
        if is_framework_module(module_of(function)):
            return self.call_framework(method, args, kwargs)
        if isinstance(function, types.FunctionType) and self._is_mixed_in(function, owner):
            return self.interpreter.functions.call_function(function, (owner, *args), kwargs)
        return self.interpreter.native_calls.call_native(method, args, kwargs)

    def _is_mixed_in(self, function, owner):
        """Returns whether a class of the program inherits this function from Python's library, read as its own."""
        cls = type(owner)
        return (
            is_user_class(cls)
            and not issubclass(cls, (BaseException, enum.Enum))
            and self.interpreter.reader.can_read(function)
        )

    def _call_python(self, function, args, kwargs):
        if self.interpreter.cells.initializes(function, args):
            return self.interpreter.cells.initialize(function, args, kwargs)
        known = self.interpreter.cells.call_own_method(function, args, kwargs)
        if known is not MISSING:
            return known
        if makes_manager(function):
            return GeneratorManager(function.__wrapped__, args, kwargs)
        if self._keys.evaluates(function):
            return self._evaluate(function, args, kwargs)
        if self._is_read(function):
            self._require_not_ignored(function, args, kwargs)
            return self.interpreter.functions.call_function(function, args, kwargs)
        if is_framework_module(module_of(function)):
            return self.call_framework(function, args, kwargs)
        if (
            args and hasattr(function, "registry") and hasattr(function, "dispatch")
        ):  # functools.singledispatch
            kind = args[0].kind if isinstance(args[0], _core.GraphNumber) else type(args[0])
            return self.call(self.interpreter.class_attributes.dispatched(function, kind), args, kwargs)
        return self.interpreter.native_calls.call_native(function, args, kwargs)

    @property
    def _keys(self):
        return self.interpreter.options.bytecode

    def _is_read(self, function):
        """Returns whether a function is read as a program, be it that the options say so."""
        return is_captured(function) or self._keys.inlines(module_of(function))

    def _evaluate(self, function, args, kwargs):
        """The result of a function that the options let be called now."""
        if depends_on_run((args, kwargs)):
            raise self.interpreter.rejection(
                CONDITION,
                f"{name_of(function)}: it is evaluated while compiling, and is given a value that is known only when "
                "the graph runs",
                NEEDS_PYTHON,
            )
        return self.call_framework(function, args, kwargs)

    def _require_not_ignored(self, function, args, kwargs):
        """A function under `jit_ignore` runs in Python; of known values a graph has its result without running it."""
        if self._keys.forbids(function):
            raise self.interpreter.rejection(
                FUNCTION, f"{function.__qualname__}: it is forbidden, so Python runs it", NEEDS_PYTHON
            )
        if not getattr(function, JIT_IGNORE, False):
            return
        known = not depends_on_run((args, kwargs))
        if self.strict or not known:
            given = "" if known else "is called with a value that is known only when the graph runs, and it "
            raise self.interpreter.rejection(
                FUNCTION if known else ARGUMENT,
                f"{function.__qualname__}: it {given}is marked jit_ignore, so it needs Python when the graph runs",
                NEEDS_PYTHON,
                error=self.interpreter.host.host_error,
            )

    def _call_object(self, function, args, kwargs):
        cls = type(function)
        if self.interpreter.cells.is_cell(function):
            call = class_entry(cls, "__call__")
            if is_framework_module(module_of(call)):
                self.interpreter.attributes.note_undefined(cls, "__call__")
                return self.interpreter.cells.call_cell(function, args, kwargs)
        if isinstance(function, custom_vjp):
            return self.interpreter.own_backward.call_custom_vjp(function, args, kwargs)
        if isinstance(function, (HookBackward, InsertGradientOf)):
            return self.interpreter.own_backward.call_marker(function, args, kwargs)
        method = self.interpreter.attributes.user_method(function, "__call__")
        if method is not None:
            forward = getattr(getattr(method, "__func__", None), "_forward", None)
            if forward is not None:
                return self.interpreter.own_backward.call_primitive_with_bprop(
                    function, forward, args, kwargs
                )
            return self.call(method, args, kwargs)
        plain = getattr(class_entry(cls, "_call"), "__func__", None)  # a Primitive may be a program too
        if isinstance(plain, types.FunctionType) and is_captured(plain):
            return self.interpreter.functions.call_function(plain, args, kwargs)
        if not callable(function):
            return self.interpreter.host.native(function, *args, **kwargs)  # says that it is not callable
        if is_framework_module(module_of(cls) or module_of(function)):
            return self.call_framework(function, args, kwargs)
        return self.interpreter.native_calls.call_native(function, args, kwargs)

    # ---- other code

    def call_framework(self, function, args, kwargs):
        """A function of the framework: it runs now, and the operators it calls become nodes."""
        args, kwargs = self.external.look_at_all(args, kwargs)
        for place, value in enumerate((*args, *kwargs.values())):
            if isinstance(value, OneOf):
                return self.interpreter.branches.split(
                    value, _Replaced(self.call_framework, function, args, kwargs, place)
                )
            if isinstance(value, Deferred):
                raise self.interpreter.rejection(
                    ARGUMENT,
                    f"{name_of(function)}: it is given a {value.what} that is known only when the graph runs",
                    NEEDS_PYTHON,
                    error=self.interpreter.host.host_error,
                )
        args = [self.interpreter.aliases.as_tensors(value) for value in args]
        if is_autodiff(function):
            result = self.interpreter.gradients.call_autodiff(function, args, kwargs)
            return self.external.note_own(result) if isinstance(result, TransformedFunction) else result
        if getattr(function, "__func__", None) is register_hook:
            return self.interpreter.own_backward.register_hook(function, args, kwargs)
        if getattr(function, "__func__", None) is TensorHook.remove:
            return self.interpreter.own_backward.remove_hook(function.__self__)
        undecided = self.interpreter.operators.undecided_among(*args, *kwargs.values())
        if undecided is not None:
            return self.interpreter.branches.with_decided_contents(
                undecided, lambda: self.call_framework(function, args, kwargs)
            )
        if _has_choice((args, kwargs)):
            raise self.interpreter.rejection(
                ARGUMENT,
                f"{name_of(function)}: it is given a container whose members are known only when the graph runs",
                NEEDS_PYTHON,
            )
        args = [
            self.interpreter.native_calls.as_callback(self.interpreter.native_calls.taken(value))
            for value in args
        ]
        kwargs = {
            name: self.interpreter.native_calls.as_callback(self.interpreter.native_calls.taken(value))
            for name, value in kwargs.items()
        }
        for target in _written(function, args):
            self.external.note_written(target, self.interpreter.statement)
        program = getattr(function, "_in_graph", None)
        if program is not None:
            owner = (function.__self__,) if isinstance(function, types.MethodType) else ()
            return self.call(program, (*owner, *args), kwargs)
        if self.interpreter.lax and getattr(function, "_shares_memory", False):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{name_of(function)}: the result shares its memory with what it is given",
                NEEDS_PYTHON,
            )
        if getattr(function, "_not_in_graph", False) and not self.interpreter.cells.may_build(
            function, args, kwargs
        ):
            raise self.interpreter.rejection(
                FUNCTION,
                f"{getattr(function, '__name__', function)}: it cannot be called inside a static graph",
                "Call it outside of the compiled function.",
            )
        result = self.interpreter.host.native(function, *args, **kwargs)
        if isinstance(result, (list, dict)):
            self.heap.note_birth(result)
        return result


def _has_choice(value):
    """Returns whether there is a value inside, or a container's contents, that is one of several."""
    if type(value) in (list, tuple):
        return any(map(_has_choice, value))
    if type(value) is dict:
        return any(map(_has_choice, value.values()))
    return type(value) in (OneOf, ContentsChoice)


def _is_tuple_method(function, owner):
    cls = owner if isinstance(owner, type) else type(owner)
    code = getattr(function, "__code__", None)
    return issubclass(cls, tuple) and code is not None and is_library_file(code.co_filename)


def _written(function, args):
    """The tensors among the arguments that a function of the framework changes in place, as it states itself."""
    if isinstance(function, type):
        return []  # an object is made; calling that may write
    if isinstance(function, types.MethodType):
        args = (function.__self__, *args)
    written = (args[at] for at in getattr(function, "_writes", ()) if at < len(args))
    return [value for value in written if isinstance(value, Tensor)]


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


def _called(function):
    """Returns the name of a callable in Python's messages."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        return str(function)
    module = getattr(function, "__module__", None)
    return name if module in (None, "builtins") else f"{module}.{name}"
