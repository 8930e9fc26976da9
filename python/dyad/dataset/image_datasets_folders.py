"""Images in one directory per class."""

import os

import numpy as np

from dyad import _core
from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles, native_decode, native_decrypt
from dyad.dataset._file_dataset import FileDataset


class ImageFolderDataset(FileDataset):
    """Images in one directory per class: columns `image`, uint8, and `label`, int32.

    Args:
        dataset_dir: The directory of the classes' directories.
        extensions: A list of the extensions of image files; None selects all files.
        class_indexing: A dict from names of directories to numbers of classes; other directories are skipped. By
            default the directories are numbered in the order of their names.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
        decrypt: A function from a path to the bytes of the image.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 extensions=None, class_indexing=None, decode: bool = False, num_shards=None, shard_id=None, cache=None,
                 decrypt=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.extensions = arguments.require_extensions(self._owner(), extensions)
        self.class_indexing = arguments.require_class_indexing(self._owner(), class_indexing)
        self.decode = self._flag("decode", decode)
        self.decrypt = arguments.require_decrypt(self._owner(), decrypt)

    def open_source(self):
        """The native source."""
        attributes = {
            "owner": self._owner(),
            "folder": self.dataset_dir,
            "extensions": self.extensions,
            "class_indexing": self.class_indexing,
            "decode": native_decode(self.decode),
            "decrypt": native_decrypt(self._owner(), self.decrypt),
        }
        return _core.data.open_source("image_folder", attributes)

    def get_class_indexing(self) -> dict:
        """A dict from names of classes to their numbers."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        with os.scandir(self.dataset_dir) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir())
        return {name: number for number, name in enumerate(names)}

    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.get_class_indexing())


class _FoldersDataset(FileDataset):
    """Images of classes, each in the directories that `_folders` returns for it."""

    decode: bool

    _label_dtype: type = np.uint32

    def _folders(self):
        """(number of the class, directory within `dataset_dir`), in the order of the rows."""
        raise TypeError(f"{self._owner()}: the class names no folders; override _folders")

    def open_source(self):
        """The native source."""
        paths, labels = [], []
        for label, folder in self._folders():
            names = self._names_in(folder)
            paths += [os.path.join(self.dataset_dir, folder, name) for name in names]
            labels += [label] * len(names)
        if not paths:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", paths)
        columns.array("label", labels, self._label_dtype)
        return columns.open(labels)


class Caltech256Dataset(_FoldersDataset):
    """Caltech-256: columns `image`, uint8, and `label`, int32.

    Args:
        dataset_dir: The directory of the classes' directories, `001.ak47` and so on.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    _label_dtype = np.int32

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode: bool = False,
                 sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.decode = self._flag("decode", decode)

    def _folders(self):
        return list(enumerate(self._names_in(folders=True)))


class OmniglotDataset(_FoldersDataset):
    """Omniglot: columns `image`, uint8, and `label`, int32; a class is a character of an alphabet.

    Args:
        dataset_dir: The directory with `images_background` and `images_evaluation`.
        background: Whether images come from the background set, which is the default, or from the evaluation set.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    _label_dtype = np.int32

    def __init__(self, dataset_dir, background: bool | None = None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode: bool = False, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.background = True if background is None else self._flag("background", background)
        self.decode = self._flag("decode", decode)

    def _folders(self):
        top = "images_background" if self.background else "images_evaluation"
        alphabets = [os.path.join(top, name) for name in self._names_in(top, folders=True)]
        characters = [
            os.path.join(alphabet, name)
            for alphabet in alphabets
            for name in self._names_in(alphabet, folders=True)
        ]
        return list(enumerate(characters))


class RenderedSST2Dataset(_FoldersDataset):
    """Rendered SST-2, sentences as images: columns `image`, uint8, and `label`, uint32, 0 for negative ones.

    Args:
        dataset_dir: The directory with `train`, `test` and `valid`, each with `negative` and `positive`.
        usage: "train", "val", "test" or "all".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode: bool = False, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "val", "test", "all"))
        self.decode = self._flag("decode", decode)

    def _folders(self):
        usages = {"val": ["valid"], "all": ["test", "train", "valid"]}.get(self.usage, [self.usage])
        return [
            (label, os.path.join(usage, name))
            for usage in usages
            for label, name in enumerate(self._names_in(usage, folders=True))
        ]


class SUN397Dataset(_FoldersDataset):
    """SUN397, scenes: columns `image`, uint8, and `label`, uint32.

    Args:
        dataset_dir: The directory with `ClassName.txt`, which lists the classes' directories.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode: bool = False,
                 sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.decode = self._flag("decode", decode)

    def _folders(self):
        lines = self._lines(os.path.join(self.dataset_dir, "ClassName.txt"))
        return list(enumerate(line.strip().strip("/") for line in lines))


class LSUNDataset(_FoldersDataset):
    """LSUN, scenes: columns `image`, uint8, and `label`, uint32, the index of the directory among those read.

    Args:
        dataset_dir: The directory with `bedroom_train`, `bedroom_val` and so on, and `test`.
        usage: "train", "test", "valid" or "all", which is "train" and "valid".
        classes: A list of names of classes for example "bedroom"; None selects all.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, classes=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode: bool = False, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "test", "valid", "all"))
        self.class_names = self._checked_classes(classes)
        self.decode = self._flag("decode", decode)

    def _checked_classes(self, classes):
        if classes is None:
            return None
        if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
            raise TypeError(f"{self._owner()}: classes is {classes!r}; need a list of str")
        return classes

    def _folders(self):
        if self.usage == "test":
            return [(0, "test")]
        endings = {"train": ["_train"], "valid": ["_val"], "all": ["_train", "_val"]}[self.usage]
        found = [name for name in self._names_in(folders=True) if name.endswith(tuple(endings))]
        if self.class_names is not None:
            wanted = [name + ending for name in self.class_names for ending in endings]
            for name in wanted:
                if name not in found:
                    raise RuntimeError(
                        f"{self._owner()}: there is no folder {name!r} in {self.dataset_dir!r}"
                    )
            found = wanted
        return list(enumerate(found))
