"""Several threads call one compiled function at once, and compile it at once."""

import sys
import threading

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops

THREADS = 4


@pytest.fixture(autouse=True)
def frequent_switches():
    """Threads take turns often, so that they meet in the middle of things."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(work, threads=THREADS):
    """Runs `work(number)` in so many threads that start together; raises what the first one raised."""
    start, errors = threading.Barrier(threads), []

    def run(number):
        try:
            start.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(120)
    assert not any(thread.is_alive() for thread in running), "a thread did not come back"
    if errors:
        raise errors[0]


def test_threads_share_a_cached_graph():
    @jit
    def scaled(x, factor):
        for _ in range(3):
            x = ops.relu(x) * factor
        return x.sum(), x

    x = Tensor(np.ones((4, 4), np.float32))
    scaled(x, x.copy())

    def work(number):
        factor = Tensor(np.full((4, 4), float(number), np.float32))
        for _ in range(500):
            total, result = scaled(x, factor)
            assert float(total) == 16 * number**3
            assert (result.asnumpy() == number**3).all()

    at_once(work)
    assert len(scaled.entries) == 1


def test_different_shapes_compiled_at_once():
    @jit
    def total(x):
        if x.sum() > 0:
            return (x * 2).sum()
        return x.sum() - x.shape[0]

    def work(number):
        for size in range(1, 16):
            rows = size * THREADS + number
            assert float(total(Tensor(np.ones((rows, 2), np.float32)))) == 4 * rows
            assert float(total(Tensor(-np.ones((rows, 2), np.float32)))) == -3 * rows

    at_once(work)
    assert len(total.entries) == 15 * THREADS


def test_one_shape_is_compiled_once():
    compiled = jit(lambda x: ops.tanh(x) * 2)
    x = Tensor(np.ones(8, np.float32))

    def work(number):
        np.testing.assert_allclose(compiled(x).asnumpy(), np.tanh(1) * 2, rtol=1e-6)

    at_once(work)
    assert len(compiled.entries) == 1


def test_different_functions_compiled_at_once():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))

    def work(number):
        for turn in range(20):

            @jit
            def local(x, shift=number * 100 + turn):
                if x.sum() > shift:
                    return x + shift
                return x - shift

            shift = number * 100 + turn
            expected = x.asnumpy() + shift if shift < 15 else x.asnumpy() - shift
            assert (local(x).asnumpy() == expected).all()

    at_once(work)


def test_a_cell_in_graph_mode():
    net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 3))
    inputs = [Tensor(np.random.rand(rows, 6).astype(np.float32)) for rows in range(1, THREADS + 1)]
    truth = [net(x).asnumpy() for x in inputs]
    dyad.set_context(mode=dyad.GRAPH_MODE)

    def work(number):
        for turn in range(100):
            place = (number + turn) % THREADS
            np.testing.assert_allclose(net(inputs[place]).asnumpy(), truth[place], rtol=1e-5, atol=1e-6)

    at_once(work)
    assert len(net.compile_cache) == THREADS


def test_a_thread_that_fails_leaves_the_others_alone():
    @jit
    def halved(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x / 2

    def work(number):
        x = Tensor(np.full(4, -1.0 if number == 0 else number, np.float32))
        for _ in range(200):
            if number == 0:
                with pytest.raises(ValueError, match="negative"):
                    halved(x)
            else:
                assert (halved(x).asnumpy() == number / 2).all()

    at_once(work)


def test_a_capture_is_of_its_own_thread():
    """Another thread's operators run at once and are not part of the graph that one thread captures."""
    inside, leave = threading.Event(), threading.Event()

    class Waits(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([2.0]))

        def construct(self, x):
            pause()
            return x * self.weight

    @dyad.constexpr
    def pause():
        inside.set()
        return leave.wait(20)

    net, results = Waits(), []
    thread = threading.Thread(target=lambda: results.append(jit(net)(Tensor([3.0]))))
    thread.start()
    assert inside.wait(20)
    other = (Tensor([1.0]) + net.weight).asnumpy().tolist()
    leave.set()
    thread.join(20)
    assert other == [3.0]
    assert results[0].asnumpy().tolist() == [6.0]
