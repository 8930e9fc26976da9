"""Every gradient program in every mixture of `jit`, Graph mode and the transform, against the dynamic graph.

Where a program is smooth, the dynamic graph's gradient is held against central differences in float64.
"""

import importlib
import pkgutil

import gradients
import numpy as np
import pytest
from differences import central_differences, with_doubles
from gradient import GRADIENTS, float_positions
from mixtures import MIXTURES, cases, dynamic_gradient, first_difference
from session import run, truth_of

from dyad import grad

for _found in pkgutil.iter_modules(gradients.__path__):
    importlib.import_module(f"gradients.{_found.name}")


@pytest.mark.parametrize("program", GRADIENTS, ids=str)
def test_the_dynamic_graph_gives_what_is_written(program):
    assert not run(program, dynamic_gradient).complaints


@pytest.mark.parametrize(("program", "mixture"), cases(GRADIENTS, MIXTURES))
def test_mixtures_agree(program, mixture):
    static = run(program, mixture, tensors_alike=True)
    truth = truth_of(program, dynamic_gradient, tensors_alike=True)
    found = first_difference(static, truth)
    assert found is None, found


@pytest.mark.parametrize("program", [program for program in GRADIENTS if program.smooth], ids=str)
def test_central_differences(program):
    for call in program.calls[1:3]:
        scene = program.build()
        arguments, keywords = with_doubles(call.fresh())
        positions = float_positions(arguments)
        given = grad(scene.function, positions)(*arguments, **keywords)
        given = given if isinstance(given, tuple) else (given,)
        expected = central_differences(program.build().function, arguments, keywords, positions)
        for ours, theirs in zip(given, expected, strict=True):
            np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=1e-5, atol=1e-6)


def test_the_corpus_is_large_and_its_names_are_unique():
    names = [str(program) for program in GRADIENTS]
    assert len(names) == len(set(names)) >= 150
