"""Sources in memory and of a program's own making."""

import sys
import types

import numpy as np
import pytest
from pipeline_rows import Pairs, firsts, numbers, pairs, rows

import dyad
from dyad import dataset as ds


def four():
    for number in range(4):
        yield number, float(number)


class Countdown:
    def __iter__(self):
        return iter([(3,), (2,), (1,)])


def test_generator_function():
    dataset = ds.GeneratorDataset(four, ["a", "b"])
    assert rows(dataset) == [[0, 0.0], [1, 1.0], [2, 2.0], [3, 3.0]]
    assert dataset.output_types() == [np.dtype("int64"), np.dtype("float64")]
    assert len(dataset) == 4 and len(rows(dataset)) == 4


def test_an_iterable_is_read_from_its_start_in_every_epoch():
    assert firsts(ds.GeneratorDataset(Countdown(), ["a"]).repeat(2)) == [3, 2, 1, 3, 2, 1]
    assert firsts(ds.GeneratorDataset(Countdown(), "a", num_samples=2)) == [3, 2]


def test_an_iterable_is_started_once_an_epoch():
    class Passes:
        def __init__(self):
            self.passes = 0

        def __iter__(self):
            self.passes += 1
            self.left = [self.passes] * 2
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            return self.left.pop()

    assert firsts(ds.GeneratorDataset(Passes(), "a").repeat(2)) == [1, 1, 2, 2]


def test_a_generator_is_used_up():
    dataset = ds.GeneratorDataset(four(), ["a", "b"])
    assert len(rows(dataset)) == 4
    with pytest.raises(RuntimeError, match="give the function that makes it"):
        rows(dataset)


@pytest.mark.parametrize(
    ("source", "names", "first"),
    [
        ([1, 2], ["a"], [1]),
        (["x", "yy"], ["a"], ["x"]),
        ([(1, 2.5)], ["a", "b"], [1, 2.5]),
        ([[1, 2]], ["a", "b"], [1, 2]),
        (np.arange(6).reshape(3, 2), ["a"], [[0, 1]]),
        ([b"bytes"], ["a"], [b"bytes"]),
        ([True], ["a"], [True]),
    ],
)
def test_rows_of_a_source(source, names, first):
    assert rows(ds.GeneratorDataset(source, names, shuffle=False))[0] == first


def test_objects_are_handed_on():
    row = next(iter(ds.GeneratorDataset([{"key": 1}], ["a"], shuffle=False)))
    assert row == [{"key": 1}]


@pytest.mark.parametrize(("output_numpy", "kind"), [(True, np.ndarray), (False, dyad.Tensor)])
def test_containers_in_objects_keep_their_kind(output_numpy, kind):
    made = {
        "list": [1, 2.5],
        "tuple": (1, 2),
        "ragged": [np.array([1, 2]), np.array([3])],
        "nested": [[1], {"a": 2}],
        "text": ["x"],
        "none": None,
        "bytes": b"q",
        "empty": [],
    }
    iterator = ds.GeneratorDataset([made], ["a"], shuffle=False).create_dict_iterator(1, output_numpy)
    got = next(iter(iterator))["a"]
    assert [type(value) for value in got["list"]] == [kind, kind] and got["list"][1] == 2.5
    assert type(got["tuple"]) is tuple and [int(value) for value in got["tuple"]] == [1, 2]
    assert [value.shape for value in got["ragged"]] == [(2,), (1,)]
    assert isinstance(got["nested"][0][0], kind) and isinstance(got["nested"][1]["a"], kind)
    assert isinstance(got["text"][0], np.ndarray) and got["text"][0] == "x"
    assert (got["none"], got["bytes"], got["empty"]) == (None, b"q", [])


def test_random_access_is_shuffled_by_default():
    ds.config.set_seed(3)
    order = firsts(ds.GeneratorDataset(Pairs(30), ["a", "b"]))
    assert order != list(range(30)) and sorted(order) == list(range(30))


