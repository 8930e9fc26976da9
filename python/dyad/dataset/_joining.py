"""Datasets that combine several others."""

import builtins

from dyad import _core
from dyad.dataset import samplers
from dyad.dataset._dataset import Dataset
from dyad.dataset._mappable import MappableDataset

_native = _core.data


def _require_datasets(owner, datasets):
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"{owner}: got {dataset!r} of type {type(dataset).__name__}; need a Dataset")
    return datasets


class ZipDataset(Dataset, method="zip"):
    """The columns of several datasets side by side."""

    def __init__(self, datasets):
        super().__init__(_require_datasets("zip", datasets))

    def find_columns(self):
        names = [name for child in self.children for name in child.columns()]
        if len(set(names)) < len(names):
            raise RuntimeError(f"zip: the columns would be {names}; need every name once, rename some first")
        return names

    def count_rows(self, endless):
        counts = [child.count_rows(endless) for child in self.children]
        return None if None in counts else min(counts)

    def build(self, run):
        self.columns()
        return _native.zipped([child.build(run) for child in self.children])


class ConcatDataset(Dataset, method="concat"):
    """The rows of several datasets, one after another."""

    def __init__(self, datasets):
        super().__init__(_require_datasets("concat", datasets))
        self._sampler = None

    def find_columns(self):
        first, *others = (child.columns() for child in self.children)
        for names in others:
            if names != first:
                raise RuntimeError(
                    f"concat: the columns are {first} and {names}; need the same, in the same order"
                )
        return first

    def count_rows(self, endless):
        counts = [child.count_rows(endless) for child in self.children]
        rows = None if None in counts else sum(counts)
        return rows if rows is None or self._sampler is None else self._sampler.count_of(rows)

    def use_sampler(self, sampler):
        """Selects rows from those of all datasets together; a DistributedSampler distributes them over processes."""
        if not isinstance(sampler, (samplers.DistributedSampler, samplers.RandomSampler)):
            raise TypeError(f"concat: sampler is {sampler!r}; need a DistributedSampler or a RandomSampler")
        for child in self.children:
            if not isinstance(child, MappableDataset) or not child.can_choose_rows:
                raise TypeError(
                    f"concat: {type(child).__name__} has no random access; use_sampler needs sources"
                )
        self._sampler = sampler

    def is_sharded(self):
        return self._sampler is not None or super().is_sharded()

    def build(self, run):
        self.columns()
        if self._sampler is None:
            return _native.concatenated([child.build(run) for child in self.children])
        return _native.sampled(self._all_rows(), self._sampler.order(self.count_all()))

    def count_all(self):
        """Rows of all datasets together, before the sampler chooses."""
        return sum(child.get_dataset_size() for child in self.children)

    def _all_rows(self):
        """One source of the rows of all datasets."""
        readers = [child.read_row for child in self.children]
        sizes = [child.get_dataset_size() for child in self.children]

        def read(index):
            for reader, size in builtins.zip(readers, sizes, strict=True):
                if index < size:
                    return reader(index)
                index -= size
            raise IndexError(index)

        return _native.python_source(read, sum(sizes))


def zip(datasets):
    """The columns of several datasets side by side, as long as the shortest."""
    if not isinstance(datasets, tuple):
        raise TypeError(
            f"zip: datasets is {datasets!r} of type {type(datasets).__name__}; need a tuple of Datasets"
        )
    if len(datasets) < 2:
        raise ValueError(f"zip: datasets has {len(datasets)} of them; need two or more")
    return ZipDataset(datasets)
