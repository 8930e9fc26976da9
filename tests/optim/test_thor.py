"""nn.thor: a natural gradient out of Kronecker factors, and Momentum for what has none."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn
from dyad.train.train_thor import ConvertModelUtils, ConvertNetUtils

MODES = [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["dynamic", "static"])
def mode(request):
    dyad.set_context(mode=request.param)
    yield request.param
    dyad.set_context(mode=dyad.PYNATIVE_MODE)


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def moments(rows, scale):
    return scale * rows.T.astype(np.float64) @ rows


def blocks_only(matrix, size=128):
    kept = np.zeros_like(matrix)
    for start in range(0, len(matrix), size):
        end = start + size
        kept[start:end, start:end] = matrix[start:end, start:end]
    return kept


def natural(gradient, a, g, damping):
    a = blocks_only(a) + damping**0.5 * np.eye(len(a))
    g = blocks_only(g) + damping**0.5 * np.eye(len(g))
    return np.linalg.inv(g) @ gradient @ np.linalg.inv(a)


@pytest.mark.parametrize("inputs", [6, 150])
def test_a_step_of_dense(mode, inputs):
    weight, x, y = random(3, inputs) / 8, random(8, inputs), random(8, 3)
    net = nn.Dense(inputs, 3, weight_init=Tensor(weight), bias_init="zeros")
    optimizer = nn.thor(net, 0.1, Tensor([0.5, 0.02]), 0.9, frequency=1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    step(Tensor(x), Tensor(y))
    out_gradient = 2 * (x @ weight.T - y) / y.size
    expected = natural(out_gradient.T @ x, moments(x, 1 / 8), moments(out_gradient, 8), 0.5)
    assert np.allclose(net.weight.asnumpy(), weight - 0.1 * expected, atol=2e-5)
    assert np.allclose(net.bias.asnumpy(), -0.1 * out_gradient.sum(0), atol=1e-6)


@pytest.mark.parametrize(
    ("pad_mode", "padding", "sides"), [("same", 0, (1, 1)), ("valid", 0, (0, 0)), ("pad", 1, (1, 1))]
)
def test_a_step_of_convolution(mode, pad_mode, padding, sides):
    weight, x = random(4, 2, 3, 3) / 4, random(5, 2, 6, 6)
    net = nn.Conv2d(2, 4, 3, pad_mode=pad_mode, padding=padding, weight_init=Tensor(weight))
    optimizer = nn.thor(net, 0.1, Tensor([0.3]), 0.9, loss_scale=16.0, frequency=1)
    y = random(*net(Tensor(x)).shape)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, 16.0).set_train()
    step(Tensor(x), Tensor(y))
    padded = np.pad(x, [(0, 0), (0, 0), sides, sides])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    windows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, 18)
    flat = weight.reshape(4, 18)
    targets = y.transpose(0, 2, 3, 1).reshape(-1, 4)
    out_gradient = 2 * (windows @ flat.T - targets) / y.size
    positions = len(windows) // 5
    expected = natural(
        out_gradient.T @ windows, moments(windows, 1 / 5), moments(out_gradient, 5 / positions), 0.3
    )
    assert np.allclose(net.weight.asnumpy().reshape(4, 18), flat - 0.1 * expected, atol=2e-5)


def losses_of_training(mode, steps=6, **settings):
    dyad.set_context(mode=mode)
    dyad.set_seed(1)
    np.random.seed(1)
    net = nn.SequentialCell(
        nn.Conv2d(2, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(64, 5)
    )
    optimizer = nn.thor(
        net, 0.03, Tensor(np.linspace(0.3, 0.1, steps).astype(np.float32)), 0.9, 1e-4,
        decay_filter=lambda x: "bias" not in x.name, **settings,
    )  # fmt: skip
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    x, y = Tensor(random(12, 2, 4, 4)), Tensor(np.arange(12, dtype=np.int32) % 5)
    losses = [float(step(x, y)) for _ in range(steps)]
    dyad.set_context(mode=dyad.PYNATIVE_MODE)
    return losses


@pytest.mark.parametrize(
    "settings", [{"frequency": 2}, {"frequency": 3, "enable_clip_grad": True, "use_nesterov": True}]
)
def test_both_forms_train_alike(settings):
    dynamic, static = (losses_of_training(mode, **settings) for mode in MODES)
    assert np.allclose(dynamic, static, rtol=1e-4)
    assert dynamic[-1] < 0.8 * dynamic[0]


def test_factors_are_left_alone_outside_of_training(mode):
    net = nn.Dense(4, 3)
    ConvertNetUtils().convert_to_thor_net(net)
    net.set_train(False)
    net(Tensor(random(2, 4)))
    assert not net.matrix_a.asnumpy().any()
    net.set_train(True)
    x = random(2, 4)
    net(Tensor(x))
    assert np.allclose(net.matrix_a.asnumpy()[0], moments(x, 1 / 2), atol=1e-5)


def test_a_model_is_made_for_thor_alone():
    net, loss = nn.Dense(4, 3), nn.MSELoss()
    plain = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = dyad.Model(net, loss, plain)
    assert ConvertModelUtils().convert_to_thor_model(model, net, loss, plain) is model
    data = dyad.dataset.NumpySlicesDataset((random(8, 4), random(8, 3)), shuffle=False).batch(4)
    for build in (lambda net, own: (net, loss), lambda net, own: (own, None)):
        net = nn.Dense(4, 3)
        before = net.weight.asnumpy().copy()
        optimizer = nn.thor(net, 0.1, Tensor([0.3]), 0.9, frequency=2)
        own = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
        network, loss_fn = build(net, own)
        made = ConvertModelUtils.convert_to_thor_model(model, network, loss_fn, optimizer, metrics=None)
        made.train(2, data, dataset_sink_mode=False)
        assert optimizer.global_step.asnumpy() == 4 and (net.weight.asnumpy() != before).any()


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((3, 0.1, Tensor([0.1]), 0.9), TypeError, "thor: net is of type int; need a Cell"),
        ((nn.Dense(2, 2), 0.1, "x", 0.9), TypeError, "thor: damping is of type str; need a Tensor"),
        ((nn.Dense(2, 2), 0.1, Tensor([0.1]), -1.0), ValueError, "momentum"),
        ((nn.Dense(2, 2), 0.1, Tensor([0.1]), 0.9, 0.0, 0.0), ValueError, "thor: loss_scale is 0.0"),
    ],
)
def test_thor_rejects_wrong_arguments(arguments, error, says):
    with pytest.raises(error, match=says):
        nn.thor(*arguments)