def test_rows_are_read_in_order_by_one_worker():
    calls = []

    class Source:
        def __getitem__(self, index):
            calls.append(index)
            return index

        def __len__(self):
            return 50

    made = firsts(ds.GeneratorDataset(Source(), ["a"], shuffle=False).map(lambda a: a + 1).batch(10))
    assert calls == list(range(50)) and made[0][0] == 1


@pytest.mark.parametrize("processes", [True, False])
def test_workers_keep_the_order(processes):
    dataset = pairs(40, num_parallel_workers=3, python_multiprocessing=processes)
    assert firsts(dataset) == list(range(40))


@pytest.mark.parametrize("sampler", [None, ds.WeightedRandomSampler(list(range(20)), 8)])
@pytest.mark.parametrize("processes", [True, False])
def test_a_seeded_order_is_the_same_whatever_the_number_of_workers(sampler, processes):
    def epochs(workers):
        ds.config.set_seed(7)
        arguments = {"num_parallel_workers": workers, "python_multiprocessing": processes, "sampler": sampler}
        iterator = (
            ds.GeneratorDataset(Pairs(20), ["a", "b"], **arguments)
            .repeat(2)
            .create_tuple_iterator(num_epochs=2, output_numpy=True)
        )
        return [[row[0].tolist() for row in iterator] for _ in range(2)]

    alone = epochs(1)
    assert epochs(2) == epochs(3) == alone
    assert alone[0] != alone[1]


def test_column_types():
    typed = ds.GeneratorDataset([1, 2], ["a"], column_types=[dyad.float16], shuffle=False)
    assert typed.output_types() == [np.dtype("float16")]
    with pytest.raises(RuntimeError, match="gave int64 for the column 'a'; column_types says int32"):
        rows(pairs(column_types=[dyad.int32, dyad.float32]))


def test_a_schema_names_the_columns_of_a_generator():
    schema = ds.Schema()
    schema.add_column("a", dyad.int64, [])
    schema.add_column("b", "float32", [2])
    dataset = ds.GeneratorDataset(Pairs(2), schema=schema, shuffle=False)
    assert dataset.get_col_names() == ["a", "b"] and len(rows(dataset)) == 2


def test_batch_sampler():
    dataset = pairs(batch_sampler=[[0, 1], [2, 3, 4]])
    assert firsts(dataset) == [[0, 1], [2, 3, 4]]
    assert len(dataset) == 2 and dataset.get_batch_size() == -1


