"""The benchmark's models in Dyad, line for line the same programs as in models_torch.py."""

from __future__ import annotations

import math

import numpy

from dyad import Tensor, nn, ops


def small_mlp() -> nn.Cell:
    return nn.SequentialCell(nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16))


def mlp() -> nn.Cell:
    return nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))


class Attention(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Dense(width, width)
        self.key = nn.Dense(width, width)
        self.value = nn.Dense(width, width)
        self.output = nn.Dense(width, width)

    def split(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).swapaxes(1, 2)

    def construct(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = ops.matmul(query, key.swapaxes(2, 3)) / math.sqrt(query.shape[-1])
        context = ops.matmul(ops.softmax(scores, -1), value)
        return self.output(context.swapaxes(1, 2).reshape(*x.shape))


class EncoderLayer(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm((width,), epsilon=1e-12)
        self.up = nn.Dense(width, 4 * width)
        self.down = nn.Dense(4 * width, width)
        self.output_norm = nn.LayerNorm((width,), epsilon=1e-12)

    def construct(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.output_norm(x + self.down(ops.gelu(self.up(x))))


class Bert(nn.Cell):
    def __init__(self, words: int, positions: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm((width,), epsilon=1e-12)
        self.layers = nn.SequentialCell(*[EncoderLayer(width, heads) for _ in range(layers)])
        self.pooler = nn.Dense(width, width)

    def construct(self, tokens):
        x = self.words(tokens) + self.positions(ops.arange(tokens.shape[1]))
        x = self.layers(self.norm(x))
        return ops.tanh(self.pooler(x[:, 0]))


def bert_base() -> nn.Cell:
    return Bert(words=30522, positions=512, width=768, heads=12, layers=12)


class CausalAttention(Attention):
    """Causal attention: a position does not attend to later ones."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__(width, heads)
        hidden = numpy.triu(numpy.full((length, length), -numpy.inf, numpy.float32), 1)
        self.mask = Tensor(hidden)

    def construct(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = ops.matmul(query, key.swapaxes(2, 3)) / math.sqrt(query.shape[-1]) + self.mask
        context = ops.matmul(ops.softmax(scores, -1), value)
        return self.output(context.swapaxes(1, 2).reshape(*x.shape))


class DecoderLayer(nn.Cell):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.attention = CausalAttention(width, heads, length)
        self.output_norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.up = nn.Dense(width, 4 * width)
        self.down = nn.Dense(4 * width, width)

    def construct(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.down(ops.gelu(self.up(self.output_norm(x))))


class Gpt(nn.Cell):
    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(length, width)
        self.layers = nn.SequentialCell(*[DecoderLayer(width, heads, length) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.head = nn.Dense(width, words)

    def construct(self, tokens):
        x = self.words(tokens) + self.positions(ops.arange(tokens.shape[1]))
        scores = self.head(self.norm(self.layers(x)))
        return scores.reshape(-1, scores.shape[-1])


def gpt() -> nn.Cell:
    return Gpt(words=1000, length=128, width=256, heads=8, layers=4)


def convolution(channels: int, filters: int, kernel: int, stride: int) -> nn.Cell:
    return nn.Conv2d(channels, filters, kernel, stride, pad_mode="pad", padding=kernel // 2)


class Bottleneck(nn.Cell):
    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.reduce = nn.SequentialCell(convolution(channels, width, 1, 1), nn.BatchNorm2d(width))
        self.middle = nn.SequentialCell(convolution(width, width, 3, stride), nn.BatchNorm2d(width))
        self.expand = nn.SequentialCell(convolution(width, 4 * width, 1, 1), nn.BatchNorm2d(4 * width))
        self.shortcut = None
        if stride > 1 or channels != 4 * width:
            self.shortcut = nn.SequentialCell(
                convolution(channels, 4 * width, 1, stride), nn.BatchNorm2d(4 * width)
            )

    def construct(self, x):
        y = ops.relu(self.reduce(x))
        y = ops.relu(self.middle(y))
        y = self.expand(y)
        return ops.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nn.Cell):
    def __init__(self, blocks: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.stem = nn.SequentialCell(convolution(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        stages, channels = [], 64
        for stage, count in enumerate(blocks):
            width = 64 << stage
            for block in range(count):
                stages.append(Bottleneck(channels, width, 2 if stage > 0 and block == 0 else 1))
                channels = 4 * width
        self.stages = nn.SequentialCell(*stages)
        self.classifier = nn.Dense(channels, classes)

    def construct(self, x):
        x = self.stages(self.pool(self.stem(x)))
        return self.classifier(x.mean((2, 3)))


def resnet50() -> nn.Cell:
    return ResNet(blocks=(3, 4, 6, 3), classes=1000)


class Lstm(nn.Cell):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.inputs = nn.Dense(width, 4 * width)
        self.hidden = nn.Dense(width, 4 * width)

    def construct(self, x):
        hidden = cell = ops.zeros((x.shape[0], self.width), x.dtype)
        for step in range(x.shape[1]):
            gates = self.inputs(x[:, step]) + self.hidden(hidden)
            entering, forgetting, candidate, leaving = ops.split(gates, self.width, 1)
            cell = ops.sigmoid(forgetting) * cell + ops.sigmoid(entering) * ops.tanh(candidate)
            hidden = ops.sigmoid(leaving) * ops.tanh(cell)
        return hidden


def lstm() -> nn.Cell:
    return Lstm(256)


def depthwise() -> nn.Cell:
    layers = []
    for _ in range(4):
        each = nn.Conv2d(64, 64, 3, pad_mode="pad", padding=1, group=64)
        layers += [each, nn.BatchNorm2d(64), nn.ReLU()]
        layers += [convolution(64, 64, 1, 1), nn.BatchNorm2d(64), nn.ReLU()]
    return nn.SequentialCell(*layers)
