"""A strategy of mixed precision that is assigned to a Cell."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad._c_expression.amp import AmpLevel, create_amp_strategy

X = Tensor(np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4)

    def construct(self, x):
        y = self.dense(x)
        return y, ops.softmax(y)


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield
    dyad.set_context(mode=before)


@pytest.mark.parametrize(
    "level, expected",
    [
        ("AmpO0", ("float32", "float32")),
        ("AmpO3", ("bfloat16", "bfloat16")),
        ("AmpAuto", ("bfloat16", "float32")),
    ],
)
def test_amp_level_sets_the_result_dtypes(mode, level, expected):
    net = Net()
    assert net.amp_strategy is None
    net.amp_strategy = create_amp_strategy(AmpLevel[level], dyad.bfloat16, [], [])
    assert tuple(getattr(dyad, name) for name in expected) == tuple(result.dtype for result in net(X))
    net.amp_strategy = None
    assert all(result.dtype == dyad.float32 for result in net(X))


def test_what_a_strategy_says():
    strategy = create_amp_strategy(AmpLevel.AmpAuto, dyad.float16)
    assert strategy.get_amp_level() is AmpLevel.AmpAuto and strategy.get_amp_dtype() == dyad.float16
    assert strategy.get_white_list() == strategy.get_black_list() == []


def test_create_amp_strategy_rejects_levels_dtypes_and_lists():
    with pytest.raises(TypeError, match="need an AmpLevel"):
        create_amp_strategy("O3", dyad.float16)
    with pytest.raises(ValueError, match="need float16, float32 or bfloat16"):
        create_amp_strategy(AmpLevel.AmpO3, dyad.int32)
    with pytest.raises(ValueError, match="custom_mixed_precision"):
        create_amp_strategy(AmpLevel.AmpAuto, dyad.float16, [("MatMul", [])], [])
    with pytest.raises(TypeError, match="create_amp_strategy"):
        nn.Dense(1, 1).amp_strategy = "O3"
