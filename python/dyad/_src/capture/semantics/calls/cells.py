"""Cells: what calling one does, and how a program makes one.

The `__init__` of a class of the program is captured like any function. That of a layer of the framework runs now: what
it is given is known, and it changes the new Cell alone. Its weights are drawn when the graph runs, see
`Initializer.draw`.
"""

import contextlib
import types

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.break_reasons import CELL, DATA_TYPE, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON, Thrown
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING, OneOf, depends_on_run, is_symbolic_tensor, is_unread
from dyad._src.tensor.initialization import Initializer, initializer, parameters_stay_uninitialized
from dyad._src.tensor.parameter import Buffer, Parameter, ParameterTuple
from dyad._src.tensor.precision import call_in_precision, call_with_autocast, cast_floats

_CONTAINERS = (list, tuple, dict, set, frozenset)
_MEMBERS = (AbstractCell, Parameter, ParameterTuple, Buffer)
_REGISTRIES = ("_cells", "_params", "_buffers")
_OWN_METHODS = {"__call__": None, "__setattr__": 2, "__delattr__": 1}  # -> how many arguments they take
# What a class may have of its own without a constructor of the framework calling it.
_NOT_CALLED = frozenset(
    ("construct", "bprop", "extend_repr", "__init__", "__new__", "__call__", "__repr__", "__str__")
)


