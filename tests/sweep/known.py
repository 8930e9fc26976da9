"""Cases in which a kernel once left its memory."""

from functools import partial

import numpy as np

from dyad import ops

from .case import Case, Draw


def _pointwise(channels):
    """A 1x1 kernel that skips positions: the weight's gradient collects those it reads."""
    draw = Draw(channels)

    def network(x, weight):
        return ops.conv2d(x, weight, stride=2) ** 2

    text = f"1x1, stride 2, {channels} channels"
    return Case(
        text, network, [draw.integers((2, channels, 96, 96))], [draw.integers((64, channels, 1, 1), 1)]
    )


def _wide_product(columns):
    """A product whose float64 panels fill a block that float32 panels do not."""
    draw = Draw(columns)
    inputs = [draw.integers((130, 873)), draw.integers((columns, 873))]
    return Case(
        f"product with {columns} columns, transposed",
        lambda a, b: ops.matmul(a, b.swapaxes(0, 1)),
        inputs,
        reference=lambda a, b: np.matmul(a, b.T),
    )


CASES = [
    *(partial(_pointwise, channels) for channels in (1, 2, 3, 4, 7, 8, 15, 16, 17)),
    *(partial(_wide_product, columns) for columns in (255, 288, 300, 600)),
]
