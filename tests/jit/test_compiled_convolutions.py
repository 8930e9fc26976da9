"""Convolution networks as static graphs work in another memory layout, with folded norms and packed filters:
they must still be the dynamic network, in training and in inference."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops

RNG = np.random.default_rng(7)


def randoms(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def convolution(channels, filters, kernel, stride=1, **options):
    options.setdefault("pad_mode", "pad")
    options.setdefault("padding", kernel // 2 if options["pad_mode"] == "pad" else 0)
    return nn.Conv2d(channels, filters, kernel, stride, **options)


class Residual(nn.Cell):
    """Norms with a shortcut that has one of its own, as in residual networks."""

    def __init__(self, channels, filters):
        super().__init__()
        self.first = nn.SequentialCell(
            convolution(channels, filters, 3, 2), nn.BatchNorm2d(filters), nn.ReLU()
        )
        self.second = nn.SequentialCell(convolution(filters, filters, 3), nn.BatchNorm2d(filters))
        self.shortcut = nn.SequentialCell(convolution(channels, filters, 1, 2), nn.BatchNorm2d(filters))
        self.third = nn.SequentialCell(convolution(filters, filters, 1), nn.BatchNorm2d(filters))

    def construct(self, x):
        x = ops.relu(self.second(self.first(x)) + self.shortcut(x))
        return ops.relu(x + self.third(x))


class Head(nn.Cell):
    def __init__(self, body, channels):
        super().__init__()
        self.body = body
        self.classes = nn.Dense(channels, 5)

    def construct(self, x):
        return self.classes(self.body(x).mean((2, 3)))


class Mixed(nn.Cell):
    """Groups, depthwise filters, dilation, pooling, joins, numbers per channel and a gate."""

    def __init__(self):
        super().__init__()
        self.stem = convolution(3, 18, 5, has_bias=True)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        self.grouped = convolution(18, 27, 3, group=9, has_bias=True)
        self.depthwise = convolution(18, 18, 3, group=18)
        self.dilated = convolution(18, 7, 3, pad_mode="same", dilation=2)
        self.average = nn.AvgPool2d(2, 2)
        self.gate = convolution(52, 52, 1, has_bias=True)
        self.scale = Parameter(randoms(1, 52, 1, 1), name="scale")
        self.norm = nn.BatchNorm2d(52)
        self.last = convolution(52, 20, 3)

    def construct(self, x):
        x = self.pool(ops.tanh(self.stem(x)))
        x = ops.concat((self.grouped(x), self.depthwise(x), self.dilated(x)), 1)
        x = self.norm(x) * self.scale + 0.5
        gate = ops.sigmoid(self.gate(x.mean((2, 3), True)))
        x = self.average(ops.silu(x * gate))
        return ops.leaky_relu(self.last(x)) - ops.relu6(x[:, :20])


class Lines(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(12, 33, 5, stride=2, pad_mode="pad", padding=2)
        self.norm = nn.BatchNorm1d(33)
        self.second = nn.Conv1d(33, 16, 3, pad_mode="same", dilation=3)

    def construct(self, x):
        return self.second(ops.relu(self.norm(self.first(x))))


class Volumes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv3d(3, 16, 3, pad_mode="pad", padding=1)
        self.norm = nn.BatchNorm3d(16)
        self.second = nn.Conv3d(16, 8, (1, 3, 3), stride=(1, 2, 2), pad_mode="valid")

    def construct(self, x):
        return self.second(ops.relu(self.norm(self.first(x))))


class Flattened(nn.Cell):
    """The order of memory shows after a reshape."""

    def __init__(self):
        super().__init__()
        self.first = convolution(3, 16, 3)
        self.second = convolution(16, 6, 3, 2)
        self.classes = nn.Dense(6 * 64, 5)

    def construct(self, x):
        x = ops.relu(self.second(ops.relu(self.first(x))))
        return self.classes(x.reshape(x.shape[0], -1))


NETWORKS = {
    "residual": (lambda: Head(Residual(16, 40), 40), (3, 16, 24, 20)),
    "mixed": (Mixed, (2, 3, 40, 36)),
    "lines": (Lines, (4, 12, 300)),
    "volumes": (Volumes, (2, 3, 6, 14, 14)),
    "flattened": (Flattened, (2, 3, 16, 16)),
}


def same(given, expected, tolerance=2e-4):
    expected = expected.asnumpy()
    np.testing.assert_allclose(
        given.asnumpy(), expected, rtol=tolerance, atol=tolerance * (np.abs(expected).max() + 1e-3)
    )


@pytest.fixture(params=NETWORKS)
def network(request):
    make, shape = NETWORKS[request.param]
    net = make()
    for index, parameter in enumerate(net.get_parameters()):
        values = np.random.default_rng(index).uniform(0.3, 1.2, parameter.shape).astype(np.float32)
        if parameter.name.endswith(("gamma", "moving_variance", "beta", "moving_mean")):
            parameter.set_data(Tensor(values))
    return net, shape


def test_a_compiled_network_in_eval_mode_follows_parameter_changes(network):
    net, shape = network
    net.set_train(False)
    graph = dyad.jit(net)
    for _ in range(2):
        x = randoms(*shape)
        same(graph(x), net(x))
    for parameter in net.get_parameters():
        parameter.set_data(parameter * 0.75)
        x = randoms(*shape)
    same(graph(x), net(x))
    for parameter in net.trainable_params():
        ops.assign(parameter, parameter + 0.01)
    same(graph(x), net(x))


def test_a_compiled_training_step_matches_the_dynamic_graph(network):
    net, shape = network
    net.set_train(True)
    weights = net.trainable_params()
    target = net(randoms(*shape))
    target = randoms(*target.shape)
    optimizer = nn.Momentum(weights, 0.01, 0.9)

    def forward(x):
        return ((net(x) - target) ** 2).mean()

    gradients = dyad.value_and_grad(forward, None, weights)

    @dyad.jit
    def step(x):
        loss, found = gradients(x)
        optimizer(found)
        return loss, found

    start = [Tensor(parameter.asnumpy().copy()) for parameter in net.get_parameters()]
    inputs = [randoms(*shape) for _ in range(2)]

    def run(one_step):
        for parameter, values in zip(net.get_parameters(), start, strict=True):
            parameter.set_data(values)
        for moment in optimizer.moments:
            moment.set_data(moment * 0)
        results = [one_step(x) for x in inputs]
        return results, [Tensor(parameter.asnumpy().copy()) for parameter in net.get_parameters()]

    def dynamic_step(x):
        loss, found = gradients(x)
        optimizer(found)
        return loss, found

    expected, expected_left = run(dynamic_step)
    given, left = run(step)
    for (loss, found), (expected_loss, expected_found) in zip(given, expected, strict=True):
        same(loss, expected_loss, 1e-3)
        for gradient, wanted in zip(found, expected_found, strict=True):
            same(gradient, wanted, 5e-3)
    for values, wanted in zip(left, expected_left, strict=True):
        same(values, wanted, 1e-3)


def test_gradients_of_a_compiled_network(network):
    net, shape = network
    net.set_train(False)
    graph = dyad.jit(net)
    x = randoms(*shape)
    weights = net.trainable_params()
    expected = dyad.grad(lambda y: (net(y) ** 2).sum(), 0, weights)(x)
    given = dyad.grad(lambda y: (graph(y) ** 2).sum(), 0, weights)(x)
    same(given[0], expected[0], 1e-3)
    for gradient, wanted in zip(given[1], expected[1], strict=True):
        same(gradient, wanted, 1e-3)


def test_not_a_number_stays_one():
    net = Flattened()
    graph = dyad.jit(net)
    values = RNG.standard_normal((1, 3, 16, 16)).astype(np.float32)
    values[0, 1, 5, 5] = np.nan
    np.testing.assert_array_equal(
        np.isnan(graph(Tensor(values)).asnumpy()), np.isnan(net(Tensor(values)).asnumpy())
    )
    body = dyad.jit(lambda x: ops.relu(net.second(ops.relu(net.first(x)))))
    expected = ops.relu(net.second(ops.relu(net.first(Tensor(values))))).asnumpy()
    assert np.isnan(expected).any()
    np.testing.assert_array_equal(np.isnan(body(Tensor(values)).asnumpy()), np.isnan(expected))


def test_results_lie_in_row_major_order():
    net = nn.SequentialCell(convolution(8, 16, 3), nn.ReLU(), convolution(16, 16, 3))
    result = dyad.jit(net)(randoms(2, 8, 20, 20))
    assert result.is_contiguous()


def test_empty_batch_and_other_dtypes():
    net = Residual(16, 40)
    net.set_train(False)
    graph = dyad.jit(net)
    assert graph(Tensor(np.zeros((0, 16, 24, 20), np.float32))).shape == (0, 40, 12, 10)
    half = Residual(16, 40).to_float(dyad.float16)
    half.set_train(False)
    x = randoms(2, 16, 24, 20)
    same(dyad.jit(half)(x).astype(dyad.float32), half(x).astype(dyad.float32), 1e-2)


def test_a_compiled_network_follows_changing_image_sizes():
    net = Residual(16, 40)
    net.set_train(False)
    graph = dyad.jit(net)
    for batch, size in ((1, 24), (3, 24), (2, 30), (1, 24)):
        x = randoms(batch, 16, size, size)
        same(graph(x), net(x))
