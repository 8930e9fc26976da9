"""Faces: CelebA, LFW, WIDER FACE."""

import os

import numpy as np

from dyad.dataset import _arguments as arguments
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._file_dataset import FileDataset

_ATTRIBUTES = 40
_PARTITIONS = {"train": 0, "valid": 1, "test": 2}
_LFW_IMAGES = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
_LFW_LISTS = {"10fold": [""], "train": ["DevTrain"], "test": ["DevTest"], "all": ["DevTrain", "DevTest"]}
_WIDER_LISTS = {"train": ["train"], "valid": ["val"], "all": ["train", "val"]}
_WIDER_COLUMNS = ("blur", "expression", "illumination", "occlusion", "pose", "invalid")


class CelebADataset(FileDataset):
    """CelebA: columns `image`, uint8, and `attr`, uint32 of shape (40,), 1 for each attribute of the face.

    Args:
        dataset_dir: The directory with the images, `list_attr_celeba.txt` and `list_eval_partition.txt`.
        usage: "all", "train", "valid" or "test".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
        extensions: A list of the extensions of image files; None selects all files.
        decrypt: A function from a path to the bytes of the image.
    """

    def __init__(self, dataset_dir, num_parallel_workers=None, shuffle=None, usage="all", sampler=None,
                 decode: bool = False, extensions=None, num_samples=None, num_shards=None, shard_id=None, cache=None,
                 decrypt=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice("usage", usage, ("all", *_PARTITIONS))
        self.decode = self._flag("decode", decode)
        self.extensions = arguments.require_extensions(self._owner(), extensions)
        self.decrypt = arguments.require_decrypt(self._owner(), decrypt)

    def open_source(self):
        """The native source."""
        names, attributes = self._read_attributes()
        chosen = self._chosen(names)
        if not chosen:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner(), self.decode, self.decrypt)
        columns.files("image", [os.path.join(self.dataset_dir, names[i]) for i in chosen])
        columns.array("attr", attributes[chosen], np.uint32)
        return columns.open()

    def _chosen(self, names):
        """The positions of the images with one of the extensions that belong to the usage."""
        endings = tuple(self.extensions) or ("",)
        wanted = self._partition() if self.usage != "all" else None
        return [
            i for i, name in enumerate(names) if name.endswith(endings) and (wanted is None or name in wanted)
        ]

    def _partition(self):
        """The names of the images that belong to the usage."""
        number = str(_PARTITIONS[self.usage])
        path = os.path.join(self.dataset_dir, "list_eval_partition.txt")
        return {fields[0] for fields in map(str.split, self._lines(path)) if fields[1:2] == [number]}

    def _read_attributes(self):
        """The names of the images, and their attributes as rows of 0 and 1."""
        path = os.path.join(self.dataset_dir, "list_attr_celeba.txt")
        lines = self._lines(path)
        if len(lines) < 2 or not lines[0].strip().isdigit() or len(lines[1].split()) != _ATTRIBUTES:
            raise RuntimeError(
                f"{self._owner()}: the file {path!r} does not begin with the number of images and then the names of "
                f"{_ATTRIBUTES} attributes"
            )
        rows = [self._row(path, number, line) for number, line in enumerate(lines[2:], 3)]
        if int(lines[0]) != len(rows):
            raise RuntimeError(
                f"{self._owner()}: the file {path!r} has {len(rows)} images; its first line says {lines[0].strip()}"
            )
        names = [row[0] for row in rows]
        return names, np.array([row[1] for row in rows], np.int64).reshape(-1, _ATTRIBUTES)

    def _row(self, path, number, line):
        name, *values = line.split() or [""]
        if len(values) != _ATTRIBUTES or not {*values} <= {"-1", "0", "1"}:
            raise RuntimeError(
                f"{self._owner()}: line {number} of {path!r} is {line[:80]!r}; need a file name and {_ATTRIBUTES} "
                "numbers, 1 or -1"
            )
        return name, [int(value == "1") for value in values]


