"""Samplers: which rows of a source an epoch has, and in which order."""

import numbers

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.dataset import config
from dyad.dataset._own_samplers import BuiltinSampler, IterSampler, Sampler
from dyad.dataset._shuffle import Shuffle

_native = _core.data

__all__ = [
    "BuiltinSampler",
    "DistributedSampler",
    "IterSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
    "chosen_sampler",
]


class SequentialSampler(BuiltinSampler):
    """Rows one after another.

    Args:
        start_index (int): the first row.
        num_samples (int): how many rows; up to the last if None.
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        if start_index is not None:
            require_int("SequentialSampler", "start_index", start_index, 0)
        self.start_index = start_index
        super().__init__(num_samples)

    def own_count(self, rows):
        rest = max(0, rows - (self.start_index or 0))
        return min(rest, self.num_samples) if self.num_samples else rest

    def own_order(self, rows, classes):
        start = self.start_index or 0
        if rows and start >= rows:
            raise RuntimeError(f"SequentialSampler: start_index is {start}; need less than the {rows} rows")
        return _native.sequential_order(start, self.own_count(rows))


class RandomSampler(BuiltinSampler):
    """Rows in random order, another one in each epoch.

    Args:
        replacement (bool): a row may come several times.
        num_samples (int): how many rows; all if None.
        shuffle (Shuffle): accepted for files of records, which have shuffles of their own.
    """

    _shuffles = True

    def __init__(
        self, replacement: bool = False, num_samples: int | None = None, shuffle=Shuffle.GLOBAL
    ) -> None:
        self.replacement = require_bool("RandomSampler", "replacement", replacement)
        self.shuffle = shuffle
        super().__init__(num_samples)

    def own_order(self, rows, classes):
        return _native.random_order(self.replacement, self.own_count(rows))


class SubsetSampler(BuiltinSampler):
    """The rows of a list, in its order.

    Args:
        indices: numbers of rows.
        num_samples (int): how many of them; all if None.
    """

    def __init__(self, indices, num_samples: int | None = None) -> None:
        owner = type(self).__name__
        indices = [indices] if isinstance(indices, numbers.Integral) else indices
        try:
            rows = list(indices)
        except TypeError:
            raise TypeError(f"{owner}: indices is {indices!r}; need an int or numbers of rows") from None
        self.indices = [require_int(owner, f"indices[{at}]", index) for at, index in enumerate(rows)]
        super().__init__(num_samples)

    def own_count(self, rows):
        return super().own_count(len(self.indices))

    def own_order(self, rows, classes):
        self._check(rows)
        return _native.subset_order(np.array(self.indices[: self.own_count(rows)], dtype=np.int64))

    def _check(self, rows):
        for index in self.indices:
            if not 0 <= index < rows:
                raise RuntimeError(
                    f"{type(self).__name__}: the index {index} is out of bounds; need an int in [0, {rows - 1}]"
                )


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list, in a random order."""

    _shuffles = True

    def own_order(self, rows, classes):
        self._check(rows)
        return _native.subset_random_order(np.array(self.indices, dtype=np.int64), self.own_count(rows))


class WeightedRandomSampler(BuiltinSampler):
    """Random rows with a weight for each.

    Args:
        weights (list): of the rows, not negative, not all 0; they need not add up to 1.
        num_samples (int): number of rows. Default: None, as many as the source has.
        replacement (bool): whether a row may be drawn several times.
    """

    _shuffles = True

    def __init__(
        self, weights: list | tuple | np.ndarray, num_samples: int | None = None, replacement: bool = True
    ) -> None:
        if not isinstance(weights, (list, tuple, np.ndarray)):
            raise TypeError(f"WeightedRandomSampler: weights is {weights!r}; need a list of numbers")
        self.weights = [self._weight(at, weight) for at, weight in enumerate(weights)]
        if not any(self.weights):
            raise ValueError(f"WeightedRandomSampler: weights is {self.weights}; need one above 0")
        self.replacement = require_bool("WeightedRandomSampler", "replacement", replacement)
        super().__init__(num_samples)

    @staticmethod
    def _weight(at, weight):
        if isinstance(weight, bool) or not isinstance(weight, numbers.Real):
            raise TypeError(f"WeightedRandomSampler: weights[{at}] is {weight!r}; need a number")
        if not 0 <= weight < float("inf"):  # type: ignore[operator]  # the stub of Real knows no order to int
            raise ValueError(
                f"WeightedRandomSampler: weights[{at}] is {weight}; need a finite number of 0 or more"
            )
        return float(weight)

    def own_order(self, rows, classes):
        if len(self.weights) > rows:
            raise RuntimeError(
                f"WeightedRandomSampler: there are {len(self.weights)} weights for {rows} rows"
            )
        count = self.own_count(rows)
        drawable = sum(weight > 0 for weight in self.weights)
        if not self.replacement and count > drawable:
            raise RuntimeError(
                f"WeightedRandomSampler: num_samples is {count} without replacement; "
                f"{drawable} rows have a weight above 0"
            )
        return _native.weighted_order(self.weights, count, self.replacement)


