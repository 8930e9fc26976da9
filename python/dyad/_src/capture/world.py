"""What was there before the call: every read of it is guarded, and what the program changes of it is written back.

Tensors found outside become inputs of the graph, with a symbolic stand-in for the program to see. Lists and dicts are
shadowed by copies that the program may change. Of other objects the attributes that are read are guarded one by one;
those that are written wait in an overlay until the graph has run.
"""

import collections
import contextlib
import functools
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src import lazy_numpy as numpy
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.capture.graph_names import input_name
from dyad._src.capture.natives import BUFFERS, is_array_type
from dyad._src.capture.semantics.bound_values import rebound
from dyad._src.capture.semantics.frameworks import is_framework_module, is_trusted_module, module_of
from dyad._src.capture.semantics.heap import contents, is_container, layout, set_contents
from dyad._src.capture.semantics.marks import Marks
from dyad._src.capture.semantics.values import UNBOUND, Origin, set_origin
from dyad._src.context import settings
from dyad._src.mutable import Mutable, MutableBool
from dyad._src.parameter import Parameter

_CONSTANT_TYPES = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type(Ellipsis),
    type(NotImplemented),
    range,
)
_IDENTITY_TYPES = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    type(_core.float32),
)


class Adopted:
    """An object from outside and what the program sees in its place."""

    __slots__ = ("node", "original", "seen", "snapshot")

    def __init__(self, original, node, seen):
        self.original = original
        self.node = node
        self.seen = seen
        self.snapshot = contents(seen) if is_container(seen) else None

    def changed(self):
        now = self.seen
        if type(self.snapshot) is not type(now) and not isinstance(now, (dict, set, collections.deque)):
            return True
        if len(self.snapshot) != len(now):
            return True
        if isinstance(now, dict):
            return any(
                a is not b or self.snapshot[a] is not now[b] for a, b in zip(self.snapshot, now, strict=True)
            )
        return any(a is not b for a, b in zip(self.snapshot, now, strict=True))


class Overlay:
    """New values of attributes (or entries of a namespace) of one object from outside."""

    __slots__ = ("entries", "node", "owner", "write")

    def __init__(self, owner, node, write):
        self.owner = owner
        self.node = node
        self.write = write
        self.entries = {}


