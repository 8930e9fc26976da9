"""Batches of a dataset for the device: copied ahead, whatever becomes of the iterator."""

import gc

import numpy as np
import pytest

import dyad
from dyad import dataset as ds
from dyad import runtime


def numbers(count, size, batch):
    rows = np.arange(count * size, dtype=np.float32).reshape(count, size)
    return rows, ds.NumpySlicesDataset({"x": rows, "y": np.arange(count)}, shuffle=False).batch(batch)


@pytest.mark.parametrize(("count", "size", "batch"), [(7, 1, 1), (100, 3, 8), (24, 40_000, 4), (5, 0, 2)])
def test_values_and_place(count, size, batch):
    rows, made = numbers(count, size, batch)
    iterator = made.create_tuple_iterator(num_epochs=3)
    for _ in range(3):
        seen = []
        for x, y in iterator:
            assert x.device == y.device == "GPU:0"
            seen.append((x * 2, y))
        assert np.array_equal(np.concatenate([x.asnumpy() for x, _ in seen]), rows * 2)
        assert np.concatenate([y.asnumpy() for _, y in seen]).tolist() == list(range(count))


def test_a_batch_that_is_kept_stays_what_it_is():
    rows, made = numbers(64, 1000, 4)
    kept = [x for x, _ in made.create_tuple_iterator(num_epochs=1)]
    assert np.array_equal(np.concatenate([x.asnumpy() for x in kept]), rows)


def test_batch_is_let_go_of_while_the_device_is_late():
    """Its memory belongs to the stream of the copies, which must not fill it again before it was read."""
    rows, made = numbers(40, 25_000, 2)
    busy, seen = dyad.Tensor(np.ones((64, 64), np.float32)), []
    for x, _ in made.create_tuple_iterator(num_epochs=1):
        for _turn in range(5):
            busy = busy @ busy * 0.0 + 1.0
        seen.append(x + 1)
        del x
    assert np.array_equal(np.concatenate([x.asnumpy() for x in seen]), rows + 1)


def test_batches_on_a_side_stream():
    rows, made = numbers(64, 1000, 4)
    side = runtime.Stream()
    with runtime.StreamCtx(side):
        seen = [(x + 1).asnumpy() for x, _ in made.create_tuple_iterator(num_epochs=1)]
    assert np.array_equal(np.concatenate(seen), rows + 1)


def test_memory_stays_flat():
    _, made = numbers(64, 1000, 4)
    iterator = made.create_tuple_iterator(num_epochs=12)
    sizes = []
    for _ in range(12):
        for x, _y in iterator:
            (x * 2).sum().asnumpy()
        del x, _y
        runtime.synchronize()
        sizes.append(runtime.memory_reserved())
    assert sizes[-1] == sizes[3], sizes


def test_iterator_is_dropped_in_the_middle():
    for stop in (lambda iterator: iterator.stop(), lambda iterator: None):
        rows, made = numbers(40, 500, 4)
        iterator = made.create_tuple_iterator(num_epochs=1)
        first = next(iterator)[0]
        second = next(iterator)[0]
        stop(iterator)
        del iterator
        gc.collect()
        assert np.array_equal(first.asnumpy(), rows[:4])
        assert np.array_equal(second.asnumpy(), rows[4:8])


def test_an_error_comes_with_its_row():
    def rows():
        yield np.array([1.0], np.float32)
        yield np.array([2.0], np.float32)
        raise KeyError("no more")

    iterator = ds.GeneratorDataset(rows, ["x"]).create_tuple_iterator(num_epochs=1)
    assert next(iterator)[0].asnumpy().tolist() == [1]
    assert next(iterator)[0].asnumpy().tolist() == [2]
    with pytest.raises((KeyError, RuntimeError), match="no more"):
        next(iterator)


def test_texts_and_dicts_and_numpy():
    made = ds.NumpySlicesDataset({"x": [1.0, 2.0, 3.0], "word": ["a", "b", "c"]}, shuffle=False)
    rows = list(made.create_dict_iterator(num_epochs=1))
    assert [str(row["word"]) for row in rows] == ["a", "b", "c"]
    assert [row["x"].device for row in rows] == ["GPU:0"] * 3
    arrays = list(made.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert all(type(x) is np.ndarray for x, _ in arrays)


def test_device_is_changed_between_rows():
    rows, made = numbers(12, 5, 2)
    iterator = made.create_tuple_iterator(num_epochs=1)
    seen = [next(iterator)[0], next(iterator)[0]]
    dyad.set_context(device_target="CPU")
    try:
        seen += [x for x, _ in iterator]
    finally:
        dyad.set_context(device_target="GPU")
    assert [x.device for x in seen] == ["GPU:0"] * 2 + ["CPU"] * 4
    assert np.array_equal(np.concatenate([x.asnumpy() for x in seen]), rows)
