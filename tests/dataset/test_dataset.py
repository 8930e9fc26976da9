"""Operations of `Dataset`: rows, columns, sizes and errors."""

import copy
import gc
import math

import numpy as np
import pytest
from pipeline_rows import firsts, numbers, pairs, rows

import dyad
from dyad import dataset as ds
from dyad.dataset import transforms


def test_rows_are_lists_of_tensors():
    row = next(iter(pairs()))
    assert isinstance(row, list) and all(isinstance(value, dyad.Tensor) for value in row)


@pytest.mark.parametrize(
    ("inputs", "outputs", "function", "names", "first"),
    [
        (["a"], None, lambda a: a + 1, ["a", "b"], [1, [0.0, 0.0]]),
        ("a", "z", lambda a: a + 1, ["z", "b"], [1, [0.0, 0.0]]),
        (["b"], ["z"], lambda b: b + 1, ["a", "z"], [0, [1.0, 1.0]]),
        (["a", "b"], ["c"], lambda a, b: a + b, ["c"], [[0.0, 0.0]]),
        (["a"], ["c", "d"], lambda a: (a, a + 1), ["c", "d", "b"], [0, 1, [0.0, 0.0]]),
        (["b"], ["c", "d"], lambda b: (b, b + 1), ["c", "d", "a"], [[0.0, 0.0], [1.0, 1.0], 0]),
        (["b", "a"], None, lambda b, a: (b + 1, a + 2), ["a", "b"], [2, [1.0, 1.0]]),
        (None, None, lambda a: a + 3, ["a", "b"], [3, [0.0, 0.0]]),
        ("a", "b", lambda a: a + 1, ["b"], [1]),
    ],
)
def test_map_columns(inputs, outputs, function, names, first):
    mapped = pairs().map(function, inputs, outputs)
    assert mapped.get_col_names() == names
    assert rows(mapped)[0] == first


def test_map_mixes_native_and_python_operations():
    operations = [lambda a: a + 1, transforms.TypeCast(dyad.float32), lambda a: a / 2]
    mapped = pairs(3).map(operations, ["a"])
    assert firsts(mapped) == [0.5, 1.0, 1.5]
    assert mapped.output_types()[0] == np.float32


@pytest.mark.parametrize("made", ["text", [1, 2], 3, 2.5, np.float32(1), np.ones((2, 2))])
def test_map_takes_what_becomes_an_array(made):
    assert firsts(pairs(1).map(lambda a: made, "a")) == [np.asarray(made).tolist()]


