"""Samplers: which rows, in which order."""

import collections

import numpy as np
import pytest
from pipeline_rows import firsts, pairs, rows

from dyad import dataset as ds


def chosen(sampler, size=6):
    dataset = pairs(size, sampler=sampler)
    made = firsts(dataset)
    assert len(dataset) == len(made)
    return made


class Backwards(ds.Sampler):
    def __iter__(self):
        yield from reversed(range(self.dataset_size))


class WithLength(Backwards):
    def __len__(self):
        return 6


@pytest.mark.parametrize(
    ("sampler", "made"),
    [
        (ds.SequentialSampler(), [0, 1, 2, 3, 4, 5]),
        (ds.SequentialSampler(2), [2, 3, 4, 5]),
        (ds.SequentialSampler(2, 3), [2, 3, 4]),
        (ds.SequentialSampler(4, 5), [4, 5]),
        (ds.SubsetSampler([3, 1, 1]), [3, 1, 1]),
        (ds.SubsetSampler([3, 1, 2], 2), [3, 1]),
        (ds.SubsetSampler(3), [3]),
        (ds.SubsetSampler([]), []),
        (ds.WeightedRandomSampler([0, 0, 1, 0, 0, 0], 4), [2, 2, 2, 2]),
        (Backwards(), [5, 4, 3, 2, 1, 0]),
        (Backwards(2), [5, 4]),
        (WithLength(), [5, 4, 3, 2, 1, 0]),
        (ds.IterSampler([2, 1]), [2, 1]),
        (range(3), [0, 1, 2]),
        ([5, 0], [5, 0]),
    ],
)
def test_samplers_select_the_expected_rows(sampler, made):
    assert chosen(sampler) == made


@pytest.mark.parametrize(
    ("sampler", "count"),
    [
        (ds.RandomSampler(), 6),
        (ds.RandomSampler(num_samples=2), 2),
        (ds.RandomSampler(True, 4), 4),
        (ds.SubsetRandomSampler([1, 2, 3]), 3),
        (ds.SubsetRandomSampler([1, 2, 3], 2), 2),
        (ds.WeightedRandomSampler([1] * 6, 6, False), 6),
        (ds.DistributedSampler(2, 0), 3),
    ],
)
def test_random_rows(sampler, count):
    made = chosen(sampler)
    assert len(made) == count and set(made) <= set(range(6))
    if not getattr(sampler, "replacement", False):
        assert len(set(made)) == count


def test_weights_are_probabilities():
    ds.config.set_seed(0)
    counts = collections.Counter(chosen(ds.WeightedRandomSampler([1, 3] + [0] * 1998), 2000))
    assert set(counts) == {0, 1} and 0.7 < counts[1] / 2000 < 0.8


@pytest.mark.parametrize(
    ("size", "shards", "offset", "made"),
    [
        (6, 4, -1, [[0, 4], [1, 5], [2, 0], [3, 1]]),
        (5, 2, -1, [[0, 2, 4], [1, 3, 0]]),
        (6, 4, 0, [[0, 4], [1, 5], [2], [3]]),
        (6, 4, 1, [[3], [0, 4], [1, 5], [2]]),
        (6, 4, 3, [[1, 5], [2], [3], [0, 4]]),
    ],
)
def test_distributed_samplers_share_out_all_rows(size, shards, offset, made):
    assert made == [
        chosen(ds.DistributedSampler(shards, shard, shuffle=False, offset=offset), size)
        for shard in range(shards)
    ]


def test_shuffled_shards_share_all_rows_in_every_epoch():
    iterators = [
        pairs(6, sampler=ds.DistributedSampler(2, shard)).create_tuple_iterator(
            num_epochs=3, output_numpy=True
        )
        for shard in range(2)
    ]
    epochs = [[[int(row[0]) for row in iterator] for iterator in iterators] for _ in range(3)]
    assert all(sorted(first + second) == list(range(6)) for first, second in epochs)
    assert len({tuple(first) for first, _ in epochs}) > 1


def test_children_choose_first():
    sampler = ds.SequentialSampler(1, 3)
    sampler.add_child(ds.SubsetSampler([5, 4, 3, 2, 1]))
    assert chosen(sampler) == [4, 3, 2] and sampler.get_num_samples() == 3
    with pytest.raises(RuntimeError, match="a child was added before"):
        sampler.add_child(ds.SequentialSampler())
    shard = ds.DistributedSampler(2, 0, shuffle=False)
    shard.add_child(Backwards())
    assert chosen(shard) == [5, 3, 1]


def test_samplers_of_a_dataset_can_be_changed():
    dataset = pairs(6, num_samples=4)
    dataset.add_sampler(ds.SequentialSampler(1))
    assert firsts(dataset) == [1, 2, 3]
    dataset.use_sampler(ds.SubsetSampler([5, 2]))
    assert firsts(dataset) == [5, 2]
    part, _ = pairs(8).split([0.5, 0.5], randomize=False)
    part.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))
    assert firsts(part) == [0, 2] and part.is_sharded()


