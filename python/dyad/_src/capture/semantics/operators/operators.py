"""Arithmetic, comparisons and truth of captured values."""

import operator
from collections import deque

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON, Thrown
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.attributes import ABSENT, is_user_class
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.memory.heap import contents, is_container, layout, plain
from dyad._src.capture.semantics.operators.operator_table import BINARY, COMPARISONS, UNARY, is_in, is_not_in
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    MISSING,
    VIEWS,
    Deferred,
    OneOf,
    RuntimeRange,
    contents_choice_of,
    depends_on_run,
    is_leaf,
    is_symbolic_tensor,
    is_unread,
    kind_of_number,
)

_IDENTITY = (operator.is_, operator.is_not)
_EQUALITY = (operator.eq, operator.ne)


class Operators(Part):
    """Arithmetic, comparisons and truth. Operators are given as Python's functions for them: `operator.add`."""

    # ---- arithmetic

    def undecided_among(self, *values):
        """The first of the values that is a container, or a view of one, whose contents are one of several, or None."""
        for value in values:
            if (isinstance(value, (list, dict)) or type(value) in VIEWS) and contents_choice_of(
                value
            ) is not None:
                return value
        return None

    def binary(self, op, left, right, sign=None):
        """`left op right`; `sign` names the operator in messages."""
        left, right = self.external.look(left), self.external.look(right)
        if (undecided := self.undecided_among(left, right)) is not None:
            return self.interpreter.branches.with_decided_contents(
                undecided, lambda: self.binary(op, left, right)
            )
        if isinstance(left, OneOf):
            return self.interpreter.branches.split(left, lambda chosen: self.binary(op, chosen, right))
        if isinstance(right, OneOf):
            return self.interpreter.branches.split(right, lambda chosen: self.binary(op, left, chosen))
        name = BINARY[op].name
        if isinstance(left, Deferred) or isinstance(right, Deferred):
            return self.interpreter.texts.deferred("text", op, [left, right])
        if op is operator.mod and isinstance(left, str) and depends_on_run(right):
            return self.interpreter.texts.deferred("text", operator.mod, [left, right])
        if isinstance(left, str) and isinstance(right, GraphNumber) and op is operator.mul:
            return self.interpreter.texts.deferred("text", operator.mul, [left, right])
        done = self.interpreter.special_methods.by_methods(
            left, right, f"__{name}__", f"__r{name}__", sign or BINARY[op].sign
        )
        if done is not MISSING:
            return done
        self._require_known_length(op, left, right)
        if op is operator.mod and isinstance(left, (str, bytes)):
            self.interpreter.native_calls.require_no_object("%", right)
        bits = self.external.bounds.bits_of_result(op, left, right)
        if bits is not None:
            return self._bounded(op, left, right, bits)
        made = self.interpreter.host.native(op, left, right)
        return self.interpreter.native_calls.remember_made(self.external.marks.follow(made, left, right))

    def _bounded(self, op, left, right, bits):
        """The operator on ints, of which one was a constant before; see NumberBounds."""
        if not self.external.bounds.fits(bits):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{BINARY[op].sign}: the result may need more than 64 bits; an int of a static graph has 64",
                "Compute with a Tensor, or let the number stay the same.",
            )
        result = self.interpreter.host.native(op, left, right)
        self.external.bounds.note(result, bits)
        return result

    def _require_known_length(self, op, left, right):
        if op is not operator.mul:
            return
        for sequence, number in ((left, right), (right, left)):
            if isinstance(sequence, (list, tuple)) and isinstance(number, GraphNumber):
                raise self.interpreter.rejection(
                    CONDITION,
                    f"{type(sequence).__name__}: how often it is repeated is known only when the graph runs, so its "
                    "length is not known while compiling",
                    "Repeat a Tensor, with ops.tile, or use a known number.",
                )

    def augmented(self, op, left, right):
        """`left op= right`: what the target is bound to afterwards."""
        right = self.external.look(right)
        if is_unread(left) and op is operator.add and self.external.lazy_containers.takes_items(left):
            self.external.lazy_containers.add_items(left, self.interpreter.iteration.items_of(right))
            return left
        left = self.external.look(left)
        if (undecided := self.undecided_among(left, right)) is not None:
            return self.interpreter.branches.with_decided_contents(
                undecided, lambda: self.augmented(op, left, right)
            )
        if isinstance(left, OneOf):
            return self.interpreter.branches.split(left, lambda chosen: self.augmented(op, chosen, right))
        if isinstance(right, OneOf):
            return self.interpreter.branches.split(right, lambda chosen: self.augmented(op, left, chosen))
        name, in_place, sign = BINARY[op]
        method = self.interpreter.attributes.user_method(left, f"__i{name}__")
        if method is not None:
            result = self.interpreter.calls.call(method, (right,), {})
            return self.binary(op, left, right, f"{sign}=") if result is NotImplemented else result
        if is_container(left) and hasattr(type(left), f"__i{name}__"):
            self.heap.touch(left)
            if isinstance(left, (list, deque)) and op is operator.add:
                layout(left).extend(left, self.interpreter.iteration.items_of(right))
                return self.external.marks.follow(left, right)
            return self.interpreter.host.native(in_place, left, right)
        if is_leaf(left) or is_leaf(right):
            return self._augmented_leaf(op, in_place, left, right)
        if hasattr(type(left), f"__i{name}__") and not isinstance(left, Tensor):
            self.interpreter.native_calls.require_new(left, f"{sign}=")
            return self.interpreter.host.native(in_place, left, right)
        return self.binary(op, left, right, f"{sign}=")

    def _augmented_leaf(self, op, in_place, left, right):
        if isinstance(left, Tensor):
            return self.interpreter.host.native(in_place, left, right)
        return self.binary(op, left, right)

    def unary(self, op, operand):
        """`op operand`."""
        if op is operator.not_:
            return self.negated(self.truth(operand))
        if isinstance(operand, OneOf):
            return self.interpreter.branches.split(operand, lambda chosen: self.unary(op, chosen))
        method = self.interpreter.attributes.user_method(operand, UNARY[op])
        return (
            self.interpreter.native_calls.remember_made(self.interpreter.host.native(op, operand))
            if method is None
            else self.interpreter.calls.call(method, (), {})
        )

    # ---- comparison

    def compare(self, op, left, right):
        """`left op right` of a comparison, `is` and `in` among them."""
        if op in _IDENTITY and is_unread(left) and right is None:
            return op is operator.is_not
        left, right = self.external.look(left), self.external.look(right)
        if op not in _IDENTITY and (undecided := self.undecided_among(left, right)) is not None:
            return self.interpreter.branches.with_decided_contents(
                undecided, lambda: self.compare(op, left, right)
            )
        if isinstance(left, OneOf):
            return self.interpreter.branches.split(left, lambda chosen: self.compare(op, chosen, right))
        if isinstance(right, OneOf):
            return self.interpreter.branches.split(right, lambda chosen: self.compare(op, left, chosen))
        if op in _IDENTITY:
            same = self.is_same(left, right)
            return same if op is operator.is_ else not same
        if op is is_in:
            return self.contains(right, left)
        if op is is_not_in:
            return self.negated(self.contains(right, left))
        done = self.interpreter.special_methods.compared_by_methods(left, right, *COMPARISONS[op])
        if done is not MISSING:
            return done
        if isinstance(left, Deferred) or isinstance(right, Deferred):
            what = left.what if isinstance(left, Deferred) else right.what
            raise self.interpreter.rejection(
                CONDITION,
                f"comparison: a {what} that is known only when the graph runs is compared",
                "Compare the numbers that it is made of.",
            )
        if isinstance(left, RuntimeRange) or isinstance(right, RuntimeRange):
            raise self.interpreter.rejection(
                CONDITION,
                "comparison: a range that is known only when the graph runs is compared",
                NEEDS_PYTHON,
            )
        if op in _EQUALITY and self._are_containers(left, right):
            equal = self._equal(left, right)
            return equal if op is operator.eq else self.negated(equal)
        if (
            self._are_containers(left, right)
            and isinstance(left, (list, tuple))
            and type(left) is type(right)
        ):
            return self._ordered(op, left, right)
        return self.interpreter.host.native(op, left, right)

    def _ordered(self, op, left, right):
        """`<` and its like of sequences: the first members that differ decide, then the lengths."""
        left, right = plain(left), plain(right)
        for a, b in zip(left, right, strict=False):
            if a is b:
                continue
            equal = self.truth(self.compare(operator.eq, a, b))
            if not isinstance(equal, bool):
                raise self.interpreter.rejection(
                    CONDITION,
                    f"comparison: which members of two {type(left).__name__}s differ is known only when the graph runs",
                    "Compare the members.",
                )
            if not equal:
                return self.compare(op, a, b)
        return op(len(left), len(right))

    def _are_containers(self, left, right):
        return (
            isinstance(left, (list, tuple, dict))
            and isinstance(right, (list, tuple, dict))
            and (self.needs_capture(left) or self.needs_capture(right))
        )

    def needs_capture(self, value):
        """Returns whether Python itself cannot compare the value: some members are of the graph or the program."""
        return depends_on_run(value) or self.interpreter.special_methods.holds_object(value)

    def _equal(self, left, right):
        """`==` of containers with members that are known when the graph runs."""
        if isinstance(left, dict) and isinstance(right, dict):
            left, right = contents(left), contents(right)
            if left.keys() != right.keys():
                return False
            pairs = [(left[key], right[key]) for key in left]
        elif any(isinstance(left, kind) and isinstance(right, kind) for kind in (list, tuple)):
            left, right = plain(left), plain(right)
            if len(left) != len(right):
                return False
            pairs = list(zip(left, right, strict=True))
        else:
            return False
        equal = True
        for a, b in pairs:
            if a is not b:
                # Python compares only what is not the same object.
                self.external.tells_inputs_apart |= isinstance(a, Tensor) and isinstance(b, Tensor)
                equal = self.both(equal, self._equal_behind(equal, a, b))
        return equal

    def _equal_behind(self, before, left, right):
        """The truth of `left == right`, which Python asks for only if that of `before`, a bool or not, leads there."""
        try:
            return self.truth(self.compare(operator.eq, left, right))
        except Thrown as thrown:
            if isinstance(before, bool):
                raise
            raise self.interpreter.rejection(
                CONDITION,
                "comparison: whether members are compared that have no single truth is known only when the graph runs",
                NEEDS_PYTHON,
            ) from thrown

    def is_same(self, left, right):
        """`left is right`: a bool, or one of the graph."""
        if isinstance(left, GraphNumber) or isinstance(right, GraphNumber):
            if left is None or right is None or kind_of_number(left) is not kind_of_number(right):
                return False
            if any(self.external.marks.class_of(number) is not None for number in (left, right)):
                # A marked number is an object of its own, also a bool.
                if left is not right:
                    self.external.note_apart(left, right)
                return left is right
            if kind_of_number(left) is bool:
                return self.interpreter.host.native(operator.eq, left, right)
        if isinstance(left, Tensor) and isinstance(right, Tensor) and left is not right:
            return self.interpreter.identity.is_same_tensor(left, right)
        self.external.tells_inputs_apart |= is_container(left) and is_container(right)
        if isinstance(left, AttributeView) or isinstance(right, AttributeView):
            for value in (left, right):
                self.interpreter.native_calls.require_seen(value)
        if left is not right:
            self.external.note_apart(left, right)
        return left is right

    def contains(self, container, member):
        """`member in container`: a bool, or one of the graph."""
        if isinstance(container, Tensor) and is_symbolic_tensor(container):
            found = self.interpreter.host.native(_any_equal, container, member)
            return found if found is False else _core.number(found)
        method = self.interpreter.attributes.user_method(container, "__contains__")
        if method is not None:
            return self.truth(self.interpreter.calls.call(method, (member,), {}))
        if self.interpreter.environment.holds(container):
            return self.interpreter.environment.has(member)
        if isinstance(container, AttributeView):
            return member in self.external.attributes.names_of(container.owner)
        if isinstance(container, (dict, set, frozenset)):
            self.interpreter.subscripts.require_key(member)
            return self.interpreter.host.native(operator.contains, container, member)
        if isinstance(container, (list, tuple, deque)) and (
            self.needs_capture(container) or self.needs_capture(member)
        ):
            if self.interpreter.lax and any(map(_may_be_tensor, plain(container))):
                raise self.interpreter.rejection(
                    CONDITION, "in: Tensors are compared until one is equal", NEEDS_PYTHON
                )
            found = False
            for item in plain(container):
                if item is member:
                    return True
                found = self.either(found, self._equal_behind(found, item, member))
                if found is True:
                    return True
            return found
        is_asked = is_user_class(type(container)) and (
            self.interpreter.attributes.entry_of(type(container), "__contains__")[0] is ABSENT
        )
        if is_asked or isinstance(container, ModelIterator):
            return self.interpreter.special_methods.contains_by_iteration(container, member)
        return self.interpreter.host.native(operator.contains, container, member)

    # ---- truth

    def negated(self, truth):
        """`not` of a truth, known or not."""
        return (not truth) if isinstance(truth, bool) else _core.number_op("not", truth)

    def truth(self, value):
        """A bool, or a bool number that is known when the graph runs."""
        if is_unread(value):
            truth = self.external.lazy_containers.truth(value)
            return self.truth(self.external.look(value)) if truth is MISSING else truth
        if isinstance(value, bool):
            return value
        if self.undecided_among(value) is not None:
            return self.interpreter.branches.with_decided_contents(value, lambda: self.truth(value))
        if isinstance(value, GraphNumber):
            return value if value.kind is bool else _core.number_op("bool", value)
        if is_symbolic_tensor(value):
            return _core.number_op("bool", self.interpreter.host.native(_core.number, value))
        if isinstance(value, OneOf):
            return self.interpreter.branches.split(value, self.truth)
        if isinstance(value, Deferred):
            raise self.interpreter.rejection(
                CONDITION,
                f"truth: a {value.what} that is known only when the graph runs is a condition",
                "Let the condition depend on the numbers that it is made of.",
            )
        by_method = self.interpreter.special_methods.truth_by_method(value)
        return self.interpreter.host.native(bool, value) if by_method is MISSING else by_method

    def either(self, a, b):
        """`a or b` of two truths, known or not."""
        if isinstance(a, bool):
            return True if a else b
        return (True if b else a) if isinstance(b, bool) else _core.number_op("or", a, b)

    def both(self, a, b):
        """`a and b` of two truths, known or not."""
        if isinstance(a, bool):
            return b if a else False
        return (a if b else False) if isinstance(b, bool) else _core.number_op("and", a, b)


def _any_equal(tensor, member):
    equal = tensor == member
    return equal if equal is False else equal.any()  # False: the member is of another kind


def _may_be_tensor(value):
    if isinstance(value, OneOf):
        return any(map(is_symbolic_tensor, value.alternatives.values()))
    return is_symbolic_tensor(value)
