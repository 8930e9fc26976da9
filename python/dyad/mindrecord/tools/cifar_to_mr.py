"""CIFAR-10 and CIFAR-100, in their Python version, to MindRecord files."""

import os
import pickle

import numpy as np

from dyad.mindrecord.common.exceptions import MRMFetchDataError
from dyad.mindrecord.tools import conversion

_ALLOWED = {
    ("_codecs", "encode"), ("builtins", "bytes"), ("numpy", "ndarray"), ("numpy", "dtype"),
    ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.numeric", "_frombuffer"), ("numpy._core.numeric", "_frombuffer"),
}  # fmt: skip


class _ArraysOnly(pickle.Unpickler):
    """Unpickles containers of numbers, strings and arrays; rejects anything else."""

    def find_class(self, module, name):
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module, name)


class _CifarToMR:
    """Writes the images as JPEG files with their labels."""

    _train: tuple = ()
    _test = ""
    _labels: tuple = ()  # (field, key in the files)

    def __init__(self, source, destination):
        self.source = conversion.require_path(type(self).__name__, "source", source, "folder")
        self.destination = conversion.require_path(type(self).__name__, "destination", destination)

    def run(self, fields=None) -> None:
        """Writes the files.

        Args:
            fields: names of the fields that the index holds; all numbers without it.
        """
        conversion.require_names(type(self).__name__, "fields", fields)
        schema = {"id": {"type": "int64"}, **{field: {"type": "int64"} for field, _ in self._labels}}
        schema["data"] = {"type": "bytes"}
        conversion.write_rows(self.destination, schema, self._rows(self._train), fields)
        conversion.write_rows(f"{self.destination}_test", schema, self._rows((self._test,)), fields)

    transform = run

    def _rows(self, names):
        number = 0
        for name in names:
            images, labels = self._batch(os.path.join(self.source, name))
            for image, *values in zip(images, *labels, strict=True):
                fields = {field: int(value) for (field, _), value in zip(self._labels, values, strict=True)}
                yield {"id": number, **fields, "data": conversion.encode_jpeg(np.ascontiguousarray(image))}
                number += 1

    def _batch(self, path):
        """The images of a file, and their labels of each kind."""
        owner = type(self).__name__
        conversion.require_path(owner, "a file of source", path, "file")
        try:
            with open(path, "rb") as file:
                batch = _ArraysOnly(file, encoding="bytes").load()
            images = np.asarray(batch[b"data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            labels = [list(batch[key]) for _, key in self._labels]
        except (
            pickle.UnpicklingError,
            EOFError,
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
        ) as error:
            raise MRMFetchDataError(
                f"{owner}: the file {path} is no batch of CIFAR, or broken: {error}"
            ) from None
        if any(len(values) != len(images) for values in labels):
            raise MRMFetchDataError(
                f"{owner}: the file {path} has not as many labels as its {len(images)} images"
            )
        return images, labels


class Cifar10ToMR(_CifarToMR):
    """Writes CIFAR-10 to MindRecord files: fields `id`, `label` and `data`, a JPEG file.

    Args:
        source: directory with data_batch_1 to data_batch_5 and test_batch.
        destination: path of the file with the training images; "_test" is appended for the test images.
    """

    _train = tuple(f"data_batch_{number}" for number in range(1, 6))
    _test = "test_batch"
    _labels = (("label", b"labels"),)


class Cifar100ToMR(_CifarToMR):
    """Writes CIFAR-100 to MindRecord files: fields `id`, `fine_label`, `coarse_label` and `data`, a JPEG file.

    Args:
        source: directory with train and test.
        destination: path of the file with the training images; "_test" is appended for the test images.
    """

    _train = ("train",)
    _test = "test"
    _labels = (("fine_label", b"fine_labels"), ("coarse_label", b"coarse_labels"))
