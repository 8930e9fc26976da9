"""Every program of `programs/` from its bytecode alone: no function, class or callee of them has a source to read."""

import contextlib

import program as declared
import programs
import pytest
from described import difference
from session import bytecode, dynamic, run
from sourceless import NOWHERE, import_without_source


@contextlib.contextmanager
def _declared_here():
    """The list that programs are added to while the block is run."""
    before = list(declared.PROGRAMS)
    declared.PROGRAMS.clear()
    found = []
    try:
        yield found
        found += declared.PROGRAMS
    finally:
        declared.PROGRAMS[:] = before


with _declared_here() as _PROGRAMS:
    import_without_source(programs)


# `vmap` in the dynamic graph reads the source of a function that makes layers: there is no truth to compare with.
_DYNAMIC_NEEDS_SOURCE = ("made_cells.a_layer_made_for_all_slices",)
_CASES = [program for program in _PROGRAMS if str(program) not in _DYNAMIC_NEEDS_SOURCE]


@pytest.mark.parametrize("program", _CASES, ids=str)
def test_bytecode_alone_agrees(program):
    static, truth = run(program, bytecode), run(program, dynamic)
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        assert found is None, f"{found}; raised {static.raised}"
    assert not static.complaints


def test_they_are_the_programs_and_have_no_source():
    assert len(_PROGRAMS) >= 1600
    codes = [getattr(program.build().function, "__code__", None) for program in _PROGRAMS]
    without = [code for code in codes if code is not None and code.co_filename == NOWHERE]
    assert len(without) > 1000
