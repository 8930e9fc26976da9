"""Handwritten digits in text files: Semeion, USPS."""

import os

import numpy as np

from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset
from dyad.dataset._row_files import RowFilesDataset
from dyad.dataset._shuffle import Shuffle

_PIXELS = 256
_USPS_FILES = {"train": ["usps"], "test": ["usps.t"], "all": ["usps", "usps.t"]}


class SemeionDataset(FileDataset):
    """Semeion: columns `image`, uint8 of shape (16, 16) with 0 and 1, and `label`, uint32.

    Args:
        dataset_dir: The directory with `semeion.data`.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)

    def open_source(self):
        """The native source."""
        path = os.path.join(self.dataset_dir, "semeion.data")
        rows = [self._row(path, number, line) for number, line in enumerate(self._lines(path), 1)]
        if not rows:
            raise self._no_rows(path)
        numbers = np.array(rows, np.uint8)
        labels = numbers[:, _PIXELS:].argmax(1)
        columns = AnnotatedFiles(self._owner())
        columns.array("image", numbers[:, :_PIXELS].reshape(-1, 16, 16), np.uint8)
        columns.array("label", labels, np.uint32)
        return columns.open(labels.tolist())

    def _row(self, path, number, line):
        """256 pixels and ten numbers, 1 for the digit that it is."""
        try:
            values = [float(field) for field in line.split()]
        except ValueError:
            values = []
        if len(values) != _PIXELS + 10 or not {*values} <= {0, 1} or sum(values[_PIXELS:]) != 1:
            raise RuntimeError(
                f"{self._owner()}: line {number} of {path!r} is {line[:40]!r}...; need 256 pixels of 0 and 1, then "
                "ten numbers of which one is 1"
            )
        return values


class USPSDataset(RowFilesDataset):
    """USPS: columns `image`, uint8 of shape (16, 16, 1), and `label`, uint32.

    Args:
        dataset_dir: The directory with the files `usps` and `usps.t`.
        usage: "train", "test" or "all".
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = arguments.require_folder("USPSDataset", dataset_dir)
        self.usage = arguments.optional_choice("USPSDataset", "usage", usage, tuple(_USPS_FILES)) or "all"

    def open_source(self):
        """The native source."""
        paths = [os.path.join(self.dataset_dir, name) for name in _USPS_FILES[self.usage]]
        files = [_usps_rows(path) for path in paths]
        rows = np.concatenate(files)
        columns = AnnotatedFiles("USPSDataset")
        columns.array("image", ((rows[:, 1:] + 1) / 2 * 255).reshape(-1, 16, 16, 1), np.uint8)
        columns.array("label", rows[:, 0] - 1, np.uint32)
        return columns.open(rows_per_file=[len(file) for file in files])


def _usps_rows(path):
    """The label and the 256 pixels of every line; pixels are from -1 to 1, labels from 1 to 10."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(f"USPSDataset: the file {path!r} cannot be read: {error}") from error
    rows = [_usps_row(path, number, line) for number, line in enumerate(lines, 1)]
    if not rows:
        raise RuntimeError(f"USPSDataset: the file {path!r} holds no digits")
    return np.array(rows)


def _usps_row(path, number, line):
    label, *pixels = line.split()
    try:
        places, shades = zip(*(pixel.split(":") for pixel in pixels), strict=True)
        values = [float(label), *map(float, shades)]
    except ValueError:
        places, values = (), [0.0]
    ordered = list(places) == [str(place) for place in range(1, _PIXELS + 1)]
    if not ordered or values[0] not in range(1, 11) or not all(-1 <= value <= 1 for value in values[1:]):
        raise RuntimeError(
            f"USPSDataset: line {number} of {path!r} is {line[:40]!r}...; need a label from 1 to 10 and 256 pixels "
            "such as 1:-0.5"
        )
    return values
