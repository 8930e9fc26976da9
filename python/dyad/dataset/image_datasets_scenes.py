"""Streets and scenes with other images or boxes: Cityscapes, DIV2K, KITTI."""

import os

import numpy as np

from dyad._src.base.argument_checks import require_int
from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset

_CITYSCAPES_USAGES = {
    "fine": {"train": ["train"], "test": ["test"], "val": ["val"], "all": ["train", "test", "val"]},
    "coarse": {
        "train": ["train"],
        "train_extra": ["train_extra"],
        "val": ["val"],
        "all": ["train", "train_extra", "val"],
    },
}
_CITYSCAPES_ENDINGS = {
    "instance": "instanceIds.png",
    "semantic": "labelIds.png",
    "polygon": "polygons.json",
    "color": "color.png",
}
_LEFT = "_leftImg8bit.png"
_DIV2K_SCALES = {
    "bicubic": (2, 3, 4, 8),
    "unknown": (2, 3, 4),
    "mild": (4,),
    "difficult": (4,),
    "wild": (4,),
}
# Start and end of the columns in the fields of a KITTI label; the first field is the name of the class.
_KITTI_COLUMNS = {
    "truncated": (1, 2, np.float32),
    "occluded": (2, 3, np.uint32),
    "alpha": (3, 4, np.float32),
    "bbox": (4, 8, np.float32),
    "dimensions": (8, 11, np.float32),
    "location": (11, 14, np.float32),
    "rotation_y": (14, 15, np.float32),
}


