"""Iterators of the captured program: how far one has come is journalled, nothing is computed before it is asked for.

`advance(interpreter)` gives the next element, or MISSING behind the last one.
"""

import ast
import collections
import types

from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import Thrown, rejection
from dyad._src.capture.semantics.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.values import MISSING, OneOf

LIST_ITERATOR: type = type(iter([]))
_VIEWS = frozenset(
    type(getattr(kind(), name)())
    for kind in (dict, collections.OrderedDict)
    for name in ("keys", "values", "items")
)
_CHANGED = {
    dict: "dictionary changed size during iteration",
    set: "Set changed size during iteration",
    collections.deque: "deque mutated during iteration",
}


class _State(dict):
    """What an iterator knows of how far it has come."""


class ModelIterator:
    """What all of them share: names of its state are read and written through the journal."""

    __slots__ = ("kind", "state")

    def __init__(self, interpreter, kind, **state):
        self.kind = kind  # the class that Python has for it
        self.state = interpreter.heap.note_namespace(_State(state))

    def read(self, interpreter, name):
        value = self.state[name]
        if isinstance(value, (GraphNumber, OneOf)):
            raise rejection(
                interpreter.place,
                f"{self.kind.__name__}: how far this iterator has come is known only when the graph runs",
                "Take its elements before the condition, or index a list.",
            )
        return value

    def write(self, interpreter, name, value):
        interpreter.heap.touch(self.state)
        self.state[name] = value

    def abandon(self, interpreter):
        """Ends an iterator that nobody can ask any more, so that it is the same on all paths."""
        for name, value in self.ended().items():
            if self.state[name] is not value:
                self.write(interpreter, name, value)
        for source in self.asked():
            interpreter.abandon(source)

    def ended(self):
        return {}

    def asked(self):
        """The iterators that this one takes its elements from."""
        sources = getattr(self, "sources", None) or (getattr(self, "source", None),)
        return (sources,) if isinstance(sources, ModelIterator) else sources

    def step(self, interpreter, name, by=1):
        """The value of a counter, which is then counted on."""
        value = self.read(interpreter, name)
        self.write(interpreter, name, value + by)
        return value


class Elements(ModelIterator):
    """The elements of a sequence from first to last, or the other way; a list may grow meanwhile."""

    __slots__ = ("sequence", "size")

    def __init__(self, interpreter, sequence, kind=LIST_ITERATOR, backwards=False):
        step = -1 if backwards else 1
        start = len(sequence) - 1 if backwards else 0
        super().__init__(interpreter, kind, position=start, step=step)
        self.sequence = sequence

    def advance(self, interpreter):
        position = self.read(interpreter, "position")
        if not 0 <= position < len(self.sequence):
            self.write(interpreter, "position", -1)
            return MISSING
        self.write(interpreter, "position", position + self.read(interpreter, "step"))
        if isinstance(self.sequence, Tensor):
            return interpreter.read_item(self.sequence, position)
        return self.sequence[position]

    def ended(self):
        return {"position": -1}


class Indexed(ModelIterator):
    """The elements of an object with `__getitem__`, until it raises IndexError."""

    __slots__ = ("owner",)

    def __init__(self, interpreter, owner):
        super().__init__(interpreter, type(iter("")), position=0)
        self.owner = owner

    def advance(self, interpreter):
        position = self.step(interpreter, "position")
        return interpreter.catching(IndexError, lambda: interpreter.read_item(self.owner, position))


class Unchanged:
    """The members of a dict, set or deque in order; looking at how many there are finds out that it has changed."""

    def __init__(self, container, members):
        self._container = container.mapping if type(container) in _VIEWS else container
        self._size = len(container)
        self._members = list(members)

    def __len__(self):
        if len(self._container) != self._size:
            kind = next((kind for kind in _CHANGED if isinstance(self._container, kind)), dict)
            raise Thrown(RuntimeError(_CHANGED[kind]))
        return len(self._members)

    def __getitem__(self, place):
        return self._members[place]


class _Members:
    """The members of a list of a user's class as they are, whatever its methods say."""

    def __init__(self, items):
        self._items = items

    def __len__(self):
        return list.__len__(self._items)

    def __getitem__(self, place):
        return list.__getitem__(self._items, place)


class Mapped(ModelIterator):
    __slots__ = ("function", "sources")

    def __init__(self, interpreter, function, sources):
        super().__init__(interpreter, map)
        self.function = function
        self.sources = sources

    def advance(self, interpreter):
        row = []
        for source in self.sources:
            row.append(interpreter.advance(source))
            if row[-1] is MISSING:
                return MISSING
        return interpreter.call(self.function, tuple(row), {})


