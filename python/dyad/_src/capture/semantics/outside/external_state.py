"""State from before the call: every read of it is guarded, and what the program changes of it is written back.

Tensors found outside become inputs of the graph, with a symbolic stand-in for the program to see. Lists and dicts are
shadowed by copies that the program may change, once it reads them (`lazy_containers.py`). Of other objects the
attributes that are read are guarded one by one; those that are written wait in an overlay until the graph has run.
"""

import collections
import functools
import re
import types
from typing import Any

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.break_reasons import UNKNOWN, kind_of_type
from dyad._src.capture.errors import NEEDS_PYTHON, rejection
from dyad._src.capture.graph_names import input_name
from dyad._src.capture.semantics.attributes.object_state import BUFFERS, is_array_type, is_readable
from dyad._src.capture.semantics.memory.heap import is_container, layout
from dyad._src.capture.semantics.operators.number_bounds import NumberBounds, is_small
from dyad._src.capture.semantics.outside.adopted import Adopted
from dyad._src.capture.semantics.outside.attributes import Attributes
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES, IDENTITY_TYPES, is_plain_number
from dyad._src.capture.semantics.outside.containers import adopt_container
from dyad._src.capture.semantics.outside.inputs import Inputs
from dyad._src.capture.semantics.outside.instance_dicts import InstanceDicts
from dyad._src.capture.semantics.outside.lazy_containers import LazyContainers
from dyad._src.capture.semantics.outside.marks import Marks
from dyad._src.capture.semantics.outside.names import Names
from dyad._src.capture.semantics.outside.overlays import Overlays
from dyad._src.capture.semantics.outside.partial_guards import NeedsWholeArguments, guard_used_parts
from dyad._src.capture.semantics.values import (
    VIEWS,
    Origin,
    container_of,
    is_unread,
    set_origin,
    view_method,
)
from dyad._src.context.settings import settings
from dyad._src.tensor.mutable import Mutable, MutableBool
from dyad._src.tensor.parameter import Parameter

_BOUND_TYPES = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


def rebound(function, adopt):
    """The same callable over what the program sees of the values it carries; itself where that makes no difference."""
    if type(function) is functools.partial:
        carried = adopt(function.func)
        args = [adopt(value) for value in function.args]
        keywords = {name: adopt(value) for name, value in function.keywords.items()}
        same = carried is function.func and all(a is b for a, b in zip(args, function.args, strict=True))
        if same and all(keywords[name] is value for name, value in function.keywords.items()):
            return function
        return functools.partial(carried, *args, **keywords)
    if not isinstance(function, _BOUND_TYPES) or isinstance(function.__self__, types.ModuleType):
        return function
    owner = adopt(function.__self__)
    if owner is function.__self__:
        return function
    if isinstance(function, types.MethodType):
        return types.MethodType(function.__func__, owner)
    return getattr(owner, function.__name__)


# A number outside of the arguments that changed this often is an input of the graph, other things are left to Python.
_CHANGES_OF_CONSTANTS = 2
_MOST_CHANGES = 8
# An attribute or an item in the text of a path.
_STEP = re.compile(r"""\.\w+|\[(?:'[^']*'|"[^"]*"|[^]]*)\]""")


