"""The benchmark's models in JAX: the same computations as in models_dyad.py and models_torch.py.

Images lie with their channels last, as JAX programs have them; weights are the others' in that order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy
from jax import lax

from worker import weights

Tree = dict[str, Any]


@dataclass
class Net:
    """`learn(weights, statistics, x)` returns scores and new batch-norm statistics; `forward` does inference."""

    weights: Any
    forward: Callable
    learn: Callable
    statistics: Any = field(default_factory=dict)


def without_statistics(held: Any, forward: Callable) -> Net:
    return Net(held, forward, lambda held, statistics, x: (forward(held, x), statistics))


def dense_weights(inputs: int, outputs: int) -> Tree:
    return {"weight": weights((outputs, inputs)), "bias": weights((outputs,))}


def dense(held: Tree, x):
    return x @ held["weight"].T + held["bias"]


def norm_weights(width: int) -> Tree:
    return {"gamma": weights((width,)), "beta": weights((width,))}


def layer_norm(held: Tree, x, epsilon: float):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon) * held["gamma"] + held["beta"]


def mlp() -> Net:
    held = [dense_weights(*sizes) for sizes in itertools.pairwise((784, 512, 512, 10))]

    def forward(held, x):
        for layer in held[:-1]:
            x = jax.nn.relu(dense(layer, x))
        return dense(held[-1], x)

    return without_statistics(held, forward)


def layer_weights(width: int) -> Tree:
    projections = {name: dense_weights(width, width) for name in ("query", "key", "value", "output")}
    norms = {name: norm_weights(width) for name in ("attention_norm", "output_norm")}
    return {
        **projections,
        **norms,
        "up": dense_weights(width, 4 * width),
        "down": dense_weights(4 * width, width),
    }


def attention(held: Tree, x, heads: int, mask=None):
    batch, length, width = x.shape

    def split(projected):
        return projected.reshape(batch, length, heads, width // heads).swapaxes(1, 2)

    query, key, value = (split(dense(held[name], x)) for name in ("query", "key", "value"))
    scores = query @ key.swapaxes(2, 3) / math.sqrt(width // heads)
    if mask is not None:
        scores = scores + mask
    context = jax.nn.softmax(scores, -1) @ value
    return dense(held["output"], context.swapaxes(1, 2).reshape(x.shape))


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def bert_base() -> Net:
    width, heads, layers, epsilon = 768, 12, 12, 1e-12
    held = {
        "words": weights((30522, width)),
        "positions": weights((512, width)),
        "norm": norm_weights(width),
        "layers": [layer_weights(width) for _ in range(layers)],
        "pooler": dense_weights(width, width),
    }

    def forward(held, tokens):
        x = held["words"][tokens] + held["positions"][: tokens.shape[1]]
        x = layer_norm(held["norm"], x, epsilon)
        for layer in held["layers"]:
            x = layer_norm(layer["attention_norm"], x + attention(layer, x, heads), epsilon)
            down = dense(layer["down"], gelu(dense(layer["up"], x)))
            x = layer_norm(layer["output_norm"], x + down, epsilon)
        return jnp.tanh(dense(held["pooler"], x[:, 0]))

    return without_statistics(held, forward)


def gpt() -> Net:
    words, length, width, heads, layers, epsilon = 1000, 128, 256, 8, 4, 1e-5
    mask = numpy.triu(numpy.full((length, length), -numpy.inf, numpy.float32), 1)
    held = {
        "words": weights((words, width)),
        "positions": weights((length, width)),
        "layers": [layer_weights(width) for _ in range(layers)],
        "norm": norm_weights(width),
        "head": dense_weights(width, words),
    }

    def forward(held, tokens):
        x = held["words"][tokens] + held["positions"][: tokens.shape[1]]
        for layer in held["layers"]:
            x = x + attention(layer, layer_norm(layer["attention_norm"], x, epsilon), heads, mask)
            x = x + dense(
                layer["down"], gelu(dense(layer["up"], layer_norm(layer["output_norm"], x, epsilon)))
            )
        scores = dense(held["head"], layer_norm(held["norm"], x, epsilon))
        return scores.reshape(-1, words)

    return without_statistics(held, forward)


def lstm() -> Net:
    width = 256
    held = {"inputs": dense_weights(width, 4 * width), "hidden": dense_weights(width, 4 * width)}

    def forward(held, x):
        def step(state, now):
            hidden, cell = state
            gates = dense(held["inputs"], now) + dense(held["hidden"], hidden)
            entering, forgetting, candidate, leaving = jnp.split(gates, 4, 1)
            cell = jax.nn.sigmoid(forgetting) * cell + jax.nn.sigmoid(entering) * jnp.tanh(candidate)
            hidden = jax.nn.sigmoid(leaving) * jnp.tanh(cell)
            return (hidden, cell), None

        start = jnp.zeros((x.shape[0], width))
        return lax.scan(step, (start, start), x.swapaxes(0, 1))[0][0]

    return without_statistics(held, forward)


def convolution(weight, x, stride: int, groups: int = 1):
    edge = weight.shape[0] // 2
    return lax.conv_general_dilated(
        x,
        weight,
        (stride, stride),
        [(edge, edge)] * 2,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def convolution_weights(channels: int, filters: int, kernel: int) -> Tree:
    weight = weights((filters, channels, kernel, kernel)).transpose(2, 3, 1, 0)
    return {"weight": numpy.ascontiguousarray(weight), "norm": norm_weights(filters)}


class Normalisation:
    """Batch norms one after the other, in training with the statistics of the batch."""

    def __init__(self, statistics: list | None) -> None:
        self.statistics = statistics
        self.renewed: list = []

    def __call__(self, held: Tree, x):
        if self.statistics is None:  # the statistics of a network that has not been trained are 0 and 1
            return x * (held["gamma"] / math.sqrt(1 + 1e-5)) + held["beta"]
        mean = x.mean((0, 1, 2))
        variance = jnp.square(x - mean).mean((0, 1, 2))
        count = x.size // x.shape[-1]
        kept = self.statistics[len(self.renewed)]
        self.renewed.append(
            (0.9 * kept[0] + 0.1 * mean, 0.9 * kept[1] + 0.1 * variance * count / (count - 1))
        )
        return (x - mean) * (lax.rsqrt(variance + 1e-5) * held["gamma"]) + held["beta"]


def with_statistics(held: Any, apply: Callable, channels: list[int]) -> Net:
    def learn(held, statistics, x):
        norm = Normalisation(statistics)
        return apply(held, norm, x), norm.renewed

    start = [(numpy.zeros(count, numpy.float32), numpy.ones(count, numpy.float32)) for count in channels]
    return Net(held, lambda held, x: apply(held, Normalisation(None), x), learn, start)


def resnet50() -> Net:
    strides, blocks, channels, norms = [], [], 64, [64]
    for stage, count in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(count):
            strides.append(2 if stage > 0 and block == 0 else 1)
            held = {
                "reduce": convolution_weights(channels, width, 1),
                "middle": convolution_weights(width, width, 3),
                "expand": convolution_weights(width, 4 * width, 1),
            }
            norms += [width, width, 4 * width]
            if block == 0:
                held["shortcut"] = convolution_weights(channels, 4 * width, 1)
                norms.append(4 * width)
            channels = 4 * width
            blocks.append(held)
    held = {
        "stem": convolution_weights(3, 64, 7),
        "blocks": blocks,
        "classifier": dense_weights(channels, 1000),
    }

    def normalised(held, norm, x, stride=1):
        return norm(held["norm"], convolution(held["weight"], x, stride))

    def apply(held, norm, x):
        x = jax.nn.relu(normalised(held["stem"], norm, x.transpose(0, 2, 3, 1), 2))
        x = lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), [(0, 0), (1, 1), (1, 1), (0, 0)]
        )
        for block, stride in zip(held["blocks"], strides, strict=True):
            y = jax.nn.relu(normalised(block["reduce"], norm, x))
            y = jax.nn.relu(normalised(block["middle"], norm, y, stride))
            y = normalised(block["expand"], norm, y)
            if "shortcut" in block:
                x = normalised(block["shortcut"], norm, x, stride)
            x = jax.nn.relu(y + x)
        return dense(held["classifier"], x.mean((1, 2)))

    return with_statistics(held, apply, norms)


def depthwise() -> Net:
    held = [
        {"each": convolution_weights(1, 64, 3), "across": convolution_weights(64, 64, 1)} for _ in range(4)
    ]

    def apply(held, norm, x):
        x = x.transpose(0, 2, 3, 1)
        for block in held:
            each, across = block["each"], block["across"]
            x = jax.nn.relu(norm(each["norm"], convolution(each["weight"], x, 1, groups=64)))
            x = jax.nn.relu(norm(across["norm"], convolution(across["weight"], x, 1)))
        return x.transpose(0, 3, 1, 2)

    return with_statistics(held, apply, [64] * 8)
