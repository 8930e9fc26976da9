"""Operators, truth, iteration and subscripts on captured values."""

import ast
import collections.abc
import operator
from collections import deque

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import NEEDS_PYTHON, rejection
from dyad._src.capture.semantics.abstract.placeholders import placeholder
from dyad._src.capture.semantics.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes import ABSENT, is_user_class
from dyad._src.capture.semantics.copying import Copying
from dyad._src.capture.semantics.heap import is_container, layout
from dyad._src.capture.semantics.iterators import Iteration, ModelIterator
from dyad._src.capture.semantics.special_methods import SpecialMethods
from dyad._src.capture.semantics.values import (
    MISSING,
    Deferred,
    OneOf,
    RuntimeRange,
    Torn,
    depends_on_run,
    is_leaf,
    is_symbolic_tensor,
    kind_of_number,
    torn_of,
)

# syntax node -> (function, name of the method, of the reflected method, function in place, method in place)
_BINARY = {
    ast.Add: (operator.add, "add", operator.iadd),
    ast.Sub: (operator.sub, "sub", operator.isub),
    ast.Mult: (operator.mul, "mul", operator.imul),
    ast.Div: (operator.truediv, "truediv", operator.itruediv),
    ast.FloorDiv: (operator.floordiv, "floordiv", operator.ifloordiv),
    ast.Mod: (operator.mod, "mod", operator.imod),
    ast.Pow: (operator.pow, "pow", operator.ipow),
    ast.MatMult: (operator.matmul, "matmul", operator.imatmul),
    ast.BitAnd: (operator.and_, "and", operator.iand),
    ast.BitOr: (operator.or_, "or", operator.ior),
    ast.BitXor: (operator.xor, "xor", operator.ixor),
    ast.LShift: (operator.lshift, "lshift", operator.ilshift),
    ast.RShift: (operator.rshift, "rshift", operator.irshift),
}
_SIGNS = dict(
    zip(_BINARY, ("+", "-", "*", "/", "//", "%", "** or pow()", "@", "&", "|", "^", "<<", ">>"), strict=True)
)
_UNARY = {
    ast.UAdd: (operator.pos, "__pos__"),
    ast.USub: (operator.neg, "__neg__"),
    ast.Invert: (operator.invert, "__invert__"),
}
_COMPARE = {
    ast.Eq: (operator.eq, "__eq__", "__eq__"),
    ast.NotEq: (operator.ne, "__ne__", "__ne__"),
    ast.Lt: (operator.lt, "__lt__", "__gt__"),
    ast.LtE: (operator.le, "__le__", "__ge__"),
    ast.Gt: (operator.gt, "__gt__", "__lt__"),
    ast.GtE: (operator.ge, "__ge__", "__le__"),
}


_COMPARE_SIGNS = dict(zip(_COMPARE, ("==", "!=", "<", "<=", ">", ">="), strict=True))