class ExternalState:
    """All that lies outside of the graph, as the program of one capture sees it.

    `tree` is the guards on what was read, `overlays` are the values that wait to be written. Names of modules and
    closures are read through `names`, attributes through `attributes`.
    """

    def __init__(self, graph, heap, options):
        self.tree = _core.GuardTree()
        self._guards = options.guards  # the GuardStrictness
        self._loose = {}  # id of an argument that is guarded in part -> it
        self.lax = options.lax  # whether Python runs what is refused
        self._variable_numbers = (
            options.variable_numbers
        )  # places of arguments that are numbers and no constants
        self._changes = (
            options.changes
        )  # path of an object -> how often graphs were made because it had changed
        self._templates = options.templates  # place of an argument -> the shape it is compiled for
        self._outer_shapes = options.outer_shapes
        self._named_sizes = {}  # name of a symbolic dimension -> where it was met first, as (node, axis)
        self._longest_path = options.bytecode.max_trace_depth  # how many steps guards may take; 0 is no limit
        self.inputs = Inputs(self.tree)
        self.tensor_nodes = []
        self._changeable_nodes = []  # of containers and objects from outside that were looked into or changed
        self.origins = []  # tensors that others may be, by number
        self.graph = graph
        self.heap = heap
        self.adopted = {}  # id of an object from outside -> Adopted
        self.partials = {}  # id of a partial call that the program sees -> (it, what it carries)
        self.written_classes = set()  # classes of which the program wrote attributes
        self._slots = {}  # id of an object of the program -> (it, what its slots hold)
        self.seen = {}  # id of what the program sees -> Adopted
        self.overlays = Overlays(heap)
        self.names = Names(self)
        self.attributes = Attributes(self)
        self.instance_dicts = InstanceDicts(self)
        self.has_parted_aliases = False  # whether the program sees one Tensor from outside as two
        self.tells_inputs_apart = False  # whether it matters that the tensors from outside are different ones
        self.written = []  # tensors that were written in place
        self.writers = []  # for each of them the statement of the captured function that did so
        self._own = {}  # objects the program itself made
        self._objects = {}  # id of an object from outside -> (object, node)
        self.marks = Marks(self.original_of)
        self.bounds = NumberBounds()
        self.lazy_containers = LazyContainers(self, self._guards.looked_into, options.leaves_lengths)

    @property
    def has_symbolic_dims(self):
        """Returns whether arguments have sizes that the graph does not know."""
        return bool(self._named_sizes)

    def has_effects(self):
        """Returns whether the program has changed containers or attributes from outside by now."""
        return (
            bool(self.lazy_containers.additions())
            or any(overlay.entries for overlay in self.overlays.values())
            or any(adopted.snapshot is not None and adopted.changed() for adopted in self.adopted.values())
        )

    def release(self):
        """Lets go of all objects."""
        named = (self.adopted, self.seen, self.partials, self._slots, self._own, self._objects, self._loose)
        for held in (*named, self.origins, self.written, self.writers):
            held.clear()
        self.names.release()
        self.bounds.release()
        self.lazy_containers.release()
        self.instance_dicts.release()

    # ---- objects of the program itself

    def note_own(self, value):
        """Remembers that the program made this object: it is changed directly and never guarded."""
        self._own[id(value)] = value
        return value

    def is_own(self, value):
        """Returns whether the program made this object."""
        return id(value) in self._own and self._own[id(value)] is value

    def slots_of(self, value):
        """Returns the slots of an object that the program made; the object itself is never written."""
        known = self._slots.get(id(value))
        if known is None:
            known = self._slots[id(value)] = (value, self.heap.note_namespace({}))
        return known[1]

    # ---- adopting

    def adopt_argument(self, value, node, place, use=None):
        """Returns the program's view of an argument; a number is an input where gradients of numbers are taken.

        `use` is all that the program does with it, a ParameterUse; None if that is not known.
        """
        variable = type(value) in (int, float) and settings.read("grad_for_scalar")
        if use is not None and not variable:
            seen = guard_used_parts(self, value, node, place, use, self._guards.by_value)
            if seen is not None:
                return seen[0]
        if self._guards.same_tensors and isinstance(value, Tensor):
            self.tree.check_identity(node, value)
        if place not in self._variable_numbers:
            return self.meet(value, node, place, variable)
        number = self.adopt(value, node, place, True)
        if type(value) is int:
            self.tree.check_call(node, is_small, True)
            self.bounds.begin(number)
        return number

    def adopt_fixed(self, value):
        """An object that something already guarded holds: a default value."""
        if isinstance(value, CONSTANT_TYPES):
            return value
        return self.adopt(value, self.tree.object(value))

    def meet(self, value, node, place=None, variable=False):
        """Returns the program's view of a value that has not been read yet; see `adopt` for the arguments."""
        whole = variable or id(value) in self.adopted or id(value) in self._loose
        if (
            whole
            or issubclass(type(value), self._guards.by_value)
            or not self.lazy_containers.takes(value, node, place)
        ):
            return self.adopt(value, node, place, variable)
        return self.lazy_containers.meet(value, node, place)

    def look(self, value):
        """The whole of a container that was only met so far; any other value as it is."""
        return self.lazy_containers.look(value)

    def look_at_all(self, args, kwargs):
        """The arguments of a call, looked into; the very tuple and dict where there is nothing to look into."""
        if any(map(is_unread, args)):
            args = tuple(map(self.look, args))
        if any(map(is_unread, kwargs.values())):
            kwargs = {name: self.look(value) for name, value in kwargs.items()}
        return args, kwargs

    def adopt(self, value, node, place=None, variable=False):
        """Returns the program's view of `value`, found at `node` of the guard tree.

        `place` leads to it from the arguments; `variable` means inside `mutable`.
        """
        if self.lax and not is_readable(type(value)):
            raise rejection(
                UNKNOWN,
                None,
                f"{type(value).__name__}: reading its attributes runs __getattribute__",
                NEEDS_PYTHON,
            )
        if self._longest_path:
            self._require_short(node)
        changes = self.changes_at(node)
        if isinstance(value, CONSTANT_TYPES):
            varies = changes >= _CHANGES_OF_CONSTANTS and is_plain_number(value)
            if not varies:
                self._require_steady(value, changes)
            return self._adopt_constant(value, node, place, variable or varies)
        self._require_steady(value, changes)
        if id(value) in self._loose:
            raise NeedsWholeArguments
        known = self.adopted.get(id(value))
        if known is not None and known.node != node and self._parts_aliases(value, place):
            self.has_parted_aliases = True
            return self._adopt_tensor(value, node, place)
        if known is not None:
            if known.node != node:
                self.tree.check_alias(known.node, node)
            return known.seen
        if isinstance(value, Tensor):
            return self._adopt_tensor(value, node, place)
        if isinstance(value, types.MethodType):
            return self._adopt_method(value, node)
        if isinstance(value, IDENTITY_TYPES):
            self.tree.check_identity(node, value)
            return self._adopt_carried(value, node)
        if type(value) is functools.partial:
            return self._adopt_partial(value, node)
        if isinstance(value, (list, tuple, dict, set, frozenset)) or type(value) is collections.deque:
            found = self.lazy_containers.found(value)
            if found is not None and found.node != node:
                self.tree.check_alias(found.node, node)
                node, place = found.node, found.place
            return adopt_container(self, value, node, place, variable or isinstance(value, Mutable))
        if type(value) in VIEWS:
            return self._adopt_view(value, node)
        if isinstance(value, slice):
            return self._adopt_slice(value, node)
        if _has_guarded_bytes(value):
            self.tree.check_type(
                node, type(value)
            )  # a number of NumPy has the bytes of an array without dimensions
            self.tree.check_array(node, value if type(value) in BUFFERS else numpy.asarray(value))
            self.remember(value, node, value)  # given back, it is the object of the call
            return value
        if isinstance(value, TransformedFunction):
            return self._adopt_transformed(value, node)
        self._adopt_object(value, node)
        return value

    def changes_at(self, node):
        """Counts the graphs that were compiled because the value of a node had changed."""
        return self._changes.get(self.tree.path(node), 0) if self._changes else 0

    def is_adopted(self, value):
        """Returns whether the program has looked into this object from outside."""
        return id(value) in self.adopted

    def _parts_aliases(self, value, place):
        """Returns whether a Tensor that is given twice is two inputs, as two Tensors would be."""
        is_given = place is not None and isinstance(value, Tensor) and not isinstance(value, Parameter)
        return is_given and not self._guards.whole_arguments and not value.const_arg

    def _require_short(self, node):
        """Leaves to Python what is found by way of more attributes and items than guards may follow."""
        path = self.tree.path(node)
        if len(_STEP.findall(path)) > self._longest_path:
            raise rejection(
                UNKNOWN,
                None,
                f"{path}: a guard may follow {self._longest_path} attributes and items",
                NEEDS_PYTHON,
            )

    def _require_steady(self, value, changes):
        """Leaves to Python what is another with nearly every call."""
        if changes >= _MOST_CHANGES and self.lax:
            raise rejection(
                kind_of_type(type(value)),
                None,
                f"{type(value).__name__}: it changes from call to call",
                NEEDS_PYTHON,
            )

    def _adopt_transformed(self, value, node):
        """Guards the request of a transform; the function and the Parameters are guarded where they are read."""
        self.tree.check_type(node, type(value))
        self.tree.check_equal(self.tree.attribute(node, "request"), value.request)
        self._objects[id(value)] = (value, node)
        return value

    def _adopt_constant(self, value, node, place, variable):
        known = self.adopted.get(id(value)) if isinstance(value, Mutable) else None
        if known is not None:
            if known.node != node:
                self.tree.check_alias(known.node, node)
            return known.seen
        if isinstance(value, Mutable) or (variable and isinstance(value, (bool, int, float))):
            kind: Any = next(kind for kind in (bool, int, float) if isinstance(value, kind))
            number = self.graph.add_input(kind(value), input_name(self.tree.path(node)))
            if isinstance(value, MutableBool):  # an int, which stands for a bool
                number = _core.number_op("bool", number)
            self.tree.check_type(node, type(value))
            self.inputs.add(node, place)
            if isinstance(value, Mutable):
                self.remember(value, node, number)
            return self.marks.note(number)
        self.tree.check_equal(node, value)
        return value

    def _adopt_tensor(self, tensor, node, place):
        if _core.is_symbolic(tensor):
            return tensor  # an object that was made while capturing holds it: it is of this graph already
        if tensor.const_arg:
            self.tree.check_call(node, _contents_key, _contents_key(tensor))
            return tensor
        template = self._template(tensor, node, place)
        symbolic_dims = {} if template is None else template.open
        if symbolic_dims:
            template.guard(self.tree, node, self._named_sizes)
        shape = [None if axis in symbolic_dims else size for axis, size in enumerate(tensor.shape)]
        contiguous = True if tensor.is_contiguous() else None
        self.tree.check_tensor(node, tensor.dtype, tuple(shape), contiguous, type(tensor))
        if not contiguous and not symbolic_dims:
            self.tree.check_call(node, _strides_key, _strides_key(tensor))
        stand_in = self._input(tensor, input_name(self.tree.path(node)), symbolic_dims)
        self.inputs.add(node, place)
        self.tensor_nodes.append(node)
        if isinstance(tensor, Parameter):
            self.tree.check_equal(self.tree.attribute(node, "_requires_grad"), tensor._requires_grad)
        self.remember(tensor, node, stand_in)
        if stand_in is not tensor:
            self.note_origin(stand_in)
        return stand_in

    def _template(self, tensor, node, place):
        """The OpenShape that a tensor is compiled for; None if its sizes are known."""
        if place is not None or self._outer_shapes is None or isinstance(tensor, Parameter):
            return self._templates.get(place)
        return self._outer_shapes.shape_of(self.tree.path(node), tensor)

    def note_origin(self, tensor):
        """Gives a tensor a number by which others may say that they are it."""
        number = len(self.origins)
        set_origin(tensor, Origin(number, frozenset((number,))))
        self.origins.append(tensor)

    def note_written(self, tensor, statement):
        """Remembers that a tensor was written in place, and in which statement of the captured function."""
        self.written.append(tensor)
        self.writers.append(statement)

    def writer_of(self, tensor):
        """The statement in which a tensor was written first; None if that is not known."""
        for written, statement in zip(self.written, self.writers, strict=True):
            if _core.shares_storage(tensor, written):
                return statement
        return None

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

    def remember(self, original, node, seen):
        """Remembers what the program sees in place of an object from outside; the record of it."""
        known = self.adopted[id(original)] = self.note_seen(original, node, seen)
        if is_container(original):
            self.note_changeable(node)
            self.instance_dicts.require_unwritten(original)
        return known

    def note_seen(self, original, node, seen):
        """Remembers which object from outside the program sees as `seen`."""
        known = self.seen[id(seen)] = Adopted(original, node, seen)
        return known

    def note_apart(self, a, b):
        """Demands that two different objects from outside stay two: their contents alone do not say so."""
        known: list[Any] = [self.seen.get(id(value)) for value in (a, b)]
        if all(each is not None and each.seen is value for each, value in zip(known, (a, b), strict=True)):
            self.tree.check_distinct_objects([each.node for each in known])

    def note_changeable(self, node):
        """Remembers the place of a container or object from outside, of which a part was looked at or changed."""
        if node not in self._changeable_nodes:
            self._changeable_nodes.append(node)

    def changeable_places(self):
        """The places of what must not be one object where something is changed: what is read might be that."""
        written = (overlay.node for overlay in self.overlays.values() if overlay.write == "attribute")
        return list(dict.fromkeys((*self._changeable_nodes, *written)))

    def _adopt_partial(self, value, node):
        """A partial call: its function, arguments and keywords, which may be changed in place."""
        self.tree.check_identity(node, value)
        carried = tuple(
            self.adopt(getattr(value, part), self.tree.attribute(node, part))
            for part in ("func", "args", "keywords")
        )
        function, args, keywords = carried
        seen = functools.partial(function, *args, **keywords)
        seen.__dict__.update(value.__dict__)
        self.remember(value, node, seen)
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
            self.remember(function, node, seen)
        return seen

    def _adopt_method(self, method, node):
        """Reading a method makes a new object each time; what counts is whose method it is."""
        self.tree.check_type(node, types.MethodType)
        self.tree.check_identity(self.tree.attribute(node, "__func__"), method.__func__)
        owner = self.adopt(method.__self__, self.tree.attribute(node, "__self__"))
        seen = method if owner is method.__self__ else types.MethodType(method.__func__, owner)
        self.remember(method, node, seen)
        return seen

    def _adopt_view(self, view, node):
        """The keys, values or items of a dict; what counts is which dict that is, and what is in it."""
        shown = container_of(view)
        self.tree.check_type(node, type(view))
        self.tree.check_call(node, _shown_by, id(shown))
        held = self.adopt(shown, self.tree.object(shown))
        seen = getattr(layout(held), view_method(view))(held)
        self.remember(view, node, seen)
        return seen

    def _adopt_slice(self, value, node):
        if all(isinstance(part, CONSTANT_TYPES) for part in (value.start, value.stop, value.step)):
            self.tree.check_equal(node, value)
            return value
        self.tree.check_identity(node, value)
        return value

    def _adopt_object(self, value, node):
        self.tree.check_identity(node, value)
        self.tree.check_type(node, type(value))  # `o.__class__ = ...` leaves the object the same
        self._objects[id(value)] = (value, node)

    def has_met(self, value):
        """Returns whether the program can reach this object from outside already."""
        known = self.adopted, self._objects, self._loose
        return self.lazy_containers.has_met(value) or any(id(value) in each for each in known)

    def note_partial(self, value, node):
        """Remembers an argument of which only what is read is guarded."""
        self._objects[id(value)] = (value, node)
        self._loose[id(value)] = value

    def is_outer_object(self, value):
        """Returns whether the program met this object outside of the graph."""
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


def _has_guarded_bytes(value):
    """Returns whether an object's contents are numbers in memory, all of which a guard compares."""
    cls = type(value)
    if cls in BUFFERS:
        return True
    exact = cls is numpy.ndarray or issubclass(cls, numpy.generic)
    return is_array_type(cls) and exact and not value.dtype.hasobject


def _shown_by(view):
    return id(container_of(view))


def _strides_key(tensor):
    """The strides that decide which views a Tensor has: what is a view of it and what is a copy."""
    return tuple(
        stride if size > 1 else 0 for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )


def _contents_key(tensor):
    return (tensor.const_arg, tensor.dtype, tensor.shape, _core.to_bytes(tensor))
