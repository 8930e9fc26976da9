"""`data_sink`: functions that take their arguments from a dataset, in both forms."""

import numpy as np
import pytest

import dyad
from dyad import JitConfig, Tensor, dataset, nn
from dyad.train import data_sink


def pairs(count=4):
    x = np.arange(count, dtype=np.float32).reshape(count, 1)
    return dataset.NumpySlicesDataset({"x": x, "y": 10 * x}, shuffle=False).batch(1)


def added(x, y):
    return x + y


@pytest.mark.parametrize("config", [None, JitConfig()], ids=["dynamic", "static"])
def test_each_call_takes_the_next_batches(config):
    one, two = data_sink(added, pairs(), 1, config), data_sink(added, pairs(), 2, config)
    assert [float(one().item()) for _ in range(6)] == [0, 11, 22, 33, 0, 11]
    assert [float(two().item()) for _ in range(3)] == [11, 33, 11]


def test_a_step_of_training():
    network = nn.Dense(1, 1, has_bias=False)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(network, nn.MSELoss()), nn.SGD(network.trainable_params(), 0.05)
    ).set_train()
    sunk = data_sink(lambda x, y: step(x, y), pairs(), sink_size=4)
    losses = [float(sunk().item()) for _ in range(8)]
    assert losses[-1] < 1e-3 * losses[0]


def test_batches_are_as_the_signature_says():
    signature = (Tensor(shape=(None, 1), dtype=dyad.float32), Tensor(np.zeros((1, 1), np.float32)))
    assert data_sink(added, pairs(), input_signature=signature)().shape == (1, 1)
    with pytest.raises(TypeError, match=r"a batch has .*; need .*, as input_signature says"):
        data_sink(added, pairs(), input_signature=Tensor(np.zeros((1, 1), np.float32)))()


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: data_sink(3, pairs()), TypeError, "data_sink: fn is 3; need a function"),
        (lambda: data_sink(added, pairs(), 0), ValueError, "sink_size is 0; need an int of at least 1"),
        (lambda: data_sink(added, pairs(), 1.0), TypeError, "sink_size is 1.0"),
        (lambda: data_sink(added, [1]), TypeError, "need a Dataset"),
    ],
)
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()
