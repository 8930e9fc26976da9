"""With `set_deterministic(True)` results are the same to the bit whatever the number of threads.

Each number of threads gets a process of its own: what one has made ready must not serve another.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dyad

SCRIPT = Path(__file__).with_name("deterministic_results.py")
THREADS = (1, 2, 3)


@pytest.fixture(scope="module")
def found():
    """Number of threads -> name of a computation -> the bits of its results, summed up."""
    return {threads: run(threads) for threads in THREADS}


def run(threads):
    done = subprocess.run([sys.executable, SCRIPT, str(threads)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("threads", THREADS[1:])
def test_results_are_those_of_one_thread(found, threads):
    assert len(found[1]) > 100
    differing = [name for name, bits in found[1].items() if found[threads][name] != bits]
    assert not differing, f"{len(differing)} differ between 1 and {threads} threads: {'; '.join(differing)}"


def test_a_second_run_gives_the_same(found):
    assert run(2) == found[2]


def test_the_switch_is_part_of_the_context():
    dyad.set_deterministic(True)
    assert dyad.get_context("deterministic") == "ON"
    dyad.set_deterministic(False)
    assert dyad.get_context("deterministic") == "OFF"
    with pytest.raises(TypeError, match="set_deterministic: got 1; need a bool"):
        dyad.set_deterministic(1)