class PKSampler(BuiltinSampler):
    """The same number of rows of each class.

    Args:
        num_val (int): rows of each class.
        num_class (int): None, which is all classes.
        shuffle (bool): whether classes, and their rows, are in random order.
        class_column (str): no effect; the source has the class of its rows.
        num_samples (int): total number of rows.
    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        self.num_val = require_int("PKSampler", "num_val", num_val, 1)
        if num_class is not None:
            raise ValueError(f"PKSampler: num_class is {num_class!r}; need None, which is all classes")
        self.shuffle = self._shuffles = require_bool("PKSampler", "shuffle", shuffle)
        if not isinstance(class_column, str):
            raise TypeError(f"PKSampler: class_column is {class_column!r}; need a str")
        self.class_column = class_column
        super().__init__(num_samples)

    def count_of(self, rows):
        """None: only the source has the number of classes."""
        return None

    def count_classes(self, classes):
        """Number of rows that it selects if the rows have these classes."""
        count = len(set(classes)) * self.num_val
        return min(count, self.num_samples) if self.num_samples else count

    def own_order(self, rows, classes):
        found = classes() if classes is not None else []
        if not found:
            raise ValueError(
                "PKSampler: the source does not know the classes of its rows; use another sampler"
            )
        return _native.classes_order(found, self.num_val, self.num_samples or 0, self.shuffle)


class DistributedSampler(BuiltinSampler):
    """One process's share of the rows.

    Args:
        num_shards (int): number of processes.
        shard_id (int): index of this process.
        shuffle (bool): whether rows are distributed in a random order, the same in all processes.
        num_samples (int): maximum number of rows.
        offset (int): the shard of the first row; the sizes of shards may then differ by a row. With -1 all have the
            same size, and the last rows are the first ones again.
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        owner = "DistributedSampler"
        self.num_shards = require_int(owner, "num_shards", num_shards, 1)
        self.shard_id = require_int(owner, "shard_id", shard_id, 0)
        if shard_id >= num_shards:
            raise ValueError(f"{owner}: shard_id is {shard_id}; need an int in [0, {num_shards - 1}]")
        self.shuffle = self._shuffles = require_bool(owner, "shuffle", shuffle)
        self.set_offset(offset)
        super().__init__(num_samples)

    def set_offset(self, offset: int) -> None:
        """Sets the shard of the first row, or -1."""
        require_int("DistributedSampler", "offset", offset, -1)
        if offset >= self.num_shards:
            raise ValueError(
                f"DistributedSampler: offset is {offset}; need -1 or less than {self.num_shards} shards"
            )
        self.offset = offset

    def is_sharded(self) -> bool:
        return True

    def own_count(self, rows):
        if self.offset == -1:
            share = -(-rows // self.num_shards)
        else:
            at = (self.shard_id - self.offset) % self.num_shards
            share = len(range(at, rows, self.num_shards))
        return min(share, self.num_samples) if self.num_samples else share

    def own_order(self, rows, classes):
        seed = config.get_seed()
        return _native.distributed_order(
            self.num_shards,
            self.shard_id,
            self.shuffle,
            self.num_samples or 0,
            self.offset,
            self.offset == -1,
            seed,
        )


def chosen_sampler(owner, num_samples, sampler, shuffle, num_shards, shard_id, shuffles: bool = True):
    """The sampler of a source with random access, from the arguments that sources have.

    Without a word about shuffling the rows come in a random order, unless `shuffles` is False.
    """
    if sampler is not None:
        return _given_sampler(owner, sampler)
    shuffle = shuffles if shuffle is None else shuffle
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, bool(shuffle), num_samples)
    return RandomSampler(num_samples=num_samples) if shuffle else SequentialSampler(num_samples=num_samples)


def _given_sampler(owner, sampler):
    if isinstance(sampler, BuiltinSampler):
        return sampler
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(list(sampler))
    if hasattr(sampler, "__iter__") or (hasattr(sampler, "__getitem__") and hasattr(sampler, "__len__")):
        return IterSampler(sampler)
    raise TypeError(
        f"{owner}: sampler is {sampler!r}; need a sampler, or something that gives numbers of rows"
    )
