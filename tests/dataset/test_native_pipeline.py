"""The native pipeline as the front builds it: `dyad._core.data`."""

import numpy as np
import pytest
from native_stages import arrays, data, explain, first_column, pipeline, python, rows

import dyad


def test_rows_and_epochs():
    x = np.arange(4)
    assert first_column(arrays(x), epochs=2) == [0, 1, 2, 3, None, 0, 1, 2, 3, None]
    running = pipeline(arrays(x))
    rows(running)
    with pytest.raises(StopIteration):
        running.next(False)


def test_batches_are_tensors_that_fit_the_arrays():
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    labels = np.arange(5)
    got = rows(pipeline(data.batched(arrays(x, labels), 2)), as_tensors=True)
    assert [row and row[0].shape for row in got] == [(2, 2), (2, 2), (1, 2), None]
    assert isinstance(got[0][0], dyad.Tensor)
    assert np.array_equal(np.concatenate([row[0].asnumpy() for row in got[:3]]), x)
    assert np.array_equal(np.concatenate([row[1].asnumpy() for row in got[:3]]), labels)


def test_a_row_is_not_the_sources_memory():
    x = np.arange(6).reshape(3, 2)
    for row in rows(pipeline(arrays(x)))[:3]:
        row[0] += 100
    assert np.array_equal(x, np.arange(6).reshape(3, 2))


@pytest.mark.parametrize("size", [3, 20_000])  # copied, and shared where nobody else holds it
def test_rows_of_python_are_not_the_programs_memory(size):
    held = [np.full(size, i) for i in range(4)]
    source = data.python_source(lambda index: (held[index],), 4, explain)
    got = rows(pipeline(data.sampled(source, data.sequential_order(0, 0))))[:4]
    for row in got:
        row[0] += 100
    assert [a.tolist() for a in held] == [[i] * size for i in range(4)]

    def one_buffer():
        buffer = np.zeros(size)
        for i in range(5):
            buffer[:] = i
            yield (buffer,)

    assert first_column(data.iterated(one_buffer, explain)) == [[i] * size for i in range(5)] + [None]

    kept = (np.arange(size),)  # the source holds the tuple itself
    source = data.python_source(lambda index: kept, 1, explain)
    rows(pipeline(data.sampled(source, data.sequential_order(0, 0))))[0][0][:] = 7
    assert np.array_equal(kept[0], np.arange(size))

    fresh = data.python_source(lambda index: (np.full(size, index),), 4, explain)
    stage = data.sampled(fresh, data.sequential_order(0, 0))
    assert first_column(stage) == [[i] * size for i in range(4)] + [None]


def test_map_takes_and_arranges_columns():
    x, y = np.arange(3), np.arange(3) * 10
    added = data.mapped(arrays(x, y), [python(lambda b: (b + 1, b + 2))], [1], [2, 0, 1])
    assert rows(pipeline(added))[1] == [1, 11, 12]
    with pytest.raises(RuntimeError, match="map: the operations gave 2 columns; 1 were expected"):
        rows(pipeline(data.mapped(arrays(x, y), [python(lambda b: (b, b))], [1], [1, 0])))
    with pytest.raises(RuntimeError, match="map: column 5 was asked for; the row has 2 columns"):
        rows(pipeline(data.mapped(arrays(x, y), [python(lambda b: (b,))], [5])))