class Cells(Part):
    """Knows Cells, makes them, and calls them with their hooks and their precision."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self._initializing = 0  # constructors of Cells of the program that are under way

    def is_cell(self, value):
        """Returns whether a value is a Cell."""
        return self.is_cell_class(type(value))

    def is_cell_class(self, cls):
        """Returns whether a class is one of Cells."""
        return issubclass(cls, AbstractCell)

    # ---- making

    def make_layer(self, cls, args, kwargs):
        """A Cell of the framework."""
        self._require_known(cls, (args, kwargs))
        self._note_method(cls, "__init__")
        return self._noted(self.interpreter.host.native(cls, *args, **kwargs))

    def initializes(self, function, args):
        """Returns whether a call is that of a constructor of the framework for a Cell that the program makes."""
        return (
            bool(args)
            and function.__name__ == "__init__"
            and is_framework_module(module_of(function))
            and self.is_cell(args[0])
            and self.external.is_own(args[0])
        )

    def initialize(self, function, args, kwargs):
        """Such a call. Where it may call methods of the program it is captured itself."""
        made, *rest = args
        self._require_changeable(made)
        if self._may_call_program(type(made), function):
            return self.interpreter.functions.call_function(function, args, kwargs)
        self._require_known(type(made), (rest, kwargs))
        self.interpreter.host.native(function, *args, **kwargs)
        self._noted(made)
        return None

    @contextlib.contextmanager
    def initializing(self, made):
        """Inside: the constructor of an object runs."""
        counted = self.is_cell(made)
        self._initializing += counted
        try:
            yield
        finally:
            self._initializing -= counted

    def make_parameter(self, cls, args, kwargs):
        """A Parameter of a Cell that the program makes."""
        if not self._initializing or cls is not Parameter:
            raise self.interpreter.rejection(
                CELL,
                "Parameter: a Parameter cannot be made inside a static graph",
                "Make it in __init__ of a Cell.",
                error=ValueError,
            )
        self._require_known(cls, (args, kwargs))
        return self.heap.note_birth(self.interpreter.host.native(cls, *args, **kwargs))

    def is_own_parameter(self, value):
        """Returns True for a Parameter that the program made."""
        return isinstance(value, Parameter) and id(value) not in self.external.seen

    def may_build(self, function, args, kwargs):
        """Returns True if a function that builds a Cell may run now: the program is making that Cell."""
        if not getattr(function, "_builds_cell", False):
            return False
        if function is initializer:
            return self._initializing > 0
        if isinstance(function, types.MethodType):
            args = (function.__self__, *args)
        if not args or not self.is_cell(args[0]) or not self.external.is_own(args[0]):
            return False
        self._require_changeable(args[0])
        self._require_known(type(args[0]), (args[1:], kwargs))
        return True

    def write_own(self, owner, name, value):
        """`owner.name = value` of a Cell that the program made."""
        held = owner.__dict__
        if isinstance(value, OneOf):
            raise self._rejection(
                DATA_TYPE, f"attribute {name!r} of a Cell that was made inside the graph is one of several"
            )
        is_member = not is_unread(value) and isinstance(value, _MEMBERS)
        is_known = name == "construct" or any(name in held.get(registry, ()) for registry in _REGISTRIES)
        if is_member or is_known:
            self._require_changeable(owner)
            self._require_members(owner, value)
            self.interpreter.host.native(_of_framework(owner, "__setattr__"), owner, name, value)
            return
        self.heap.note_namespace(self.heap.note_outside(held))
        self.heap.touch(held)
        held[name] = value

    def delete_own(self, owner, name):
        """`del owner.name` of a Cell that the program made."""
        self._require_changeable(owner)
        self.interpreter.host.native(_of_framework(owner, "__delattr__"), owner, name)

    def _require_changeable(self, cell):
        """Members of Cells are not journaled: only the path that makes a Cell changes them."""
        if not self.heap.is_new(cell):
            raise self._rejection(
                DATA_TYPE, f"members of a {type(cell).__name__} that was made inside the graph are changed"
            )

    def _require_known(self, cls, value):
        """Refuses what a constructor of the framework would look into or change without a guard."""
        if parameters_stay_uninitialized():
            raise self._rejection(UNKNOWN, f"{cls.__name__}: its Parameters stay without values")
        if self.interpreter.lax and depends_on_run(value):
            raise self._rejection(
                CELL, f"{cls.__name__}: a Cell is made of values that are known only when the graph runs"
            )
        self._require_members(cls, value)

    def _require_members(self, owner, value):
        kind = type(value)
        if is_unread(value) or isinstance(value, CONSTANT_TYPES):
            return
        if isinstance(value, _CONTAINERS):
            for member in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
                self._require_members(owner, member)
        elif isinstance(value, AbstractCell):
            if not self.external.is_own(value):
                raise self._rejection(
                    UNKNOWN, f"{kind.__name__}: a Cell from outside of the graph becomes a member of another"
                )
            self._require_changeable(value)  # its Parameters get other names
        elif isinstance(value, Parameter):
            if not self.is_own_parameter(value):
                raise self._rejection(
                    UNKNOWN, "Parameter: one from outside of the graph becomes a member of a Cell"
                )
        elif isinstance(value, Initializer):
            self._require_fixed(value)
        else:
            self.interpreter.native_calls.require_no_object(kind, value)

    def _require_fixed(self, initializer):
        """Guards what an initializer from outside holds: it may be asked now."""
        if not is_framework_module(module_of(type(initializer))):
            raise self._rejection(
                UNKNOWN, f"{type(initializer).__name__}: an initializer of the program fills weights"
            )
        if not self.external.is_outer_object(initializer):
            return
        for name, held in vars(initializer).items():
            value = self.interpreter.attributes.read_attribute(initializer, name)
            if name != "_arguments" and value is not held:
                raise self._rejection(
                    UNKNOWN, f"{type(initializer).__name__}: {name} is a {type(held).__name__}"
                )

    def _may_call_program(self, cls, function):
        """Returns whether a constructor of the framework may call a method that a class of the program overrides."""
        owner = next(base for base in cls.__mro__ if vars(base).get("__init__") is function)
        added = cls.__mro__[: cls.__mro__.index(owner)]
        return any(
            hasattr(owner, name)
            and name not in _NOT_CALLED
            and (callable(entry) or hasattr(type(entry), "__get__"))
            for base in added
            if not is_framework_module(module_of(base))
            for name, entry in vars(base).items()
        )

    def _noted(self, made):
        """Notes that a new Cell, and what it holds, is the program's own."""
        self._note_own(made, set())
        return made

    def _note_own(self, value, seen):
        if is_unread(value) or isinstance(value, CONSTANT_TYPES) or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, _CONTAINERS):
            for member in value.values() if isinstance(value, dict) else value:
                self._note_own(member, seen)
            return
        is_ours = is_framework_module(module_of(type(value))) and not self.external.is_outer_object(value)
        if not is_ours and not (self.is_cell(value) and self.external.is_own(value)):
            return
        held = getattr(value, "__dict__", None)
        if held is None or isinstance(value, (type, types.ModuleType, types.FunctionType)):
            return
        if is_symbolic_tensor(value) or isinstance(value, Parameter):
            return
        self.heap.note_birth(self.external.note_own(value))
        self._note_own(held, seen)

    def _rejection(self, kind, what):
        return self.interpreter.rejection(kind, what, NEEDS_PYTHON)

    def _note_method(self, cls, name):
        """Guards a method of a layer of the framework, which a program may replace."""
        entry = self.interpreter.attributes.class_entry_of(cls, name)
        self.external.attributes.note_entry(cls, name, entry, always=True)

    # ---- calling

    def call_own_method(self, function, args, kwargs):
        """The call of a special method that Cells have from the framework; MISSING for all that is none."""
        name = getattr(function, "__name__", "")
        is_own = name in _OWN_METHODS and bool(args) and self.is_cell(args[0])
        if not is_own or not is_framework_module(module_of(function)):
            return MISSING
        cell, *args = args
        if name == "__call__":
            return self.call_cell(cell, tuple(args), kwargs)
        writes = self.interpreter.attribute_writes
        method = writes.write_behind_setter if name == "__setattr__" else writes.delete_plainly
        return MISSING if kwargs or len(args) != _OWN_METHODS[name] else method(cell, *args)

    def call_cell(self, cell, args, kwargs):
        """Calls a Cell: hooks, precision, construct."""
        if is_framework_module(module_of(type(cell))):
            self._note_method(type(cell), "construct")
        if self.interpreter.attributes.read_attribute(cell, "_plain_call"):
            try:
                return self.interpreter.calls.call(
                    self.interpreter.attributes.read_attribute(cell, "construct"), args, kwargs
                )
            except Thrown as thrown:
                self.interpreter.host.native(cell._require_taken, thrown.error, args, kwargs)
                raise
        given = self.interpreter.calls.call(
            self.interpreter.attributes.read_attribute(cell, "_run_forward_pre_hooks"), (args, kwargs), {}
        )
        split = self.interpreter.branches.split  # which arguments there are may depend on data
        return split(
            given,
            lambda pair: split(
                pair[0], lambda args: split(pair[1], lambda kwargs: self._call_between(cell, args, kwargs))
            ),
        )

    def _call_between(self, cell, args, kwargs):
        """The rest of a call, after the forward pre-hooks."""
        if not isinstance(args, tuple):  # on a path that no run takes: a hook gave None there
            self.interpreter.throwing.throw(
                TypeError(f"Value after * must be an iterable, not {type(args).__name__}")
            )
        hooks = self.interpreter.own_backward.backward_hooks_of(cell)
        if hooks is not None:
            args = self.interpreter.host.native(hooks.mark_inputs, args)
        output = self._run_in_precision(cell, args, kwargs)
        output = self.interpreter.calls.call(
            self.interpreter.attributes.read_attribute(cell, "_run_forward_hooks"), (args, kwargs, output), {}
        )
        return output if hooks is None else self.interpreter.host.native(hooks.mark_output, output)

    def _run_in_precision(self, cell, args, kwargs):
        compute_dtype, rule, output_dtype = (
            self.interpreter.attributes.read_attribute(cell, f"_{name}")
            for name in ("compute_dtype", "autocast", "output_dtype")
        )
        run_construct = self.interpreter.own_backward.run_construct
        called: tuple = (rule, run_construct, (cell, args, kwargs), {})
        output = call_in_precision(compute_dtype, call_with_autocast, called, {})
        if output_dtype is None:
            return output
        return self.interpreter.calls.call(cast_floats, (output_dtype, output), {})


def _of_framework(cell, name):
    """The method that a Cell has from the framework, past one of a class of the program, which has been called."""
    classes = (cls for cls in type(cell).__mro__ if name in vars(cls))
    return next(vars(cls)[name] for cls in classes if is_framework_module(cls.__module__))
