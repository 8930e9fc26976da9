"""Streams and events of the device: order, memory that several streams use, threads, and waiting for each operator."""

import threading

import numpy as np
import pytest

import dyad
from dyad import Tensor, hal, runtime


@pytest.fixture
def blocking():
    runtime.launch_blocking()
    yield
    dyad.set_context(pynative_synchronize=False)


def long_work(values, turns=60):
    for _ in range(turns):
        values = values * 1.0 + 0.0
    return values


def test_streams_are_told_apart():
    first, second = runtime.Stream(), runtime.Stream(priority=-1)
    assert (first.device_name, first.device_id) == ("GPU", 0)
    assert len({first, second, runtime.default_stream()}) == 3
    assert runtime.current_stream() == runtime.default_stream()
    with runtime.StreamCtx(first):
        assert runtime.current_stream() == first
        with runtime.StreamCtx(second):
            assert hal.current_stream() == second
        assert runtime.current_stream() == first
    assert runtime.current_stream() == runtime.default_stream()
    assert runtime.Stream(stream=first) == first


def test_context_is_left_after_an_exception():
    with pytest.raises(KeyError), runtime.StreamCtx(runtime.Stream()):
        raise KeyError
    assert runtime.current_stream() == runtime.default_stream()


def test_chosen_stream_outlives_its_name():
    runtime.set_cur_stream(runtime.Stream())
    try:
        assert ((Tensor([1.0, 2.0]) + 1) * 2).asnumpy().tolist() == [4, 6]
        number = runtime.current_stream().id
        assert number != 0
        assert runtime.Stream().id != number
    finally:
        runtime.set_cur_stream(runtime.default_stream())


def test_a_stream_waits_for_another():
    side = runtime.Stream()
    values = Tensor(np.arange(1000, dtype=np.float32))
    side.wait_stream(runtime.current_stream())
    with runtime.StreamCtx(side):
        made = long_work(values)
    runtime.current_stream().wait_stream(side)
    assert np.array_equal((made + 1).asnumpy(), np.arange(1000, dtype=np.float32) + 1)


def test_a_stream_waits_for_an_event():
    side, mark = runtime.Stream(), runtime.Event()
    values = long_work(Tensor(np.arange(1000, dtype=np.float32)))
    mark.record()
    side.wait_event(mark)
    with runtime.StreamCtx(side):
        made = values * 2
    side.synchronize()
    assert side.query()
    assert mark.query()
    runtime.current_stream().wait_stream(side)
    assert np.array_equal(made.asnumpy(), np.arange(1000, dtype=np.float32) * 2)


def test_events_tell_the_time():
    begin, end = runtime.Event(enable_timing=True), runtime.Event(enable_timing=True, blocking=True)
    begin.record()
    long_work(Tensor(np.ones(1000, np.float32)))
    runtime.current_stream().record_event(end)
    end.synchronize()
    assert 0 < begin.elapsed_time(end) < 60_000
    assert end.elapsed_time(begin) < 0


def test_an_event_that_was_not_recorded_holds_nothing_back():
    mark = runtime.Event()
    assert mark.query()
    mark.synchronize()
    mark.wait()


def test_memory_is_not_taken_back_while_another_stream_reads_it():
    """The stream that owns a block would overwrite it at once; the side stream is late, because it has other work."""
    side = runtime.Stream()
    for turn in range(8):
        values = Tensor(np.full(50_000, turn, np.float32))
        side.wait_stream(runtime.current_stream())
        with runtime.StreamCtx(side):
            long_work(Tensor(np.ones(1000, np.float32)))
            read = values + 1
        del values
        overwritten = [Tensor(np.full(50_000, -1, np.float32)) for _ in range(4)]
        runtime.current_stream().wait_stream(side)
        assert np.array_equal(read.asnumpy(), np.full(50_000, turn + 1, np.float32))
        del overwritten


def test_memory_of_a_side_stream_comes_back():
    side = runtime.Stream()

    def work():
        values = Tensor(np.ones(100_000, np.float32))
        side.wait_stream(runtime.current_stream())
        with runtime.StreamCtx(side):
            made = values * 2
        side.synchronize()
        return made

    for _ in range(3):
        work()
    runtime.synchronize()
    before = runtime.memory_reserved()
    for _ in range(30):
        work()
    assert runtime.memory_reserved() == before


def test_threads_have_streams_of_their_own():
    failures, numbers = [], []

    def work(seed):
        try:
            with runtime.StreamCtx(runtime.Stream()):
                numbers.append(runtime.current_stream().id)
                values = np.random.default_rng(seed).normal(size=(32, 32)).astype(np.float32)
                for _ in range(15):
                    made = (Tensor(values) @ Tensor(values)).sum(0) + Tensor(values).max(axis=1)
                    wanted = (values @ values).sum(0) + values.max(1)
                    assert np.allclose(made.asnumpy(), wanted, 1e-4, 1e-4)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert len(set(numbers)) == 2
    assert runtime.current_stream() == runtime.default_stream()


def test_fault_of_a_side_stream_is_raised_at_its_synchronisation():
    side = runtime.Stream()
    with runtime.StreamCtx(side):
        Tensor(np.arange(4.0))[Tensor([5])]
    with pytest.raises(IndexError, match="index 5 is out of range"):
        side.synchronize()
    runtime.synchronize()


def test_the_statement_itself_raises(blocking):
    assert dyad.get_context("pynative_synchronize")
    with pytest.raises(IndexError, match=r"^gather: index 9 is out of range for an axis of size 4$"):
        dyad.ops.gather(Tensor(np.arange(4.0)), Tensor([9]), 0)
    assert Tensor([1.0, 2.0]).sum().item() == 3
