"""A Tensor that is written while another argument shows a part of its memory: all see the write, as in Python."""

import numpy as np
import pytest

from dyad import Tensor, jit


def write_the_second(a, b):
    b.mul_(0.5)
    return a + 1, b


def write_the_first(a, b):
    a.mul_(0.5)
    return a + 1, b + 1


VIEWS = [lambda b: b[::-1], lambda b: b[:2], lambda b: b[1:3], lambda b: b]


def numbers():
    return Tensor(np.array([1.0, -2.0, 3.0, 0.5], np.float32))


def outcome(function, view):
    b = numbers()
    results = function(view(b), b)
    return [tensor.asnumpy().tolist() for tensor in (*results, b)]


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
@pytest.mark.parametrize("function", [write_the_first, write_the_second])
def test_writes_reach_what_overlaps(function, mode):
    compiled = jit(function, capture_mode=mode)
    apart = [tensor.asnumpy().tolist() for tensor in function(numbers(), numbers())]
    for view in VIEWS:
        assert outcome(compiled, view) == outcome(function, view)
        assert [tensor.asnumpy().tolist() for tensor in compiled(numbers(), numbers())] == apart


def test_strictly_a_write_to_what_overlaps_is_refused():
    compiled = jit(write_the_second, fullgraph=True)
    b = numbers()
    with pytest.raises(Exception, match="written in place of which another one in use shows a part"):
        compiled(b[::-1], b)
    assert compiled(numbers(), b)[1].asnumpy().tolist() == [0.5, -1.0, 1.5, 0.25]
