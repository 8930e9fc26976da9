"""Datasets over files with many rows each: which files, which rows of them, and in which order."""

import copy
import functools
import glob
import os

import numpy as np

from dyad import _core
from dyad.dataset import _arguments as arguments
from dyad.dataset._dataset import Dataset
from dyad.dataset._error_text import explained
from dyad.dataset._shuffle import Shuffle, shuffle_level

_native = _core.data


def find_files(owner, patterns, name="dataset_files"):
    """The files that match a path or pattern, or a list of them, sorted."""
    if not isinstance(patterns, (str, list)):
        raise TypeError(
            f"{owner}: {name} is {patterns!r} of type {type(patterns).__name__}; need a str or a list of str"
        )
    listed = [patterns] if isinstance(patterns, str) else patterns
    if not listed:
        raise ValueError(f"{owner}: {name} can not be empty; need one path or more")
    files, unmatched = [], []
    for pattern in listed:
        if not isinstance(pattern, str):
            raise TypeError(f"{owner}: {name} has {pattern!r} of type {type(pattern).__name__}; need str")
        found = (
            [pattern]
            if os.path.isfile(pattern)
            else [path for path in glob.glob(pattern) if os.path.isfile(path)]
        )
        files += found
        unmatched += [] if found else [pattern]
    if unmatched:
        raise ValueError(f"{owner}: the following patterns did not match any files: {unmatched}")
    return sorted(files)


def shuffled_files(counts, level, generator):
    """The rows of files with these numbers of rows: whole files shuffled, or the rows within each."""
    ends = np.cumsum(counts)
    parts = [np.arange(end - count, end) for end, count in zip(ends, counts, strict=True)]
    if level is Shuffle.INFILE:
        parts = [generator.permutation(part) for part in parts]
    if level is Shuffle.FILES:
        parts = [parts[i] for i in generator.permutation(len(parts))]
    return np.concatenate(parts).astype(np.int64)


def files_order(owner, counts, level, seed, rows):
    """The native order of a subset of rows of files, with files or the rows within them shuffled."""
    chosen = np.zeros(sum(counts), bool)
    chosen[rows] = True

    def choose(epoch):
        everything = shuffled_files(counts, level, np.random.default_rng((seed, epoch)))
        return everything[chosen[everything]]

    return _native.python_order(choose, explained(f"{owner}: the order of the files"))


class RowFilesDataset(Dataset):
    """Rows of files that are not opened before they are needed.

    A subclass opens its native source. A shard is a block of rows; the last one continues at the first row, so that
    all shards have the same size.
    """

    can_choose_rows = True

    def __init__(
        self, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache, default=Shuffle.GLOBAL
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        owner = type(self).__name__
        arguments.check_num_samples(owner, num_samples)
        arguments.check_shards(owner, num_shards, shard_id)
        self.shuffle_level = shuffle_level(owner, shuffle, default)
        self.num_samples = num_samples or 0
        self.num_shards = num_shards
        self.shard_id = shard_id

    def open_source(self):
        """The native source of all rows."""
        raise TypeError(f"{type(self).__name__}: the class names no source; override open_source")

    @functools.cached_property
    def source(self):
        """The native source, opened at the first use."""
        return self.open_source()

    def rows_per_file(self):
        """Number of rows of each file."""
        return self.source.rows_per_file

    @functools.cached_property
    def rows(self):
        """Indexes of an epoch's rows in the source, in the order of the files."""
        rows = self.shard_rows(len(self.source)).astype(np.int64)
        return rows[: self.num_samples] if self.num_samples else rows

    def shard_rows(self, count):
        """Indexes of this shard's rows out of `count`."""
        if self.num_shards is None:
            return np.arange(count)
        size = -(-count // self.num_shards)
        return np.arange(self.shard_id * size, (self.shard_id + 1) * size) % count

    def with_rows(self, indices):
        """The same files with a subset of an epoch's rows; shuffles stay within these."""
        made = copy.copy(self)
        made.rows = self.rows[indices]
        return made

    def is_shuffled(self):
        """Returns whether the order of rows differs from that of the files."""
        return self.shuffle_level is not Shuffle.FALSE

    def columns(self):
        return self.source.columns

    def count_rows(self, endless):
        return len(self.rows)

    def read_row(self, index):
        return self.source[int(self.rows[index])]

    def build(self, run):
        return _native.sampled(self.source, self._order(run))

    def _order(self, run):
        level = self.shuffle_level
        if level is Shuffle.FALSE:
            return _native.subset_order(self.rows)
        if level is Shuffle.GLOBAL:
            return _native.subset_random_order(self.rows, 0)
        return files_order(type(self).__name__, self.rows_per_file(), level, run.seed, self.rows)
