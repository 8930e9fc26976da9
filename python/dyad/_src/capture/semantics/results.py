"""Converts the results of a graph to Python values, and writes changes back to objects from outside."""

import collections.abc
import copy
import functools
import types

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CELL, EXCEPTION, FUNCTION, OUTPUT
from dyad._src.capture.errors import rejection
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.object_state import (
    BUFFERS,
    VALUE_MODULES,
    has_unseen_state,
    is_array_type,
    layout_of,
)
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction
from dyad._src.capture.semantics.control.exceptions import (
    RAISED_AT,
    TRACEBACK,
    ExceptionMaker,
    state_of,
)
from dyad._src.capture.semantics.control.generator_managers import GeneratorManager
from dyad._src.capture.semantics.iteration.iterators import ModelIterator, is_state
from dyad._src.capture.semantics.made_objects import (
    ITERATORS,
    ContainerMaker,
    DictMaker,
    ObjectMaker,
    TupleMaker,
    ViewMaker,
    add_to,
    write_attribute,
    write_item,
    write_tensor,
)
from dyad._src.capture.semantics.memory.heap import is_container, set_contents
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES
from dyad._src.capture.semantics.values import (
    UNBOUND,
    Deferred,
    OneOf,
    RuntimeRange,
    container_of,
    contents_choice_of,
    depends_on_run,
    is_symbolic_tensor,
    origin_of,
    view_method,
)
from dyad._src.tensor.mutable import mutable
from dyad._src.tensor.parameter import Parameter


