"""Finds and guards what a traced function may read besides its arguments, before it runs.

Python runs a traced function by itself, so what it reads is not seen. Its code does tell which globals, closure
variables and attributes it can read, and so does the code of the functions and Cells that it can reach through them.
All of these are guarded: more than one call needs, but no change goes unnoticed. What this code itself assigns is left
out: a trace keeps the effects of the first call, which is what it is asked for.
"""

import builtins
import collections
import dis
import functools
import sys
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.capture.semantics.attributes.attributes import ABSENT, class_entry
from dyad._src.capture.semantics.calls.frameworks import (
    is_captured,
    is_framework_module,
    is_library_class,
    is_trusted_module,
    module_of,
)
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES, set_key
from dyad._src.tensor.parameter import Parameter

_LOADS_GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_LOADS_ATTRIBUTE = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"))
_STORES = frozenset(
    ("STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF", "DELETE_ATTR", "DELETE_GLOBAL", "DELETE_DEREF")
)
_EMPTY = object()
_CELL_METHODS = ("construct", "__call__")
_FALLBACK = "__getattr__"  # Python asks it for what any code reads
_OF_SUPER = frozenset(("__class__",))  # the class of a method, which is not made there
_CONSTRUCTORS = ("__new__", "__init__", "__post_init__")
_CELL_FLAGS = ("training", "_plain_call", "_compute_dtype")
_CELL_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


@functools.lru_cache(maxsize=4096)
def _names_of(code):
    """(globals, attributes, names it assigns, imports) of a code object and of the functions written inside it.

    An import is the name of a module, with dots before it where it is relative.
    """
    found: tuple[set, set, set, set] = (set(), set(), set(), set())
    instructions = list(dis.get_instructions(code))
    for place, instruction in enumerate(instructions):
        for kinds, names in zip((_LOADS_GLOBAL, _LOADS_ATTRIBUTE, _STORES), found[:3], strict=True):
            if instruction.opname in kinds:
                names.add(instruction.argval)
        if instruction.opname == "IMPORT_NAME":
            found[3].add("." * instructions[place - 2].argval + instruction.argval)
    found[2].difference_update(
        code.co_cellvars
    )  # assigned here for functions written inside: a new cell each call
    for constant in code.co_consts:
        if isinstance(constant, str) and constant.isidentifier():
            found[1].add(constant)  # getattr may be given it
        if isinstance(constant, types.CodeType):
            for names, inner in zip(found, _names_of(constant), strict=True):
                names |= inner - set(code.co_cellvars)
    return tuple(map(frozenset, found))


