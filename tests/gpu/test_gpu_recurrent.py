"""Recurrent layers and their gradients on the device."""

import numpy as np
import pytest
from device_samples import faults_of, table_entries

from dyad import Tensor, _core, grad

TABLE = ("rnn_layer", "gru_layer", "lstm_layer", "rnn_layer_grad", "gru_layer_grad", "lstm_layer_grad")
STEPS, BATCH, SIZE, WIDTH = 5, 3, 4, 6


@pytest.mark.parametrize("op", table_entries(*TABLE), ids=lambda op: op["name"])
def test_recurrent_samples_of_the_table_agree_with_numpy(op):
    faults = faults_of(op)
    assert not faults, "\n" + "\n".join(faults[:4])


@pytest.mark.filterwarnings("ignore:.* is computed on the CPU")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("name", "gates", "states"), [("rnn_layer", 1, 1), ("gru_layer", 3, 1), ("lstm_layer", 4, 2)]
)
def test_gradients_as_by_differences(name, gates, states, reverse):
    rng = np.random.default_rng(0)
    shapes = [(STEPS, BATCH, SIZE), *[(BATCH, WIDTH)] * states]
    shapes += [(gates * WIDTH, SIZE), (gates * WIDTH, WIDTH), (gates * WIDTH,), (gates * WIDTH,)]
    values = [rng.normal(size=shape) for shape in shapes]
    directions = [rng.normal(size=shape) for shape in shapes]
    rest = [Tensor(np.array([5, 2, 4])), reverse, *["tanh"] * (name == "rnn_layer")]
    layer = _core.named_op(name)

    def loss(*arguments):
        return sum((result**2).sum() for result in layer(*arguments, *rest))

    def moved(step):
        shifted = (Tensor(value + step * by) for value, by in zip(values, directions, strict=True))
        return float(loss(*shifted).asnumpy())

    gradients = grad(loss, tuple(range(len(values))))(*map(Tensor, values))
    slope = sum((g.asnumpy() * by).sum() for g, by in zip(gradients, directions, strict=True))
    assert slope == pytest.approx((moved(1e-6) - moved(-1e-6)) / 2e-6, rel=1e-6)
