"""Functions shared by the conversions to MindRecord files."""

import itertools
import os

from dyad import _core
from dyad.mindrecord.common.exceptions import ParamTypeError, ParamValueError, PathNotExistsError
from dyad.mindrecord.filewriter import FileWriter

_ROWS_AT_ONCE = 256
_JPEG_QUALITY = 95


def require_path(owner, name, value, kind=None):
    """A path; with a `kind`, "file" or "folder", that of one that exists."""
    if not isinstance(value, str):
        raise ParamTypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a str")
    if not value:
        raise ParamValueError(f"{owner}: {name} is empty; need a path")
    if kind is not None and not (os.path.isfile if kind == "file" else os.path.isdir)(value):
        raise PathNotExistsError(f"{owner}: {name} is {value!r}; the {kind} does not exist")
    return value


def require_names(owner, name, value):
    """A list of str, or None."""
    if value is not None and (
        not isinstance(value, list) or any(not isinstance(item, str) for item in value)
    ):
        raise ParamTypeError(f"{owner}: {name} is {value!r}; need a list of str")
    return value


def encode_jpeg(pixels):
    """The bytes of a JPEG file with these pixels."""
    encode = _core.data.make_transform("encode_jpeg", {"quality": _JPEG_QUALITY})
    return encode((pixels,), 0)[0].tobytes()


def write_rows(destination, schema, rows, index=None, partitions=1, description="") -> None:
    """Writes the rows of an iterator, some at a time, to new files."""
    writer = FileWriter(destination, partitions)
    writer.add_schema(schema, description)
    if index:
        writer.add_index(list(index))
    rows = iter(rows)
    while part := list(itertools.islice(rows, _ROWS_AT_ONCE)):
        writer.write_raw_data(part)
    writer.commit()
