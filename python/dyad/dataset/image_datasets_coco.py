"""COCO: detection, stuff and panoptic segmentation, keypoints, captions."""

import json
import os
from collections import defaultdict

import numpy as np

from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset

_TASKS = ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning")


class CocoDataset(FileDataset):
    """COCO: images with at least one annotation.

    The columns are `image`, uint8, and, with one row per annotation of the image:

    - "Detection": `bbox`, float32 of (x, y, width, height), `category_id` and `iscrowd`, uint32.
    - "Stuff": `segmentation`, float32, the corners of polygons padded with -1, and `iscrowd`, uint32.
    - "Keypoint": `keypoints`, float32, padded with -1, and `num_keypoints`, uint32.
    - "Panoptic": `bbox`, float32, `category_id`, `iscrowd` and `area`, uint32.
    - "Captioning": `captions`, strings.

    Args:
        dataset_dir: The directory with the images.
        annotation_file: The JSON file with the annotations.
        task: "Detection", "Stuff", "Panoptic", "Keypoint" or "Captioning".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
        extra_metadata: Whether there is a column `_meta-filename` with the file name of the image.
        decrypt: A function from a path to the bytes of the image.
    """

    def __init__(self, dataset_dir, annotation_file, task="Detection", num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode: bool = False, sampler=None, num_shards=None, shard_id=None, cache=None,
                 extra_metadata: bool = False, decrypt=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        owner = self._owner()
        self.dataset_dir = self._folder(dataset_dir)
        self.annotation_file = arguments.require_file(owner, annotation_file, "annotation_file")
        self.task = self._choice("task", task, _TASKS)
        self.decode = self._flag("decode", decode)
        self.extra_metadata = self._flag("extra_metadata", extra_metadata)
        self.decrypt = arguments.require_decrypt(owner, decrypt)

    def open_source(self):
        """The native source."""
        read = {
            "Detection": _add_detection,
            "Stuff": _add_stuff,
            "Panoptic": _add_panoptic,
            "Keypoint": _add_keypoints,
            "Captioning": _add_captions,
        }
        annotations = _Annotations(self._owner(), self.annotation_file)
        by_image = annotations.by_image(self.task != "Captioning")
        if not by_image:
            raise self._no_rows(self.annotation_file)
        columns = AnnotatedFiles(self._owner(), self.decode, self.decrypt)
        names = annotations.file_names(by_image, self.task == "Panoptic")
        columns.files("image", [os.path.join(self.dataset_dir, name) for name in names])
        read[self.task](columns, annotations, list(by_image.values()))
        if self.extra_metadata:
            columns.texts("_meta-filename", names)
        return columns.open()

    def get_class_indexing(self) -> dict:
        """A dict from names of categories to lists: the number of the category and, for "Panoptic", whether it is of
        things (1) or of stuff (0)."""
        if self.task not in ("Detection", "Panoptic"):
            raise RuntimeError(
                f"{self._owner()}: task is {self.task!r}; only Detection and Panoptic have numbers of classes"
            )
        annotations = _Annotations(self._owner(), self.annotation_file)
        keys = ("id", "isthing") if self.task == "Panoptic" else ("id",)
        return {
            annotations.get(category, "name", str): [annotations.get(category, key, int) for key in keys]
            for category in annotations.section("categories")
        }


class _Annotations:
    """The contents of an annotation file. What is missing in it or of another kind is a RuntimeError."""

    def __init__(self, owner, path):
        self._owner = owner
        self._path = path
        try:
            with open(path, "rb") as file:
                self._contents = json.load(file)
        except (OSError, ValueError, RecursionError) as error:
            raise RuntimeError(f"{owner}: the annotation file {path!r} cannot be read: {error}") from error
        if not isinstance(self._contents, dict):
            raise self.fault(f"holds {type(self._contents).__name__}; need an object")

    def fault(self, what):
        """The error for a malformed file."""
        return RuntimeError(f"{self._owner}: the annotation file {self._path!r} {what}")

    def section(self, name):
        """A list of objects, by name."""
        return self.objects(self._contents, name)

    def objects(self, holder, name):
        """A list of objects inside of another object."""
        values = self.get(holder, name, list)
        for value in values:
            if not isinstance(value, dict):
                raise self.fault(f"has {str(value)[:40]!r} in {name!r}; need objects")
        return values

    def get(self, holder, name, kind):
        """A member of an object."""
        if name not in holder:
            raise self.fault(f"has no {name!r} in {str(holder)[:80]}")
        value = holder[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fault(
                f"has {str(value)[:40]!r} for {name!r}; need {getattr(kind, '__name__', 'a number')}"
            )
        return value

    def number(self, holder, name, default=None):
        """A non-negative integer; the default if it is missing."""
        if default is not None and name not in holder:
            return default
        value = int(self.get(holder, name, (int, float)))
        if not 0 <= value < 1 << 32:
            raise self.fault(f"has {value} for {name!r}; need a number from 0 to 4294967295")
        return value

    def numbers(self, holder, name):
        """A list of numbers."""
        return self.all_numbers(self.get(holder, name, list), name)

    def all_numbers(self, values, name):
        """The values, if all of them are numbers."""
        if not all(isinstance(value, (int, float)) for value in values):
            raise self.fault(f"has {str(values)[:40]!r} in {name!r}; need numbers")
        return values

    def box(self, holder):
        """A box of four numbers."""
        box = self.numbers(holder, "bbox")
        if len(box) != 4:
            raise self.fault(f"has a bbox of {len(box)} numbers; need 4")
        return box

    def by_image(self, check_categories) -> dict:
        """The annotations of each image that has some, in the order of the images."""
        images = {self.get(image, "id", int): image for image in self.section("images")}
        categories = self.section("categories") if check_categories else []
        known = {self.get(category, "id", int) for category in categories}
        found = defaultdict(list)
        for annotation in self.section("annotations"):
            number = self.get(annotation, "image_id", int)
            if number not in images:
                raise self.fault(f"has an annotation of image {number}, which is not in 'images'")
            if check_categories:
                self._check_categories(annotation, known)
            found[number].append(annotation)
        self._images = images
        return {number: found[number] for number in images if number in found}

    def _check_categories(self, annotation, known):
        """All parts of an annotation must have categories that are known."""
        parts = self.objects(annotation, "segments_info") if "segments_info" in annotation else [annotation]
        for part in parts:
            if self.get(part, "category_id", int) not in known:
                raise self.fault(f"has the category_id {part['category_id']}, which is not in 'categories'")

    def file_names(self, by_image, panoptic) -> list:
        """The file names of the images. Panoptic annotations name the image of the segments, which has the same
        name with another ending."""
        if panoptic:
            names = [self.get(annotations[0], "file_name", str) for annotations in by_image.values()]
            return [os.path.splitext(name)[0] + ".jpg" for name in names]
        return [self.get(self._images[number], "file_name", str) for number in by_image]


def _add_numbers(columns, annotations, rows, name, default=None):
    """A column with a number of each annotation, in matrices of one column."""
    values = [[[annotations.number(part, name, default)] for part in parts] for parts in rows]
    columns.matrices(name, values, np.uint32)


def _add_detection(columns, annotations, rows):
    columns.matrices("bbox", [[annotations.box(part) for part in parts] for parts in rows], np.float32)
    _add_numbers(columns, annotations, rows, "category_id")
    _add_numbers(columns, annotations, rows, "iscrowd", 0)


def _add_panoptic(columns, annotations, rows):
    segments = [
        [part for whole in parts for part in annotations.objects(whole, "segments_info")] for parts in rows
    ]
    columns.matrices("bbox", [[annotations.box(part) for part in parts] for parts in segments], np.float32)
    for name in ("category_id", "iscrowd", "area"):
        _add_numbers(columns, annotations, segments, name)


def _polygons(annotations, part):
    """The polygons of an annotation: lists of corners, or the run lengths of a crowd."""
    shape = annotations.get(part, "segmentation", (list, dict))
    if isinstance(shape, dict):
        return [annotations.numbers(shape, "counts")]
    for polygon in shape:
        if not isinstance(polygon, list):
            raise annotations.fault(f"has {str(polygon)[:40]!r} in 'segmentation'; need lists of numbers")
        annotations.all_numbers(polygon, "segmentation")
    return shape


def _add_stuff(columns, annotations, rows):
    polygons = [[polygon for part in parts for polygon in _polygons(annotations, part)] for parts in rows]
    columns.matrices("segmentation", polygons, np.float32)
    _add_numbers(columns, annotations, rows, "iscrowd", 0)


def _add_keypoints(columns, annotations, rows):
    points = [[annotations.numbers(part, "keypoints") for part in parts] for parts in rows]
    columns.matrices("keypoints", points, np.float32)
    _add_numbers(columns, annotations, rows, "num_keypoints")


def _add_captions(columns, annotations, rows):
    texts = [[annotations.get(part, "caption", str) for part in parts] for parts in rows]
    columns.text_lists("captions", texts, as_matrix=True)
