"""`dyad.multiprocessing`: Tensors travel between processes, and a forked child computes in both forms."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad import multiprocessing as mp


def doubled_sum(values):
    return ops.sum(values * 2)


def answer(mode, questions, answers):
    dyad.set_context(mode=mode)
    network = nn.Dense(3, 1, weight_init="ones", has_bias=False)
    x = questions.get(timeout=30)
    answers.put((network(x), dyad.grad(doubled_sum)(x)))


@pytest.mark.cpu("the driver of a device does not work in a forked process")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def test_a_forked_child_computes(mode):
    context = mp.get_context("fork")
    x = Tensor(np.arange(3, dtype=np.float32).reshape(1, 3))
    ops.matmul(x, x.T)  # the parent has worked before
    questions, answers = context.Queue(), context.Queue()
    child = context.Process(target=answer, args=(mode, questions, answers))
    child.start()
    questions.put(x)
    output, gradient = answers.get(timeout=60)
    child.join(30)
    assert child.exitcode == 0
    assert output.asnumpy().tolist() == [[3.0]] and gradient.asnumpy().tolist() == [[2.0] * 3]


@pytest.mark.cpu("the driver of a device does not work in a forked process")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_pool_maps_tensors():
    with mp.get_context("fork").Pool(2) as pool:
        found = pool.map(doubled_sum, [Tensor([1.0, 2.0]), Tensor([3.0])])
    assert [float(value.item()) for value in found] == [6.0, 6.0]


def test_it_is_pythons_own():
    import multiprocessing

    assert dyad.multiprocessing.Process is multiprocessing.Process and mp.cpu_count() > 0
