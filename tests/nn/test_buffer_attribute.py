"""A Buffer that is assigned to an attribute of a Cell."""

import pytest

import dyad
from dyad import Tensor, jit, nn
from dyad.common.parameter import _Buffer


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kept = _Buffer(Tensor([1.0, 2.0]))
        self.passing = _Buffer(Tensor([3.0, 4.0]), persistent=False)

    def construct(self, x):
        return x * self.kept + self.passing


@pytest.mark.parametrize("form", [lambda net: net, jit], ids=["dynamic", "static"])
def test_it_is_a_buffer(form):
    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["kept", "passing"]
    assert "kept" in net.state_dict() and "passing" not in net.state_dict()
    assert not net.trainable_params()
    assert form(net)(Tensor([10.0, 10.0])).tolist() == [13.0, 24.0]


def test_it_holds_a_tensor():
    with pytest.raises(TypeError, match="data is of type list; need a Tensor"):
        _Buffer([1.0])
    assert isinstance(_Buffer(Tensor([1])), dyad.Tensor)