class LFWDataset(FileDataset):
    """Labeled Faces in the Wild.

    The columns are, for the task "people", `image`, uint8, and `label`, uint32, the person's index in
    `lfw-names.txt`; for "pairs", `image1`, `image2` and `label`, 1 for the same person.

    Args:
        dataset_dir: The directory with the lists `people.txt`, `pairsDevTrain.txt` and so on, and the directories of
            images.
        task: "people", which is the default, or "pairs".
        usage: "10fold", "train", "test" or "all", which is "train" and "test".
        image_set: "original", "funneled", which is the default, or "deepfunneled": the alignment of the images.
        decode: Whether images are decoded; otherwise their columns have the bytes of the file.
    """

    def __init__(self, dataset_dir, task=None, usage=None, image_set=None, num_samples=None,
                 num_parallel_workers=None, shuffle=None, decode: bool = False, sampler=None, num_shards=None,
                 shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.task = self._choice_or("people", "task", task, ("people", "pairs"))
        self.usage = self._choice_or("all", "usage", usage, tuple(_LFW_LISTS))
        self.image_set = self._choice_or("funneled", "image_set", image_set, tuple(_LFW_IMAGES))
        self.decode = self._flag("decode", decode)

    def open_source(self):
        """The native source."""
        lists = [
            os.path.join(self.dataset_dir, f"{self.task}{ending}.txt") for ending in _LFW_LISTS[self.usage]
        ]
        lines = [(path, line) for path in lists for line in self._lines(path)]
        columns = AnnotatedFiles(self._owner(), self.decode)
        labels = (
            self._add_people(columns, lines) if self.task == "people" else self._add_pairs(columns, lines)
        )
        if not labels:
            raise self._no_rows(self.dataset_dir)
        columns.array("label", labels, np.uint32)
        return columns.open(labels)

    def _image(self, path, person, number):
        if not number.isdecimal():
            raise RuntimeError(f"{self._owner()}: {path!r} has {number!r} for the number of an image")
        folder = os.path.join(self.dataset_dir, _LFW_IMAGES[self.image_set], person)
        return os.path.join(folder, f"{person}_{int(number):04d}.jpg")

    def _add_people(self, columns, lines):
        """Adds a column with all images of the people in the lists; returns their numbers."""
        names = [line.split()[0] for line in self._lines(os.path.join(self.dataset_dir, "lfw-names.txt"))]
        numbers = {name: number for number, name in enumerate(names)}
        images, labels = [], []
        for path, line in lines:
            person, *count = line.split()
            if not count:
                continue  # how many people follow
            if person not in numbers or len(count) != 1 or not count[0].isdecimal() or len(count[0]) > 4:
                raise RuntimeError(
                    f"{self._owner()}: {path!r} has the line {line[:80]!r}; need a name of lfw-names.txt and how many "
                    "images there are"
                )
            images += [self._image(path, person, str(number + 1)) for number in range(int(count[0]))]
            labels += [numbers[person]] * int(count[0])
        columns.files("image", images)
        return labels

    def _add_pairs(self, columns, lines):
        """Adds two columns of images; returns whether they show the same person."""
        first, second, labels = [], [], []
        for path, line in lines:
            fields = line.split()
            if len(fields) in (1, 2):
                continue  # how many pairs follow
            if len(fields) not in (3, 4):
                raise RuntimeError(
                    f"{self._owner()}: {path!r} has the line {line[:80]!r}; need a pair of images"
                )
            first.append(self._image(path, fields[0], fields[1]))
            second.append(self._image(path, fields[-2] if len(fields) == 4 else fields[0], fields[-1]))
            labels.append(int(len(fields) == 3))
        columns.files("image1", first)
        columns.files("image2", second)
        return labels


class WIDERFaceDataset(FileDataset):
    """WIDER FACE.

    The columns are `image`, uint8, and, with one row per face, `bbox`, int32 of (x, y, width, height), and the numbers
    `blur`, `expression`, `illumination`, `occlusion`, `pose` and `invalid`, int32. For the usage "test" there is only
    `image`.

    Args:
        dataset_dir: The directory with `WIDER_train`, `WIDER_val`, `WIDER_test` and `wider_face_split`.
        usage: "train", "test", "valid" or "all", which is "train" and "valid".
        decode: Whether images are decoded; otherwise `image` has the bytes of the file.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode: bool = False, sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "test", "valid", "all"))
        self.decode = self._flag("decode", decode)

    def _list(self, name):
        return os.path.join(self.dataset_dir, "wider_face_split", f"wider_face_{name}.txt")

    def _image(self, part, name):
        return os.path.join(self.dataset_dir, f"WIDER_{part}", "images", name)

    def open_source(self):
        """The native source."""
        columns = AnnotatedFiles(self._owner(), self.decode)
        if self.usage == "test":
            paths, faces = (
                [self._image("test", line.strip()) for line in self._lines(self._list("test_filelist"))],
                [],
            )
        else:
            listed = [entry for part in _WIDER_LISTS[self.usage] for entry in self._faces(part)]
            paths, faces = [path for path, _ in listed], [numbers for _, numbers in listed]
        if not paths:
            raise self._no_rows(self.dataset_dir)
        columns.files("image", paths)
        if self.usage != "test":
            columns.matrices("bbox", [[face[:4] for face in several] for several in faces], np.int32)
            for position, name in enumerate(_WIDER_COLUMNS, 4):
                columns.lists(name, [[face[position] for face in several] for several in faces], np.int32)
        return columns.open()

    def _faces(self, part):
        """(path of an image, its faces as ten numbers each); an image without faces has a row of zeros."""
        path = self._list(f"{part}_bbx_gt")
        lines = iter(self._lines(path))
        listed = []
        for name in lines:
            count = next(lines, "").strip()
            if not count.isdecimal():
                raise RuntimeError(
                    f"{self._owner()}: {path!r} has {count!r} after {name!r}; need a number of faces"
                )
            faces = [self._numbers(path, name, next(lines, "")) for _ in range(max(int(count), 1))]
            listed.append((self._image(part, name.strip()), faces))
        return listed

    def _numbers(self, path, name, line):
        try:
            numbers = [int(field) for field in line.split()]
        except ValueError:
            numbers = []
        if len(numbers) != 4 + len(_WIDER_COLUMNS) or max(map(abs, numbers)) >= 1 << 31:
            raise RuntimeError(
                f"{self._owner()}: {path!r} has the line {line[:80]!r} for {name!r}; need ten numbers"
            )
        return numbers