class _NoGuards:
    """Stands in for the guard tree while the reachable code is looked for."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def guard_reads(tree, function, arguments):
    """Guards what `function` can read. Returns the Tensors and the containers among it, each with its node.

    `arguments` are such pairs too, of values that are guarded already.
    """
    scout = _Reads(_NoGuards(), frozenset())
    scout.run(function, [(value, None) for value, _ in arguments])
    reads = _Reads(tree, scout.assigned)
    reads.run(function, arguments)
    return reads.tensors, list(reads.containers.values())


class _Reads:
    def __init__(self, tree, left_out):
        self._tree = tree
        self._left_out = left_out
        self._names = {*_CELL_METHODS, _FALLBACK}  # attributes that some code reads
        self.assigned = set()
        self.tensors = []  # (Tensor, node) each
        self.containers = {}  # id of a container that is guarded -> (it, its node)
        self._reached = {}  # ids of functions and containers that were followed, with what keeps the ids theirs
        self._holders = {}  # id -> (object, node, names that were followed)
        self._added = set()  # (class of Tensors, name) that are guarded
        self._arguments = set()  # ids of arguments and of their members, which are others in each call

    def run(self, function, arguments):
        self._reach_function(function)
        for value, _ in arguments:
            self._note_argument(value)
        for value, node in arguments:
            self._reach(value, node)
        while any(self._follow(*holder) for holder in tuple(self._holders.values())):
            pass

    def _note_argument(self, value):
        if id(value) in self._arguments:
            return
        self._arguments.add(id(value))
        if isinstance(value, (list, tuple, dict)):
            for member in value.values() if isinstance(value, dict) else value:
                self._note_argument(member)

    # ---- values

    def _note(self, value, node):
        """Demand that what is found at `node` is what it was, and follow it."""
        tree = self._tree
        if isinstance(value, CONSTANT_TYPES):
            tree.check_equal(node, value)
        elif isinstance(value, (list, tuple, dict, set, frozenset, collections.deque)):
            self._note_container(value, node)
        elif isinstance(value, (numpy.ndarray, numpy.generic)):
            tree.check_type(node, type(value))
            tree.check_array(node, numpy.asarray(value))
        elif isinstance(value, types.MethodType):
            tree.check_type(node, types.MethodType)
            self._note(value.__func__, tree.attribute(node, "__func__"))
            self._note(value.__self__, tree.attribute(node, "__self__"))
        else:
            tree.check_identity(node, value)
            if isinstance(value, Tensor):
                self.tensors.append((value, node))
            if isinstance(value, Parameter):
                tree.check_equal(tree.attribute(node, "_requires_grad"), value._requires_grad)
            self._reach(value, node)

    def _note_container(self, value, node):
        tree = self._tree
        self.containers.setdefault(id(value), (value, node))
        tree.check_type(node, type(value))
        if isinstance(value, (set, frozenset)):
            tree.check_call(node, set_key, set_key(value))
            return
        if not self._is_new(value):
            return
        if isinstance(value, dict):
            tree.check_keys(node, tuple(value))
            for key, item in value.items():
                self._note(item, tree.item(node, key))
            return
        tree.check_length(node, len(value))
        for place, item in enumerate(value):
            self._note(item, tree.element(node, place))

    def _is_new(self, value):
        if id(value) in self._reached:
            return False
        self._reached[id(value)] = value
        return True

    def _reach(self, value, node):
        """Follow what stands behind a value whose identity is guarded."""
        tree = self._tree
        if isinstance(value, types.FunctionType):
            self._reach_function(value)
        elif isinstance(value, types.MethodType):
            self._reach_function(value.__func__)
            self._reach(value.__self__, tree.attribute(node, "__self__"))
        elif isinstance(value, functools.partial):
            self._note(value.func, tree.object(value.func))
        elif isinstance(value, _core.CompiledFunction):
            self._reach(value.__wrapped__, tree.object(value.__wrapped__))
        elif isinstance(value, (list, tuple)):
            for place, item in enumerate(value):
                self._reach(item, tree.element(node, place))
        elif isinstance(value, dict):
            for key, item in value.items():
                self._reach(item, tree.item(node, key))
        elif self._holds_names(value) and id(value) not in self._holders:
            self._holders[id(value)] = (value, node, set())
            if isinstance(value, type):
                self._reach_constructors(value)
            elif isinstance(value, types.ModuleType):
                self._tree.check_type(node, type(value))
            elif id(value) not in self._arguments:
                self._note_own_names(value, node)
            if isinstance(value, AbstractCell):
                self._note_cell(value, node)
            elif isinstance(value, Tensor):
                self._note_gradient_hooks(value, node)

    def _note_own_names(self, holder, node):
        """An object whose identity is guarded goes on having the attributes that it has."""
        held = getattr(holder, "__dict__", None)
        if type(held) is dict:
            self._tree.check_keys(self._tree.attribute(node, "__dict__"), tuple(held))

    def _reach_constructors(self, cls):
        """Follow what making an object of a class calls."""
        for base in cls.__mro__:
            for name in _CONSTRUCTORS if not is_trusted_module(module_of(base)) else ():
                entry = vars(base).get(name)
                if entry is not None:
                    self._tree.check_identity(self._tree.attribute(self._tree.object(base), name), entry)
                    self._reach_function(getattr(entry, "__func__", entry))

    def _holds_names(self, value):
        if isinstance(value, Tensor):
            return True
        if isinstance(value, types.ModuleType):
            return not is_trusted_module(value.__name__)
        cls = value if isinstance(value, type) else type(value)
        if issubclass(cls, AbstractCell):
            return True
        return not is_framework_module(module_of(cls)) and not is_library_class(cls)

    def _note_cell(self, cell, node):
        tree = self._tree
        for name in _CELL_FLAGS:
            tree.check_equal(tree.attribute(node, name), getattr(cell, name))
        if not cell._plain_call:
            for name in _CELL_HOOKS:
                hooks = getattr(cell, name)
                self._note(hooks, tree.attribute(node, name))
                for hook in hooks.values():
                    self._reach(hook.function, tree.object(hook.function))
        for name in ("_params", "_cells"):
            self._note(cell.__dict__[name], tree.attribute(node, name))

    def _note_gradient_hooks(self, tensor, node):
        tree = self._tree
        hooks = tensor.__dict__.get("_gradient_hooks")
        if hooks is None:
            tree.missing_attribute(node, "_gradient_hooks")
            return
        held = tree.attribute(node, "_gradient_hooks")
        tree.check_length(held, len(hooks))
        for number, entry in enumerate(hooks):
            tree.check_identity(tree.element(held, number), entry)
            self._reach(entry.hook, tree.object(entry.hook))

    # ---- code

    def _reach_function(self, function):
        if isinstance(function, _core.CompiledFunction):
            function = function.__wrapped__
        if not isinstance(function, types.FunctionType) or not is_captured(function):
            return
        if not self._is_new(function):
            return
        tree = self._tree
        names, attributes, assigned, imports = _names_of(function.__code__)
        self._names |= attributes
        self.assigned |= assigned
        owner = tree.object(function)
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            tree.check_identity(tree.attribute(owner, part), getattr(function, part), weak=False)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            if not isinstance(value, CONSTANT_TYPES):
                self._note(value, tree.object(value))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name not in self._left_out | _OF_SUPER and _is_assigned(cell):
                self._note(cell.cell_contents, tree.cell_contents(tree.object(cell)))
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None:
            self._reach(wrapped, tree.object(wrapped))
        self._read_globals(function.__globals__, names)
        self._read_imports(function.__globals__, imports)

    def _read_globals(self, namespace, names):
        if is_trusted_module(namespace.get("__name__", "")):
            return
        own = vars(builtins)
        for name in sorted(names - self._left_out):
            held = namespace if name in namespace else own
            if name not in namespace:
                self._tree.missing_item(self._tree.object(namespace), name)
            if name in held:
                self._note(held[name], self._tree.item(self._tree.object(held), name))

    def _read_imports(self, namespace, imports):
        """Follow the modules that are imported; one that is not loaded must stay so."""
        node = self._tree.object(sys.modules)
        for written in sorted(imports):
            name = written.lstrip(".")
            if name != written:
                package = namespace.get("__package__") or ""
                name = ".".join(
                    part for part in (package.rsplit(".", len(written) - len(name) - 1)[0], name) if part
                )
            for known in {name, name.partition(".")[0]}:
                if is_trusted_module(known):
                    continue
                if known in sys.modules:
                    self._note(sys.modules[known], self._tree.item(node, known))
                else:
                    self._tree.missing_item(node, known)

    def _follow(self, holder, node, followed):
        """Note the attributes of an object that some code reads; whether there were new ones."""
        new = self._names - followed - self._left_out
        followed |= new
        for name in sorted(new):
            if isinstance(holder, types.ModuleType):
                held = self._tree.object(holder.__dict__)
                if name in holder.__dict__:
                    self._note(holder.__dict__[name], self._tree.item(held, name))
                else:
                    self._tree.missing_item(held, name)
                if type(holder) is not types.ModuleType:
                    self._read_class(holder, name, node)
            elif not isinstance(holder, type) and name in getattr(holder, "__dict__", {}):
                self._note(holder.__dict__[name], self._tree.attribute(node, name))
            elif isinstance(holder, Tensor):
                self._read_added(type(holder), name)
                if id(holder) in self._arguments and class_entry(type(holder), name) is ABSENT:
                    self._tree.missing_attribute(node, name)
            else:
                self._read_class(holder, name, node)
        return bool(new)

    def _read_class(self, holder, name, node):
        cls = holder if isinstance(holder, type) else type(holder)
        found = next((base for base in cls.__mro__ if name in base.__dict__), None)
        if found is None or found is object:
            return
        entry = found.__dict__[name]
        if isinstance(entry, types.MemberDescriptorType) and not isinstance(holder, type):
            self._read_slot(holder, name, node)
            return
        if isinstance(entry, property):
            self._reach_function(entry.fget)
        if isinstance(entry, (staticmethod, classmethod)):
            self._reach_function(entry.__func__)
        if is_trusted_module(module_of(found)):
            if name in _CELL_METHODS:  # a class of the program may get one of its own
                self._tree.check_identity(self._tree.class_attribute(self._tree.object(cls), name), entry)
            self._reach_function(entry)
        elif isinstance(entry, CONSTANT_TYPES) or not hasattr(type(entry), "__get__"):
            self._note(entry, self._tree.class_attribute(self._tree.object(cls), name))
        else:
            self._tree.check_identity(self._tree.class_attribute(self._tree.object(cls), name), entry)
            self._reach_function(entry)

    def _read_added(self, cls, name):
        """Guards the attributes that a program has added to a class of Tensors, and the absence of others."""
        if (cls, name) in self._added:
            return
        self._added.add((cls, name))
        owner = self._tree.object(cls)
        entry = class_entry(cls, name)
        if entry is ABSENT:
            self._tree.missing_class_attribute(owner, name)
            return
        written = entry.fget if isinstance(entry, property) else getattr(entry, "__func__", entry)
        if isinstance(written, types.FunctionType) and not is_framework_module(module_of(written)):
            self._tree.check_identity(self._tree.class_attribute(owner, name), entry, weak=False)
            self._reach_function(written)
        elif isinstance(entry, CONSTANT_TYPES):
            self._note(entry, self._tree.class_attribute(owner, name))

    def _read_slot(self, holder, name, node):
        """Guards the contents of a slot, which has no node in the guard tree, by comparing the whole."""
        value = getattr(holder, name, _EMPTY)
        self._tree.check_call(node, functools.partial(_slot_key, name), _slot_key(name, holder))
        if value is not _EMPTY:
            self._reach(value, self._tree.object(value))


def _slot_key(name, holder):
    value = getattr(holder, name, _EMPTY)
    return (type(value), value if isinstance(value, CONSTANT_TYPES) else id(value))


def _is_assigned(cell):
    try:
        cell.cell_contents  # noqa: B018 - reading it tells
    except ValueError:
        return False
    return True
