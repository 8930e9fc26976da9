"""The pipelines of `./dev bench data` over PyTorch's DataLoader, with Pillow for images and Python for text."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, TensorDataset

import data_rows
from data_rows import BATCH


class Digits(Dataset):
    """Digits through torchvision's transforms: converted to a tensor and normalized."""

    def __init__(self, folder: Path) -> None:
        images = numpy.fromfile(folder / "train-images-idx3-ubyte", numpy.uint8, offset=16)
        self.images = torch.from_numpy(images.reshape(-1, 28, 28))
        self.labels = numpy.fromfile(folder / "train-labels-idx1-ubyte", numpy.uint8, offset=8).astype(
            numpy.int32
        )

    def __getitem__(self, index: int):
        image = self.images[index].unsqueeze(0).to(torch.float32).div(255)
        return image.sub_(data_rows.MEAN).div_(data_rows.DEVIATION), self.labels[index]

    def __len__(self) -> int:
        return len(self.labels)


class Images(Dataset):
    """A directory of images, decoded and cropped by Pillow."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*/*.jpg"))
        self.mean = torch.tensor(data_rows.IMAGE_MEAN).view(3, 1, 1)
        self.deviation = torch.tensor(data_rows.IMAGE_DEVIATION).view(3, 1, 1)

    def __getitem__(self, index: int):
        path = self.files[index]
        with Image.open(path) as picture:
            picture = picture.convert("RGB").resize(
                (data_rows.CROP, data_rows.CROP), Image.BILINEAR, box=random_box(*picture.size)
            )
        if random.random() < 0.5:
            picture = picture.transpose(Image.FLIP_LEFT_RIGHT)
        pixels = torch.from_numpy(numpy.array(picture)).permute(2, 0, 1).to(torch.float32)
        return pixels.sub_(self.mean).div_(self.deviation), numpy.int32(path.parent.name[-1])

    def __len__(self) -> int:
        return len(self.files)


def random_box(width: int, height: int) -> tuple[float, float, float, float]:
    """A random box of 8 to 100 % of the image's area, with an aspect ratio of 3/4 to 4/3."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if w <= width and h <= height:
            left, top = random.randint(0, width - w), random.randint(0, height - h)
            return left, top, left + w, top + h
    return 0, 0, width, height


class Lines(Dataset):
    """Lines as numbers of words, padded."""

    def __init__(self, folder: Path) -> None:
        words = (folder / "words.txt").read_text().split()
        self.numbers = {word: number for number, word in enumerate(words)}
        self.lines = (folder / "lines.txt").read_text().splitlines()

    def __getitem__(self, index: int):
        numbers = [self.numbers.get(word, 1) for word in self.lines[index].split()]
        padded = numpy.zeros(data_rows.LENGTH, numpy.int32)
        padded[: len(numbers)] = numbers
        return (padded,)

    def __len__(self) -> int:
        return len(self.lines)


class TorchData:
    """The pipelines; with `workers` processes, or in the process itself with 0."""

    def __init__(self, threads: int, workers: int) -> None:
        torch.set_num_threads(threads)
        self.count = workers

    def epoch(self, loader):
        """The rows of one epoch."""
        return iter(loader)

    def array(self, value):
        return value.numpy()

    def loader(self, dataset, batch: int = BATCH, **options):
        return DataLoader(
            dataset, batch, num_workers=self.count, persistent_workers=self.count > 0, **options
        )

    def slices(self, folder: Path):
        return self.loader(TensorDataset(*map(torch.from_numpy, data_rows.slices())), shuffle=True)

    def generator(self, folder: Path):
        return self.loader(data_rows.Samples())

    def workers(self, folder: Path):
        return self.loader(data_rows.Samples())

    def digits(self, folder: Path):
        return self.loader(Digits(folder / "digits"))

    def images(self, folder: Path):
        return self.loader(Images(folder / "images"), 32, shuffle=True)

    def text(self, folder: Path):
        return self.loader(Lines(folder / "text"))
