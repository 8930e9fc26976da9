"""Sections between `jit_begin` and `jit_end`."""

import pytest

import dyad
from dyad import Tensor, grad, jit, jit_begin, jit_end, nn

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def _begun(x, y):
    jit_begin("sum", x, y)
    return x + y


def _ended(x, y):
    return jit_end(_begun(x, y) * y) - x


def test_a_section_gives_what_its_statements_give():
    for _ in range(2):
        assert _ended(X, Y).tolist() == [11, 22]


def test_results_of_a_section():
    for outs, expected in (((), None), ((X,), X), ((X, 2), (X, 2))):
        jit_begin("results")
        found = jit_end(*outs)
        assert found is expected or (type(found) is tuple and found == expected)


def test_gradients_go_through_sections():
    class Net(nn.Cell):
        def construct(self, x, y):
            return _ended(x, y) ** 2

    for _ in range(2):
        assert grad(Net())(X, Y).tolist() == [44, 132]


def test_names_of_mindspore():
    from dyad.common import jit_begin_end

    assert (jit_begin_end._jit_begin, jit_begin_end._jit_end) == (jit_begin, jit_end)


def test_a_section_inside_a_section_is_refused_and_the_next_one_works():
    jit_begin("outer", X)
    with pytest.raises(RuntimeError, match=r"section 'inner' begins before section 'outer' \(.*py:\d+\) has"):
        jit_begin("inner", X)
    assert _ended(X, Y).tolist() == [11, 22]


def test_an_end_without_a_beginning():
    with pytest.raises(RuntimeError, match="jit_end: no section is open; call jit_begin first"):
        jit_end(X)


def test_a_section_has_a_name():
    with pytest.raises(TypeError, match="jit_begin: block_name is 3 of type int; need a str"):
        jit_begin(3)


def test_a_traced_function_holds_no_section():
    with pytest.raises(RuntimeError, match="section 'sum' begins inside of a function that is traced"):
        jit(_ended, capture_mode="trace")(X, Y)
    assert _ended(X, Y).tolist() == [11, 22]


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_captured_function_leaves_sections_to_python(mode):
    compiled = jit(_ended, capture_mode=mode)
    for _ in range(2):
        assert compiled(X, Y).tolist() == [11, 22]
    refused = (RuntimeError, dyad._core.CaptureError)
    with pytest.raises(refused, match="jit_begin: it cannot be called inside a static graph"):
        jit(_ended, capture_mode=mode, fullgraph=True)(X, Y)