def test_map_takes_tensors():
    assert firsts(pairs(1).map(lambda a: dyad.Tensor([1, 2]), "a")) == [[1, 2]]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: pairs().map(3), ValueError, "map: operations has 3"),
        (lambda: pairs().map([]), ValueError, "operations is empty"),
        (lambda: pairs().map(transforms.TypeCast), ValueError, "the class TypeCast; need an instance"),
        (lambda: pairs().map(abs, "z").get_col_names(), RuntimeError, "the column 'z' does not exist"),
        (lambda: pairs().map(abs, 3), TypeError, "input_columns is 3"),
        (lambda: pairs().map(abs, ["a", "a"]), ValueError, "need every name once"),
        (lambda: pairs().map(abs, "a", num_parallel_workers=0), ValueError, "num_parallel_workers is 0"),
        (lambda: pairs().map(abs, "a", python_multiprocessing=1), TypeError, "python_multiprocessing is 1"),
        (lambda: pairs().map(abs, "a", cache=object()), TypeError, "no cache server"),
        (lambda: pairs().map(abs, "a", callbacks=3), TypeError, "need a DSCallback"),
        (lambda: pairs().map(abs, "a", offload=3), TypeError, "offload is 3"),
        (lambda: pairs().map(abs, "a", max_rowsize=-2), ValueError, "max_rowsize is -2"),
        (lambda: pairs().map(abs, "a", wrong=1), TypeError, "wrong"),
        (lambda: rows(pairs().map(lambda a: (a, a), "a")), RuntimeError, "gave 2 columns; 1 were expected"),
        (lambda: rows(pairs().map(lambda a: None, "a")), RuntimeError, "gave None"),
        (lambda: pairs().batch(0), ValueError, "batch_size is 0"),
        (lambda: pairs().batch(2.0), TypeError, "batch_size is 2.0"),
        (lambda: pairs().batch(True), TypeError, "batch_size is True"),
        (lambda: pairs().batch(2, "x"), TypeError, "drop_remainder is 'x'"),
        (lambda: pairs().batch(2, input_columns=["a"]), ValueError, "without per_batch_map"),
        (lambda: pairs().batch(2, per_batch_map=3), TypeError, "per_batch_map is 3"),
        (lambda: rows(pairs().batch(lambda info: "x")), RuntimeError, "batch_size gave 'x'"),
        (lambda: rows(pairs().batch(lambda info: 0)), RuntimeError, "batch_size gave 0"),
        (lambda: pairs().padded_batch(2, pad_info=3), TypeError, "pad_info is 3"),
        (lambda: pairs().padded_batch(2, pad_info={"a": 3}), TypeError, r"need a pair \(shape, value\)"),
        (lambda: pairs().padded_batch(2, pad_info={"a": ([0], 1)}), ValueError, "is 0"),
        (lambda: rows(pairs().padded_batch(2, pad_info={"z": ([1], 1)})), RuntimeError, "the column 'z'"),
        (lambda: pairs().shuffle(1), ValueError, "buffer_size is 1"),
        (lambda: pairs().shuffle(1.5), TypeError, "buffer_size is 1.5"),
        (lambda: pairs().repeat(0), ValueError, "count is 0"),
        (lambda: pairs().repeat("x"), TypeError, "count is 'x'"),
        (lambda: pairs().take(0), ValueError, "count is 0"),
        (lambda: pairs().skip(-1), ValueError, "count is -1"),
        (lambda: pairs().rename("a", ["x", "y"]), ValueError, "need equally many"),
        (lambda: pairs().rename("q", "x").get_col_names(), RuntimeError, "the column 'q' does not exist"),
        (lambda: pairs().rename("a", "b").get_col_names(), RuntimeError, "need every name once"),
        (lambda: pairs().project([]), ValueError, "columns is empty"),
        (lambda: rows(pairs().project("z")), RuntimeError, "the column 'z' does not exist"),
        (lambda: ds.zip(pairs()), TypeError, "need a tuple"),
        (lambda: ds.zip((pairs(),)), ValueError, "need two or more"),
        (lambda: pairs().zip(3), TypeError, "datasets is 3"),
        (lambda: rows(pairs().zip(pairs())), RuntimeError, "rename some first"),
        (lambda: pairs() + 3, TypeError, "datasets is 3"),
        (lambda: rows(pairs() + numbers(1)), RuntimeError, "need the same, in the same order"),
        (lambda: pairs().filter(3), TypeError, "predicate is 3"),
        (lambda: pairs().apply(3), TypeError, "apply_func is 3"),
        (lambda: pairs().apply(lambda dataset: 3), TypeError, "gave 3"),
        (lambda: pairs().flat_map(3), TypeError, "func is 3"),
        (lambda: pairs().split(3), TypeError, "sizes is 3"),
        (lambda: pairs().split([]), ValueError, "sizes is empty"),
        (lambda: pairs().split([0.5, 0.1]), ValueError, "add up to 1"),
        (lambda: pairs().split([4, 4]), RuntimeError, "8 rows; the dataset has 5"),
        (lambda: pairs().split([5, 0.5]), ValueError, "ints only, or floats only"),
        (lambda: pairs().split([0.01, 0.99]), RuntimeError, "none of the 5 rows"),
        (lambda: pairs()[9], IndexError, r"need an int in \[0, 4\]"),
        (lambda: pairs()["a"], TypeError, "the index is 'a'"),
        (lambda: rows(numbers([1.0], [1.0, 2.0]).batch(2)), RuntimeError, "need the same dtype and shape"),
        (lambda: len(pairs().repeat().filter(lambda *row: True)), RuntimeError, "it has no end"),
        (lambda: pairs().set_dynamic_columns(3), TypeError, "need a dict"),
        (lambda: pairs().sync_wait(3), TypeError, "condition_name is 3"),
        (lambda: pairs().sync_update("x"), RuntimeError, "waits for none"),
    ],
)
def test_wrong_arguments_of_datasets_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_batch_sizes():
    assert [len(row) for row in firsts(pairs(5).batch(2))] == [2, 2, 1]
    assert [len(row) for row in firsts(pairs(5).batch(2, drop_remainder=True))] == [2, 2]
    assert len(pairs(5).batch(2)) == 3 and len(pairs(5).batch(2, True)) == 2
    assert pairs().batch(2).get_batch_size() == 2 and pairs().get_batch_size() == 1


