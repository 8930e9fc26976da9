"""The special methods of the program's classes behind operators, truth, keys and indices."""

import collections
import operator

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import FUNCTION
from dyad._src.capture.semantics.attributes.attributes import (
    ABSENT,
    PLAIN_TYPES,
    class_entry,
    is_builtin_method,
    is_user_class,
)
from dyad._src.capture.semantics.memory.heap import layout
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING, is_leaf

_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_VALUES = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset, Tensor)
_SEQUENCES = (list, tuple, str, bytes, bytearray, collections.deque)


def python_class_of(value):
    """The class that a captured value has for Python."""
    return value.kind if isinstance(value, GraphNumber) else type(value)


def defines(cls, name):
    """Returns whether a class of the program, or a base of it written in Python, defines a special method."""
    if cls in PLAIN_TYPES or not is_user_class(cls):
        return False
    entry = class_entry(cls, name)
    return entry is not ABSENT and entry is not None and not is_builtin_method(cls, name, entry)


class SpecialMethods(Part):
    """Special methods that classes of the program define, behind operators and truth."""

    def defines(self, cls, name):
        """Returns whether a class of the program defines a special method; that it does not is guarded."""
        if defines(cls, name):
            return True
        self.interpreter.attributes.note_undefined(cls, name)
        return False

    # ---- arithmetic and comparison

    def by_methods(self, left, right, name, reflected, sign):
        """A binary operator by the methods of the program's classes; MISSING if neither operand has one."""
        left_kind, right_kind = type(left), type(right)
        calls = []
        if self.defines(left_kind, name):
            calls.append((left, right, name))
        if left_kind is not right_kind and self.defines(right_kind, reflected):
            base = python_class_of(left)
            overrides = issubclass(right_kind, base) and class_entry(
                right_kind, reflected
            ) is not class_entry(base, reflected)
            if not calls and not overrides:
                result = self._by_own_operator(left, right, name)
                if result is not NotImplemented:
                    return result
            calls.insert(0 if overrides else len(calls), (right, left, reflected))
        return self._first_answer(
            calls, left, right, (name, reflected), f"unsupported operand type(s) for {sign}:"
        )

    def _by_own_operator(self, left, right, name):
        """Applies the left operand's own operator to a number or container of a class of the program.

        Python asks it before the reflected method of such a class, but joins and repeats sequences after it. Other
        objects are unknown to it.
        """
        method = getattr(type(left), name, None)
        joins = name in ("__add__", "__mul__") and isinstance(left, _SEQUENCES)
        if method is None or joins or not isinstance(right, _VALUES):
            return NotImplemented
        return self.interpreter.host.native(method, left, right)

    def _answer(self, calls):
        """Returns the first result of these methods that is not NotImplemented; NotImplemented if there is none."""
        for owner, other, method in calls:
            result = self.interpreter.calls.call(
                self.interpreter.attributes.user_method(owner, method), (other,), {}
            )
            if result is not NotImplemented:
                return result
        return NotImplemented

    def _first_answer(self, calls, left, right, names, complaint):
        if not calls:
            return MISSING
        answer = self._answer(calls)
        if answer is not NotImplemented:
            return answer
        # The other operand may be one of Python's or the framework's own that knows what to do.
        for owner, other, method in ((left, right, names[0]), (right, left, names[1])):
            if not any(owner is asked for asked, _, _ in calls) and hasattr(type(owner), method):
                result = self.interpreter.host.native(getattr(type(owner), method), owner, other)
                if result is not NotImplemented:
                    return result
        return self._complain(complaint, left, right)

    def _complain(self, complaint, left, right):
        a, b = type(left).__name__, type(right).__name__
        if complaint.startswith("unsupported"):
            return self.interpreter.throwing.throw(TypeError(f"{complaint} {a!r} and {b!r}"))
        return self.interpreter.throwing.throw(
            TypeError(f"{complaint} not supported between instances of {a!r} and {b!r}")
        )

    def compared_by_methods(self, left, right, name, reflected, sign):
        """A comparison by the methods of the program's classes; MISSING if neither operand has one."""
        left_kind, right_kind = type(left), type(right)
        by_equality = name == "__ne__"
        has = [self.defines(kind, method) for kind, method in ((left_kind, name), (right_kind, reflected))]
        if by_equality and not any(has) and not self._is_negated_equality(left_kind, right_kind):
            return MISSING
        if by_equality and not any(has):
            equal = self.compared_by_methods(left, right, "__eq__", "__eq__", "==")
            return (
                MISSING
                if equal is MISSING
                else self.interpreter.operators.negated(self.interpreter.operators.truth(equal))
            )
        calls = [(left, right, name)] if has[0] else []
        if has[1]:
            overrides = left_kind is not right_kind and issubclass(right_kind, python_class_of(left))
            if not calls and not overrides:
                result = self._by_own_operator(left, right, name)
                if result is not NotImplemented:
                    return result
            calls.insert(0 if overrides else len(calls), (right, left, reflected))
        if not calls:
            return MISSING
        answer = self._answer(calls)
        if answer is not NotImplemented:
            return answer
        if name in ("__eq__", "__ne__"):
            return (left is right) is (name == "__eq__")
        return self._complain(f"'{sign}'", left, right)

    def _is_negated_equality(self, *kinds):
        """Returns whether `!=` is `not ==`, which is so for `object` and not for a dict whose class has `__eq__`."""
        return any(
            self.defines(kind, "__eq__") and class_entry(kind, "__ne__") is object.__ne__ for kind in kinds
        )

    # ---- truth

    def truth_by_method(self, value):
        """The truth of an object of a class of the program; MISSING if it says nothing about it."""
        method = self.interpreter.attributes.user_method(value, "__bool__")
        if method is not None:
            result = self.interpreter.calls.call(method, (), {})
            if not isinstance(result, bool) and not is_leaf(result):
                self.interpreter.throwing.throw(
                    TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
                )
            return self.interpreter.operators.truth(result)
        method = self.interpreter.attributes.user_method(value, "__len__")
        return (
            MISSING
            if method is None
            else self.interpreter.operators.truth(self.interpreter.calls.call(method, (), {}))
        )

    def holds_object(self, value):
        """Returns whether something in the value is compared by methods of the program."""
        kind = type(value)
        if kind in _CONTAINERS or isinstance(value, (list, tuple, dict)):
            kind = layout(value)
            members = list(kind.values(value)) if isinstance(value, dict) else kind.__iter__(value)
            return any(self.holds_object(member) for member in members)
        return any(self.defines(kind, name) for name in ("__eq__", "__lt__", "__gt__", "__le__", "__ge__"))

    def contains_by_iteration(self, container, member):
        """`in` of an object that has no `__contains__`: its elements are compared one after the other."""
        iterator = self.interpreter.iteration.iterator_of(container)

        def rest():
            item = self.interpreter.iteration.advance(iterator)
            if item is MISSING:
                return False
            equal = item is member or self.interpreter.operators.truth(
                self.interpreter.operators.compare(operator.eq, item, member)
            )
            return self.interpreter.branches.branch(equal, lambda: True, rest)

        return rest()


def ordered_by(interpreter):
    """A class of keys for sorting: `<` is that of the program."""

    class Ordered:
        __slots__ = ("key",)

        def __init__(self, key):
            self.key = key

        def __lt__(self, other):
            less = interpreter.operators.truth(
                interpreter.operators.compare(operator.lt, self.key, other.key)
            )
            if not isinstance(less, bool):
                raise interpreter.rejection(
                    FUNCTION,
                    "sorted: the order depends on values that are known only when the graph runs",
                    "Sort a Tensor with ops.sort.",
                )
            return less

    return Ordered
