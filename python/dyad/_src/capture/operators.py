"""Operators, truth, iteration and subscripts on captured values."""

import ast
import collections.abc
import operator

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import NEEDS_PYTHON, rejection
from dyad._src.capture.forms import nothing
from dyad._src.capture.values import (
    MISSING,
    Deferred,
    OneOf,
    RuntimeRange,
    Torn,
    depends_on_run,
    is_leaf,
    is_symbolic_tensor,
    kind_of_number,
    origin_of,
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


class Operators:
    # ---- arithmetic

    def _torn(self, *values):
        """The first of the values that is a container whose contents are one of several, or None."""
        for value in values:
            if isinstance(value, (list, dict)) and torn_of(value) is not None:
                return value
        return None

    def binary(self, op, left, right):
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
        done = self._by_methods(left, right, f"__{name}__", f"__r{name}__")
        if done is not MISSING:
            return done
        self._require_known_length(op, left, right)
        result = self.native(function, left, right)
        return self.heap.note_birth(result) if isinstance(result, (list, dict, set)) else result

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
        if isinstance(left, (list, dict, set)):
            self.heap.touch(left)
            if isinstance(left, list) and isinstance(op, ast.Add):
                left.extend(self.items_of(right))
                return left
            return self.native(in_place, left, right)
        method = self.user_method(left, f"__i{name}__")
        if method is not None:
            return self.call(method, (right,), {})
        if self.user_method(left, f"__{name}__") is not None or is_leaf(left) or is_leaf(right):
            return self._augmented_leaf(op, in_place, left, right)
        return self.native(in_place, left, right)

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
        return self.native(function, operand) if method is None else self.call(method, (), {})

    def _by_methods(self, left, right, name, reflected):
        """The operator by the methods of the user's classes; MISSING if neither operand has one."""
        for owner, other, method_name in ((left, right, name), (right, left, reflected)):
            method = self.user_method(owner, method_name)
            if method is not None:
                result = self.call(method, (other,), {})
                if result is not NotImplemented:
                    return result
        return MISSING

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
        done = self._by_methods(left, right, name, reflected)
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
        return self.native(function, left, right)

    def _are_containers(self, left, right):
        return (
            isinstance(left, (list, tuple, dict))
            and isinstance(right, (list, tuple, dict))
            and (depends_on_run(left) or depends_on_run(right))
        )

    def _equal(self, left, right):
        """`==` of containers with members that are known when the graph runs."""
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs = [(left[key], right[key]) for key in left]
        elif type(left) is type(right) or (isinstance(left, tuple) and isinstance(right, tuple)):
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
            self.world.tells_inputs_apart = True
            a, b = origin_of(left), origin_of(right)
            if a.candidates & b.candidates:
                return self.native(operator.eq, a.which, b.which)
            self.require_told_apart(left, right, "a Tensor is compared by `is` with one")
        return left is right

    def contains(self, container, member):
        if isinstance(container, Tensor) and is_symbolic_tensor(container):
            return _core.number(self.native(_any_equal, container, member))
        if isinstance(container, dict):
            self.require_key(member)
            return self.native(operator.contains, container, member)
        if isinstance(container, (list, tuple)) and (depends_on_run(container) or depends_on_run(member)):
            found = False
            for item in container:
                if item is member:
                    return True
                found = self.either(found, self.truth(self.compare(ast.Eq(), member, item)))
            return found
        method = self.user_method(container, "__contains__")
        if method is not None:
            return self.truth(self.call(method, (member,), {}))
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
        for name in ("__bool__", "__len__"):
            method = self.user_method(value, name)
            if method is not None:
                return self.truth(self.call(method, (), {}))
        return self.native(bool, value)

    # ---- iteration

    def items_of(self, value):
        """The elements of something iterable, as a list; its length must be known."""
        if self._torn(value) is not None:
            raise rejection(
                self.place,
                f"iter: the length of this {type(value).__name__} is known only when the graph runs",
                "Iterate over it with a for statement, or use a container of known length.",
            )
        if isinstance(value, (list, tuple, range, str)):
            return list(value)
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
        method = self.user_method(value, "__iter__")
        if method is not None:
            return self._items_by_protocol(self.call(method, (), {}))
        if self.user_method(value, "__getitem__") is not None:
            return self._items_by_index(value)
        self.require_inner_iterator(value)
        items = self.native(list, value)
        if any(isinstance(item, Torn) for item in items):
            raise rejection(
                self.place,
                "iter: the number of elements is known only when the graph runs",
                "Iterate over the container itself.",
            )
        return items

    def require_inner_iterator(self, value):
        """An iterator from outside moves on with each call; a graph cannot take it along."""
        if self.world.is_outer_object(value) and isinstance(value, collections.abc.Iterator):
            raise rejection(
                self.place,
                f"iter: a {type(value).__name__} from outside of the graph gives other elements at each call",
                "Take its elements outside of the compiled function and pass them as arguments.",
            )

    def _items_by_protocol(self, iterator):
        method = self.user_method(iterator, "__next__")
        if method is None:
            return self.items_of(iterator)
        items = []
        while True:
            item = self.catching(StopIteration, lambda: self.call(method, (), {}))
            if item is MISSING:
                return items
            items.append(item)

    def _items_by_index(self, value):
        items = []
        while True:
            item = self.catching(IndexError, lambda: self.read_item(value, len(items)))
            if item is MISSING:
                return items
            items.append(item)

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
        if isinstance(owner, Deferred) or isinstance(key, Deferred):
            return self.deferred("text", operator.getitem, [owner, key])
        if isinstance(owner, (list, tuple)) and is_leaf(key):
            return self._chosen_item(owner, key)
        if isinstance(owner, (list, tuple)) and isinstance(key, slice) and depends_on_run(key):
            raise rejection(
                self.place,
                f"slice: the bounds of a slice of a {type(owner).__name__} are known only when the graph runs",
                "Slice a Tensor instead, or use known bounds.",
            )
        if isinstance(owner, dict):
            self.require_key(key)
        method = self.user_method(owner, "__getitem__")
        if method is not None:
            return self.call(method, (key,), {})
        if isinstance(owner, type):
            class_getitem = getattr(owner, "__class_getitem__", None)
            if class_getitem is not None:
                return self.native(class_getitem, key)
        result = self.native(operator.getitem, owner, self.tensor_key(owner, key))
        return self.heap.note_birth(result) if type(result) is list else result

    def tensor_key(self, owner, key):
        """A key for a tensor; numbers of the graph stand in it as they are."""
        return key

    def _chosen_item(self, owner, key):
        """An element of a sequence at a place that is known when the graph runs."""
        place = self.as_integer(key, "index")
        count = len(owner)
        if count == 0:
            self.throw(IndexError(f"{type(owner).__name__} index out of range"))
        inside = self.both(place >= -count, place < count)
        self.branch(
            inside, lambda: None, lambda: self.throw(IndexError(f"{type(owner).__name__} index out of range"))
        )
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
        if isinstance(owner, list) and is_leaf(key):
            return self._write_chosen(owner, key, value)
        method = self.user_method(owner, "__setitem__")
        if method is not None:
            return self.call(method, (key, value), {})
        if isinstance(owner, dict):
            self.require_key(key)
        if isinstance(owner, (list, dict)):
            self.heap.touch(owner)
            if isinstance(key, slice):
                value = self.items_of(value)
            return self.native(operator.setitem, owner, key, value)
        writable = hasattr(type(owner), "__setitem__")
        if writable and (depends_on_run(value) or not self.world.is_own(owner)):
            raise rejection(
                self.place,
                f"an element of a {type(owner).__name__} is written, which a static graph cannot do",
                "Use a list, dict or Tensor, or write to it outside of the compiled function.",
            )
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
        if isinstance(owner, (list, dict)):
            self.require_key(key)
            self.heap.touch(owner)
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
            self.native(conversion, nothing(tensor.dtype, shape))
        return self.native(_core.number, tensor)

    def require_known(self, values, what):
        for value in values:
            if depends_on_run(value) and not isinstance(value, Tensor):
                raise rejection(
                    self.place, f"{what}: a member is known only when the graph runs", "Use a list or tuple."
                )

    def require_key(self, key):
        if depends_on_run(key) and not isinstance(key, Tensor):
            raise rejection(
                self.place,
                "dict: a key is known only when the graph runs",
                "Use a key that is known while compiling, or a list with a run-time index.",
            )


def _any_equal(tensor, member):
    return (tensor == member).any()
