"""Sources with random access: rows by number, chosen by a sampler."""

import copy
from typing import Any

from dyad import _core
from dyad.dataset import samplers
from dyad.dataset._dataset import Dataset

_native = _core.data


def check_row_arguments(owner, num_samples, shuffle, sampler, num_shards, shard_id):
    """Checks the arguments that select the rows of a source; a sampler excludes all others."""
    given = {"num_samples": num_samples, "shuffle": shuffle, "num_shards": num_shards, "shard_id": shard_id}
    if sampler is not None:
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"{owner}: sampler and {name} are given, {name} is {value!r}; need one of them"
                )
    if (num_shards is None) != (shard_id is None):
        raise ValueError(
            f"{owner}: num_shards is {num_shards!r} and shard_id {shard_id!r}; need both or none"
        )
    if shuffle is not None and not isinstance(shuffle, bool):
        raise TypeError(f"{owner}: shuffle is {shuffle!r} of type {type(shuffle).__name__}; need a bool")


class MappableDataset(Dataset):
    """A source with random access. A subclass returns its number of rows and reads one by its index."""

    can_choose_rows = True
    sampler: Any = None
    replaced_sampler = False  # whether the sampler is another than the arguments say
    _subset: Any = None  # what `split` has left of the rows

    def source_size(self):
        """Number of rows before the sampler selects."""
        raise TypeError(f"{type(self).__name__}: the class has no size; override source_size")

    def open_rows(self, run):
        """A native source of all rows."""
        raise TypeError(f"{type(self).__name__}: the class reads no rows; override open_rows")

    def read_source(self, index):
        """Row number `index` of the source, a tuple of arrays."""
        raise TypeError(f"{type(self).__name__}: the class reads no rows; override read_source")

    def read_row(self, index):
        """A row by its number in the source, in order or shuffled; by its number in an epoch with other samplers."""
        plain = type(self.sampler) in (samplers.SequentialSampler, samplers.RandomSampler)
        if plain and self.sampler.child_sampler is None and self.count_rows(1) == self.source_size():
            return self.read_source(index)
        return super().read_row(index)

    def classes(self):
        """The class of each row, or nothing."""
        return []

    def count_rows(self, endless):
        if isinstance(self.sampler, samplers.PKSampler):
            return self.sampler.count_classes(self.classes())
        return self.sampler.count_of(self.source_size())

    def order(self):
        """The native order of the rows."""
        return self.sampler.order(self.source_size(), self.classes)

    def build(self, run):
        return _native.sampled(self.open_rows(run), self.order())

    def is_shuffled(self):
        return self.sampler.is_shuffled()

    def is_sharded(self):
        return self.sampler.is_sharded()

    def use_sampler(self, new_sampler):
        """Replaces the sampler; after `split` it chooses from the rows of this part."""
        _require_sampler(self, new_sampler)
        self.sampler = new_sampler if self._subset is None else chained(new_sampler, self._subset)
        self.replaced_sampler = True

    def add_sampler(self, new_sampler):
        """Makes `new_sampler` select from the rows that the present sampler has selected."""
        _require_sampler(self, new_sampler)
        self.sampler = chained(new_sampler, self.sampler)
        self.replaced_sampler = True

    def with_rows(self, indices):
        """The same source with a subset of an epoch's rows; a random order stays random, within these rows."""
        rows, old = indices.tolist(), self.sampler
        made = copy.copy(self)
        made.replaced_sampler = True
        plain = (
            type(old) is samplers.RandomSampler and not old.replacement and old.count_of(self.source_size())
        )
        if plain == self.source_size() and old.child_sampler is None:
            made.sampler, made._subset = samplers.SubsetRandomSampler(rows), samplers.SubsetSampler(rows)
            return made
        if old.is_shuffled():
            raise RuntimeError(
                f"split: {type(old).__name__} shuffles rows before the split, so that its parts would have common "
                "rows; split first, then use_sampler"
            )
        made.sampler = made._subset = chained(samplers.SubsetSampler(rows), old)
        return made


def chained(sampler, below):
    """A copy of a sampler that chooses from what `below` has chosen."""
    made = copy.copy(sampler)
    if made.child_sampler is not None:
        made.child_sampler = chained(made.child_sampler, below)
        return made
    made.add_child(below)
    return made


def _require_sampler(dataset, sampler):
    if not isinstance(sampler, samplers.BuiltinSampler):
        raise TypeError(f"{type(dataset).__name__}: the sampler is {sampler!r}; need a sampler")
