"""MNIST to MindRecord files."""

import gzip
import os
import struct

import numpy as np

from dyad.mindrecord.common.exceptions import MRMFetchDataError
from dyad.mindrecord.tools import conversion


def _read_idx(path, dimensions):
    """The array of uint8 in a compressed IDX file."""
    conversion.require_path("MnistToMR", "a file of source", path, "file")
    try:
        with gzip.open(path, "rb") as file:
            contents = file.read()
    except (OSError, EOFError) as error:
        raise MRMFetchDataError(f"MnistToMR: the file {path} cannot be unpacked: {error}") from None
    head = 4 + 4 * dimensions
    numbers = struct.unpack(f">{1 + dimensions}I", contents[:head]) if len(contents) >= head else (0,)
    if numbers[0] != 0x800 + dimensions or int(np.prod(numbers[1:], dtype=object)) != len(contents) - head:
        raise MRMFetchDataError(
            f"MnistToMR: the file {path} is no IDX file of {dimensions} dimensions, or cut off"
        )
    return np.frombuffer(contents, np.uint8, offset=head).reshape(numbers[1:])


class MnistToMR:
    """Writes MNIST to MindRecord files: fields `label` and `data`, a JPEG file.

    Args:
        source: directory with the four files of MNIST, compressed (".gz").
        destination: what the names of the files start with; they end in "_train.mindrecord" and "_test.mindrecord".
        partition_number: number of files of each.
    """

    def __init__(self, source, destination, partition_number=1):
        self.source = conversion.require_path("MnistToMR", "source", source, "folder")
        self.destination = conversion.require_path("MnistToMR", "destination", destination)
        self.partition_number = partition_number

    def run(self) -> None:
        """Writes the files."""
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        for usage, stem in (("train", "train"), ("test", "t10k")):
            path = f"{self.destination}_{usage}.mindrecord"
            conversion.write_rows(path, schema, self._rows(stem), ["label"], self.partition_number, "mnist")

    transform = run

    def _rows(self, stem):
        images = _read_idx(os.path.join(self.source, f"{stem}-images-idx3-ubyte.gz"), 3)
        labels = _read_idx(os.path.join(self.source, f"{stem}-labels-idx1-ubyte.gz"), 1)
        if len(images) != len(labels):
            raise MRMFetchDataError(
                f"MnistToMR: there are {len(images)} images and {len(labels)} labels of {stem}"
            )
        for image, label in zip(images, labels, strict=True):
            yield {"label": int(label), "data": conversion.encode_jpeg(image[..., None])}
