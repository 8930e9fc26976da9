"""Every program of `programs/` in every form that promises it, against the dynamic graph.

Each program is called twice with equal arguments, then with negated ones and those it names, then after its change.
Values, Python types, identities, prints, written arguments, watched state and exceptions must be the same.
"""

import importlib
import pkgutil

import programs
import pytest
from described import difference
from program import PROGRAMS
from session import dynamic, forms_of, run, truth_of

for _found in pkgutil.iter_modules(programs.__path__):
    importlib.import_module(f"programs.{_found.name}")


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_the_dynamic_graph_gives_what_is_written(program):
    assert not run(program, dynamic).complaints


def _static_cases():
    return [
        pytest.param(program, form, id=f"{program}-{form.__name__}")
        for program in PROGRAMS
        for form in forms_of(program)
    ]


@pytest.mark.parametrize(("program", "form"), _static_cases())
def test_static_forms_agree(program, form):
    static = run(program, form)
    if form.__name__ == "strict" and program.strict is not True:
        assert all(isinstance(error, program.strict) for error in static.raised), static.raised
        return
    truth = truth_of(program)
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        assert found is None, f"{found}; raised {static.raised}"
    assert not static.complaints
    if program.compiles is not None and form.__name__ == "jit":
        assert static.callable.misses == program.compiles


def test_the_corpus_is_large_and_its_names_are_unique():
    names = [str(program) for program in PROGRAMS]
    assert len(names) == len(set(names)) >= 1600
