"""Files together with what annotations say of them, as a native source."""

import numpy as np

from dyad import _core
from dyad.dataset._error_text import explained
from dyad.dataset.vision.decoding import Decode

_native = _core.data


def native_decode(decode):
    """The native transform that decodes the bytes of an image file, in a list; None if it is not requested."""
    if not decode:
        return None
    return [Decode().native()]


def native_decrypt(owner, decrypt):
    """The native transform that makes a file's bytes of its path, in a list; None where files are just read."""
    if decrypt is None:
        return None

    def read(columns, key):
        contents = decrypt(str(columns[0]))
        if not isinstance(contents, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"{owner}: decrypt gave {contents!r} of type {type(contents).__name__}; need bytes"
            )
        return (np.frombuffer(contents, np.uint8),)

    return [_native.python_transform(read, explained(f"{owner}: decrypt"))]


class AnnotatedFiles:
    """The columns of a source, collected in order; every column has one value per row."""

    def __init__(self, owner, decode=False, decrypt=None):
        self._columns = []
        self._kinds = []
        self._attributes = {
            "owner": owner,
            "decode": native_decode(decode),
            "decrypt": native_decrypt(owner, decrypt),
        }

    def _add(self, name, kind, values):
        self._columns.append(name)
        self._kinds.append(kind)
        self._attributes[name] = values

    def files(self, name, paths, read=None):
        """The contents of a file each; images where files are decoded, or what `read` makes of the bytes."""
        self._add(name, "files", paths)
        if read is not None:
            owner = self._attributes["owner"]
            step = _native.python_transform(
                lambda columns, key: (read(columns[0]),), explained(f"{owner}: {name}")
            )
            self._attributes[f"{name}.decode"] = [step]

    def file_texts(self, name, paths):
        """Contents of files as strings, one per row."""
        self._add(name, "file texts", paths)

    def array(self, name, values, dtype):
        """The parts of an array along its first dimension."""
        self._add(name, "array", np.ascontiguousarray(values, dtype))

    def texts(self, name, values):
        """Strings, one per row."""
        self._add(name, "texts", values)

    def matrices(self, name, rows, dtype, fill=-1):
        """A matrix each, given as a list of its rows; short rows are filled up."""
        widths = [max((len(part) for part in parts), default=0) or 1 for parts in rows]
        padded = [
            [*part, *[fill] * (width - len(part))]
            for parts, width in zip(rows, widths, strict=True)
            for part in parts
        ]
        flat = [number for part in padded for number in part]
        sizes = [len(parts) * width for parts, width in zip(rows, widths, strict=True)]
        self._ragged(name, "ragged array", np.asarray(flat, dtype), sizes, widths)

    def number_lists(self, name, rows, dtype):
        """Lists of numbers, one per row."""
        flat = [number for numbers in rows for number in numbers]
        self._ragged(
            name, "ragged array", np.asarray(flat, dtype), [len(numbers) for numbers in rows], [0] * len(rows)
        )

    def lists(self, name, rows, dtype, single=False):
        """A list of numbers each; with `single`, a list of one is just the number."""
        flat = [number for numbers in rows for number in numbers]
        sizes = [len(numbers) for numbers in rows]
        widths = [-1 if single and size == 1 else 0 for size in sizes]
        self._ragged(name, "ragged array", np.asarray(flat, dtype), sizes, widths)

    def text_lists(self, name, rows, as_matrix=False):
        """Lists of strings, one per row, or matrices of one column."""
        flat = [text for texts in rows for text in texts]
        sizes = [len(texts) for texts in rows]
        self._ragged(name, "ragged texts", flat, sizes, [int(as_matrix)] * len(rows))

    def _ragged(self, name, kind, values, sizes, widths):
        self._add(name, kind, values)
        self._attributes[f"{name}.ends"] = np.cumsum(sizes, dtype=np.int64).tolist()
        self._attributes[f"{name}.widths"] = widths

    def open(self, classes=None, rows_per_file=None):
        """The native source. `classes` are the numbers of the rows' classes, for samplers that count them."""
        listed = {"columns": self._columns, "kinds": self._kinds}
        optional = {"classes": classes, "rows_per_file": rows_per_file}
        return _native.open_source("annotated_files", {**self._attributes, **listed, **optional})
