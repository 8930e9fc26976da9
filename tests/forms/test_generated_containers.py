"""Random programs over containers from outside agree with the dynamic graph, and none is refused.

`generator/many_containers.py` runs thousands.
"""

import zlib

import pytest
from generator.containers import compare_many, sources_of
from session import bytecode, bytecode_without_source, graph_mode, jit

SEED = 3


@pytest.mark.parametrize("form", [jit, graph_mode, bytecode, bytecode_without_source])
def test_generated_programs_agree(form):
    assert compare_many(40, SEED, form).agreed == 40


def test_generated_programs_are_those_of_the_seed():
    text = "".join(sources_of(SEED, 40))
    assert zlib.crc32(text.encode()) == 3434130100
