"""Base class of the datasets of image files."""

import functools
import os

from dyad._src.base.argument_checks import require_bool, require_choice
from dyad.dataset import _arguments as arguments
from dyad.dataset._mappable import MappableDataset
from dyad.dataset.samplers import chosen_sampler


class FileDataset(MappableDataset):
    """A dataset of files with random access. A subclass checks its own arguments and opens its native source."""

    dataset_dir: str

    def __init__(self, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache=None):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        arguments.check_row_choice(self._owner(), num_samples, shuffle, sampler, num_shards, shard_id)
        self.sampler = chosen_sampler(self._owner(), num_samples, sampler, shuffle, num_shards, shard_id)

    def open_source(self):
        """The native source of all rows."""
        raise TypeError(f"{self._owner()}: the class names no source; override open_source")

    @functools.cached_property
    def source(self):
        """The native source, opened at the first use."""
        return self.open_source()

    def columns(self):
        return self.source.columns

    def source_size(self):
        return len(self.source)

    def classes(self):
        return self.source.classes

    def open_rows(self, run):
        return self.source

    def read_source(self, index):
        """A row by its number in the files."""
        return self.source[index]

    def _owner(self):
        return type(self).__name__

    def _folder(self, path):
        return arguments.require_folder(self._owner(), path)

    def _choice(self, name, value, accepted):
        return require_choice(self._owner(), name, value, accepted)

    def _choice_or(self, default, name, value, accepted):
        """The value, one of the accepted ones; the default for None."""
        return default if value is None else self._choice(name, value, accepted)

    def _flag(self, name, value):
        return require_bool(self._owner(), name, value)

    def _no_rows(self, where):
        """The error for a source in which nothing was found."""
        return RuntimeError(
            f"{self._owner()}: no data was found in {where!r}; does the path belong to this kind of dataset?"
        )

    def _lines(self, path):
        """The lines of a text file that are not empty."""
        try:
            with open(path, encoding="utf-8") as file:
                return [line for line in file.read().split("\n") if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise RuntimeError(f"{self._owner()}: the file {path!r} cannot be read: {error}") from error

    def _names_in(self, *parts, folders=False):
        """The names of the files or of the directories in a directory, sorted."""
        path = os.path.join(self.dataset_dir, *parts)
        try:
            with os.scandir(path) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir() == folders)
        except OSError as error:
            raise RuntimeError(f"{self._owner()}: the folder {path!r} cannot be listed: {error}") from error