class CityscapesDataset(FileDataset):
    """Cityscapes: columns `image`, uint8, and `task`, an image of the segments, uint8, or their polygons as the
    string of a JSON file.

    Args:
        dataset_dir: The directory with `leftImg8bit` and `gtFine` or `gtCoarse`.
        usage: "train", "test", "val" or "all" of the fine annotations; "train", "train_extra", "val" or "all" of the
            coarse ones.
        quality_mode: "fine" or "coarse".
        task: "instance", "semantic", "polygon" or "color".
        decode: Whether images are decoded; otherwise their columns have the bytes of the file.
    """

    def __init__(self, dataset_dir, usage="train", quality_mode="fine", task="instance", num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None,
                 cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.quality_mode = self._choice("quality_mode", quality_mode, tuple(_CITYSCAPES_USAGES))
        self.usage = self._choice("usage", usage, tuple(_CITYSCAPES_USAGES[quality_mode]))
        self.task = self._choice("task", task, tuple(_CITYSCAPES_ENDINGS))
        self.decode = bool(arguments.optional_bool(self._owner(), "decode", decode))

    def open_source(self):
        """The native source."""
        quality = "gtFine" if self.quality_mode == "fine" else "gtCoarse"
        images, targets = [], []
        for usage in _CITYSCAPES_USAGES[self.quality_mode][self.usage]:
            for city in self._names_in("leftImg8bit", usage, folders=True):
                for name in self._names_in("leftImg8bit", usage, city):
                    if not name.endswith(_LEFT):
                        raise RuntimeError(
                            f"{self._owner()}: {name!r} in {city!r} does not end with {_LEFT!r}"
                        )
                    images.append(os.path.join(self.dataset_dir, "leftImg8bit", usage, city, name))
                    target = f"{name.removesuffix(_LEFT)}_{quality}_{_CITYSCAPES_ENDINGS[self.task]}"
                    targets.append(os.path.join(self.dataset_dir, quality, usage, city, target))
        if not images:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", images)
        (columns.file_texts if self.task == "polygon" else columns.files)("task", targets)
        return columns.open()


class DIV2KDataset(FileDataset):
    """DIV2K: columns `hr_image` and `lr_image`, uint8, an image in high and in low resolution.

    Args:
        dataset_dir: The directory with `DIV2K_train_HR`, `DIV2K_train_LR_bicubic` and so on.
        usage: "train", "valid" or "all".
        downgrade: "bicubic", "unknown", "mild", "difficult" or "wild": how the resolution was lowered.
        scale: 2, 3, 4 or 8: how many times lower it is. Only "bicubic" has 8; the last three have 4.
        decode: Whether images are decoded; otherwise their columns have the bytes of the file.
    """

    def __init__(self, dataset_dir, usage="train", downgrade="bicubic", scale: int = 2, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice("usage", usage, ("train", "valid", "all"))
        self.downgrade = self._choice("downgrade", downgrade, tuple(_DIV2K_SCALES))
        self.scale = require_int(self._owner(), "scale", scale)
        if scale not in _DIV2K_SCALES[downgrade]:
            raise ValueError(
                f"{self._owner()}: scale is {scale}; need one of {_DIV2K_SCALES[downgrade]} for the downgrade "
                f"{downgrade}"
            )
        self.decode = bool(arguments.optional_bool(self._owner(), "decode", decode))

    def _low(self, usage):
        """The directory of the images in low resolution, and what their names end with."""
        if self.scale == 8:
            return f"DIV2K_{usage}_LR_x8", "x8"
        folder = f"DIV2K_{usage}_LR_{self.downgrade}"
        if self.downgrade in ("bicubic", "unknown"):
            return os.path.join(folder, f"X{self.scale}"), f"x{self.scale}"
        return folder, f"x4{self.downgrade[0]}"

    def open_source(self):
        """The native source."""
        high, low = [], []
        for usage in ("train", "valid") if self.usage == "all" else (self.usage,):
            folder, ending = self._low(usage)
            for name in self._names_in(f"DIV2K_{usage}_HR"):
                stem, extension = os.path.splitext(name)
                high.append(os.path.join(self.dataset_dir, f"DIV2K_{usage}_HR", name))
                low.append(os.path.join(self.dataset_dir, folder, stem + ending + extension))
        if not high:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("hr_image", high)
        columns.files("lr_image", low)
        return columns.open()


class KITTIDataset(FileDataset):
    """KITTI, objects in streets.

    The columns are `image`, uint8, and, with one row per object, `label` and `occluded`, uint32, and `truncated`,
    `alpha`, `bbox`, `dimensions`, `location` and `rotation_y`, float32. Names of classes are numbered in alphabetical
    order. For the usage "test" there is only `image`.

    Args:
        dataset_dir: The directory with `data_object_image_2` and `data_object_label_2`.
        usage: "train", which is the default, or "test".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode: bool = False, sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("train", "usage", usage, ("train", "test"))
        self.decode = self._flag("decode", decode)

    def open_source(self):
        """The native source."""
        folder = os.path.join("data_object_image_2", f"{self.usage}ing", "image_2")
        names = self._names_in(folder)
        if not names:
            raise self._no_rows(os.path.join(self.dataset_dir, folder))
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(self.dataset_dir, folder, name) for name in names])
        if self.usage == "train":
            self._add_objects(columns, [self._objects(os.path.splitext(name)[0]) for name in names])
        return columns.open()

    def _add_objects(self, columns, objects):
        found = sorted({fields[0] for several in objects for fields in several})
        numbers = {name: number for number, name in enumerate(found)}
        columns.matrices(
            "label", [[[numbers[fields[0]]] for fields in several] for several in objects], np.uint32
        )
        for name, (begin, end, dtype) in _KITTI_COLUMNS.items():
            columns.matrices(name, [[fields[begin:end] for fields in several] for several in objects], dtype)

    def _objects(self, stem):
        """The objects of an image: the name of the class and 14 numbers each."""
        path = os.path.join(self.dataset_dir, "data_object_label_2", "training", "label_2", f"{stem}.txt")
        return [self._fields(path, line) for line in self._lines(path)]

    def _fields(self, path, line):
        name, *rest = line.split()
        try:
            numbers = [float(field) for field in rest]
        except ValueError:
            numbers = []
        if len(numbers) != 14 or not all(abs(number) < 1e9 for number in numbers):
            raise RuntimeError(
                f"{self._owner()}: {path!r} has the line {line[:80]!r}; need the name of a class and 14 numbers"
            )
        numbers[1] = int(numbers[1]) % (1 << 32)  # -1 means unknown in a column of unsigned integers
        return [name, *numbers]