class Starred(ModelIterator):
    __slots__ = ("function", "source")

    def __init__(self, interpreter, kind, function, source):
        super().__init__(interpreter, kind)
        self.function = function
        self.source = source

    def advance(self, interpreter):
        row = interpreter.advance(self.source)
        return (
            row if row is MISSING else interpreter.call(self.function, tuple(interpreter.items_of(row)), {})
        )


class Zipped(ModelIterator):
    __slots__ = ("sources", "strict")

    def __init__(self, interpreter, sources, strict):
        super().__init__(interpreter, zip)
        self.sources = sources
        self.strict = strict

    def advance(self, interpreter):
        row = []
        for number, source in enumerate(self.sources):
            item = interpreter.advance(source)
            if item is MISSING:
                if self.strict:
                    self._require_all_ended(interpreter, number)
                return MISSING
            row.append(item)
        return tuple(row) if row else MISSING

    def _require_all_ended(self, interpreter, ended):
        if ended:
            before = "argument 1" if ended == 1 else f"arguments 1-{ended}"
            interpreter.throw(ValueError(f"zip() argument {ended + 1} is shorter than {before}"))
        for number, source in enumerate(self.sources[1:], 2):
            if interpreter.advance(source) is not MISSING:
                before = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
                interpreter.throw(ValueError(f"zip() argument {number} is longer than {before}"))


class Enumerated(ModelIterator):
    __slots__ = ("source",)

    def __init__(self, interpreter, source, start):
        super().__init__(interpreter, enumerate, count=start)
        self.source = source

    def advance(self, interpreter):
        item = interpreter.advance(self.source)
        return item if item is MISSING else (self.step(interpreter, "count"), item)


class Filtered(ModelIterator):
    """The elements for which the function is true (or, for `filterfalse`, is not)."""

    __slots__ = ("function", "source", "wanted")

    def __init__(self, interpreter, kind, function, source, wanted=True):
        super().__init__(interpreter, kind)
        self.function = function
        self.source = source
        self.wanted = wanted

    def truth_of(self, interpreter, item):
        plain = self.function is None or self.function is bool
        return interpreter.truth(item if plain else interpreter.call(self.function, (item,), {}))

    def advance(self, interpreter):
        while (item := interpreter.advance(self.source)) is not MISSING:
            if known_truth(interpreter, self.truth_of(interpreter, item), self.kind.__name__) is self.wanted:
                return item
        return MISSING


class Asked(ModelIterator):
    """`iter(function, sentinel)`."""

    __slots__ = ("function", "sentinel")

    def __init__(self, interpreter, function, sentinel):
        super().__init__(interpreter, type(iter(int, 1)), ended=False)
        self.function = function
        self.sentinel = sentinel

    def advance(self, interpreter):
        if self.read(interpreter, "ended"):
            return MISSING
        item = interpreter.call(self.function, (), {})
        equal = item is self.sentinel or interpreter.truth(interpreter.compare(ast.Eq(), item, self.sentinel))
        if not known_truth(interpreter, equal, "iter"):
            return item
        self.write(interpreter, "ended", True)
        return MISSING


class Generated(ModelIterator):
    """A generator expression: the iterators of its loops, as far as they are entered, are its state."""

    __slots__ = ("frame", "node")

    def __init__(self, interpreter, node, frame, first):
        super().__init__(interpreter, type(_ for _ in ()), loops=(first,), started=False)
        self.node = node
        self.frame = frame

    def advance(self, interpreter):
        loops = self.read(interpreter, "loops")
        self.write(interpreter, "started", True)
        try:
            with interpreter.in_frame(self.frame):
                return self._next(interpreter, loops)
        except Thrown as thrown:
            self.write(interpreter, "loops", ())
            if isinstance(thrown.error, StopIteration):
                thrown.error = RuntimeError("generator raised StopIteration")
            raise

    def abandon(self, interpreter):
        loops = self.state["loops"]
        self.write(interpreter, "loops", ())
        if self.frame.locals:
            interpreter.heap.touch(self.frame.locals)
            self.frame.locals.clear()
        for loop in loops if isinstance(loops, tuple) else ():
            interpreter.abandon(loop)

    def _next(self, interpreter, loops):
        generators = self.node.generators
        while loops:
            item = interpreter.advance(loops[-1])
            if item is MISSING:
                loops = loops[:-1]
                continue
            loop = generators[len(loops) - 1]
            interpreter.assign(loop.target, item)
            if not all(known_truth(interpreter, interpreter.test(part), "generator") for part in loop.ifs):
                continue
            if len(loops) == len(generators):
                self.write(interpreter, "loops", loops)
                return interpreter.evaluate(self.node.elt)
            loops = (*loops, interpreter.iterator_of(interpreter.evaluate(generators[len(loops)].iter)))
        self.write(interpreter, "loops", ())
        return MISSING