def test_the_batch_size_is_an_attribute_of_batches_only():
    assert pairs().batch(2).batch_size == 2 and pairs().padded_batch(3).batch_size == 3
    assert not hasattr(pairs(), "batch_size") and not hasattr(pairs().batch(2).repeat(2), "batch_size")
    varying = pairs().batch(lambda info: 1)
    assert callable(varying.batch_size) and varying.get_batch_size() == -1


def test_sources_in_memory_and_of_users_have_the_names_of_their_columns():
    assert pairs().column_names == ["a", "b"]
    assert ds.GeneratorDataset([1, 2], "x").column_names == ["x"]
    assert ds.NumpySlicesDataset({"c": [1], "d": [2]}).column_names == ["c", "d"]


def test_batch_size_by_function():
    batched = pairs(6).batch(lambda info: info.get_batch_num() + 1)
    assert firsts(batched) == [[0], [1, 2], [3, 4, 5]]
    assert batched.get_batch_size() == -1 and len(batched) == 3


def test_per_batch_map():
    seen = []

    def double(a, info):
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return ([value * 2 for value in a],)

    batched = pairs(3).batch(2, per_batch_map=double, input_columns=["a"])
    assert firsts(batched) == [[0, 2], [4]]
    assert sorted(seen) == [(0, 0), (0, 1)]


def test_per_batch_map_makes_columns():
    batched = pairs(2).batch(
        2, per_batch_map=lambda b, info: (b, b), input_columns="b", output_columns=["c", "d"]
    )
    assert batched.get_col_names() == ["c", "d", "a"]
    assert rows(batched)[0][2] == [0, 1]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda a: ([np.ones(1)],), "gave 1 rows of 'a'; need 2"),
        (lambda a: (a, a), "gave 2 columns; need 1"),
        (lambda a: ([np.ones(1), np.ones(2)],), "need the same dtype and shape"),
    ],
)
def test_per_batch_map_errors(made, text):
    with pytest.raises(RuntimeError, match=text):
        rows(pairs(2).batch(2, per_batch_map=lambda a, info: made(a), input_columns=["a"]))


