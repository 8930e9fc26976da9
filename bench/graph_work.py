"""Lower bounds of the operations and bytes of each row of `./dev bench graph`.

Floating-point operations are those of products and convolutions (a multiply and an add count as two), and of what else
is the whole of a row. Bytes are those of inputs, weights and results, each moved once between memory and processor:
what lies between them could stay in the caches.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

FLOAT = 4


@dataclass(frozen=True)
class Work:
    flop: float
    bytes: float

    def least_seconds(self, flop_rate: float, byte_rate: float) -> float:
        """Shortest time in seconds that the machine's limits allow."""
        return max(self.flop / flop_rate, self.bytes / byte_rate)


def pointwise(elements: int, operations: int, tensors: int) -> Work:
    return Work(elements * operations, elements * tensors * FLOAT)


def dense(batch: int, sizes: list[int], size_of_element: int = FLOAT) -> Work:
    pairs = list(itertools.pairwise(sizes))
    flop = sum(2 * batch * inputs * outputs for inputs, outputs in pairs)
    weights = sum((inputs + 1) * outputs for inputs, outputs in pairs)
    return Work(flop, (weights + batch * (sizes[0] + sizes[-1])) * size_of_element)


def trained(forward: Work, states: int) -> Work:
    """A step of training: two more products for each one; weights, and as many states of the optimizer, are read and
    written."""
    return Work(3 * forward.flop, forward.bytes * (3 + 2 * states))


def repeated(work: Work, times: int) -> Work:
    return Work(work.flop * times, work.bytes)


def transformer(batch: int, length: int, width: int, layers: int, words: int = 0) -> Work:
    """Encoder or decoder layers with four times the width inside; `words` are scored at the end."""
    places = batch * length
    projections = 12 * width * width
    attention = 2 * length * width
    flop = 2 * places * (layers * (projections + attention) + words * width)
    weights = layers * projections + words * width
    return Work(flop, (weights + places * width) * FLOAT)


def resnet50(batch: int) -> Work:
    flop, weights, size, channels = 0.0, 0, 112, 64

    def convolution(inputs: int, outputs: int, kernel: int, result: int) -> None:
        nonlocal flop, weights
        flop += 2 * batch * result * result * inputs * outputs * kernel * kernel
        weights += inputs * outputs * kernel * kernel

    convolution(3, 64, 7, size)
    size = 56
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            convolution(channels, width, 1, size)
            if stage > 0 and block == 0:
                size //= 2
            convolution(width, width, 3, size)
            convolution(width, 4 * width, 1, size)
            if block == 0:
                convolution(channels, 4 * width, 1, size)
            channels = 4 * width
    classifier = dense(batch, [2048, 1000])
    return Work(flop + classifier.flop, (weights + batch * 3 * 224 * 224) * FLOAT + classifier.bytes)
