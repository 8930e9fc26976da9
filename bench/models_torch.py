"""The benchmark's models in PyTorch, line for line the same programs as in models_dyad.py."""

from __future__ import annotations

import math

import numpy
import torch
from torch import nn
from torch.nn import functional


def small_mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def split(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).swapaxes(1, 2)

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.swapaxes(2, 3)) / math.sqrt(query.shape[-1])
        context = torch.matmul(torch.softmax(scores, -1), value)
        return self.output(context.swapaxes(1, 2).reshape(*x.shape))


class EncoderLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm((width,), eps=1e-12)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.output_norm = nn.LayerNorm((width,), eps=1e-12)

    def forward(self, x):
        x = self.attention_norm(x + self.attention(x))
        return self.output_norm(x + self.down(functional.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, words: int, positions: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm((width,), eps=1e-12)
        self.layers = nn.Sequential(*[EncoderLayer(width, heads) for _ in range(layers)])
        self.pooler = nn.Linear(width, width)

    def forward(self, tokens):
        x = self.words(tokens) + self.positions(torch.arange(tokens.shape[1]))
        x = self.layers(self.norm(x))
        return torch.tanh(self.pooler(x[:, 0]))


def bert_base() -> nn.Module:
    return Bert(words=30522, positions=512, width=768, heads=12, layers=12)


class CausalAttention(Attention):
    """Causal attention: a position does not attend to later ones."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__(width, heads)
        hidden = numpy.triu(numpy.full((length, length), -numpy.inf, numpy.float32), 1)
        self.register_buffer("mask", torch.tensor(hidden))

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.swapaxes(2, 3)) / math.sqrt(query.shape[-1]) + self.mask
        context = torch.matmul(torch.softmax(scores, -1), value)
        return self.output(context.swapaxes(1, 2).reshape(*x.shape))


class DecoderLayer(nn.Module):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm((width,), eps=1e-5)
        self.attention = CausalAttention(width, heads, length)
        self.output_norm = nn.LayerNorm((width,), eps=1e-5)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.down(functional.gelu(self.up(self.output_norm(x))))


class Gpt(nn.Module):
    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(length, width)
        self.layers = nn.Sequential(*[DecoderLayer(width, heads, length) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), eps=1e-5)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.words(tokens) + self.positions(torch.arange(tokens.shape[1]))
        scores = self.head(self.norm(self.layers(x)))
        return scores.reshape(-1, scores.shape[-1])


def gpt() -> nn.Module:
    return Gpt(words=1000, length=128, width=256, heads=8, layers=4)


def convolution(channels: int, filters: int, kernel: int, stride: int) -> nn.Module:
    return nn.Conv2d(channels, filters, kernel, stride, padding=kernel // 2, bias=False)


class Bottleneck(nn.Module):
    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.reduce = nn.Sequential(convolution(channels, width, 1, 1), nn.BatchNorm2d(width))
        self.middle = nn.Sequential(convolution(width, width, 3, stride), nn.BatchNorm2d(width))
        self.expand = nn.Sequential(convolution(width, 4 * width, 1, 1), nn.BatchNorm2d(4 * width))
        self.shortcut = None
        if stride > 1 or channels != 4 * width:
            self.shortcut = nn.Sequential(
                convolution(channels, 4 * width, 1, stride), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x):
        y = torch.relu(self.reduce(x))
        y = torch.relu(self.middle(y))
        y = self.expand(y)
        return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nn.Module):
    def __init__(self, blocks: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolution(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        stages, channels = [], 64
        for stage, count in enumerate(blocks):
            width = 64 << stage
            for block in range(count):
                stages.append(Bottleneck(channels, width, 2 if stage > 0 and block == 0 else 1))
                channels = 4 * width
        self.stages = nn.Sequential(*stages)
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        x = self.stages(self.pool(self.stem(x)))
        return self.classifier(x.mean((2, 3)))


def resnet50() -> nn.Module:
    return ResNet(blocks=(3, 4, 6, 3), classes=1000)


class Lstm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.inputs = nn.Linear(width, 4 * width)
        self.hidden = nn.Linear(width, 4 * width)

    def forward(self, x):
        hidden = cell = torch.zeros((x.shape[0], self.width), dtype=x.dtype)
        for step in range(x.shape[1]):
            gates = self.inputs(x[:, step]) + self.hidden(hidden)
            entering, forgetting, candidate, leaving = torch.split(gates, self.width, 1)
            cell = torch.sigmoid(forgetting) * cell + torch.sigmoid(entering) * torch.tanh(candidate)
            hidden = torch.sigmoid(leaving) * torch.tanh(cell)
        return hidden


def lstm() -> nn.Module:
    return Lstm(256)


def depthwise() -> nn.Module:
    layers = []
    for _ in range(4):
        each = nn.Conv2d(64, 64, 3, padding=1, groups=64, bias=False)
        layers += [each, nn.BatchNorm2d(64), nn.ReLU()]
        layers += [convolution(64, 64, 1, 1), nn.BatchNorm2d(64), nn.ReLU()]
    return nn.Sequential(*layers)
