"""No key of bytecode capture changes what a program gives: a slice of the programs with each key changed."""

import dataclasses
import importlib
import pkgutil
import zlib

import programs
import pytest
from described import difference
from program import PROGRAMS
from session import dynamic, run

import dyad
from dyad._src.jit.options.bytecode_options import KEYS, BytecodeOptions

for _found in pkgutil.iter_modules(programs.__path__):
    importlib.import_module(f"programs.{_found.name}")

# Keys that say which calls and functions are captured, or what is written to the log.
_OTHERS = {
    "fullgraph",  # raises where a graph ends
    "jit_level",
    "relax_guard_func",
    "allowed_inline_modules",
    "pijit_forbidden",
    "pijit_constexpr",  # is a promise of the user's
    "auto_jit_func_filter",
    "_disable_pijit",
    "print_after_all",
    "print_bytecode",
    "print_guard",
    "LOG_GRAPH_BREAK",
    "LOG_PERF",
    "LOG_GUARD_PERF",
    "print_bb",
    "print_cfg",
}
_NUMBERS = {
    "MAX_LOOP_UNROLLING": 2,
    "MAX_INLINE_DEPTH": 1,
    "MAX_TRACE_DEPTH": 1,
    "limit_graph_count": 1,
    "limit_graph_size": 1,
    "relax_guard_count": 1,
    "_symbolic": 1,
    "STATIC_GRAPH_BYTECODE_MIN": 12,
    "PERF_STATISTICS_COUNT": 2,
    "PERF_STATISTICS_SCALE_10000X": -9999,
}
_EVERY = 40  # one program in so many, others for each key


def _changed():
    """(key, another value than the default) of every key that says how something is captured."""
    for key, (field, _) in KEYS.items():
        if key in _OTHERS:
            continue
        default = getattr(BytecodeOptions(), field)
        yield key, (not default) if isinstance(default, bool) else _NUMBERS[key]


def _chosen(key):
    return [p for p in PROGRAMS if zlib.crc32(f"{key} {p}".encode()) % _EVERY == 0]


def _cases():
    return [
        pytest.param(program, key, value, id=f"{key}-{program}")
        for key, value in _changed()
        for program in _chosen(key)
    ]


@pytest.mark.filterwarnings("ignore:.*has no effect:UserWarning")
@pytest.mark.parametrize(("program", "key", "value"), _cases())
def test_a_key_changes_no_result(program, key, value):
    keys = {"perf_statistics": True, key: value} if key.startswith("PERF_") else {key: value}

    def form(function):
        return dyad.jit(function, capture_mode="bytecode", jit_config=keys)

    static, truth = run(program, form), run(program, dynamic)
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        assert found is None, f"{found}; raised {static.raised}"


def test_every_key_is_changed_or_left_out():
    fields = {field.name for field in dataclasses.fields(BytecodeOptions)}
    assert {KEYS[key][0] for key in {*dict(_changed()), *_OTHERS}} == fields