def known_truth(interpreter, truth, what):
    if isinstance(truth, bool):
        return truth
    raise rejection(
        interpreter.place,
        f"{what}: which elements it gives is known only when the graph runs",
        "Make a list of them, or use a for statement with an if in it.",
    )


class Iteration:
    """The part of the interpreter that makes and advances iterators."""

    def iterator_of(self, value):
        """What `iter(value)` gives."""
        if isinstance(value, ModelIterator):
            return value
        method = self.user_method(value, "__iter__")
        if method is not None:
            made = self.call(method, (), {})
            if not isinstance(made, ModelIterator) and self.user_method(made, "__next__") is None:
                if not hasattr(made, "__next__"):
                    self.throw(TypeError(f"iter() returned non-iterator of type {type(made).__name__!r}"))
                return self.iterator_of(made)
            return made
        if self.user_method(value, "__next__") is None and self.user_method(value, "__getitem__") is not None:
            return Indexed(self, value)
        sequence, kind = self.sequence_of(value)
        return Elements(self, sequence, kind)

    def sequence_of(self, value):
        """The elements of something that Python itself iterates over, and the class of its iterator."""
        if type(value) in (list, tuple, str, range, bytes):
            return value, type(iter(value))
        if isinstance(value, list):
            return _Members(value), type(iter([]))
        if type(value) in _VIEWS:
            return Unchanged(value, value), type(iter(value))
        if isinstance(value, (dict, set, collections.deque)):
            kind = next(kind for kind in (collections.OrderedDict, *_CHANGED) if isinstance(value, kind))
            return Unchanged(value, kind.__iter__(value)), type(kind.__iter__(value))
        if isinstance(value, Tensor) and value.ndim and isinstance(value.shape[0], int):
            return value, type(iter(""))
        return self.items_of(value), type(iter([]))

    def advance(self, iterator):
        """The next element of an iterator, or MISSING."""
        if isinstance(iterator, ModelIterator):
            return iterator.advance(self)
        method = self.user_method(iterator, "__next__")
        if method is None:
            return self.throw(TypeError(f"{type(iterator).__name__!r} object is not an iterator"))
        return self.catching(StopIteration, lambda: self.call(method, (), {}))

    def abandon(self, iterator):
        """Ends an iterator unless a name or container that can still be reached holds it."""
        if isinstance(iterator, ModelIterator) and not self._is_reachable(iterator):
            iterator.abandon(self)

    def _is_reachable(self, iterator):
        seen, frame = set(), self.frame
        while frame is not None:
            if any(_holds(value, iterator, seen) for value in frame.locals.values()):
                return True
            frame = frame.caller if frame.enclosing is None else frame.enclosing
        overlays = self.world.overlays.values()
        return any(
            _holds(value, iterator, seen) for overlay in overlays for value in overlay.entries.values()
        )

    def each(self, value):
        """The elements one after the other, as Python's own functions take them."""
        if type(value) in (list, tuple):
            yield from self.items_of(value)
            return
        iterator = self.iterator_of(value)
        while (item := self.advance(iterator)) is not MISSING:
            yield item

    def collected(self, iterator):
        """All elements that are left, as a list; which ones there are may be known only when the graph runs."""
        items = self.heap.note_birth([])
        if isinstance(iterator, Generated) and not iterator.read(self, "started"):
            first = iterator.state["loops"][0]
            iterator.write(self, "started", True)
            iterator.write(self, "loops", ())
            with self.in_frame(iterator.frame):
                self.generate(
                    iterator.node.generators, 0, first, lambda: self.evaluate(iterator.node.elt), items
                )
            return items
        if isinstance(iterator, Filtered):
            while (item := self.advance(iterator.source)) is not MISSING:
                truth = iterator.truth_of(self, item)
                wanted = truth if iterator.wanted else self.negated(truth)
                self.branch(wanted, lambda item=item: self.append(items, item), lambda: None)
            return items
        while (item := self.advance(iterator)) is not MISSING:
            items.append(item)
            if len(items) > _MOST:
                raise rejection(
                    self.place,
                    f"{iterator.kind.__name__}: it has more than {_MOST} elements, or no end",
                    "Take as many of them as are needed.",
                )
        return items


def is_state(container):
    """Whether a container is the state of an iterator."""
    return isinstance(container, _State)


def _holds(value, wanted, seen):
    if value is wanted:
        return True
    if id(value) in seen:
        return False
    seen.add(id(value))
    if isinstance(value, ModelIterator):
        members = (*value.asked(), *value.state.values())
    elif isinstance(value, (list, tuple, set, collections.deque)):
        members = value
    elif isinstance(value, dict):
        members = value.values()
    elif isinstance(value, (type, types.ModuleType)) or is_framework_module(module_of(type(value))):
        return False
    else:
        members = getattr(value, "__dict__", {}).values()
    return any(_holds(member, wanted, seen) for member in list(members))


_MOST = 1_000_000
