"""Threads of the native pipeline: none outlives it, whatever happens to it."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest
from native_stages import arrays, data, first_column, pipeline, python, rows


def native_threads():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as file:
                names.append(file.read().strip())
        except FileNotFoundError:
            pass
    return names.count("dyad-data")


def run_program(text, timeout=60):
    """Runs a program of its own, which has to end by itself and well. Newer Pythons warn of fork beside threads."""
    head = "import os, sys, threading, time\nimport numpy as np\nfrom dyad import _core\ndata = _core.data\n"
    result = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", head + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert result.returncode == 0, result.stderr
    assert not result.stderr, result.stderr
    return result.stdout


def test_a_dropped_pipeline_leaves_no_thread():
    before = native_threads()
    assert before == 0
    for _ in range(30):
        running = pipeline(data.repeated(arrays(np.arange(5)), -1), workers=3, epochs=-1)
        running.next(False)
    assert native_threads() == 3
    gone = weakref.ref(running)
    del running
    gc.collect()
    assert gone() is None
    assert native_threads() == 0


def test_an_ended_pipeline_has_no_thread():
    running = pipeline(data.filtered(arrays(np.arange(5)), python(lambda x: (True,)), [0]), workers=3)
    assert native_threads() == 6
    rows(running)
    assert native_threads() == 0


def test_collected_on_one_of_its_own_threads():
    """The last reference may go in a callback: a thread cannot wait for itself."""
    box = []

    def drop(x):
        box.clear()
        gc.collect()
        return (x,)

    for make in (
        lambda: data.mapped(arrays(np.arange(50)), [python(drop)], [0]),
        lambda: data.filtered(arrays(np.arange(50)), python(drop), [0]),
    ):
        box.append(pipeline(make(), workers=2))
        end = time.monotonic() + 10
        while (box or native_threads()) and time.monotonic() < end:
            time.sleep(0.01)
        assert native_threads() == 0


def test_close_while_another_thread_waits():
    started = threading.Event()

    def slow(x):
        started.set()
        time.sleep(0.05)
        return (x,)

    running = pipeline(data.mapped(arrays(np.arange(1000)), [python(slow)], [0]), workers=1)
    seen = []

    def consume():
        try:
            rows(running)
        except RuntimeError as error:
            seen.append(str(error))

    consumer = threading.Thread(target=consume)
    consumer.start()
    started.wait()
    running.close()
    running.close()
    consumer.join(10)
    assert seen == ["dataset: the iterator is closed; make a new one"]


def test_interrupt_while_waiting(hears_interrupts):
    def slow(x):
        time.sleep(1.5)
        return (x,)

    running = pipeline(data.mapped(arrays(np.arange(3)), [python(slow)], [0]))
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        running.next(False)
    assert time.monotonic() - start < 1.4
    assert running.next(False)[0] == 0


def test_a_pipeline_inside_a_callback_of_another():
    def inner(x):
        return (sum(first_column(arrays(np.arange(int(x))))[:-1]),)

    stage = data.mapped(arrays(np.arange(5)), [python(inner)], [0])
    assert first_column(stage, workers=3) == [0, 0, 1, 3, 6, None]


def test_several_at_once():
    running = [pipeline(arrays(np.arange(20) + i), seed=i) for i in range(5)]
    for number in range(20):
        assert [int(p.next(False)[0]) for p in running] == [number + i for i in range(5)]


def test_a_program_may_end_with_pipelines_at_work():
    out = run_program("""
        def g():
            while True:
                yield (np.ones(3),)
        f = data.python_transform(lambda columns, key: columns, None)
        alive = [data.Pipeline(data.mapped(data.iterated(g), [f], [0]), 1, 3, 4, -1) for _ in range(3)]
        alive[0].next(False)
        def consume():
            while True:
                alive[1].next(True)
        threading.Thread(target=consume, daemon=True).start()
        time.sleep(0.2)
        print("end")
    """)
    assert out == "end\n"


def test_a_child_of_fork_leaves_the_parents_threads_alone():
    out = run_program("""
        import gc
        f = data.python_transform(lambda columns, key: columns, None)
        even = data.python_transform(lambda columns, key: (columns[0] % 2 == 0,), None)
        def make():
            source = data.sampled(data.arrays_source([np.arange(100)]), data.sequential_order(0, 0))
            return data.Pipeline(data.filtered(data.mapped(source, [f], [0]), even, [0]), 1, 3, 4, -1)
        running, other = make(), make()
        running.next(False)
        for _ in range(5):
            child = os.fork()
            if child == 0:
                try:
                    running.next(False)
                except RuntimeError as error:
                    assert "made in the parent process" in str(error)
                running.close()
                del running, other
                gc.collect()
                mine = make()
                assert [int(mine.next(False)[0]) for _ in range(3)] == [0, 2, 4]
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
        assert [int(running.next(False)[0]) for _ in range(3)] == [2, 4, 6]
        print("end")
    """)
    assert out == "end\n"
