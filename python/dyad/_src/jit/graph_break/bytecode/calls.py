"""Compiles calls under `jit(capture_mode="bytecode")`: applies its keys, call by call."""

import time
import weakref

from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.errors import is_interruption
from dyad._src.context import environment
from dyad._src.context.keys import LAX
from dyad._src.jit.cache.call_compiler import CallCompiler
from dyad._src.jit.cache.cause import changed_length, failures_of
from dyad._src.jit.cache.compile_cache import fits
from dyad._src.jit.graph_break.bytecode.code_listing import instructions_text
from dyad._src.jit.graph_break.bytecode.logs import BytecodeLogs
from dyad._src.jit.graph_break.bytecode.unsupported import frames_of, unsupported
from dyad._src.jit.options.bytecode_switch import is_on

_WHOLE = 10000


class PerfStatistics:
    """Measures PERF_STATISTICS_COUNT calls of each kind, in alternation."""

    def __init__(self, keys):
        self._wanted = max(keys.perf_statistics_count, 1)
        self._demand = 1 + keys.perf_statistics_scale_10000x / _WHOLE
        self._seconds: dict = {True: [], False: []}

    @property
    def next_is_graph(self):
        """Returns whether the next call is to be run as a graph."""
        return len(self._seconds[True]) <= len(self._seconds[False])

    @property
    def is_done(self):
        """Returns whether enough calls were timed."""
        return all(len(times) >= self._wanted for times in self._seconds.values())

    @property
    def graph_is_faster(self):
        """Returns whether the graph wins, by as much as is demanded of it."""
        return self._mean(True) * self._demand <= self._mean(False)

    def note(self, as_graph, seconds):
        """Adds one call."""
        self._seconds[as_graph].append(seconds)

    def _mean(self, as_graph):
        times = self._seconds[as_graph]
        return sum(times) / len(times)

    def __str__(self):
        return f"{self._mean(False) * 1e6:.1f} us, and {self._mean(True) * 1e6:.1f} us as a graph"


class EntryUses:
    """Counts the calls of entries, the one that compiled an entry included.

    A compiled function counts its hits as a whole. They are given to the entry that was used last whenever somebody
    looks, so the counts are exact as long as no two entries are used between two looks.
    """

    def __init__(self):
        self._counts: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._seen = 0

    def begin(self, entry, runs=True):
        """Notes the call that an entry was compiled for, and whether it runs the entry."""
        self._counts[entry] = int(runs)

    def add(self, entry):
        """Notes a call that ran an entry without the compiled function's doing."""
        self._counts[entry] = self._counts.get(entry, 0) + 1

    def look(self, compiled):
        """Notes the hits of a compiled function since the last look."""
        new, self._seen = compiled.hits - self._seen, compiled.hits
        entries = compiled.entries
        if new and entries:
            self._counts[entries[0]] = self._counts.get(entries[0], 0) + new

    def of(self, compiled, entry):
        """Returns the number of uses of an entry until now."""
        self.look(compiled)
        return self._counts.get(entry, 0)


