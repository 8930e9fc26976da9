"""Random programs about names that share memory agree with the dynamic graph, and few of them are refused.

`generator/many_aliasing.py` runs thousands.
"""

import zlib

import pytest
from generator.aliasing import compare_many, sources_of
from session import bytecode, bytecode_without_source

SEED = 3


def test_generated_programs_agree():
    tally = compare_many(150, SEED)
    assert tally.agreed > 140
    assert tally.share_refused < 0.03, tally.refused


def test_gradients_of_generated_programs_agree():
    tally = compare_many(60, SEED, differentiated=True)
    assert tally.agreed > 100  # each program is compared in two forms
    assert tally.share_refused < 0.05, tally.refused


@pytest.mark.parametrize("form", [bytecode, bytecode_without_source])
def test_generated_programs_agree_from_bytecode(form):
    assert compare_many(75, SEED, form=form).agreed == 75


def test_generated_programs_are_those_of_the_seed():
    text = "".join(sources_of(SEED, 150))
    assert zlib.crc32(text.encode()) == 717428566
