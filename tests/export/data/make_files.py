"""Writes the files of this folder, with MindSpore 2.10; see README.md."""

import json
import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

HERE = os.path.dirname(os.path.abspath(__file__))
NETS = {}
random = np.random.RandomState(3)


def floats(*shape):
    """Normal numbers."""
    return random.randn(*shape).astype(np.float32)


def net(make):
    """Lists a function that gives a network, its inputs and, where sizes are open, templates for them."""
    NETS[make.__name__] = make
    return make


@net
def mlp():
    return nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3)), [floats(2, 4)]


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 3, pad_mode="valid")
        self.second = nn.Conv2d(2, 3, 3, pad_mode="same", has_bias=True)
        self.max_pool = nn.MaxPool2d(2, 2)
        self.average_pool = nn.AvgPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(27, 5)

    def construct(self, x):
        x = self.max_pool(ops.relu(self.first(x)))
        return self.dense(self.flatten(self.average_pool(ops.relu(self.second(x)))))


@net
def lenet():
    return LeNet(), [floats(2, 1, 14, 14)]


@net
def batch_norm():
    layers = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU())
    layers[1].moving_mean.set_data(Tensor(floats(3)))
    return layers.set_train(False), [floats(2, 2, 4, 4)]


@net
def batch_norm_training():
    return nn.BatchNorm2d(3).set_train(True), [floats(2, 3, 4, 4)]


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)

    def construct(self, x, h, c):
        return self.cell(x, (h, c))


@net
def lstm_cell():
    return Recurrent(), [floats(2, 3), floats(2, 4), floats(2, 4)]


class Branch(nn.Cell):
    def construct(self, x, y):
        if x.sum() > 0:  # noqa: SIM108
            z = x * y
        else:
            z = x - y
        return z + 1


@net
def branch():
    return Branch(), [floats(3), floats(3)]


class Loop(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.5], ms.float32), name="w")

    def construct(self, x, n):
        i = n * 0
        while i < n:
            x = x * self.w + 1
            i = i + 1
        return x, i


@net
def loop():
    return Loop(), [floats(3), np.array(4, np.int32)]


class LoopsInLoops(nn.Cell):
    def construct(self, x):
        i = Tensor(0)
        while i < 3:
            j = Tensor(0)
            while j < i + 1:
                x = x + 1
                if x[0] > 4:
                    break
                j = j + 1
            x = x * 1.1
            i = i + 1
        return x


@net
def loops_in_loops():
    return LoopsInLoops(), [floats(3)]


class ReturnInLoop(nn.Cell):
    def construct(self, x):
        i = Tensor(0)
        while i < 10:
            x = x * 1.5
            if x.sum() > 20:
                return x, i
            i = i + 1
        return x * 0, i


@net
def return_in_loop():
    return ReturnInLoop(), [np.abs(floats(3))]


class Unrolled(nn.Cell):
    def construct(self, x):
        for _ in range(5):
            x = x * 2
            if x.sum() > 10:
                break
        return x


@net
def unrolled():
    return Unrolled(), [np.abs(floats(3))]


@ms.jit
def factorial(n):
    if n <= 1:
        return n * 0 + 1
    return n * factorial(n - 1)


class Recursion(nn.Cell):
    def construct(self, n):
        return factorial(n)


@net
def recursion():
    return Recursion(), [np.array(5, np.int32)]


class Values(nn.Cell):
    def construct(self, x):
        return x + 1, (x * 2, [x - 1, 3]), 2.5, True, "text", 7, x.shape[0]


@net
def values():
    return Values(), [floats(2)]


class Sizes(nn.Cell):
    def construct(self, x):
        size = x.shape[0]
        return x.reshape(size, -1).sum(axis=1), ops.concat((x, x), 0), size * 2


@net
def sizes():
    return Sizes(), [floats(3, 2, 2)], [Tensor(shape=[None, 2, 2], dtype=ms.float32)]


class State(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor(np.zeros(3), ms.float32), name="total")
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)

    def construct(self, x):
        before = self.total + 0
        ops.assign_add(self.total, x)
        ops.assign(self.count, self.count + 1)
        return before, self.total * 2, self.count


@net
def state():
    return State(), [floats(3)]


class Subscripts(nn.Cell):
    def construct(self, x, i):
        return x[1:, ::2], x[i], x[..., 0], x[:, None], ops.gather(x, i, 0), x[-1]


@net
def subscripts():
    return Subscripts(), [floats(3, 4), np.array([0, 2], np.int32)]


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.attention = nn.MultiheadAttention(8, 2)
        self.norm = nn.LayerNorm((8,))
        self.gelu = nn.GELU(approximate=False)

    def construct(self, ids):
        x = self.embedding(ids)
        y, _ = self.attention(x, x, x)
        return self.gelu(self.norm(x + y))


@net
def attention():
    return Attention().set_train(False), [np.array([[1, 2, 3], [4, 5, 6]], np.int32)]


def training(network, loss, optimizer):
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer)
    return step.set_train()


@net
def momentum_step():
    network = nn.Dense(4, 3)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    return training(network, loss, optimizer), [floats(5, 4), np.array([0, 1, 2, 1, 0], np.int32)]


@net
def convolution_step():
    layers = nn.Conv2d(2, 3, 3, has_bias=True), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
    network = nn.SequentialCell(*layers, nn.Dense(12, 2))
    optimizer = nn.Adam(network.trainable_params(), 0.01)
    return training(network, nn.MSELoss(), optimizer), [floats(2, 2, 4, 4), floats(2, 2)]


@net
def transposed_convolution():
    """Its `pad` holds what mode "same" came to."""
    return nn.SequentialCell(nn.Conv2dTranspose(3, 2, 3, stride=2), nn.ReLU()), [floats(1, 3, 5, 5)]


def structure(value, arrays):
    """Structure of a value; data of its Tensors is appended to `arrays`."""
    if isinstance(value, Tensor):
        arrays.append(value.asnumpy())
        return {"tensor": len(arrays) - 1, "dtype": str(value.dtype)}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [structure(member, arrays) for member in value]}
    return {"value": value}


def main(names):
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(0)
    for name in names or NETS:
        network, arrays, *templates = NETS[name]()
        inputs = [Tensor(array) for array in arrays]
        path = os.path.join(HERE, f"{name}.mindir")
        if os.path.exists(path):
            os.remove(path)
        ms.export(network, *(templates[0] if templates else inputs), file_name=path, file_format="MINDIR")
        os.chmod(path, 0o644)
        results = []
        described = structure(nn.GraphCell(ms.load(path))(*inputs), results)
        named = {f"in{place}": array for place, array in enumerate(arrays)}
        named |= {f"out{place}": array for place, array in enumerate(results)}
        np.savez(os.path.join(HERE, f"{name}.npz"), structure=json.dumps(described), **named)


if __name__ == "__main__":
    main(sys.argv[1:])
