"""Random programs agree under `jit` with the dynamic graph; `generator/many.py` runs thousands.

The programs come from a fixed seed and Python's own random numbers, so that they are the same for every Python, every
machine and every test run: what this test says depends on the tree alone.
"""

import zlib

import pytest
from generator.comparing import compare_many
from generator.programs import as_program, sources_of, written_with_blocks
from session import bytecode, bytecode_without_source, dynamic, run

SEED = 20


@pytest.mark.parametrize("source", list(sources_of(SEED, 60)), ids=str)
def test_generated_programs_mean_something(source):
    """They are Python, they end, and what stops them is what the generator wrote into them."""
    ran = run(as_program(source), dynamic)
    foreseen = (type(None), ValueError, AssertionError, IndexError)
    unforeseen = [error for error in ran.raised if not isinstance(error, foreseen)]
    assert not unforeseen, f"{unforeseen}\n{source}"


def test_generated_programs_agree():
    tally = compare_many(300, SEED)
    assert tally.share_refused < 0.05, tally.refused


def test_generated_programs_with_blocks_agree():
    tally = compare_many(150, SEED, writing=written_with_blocks)
    assert tally.share_refused < 0.05, tally.refused


def test_gradients_of_generated_programs_agree():
    tally = compare_many(100, SEED, differentiated=True)
    assert tally.share_refused < 0.1, tally.refused
    assert tally.overwritten < 10


@pytest.mark.parametrize(("form", "count"), [(bytecode, 120), (bytecode_without_source, 30)])
def test_generated_programs_agree_from_bytecode(form, count):
    assert not compare_many(count, SEED, form=form).refused
    assert not compare_many(count // 2, SEED, writing=written_with_blocks, form=form).refused


def test_gradients_of_generated_programs_agree_from_bytecode():
    tally = compare_many(50, SEED, differentiated=True, form=bytecode)
    assert tally.share_refused < 0.1, tally.refused


def test_generated_programs_are_those_of_the_seed():
    text = "".join(sources_of(SEED, 300))
    assert zlib.crc32(text.encode()) == 906830637