class BytecodeCalls(CallCompiler):
    """Stands before a compiler of calls. It knows the state of the function for whoever asks (`code_extra`).

    Where each call must be looked at, whether Python runs it or how long it takes, the compiled function is given no
    entries: `waiting` has them, and every call comes here.
    """

    def __init__(self, function, options, templates=None):
        super().__init__(function, options, templates)
        self.keys = options.bytecode
        self.code = function.__code__  # what is captured
        self.uses = EntryUses()
        self.breaks = []  # (reason, file, line) of what ended a graph
        self.given_up = ""  # why no graph is made of the function, in words
        self.is_compiling = False
        self._failed = []  # what kept earlier graphs from serving the call that is compiled
        self._statistics = PerfStatistics(self.keys) if self.keys.perf_statistics else None
        self.withdrawn = None  # (entries, what Python ran) of a function while the mode is switched off

    def __call__(self, compiled, args, kwargs):
        if not self.given_up and self._is_short():
            least = self.keys.static_graph_bytecode_min
            self.give_up(compiled, f"it has fewer than {least} instructions")
        if self.given_up or self.runs_as_written(args, kwargs):
            return self.function(*args, **kwargs)
        if self._looks_at_each_call() and not environment.precompile_only():
            return self._decide(compiled, args, kwargs)
        return super().__call__(compiled, args, kwargs)

    def runs_as_written(self, args, kwargs):
        return not is_on() or super().runs_as_written(args, kwargs)

    def forget(self):
        super().forget()
        if self.withdrawn is not None:
            self.withdrawn = [], self.withdrawn[1]

    def withdraw(self, compiled):
        """Lets Python run the function as it is written, until what there was is brought back."""
        self.withdrawn = compiled.entries, compiled.python_form
        compiled.clear()
        compiled.python_form = self.function

    def bring_back(self, compiled):
        """Lets calls be served by what was withdrawn."""
        if self.withdrawn is not None:
            entries, compiled.python_form = self.withdrawn
            for entry in reversed(entries):
                compiled.add(entry)
        self.withdrawn = None

    def give_up(self, compiled, because):
        """Leaves the function to Python for good."""
        self.given_up = because
        self.split = compiled.python_form = self.function
        self.waiting.clear()
        compiled.clear()
        self.report.splits(because)

    def options_for(self, args, kwargs, remember=True):
        return super().options_for(args, kwargs, remember).replace(syntax_level=LAX)

    def split_at(self, compiled, refusal, options):
        self.logs().breaks(self.function, refusal)
        file, line, _ = frames_of(refusal, self.function)[-1]
        met = refusal.kind, file, line
        self.breaks += [met] if met not in self.breaks else []
        if options.raises_at_breaks:
            raise unsupported(refusal, self.function) from refusal.error
        if refusal.is_fault:
            self.give_up(compiled, refusal.because)
            return
        super().split_at(compiled, refusal, options)
        if hasattr(self.split, "runnable"):
            self.logs().rewritten(self.report.name, self.split.runnable().__code__)

    def compile_entry(self, compiled, args, kwargs, options):
        self._failed = list(failures_of(compiled, args, kwargs))
        self.is_compiling = True
        try:
            return super().compile_entry(compiled, args, kwargs, options)
        except Exception as error:
            is_fault = self.capture.refusal_of(error) is None and not is_interruption(error)
            if self.keys.compile_with_try and is_fault:
                # A fault while compiling, as one while capturing, leaves the function to Python.
                self.capture.with_refusal(error, self.capture.Rejected(UNKNOWN, error, is_fault=True))
            raise
        finally:
            self.is_compiling = False

    def logs(self):
        """Returns the logs of this function on standard error."""
        return BytecodeLogs(self.keys, self.code)

    def _compile(self, compiled, args, kwargs, runs_nothing=False):
        self.uses.look(compiled)
        entry, options = super()._compile(compiled, args, kwargs, runs_nothing)
        if entry is not None:
            self.uses.begin(entry, runs=not environment.precompile_only())
            compilation = self.report.compilation_of(entry)
            self.logs().compiled(self.report.name, compilation, entry, self._failed, (args, kwargs))
        return entry, options

    def changed_path(self, compiled, args, kwargs):
        length = changed_length(compiled, args, kwargs)
        return length or super().changed_path(compiled, args, kwargs)

    def _changes_always(self, compiled):
        # A graph that is asked for as a whole is made again as often as it takes.
        return not self.options.fullgraph and super()._changes_always(compiled)

    def _is_short(self):
        least = self.keys.static_graph_bytecode_min
        return least > 0 and len(instructions_text(self.code)) < least

    def _looks_at_each_call(self):
        told = self.keys.disable_pijit is not None or self.keys.interpret_captured_code
        return told or (self._statistics is not None and not self._statistics.is_done)

    def _decide(self, compiled, args, kwargs):
        """One call of a function whose calls are looked at one by one."""
        disabled = self.keys.disable_pijit
        if disabled is not None and disabled(args, kwargs):
            return self.function(*args, **kwargs)
        entry = next((each for each in reversed(self.waiting) if fits(each, args, kwargs)), None)
        is_new = entry is None and self.split is None
        try:
            if is_new:
                entry, _ = self._compile(compiled, args, kwargs)
            elif entry is not None:
                self.uses.add(entry)
            if entry is not None:
                self._keep_waiting(entry, compiled.limit)
            if self.keys.interpret_captured_code:
                return self.function(*args, **kwargs)
            if entry is None:
                return self.run_split(args, kwargs)
            return self._run_measured(compiled, entry, args, kwargs, is_new)
        finally:
            if not self.given_up and self._looks_at_each_call():
                compiled.python_form = None  # else later calls would not come here

    def _keep_waiting(self, entry, limit):
        """The entry used last stands last; the ones that were not used for longest go."""
        self.waiting = [each for each in self.waiting if each is not entry][-limit + 1 :] + [entry]

    def _run_measured(self, compiled, entry, args, kwargs, is_new):
        statistics = self._statistics
        if statistics is None or statistics.is_done or is_new:
            return compiled.run(entry, args, kwargs)
        as_graph = statistics.next_is_graph
        start = time.perf_counter()
        result = compiled.run(entry, args, kwargs) if as_graph else self.function(*args, **kwargs)
        statistics.note(as_graph, time.perf_counter() - start)
        if statistics.is_done:
            self._keep_faster(compiled, statistics)
        return result

    def _keep_faster(self, compiled, statistics):
        if not statistics.graph_is_faster:
            self.give_up(compiled, f"Python is faster: {statistics}")
        elif not self._looks_at_each_call():
            for entry in self.waiting:
                compiled.add(entry)
            self.waiting.clear()


class BytecodeCompiler(BytecodeCalls):
    """Compiles the calls of one function from its bytecode."""
