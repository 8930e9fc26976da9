"""`owner[key]`: reading, writing and deleting elements, and which keys there may be."""

import collections
import math
import operator

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.abstract.values import placeholder
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.attributes import ABSENT, class_entry, is_user_class
from dyad._src.capture.semantics.attributes.object_state import layout_of
from dyad._src.capture.semantics.memory.heap import is_container, layout, plain
from dyad._src.capture.semantics.operators.run_time_slices import sliced, write_slice
from dyad._src.capture.semantics.operators.special_methods import defines
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    MISSING,
    Deferred,
    OneOf,
    depends_on_run,
    is_leaf,
    is_unread,
    kind_of_number,
)
from dyad._src.operators import reshape

_MOST_LISTED = 64  # so many elements of a Tensor are numbers of a graph, one by one


class Subscripts(Part):
    """Elements of captured containers, by a key that is known now or when the graph runs."""

    def read_item(self, owner, key):
        """`owner[key]`."""
        key = self.external.look(key)
        if is_unread(owner):
            item = self.external.lazy_containers.item(owner, key)
            if item is not MISSING:
                return item
            owner = self.external.look(owner)
        if self.interpreter.operators.undecided_among(owner) is not None:
            return self.interpreter.branches.with_decided_contents(owner, lambda: self.read_item(owner, key))
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(owner, lambda chosen: self.read_item(chosen, key))
        if isinstance(key, OneOf):
            return self.interpreter.branches.split(key, lambda chosen: self.read_item(owner, chosen))
        if is_leaf(key) and self.interpreter.cells.is_cell(owner) and hasattr(type(owner), "_name_at"):
            return self._chosen_item(self.interpreter.iteration.items_of(owner), key, type(owner))
        method = self.interpreter.attributes.user_method(owner, "__getitem__")
        if method is not None:
            return self.interpreter.calls.call(method, (key,), {})
        return self.read_item_plainly(owner, key)

    def read_item_plainly(self, owner, key):
        """Does the work of `__getitem__` of Python's own classes."""
        if isinstance(owner, Deferred) or isinstance(key, Deferred):
            return self.interpreter.texts.deferred("text", operator.getitem, [owner, key])
        if isinstance(owner, AttributeView):
            return owner.item(self.interpreter, key)
        if self.interpreter.environment.holds(owner):
            return self.interpreter.environment.item(key)
        if isinstance(owner, (list, tuple)) and is_leaf(key):
            return self._chosen_item(plain(owner), key)
        if isinstance(owner, (list, tuple)) and isinstance(key, slice) and depends_on_run(key):
            return sliced(self.interpreter, plain(owner), key)
        if isinstance(owner, dict):
            return self.read_entry(owner, key)
        if isinstance(owner, type):
            return self._of_class(owner, key)
        if not isinstance(owner, Tensor):
            key = self.index_of(key)
        kind = None if isinstance(owner, Tensor) else layout_of(type(owner))
        read = getattr(kind, "__getitem__", operator.getitem)
        result = self.interpreter.host.native(read, owner, key)
        if isinstance(key, slice):
            self.external.marks.follow(result, owner)
        return self.heap.note_birth(result) if type(result) is list and isinstance(key, slice) else result

    def _of_class(self, cls, key):
        if (
            is_user_class(cls)
            and self.interpreter.attributes.entry_of(cls, "__class_getitem__")[0] is not ABSENT
        ):
            return self.interpreter.calls.call(
                self.interpreter.class_attributes.read_class_attribute(cls, "__class_getitem__"), (key,), {}
            )
        if self.interpreter.attributes.user_method(cls, "__getitem__") is not None:
            return self.interpreter.calls.call(
                self.interpreter.attributes.user_method(cls, "__getitem__"), (key,), {}
            )
        return self.interpreter.host.guarded(operator.getitem, cls, key)

    def _chosen_item(self, owner, key, cells=None):
        """An element of a sequence at a place that is known when the graph runs; `cells` is the class of a Cell."""
        place = self.as_integer(key, "index")
        count = len(owner)

        def complain():
            text = f"{type(owner).__name__} index out of range"
            if cells is not None:
                text = self.interpreter.texts.deferred("text", _out_of_range, [cells.__name__, place, count])
            self.interpreter.throwing.throw(IndexError(text))

        if count == 0:
            complain()
        inside = self.interpreter.operators.both(place >= -count, place < count)
        self.interpreter.branches.branch(inside, lambda: None, complain)
        place = place % count
        chosen = OneOf(place, enumerate(owner))
        return self.interpreter.branches.split(chosen, lambda value: value)

    def write_item(self, owner, key, value):
        """`owner[key] = value`."""
        if is_unread(owner):
            if self.external.lazy_containers.takes_entry(owner, key):
                return self.external.lazy_containers.write_entry(owner, key, value)
            owner = self.external.look(owner)
        if self.interpreter.operators.undecided_among(owner) is not None:
            return self.interpreter.branches.with_decided_contents(
                owner, lambda: self.write_item(owner, key, value)
            )
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(owner, lambda chosen: self.write_item(chosen, key, value))
        if isinstance(key, OneOf):
            return self.interpreter.branches.split(key, lambda chosen: self.write_item(owner, chosen, value))
        if isinstance(owner, Tensor):
            if isinstance(value, OneOf):
                return self.interpreter.branches.split(
                    value, lambda chosen: self.write_item(owner, key, chosen)
                )
            self.external.note_written(owner, self.interpreter.statement)
            return self.interpreter.host.native(operator.setitem, owner, key, value)
        method = self.interpreter.attributes.user_method(owner, "__setitem__")
        if method is not None:
            return self.interpreter.calls.call(method, (key, value), {})
        return self.write_item_plainly(owner, key, value)

    def write_item_plainly(self, owner, key, value):
        """Does the work of `__setitem__` of Python's own classes."""
        if isinstance(owner, AttributeView):
            return owner.write(self.interpreter, key, value)
        if isinstance(owner, list) and is_leaf(key):
            return self._write_chosen(owner, key, value)
        if isinstance(owner, dict):
            self.require_key(key)
        if is_container(owner):
            self.heap.touch(owner, keeps_members=self._keeps_members(owner, key))
            if isinstance(key, slice):
                self.external.marks.follow(owner, value)
                value = self.interpreter.iteration.items_of(value)
                if isinstance(owner, list) and depends_on_run(key):
                    return write_slice(self.interpreter, owner, key, value)
            key = key if isinstance(owner, dict) else self.index_of(key)
            return self.interpreter.host.guarded(layout(owner).__setitem__, owner, key, value)
        if hasattr(type(owner), "__setitem__"):
            if depends_on_run(value):
                raise self.interpreter.rejection(
                    UNKNOWN,
                    f"an element of a {type(owner).__name__} is written, which a static graph cannot do",
                    "Use a list, dict or Tensor, or write to it outside of the compiled function.",
                )
            self.interpreter.native_calls.require_new(owner, "an element is written")
        return self.interpreter.host.native(operator.setitem, owner, key, value)

    def _keeps_members(self, owner, key):
        """Returns whether a write changes no more than the value at a place, where an iterator may ask for that."""
        if not self.heap.is_watched(owner) or isinstance(owner, collections.deque):
            return True
        try:
            return key in layout(owner).keys(owner)
        except TypeError:
            return False

    def _write_chosen(self, owner, key, value):
        place = self.as_integer(key, "index")
        count = len(owner)
        inside = self.interpreter.operators.both(place >= -count, place < count)
        self.interpreter.branches.branch(
            inside,
            lambda: None,
            lambda: self.interpreter.throwing.throw(IndexError("list assignment index out of range")),
        )
        place = place % count

        def write(number):
            self.heap.touch(owner)
            owner[number] = value

        self.interpreter.branches.split(OneOf(place, ((number, number) for number in range(count))), write)

    def delete_item(self, owner, key):
        """`del owner[key]`."""
        owner = self.external.look(owner)
        if self.interpreter.operators.undecided_among(owner) is not None:
            return self.interpreter.branches.with_decided_contents(
                owner, lambda: self.delete_item(owner, key)
            )
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(owner, lambda chosen: self.delete_item(chosen, key))
        if isinstance(key, OneOf):
            return self.interpreter.branches.split(key, lambda chosen: self.delete_item(owner, chosen))
        method = self.interpreter.attributes.user_method(owner, "__delitem__")
        if method is not None:
            return self.interpreter.calls.call(method, (key,), {})
        return self.delete_item_plainly(owner, key)

    def delete_item_plainly(self, owner, key):
        """Does the work of `__delitem__` of Python's own classes."""
        if isinstance(owner, AttributeView):
            owner.item(self.interpreter, key)
            return self.interpreter.attribute_writes.delete_entry(owner.owner, key)
        if is_container(owner):
            self.require_key(key)
            self.heap.touch(owner)
            key = key if isinstance(owner, dict) else self.index_of(key)
            return self.interpreter.host.guarded(layout(owner).__delitem__, owner, key)
        if hasattr(type(owner), "__delitem__"):
            self.interpreter.native_calls.require_new(owner, "an element is deleted")
        return self.interpreter.host.native(operator.delitem, owner, key)

    def as_integer(self, value, what):
        """An integer number that is known when the graph runs."""
        if isinstance(value, Tensor):
            value = self.item_of(value, operator.index)
        if isinstance(value, GraphNumber) and value.kind is not float:
            return value if value.kind is int else _core.number_op("int", value)
        self.interpreter.throwing.throw(
            TypeError(f"{what} must be an integer, not {kind_of_number(value).__name__}")
        )

    def item_of(self, tensor, conversion):
        """The only element as a number. One that `conversion` refuses is refused as it does outside of graphs."""
        sizes = [size for size in tensor.shape if isinstance(size, int)]
        integral = not (tensor.dtype.is_floating_point or tensor.dtype.is_complex)
        if any(size != 1 for size in sizes) or (conversion is operator.index and not integral):
            shape = tuple(size if isinstance(size, int) else 1 for size in tensor.shape)
            self.interpreter.host.native(conversion, placeholder(tensor.dtype, shape))
        return self._number_of(tensor)

    def _number_of(self, tensor):
        if tensor.dtype is _core.uint64 and self.interpreter.lax:
            raise self.interpreter.rejection(
                UNKNOWN,
                "an element of dtype UInt64 may need more bits than an int of a static graph has",
                NEEDS_PYTHON,
            )
        return self.interpreter.host.native(_core.number, tensor)

    def list_of(self, tensor):
        """Returns `tensor.tolist()`, nested lists of numbers; None if a graph does not write it out."""
        sizes = tuple(tensor.shape)
        numbers = math.prod(sizes) if all(isinstance(size, int) for size in sizes) else None
        if numbers is None or numbers > _MOST_LISTED or tensor.dtype.is_complex:
            return None
        native = self.interpreter.host.native
        flat = native(reshape, tensor, (numbers,))
        items = [self._number_of(native(operator.getitem, flat, place)) for place in range(numbers)]
        return self._nested(iter(items), sizes)

    def _nested(self, items, sizes):
        if not sizes:
            return next(items)
        return self.heap.note_birth([self._nested(items, sizes[1:]) for _ in range(sizes[0])])

    def require_known(self, values, what):
        """Refuses members of a set that are known only when the graph runs."""
        for value in values:
            if depends_on_run(value) and not isinstance(value, Tensor):
                raise self.interpreter.rejection(
                    CONDITION,
                    f"{what}: a member is known only when the graph runs",
                    "Use a list or tuple.",
                )
            self.require_plain_hash(value)

    def require_key(self, key):
        """Refuses a key of a dict that is known only when the graph runs."""
        self.require_plain_hash(key)
        if depends_on_run(key) and not isinstance(key, Tensor):
            raise self.interpreter.rejection(
                CONDITION,
                "dict: a key is known only when the graph runs",
                "Use a key that is known while compiling, or a list with a run-time index.",
            )

    # ---- keys

    def index_of(self, key):
        """A key of a sequence with every object of the program replaced by its `__index__`."""
        if isinstance(key, slice):
            parts = (key.start, key.stop, key.step)
            if any(self.interpreter.special_methods.defines(type(part), "__index__") for part in parts):
                return slice(*[self.index_of(part) for part in parts])
            return key
        if isinstance(key, int):
            return key  # Python takes the number itself
        return (
            self.interpreter.calls.call(self.interpreter.attributes.user_method(key, "__index__"), (), {})
            if self.interpreter.special_methods.defines(type(key), "__index__")
            else key
        )

    def require_plain_hash(self, key):
        """Refuses a key of a dict or member of a set that Python would find by methods of the program."""
        if type(key) in (tuple, frozenset):
            for member in key:
                self.require_plain_hash(member)
        elif any(
            self.interpreter.special_methods.defines(type(key), name) for name in ("__hash__", "__eq__")
        ):
            if isinstance(key, Tensor) or self._is_written_by_library(key):
                return
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{type(key).__name__}: an object with __hash__ or __eq__ of its own is a key of a dict or a member of "
                "a set",
                "Use a key of one of Python's own types, such as a tuple or str.",
            )

    def _is_written_by_library(self, key):
        return all(
            getattr(class_entry(type(key), name), "__module__", "").split(".")[0] in ("enum", "builtins", "")
            or not defines(type(key), name)
            for name in ("__hash__", "__eq__")
        )

    def read_entry(self, owner, key):
        """Returns the result of `dict.__getitem__`, `__missing__` included."""
        self.require_key(key)
        if type(owner) is dict or key in layout(owner).keys(owner):
            return self.interpreter.host.guarded(dict.__getitem__, owner, key)
        method = self.interpreter.attributes.user_method(owner, "__missing__")
        if method is not None:
            return self.interpreter.calls.call(method, (key,), {})
        if isinstance(owner, collections.defaultdict) and owner.default_factory is not None:
            value = self.interpreter.calls.call(owner.default_factory, (), {})
            self.write_item(owner, key, value)
            return value
        return 0 if isinstance(owner, collections.Counter) else self.interpreter.throwing.throw(KeyError(key))


def _out_of_range(kind, place, count):
    return f"{kind}: index {place} is out of range for {count} Cells"