class Results:
    """Collects the results a graph must give and describes what is built from them.

    `leaves` are the results; a description (a template) is a tuple that the compiled entry builds values from:
    ("result", number), ("source", node of the guard tree), ("constant", value), ("build", function, descriptions), ...
    """

    def __init__(self, interpreter):
        self._interpreter = interpreter
        self._external = interpreter.external
        self.leaves = []
        self._numbers = {}  # id of a leaf -> its place among the results
        self._shared = {}  # id of a container -> (container, its number)
        self._tensors = []  # those that are made for the caller

    def template(self, value):
        """The description of one value."""
        known = self._external.seen.get(id(value))
        if known is not None and known.seen is value:
            return ("source", known.node)
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, GraphNumber):
            return self._once(value, self._number)
        if isinstance(value, OneOf):
            return self._choice(value)
        if isinstance(value, Deferred):
            return ("build", value.function, [self.template(item) for item in value.arguments])
        if is_container(value):
            return self._once(value, self._container)
        if isinstance(value, tuple):
            items = ("tuple", [self.template(item) for item in value])
            return items if type(value) is tuple else ("build", TupleMaker(type(value)), [items])
        return self._other(value)

    def _number(self, number):
        result = ("result", self._leaf(number))
        return result if self._external.marks.class_of(number) is None else ("build", mutable, [result])

    def _leaf(self, value):
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.leaves)
            self.leaves.append(value)
        return self._numbers[id(value)]

    def _tensor(self, value):
        if value.has_init or (
            isinstance(value, Parameter) and self._interpreter.cells.is_own_parameter(value)
        ):
            raise self._rejection(f"a {type(value).__name__} that each call makes anew")
        if is_symbolic_tensor(value):
            return self._once(value, self._symbolic)
        if isinstance(value, Parameter):
            return ("constant", value)
        return self._once(value, self._fresh)

    def _fresh(self, tensor):
        self._tensors.append(tensor)
        return ("fresh", tensor)

    def _symbolic(self, tensor):
        """A result; where it may be a tensor from outside, the object that the caller gave."""
        self._tensors.append(tensor)
        origin = origin_of(tensor)
        written = self._interpreter.graph.memory(tensor) in self._interpreter.aliases.written
        if not isinstance(origin.which, GraphNumber) or written:
            # What was written is a tensor of its own, or the write was refused.
            return self._result(tensor, may_be_given=True)
        result = self._result(tensor, may_be_given=False)
        alternatives = [result]
        for number in range(max(origin.candidates) + 1):
            known = number in origin.candidates
            alternatives.append(self.template(self._external.origins[number]) if known else result)
        return ("choice", self._leaf(origin.which + 1), alternatives)

    def _result(self, tensor, may_be_given):
        """A result of the graph; `may_be_given` where only its memory tells whether it is one from outside."""
        return ("result", self._leaf(tensor))

    def _once(self, value, describe):
        known = self._shared.get(id(value))
        if known is None:
            number = len(self._shared)
            self._shared[id(value)] = known = (value, ("shared", number, None))
            described = ("shared", number, describe(value))
            self._shared[id(value)] = (value, described)
            return described
        if known[1][2] is None:
            raise rejection(
                OUTPUT,
                self._interpreter.returned_at,
                "return: a container that contains itself is not a result of a static graph",
                "Give back its parts.",
            )
        return known[1]

    def _container(self, value):
        if self._external.is_own(value):
            return ("build", ContainerMaker(value), [self._contents(value), self._entries(vars(value))])
        if isinstance(value, set):
            self._require_known_members(value)
            return ("build", type(value), [("constant", tuple(value))])
        if isinstance(value, collections.deque):
            return ("build", ContainerMaker(value), [self._contents(value), ("dict", [])])
        items = self._contents(value)
        if type(value) in (list, dict):
            return items
        return ("build", DictMaker(value) if isinstance(value, dict) else type(value), [items])

    def _require_known_members(self, value):
        if self._interpreter.lax and any(map(is_symbolic_tensor, value)):
            raise self._rejection("a set of Tensors")

    def _entries(self, held):
        if self._interpreter.lax and any(map(is_symbolic_tensor, held)):
            raise self._rejection("a dict that finds Tensors by their identity")
        return ("dict", [(key, self.template(item)) for key, item in held.items()])

    def _chosen_contents(self, value):
        """A container whose contents are one of several."""
        kind = dict if isinstance(value, dict) else list
        choice = contents_choice_of(value).choice
        return self._choice(OneOf(choice.tag, {tag: kind(held) for tag, held in choice.alternatives.items()}))

    def _choice(self, value):
        if isinstance(value.tag, int):
            return self.template(value.alternatives[value.tag])
        last = max(value.alternatives)
        alternatives = [
            self.template(value.alternatives[tag]) if tag in value.alternatives else ("constant", None)
            for tag in range(last + 1)
        ]
        return ("choice", self._leaf(value.tag), alternatives)

    def _other(self, value):
        for kinds, describe in _DESCRIPTIONS:
            if isinstance(value, kinds):
                return describe(self, value)
        if value is TRACEBACK:
            raise self._interpreter.rejection(
                EXCEPTION,
                "traceback: what an exception of the running graph has for one is known only then",
                "Keep the exception instead.",
            )
        self._require_found(value)
        if self._external.is_own(value) and not self._interpreter.cells.is_cell(value):
            return self._once(value, self._own)
        return ("constant", value)

    def _require_found(self, value):
        """Refuses, where Python may help, an object that was made while capturing: each call must give another one."""
        cls = type(value)
        if self._interpreter.cells.is_cell(value) and self._external.is_own(value):
            raise self._rejection(f"a {cls.__name__}, a Cell that each call makes anew,", CELL)
        if is_framework_module(module_of(cls)) and depends_on_run(getattr(value, "__dict__", None)):
            raise self._rejection(f"an object of class {cls.__name__} that holds values of the graph")
        made = (
            is_array_type(cls) or cls in BUFFERS or module_of(cls) in VALUE_MODULES or has_unseen_state(cls)
        )
        if made and self._interpreter.lax and not self._external.is_outer_object(value):
            raise self._rejection(f"an object of class {cls.__name__}, which each call makes anew,")

    def _function(self, value):
        made = value.__func__ if isinstance(value, Bound) else value
        raise rejection(
            OUTPUT,
            made.frame.place(made.code.position),
            f"return: the function {value.__name__} is made inside the graph and cannot be given back",
            "Give back what it computes, or define it outside of the compiled function.",
        )

    def _bounds(self, value):
        """A range or a slice."""
        kind = range if isinstance(value, RuntimeRange) else slice
        return ("build", kind, [self.template(part) for part in (value.start, value.stop, value.step)])

    def _method(self, value):
        """A method of an object; one that was made inside is another one in each call."""
        return ("build", types.MethodType, [("constant", value.__func__), self.template(value.__self__)])

    def _bound_value(self, value):
        """A method written in C or a partial call, of what lies outside of the graph."""
        if isinstance(value, functools.partial):
            held = [value.func, *value.args, *value.keywords.values()]
        else:
            held = [value.__self__]
        if all(self._is_outside(each) for each in held):
            return ("constant", value)
        raise self._rejection(f"a {type(value).__name__} that holds what was made inside the graph")

    def _is_outside(self, value):
        known = isinstance(value, (types.ModuleType, type, types.FunctionType, *CONSTANT_TYPES))
        return known or self._external.is_outer_object(value)

    def _view(self, value):
        """The keys, values or items of a dict."""
        return ("build", ViewMaker(view_method(value)), [self.template(container_of(value))])

    def _require_entered(self, value):
        raise self._rejection("a context manager that is not entered")

    def _attribute_view(self, value):
        raise self._rejection("the attributes of an object as a dict")

    def _rejection(self, what, kind=OUTPUT):
        return rejection(
            kind,
            self._interpreter.returned_at,
            f"return: {what} cannot be given back by a static graph",
            "Give back what is needed of it.",
        )

    def _iterator(self, value):
        """An iterator over the elements that are left, where these are there already."""
        if self._goes_over_outside(value):
            raise self._rejection(f"a {value.kind.__name__} over a container from outside, which may change,")
        make = ITERATORS.get(value.kind)
        if make is None:
            raise self._rejection(
                f"a {value.kind.__name__}, which computes its elements when they are asked for,"
            )
        return ("build", make, [self.template(self._elements_left(value))])

    def _goes_over_outside(self, iterator):
        """Returns whether an iterator takes elements from a container that the program did not make."""
        sequence = getattr(iterator, "sequence", None)
        container = getattr(sequence, "container", sequence)
        if is_container(container) and id(container) in self._external.seen:
            return True
        return any(self._goes_over_outside(source) for source in iterator.asked() if source is not None)

    def _elements_left(self, iterator):
        """The elements, computed now: the program must not see that this is earlier than when they are asked for."""
        interpreter = self._interpreter
        before = (interpreter.effects, len(self._external.written))
        interpreter.heap.push()
        items = interpreter.iteration.collected(iterator)
        changed = any(not is_state(change.container) for change in interpreter.heap.keep())
        if changed or (interpreter.effects, len(self._external.written)) != before:
            raise self._rejection(f"a {iterator.kind.__name__}, which acts when its elements are asked for,")
        return items

    def _own(self, value):
        """An object that the program made: each call gives another one."""
        if layout_of(type(value)) is object or type(value) is types.SimpleNamespace:
            return self._object(value)
        if type(value) in BUFFERS or is_array_type(type(value)):
            return ("build", copy.copy, [("constant", value)])
        raise self._rejection(f"an object of class {type(value).__name__} that was made inside the graph")

    def _exception(self, value):
        if self._external.is_outer_object(value) or id(value) in self._external.seen:
            return ("constant", value)
        state = {name: item for name, item in state_of(value).items() if name != RAISED_AT}
        raised_at = self._interpreter.exceptions.raised_at(value)
        maker = ExceptionMaker(type(value), raised_at.handled_lines if raised_at is not None else ())
        return ("build", maker, [self._entries(state)])

    def _object(self, value):
        held = {**self._external.slots_of(value), **getattr(value, "__dict__", {})}
        attributes = {name: item for name, item in held.items() if item is not UNBOUND}
        return ("build", ObjectMaker(type(value)), [self._entries(attributes)])

    def require_sharing(self):
        """Refuses writes that some who share memory miss, and sees to it that results share theirs."""
        self._interpreter.sharing.require_apart()
        if self._interpreter.options.shares_results:
            self._interpreter.sharing.require_kept(self._tensors)

    # ---- what is written back

    def effects(self):
        """Descriptions of the changes to objects from outside, in order."""
        effects: list[tuple] = []
        for adopted in list(self._external.adopted.values()):
            if adopted.snapshot is not None and adopted.changed():
                self._require_lax(adopted)
                target = ("source", adopted.node)
                effects.append(("build", set_contents, [target, self._contents(adopted.seen)]))
        for node, added in self._external.lazy_containers.additions():
            effects.append(("build", add_to, [("source", node), self._contents(added)]))
        for overlay in self._external.overlays.values():
            target = ("source", overlay.node)
            write = write_item if overlay.write == "item" else write_attribute
            for name, value in overlay.entries.items():
                effects.append(("build", write, [target, ("constant", name), self.template(value)]))
        return effects

    def written_tensors(self):
        """Descriptions of what tensors from outside hold by now, for a graph that does not come to its end."""
        return [
            ("build", write_tensor, [("source", known.node), ("result", self._leaf(known.seen))])
            for known in self._external.written_tensors()
        ]

    def _require_lax(self, adopted):
        """At STRICT a graph leaves Python's containers as they are that are no arguments."""
        if self._interpreter.strict and not adopted.given:
            raise self._interpreter.rejection(
                FUNCTION,
                f"a {type(adopted.original).__name__} from outside of the graph is changed, which needs the Python "
                "object when the graph runs",
                "Give back the new contents, or use jit(fullgraph=False).",
                error=TypeError,
            )

    def _contents(self, value):
        if isinstance(value, (list, dict)) and contents_choice_of(value) is not None:
            return self._chosen_contents(value)
        if isinstance(value, dict):
            return self._entries(value)
        if isinstance(value, set):
            self._require_known_members(value)
            return ("constant", frozenset(value))
        return ("list", [self.template(item) for item in value])


# What is neither a leaf nor a container nor a tuple -> its description; the first that fits counts.
_DESCRIPTIONS = (
    ((ClosureFunction, Bound), Results._function),
    (BaseException, lambda results, value: results._once(value, results._exception)),
    ((RuntimeRange, slice), Results._bounds),
    (types.MethodType, Results._method),
    ((types.BuiltinMethodType, functools.partial), Results._bound_value),
    (collections.abc.MappingView, Results._view),
    (ModelIterator, lambda results, value: results._once(value, results._iterator)),
    (frozenset, lambda results, value: ("build", frozenset, [("constant", tuple(value))])),
    (AttributeView, Results._attribute_view),
    (GeneratorManager, lambda results, value: results._require_entered(value)),
)
