"""Programs as users write them that once failed, or gave other rows than they should."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from pipeline_rows import firsts, numbers

import dyad
from dyad import dataset as ds
from dyad.dataset import transforms


class ByNumber:
    """A sampler without `__iter__`, which never says that it is at its end."""

    def __getitem__(self, at):
        return 3 - at % 2

    def __len__(self):
        return 3


def test_a_sampler_may_be_an_object_with_getitem_and_len():
    dataset = ds.GeneratorDataset(list(range(5)), ["x"], sampler=ByNumber())
    assert len(dataset) == 3
    assert firsts(dataset) == [3, 2, 3]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda dataset: pickle.loads(pickle.dumps(dataset))])
def test_datasets_of_files_are_copied_and_pickled_after_use(tmp_path, copied):
    path = tmp_path / "lines.txt"
    path.write_text("a\nb\nc\n")
    lines = ds.TextFileDataset(str(path), shuffle=False)
    first, _ = lines.split([2, 1], randomize=False)
    for dataset, expected in ((lines.batch(2), 2), (first, 2)):
        assert len(list(dataset)) == expected
        assert len(list(copied(dataset))) == expected


def test_a_column_of_pad_info_may_be_none():
    dataset = ds.GeneratorDataset([np.ones(1), np.ones(3)], ["x"], shuffle=False)
    ((batch,),) = dataset.padded_batch(2, pad_info={"x": None}).create_tuple_iterator(num_epochs=1)
    assert batch.asnumpy().tolist() == [[1, 0, 0], [1, 1, 1]]


@pytest.mark.parametrize(("value", "kind"), [(1.5, dyad.int32), (300, dyad.uint8), (-1, dyad.uint8)])
def test_column_types_never_change_a_number(value, kind):
    with pytest.raises(RuntimeError, match=r"GeneratorDataset: the source gave \w+ for the column 'x'"):
        firsts(ds.GeneratorDataset([value], ["x"], column_types=[kind]))


def test_column_types_of_python_numbers():
    (row,) = ds.GeneratorDataset([(1, 2)], ["a", "b"], column_types=[dyad.int8, dyad.float32])
    assert [value.dtype for value in row] == [dyad.int8, dyad.float32]


def test_a_wrong_column_type_names_the_dataset():
    with pytest.raises(TypeError, match="GeneratorDataset: column_types has 'foo'"):
        ds.GeneratorDataset([1], ["x"], column_types=["foo"])


def test_a_predicate_that_gives_an_array_is_named():
    with pytest.raises(RuntimeError, match=r"filter: the predicate <lambda> gave array.*one truth value"):
        firsts(numbers(1, 2).batch(2).filter(lambda values: values > 1))


def test_save_into_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(ValueError, match=r"save: file_name is .*; the folder .* does not exist"):
        numbers(1).save(str(tmp_path / "none" / "rows"))


def test_a_seeded_order_does_not_depend_on_later_stages():
    ds.config.set_seed(3)
    choice = transforms.RandomChoice([lambda value: value, lambda value: value + 100])
    dataset = numbers(*range(30)).shuffle(10).map(choice)
    rows = firsts(dataset)
    assert firsts(dataset.take(5)) == rows[:5]
    assert firsts(dataset.batch(30).map(lambda values: values[:4])) == [rows[:4]]


def test_a_cache_is_accepted_and_changes_no_row():
    dataset = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False)
    assert firsts(dataset.map(abs, cache=ds.DatasetCache(session_id=1, size=0))) == [1, 2]


def test_the_dataset_helper_runs_epochs_or_a_number_of_batches():
    dataset = numbers(*range(6)).batch(2)
    helper = dyad.DatasetHelper(dataset, dataset_sink_mode=False, epoch_num=2)
    assert [len(list(helper)) for _ in range(2)] == [3, 3]
    helper = dyad.DatasetHelper(dataset, sink_size=2, epoch_num=2)
    assert [[int(batch[0]) for (batch,) in helper] for _ in range(3)] == [[0, 2], [4, 0], [2, 4]]
    assert helper.sink_size() == 2
    helper.release()
    with pytest.raises(TypeError, match="DatasetHelper: dataset is 3"):
        dyad.train.DatasetHelper(3)


def test_values_of_a_column_that_is_a_dict_are_tensors():
    dataset = ds.GeneratorDataset([({"a": 1, "b": {"c": [1.5, 2]}, "t": "text"}, 3)], ["d", "y"])
    ((column, _),) = dataset
    assert isinstance(column["a"], dyad.Tensor) and [value.item() for value in column["b"]["c"]] == [1.5, 2]
    assert column["t"] == "text"
    ((column, _),) = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert isinstance(column["a"], np.ndarray)


def test_a_function_with_one_worker_is_called_in_the_order_of_rows():
    calls = itertools.count()

    def number(value):
        sum(range(int(value) % 7 * 300))
        return np.int64(next(calls))

    dataset = numbers(*range(300)).map(number, num_parallel_workers=1).batch(1)
    assert firsts(dataset) == [[at] for at in range(300)]