class Operators(SpecialMethods, Iteration, Copying):
    # ---- arithmetic

    def _torn(self, *values):
        """The first of the values that is a container whose contents are one of several, or None."""
        for value in values:
            if isinstance(value, (list, dict)) and torn_of(value) is not None:
                return value
        return None

    def binary(self, op, left, right, sign=None):
        if (torn := self._torn(left, right)) is not None:
            return self.opened(torn, lambda: self.binary(op, left, right))
        if isinstance(left, OneOf):
            return self.split(left, lambda chosen: self.binary(op, chosen, right))
        if isinstance(right, OneOf):
            return self.split(right, lambda chosen: self.binary(op, left, chosen))
        function, name, _ = _BINARY[type(op)]
        if isinstance(left, Deferred) or isinstance(right, Deferred):
            return self.deferred("text", function, [left, right])
        if isinstance(op, ast.Mod) and isinstance(left, str) and depends_on_run(right):
            return self.deferred("text", operator.mod, [left, right])
        if isinstance(left, str) and isinstance(right, GraphNumber) and isinstance(op, ast.Mult):
            return self.deferred("text", operator.mul, [left, right])
        done = self.by_methods(left, right, f"__{name}__", f"__r{name}__", sign or _SIGNS[type(op)])
        if done is not MISSING:
            return done
        self._require_known_length(op, left, right)
        if isinstance(op, ast.Mod) and isinstance(left, (str, bytes)):
            self._require_no_object("%", right)
        return self.remember_made(self.native(function, left, right))

    def _require_known_length(self, op, left, right):
        if not isinstance(op, ast.Mult):
            return
        for sequence, number in ((left, right), (right, left)):
            if isinstance(sequence, (list, tuple)) and isinstance(number, GraphNumber):
                raise rejection(
                    self.place,
                    f"{type(sequence).__name__}: how often it is repeated is known only when the graph runs, so its "
                    "length is not known while compiling",
                    "Repeat a Tensor, with ops.tile, or use a known number.",
                )

    def augmented(self, op, left, right):
        if (torn := self._torn(left, right)) is not None:
            return self.opened(torn, lambda: self.augmented(op, left, right))
        if isinstance(left, OneOf):
            return self.split(left, lambda chosen: self.augmented(op, chosen, right))
        if isinstance(right, OneOf):
            return self.split(right, lambda chosen: self.augmented(op, left, chosen))
        _, name, in_place = _BINARY[type(op)]
        method = self.user_method(left, f"__i{name}__")
        if method is not None:
            result = self.call(method, (right,), {})
            return (
                self.binary(op, left, right, _SIGNS[type(op)] + "=") if result is NotImplemented else result
            )
        if is_container(left) and hasattr(type(left), f"__i{name}__"):
            self.heap.touch(left)
            if isinstance(left, (list, deque)) and isinstance(op, ast.Add):
                layout(left).extend(left, self.items_of(right))
                return left
            return self.native(in_place, left, right)
        if is_leaf(left) or is_leaf(right):
            return self._augmented_leaf(op, in_place, left, right)
        if hasattr(type(left), f"__i{name}__") and not isinstance(left, Tensor):
            self.require_new(left, f"{_SIGNS[type(op)]}=")
            return self.native(in_place, left, right)
        return self.binary(op, left, right, _SIGNS[type(op)] + "=")

    def _augmented_leaf(self, op, in_place, left, right):
        if isinstance(left, Tensor):
            return self.native(in_place, left, right)
        return self.binary(op, left, right)

    def unary(self, op, operand):
        if isinstance(op, ast.Not):
            return self.negated(self.truth(operand))
        if isinstance(operand, OneOf):
            return self.split(operand, lambda chosen: self.unary(op, chosen))
        function, name = _UNARY[type(op)]
        method = self.user_method(operand, name)
        return (
            self.remember_made(self.native(function, operand))
            if method is None
            else self.call(method, (), {})
        )

    # ---- comparison

    def compare(self, op, left, right):
        if not isinstance(op, (ast.Is, ast.IsNot)) and (torn := self._torn(left, right)) is not None:
            return self.opened(torn, lambda: self.compare(op, left, right))
        if isinstance(left, OneOf):
            return self.split(left, lambda chosen: self.compare(op, chosen, right))
        if isinstance(right, OneOf):
            return self.split(right, lambda chosen: self.compare(op, left, chosen))
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = self.is_same(left, right)
            return same if isinstance(op, ast.Is) else not same
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self.contains(right, left)
            if isinstance(op, ast.In):
                return found
            return (not found) if isinstance(found, bool) else _core.number_op("not", found)
        function, name, reflected = _COMPARE[type(op)]
        done = self.compared_by_methods(left, right, name, reflected, _COMPARE_SIGNS[type(op)])
        if done is not MISSING:
            return done
        if isinstance(left, Deferred) or isinstance(right, Deferred):
            what = left.what if isinstance(left, Deferred) else right.what
            raise rejection(
                self.place,
                f"comparison: a {what} that is known only when the graph runs is compared",
                "Compare the numbers that it is made of.",
            )
        if isinstance(op, (ast.Eq, ast.NotEq)) and self._are_containers(left, right):
            equal = self._equal(left, right)
            if isinstance(op, ast.Eq):
                return equal
            return (not equal) if isinstance(equal, bool) else _core.number_op("not", equal)
        if (
            self._are_containers(left, right)
            and isinstance(left, (list, tuple))
            and type(left) is type(right)
        ):
            return self._ordered(op, left, right)
        return self.native(function, left, right)

    def _ordered(self, op, left, right):
        """`<` and its like of sequences: the first members that differ decide, then the lengths."""
        for a, b in zip(left, right, strict=False):
            if a is b:
                continue
            equal = self.truth(self.compare(ast.Eq(), a, b))
            if not isinstance(equal, bool):
                raise rejection(
                    self.place,
                    f"comparison: which members of two {type(left).__name__}s differ is known only when the graph runs",
                    "Compare the members.",
                )
            if not equal:
                return self.compare(op, a, b)
        return _COMPARE[type(op)][0](len(left), len(right))

    def _are_containers(self, left, right):
        return (
            isinstance(left, (list, tuple, dict))
            and isinstance(right, (list, tuple, dict))
            and (self.needs_capture(left) or self.needs_capture(right))
        )

    def needs_capture(self, value):
        """Whether comparing the value is not for Python itself: of its members some are of the graph or the program."""
        return depends_on_run(value) or self.holds_object(value)

    def _equal(self, left, right):
        """`==` of containers with members that are known when the graph runs."""
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs = [(left[key], right[key]) for key in left]
        elif any(isinstance(left, kind) and isinstance(right, kind) for kind in (list, tuple)):
            if len(left) != len(right):
                return False
            pairs = list(zip(left, right, strict=True))
        else:
            return False
        equal = True
        for a, b in pairs:
            if a is not b:
                equal = self.both(equal, self.truth(self.compare(ast.Eq(), a, b)))
        return equal

    def is_same(self, left, right):
        if isinstance(left, GraphNumber) or isinstance(right, GraphNumber):
            if left is None or right is None or kind_of_number(left) is not kind_of_number(right):
                return False
            if kind_of_number(left) is bool:
                return self.native(operator.eq, left, right)
        if isinstance(left, Tensor) and isinstance(right, Tensor) and left is not right:
            return self.is_same_tensor(left, right)
        return left is right

    def contains(self, container, member):
        if isinstance(container, Tensor) and is_symbolic_tensor(container):
            return _core.number(self.native(_any_equal, container, member))
        method = self.user_method(container, "__contains__")
        if method is not None:
            return self.truth(self.call(method, (member,), {}))
        if isinstance(container, AttributeView):
            return member in self.world.attributes.names_of(container.owner)
        if isinstance(container, (dict, set, frozenset)):
            self.require_key(member)
            return self.native(operator.contains, container, member)
        if isinstance(container, (list, tuple, deque)) and (
            self.needs_capture(container) or self.needs_capture(member)
        ):
            found = False
            for item in container:
                if item is member:
                    return True
                found = self.either(found, self.truth(self.compare(ast.Eq(), item, member)))
                if found is True:
                    return True
            return found
        if is_user_class(type(container)) or isinstance(container, ModelIterator):
            return self.contains_by_iteration(container, member)
        return self.native(operator.contains, container, member)

    # ---- truth

    def negated(self, truth):
        return (not truth) if isinstance(truth, bool) else _core.number_op("not", truth)

    def truth(self, value):
        """A bool, or a bool number that is known when the graph runs."""
        if isinstance(value, bool):
            return value
        if self._torn(value) is not None:
            return self.opened(value, lambda: self.truth(value))
        if isinstance(value, GraphNumber):
            return value if value.kind is bool else _core.number_op("bool", value)
        if is_symbolic_tensor(value):
            return _core.number_op("bool", self.native(_core.number, value))
        if isinstance(value, OneOf):
            return self.split(value, self.truth)
        if isinstance(value, Deferred):
            raise rejection(
                self.place,
                f"truth: a {value.what} that is known only when the graph runs is a condition",
                "Let the condition depend on the numbers that it is made of.",
            )
        by_method = self.truth_by_method(value)
        return self.native(bool, value) if by_method is MISSING else by_method

    # ---- iteration

    def items_of(self, value):
        """The elements of something iterable, as a list; its length must be known."""
        if self._torn(value) is not None:
            raise rejection(
                self.place,
                f"iter: the length of this {type(value).__name__} is known only when the graph runs",
                "Iterate over it with a for statement, or use a container of known length.",
            )
        if type(value) in (list, tuple, range, str):
            return list(value)
        if isinstance(value, AttributeView):
            return self.world.attributes.names_of(value.owner)
        if isinstance(value, OneOf):
            raise rejection(
                self.place,
                f"iter: what is iterated over is {value!r}; which one is known only when the graph runs",
                "Iterate over it with a for statement.",
            )
        if isinstance(value, RuntimeRange):
            raise rejection(
                self.place,
                "range: its length is known only when the graph runs",
                "Iterate over it with a for statement.",
            )
        if isinstance(value, Deferred):
            raise rejection(
                self.place,
                f"iter: a {value.what} that is known only when the graph runs has no elements to iterate over",
                NEEDS_PYTHON,
            )
        if is_symbolic_tensor(value) and value.ndim and isinstance(value.shape[0], GraphNumber):
            raise rejection(
                self.place,
                "iter: the number of rows is known only when the graph runs",
                "Iterate over the tensor with a for statement.",
            )
        if self.is_iterated_by_methods(value):
            return self._known_elements(self.collected(self.iterator_of(value)))
        self.require_inner_iterator(value)
        if is_container(value):
            return list(layout(value).__iter__(value))
        if hasattr(value, "__next__"):
            self.require_new(value, "iter")
        items = self.native(list, value)
        return self._known_elements(items)

    def is_iterated_by_methods(self, value):
        """Whether an iterator of the model, or methods of the program, give the elements."""
        if isinstance(value, ModelIterator):
            return True
        return any(self.user_method(value, name) is not None for name in ("__iter__", "__getitem__"))

    def _known_elements(self, items):
        if any(isinstance(item, Torn) for item in items):
            raise rejection(
                self.place,
                "iter: the number of elements is known only when the graph runs",
                "Iterate over the container itself.",
            )
        return list(items)

    def require_inner_iterator(self, value):
        """An iterator from outside moves on with each call; a graph cannot take it along."""
        is_iterator = isinstance(value, collections.abc.Iterator) and not isinstance(value, ModelIterator)
        if is_iterator and not is_user_class(type(value)) and not self.world.is_own(value):
            raise rejection(
                self.place,
                f"iter: a {type(value).__name__} from outside of the graph gives other elements at each call",
                "Take its elements outside of the compiled function and pass them as arguments.",
            )

    def length_of(self, value):
        if self._torn(value) is not None:
            return self.opened(value, lambda: len(value))
        if isinstance(value, OneOf):
            return self.split(value, self.length_of)
        if is_symbolic_tensor(value) and value.ndim:
            return value.shape[0]
        if isinstance(value, RuntimeRange):
            raise rejection(
                self.place,
                "len: the length of this range is known only when the graph runs",
                "Compute the number of turns from its bounds.",
            )
        if isinstance(value, Deferred):
            return self.deferred("length", len, [value])
        if isinstance(value, AttributeView):
            return len(self.world.attributes.names_of(value.owner))
        method = self.user_method(value, "__len__")
        return self.native(len, value) if method is None else self.call(method, (), {})

    # ---- subscripts

    def read_item(self, owner, key):
        if self._torn(owner) is not None:
            return self.opened(owner, lambda: self.read_item(owner, key))
        if isinstance(owner, OneOf):
            return self.split(owner, lambda chosen: self.read_item(chosen, key))
        if isinstance(key, OneOf):
            return self.split(key, lambda chosen: self.read_item(owner, chosen))
        if is_leaf(key) and self.is_cell(owner) and hasattr(type(owner), "_name_at"):
            return self._chosen_item(self.items_of(owner), key, type(owner))
        method = self.user_method(owner, "__getitem__")
        if method is not None:
            return self.call(method, (key,), {})
        return self.read_item_plainly(owner, key)

    def read_item_plainly(self, owner, key):
        """What `__getitem__` of Python's own classes gives."""
        if isinstance(owner, Deferred) or isinstance(key, Deferred):
            return self.deferred("text", operator.getitem, [owner, key])
        if isinstance(owner, AttributeView):
            return owner.item(self, key)
        if isinstance(owner, (list, tuple)) and is_leaf(key):
            return self._chosen_item(owner, key)
        if isinstance(owner, (list, tuple)) and isinstance(key, slice) and depends_on_run(key):
            raise rejection(
                self.place,
                f"slice: the bounds of a slice of a {type(owner).__name__} are known only when the graph runs",
                "Slice a Tensor instead, or use known bounds.",
            )
        if isinstance(owner, dict):
            return self.read_entry(owner, key)
        if isinstance(owner, type):
            return self._of_class(owner, key)
        if not isinstance(owner, Tensor):
            key = self.index_of(key)
        kind = layout(owner) if is_container(owner) else None
        read = operator.getitem if kind is None else kind.__getitem__
        result = self.native(read, owner, self.tensor_key(owner, key))
        return self.heap.note_birth(result) if type(result) is list and isinstance(key, slice) else result

    def _of_class(self, cls, key):
        if is_user_class(cls) and self.entry_of(cls, "__class_getitem__")[0] is not ABSENT:
            return self.call(self.read_class_attribute(cls, "__class_getitem__"), (key,), {})
        if self.user_method(cls, "__getitem__") is not None:
            return self.call(self.user_method(cls, "__getitem__"), (key,), {})
        return self.guarded(operator.getitem, cls, key)

    def tensor_key(self, owner, key):
        """A key for a tensor; numbers of the graph stand in it as they are."""
        return key

    def _chosen_item(self, owner, key, cells=None):
        """An element of a sequence at a place that is known when the graph runs; `cells` is the class of a Cell."""
        place = self.as_integer(key, "index")
        count = len(owner)

        def complain():
            text = f"{type(owner).__name__} index out of range"
            if cells is not None:
                text = self.deferred("text", _out_of_range, [cells.__name__, place, count])
            self.throw(IndexError(text))

        if count == 0:
            complain()
        inside = self.both(place >= -count, place < count)
        self.branch(inside, lambda: None, complain)
        place = place % count
        chosen = OneOf(place, enumerate(owner))
        return self.split(chosen, lambda value: value)

    def write_item(self, owner, key, value):
        if self._torn(owner) is not None:
            return self.opened(owner, lambda: self.write_item(owner, key, value))
        if isinstance(owner, OneOf):
            return self.split(owner, lambda chosen: self.write_item(chosen, key, value))
        if isinstance(key, OneOf):
            return self.split(key, lambda chosen: self.write_item(owner, chosen, value))
        if isinstance(owner, Tensor):
            if isinstance(value, OneOf):
                return self.split(value, lambda chosen: self.write_item(owner, key, chosen))
            self.world.note_written(owner)
            return self.native(operator.setitem, owner, key, value)
        method = self.user_method(owner, "__setitem__")
        if method is not None:
            return self.call(method, (key, value), {})
        return self.write_item_plainly(owner, key, value)

    def write_item_plainly(self, owner, key, value):
        """What `__setitem__` of Python's own classes does."""
        if isinstance(owner, AttributeView):
            return owner.write(self, key, value)
        if isinstance(owner, list) and is_leaf(key):
            return self._write_chosen(owner, key, value)
        if isinstance(owner, dict):
            self.require_key(key)
        if is_container(owner):
            self.heap.touch(owner)
            if isinstance(key, slice):
                value = self.items_of(value)
            key = key if isinstance(owner, dict) else self.index_of(key)
            return self.guarded(layout(owner).__setitem__, owner, key, value)
        if hasattr(type(owner), "__setitem__"):
            if depends_on_run(value):
                raise rejection(
                    self.place,
                    f"an element of a {type(owner).__name__} is written, which a static graph cannot do",
                    "Use a list, dict or Tensor, or write to it outside of the compiled function.",
                )
            self.require_new(owner, "an element is written")
        return self.native(operator.setitem, owner, key, value)

    def _write_chosen(self, owner, key, value):
        place = self.as_integer(key, "index")
        count = len(owner)
        inside = self.both(place >= -count, place < count)
        self.branch(
            inside, lambda: None, lambda: self.throw(IndexError("list assignment index out of range"))
        )
        place = place % count

        def write(number):
            self.heap.touch(owner)
            owner[number] = value

        self.split(OneOf(place, ((number, number) for number in range(count))), write)

    def delete_item(self, owner, key):
        if self._torn(owner) is not None:
            return self.opened(owner, lambda: self.delete_item(owner, key))
        method = self.user_method(owner, "__delitem__")
        if method is not None:
            return self.call(method, (key,), {})
        return self.delete_item_plainly(owner, key)

    def delete_item_plainly(self, owner, key):
        """What `__delitem__` of Python's own classes does."""
        if isinstance(owner, AttributeView):
            owner.item(self, key)
            return self.delete_entry(owner.owner, key)
        if is_container(owner):
            self.require_key(key)
            self.heap.touch(owner)
            key = key if isinstance(owner, dict) else self.index_of(key)
            return self.guarded(layout(owner).__delitem__, owner, key)
        if hasattr(type(owner), "__delitem__"):
            self.require_new(owner, "an element is deleted")
        return self.native(operator.delitem, owner, key)

    def as_integer(self, value, what):
        """An integer number that is known when the graph runs."""
        if isinstance(value, Tensor):
            value = self.item_of(value, operator.index)
        if isinstance(value, GraphNumber) and value.kind is not float:
            return value if value.kind is int else _core.number_op("int", value)
        self.throw(TypeError(f"{what} must be an integer, not {kind_of_number(value).__name__}"))

    def item_of(self, tensor, conversion):
        """The only element as a number. One that `conversion` refuses is refused as it does outside of graphs."""
        sizes = [size for size in tensor.shape if isinstance(size, int)]
        integral = "Int" in str(tensor.dtype) or "Bool" in str(tensor.dtype)
        if any(size != 1 for size in sizes) or (conversion is operator.index and not integral):
            shape = tuple(size if isinstance(size, int) else 1 for size in tensor.shape)
            self.native(conversion, placeholder(tensor.dtype, shape))
        return self.native(_core.number, tensor)

    def require_known(self, values, what):
        for value in values:
            if depends_on_run(value) and not isinstance(value, Tensor):
                raise rejection(
                    self.place, f"{what}: a member is known only when the graph runs", "Use a list or tuple."
                )
            self.require_plain_hash(value)

    def require_key(self, key):
        self.require_plain_hash(key)
        if depends_on_run(key) and not isinstance(key, Tensor):
            raise rejection(
                self.place,
                "dict: a key is known only when the graph runs",
                "Use a key that is known while compiling, or a list with a run-time index.",
            )


def _out_of_range(kind, place, count):
    return f"{kind}: index {place} is out of range for {count} Cells"


def _any_equal(tensor, member):
    return (tensor == member).any()
