"""`dataset.dataloader`: batches of Python datasets, made here and in worker processes."""

import collections
import os
import time

import numpy as np
import pytest

import dyad
from dyad import Tensor
from dyad.dataset.dataloader import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)


class Numbers(Dataset):
    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        return np.full((2,), index, np.float32), index

    def __len__(self):
        return self.size


class Counted(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(5)) if info is None else iter(range(info.id, 6, info.num_workers))


class Named(Dataset):
    """Who made a sample; sample 3 cannot be made if `fails`, sample 2 takes long if `waits`."""

    def __init__(self, fails=False, waits=False):
        self.fails, self.waits = fails, waits

    def __getitem__(self, index):
        if self.fails and index == 3:
            raise KeyError("three")
        if self.waits and index == 2:
            time.sleep(30)
        return index, get_worker_info().id, os.getpid()

    def __len__(self):
        return 6


def labels(loader):
    return [batch[1].tolist() for batch in loader]


def test_batches_of_a_dataset():
    loader = DataLoader(Numbers(5), batch_size=2)
    first, _, last = list(loader)
    assert isinstance(first, list)
    assert first[0].dtype == dyad.float32
    assert first[0].tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert last[1].tolist() == [4]
    assert len(loader) == 3
    assert labels(DataLoader(Numbers(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert labels(DataLoader(Numbers(5), 2, sampler=[4, 0, 2])) == [[4, 0], [2]]
    assert labels(DataLoader(Numbers(5), batch_sampler=[[4, 0, 1], [2]])) == [[4, 0, 1], [2]]
    shuffled = DataLoader(Numbers(50), 50, shuffle=True, generator=np.random.default_rng(0))
    first_epoch, second_epoch = labels(shuffled)[0], labels(shuffled)[0]
    assert sorted(first_epoch) == sorted(second_epoch) == list(range(50))
    assert first_epoch != second_epoch


def test_samples_one_by_one_and_iterables():
    array, number = next(iter(DataLoader(Numbers(1), batch_size=None)))
    assert isinstance(array, Tensor)
    assert number == 0
    assert [batch.tolist() for batch in DataLoader(Counted(), 2)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(TypeError, match="has no len"):
        len(DataLoader(Counted(), 2))
    rows = TensorDataset(Tensor([[1.0], [2.0], [3.0]]), Tensor([1, 2, 3]))
    assert [[part.tolist() for part in batch] for batch in DataLoader(rows, 2)] == [
        [[[1.0], [2.0]], [1, 2]],
        [[[3.0]], [3]],
    ]


def test_what_a_batch_is_made_of():
    Pair = collections.namedtuple("Pair", "x name")
    pair = default_collate([Pair(1.5, "a"), Pair(2.5, "b")])
    assert (type(pair), pair.x.dtype, pair.name) == (Pair, dyad.float64, ["a", "b"])
    nested = default_collate([{"a": (1, np.int8(2))}, {"a": (3, np.int8(4))}])["a"]
    assert [(part.dtype, part.tolist()) for part in nested] == [(dyad.int64, [1, 3]), (dyad.int8, [2, 4])]
    assert default_collate([Tensor([1]), Tensor([2])]).tolist() == [[1], [2]]
    for batch, kind in (([None], TypeError), ([np.array("a")], TypeError), ([[1], [1, 2]], RuntimeError)):
        with pytest.raises(kind, match="default_collate: "):
            default_collate(batch)
    converted = default_convert({"a": [np.float32(1), "text", np.array("x")]})["a"]
    assert (converted[0].dtype, converted[1:]) == (dyad.float32, ["text", np.array("x")])


def test_samplers_yield_the_indices_of_samples():
    data = Numbers(7)
    assert list(SequentialSampler(data)) == list(range(7))
    assert len(list(RandomSampler(data, replacement=True, num_samples=12))) == 12
    drawn = list(RandomSampler(data, num_samples=16))
    assert sorted(drawn[:7]) == sorted(drawn[7:14]) == list(range(7))
    assert len(drawn) == len(RandomSampler(data, num_samples=16)) == 16
    assert list(BatchSampler([3, 1, 2], 2, True)) == [[3, 1]]
    parts = [list(DistributedSampler(data, 3, rank, shuffle=False)) for rank in range(3)]
    assert parts == [[0, 3, 6], [1, 4, 0], [2, 5, 1]]
    parts = [list(DistributedSampler(data, 3, rank, shuffle=False, drop_last=True)) for rank in range(3)]
    assert parts == [[0, 3], [1, 4], [2, 5]]
    shuffled = DistributedSampler(Numbers(40))
    before = list(shuffled)
    shuffled.set_epoch(1)
    assert sorted(before) == sorted(shuffled) == list(range(40))
    assert before != list(shuffled)


def test_batches_from_worker_processes():
    loader = DataLoader(Named(), 2, num_workers=2, persistent_workers=True)
    epochs = [list(loader), list(loader)]
    for epoch in epochs:
        assert [batch[0].tolist() for batch in epoch] == [[0, 1], [2, 3], [4, 5]]
        assert [batch[1].tolist() for batch in epoch] == [[0, 0], [1, 1], [0, 0]]
    processes = [{pid for batch in epoch for pid in batch[2].tolist()} for epoch in epochs]
    assert processes[0] == processes[1]
    assert os.getpid() not in processes[0]
    unordered = DataLoader(Counted(), 2, num_workers=2, in_order=False)
    assert sorted(number for batch in unordered for number in batch.tolist()) == list(range(6))


def test_errors_of_worker_processes():
    with pytest.raises(
        RuntimeError, match=r"DataLoader: the dataset raised KeyError: 'three' in a worker process"
    ):
        list(DataLoader(Named(fails=True), 2, num_workers=2))
    with pytest.raises(RuntimeError, match=r"no worker process has made a batch within 0\.2 seconds"):
        list(DataLoader(Named(waits=True), 1, num_workers=1, timeout=0.2))


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"batch_size": 0}, ValueError, "batch_size is 0; need 1 or more"),
        ({"batch_size": "2"}, TypeError, "batch_size is of type str"),
        ({"shuffle": True, "sampler": [1]}, ValueError, "sampler and shuffle are both given"),
        ({"batch_sampler": [[1]], "batch_size": 2}, ValueError, "batch_sampler says what a batch is"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor is given and num_workers is 0"),
        ({"timeout": -1}, ValueError, "timeout is -1"),
        ({"collate_fn": 3}, TypeError, "collate_fn is of type int"),
    ],
)
def test_settings_that_have_no_meaning(settings, kind, said):
    with pytest.raises(kind, match=f"DataLoader: {said}"):
        DataLoader(Numbers(5), **settings)
    with pytest.raises(ValueError, match="an IterableDataset has its own order"):
        DataLoader(Counted(), shuffle=True)
