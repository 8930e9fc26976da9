"""The programs of `programs/` that take Tensors of floats, differentiated by them: mixtures against the dynamic graph.

Where a program raises, or its gradient is refused, every mixture does the same.
"""

import dataclasses
import importlib
import pkgutil

import programs
import pytest
from gradient import float_positions
from mixtures import (
    TO_COME,
    bytecode_of_gradient,
    cases,
    dynamic_gradient,
    first_difference,
    gradient_of_bytecode,
    gradient_of_jit,
    jit_of_gradient,
    jit_of_gradient_of_jit,
)
from program import PROGRAMS
from session import run, truth_of

from dyad import value_and_grad

for _found in pkgutil.iter_modules(programs.__path__):
    importlib.import_module(f"programs.{_found.name}")


def _differentiated(program):
    """The program with its value and its gradients by every Tensor of floats as what is called."""
    positions = float_positions(program.calls[0].arguments)

    def build():
        scene = program.build()
        scene.transform = lambda function: value_and_grad(function, positions)
        return scene

    return dataclasses.replace(program, build=build, same_text=False)


# They write to an input, and at an index that is wrong or to several elements in one place: which of the two errors
# comes first depends on when that is known.
_TWICE_WRONG = (
    "subscripts.write_at_a_tensor_index",
    "subscripts.write_at_a_variable_index",
    "aliases.different_numbers_for_one_place_of_memory_are_refused",
)
_PROGRAMS = [
    _differentiated(program)
    for program in PROGRAMS
    if float_positions(program.calls[0].arguments) and str(program) not in _TWICE_WRONG
]
_MIXTURES = [
    jit_of_gradient,
    gradient_of_jit,
    jit_of_gradient_of_jit,
    bytecode_of_gradient,
    gradient_of_bytecode,
]


_CASES = cases(_PROGRAMS, _MIXTURES)


def test_what_is_to_come_is_among_the_cases():
    assert {case.id for case in _CASES} >= TO_COME


@pytest.mark.parametrize(("program", "mixture"), _CASES)
def test_gradients_of_programs_agree(program, mixture):
    static = run(program, mixture, tensors_alike=True)
    truth = truth_of(program, dynamic_gradient, tensors_alike=True)
    found = first_difference(static, truth)
    assert found is None, found
