"""Errors of a program's functions, and pipelines that are left alone."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from pipeline_rows import firsts, numbers, pairs, rows

from dyad import dataset as ds
from dyad.dataset import _run


def threads():
    return len(os.listdir("/proc/self/task"))


def wrong(*columns):
    raise KeyError("wrong row")


@pytest.mark.parametrize(
    ("make", "stage"),
    [
        (lambda: pairs().map(wrong, "a"), "map: the function wrong"),
        (lambda: pairs().map([abs, wrong], "a").batch(2), "map: the function abs, wrong"),
        (lambda: pairs().filter(wrong), "filter: the predicate wrong"),
        (lambda: pairs().batch(2, per_batch_map=wrong), "batch: the function wrong"),
        (lambda: pairs().batch(lambda info: wrong()), "batch: the function batch_size"),
        (
            lambda: pairs().bucket_batch_by_length("a", [1], [1, 1], wrong),
            "bucket_batch_by_length: the function wrong",
        ),
        (lambda: ds.GeneratorDataset(map(wrong, [1]), ["a"]), "GeneratorDataset: the source"),
        (lambda: pairs(batch_sampler=[[0]], collate_fn=wrong), "GeneratorDataset: the source"),
    ],
)
def test_errors_name_the_stage_and_show_the_users_lines(make, stage):
    before = threads()
    with pytest.raises(RuntimeError) as caught:
        rows(make())
    text = str(caught.value)
    assert text.startswith(f"{stage} raised KeyError: 'wrong row'"), text
    assert 'raise KeyError("wrong row")' in text and "test_faults.py" in text
    assert "dyad/dataset" not in text.partition("Traceback")[2].partition("wrong")[0]
    assert threads() == before


def test_rows_before_an_error_arrive():
    def late(a):
        if a == 3:
            raise ValueError("third")
        return a

    seen = []
    with pytest.raises(RuntimeError, match="third"):
        for row in pairs().map(late, "a"):
            seen.append(int(row[0]))
    assert seen == [0, 1, 2]


MAKERS = {
    "native": lambda: numbers(*range(100)).shuffle(10).batch(2),
    "python": lambda: pairs(100).map(lambda a: a, "a").batch(2),
    "filter": lambda: pairs(100).filter(lambda a, b: True).batch(2),
    "callbacks": lambda: pairs(100).map(lambda a: a, "a", callbacks=ds.DSCallback()),
    "sync": lambda: pairs(100).sync_wait("gate", 50),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_abandoned_iterators_leave_no_threads(make):
    before, dataset = threads(), make()
    for _ in range(40):
        for _ in dataset:
            break
        iterator = dataset.create_tuple_iterator()
        next(iterator)
        del iterator
    gc.collect()
    deadline = time.monotonic() + 5
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() == before


def test_iterators_in_cycles_and_other_threads_are_collected():
    before = threads()

    def use():
        holder = {}
        holder["iterator"] = pairs(100).create_tuple_iterator()
        holder["self"] = holder
        next(holder["iterator"])

    worker = threading.Thread(target=use)
    worker.start()
    worker.join()
    gc.collect()
    deadline = time.monotonic() + 5
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() == before


def test_memory_is_bounded_by_rows_made_ahead():
    made = []

    def large(a):
        made.append(a)
        return np.zeros(10)

    ds.config.set_prefetch_size(4)
    ds.config.set_num_parallel_workers(2)
    iterator = pairs(1000).map(large, "a").create_tuple_iterator()
    next(iterator)
    time.sleep(0.2)
    assert len(made) < 20


def test_pipelines_inside_pipelines():
    def inner(a):
        return sum(firsts(numbers(1, 2, int(a)).map(lambda value: value + 1)))

    before = threads()
    assert firsts(pairs(4).map(inner, "a")) == [6, 7, 8, 9]
    assert threads() == before


def run_program(text, *, interrupt=False, limit=30):
    """The exit code and the output of a program in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(text)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if interrupt:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=limit)
    return process.returncode, output


PROGRAM = """
    import os, time
    import numpy as np
    from dyad import dataset as ds
    slow = lambda a: time.sleep(0.01) or a
    dataset = ds.NumpySlicesDataset(np.arange(1000), shuffle=False).map(slow, python_multiprocessing={processes},
                                                                      num_parallel_workers=2)
    iterator = dataset.create_tuple_iterator()
    next(iterator)
"""


@pytest.mark.parametrize("processes", [True, False])
def test_a_program_may_end_with_an_open_iterator(processes):
    code, output = run_program(PROGRAM.format(processes=processes) + "    print('end')\n")
    assert (code, output) == (0, "end\n")


@pytest.mark.parametrize("processes", [True, False])
def test_a_child_of_fork_can_iterate_and_end(processes):
    program = (
        PROGRAM.format(processes=processes)
        + """
    child = os.fork()
    if child == 0:
        try:
            next(iterator)
        except RuntimeError as error:
            print("before a fork" in str(error), flush=True)
        print(len(list(ds.NumpySlicesDataset([1, 2, 3]))), flush=True)
    else:
        print(os.waitpid(child, 0)[1], len(next(iterator)))
    """
    )
    assert run_program(program) == (0, "True\n3\n0 1\n")


@pytest.mark.parametrize("processes", [True, False])
def test_an_interrupt_ends_a_loop(processes, hears_interrupts):
    program = (
        PROGRAM.format(processes=processes)
        + """
    try:
        print("ready", flush=True)
        for row in iterator:
            pass
    except KeyboardInterrupt:
        print("interrupted")
    """
    )
    assert run_program(program, interrupt=True) == (0, "interrupted\n")


def resident():
    """Megabytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def test_abandoned_iterators_leave_no_memory():
    images = ds.NumpySlicesDataset(np.zeros((64, 50_000), np.float32), shuffle=False)
    dataset = images.map(lambda image: image + 1).batch(4)

    def abandon(times):
        for _ in range(times):
            for _ in dataset:
                break
        gc.collect()
        return resident()

    before = abandon(50)
    assert abandon(200) - before < 60  # one iterator holds up to 13 MB


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: pairs(3), id="rows"),
        pytest.param(lambda: ds.RandomDataset(3), id="random rows"),
        pytest.param(lambda: pairs(3).map(lambda a: a, "a", callbacks=ds.DSCallback()), id="callbacks"),
        pytest.param(lambda: pairs(3).sync_wait("condition", 3), id="waiting"),
    ],
)
@pytest.mark.parametrize("all_rows", [True, False])
def test_the_stages_of_an_iterator_go_with_it(make, all_rows):
    gc.collect()
    before = len(_run._live)
    for _ in make():
        if not all_rows:
            break
    gc.collect()
    assert len(_run._live) == before


def test_a_stage_in_python_forgets_the_epochs_it_has_ended():
    iterator = pairs(2).map(lambda a: a, "a", callbacks=ds.DSCallback()).create_tuple_iterator(num_epochs=50)
    for _ in range(50):
        assert len(list(iterator)) == 2
    assert not iterator._run._closers
    nested = pairs(3).sync_wait("first", 9).sync_wait("second")
    waiting = nested.create_tuple_iterator()
    next(waiting)
    started = time.monotonic()
    waiting.stop()
    assert time.monotonic() - started < 5
