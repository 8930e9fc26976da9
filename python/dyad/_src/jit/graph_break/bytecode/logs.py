"""Logs of bytecode capture on standard error: channels that `MS_JIT_BYTECODE_LOGS` or keys of `jit` open.

| Channel | Key | What is written |
|---|---|---|
| bytecode | print_bytecode | the instructions of a function that is captured, and of the code that runs instead |
| guard | print_guard | what must hold for a graph to be used again |
| graph_break | LOG_GRAPH_BREAK | why a graph ends, and where |
| recompiles | | the first check that failed, where a function is compiled again |
| recompiles_verbose | | the same, of every graph that there was |
| trace_source | | the lines of the program that a graph holds |
| trace_bytecode | | the instructions of those lines |
| perf | LOG_PERF | how long capturing and compiling took |
| guard_perf | LOG_GUARD_PERF | how long the checks of a graph take |
| blocks | print_bb | the basic blocks of the function |
| flow | print_cfg | which block leads to which |

"all", or the key print_after_all, opens all of them.
"""

import dis
import sys
import time

from dyad._src.base.error_owner import warn_user
from dyad._src.context import environment
from dyad._src.jit.graph_break.bytecode.code_listing import blocks_text, flow_text, instructions_text
from dyad._src.jit.graph_break.bytecode.unsupported import frames_of

_BY_KEY = {
    "print_bytecode": "bytecode",
    "print_guard": "guard",
    "log_graph_break": "graph_break",
    "log_perf": "perf",
    "log_guard_perf": "guard_perf",
    "print_bb": "blocks",
    "print_cfg": "flow",
}
CHANNELS = frozenset(
    (*_BY_KEY.values(), "recompiles", "recompiles_verbose", "trace_source", "trace_bytecode")
)
_TIMED_CHECKS = 100


class BytecodeLogs:
    """The open channels of one function. Which are open is looked up whenever there is something to tell."""

    def __init__(self, keys, code):
        self._keys = keys
        self._code = code

    def open(self):
        """The channels that are open now."""
        told = environment.bytecode_logs()
        if "all" in told or self._keys.print_after_all:
            return CHANNELS
        if not told <= CHANNELS:
            unknown = ", ".join(sorted(told - CHANNELS))
            warn_user(f"MS_JIT_BYTECODE_LOGS names {unknown}; need {', '.join(sorted(CHANNELS))} or all")
        return {channel for key, channel in _BY_KEY.items() if getattr(self._keys, key)} | (told & CHANNELS)

    def compiled(self, name, compilation, entry, failures, call):
        """Tells of a new graph. `failures` are what kept earlier graphs from serving the call, `call` its arguments."""
        channels = self.open()
        if not channels:
            return
        if compilation is not None and compilation.number > 1:
            if channels & {"recompiles", "recompiles_verbose"}:
                _write("recompiles", f"{name}, graph {compilation.number}: {compilation.cause}")
            if "recompiles_verbose" in channels:
                for number, failure in enumerate(failures):
                    _write("recompiles", f"  {number}: {failure}")
        if "guard" in channels:
            _write("guard", f"{name}: {entry.tree.size} guards", *entry.tree.describe())
        if compilation is not None and "perf" in channels:
            _write("perf", f"{name}: captured and compiled in {compilation.seconds * 1e3:.2f} ms")
        if "guard_perf" in channels:
            _write("guard_perf", f"{name}: {_seconds_of_checks(entry, *call) * 1e6:.2f} us for the guards")
        self._program(name, channels, entry)

    def _program(self, name, channels, entry):
        if "bytecode" in channels:
            _write("bytecode", f"{name}, as it is written", *instructions_text(self._code))
        if "blocks" in channels:
            _write("blocks", name, *blocks_text(self._code))
        if "flow" in channels:
            _write("flow", name, *flow_text(self._code))
        lines = sorted(_lines_of(entry.program, self._code)) if entry.program is not None else []
        if "trace_source" in channels:
            _write("trace_source", name, *(f"{self._code.co_filename}:{line}" for line in lines))
        if "trace_bytecode" in channels:
            _write("trace_bytecode", name, *instructions_text(self._code, set(lines)))

    def breaks(self, function, refusal):
        """Tells why a graph ends."""
        if "graph_break" in self.open():
            places = [f"{file}:{line}  {text}".rstrip() for file, line, text in frames_of(refusal, function)]
            _write("graph_break", f"{refusal.kind}: {refusal.because}", *places)

    def rewritten(self, name, code):
        """Tells the instructions of the code that runs where there is more than one graph."""
        if "bytecode" in self.open():
            _write("bytecode", f"{name}, as it runs", *instructions_text(code))


def _write(channel, *lines):
    print("\n".join(f"[{channel}] {line}" for line in lines), file=sys.stderr, flush=True)


def _seconds_of_checks(entry, args, kwargs):
    given, names = (*args, *kwargs.values()), tuple(kwargs)
    start = time.perf_counter()
    for _ in range(_TIMED_CHECKS):
        entry.tree.matches(given, names)
    return (time.perf_counter() - start) / _TIMED_CHECKS


def _lines_of(program, code):
    """The lines of a function that nodes of its graph come from."""
    own = {line for _, line in dis.findlinestarts(code) if line is not None}
    return own & program.source_lines(code.co_filename)
