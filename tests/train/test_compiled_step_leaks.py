"""Training steps that are compiled and dropped, and steps that are run again and again, leave nothing behind."""

import gc
import os
import re
import sys
from pathlib import Path

import numpy as np

import dyad
from dyad import Tensor, amp, jit, nn

CYCLES = int(os.environ.get("DYAD_LEAK_CYCLES", "60"))
X = Tensor(np.ones((4, 8), np.float32))
Y = Tensor(np.array([0, 1, 2, 3], np.int32))


def resident_bytes():
    return int(re.search(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def measured():
    gc.collect()
    return len(gc.get_objects()), sys.getallocatedblocks(), resident_bytes()


def require_flat(work, times, warm):
    for _ in range(warm):
        work()
    before = measured()
    for _ in range(times):
        work()
    objects, blocks, resident = (now - then for now, then in zip(measured(), before, strict=True))
    assert objects < times / 10, f"{objects} objects stay after {times} runs"
    assert blocks < 2000, f"{blocks} blocks of Python's memory stay after {times} runs"
    assert resident < 256 * times + (4 << 20), f"the process grew by {resident} bytes in {times} runs"


def new_step():
    net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(8, 4)).set_train()
    loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)

    def forward(x, y):
        logits = net(x)
        return loss_fn(logits, y), logits

    gradients_of = dyad.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def step(x, y):
        (loss, _), gradients = gradients_of(x, y)
        if amp.all_finite(gradients):
            optimizer(gradients)
        return loss

    return step


def test_steps_compiled_and_dropped_keep_nothing():
    def cycle():
        compiled = jit(new_step())
        compiled(X, Y)
        compiled(X, Y)

    require_flat(cycle, CYCLES, 50)


def test_training_cells_compiled_and_dropped_keep_nothing():
    def cycle():
        net = nn.Dense(8, 4)
        loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        jit(nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9)))(X, Y)

    require_flat(cycle, CYCLES, 50)


def test_many_runs_of_a_step_keep_nothing():
    compiled = jit(new_step())
    require_flat(lambda: compiled(X, Y), 5000, 200)
    assert len(compiled.entries) == 1


def test_memory_of_tensors_returns_after_a_step():
    compiled = jit(new_step())
    compiled(X, Y)
    before = dyad.runtime.memory_allocated()
    for _ in range(20):
        compiled(X, Y)
    assert dyad.runtime.memory_allocated() <= before
