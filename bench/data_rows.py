"""The pipelines that `./dev bench data` compares, and the files that they read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy

BATCH = 64
DIGITS, CLASSES = 60_000, 10
GENERATED = 4_000
IMAGES, IMAGE_SIZE, CROP = 96, (375, 500), 224
LINES, WORDS, LENGTH = 20_000, 5_000, 32
MEAN, DEVIATION = 0.1307, 0.3081
IMAGE_MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
IMAGE_DEVIATION = [0.229 * 255, 0.224 * 255, 0.225 * 255]


@dataclass(frozen=True)
class DataRow:
    key: str
    name: str
    rows: int  # of an epoch
    bar: float  # how many times as fast as the fastest peer Dyad must be
    exact: bool = True  # whether all must give the same numbers; not where crops are random


ROWS = [
    DataRow("slices", "NumPy slices, shuffled, batches of 64", DIGITS, 3.0),
    DataRow("generator", "Python generator, batches of 64", GENERATED, 1.0),
    DataRow("workers", "Python generator in 2 workers, batches of 64", GENERATED, 1.0),
    DataRow("digits", "MNIST: rescale, normalise, batches of 64", DIGITS, 1.5),
    DataRow(
        "images", "JPEG 500x375: decode, random crop 224, flip, normalise, batches of 32", IMAGES, 1.5, False
    ),
    DataRow("text", "lines: tokenise, look up, pad to 32, batches of 64", LINES, 1.0),
]


def make_files(folder: Path) -> None:
    """Writes the inputs of the pipelines: digits as idx files, a directory of JPEG files, lines of text."""
    random = numpy.random.default_rng(3)
    write_digits(folder / "digits", random)
    write_images(folder / "images", random)
    write_text(folder / "text", random)


def write_digits(folder: Path, random: numpy.random.Generator) -> None:
    folder.mkdir()
    images = random.integers(0, 256, (DIGITS, 28, 28), numpy.uint8)
    labels = random.integers(0, CLASSES, DIGITS).astype(numpy.uint8)
    header = struct.pack(">IIII", 2051, DIGITS, 28, 28)
    (folder / "train-images-idx3-ubyte").write_bytes(header + images.tobytes())
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, DIGITS) + labels.tobytes())


def write_images(folder: Path, random: numpy.random.Generator) -> None:
    """Images with large and small shapes, so that their files are as long as those of photographs."""
    from PIL import Image

    for number in range(IMAGES):
        coarse = random.integers(0, 256, (12, 16, 3), numpy.uint8)
        picture = Image.fromarray(coarse).resize(IMAGE_SIZE[::-1], Image.BICUBIC)
        noise = random.normal(0, 12, (*IMAGE_SIZE, 3))
        pixels = numpy.clip(numpy.asarray(picture) + noise, 0, 255).astype(numpy.uint8)
        path = folder / f"class{number % 4}" / f"{number:04}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path, quality=90)


def write_text(folder: Path, random: numpy.random.Generator) -> None:
    folder.mkdir()
    words = [f"word{number}" for number in range(WORDS)]
    (folder / "words.txt").write_text("\n".join(["<pad>", "<unk>", *words]) + "\n")
    lengths = random.integers(5, LENGTH, LINES)
    drawn = random.integers(0, WORDS, (LINES, LENGTH))
    lines = (
        " ".join(words[word] for word in row[:length]) for row, length in zip(drawn, lengths, strict=True)
    )
    (folder / "lines.txt").write_text("\n".join(lines) + "\n")


def slices() -> tuple[numpy.ndarray, numpy.ndarray]:
    """Arrays of the first row: samples and labels."""
    random = numpy.random.default_rng(4)
    samples = random.standard_normal((DIGITS, 28, 28), numpy.float32)
    return samples, random.integers(0, CLASSES, DIGITS).astype(numpy.int32)


class Samples:
    """A user's data set: a few lines of NumPy for each sample."""

    def __init__(self) -> None:
        self.signals = numpy.random.default_rng(5).standard_normal((GENERATED, 3, 64), numpy.float32)

    def __getitem__(self, index: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        signal = self.signals[index]
        signal = (signal - signal.mean(1, keepdims=True)) / (signal.std(1, keepdims=True) + 1e-6)
        spectrum = numpy.abs(numpy.fft.rfft(signal)).astype(numpy.float32)
        return spectrum, numpy.int32(index % CLASSES)

    def __len__(self) -> int:
        return GENERATED
