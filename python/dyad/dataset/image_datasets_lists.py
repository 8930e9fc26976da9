"""Images listed in a text file, with labels or captions."""

import json
import os
from urllib.parse import urlsplit

import numpy as np

from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset

_PLACES_LISTS = {
    "train-standard": ("places365_train_standard.txt", "data_{size}_standard"),
    "train-challenge": ("places365_train_challenge.txt", "data_{size}_challenge"),
    "val": ("places365_val.txt", "val_{size}"),
}


class Food101Dataset(FileDataset):
    """Food-101: columns `image`, uint8, and `label`, the name of the dish as a string.

    Args:
        dataset_dir: The directory with `images` and `meta`.
        usage: "train", "test" or "all".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode: bool = False, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "test", "all"))
        self.decode = self._flag("decode", decode)

    def open_source(self):
        """The native source."""
        usages = ("train", "test") if self.usage == "all" else (self.usage,)
        lists = [os.path.join(self.dataset_dir, "meta", f"{usage}.txt") for usage in usages]
        names = [line.strip() for path in lists for line in self._lines(path)]
        if not names:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(self.dataset_dir, "images", f"{name}.jpg") for name in names])
        columns.texts("label", [name.split("/")[0] for name in names])
        return columns.open()


class Places365Dataset(FileDataset):
    """Places365, scenes: columns `image`, uint8, and `label`, uint32.

    Args:
        dataset_dir: The directory with the lists `places365_val.txt` and so on, and the directories of images.
        usage: "train-standard", which is the default, "train-challenge" or "val".
        small: Whether images are those of 256 by 256 pixels, or the large ones.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, small: bool = True, decode: bool = False, num_samples=None,
                 num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("train-standard", "usage", usage, tuple(_PLACES_LISTS))
        self.small = self._flag("small", small)
        self.decode = self._flag("decode", decode)

    def open_source(self):
        """The native source."""
        name, folder = _PLACES_LISTS[self.usage]
        path = os.path.join(self.dataset_dir, name)
        folder = os.path.join(self.dataset_dir, folder.format(size="256" if self.small else "large"))
        listed = [self._entry(path, line) for line in self._lines(path)]
        if not listed:
            raise self._no_rows(path)
        labels = [label for _, label in listed]
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(folder, file.lstrip("/")) for file, _ in listed])
        columns.array("label", labels, np.uint32)
        return columns.open(labels)

    def _entry(self, path, line):
        file, _, label = line.strip().rpartition(" ")
        if not file or not label.isdecimal():
            raise RuntimeError(
                f"{self._owner()}: {path!r} has the line {line[:80]!r}; need a file and its class"
            )
        return file, int(label)


class FlickrDataset(FileDataset):
    """Flickr8k and Flickr30k: columns `image`, uint8, and `annotation`, the captions of the image as strings.

    Args:
        dataset_dir: The directory with the images.
        annotation_file: The file with lines of an image's name, `#`, a number, a tab and a caption.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, annotation_file, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=None, sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.annotation_file = arguments.require_file(self._owner(), annotation_file, "annotation_file")
        self.decode = bool(arguments.optional_bool(self._owner(), "decode", decode))

    def open_source(self):
        """The native source."""
        captions: dict = {}
        for line in self._lines(self.annotation_file):
            name, tab, caption = line.partition("\t")
            if not tab or "#" not in name:
                raise RuntimeError(
                    f"{self._owner()}: {self.annotation_file!r} has the line {line[:80]!r}; need an image's name, #, "
                    "a number, a tab and a caption"
                )
            captions.setdefault(name[: name.rindex("#")], []).append(caption)
        if not captions:
            raise self._no_rows(self.annotation_file)
        names = sorted(captions)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(self.dataset_dir, name) for name in names])
        columns.text_lists("annotation", [captions[name] for name in names])
        return columns.open()


class SBUDataset(FileDataset):
    """SBU Captioned Photo: columns `image`, uint8, and `caption`, a string. Missing photos are skipped.

    Args:
        dataset_dir: The directory with `sbu_images` and the lists `SBU_captioned_photo_dataset_urls.txt` and
            `SBU_captioned_photo_dataset_captions.txt`.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode: bool = False,
                 sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.decode = self._flag("decode", decode)

    def open_source(self):
        """The native source."""
        stem = os.path.join(self.dataset_dir, "SBU_captioned_photo_dataset_")
        urls, captions = self._lines(f"{stem}urls.txt"), self._lines(f"{stem}captions.txt")
        if len(urls) != len(captions):
            raise RuntimeError(
                f"{self._owner()}: {stem}urls.txt has {len(urls)} lines, {stem}captions.txt {len(captions)}; need as "
                "many"
            )
        there = set(self._names_in("sbu_images"))
        names = ["m" + urlsplit(url.strip()).path.replace("/", "_") for url in urls]
        rows = [(name, text.strip()) for name, text in zip(names, captions, strict=True) if name in there]
        if not rows:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [os.path.join(self.dataset_dir, "sbu_images", name) for name, _ in rows])
        columns.texts("caption", [caption for _, caption in rows])
        return columns.open()


class ManifestDataset(FileDataset):
    """Images listed in a manifest: columns `image`, uint8, and `label`, int32, a number or a list of several.

    Args:
        dataset_file: A file with a JSON object per line: the path of an image (`source`), its `usage` and its classes
            (`annotation`).
        usage: "train", "eval" or "inference".
        class_indexing: A dict from names of classes to their numbers; other classes are skipped. By default the
            names that occur are numbered in alphabetical order.
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_file, usage="train", num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, class_indexing=None, decode: bool = False, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_file = arguments.require_file(self._owner(), dataset_file, "dataset_file")
        self.usage = self._choice("usage", usage, ("train", "eval", "inference"))
        self.class_indexing = arguments.require_class_indexing(self._owner(), class_indexing)
        self.decode = self._flag("decode", decode)

    def _entry(self, number, line):
        """(path, names of classes) of a line; None for one of another usage."""
        try:
            entry = json.loads(line)
            if entry["usage"].lower() != self.usage:
                return None
            return str(entry["source"]), [str(part["name"]) for part in entry["annotation"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RuntimeError(
                f"{self._owner()}: line {number} of {self.dataset_file!r} is {line[:80]!r}; need an object with "
                f"source, usage and annotation: {type(error).__name__} {error}"
            ) from error

    def _entries(self):
        found = [self._entry(number, line) for number, line in enumerate(self._lines(self.dataset_file), 1)]
        return [entry for entry in found if entry]

    def get_class_indexing(self) -> dict:
        """A dict from names of classes to their numbers."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        names = sorted({name for _, names in self._entries() for name in names})
        return {name: number for number, name in enumerate(names)}

    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.get_class_indexing())

    def open_source(self):
        """The native source."""
        numbers = self.get_class_indexing()
        rows = [
            (path, [numbers[name] for name in names if name in numbers]) for path, names in self._entries()
        ]
        rows = [(path, labels) for path, labels in rows if labels]
        if not rows:
            raise self._no_rows(self.dataset_file)
        columns = AnnotatedFiles(self._owner(), self.decode)
        columns.files("image", [path for path, _ in rows])
        columns.lists("label", [labels for _, labels in rows], np.int32, single=True)
        return columns.open([labels[0] for _, labels in rows])
