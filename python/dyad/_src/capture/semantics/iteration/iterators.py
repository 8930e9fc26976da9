"""Iterators of the captured program: how far one has come is journalled, nothing is computed before it is asked for.

`advance(interpreter)` gives the next element, or MISSING behind the last one.
"""

import operator
from collections.abc import Callable

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, ITERABLE
from dyad._src.capture.semantics.values import MISSING, OneOf

LIST_ITERATOR: type = type(iter([]))


class _State(dict):
    """The position of an iterator."""


class ModelIterator:
    """Base class of iterators: names of its state are read and written through the journal.

    `kind` is the class that Python has for it.
    """

    collect: Callable

    __slots__ = ("kind", "state")

    def __init__(self, interpreter, kind, **state):
        self.kind = kind
        self.state = interpreter.heap.note_namespace(_State(state))

    def advance(self, interpreter):
        """The next element, or MISSING behind the last one."""
        raise NotImplementedError

    def read(self, interpreter, name):
        """An entry of the state, which must be known."""
        value = self.state[name]
        if isinstance(value, (GraphNumber, OneOf)):
            raise interpreter.rejection(
                ITERABLE,
                f"{self.kind.__name__}: how far this iterator has come is known only when the graph runs",
                "Take its elements before the condition, or index a list.",
            )
        return value

    def write(self, interpreter, name, value):
        """Lets an entry of the state hold another value."""
        interpreter.heap.touch(self.state)
        self.state[name] = value

    def may_be_collected(self):
        """Returns whether `collect` gives all elements, also those that only some paths have."""
        return False

    def abandon(self, interpreter):
        """Ends an iterator that can no longer be asked, so that it is the same on all paths."""
        for name, value in self.ended().items():
            if self.state[name] is not value:
                self.write(interpreter, name, value)
        for source in self.asked():
            interpreter.iteration.abandon(source)

    def ended(self):
        """The entries of the state that are the same whenever the iterator has ended."""
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

    __slots__ = ("sequence",)

    def __init__(self, interpreter, sequence, kind=LIST_ITERATOR, backwards=False):
        step = -1 if backwards else 1
        start = len(sequence) - 1 if backwards else 0
        super().__init__(interpreter, kind, position=start, step=step)
        self.sequence = sequence

    def advance(self, interpreter):
        position = self.read(interpreter, "position")
        if not 0 <= position < interpreter.iteration.length_before(self.sequence, position):
            self.write(interpreter, "position", -1)
            return MISSING
        self.write(interpreter, "position", position + self.read(interpreter, "step"))
        if isinstance(self.sequence, Tensor):
            return interpreter.subscripts.read_item(self.sequence, position)
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
        return interpreter.host.catching(
            IndexError, lambda: interpreter.subscripts.read_item(self.owner, position)
        )


class ListMembers:
    """The members of a list of a user's class as they are, whatever its methods say."""

    def __init__(self, items):
        self.container = items

    def __len__(self):
        return list.__len__(self.container)

    def __getitem__(self, place):
        return list.__getitem__(self.container, place)


class Mapped(ModelIterator):
    """`map`: the function of an element of each source."""

    __slots__ = ("function", "sources")

    def __init__(self, interpreter, function, sources):
        super().__init__(interpreter, map)
        self.function = function
        self.sources = sources

    def advance(self, interpreter):
        row = []
        for source in self.sources:
            row.append(interpreter.iteration.advance(source))
            if row[-1] is MISSING:
                return MISSING
        return interpreter.calls.call(self.function, tuple(row), {})


class Starred(ModelIterator):
    """`itertools.starmap`: the function of the members of each element."""

    __slots__ = ("function", "source")

    def __init__(self, interpreter, kind, function, source):
        super().__init__(interpreter, kind)
        self.function = function
        self.source = source

    def advance(self, interpreter):
        row = interpreter.iteration.advance(self.source)
        return (
            row
            if row is MISSING
            else interpreter.calls.call(self.function, tuple(interpreter.iteration.items_of(row)), {})
        )


class Zipped(ModelIterator):
    """`zip`: tuples with an element of each source; `strict` sources must end together."""

    __slots__ = ("sources", "strict")

    def __init__(self, interpreter, sources, strict):
        super().__init__(interpreter, zip)
        self.sources = sources
        self.strict = strict

    def advance(self, interpreter):
        row = []
        for number, source in enumerate(self.sources):
            item = interpreter.iteration.advance(source)
            if item is MISSING:
                if self.strict:
                    self._require_all_ended(interpreter, number)
                return MISSING
            row.append(item)
        return tuple(row) if row else MISSING

    def _require_all_ended(self, interpreter, ended):
        if ended:
            before = "argument 1" if ended == 1 else f"arguments 1-{ended}"
            interpreter.throwing.throw(ValueError(f"zip() argument {ended + 1} is shorter than {before}"))
        for number, source in enumerate(self.sources[1:], 2):
            if interpreter.iteration.advance(source) is not MISSING:
                before = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
                interpreter.throwing.throw(ValueError(f"zip() argument {number} is longer than {before}"))


class Enumerated(ModelIterator):
    """`enumerate`: each element with its number."""

    __slots__ = ("source",)

    def __init__(self, interpreter, source, start):
        super().__init__(interpreter, enumerate, count=start)
        self.source = source

    def advance(self, interpreter):
        item = interpreter.iteration.advance(self.source)
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
        """Returns the function's result for an element."""
        plain = self.function is None or self.function is bool
        return interpreter.operators.truth(
            item if plain else interpreter.calls.call(self.function, (item,), {})
        )

    def advance(self, interpreter):
        while (item := interpreter.iteration.advance(self.source)) is not MISSING:
            if known_truth(interpreter, self.truth_of(interpreter, item), self.kind.__name__) is self.wanted:
                return item
        return MISSING


class Called(ModelIterator):
    """`iter(function, sentinel)`: what the function gives, until that is the sentinel."""

    __slots__ = ("function", "sentinel")

    def __init__(self, interpreter, function, sentinel):
        super().__init__(interpreter, type(iter(int, 1)), ended=False)
        self.function = function
        self.sentinel = sentinel

    def advance(self, interpreter):
        if self.read(interpreter, "ended"):
            return MISSING
        item = interpreter.calls.call(self.function, (), {})
        equal = item is self.sentinel or interpreter.operators.truth(
            interpreter.operators.compare(operator.eq, item, self.sentinel)
        )
        if not known_truth(interpreter, equal, "iter", ITERABLE):
            return item
        self.write(interpreter, "ended", True)
        return MISSING


def known_truth(interpreter, truth, what, kind=CONDITION):
    """A truth that decides which elements there are, which must be known; `what` is rejected otherwise."""
    if isinstance(truth, bool):
        return truth
    raise interpreter.rejection(
        kind,
        f"{what}: which elements it gives is known only when the graph runs",
        "Make a list of them, or use a for statement with an if in it.",
    )


def is_state(container):
    """Returns whether a container is the state of an iterator."""
    return isinstance(container, _State)