@pytest.mark.parametrize("workers", [1, 2])
def test_collate_fn(workers):
    def collate(a, b):
        return np.sum(a), np.stack(b)

    dataset = pairs(batch_sampler=[[0, 1], [2, 3, 4]], collate_fn=collate, num_parallel_workers=workers)
    assert firsts(dataset) == [1, 9]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ds.GeneratorDataset(3, ["a"]), TypeError, "source is 3"),
        (lambda: ds.GeneratorDataset([1]), ValueError, "column_names is None"),
        (lambda: ds.GeneratorDataset([1], ["a", "a"]), ValueError, "need every name once"),
        (lambda: ds.GeneratorDataset([1], ["a"], column_types=[dyad.int32] * 2), ValueError, "2 types for 1"),
        (lambda: ds.GeneratorDataset([1], ["a"], column_types=[3]), TypeError, "column_types has 3"),
        (lambda: ds.GeneratorDataset([1], ["a"], schema=3), ValueError, "need one of them"),
        (lambda: ds.GeneratorDataset([1], schema=3), TypeError, "schema is 3"),
        (lambda: ds.GeneratorDataset(four, ["a"], sampler=[1]), ValueError, "no random access"),
        (lambda: ds.GeneratorDataset(four, ["a"], num_shards=2, shard_id=0), ValueError, "no random access"),
        (lambda: ds.GeneratorDataset(four, ["a"], batch_sampler=[[1]]), ValueError, "batch_sampler needs"),
        (lambda: pairs(sampler=[1], shuffle=True), ValueError, "sampler and shuffle are given"),
        (lambda: pairs(sampler=[1], num_samples=1), ValueError, "sampler and num_samples are given"),
        (lambda: pairs(num_shards=2), ValueError, "need both or none"),
        (lambda: pairs(num_shards=2, shard_id=2), ValueError, "shard_id is 2"),
        (lambda: pairs(sampler=3), TypeError, "sampler is 3"),
        (lambda: pairs(shuffle=3), TypeError, "shuffle is 3"),
        (lambda: pairs(batch_sampler=3), TypeError, "batch_sampler is 3"),
        (lambda: pairs(batch_sampler=[[1]], num_samples=2), ValueError, "batch_sampler excludes"),
        (lambda: pairs(collate_fn=len), ValueError, "collate_fn is given without batch_sampler"),
        (lambda: pairs(sampler=ds.PKSampler(2)), ValueError, "PKSampler"),
        (lambda: pairs(python_multiprocessing=3), TypeError, "python_multiprocessing is 3"),
        (lambda: pairs(num_parallel_workers=0), ValueError, "num_parallel_workers is 0"),
        (lambda: rows(ds.GeneratorDataset([], ["a"])), RuntimeError, "0 rows; need one or more"),
        (lambda: rows(ds.GeneratorDataset([(1, 2)], ["a"])), RuntimeError, "gave 2 values; need 1"),
        (lambda: rows(ds.GeneratorDataset([None], ["a"])), RuntimeError, "gave None for the column 'a'"),
        (lambda: rows(ds.GeneratorDataset([1], ["a"], batch_sampler=[[9]])), RuntimeError, "out of range"),
        (lambda: ds.NumpySlicesDataset(3), TypeError, "data is 3"),
        (lambda: ds.NumpySlicesDataset([]), ValueError, "data is empty"),
        (lambda: ds.NumpySlicesDataset(([1], [])), ValueError, "column 1 has no rows"),
        (lambda: ds.NumpySlicesDataset(([1, 2], [3])), ValueError, "need equally many"),
        (lambda: ds.NumpySlicesDataset(([1], [3]), ["a"]), ValueError, "1 names for 2 columns"),
        (lambda: ds.NumpySlicesDataset((1, 2)), TypeError, "column 0 is 1"),
        (lambda: ds.PaddedDataset(3), TypeError, "padded_samples is 3"),
        (lambda: ds.PaddedDataset([]), ValueError, "padded_samples is empty"),
        (lambda: ds.PaddedDataset([{"a": 1}, {"b": 1}]), ValueError, "rows have columns"),
        (lambda: ds.RandomDataset(schema=3), TypeError, "schema is 3"),
        (lambda: ds.RandomDataset(0), ValueError, "total_rows is 0"),
        (lambda: ds.RandomDataset(columns_list=["z"]), ValueError, "columns_list has 'z'"),
    ],
)
def test_wrong_arguments_of_generators_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_shuffle_without_random_access_warns():
    with pytest.warns(UserWarning, match="no random access"):
        ds.GeneratorDataset(four, ["a", "b"], shuffle=True)


@pytest.mark.parametrize(
    ("data", "names", "made"),
    [
        ([1, 2], ["column_0"], [[1], [2]]),
        ([[1, 2], [3, 4]], ["column_0"], [[[1, 2]], [[3, 4]]]),
        (([1, 2], [3.5, 4.5]), ["column_0", "column_1"], [[1, 3.5], [2, 4.5]]),
        ({"x": [1, 2], "y": ["p", "qq"]}, ["x", "y"], [[1, "p"], [2, "qq"]]),
        (np.arange(4).reshape(2, 2), ["column_0"], [[[0, 1]], [[2, 3]]]),
        ([[1, 2], [3]], ["column_0"], [[[1, 2]], [[3]]]),
        ((np.arange(2), np.ones((2, 1), bool)), ["column_0", "column_1"], [[0, [True]], [1, [True]]]),
    ],
)
def test_numpy_slices(data, names, made):
    dataset = ds.NumpySlicesDataset(data, shuffle=False)
    assert dataset.get_col_names() == names and rows(dataset) == made and len(dataset) == len(made)


