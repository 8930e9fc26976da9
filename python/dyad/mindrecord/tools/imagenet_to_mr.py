"""ImageNet, a directory of images per class, to MindRecord files."""

import os

from dyad.mindrecord.common.exceptions import MRMFetchDataError
from dyad.mindrecord.tools import conversion


class ImageNetToMR:
    """Writes the images of directories to MindRecord files: fields `file_name`, `image` and `label`.

    Args:
        map_file: path of a file with a directory's name and the number of its class in each line.
        image_dir: directory that the directories are in.
        destination: path of the file to write.
        partition_number: number of files.
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        self.map_file = conversion.require_path("ImageNetToMR", "map_file", map_file, "file")
        self.image_dir = conversion.require_path("ImageNetToMR", "image_dir", image_dir, "folder")
        self.destination = conversion.require_path("ImageNetToMR", "destination", destination)
        self.partition_number = partition_number

    def run(self) -> None:
        """Writes the files."""
        schema = {"file_name": {"type": "string"}, "image": {"type": "bytes"}, "label": {"type": "int32"}}
        index = ["label", "file_name"]
        conversion.write_rows(
            self.destination, schema, self._rows(), index, self.partition_number, "imagenet"
        )

    transform = run

    def _classes(self):
        """(directory, number) of each class."""
        with open(self.map_file, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                fields = line.split()
                if not fields:
                    continue
                if len(fields) != 2 or not fields[1].isdigit():
                    raise MRMFetchDataError(
                        f"ImageNetToMR: line {number} of {self.map_file} is {line.strip()!r}; "
                        "need the name of a folder and a number"
                    )
                yield fields[0], int(fields[1])

    def _rows(self):
        for folder, label in self._classes():
            path = conversion.require_path(
                "ImageNetToMR", "a class", os.path.join(self.image_dir, folder), "folder"
            )
            for name in sorted(os.listdir(path)):
                file_name = os.path.join(path, name)
                with open(file_name, "rb") as file:
                    yield {"file_name": file_name, "image": file.read(), "label": label}
