"""Loops and calls that the keys of bytecode capture leave to Python."""

import pytest

from dyad import Tensor, jit
from dyad._c_expression import get_code_extra

X = Tensor([1.0, 2.0])


def loops(x, times):
    for turn in range(times):
        x = x * 2.0 + turn
    return x


def repeats(x, times):
    while times > 0:
        x, times = x * 2.0, times - 1
    return x


@pytest.mark.parametrize("function", [loops, repeats])
@pytest.mark.parametrize(
    ("keys", "times", "breaks"),
    [
        ({}, 3, 0),
        ({"loop_unrolling": False}, 3, 1),
        ({"MAX_LOOP_UNROLLING": 3}, 3, 0),
        ({"MAX_LOOP_UNROLLING": 3}, 4, 1),
    ],
)
def test_loops_that_are_left_to_python(function, keys, times, breaks):
    compiled = jit(function, mode="PIJit", jit_config=keys, hash_args=object())
    expected = function(X, times).tolist()
    for _ in range(3):
        assert compiled(X, times).tolist() == expected
    told = get_code_extra(compiled)
    assert told["break_count_"] == breaks
    assert [reason for reason, _ in told["breaks_"]] == ["loop unsupported"] * breaks


def deeper(x, more):
    return deeper(x * 2.0, more - 1) if more else x


@pytest.mark.parametrize(("depth", "breaks"), [(0, 0), (5, 0), (2, 1)])
def test_how_deep_calls_are_read(depth, breaks):
    compiled = jit(lambda x: deeper(x, 3) + 1.0, mode="PIJit", jit_config={"MAX_INLINE_DEPTH": depth})
    assert compiled(X).tolist() == [9.0, 17.0]
    told = get_code_extra(compiled)
    assert [reason for reason, _ in told["breaks_"]] == ["callee trace failed"] * breaks
