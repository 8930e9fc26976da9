"""Layers at awkward sizes, static against dynamic and float64; `./dev sweep` runs as many as one likes."""

import sys

import pytest

from . import searching
from .case import Case, Difference, Draw, check
from .families import FAMILIES, case_of
from .known import CASES
from .searching import sweep

SEED = 7
CASES_PER_FAMILY = 12


@pytest.mark.parametrize(
    "families", [["convolution", "transposed", "stack", "innermost"], list(FAMILIES)[4:]]
)
def test_layers_agree_at_awkward_sizes(families):
    count = CASES_PER_FAMILY * len(families)
    tally = sweep(count, SEED, families)
    assert not tally.faults, "\n\n".join(tally.faults[:3])
    assert tally.compared == count


def test_known_cases():
    tally = sweep(len(CASES), 0, ["known"])
    assert not tally.faults, "\n\n".join(tally.faults[:3])
    assert tally.compared == len(CASES)


def test_cases_are_those_of_the_seed():
    families = list(FAMILIES)
    texts = [case_of(SEED, number, families).text for number in range(60)]
    assert texts == [case_of(SEED, number, families).text for number in range(60)]
    assert len(set(texts)) > 55


def test_a_wrong_result_is_found():
    x = Draw(1).integers((3, 5))
    check(Case("right", lambda x: x * 2, [x], reference=lambda x: x * 2))
    with pytest.raises(Difference, match=r"against NumPy: the result at .* is"):
        check(Case("wrong", lambda x: x * 2, [x], reference=lambda x: x * 2 + (x > 1)))


# Writes behind a tensor in the middle of case 2, where no sanitizer sees it.
_WRITING = """
import ctypes, sweep.work
import dyad
real = sweep.work.check
def check(case):
    if "number 2" in case.text:
        tensor = dyad.Tensor(case.inputs[0])
        view = tensor.__dlpack__()
        place = tensor.asnumpy().ctypes.data + case.inputs[0].nbytes
        ctypes.memset(place, 0, 1)
        del view, tensor
    real(case)
sweep.work.check = check
real_case = sweep.work.case_of
def case_of(seed, number, families):
    case = real_case(seed, number, families)
    case.text = f"number {number}"
    return case
sweep.work.case_of = case_of
"""


def test_a_write_outside_is_reported_with_its_case(monkeypatch):
    """A worker that dies is followed by one that goes on behind the case."""
    writes = f"import runpy, sys\n{_WRITING}\nsweep.work.main(*map(int, sys.argv[1:4]), sys.argv[4:])"
    monkeypatch.setattr(searching, "_worker", lambda: [sys.executable, "-c", writes])
    tally = sweep(4, SEED, ["product"])
    assert tally.compared == 4
    assert len(tally.faults) == 1
    assert "number 2" in tally.faults[0]
    assert "a write outside a block" in tally.faults[0]
