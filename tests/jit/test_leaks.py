"""Compiled functions and Cells leave nothing behind, neither by calls that find their graph nor by dropped graphs."""

import gc
import itertools
import re
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, _core, jit, nn, ops

CACHED_CALLS = 10_000
CYCLES = 500
ROUNDS = 3


def resident_bytes():
    return int(re.search(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def measured():
    gc.collect()
    return len(gc.get_objects()), sys.getallocatedblocks(), resident_bytes()


def require_flat(work, times, warm=50):
    """Once it is warm, many runs of `work` must add next to nothing to Python's objects and to the process.

    The process may take memory for caches once more; what leaks takes it in each round.
    """
    for _ in range(warm):
        work()
    for _ in range(ROUNDS):
        before = measured()
        for _ in range(times):
            work()
        objects, blocks, resident = (now - then for now, then in zip(measured(), before, strict=True))
        if resident < 256 * times + (4 << 20):
            break
    assert objects < times / 10, f"{objects} objects stay after {times} runs"
    # Python's own cache of attribute names is filled by and by.
    assert blocks < 2000, f"{blocks} blocks of Python's memory stay after {times} runs"
    assert resident < 256 * times + (4 << 20), f"the process grew by {resident} bytes in {times} runs"


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4))
        self.calls = Parameter(Tensor(0.0), requires_grad=False)

    def construct(self, x):
        self.calls += 1
        return self.layers(x)


def x_of(rows=2):
    return Tensor(np.ones((rows, 8), np.float32))


def branching(x, table):
    if x.sum() > 0:
        x = x * table["scale"]
    while x.max() < 100:
        x = x + x.abs() + 1
    return {"x": x, "parts": [x[0], (x[1], 3)]}


def test_cached_calls_of_a_function_keep_nothing():
    compiled = jit(branching)
    x, table = x_of(), {"scale": 2.0}
    require_flat(lambda: compiled(x, table), CACHED_CALLS)
    assert len(compiled.entries) == 1


def test_cached_calls_of_a_cell_keep_nothing():
    net, x = Network(), x_of()
    compiled = jit(net)
    require_flat(lambda: compiled(x), CACHED_CALLS)


def test_cached_calls_in_graph_mode_keep_nothing():
    net, x = Network(), x_of()
    dyad.set_context(mode=dyad.GRAPH_MODE)
    require_flat(lambda: net(x), CACHED_CALLS)
    assert len(net.compile_cache) == 1


def test_calls_that_raise_keep_nothing():
    @jit
    def refuse(x):
        if x.sum() > 0:
            raise ValueError(f"the sum is {x.sum()}")
        return x

    x = x_of()

    def call():
        with pytest.raises(ValueError, match="the sum is 16"):
            refuse(x)

    require_flat(call, 2000)


def test_functions_compiled_and_dropped_keep_nothing():
    x = x_of()

    def cycle():
        def local(x, scale=2.0):
            y = ops.relu(x) * scale
            return y if y.sum() > 3 else -y

        jit(local)(x)

    require_flat(cycle, CYCLES)


def test_cells_compiled_and_dropped_keep_nothing():
    x = x_of()
    require_flat(lambda: jit(Network())(x), CYCLES)


def test_shapes_compiled_and_evicted_keep_nothing():
    """The cache is bounded: the least recently used graphs go."""
    compiled = jit(lambda x: x * 2 + 1)
    rows = itertools.cycle(range(1, 101))  # comes back to none before its graph has gone
    require_flat(lambda: compiled(x_of(next(rows))), CYCLES, warm=200)
    assert len(compiled.entries) <= 64
    assert compiled.misses == 200 + CYCLES


def test_rejected_functions_keep_nothing():
    x = x_of()

    def cycle():
        @jit
        def wrong(x):
            return x.asnumpy().sum() + missing_name  # noqa: F821

        with pytest.raises((_core.CaptureError, NameError)):
            wrong(x)

    require_flat(cycle, 200)


@pytest.mark.parametrize("form", ["jit", "graph mode", "jitted construct"])
def test_a_destroyed_cell_takes_its_graphs_with_it(form):
    class Jitted(Network):
        @jit
        def construct(self, x):
            return self.layers(x)

    net = Jitted() if form == "jitted construct" else Network()
    if form == "graph mode":
        dyad.set_context(mode=dyad.GRAPH_MODE)
    run = jit(net) if form == "jit" else net
    run(x_of())
    watched = [weakref.ref(net), weakref.ref(net.layers), weakref.ref(net.layers[0].weight)]
    del net, run
    gc.collect()
    assert [reference() for reference in watched] == [None] * 3


def test_results_do_not_keep_the_graph():
    made = weakref.WeakSet()

    def run():
        net = Network()
        made.add(net)
        return jit(net)(x_of())

    result = run()
    gc.collect()
    assert not made
    assert result.shape == (2, 4)
