"""Generated images for tests, and image files of them."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def noise(height, width, channels=3, dtype=np.uint8, seed=0):
    """An image of random values; without a third dimension if `channels` is None."""
    shape = (height, width) if channels is None else (height, width, channels)
    return np.random.default_rng(seed).integers(0, 256, shape).astype(dtype)


def waves(height, width, channels=3):
    """A smooth image, as photographs are."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [128 + 70 * np.sin(x / (7 + c)) + 55 * np.cos(y / (5 + c)) for c in range(channels)]
    return np.stack(planes, -1).clip(0, 255).astype(np.uint8)


def drawn(operation, key, *columns):
    """Result of a random transform with the random numbers of a key."""
    made = operation.native()(columns, key)
    return made[0] if len(made) == 1 else made


def encoded(picture, form, **options):
    """The bytes of an image file, by Pillow."""
    picture = Image.fromarray(picture) if isinstance(picture, np.ndarray) else picture
    file = io.BytesIO()
    picture.save(file, form, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def decoded(data):
    """The RGB image of a file, by Pillow."""
    return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB"))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def interlaced_png(image):
    """An RGB image as a PNG in seven passes (Adam7), which Pillow does not write."""
    passes = [
        (0, 8, 0, 8),
        (0, 8, 4, 8),
        (4, 8, 0, 4),
        (0, 4, 2, 4),
        (2, 4, 0, 2),
        (0, 2, 1, 2),
        (1, 2, 0, 1),
    ]
    parts = [image[top::down, left::across] for top, down, left, across in passes]
    rows = b"".join(b"\0" + row.tobytes() for part in parts if part.size for row in part)
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 2, 0, 0, 1)
    return np.frombuffer(
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b""),
        np.uint8,
    )


def bmp(width, height, bits, compression, pixels, palette=b"", masks=b""):
    """A BMP file put together from its parts."""
    start = 54 + len(masks) + len(palette)
    info = struct.pack(
        "<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(pixels), 0, 0, len(palette) // 4, 0
    )
    head = b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start)
    return np.frombuffer(head + info + masks + palette + pixels, np.uint8)
