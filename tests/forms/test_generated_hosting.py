"""Random programs with host code agree under `jit` and in Graph mode with the dynamic graph, and none is refused.

`generator/many_hosting.py` runs thousands.
"""

import zlib

import pytest
from generator import hosting
from session import dynamic, run

SEED = 7
COUNT = 60
SOURCES = list(hosting.sources_of(SEED, COUNT))


def test_generated_programs_mean_something():
    """They end, and most of them come to their last line."""
    ran = [run(hosting.as_program(source), dynamic) for source in SOURCES]
    ended = [error is None for each in ran for error in each.raised]
    assert sum(ended) > 0.6 * len(ended)


@pytest.mark.parametrize("number", range(COUNT))
def test_generated_programs_agree(number):
    found = hosting.difference_of(SOURCES[number])
    assert found is None, f"{found}\n\n{SOURCES[number]}"


def test_generated_programs_are_those_of_the_seed():
    text = "".join(source.removeprefix(hosting.PRELUDE) for source in SOURCES)
    assert zlib.crc32(text.encode()) == 3294071601
