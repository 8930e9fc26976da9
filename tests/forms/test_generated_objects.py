"""Random programs over objects agree under `jit` with the dynamic graph; `generator/many_objects.py` runs thousands."""

import pytest
from generator import objects
from generator.comparing import Tally, compare
from session import bytecode, bytecode_without_source, dynamic, jit, run

SEED = 20


@pytest.mark.parametrize("source", list(objects.sources_of(SEED, 30)), ids=str)
def test_generated_programs_mean_something(source):
    """They are Python, they end, and what stops them is what the generator wrote into them."""
    ran = run(objects.as_program(source), dynamic)
    foreseen = (type(None), ValueError, AssertionError, IndexError)
    unforeseen = [error for error in ran.raised if not isinstance(error, foreseen)]
    assert not unforeseen, f"{unforeseen}\n{source}"


@pytest.mark.parametrize(("form", "refused"), [(jit, 0.15), (bytecode, 0), (bytecode_without_source, 0)])
def test_generated_programs_agree(form, refused):
    tally = Tally()
    for source in objects.sources_of(SEED, 150):
        compare(source, tally, objects.as_program, form)
    assert tally.share_refused <= refused, tally.refused
