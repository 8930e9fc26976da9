"""Small datasets of image files in their real formats, and what datasets give of them."""

import json
import struct

import numpy as np
from PIL import Image


def picture(seed, height=5, width=4):
    """An image of random colors."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def save_picture(path, seed=0, height=5, width=4):
    """Writes an image in the format that the name says; returns the bytes of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture(seed, height, width)).save(path)
    return np.frombuffer(path.read_bytes(), np.uint8)


def write_idx(path, array):
    """Writes an array of uint8 or of int32 as an IDX file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = {np.dtype(np.uint8): 8, np.dtype(np.int32): 12}[array.dtype]
    sizes = b"".join(struct.pack(">I", size) for size in array.shape)
    path.write_bytes(
        bytes([0, 0, code, array.ndim]) + sizes + array.astype(array.dtype.newbyteorder(">")).tobytes()
    )


def write_json(path, contents):
    """Writes a JSON file and returns its path as a str."""
    path.write_text(json.dumps(contents))
    return str(path)


def write_text(path, text):
    """Writes a text file and the directories it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def source_rows(dataset):
    """All rows as dicts, in the order of the files."""
    source = dataset.open_source()
    return [dict(zip(source.columns, source[i], strict=True)) for i in range(len(source))]
