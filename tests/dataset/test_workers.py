"""Worker processes: results, errors, deaths, and what is left of them."""

import multiprocessing
import os
import time

import numpy as np
import pytest
from pipeline_rows import firsts, numbers, pairs, rows

from dyad import dataset as ds


def in_processes(function, size=8, **arguments):
    return pairs(size).map(function, "a", python_multiprocessing=True, num_parallel_workers=2, **arguments)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("size", [1, 1023, 100_000])
def test_arrays_come_back(size, shared):
    ds.config.set_enable_shared_mem(shared)
    made = in_processes(lambda a: np.arange(size) + a, 4)
    for number, row in enumerate(made.create_tuple_iterator(num_epochs=1, output_numpy=True)):
        np.testing.assert_array_equal(row[0], np.arange(size) + number)


def test_an_array_larger_than_the_window(monkeypatch):
    monkeypatch.setattr(ds._workers, "_WINDOW", 1 << 16)
    made = in_processes(lambda a: (np.full(6000, a), np.full(9000, a)), 3, output_columns=["c", "d"])
    assert [np.shape(row[1]) for row in rows(made)] == [(9000,)] * 3


def test_functions_run_in_other_processes():
    made = firsts(in_processes(lambda a: os.getpid(), 20))
    assert os.getpid() not in made and len(set(made)) <= 2


def test_texts_and_objects():
    assert firsts(in_processes(lambda a: f"row {a}", 2)) == ["row 0", "row 1"]
    assert [row[0] for row in in_processes(lambda a: {"n": int(a)}, 2)] == [{"n": 0}, {"n": 1}]


def test_per_batch_map_in_processes():
    batched = pairs(4).batch(
        2,
        per_batch_map=lambda a, info: ([value + os.getpid() * 0 + info.get_batch_num() for value in a],),
        input_columns=["a"],
        python_multiprocessing=True,
        num_parallel_workers=2,
    )
    assert firsts(batched) == [[0, 1], [3, 4]]


def wrong(a):
    raise KeyError("wrong row")


def test_errors_have_the_users_traceback():
    with pytest.raises(
        RuntimeError, match="map: the function wrong raised KeyError: 'wrong row' in a worker process"
    ) as caught:
        rows(in_processes(wrong))
    assert 'raise KeyError("wrong row")' in str(caught.value) and "dyad/dataset" not in str(caught.value)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("how", ["killed", "exit"])
def test_a_dead_process_is_an_error(how):
    def die(a):
        os.kill(os.getpid(), 9) if how == "killed" else os._exit(3)

    with pytest.raises(RuntimeError, match="SIGKILL" if how == "killed" else "exit code 3"):
        rows(in_processes(die))
    assert not multiprocessing.active_children()


def test_a_source_that_dies_is_an_error():
    class Source:
        def __getitem__(self, index):
            os._exit(4)

        def __len__(self):
            return 5

    with pytest.raises(
        RuntimeError, match=r"GeneratorDataset: worker process .* has ended, with exit code 4"
    ):
        rows(ds.GeneratorDataset(Source(), ["a"], num_parallel_workers=2))


def test_abandoned_processes_end():
    for _ in range(5):
        for _ in in_processes(lambda a: a, 100):
            break
    assert not multiprocessing.active_children()


def test_a_process_at_work_is_ended():
    iterator = in_processes(lambda a: time.sleep(30 if a else 0) or a, 4).create_tuple_iterator()
    next(iterator)
    started = time.monotonic()
    iterator.stop()
    assert time.monotonic() - started < 5 and not multiprocessing.active_children()


def test_long_work_is_logged(caplog, capfd):
    ds.config.set_multiprocessing_timeout_interval(1)
    assert firsts(in_processes(lambda a: time.sleep(1.3) or a, 1)) == [0]
    assert "has worked at one row" in caplog.text + capfd.readouterr().err


def test_random_numbers_differ_between_processes_and_repeat():
    def draw(a):
        time.sleep(0.02)
        return np.array([os.getpid(), np.random.randint(1 << 30)])

    ds.config.set_seed(4)
    first = {pid: number for pid, number in reversed(firsts(in_processes(draw, 8)))}
    second = {pid: number for pid, number in reversed(firsts(in_processes(draw, 8)))}
    assert set(first.values()) == set(second.values()) and len(set(first.values())) == len(first)


def inner_sum(a):
    return sum(firsts(numbers(1, 2, int(a))))


def test_pipelines_inside_processes():
    assert firsts(in_processes(inner_sum, 3)) == [3, 4, 5]


def test_spawned_processes(tmp_path):
    ds.config.set_multiprocessing_start_method("spawn")
    made = in_processes(np.negative, 2)
    assert firsts(made) == [0, -1]


@pytest.mark.parametrize(
    ("function", "inputs", "outputs"),
    [
        (np.negative, "b", None),
        (lambda a, b: (b, a), ["a", "b"], None),
        (lambda a: (a, f"text {a}"), "a", ["c", "d"]),
        (lambda a, b: a + b, ["b", "a"], ["c"]),
        ([np.negative, np.square], "a", "b"),
    ],
)
def test_batches_are_made_in_processes(function, inputs, outputs):
    made = [
        rows(pairs(5).map(function, inputs, outputs, 2, python_multiprocessing=processes).batch(2))
        for processes in (True, False)
    ]
    assert made[0] == made[1]


def test_errors_of_batches_made_in_processes():
    with pytest.raises(
        RuntimeError, match="map: the function wrong raised KeyError: 'wrong row' in a worker process"
    ):
        rows(in_processes(wrong).batch(2))
    with pytest.raises(RuntimeError, match="need the same dtype and shape"):
        rows(in_processes(lambda a: np.ones(int(a))).batch(2))
    with pytest.raises(RuntimeError, match="map: the operations gave 2 columns; need 1"):
        rows(in_processes(lambda a: (a, a)).batch(2))
    with pytest.raises(RuntimeError, match="need the same dtype and shape"):
        rows(in_processes(lambda a: {1}).batch(2))
