"""The iterators of `itertools` on captured values."""

import itertools
import operator

from dyad._src.capture.semantics.iteration.iterators import ModelIterator, known_truth
from dyad._src.capture.semantics.values import MISSING


class Chained(ModelIterator):
    """`chain`: the elements of one source after the other."""

    __slots__ = ("sources",)

    def __init__(self, interpreter, sources):
        super().__init__(interpreter, itertools.chain, active=None)
        self.sources = sources

    def advance(self, interpreter):
        while True:
            active = self.read(interpreter, "active")
            if active is None:
                source = interpreter.iteration.advance(self.sources)
                if source is MISSING:
                    return MISSING
                active = interpreter.iteration.iterator_of(source)
                self.write(interpreter, "active", active)
            item = interpreter.iteration.advance(active)
            if item is not MISSING:
                return item
            self.write(interpreter, "active", None)


class Accumulated(ModelIterator):
    """`accumulate`: the running total of the elements."""

    __slots__ = ("function", "source")

    def __init__(self, interpreter, source, function, initial):
        super().__init__(interpreter, itertools.accumulate, total=initial, began=False)
        self.source = source
        self.function = function

    def advance(self, interpreter):
        total = self.state["total"]
        began = self.read(interpreter, "began")
        self.write(interpreter, "began", True)
        if not began and total is not None:
            return total
        item = interpreter.iteration.advance(self.source)
        if item is MISSING:
            return MISSING
        if began:
            item = (
                interpreter.operators.binary(operator.add, total, item)
                if self.function is None
                else interpreter.calls.call(self.function, (total, item), {})
            )
        self.write(interpreter, "total", item)
        return item


class Sliced(ModelIterator):
    """`islice`: every `step_size`-th element up to `stop`."""

    __slots__ = ("source", "step_size", "stop")

    def __init__(self, interpreter, source, start, stop, step):
        super().__init__(interpreter, itertools.islice, taken=0, wanted=start)
        self.source = source
        self.stop = stop
        self.step_size = step

    def advance(self, interpreter):
        wanted = self.read(interpreter, "wanted")
        if self.stop is not None and wanted >= self.stop:
            while self.read(interpreter, "taken") < self.stop:  # what lies before the end is taken as well
                self.step(interpreter, "taken")
                if interpreter.iteration.advance(self.source) is MISSING:
                    break
            return MISSING
        while True:
            item = interpreter.iteration.advance(self.source)
            if item is MISSING:
                self.write(interpreter, "wanted", self.stop if self.stop is not None else wanted)
                return MISSING
            if self.step(interpreter, "taken") == wanted:
                self.write(interpreter, "wanted", wanted + self.step_size)
                return item


class Counting(ModelIterator):
    """`count`: numbers without end."""

    __slots__ = ("by",)

    def __init__(self, interpreter, start, by):
        super().__init__(interpreter, itertools.count, count=start)
        self.by = by

    def advance(self, interpreter):
        value = self.state["count"]
        self.write(interpreter, "count", interpreter.operators.binary(operator.add, value, self.by))
        return value


class Repeated(ModelIterator):
    """`repeat`: one value again and again."""

    __slots__ = ("item",)

    def __init__(self, interpreter, item, times):
        super().__init__(interpreter, itertools.repeat, left=times)
        self.item = item

    def advance(self, interpreter):
        left = self.read(interpreter, "left")
        if left is not None:
            if left <= 0:
                return MISSING
            self.write(interpreter, "left", left - 1)
        return self.item


class Cycled(ModelIterator):
    """`cycle`: the elements over and over, kept from the first time."""

    __slots__ = ("source",)

    def __init__(self, interpreter, source):
        super().__init__(interpreter, itertools.cycle, kept=(), place=None)
        self.source = source

    def advance(self, interpreter):
        place, kept = self.read(interpreter, "place"), self.read(interpreter, "kept")
        if place is None:
            item = interpreter.iteration.advance(self.source)
            if item is not MISSING:
                self.write(interpreter, "kept", (*kept, item))
                return item
            place = 0
        if not kept:
            return MISSING
        self.write(interpreter, "place", (place + 1) % len(kept))
        return kept[place]


class Until(ModelIterator):
    """`takewhile`, and `dropwhile` for which the roles are exchanged."""

    __slots__ = ("function", "source")

    def __init__(self, interpreter, kind, function, source):
        super().__init__(interpreter, kind, over=False)
        self.function = function
        self.source = source

    def advance(self, interpreter):
        takes = self.kind is itertools.takewhile
        while True:
            over = self.read(interpreter, "over")
            if over and takes:
                return MISSING
            item = interpreter.iteration.advance(self.source)
            if item is MISSING or over:
                return item
            truth = interpreter.operators.truth(interpreter.calls.call(self.function, (item,), {}))
            if known_truth(interpreter, truth, self.kind.__name__):
                if takes:
                    return item
                continue
            self.write(interpreter, "over", True)
            return MISSING if takes else item


class Paired(ModelIterator):
    """`pairwise`: each element with the one before it."""

    __slots__ = ("source",)

    def __init__(self, interpreter, source):
        super().__init__(interpreter, itertools.pairwise, last=MISSING)
        self.source = source

    def advance(self, interpreter):
        last = self.state["last"]
        if last is MISSING:
            last = interpreter.iteration.advance(self.source)
        item = MISSING if last is MISSING else interpreter.iteration.advance(self.source)
        if item is MISSING:
            return MISSING
        self.write(interpreter, "last", item)
        return last, item


class Longest(ModelIterator):
    """`zip_longest`: tuples until all sources have ended."""

    __slots__ = ("fill", "sources")

    def __init__(self, interpreter, sources, fill):
        super().__init__(interpreter, itertools.zip_longest, ended=())
        self.sources = sources
        self.fill = fill

    def advance(self, interpreter):
        row, ended = [], self.read(interpreter, "ended")
        for number, source in enumerate(self.sources):
            item = MISSING if number in ended else interpreter.iteration.advance(source)
            if item is MISSING and number not in ended:
                ended = (*ended, number)
            row.append(self.fill if item is MISSING else item)
        self.write(interpreter, "ended", ended)
        return MISSING if len(ended) == len(self.sources) else tuple(row)
