"""Handwritten characters in IDX files: MNIST and its relatives."""

import os

from dyad import _core
from dyad.dataset._file_dataset import FileDataset

_ALL_ROWS = (1 << 63) - 1
_HALVES = ("train", "test", "all")
_EMNIST_NAMES = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
_QMNIST_USAGES = ("train", "test", "test10k", "test50k", "nist", "all")
_QMNIST_STEMS = {"train": "qmnist-train", "nist": "xnist"}
_QMNIST_TEST10K = 10000


class _IdxDataset(FileDataset):
    """Images and labels in pairs of IDX files; `_stems` returns the prefixes of their names."""

    _label_ending = "idx1-ubyte"

    def _stems(self):
        raise TypeError(f"{self._owner()}: the class names no files; override _stems")

    def _find(self, name):
        """The path of a file under either form of its name, or None."""
        for spelling in (name, name.replace("-idx", ".idx")):
            path = os.path.join(self.dataset_dir, spelling)
            if os.path.isfile(path):
                return path
        return None

    def _pair(self, stem):
        """The paths of the images and the labels; None if neither is there."""
        names = (f"{stem}-images-idx3-ubyte", f"{stem}-labels-{self._label_ending}")
        paths = [self._find(name) for name in names]
        for name, path in zip(names, paths, strict=True):
            packed = os.path.join(self.dataset_dir, f"{name}.gz")
            if path is None and (any(paths) or os.path.isfile(packed)):
                hint = f"; unpack {packed!r}" if os.path.isfile(packed) else ""
                raise RuntimeError(
                    f"{self._owner()}: the file {name!r} is missing in {self.dataset_dir!r}{hint}"
                )
        return paths if all(paths) else None

    def open_source(self):
        """The native source."""
        pairs = [pair for pair in map(self._pair, self._stems()) if pair]
        if not pairs:
            raise self._no_rows(self.dataset_dir)
        attributes = {"owner": self._owner(), "images": [pair[0] for pair in pairs]}
        attributes["labels"] = [pair[1] for pair in pairs]
        return _core.data.open_source("mnist", {**attributes, **self._part()})

    def _part(self):
        """The range of rows, and the part of their labels that is used."""
        return {"whole_labels": False, "first": 0, "most": _ALL_ROWS}


class MnistDataset(_IdxDataset):
    """MNIST: columns `image`, uint8 of shape (28, 28, 1), and `label`, uint32.

    Args:
        dataset_dir: The directory with the files `train-images-idx3-ubyte`, `t10k-labels-idx1-ubyte` and so on.
        usage: "train", "test" or "all".
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, _HALVES)

    def _stems(self):
        return {"train": ["train"], "test": ["t10k"], "all": ["t10k", "train"]}[self.usage]


class FashionMnistDataset(MnistDataset):
    """Fashion-MNIST: articles of clothing in the files and columns of MNIST."""


class KMnistDataset(MnistDataset):
    """Kuzushiji-MNIST: Japanese characters in the files and columns of MNIST."""


class EMnistDataset(_IdxDataset):
    """EMNIST: letters and digits in the columns of MNIST.

    Args:
        dataset_dir: The directory with the files `emnist-letters-train-images-idx3-ubyte` and so on.
        name: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist": how the set was put together.
        usage: "train", "test" or "all".
    """

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.name = self._choice("name", name, _EMNIST_NAMES)
        self.usage = self._choice_or("all", "usage", usage, _HALVES)

    def _stems(self):
        usages = ["test", "train"] if self.usage == "all" else [self.usage]
        return [f"emnist-{self.name}-{usage}" for usage in usages]


class QMnistDataset(_IdxDataset):
    """QMNIST: MNIST with all its test images and where each image came from.

    Args:
        dataset_dir: The directory with the files `qmnist-train-images-idx3-ubyte`, `qmnist-train-labels-idx2-int` and
            so on.
        usage: "train", "test", "test10k" (the first 10,000 of it, MNIST's own), "test50k" (the rest), "nist" or
            "all".
        compat: Whether `label` is the digit alone, as in MNIST, or all eight numbers of an image.
    """

    _label_ending = "idx2-int"

    def __init__(self, dataset_dir, usage=None, compat: bool = True, num_samples=None, num_parallel_workers=None,
                 shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, _QMNIST_USAGES)
        self.compat = self._flag("compat", compat)

    def _stems(self):
        if self.usage == "all":
            return ["qmnist-train", "qmnist-test", "xnist"]
        return [_QMNIST_STEMS.get(self.usage, "qmnist-test")]

    def _part(self):
        first = _QMNIST_TEST10K if self.usage == "test50k" else 0
        most = _QMNIST_TEST10K if self.usage == "test10k" else _ALL_ROWS
        return {"whole_labels": not self.compat, "first": first, "most": most}
