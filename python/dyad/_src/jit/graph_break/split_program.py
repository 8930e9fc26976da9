"""Base class of split functions: Python runs the function, compiled graphs run its parts."""

import abc
import dataclasses
import itertools
import time
import weakref
from typing import Any


class Timing:
    """Seconds of one call: `whole`, and of each part by its name."""

    def __init__(self):
        self.whole = 0.0
        self.parts = {}

    @property
    def host(self):
        """Seconds that host code took."""
        return max(0.0, self.whole - sum(self.parts.values()))

    def run(self, cells, function, args, kwargs):
        """Calls the function, whose `cells` hold its parts by name, with a clock at each part."""
        held = {name: cell.cell_contents for name, cell in cells.items()}
        for name, part in held.items():
            cells[name].cell_contents = self._timed(name, part)
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            self.whole = time.perf_counter() - start
            for name, part in held.items():
                cells[name].cell_contents = part

    def _timed(self, name, part):
        def timed(*args):
            start = time.perf_counter()
            try:
                return part(*args)
            finally:
                self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - start

        return timed


# The call, after the function was written, in which its parts are timed: the ones before compile them.
_TIMED_CALL = 4
_SLOW = 1e-3  # seconds of host code that are worth a word
# A part that turns out to need Python is run the first time in stretches of at least so many statements, or of so many
# times those before its first break.
_LEAST_STRETCH = 16
_BREAKS_IN_STRETCH = 4
# A function that asks for its own names as a dict is run as it is written.
ASK_FOR_NAMES = frozenset(("locals", "vars", "dir", "eval", "exec"))
# So is one that calls these methods: a hook sees all of the gradient of a Tensor, also what comes from inside of parts.
SEE_GRADIENTS = frozenset(("register_hook",))


class Unbound:
    """Stands for a name that is not bound, where names are handed from one part to the next."""

    def __repr__(self):
        return "<unbound>"


UNBOUND = Unbound()


@dataclasses.dataclass(frozen=True)
class Cut:
    """A statement or instruction that Python executes, and why.

    `because` is empty where there is nothing to compute in a graph.
    """

    statement: object
    because: str


@dataclasses.dataclass(frozen=True)
class Piece:
    """A stretch of a split function, from line to line: a part that is a graph, or a statement that Python runs.

    `because` says why Python runs it. `graphs` is how many graphs a part has, `calls` how often it was called,
    `seconds` how long it took in the call that was timed.
    """

    first_line: int
    last_line: int
    is_graph: bool
    because: str = ""
    graphs: int = 0
    calls: int = 0
    seconds: float | None = None
    compiled: Any = dataclasses.field(default=None, repr=False)

    @property
    def compilations(self):
        """The compilations of a part so far."""
        return () if self.compiled is None else tuple(self.compiled.__jit_compiler__.report.compilations)

    @property
    def guards(self):
        """The guards of the graph that was used last, as lines of text."""
        entries = () if self.compiled is None else self.compiled.entries
        return tuple(entries[0].tree.describe()) if entries else ()


class SplitProgram(abc.ABC):
    """Runs one function in Python. Where it can, a part of the function is a compiled function of its own.

    `make_part(function, shape, owner)` compiles a part, `callees` gives what host code calls. Parts that turn out to
    need Python add a cut here; the next call runs a function that is made anew. The function as it is now is the
    `python_form` of `compiled`, so that a call need not come through here.
    """

    def __init__(self, compiled, function, make_part, callees, parent=None):
        self._compiled = weakref.ref(compiled)
        self.function = function
        self._make_part = make_part
        self.callees = callees
        self.root = self if parent is None else parent.root
        self.cuts = {} if parent is None else parent.cuts
        self._numbers = itertools.count()
        self.parts = {}  # shape -> (name, compiled part)
        self._part_cells = {}  # name of a part -> the cell in which the function finds it
        self._version = None
        self._run = function
        self._in_stretches = False  # whether parts end where nothing but their length asks for it
        self._calls = 0  # since it was written
        self.timing = None  # of a call in which nothing was compiled
        self.on_slow = None  # called with the Timing if host code takes most of the time

    def __call__(self, *args, **kwargs):
        run = self.runnable()
        self._calls += 1
        if self._calls < _TIMED_CALL:
            return run(*args, **kwargs)
        self._install(run)
        if self.timing is not None or self.root is not self or self._suspends():
            return run(*args, **kwargs)
        self.timing = Timing()
        try:
            return self.timing.run(self._part_cells, run, args, kwargs)
        finally:
            if self.on_slow is not None and self.timing.host > max(_SLOW, self.timing.whole / 2):
                self.on_slow(self.timing)

    def runnable(self):
        """The function as Python runs it now."""
        if self._version != len(self.cuts) or (self._in_stretches and self._calls):
            version = len(self.cuts)
            # What of a part is not captured yet may break in many places. Each break splits one part of it again, so
            # in the first call they are short. After it the breaks are known.
            self._in_stretches = self.root is not self and self._version is None
            self._run = self._rebuilt()
            self._version = version
            self._calls, self.timing = 0, None
        return self._run

    def _stretch(self, before):
        """The greatest length of a part for now, `before` statements being before the first break; None: no limit."""
        return max(_LEAST_STRETCH, _BREAKS_IN_STRETCH * before) if self._in_stretches else None

    def pieces(self):
        """The stretches of the function in the order of their lines."""
        self.runnable()
        times = {} if self.timing is None else self.timing.parts
        found = self._host_pieces()
        for shape, (name, part) in self.parts.items():
            calls = part.hits + part.misses
            graphs, seconds = len(part.entries), times.get(name)
            found.append(Piece(shape.first_line, shape.last_line, True, "", graphs, calls, seconds, part))
        return sorted(found, key=lambda piece: (piece.first_line, piece.is_graph))

    def _announce(self):
        """Lets calls come here: what they ran before is to be made anew."""
        self.root._install(self.root)
        self._install(self)

    def _install(self, form):
        compiled = self._compiled()
        if compiled is not None:
            compiled.python_form = form

    @abc.abstractmethod
    def _suspends(self):
        """Returns whether the function is left and entered again, as a generator is."""

    @abc.abstractmethod
    def _rebuilt(self):
        """The function with the cuts as they are now."""

    @abc.abstractmethod
    def _host_pieces(self):
        """The Pieces that Python runs, where there is a reason to tell."""