class World:
    def __init__(self, graph, heap, templates):
        self.tree = _core.GuardTree()
        self._templates = templates  # place of an argument -> the shape it is compiled for
        self._named_sizes = {}  # name of a symbolic dimension -> where it was met first, as (node, axis)
        self.tensor_nodes = []
        self.origins = []  # tensors that others may be, by number
        self.graph = graph
        self.heap = heap
        self.adopted = {}  # id of an object from outside -> Adopted
        self.partials = {}  # id of a partial call that the program sees -> (it, what it carries)
        self._told = set()  # what classes and objects are known not to have
        self.written_classes = set()  # classes of which the program wrote attributes
        self._slots = {}  # id of an object of the program -> (it, what its slots hold)
        self.seen = {}  # id of what the program sees -> Adopted
        self.overlays = {}  # id of an object -> Overlay
        self.tells_inputs_apart = False  # whether it matters that the tensors from outside are different ones
        self.written = []  # tensors that were written in place
        self._own = {}  # objects the program itself made
        self._objects = {}  # id of an object from outside -> (object, node)
        self._globals = {}
        self.marks = Marks(self.original_of)

    @property
    def has_symbolic_dims(self):
        """Whether arguments have sizes that the graph does not know."""
        return bool(self._named_sizes)

    # ---- objects of the program itself

    def note_own(self, value):
        """Remembers that the program made this object: it is changed directly and never guarded."""
        self._own[id(value)] = value
        return value

    def is_own(self, value):
        return id(value) in self._own and self._own[id(value)] is value

    def slots_of(self, value):
        """What the slots of an object hold that the program made; the object itself is never written."""
        known = self._slots.get(id(value))
        if known is None:
            known = self._slots[id(value)] = (value, self.heap.note_namespace({}))
        return known[1]

    # ---- adopting

    def adopt_argument(self, value, node, place):
        return self.adopt(
            value, node, place, type(value) in (int, float) and settings.read("grad_for_scalar")
        )

    def adopt_fixed(self, value):
        """An object that something already guarded holds: a default value."""
        if isinstance(value, _CONSTANT_TYPES):
            return value
        return self.adopt(value, self.tree.object(value))

    def adopt(self, value, node, place=None, variable=False):
        """What the program sees for `value`, found at `node` of the guard tree.

        `place` leads to it from the arguments; `variable` means inside `mutable`.
        """
        if isinstance(value, _CONSTANT_TYPES):
            return self._adopt_constant(value, node, variable)
        known = self.adopted.get(id(value))
        if known is not None:
            if known.node != node:
                self.tree.check_alias(known.node, node)
            return known.seen
        if isinstance(value, Tensor):
            return self._adopt_tensor(value, node, place)
        if isinstance(value, types.MethodType):
            return self._adopt_method(value, node)
        if isinstance(value, _IDENTITY_TYPES):
            self.tree.check_same(node, value)
            return self._adopt_carried(value, node)
        if type(value) is functools.partial:
            return self._adopt_partial(value, node)
        if isinstance(value, (list, tuple, dict, set, frozenset)) or type(value) is collections.deque:
            return self._adopt_container(value, node, place, variable or isinstance(value, Mutable))
        if isinstance(value, slice):
            return self._adopt_slice(value, node)
        if _has_guarded_bytes(value):
            self.tree.check_array(node, value if type(value) in BUFFERS else numpy.asarray(value))
            return value
        if isinstance(value, TransformedFunction):
            return self._adopt_transformed(value, node)
        self._adopt_object(value, node)
        return value

    def _adopt_transformed(self, value, node):
        """What counts is what was asked for; the function and the Parameters are looked at where they are read."""
        self.tree.check_type(node, type(value))
        self.tree.check_equal(self.tree.attribute(node, "request"), value.request)
        self._objects[id(value)] = (value, node)
        return value

    def _adopt_constant(self, value, node, variable):
        if isinstance(value, Mutable) or (variable and isinstance(value, (bool, int, float))):
            kind = next(
                kind
                for marks, kind in (((bool, MutableBool), bool), (int, int), (float, float))
                if isinstance(value, marks)
            )
            number = self.graph.add_input(kind(value), input_name(self.tree.path(node)))
            self.tree.check_type(node, type(value))
            self.tree.input(node)
            return self.marks.note(number)
        self.tree.check_equal(node, value)
        return value

    def _adopt_tensor(self, tensor, node, place):
        if _core.is_symbolic(tensor):
            return tensor  # an object that was made while capturing holds it: it is of this graph already
        if tensor.const_arg:
            self.tree.check_call(node, _contents_key, _contents_key(tensor))
            return tensor
        template = self._templates.get(place)
        symbolic_dims = {} if template is None else template.open
        if symbolic_dims:
            template.guard(self.tree, node, self._named_sizes)
        shape = [None if axis in symbolic_dims else size for axis, size in enumerate(tensor.shape)]
        contiguous = True if tensor.is_contiguous() else None
        self.tree.check_tensor(node, tensor.dtype, tuple(shape), contiguous, type(tensor))
        stand_in = self._input(tensor, input_name(self.tree.path(node)), symbolic_dims)
        self.tree.input(node)
        self.tensor_nodes.append(node)
        if isinstance(tensor, Parameter):
            self.tree.check_equal(self.tree.attribute(node, "_requires_grad"), tensor._requires_grad)
        self._remember(tensor, node, stand_in)
        if stand_in is not tensor:
            self.note_origin(stand_in)
        return stand_in

    def note_origin(self, tensor):
        """Gives a tensor a number by which others may say that they are it."""
        number = len(self.origins)
        set_origin(tensor, Origin(number, frozenset((number,))))
        self.origins.append(tensor)

    def note_written(self, tensor):
        self.written.append(tensor)

    def written_tensors(self):
        """The tensors from outside that may have been written in place, as Adopted."""
        return [
            known
            for known in self.adopted.values()
            if isinstance(known.seen, Tensor)
            and any(_core.shares_storage(known.seen, tensor) for tensor in self.written)
        ]

    def _input(self, tensor, name, symbolic_dims):
        return self.graph.add_input(tensor, name, tuple(symbolic_dims.items()))

    def _remember(self, original, node, seen):
        entry = self.adopted[id(original)] = Adopted(original, node, seen)
        self.seen[id(seen)] = entry
        return entry

    def _adopt_container(self, value, node, place, variable):
        self.tree.check_type(node, type(value))
        if isinstance(value, dict):
            return self._adopt_dict(value, node, place, variable)
        if isinstance(value, (set, frozenset)):
            self.tree.check_call(node, _set_key, _set_key(value))
            kind = frozenset if isinstance(value, frozenset) else set
            seen = kind.__new__(type(value), kind.__iter__(value))
            if kind is set:
                set.update(seen, set.__iter__(value))
        else:
            held = tuple.__getitem__(value, slice(None)) if isinstance(value, tuple) else contents(value)
            self.tree.check_length(node, len(held))
            seen = [
                self.adopt(item, self.tree.element(node, i), _inner(place, i), variable)
                for i, item in enumerate(held)
            ]
            plain = type(value) in (list, tuple) or isinstance(value, Mutable)
            if isinstance(value, tuple):
                seen = tuple(seen) if plain else tuple.__new__(type(value), seen)
            elif type(value) is collections.deque:
                self.tree.check_equal(self.tree.attribute(node, "maxlen"), value.maxlen)
                seen = collections.deque(seen, value.maxlen)
            elif not plain:
                shadow = list.__new__(type(value))
                list.extend(shadow, seen)
                seen = shadow
        if not isinstance(value, tuple) or value:
            self._remember(value, node, seen)
        self.heap.note_outside(seen)
        return seen

    def _adopt_dict(self, value, node, place, variable):
        held = contents(value)
        if not all(isinstance(key, _CONSTANT_TYPES + _IDENTITY_TYPES + (tuple,)) for key in held):
            self.tree.check_same(node, value)
        else:
            self.tree.check_keys(node, tuple(held))
        seen = {
            key: self.adopt(item, self.tree.item(node, key), _inner(place, key), variable)
            for key, item in held.items()
        }
        if type(value) is not dict and not isinstance(value, Mutable):
            items, seen = seen, layout(value).__new__(type(value))
            if isinstance(value, collections.defaultdict):
                factory = self.tree.attribute(node, "default_factory")
                seen.default_factory = self.adopt(value.default_factory, factory)
            set_contents(seen, items)
        self._remember(value, node, seen)
        self.heap.note_outside(seen)
        return seen

    def _adopt_partial(self, value, node):
        """A partial call: its function, arguments and keywords, which may be changed in place."""
        self.tree.check_same(node, value)
        carried = tuple(
            self.adopt(getattr(value, part), self.tree.attribute(node, part))
            for part in ("func", "args", "keywords")
        )
        function, args, keywords = carried
        seen = functools.partial(function, *args, **keywords)
        seen.__dict__.update(value.__dict__)
        self._remember(value, node, seen)
        self.partials[id(seen)] = (seen, carried)
        return seen

    def carried_by(self, partial):
        """(function, arguments, keywords) of a partial call as the program sees it."""
        known = self.partials.get(id(partial))
        if known is not None and known[0] is partial:
            return known[1]
        return partial.func, partial.args, partial.keywords

    def _adopt_carried(self, function, node):
        seen = rebound(function, self.adopt_fixed)
        if seen is not function:
            self._remember(function, node, seen)
        return seen

    def _adopt_method(self, method, node):
        """Reading a method makes a new object each time; what counts is whose method it is."""
        self.tree.check_type(node, types.MethodType)
        self.tree.check_same(self.tree.attribute(node, "__func__"), method.__func__)
        owner = self.adopt(method.__self__, self.tree.attribute(node, "__self__"))
        seen = method if owner is method.__self__ else types.MethodType(method.__func__, owner)
        self._remember(method, node, seen)
        return seen

    def _adopt_slice(self, value, node):
        if all(isinstance(part, _CONSTANT_TYPES) for part in (value.start, value.stop, value.step)):
            self.tree.check_equal(node, value)
            return value
        self.tree.check_same(node, value)
        return value

    def _adopt_object(self, value, node):
        self.tree.check_same(node, value)
        self.tree.check_type(node, type(value))  # `o.__class__ = ...` leaves the object the same
        self._objects[id(value)] = (value, node)

    def is_outer_object(self, value):
        """Whether the program met this object outside of the graph."""
        known = self._objects.get(id(value))
        return known is not None and known[0] is value

    # ---- where an object is

    def node_of(self, value):
        """The place of an object from outside in the guard tree."""
        known = self.seen.get(id(value))
        if known is not None and known.seen is value:
            return known.node
        known = self._objects.get(id(value))
        if known is None:
            known = self._objects[id(value)] = (value, self.tree.object(value))
        return known[1]

    def original_of(self, value):
        """The object from outside that the program sees as `value`; itself if it is none."""
        known = self.seen.get(id(value))
        return known.original if known is not None and known.seen is value else value

    # ---- names of modules and closures

    def read_global(self, namespace, name):
        """A global as the program sees it; raises KeyError if there is none."""
        overlay = self.overlays.get(id(namespace))
        if overlay is not None and name in overlay.entries:
            value = overlay.entries[name]
            if value is UNBOUND:
                raise KeyError(name)
            return value
        key = (id(namespace), name)
        if key in self._globals:
            return self._globals[key]
        module = namespace.get("__name__", "")
        if is_trusted_module(module) and (
            is_framework_module(module) or not is_container(namespace.get(name))
        ):
            return namespace[name]
        node = self.tree.object(namespace)
        if name not in namespace:
            self.tree.missing_item(node, name)
            raise KeyError(name)
        value = self.adopt(namespace[name], self.tree.item(node, name))
        self._globals[key] = value
        return value

    def write_global(self, namespace, name, value):
        overlay = self._overlay(namespace, self.tree.object(namespace), "item")
        if name not in overlay.entries and name in namespace:
            self.heap.seed(overlay.entries, name, self.read_global(namespace, name))
        self.heap.touch(overlay.entries)
        overlay.entries[name] = value

    def read_cell(self, cell):
        overlay = self.overlays.get(id(cell))
        if overlay is not None and "cell_contents" in overlay.entries:
            return overlay.entries["cell_contents"]
        try:
            value = cell.cell_contents
        except ValueError:
            raise KeyError("cell") from None
        return self.adopt(value, self.tree.cell_contents(self.tree.object(cell)))

    def write_cell(self, cell, value):
        overlay = self._overlay(cell, self.tree.object(cell), "attribute")
        if not overlay.entries:
            with contextlib.suppress(KeyError):
                self.heap.seed(overlay.entries, "cell_contents", self.read_cell(cell))
        self.heap.touch(overlay.entries)
        overlay.entries["cell_contents"] = value

    # ---- attributes

    def read_instance(self, owner, name):
        """An entry of the object's own attributes; raises KeyError if there is none."""
        written = self.written_entry(owner, name)
        if written is not None:
            if written[0] is UNBOUND:
                raise KeyError(name)
            return written[0]
        original = self.original_of(owner)
        held = getattr(original, "__dict__", None)
        node = self.node_of(owner)
        if held is None or name not in held:
            if held is not None:
                self._tell_once("missing_attribute", node, name)
            raise KeyError(name)
        return self.adopt(held[name], self.tree.attribute(node, name))

    def read_slot(self, owner, name, member):
        """What a slot of an object from outside holds; raises KeyError if it is empty."""
        written = self.written_entry(owner, name)
        if written is not None:
            if written[0] is UNBOUND:
                raise KeyError(name)
            return written[0]
        node = self.node_of(owner)
        try:
            value = member.__get__(owner)
        except AttributeError:
            self._tell_once("missing_attribute", node, name)
            raise KeyError(name) from None
        return self.adopt(value, self.tree.attribute(node, name))

    def written_entry(self, owner, name):
        """(new value,) of an attribute that the program wrote; None if it did not."""
        overlay = self.overlays.get(id(owner))
        return (overlay.entries[name],) if overlay is not None and name in overlay.entries else None

    def names_of(self, owner):
        """The names of the attributes that an object from outside holds itself, in order."""
        original, node = self.original_of(owner), self.node_of(owner)
        held = getattr(original, "__dict__", {})
        if ("names", node) not in self._told:
            self._told.add(("names", node))
            self.tree.check_keys(self.tree.attribute(node, "__dict__"), tuple(held))
        overlay = self.overlays.get(id(owner))
        written = {} if overlay is None else overlay.entries
        return [name for name in dict.fromkeys((*held, *written)) if written.get(name) is not UNBOUND]

    def _tell_once(self, demand, node, name):
        if (demand, node, name) not in self._told:
            self._told.add((demand, node, name))
            getattr(self.tree, demand)(node, name)

    def read_class(self, owner, name, value):
        """An attribute found on the class of `owner` (or on `owner`, a class)."""
        cls = owner if isinstance(owner, type) else type(owner)
        if is_trusted_module(module_of(cls)):
            return value
        root = self.tree.object(cls)
        return self.adopt(value, self.tree.class_attribute(root, name))

    def note_no_class_entry(self, cls, name):
        """Demands that the class goes on having nothing under the name."""
        if not is_trusted_module(module_of(cls)):
            self._tell_once("missing_class_attribute", self.tree.object(cls), name)

    def note_entry(self, cls, name, entry):
        """Demands that what the class has under the name stays this very object."""
        root = self.tree.object(cls)
        if is_trusted_module(module_of(cls)) or ("entry", root, name) in self._told:
            return
        self._told.add(("entry", root, name))
        self.tree.check_same(self.tree.class_attribute(root, name), entry, weak=False)

    def read_base(self, base, name, value):
        """An attribute found in this very class, as `super` looks for it; UNBOUND for one that is not there."""
        if is_trusted_module(module_of(base)):
            return value
        root = self.tree.object(base)
        if value is UNBOUND:
            self._tell_once("missing_attribute", root, name)
            return value
        return self.adopt(value, self.tree.attribute(root, name))

    def write_attribute(self, owner, name, value, old=None):
        """`old` reads what the attribute holds where the program has not written it yet; raises KeyError."""
        overlay = self._overlay(owner, self.node_of(owner), "attribute")
        if name not in overlay.entries:
            # A path that does not write finds the old value in the overlay.
            with contextlib.suppress(KeyError):
                self.heap.seed(
                    overlay.entries, name, self.read_instance(owner, name) if old is None else old()
                )
        self.heap.touch(overlay.entries)
        overlay.entries[name] = value

    def _overlay(self, owner, node, write):
        overlay = self.overlays.get(id(owner))
        if overlay is None:
            overlay = self.overlays[id(owner)] = Overlay(owner, node, write)
            self.heap.note_namespace(self.heap.note_outside(overlay.entries))
        return overlay


def _has_guarded_bytes(value):
    """Whether an object's contents are numbers in memory, all of which a guard compares."""
    cls = type(value)
    if cls in BUFFERS:
        return True
    exact = cls is numpy.ndarray or issubclass(cls, numpy.generic)
    return is_array_type(cls) and exact and not value.dtype.hasobject


def _inner(place, key):
    return None if place is None else (*place, key)


def _set_key(value):
    return frozenset((type(member), member) for member in value)


def _contents_key(tensor):
    return (tensor.dtype, tensor.shape, _core.to_bytes(tensor))
