"""Prints what many computations give, as a sum of the bits: `deterministic_results.py THREADS`.

The sizes are such that the work is split: a reduction over pieces that depend on the number of threads would show.
"""

import functools
import json
import sys
import zlib

import numpy as np

import dyad
from dyad import Tensor, nn, ops, value_and_grad


@functools.cache
def floats(*shape):
    numbers = np.random.default_rng(shape)
    return Tensor(numbers.standard_normal(shape, dtype=np.float32))


REDUCTIONS = {
    "sum": lambda x: (x.sum(), x.sum(0), x.sum(1), x.sum(-1, keepdims=True)),
    "mean": lambda x: (x.mean(), x.mean(0), x.mean((0, 1))),
    "prod": lambda x: (ops.prod(1 + x / 1000), ops.prod(1 + x / 1000, 0)),
    "var": lambda x: (ops.var(x), ops.var(x, 0), ops.std(x, -1)),
    "norm": lambda x: (ops.norm(x), ops.norm(x, dim=0)),
    "logsumexp": lambda x: (ops.logsumexp(x, 0), ops.logsumexp(x, -1)),
    "softmax": lambda x: (ops.softmax(x, 0), ops.softmax(x, -1), ops.log_softmax(x, 1)),
    "cumsum": lambda x: (ops.cumsum(x, 0), ops.cumsum(x, -1)),
    "extremes": lambda x: (x.max(), x.argmax(0), ops.amin(x, (0, 2))),
    "layer_norm": lambda x: ops.layer_norm(x, (x.shape[-1],), floats(x.shape[-1]), floats(x.shape[-1])),
    "batch_norm": lambda x: nn.BatchNorm1d(x.shape[1])(x.reshape(-1, x.shape[1])),
    "losses": lambda x: (ops.mse_loss(x, x * 0.5), ops.cross_entropy(x[0], ops.softmax(x[-1], -1))),
    "histogram": lambda x: ops.bincount((x.reshape(-1)[:50000] * 3).abs().astype(dyad.int64)),
    "clipped": lambda x: ops.clip_by_global_norm([x, x * 2], 1.0),
}
DIFFERENTIATED = ("sum", "var", "softmax", "logsumexp", "layer_norm", "losses")
SHAPES = [(16, 300, 200), (2, 40000, 5), (1, 3, 100001)]


PRODUCTS = {
    "matmul": lambda: (lambda a, b: a @ b, floats(300, 700), floats(700, 200)),
    "long": lambda: (lambda a, b: a @ b, floats(4, 20000), floats(20000, 3)),
    "tall": lambda: (lambda a, b: a.T @ b, floats(20000, 32), floats(20000, 33)),
    "few rows": lambda: (lambda a, b: ops.dense(a, b), floats(16, 1600), floats(10, 1600)),
    "vector": lambda: (lambda a, b: a @ b, floats(1, 5000), floats(5000, 300)),
    "batched": lambda: (lambda a, b: ops.bmm(a, b), floats(6, 50, 300), floats(6, 300, 40)),
    "transposed": lambda: (lambda a, b: ops.relu(a.T @ b) + 1, floats(5000, 30), floats(5000, 20)),
    "attention": lambda: (
        lambda q, k: ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-2, -1)), -1), k),
        floats(2, 4, 130, 32),
        floats(2, 4, 130, 32),
    ),
    "convolution": lambda: (
        lambda x, w: ops.relu(ops.conv2d(x, w, stride=1, pad_mode="same")),
        floats(3, 16, 40, 40),
        floats(24, 16, 3, 3),
    ),
    "pointwise convolution": lambda: (
        lambda x, w: ops.conv2d(x, w),
        floats(1, 64, 30, 30),
        floats(32, 64, 1, 1),
    ),
    "depthwise": lambda: (
        lambda x, w: ops.conv2d(x, w, groups=16, pad_mode="pad", padding=1),
        floats(2, 16, 50, 50),
        floats(16, 1, 3, 3),
    ),
    "embedding": lambda: (
        lambda table, x: ops.gather(table, (x * 7).abs().astype(dyad.int32), 0) * 2,
        floats(40, 16),
        floats(5000),
    ),
    "pool": lambda: (
        lambda x, w: ops.avg_pool2d(x, 3, 2) + ops.max_pool2d(x, 3, 2) * w,
        floats(4, 16, 51, 51),
        floats(25),
    ),
}


def trained(network, optimizer, *data, form):
    """The loss and the Parameters after a few steps."""
    dyad.set_seed(3)
    net = network()
    step_rule = optimizer(net.trainable_params())
    gradient = value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, net.trainable_params())

    def step(x, y):
        loss, gradients = gradient(x, y)
        step_rule(gradients)
        return loss

    step = form(step)
    losses = [step(*data) for _ in range(3)]
    return [*losses, *(parameter.value() for parameter in net.trainable_params())]


def dense_network():
    return nn.SequentialCell(nn.Dense(300, 400), nn.ReLU(), nn.LayerNorm((400,)), nn.Dense(400, 10))


def convolution_network():
    first = nn.Conv2d(3, 16, 3, pad_mode="pad", padding=1)
    return nn.SequentialCell(
        first, nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(1600, 10)
    )


OPTIMIZERS = {"adam": nn.Adam, "momentum": lambda params: nn.Momentum(params, 0.01, 0.9)}
FORMS = {"dynamic": lambda function: function, "static": dyad.jit}


def computations():
    """(name, function without arguments) of everything that is compared."""
    for form, make in FORMS.items():
        for name, reduce in REDUCTIONS.items():
            for shape in SHAPES:
                x, scale = floats(*shape), floats(shape[-1])
                yield f"{form} {name} {shape}", functools.partial(make(reduce), x)
                if name in DIFFERENTIATED:
                    gradients = value_and_grad(lambda x, scale, reduce=reduce: reduce(x * scale), (0, 1))
                    yield f"{form} gradients of {name} {shape}", functools.partial(make(gradients), x, scale)
        for name, product in PRODUCTS.items():
            program, *operands = product()
            yield f"{form} {name}", functools.partial(make(program), *operands)
            gradients = make(value_and_grad(program, (0, 1)))
            yield f"{form} gradients of {name}", functools.partial(gradients, *operands)
        for optimizer, rule in OPTIMIZERS.items():
            dense = functools.partial(trained, dense_network, rule, floats(200, 300), floats(200, 10))
            yield f"{form} dense network with {optimizer}", functools.partial(dense, form=make)
            images = floats(16, 3, 20, 20), floats(16, 10)
            convolutions = functools.partial(trained, convolution_network, rule, *images, form=make)
            yield f"{form} convolution network with {optimizer}", convolutions


def flat(value):
    if isinstance(value, Tensor):
        return [value]
    return [tensor for item in value for tensor in flat(item)]


def main(threads):
    dyad.set_deterministic(True)
    dyad.set_context(runtime_num_threads=threads)
    found = {}
    for name, compute in computations():
        found[name] = [zlib.crc32(tensor.asnumpy().tobytes()) for tensor in flat(compute())]
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
