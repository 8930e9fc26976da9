"""Iterating over captured values: their elements, their lengths, and their iterators."""

import collections
import collections.abc

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, ITERABLE
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.attributes import ABSENT, is_user_class
from dyad._src.capture.semantics.iteration.iterators import (
    Elements,
    Filtered,
    Indexed,
    ListMembers,
    ModelIterator,
)
from dyad._src.capture.semantics.iteration.members import Members, is_watched
from dyad._src.capture.semantics.memory.heap import contents, is_container, layout
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    MISSING,
    VIEWS,
    ContentsChoice,
    Deferred,
    OneOf,
    RuntimeRange,
    is_symbolic_tensor,
    is_unread,
)

_MOST = 1_000_000
_SEQUENCES = (tuple, frozenset, str)


class Iteration(Part):
    """Makes and advances iterators, and gives the elements of what has a known number of them."""

    def items_of(self, value):
        """The elements of something iterable, as a list; its length must be known."""
        value = self.external.look(value)
        self.require_decided(value)
        if type(value) in (list, tuple, range, str):
            return list(value)
        if isinstance(value, AttributeView):
            return self.external.attributes.names_of(value.owner)
        if isinstance(value, OneOf):
            raise self.interpreter.rejection(
                ITERABLE,
                f"iter: what is iterated over is {value!r}; which one is known only when the graph runs",
                "Iterate over it with a for statement.",
            )
        if isinstance(value, RuntimeRange):
            raise self.interpreter.rejection(
                ITERABLE,
                "range: its length is known only when the graph runs",
                "Iterate over it with a for statement.",
            )
        if isinstance(value, GraphNumber):
            self.interpreter.throwing.throw(TypeError(f"{value.kind.__name__!r} object is not iterable"))
        if isinstance(value, Deferred):
            raise self.interpreter.rejection(
                ITERABLE,
                f"iter: a {value.what} that is known only when the graph runs has no elements to iterate over",
                NEEDS_PYTHON,
            )
        if is_symbolic_tensor(value) and value.ndim and isinstance(value.shape[0], GraphNumber):
            raise self.interpreter.rejection(
                ITERABLE,
                "iter: the number of rows is known only when the graph runs",
                "Iterate over the tensor with a for statement.",
            )
        if self.is_iterated_by_methods(value):
            return self._known_elements(self.collected(self.iterator_of(value)))
        self.require_inner_iterator(value)
        if is_container(value) or isinstance(value, _SEQUENCES):
            return self._held_by(value)
        if hasattr(value, "__next__"):
            self.interpreter.native_calls.require_new(value, "iter")
        items = self.interpreter.host.native(list, value)
        return self._known_elements(items)

    def _held_by(self, value):
        return list(layout(value).__iter__(value))

    def require_decided(self, sequence):
        """Refuses to go through a container, or what stands for its members, whose contents are one of several."""
        container = getattr(sequence, "container", sequence)
        if self.interpreter.operators.undecided_among(container) is not None:
            raise self.interpreter.rejection(
                ITERABLE,
                f"iter: the length of this {type(container).__name__} is known only when the graph runs",
                "Iterate over it with a for statement, or use a container of known length.",
            )

    def length_before(self, sequence, number):
        """The number of members of a sequence, read before each member since it may have changed."""
        self.require_decided(sequence)
        if isinstance(sequence, Members):
            sequence.require_unchanged(number)
        return len(sequence)

    def unpack(self, value, count, starred, use, position):
        """`use(items)` of `count` elements of a value; those left over are a list at the `starred` place."""
        self.interpreter.at(position)
        value = self.external.look(value)
        if self.interpreter.operators.undecided_among(value) is not None:
            return self.interpreter.branches.with_decided_contents(
                value, lambda: self.unpack(value, count, starred, use, position)
            )
        if isinstance(value, OneOf):
            return self.interpreter.branches.split(
                value, lambda chosen: self.unpack(chosen, count, starred, use, position)
            )
        if value is None or isinstance(value, (int, float, GraphNumber)):
            kind = value.kind if isinstance(value, GraphNumber) else type(value)
            self.interpreter.throwing.throw(TypeError(f"cannot unpack non-iterable {kind.__name__} object"))
        items = list(self.items_of(value))
        if starred is not None:
            after = count - starred - 1
            if len(items) < count - 1:
                self.interpreter.throwing.throw(
                    ValueError(
                        f"not enough values to unpack (expected at least {count - 1}, got {len(items)})"
                    )
                )
            end = len(items) - after
            return use([*items[:starred], self.heap.note_birth(items[starred:end]), *items[end:]])
        if len(items) > count:
            self.interpreter.throwing.throw(ValueError(f"too many values to unpack (expected {count})"))
        if len(items) < count:
            self.interpreter.throwing.throw(
                ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
            )
        return use(items)

    def is_iterated_by_methods(self, value):
        """Returns whether an iterator of the model, or methods of the program, give the elements."""
        if isinstance(value, ModelIterator):
            return True
        has_method = self.interpreter.attributes.user_method(value, "__iter__") is not None
        return has_method or self._is_indexed(value)

    def _is_indexed(self, value):
        """Returns whether `__getitem__` gives the elements, as it does where a class has no `__iter__` at all."""
        attributes = self.interpreter.attributes
        return (
            attributes.user_method(value, "__getitem__") is not None
            and attributes.entry_of(type(value), "__iter__")[0] is ABSENT
        )

    def _known_elements(self, items):
        if any(isinstance(item, ContentsChoice) for item in items):
            raise self.interpreter.rejection(
                ITERABLE,
                "iter: the number of elements is known only when the graph runs",
                "Iterate over the container itself.",
            )
        return list(items)

    def require_inner_iterator(self, value):
        """An iterator from outside moves on with each call; a graph cannot take it along."""
        is_iterator = isinstance(value, collections.abc.Iterator) and not isinstance(value, ModelIterator)
        if is_iterator and not is_user_class(type(value)) and not self.external.is_own(value):
            raise self.interpreter.rejection(
                ITERABLE,
                f"iter: a {type(value).__name__} from outside of the graph gives other elements at each call",
                "Take its elements outside of the compiled function and pass them as arguments.",
            )

    def length_of(self, value):
        """`len(value)`; a number of the graph where only the run knows."""
        if is_unread(value):
            length = self.external.lazy_containers.length(value)
            return self.length_of(self.external.look(value)) if length is MISSING else length
        if self.interpreter.operators.undecided_among(value) is not None:
            return self.interpreter.branches.with_decided_contents(value, lambda: self.length_of(value))
        if isinstance(value, OneOf):
            return self.interpreter.branches.split(value, self.length_of)
        if is_symbolic_tensor(value) and value.ndim:
            return value.shape[0]
        if isinstance(value, RuntimeRange):
            raise self.interpreter.rejection(
                ITERABLE,
                "len: the length of this range is known only when the graph runs",
                "Compute the number of turns from its bounds.",
            )
        if isinstance(value, Deferred):
            return self.interpreter.texts.deferred("length", len, [value])
        if isinstance(value, AttributeView):
            return len(self.external.attributes.names_of(value.owner))
        method = self.interpreter.attributes.user_method(value, "__len__")
        return (
            self.interpreter.host.native(len, value)
            if method is None
            else self.interpreter.calls.call(method, (), {})
        )

    def known_mapping(self, value):
        """A mapping as a dict, as `**value` takes it."""
        value = self.external.look(value)
        if isinstance(value, AttributeView):
            return value.snapshot(self.interpreter)
        self.require_decided(value)
        if isinstance(value, dict) and self.interpreter.attributes.user_method(value, "__iter__") is None:
            return contents(value)
        if isinstance(value, OneOf):
            raise self.interpreter.rejection(
                CONDITION, "**: which mapping it is, is known only when the graph runs", NEEDS_PYTHON
            )
        if not hasattr(value, "keys"):
            self.interpreter.throwing.throw(TypeError(f"{type(value).__name__!r} object is not a mapping"))
        return {
            key: self.interpreter.subscripts.read_item(value, key)
            for key in self.items_of(
                self.interpreter.calls.call(self.interpreter.attributes.read_attribute(value, "keys"), (), {})
            )
        }

    # ---- iterators

    def iterator_of(self, value):
        """Returns `iter(value)`."""
        value = self.external.look(value)
        if isinstance(value, ModelIterator):
            return value
        method = self.interpreter.attributes.user_method(value, "__iter__")
        if method is not None:
            made = self.interpreter.calls.call(method, (), {})
            if (
                not isinstance(made, ModelIterator)
                and self.interpreter.attributes.user_method(made, "__next__") is None
            ):
                if not hasattr(made, "__next__"):
                    self.interpreter.throwing.throw(
                        TypeError(f"iter() returned non-iterator of type {type(made).__name__!r}")
                    )
                return self.iterator_of(made)
            return made
        if self._is_indexed(value):
            return Indexed(self.interpreter, value)
        return self.iterator_plainly(value)

    def iterator_plainly(self, value):
        """The result of `__iter__` of Python's own classes."""
        sequence, kind = self.sequence_of(value)
        return Elements(self.interpreter, sequence, kind)

    def reversed_plainly(self, value):
        """The result of `__reversed__` of Python's own sequences, and of containers that watch their members."""
        if is_watched(value):
            return Elements(self.interpreter, Members(self.interpreter, value, backwards=True), reversed)
        is_plain = type(value) is list or not isinstance(value, list)
        return Elements(self.interpreter, value if is_plain else ListMembers(value), reversed, backwards=True)

    def sequence_of(self, value):
        """The elements of something that Python itself iterates over, and the class of its iterator."""
        self.require_decided(value)
        if type(value) in (list, tuple, str, range, bytes):
            return value, type(iter(value))
        if isinstance(value, list):
            return ListMembers(value), type(iter([]))
        if is_watched(value):
            kind = iter(value) if type(value) in VIEWS else layout(value).__iter__(value)
            return Members(self.interpreter, value), type(kind)
        if isinstance(value, _SEQUENCES):
            return self._held_by(value), type(layout(value).__iter__(value))
        if isinstance(value, Tensor) and value.ndim and isinstance(value.shape[0], int):
            return value, type(iter(""))
        return self.items_of(value), type(iter([]))

    def advance(self, iterator):
        """The next element of an iterator, or MISSING."""
        if isinstance(iterator, ModelIterator):
            return iterator.advance(self.interpreter)
        method = self.interpreter.attributes.user_method(iterator, "__next__")
        if method is None:
            return self.interpreter.throwing.throw(
                TypeError(f"{type(iterator).__name__!r} object is not an iterator")
            )
        return self.interpreter.host.catching(
            StopIteration, lambda: self.interpreter.calls.call(method, (), {})
        )

    def abandon(self, iterator):
        """Ends an iterator unless a name or container that can still be reached holds it."""
        if isinstance(iterator, ModelIterator) and not self.interpreter.reachability.is_reachable(iterator):
            iterator.abandon(self.interpreter)

    def each(self, value):
        """The elements one after the other, as Python's own functions take them."""
        value = self.external.look(value)
        if type(value) in (list, tuple):
            yield from self.items_of(value)
            return
        iterator = self.iterator_of(value)
        while (item := self.advance(iterator)) is not MISSING:
            yield item

    def append(self, items, item):
        """Appends to a list of the capture, on the paths that get here."""

        def add():
            self.heap.touch(items)
            items.append(item)

        return self.interpreter.branches.with_decided_contents(items, add)

    def add_member(self, members, item):
        """Adds to a set of the capture, on the paths that get here."""
        self.interpreter.subscripts.require_known([item], "set")

        def add():
            self.heap.touch(members)
            members.add(item)

        return self.interpreter.branches.with_decided_contents(members, add)

    def add_entry(self, entries, key, value):
        """Writes an entry of a dict of the capture, on the paths that get here."""
        self.interpreter.subscripts.require_key(key)

        def add():
            self.heap.touch(entries)
            entries[key] = value

        return self.interpreter.branches.with_decided_contents(entries, add)

    def left_of(self, iterator):
        """The elements that an iterator has left, without asking it for an iterator again."""
        return self._known_elements(self.collected(iterator))

    def collected(self, iterator):
        """All elements that are left, as a list; which ones there are may be known only when the graph runs."""
        items = self.heap.note_birth([])
        if isinstance(iterator, ModelIterator) and iterator.may_be_collected():
            iterator.collect(self.interpreter, items)
            return items
        if isinstance(iterator, Filtered):
            while (item := self.advance(iterator.source)) is not MISSING:
                truth = iterator.truth_of(self.interpreter, item)
                wanted = truth if iterator.wanted else self.interpreter.operators.negated(truth)
                self.interpreter.branches.branch(
                    wanted, lambda item=item: self.append(items, item), lambda: None
                )
            return items
        while (item := self.advance(iterator)) is not MISSING:
            items.append(item)
            if len(items) > _MOST:
                raise self.interpreter.rejection(
                    ITERABLE,
                    f"{iterator.kind.__name__}: it has more than {_MOST} elements, or no end",
                    "Take as many of them as are needed.",
                )
        return items
