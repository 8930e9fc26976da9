"""A folder of pictures becomes batches: read, decoded, cropped, normalised and stacked by native threads.

Writes a few JPEG files, runs two epochs over them and shows where the time goes. Usage: data_pipeline.py [IMAGES]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from dyad import dataset
from dyad.dataset import vision

SIZE = 224


def write_pictures(folder, count):
    """Pictures of two classes: stripes that lie and stripes that stand."""
    for number in range(count):
        name = ("lying", "standing")[number % 2]
        wave = 127 + 120 * np.sin(np.arange(480) / (4 + number))
        picture = np.broadcast_to(wave[:, None, None], (480, 480, 3)).astype(np.uint8)
        picture = picture if name == "lying" else picture.transpose(1, 0, 2)
        (folder / name).mkdir(exist_ok=True)
        vision.write_jpeg(str(folder / name / f"{number:03}.jpg"), np.ascontiguousarray(picture))


def batches_of(folder):
    """The pipeline: nothing is read until it is iterated over."""
    pictures = dataset.ImageFolderDataset(str(folder), shuffle=True)
    augment = [
        vision.RandomCropDecodeResize(SIZE),  # decodes only the part of the file that it needs
        vision.RandomHorizontalFlip(),
        vision.Normalize([127.5] * 3, [127.5] * 3),
        vision.HWC2CHW(),
    ]
    return pictures.map(augment, "image").batch(16)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    dataset.config.set_seed(7)
    with tempfile.TemporaryDirectory() as name:
        write_pictures(Path(name), count)
        batches = batches_of(Path(name))
        print(f"{len(batches)} batches of {batches.get_col_names()}")
        rows = batches.create_dict_iterator(num_epochs=2)
        for epoch in range(2):
            labels = [label for row in rows for label in row["label"].asnumpy()]
            print(
                f"epoch {epoch}: {len(labels)} pictures, the first labels are {[int(n) for n in labels[:8]]}"
            )
        print(batches.explain())


if __name__ == "__main__":
    main()
