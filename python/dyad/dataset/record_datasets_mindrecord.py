"""Datasets of MindRecord files."""

import functools
import secrets
from typing import Any

import numpy as np

from dyad._src.base.argument_checks import require_int
from dyad.dataset import _arguments as arguments
from dyad.dataset import config
from dyad.dataset._mappable import MappableDataset
from dyad.dataset._row_files import files_order
from dyad.dataset._shuffle import Shuffle, shuffle_level
from dyad.dataset.samplers import BuiltinSampler, chosen_sampler
from dyad.mindrecord.shard_files import Shards


def _check_files(owner, dataset_files):
    if not isinstance(dataset_files, (str, list)):
        raise TypeError(f"{owner}: dataset_files is {dataset_files!r}; need a str or a list of str")
    listed = [dataset_files] if isinstance(dataset_files, str) else dataset_files
    if not listed:
        raise ValueError(f"{owner}: dataset_files can not be empty; need one path or more")
    for path in listed:
        arguments.require_file(owner, path, "dataset_files")


class _FilesSampler(BuiltinSampler):
    """All rows, or a shard of them, with files or the rows within files in random order."""

    _shuffles = True

    def __init__(self, rows_per_file, level, num_samples, num_shards, shard_id):
        super().__init__(num_samples)
        self._rows_per_file = rows_per_file
        self._level = level
        self._shards, self._shard = num_shards or 1, shard_id or 0

    def is_sharded(self):
        return self._shards > 1

    def get_shuffle_mode(self):
        return self._level

    def own_count(self, rows):
        share = -(-rows // self._shards)
        return min(share, self.num_samples) if self.num_samples else share

    def own_order(self, rows, classes):
        chosen = (np.arange(self.own_count(rows)) * self._shards + self._shard) % max(rows, 1)
        seed = config.get_seed() if config.is_seeded() else secrets.randbits(63)
        return files_order("MindDataset", self._rows_per_file(), self._level, seed, chosen)


class MindDataset(MappableDataset):
    """Rows of MindRecord files.

    Numbers are arrays without dimensions, strings are str, bytes are an array of one bytes value, arrays have the
    shape of the schema.

    Args:
        dataset_files: path of a file, which is read with all files that belong to it, or a list of paths.
        columns_list: names of the columns to read. Default: None, all, sorted by name.
        num_parallel_workers: number of threads that compute rows.
        shuffle: a bool, or `Shuffle.GLOBAL` for rows, `Shuffle.FILES` for files and `Shuffle.INFILE` for rows within
            files; None is `Shuffle.GLOBAL`.
        num_shards, shard_id: number of shards, and the index of this one.
        sampler: selects the rows, in place of `shuffle`, `num_samples` and shards.
        padded_sample: a dict with the values of a row that is appended `num_padded` times; needs `columns_list`.
        num_padded: number of appended rows.
        num_samples: maximum number of rows.
        cache: only None is supported.
    """

    def __init__(self, dataset_files, columns_list=None, num_parallel_workers=None, shuffle=None, num_shards=None,
                 shard_id=None, sampler=None, padded_sample=None, num_padded=None, num_samples=None,
                 cache=None):  # fmt: skip
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        owner = "MindDataset"
        _check_files(owner, dataset_files)
        arguments.check_num_samples(owner, num_samples)
        arguments.check_sampler_alone(owner, sampler, shuffle, num_samples, num_shards, shard_id)
        arguments.check_shards(owner, num_shards, shard_id)
        level = shuffle_level(owner, shuffle, Shuffle.GLOBAL)
        if level in (Shuffle.FILES, Shuffle.INFILE):
            self.sampler = _FilesSampler(self._rows_per_file, level, num_samples, num_shards, shard_id)
        else:
            shuffles = level is Shuffle.GLOBAL
            self.sampler = chosen_sampler(owner, num_samples, sampler, shuffles, num_shards, shard_id)
        self.shards = Shards.open(owner, dataset_files)
        self.columns_list = self._check_columns(columns_list)
        self._check_padding(padded_sample, num_padded, columns_list)

    def _check_columns(self, columns_list):
        if columns_list is not None and (
            not isinstance(columns_list, list) or any(not isinstance(name, str) for name in columns_list)
        ):
            raise TypeError(f"MindDataset: columns_list is {columns_list!r}; need a list of str")
        return self.shards.check_columns(columns_list or None)

    def _check_padding(self, padded_sample, num_padded, columns_list):
        self.padding, self.num_padded = None, 0
        if padded_sample is None and num_padded is None:
            return
        if padded_sample is None:
            raise RuntimeError("MindDataset: num_padded is specified and requires padded_sample as well")
        if num_padded is None:
            raise RuntimeError("MindDataset: padded_sample is specified and requires num_padded as well")
        if not columns_list:
            raise RuntimeError("MindDataset: padded_sample is specified and requires columns_list as well")
        if not isinstance(padded_sample, dict):
            raise TypeError(
                f"MindDataset: padded_sample is {padded_sample!r}; need a dict from columns to values"
            )
        self.num_padded = require_int("MindDataset", "num_padded", num_padded, 0)
        self.padding = {name: self._padding_value(name, padded_sample) for name in self.columns_list}

    def _padding_value(self, name, padded_sample):
        if name not in padded_sample:
            raise ValueError(f"MindDataset: padded_sample has no column {name!r}, which columns_list has")
        value: Any = padded_sample[name]
        field = self.shards.schema.fields[name]
        kind = field["type"]
        accepted: Any = {"string": str, "bytes": bytes}.get(kind, object)
        if not isinstance(value, accepted):
            raise TypeError(f"MindDataset: padded_sample[{name!r}] is {value!r}; need {accepted.__name__}")
        if kind == "string":
            return value
        if kind == "bytes":
            return np.frombuffer(value, np.uint8)
        try:
            return np.array(value, kind)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"MindDataset: padded_sample[{name!r}] is {value!r}; need {kind}: {error}"
            ) from None

    @functools.cached_property
    def source(self):
        """The native source, opened at the first use."""
        return self.shards.source(self.columns_list, padding=self.padding, padded=self.num_padded)

    def source_size(self) -> int:
        return len(self.source)

    def open_rows(self, run):
        return self.source

    def read_source(self, index):
        """A row by its number."""
        return self.source[index]

    def classes(self) -> list:
        """The number of each row's class, for a sampler that names a column of classes."""
        values = self.shards.values(getattr(self.sampler, "class_column", "label"))
        numbers = {value: number for number, value in enumerate(sorted(set(values), key=str))}
        return [numbers[value] for value in values]

    def columns(self):
        return self.columns_list

    def _rows_per_file(self):
        return [*self.source.rows_per_file, self.num_padded]
