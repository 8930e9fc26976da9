"""TensorArray: what is written, what is read, and both forms."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn


@pytest.fixture(autouse=True)
def mode_as_before():
    before = dyad.get_context("mode")
    yield
    dyad.set_context(mode=before)


class Written(nn.Cell):
    def __init__(self, *settings):
        super().__init__()
        self.array = nn.TensorArray(*settings)

    def construct(self, index, value):
        self.array.write(index, value)
        found = self.array.read(index), self.array.stack(), self.array.size()
        self.array.clear()
        return found


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize(
    ("settings", "stacked"), [((True,), [[0.0], [5.0]]), ((False, 3), [[0.0], [5.0], [0.0]])]
)
def test_both_forms(mode, settings, stacked):
    dyad.set_context(mode=mode)
    net = Written(dyad.float32, (1,), *settings)
    for _ in range(2):
        value, all_values, size = net(Tensor(1), Tensor([5.0]))
        assert value.tolist() == [5.0]
        np.testing.assert_array_equal(all_values, stacked)
        assert size == len(stacked)


def test_it_grows_and_is_cleared():
    array = nn.TensorArray(dyad.int64, ())
    assert array.stack().shape == (0,)
    array.write(2, 7)
    array.write(0, 1)
    assert array.stack().tolist() == [1, 0, 7]
    array.clear()
    assert array.size() == 0


def test_what_it_refuses():
    array = nn.TensorArray(dyad.float32, (2,), False, 3)
    with pytest.raises(ValueError, match=r"the value has dtype Float32 and shape \(\)"):
        array.write(0, 1.0)
    with pytest.raises(IndexError, match="the index is 3; need one of at least 0 and below 3"):
        array.write(3, Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="dtype is 'float'"):
        nn.TensorArray("float", ())
    with pytest.raises(ValueError, match="size is -1"):
        nn.TensorArray(dyad.float32, (), False, -1)
    array.close()
    with pytest.raises(RuntimeError, match="is closed"):
        array.size()
