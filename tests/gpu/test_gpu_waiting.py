"""Threads run while the host waits for the device, and a forked child gets an error instead of waiting."""

import multiprocessing
import os
import threading
import time

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops, runtime

SIZE, TURNS = (64, 60) if "emulated" in os.environ["DYAD_CUDA_DRIVER"] else (4096, 40)


def busy_tensor():
    x = Tensor(np.ones((SIZE, SIZE), np.float32))
    for _ in range(TURNS):
        x = x @ x * 0.0 + 1.0
    return x


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.asnumpy(),
        lambda x: x[0, 0].item(),
        lambda x: bool(x[0, 0] > 0),
        lambda x: float(x[0, 0]),
        lambda x: runtime.synchronize(),
    ],
    ids=["asnumpy", "item", "bool", "float", "synchronize"],
)
def test_other_threads_run_meanwhile(read):
    read(busy_tensor())  # kernels are loaded
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    x = busy_tensor()
    begin = time.monotonic()
    read(x)
    end = time.monotonic()
    done.set()
    thread.join()
    assert end - begin > 0.01, "the device is too fast for this test"
    assert sum(begin < at < end for at in ticks) > 2


def work(questions, answers):
    try:
        answers.put(float((questions + 1).sum().item()))
    except RuntimeError as error:
        answers.put(str(error))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_is_told():
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=work, args=(Tensor([1.0, 2.0]), answers))
    child.start()
    assert "forked from one that uses the device" in answers.get(timeout=60)
    child.join(30)
    assert child.exitcode == 0
    assert (Tensor([1.0]) + 1).item() == 2


@pytest.mark.parametrize("form", ["dynamic", "static"])
def test_listed_rates_are_not_asked_for(form):
    weight = dyad.Parameter(Tensor([1.0, 2.0]), name="weight")
    optimizer = nn.SGD([weight], learning_rate=[0.5, 0.25])
    gradients = (Tensor([1.0, 1.0]),)
    step = dyad.jit(lambda: optimizer(gradients)) if form == "static" else lambda: optimizer(gradients)
    step()
    step()
    np.testing.assert_allclose(weight.asnumpy(), [0.25, 1.25])
    step()
    np.testing.assert_allclose(weight.asnumpy(), [0.0, 1.0])
    optimizer.learning_rate(Tensor(-3))
    with pytest.raises(IndexError, match="SGD: learning_rate has 2 entries and the step is -3"):
        runtime.synchronize()


def test_indices_of_the_host_follow_the_tensor():
    array = np.arange(12.0).reshape(3, 4)
    here, there = Tensor(array), Tensor(array).to("CPU")
    for key in ([2, 0], np.array([2, 0]), np.array([True, False, True]), ([0, 1], 3), [True, False, True]):
        for tensor in (here, there):
            found = tensor[key]
            assert found.device == tensor.device
            np.testing.assert_array_equal(found.asnumpy(), array[key])
    assert here[[]].shape == there[[]].shape == (0, 4)


def test_results_for_numpy_reach_the_device():
    x = Tensor([1.0, 2.0])
    np.negative(x, out=x)
    assert x.tolist() == [-1.0, -2.0]


def test_a_graph_that_holds_a_tensor_is_shown():
    scale = Tensor([2.0, 3.0])
    compiled = dyad.jit(lambda x: ops.exp(x) * scale ** Tensor(2.0))
    np.testing.assert_allclose(compiled(Tensor([0.0, 0.0])).asnumpy(), [4.0, 9.0])