def test_numpy_slices_of_a_data_frame(monkeypatch):
    class DataFrame:
        """Part of pandas that the source uses."""

        __module__ = "pandas.core.frame"
        columns = ("x", "y")

        def __getitem__(self, name):
            values = {"x": np.array([1, 2]), "y": np.array(["p", "q"], object)}[name]
            return types.SimpleNamespace(to_numpy=lambda: values)

    frame = DataFrame()
    if "pandas" in sys.modules:
        frame = sys.modules["pandas"].DataFrame({"x": [1, 2], "y": ["p", "q"]})
    dataset = ds.NumpySlicesDataset(frame, shuffle=False)
    assert dataset.get_col_names() == ["x", "y"] and rows(dataset) == [[1, "p"], [2, "q"]]


def test_numpy_slices_with_samplers():
    assert firsts(numbers(5, 6, 7, shuffle=None, sampler=ds.SubsetSampler([2, 0]))) == [7, 5]
    assert firsts(numbers(5, 6, 7, num_shards=2, shard_id=1)) == [6, 5]
    assert len(numbers(5, 6, 7, num_samples=2)) == 2


def test_rows_do_not_change_with_the_array():
    array = np.zeros((4, 2))
    row = next(iter(ds.NumpySlicesDataset(array, shuffle=False)))[0]
    array[:] = 1
    assert row.asnumpy().tolist() == [0, 0]


def test_padded_dataset_fills_up_shards():
    padding = ds.PaddedDataset([{"a": np.array(-1), "b": np.zeros(2, np.float32)}] * 2)
    shards = []
    for shard in range(3):
        joined = pairs(4) + padding
        joined.use_sampler(ds.DistributedSampler(3, shard, shuffle=False))
        shards.append(firsts(joined))
        assert len(joined) == 2
    assert shards == [[0, 3], [1, -1], [2, -1]]


def test_random_dataset():
    schema = ds.Schema()
    schema.add_column("x", dyad.uint8, [3])
    schema.add_column("y", "float32", [])
    ds.config.set_seed(1)
    dataset = ds.RandomDataset(4, schema)
    assert dataset.get_col_names() == ["x", "y"] and len(dataset) == 4
    assert dataset.output_shapes() == [[3], []] and rows(dataset) == rows(dataset)
    assert len(ds.RandomDataset()) == 100 and len(rows(ds.RandomDataset(5, num_shards=2, shard_id=0))) == 3
    assert ds.RandomDataset(4, schema, ["y"]).get_col_names() == ["y"]


@pytest.mark.parametrize("processes", [True, False])
def test_workers_give_batches(processes):
    def batches(rows, names="a"):
        arguments = {"shuffle": False, "num_parallel_workers": 2, "python_multiprocessing": processes}
        return ds.GeneratorDataset(rows, names, **arguments).batch(2)

    assert rows(batches([(1, "x"), (2, "yy"), (3, "z")], ["a", "b"])) == [[[1, 2], ["x", "yy"]], [[3], ["z"]]]
    assert batches([1.5, 2.5]).output_types() == [np.dtype("float64")]
    with pytest.raises(RuntimeError, match="need the same dtype and shape"):
        rows(batches([np.ones(1), np.ones(2)]))
    with pytest.raises(RuntimeError, match="need the same dtype and shape"):
        rows(batches([np.ones(1, np.float32), np.ones(1)]))
    with pytest.raises(RuntimeError, match="batch"):
        rows(batches([{1}, {2}]))
    (made,) = batches([{"key": 1}, {"key": 2}]).create_tuple_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(made[0]["key"], [1, 2])
    padded = ds.GeneratorDataset([np.ones(1), np.ones(2)], "a", shuffle=False, num_parallel_workers=2)
    assert firsts(padded.padded_batch(2, pad_info={})) == [[[1, 0], [1, 1]]]
