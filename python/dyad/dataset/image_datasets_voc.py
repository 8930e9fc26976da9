"""Pascal VOC: segmentation and detection."""

import os
from xml.etree import ElementTree

import numpy as np

from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset

_LISTS = {"Segmentation": "Segmentation", "Detection": "Main"}
_CORNERS = ("xmin", "ymin", "xmax", "ymax")


class _Objects:
    """The annotation of one image: boxes as (x, y, width, height), names and flags."""

    def __init__(self):
        self.boxes, self.names, self.difficult, self.truncated = [], [], [], []

    def add(self, box, name, difficult, truncated) -> None:
        self.boxes.append(box)
        self.names.append(name)
        self.difficult.append([difficult])
        self.truncated.append([truncated])

    def only(self, names):
        """The objects with one of the names."""
        kept = _Objects()
        for box, name, difficult, truncated in zip(
            self.boxes, self.names, self.difficult, self.truncated, strict=True
        ):
            if name in names:
                kept.add(box, name, difficult[0], truncated[0])
        return kept


class VOCDataset(FileDataset):
    """Pascal VOC.

    The columns are `image`, uint8, and for the task "Segmentation" `target`, uint8, the image of the segments; for
    "Detection" `bbox`, float32 of shape (n, 4) with (x, y, width, height), and `label`, `difficult` and `truncate`,
    uint32 of shape (n, 1).

    Args:
        dataset_dir: The directory with `JPEGImages`, `ImageSets`, `Annotations` and `SegmentationClass`.
        task: "Segmentation" or "Detection".
        usage: The name of a list in `ImageSets/Segmentation` or `ImageSets/Main`, such as "train".
        class_indexing: For "Detection": a dict from names of classes to their numbers; objects of other classes are
            left out. By default the names that occur are numbered in alphabetical order.
        decode: Whether images are decoded; otherwise their columns have the bytes of the file.
        extra_metadata: Whether there is a column `_meta-filename` with the name that the list gives an image.
        decrypt: A function from a path to the bytes of the image.
    """

    def __init__(self, dataset_dir, task="Segmentation", usage="train", class_indexing=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode: bool = False, sampler=None, num_shards=None,
                 shard_id=None, cache=None, extra_metadata: bool = False, decrypt=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        owner = self._owner()
        self.dataset_dir = self._folder(dataset_dir)
        self.task = self._choice("task", task, tuple(_LISTS))
        self.usage = arguments.require_path(owner, "usage", usage)
        self.class_indexing = arguments.require_class_indexing(owner, class_indexing)
        if task == "Segmentation" and class_indexing is not None:
            raise ValueError(
                f"{owner}: class_indexing is {class_indexing!r}; need None for the task Segmentation"
            )
        self.decode = self._flag("decode", decode)
        self.extra_metadata = self._flag("extra_metadata", extra_metadata)
        self.decrypt = arguments.require_decrypt(owner, decrypt)
        self._list = os.path.join(self.dataset_dir, "ImageSets", _LISTS[task], f"{usage}.txt")
        arguments.require_file(owner, self._list, "the list that task and usage name")

    def _names(self):
        """The names of the images of this usage; a line may continue after the name."""
        return [line.split()[0] for line in self._lines(self._list)]

    def _paths(self, folder, names, ending):
        return [os.path.join(self.dataset_dir, folder, name + ending) for name in names]

    def open_source(self):
        """The native source."""
        names = self._names()
        columns = AnnotatedFiles(self._owner(), self.decode, self.decrypt)
        if self.task == "Segmentation":
            columns.files("image", self._paths("JPEGImages", names, ".jpg"))
            columns.files("target", self._paths("SegmentationClass", names, ".png"))
        else:
            names = self._add_objects(columns, names)
        if self.extra_metadata:
            columns.texts("_meta-filename", names)
        if not names:
            raise self._no_rows(self._list)
        return columns.open()

    def _add_objects(self, columns, names):
        """Adds the columns of the task "Detection"; returns the names of the images that have objects."""
        annotations = self._annotations(names)
        numbers = self._numbers(annotations)
        if self.class_indexing is not None:
            annotations = {name: objects.only(numbers) for name, objects in annotations.items()}
        annotations = {name: objects for name, objects in annotations.items() if objects.names}
        found = list(annotations.values())
        columns.files("image", self._paths("JPEGImages", annotations, ".jpg"))
        columns.matrices("bbox", [objects.boxes for objects in found], np.float32)
        labels = [[[numbers[name]] for name in objects.names] for objects in found]
        columns.matrices("label", labels, np.uint32)
        columns.matrices("difficult", [objects.difficult for objects in found], np.uint32)
        columns.matrices("truncate", [objects.truncated for objects in found], np.uint32)
        return list(annotations)

    def _annotations(self, names):
        return {name: self._objects(self._paths("Annotations", [name], ".xml")[0]) for name in names}

    def _numbers(self, annotations):
        if self.class_indexing is not None:
            return self.class_indexing
        names = sorted({name for objects in annotations.values() for name in objects.names})
        return {name: number for number, name in enumerate(names)}

    def get_class_indexing(self) -> dict:
        """A dict from names of classes to their numbers."""
        if self.task != "Detection":
            raise RuntimeError(
                f"{self._owner()}: task is {self.task!r}; only Detection has numbers of classes"
            )
        return dict(self._numbers({} if self.class_indexing else self._annotations(self._names())))

    def _objects(self, path):
        """The objects in an annotation file."""
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            raise RuntimeError(f"{self._owner()}: the file {path!r} cannot be read: {error}") from error
        objects = _Objects()
        for element in root.findall("object"):
            name = (element.findtext("name") or "").strip()
            if not name:
                raise RuntimeError(f"{self._owner()}: an object in {path!r} has no name")
            flags = [self._flag_of(path, element, flag) for flag in ("difficult", "truncated")]
            objects.add(self._box(path, element), name, *flags)
        if not objects.names:
            raise RuntimeError(f"{self._owner()}: the file {path!r} has no object")
        return objects

    def _flag_of(self, path, element, flag):
        text = (element.findtext(flag) or "0").strip()
        if not text.isdecimal():
            raise RuntimeError(f"{self._owner()}: {flag} is {text!r} in {path!r}; need 0 or 1")
        return int(text)

    def _box(self, path, element):
        """A box as (x, y, width, height)."""
        try:
            left, top, right, bottom = (
                float(element.findtext(f"bndbox/{corner}", "")) for corner in _CORNERS
            )
        except ValueError as error:
            raise RuntimeError(
                f"{self._owner()}: an object in {path!r} has no bndbox of four numbers: {error}"
            ) from error
        if not (0 < left < right < float("inf") and 0 < top < bottom < float("inf")):
            raise RuntimeError(
                f"{self._owner()}: a bndbox in {path!r} is {(left, top, right, bottom)}; need 0 < xmin < xmax and "
                "0 < ymin < ymax"
            )
        return (left, top, right - left, bottom - top)
