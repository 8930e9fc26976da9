"""Iterators: epochs, orders and what rows are."""

import numpy as np
import pytest
from pipeline_rows import firsts, numbers, pairs

import dyad
from dyad import dataset as ds
from dyad import nn


def epochs(dataset, count):
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[int(row[0]) for row in iterator] for _ in range(count)]


def test_dict_iterator():
    row = next(pairs().create_dict_iterator())
    assert list(row) == ["a", "b"] and all(isinstance(value, dyad.Tensor) for value in row.values())
    row = next(pairs().create_dict_iterator(output_numpy=True, do_copy=True))
    assert all(isinstance(value, np.ndarray) for value in row.values())


@pytest.mark.parametrize("columns", ["b", ["b"]])
def test_a_tuple_iterator_yields_the_requested_columns(columns):
    iterator = pairs(1).create_tuple_iterator(columns, num_epochs=1, output_numpy=True)
    assert [row[0].tolist() for row in iterator] == [[0.0, 0.0]]
    assert iterator.get_col_names() == ["b"]


def test_an_iterator_is_used_up_after_its_epochs():
    iterator = pairs(2).create_tuple_iterator(num_epochs=2)
    assert [len(list(iterator)) for _ in range(2)] == [2, 2]
    with pytest.raises(RuntimeError, match="all of num_epochs=2 epochs have been read"):
        next(iterator)
    with pytest.raises(RuntimeError, match="all of num_epochs=2 epochs have been read"):
        list(iterator)


def test_a_broken_loop_goes_on():
    iterator = pairs(4).create_tuple_iterator(num_epochs=2, output_numpy=True)
    for _ in iterator:
        break
    assert [int(row[0]) for row in iterator] == [1, 2, 3]


def test_without_an_end():
    iterator = pairs(2).create_tuple_iterator(output_numpy=True)
    assert [[int(row[0]) for row in iterator] for _ in range(4)] == [[0, 1]] * 4
    iterator.stop()
    with pytest.raises(RuntimeError, match="was stopped"):
        next(iterator)


@pytest.mark.parametrize("close", ["stop", "close", "terminate", "release"])
def test_a_closed_iterator_can_be_closed_again(close):
    with pairs().create_tuple_iterator() as iterator:
        next(iterator)
        getattr(iterator, close)()
        getattr(iterator, close)()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: pairs().create_tuple_iterator(num_epochs=0), ValueError, "num_epochs is 0"),
        (lambda: pairs().create_tuple_iterator(num_epochs="x"), TypeError, "num_epochs is 'x'"),
        (lambda: pairs().create_tuple_iterator(3), TypeError, "columns is 3"),
        (lambda: pairs().create_tuple_iterator(["z"]), RuntimeError, "'z' does not exist"),
        (lambda: pairs().create_dict_iterator(output_numpy=3), TypeError, "output_numpy is 3"),
        (lambda: pairs().create_dict_iterator(do_copy=3), TypeError, "do_copy is 3"),
    ],
)
def test_wrong_arguments_of_iterators_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make()


SHUFFLED = {
    "sampler": lambda: pairs(20, shuffle=True),
    "slices": lambda: numbers(*range(20), shuffle=True),
    "buffer": lambda: pairs(20).shuffle(7),
    "workers": lambda: pairs(20, shuffle=True, num_parallel_workers=2, python_multiprocessing=False),
}


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED.keys())
def test_seeded_orders(make):
    ds.config.set_seed(11)
    dataset = make()
    first, second = epochs(dataset, 2)
    assert first != second and sorted(first) == sorted(second) == list(range(20))
    assert firsts(dataset) == firsts(dataset) == first
    assert epochs(make(), 2) == [first, second]
    repeated = firsts(dataset.repeat(2))
    assert sorted(repeated[:20]) == list(range(20)) and repeated[:20] != repeated[20:]
    ds.config.set_seed(12)
    assert firsts(dataset) != first


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED.keys())
def test_orders_do_not_depend_on_threads(make):
    ds.config.set_seed(11)
    made = []
    for workers in (1, 2, 5):
        ds.config.set_num_parallel_workers(workers)
        ds.config.set_prefetch_size(workers)
        made.append(epochs(make().map(lambda a: a * 2).batch(1).map(lambda a: a[0]), 2))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED.keys())
def test_without_a_seed_every_run_differs(make):
    dataset = make()
    assert len({tuple(firsts(dataset)) for _ in range(4)}) > 1


def test_the_seed_of_the_framework_is_that_of_the_pipeline():
    dyad.set_seed(21)
    assert ds.config.get_seed() == 21 and ds.config.is_seeded()
    assert firsts(pairs(20, shuffle=True)) == firsts(pairs(20, shuffle=True))


def test_rows_are_memory_of_their_own():
    rows = list(numbers(1, 2, 3).create_tuple_iterator(num_epochs=1, output_numpy=True))
    rows[0][0][...] = 9
    assert [int(row[0]) for row in rows] == [9, 2, 3]


def test_explain_reports_rows_and_times_of_stages():
    report = pairs(20).map(lambda a: a, "a").batch(4).explain()
    assert [stage["name"] for stage in report.stages] == ["batched", "mapped", "iterated"]
    assert report.rows == 5 and report.stages[0]["rows"] == 5 and report.stages[2]["rows"] == 20
    assert "rows/s" in str(report) and "waited" in str(report)
    assert pairs(20).explain(rows=3).rows == 3


def test_training_shuffles_again_in_every_epoch():
    class Seen(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = dyad.Parameter(dyad.Tensor([1.0]))
            self.rows = []

        def construct(self, a):
            self.rows.append(float(a[0]))
            return (self.weight * a).sum()

    ds.config.set_seed(2)
    network = Seen()
    data = ds.NumpySlicesDataset(np.arange(12, dtype=np.float32), ["a"]).batch(1)
    dyad.train.Model(network, optimizer=nn.SGD(network.trainable_params(), 0.1)).train(2, data)
    first, second = network.rows[:12], network.rows[12:]
    assert sorted(first) == sorted(second) == list(range(12)) and first != second
