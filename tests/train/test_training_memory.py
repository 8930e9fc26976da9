"""Training neither leaks nor keeps what a step has recorded."""

import gc

import numpy as np
import pytest
from training_data import scattered

import dyad as ms
from dyad import Tensor, nn, ops, runtime


def resident_bytes():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * 4096


def training_step(form="dynamic"):
    net = nn.SequentialCell(nn.Dense(20, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 5))
    if form == "flat":
        net.flatten_weights()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    loss_function = nn.CrossEntropyLoss()
    differentiated = ms.value_and_grad(lambda x, y: loss_function(net(x), y), None, optimizer.parameters)
    inputs = Tensor(scattered((16, 20), 1.0, 0.0))
    labels = Tensor(np.arange(16, dtype=np.int32) % 5)

    def step():
        loss, gradients = differentiated(inputs, labels)
        optimizer(gradients)
        return loss

    if form == "static":
        compiled = ms.jit(lambda inputs, labels: step())
        return lambda: compiled(inputs, labels)
    return step


@pytest.mark.parametrize("form", ["dynamic", "static", "flat"])
def test_ten_thousand_steps_use_no_more_memory(form):
    step = training_step(form)
    for _ in range(500):
        loss = step()
    gc.collect()
    before = resident_bytes()
    for _ in range(10_000):
        loss = step()
    gc.collect()
    assert np.isfinite(float(loss))
    assert resident_bytes() - before < 2 << 20


def test_sum_of_losses_keeps_no_history():
    step = training_step()
    total = step()
    for _ in range(5):
        total = total + step()
    assert not total.requires_grad


def test_a_function_that_raises_half_way_leaves_nothing_on():
    kept = []

    def broken(x):
        kept.append(x * x)
        raise ValueError("half way")

    x = Tensor([1.0, 2.0])
    for _ in range(3):
        with pytest.raises(ValueError, match="half way"):
            ms.grad(broken)(x)
    assert not (kept[0] * 2).requires_grad
    assert not (x * x).requires_grad
    assert ms.grad(lambda x: x * x)(x).asnumpy().tolist() == [2.0, 4.0]


def test_a_hundred_thousand_operators_deep():
    def deep(x):
        for _ in range(100_000):
            x = x + 1.0
        return x

    assert ms.grad(deep)(Tensor([1.0])).asnumpy().tolist() == [1.0]


def test_chains_save_what_their_rules_read_and_nothing_else():
    """An addition reads nothing: a long chain of them holds few results at a time."""

    def chain(x):
        for _ in range(200):
            x = x + 1.0
        return x

    x = Tensor(np.zeros(1 << 18, np.float32))
    runtime.reset_peak_memory_stats()
    before = runtime.max_memory_allocated()
    gradient = ms.grad(chain)(x)
    assert ops.all(gradient == 1.0)
    assert runtime.max_memory_allocated() - before < 8 * x.nbytes


def test_backward_frees_on_its_way():
    """Each result of a product is read by its rule, and freed before the gradient of the one before is made."""

    def chain(x):
        for _ in range(32):
            x = x * x
        return x

    x = Tensor(np.full(1 << 18, 1.0, np.float32))
    runtime.reset_peak_memory_stats()
    before = runtime.max_memory_allocated()
    ms.grad(chain)(x)
    assert runtime.max_memory_allocated() - before < 38 * x.nbytes
    assert runtime.memory_allocated() <= before