def test_pk_sampler_selects_equally_many_rows_of_each_class():
    sampler = ds.PKSampler(2)
    assert sampler.count_classes([0, 1, 1, 2]) == 6
    order = sampler.own_order(4, lambda: [0, 0, 1, 1])
    assert [sorted(order.choose(4, key)[:2]) for key in range(3)] == [[0, 1]] * 3


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ds.SequentialSampler("x"), TypeError, "start_index is 'x'"),
        (lambda: ds.SequentialSampler(-1), ValueError, "start_index is -1"),
        (lambda: ds.SequentialSampler(0, -2), ValueError, "num_samples is -2"),
        (lambda: chosen(ds.SequentialSampler(6)), RuntimeError, "start_index is 6"),
        (lambda: ds.RandomSampler(3), TypeError, "replacement is 3"),
        (lambda: ds.SubsetSampler(["a"]), TypeError, r"indices\[0\] is 'a'"),
        (lambda: ds.SubsetSampler(1.5), TypeError, "indices is 1.5"),
        (lambda: chosen(ds.SubsetSampler([6])), RuntimeError, "the index 6 is out of bounds"),
        (lambda: chosen(ds.SubsetRandomSampler([-1])), RuntimeError, "the index -1 is out of bounds"),
        (lambda: ds.WeightedRandomSampler([-1]), ValueError, r"weights\[0\] is -1"),
        (lambda: ds.WeightedRandomSampler([0, 0]), ValueError, "need one above 0"),
        (lambda: ds.WeightedRandomSampler(["a"]), TypeError, r"weights\[0\] is 'a'"),
        (lambda: chosen(ds.WeightedRandomSampler([1] * 7)), RuntimeError, "7 weights for 6 rows"),
        (lambda: chosen(ds.WeightedRandomSampler([1, 1], 3, False)), RuntimeError, "2 rows have a weight"),
        (lambda: ds.PKSampler(0), ValueError, "num_val is 0"),
        (lambda: ds.PKSampler(1, 2), ValueError, "num_class is 2"),
        (lambda: ds.PKSampler(1, class_column=3), TypeError, "class_column is 3"),
        (lambda: ds.DistributedSampler(0, 0), ValueError, "num_shards is 0"),
        (lambda: ds.DistributedSampler(2, 2), ValueError, "shard_id is 2"),
        (lambda: ds.DistributedSampler(2, 0, offset=2), ValueError, "offset is 2"),
        (lambda: ds.DistributedSampler(2, 0, shuffle=3), TypeError, "shuffle is 3"),
        (lambda: ds.SequentialSampler().add_child(3), TypeError, "the child is 3"),
        (lambda: chosen(ds.Sampler()), RuntimeError, "override __iter__"),
        (lambda: chosen(ds.IterSampler(["x"])), (TypeError, RuntimeError), "gave 'x'"),
        (lambda: chosen(ds.IterSampler([9])), (ValueError, RuntimeError), "gave 9"),
        (lambda: pairs().use_sampler(3), TypeError, "the sampler is 3"),
        (
            lambda: (pairs() + pairs()).use_sampler(ds.SequentialSampler()),
            TypeError,
            "need a DistributedSampler",
        ),
    ],
)
def test_wrong_arguments_of_samplers_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make()


def _zipped(left, right):
    return ds.zip((left("a"), right("b")))


ORDERS = {
    "of the source": lambda name: ds.NumpySlicesDataset(list(range(16)), [name]),
    "random": lambda name: ds.NumpySlicesDataset(list(range(16)), [name], sampler=ds.RandomSampler()),
    "with replacement": lambda name: ds.NumpySlicesDataset(
        list(range(16)), [name], sampler=ds.RandomSampler(replacement=True)
    ),
    "subset": lambda name: ds.NumpySlicesDataset(
        list(range(16)), [name], sampler=ds.SubsetRandomSampler(range(9))
    ),
    "weighted": lambda name: ds.NumpySlicesDataset(
        list(range(16)), [name], sampler=ds.WeightedRandomSampler([0.5] * 16, 16)
    ),
    "shuffled": lambda name: ds.NumpySlicesDataset(list(range(16)), [name], shuffle=False).shuffle(16),
    "of a generator": lambda name: ds.GeneratorDataset(list(range(16)), [name]).shuffle(5),
    "after a map": lambda name: ds.NumpySlicesDataset(list(range(16)), [name]).map(lambda x: x).shuffle(16),
}


@pytest.mark.parametrize("order", ORDERS)
def test_branches_of_a_zip_are_shuffled_alike_by_a_seed(order):
    ds.config.set_seed(5)
    iterator = _zipped(ORDERS[order], ORDERS[order]).create_tuple_iterator(num_epochs=2, output_numpy=True)
    epochs = [[(int(a), int(b)) for a, b in iterator] for _ in range(2)]
    assert all(a == b for epoch in epochs for a, b in epoch)
    assert epochs[0] != epochs[1]


def test_a_transform_in_one_branch_does_not_change_the_order_of_a_zip():
    ds.config.set_seed(5)
    order, mapped = ORDERS["shuffled"], ORDERS["of the source"]
    plain = [row[0] for row in rows(order("a"))]
    assert [row[0] for row in rows(order("a").map(lambda x: x))] == plain
    assert [a == b for a, b in rows(_zipped(lambda name: mapped(name).map(lambda x: x), mapped))] == [
        True
    ] * 16


def test_images_and_masks_are_flipped_alike_by_a_seed():
    ds.config.set_seed(5)
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)

    def branch(name):
        source = ds.NumpySlicesDataset([picture] * 24, [name])
        return source.map(ds.vision.RandomHorizontalFlip(0.5)).map(ds.vision.RandomVerticalFlip(0.5))

    made = rows(_zipped(branch, branch))
    assert all(image == mask for image, mask in made)
    assert len({str(image) for image, _ in made}) == 4


def test_branches_of_a_zip_are_shuffled_apart_without_a_seed():
    assert any(a != b for a, b in rows(_zipped(ORDERS["random"], ORDERS["random"])))
