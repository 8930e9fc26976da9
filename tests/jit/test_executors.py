"""The compilers of Cells and functions as `common.api` gives them: which calls share a graph."""

import pytest

from dyad import Tensor, mutable, nn
from dyad.common.api import _CellGraphExecutor, _JitExecutor


class Scaled(nn.Cell):
    def construct(self, x, factor):
        return x * factor


def of_cell(cell):
    return lambda *args: _CellGraphExecutor().compile(cell, *args)[0]


def of_function(cell):
    executor = _JitExecutor(cell.construct, 0)
    return lambda *args: executor.compile("construct", *args)


@pytest.mark.parametrize("named", [of_cell, of_function])
def test_calls_that_share_a_graph_have_one_name(named):
    name = named(Scaled())
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert name(x, 2) == name(y, 2)
    assert name(x, 2) != name(x, 3)
    assert name(x, mutable(2)) == name(y, mutable(3))
    assert name(x, 2) != name(Tensor([[1.0]]), 2)


def test_a_cell_says_whether_it_was_compiled_again():
    cell = Scaled()
    first, again = (_CellGraphExecutor().compile(cell, Tensor([1.0]), 2) for _ in range(2))
    assert first[1] and not again[1] and first[0] == again[0]


def test_a_function_is_called_as_a_graph():
    executor = _JitExecutor(Scaled.construct, process_obj=Scaled())
    assert executor(Tensor([2.0]), 3).tolist() == [6.0]
