"""Images with annotations in MATLAB files: SVHN, Flowers-102, Caltech-101, SBD."""

import os

import numpy as np

from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset
from dyad.dataset._flower_names import FLOWER_NAMES
from dyad.dataset._mat_file import MatFault, load_mat

_FLOWER_SETS = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"], "all": ["trnid", "tstid", "valid"]}
# Categories of Caltech-101 whose annotations are in directories of other names.
_CALTECH_FOLDERS = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}
_SBD_LISTS = {"train": ["train"], "val": ["val"], "train_noval": ["train_noval"], "all": ["train", "val"]}


def _variable(contents, name, dimensions):
    """A variable of a MATLAB file as an array with `dimensions` dimensions; MATLAB leaves out a last size of 1."""
    value = load_mat(contents).get(name)
    if not isinstance(value, np.ndarray) or not min(dimensions, 3) <= value.ndim <= dimensions:
        raise MatFault(f"it has no array {name!r} of {dimensions} dimensions")
    return value


class _MatlabDataset(FileDataset):
    """A dataset with arrays in MATLAB files."""

    def _read_variables(self, file, **dimensions):
        """Arrays of a MATLAB file in `dataset_dir`, by name with the number of their dimensions."""
        path = os.path.join(self.dataset_dir, file)
        try:
            with open(path, "rb") as opened:
                contents = opened.read()
            return [_variable(contents, name, count) for name, count in dimensions.items()]
        except (OSError, MatFault) as error:
            raise RuntimeError(f"{self._owner()}: the file {path!r} cannot be read: {error}") from error


class SVHNDataset(_MatlabDataset):
    """Street View House Numbers: columns `image`, uint8 of shape (32, 32, 3), and `label`, uint32.

    Args:
        dataset_dir: The directory with `train_32x32.mat`, `test_32x32.mat` and `extra_32x32.mat`.
        usage: "train", "test", "extra" or "all".
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "test", "extra", "all"))

    def _part(self, usage):
        """Images and labels; the digit 0 has the label 10 in the files."""
        path = f"{usage}_32x32.mat"
        images, labels = self._read_variables(path, X=4, y=2)
        images = images.reshape(*images.shape[:3], -1)
        if images.dtype != np.uint8 or images.shape[:3] != (32, 32, 3) or images.shape[3] != labels.size:
            raise RuntimeError(
                f"{self._owner()}: {path!r} in {self.dataset_dir!r} has images of shape {images.shape} and "
                f"{labels.size} labels; need uint8 of shape (32, 32, 3, number of labels)"
            )
        return images.transpose(3, 0, 1, 2), labels.reshape(-1) % 10

    def open_source(self):
        """The native source."""
        usages = ("train", "test", "extra") if self.usage == "all" else (self.usage,)
        parts = [self._part(usage) for usage in usages]
        labels = np.concatenate([part[1] for part in parts]).astype(np.int64)
        columns = AnnotatedFiles(self._owner())
        columns.array("image", np.concatenate([part[0] for part in parts]), np.uint8)
        columns.array("label", labels, np.uint32)
        return columns.open(labels.tolist())


class Flowers102Dataset(_MatlabDataset):
    """Oxford 102 Flowers: columns `image`, uint8, for the task "Segmentation" `segmentation`, uint8, and `label`,
    uint32.

    Args:
        dataset_dir: The directory with `imagelabels.mat`, `setid.mat`, `jpg` and `segmim`.
        task: "Classification" or "Segmentation".
        usage: "train", "valid", "test" or "all".
        decode: Whether images are decoded; otherwise their columns have the bytes of the file.
    """

    def __init__(self, dataset_dir, task="Classification", usage="all", num_samples=None, num_parallel_workers=1,
                 shuffle=None, decode: bool = False, sampler=None, num_shards=None, shard_id=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self.dataset_dir = self._folder(dataset_dir)
        self.task = self._choice("task", task, ("Classification", "Segmentation"))
        self.usage = self._choice("usage", usage, tuple(_FLOWER_SETS))
        self.decode = self._flag("decode", decode)

    def get_class_indexing(self) -> dict:
        """A dict from names of flowers to their numbers."""
        return {name: number for number, name in enumerate(FLOWER_NAMES)}

    def num_classes(self) -> int:
        """Number of classes."""
        return len(FLOWER_NAMES)

    def open_source(self):
        """The native source."""
        labels = self._read_variables("imagelabels.mat", labels=2)[0].reshape(-1).astype(np.int64)
        sets = self._read_variables("setid.mat", **{name: 2 for name in _FLOWER_SETS[self.usage]})
        numbers = np.concatenate([part.reshape(-1) for part in sets]).astype(np.int64)
        if not numbers.size or numbers.min() < 1 or numbers.max() > labels.size or labels.min() < 1:
            raise RuntimeError(
                f"{self._owner()}: setid.mat in {self.dataset_dir!r} names no images, or some that imagelabels.mat, "
                f"with {labels.size} labels, does not have"
            )
        chosen = labels[numbers - 1] - 1
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", self._paths("jpg", "image", numbers))
        if self.task == "Segmentation":
            columns.files("segmentation", self._paths("segmim", "segmim", numbers))
        columns.array("label", chosen, np.uint32)
        return columns.open(chosen.tolist())

    def _paths(self, folder, stem, numbers):
        return [os.path.join(self.dataset_dir, folder, f"{stem}_{number:05d}.jpg") for number in numbers]


class Caltech101Dataset(_MatlabDataset):
    """Caltech-101: columns `image`, uint8, `category`, int64, and `annotation`, float64 of shape (2, n), the outline
    of the object.

    Args:
        dataset_dir: The directory with `101_ObjectCategories` and `Annotations`.
        target_type: The columns in addition to `image`: "category", which is the default, "annotation" or "all".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, target_type=None, num_samples=None, num_parallel_workers=1, shuffle=None,
                 decode: bool = False, sampler=None, num_shards=None, shard_id=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self.dataset_dir = self._folder(dataset_dir)
        self.target_type = self._choice_or(
            "category", "target_type", target_type, ("category", "annotation", "all")
        )
        self.decode = self._flag("decode", decode)

    def get_class_indexing(self) -> dict:
        """A dict from names of categories to their numbers."""
        names = self._names_in("101_ObjectCategories", folders=True)
        return {
            name: number for number, name in enumerate(name for name in names if name != "BACKGROUND_Google")
        }

    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.get_class_indexing())

    def open_source(self):
        """The native source."""
        images, outlines, labels = [], [], []
        for category, number in self.get_class_indexing().items():
            folder = os.path.join(self.dataset_dir, "Annotations", _CALTECH_FOLDERS.get(category, category))
            for name in self._names_in("101_ObjectCategories", category):
                images.append(os.path.join(self.dataset_dir, "101_ObjectCategories", category, name))
                stem = os.path.splitext(name)[0].removeprefix("image_")
                outlines.append(os.path.join(folder, f"annotation_{stem}.mat"))
                labels.append(number)
        if not images:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", images)
        if self.target_type != "annotation":
            columns.array("category", labels, np.int64)
        if self.target_type != "category":
            columns.files("annotation", outlines, lambda contents: _variable(contents, "obj_contour", 2))
        return columns.open(labels)


