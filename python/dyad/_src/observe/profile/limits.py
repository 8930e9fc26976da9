"""What this machine can do at most: measured once in a process, when a profile first asks."""

import functools
import time
from typing import NamedTuple

from dyad import ops
from dyad._core import Tensor

REPEATS = 12
MATRIX = 1024
ELEMENTS = 1 << 24  # far more than caches hold


class Limits(NamedTuple):
    flop: float  # per second, in a large product
    bytes: float  # per second, read and written in a large copy


@functools.cache
def machine_limits():
    matrix = ops.ones((MATRIX, MATRIX))
    source, target = ops.ones((ELEMENTS,)), Tensor(ops.ones((ELEMENTS,)))
    product = fastest(lambda: ops.matmul(matrix, matrix))
    copy = fastest(lambda: target.copy_(source))
    return Limits(2 * MATRIX**3 / product, 2 * 4 * ELEMENTS / copy)


def fastest(work):
    work()
    spent = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)