def test_an_error_has_the_users_traceback_and_comes_in_its_turn():
    def divide_by(x):
        return (100 // int(x - 3),)

    running = pipeline(data.mapped(arrays(np.arange(10)), [python(divide_by)], [0]), workers=3)
    assert [running.next(False)[0].tolist() for _ in range(3)] == [-34, -50, -100]
    with pytest.raises(RuntimeError, match=r"(?s)explained: .*in divide_by.*ZeroDivisionError"):
        running.next(False)
    with pytest.raises(RuntimeError, match="the iterator is closed"):
        running.next(False)


@pytest.mark.parametrize(
    "kind", ["source", "start", "iterator", "order", "size", "predicate", "length", "batch"]
)
def test_every_callback_may_raise(kind):
    def fail(*ignored):
        raise KeyError("the reason")

    def failing_rows():
        yield (1,)
        fail()

    x = arrays(np.arange(3))
    first = data.sequential_order(0, 0)
    stage = {
        "source": lambda: data.sampled(data.python_source(fail, 3, explain), first),
        "start": lambda: data.iterated(fail, explain),
        "iterator": lambda: data.iterated(failing_rows, explain),
        "order": lambda: arrays(np.arange(3), order=data.python_order(fail)),
        "size": lambda: data.batched(x, fail),
        "predicate": lambda: data.filtered(x, python(fail), [0]),
        "length": lambda: data.bucketed(x, [2], [1, 1], python(fail), [0]),
        "batch": lambda: data.batched(x, 2, transform=python(fail), take=[0]),
    }[kind]
    with pytest.raises(RuntimeError, match=r"(?s)in fail.*KeyError: 'the reason'"):
        rows(pipeline(stage()))


def test_callbacks_that_give_the_wrong_thing():
    first = data.sequential_order(0, 0)
    with pytest.raises(RuntimeError, match="a row must be a list or a tuple of columns"):
        rows(pipeline(data.sampled(data.python_source(lambda i: 5, 1, explain), first)))
    with pytest.raises(RuntimeError, match=r"sampler: .*integers"):
        rows(pipeline(arrays(np.arange(3), order=data.python_order(lambda epoch: [0.5]))))
    with pytest.raises(RuntimeError, match="row 9 was asked for; the dataset has 3 rows"):
        rows(pipeline(arrays(np.arange(3), order=data.python_order(lambda epoch: [9]))))
    with pytest.raises(RuntimeError, match="batch: batch_size is 0; need at least 1"):
        rows(pipeline(data.batched(arrays(np.arange(3)), lambda epoch, batch: 0)))
    with pytest.raises(RuntimeError, match="TypeError"):
        rows(pipeline(data.batched(arrays(np.arange(3)), lambda epoch, batch: "two")))
    with pytest.raises(RuntimeError, match=r"filter: the predicate gave .*one truth value"):
        rows(pipeline(data.filtered(arrays(np.arange(3)), python(lambda x: (np.ones(2),)), [0])))


def test_orders_from_python_change_with_the_epoch():
    order = data.python_order(lambda epoch: np.array([epoch, 0], dtype=np.int32))
    assert first_column(arrays(np.arange(5) * 10, order=order), epochs=2) == [0, 0, None, 10, 0, None]


def test_batch_sizes_and_places_of_batches_reach_python():
    places = []

    def collect(values, place):
        places.append(tuple(place.tolist()))
        return ([v * 2 for v in values],)

    stage = data.batched(
        arrays(np.arange(6)), lambda epoch, batch: batch + 1, transform=python(collect), take=[0]
    )
    assert first_column(stage, epochs=2) == [[0], [2, 4], [6, 8, 10], None] * 2
    assert sorted(places) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_padded_batches_have_the_size_of_the_largest_row():
    def ragged():
        for i in (1, 3, 2):
            yield np.arange(i), np.array([str(k) for k in range(i)])

    padded = data.batched(data.iterated(ragged, explain), 3, pad=[([-1], 7), ([4], "z")])
    numbers, texts = rows(pipeline(padded))[0]
    assert numbers.tolist() == [[0, 7, 7], [0, 1, 2], [0, 1, 7]]
    assert texts.tolist() == [["0", "z", "z", "z"], ["0", "1", "2", "z"], ["0", "1", "z", "z"]]
    unequal = r"batch: column 'a' has rows of int64 \(1,\) and int64 \(3,\).*padded_batch"
    with pytest.raises(RuntimeError, match=unequal):
        rows(pipeline(data.batched(data.iterated(ragged, explain), 3, names=["a", "b"])))


def test_values_of_every_kind_of_python():
    values = (
        3,
        2**40,
        -1.5,
        True,
        2**70,
        np.float16(2),
        np.bool_(True),
        [1, 2],
        "text",
        b"bytes",
        np.array([[True]]),
    )
    source = data.python_source(lambda index: values, 1, explain)
    row = rows(pipeline(data.sampled(source, data.sequential_order(0, 0))))[0]
    for got, value in zip(row, values, strict=True):
        if isinstance(value, int) and value == 2**70:
            assert got == value
        else:
            assert np.array_equal(got, np.asarray(value)) and got.dtype == np.asarray(value).dtype


def test_objects_pass_through_but_are_not_stacked():
    def sets():
        for i in range(3):
            yield ({i},)

    got = rows(pipeline(data.iterated(sets, explain)))
    assert [row and row[0] for row in got] == [{0}, {1}, {2}, None]
    with pytest.raises(RuntimeError, match="batch: column 0 holds an object that is no array"):
        rows(pipeline(data.batched(data.iterated(sets, explain), 2)))


def test_rows_are_batched_by_bucket():
    def ragged():
        for i in range(11):
            yield (np.full(i % 5 + 1, i),)

    stage = data.bucketed(data.iterated(ragged, explain), [3, 5], [2, 3, 2], None, [0], [([-1], 0)])
    shapes = [row and row[0].shape for row in rows(pipeline(stage))]
    assert sorted(shapes[:-1]) == [(1, 1), (1, 4), (2, 2), (2, 2), (2, 5), (3, 4)]
    stage = data.bucketed(
        data.iterated(ragged, explain), [3, 9], [2, 3, 2], None, [0], [([-1], 0)], False, to_boundary=True
    )
    assert {row[0].shape[1] for row in rows(pipeline(stage))[:-1]} == {2, 8}


def test_the_same_seed_gives_the_same_run_with_python_in_it():
    def random_chain():
        stage = data.shuffled(arrays(np.arange(40), order=data.random_order(False, 0)), 9)
        keyed = data.python_transform(lambda columns, key: (columns[0], key % 1000), explain)
        stage = data.mapped(stage, [keyed], [0])
        return data.batched(data.filtered(stage, python(lambda x, k: (k % 3 > 0,)), [0, 1]), 4)

    def run(workers, seed=5):
        got = rows(pipeline(random_chain(), workers=workers, epochs=2, seed=seed))
        return [row and [column.tolist() for column in row] for row in got]

    assert run(1) == run(2) == run(6)
    assert run(1) != run(1, seed=6)


def test_statistics_count_the_rows_of_each_stage():
    running = pipeline(data.batched(data.mapped(arrays(np.arange(10)), [python(lambda x: (x,))], [0]), 4))
    rows(running)
    told = running.statistics()
    stages = [(stage["name"], stage["rows"], stage["children"]) for stage in told["stages"]]
    assert stages == [("batched", 3, [1]), ("mapped", 10, [0]), ("sampled", 10, [])]
    assert told["rows"] == 3 and told["workers"] == 2 and told["slots"] == 4
    assert told["waited"] > 0 and told["stages"][1]["seconds"] > 0


def test_wrong_arguments():
    with pytest.raises(ValueError, match="shuffle: buffer_size is 0; need at least 1"):
        data.shuffled(arrays(np.arange(3)), 0)
    with pytest.raises(ValueError, match="repeat: count is 0; need at least 1, or -1"):
        data.repeated(arrays(np.arange(3)), 0)
    with pytest.raises(ValueError, match="column 1 has 4 rows and the columns before it 3"):
        data.arrays_source([np.arange(3), np.arange(4)])
    with pytest.raises(TypeError, match="column 0 holds an object that is no array"):
        data.arrays_source([np.array([{}, {}])])
    with pytest.raises(ValueError, match="zipped: there is no dataset"):
        data.zipped([])
    with pytest.raises(TypeError):
        data.shuffled(None, 3)
    with pytest.raises(RuntimeError, match="row 7 was asked for; the dataset has 3 rows"):
        rows(pipeline(arrays(np.arange(3), order=data.subset_order([7]))))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(5,), (5, 1), (5, 3), (5, 0), (5, 2, 3), (5, 1, 1, 7)])
def test_every_dtype_and_odd_shape(dtype, shape):
    x = (np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype)
    for column in (x, np.asfortranarray(x), x[::-1], np.repeat(x, 2, axis=0)[::2]):
        single = rows(pipeline(arrays(column)))[:-1]
        batches = rows(pipeline(data.batched(arrays(column), 2)))[:-1]
        assert np.array_equal(np.stack([row[0] for row in single]), column)
        assert np.array_equal(np.concatenate([row[0] for row in batches]), column)
        assert batches[0][0].dtype == column.dtype