class SBDataset(_MatlabDataset):
    """Semantic Boundaries: columns `image`, uint8, and `task`, uint8, the boundaries of 20 categories, of shape
    (20, height, width), or the category of each pixel.

    Args:
        dataset_dir: The directory with `img`, `cls` and the lists `train.txt`, `val.txt` and `train_noval.txt`.
        task: "Boundaries" or "Segmentation".
        usage: "train", "val", "train_noval" or "all", which is "train" and "val".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, task="Boundaries", usage="all", num_samples=None, num_parallel_workers=1,
                 shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self.dataset_dir = self._folder(dataset_dir)
        self.task = self._choice("task", task, ("Boundaries", "Segmentation"))
        self.usage = self._choice("usage", usage, tuple(_SBD_LISTS))
        self.decode = self._flag("decode", False if decode is None else decode)

    def open_source(self):
        """The native source."""
        lists = [os.path.join(self.dataset_dir, f"{name}.txt") for name in _SBD_LISTS[self.usage]]
        names = [line.strip() for path in lists for line in self._lines(path)]
        if not names:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(self.dataset_dir, "img", f"{name}.jpg") for name in names])
        paths = [os.path.join(self.dataset_dir, "cls", f"{name}.mat") for name in names]
        columns.files("task", paths, _boundaries if self.task == "Boundaries" else _segmentation)
        return columns.open()


def _categories(contents, field, kind):
    """A field of the struct in an annotation of SBD."""
    struct = load_mat(contents).get("GTcls")
    if not isinstance(struct, dict) or not isinstance(struct.get(field), kind):
        raise MatFault(f"it has no struct 'GTcls' with the field {field!r}")
    return struct[field]


def _boundaries(contents):
    parts = _categories(contents, "Boundaries", list)
    if not parts or not all(isinstance(part, np.ndarray) and part.shape == parts[0].shape for part in parts):
        raise MatFault("the boundaries of its categories differ in shape")
    return np.stack(parts).astype(np.uint8)


def _segmentation(contents):
    return np.ascontiguousarray(_categories(contents, "Segmentation", np.ndarray), np.uint8)