RAGGED = ([1.0], [1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("pad_info", "made"),
    [
        ({}, [[[1, 0, 0], [1, 2, 3]], [[1, 2]]]),
        ({"a": ([4], 7)}, [[[1, 7, 7, 7], [1, 2, 3, 7]], [[1, 2, 7, 7]]]),
        ({"a": ([None], 7)}, [[[1, 7, 7], [1, 2, 3]], [[1, 2]]]),
        ({"a": (None, 7)}, [[[1, 7, 7], [1, 2, 3]], [[1, 2]]]),
        ({"a": ([2], 7)}, [[[1, 7], [1, 2]], [[1, 2]]]),
    ],
)
def test_padded_batch(pad_info, made):
    assert firsts(numbers(*RAGGED).padded_batch(2, pad_info=pad_info)) == made


def test_padded_batch_of_texts():
    texts = ds.GeneratorDataset([np.array(["x"]), np.array(["y", "zz"])], ["a"], shuffle=False)
    assert firsts(texts.padded_batch(2, pad_info={"a": ([None], "<p>")})) == [[["x", "<p>"], ["y", "zz"]]]


def test_bucket_batch_by_length():
    ragged = ds.GeneratorDataset([np.ones(size) for size in (1, 2, 3, 4, 5, 6)], ["a"], shuffle=False)
    bucketed = ragged.bucket_batch_by_length("a", [3, 5], [2, 2, 2], pad_info={})
    assert [np.shape(batch) for batch in firsts(bucketed)] == [(2, 2), (2, 4), (2, 6)]
    by_function = ragged.bucket_batch_by_length(["a"], [3, 5], [2, 2, 2], lambda a: 9 - len(a), pad_info={})
    assert [np.shape(batch) for batch in firsts(by_function)] == [(2, 2), (2, 4), (2, 6)]
    assert len(bucketed) == 3


def test_selecting_rows():
    assert firsts(pairs().take(2)) == [0, 1] and len(pairs().take(20)) == 5 and len(pairs().take()) == 5
    assert firsts(pairs().skip(4)) == [4] and rows(pairs().skip(9)) == [] and len(pairs().skip(9)) == 0
    assert firsts(pairs(2).repeat(2)) == [0, 1, 0, 1] and len(pairs(2).repeat(2)) == 4
    assert firsts(pairs(2).repeat().take(5)) == [0, 1, 0, 1, 0] and len(pairs(2).repeat().take(5)) == 5
    assert len(pairs(2).repeat()) == 2 and pairs().repeat().get_repeat_count() == -1
    assert firsts(pairs().filter(lambda a: a > 2, ["a"])) == [3, 4]
    assert sorted(firsts(pairs(20).shuffle(8))) == list(range(20))


def test_zip_and_concat_join_columns_and_rows():
    other = pairs(3).rename(["a", "b"], ["c", "d"])
    assert ds.zip((pairs(), other)).get_col_names() == ["a", "b", "c", "d"]
    assert len(pairs().zip(other)) == 3 and len(rows(pairs().zip((other,)))) == 3
    assert firsts(pairs(2) + pairs(3)) == [0, 1, 0, 1, 2] and len(pairs(2).concat([pairs(1), pairs(1)])) == 4


def test_project_and_rename_change_the_columns():
    assert rows(pairs(1).project(["b", "a"])) == [[[0.0, 0.0], 0]]
    assert pairs().rename(["a", "b"], ["b", "a"]).get_col_names() == ["b", "a"]


@pytest.mark.parametrize(
    "make", [pairs, lambda size, **given: pairs(size, **given).map(lambda a: a, "a").project("a")]
)
@pytest.mark.parametrize("shuffle", [True, False])
def test_split_has_no_common_rows(make, shuffle):
    first, second = make(10, shuffle=shuffle).split([0.7, 0.3])
    for _ in range(2):
        assert sorted(firsts(first) + firsts(second)) == list(range(10))
    assert len(first) == 7 and len(second) == 3


def test_split_in_order():
    first, second = pairs(5).split([2, 3], randomize=False)
    assert firsts(first) == [0, 1] and firsts(second) == [2, 3, 4]
    batches = pairs(6).batch(2).split([1, 2], randomize=False)
    assert [firsts(part) for part in batches] == [[[0, 1]], [[2, 3], [4, 5]]]


def test_flat_map_and_apply():
    flat = numbers(1, 2).flat_map(lambda a: numbers(int(a) * 10, int(a) * 10 + 1))
    assert firsts(flat) == [10, 11, 20, 21]
    assert len(pairs().apply(lambda dataset: dataset.batch(5))) == 1


def test_what_is_known_of_rows():
    batched = pairs(5).batch(2)
    assert batched.output_shapes() == [[2], [2, 2]]
    assert batched.output_shapes(estimate=True) == [[None], [None, 2]]
    assert batched.dynamic_min_max_shapes() == ([[1], [1, 2]], [[2], [2, 2]])
    assert pairs().output_types() == [np.dtype("int64"), np.dtype("float32")]
    assert numbers("x").output_types() == [np.dtype("<U")]
    assert pairs().num_classes() is None and pairs().get_class_indexing() == {}
    assert batched.input_indexs == () and batched.reset() is None and batched.device_que() is batched
    assert batched.count_rows(math.inf) == 3


def test_random_access():
    assert pairs(shuffle=True)[3][0] == 3
    assert pairs().map(lambda a: a + 1, "a")[2][0] == 3
    assert numbers(5, 6, 7, sampler=[2, 1, 0], shuffle=None)[0][0] == 7
    assert pairs(6).batch(2)[1][0].tolist() == [2, 3]


def test_sync_wait():
    seen = []
    waiting = pairs(4).sync_wait("policy", callback=seen.append).map(lambda a: a, "a")
    for row in waiting.create_dict_iterator(num_epochs=1, output_numpy=True):
        seen.append(int(row["a"]))
        waiting.sync_update("policy", data=f"after {row['a']}")
    assert seen == [0, "after 0", 1, "after 1", 2, "after 2", 3, "after 3"]


def test_sync_wait_counts_the_batches_behind_it():
    steps = []
    waiting = pairs(8).sync_wait("policy", callback=steps.append)
    batched = waiting.map(lambda a: a, "a").batch(2).batch(2)
    for row in batched.create_dict_iterator(num_epochs=1, output_numpy=True):
        steps.append(row["a"].tolist())
        batched.sync_update("policy", data="next")
    assert steps == [[[0, 1], [2, 3]], "next", [[4, 5], [6, 7]], "next"]


def test_sync_wait_without_an_update_is_an_error():
    ds.config.set_callback_timeout(1)
    with pytest.raises(RuntimeError, match="no sync_update of 'policy'"):
        rows(pairs(4).sync_wait("policy"))


def test_disable_sync():
    waiting = pairs(4).sync_wait("policy")
    waiting.disable_sync()
    assert len(rows(waiting)) == 4


def test_long_chains_are_cheap():
    dataset = pairs(2)
    for _ in range(60):
        dataset = dataset.map(lambda a: a + 1, "a").project(["a", "b"])
    assert dataset.get_col_names() == ["a", "b"] and firsts(dataset) == [60, 61]


def test_dicts_are_stacked_key_by_key():
    rows = [({"a": i, "t": {"b": f"x{i}"}}, i) for i in range(4)]
    by_map = lambda first, second, info: (first, second)  # noqa: E731
    source = ds.GeneratorDataset(rows, ["d", "n"], shuffle=False)
    for stage in (
        source.batch(2),
        source.batch(2, per_batch_map=by_map),
        source.padded_batch(2, pad_info={}),
    ):
        last = list(stage.create_dict_iterator(num_epochs=1, output_numpy=True))[-1]["d"]
        np.testing.assert_array_equal(last["a"], [2, 3])
        np.testing.assert_array_equal(last["t"]["b"], ["x2", "x3"])


def test_dicts_that_do_not_stack():
    def batch(*values):
        return list(ds.GeneratorDataset([(value,) for value in values], ["d"], shuffle=False).batch(2))

    with pytest.raises(RuntimeError, match="column 'd' has dicts of different keys"):
        batch({"a": 1}, {"b": 1})
    with pytest.raises(RuntimeError, match=r"has rows of int64 .* and int64 .2,"):
        batch({"a": 1}, {"a": [1, 2]})
    with pytest.raises(RuntimeError, match="an object that is no array and int64"):
        batch({"a": 1}, [1])


FOUND = {
    "dataset_size": "get_dataset_size",
    "saved_output_types": "output_types",
    "saved_output_shapes": "output_shapes",
    "estimated_output_shapes": "output_shapes",
    "_repeat_count": "get_repeat_count",
    "_batch_size": "get_batch_size",
    "_col_names": "get_col_names",
}


@pytest.mark.parametrize("name", FOUND)
def test_an_attribute_holds_what_the_method_returned(name):
    arguments = (True,) if name.startswith("estimated") else ()
    batches = numbers(*range(6)).repeat(3).batch(2)
    assert getattr(batches, name) is None
    found = getattr(batches, FOUND[name])(*arguments)
    assert getattr(batches, name) == found and found is not None
    assert getattr(copy.copy(batches), name) is None
    setattr(batches, name, "assigned")
    assert getattr(batches, FOUND[name])(*arguments) == "assigned"
    assert getattr(copy.deepcopy(batches), name) == "assigned"
    setattr(batches, name, None)
    assert getattr(batches, FOUND[name])(*arguments) == found


def test_a_dataset_knows_the_datasets_made_of_it():
    source = numbers(*range(6))
    first, second = source.repeat(2), source.batch(3)
    assert [parent() for parent in source.parent] == [first, second]
    assert first.parent == [] and first.children == [source]
    copied = copy.deepcopy(second)
    assert [parent() for parent in copied.children[0].parent] == [copied]
    part, _ = source.map(lambda x: x).split([4, 2])
    assert all(parent().children[0] is child for child in part.children for parent in child.parent[-1:])
    del first
    gc.collect()
    assert source.parent[0]() is None


def test_an_epoch_that_was_read_to_its_end_tells_the_size():
    def rows():
        for number in range(5):
            yield (np.array(number),)

    batches = ds.GeneratorDataset(rows, ["x"], shuffle=False).batch(2)
    iterator = batches.create_dict_iterator(num_epochs=2)
    next(iterator)
    assert batches.dataset_size is None
    list(iterator)
    assert batches.dataset_size == 3
