"""`set_dump`: marks on Cells and Primitives."""

import pytest

import dyad
from dyad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.relu = nn.Dense(2, 2), ops.ReLU()

    def construct(self, x):
        return self.relu(self.dense(x))


def test_a_cell_is_marked_with_all_that_it_holds():
    net = Net()
    dyad.set_dump(net)
    assert net.get_flags()["dump"] is True and net.dense.get_flags()["dump"] is True
    assert net.relu.attrs["dump"] == "true"
    dyad.set_dump(net, False)
    assert net.dense.get_flags()["dump"] is False and net.relu.attrs["dump"] == "false"
    x = ops.ones((1, 2))
    assert net(x).shape == dyad.jit(net)(x).shape == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [((1,), "target is an int; need a Cell or a Primitive"), ((Net(), 1), "enabled is 1; need a bool")],
)
def test_what_cannot_be_marked(arguments, text):
    with pytest.raises(ValueError, match=text):
        dyad.set_dump(*arguments)
