"""Images in binary files of one size each: CIFAR, STL-10, PhotoTour; and random images."""

import fnmatch
import os

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_int
from dyad.dataset._file_dataset import FileDataset

_HALVES = ("train", "test", "all")
_STL10_PARTS = {
    "train": ["train"],
    "test": ["test"],
    "unlabeled": ["unlabeled"],
    "train+unlabeled": ["train", "unlabeled"],
    "all": ["test", "train", "unlabeled"],
}
_PHOTO_TOURS = ("notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris")


class _CifarDataset(FileDataset):
    """Records of labels and an image of 32 by 32, in files with these names."""

    _train_files = ""
    _test_files = ""
    _columns: tuple = ()

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, _HALVES)

    def _files(self):
        train, test = [self._train_files], [self._test_files]
        patterns = {"train": train, "test": test, "all": train + test}[self.usage]
        names = self._names_in()
        found = [name for pattern in patterns for name in fnmatch.filter(names, pattern)]
        return [os.path.join(self.dataset_dir, name) for name in found]

    def open_source(self):
        """The native source."""
        files = self._files()
        if not files:
            raise self._no_rows(self.dataset_dir)
        attributes = {"owner": self._owner(), "columns": list(self._columns), "files": files}
        return _core.data.open_source("cifar", attributes)


class Cifar10Dataset(_CifarDataset):
    """CIFAR-10: columns `image`, uint8 of shape (32, 32, 3), and `label`, uint32.

    Args:
        dataset_dir: The directory with the binary version's files `data_batch_1.bin`, ..., `test_batch.bin`.
        usage: "train", "test" or "all".
    """

    _train_files = "data_batch_*.bin"
    _test_files = "test_batch.bin"
    _columns = ("image", "label")


class Cifar100Dataset(_CifarDataset):
    """CIFAR-100: columns `image`, uint8 of shape (32, 32, 3), `coarse_label` and `fine_label`, uint32.

    Args:
        dataset_dir: The directory with the binary version's files `train.bin` and `test.bin`.
        usage: "train", "test" or "all".
    """

    _train_files = "train.bin"
    _test_files = "test.bin"
    _columns = ("image", "coarse_label", "fine_label")


class STL10Dataset(FileDataset):
    """STL-10: columns `image`, uint8 of shape (96, 96, 3), and `label`, int32, -1 for images without one.

    Args:
        dataset_dir: The directory with `train_X.bin`, `train_y.bin` and so on.
        usage: "train", "test", "unlabeled", "train+unlabeled" or "all".
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, tuple(_STL10_PARTS))

    def open_source(self):
        """The native source."""
        parts = [os.path.join(self.dataset_dir, part) for part in _STL10_PARTS[self.usage]]
        attributes = {
            "owner": self._owner(),
            "images": [f"{part}_X.bin" for part in parts],
            "labels": ["" if part.endswith("unlabeled") else f"{part}_y.bin" for part in parts],
        }
        return _core.data.open_source("stl10", attributes)


class PhotoTourDataset(FileDataset):
    """PhotoTour, patches around points of photographs.

    The columns are `image`, uint8 of shape (64, 64, 1), for the usage "train"; `image1`, `image2` and `matches`,
    uint32, 1 where both show the same point, for "test".

    Args:
        dataset_dir: The directory of the scenes' directories, each with `info.txt`, `m50_100000_100000_0.txt` and
            bitmaps of 16 by 16 patches.
        name: "notredame", "yosemite", "liberty", or one of these followed by "_harris".
        usage: "train", which is the default, or "test".
    """

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.name = self._choice("name", name, _PHOTO_TOURS)
        self.usage = self._choice_or("train", "usage", usage, ("train", "test"))

    def open_source(self):
        """The native source."""
        names = fnmatch.filter(self._names_in(self.name), "*.bmp")
        files = [os.path.join(self.dataset_dir, self.name, name) for name in names]
        if not files:
            raise self._no_rows(os.path.join(self.dataset_dir, self.name))
        rows = self._single() if self.usage == "train" else self._pairs()
        return _core.data.open_source("photo_tour", {"owner": self._owner(), "files": files, **rows})

    def _single(self):
        """Every patch; `info.txt` has a line for each."""
        count = len(self._lines(os.path.join(self.dataset_dir, self.name, "info.txt")))
        return {"columns": ["image"], "image": list(range(count))}

    def _pairs(self):
        """Pairs of patches: a line has the patch and the point of both."""
        path = os.path.join(self.dataset_dir, self.name, "m50_100000_100000_0.txt")
        rows = [self._pair(path, line) for line in self._lines(path)]
        if not rows:
            raise self._no_rows(path)
        first, second, matches = zip(*rows, strict=True)
        images = {"columns": ["image1", "image2"], "image1": list(first), "image2": list(second)}
        return {**images, "matches": np.array(matches, np.uint32)}

    def _pair(self, path, line):
        fields = line.split()
        if len(fields) != 7 or not all(field.isdecimal() and len(field) < 10 for field in fields[:6]):
            raise RuntimeError(f"{self._owner()}: {path!r} has the line {line[:80]!r}; need seven numbers")
        return int(fields[0]), int(fields[3]), int(fields[1] == fields[4])


class FakeImageDataset(FileDataset):
    """Images of random numbers, for measurements and tests: columns `image`, uint8, and `label`, uint32.

    Args:
        num_images: Number of images.
        image_size: A tuple of height, width and channels.
        num_classes: Labels are below this number.
        base_seed: Seed of the images.
    """

    def __init__(self, num_images: int = 1000, image_size=(224, 224, 3), num_classes: int = 10, base_seed: int = 0,
                 num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        owner = self._owner()
        self.num_images = require_int(owner, "num_images", num_images, 1)
        if not isinstance(image_size, (tuple, list)) or len(image_size) != 3:
            raise TypeError(
                f"{owner}: image_size is {image_size!r}; need a tuple of height, width and channels"
            )
        self.image_size = [require_int(owner, "image_size", extent, 1) for extent in image_size]
        self.num_classes_given = require_int(owner, "num_classes", num_classes, 1)
        self.base_seed = require_int(owner, "base_seed", base_seed, 0)
        self._check_limits()

    def _check_limits(self):
        for name, value in (("num_images", self.num_images), ("num_classes", self.num_classes_given),
                            ("base_seed", self.base_seed)):  # fmt: skip
            if value >= 1 << 31:
                raise ValueError(f"{self._owner()}: {name} is {value}; need an int below 2147483648")
        if max(self.image_size) >= 1 << 20:
            raise ValueError(
                f"{self._owner()}: image_size is {tuple(self.image_size)}; need sizes below 1048576"
            )

    def num_classes(self):
        """Number of classes."""
        return self.num_classes_given

    def open_source(self):
        """The native source."""
        attributes = {
            "num_images": self.num_images,
            "image_size": self.image_size,
            "num_classes": self.num_classes_given,
            "base_seed": self.base_seed,
        }
        return _core.data.open_source("fake_images", attributes)
